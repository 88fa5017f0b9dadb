"""Kernels of forces from a potential energy V(poses) and a dissipation function R(poses, twists).

    wrench = −∂V/∂displacement − ∂R/∂twist        energy V,  power −Σ twist · ∂R/∂twist
    K = −∂wrench/∂displacement,  D = −∂wrench/∂twist

Of a kind with measures they are functions V(s) and R(s, ṡ) of these: f = −∂V/∂s − ∂R/∂ṡ, wrench = Jᵀ f. Its
tangent, of one measure, follows from the function Φ(poses) of that, which has the J and ∂J of s.
Of R = ½ c ṡ² (Lord Rayleigh, Proc. London Math. Soc. 4, 1873, 357) the power is −c ṡ² = −2 R.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from mbplugin.derive import motion
from mbplugin.derive.author import name_of
from mbplugin.derive.derivatives import forward, gradient
from mbplugin.derive.graph import Graph, Node, below
from mbplugin.derive.kernels import (
    MAX_LINES,
    Function,
    Text,
    entries,
    finished,
    looped_K,
    straight_K,
    written,
    written_stores,
)
from mbplugin.derive.motion import Vector
from mbplugin.derive.text import Scope, Stores, Writer
from mbplugin.derive.trace import Leaf, Traced, Tree, traced
from mbplugin.derive.unknowns import Unknowns


@dataclass(frozen=True)
class ForceSource:
    """Functions of an author's: V [J], R [W], and `reported`, which gives the numbers called `outputs`.

    markers: None: any number of them, of which all are sums. measures: number of measures of the kind, of
    which they are functions then; states: number of inner states, rates: the function with a rate of each;
    along: for a tangent the function of its only measure, and constants that this gets as `p`
    """

    markers: int | None
    potential: Function | None = None
    dissipation: Function | None = None
    measures: int = 0
    outputs: tuple[str, ...] = ()
    reported: Function | None = None
    states: int = 0
    rates: Function | None = None
    along: tuple[Function, tuple[tuple[str, Any], ...]] | None = None

    @property
    def functions(self) -> list[Function]:
        own = [f for f in (self.potential, self.dissipation, self.reported, self.rates) if f is not None]
        return own if self.along is None else [*own, self.along[0]]

    @property
    def key(self) -> str:
        """Tells sources of the same functions apart."""
        what = "V" * (self.potential is not None) + "R" * (self.dissipation is not None)
        names = "_".join([str(self.markers), what, str(self.measures), str(self.states), *self.outputs])
        if self.along is None:
            return names
        phi, settings = self.along
        return f"{names}_{name_of(phi)}_{sha256(repr(settings).encode()).hexdigest()[:8]}"

    def traced(self) -> tuple[Graph, Tree]:
        rows = {self.reported: len(self.outputs), self.rates: self.states}
        further = ("x",) if self.states else ()
        own = self.functions if self.along is None else self.functions[:-1]
        functions = [Traced(f, rows.get(f, 1), moving=f is not self.potential, further=further) for f in own]
        if self.along is not None:
            functions.append(Traced(self.along[0], 1, settings=dict(self.along[1])))
        return traced(functions, self.markers)

    def reports(self, leaf: Leaf) -> Stores:
        """The outputs and the rates of the inner states of a leaf."""
        end = len(leaf) - self.states
        given = leaf[end - len(self.outputs) : end]
        rates = [(f"x_dot[{k}]", n) for k, n in enumerate(leaf[end:])]
        return [*((f"{name}[0]", value) for name, value in zip(self.outputs, given)), *rates]

    def power_of(self, g: Graph, V: Node, leaf: Leaf) -> Node:
        """∂V/∂t + Σ ∂V/∂x ẋ [W]: what time and inner states add to the energy. A rate of a function that is
        not known, as it contains accelerations, counts as 0.
        """
        rates = {n: g.one for n in below([V]) if n.op == "t"}
        for n in below([V]):
            if n.op == "function" and n.args[1] < 2:
                rate = g.node("function", n.args[0], n.args[1] + 1)
                rates[n] = g.select(g.node("compare", "==", rate, rate), rate, g.zero)
        x_dot = leaf[len(leaf) - self.states :] if self.states else []
        return forward([V], {**rates, **{g.node("state", "x", k): n for k, n in enumerate(x_dot)}})[0]

    @property
    def written(self) -> list[str]:
        """Names of what its kernel writes beside wrenches."""
        return ["energy", "power", *(["x_dot"] if self.states else []), *self.outputs]

    def split(self, g: Graph, leaf: Leaf) -> tuple[Node, Node]:
        """V and R of a leaf; 0 for one that is missing."""
        given = iter(leaf)
        V, R = (next(given) if f is not None else g.zero for f in (self.potential, self.dissipation))
        return V, R


def loads_of(g: Graph, V: Node, R: Node, markers: int) -> tuple[Vector, Vector]:
    """(6 markers) minus the wrenches of V, and of R."""
    slopes = gradient(R, motion.twists(g, markers))
    return motion.wrenches(g, V, motion.places_of(g, [V]), markers), list(slopes.values())


def force_text(source: ForceSource) -> Text:
    """The kernel. Raises TraceError."""
    g, tree = source.traced()

    def stores_of(g: Graph, leaf: Leaf, markers: int) -> Stores:
        V, R = source.split(g, leaf)
        elastic, viscous = loads_of(g, V, R, markers)
        total = motion.plus(elastic, viscous)
        stores: Stores = [(f"wrench[{k // 6}, {k % 6}]", -load) for k, load in enumerate(total)]
        twists = motion.twists(g, markers)
        power = source.power_of(g, V, leaf)
        power = power - sum((load * twist for load, twist in zip(viscous, twists)), g.zero)
        return [*stores, ("energy[0]", V), ("power[0]", power), *source.reports(leaf)]

    writer = written_stores(source.markers, tree, stores_of, g, "wrench", 0)
    return finished("kernel", writer, ["wrench", *source.written])


def force_on_measures_text(source: ForceSource) -> Text:
    """The kernel of a kind with measures. Raises TraceError."""
    g, tree = source.traced()
    writer, count = Writer(source.markers or 0), range(source.measures)
    s, s_dot = ([g.node("measure", name, k) for k in count] for name in ("s", "s_dot"))

    def end(leaf: Leaf, scope: Scope) -> None:
        V, R = source.split(g, leaf)
        elastic, viscous = gradient(V, s), gradient(R, s_dot)
        forces = [-(elastic[a] + viscous[b]) for a, b in zip(s, s_dot)]
        power = source.power_of(g, V, leaf) - sum((viscous[b] * b for b in s_dot), g.zero)
        writer.store([("energy[0]", V), ("power[0]", power), *source.reports(leaf)], scope)
        writer.compute(forces, scope)
        first = lambda k: f"{6 * k} * wrench.shape[0] + " if k else ""
        terms = [f"{writer.reference(f, scope)} * J[{first(k)}6 * m + c]" for k, f in enumerate(forces)]
        writer.line(scope, "for m in range(wrench.shape[0]):")
        writer.line(scope.inside(), "for c in range(6):")
        writer.line(scope.inside().inside(), f"wrench[m, c] = {' + '.join(terms)}")

    written(tree, writer, end)
    return finished("kernel", writer, ["J", "wrench", *source.written])


def force_on_measure_tangent_text(source: ForceSource) -> Text:
    """K and D of a kind with one measure, by its function Φ: f ∂J + J (∂f/∂s J + ∂f/∂ṡ ∂ṡ), where ∂J fills K
    first, and J ∂f/∂ṡ J. Raises TraceError.
    """
    g, tree = source.traced()
    markers = source.markers or 0
    size = 6 * markers
    s, s_dot = g.node("measure", "s", 0), g.node("measure", "s_dot", 0)
    for in_a_loop in (False, True):
        writer = Writer(markers)

        def end(leaf: Leaf, scope: Scope, writer: Writer = writer, loops: bool = in_a_loop) -> None:
            V, R = source.split(g, leaf)
            J = motion.wrenches(g, leaf[-1], motion.places_of(g, leaf[-1:]), markers)
            f = gradient(V, [s])[s] + gradient(R, [s_dot])[s_dot]
            slopes = [forward([f], {one: g.one})[0] for one in (s, s_dot)]
            twists = motion.twists(g, markers)
            writer.compute([*J, *twists, f, *slopes], scope)
            for name, nodes in (("J", J), ("twist", twists)):
                writer.line(scope, f"{name} = ({', '.join(writer.reference(n, scope) for n in nodes)})")
            places = motion.places_of(g, J)
            (looped_K if loops else straight_K)(Unknowns(g), writer, places, J, markers, scope)
            load, by_s, by_rate = (writer.reference(n, scope) for n in (f, *slopes))
            for depth, line in (
                (0, f"for c in range({size}):"),
                (1, "rate = 0.0"),
                (1, f"for r in range({size}):"),
                (2, "rate += K[r, c] * twist[r]"),
                (1, f"slope = {by_s} * J[c] + {by_rate} * rate"),
                (1, f"for r in range({size}):"),
                (2, f"K[r, c] = {load} * K[r, c] + J[r] * slope"),
                (2, f"D[r, c] = {by_rate} * J[r] * J[c]"),
            ):
                writer.line(Scope(scope.names, scope.depth + depth), line)

        written(tree, writer, end)
        if len(writer.lines) <= MAX_LINES:
            break
    return finished("tangent", writer, ["K", "D"])


def force_tangent_text(source: ForceSource) -> Text:
    """K, as a loop over directions where that is long, and D. Raises TraceError."""
    g, tree = source.traced()
    if source.markers is None:

        def stores_of(g: Graph, leaf: Leaf, markers: int) -> Stores:
            elastic, viscous = loads_of(g, *source.split(g, leaf), markers)
            loads = motion.plus(elastic, viscous)
            D = entries("D", viscous, [{v: g.one} for v in motion.twists(g, markers)])
            directions = list(motion.displacements(g, motion.places_of(g, loads), markers))
            return [*D, *entries("K", loads, directions)]

        return finished("tangent", written_stores(None, tree, stores_of, g, "", 0), ["K", "D"])
    markers = source.markers
    for in_a_loop in (False, True):
        writer = Writer(markers)

        def end(leaf: Leaf, scope: Scope, writer: Writer = writer, loops: bool = in_a_loop) -> None:
            elastic, viscous = loads_of(g, *source.split(g, leaf), markers)
            loads = motion.plus(elastic, viscous)
            writer.store(entries("D", viscous, [{v: g.one} for v in motion.twists(g, markers)]), scope)
            places = motion.places_of(g, loads)
            (looped_K if loops else straight_K)(Unknowns(g), writer, places, loads, markers, scope)

        written(tree, writer, end)
        if len(writer.lines) <= MAX_LINES:
            break
    return finished("tangent", writer, ["K", "D"])
