"""Kernels from the functions that authors write.

Φ(poses)          kernel(a, b, p, value, J, bias), or (..., phi, G, gamma, phi_t) of a constraint
ψ(poses, twists)  rows at velocity level, linear in the twists: G = ∂ψ/∂twist, γ = −ψ̇
ẋ(poses, twists)  rates of inner states x, which Φ and ψ may read
tangent(a, b, p, lam, K): minus the derivative of Jᵀ λ or Gᵀ λ by displacements
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mbplugin.derive import motion
from mbplugin.derive.author import name_of
from mbplugin.derive.chains import ChainWriter, StoresOf, write_chain
from mbplugin.derive.derivatives import Rates, forward, gradient, linear_in
from mbplugin.derive.graph import Graph, Node, TraceError, below, is_zero
from mbplugin.derive.motion import Place, Vector
from mbplugin.derive.plans import best_plan
from mbplugin.derive.text import Scope, Stores, Writer, branches
from mbplugin.derive.trace import Leaf, Traced, Tree, traced, ways, without
from mbplugin.derive.unknowns import Unknowns

Function = Callable[..., Any]
#: longest text of a tangent without a loop: a line takes about 2 ms to compile
MAX_LINES = 350
#: most that an unknown moves in a step, in its range, where a kind asks for a limit
STRIDE = 0.125
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

    markers: None: any number of them, of which Φ and ψ are sums. levels: of each row; in this order the
    values of Φ and of ψ become rows. unknowns: names of inner unknowns and of the parameters with their
    values at t = 0; equations: the function F that is zero there; outputs: names of the numbers that the
    function `reported` gives; ranges: of the unknowns that move at most a part of them in a step, the names
    of parameters with these; states: number of inner states, rates: the function with a rate of each;
    is_measure: of poses alone, without inner states
    """

    markers: int | None
    levels: tuple[int, ...]
    phi: Function | None = None
    psi: Function | None = None
    unknowns: tuple[tuple[str, str], ...] = ()
    equations: Function | None = None
    outputs: tuple[str, ...] = ()
    reported: Function | None = None
    ranges: tuple[tuple[str, str], ...] = ()
    states: int = 0
    rates: Function | None = None
    is_measure: bool = False

    def traced(self, on: bool = False) -> tuple[Graph, Tree, Unknowns]:
        """The graph, by branches the values of Φ, of ψ, of the outputs and of the rates, and the unknowns.
        on: where all rows hold. Raises TraceError.
        """
        of_phi, names = self.levels.count(0), tuple(name for name, _ in self.unknowns)
        rows = {self.equations: len(names), self.phi: of_phi, self.psi: len(self.levels) - of_phi}
        rows |= {self.reported: len(self.outputs), self.rates: self.states}
        further = () if self.is_measure else ("x", "active") if self.states else ("active",)
        moving = (self.psi, self.rates)
        functions = [
            Traced(f, rows[f], moving=f in moving, unknowns=names, further=further, on=on)
            for f in self.functions
        ]
        g, tree = traced(functions, self.markers)
        F = {tuple(n.number for n in leaf[: len(names)]) for _, leaf in ways(tree)}
        if len(F) > 1:
            raise TraceError("the equations of its unknowns have branches; use `where`, min, max or abs")
        first = ways(tree)[0][1][: len(names)]
        nodes = [g.node("unknown", k) for k in range(len(names))]
        return g, without(tree, len(names)), Unknowns(g, nodes, first, [start for _, start in self.unknowns])

    def split(self, leaf: Leaf) -> tuple[list[tuple[int, Node]], list[tuple[int, Node]]]:
        """(row, value) of Φ and of ψ."""
        position = [r for r, level in enumerate(self.levels) if level == 0]
        other = [r for r, level in enumerate(self.levels) if level != 0]
        return list(zip(position, leaf)), list(zip(other, leaf[len(position) :]))

    @property
    def functions(self) -> list[Function]:
        every = (self.equations, self.phi, self.psi, self.reported, self.rates)
        return [f for f in every if f is not None]

    def rates_of_states(self, g: Graph, leaf: Leaf) -> Vector:
        """Rates of the inner states of a leaf."""
        return list(leaf[len(leaf) - self.states :]) if self.states else []

    @property
    def key(self) -> str:
        """Tells sources of the same functions apart."""
        names = "".join(f"_{name}_{start}" for name, start in self.unknowns)
        names += "".join(f"_{name}" for name in self.outputs)
        return f"{self.markers}_{''.join(map(str, self.levels))}_{self.states}{names}"


def measure_text(source: Source) -> Text:
    """The kernel of a measure. Raises TraceError."""
    g, tree, unknowns = source.traced()
    plans: list[str] = []

    def stores_of(g: Graph, leaf: Leaf, markers: int) -> Stores:
        if any(n.op in OF_TIME for n in below(leaf)):
            raise TraceError(f"{name_of(source.functions[0])}: a measure is a function of poses, not of time")
        plan = best_plan(g, leaf, markers, unknowns)
        plans.append(plan.words if markers else "")
        return [*outputs("value", leaf), *outputs("J", plan.J), *outputs("bias", plan.bias)]

    writer = written_stores(source.markers, tree, stores_of, g, "J", len(source.levels), unknowns)
    return finished("kernel", writer, ["value", "J", "bias"], plans)


def constraint_text(source: Source) -> Text:
    """The kernel of rows Φ = 0 and ψ = 0. Raises TraceError."""
    g, tree, unknowns = source.traced()
    plans: list[str] = []

    def stores_of(g: Graph, leaf: Leaf, markers: int) -> Stores:
        twists, width = motion.twists(g, markers), 6 * markers
        by_position, by_velocity = source.split(leaf)
        by_time = motion.rates_of_time(g, [*leaf, *unknowns.equations], 1)
        x_dot = source.rates_of_states(g, leaf)
        rate = {n: one for n, (one, _) in by_time.items()}
        rate |= {g.node("state", "x", k): n for k, n in enumerate(x_dot)}
        stores: Stores = outputs("x_dot", x_dot)
        velocity_rows = [
            store
            for r, value in by_velocity
            for store in velocity_row(source, g, r, value, twists, rate, unknowns)
        ]
        if by_position:
            values = [value for _, value in by_position]
            of_states = rates_of_states(source, g, values, x_dot, rate)
            beside = [node for _, node in velocity_rows]
            plan = best_plan(g, values, markers, unknowns, of_states, beside)
            plans.append(plan.words if markers else "")
            for k, ((r, value), phi_t) in enumerate(zip(by_position, forward(values, unknowns.moving(rate)))):
                stores.append((f"phi[{r}]", value))
                stores += outputs("G", plan.J[width * k : width * (k + 1)], width * r)
                stores += [(f"gamma[{r}]", -plan.bias[k]), (f"phi_t[{r}]", phi_t)]
        stores += [*outputs_of_rows(by_velocity, g), *velocity_rows]
        reported = leaf[len(source.levels) :]
        stores += [(f"{name}[0]", value) for name, value in zip(source.outputs, reported)]
        return stores

    writer = written_stores(source.markers, tree, stores_of, g, "G", len(source.levels), unknowns)
    further = [*(["x_dot"] if source.states else []), *source.outputs]
    return finished("kernel", writer, ["phi", "G", "gamma", "phi_t", *further], plans)


def outputs_of_rows(rows: Sequence[tuple[int, Node]], g: Graph) -> Stores:
    """Φ of rows at velocity level, which have none."""
    return [(f"phi[{r}]", g.zero) for r, _ in rows]


def rates_of_states(
    source: Source, g: Graph, values: Vector, x_dot: Vector, rate: Mapping[Node, Node]
) -> Rates:
    """First and second derivatives of inner states that Φ reads. Raises TraceError."""
    read = [n for n in below(values) if n.op == "state"]
    if not read:
        return {}
    if any(n.op in ("v", "w") for n in below([x_dot[n.args[1]] for n in read])):
        raise TraceError(
            f"{name_of(source.rates)}: rates of inner states that {name_of(source.phi)} reads depend on "
            "velocities of markers; write such a row as `psi`, or the rate as a function of poses"
        )
    in_world = motion.rates_in_world(g, motion.places_of(g, x_dot))
    moving = {**rate, **{n: one for n, (one, _) in in_world.items()}}
    moving |= {n: one for n, (one, _) in motion.rates_of_time(g, x_dot, 1).items()}
    twice = forward(x_dot, moving)
    return {n: (x_dot[n.args[1]], twice[n.args[1]]) for n in read}


def velocity_row(
    source: Source,
    g: Graph,
    r: int,
    value: Node,
    twists: Vector,
    rate: Mapping[Node, Node],
    unknowns: Unknowns,
) -> Stores:
    """G, γ and φ_t of a row ψ = G v + φ_t."""
    value = with_rates_of(unknowns, value, rate)
    if twists and not linear_in(value, twists):
        raise TraceError(f"{name_of(source.psi)} is not linear in the velocities of its markers")
    slopes = gradient(value, twists)
    still = {twist: g.zero for twist in twists}
    in_world = motion.rates_in_world(g, motion.places_of(g, [value, *unknowns.equations]))
    rate = {**rate, **{n: one for n, (one, _) in motion.rates_of_time(g, [value], 1).items()}}
    moving = unknowns.moving({**{n: one for n, (one, _) in in_world.items()}, **rate})
    (psi_dot,) = forward([value], {**moving, **still})
    (phi_t,) = replaced(g, [value], still)
    G = outputs("G", [slopes[twist] for twist in twists], len(twists) * r)
    return [*G, (f"gamma[{r}]", -psi_dot), (f"phi_t[{r}]", phi_t)]


def with_rates_of(unknowns: Unknowns, value: Node, rate: Mapping[Node, Node]) -> Node:
    """ψ with the rates of the unknowns, which are functions of the twists."""
    if not unknowns.nodes:
        return value
    g = unknowns.g
    in_world = motion.rates_in_world(g, motion.places_of(g, unknowns.equations))
    moving = unknowns.moving({**{n: one for n, (one, _) in in_world.items()}, **rate})
    rates = {g.node("rate", k): moving[node] for k, node in enumerate(unknowns.nodes)}
    return replaced(g, [value], rates)[0]


def accept_text(source: Source) -> Text:
    """The function that stores the unknowns for the next step. Raises TraceError."""
    g, _, unknowns = source.traced()
    writer, scope = Writer(source.markers or 0), Scope({}, 1)
    unknowns.write(writer, scope)
    starts = [g.node("parameter", start) for start in unknowns.starts]
    writer.store([(f"mem_new[{k}]", n - s) for k, (n, s) in enumerate(zip(unknowns.nodes, starts))], scope)
    return finished("accept", writer, ["mem_new"])


def event_text(source: Source) -> Text:
    """The event function of unknowns that move at most a part of their range in a step. Raises TraceError."""
    _, _, unknowns = source.traced()
    writer, scope = Writer(source.markers or 0), Scope({}, 1)
    unknowns.write(writer, scope)
    writer.line(scope, f"event[0] = {STRIDE!r}")
    for k, (name, start) in enumerate(source.unknowns):
        if name in (ranges := dict(source.ranges)):
            part = f"abs(unknown{k} - p.{start} - mem[{k}]) / p.{ranges[name]}"
            writer.line(scope, f"event[0] = min(event[0], {STRIDE!r} - {part})")
    return finished("event", writer, ["event"])


def tangent_text(source: Source) -> Text:
    """The tangent of Gᵀ λ: straight, or as a loop over directions where that is long; of rows that hold.
    Raises TraceError.
    """
    g, tree, unknowns = source.traced(on=True)

    def loads_of(g: Graph, leaf: Leaf, markers: int) -> tuple[list[Place], Vector]:
        twists = motion.twists(g, markers)
        by_position, by_velocity = source.split(leaf)
        loaded = lambda rows: sum((g.node("load", r) * value for r, value in rows), g.zero)
        places = motion.places_of(g, [*leaf[: len(source.levels)], *unknowns.equations])
        loads = unknowns.wrenches(loaded(by_position), places, markers)
        slopes = gradient(with_rates_of(unknowns, loaded(by_velocity), {}), twists)
        return places, [-load for load in motion.plus(loads, [slopes[twist] for twist in twists])]

    if source.markers is None:

        def stores_of(g: Graph, leaf: Leaf, markers: int) -> Stores:
            places, minus = loads_of(g, leaf, markers)
            return entries("K", minus, list(motion.displacements(g, places, markers)))

        return finished("tangent", written_stores(None, tree, stores_of, g, "", 0, unknowns), ["K"])
    markers = source.markers
    for in_a_loop in (False, True):
        writer = Writer(markers)

        def end(leaf: Leaf, scope: Scope, writer: Writer = writer, loops: bool = in_a_loop) -> None:
            places, minus = loads_of(g, leaf, markers)
            (looped_K if loops else straight_K)(unknowns, writer, places, minus, markers, scope)

        written(tree, writer, end, unknowns)
        if len(writer.lines) <= MAX_LINES:
            break
    return finished("tangent", writer, ["K"])


def straight_K(
    unknowns: Unknowns, writer: Writer, places: list[Place], loads: Vector, markers: int, scope: Scope
) -> None:
    """K as the derivative of loads by displacements, all entries in one text."""
    directions = [unknowns.moving(seeds) for seeds in motion.displacements(unknowns.g, places, markers)]
    writer.store(entries("K", loads, directions), scope)


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
    unknowns: Unknowns, writer: Writer, places: list[Place], loads: Vector, markers: int, scope: Scope
) -> None:
    """The same, column after column; numbers that do not depend on the direction are computed before them."""
    g = unknowns.g
    seeds: dict[Node, Node] = {}
    used: set[int] = set()
    for place in places:
        first = 6 * place.marker + (0 if place.is_position else 3)
        used |= set(range(first, first + 3))
        d = [g.node("seed", f"d{first + c}") for c in range(3)]
        seeds |= dict(zip(place.nodes, d if place.is_position else motion.cross(d, place.nodes)))
    column = forward(loads, unknowns.moving(seeds))
    writer.before(column, [n for n in below(column) if n.op == "seed"], scope)
    if not used:
        return writer.line(scope, "pass")
    numbers = sorted(used)
    writer.line(scope, f"for j in ({', '.join(map(str, numbers))},):")
    inside = scope.inside()
    for c in numbers:
        writer.line(inside, f"d{c} = 1.0 if j == {c} else 0.0")
    return writer.store([(f"K[{row}, j]", n) for row, n in enumerate(column) if not is_zero(n)], inside)


def written(
    tree: Tree, writer: Writer, end: Callable[[Leaf, Scope], None], unknowns: Unknowns | None = None
) -> None:
    """Statements for the unknowns, and for all branches; `end` writes those of a leaf."""
    scope = Scope({}, 1)
    if unknowns is not None:
        unknowns.write(writer, scope)
    branches(tree, writer, end, scope)


def written_stores(
    markers: int | None,
    tree: Tree,
    stores_of: StoresOf,
    g: Graph,
    of_markers: str,
    rows: int,
    unknowns: Unknowns | None = None,
) -> Writer:
    """A writer with the statements that compute and store what `stores_of` tells of each leaf; of any number
    of markers with loops over them. of_markers: the output over their twists; rows: how many it has
    """
    if markers is None:
        if unknowns is not None and unknowns.nodes:
            raise TraceError("inner unknowns of a kind for any number of markers")
        chain = ChainWriter()
        write = lambda leaf, scope: write_chain(g, leaf, chain, stores_of, of_markers, rows, scope)
        written(tree, chain, write)
        return chain
    writer = Writer(markers)
    written(tree, writer, lambda leaf, scope: writer.store(stores_of(g, leaf, markers), scope), unknowns)
    return writer


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


#: comment of a text on a parameter with an entry for each part of a sum along markers
LIST = "an entry for each {} markers: p.{}"


def finished(name: str, writer: Writer, outputs: list[str], plans: list[str] | None = None) -> Text:
    lists = writer.lists if isinstance(writer, ChainWriter) else {}
    words = [*(plans or []), *(LIST.format(window, each) for each, window in lists.items())]
    words = [each for each in dict.fromkeys(words) if each]
    return Text(name, writer.function(name, outputs), writer.known, tuple(words))
