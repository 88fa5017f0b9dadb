"""Joints that guide points and axes, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import has, refused
from scene_text import NO_GRAVITY, body, force, joint, motion, solver, torque, world
from snapshots import same_message

SOLVER = solver(tolerance=1e-10, end=1.0)


def guided(kind, name="b", axis=(0, 0, 1), **keys):
    """A joint that is tried, between the ground and a body, at the origin."""
    return joint("tried", kind, "ground", name, at=[0, 0, 0], axis=axis, **keys)


OMEGA, R0 = 3.0, 0.2


@pytest.mark.parametrize("kind", ["slot", "point_on_line", "in_line"])
@pytest.mark.parametrize("flat", [False, True])
def test_a_bead_in_a_turning_slot_runs_off_as_cosh(runs, kind, flat):
    """r = r₀ cosh Ωt; the slot pushes sideways with 2 m Ω ṙ, and not along itself."""
    kind_of_body, inertia = ("planar", 0.3) if flat else ("spatial", [0.1, 0.2, 0.3])
    scene = (
        NO_GRAVITY
        + body("arm", type=kind_of_body, mass=1.0, inertia=inertia)
        + body("bead", type=kind_of_body, mass=2.0, inertia=inertia, position=[R0, 0, 0])
        + (
            joint("axle", "pin", "ground", "arm")
            if flat
            else joint("axle", "revolute", "ground", "arm", axis=[0, 0, 1])
        )
        + joint("tried", kind, "arm", "bead", at=[R0, 0, 0], axis=[1, 0, 0])
        + motion("axle", angle=f"{OMEGA}*time")
        + SOLVER
    )
    for t, frame in zip((0.0, 0.5, 1.0), runs.frames(scene, [0.0, 0.5, 1.0])):
        r, r_dot = R0 * np.cosh(OMEGA * t), R0 * OMEGA * np.sinh(OMEGA * t)
        c, s = np.cos(OMEGA * t), np.sin(OMEGA * t)
        np.testing.assert_allclose(frame["bodies/position"][1], [r * c, r * s, 0], atol=1e-8)
        np.testing.assert_allclose(
            frame["joints/force"][1], 2 * 2.0 * OMEGA * r_dot * np.array([-s, c, 0]), atol=1e-6
        )
        along = frame["joints/force"][1] @ np.array([c, s, 0])
        assert abs(along) <= 1e-13 * max(1.0, np.linalg.norm(frame["joints/force"][1]))
        assert abs(frame["joints/local_force"][1, 2]) <= 1e-13 * max(
            1.0, np.linalg.norm(frame["joints/force"][1])
        )
        assert frame["coordinates/value"][1] == pytest.approx(r - R0, abs=1e-8)
        assert np.abs(frame["joints/torque"][1]).max() < 1e-12


def test_a_point_slides_down_a_plane_and_the_body_turns_freely(runs):
    """a = g sin α, N = m g cos α, ω stays."""
    slope, m = 0.4, 2.0
    n, down = np.array([np.sin(slope), 0, np.cos(slope)]), np.array([np.cos(slope), 0, -np.sin(slope)])
    scene = (
        body("b", mass=m, inertia=[0.1, 0.1, 0.1], angular_velocity=[1, 2, 3])
        + guided("point_on_plane", axis=n)
        + SOLVER
    )
    for t, frame in zip((0.0, 1.0), runs.frames(scene, [0.0, 1.0])):
        np.testing.assert_allclose(
            frame["bodies/position"][0], 0.5 * 9.81 * np.sin(slope) * t * t * down, atol=1e-9
        )
        np.testing.assert_allclose(frame["bodies/angular_velocity"][0], [1, 2, 3], atol=1e-9)
        np.testing.assert_allclose(
            frame["joints/local_force"][0], [0, 0, m * 9.81 * np.cos(slope)], atol=1e-9
        )


def test_a_cylindrical_joint_slides_and_turns_independently(runs):
    """z = ½ (F/m) t², θ = ½ (T/J) t²; what pushes across and turns across is held."""
    scene = (
        NO_GRAVITY
        + body("b", mass=2.0, inertia=[0.3, 0.4, 0.5])
        + guided("cylindrical")
        + force("b", x=4.0, z=3.0)
        + torque("b", y=0.6, z=40.0)
        + SOLVER
    )
    for t, frame in zip((0.0, 0.5, 1.0), runs.frames(scene, [0.0, 0.5, 1.0])):
        np.testing.assert_allclose(frame["coordinates/value"], [0.75 * t * t, 40.0 * t * t], atol=1e-8)
        np.testing.assert_allclose(frame["coordinates/speed"], [1.5 * t, 80.0 * t], atol=1e-7)
        np.testing.assert_allclose(frame["joints/force"][0], [-4, 0, 0], atol=1e-8)
        # b's marker, where the torque is reported, has moved along z together with the force
        np.testing.assert_allclose(frame["joints/torque"][0], [0, -0.6, 0], atol=1e-7)


def test_a_puck_on_a_plane_is_a_planar_body(runs):
    """Down a slope with a = g sin α while it spins at a constant rate; N = m g cos α."""
    slope, m = 0.3, 2.0
    n, down = np.array([np.sin(slope), 0, np.cos(slope)]), np.array([np.cos(slope), 0, -np.sin(slope)])
    scene = (
        body("puck", mass=m, inertia=[0.1, 0.1, 0.2], angular_velocity=4.0 * n)
        + guided("planar", "puck", axis=n)
        + SOLVER
    )
    for t, frame in zip((0.0, 1.0), runs.frames(scene, [0.0, 1.0])):
        np.testing.assert_allclose(
            frame["bodies/position"][0], 0.5 * 9.81 * np.sin(slope) * t * t * down, atol=1e-9
        )
        assert frame["coordinates/value"][2] == pytest.approx(4.0 * t, abs=1e-9)
        np.testing.assert_allclose(
            np.hypot(*frame["coordinates/value"][:2]), 0.5 * 9.81 * np.sin(slope) * t * t, atol=1e-9
        )
        np.testing.assert_allclose(
            frame["joints/local_force"][0], [0, 0, m * 9.81 * np.cos(slope)], atol=1e-8
        )


@pytest.mark.parametrize(("kind", "spin"), [("parallel", 20.0), ("orientation", 0.0)])
def test_a_body_of_fixed_orientation_flies_on_a_parabola(runs, kind, spin):
    """Held: the torque across (and about z with `orientation`); free: the flight (and the spin about z, θ = ½
    (T/J) t²).
    """
    scene = (
        body("b", mass=2.0, inertia=[0.3, 0.4, 0.5], velocity=[1, 2, 3])
        + guided(kind)
        + torque("b", x=0.3, z=10.0)
        + SOLVER
    )
    for t, frame in zip((0.0, 1.0), runs.frames(scene, [0.0, 1.0])):
        flight = np.array([1, 2, 3]) * t - [0, 0, 0.5 * 9.81 * t * t]
        np.testing.assert_allclose(frame["bodies/position"][0], flight, atol=1e-10)
        np.testing.assert_allclose(frame["coordinates/value"][:3], flight, atol=1e-10)
        np.testing.assert_allclose(frame["bodies/angular_velocity"][0], [0, 0, spin * t], atol=1e-8)
        np.testing.assert_allclose(frame["joints/torque"][0], [-0.3, 0, 0 if spin else -10.0], atol=1e-8)
        np.testing.assert_allclose(frame["joints/force"][0], 0.0, atol=1e-13)


def marked(kind, turn, axis=(1, 0, 0)):
    """A joint between a marker of the ground and one of a body turned by `turn` [rad] about `axis`."""
    return (
        world(gravity=[0, 0, 0], marker=[{"name": "m"}])
        + body(
            "b",
            mass=1.0,
            inertia=[0.1, 0.2, 0.25],
            marker=[{"name": "m", "orientation": {"axis": axis, "angle": turn}}],
        )
        + joint("tried", kind, "ground.m", "b.m")
    )


@pytest.mark.parametrize("kind", ["parallel", "revolute"])
def test_a_start_at_half_a_turn_is_reported(runs, kind):
    (told,) = runs.prepare(marked(kind, np.pi)).assembly.messages
    assert has(told, '"tried"')
    same_message(told)
    assert not runs.prepare(marked(kind, 0.0)).assembly.messages


def test_an_orientation_that_starts_at_half_a_turn_is_refused(runs):
    with refused("joint[0]", "tried"):
        runs.prepare(marked("orientation", np.pi))
    assert not runs.prepare(marked("orientation", 0.0)).assembly.messages


@pytest.mark.parametrize("kind", ["parallel", "orientation", "fixed", "revolute", "constant_velocity"])
def test_rows_of_orientation_change_sign_at_zero(runs, kind):
    """A row such as 1 − cos θ touches zero and does not cross it: Newton's method then creeps, and its
    Jacobian is zero where it is satisfied.
    """
    ahead, behind = residual(runs, kind, 1e-3), residual(runs, kind, -1e-3)
    for r in np.flatnonzero(np.abs(ahead).max(axis=0) > 1e-4):
        assert (ahead[:, r] * behind[:, r]).min() < 0
    assert (np.abs(ahead).max(axis=1) > 0.9e-3).all()


def residual(runs, kind, angle):
    """(axes held, rows) residuals with b turned by `angle` about each axis that the kind holds."""
    from mbplugin.compile import compile_system
    from mbplugin.model import System

    found = []
    for axis in {"parallel": "xy", "revolute": "xy", "constant_velocity": "z"}.get(kind, "xyz"):
        text = marked(kind, angle, np.eye(3)["xyz".index(axis)])
        problem = compile_system(System.from_text(text), runs.registry)
        found.append(problem.residuals(0.0, problem.q.copy(), problem.v.copy())[0])
    return np.array(found)


@pytest.mark.parametrize(
    ("kind", "rank"),
    [("translational", 5), ("cylindrical", 4), ("planar", 3), ("point_on_line", 2), ("point_on_plane", 1)],
)
def test_rows_of_components_keep_their_rank_where_the_markers_meet(runs, kind, rank):
    """n·d has the slope n at d = 0 too: a guide whose stroke passes zero is not singular there, and its rows
    do not shrink.
    """
    found = runs.prepare(NO_GRAVITY + body("b", mass=1.0, inertia=[1, 1, 1]) + guided(kind))
    assert found.rank.rank == rank and found.singular is None
    assert np.linalg.svd(found.problem.jacobian(), compute_uv=False)[rank - 1] == pytest.approx(
        1.0, abs=1e-12
    )


def test_a_start_sets_the_coordinates_that_it_names(runs):

    scene = lambda kind, **start: body("b", mass=1.0, inertia=[0.1, 0.2, 0.25]) + guided(kind, start=start)
    frame = runs.frames(scene("cylindrical", angle=9.0, length=0.3) + SOLVER, [0.0])[0]
    np.testing.assert_allclose(frame["coordinates/value"], [0.3, 9.0], atol=1e-12)
    frame = runs.frames(scene("cylindrical", angle=1.0, speed=2.0) + SOLVER, [0.0])[0]
    np.testing.assert_allclose(frame["coordinates/speed"], [0.0, 2.0], atol=1e-12)
    with refused("joint[0].start.speed", 2.0):
        runs.prepare(scene("cylindrical", speed=2.0))
    with refused("joint[0].start.angle", 2.0):
        runs.prepare(scene("translational", angle=2.0))
