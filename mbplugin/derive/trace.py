"""Tracing: an author's function is run with nodes for numbers, once for each way through its branches."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mbplugin.derive.author import Entries, Functions, Parameters, TracedMarker, python_of, traceable
from mbplugin.derive.graph import Graph, Node, TraceError

#: ways through the branches of one function
MAX_PATHS = 64


@dataclass(frozen=True)
class Branch:
    """A condition and what follows where it holds, and where not."""

    condition: Node
    yes: Tree
    no: Tree


Leaf = list[Node]
Tree = Branch | Leaf


class Undecided(Exception):
    """A condition that the path so far does not decide."""

    def __init__(self, condition: Node) -> None:
        self.condition = condition


def arguments_of(graph: Graph, markers: int, moving: bool) -> dict[str, Any]:
    """Arguments that a function may name, as nodes."""
    m = tuple(TracedMarker(graph, k, moving) for k in range(markers))
    return {
        "m": m,
        "a": m[0],
        "b": m[min(1, markers - 1)],
        "p": Parameters(graph),
        "u": Functions(graph),
        "t": graph.node("t"),
        "x": Entries(graph, "state", "x"),
        "mem": Entries(graph, "memory", "mem"),
    }


@dataclass(frozen=True)
class Traced:
    """A function to trace, the number of values that it returns, and whether it sees velocities."""

    function: Callable[..., Any]
    rows: int
    moving: bool = False

    @property
    def python(self) -> Any:
        return python_of(self.function)


def traced(functions: Sequence[Traced], markers: int) -> tuple[Graph, Tree]:
    """The graph of some functions and the values that they return, one after the other, by branches.

    Raises TraceError, with the line.
    """
    graph = Graph()
    calls = [prepared(each, graph, markers) for each in functions]
    runs = 0

    def follow(taken: Mapping[int, bool]) -> Tree:
        nonlocal runs
        runs += 1  # n ways take 2 n - 1 runs
        if runs > 2 * MAX_PATHS:
            raise TraceError(
                f"more than {MAX_PATHS} ways through its branches, or a loop whose length depends on the "
                "pose; use `where`, min, max or abs"
            )

        def decide(condition: Node) -> bool:
            if condition.number not in taken:
                raise Undecided(condition)
            return taken[condition.number]

        graph.decide = decide
        try:
            return [value for call in calls for value in call()]
        except Undecided as met:
            number = met.condition.number
            yes, no = (follow({**taken, number: holds}) for holds in (True, False))
            return Branch(met.condition, yes, no)

    tree = follow({})
    graph.decide = None
    return graph, tree


def prepared(each: Traced, graph: Graph, markers: int) -> Callable[[], Leaf]:
    """A call of a function with nodes as arguments. Raises TraceError."""
    python = each.python
    given = arguments_of(graph, markers, each.moving)
    unknown = [name for name in inspect.signature(python).parameters if name not in given]
    if unknown:
        raise TraceError(f"{python.__name__} asks for `{unknown[0]}`; it can have {', '.join(given)}")
    copy = traced_errors(python, lambda: traceable(python, {}))
    arguments = [given[name] for name in inspect.signature(python).parameters]

    def call() -> Leaf:
        leaf = traced_errors(python, lambda: values(copy(*arguments), graph))
        if len(leaf) != each.rows:
            raise TraceError(f"{python.__name__} returns {len(leaf)} values, for {each.rows} rows")
        return leaf

    return call


def traced_errors(python: Any, call: Callable[[], Any]) -> Any:
    """The result of a call; its errors become TraceErrors with the line of the author's function."""
    try:
        return call()
    except (TraceError, TypeError, AttributeError, IndexError, RecursionError) as error:
        raise TraceError(f"{python.__name__}{place_of(error, python)}: {error}") from error


def values(result: Any, graph: Graph) -> Leaf:
    """Results of a function as nodes. Raises TraceError."""
    if result is None:
        raise TraceError("nothing is returned on one of its ways")
    return [graph.lift(r) for r in (result if isinstance(result, (tuple, list)) else (result,))]


def place_of(error: BaseException, function: Any) -> str:
    """The last line of the author's that led to an error: ", line 12 of cam.py (`return x % 2`)"."""
    frames: list[Any] = inspect.getinnerframes(error.__traceback__)  # type: ignore[arg-type]
    frames = [frame for frame in frames if Path(frame.filename).parent != Path(__file__).parent]
    if not frames:
        return ""
    last = [f for f in frames if f.filename == inspect.getfile(function)][-1:] or frames[-1:]
    code = (last[0].code_context or [""])[0].strip()
    return f", line {last[0].lineno} of {Path(last[0].filename).name} (`{code}`)"


def leaves(tree: Tree) -> list[Leaf]:
    """All ends of the branches."""
    return [*leaves(tree.yes), *leaves(tree.no)] if isinstance(tree, Branch) else [tree]
