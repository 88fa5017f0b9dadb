"""Kinds of an author who writes Φ, ψ, V and R alone: functions of textbooks."""

from __future__ import annotations

import math
from itertools import pairwise
from math import atan2, cos, exp, sin, sqrt
from typing import Annotated

from mbplugin.interface import (
    COORDINATE,
    Columns,
    ConstraintKind,
    Entries,
    ForceKind,
    Function,
    Known,
    Measure,
    NonNegative,
    Number,
    Numbers,
    Parameters,
    Positive,
    SplineTable,
    Vector,
    axis,
    hookimpl,
    jit,
    spline,
    sum_along,
    where,
)
from mbplugin.math import vec3
from mbplugin.math.vec3 import cross, dot, norm, scale, sub


def along(a, b, k):
    """Component of the vector from a to b along axis k of a: a helper that is not compiled."""
    return dot(axis(a, k), sub(b.x, a.x))


def speed_along(a, b):
    """Velocity of b along x of a, as a sees it."""
    d = sub(b.x, a.x)
    return dot(axis(a, 0), sub(sub(b.v, a.v), cross(a.w, d)))


@jit
def off_axis(a, b):
    """Distance of b from the z axis of a: a helper that is."""
    n, d = axis(a, 2), sub(b.x, a.x)
    return norm(sub(d, scale(dot(n, d), n)))


def from_axis(a, b):
    return off_axis(a, b)


def cubic(x):
    return x**3 - 0.5 * x


def cubic_1(x):
    return 3.0 * x**2 - 0.5


def cubic_2(x):
    return 6.0 * x


def cubic_3(x):
    return 6.0


Cubic = Known(*map(jit, (cubic, cubic_1, cubic_2, cubic_3)))


def on_cubic(a, b):
    return along(a, b, 2) - Cubic(along(a, b, 0))


def segment(a, b, p):
    """Distance from a segment along x of a, in its three branches."""
    d, n = vec3.sub(b.x, a.x), axis(a, 0)
    s = dot(n, d)
    if s < 0.0:
        return norm(d)
    if s > p.length:
        return norm(sub(d, scale(p.length, n)))
    return norm(sub(d, scale(s, n)))


def softened(a, b):
    """min, max, abs, where and a power in one."""
    x, y, z = (along(a, b, k) for k in range(3))
    return min(x, y) + max(x, 0.3 * z) * abs(y) + where(z > 0.1, z**3, -z) + math.hypot(x, y) ** 1.5


def middle_angle(m):
    """Angle at the second of three markers."""
    a, b, c = m
    u, v = sub(a.x, b.x), sub(c.x, b.x)
    return atan2(norm(cross(u, v)), dot(u, v))


class SegmentParameters(Parameters):
    length: Positive = 0.5


class HelixParameters(Parameters):
    radius: Positive
    pitch: Positive
    phase: Number = 0.0


class Helix(ConstraintKind):
    """A bead on a helix about z of a: x = r cos φ, y = r sin φ, z = pitch φ / 2π, φ of z (2 rows)."""

    name = "acme_helix"
    parameters = HelixParameters
    labels = ("across x", "across y")
    examples = ({"radius": 0.3, "pitch": 0.5},)

    @staticmethod
    def phi(a, b, p):
        angle = 2.0 * math.pi * along(a, b, 2) / p.pitch + p.phase
        return along(a, b, 0) - p.radius * cos(angle), along(a, b, 1) - p.radius * sin(angle)


class Cosine(ConstraintKind):
    """A point on the curve z = h cos(k x) of the xz plane of a (2 rows)."""

    name = "acme_cosine"
    labels = ("height", "across")

    @staticmethod
    def phi(a, b):
        return along(a, b, 2) - 0.2 * cos(3.0 * along(a, b, 0)), along(a, b, 1)


class Bump(ConstraintKind):
    """The height of b over the plane of a is 0.3 exp(−x² − y²) m less 0.03 m (1 row)."""

    name = "acme_bump"
    labels = ("height",)

    @staticmethod
    def phi(a, b):
        x, y = along(a, b, 0), along(a, b, 1)
        return along(a, b, 2) - 0.3 * exp(-(x * x + y * y)) + 0.03364023492142146


class CamParameters(Parameters):
    lift: Annotated[SplineTable, Columns("rad", "m")]


class Cam(ConstraintKind):
    """The distance of the third marker from the first is a spline of the angle of the second (1 row)."""

    name = "acme_cam"
    parameters = CamParameters
    markers = 3
    labels = ("lift",)
    examples = ({"lift": {"x": [-4.0, -1.0, 0.5, 2.0, 4.0], "y": [0.3, 0.8, 0.5, 0.6, 0.4]}},)

    @staticmethod
    def phi(m, p):
        a, b, c = m
        d = sub(b.x, a.x)
        angle = atan2(dot(axis(a, 1), d), dot(axis(a, 0), d))
        return norm(sub(c.x, a.x)) - spline(p.lift, angle)[0]


class DrivenParameters(Parameters):
    length: Function
    direction: Vector = (0.0, 0.0, 1.0)


class Driven(ConstraintKind):
    """The distance along a direction in the axes of a is a function of time and grows with t² besides (1
    row).
    """

    name = "acme_driven"
    parameters = DrivenParameters
    labels = ("distance",)
    examples = ({"length": "1.2 + 0.3*sin(2*time)", "direction": [0.6, 0.0, 0.8]},)

    @staticmethod
    def phi(a, b, p, u, t):
        along_it = sum(p.direction[k] * along(a, b, k) for k in range(3))
        return along_it - u.length[0] * (1.0 + 0.1 * t * t)


class Skate(ConstraintKind):
    """A blade along x of b slides on the plane of a without going sideways (1 row of velocities)."""

    name = "acme_skate"
    labels = ("sideways",)
    level = 1

    @staticmethod
    def psi(a, b):
        slip = sub(b.v, vec3.add(a.v, cross(a.w, sub(b.x, a.x))))
        return dot(axis(b, 1), slip) * (1.0 + along(a, b, 0) ** 2)


class MixedRows(ConstraintKind):
    """A ball of radius 0.2 m rolls on the plane of a: height, and two rows of velocities between them."""

    name = "acme_ball_on_plane"
    labels = ("rolling x", "height", "rolling y")
    level = (1, 0, 1)

    @staticmethod
    def phi(a, b):
        return along(a, b, 2) - 0.2

    @staticmethod
    def psi(a, b):
        c = scale(-0.2, axis(a, 2))
        r = sub(vec3.add(b.x, c), a.x)
        V = sub(vec3.add(b.v, cross(b.w, c)), vec3.add(a.v, cross(a.w, r)))
        return dot(axis(a, 0), V), dot(axis(a, 1), V)


class MorseParameters(Parameters):
    depth: Positive = 2.0
    width: Positive = 1.5
    length: Positive = 0.8
    damping: NonNegative = 0.3


class Morse(ForceKind):
    """Two points in a Morse potential, with a damper along their line."""

    name = "acme_morse"
    parameters = MorseParameters

    @staticmethod
    def potential(a, b, p):
        return p.depth * (1.0 - exp(-p.width * (norm(sub(b.x, a.x)) - p.length))) ** 2

    @staticmethod
    def dissipation(a, b, p):
        d = sub(b.x, a.x)
        speed = dot(d, sub(b.v, a.v)) / norm(d)
        return 0.5 * p.damping * speed * speed


class Bend(ForceKind):
    """A leaf spring that resists bending of the two z axes, and stiffens."""

    name = "acme_bend"
    exerts_torque = True

    @staticmethod
    def potential(a, b):
        c = cross(axis(a, 2), axis(b, 2))
        sine2 = dot(c, c)
        return 3.0 * sine2 * (1.0 + sqrt(1.0 + sine2))


class CycloidParameters(Parameters):
    radius: Positive = 0.25
    near: Number = 0.0


class Cycloid(ConstraintKind):
    """A bead on the cycloid x = r (θ + sin θ), z = r (1 − cos θ) of a; θ is an inner unknown (2 rows)."""

    name = "acme_cycloid"
    parameters = CycloidParameters
    labels = ("across", "sideways")
    unknowns = {"angle": "near"}
    examples = ({"radius": 0.25, "near": 0.3},)

    @staticmethod
    def equations(a, b, p, angle):
        x, z = along(a, b, 0), along(a, b, 2)
        c, s = p.radius * (1.0 + cos(angle)), p.radius * sin(angle)
        return (x - p.radius * (angle + sin(angle))) * c + (z - p.radius * (1.0 - cos(angle))) * s

    @staticmethod
    def phi(a, b, p, angle):
        x = along(a, b, 0) - p.radius * (angle + sin(angle))
        z = along(a, b, 2) - p.radius * (1.0 - cos(angle))
        half = 0.5 * angle  # the tangent is (cos θ/2, sin θ/2)
        return cos(half) * z - sin(half) * x, along(a, b, 1)


class SplineCurveParameters(Parameters):
    height: Annotated[SplineTable, Columns("m", "m")]
    near: Number = 0.1


class SplineCurve(ConstraintKind):
    """The point of the curve z = spline(s), x = s of a that is nearest to b is at b (2 rows)."""

    name = "acme_spline_curve"
    parameters = SplineCurveParameters
    labels = ("across", "sideways")
    unknowns = {"s": "near"}
    examples = ({"height": {"x": [-3.0, -1.0, 0.2, 1.0, 3.0], "y": [0.6, 0.1, 0.0, 0.3, 0.5]}},)

    @staticmethod
    def equations(a, b, p, s):
        z = spline(p.height, s)
        return (along(a, b, 0) - s) + (along(a, b, 2) - z[0]) * z[1]

    @staticmethod
    def phi(a, b, p, s):
        z = spline(p.height, s)
        length = sqrt(1.0 + z[1] * z[1])
        return ((along(a, b, 2) - z[0]) - z[1] * (along(a, b, 0) - s)) / length, along(a, b, 1)


class EllipsesParameters(Parameters):
    major: Positive = 0.4
    minor: Positive = 0.3
    first: Number = 0.2
    second: Number = 3.3


def of_ellipse(marker, p, s):
    """Point of an ellipse from its focus at the marker, and its tangent, in world axes."""
    offset = sqrt(p.major * p.major - p.minor * p.minor)
    x, y = axis(marker, 0), axis(marker, 1)
    point = vec3.add(scale(p.major * cos(s) - offset, x), scale(p.minor * sin(s), y))
    return point, vec3.add(scale(-p.major * sin(s), x), scale(p.minor * cos(s), y))


class Ellipses(ConstraintKind):
    """Two equal ellipses in the plane xy of a, with foci at a and b, touch (1 row)."""

    name = "acme_ellipses"
    parameters = EllipsesParameters
    labels = ("gap",)
    unknowns = {"s1": "first", "s2": "second"}

    @staticmethod
    def between(a, b, p, s1, s2):
        """Vector between their points, and both tangents."""
        (c1, t1), (c2, t2) = of_ellipse(a, p, s1), of_ellipse(b, p, s2)
        return sub(vec3.add(b.x, c2), vec3.add(a.x, c1)), t1, t2

    @staticmethod
    def equations(a, b, p, s1, s2):
        d, t1, t2 = Ellipses.between(a, b, p, s1, s2)
        return dot(cross(t1, t2), axis(a, 2)), dot(d, t1)

    @staticmethod
    def phi(a, b, p, s1, s2):
        d, t1, _ = Ellipses.between(a, b, p, s1, s2)
        return dot(d, scale(1.0 / norm(t1), cross(t1, axis(a, 2))))


class RollingEllipses(ConstraintKind):
    """The same ellipses roll on each other without slip, their gap held by something else (1 row)."""

    name = "acme_rolling_ellipses"
    parameters = EllipsesParameters
    labels = ("rolling",)
    level = 1
    unknowns = Ellipses.unknowns
    equations = Ellipses.equations

    @staticmethod
    def psi(a, b, p, s1, s2, s1_dot, s2_dot):
        _, t1, t2 = Ellipses.between(a, b, p, s1, s2)
        return norm(t1) * s1_dot + norm(t2) * s2_dot


class HardeningParameters(Parameters):
    stiffness: Positive
    damping: NonNegative = 0.0


class Hardening(ForceKind):
    """V = ¼ k s⁴ and R = ¼ c ṡ⁴ of the coordinate of a joint."""

    name = "acme_hardening"
    parameters = HardeningParameters
    measures = (COORDINATE,)
    outputs = {"force": "N or N m"}
    examples = ({"stiffness": 3.0, "damping": 0.4, "joint": {"type": "translational"}},)

    @staticmethod
    def potential(p, s):
        return 0.25 * p.stiffness * s[0] ** 4

    @staticmethod
    def dissipation(p, s_dot):
        return 0.25 * p.damping * s_dot[0] ** 4

    @staticmethod
    def output_values(p, s, s_dot):
        return -p.stiffness * s[0] ** 3 - p.damping * s_dot[0] ** 3


def length(a, b):
    return norm(sub(b.x, a.x))


def path(m):
    return sum_along(m, length)


class PathParameters(Parameters):
    length: Positive | None = None


class Path(ConstraintKind):
    """The path along any number of markers, each of which may be on any body, is `length` long (1 row)."""

    name = "acme_path"
    parameters = PathParameters
    markers = None
    at_mass_centres = True
    labels = ("length of the path",)
    outputs = {"excess": "m"}

    @classmethod
    def defaults(cls, params, markers):
        if params.length is not None:
            return params
        x = [x for x, _ in markers]
        total = sum(math.dist(p, q) for p, q in pairwise(x))
        return params.model_copy(update={"length": total})

    @staticmethod
    def phi(m, p):
        return sum_along(m, length) - p.length

    @staticmethod
    def output_values(m, p):
        return sum_along(m, length) - p.length


class Reel(ConstraintKind):
    """A path whose length is a function of time, in two strands (1 row)."""

    name = "acme_reel"
    parameters = DrivenParameters
    markers = None
    labels = ("length of the path",)
    examples = ({"length": "4.2 + 0.3*sin(2*time)"},)

    @staticmethod
    def phi(m, u, t):
        return (1.0 + 0.1 * t) * sum_along(m, length) - u.length[0]


class Drift(ConstraintKind):
    """The velocities of markers along x of those before them, as these see them (1 row of velocities)."""

    name = "acme_drift"
    markers = None
    labels = ("drift",)
    level = 1

    @staticmethod
    def psi(m):
        return sum_along(m, lambda a, b: 0.5 * speed_along(a, b))


class NetParameters(Parameters):
    stiffness: Annotated[Numbers, Entries("N/m")]
    damping: NonNegative = 0.0
    bending: NonNegative = 0.0


class Net(ForceKind):
    """Springs of no free length between consecutive markers, each with a stiffness of its own, and dampers;
    bending of each three markers.
    """

    name = "acme_net"
    parameters = NetParameters
    markers = None
    examples = ({"stiffness": [30.0, 50.0], "damping": 0.7, "bending": 2.0},)

    @staticmethod
    def potential(m, p):
        stretch = sum_along(m, lambda a, b, k: 0.5 * k * dot(sub(b.x, a.x), sub(b.x, a.x)), p.stiffness)
        return stretch + p.bending * sum_along(m, bent)

    @staticmethod
    def dissipation(m, p):
        return 0.5 * p.damping * sum_along(m, lambda a, b: speed_along(a, b) ** 2)


def bent(a, b, c):
    """1 − cos of the angle between two parts, as of a chain of rods with springs."""
    d, e = sub(b.x, a.x), sub(c.x, b.x)
    return 1.0 - dot(d, e) / (norm(d) * norm(e))


class MaxwellParameters(Parameters):
    stiffness: Positive
    damping: Positive
    at_rest: NonNegative = 0.0


class Maxwell(ForceKind):
    """A spring and a damper in series, of which x is the elongation of the damper, and a spring beside them:
    V = ½ k₁ (s − x)² + ½ k₀ s², ẋ = k₁ (s − x)/c.
    """

    name = "acme_maxwell"
    parameters = MaxwellParameters
    measures = (COORDINATE,)
    states = {"damper": "m or rad"}
    outputs = {"force": "N or N m"}
    dissipates = True
    examples = ({"stiffness": 50.0, "damping": 7.0, "at_rest": 9.0, "joint": {"type": "translational"}},)

    @staticmethod
    def potential(p, s, x):
        return 0.5 * p.stiffness * (s[0] - x[0]) ** 2 + 0.5 * p.at_rest * s[0] ** 2

    @staticmethod
    def state_rates(p, s, x):
        return p.stiffness * (s[0] - x[0]) / p.damping

    @staticmethod
    def output_values(p, s, x):
        return -p.stiffness * (s[0] - x[0]) - p.at_rest * s[0]


class MaxwellOfMarkers(ForceKind):
    """The same between two markers, without the spring beside it; x is the elongation of the damper."""

    name = "acme_maxwell_of_markers"
    parameters = MaxwellParameters
    states = 1
    start_states = (1.0,)
    dissipates = True
    examples = ({"stiffness": 20.0, "damping": 5.0},)

    @staticmethod
    def potential(a, b, p, x):
        return 0.5 * p.stiffness * (norm(sub(b.x, a.x)) - x[0]) ** 2

    @staticmethod
    def state_rates(a, b, p, x):
        return p.stiffness * (norm(sub(b.x, a.x)) - x[0]) / p.damping


class Bristles(ForceKind):
    """Bristles that are dragged over a plane along x of a: V = ½ σ x² + ½ σ x u of two states, whose rates
    follow the velocity (two states, one of them moved by velocities).
    """

    name = "acme_bristles"
    states = {"bend": "m", "lag": "m"}

    @staticmethod
    def potential(a, b, x):
        return 2.0 * (along(a, b, 0) - x[1]) ** 2 + 3.0 * x[0] ** 2

    @staticmethod
    def dissipation(a, b, x):
        return 0.5 * (1.0 + x[0] ** 2) * speed_along(a, b) ** 2

    @staticmethod
    def state_rates(a, b, x):
        return speed_along(a, b) - 0.5 * x[0], along(a, b, 0) - 2.0 * x[1] + 0.3 * x[0]


class CreepingParameters(Parameters):
    time: Positive = 0.7
    length: Positive = 0.9


class Creeping(ConstraintKind):
    """A rod whose length creeps to another one: Φ = s − x, ẋ = (l − x)/τ (1 row)."""

    name = "acme_creeping"
    parameters = CreepingParameters
    labels = ("along the rod",)
    states = {"length": "m"}
    start_states = (0.5,)
    at_mass_centres = True

    @staticmethod
    def phi(a, b, x):
        return norm(sub(b.x, a.x)) - x[0]

    @staticmethod
    def state_rates(p, x):
        return (p.length - x[0]) / p.time


class Wound(ConstraintKind):
    """A skate that turns with an inner state, whose rate follows velocities: at velocity level (1 row)."""

    name = "acme_wound"
    labels = ("sideways",)
    level = 1
    states = {"angle": "rad"}

    @staticmethod
    def psi(a, b, x):
        slip = sub(b.v, vec3.add(a.v, cross(a.w, sub(b.x, a.x))))
        return sin(x[0]) * dot(axis(b, 0), slip) + cos(x[0]) * dot(axis(b, 1), slip)

    @staticmethod
    def state_rates(a, b, x):
        return 0.4 * dot(axis(a, 2), sub(b.w, a.w)) - 0.2 * x[0]


class Held(ConstraintKind):
    """A stop whose row differs while it holds: Φ = z of a, and 2 z where it is off (1 row)."""

    name = "acme_held"
    labels = ("height",)
    row_type = "nonnegative"

    @staticmethod
    def phi(a, b, active):
        z = along(a, b, 2) + 0.1 * along(a, b, 0) ** 2
        return z if active[0] == 1 else 2.0 * z


MEASURES = {
    "path": Measure(phi=path, markers=None),
    "from_axis": Measure(phi=from_axis),
    "on_cubic": Measure(phi=on_cubic),
    "segment": Measure(phi=segment, settings={"length": 0.5}),
    "softened": Measure(phi=softened),
    "middle_angle": Measure(phi=middle_angle, markers=3, unit="rad"),
}
KINDS = (
    *(Helix, Cosine, Bump, Cam, Driven, Skate, MixedRows, Cycloid, SplineCurve, Ellipses, RollingEllipses),
    *(Path, Reel, Drift, Creeping, Wound, Held),
)
FORCES = (Morse, Bend, Hardening, Net, Maxwell, MaxwellOfMarkers, Bristles)


@hookimpl
def mbplugin_constraint_types(register):
    for kind in KINDS:
        register(kind)


@hookimpl
def mbplugin_measures(register):
    for name, measure in MEASURES.items():
        register(f"acme_{name}", measure)


@hookimpl
def mbplugin_force_elements(register):
    for kind in FORCES:
        register(kind)
