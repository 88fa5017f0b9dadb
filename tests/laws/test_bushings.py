"""Bushings: their energy, turned and spinning mounts, large rotations, curves, a suspension."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import message_with, refused
from scene_text import NO_GRAVITY, body, force, hinge, joint, motion, solver, table, world
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

import mbplugin as mb

K, C = np.array([1e4, 3e4, 9e5]), np.array([40.0, 70.0, 900.0])
OBLIQUE = np.array([1.0, 2.0, -2.0]) / 3.0
SOLVERS = [
    *(("rk", "maximal", 1e-8), ("rk", "joint", 1e-8), ("galpha", "maximal", 1e-5)),
    *(("galpha", "joint", 1e-5), ("contact", "joint", 1e-4)),
]


def quaternion(rotation):
    return {"quaternion": np.roll(rotation.as_quat(), 1)}


def mount(rotation, **keys):
    """The ground with a marker m in these axes."""
    return world(gravity=[0, 0, 0], marker=[{"name": "m", "orientation": quaternion(rotation), **keys}])


def bushing(a, b, name="bush", **keys):
    return table("force", type="bushing", name=name, a=a, b=b, **keys)


def rests_at(text, k=0):
    """Position of the mass centre of body k in equilibrium."""
    return mb.System.from_text(text + solver(end=0.1)).analyze("static").position[k]


#: pose of b without deformation, in axes of a
OFFSET, REST = np.array([0.01, 0.02, -0.03]), np.array([0.4, -0.2, 0.3])


def energy(x, R, mount_x, mount_R):
    """½ dᵀ K d + ½ θᵀ C θ of the pose of b."""
    d = mount_R.inv().apply(x - mount_x) - OFFSET
    theta = (mount_R.inv() * R * Rotation.from_rotvec(REST).inv()).as_rotvec()
    return 0.5 * d @ (K * d) + 0.5 * theta @ (C * theta)


@pytest.mark.parametrize("angle", [0.0, 45.0, 90.0])
@pytest.mark.parametrize("deformed", [0.3, 1e-5, 2.9])
def test_the_wrench_is_the_gradient_of_the_energy(runs, angle, deformed):
    """In axes of the mount; b deformed by 0.3 rad, nearly not at all, and by nearly half a turn."""
    mount_R, at = Rotation.from_rotvec(np.radians(angle) * OBLIQUE), np.array([0.1, -0.2, 0.3])
    x = at + np.array([0.02, -0.05, 0.01])
    R = mount_R * Rotation.from_rotvec(deformed * np.array([0.6, 0.0, 0.8]))
    R = R * Rotation.from_rotvec(REST)
    text = mount(mount_R, position=at) + body(
        "b", mass=1, inertia=[1, 1, 1], position=x, orientation=quaternion(R)
    )
    given = {"stiffness": K, "angular_stiffness": C, "offset": OFFSET, "rotation": REST}
    frame = runs.frames(text + bushing("ground.m", "b", **given), [0.0])[0]
    assert frame["forces/energy"][0] == pytest.approx(energy(x, R, at, mount_R), rel=1e-13)

    def moved(k, s):
        e = np.eye(3)[k % 3] * s
        pose = (x + e, R) if k < 3 else (x, Rotation.from_rotvec(e) * R)
        return energy(*pose, at, mount_R)

    s = 1e-3
    slope = lambda k: (8 * (moved(k, s) - moved(k, -s)) - (moved(k, 2 * s) - moved(k, -2 * s))) / (12 * s)
    gradient = np.array([slope(k) for k in range(6)])
    np.testing.assert_allclose(frame["forces/wrench"][0], -gradient, atol=1e-8 * np.abs(gradient).max())


@pytest.mark.parametrize("angle", [0.0, 45.0, 90.0])
def test_a_turned_mount_has_turned_stiffnesses(angle):
    """u = R K⁻¹ Rᵀ F."""
    R, load = Rotation.from_rotvec([0, 0, np.radians(angle)]), np.array([100.0, 0.0, 50.0])
    text = mount(R) + body("b", mass=1, inertia=[1, 1, 1]) + force("b", x=load[0], z=load[2])
    found = rests_at(text + bushing("ground.m", "b", stiffness=K, angular_stiffness=C))
    np.testing.assert_allclose(found, R.apply(R.inv().apply(load) / K), atol=1e-12)


def test_modes_are_along_the_axes_of_the_mount():
    text = mount(Rotation.from_rotvec(0.9 * OBLIQUE)) + body("b", mass=2.0, inertia=[0.5, 0.5, 0.5])
    text += bushing("ground.m", "b", stiffness=K, angular_stiffness=C)
    found = mb.System.from_text(text + solver(end=0.1)).analyze("eigen")
    truth = np.sort(np.sqrt([*(K / 2.0), *(C / 0.5)]))
    np.testing.assert_allclose(np.sort(found.frequencies), truth, rtol=1e-9)


@pytest.mark.parametrize(("solver_type", "coordinates", "tolerance"), SOLVERS)
def test_a_mass_in_a_spinning_mount_is_displaced_outwards(solver_type, coordinates, tolerance):
    """A body in a bushing at radius r on a turntable: k d = m ω² (r + d), over a turn and a quarter."""
    m, w, r, k = 2.0, 5.0, 0.4, 400.0
    d = m * w * w * r / (k - m * w * w)
    text = NO_GRAVITY + body(
        "table", mass=3, inertia=[1, 1, 1], marker=[{"name": "m", "position": [r, 0, 0]}]
    )
    text += body("b", mass=m, inertia=[0.1, 0.2, 0.3], position=[r + d, 0, 0], velocity=[0, w * (r + d), 0])
    text = text.replace('name = "b"', f'name = "b"\nangular_velocity = [0, 0, {w}]')
    text += hinge("h", "ground", "table") + motion("h", angle=f"{w}*time")
    given = {"stiffness": [k, 1e3, 1e3], "angular_stiffness": [50, 60, 70], "damping": [3, 4, 5]}
    text += bushing("table.m", "b", offset=[0, 0, 0], angular_damping=[0.1, 0.2, 0.3], **given)
    step = {} if solver_type == "rk" else {"step": 1e-3}
    end = 2.5 * np.pi / w
    result = mb.System.from_text(
        text + solver(type=solver_type, coordinates=coordinates, end=end, **step)
    ).run(files=False)
    assert np.abs(result.output("bush.deformation_x") - d).max() < tolerance
    assert np.abs(result.output("bush.force_x") / -k - d).max() < tolerance
    np.testing.assert_allclose(result["b"].position[-1], [0, r + d, 0], atol=10 * tolerance)


def test_a_large_rotation_about_an_oblique_axis_is_a_harmonic_oscillation():
    """An isotropic bushing and inertia: θ(t) = θ₀ e^(−δt) cos ωt about a fixed axis, from 2.5 rad."""
    I, c, k, start = 0.7, 0.9, 30.0, 2.5
    delta = 0.5 * c / I
    w = np.sqrt(k / I - delta**2)
    R = Rotation.from_rotvec(start * OBLIQUE)
    text = mount(Rotation.from_rotvec([0.4, 0.5, 0.6])) + body(
        "b",
        mass=1,
        inertia=[I] * 3,
        orientation=quaternion(R),
        marker=[{"name": "m", "orientation": quaternion(Rotation.from_rotvec([0.4, 0.5, 0.6]))}],
    )
    given = {"angular_stiffness": [k] * 3, "angular_damping": [c] * 3, "rotation": [0, 0, 0]}
    text += bushing("ground.m", "b.m", **given)
    result = mb.System.from_text(text + solver(end=1.0, tolerance=1e-11)).run(files=False)
    t = result.time
    theta = start * np.exp(-delta * t) * (np.cos(w * t) + delta / w * np.sin(w * t))
    local = Rotation.from_rotvec([0.4, 0.5, 0.6]).inv().apply(OBLIQUE)
    for k, axis in enumerate("xyz"):
        np.testing.assert_allclose(result.output(f"bush.rotation_{axis}"), theta * local[k], atol=1e-8)
    assert np.abs(result.energy.balance).max() < 1e-8


def test_a_preload_moves_the_equilibrium():
    """Beside a load, and alone, where no force is left in equilibrium."""
    text = mount(Rotation.identity()) + body("b", mass=1, inertia=[1, 1, 1], position=[0.1, 0, 0])
    given = {"stiffness": K, "angular_stiffness": C, "preload": [100, 0, 0], "preload_torque": [0, 4, 0]}
    text += bushing("ground.m", "b", **given)
    for load in (60.0, 0.0):
        found = rests_at(text + (force("b", y=load) if load else ""))
        np.testing.assert_allclose(found, [0.1 + 100 / K[0], load / K[1], 0], atol=1e-12)


def test_a_stiffness_may_be_an_expression_or_a_table():
    """b rests where the curve bears its load."""
    law = lambda x: 2e4 * x + 1e9 * x**3
    x = np.linspace(-0.02, 0.02, 41)
    table_of_y = {"x": 1e3 * x, "y": law(x), "units": ["mm", "N"]}
    text = mount(Rotation.identity()) + body("b", mass=1, inertia=[1, 1, 1]) + force("b", x=300.0, y=200.0)
    given = [{"x": [-0.1, 0.1], "y": "2e4*x + 1e9*x**3"}, table_of_y, 1e4]
    found = rests_at(text + bushing("ground.m", "b", stiffness=given, angular_stiffness=C))
    for k, load in enumerate((300.0, 200.0)):
        assert found[k] == pytest.approx(brentq(lambda s, load=load: law(s) - load, 0, 0.1), abs=1e-11)


def test_a_damping_may_be_a_curve_over_the_velocity():
    """Drag c v² that slows a body as v₀/(1 + c v₀ t/m)."""
    text = mount(Rotation.identity()) + body("b", mass=2.0, inertia=[1, 1, 1], velocity=[3.0, 0, 0])
    curve = {"x": [0.0, 4.0], "y": "0.7*x**2"}
    text += bushing("ground.m", "b", damping=[curve, 1.0, 1.0])
    result = mb.System.from_text(text + solver(end=1.0, tolerance=1e-10)).run(files=False)
    truth = 3.0 / (1 + 0.7 * 3.0 * result.time / 2.0)
    np.testing.assert_allclose(result["b"].velocity[:, 0], truth, atol=1e-9)
    np.testing.assert_allclose(result.energy.dissipated, 9.0 - truth**2, atol=1e-8)


def test_a_matrix_couples_displacements_and_rotations(runs):
    """Force and torque of small deformations are the matrix times these, in axes of the mount."""
    rng = np.random.default_rng(2)
    A = rng.normal(size=(6, 6))
    A = A @ A.T
    R, s = Rotation.from_rotvec(0.8 * OBLIQUE), 1e-9 * rng.normal(size=6)
    moved = R * Rotation.from_rotvec(s[3:])
    text = mount(R) + body(
        "b", mass=1, inertia=[1, 1, 1], position=R.apply(s[:3]), orientation=quaternion(moved)
    )
    given = {"stiffness_matrix": A, "offset": [0, 0, 0], "rotation": [0, 0, 0]}
    frame = runs.frames(text + bushing("ground.m", "b", **given), [0.0])[0]
    found = np.concatenate([R.inv().apply(part) for part in frame["forces/wrench"][0].reshape(2, 3)])
    np.testing.assert_allclose(found, -A @ s, atol=1e-7 * np.abs(A @ s).max())


#: double wishbone: points [m] of bushings on the chassis, of ball joints, of the track rod and the hub
INNER = {"lower": [[0.2, 0.4, 0.2], [-0.2, 0.4, 0.22]], "upper": [[0.15, 0.5, 0.5], [-0.1, 0.5, 0.52]]}
OUTER = {"lower": [0.02, 0.75, 0.18], "upper": [-0.01, 0.72, 0.55]}
TRACK, HUB = ([0.15, 0.42, 0.3], [0.14, 0.74, 0.28]), np.array([0.0, 0.8, 0.33])
#: turn of each bushing's axes [rad]
TURNS = {"lower": [[0, 1.5, 0], [0.2, 1.2, 0.4]], "upper": [[0, 1.4, -0.3], [0.1, 1.7, 0.2]]}


def suspension(load):
    """Two arms in bushings, an upright on ball joints and a track rod, and a load on the hub [N]."""
    markers = [
        {"name": f"{arm}{k}", "position": at, "orientation": quaternion(Rotation.from_rotvec(TURNS[arm][k]))}
        for arm, points in INNER.items()
        for k, at in enumerate(points)
    ]
    text = world(gravity=[0, 0, 0], marker=[*markers, {"name": "track", "position": TRACK[0]}])
    for arm, points in INNER.items():
        text += body(
            arm, mass=2, inertia=[0.1, 0.1, 0.1], marker=[m for m in markers if m["name"][:5] == arm]
        )
        for k in range(len(points)):
            given = {"stiffness": K, "angular_stiffness": C}
            text += bushing(f"ground.{arm}{k}", f"{arm}.{arm}{k}", name=f"{arm}_{k}", **given)
        text += joint(f"{arm}_ball", "ball", arm, "upright", at=OUTER[arm])
    track = [{"name": "track", "position": TRACK[1] - HUB}]
    text += body("upright", mass=5, inertia=[0.1, 0.1, 0.1], position=HUB, marker=track)
    text += joint("track", "rod", "ground.track", "upright.track")
    return text + force("upright", **dict(zip("xyz", load)))


def compliance():
    """(3, 3) displacement of the hub by loads on it: stiffnesses of bushings and rows of joints by hand."""

    def at(k, point):  # velocity of a point of body k by the 18 displacements
        B = np.zeros((3, 18))
        x, y, z = point
        B[:, 6 * k : 6 * k + 3] = np.eye(3)
        B[:, 6 * k + 3 : 6 * k + 6] = [[0, z, -y], [-z, 0, x], [y, -x, 0]]
        return B

    stiffness, rows = np.zeros((18, 18)), []
    for k, arm in enumerate(INNER):
        turn = np.zeros((3, 18))
        turn[:, 6 * k + 3 : 6 * k + 6] = np.eye(3)
        for point, rotation in zip(INNER[arm], TURNS[arm]):
            R = Rotation.from_rotvec(rotation).as_matrix()
            for B, numbers in ((at(k, point), K), (turn, C)):
                stiffness += B.T @ R @ np.diag(numbers) @ R.T @ B
        rows.append(at(2, OUTER[arm]) - at(k, OUTER[arm]))
    along = np.subtract(*TRACK)
    rows.append(along[None] @ at(2, TRACK[1]))
    G = np.concatenate(rows)
    H = at(2, HUB)
    whole = np.block([[stiffness, G.T], [G, np.zeros((len(G), len(G)))]])
    moved = np.linalg.solve(whole, np.concatenate([H.T, np.zeros((len(G), 3))]))
    return H @ moved[:18]


def test_the_compliance_of_a_double_wishbone_is_that_of_its_assembled_matrix():
    truth = compliance()
    for k in range(3):
        hubs = [rests_at(suspension(sign * np.eye(3)[k]), 2) for sign in (-1.0, 1.0)]
        np.testing.assert_allclose((hubs[1] - hubs[0]) / 2.0, truth[:, k], atol=1e-6 * np.abs(truth).max())


def test_half_a_turn_of_a_bushing_is_warned_of():
    text = mount(Rotation.identity()) + body("b", mass=1, inertia=[1, 1, 1], angular_velocity=[0, 0, 4.0])
    text += bushing("ground.m", "b", angular_stiffness=[1, 1, 1e-3])
    result = mb.System.from_text(text + solver(end=1.0)).run(files=False)
    told = message_with(result.messages, "bush", "torsion_spring_damper", level="warning")
    assert told.time == pytest.approx(np.radians(170) / 4.0, rel=0.1)


THREE, SIX = [1.0, 1.0, 1.0], np.eye(6)


@pytest.mark.parametrize(
    ("key", "value", "given"),
    [
        ("stiffness", [1.0, 2.0], {"stiffness": [1.0, 2.0]}),
        ("stiffness[1]", -2.0, {"stiffness": [1.0, -2.0, 3.0]}),
        ("stiffness[0].y", "max(x, 0)", {"stiffness": [{"x": [-1, 1], "y": "max(x, 0)"}, 0.0, 0.0]}),
        ("stiffness[0].x", [1.0], {"stiffness": [{"x": [1.0], "y": "x"}, 0.0, 0.0]}),
        ("stiffness", None, {"preload": THREE}),
        ("stiffness_matrix", None, {"stiffness": THREE, "stiffness_matrix": SIX}),
        ("damping_matrix", None, {"stiffness": THREE, "damping_matrix": -SIX}),
        ("damping_matrix", None, {"damping_matrix": np.arange(36.0).reshape(6, 6)}),
    ],
)
def test_bad_keys_are_refused(runs, key, value, given):
    text = mount(Rotation.identity()) + body("b", mass=1, inertia=[1, 1, 1])
    with refused(f"force[0].{key}", *([] if value is None else [value])):
        runs.prepare(text + bushing("ground.m", "b", **given))
