"""A rope that a drum winds up: what a motor lifts, a yo-yo, a swinging load, energy and slack."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from scene_text import body, joint, motion, solver, table, world

import mbplugin as mb
from mbplugin.decoder.rotation import rotation
from mbplugin.errors import PhysicsError

HOW = {
    "rk": {"tolerance": 1e-11},
    "galpha": {"type": "galpha", "tolerance": 1e-8},
    "contact": {"type": "contact", "step": 1e-3},
}
NEAR = {"rk": 1e-9, "galpha": 3e-5, "contact": 2e-5}
EACH = [(how, coordinates) for how in HOW for coordinates in ("maximal", "joint")]
each = pytest.mark.parametrize(("how", "coordinates"), EACH)
FRAMES = table("output", frames=30)
G, R, M, I = 9.81, 0.2, 3.0, 0.4


def hoist(how, coordinates, *more, direction="negative", start=0.0, end=1.0, **keys):
    """A drum whose axis is −y, and a load on the tangent at its side, 2 m below."""
    side = R if direction == "negative" else -R
    text = world(gravity=[0, 0, -G]) + body("drum", mass=5, inertia=[I, I, I])
    text += body("load", mass=M, inertia=[1, 1, 1], position=[side, 0, -2])
    text += joint("axle", "revolute", "ground", "drum", axis=[0, 1, 0], start={"speed": start})
    keys = {"radius": R, "turns": 3} | keys
    text += joint("line", "winch", "load", "drum", axis=[0, 1, 0], direction=direction, **keys)
    return text + "".join(more) + solver(**HOW[how], end=end, coordinates=coordinates) + FRAMES


def run(text):
    return mb.System.from_text(text).run(files=False)


@each
def test_a_motor_lifts_the_load_by_r_times_its_angle(how, coordinates):
    """Both ways, through whole turns: z = z₀ + r φ, T = m (g + r φ̈), and r T about the drum."""
    for direction, sign in (("negative", -1), ("positive", 1)):
        turn = f"{sign}*(4*time**2 - time)"
        result = run(hoist(how, coordinates, motion("axle", angle=turn), direction=direction, end=1.5))
        rise = R * (4 * result.time**2 - result.time)
        np.testing.assert_allclose(result["load"].position[:, 2], -2.0 + rise, atol=NEAR[how])
        tension = M * (G + 8.0 * R)
        line = result.joint("line")
        np.testing.assert_allclose(np.linalg.norm(line.force, axis=1)[2:], tension, rtol=1e-4)
        np.testing.assert_allclose(line.torque[2:, 1], -sign * R * tension, rtol=1e-4)
        wound = result.output("line.wrap") - 6 * np.pi
        np.testing.assert_allclose(wound, 4 * result.time**2 - result.time, atol=1e-4)


@each
def test_a_load_falls_against_the_inertia_of_the_drum(how, coordinates):
    """a = g m r²/(m r² + I), until three turns are paid out."""
    result = run(hoist(how, coordinates))
    fall = 0.5 * G * M * R**2 / (M * R**2 + I) * result.time**2
    np.testing.assert_allclose(result["load"].position[:, 2], -2.0 - fall, atol=NEAR[how])
    assert np.abs(result.energy.balance).max() < {"rk": 1e-9, "galpha": 1e-3, "contact": 1e-3}[how]
    with pytest.raises(PhysicsError, match="t = 1.8" if how == "galpha" else "paid out"):
        run(hoist(how, coordinates, end=4.0))


@each
def test_a_rope_on_a_drum_that_runs_on_goes_slack(how, coordinates):
    """It turns freely at ω and pays out more than the load falls, until ½ g t² = r ω t."""
    w = 20.0
    result = run(hoist(how, coordinates, start=w, turns=9, end=1.2))
    t = result.time
    tight = 2 * R * w / G
    flies = t < tight - 2e-3
    assert 0.2 < flies.mean() < 1.0
    np.testing.assert_allclose(
        result["load"].position[flies, 2], -2.0 - 0.5 * G * t[flies] ** 2, atol=NEAR[how]
    )
    slack = R * w * t - 0.5 * G * t**2
    np.testing.assert_allclose(result.output("line.slack")[flies], slack[flies], atol=1e-5)
    assert result.output("line.slack")[~flies] == pytest.approx(0.0, abs=2e-2)


@each
def test_a_yo_yo_rolls_down_its_rope(how, coordinates):
    """Held at its end, the drum falls: a = g/(1 + I/(m r²)), turning at a/r, with any rope on it."""
    text = world(gravity=[0, 0, -G], marker=[{"name": "hand", "position": [R, 0, 1]}])
    text += body("drum", mass=M, inertia=[I, I, I])
    text += joint("guide", "planar", "ground", "drum", axis=[0, 1, 0])
    text += joint("line", "winch", "ground.hand", "drum", axis=[0, 1, 0], radius=R)
    text += solver(**HOW[how], end=0.8, coordinates=coordinates) + FRAMES
    result = run(text)
    a = G / (1 + I / (M * R**2))
    np.testing.assert_allclose(result["drum"].position[:, 2], -0.5 * a * result.time**2, atol=NEAR[how])
    np.testing.assert_allclose(result["drum"].position[:, 0], 0.0, atol=NEAR[how])
    np.testing.assert_allclose(
        np.abs(result["drum"].angular_velocity[:, 1]), a / R * result.time, atol=20 * NEAR[how]
    )


@pytest.mark.parametrize("coordinates", ["maximal", "joint"])
def test_a_load_is_set_down_on_a_floor(coordinates):
    """The drum pays out r ω t; the load rests 0.7 m lower, and the rest of the rope hangs slack."""
    text = world(gravity=[0, 0, -G], shape=[{"type": "plane"}], collide=True)
    text += body("drum", mass=5, inertia=[I, I, I], position=[0, 0, 3])
    ball = [{"type": "sphere", "radius": 0.3}]
    text += body("load", mass=M, inertia=[0.1, 0.1, 0.1], position=[R, 0, 1], shape=ball, collide=True)
    text += joint("axle", "revolute", "ground", "drum", at=[0, 0, 3], axis=[0, 1, 0])
    text += motion("axle", angle_velocity=5)
    text += joint("line", "winch", "load", "drum", axis=[0, 1, 0], radius=R, turns=9, direction="negative")
    result = run(text + solver(**HOW["contact"], end=1.0, coordinates=coordinates) + FRAMES)
    np.testing.assert_allclose(result["load"].position[-1], [R, 0, 0.3], atol=1e-8)
    assert result.output("line.slack")[-1] == pytest.approx(R * 5 * 1.0 - 0.7, abs=1e-6)
    assert np.abs(result.energy.balance).max() < 1e-9


@each
def test_planar_bodies_have_winches(how, coordinates):
    """A load falls against the inertia of the drum in the plane."""
    text = world(gravity=[0, -G, 0]) + body("drum", type="planar", mass=5, inertia=I)
    text += body("load", type="planar", mass=M, inertia=1, position=[R, -2])
    text += joint("axle", "pin", "ground", "drum", at=[0, 0])
    text += joint("line", "winch", "load", "drum", radius=R, turns=5)
    result = run(text + solver(**HOW[how], end=0.5, coordinates=coordinates) + FRAMES)
    fall = 0.5 * G * M * R**2 / (M * R**2 + I) * result.time**2
    np.testing.assert_allclose(result["load"].position[:, 1], -2.0 - fall, atol=NEAR[how])


@pytest.mark.parametrize("coordinates", ["maximal", "joint"])
def test_a_load_that_swings_out_of_the_plane_keeps_energy_and_momentum(coordinates):
    """Drum and load float, the rope leaves the drum askew: forces are those of a potential."""
    text = world(gravity=[0, 0, 0]) + body(
        "drum", mass=5, inertia=[I, 0.3, 0.5], angular_velocity=[0.2, -3, 0.1]
    )
    text += body("load", mass=M, inertia=[1, 1, 1], position=[R, 0.5, -2], velocity=[1.0, 0.7, -0.3])
    text += joint("line", "winch", "load", "drum", axis=[0, 1, 0], radius=R, turns=3, direction="negative")
    text += solver(tolerance=1e-11, end=2.0, coordinates=coordinates) + FRAMES
    result = run(text)
    kinetic = result.energy.kinetic + result.energy.dissipated
    np.testing.assert_allclose(kinetic, kinetic[0], rtol=1e-9)
    p = 5 * result["drum"].velocity + M * result["load"].velocity
    np.testing.assert_allclose(p, np.tile(p[0], (len(p), 1)), atol=1e-9)
    L = sum(
        m * np.cross(result[name].position, result[name].velocity) for name, m in (("drum", 5.0), ("load", M))
    )
    for name, J in (("drum", np.diag([I, 0.3, 0.5])), ("load", np.eye(3))):
        A = np.array([rotation(q) for q in result[name].orientation])
        w = result[name].angular_velocity
        L = L + np.einsum("nij,jk,nlk,nl->ni", A, J, A, w)
    np.testing.assert_allclose(L, np.tile(L[0], (len(L), 1)), atol=1e-8)
    assert np.ptp(result["load"].position[:, 1]) > 0.2


def test_what_winds_nothing_up_is_refused():
    with refused("joint[1].radius", 2.5):
        run(hoist("rk", "maximal", radius=2.5))
    with refused("joint[1].length", 3.0):
        run(hoist("rk", "maximal", length=3.0))
