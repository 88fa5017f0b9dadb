"""Bodies that nothing connects are solved apart: each island as if the others were not there."""

from __future__ import annotations

import numpy as np
import pytest
from blocks import Watch, ball, contact_solver, floor, stack
from scene_text import body, joint

G = 9.81


def two_stacks(first, second):
    """Text of two stacks of five cubes a metre apart, the last cubes of these masses; their names differ."""
    other = stack(5, second).replace('"cube_', '"other_').replace("position = [0, 0,", "position = [1, 0,")
    floor_and_cubes, _, solver = stack(5, first).rpartition("[solver]")
    cubes = other[other.index("[[body]]") : other.rindex("[solver]")]
    return floor_and_cubes + cubes + "[solver]" + solver


@pytest.mark.parametrize("step", [1, 40])
def test_two_stacks_are_solved_like_each_of_them(runs, step):
    masses = 1e3, 1e5
    both = Watch(runs, two_stacks(*masses))
    alone = [Watch(runs, stack(5, mass)) for mass in masses]
    for watch in (both, *alone):
        watch.to(step * watch.step)
    assert both.q[:5] == pytest.approx(alone[0].q, abs=1e-12)
    assert both.q[5:, 2] == pytest.approx(alone[1].q[:, 2], abs=1e-12)
    assert both.load_of_ground()[2] == pytest.approx((8.0 + sum(masses)) * G, rel=1e-6)


def test_a_step_has_the_factorizations_of_its_hardest_island(runs):
    both = Watch(runs, two_stacks(1.0, 1e5))
    alone = [Watch(runs, stack(5, mass)) for mass in (1.0, 1e5)]
    for watch in (both, *alone):
        watch.to(watch.step)
    counts = [watch.record.factored for watch in alone]
    assert counts[0] != counts[1]
    assert both.record.factored == max(counts)


def chain(links, solver):
    """Links on hinges, level at first, and a ball that lies on the floor far away."""
    text = floor(friction=0.5) + ball("ball", 0.1, 1.0, [0, 5, 0.1])
    for k in range(links):
        text += body(f"link_{k}", mass=1.0, inertia=[0.001, 0.01, 0.01], position=[0.1 * k + 0.05, 0, 20])
        ends = "ground" if k == 0 else f"link_{k - 1}", f"link_{k}"
        text += joint(f"hinge_{k}", "revolute", *ends, at=[0.1 * k, 0, 20], axis=[0, 1, 0])
    return text + solver


def test_joints_of_a_long_chain_beside_a_ball_are_solved_for(runs):
    """A matrix of 120 links costs more than a hundred sweeps over one contact, but sweeps do not see joints.
    Joints at the mean velocity keep the energy to the second order of the step.
    """
    energies = []
    for step in (2e-3, 1e-3):
        watch = Watch(runs, chain(120, contact_solver(step)))
        m, inertia = 1.0, 0.01
        watch.to(0.1)
        # bodies in the order of the scene: the ball first
        v, z = watch.v[1:], watch.q[1:, 2]
        kinetic = 0.5 * m * (v[:, :3] ** 2).sum() + 0.5 * inertia * (v[:, 3:] ** 2).sum()
        energies.append(abs(kinetic + m * G * (z - 20.0).sum()) / kinetic)
    assert energies[1] <= 1e-5
    assert energies[0] / energies[1] == pytest.approx(4.0, rel=0.15)
    assert watch.record.factored > 0


def test_free_bodies_between_islands_move_as_they_do_alone(runs):
    text = floor(friction=0.5) + ball("low", 0.1, 1.0, [0, 0, 0.1], velocity=[1, 0, 0])
    text += ball("flying", 0.1, 1.0, [0, 0, 3.0], velocity=[0.5, 0, 0]) + contact_solver(1e-3)
    watch = Watch(runs, text).to(0.2)
    assert watch.q[1, :3] == pytest.approx([0.1, 0.0, 3.0 - 0.5 * G * 0.04], abs=1e-12)
    # it slides until 2 v0 / (7 mu g) = 0.058 s, then rolls
    assert np.hypot(*watch.v[0, :2]) == pytest.approx(5.0 / 7.0, abs=1e-9)
