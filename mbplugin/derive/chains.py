"""Texts of kernels of sums along markers: loops over the kernel of a part.

A value is Σ wᵢ Σₖ fᵢ(mₖ, mₖ₊₁, ...) + c, with factors w and an offset c that are functions of parameters and
time. All that is derived from it is linear in the value: residuals, Jacobians, biases, energies, tangents. So
each is the same function of the offset, plus the sum of those of Σ wᵢ fᵢ, which is a function of a fixed
number of markers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from mbplugin.derive.derivatives import gradient
from mbplugin.derive.graph import Graph, Node, TraceError, below
from mbplugin.derive.sums import PART, Summand, reads_entries
from mbplugin.derive.text import Scope, Stores, Writer
from mbplugin.derive.trace import Leaf

#: stores of a leaf for a fixed number of markers: graph, leaf, markers -> outputs and nodes
StoresOf = Callable[[Graph, Leaf, int], Stores]
#: inputs that change from part to part
OF_PARTS = ("x", "axis", "v", "w")
#: an output and its indices
TARGET = re.compile(r"(\w+)\[([^\]]*)\]")
#: outputs over the twists of the markers, or the markers; all others are sums, in variables
OF_MARKERS = ("G", "J", "K", "D", "wrench")


def split_sums(g: Graph, values: Sequence[Node]) -> tuple[list[Node], dict[int, list[Node]]]:
    """Offsets of the values, and of each number of markers the summands Σ wᵢ fᵢ. Raises TraceError."""
    sums = [n for n in below(values) if n.op == "sum"]
    parts: dict[int, list[Node]] = {n.args[0]: [g.zero] * len(values) for n in sums}
    offsets: list[Node] = []
    for r, value in enumerate(values):
        weights = gradient(value, sums)
        if any(n.op == "sum" for n in below(weights.values())):
            raise TraceError(
                "a function of a sum along markers that is not linear in it; multiply the sum by parameters "
                "and functions of time, and add others"
            )
        rest = value
        for n in sums:
            window, summand = n.args
            assert isinstance(summand, Summand)
            parts[window][r] = parts[window][r] + weights[n] * summand.node
            rest = rest - weights[n] * n
        offsets.append(without_sums(g, rest, sums))
    return offsets, parts


def without_sums(g: Graph, value: Node, sums: Sequence[Node]) -> Node:
    """A value at sums of zero."""
    from mbplugin.derive.kernels import replaced

    return replaced(g, [value], dict.fromkeys(sums, g.zero))[0]


class ChainWriter(Writer):
    """Statements of a function of any number of markers."""

    def __init__(self) -> None:
        super().__init__(0)
        self.window = 0  # of the loop that is written; 0: before it
        self.summed: dict[str, str] = {}  # output -> variable with its sum
        self.lists: dict[str, int] = {}  # parameter with an entry for each part -> markers of a part

    def over(self, window: int) -> None:
        """The number of markers of the parts that are written from here on."""
        self.window = window
        self.markers = ["a", "b"][:window] if window <= 2 else [f"m{k}" for k in range(window)]

    def function(self, name: str, outputs: Sequence[str]) -> str:
        """The function around the statements, with the arguments that they read."""
        self.markers = []
        given = [n for n in READ_WITH_MARKERS if n in self.read or n == "m"]
        return "\n".join([f"def {name}({', '.join([*given, *outputs])}):", *self.lines]) + "\n"

    def assigned(self, target: str) -> str:
        """A sum in a variable, or an entry over the twists of the present markers."""
        name, indices = TARGET.fullmatch(target).groups()  # type: ignore[union-attr]
        if name in ("K", "D"):
            row, column = indices.split(", ")
            return f"{name}[{moved(row)}, {moved(column)}] +="
        if name == "wrench":
            row, column = indices.split(", ")
            return f"wrench[{f'k + {row}' if row != '0' else 'k'}, {column}] +="
        if name in ("G", "J"):
            row, column = divmod(int(indices), 6 * self.window)
            first = f"{6 * row} * len(m) + " if row else ""
            return f"{name}[{first}{moved(str(column))}] +="
        variable = self.summed.setdefault(target, f"sum{len(self.summed)}")
        return f"{variable} {'+=' if self.window else '='}"


def moved(index: str) -> str:
    """An index over the twists of the markers of part k."""
    return f"6 * k + {index}" if index != "0" else "6 * k"


#: arguments in their order, markers first
READ_WITH_MARKERS = ("m", "p", "t", "u", "x", "mem", "active", "lam")


def write_chain(
    g: Graph, leaf: Leaf, writer: ChainWriter, stores_of: StoresOf, cleared: str, rows: int, scope: Scope
) -> None:
    """Statements of one leaf. cleared: the output over the twists that is zeroed first, if any; rows: its
    number of rows over all twists, 0 of `wrench`.
    """
    offsets, parts = split_sums(g, leaf)
    writer.over(0)
    writer.summed = {}
    if cleared == "wrench":
        writer.line(scope, "for k in range(len(m)):")
        writer.line(scope.inside(), "for c in range(6):")
        writer.line(scope.inside().inside(), "wrench[k, c] = 0.0")
    elif cleared:
        writer.line(scope, f"for k in range({6 * rows} * len(m)):")
        writer.line(scope.inside(), f"{cleared}[k] = 0.0")
    loops = [(window, stores_of(g, values, window)) for window, values in parts.items()]
    start: dict[str, Node] = {target: g.zero for _, stores in loops for target, _ in stores}
    start |= dict(stores_of(g, offsets, 0))
    summed = [(t, n) for t, n in start.items() if is_summed(t)]
    writer.compute([n for _, n in summed], scope, summed)
    for window, stores in loops:
        stores = [(t, n) for t, n in stores if not (n.op == "const" and n.args[0] == 0.0)]
        writer.over(window)
        roots = [n for _, n in stores]
        entries = [n for n in below(roots) if is_entry(n)]
        writer.lists |= {n.args[0].removesuffix(PART): window for n in entries}
        writer.before(roots, [*entries, *(n for n in below(roots) if n.op in OF_PARTS)], scope)
        count = f"len(m) - {window - 1}" if window > 1 else "len(m)"
        writer.line(scope, f"for k in range({count}):")
        inside = scope.inside()
        here = ", ".join(f"m[k + {i}]" if i else "m[k]" for i in range(window))
        writer.line(inside, f"{', '.join(writer.markers)} = {here}")
        writer.store(stores, inside)
    for target, variable in writer.summed.items():
        writer.line(scope, f"{target} = {variable}")
    if not writer.summed and not loops:
        writer.line(scope, "pass")


def is_summed(target: str) -> bool:
    return target.partition("[")[0] not in OF_MARKERS


def is_entry(n: Node) -> bool:
    return n.op == "parameter" and reads_entries(n)
