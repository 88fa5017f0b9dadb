"""Kernels from the functions that authors write.

Φ(poses)          kernel(a, b, p, value, J, bias), or (..., phi, G, gamma, phi_t) of a constraint
ψ(poses, twists)  rows at velocity level, linear in the twists: G = ∂ψ/∂twist, γ = −ψ̇
tangent(a, b, p, lam, K): minus the derivative of Jᵀ λ or Gᵀ λ by displacements
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mbplugin.derive import motion
from mbplugin.derive.derivatives import forward, gradient, linear_in
from mbplugin.derive.graph import Graph, Node, TraceError, below, is_zero
from mbplugin.derive.motion import Vector
from mbplugin.derive.plans import best_plan
from mbplugin.derive.text import Scope, Stores, Writer, written
from mbplugin.derive.trace import Leaf, Traced, Tree, traced

Function = Callable[..., Any]
#: longest text of a tangent without a loop: a line takes about 2 ms to compile
MAX_LINES = 350
#: inputs that a measure, a function of poses, does not have
OF_TIME = ("t", "function")


@dataclass(frozen=True)
class Text:
    """Source text of a function; known: author's functions that it calls, by name; plans in words."""

    name: str
    source: str
    known: dict[str, Any] = field(default_factory=dict)
    plans: tuple[str, ...] = ()


@dataclass(frozen=True)
class Source:
    """Functions of an author's: Φ for the rows at position level, ψ for those at velocity level.

    levels: of each row; in this order the values of Φ and of ψ become rows.
    """

    markers: int
    levels: tuple[int, ...]
    phi: Function | None = None
    psi: Function | None = None

    def traced(self) -> tuple[Graph, Tree]:
        """The graph, and by branches the values of Φ, then those of ψ. Raises TraceError."""
        of_phi = self.levels.count(0)
        rows = lambda f: of_phi if f is self.phi else len(self.levels) - of_phi
        return traced([Traced(f, rows(f), moving=f is self.psi) for f in self.functions], self.markers)

    def split(self, leaf: Leaf) -> tuple[list[tuple[int, Node]], list[tuple[int, Node]]]:
        """(row, value) of Φ and of ψ."""
        position = [r for r, level in enumerate(self.levels) if level == 0]
        other = [r for r, level in enumerate(self.levels) if level != 0]
        return list(zip(position, leaf)), list(zip(other, leaf[len(position) :]))

    @property
    def functions(self) -> list[Function]:
        return [f for f in (self.phi, self.psi) if f is not None]

    @property
    def key(self) -> str:
        """Tells sources of the same functions apart."""
        return f"{self.markers}_{''.join(map(str, self.levels))}"


def measure_text(source: Source) -> Text:
    """The kernel of a measure. Raises TraceError."""
    g, tree = source.traced()
    writer, plans = Writer(source.markers), []

    def end(leaf: Leaf, scope: Scope) -> None:
        if any(n.op in OF_TIME for n in below(leaf)):
            raise TraceError(f"{source.functions[0].__name__}: a measure is a function of poses, not of time")
        plan = best_plan(g, leaf, source.markers)
        plans.append(plan.words)
        writer.store([*outputs("value", leaf), *outputs("J", plan.J), *outputs("bias", plan.bias)], scope)

    written(tree, writer, end)
    return finished("kernel", writer, ["value", "J", "bias"], plans)


def constraint_text(source: Source) -> Text:
    """The kernel of rows Φ = 0 and ψ = 0. Raises TraceError."""
    g, tree = source.traced()
    writer, plans, width = Writer(source.markers), [], 6 * source.markers
    twists = motion.twists(g, source.markers)

    def end(leaf: Leaf, scope: Scope) -> None:
        by_position, by_velocity = source.split(leaf)
        by_time = motion.rates_of_time(g, leaf, 1)
        rate = {n: one for n, (one, _) in by_time.items()}
        stores: Stores = []
        if by_position:
            values = [value for _, value in by_position]
            plan = best_plan(g, values, source.markers)
            plans.append(plan.words)
            for k, ((r, value), phi_t) in enumerate(zip(by_position, forward(values, rate))):
                stores.append((f"phi[{r}]", value))
                stores += outputs("G", plan.J[width * k : width * (k + 1)], width * r)
                stores += [(f"gamma[{r}]", -plan.bias[k]), (f"phi_t[{r}]", phi_t)]
        for r, value in by_velocity:
            stores.append((f"phi[{r}]", g.zero))
            stores += velocity_row(source, g, r, value, twists, rate)
        writer.store(stores, scope)

    written(tree, writer, end)
    return finished("kernel", writer, ["phi", "G", "gamma", "phi_t"], plans)


def velocity_row(
    source: Source, g: Graph, r: int, value: Node, twists: Vector, rate: Mapping[Node, Node]
) -> Stores:
    """G, γ and φ_t of a row ψ = G v + φ_t."""
    if not linear_in(value, twists):
        raise TraceError(f"{source.psi.__name__} is not linear in the velocities of its markers")  # type: ignore[union-attr]
    slopes = gradient(value, twists)
    still = {twist: g.zero for twist in twists}
    in_world = motion.rates_in_world(g, motion.places_of(g, [value]))
    moving = {n: one for n, (one, _) in in_world.items()}
    (psi_dot,) = forward([value], {**moving, **rate, **still})
    (phi_t,) = replaced(g, [value], still)
    G = outputs("G", [slopes[twist] for twist in twists], 6 * source.markers * r)
    return [*G, (f"gamma[{r}]", -psi_dot), (f"phi_t[{r}]", phi_t)]


def tangent_text(source: Source) -> Text:
    """The tangent of Gᵀ λ: straight, or as a loop over directions where that is long. Raises TraceError."""
    g, tree = source.traced()
    twists = motion.twists(g, source.markers)
    for in_a_loop in (False, True):
        writer = Writer(source.markers)

        def end(leaf: Leaf, scope: Scope, writer: Writer = writer, loops: bool = in_a_loop) -> None:
            by_position, by_velocity = source.split(leaf)
            loaded = lambda rows: sum((g.node("load", r) * value for r, value in rows), g.zero)
            places = motion.places_of(g, leaf)
            loads = motion.wrenches(g, loaded(by_position), places, source.markers)
            slopes = gradient(loaded(by_velocity), twists)
            loads = motion.plus(loads, [slopes[twist] for twist in twists])
            minus = [-load for load in loads]
            (looped_K if loops else straight_K)(g, writer, places, minus, source.markers, scope)

        written(tree, writer, end)
        if len(writer.lines) <= MAX_LINES:
            break
    return finished("tangent", writer, ["K"])


def straight_K(
    g: Graph, writer: Writer, places: list[motion.Place], loads: Vector, markers: int, scope: Scope
) -> None:
    """K as the derivative of loads by displacements, all entries in one text."""
    writer.store(entries("K", loads, list(motion.displacements(g, places, markers))), scope)


def straight_derivatives(g: Graph, loads: Vector, markers: int) -> Vector:
    """Derivatives of loads by displacements of the markers, row by row, zeros included."""
    places = motion.places_of(g, loads)
    columns = [forward(loads, seeds) for seeds in motion.displacements(g, places, markers)]
    return [column[row] for row in range(len(loads)) for column in columns]


def entries(name: str, loads: Vector, directions: Sequence[Mapping[Node, Node]]) -> Stores:
    """Entries of the matrix of derivatives of loads in some directions; K and D are zero on entry."""
    return [
        (f"{name}[{row}, {column}]", entry)
        for column, seeds in enumerate(directions)
        for row, entry in enumerate(forward(loads, seeds))
        if not is_zero(entry)
    ]


def looped_K(
    g: Graph, writer: Writer, places: list[motion.Place], loads: Vector, markers: int, scope: Scope
) -> None:
    """The same, column after column; numbers that do not depend on the direction are computed before them."""
    seeds: dict[Node, Node] = {}
    used: set[int] = set()
    for place in places:
        first = 6 * place.marker + (0 if place.is_position else 3)
        used |= set(range(first, first + 3))
        d = [g.node("seed", f"d{first + c}") for c in range(3)]
        seeds |= dict(zip(place.nodes, d if place.is_position else motion.cross(d, place.nodes)))
    column = forward(loads, seeds)
    moving: set[Node] = set()
    fixed: dict[Node, None] = {}
    for node in below(column):
        if node.op == "seed" or any(a in moving for a in node.arguments):
            moving.add(node)
            fixed |= dict.fromkeys(a for a in node.arguments if a not in moving and a.op != "const")
    writer.compute(list(fixed), scope)
    if not used:
        return writer.line(scope, "pass")
    numbers = sorted(used)
    writer.line(scope, f"for j in ({', '.join(map(str, numbers))},):")
    inside = scope.inside()
    for c in numbers:
        writer.line(inside, f"d{c} = 1.0 if j == {c} else 0.0")
    return writer.store([(f"K[{row}, j]", n) for row, n in enumerate(column) if not is_zero(n)], inside)


def outputs(name: str, nodes: Vector, first: int = 0) -> Stores:
    return [(f"{name}[{first + k}]", node) for k, node in enumerate(nodes)]


def replaced(g: Graph, roots: Vector, values: dict[Node, Node]) -> Vector:
    """The roots with other nodes for some inputs."""
    done: dict[Node, Node] = {}
    for n in below(roots):
        a = [done[x] if isinstance(x, Node) else x for x in n.args]
        simplifies = n.op in ("add", "mul", "scale", "recip", "call", "select", "sub")
        done[n] = values[n] if n in values else getattr(g, n.op)(*a) if simplifies else g.node(n.op, *a)
    return [done[root] for root in roots]


def finished(name: str, writer: Writer, outputs: list[str], plans: list[str] | None = None) -> Text:
    return Text(name, writer.function(name, outputs), writer.known, tuple(dict.fromkeys(plans or [])))
