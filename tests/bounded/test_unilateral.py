"""Gaps of joints of the type "unilateral" against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import has, refused
from scene_text import body, joint, motion, solver, table, world
from scipy.optimize import brentq
from test_closed_forms import HOW, G, bounces

import mbplugin as mb
from mbplugin.errors import PhysicsError

#: of each solver: the error that its steps leave beside a closed form
ERROR = {"rk": 1e-9, "galpha": 2e-5, "contact": 5e-3}


def unilateral(name: str, gap: str, **keys) -> str:
    return table("joint", name=name, type="unilateral", gap=gap, **keys)


def run(text: str, end: float, how: str = "rk", frames: int = 100) -> mb.Result:
    output = f"[output]\nframes = {frames}\n"
    return mb.System.from_text(text + solver(**HOW[how][0], end=end) + output).run(files=False)


def slider(name: str, axis=(0, 0, 1), mass: float = 1.0, **keys) -> str:
    text = body(name, mass=mass, inertia=[1, 1, 1])
    return text + joint(f"{name}_rail", "translational", "ground", name, axis=axis, **keys)


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_a_ball_bounces_on_a_gap_by_its_parabolas_and_rests_after_zenos_time(e, how):
    """h e^{2n} at the tops. With e < 1 infinitely many impacts end at t = t₁ (1 + 2 e / (1 − e))."""
    text = world() + body("ball", mass=3, inertia=[1, 1, 1], position=[0, 0, 1])
    text += unilateral("floor", "component_z(ground, ball)", restitution=e)
    result = run(text, 2.5, how)
    z, (_, error) = result["ball"].position[:, 2], HOW[how]
    np.testing.assert_allclose(z, [bounces(t, e) for t in result.time], atol=error)
    assert z.min() > -1e-12 and np.abs(result.raw["energy/balance"]).max() < 3 * G * error
    if e < 1:
        fall = np.sqrt(2 / G)
        ends = fall * (1 + 2 * e / (1 - e))
        closed = next(event.time for event in result.events if event.after == "closed")
        assert closed == pytest.approx(ends, abs=1e-6 if how != "contact" else 0.02)
        assert result.status("floor.gap")[-1] == "closed"
        loads = dict(zip(result.raw.names("loads"), result.raw["loads/wrench"][-1, :, 2]))
        assert loads["floor on ball"] == pytest.approx(3 * G, rel=1e-9)


#: a cam of radius R with the stroke S turns with W; a spring of stiffness K with the preload P and gravity
#: press the follower on it
R, S, W, K, P = 0.2, 0.05, 20.0, 30.0, 1.5


def follower(t: float, e: float) -> tuple[float, float, float]:
    """Its height at t, the time of the jump, and that of the landing; until the landing."""
    w0, g = np.sqrt(K), G + P
    # S W² sin θ = g + K S sin θ
    jump = np.arcsin(g / (S * (W * W - K))) / W
    z0, v0 = S * np.sin(W * jump), S * W * np.cos(W * jump)
    rest = -g / K
    flight = lambda u: rest + (z0 - rest) * np.cos(w0 * u) + v0 / w0 * np.sin(w0 * u)
    gap = lambda u: flight(u) - S * np.sin(W * (jump + u))
    lands = jump + brentq(gap, 0.5 * np.pi / W, 1.6 * np.pi / W, xtol=1e-14)
    return (S * np.sin(W * t) if t < jump else flight(t - jump)), jump, lands


@pytest.mark.parametrize("how", HOW)
def test_a_follower_jumps_off_its_cam_at_the_closed_form_angle_and_lands_again(how):
    text = (
        world()
        + body("wheel", mass=1, inertia=[1, 1, 1])
        + joint("cam", "revolute", "ground", "wheel", axis=[0, 0, 1])
    )
    text += motion("cam", angle=f"{W}*time")
    text += slider("rod", start={"length": R, "speed": S * W}, stiffness=K, rest=R - P / K)
    text += unilateral("profile", f"rod_rail.length - {R} - {S}*sin(cam.angle)")
    _, jump, lands = follower(0.0, 0.0)
    result = run(text, lands - 1e-3, how)
    exact = [R + follower(t, 0.0)[0] for t in result.time]
    np.testing.assert_allclose(result.coordinate("rod_rail.length").value, exact, atol=ERROR[how])
    opened = [event.time for event in result.events if event.after == "open"]
    np.testing.assert_allclose(opened, [jump], atol=1e-9 if how == "rk" else 2e-3)
    assert result.raw["energy/balance"] == pytest.approx(0.0, abs=10 * ERROR[how])
    again = run(text, lands + 0.01, how)
    struck = next(event.time for event in again.events if event.impulse > 0)
    assert struck == pytest.approx(lands, abs=1e-9 if how == "rk" else 2e-3)


A, OMEGA = 0.1, 14.0


def tossed(t: float, e: float) -> float:
    """Height of a ball on a floor at A sin Ω t, from the lift-off at A Ω² sin Ω t = g on."""
    floor, speed = lambda t: A * np.sin(OMEGA * t), lambda t: A * OMEGA * np.cos(OMEGA * t)
    t0 = np.arcsin(G / (A * OMEGA**2)) / OMEGA
    if t < t0:
        return floor(t)
    z0, v0 = floor(t0), speed(t0)
    while True:
        gap = lambda u, t0=t0, z0=z0, v0=v0: z0 + v0 * (u - t0) - 0.5 * G * (u - t0) ** 2 - floor(u)
        times = t0 + np.linspace(1e-3, 1.5, 3000)
        below = np.flatnonzero(gap(times) < 0)[0]
        hit = brentq(gap, times[below - 1], times[below], xtol=1e-15)
        if t < hit:
            return gap(t) + floor(t)
        v = v0 - G * (hit - t0)
        t0, z0, v0 = hit, floor(hit), speed(hit) - e * (v - speed(hit))


@pytest.mark.parametrize("how", HOW)
def test_a_floor_that_moves_tosses_a_ball_where_it_falls_away_faster_than_g(how):
    """The floor does work, which is in the balance, and an impact is relative to it."""
    text = world() + body("ball", mass=2, inertia=[1, 1, 1], velocity=[0, 0, A * OMEGA])
    text += unilateral("floor", f"component_z(ground, ball) - {A}*sin({OMEGA}*time)", restitution=0.5)
    result = run(text, 1.2, how)
    # contact is late by a step at each impact, at a speed of some m/s
    error = {"rk": 1e-9, "galpha": 1e-7, "contact": 2e-2}[how]
    exact = np.array([tossed(t, 0.5) for t in result.time])
    np.testing.assert_allclose(result["ball"].position[:, 2], exact, atol=error)
    assert len([event for event in result.events if event.impulse > 0]) >= 2
    assert np.abs(result.raw["energy/work"]).max() > 1.0
    assert np.abs(result.raw["energy/balance"]).max() < {"rk": 1e-9, "galpha": 1e-3, "contact": 2e-3}[how]


@pytest.mark.parametrize("how", HOW)
def test_a_floor_that_starts_suddenly_pushes_and_one_that_falls_away_does_not_pull(how):
    """Its speed jumps by 1 m/s upwards, which throws the ball off with (1 + e), or downwards."""
    rests = world() + body("ball", mass=2, inertia=[1, 1, 1])
    gap = "component_z(ground, ball) - if(time - 0.1, {}*(time - 0.1), 0)"
    up = run(rests + unilateral("floor", gap.format("1"), restitution=0.5), 0.2, how)
    late = np.clip(up.time - 0.1, 0, None)
    # contact takes the step after the jump for the blow
    error = 1e-9 if how != "contact" else 3e-3
    np.testing.assert_allclose(up["ball"].position[:, 2], 1.5 * late - 0.5 * G * late**2, atol=error)
    down = run(rests + unilateral("floor", gap.format("-2")), 0.2, how)
    np.testing.assert_allclose(down["ball"].position[:, 2], -0.5 * G * late**2, atol=error)
    for result in (up, down):
        assert np.abs(result.raw["energy/balance"]).max() < 2 * error


@pytest.mark.parametrize("how", HOW)
def test_a_gap_between_two_hinges_lets_one_push_the_other(how):
    """A wheel of J = 2 at 1 rad/s meets one of J = 1: momentum is kept, and e of the speed comes back."""
    text = world(gravity=[0, 0, 0])
    for name, inertia, speed in (("a", 2.0, 1.0), ("b", 1.0, 0.0)):
        text += body(name, mass=1, inertia=[1, 1, inertia], angular_velocity=[0, 0, speed])
        text += joint(f"of_{name}", "revolute", "ground", name, axis=[0, 0, 1])
    text += unilateral("dog", "of_b.angle + 0.5 - of_a.angle", restitution=0.4)
    result = run(text, 1.0, how)
    assert result.bounds == {"dog.gap": "N m"}
    late = result.time > 0.51
    for name, speed in (("a", 2 / 3 - 0.4 / 3), ("b", 2 / 3 + 0.8 / 3)):
        np.testing.assert_allclose(result[name].angular_velocity[late, 2], speed, atol=1e-10)
    assert result.raw["energy/dissipated"][-1] == pytest.approx(0.5 * (2 / 3) * (1 - 0.16), abs=1e-9)


@pytest.mark.parametrize("how", HOW)
def test_two_equal_gaps_share_the_load_and_that_is_told(how):
    text = world() + body("ball", mass=3, inertia=[1, 1, 1])
    for name in ("left", "right"):
        text += unilateral(name, "component_z(ground, ball)")
    result = run(text, 0.1, how)
    loads = dict(zip(result.raw.names("loads"), result.raw["loads/wrench"][-1, :, 2]))
    assert loads["left on ball"] == pytest.approx(1.5 * G, rel=1e-6)
    assert loads["right on ball"] == pytest.approx(1.5 * G, rel=1e-6)
    assert has(str(result.messages), "not unique", "gap of left", "gap of right")


BALL = world() + body("ball", mass=3, inertia=[1, 1, 1], position=[0, 0, 1])
BALL += slider("rod", axis=(1, 0, 0)) + solver(tolerance=1e-9, end=0.1)
Z = "component_z(ground, ball)"


@pytest.mark.parametrize(
    ("keys", "key", "words"),
    [
        ({"gap": f"{Z} - rate({Z})"}, "gap", "a rate"),
        ({"gap": f"{Z} - 0.01*reaction(rod_rail.fx)"}, "gap", "reaction"),
        ({"gap": f"{Z} - 0.01*acceleration({Z})"}, "gap", "acceleration"),
        ({"gap": "time - 1"}, "gap", "reads no coordinate"),
        ({"gap": "rod_rail.angle"}, "gap", "rod_rail.length"),
        ({"gap": f"{Z} - 1.5"}, "gap", "negative"),
        ({"gap": Z, "restitution": 1.5}, "restitution", "1"),
        ({"gap": Z, "restitution": -0.5}, "restitution", "0"),
        ({"gap": Z, "a": "ground", "b": "ball"}, "a", "expressions"),
        ({"gap": Z, "start": {"length": 1}}, "start", "expressions"),
        ({"gap": Z, "enforce": "penalty"}, "enforce", "enforcement"),
        ({"gap": Z, "limits": [0, 1]}, "limits", "no coordinate"),
        ({}, "gap", ""),
    ],
)
def test_a_mistake_is_refused_by_its_key(keys, key, words):
    with refused(f"joint[1].{key}") as error:
        mb.System.from_text(BALL + table("joint", name="floor", type="unilateral", **keys)).run(files=False)
    assert words in str(error.value)


def test_a_gap_that_jumps_ends_the_run_by_its_name():
    text = BALL + unilateral("floor", f"{Z} - if(time - 0.05, 2, 0)")
    with pytest.raises(PhysicsError, match='the gap of "floor" jumps'):
        mb.System.from_text(text).run(files=False)


def test_a_gap_carries_a_weight_in_equilibrium(registry):
    from mbplugin.run.analyze import analyze

    report = analyze(mb.System.from_text(BALL + unilateral("floor", Z)), "static", registry).report
    assert report.position[0] == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)  # it has fallen by 1 m
    assert report.reactions[1][2] == pytest.approx(3 * 9.81, rel=1e-12)
    assert report.bounds[0][:3] == ("floor.gap", "closed", pytest.approx(3 * 9.81, rel=1e-12))
