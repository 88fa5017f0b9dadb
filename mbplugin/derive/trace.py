"""Tracing: an author's function is run with nodes for numbers, once for each way through its branches."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from mbplugin.derive.author import (
    Entries,
    Functions,
    Parameters,
    TracedMarker,
    name_of,
    python_of,
    replacement,
)
from mbplugin.derive.graph import Graph, Node, TraceError, below
from mbplugin.derive.sums import TracedChain

#: ways through the branches of one function
MAX_PATHS = 64


@dataclass(frozen=True)
class Branch:
    """A condition and what follows where it holds, and where not."""

    condition: Node
    yes: Tree
    no: Tree


#: arguments of kernels by hand, and of derived functions that are given them
OF_KERNELS = ("x", "active", "lam")

Leaf = list[Node]
Tree = Branch | Leaf
#: a condition, and whether it holds
Choice = tuple[Node, bool]


class Output:
    """An array that a kernel writes; what it has not written is missing, or zero."""

    def __init__(self, shape: tuple[int, ...], zero: Node | None) -> None:
        self.shape = shape
        self.entries: dict[Any, Any] = {}
        self.zero = zero

    def __len__(self) -> int:
        return self.shape[0]

    def __setitem__(self, k: Any, value: Any) -> None:
        self.entries[self.place(k)] = value

    def __getitem__(self, k: Any) -> Any:
        return self.entries.get(self.place(k), self.zero)

    def place(self, k: Any) -> tuple[int, ...]:
        """An index within the array. Raises IndexError."""
        indices = k if isinstance(k, tuple) else (k,)
        if len(indices) != len(self.shape) or not all(0 <= i < n for i, n in zip(indices, self.shape)):
            raise IndexError(f"index {k} of an array of the shape {self.shape}")
        return indices

    def values(self, graph: Graph) -> Leaf:
        """All entries, row by row. Raises TraceError."""
        found = [self[k] for k in itertools.product(*map(range, self.shape))]
        if any(value is None for value in found):
            raise TraceError("an entry of an output is not written")
        return [graph.lift(value) for value in found]


class Undecided(BaseException):
    """A condition that the path so far does not decide. No `except Exception` of an author's catches it."""

    def __init__(self, condition: Node) -> None:
        self.condition = condition


def arguments_of(graph: Graph, markers: int | None, moving: bool, unknowns: Sequence[str]) -> dict[str, Any]:
    """Arguments that a function may name, as nodes; of a moving one also rates of the unknowns, `s_dot`."""
    own = {name: graph.node("unknown", k) for k, name in enumerate(unknowns)}
    rates = {f"{name}_dot": graph.node("rate", k) for k, name in enumerate(unknowns)}
    return {
        **markers_of(graph, markers, moving),
        "p": Parameters(graph),
        "u": Functions(graph),
        "t": graph.node("t"),
        "x": Entries(graph, "state", "x"),
        "mem": Entries(graph, "memory", "mem"),
        "s": Entries(graph, "measure", "s"),
        "s_dot": Entries(graph, "measure", "s_dot"),
        "active": Entries(graph, "memory", "active"),
        "lam": Entries(graph, "load", "lam"),
        **own,
        **(rates if moving else {}),
    }


def markers_of(graph: Graph, markers: int | None, moving: bool) -> dict[str, Any]:
    """Markers under the names that a function may use; None: of a kind for any number of them."""
    if markers is None:
        return {"m": TracedChain(graph, moving)}
    m = tuple(TracedMarker(graph, k, moving) for k in range(markers))
    return {"m": m, "a": m[0], "b": m[min(1, markers - 1)]}


class AllOn:
    """`active` where a function is only needed for rows that hold."""

    def __getitem__(self, k: int) -> int:
        return 1


@dataclass(frozen=True)
class Traced:
    """A function to trace: it returns `rows` values, or writes outputs, name -> shape.

    moving: it also gets the velocities of its markers; unknowns: names of inner unknowns; further: names of
    `OF_KERNELS` that it may have; on: whether all rows hold; settings: constants that it gets as `p`
    """

    function: Callable[..., Any]
    rows: int = 0
    moving: bool = False
    unknowns: Sequence[str] = ()
    outputs: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    further: Sequence[str] = ()
    on: bool = False
    settings: Mapping[str, Any] | None = None

    @property
    def python(self) -> Any:
        return python_of(self.function)


def traced(functions: Sequence[Traced], markers: int | None) -> tuple[Graph, Tree]:
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
    if any(n.op == "sum" for n in below(conditions(tree))):
        raise TraceError("a branch on a sum along markers; use `where`, min, max or abs in its parts")
    return graph, tree


def conditions(tree: Tree) -> list[Node]:
    """All conditions of branches."""
    if not isinstance(tree, Branch):
        return []
    return [tree.condition, *conditions(tree.yes), *conditions(tree.no)]


def prepared(each: Traced, graph: Graph, markers: int | None) -> Callable[[], Leaf]:
    """A call of a function with nodes as arguments. Raises TraceError."""
    python = each.python
    given = arguments_of(graph, markers, each.moving, each.unknowns)
    if not each.outputs:
        hidden = set(OF_KERNELS) - set(each.further)
        given = {name: value for name, value in given.items() if name not in hidden}
    if each.on:
        given["active"] = AllOn()
    if each.settings is not None:
        given["p"] = SimpleNamespace(**each.settings)
    asked = inspect.signature(python).parameters.values()
    known = {*given, *each.outputs}
    names = [p.name for p in asked if p.name in known or p.default is p.empty]
    unknown = [name for name in names if name not in known]
    if unknown:
        raise TraceError(f"{name_of(python)} asks for `{unknown[0]}`; it can have {', '.join(given)}")
    copy = traced_errors(python, lambda: replacement(python, {}))

    def call() -> Leaf:
        written = {name: Output(shape, zero_on_entry(name, graph)) for name, shape in each.outputs.items()}
        arguments = {name: {**given, **written}[name] for name in names}
        result = traced_errors(python, lambda: copy(**arguments))
        if written:
            outputs = [output for name, output in written.items() if name in names]
            return traced_errors(python, lambda: [n for output in outputs for n in output.values(graph)])
        leaf: Leaf = traced_errors(python, lambda: values(result, graph))
        if len(leaf) != each.rows:
            raise TraceError(f"{name_of(python)} returns {len(leaf)} values, for {each.rows} rows")
        return leaf

    return call


def zero_on_entry(name: str, graph: Graph) -> Node | None:
    """0 for outputs that are zero when a function is called, the matrices of tangents."""
    return graph.zero if name in ("K", "D") else None


def traced_errors(python: Any, call: Callable[[], Any]) -> Any:
    """The result of a call; its errors become TraceErrors with the line of the author's function."""
    try:
        return call()
    except Exception as error:  # the author's function meets nodes where it expects numbers
        says = str(error) if isinstance(error, TraceError) else f"{type(error).__name__}: {error}"
        if "Node" in says:
            says = f"a function that takes numbers alone, and cannot be followed ({says})"
        raise TraceError(f"{name_of(python)}{place_of(error, python)}: {says}") from error


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
    file = inspect.getfile(getattr(function, "func", function))  # of a partial
    last = [f for f in frames if f.filename == file][-1:] or frames[-1:]
    code = (last[0].code_context or [""])[0].strip()
    return f", line {last[0].lineno} of {Path(last[0].filename).name} (`{code}`)"


def ways(tree: Tree, taken: tuple[Choice, ...] = ()) -> list[tuple[tuple[Choice, ...], Leaf]]:
    """All ends of the branches, each with the conditions on the way to it."""
    if not isinstance(tree, Branch):
        return [(taken, tree)]
    return [
        *ways(tree.yes, (*taken, (tree.condition, True))),
        *ways(tree.no, (*taken, (tree.condition, False))),
    ]


def without(tree: Tree, count: int) -> Tree:
    """The tree without the first values of all leaves."""
    if isinstance(tree, Branch):
        return Branch(tree.condition, without(tree.yes, count), without(tree.no, count))
    return tree[count:]


#: signs of a − b where a comparison of a with b holds
SIGNS = {"<": {-1}, "<=": {-1, 0}, ">": {1}, ">=": {0, 1}, "==": {0}, "!=": {-1, 1}}


def is_possible(taken: Iterable[Choice]) -> bool:
    """False if the conditions contradict each other: on the same two numbers, or on one and constants."""
    signs: dict[tuple[int, int], set[int]] = {}
    bounds: dict[int, list[tuple[float, set[int]]]] = {}
    for condition, holds in taken:
        op, a, b = condition.args
        allowed = SIGNS[op] if holds else {-1, 0, 1} - SIGNS[op]
        if a.op == "const" or (b.op != "const" and b.number < a.number):
            a, b, allowed = b, a, {-sign for sign in allowed}
        key = (a.number, b.number)
        signs[key] = signs.get(key, {-1, 0, 1}) & allowed
        if not signs[key]:
            return False
        if b.op == "const":
            bounds.setdefault(a.number, []).append((b.args[0], allowed))
    return all(map(has_room, bounds.values()))


def has_room(bounds: list[tuple[float, set[int]]]) -> bool:
    """Whether there is a number that has the allowed signs from each of some constants."""
    places = sorted({place for place, _ in bounds})
    between = [(low + high) / 2 for low, high in itertools.pairwise(places)]
    tried = [*places, *between, places[0] - 1.0, places[-1] + 1.0]
    sign = lambda x: (x > 0.0) - (x < 0.0)
    return any(all(sign(x - place) in allowed for place, allowed in bounds) for x in tried)
