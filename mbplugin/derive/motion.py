"""Motions of markers: rates of inputs, wrenches from gradients, and unit displacements.

Inputs are positions x and axes n of markers: ẋ = v, ṅ = ω × n, and without twist rates ẍ = 0 and
n̈ = ω × (ω × n). A small displacement is a translation and a rotation of each marker; the gradient over it is
∂s/∂x and Σ n × ∂s/∂n.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mbplugin.derive.derivatives import Rates, gradient
from mbplugin.derive.graph import Graph, Node, TraceError, below

Vector = list[Node]


@dataclass(frozen=True)
class Place:
    """A position or an axis of a marker that a function reads; key: of its nodes, without the component."""

    marker: int
    key: tuple[object, ...]
    nodes: Vector

    @property
    def is_position(self) -> bool:
        return self.key[0] == "x"


def vector(g: Graph, op: str, *args: object) -> Vector:
    """The three nodes of an input."""
    return [g.node(op, *args, c) for c in range(3)]


def twists(g: Graph, markers: int) -> Vector:
    """(6 markers) velocity and angular velocity of each marker in turn."""
    return [n for m in range(markers) for op in ("v", "w") for n in vector(g, op, m)]


def plus(a: Vector, b: Vector) -> Vector:
    return [x + y for x, y in zip(a, b)]


def minus(a: Vector, b: Vector) -> Vector:
    return [x - y for x, y in zip(a, b)]


def cross(a: Vector, b: Vector) -> Vector:
    return [a[i] * b[j] - a[j] * b[i] for i, j in ((1, 2), (2, 0), (0, 1))]


def places_of(g: Graph, roots: Sequence[Node]) -> list[Place]:
    """Positions and axes that the roots depend on."""
    keys = dict.fromkeys((n.op, *n.args[:-1]) for n in below(roots) if n.op in ("x", "axis"))
    return [Place(key[1], key, vector(g, *key)) for key in keys]


def rates_of_time(g: Graph, roots: Sequence[Node], order: int) -> Rates:
    """First and second derivatives of time and of functions of time, where derivatives up to `order` are
    needed. Raises TraceError.
    """
    rates: dict[Node, tuple[Node, Node]] = {}
    for n in below(roots):
        if n.op == "t":
            rates[n] = (g.one, g.zero)
        elif n.op == "function":
            name, k = n.args
            if k + order > 2:
                raise TraceError(f"u.{name}[{k}]: derivative {k + order} of a function, which is not known")
            rates[n] = (g.node("function", name, k + 1), g.node("function", name, min(k + 2, 2)))
    return rates


def rates_in_world(g: Graph, places: Sequence[Place]) -> Rates:
    """Rates of positions and axes without twist rates."""
    rates: dict[Node, tuple[Node, Node]] = {}
    for place in places:
        w = vector(g, "w", place.marker)
        if place.is_position:
            one, two = vector(g, "v", place.marker), [g.zero] * 3
        else:
            one = cross(w, place.nodes)
            two = cross(w, one)
        rates |= dict(zip(place.nodes, zip(one, two)))
    return rates


def rates_seen_from(g: Graph, places: Sequence[Place], still: int) -> Rates:
    """Rates as the marker `still` sees them, which turns steadily with ω: a vector u has the rate u̇ − ω × u.

    d' = ḋ − ω × d, d'' = −ω × (ḋ + d') for d from its origin; of an axis with W = ω_m − ω, n' = W × n and
    n'' = W × n' + (ω_m × ω) × n.
    """
    w, zero = vector(g, "w", still), [g.zero] * 3
    rates: dict[Node, tuple[Node, Node]] = {}
    for place in places:
        one = two = zero
        if place.marker != still and place.is_position:
            d = minus(place.nodes, vector(g, "x", still))
            d_dot = minus(vector(g, "v", place.marker), vector(g, "v", still))
            one = minus(d_dot, cross(w, d))
            two = minus(zero, cross(w, plus(d_dot, one)))
        elif place.marker != still:
            own = vector(g, "w", place.marker)
            W = minus(own, w)
            one = cross(W, place.nodes)
            two = plus(cross(W, one), cross(cross(own, w), place.nodes))
        rates |= dict(zip(place.nodes, zip(one, two)))
    return rates


def wrenches(g: Graph, root: Node, places: Sequence[Place], markers: int) -> Vector:
    """(6 markers) derivatives of a root by displacements of the markers, from one reverse sweep."""
    slopes = gradient(root, [n for place in places for n in place.nodes])
    total = [g.zero] * (6 * markers)
    for place in places:
        slope = [slopes[n] for n in place.nodes]
        first = 6 * place.marker + (0 if place.is_position else 3)
        share = slope if place.is_position else cross(place.nodes, slope)
        total[first : first + 3] = plus(total[first : first + 3], share)
    return total


def displacements(g: Graph, places: Sequence[Place], markers: int) -> Iterator[dict[Node, Node]]:
    """Seeds of the 6 markers unit displacements: translations along x, y, z, then rotations."""
    for m in range(markers):
        for k in range(6):
            unit = [g.one if c == k % 3 else g.zero for c in range(3)]
            yield {
                n: rate
                for place in places
                if place.marker == m and place.is_position == (k < 3)
                for n, rate in zip(place.nodes, unit if k < 3 else cross(unit, place.nodes))
            }


def balanced(g: Graph, J: Vector, still: int, markers: int) -> Vector:
    """J of one row, with the columns of the marker `still` from those of the others, as a common rigid motion
    changes nothing.
    """
    J, force, torque = list(J), [g.zero] * 3, [g.zero] * 3
    for m in range(markers):
        if m != still:
            f, moment = J[6 * m : 6 * m + 3], J[6 * m + 3 : 6 * m + 6]
            arm = minus(vector(g, "x", m), vector(g, "x", still))
            force = minus(force, f)
            torque = minus(minus(torque, moment), cross(arm, f))
    J[6 * still : 6 * still + 6] = force + torque
    return J
