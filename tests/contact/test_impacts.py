"""Impacts with restitution and friction, and flight between them."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from blocks import Watch, ball, block, contact_solver, floor
from scene_text import body, world

G = 9.81
#: a ball dropped from 1 m with restitution 0.9: times of its first impacts, and when it comes to rest [s]
IMPACTS = (0.4515236409857309, 1.2642661947600464, 1.9957344931569305, 2.654055961714126, 3.2465452834156023)
REST = 8.578949178728887


def bouncing(runs, step, restitution=0.9, height=1.0, radius=0.1):
    text = floor(restitution=restitution) + ball("ball", radius, 1.0, [0, 0, radius + height])
    return Watch(runs, text + contact_solver(step))


def impact_times(runs, step, n):
    """Times at which the ball turns from falling to rising: ends of the steps of the impacts."""
    watch, found, last = bouncing(runs, step), [], 0.0
    for t in watch.steps(round(4.0 / step)):
        v = watch.v[0, 2]
        if v > 0.0 > last:
            found.append(t)
            if len(found) == n:
                break
        last = v
    return np.array(found)


def test_impact_times_of_a_bouncing_ball_are_of_first_order_in_the_step(runs):
    """The mean error of five impacts over several steps each; its exponent is between 0.8 and 1.2."""
    steps = np.array([8e-3, 4e-3, 2e-3, 1e-3])
    errors = []
    for step in steps:
        shifts = [abs(impact_times(runs, step * c, 5) - IMPACTS).mean() for c in (1.0, 0.93, 0.86, 0.79)]
        errors.append(np.mean(shifts))
    order = np.polyfit(np.log(steps), np.log(errors), 1)[0]
    assert 0.8 <= order <= 1.2
    assert errors[-1] <= 5e-3


@pytest.mark.parametrize("restitution", [0.5, 1.0])
def test_the_speed_after_an_impact_is_the_restitution_of_that_before(runs, restitution):
    watch, last = bouncing(runs, 1e-3, restitution), 0.0
    for _ in watch.steps(1000):
        v = watch.v[0, 2]
        if v > 0.0:
            assert v == pytest.approx(-restitution * last, rel=1e-12)
            return
        last = v
    raise AssertionError("no impact")


def test_a_ball_rises_to_heights_that_fall_by_the_square_of_the_restitution(runs):
    """h e²ⁿ after n impacts; each takes place within a step, and is off by up to v times the step."""
    e, step = 0.8, 2e-4
    watch, heights, last = bouncing(runs, step, e), [], 0.0
    for _ in watch.steps(round(2.2 / step)):
        v = watch.v[0, 2]
        if v <= 0.0 < last:
            heights.append(watch.q[0, 2] - 0.1)
        last = v
    expected = e ** (2 * np.arange(1, len(heights) + 1))
    assert len(heights) == 3
    assert heights == pytest.approx(expected, abs=2.0 * sqrt(2 * G) * step)


def test_a_ball_without_restitution_stays_where_it_falls(runs):
    """It closes the gap in one step, and rests in the next."""
    watch = bouncing(runs, 1e-3, 0.0).to(np.ceil(IMPACTS[0] / 1e-3 + 1.0) * 1e-3)
    assert abs(watch.v).max() <= 1e-12
    assert watch.q[0, 2] == pytest.approx(0.1, abs=1e-12)


def test_a_bouncing_ball_comes_to_rest(runs):
    """All impacts end after 8.579 s; below the speed 2 g h there is no restitution."""
    watch = bouncing(runs, 1e-3).to(REST + 1.0)
    assert abs(watch.v).max() <= 1e-12
    assert watch.q[0, 2] == pytest.approx(0.1, abs=1e-9)


@pytest.mark.parametrize(
    ("spin", "speed", "turning"),
    [(50.0, -0.8404284621548701, 28.989288446128246), (10.0, -2.0 / 7.0, 20.0 / 7.0)],
)
def test_a_spinning_ball_that_falls_is_driven_by_friction(runs, spin, speed, turning):
    """G. Capobianco et al., Int. J. Numer. Meth. Engng (2021), example 10.1: R = 0.1 m, μ = 0.2, from 1 m.
    First order in the step: the impact is that of the speed at most two steps later, and friction acts until
    the end of the step.
    """
    step, height, radius = 1e-3, 0.9, 0.1
    text = floor(friction=0.2) + ball(
        "ball", radius, 1.0, [0, 0, radius + height], angular_velocity=[0, -spin, 0]
    )
    watch = Watch(runs, text + contact_solver(step))
    watch.to(np.ceil(sqrt(2.0 * height / G) / step) * step)
    friction_of_a_step = 0.2 * G * 3.0 * step
    assert watch.v[0, 0] == pytest.approx(speed, abs=friction_of_a_step)
    assert -watch.v[0, 4] == pytest.approx(turning, abs=2.5 * friction_of_a_step / radius)


def kinetic(watch, mass, inertia):
    """½ m v² + ½ ω I ω of a body whose three moments of inertia are equal [J]."""
    v = watch.v[0]
    return 0.5 * mass * v[:3] @ v[:3] + 0.5 * inertia * v[3:] @ v[3:]


@pytest.mark.parametrize(
    ("friction", "restitution"), [(0.0, 0.0), (0.0, 0.3), (0.0, 1.0), (0.4, 0.0), (0.4, 0.3), (0.4, 1.0)]
)
def test_energy_never_grows_in_an_impact(runs, restitution, friction):
    """Cubes thrown at the floor in all poses, without gravity: each step keeps its energy, or loses some.

    Newton's restitution with friction would add up to 5 % in some of them (Kane & Levinson 1985).
    """
    random = np.random.default_rng(7)
    floor_at_rest = floor(friction=friction, restitution=restitution).replace(
        "[scene]\n", "[scene]\ngravity = [0, 0, 0]\n"
    )
    inertia, lost = 1.0 * 0.2**2 / 6.0, 0
    for _ in range(8):
        axis = random.standard_normal(3)
        pose = {"axis": list(axis / np.linalg.norm(axis)), "angle": random.uniform(0.0, 3.0)}
        cube = block(
            "cube", (0.2, 0.2, 0.2), 1.0, [0, 0, 0.25], orientation=pose,
            velocity=[*random.uniform(-2, 2, 2), -2.0], angular_velocity=list(random.uniform(-5, 5, 3)),
        )  # fmt: skip
        watch = Watch(runs, floor_at_rest + cube + contact_solver(1e-3))
        before = kinetic(watch, 1.0, inertia)
        for _ in watch.steps(150):
            now = kinetic(watch, 1.0, inertia)
            assert now <= before * (1.0 + 1e-11)  # a part of the residual
            lost += now < before * (1.0 - 1e-6)
            before = now
    assert lost > 0 or (friction == 0.0 and restitution == 1.0)


def test_flight_without_contacts_is_of_second_order(runs):
    """A spinning body without symmetry, in the air over a plane: differences of its end over halved steps."""
    ends = []
    for step in (4e-3, 2e-3, 1e-3):
        shape = [{"type": "box", "size": [0.1, 0.2, 0.3]}]
        text = world(
            collide=True, material="stone", shape=[{"type": "plane", "size": [2, 2]}], gravity=[0, 0, -1.0]
        )
        text += '[[material]]\nname = "stone"\nfriction = 0.3\n'
        text += body(
            "body", mass=1.0, inertia=[0.01, 0.02, 0.025], position=[0, 0, 2], collide=True, material="stone",
            angular_velocity=[1.0, 5.0, 0.3], velocity=[0.3, 0, 1.0], shape=shape,
        )  # fmt: skip
        ends.append(Watch(runs, text + contact_solver(step)).to(1.0).q[0])
    order = np.log2(np.linalg.norm(ends[0] - ends[1]) / np.linalg.norm(ends[1] - ends[2]))
    assert order == pytest.approx(2.0, abs=0.1)
