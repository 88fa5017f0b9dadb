"""Sums along the markers of a kind for any number of them: Σ part(a, b) over consecutive ones."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from mbplugin.derive.author import TracedMarker, python_of
from mbplugin.derive.graph import Graph, Node, TraceError, below, fixed

#: most markers that a part of a sum is a function of
MAX_WINDOW = 4
#: index of a part in the texts of parameters
PART = "[k]"


def sum_along(m: Any, part: Callable[..., Any], *lists: Any) -> Any:
    """Sum of part(m[0], m[1]), part(m[1], m[2]), ... over consecutive markers `m`.

    part: a function of one marker or of two, three or four consecutive ones, of as many as it has arguments
    beside those of `lists`. lists: parameters with an entry for each part, its further arguments. It may
    return a tuple of numbers; the sum is one then too
    """
    if hasattr(m, "summed"):
        return m.summed(part, lists)
    window = window_of(part, len(lists))
    found: Any = None
    for k in range(len(m) - window + 1):
        value = part(*(m[k + i] for i in range(window)), *(entries[k] for entries in lists))
        if not isinstance(value, tuple):
            found = value if found is None else found + value
        else:
            found = value if found is None else tuple(x + y for x, y in zip(found, value))
    return 0.0 if found is None else found


def window_of(part: Any, lists: int) -> int:
    """Number of consecutive markers that a part is a function of. Raises TraceError."""
    free = [p for p in inspect.signature(python_of(part)).parameters.values() if p.default is p.empty]
    window = len(free) - lists
    if not 1 <= window <= MAX_WINDOW:
        name = getattr(part, "__name__", "a part")
        raise TraceError(
            f"{name} takes {len(free)} arguments: a part of `sum_along` takes one to {MAX_WINDOW} markers, "
            f"and an entry of each of the {lists} lists"
        )
    return window


class TracedChain:
    """`m` of a kind for any number of markers; of a moving one its parts also read velocities."""

    def __init__(self, graph: Graph, moving: bool) -> None:
        self.graph, self.moving = graph, moving

    def summed(self, part: Callable[..., Any], lists: Sequence[Any]) -> Any:
        """The nodes of the sums. Raises TraceError."""
        g = self.graph
        window = window_of(part, len(lists))
        markers = [TracedMarker(g, k, self.moving) for k in range(window)]
        outer = g.decide

        def decide(condition: Node) -> bool:
            if outer is None or not fixed(condition) or reads_entries(condition):
                raise TraceError("a branch within a sum along markers; use `where`, min, max or abs")
            return outer(condition)

        g.decide = decide
        try:
            value = part(*markers, *(entry_of(g, each) for each in lists))
        finally:
            g.decide = outer
        if isinstance(value, (tuple, list)):
            return tuple(sum_of(g, window, g.lift(each)) for each in value)
        return sum_of(g, window, g.lift(value))

    def refuse(self, *_: Any) -> Any:
        raise TraceError(
            "a single marker of a kind for any number of them; use `sum_along(m, part)` with a function "
            "`part(a, b)` of consecutive ones"
        )

    __getitem__ = __iter__ = __len__ = refuse


def entry_of(g: Graph, each: Any) -> Node:
    """The entry of a list for the present part. Raises TraceError."""
    if not isinstance(each, Node) or each.op != "parameter" or "[" in each.args[0]:
        raise TraceError("a list of `sum_along` that is not a parameter, as `p.stiffness`")
    return g.node("parameter", each.args[0] + PART)


def sum_of(g: Graph, window: int, value: Node) -> Node:
    """The node of one sum; its parts are not among its arguments."""
    if any(n.op == "sum" for n in below([value])):
        raise TraceError("a sum along markers within a part of another one")
    return g.node("sum", window, Summand(value))


class Summand:
    """What is summed, equal where its node is the same."""

    def __init__(self, node: Node) -> None:
        self.node = node

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Summand) and other.node is self.node

    def __hash__(self) -> int:
        return hash((Summand, self.node.number))


def reads_entries(root: Node) -> bool:
    return any(n.op == "parameter" and n.args[0].endswith(PART) for n in below([root]))
