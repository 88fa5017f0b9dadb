"""`impact = "sequential"`: only bodies that approach strike each other, those that touch in turn."""

from __future__ import annotations

from math import pi, sqrt

import numpy as np
import pytest
from blocks import G, Watch, ball, block, floor, stack
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.report import closing
from refusals import refused
from scene_text import body, joint, solver, table, world

from mbplugin.tables.groups import State

R = 0.1


def scene(text: str, step: float = 1e-3, impact: str = "sequential") -> str:
    return text + solver(type="contact", step=step, end=1.0, impact=impact)


def row(n: int, lifted: int, e: float, gap: float, **keys: str) -> str:
    """Balls along x, `gap` apart, at which the first `lifted` fly at 1 m/s from 0.1 m away."""
    text = world(gravity=[0, 0, 0]) + table("material", name="stone", restitution=e)
    for k in range(n):
        flies = float(k < lifted)
        at = [(2 * R + gap) * k - 0.1 * flies, 0, 0]
        text += ball(f"ball_{k}", R, 1.0, at, velocity=[flies, 0, 0])
    return scene(text, **keys)


@pytest.mark.parametrize("gap", [0.0, 1e-5, 1e-3])
@pytest.mark.parametrize("e", [pytest.param(0.5, marks=pytest.mark.slow), 0.8, 1.0])
@pytest.mark.parametrize(
    ("n", "lifted"),
    [(5, 1), (5, 2), (8, 3), *(pytest.param(n, k, marks=pytest.mark.slow) for n, k in ((3, 1), (5, 3)))],
)
def test_as_many_balls_leave_as_arrive_whatever_the_air_between(runs, n, lifted, e, gap):
    """Each impact is one of two balls: at e = 1 they exchange their velocities; else the last ball leaves
    with ((1 + e)/2)^(n − 1) of that of the first. Momentum stays, and energy never grows.
    """
    watch = Watch(runs, row(n, lifted, e, gap))
    energies = []
    for _ in watch.steps(180):
        energies.append(0.5 * (watch.v[:, 0] ** 2).sum())
        assert watch.v[:, 0].sum() == pytest.approx(lifted, abs=1e-12)
    speeds = watch.v[:, 0]
    assert np.diff(energies).max() < 1e-13
    if e == 1.0:
        assert speeds == pytest.approx([0.0] * (n - lifted) + [1.0] * lifted, abs=1e-12)
    elif lifted == 1:
        assert speeds[-1] == pytest.approx((0.5 * (1 + e)) ** (n - 1), abs=1e-12)
    assert np.diff(speeds).min() > -2.0 * G * watch.step
    assert watch.record.missed == 0


@pytest.mark.parametrize("gap", [0.0, 1e-5])
@pytest.mark.parametrize("lifted", [1, 2])
def test_pendulums_exchange_their_velocities(runs, lifted, gap):
    """Five balls on hinges, of which the first arrive at the lowest point: m l² of each is the same, so that
    the last ones leave with their rate, and the energy stays.
    """
    text = world(gravity=[0, 0, -G]) + table("material", name="stone", restitution=1.0)
    for k in range(5):
        x, rate = (2 * R + gap) * k, -2.0 if k < lifted else 0.0
        text += ball(f"bob_{k}", R, 1.0, [x, 0, -1], velocity=[-rate, 0, 0], angular_velocity=[0, rate, 0])
        text += joint(f"hinge_{k}", "revolute", "ground", f"bob_{k}", at=[x, 0, 0], axis=[0, 1, 0])
    errors, gains = [], []
    for step in (1e-3, 5e-4):
        watch = Watch(runs, scene(text, step)).to(2e-3)
        energy = 0.5 * (1.0 + 0.4 * R * R) * (watch.v[:, 4] ** 2).sum() + G * (watch.q[:, 2] + 1).sum()
        gains.append(energy / (0.5 * (1.0 + 0.4 * R * R) * 4.0 * lifted) - 1.0)
        expected = np.where(np.arange(5) < 5 - lifted, 0.0, -2.0)
        errors.append(np.abs(watch.v[:, 4] - expected).max())
    assert max(errors) < 0.02 and abs(gains[0]) < 8e-6 and abs(gains[1]) < 0.5 * abs(gains[0])


@pytest.mark.parametrize(("ratio", "impacts"), [(1.0, 3), (1e2, 31), (1e4, 314)])
def test_a_heavy_ball_strikes_a_light_one_on_a_wall_as_often_as_pi_has_digits(runs, ratio, impacts):
    """G. Galperin, Playing pool with π, Regul. Chaotic Dyn. 8 (2003) 375-394: π √(M/m) impacts, all within a
    step, since the light ball touches the wall. The energy stays.
    """
    wall = [{"type": "box", "size": [0.2, 2, 2], "position": [0.2, 0, 0]}]
    text = world(gravity=[0, 0, 0], collide=True, material="stone", shape=wall)
    text += table("material", name="stone", restitution=1.0) + ball("light", R, 1.0, [0, 0, 0])
    text += ball("heavy", R, ratio, [-2 * R - 5e-4, 0, 0], velocity=[1.0, 0, 0])
    watch = Watch(runs, scene(text, 1e-5)).to(1e-3)
    assert watch.problem[Contacts].impacts[0] == impacts == int(pi * sqrt(ratio))
    assert (watch.v[:, 0] ** 2 @ [1.0, ratio]) == pytest.approx(ratio, rel=1e-13)


def test_impacts_that_do_not_end_are_told(runs):
    """3,141 impacts in a step are more than a step takes in turn."""
    wall = [{"type": "box", "size": [0.2, 2, 2], "position": [0.2, 0, 0]}]
    text = world(gravity=[0, 0, 0], collide=True, material="stone", shape=wall)
    text += table("material", name="stone", restitution=1.0) + ball("light", R, 1.0, [0, 0, 0])
    text += ball("heavy", R, 1e6, [-2 * R - 5e-6, 0, 0], velocity=[1.0, 0, 0])
    watch = Watch(runs, scene(text, 1e-5)).to(5e-5)
    (level, said), *_ = closing(watch.problem, 5)[1:]
    assert level == "warning"
    assert 'went on after 1000 in turn (first at t = 0 s, between "light" and "' in said
    energy = watch.v[:, 0] ** 2 @ [1.0, 1e6]
    assert energy < 1e6


def test_a_ball_stops_where_it_has_struck_one_that_rests_on_a_floor_of_clay(runs):
    """e = 1 between the balls, 0 on the floor: the upper ball gives all its velocity to the lower one, which
    the floor stops. Struck at once, the floor would hold the lower ball, and the upper one would come back.
    """
    text = floor(restitution=0.0) + table("material", name="steel", restitution=1.0)
    text += ball("lower", R, 1.0, [0, 0, R], material="steel")
    text += ball("upper", R, 1.0, [0, 0, 3 * R + 1e-3], velocity=[0, 0, -1.0], material="steel")
    ends = {}
    for impact in ("newton", "sequential"):
        watch = Watch(runs, scene(text, impact=impact)).to(3e-3)
        ends[impact] = watch.v[1, 2]
    assert ends["newton"] == pytest.approx(1.0, abs=4 * G * 1e-3)
    assert ends["sequential"] == pytest.approx(0.0, abs=4 * G * 1e-3)


def test_impacts_end_where_a_foot_has_closed_its_gap_and_the_other_one_presses(runs):
    """With k² just below a² the blow on one foot presses the other one down. The foot that has landed closes
    its gap, to rounding: it is not struck again and again while the other one waits.
    """
    a, rate = 0.5, 1.0
    feet = [{"type": "sphere", "radius": R, "position": [side * a, 0.01, 0]} for side in (-1, 1)]
    for height in np.linspace(0.6e-3, 1.2e-3, 12):
        angle = np.arcsin(height / (2 * a))
        at, tilted = [0.13, 0.21, R + 0.5 * height], {"axis": [0, 1, 0], "angle": -angle}
        moving = {"velocity": [0.1, 0.2, -a * rate], "angular_velocity": [0, rate, 0.3]}
        keys = {"shape": feet, "collide": True, "material": "stone", "orientation": tilted, **moving}
        text = floor(friction=0.5) + body("b", mass=1.0, inertia=[0.98 * a * a] * 3, position=at, **keys)
        watch = Watch(runs, scene(text))
        phases = [int(watch.record.phases) for _ in watch.steps(3)]
        assert 2 <= max(phases) <= 4 and watch.problem[Contacts].totals[0].unended == 0, height


def test_a_stack_at_rest_has_the_bits_of_impacts_at_once(runs):
    text = stack(3, 10.0)
    resting = Watch(runs, text).to(0.2)
    in_turn = Watch(runs, text.replace('type = "contact"', 'type = "contact"\nimpact = "sequential"')).to(0.2)
    assert np.array_equal(resting.problem[State].q, in_turn.problem[State].q)
    assert np.array_equal(resting.problem[State].v, in_turn.problem[State].v)


def on_stack(sign: float = 1.0, e: float = 1.0, friction: float = 0.5) -> str:
    """A ball that falls on three cubes at 2 m/s, beside their axis."""
    text = floor(friction=friction, restitution=e)
    for k in range(3):
        text += block(f"cube_{k}", (0.1, 0.1, 0.1), 1.0, [0, 0, 0.05 + 0.1 * k])
    return text + ball("ball", 0.05, 1.0, [0.01 * sign, 0, 0.37], velocity=[0.3 * sign, 0, -2.0])


def energies(watch: Watch, steps: int) -> np.ndarray:
    inertia, found = np.array([[0.01 / 6]] * 3 + [[0.4 * 0.05**2]]), []
    for _ in watch.steps(steps):
        kinetic = 0.5 * (watch.v[:, :3] ** 2).sum() + 0.5 * (inertia * watch.v[:, 3:] ** 2).sum()
        found.append(kinetic + G * watch.q[:, 2].sum())
    return np.array(found)


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("friction", [0.0, 0.5])
def test_a_ball_on_a_stack_gains_no_energy(runs, e, friction):
    """Cubes that rock change it by order 2, as they do where all is struck at once: 5e-6 J of 2 J."""
    watch = Watch(runs, scene(on_stack(e=e, friction=friction)))
    found = energies(watch, 300)
    assert np.diff(found).max() < 1e-5
    assert found[0] - found[-1] > -1e-5
    # it does not sink
    assert watch.q[:3, 2].min() > 0.05 - 1e-6


def test_the_mirror_image_of_an_impact_moves_as_its_image(runs):
    watches = [Watch(runs, scene(on_stack(sign))).to(0.05) for sign in (1.0, -1.0)]
    mirror = np.array([-1.0, 1, 1, 1, -1, -1])
    assert watches[0].record.missed == 0
    assert watches[1].v == pytest.approx(watches[0].v * mirror, abs=1e-7)


def test_half_the_step_halves_the_error_of_an_impact(runs):
    """Where bodies are struck within the step is of first order; with a tenth of the step as the truth."""
    text = on_stack()
    ends = [Watch(runs, scene(text, step)).to(0.024).q[:, :3] for step in (2e-3, 1e-3, 5e-4, 5e-5)]
    errors = [np.abs(one - ends[-1]).max() for one in ends[:-1]]
    assert errors[2] < 0.7 * errors[0] and errors[2] < 2e-3


def hinged_bar(e: float, at: float = 0.5) -> str:
    """A bar along x on a hinge at the origin, at rest on its limit at 0, which a ball strikes `at` from the
    hinge with e = 1, against the limit of restitution e.
    """
    text = world(gravity=[0, 0, 0]) + table("material", name="stone", restitution=1.0)
    shape = [{"type": "box", "size": [1.0, 0.1, 0.1]}]
    inertia = [0.01, 1 / 12, 1 / 12]
    text += body(
        "bar", mass=1.0, inertia=inertia, position=[0.5, 0, 0], collide=True, material="stone", shape=shape
    )
    keys = {"limits": [0.0, 1.0], "restitution": e}
    text += joint("hinge", "revolute", "ground", "bar", at=[0, 0, 0], axis=[0, -1, 0], **keys)
    return text + ball("ball", R, 0.5, [at, 0, 0.05 + R], velocity=[0, 0, -1.0])


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_a_limit_is_struck_after_the_ball_that_drives_its_body_there(runs, e):
    """J = 1/3, m a² of the ball: ω and v after each impact in turn, until nothing approaches."""
    a, m, J = 0.5, 0.5, 1 / 3
    rate, speed = 0.0, -1.0
    for _ in range(20):
        u = speed - a * rate  # the ball relative to the bar
        if u < -1e-6:
            P = -2.0 * u / (1.0 / m + a * a / J)
            speed, rate = speed + P / m, rate - a * P / J
        elif rate < -1e-6:
            rate *= -e
        else:
            break
    watch = Watch(runs, scene(hinged_bar(e))).to(2e-3)
    assert watch.v[1, 2] == pytest.approx(speed, abs=2e-4)
    assert -watch.v[0, 4] == pytest.approx(rate, abs=2e-3)


@pytest.mark.parametrize("impact", ["newton", "sequential"])
@pytest.mark.parametrize("along", ["across", "down"])
def test_a_taut_rope_waits_for_the_blow_that_jerks_it(runs, impact, along):
    """A ball hangs on a rope and is struck with e = 1 by an equal one. Across the rope it leaves with its
    velocity, and the rope carries it on. From above, in turn: it takes the velocity, the rope, which does not
    rebound, takes that; at once: the rope holds it, and the other ball comes back.
    """
    text = world(gravity=[0, 0, -G], marker=[{"name": "hook", "position": [0, 0, 2]}])
    text += table("material", name="stone", restitution=1.0) + ball("hung", R, 1.0, [0, 0, 0])
    text += joint("line", "rope", "ground.hook", "hung", length=2.0)
    speed, gap = 1.5, 5e-4
    at, velocity = ([-2 * R - gap, 0, 0], [speed, 0, 0])
    if along == "down":
        at, velocity = [0, 0, 2 * R + gap], [0, 0, -speed]
    text += ball("other", R, 1.0, at, velocity=velocity)
    watch = Watch(runs, scene(text, impact=impact)).to(2e-3)
    near = 3 * G * 1e-3
    if along == "across":
        assert watch.v[0, :3] == pytest.approx([speed, 0, 0], abs=1e-2)
        assert watch.v[1, 0] == pytest.approx(0.0, abs=1e-2)
    else:
        back = speed if impact == "newton" else 0.0
        assert watch.v[0, 2] == pytest.approx(0.0, abs=1e-9)
        assert watch.v[1, 2] == pytest.approx(back, abs=near)
    watch.to(0.1)
    assert np.linalg.norm(watch.q[0, :3] - [0, 0, 2]) == pytest.approx(2.0, abs=1e-6)
    assert watch.record.missed == 0


def test_impacts_of_a_mechanism_elsewhere_change_nothing(runs):
    """A ball rests on the floor and a cube slides on it, 5 m from the balls that strike each other."""
    alone = floor(friction=0.3, restitution=0.8) + block(
        "cube", (0.1, 0.1, 0.1), 1.0, [0, 0, 0.05], velocity=[1.0, 0, 0]
    )
    others = "".join(
        ball(f"ball_{k}", R, 1.0, [5 + 0.2 * k, 0, R], velocity=[float(k == 0), 0, 0]) for k in range(3)
    )
    with_others = Watch(runs, scene(alone + others)).to(0.05)
    watch = Watch(runs, scene(alone)).to(0.05)
    assert with_others.v[0] == pytest.approx(watch.v[0], abs=1e-10)
    assert with_others.q[0] == pytest.approx(watch.q[0], abs=1e-11)


def test_another_law_of_impact_is_refused_by_name(runs):
    with refused("solver.impact", "poisson") as mend:
        runs.prepare(row(3, 1, 1.0, 0.0, impact="poisson"))
    assert '"newton"' in str(mend.value) and '"sequential"' in str(mend.value)


def test_a_solver_without_impacts_names_the_key(runs):
    text = world() + body("b", mass=1.0, inertia=[1, 1, 1]) + solver(type="rk", end=1.0, impact="sequential")
    with refused("solver.impact", "sequential"):
        runs.prepare(text)
