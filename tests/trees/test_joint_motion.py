"""How joints let marker b move in axes of marker a, against closed forms, differences and compiled rows."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import mbplugin_joints as joints
import numpy as np
import pytest
from mbplugin_joints.basics import Dot2, Parallel, Spherical
from mbplugin_joints.measures import Angle, Component
from scipy.spatial.transform import Rotation

from mbplugin.compile import compile_system
from mbplugin.compile import joint_motion as module
from mbplugin.compile.joint_motion import CannotCarry, JointMotion, joint_motion
from mbplugin.compile.joint_poses import ALIGNED, matrix, pose_at
from mbplugin.compile.joint_rows import JointRows, Pose
from mbplugin.compile.plain_python import plain
from mbplugin.interface import Basic, ConstraintKind, Function, Measure, Number, Parameters
from mbplugin.kernels import entries
from mbplugin.math import vec3
from mbplugin.math.jit import internal, jit
from mbplugin.math.vec3 import dot, sub
from mbplugin.model.table import validated
from mbplugin.tables.groups import Blocks, Markers, Rows
from mbplugin.testing import samples

PITCH = 0.3
X, Y, Z = np.eye(3)
RATE = PITCH / (2.0 * math.pi)
#: kind, planar -> form, coordinates, columns of P, axis u and rates w: the motions that textbooks give them
CARRY: dict[tuple[str, bool], tuple[str, tuple[str, ...], Any, Any, Any]] = {
    ("ball", False): ("ball", (), [], 0 * Z, []),
    ("fixed", False): ("fixed", (), [], 0 * Z, []),
    ("fixed", True): ("fixed", (), [], 0 * Z, []),
    ("revolute", False): ("turning", ("angle",), [0 * Z], Z, [1]),
    ("pin", True): ("turning", ("angle",), [0 * Z], Z, [1]),
    ("translational", False): ("sliding", ("length",), [Z], 0 * Z, [0]),
    ("translational", True): ("sliding", ("length",), [Z], 0 * Z, [0]),
    ("screw", False): ("constant", ("angle",), [RATE * Z], Z, [1]),
    ("cylindrical", False): ("constant", ("length", "angle"), [Z, 0 * Z], Z, [0, 1]),
    ("planar", False): ("constant", ("x", "y", "angle"), [X, Y, 0 * Z], Z, [0, 0, 1]),
    ("parallel", False): ("constant", ("x", "y", "z", "angle"), [X, Y, Z, 0 * Z], Z, [0, 0, 0, 1]),
    ("orientation", False): ("constant", ("x", "y", "z"), [X, Y, Z], 0 * Z, [0, 0, 0]),
    **{
        (name, True): ("constant", ("length", "angle"), [Z, 0 * Z], Y, [0, 1])
        for name in ("point_on_line", "in_line", "slot")
    },
    ("universal", False): ("cross", ("angle_x", "angle_y"), [0 * Z, 0 * Z], 0 * Z, [0, 0]),
    ("constant_velocity", False): ("derived", ("angle_x", "angle_y"), [], 0 * Z, []),
}
OF_OTHERS = "it relates coordinates of other joints"
ONE_WAY = 'it has rows of the type "nonnegative"'
REFUSED = {
    ("rod", False): "its 1 row is 1 of 6 motions",
    ("rod", True): "its 1 row is 1 of 3 motions",
    ("universal_rotation", False): "its 1 row and 2 coordinates are 3 of 6 motions",
    ("axes_at_angle", False): "its 1 row is 1 of 6 motions",
    ("point_on_line", False): "its 2 rows and 1 coordinate are 3 of 6 motions",
    ("in_line", False): "its 2 rows and 1 coordinate are 3 of 6 motions",
    ("slot", False): "its 2 rows and 1 coordinate are 3 of 6 motions",
    ("point_on_plane", False): "its 1 row and 2 coordinates are 3 of 6 motions",
    ("point_on_curve", False): "it has memory",
    ("curve_on_curve", False): "it has memory",
    ("actuator", False): "its 1 coordinate is 1 of 6 motions",
    ("coupler", False): OF_OTHERS,
    ("gear", False): OF_OTHERS,
    ("rack", False): OF_OTHERS,
    ("pulley", False): "it has 4 markers",
    ("capstan", False): "it has 3 markers",
    ("winch", False): ONE_WAY,
    ("rope", False): ONE_WAY,
    ("separator", False): ONE_WAY,
    ("separator", True): ONE_WAY,
    ("unilateral", False): "its rows are expressions",
    ("rolling_disc", False): "2 rows of it are at velocity level",
    ("rolling_disc", True): "1 row of it is at velocity level",
    ("wheel", False): "2 rows of it are at velocity level",
    ("wheel", True): "1 row of it is at velocity level",
}
KINDS = {kind.name: kind for kind in joints.KINDS}
GIVEN = {"screw": {"pitch": PITCH}, "rolling_disc": {"radius": 0.3}, "wheel": {"radius": 0.3}}
#: number of markers, of kinds that do not have two
MARKERS = {"pulley": 4, "capstan": 3}


def in_force(name: str, planar: bool) -> type[ConstraintKind]:
    return KINDS[name].form(planar)


def parameters(kind: type[ConstraintKind], given: dict[str, Any] | None = None) -> Any:
    if kind.parameters is None:
        return None
    if given is None:
        given = GIVEN.get(kind.name) or samples.sample(kind)
    return validated(kind.parameters, given, "joint[0]", {})


def drawn(random: np.random.Generator, error: float = 0.1, planar: bool = False, slides: bool = False) -> Any:
    """Poses of two markers anywhere, nearly coincident and parallel; between planar bodies on one height."""
    if planar:
        # axes as those that the compiler gives joints in the plane: z, or y where it slides, is the normal
        axes = np.column_stack([Y, Z, X]) if slides else np.eye(3)
        turn = random.uniform(-3.0, 3.0, 2)
        x = random.normal(size=3)
        offset = error * random.normal(size=3) * [1, 1, 0]
        R = [Rotation.from_rotvec(angle * Z).as_matrix() @ axes for angle in (turn[0], turn[0] + error)]
        return [(x, R[0]), (x + offset, R[1])]
    x, R = random.normal(size=3), Rotation.random(random_state=random.integers(1000)).as_matrix()
    rotation = Rotation.from_rotvec(error * random.normal(size=3)).as_matrix()
    return [(x, R), (x + error * random.normal(size=3), R @ rotation)]


def slides(kind: type[ConstraintKind]) -> bool:
    return "length" in kind.coordinates


def own(measure: Measure | str) -> Measure:
    """First-party kinds have measures of their own, without registered names."""
    assert isinstance(measure, Measure)
    return measure


def motion_of(
    kind: type[ConstraintKind], poses: Any, planar: bool = False, given: dict[str, Any] | None = None
) -> JointMotion:
    return joint_motion(kind, parameters(kind, given), poses, planar, Z if planar else None, own)


def rows_of(kind: type[ConstraintKind], poses: Any, planar: bool = False) -> JointRows:
    a, b = (Pose(*pose) for pose in poses)
    plane = module.plane_of(a, b, Z) if planar else None
    return JointRows(kind, parameters(kind), planar, plane, own)


@pytest.fixture(autouse=True)
def forgotten():
    module.known.clear()


def test_every_kind_carries_or_says_why_not():
    assert {name for name, _ in (*CARRY, *REFUSED)} == set(KINDS)


@pytest.mark.parametrize("name, planar", CARRY)
def test_kinds_have_the_motions_of_textbooks(name, planar):
    form, coordinates, P, u, w = CARRY[name, planar]
    kind = in_force(name, planar)
    random = np.random.default_rng(5)
    for _ in range(3):
        module.known.clear()
        motion = motion_of(kind, drawn(random, planar=planar, slides=slides(kind)), planar)
        assert (motion.form, motion.coordinates) == (form, coordinates)
        if form == "derived":
            continue
        assert np.array_equal(motion.p0, np.zeros(3)) and np.array_equal(motion.R0, np.eye(3))
        assert motion.P.shape == (3, len(P)) and motion.w.shape == (len(w),)
        assert pytest.approx(np.reshape(P, (-1, 3)), abs=1e-13) == motion.P.T
        assert motion.u == pytest.approx(u, abs=1e-13) and motion.w == pytest.approx(w, abs=1e-13)
        assert motion.t == pytest.approx(np.array([X, Y]) if form == "cross" else 0.0, abs=1e-13)


@pytest.mark.parametrize("name, planar", REFUSED)
def test_other_kinds_say_why(name, planar):
    kind = in_force(name, planar)
    poses = drawn(np.random.default_rng(1), planar=planar, slides=slides(kind))
    poses = (poses * 2)[: MARKERS.get(name, 2)]
    with pytest.raises(CannotCarry) as caught:
        motion_of(kind, poses, planar)
    assert str(caught.value) == REFUSED[name, planar]


CONSTANT = [key for key, (form, *_) in CARRY.items() if form not in ("ball", "derived")]
WITH_RATES = [key for key, (_, coordinates, *_) in CARRY.items() if coordinates]


@pytest.mark.parametrize("name, planar", CONSTANT)
def test_rows_hold_and_coordinates_are_s_on_the_whole_motion(name, planar):
    kind = in_force(name, planar)
    random = np.random.default_rng(2)
    poses = drawn(random, planar=planar, slides=slides(kind))
    motion, rows = motion_of(kind, poses, planar), rows_of(kind, poses, planar)
    chosen = [rows.names.index(one) for one in motion.coordinates]
    for s in random.uniform(-3.0, 3.0, (5, len(chosen))):
        rotation = Rotation.from_rotvec(motion.u * (motion.w @ s)).as_matrix()
        if motion.form == "cross":
            rotation = Rotation.from_euler("XY", s).as_matrix()
        b = Pose(motion.p0 + motion.P @ s, rotation @ motion.R0)
        a = Pose(random.normal(size=3), Rotation.random(random_state=3).as_matrix())
        values = rows.at(a, b.after(a))
        assert np.abs(values.phi).max() < 1e-13
        assert values.s[chosen] == pytest.approx(s, abs=1e-12)
        assert pytest.approx(b.R, abs=1e-14) == motion.pose(s).R


@pytest.mark.parametrize("name, planar", WITH_RATES)
def test_rates_of_coordinates_are_twists_of_b(name, planar):
    """S ṡ is the twist of b, by central differences of its pose; it moves along the rows, at ṡ."""
    kind = in_force(name, planar)
    random = np.random.default_rng(7)
    poses = drawn(random, planar=planar, slides=slides(kind))
    motion, rows = motion_of(kind, poses, planar), rows_of(kind, poses, planar)
    chosen = [rows.names.index(one) for one in motion.coordinates]
    s, s_dot = random.uniform(-0.7, 0.7, (2, len(chosen)))
    aligned = Pose(np.zeros(3), Pose(*poses[1]).seen_from(Pose(*poses[0])).R if planar else np.eye(3))

    def at(time):
        pose = pose_at(rows, chosen, s + s_dot * time, aligned)
        assert pose is not None
        return pose

    b = at(0.0)
    on_b = rows.at(ALIGNED, b).on_b
    S = np.linalg.inv(matrix(rows, on_b, chosen))[:, rows.rows :]
    h = 1e-3
    twists = []
    for e in (h, 0.5 * h):
        late, early = at(e), at(-e)
        turn = Rotation.from_matrix(late.R @ early.R.T).as_rotvec()
        twists.append(np.concatenate([late.x - early.x, turn]) / (2.0 * e))
    # without the error of order h²
    assert S @ s_dot == pytest.approx((4.0 * twists[1] - twists[0]) / 3.0, abs=1e-9)
    assert np.abs(on_b[: rows.rows] @ S).max() < 1e-13
    assert on_b[rows.rows :][chosen] @ S == pytest.approx(np.eye(len(chosen)), abs=1e-13)
    if motion.form == "cross":
        assert (
            pytest.approx(np.column_stack([X, Rotation.from_rotvec(s[0] * X).apply(Y)]), abs=1e-12) == S[3:]
        )
        assert S[:3] == pytest.approx(0.0, abs=1e-12)
    elif motion.form != "derived":
        assert pytest.approx(np.vstack([motion.P, np.outer(motion.u, motion.w)]), abs=1e-12) == S


@pytest.mark.parametrize("name, planar", [key for key in CARRY if CARRY[key][0] == "derived"])
def test_derived_rates_depend_on_the_coordinates(name, planar):
    kind = in_force(name, planar)
    rows = rows_of(kind, drawn(np.random.default_rng(1)))
    S = []
    for s in ([0.0, 0.0], [0.5, -0.4]):
        pose = pose_at(rows, (0, 1), np.array(s), ALIGNED)
        assert pose is not None
        S.append(np.linalg.inv(rows.at(ALIGNED, pose).on_b)[:, 4:])
    assert np.abs(S[0] - S[1]).max() > 0.05


@pytest.mark.parametrize("name, planar", CARRY)
def test_rows_in_plain_python_are_those_of_the_compiled_ones(name, planar, registry):
    system = samples.with_joint(
        KINDS[name], GIVEN.get(name, {}), np.random.default_rng(4), planar, close=True
    )
    problem = compile_system(system, registry)
    problem.check(entries.evaluate(problem.addresses))
    joint = next(one for one in problem.names.joints if one.kind.name == name)
    markers, block = problem[Markers], problem[Blocks].index[joint.block]
    at = problem[Blocks].marker[block.first_slot : block.first_slot + 2]
    a, b = (Pose(markers.x[n], markers.R[n].reshape(3, 3)) for n in at)
    rows = JointRows(joint.kind, joint.params, joint.planar, None, own)
    values = rows.at(a, b)
    first = block.first_G_marker
    G = problem[Blocks].G_marker[first : first + 12 * rows.rows].reshape(rows.rows, 12)
    assert values.phi == pytest.approx(problem[Rows].phi[list(joint.rows)], abs=1e-14)
    assert np.hstack([values.on_a, values.on_b])[: rows.rows] == pytest.approx(G, abs=1e-14)


def test_markers_on_planar_bodies_may_be_at_different_heights():
    (x, R), (_, S) = drawn(np.random.default_rng(3), planar=True)
    motion = motion_of(joints.Pin.form(True), [(x, R), (x + 0.3 * Z, S)], planar=True)
    assert motion.p0 == pytest.approx([0.0, 0.0, 0.3], abs=1e-12)


@pytest.mark.parametrize("kind", [joints.Revolute, joints.Cylindrical, joints.Screw])
def test_axes_drawn_antiparallel_stay_so(kind):
    random = np.random.default_rng(8)
    parallel = drawn(random)
    (x, R), (y, S) = drawn(random)
    antiparallel = [(x, R), (y, S @ np.diag([1.0, -1.0, -1.0]))]
    first, second = motion_of(kind, parallel), motion_of(kind, antiparallel)
    assert (first.R0[2, 2], second.R0[2, 2]) == (1.0, -1.0)
    # both are known from now on
    assert motion_of(kind, parallel) is first and motion_of(kind, antiparallel) is second


def test_joints_that_differ_in_their_places_share_one_motion():
    random = np.random.default_rng(9)
    first = motion_of(joints.Screw, drawn(random))
    for _ in range(20):
        (x, R), (y, S) = drawn(random)
        turned = S @ Rotation.from_rotvec(random.uniform(-3.0, 3.0) * Z).as_matrix()
        assert motion_of(joints.Screw, [(x, R), (y + 3.0 * R[:, 2], turned)]) is first
    assert motion_of(joints.Screw, drawn(random), given={"pitch": 2.0}).P[2, 0] == pytest.approx(1.0 / np.pi)
    assert len(module.known) == 2


def test_a_joint_drawn_far_from_its_rows_is_still_found():
    (x, R), _ = drawn(np.random.default_rng(6))
    away = R @ Rotation.from_rotvec([0.9, 0.3, 3.0]).as_matrix()
    for _ in range(2):
        motion = motion_of(joints.Revolute, [(x, R), (x + np.array([5.0, -2.0, 1.0]), away)])
        assert motion.form == "turning" and np.array_equal(motion.R0, np.eye(3))
    # half a turn away the rows of `orientation` are dependent: aligned frames are its other solution
    half = R @ Rotation.from_rotvec([0.0, 0.0, 3.0]).as_matrix()
    assert np.array_equal(motion_of(joints.SameOrientation, [(x, R), (x, half)]).R0, np.eye(3))


def test_poses_more_than_half_a_turn_away_are_reached():
    rows = rows_of(joints.Revolute, drawn(np.random.default_rng(6)))
    pose = pose_at(rows, [0], np.array([4.0]), ALIGNED)
    assert pose is not None and pytest.approx(Rotation.from_rotvec(4.0 * Z).as_matrix(), abs=1e-14) == pose.R


# kinds of the tests


@internal
def advance(angle):
    """Travel of a screw whose pitch grows with its angle, and the derivative [m]."""
    return 0.1 * angle + 0.05 * angle * angle, 0.1 + 0.1 * angle


class VariablePitch(ConstraintKind):
    """A screw with length = f(angle)."""

    name = "variable_pitch"
    labels = ("translation along x", "translation along y", "tilt about x", "tilt about y", "thread")
    coordinates: ClassVar = {"length": Component("z"), "angle": Angle}

    @staticmethod
    def kernel(a, b, phi, G, gamma):
        A = [(a.R[k], a.R[3 + k], a.R[6 + k]) for k in range(3)]
        d, e, z = sub(b.x, a.x), (b.R[0], b.R[3], b.R[6]), (b.R[2], b.R[5], b.R[8])
        f, slope = advance(math.atan2(dot(e, A[1]), dot(e, A[0])))
        phi[0], phi[1], phi[4] = dot(A[0], d), dot(A[1], d), dot(A[2], d) - f
        phi[2], phi[3] = dot(A[0], z), dot(A[1], z)
        for r, n in ((0, A[0]), (1, A[1]), (4, A[2])):
            G[12 * r : 12 * r + 3], G[12 * r + 3 : 12 * r + 6] = -np.array(n), np.cross(n, d)
            G[12 * r + 6 : 12 * r + 9] = n
        for r in (2, 3):
            G[12 * r + 3 : 12 * r + 6] = np.cross(A[r - 2], z)
            G[12 * r + 9 : 12 * r + 12] = -np.cross(A[r - 2], z)
        # the rate of the angle between axes that stay parallel
        G[51:54] += slope * np.array(A[2])
        G[57:60] = -slope * np.array(A[2])


def test_a_screw_of_variable_pitch_is_derived():
    poses = drawn(np.random.default_rng(2))
    motion = motion_of(VariablePitch, poses)
    # either coordinate tells its pose where the pitch is not zero; the angle better
    assert (motion.form, motion.coordinates) == ("derived", ("angle",))
    rows = rows_of(VariablePitch, poses)
    for angle in (-0.8, 0.3, 1.0):
        pose = pose_at(rows, [1], np.array([angle]), ALIGNED)
        assert pose is not None
        assert pose.x == pytest.approx([0.0, 0.0, 0.1 * angle + 0.05 * angle**2], abs=1e-14)
        assert pytest.approx(Rotation.from_rotvec(angle * Z).as_matrix(), abs=1e-14) == pose.R


def changed(kind: type[ConstraintKind], **entries: Any) -> type[ConstraintKind]:
    """The kind with other entries."""
    return type("Changed", (kind,), {"name": "changed", **entries})


class Target(Parameters):
    to: Function = 0.0  # type: ignore[assignment]


def held_along_z(**entries: Any) -> type[ConstraintKind]:
    """A hinge whose b stays at the height `to`."""
    height = Basic(Component("z"), ("translation along z",), to="to")
    basics = (*Parallel(), *Dot2("x"), *Dot2("y"), height)
    return changed(joints.Revolute, parameters=Target, basics=basics, **entries)


def test_targets_may_be_constant():
    poses = drawn(np.random.default_rng(1))
    kind = held_along_z()
    motion = motion_of(kind, poses, given={"to": "0.2 + 0.05"})
    assert motion.form == "turning" and motion.p0 == pytest.approx([0.0, 0.0, 0.25], abs=1e-13)
    assert motion_of(kind, poses, given={"to": "1/4"}) is motion
    assert motion_of(kind, poses, given={"to": 0.5}).p0[2] == pytest.approx(0.5)
    with pytest.raises(CannotCarry, match="its to is not constant"):
        motion_of(kind, poses, given={"to": "0.1*time"})


def test_three_rows_are_a_ball_only_if_they_leave_all_rotations():
    poses = drawn(np.random.default_rng(1))
    in_axes_of_a = changed(joints.Ball, basics=(*Dot2("x"), *Dot2("y"), *Dot2("z")))
    assert motion_of(in_axes_of_a, poses).form == "ball"
    for basics in ((*Parallel(), *Dot2("z")), joints.SameOrientation.basics):
        with pytest.raises(CannotCarry, match="its 3 rows are 3 of 6 motions"):
            motion_of(changed(joints.Ball, basics=basics), poses)


def world_height(a, b, value, J, bias):
    """Height of b over a along z of the world: no function of their relative pose."""
    value[0], bias[0] = b.x[2] - a.x[2], 0.0
    for k in range(12):
        J[k] = {2: -1.0, 8: 1.0}.get(k, 0.0)


def without_reaction(a, b, value, J, bias):
    """Height of b over a along z of a, without its derivative over the twist of a."""
    n, d = (a.R[2], a.R[5], a.R[8]), sub(b.x, a.x)
    value[0], bias[0] = dot(n, d), 0.0
    for k in range(12):
        J[k] = n[k - 6] if 6 <= k < 9 else 0.0


def distance_to_b(a, b, value, J, bias):
    """0 over 0 where the markers coincide."""
    d = sub(b.x, a.x)
    s = math.sqrt(dot(d, d))
    value[0], bias[0] = s, 0.0
    for k in range(3):
        J[k], J[3 + k], J[6 + k], J[9 + k] = -d[k] / s, 0.0, d[k] / s, 0.0


def at_time(a, b, t, phi, G, gamma):
    """A row that depends on time."""


def with_unknown(a, b, phi, G, gamma, heat):
    """A row of an argument that does not exist."""


def faulty(a, b, phi, G, gamma):
    raise TypeError("faulty")


SIX = tuple("abcdef")
REASONS = {
    "no function of the relative pose": (
        changed(joints.Cylindrical, coordinates={"length": Measure(world_height), "angle": Angle}),
        "its rows or coordinates change as both markers move together",
    ),
    "a force without reaction": (
        changed(joints.Translational, coordinates={"length": Measure(without_reaction)}),
        "its rows or coordinates change as both markers move together",
    ),
    "one coordinate twice": (
        changed(joints.Planar, coordinates={"x": Component("x"), "x2": Component("x"), "angle": Angle}),
        "its rows and coordinates are not independent",
    ),
    "one row twice": (
        changed(joints.Revolute, basics=(*Spherical(), *Parallel()[:1], *Parallel()[:1])),
        "its rows and coordinates are not independent",
    ),
    "not defined at zero": (
        changed(joints.Translational, coordinates={"length": Measure(distance_to_b)}),
        "its position at given coordinates was not found",
    ),
    "seven rows": (
        changed(joints.Fixed, basics=(*Spherical(), *Spherical(), *Dot2("x"))),
        "its 7 rows are more than 6 motions",
    ),
    "inner states": (changed(VariablePitch, states=("wear",)), "it has inner states"),
    "outputs": (changed(VariablePitch, outputs={"load": "N"}), "it has outputs"),
    "memory": (changed(VariablePitch, memory=2), "it has memory"),
    "events": (changed(VariablePitch, events=1), "it has events"),
    "breaks": (
        changed(joints.Revolute, breaks=classmethod(lambda kind, params, name: "time > 1")),
        "it can break",
    ),
    "acceleration level": (
        changed(VariablePitch, level=(0, 0, 0, 0, 2)),
        "1 row of it is at acceleration level",
    ),
    "time": (changed(joints.Fixed, basics=(), labels=SIX, kernel=at_time), "its rows depend on time"),
    "unknown": (
        changed(joints.Fixed, basics=(), labels=SIX, kernel=with_unknown),
        'its functions take "heat"',
    ),
    "faulty": (
        changed(joints.Fixed, basics=(), labels=SIX, kernel=faulty),
        "its functions do not run as Python: TypeError: faulty",
    ),
    "nothing": (changed(joints.Ball, basics=()), "it has neither rows nor coordinates"),
}


@pytest.mark.parametrize("what", REASONS)
def test_kinds_that_cannot_carry_say_why(what):
    kind, reason = REASONS[what]
    with pytest.raises(CannotCarry) as caught:
        motion_of(kind, drawn(np.random.default_rng(1), 0.3))
    assert str(caught.value) == reason


class Numbered(Parameters):
    pitch: Number
    arm: tuple[float, float, float] = (0.0, 0.0, 0.0)
    count: int = 1


@jit
def twice(x):
    return 2.0 * x


def test_kernels_get_their_parameters():
    """b hangs at the end of the arm, `count` pitches up."""

    def kernel(a, b, p, phi, G, gamma):
        d = sub(b.x, a.x)
        for k in range(3):
            n = np.array([a.R[k], a.R[3 + k], a.R[6 + k]])
            phi[k] = n @ d - p.arm[k]
            G[12 * k : 12 * k + 12] = [*-n, *np.cross(n, d), *n, 0, 0, 0]
        phi[2] -= twice(p.pitch) * p.count

    kind = changed(
        joints.Fixed,
        parameters=Numbered,
        labels=("x", "y", "z"),
        kernel=staticmethod(kernel),
        basics=joints.SameOrientation.basics,
    )
    given = {"pitch": 0.1, "arm": [0.3, 0.2, 0.0], "count": 3}
    motion = motion_of(kind, drawn(np.random.default_rng(1)), given=given)
    assert motion.form == "fixed" and motion.p0 == pytest.approx([0.3, 0.2, 0.6], abs=1e-13)


def test_registered_measures_are_looked_up(registry):
    kind = changed(joints.Revolute, coordinates={"angle": "angle"})
    poses = drawn(np.random.default_rng(1))
    look_up = lambda given: registry.measure(given) if isinstance(given, str) else given
    motion = joint_motion(kind, None, poses, False, None, look_up)
    assert (motion.form, motion.coordinates) == ("turning", ("angle",))


def test_plain_functions_call_no_compiled_ones():
    compiled_of_closure = internal(lambda x: x + 1.0)

    def function(x):
        return compiled_of_closure(twice(x)) + vec3.norm((x, 0.0, 0.0))

    before = len(vec3.norm.signatures)
    assert plain(function)(3.0) == 10.0
    assert not twice.signatures and not compiled_of_closure.signatures
    assert len(vec3.norm.signatures) == before
