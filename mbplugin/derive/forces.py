"""Kernels of forces from a potential energy V(poses) and a dissipation function R(poses, twists).

    wrench = −∂V/∂displacement − ∂R/∂twist        energy V,  power −Σ twist · ∂R/∂twist
    K = −∂wrench/∂displacement,  D = −∂wrench/∂twist

Of a kind with measures they are functions V(s) and R(s, ṡ) of these: f = −∂V/∂s − ∂R/∂ṡ, wrench = Jᵀ f.
Of R = ½ c ṡ² (Lord Rayleigh, Proc. London Math. Soc. 4, 1873, 357) the power is −c ṡ² = −2 R.
"""

from __future__ import annotations

from dataclasses import dataclass

from mbplugin.derive import motion
from mbplugin.derive.derivatives import gradient
from mbplugin.derive.graph import Graph, Node
from mbplugin.derive.kernels import (
    MAX_LINES,
    Function,
    Text,
    entries,
    finished,
    looped_K,
    straight_K,
    written,
)
from mbplugin.derive.motion import Vector
from mbplugin.derive.text import Scope, Stores, Writer
from mbplugin.derive.trace import Leaf, Traced, Tree, traced
from mbplugin.derive.unknowns import Unknowns


@dataclass(frozen=True)
class ForceSource:
    """Functions of an author's: V [J], R [W], and `reported`, which gives the numbers called `outputs`.

    measures: number of measures of the kind, of which they are functions then
    """

    markers: int
    potential: Function | None = None
    dissipation: Function | None = None
    measures: int = 0
    outputs: tuple[str, ...] = ()
    reported: Function | None = None

    @property
    def functions(self) -> list[Function]:
        return [f for f in (self.potential, self.dissipation, self.reported) if f is not None]

    @property
    def key(self) -> str:
        """Tells sources of the same functions apart."""
        what = "V" * (self.potential is not None) + "R" * (self.dissipation is not None)
        return "_".join([str(self.markers), what, str(self.measures), *self.outputs])

    def traced(self) -> tuple[Graph, Tree]:
        rows = lambda f: len(self.outputs) if f is self.reported else 1
        functions = [Traced(f, rows(f), moving=f is not self.potential) for f in self.functions]
        return traced(functions, self.markers)

    def reports(self, leaf: Leaf) -> Stores:
        """The outputs of a leaf."""
        given = leaf[len(leaf) - len(self.outputs) :] if self.outputs else []
        return [(f"{name}[0]", value) for name, value in zip(self.outputs, given)]

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
    writer = Writer(source.markers)

    def end(leaf: Leaf, scope: Scope) -> None:
        V, R = source.split(g, leaf)
        elastic, viscous = loads_of(g, V, R, source.markers)
        total = motion.plus(elastic, viscous)
        stores: Stores = [(f"wrench[{k // 6}, {k % 6}]", -load) for k, load in enumerate(total)]
        twists = motion.twists(g, source.markers)
        power = -sum((load * twist for load, twist in zip(viscous, twists)), g.zero)
        writer.store([*stores, ("energy[0]", V), ("power[0]", power), *source.reports(leaf)], scope)

    written(tree, writer, end)
    return finished("kernel", writer, ["wrench", "energy", "power", *source.outputs])


def force_on_measures_text(source: ForceSource) -> Text:
    """The kernel of a kind with measures. Raises TraceError."""
    g, tree = source.traced()
    writer, count = Writer(source.markers), range(source.measures)
    s, s_dot = ([g.node("measure", name, k) for k in count] for name in ("s", "s_dot"))

    def end(leaf: Leaf, scope: Scope) -> None:
        V, R = source.split(g, leaf)
        elastic, viscous = gradient(V, s), gradient(R, s_dot)
        forces = [-(elastic[a] + viscous[b]) for a, b in zip(s, s_dot)]
        power = -sum((viscous[b] * b for b in s_dot), g.zero)
        writer.store([("energy[0]", V), ("power[0]", power), *source.reports(leaf)], scope)
        writer.compute(forces, scope)
        first = lambda k: f"{6 * k} * wrench.shape[0] + " if k else ""
        terms = [f"{writer.reference(f, scope)} * J[{first(k)}6 * m + c]" for k, f in enumerate(forces)]
        writer.line(scope, "for m in range(wrench.shape[0]):")
        writer.line(scope.inside(), "for c in range(6):")
        writer.line(scope.inside().inside(), f"wrench[m, c] = {' + '.join(terms)}")

    written(tree, writer, end)
    return finished("kernel", writer, ["J", "wrench", "energy", "power", *source.outputs])


def force_tangent_text(source: ForceSource) -> Text:
    """K, as a loop over directions where that is long, and D. Raises TraceError."""
    g, tree = source.traced()
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
