"""Ropes over drums with friction against Euler's and Eytelwein's e^{μθ}, and other closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from scene_text import body, joint, solver, table, world
from test_closed_forms import HOW, G

import mbplugin as mb

R, MU = 0.2, 0.3
E = np.exp(MU * np.pi)


def run(text: str, how: str, end: float, frames: int = 50) -> mb.Result:
    text += solver(**HOW[how][0], end=end) + f"[output]\nframes = {frames}\n"
    return mb.System.from_text(text).run(files=False)


def weight(name: str, mass: float, position, **keys) -> str:
    return body(name, type="point", mass=mass, position=list(position), **keys)


def belt(*markers: str, **keys) -> str:
    """About y of the world, which is z of the drum."""
    given = {"radius": R, "friction": MU, "axis": [0, 1, 0]} | keys
    return table("joint", name="belt", type="capstan", markers=list(markers), **given)


def drum(speed: float, inertia: float) -> str:
    text = body("drum", mass=3, inertia=[1, inertia, 1], angular_velocity=[0, speed, 0])
    return text + joint("axle", "revolute", "ground", "drum", axis=[0, 1, 0])


def pulls(result: mb.Result, *names: str) -> list[np.ndarray]:
    """(frames,) size of the force of the belt on each of these bodies [N]."""
    loads = dict(zip(result.raw.names("loads"), np.moveaxis(result.raw["loads/wrench"], 1, 0)))
    return [np.linalg.norm(loads[f"belt on {name}"][:, :3], axis=1) for name in names]


@pytest.mark.parametrize("how", HOW)
def test_a_rope_over_a_fixed_drum_slips_with_e_to_the_mu_theta(how):
    """Half a turn between two weights: a = g (M − m E)/(M + m E), T₂ / T₁ = E."""
    light, heavy = 1.0, 4.0
    text = weight("light", light, [-R, 0, -1]) + weight("heavy", heavy, [R, 0, -1])
    result = run(text + belt("light", "heavy", "ground"), how, 0.4)
    a = G * (heavy - light * E) / (heavy + light * E)
    error = 1e-9 if how == "rk" else 1e-6
    np.testing.assert_allclose(result["heavy"].position[:, 2], -1 - a * result.time**2 / 2, atol=error)
    np.testing.assert_allclose(result["light"].position[:, 2], -1 + a * result.time**2 / 2, atol=error)
    t1, t2 = pulls(result, "light", "heavy")
    np.testing.assert_allclose(t2[1:] / t1[1:], E, rtol=1e-9 if how != "contact" else 1e-6)
    np.testing.assert_allclose(result.output("belt.wrap"), np.pi, rtol=1e-9)
    assert set(result.status("belt.friction")[1:]) == {"slips forwards"}
    lost = result.raw["states/value"][-1, result.raw.names("states").index("belt.friction.energy")]
    assert lost == pytest.approx(
        (heavy - light) * G * a * 0.08 - (heavy + light) * (a * 0.4) ** 2 / 2, rel=1e-6
    )
    assert np.abs(result.raw["energy/balance"]).max() < (1e-9 if how == "rk" else 1e-4)


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("part", [0.999, 1.001])
def test_it_sticks_up_to_e_to_the_static_mu_theta(how, part):
    """What breaks away slips with the kinetic coefficient at once."""
    light, static = 1.0, 0.4
    heavy = light * np.exp(static * np.pi) * part
    text = weight("light", light, [-R, 0, -1]) + weight("heavy", heavy, [R, 0, -1])
    result = run(text + belt("light", "heavy", "ground", friction_static=static), how, 0.2)
    moved = -1 - result["heavy"].position[-1, 2]
    a = G * (heavy - light * E) / (heavy + light * E)
    assert moved == pytest.approx(0.0 if part < 1 else a * 0.02, abs=1e-11 if how == "rk" else 1e-5)
    assert result.status("belt.friction")[-1] == ("sticks" if part < 1 else "slips forwards")
    t1, t2 = pulls(result, "light", "heavy")
    assert t2[-1] / t1[-1] == pytest.approx(heavy / light if part < 1 else E, rel=1e-9)


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("way", [1, -1])
def test_a_band_brake_stops_its_drum_by_a_constant_torque(how, way):
    """Its band hangs on the ground and carries a weight m: the drum is braked by m g R |E^±1 − 1| until it
    stands still. A positive rotation about y moves its surface from the hook to the load, and lets the band
    pull at the hook with m g E.
    """
    m, inertia, speed = 2.0, 0.5, 3.0
    text = world(marker=[{"name": "hook", "position": [-R, 0, -1]}]) + weight("load", m, [R, 0, -1])
    result = run(text + drum(way * speed, inertia) + belt("ground.hook", "load", "drum"), how, 2.0)
    torque = {1: m * G * R * (E - 1), -1: m * G * R * (1 - 1 / E)}[way]
    stops = inertia * speed / torque
    exact = way * np.clip(speed - torque / inertia * result.time, 0, None)
    away = np.abs(result.time - stops) > 2e-3
    error = 1e-9 if how == "rk" else 1e-5
    np.testing.assert_allclose(result["drum"].angular_velocity[away, 1], exact[away], atol=error)
    np.testing.assert_allclose(result["load"].position[:, 2], -1, atol=1e-9)
    assert result.raw["energy/dissipated"][-1] == pytest.approx(0.5 * inertia * speed**2, rel=error)
    assert result.status("belt.friction")[-1] == "sticks"


@pytest.mark.parametrize("how", HOW)
def test_a_drum_that_turns_with_its_rope_is_a_heavier_pulley(how):
    """Below E it sticks: A = g (M − m)/(M + m + J/R²)."""
    light, heavy, inertia = 1.0, 1.8, 0.06
    text = weight("light", light, [-R, 0, -1]) + weight("heavy", heavy, [R, 0, -1]) + drum(0.0, inertia)
    result = run(text + belt("light", "heavy", "drum"), how, 0.4)
    a = G * (heavy - light) / (heavy + light + inertia / R**2)
    error = 1e-10 if how == "rk" else 1e-6
    np.testing.assert_allclose(result["heavy"].position[:, 2], -1 - a * result.time**2 / 2, atol=error)
    np.testing.assert_allclose(result["drum"].angular_velocity[:, 1], a * result.time / R, atol=10 * error)
    t1, t2 = pulls(result, "light", "heavy")
    np.testing.assert_allclose(t1[1:], light * (G + a), rtol=1e-9 if how != "contact" else 1e-6)
    np.testing.assert_allclose(t2[1:], heavy * (G - a), rtol=1e-9 if how != "contact" else 1e-6)


@pytest.mark.parametrize("how", HOW)
def test_turns_and_a_helix_count(how):
    """One turn more, ends that are 0.3 m apart along the axis: exp(μ θ ℓ/s)."""
    light, heavy = 1.0, 60.0
    text = ""
    for name, mass, x, y in (("light", light, -R, 0.0), ("heavy", heavy, R, 0.3)):
        text += weight(name, mass, [x, y, -1])
        text += joint(f"rail_{name}", "point_on_line", "ground", name, at=[x, y, -1], axis=[0, 0, 1])
    result = run(text + belt("light", "heavy", "ground", turns=1), how, 0.1)
    flat = 2.0 + R * 3 * np.pi
    c = flat / np.hypot(flat, 0.3)
    np.testing.assert_allclose(result.output("belt.wrap"), 3 * np.pi, rtol=1e-9)
    t1, t2 = pulls(result, "light", "heavy")
    np.testing.assert_allclose(
        t2[1:] / t1[1:], np.exp(MU * 3 * np.pi * c), rtol=1e-9 if how != "contact" else 1e-5
    )
    # T c is what pulls along the rails
    growth = np.exp(MU * 3 * np.pi * c)
    a = G * (heavy - light * growth) / (heavy + light * growth)
    np.testing.assert_allclose(result["heavy"].position[:, 2], -1 - a * result.time**2 / 2, atol=1e-6)


@pytest.mark.parametrize("how", HOW)
def test_three_turns_round_a_bollard_hold_seven_hundred_times_the_load(how):
    """The friction follows its pressure with a slope of tanh(μ θ/2) = 0.997."""
    heavy, growth = 1500.0, np.exp(MU * 7 * np.pi)
    text = weight("light", 1.0, [-R, 0, -1]) + weight("heavy", heavy, [R, 0, -1])
    result = run(text + belt("light", "heavy", "ground", turns=3), how, 0.1, 10)
    t1, t2 = pulls(result, "light", "heavy")
    np.testing.assert_allclose(t2[1:] / t1[1:], growth, rtol=1e-9 if how != "contact" else 1e-6)
    a = G * (heavy - growth) / (heavy + growth)
    error = 1e-11 if how != "contact" else 1e-8
    assert -1 - result["heavy"].position[-1, 2] == pytest.approx(a * 0.005, abs=error)


@pytest.mark.parametrize("how", HOW)
def test_a_slack_rope_does_not_rub(how):
    """A weight is thrown up beside a drum that turns: it flies, and the drum turns on as before."""
    up, speed = 2.0, 3.0
    text = world(marker=[{"name": "hook", "position": [-R, 0, -1]}])
    text += weight("load", 2.0, [R, 0, -1], velocity=[0, 0, up]) + drum(speed, 0.5)
    result = run(text + belt("ground.hook", "load", "drum"), how, 0.4)
    t = result.time
    np.testing.assert_allclose(result["load"].position[:, 2], -1 + up * t - G * t**2 / 2, atol=1e-10)
    np.testing.assert_allclose(result["drum"].angular_velocity[:, 1], speed, atol=1e-12)
    assert set(result.status("belt.tension")[1:]) == {"slack"}
    assert set(result.status("belt.friction")[1:]) == {"free"}
    np.testing.assert_allclose(result.output("belt.slack")[1:], (up * t - G * t**2 / 2)[1:], atol=1e-10)


def test_a_rope_that_leaves_its_drum_is_straight_and_rubs_no_more():
    """A weight on a rope swings past the drum: energy is conserved while the rope is off it."""
    text = world(marker=[{"name": "hook", "position": [-0.5, 0, 1]}])
    text += weight("bob", 1.0, [0.6, 0, -0.6], velocity=[0, 0.5, 0])
    result = run(text + belt("ground.hook", "bob", "ground", radius=0.1), "rk", 2.0, 400)
    off = result.output("belt.wrap") == 0.0
    assert 20 < off.sum() < 380
    assert np.abs(result.raw["energy/balance"]).max() < 1e-7
    lost = np.diff(result.raw["energy/dissipated"])
    assert np.abs(lost[off[1:] & off[:-1]]).max() < 1e-12
    hook = np.array([-0.5, 0, 1])
    reach = np.linalg.norm(result["bob"].position[off] - hook, axis=1)
    taut = np.array([word == "taut" for word in result.status("belt.tension")])[off]
    assert np.ptp(reach[taut]) < 1e-8 and taut.sum() > 10


@pytest.mark.parametrize(
    ("keys", "key", "told"),
    [
        ({"radius": 0.0}, "joint[0].radius", "greater than 0"),
        ({"radius": -0.1}, "joint[0].radius", "greater than 0"),
        ({"radius": 1.5}, "joint[0].radius", "no tangent"),
        ({"friction": -0.1}, "joint[0].friction", "negative"),
        ({"friction_static": 0.2}, "joint[0].friction_static", "at least the kinetic friction"),
        ({"length": 1.0}, "joint[0].length", "it is shorter by"),
        ({"length": 0.0}, "joint[0].length", "greater than 0"),
        ({"turns": 0.5}, "joint[0].turns", "whole number"),
        ({"direction": "left"}, "joint[0].direction", "positive"),
        ({"restitution": 2.0}, "joint[0].restitution", "from 0 to 1"),
        ({"markers": ["light", "heavy"]}, "joint[0]", "3 markers"),
    ],
)
def test_a_mistake_is_refused_by_its_key(keys, key, told):
    text = weight("light", 1.0, [-R, 0, -1]) + weight("heavy", 2.0, [R, 0, -1])
    with refused(key) as error:
        run(text + belt(*keys.pop("markers", ["light", "heavy", "ground"]), **keys), "rk", 0.1)
    assert told in str(error.value)


@pytest.mark.parametrize("how", HOW)
def test_a_saved_state_goes_on_to_the_same_bits(how):
    text = world(marker=[{"name": "hook", "position": [-R, 0, -1]}])
    text += weight("load", 2.0, [R, 0, -1], velocity=[0, 0.3, 2]) + drum(9.0, 0.5)
    text += belt("ground.hook", "load", "drum", turns=1) + solver(**HOW[how][0], end=9.0)
    one, other = (mb.System.from_text(text).simulate() for _ in range(2))
    while one.time < 1.5:
        one.step(0.11)
        other.load(one.save())
        one.step(0.1)
        other.step(0.1)
        assert one["load"].position.tolist() == other["load"].position.tolist()
        assert one.state("belt.friction.energy") == other.state("belt.friction.energy")
