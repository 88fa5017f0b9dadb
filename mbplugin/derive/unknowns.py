"""Inner unknowns s of a function, which satisfy equations F(s, poses) = 0 of their own.

A kernel solves them by Newton's method from their last values. Their rates follow from F = 0:

    F_s s' + F' = 0,   F_s s'' + F'' = 0        F', F'': with s' = 0, and with s'' = 0
    ∂Φ/∂x along F = 0 is Φ_x − μ F_x,  F_sᵀ μ = Φ_s
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from mbplugin.derive import motion
from mbplugin.derive.derivatives import Rates, forward, second
from mbplugin.derive.graph import Graph, Node, TraceError
from mbplugin.derive.motion import Place, Vector
from mbplugin.derive.text import Scope, Writer

#: Newton's steps, and the relative size of the last one
MAX_STEPS, LAST_STEP = 40, 1e-14
MAX_UNKNOWNS = 2


@dataclass(frozen=True)
class Unknowns:
    """Unknowns and their equations as nodes; starts: parameters with their values at t = 0."""

    g: Graph
    nodes: Vector = field(default_factory=list)
    equations: Vector = field(default_factory=list)
    starts: Sequence[str] = ()

    def __post_init__(self) -> None:
        if len(self.nodes) > MAX_UNKNOWNS:
            raise TraceError(f"{len(self.nodes)} unknowns; there may be {MAX_UNKNOWNS}")

    def slopes(self) -> list[Vector]:
        """F_s, row by row."""
        columns = [forward(self.equations, {node: self.g.one}) for node in self.nodes]
        return [list(row) for row in zip(*columns)]

    def solved(self, right: Vector, transposed: bool = False) -> Vector:
        """The solution of F_s x = right, or of F_sᵀ x = right."""
        A = self.slopes()
        if len(A) == 1:
            return [right[0] / A[0][0]]
        if transposed:
            A = [list(column) for column in zip(*A)]
        (a, b), (c, d) = A
        scale = self.g.recip(a * d - b * c)
        return [(right[0] * d - right[1] * b) * scale, (right[1] * a - right[0] * c) * scale]

    def moving(self, seeds: Mapping[Node, Node]) -> dict[Node, Node]:
        """The seeds of a direction, with those of the unknowns."""
        if not self.nodes:
            return dict(seeds)
        turned = self.solved(forward(self.equations, seeds))
        return {**seeds, **{node: -rate for node, rate in zip(self.nodes, turned)}}

    def with_rates(self, rates: Rates) -> Rates:
        """The first and second derivatives along a motion, with those of the unknowns."""
        if not self.nodes:
            return rates
        first = self.moving({node: one for node, (one, _) in rates.items()})
        known = {**rates, **{node: (first[node], self.g.zero) for node in self.nodes}}
        twice = self.solved(second(self.equations, known))
        return {**rates, **{node: (first[node], -two) for node, two in zip(self.nodes, twice)}}

    def wrenches(self, root: Node, places: Sequence[Place], markers: int) -> Vector:
        """(6 markers) derivatives of a root by displacements of the markers, along F = 0."""
        total = motion.wrenches(self.g, root, places, markers)
        if self.nodes:
            by_unknowns = [forward([root], {node: self.g.one})[0] for node in self.nodes]
            for factor, equation in zip(self.solved(by_unknowns, transposed=True), self.equations):
                share = motion.wrenches(self.g, equation, places, markers)
                total = [a - factor * b for a, b in zip(total, share)]
        return total

    def write(self, writer: Writer, scope: Scope) -> None:
        """Statements that solve for the unknowns, from the memory; nan where Newton's method fails."""
        if not self.nodes:
            return
        steps = self.solved(self.equations)
        writer.before(steps, self.nodes, scope)
        for k, (node, start) in enumerate(zip(self.nodes, self.starts)):
            writer.read |= {"mem", "p"}
            scope.names[node.number] = f"unknown{k}"
            writer.line(scope, f"unknown{k} = p.{start} + mem[{k}]")
        writer.line(scope, f"for step in range({MAX_STEPS}):")
        inside = scope.inside()
        writer.compute(steps, inside)
        for k, step in enumerate(steps):
            writer.line(inside, f"unknown{k} -= {writer.reference(step, inside)}")
        small = " and ".join(
            f"abs({writer.reference(step, inside)}) <= {LAST_STEP!r} * (1.0 + abs(unknown{k}))"
            for k, step in enumerate(steps)
        )
        writer.line(inside, f"if {small}:")
        writer.line(inside.inside(), "break")
        writer.line(scope, "else:")
        for k in range(len(self.nodes)):
            writer.line(scope.inside(), f"unknown{k} = nan")
