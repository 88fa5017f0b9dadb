"""Forces of contacts and on what touches: their size while a body turns on a vertex, and their work."""

from __future__ import annotations

from math import cos, radians, sin

import numpy as np
import pytest
from blocks import G, Watch, ball, block, contact_solver, floor
from scene_text import body, force, joint, motion, table, world

import mbplugin as mb
from mbplugin.tables.groups import State, TransientRows

LENGTH = 2.0


def leaning(step: float) -> str:
    """A thin, smooth rod on one vertex on a smooth floor, at 60°."""
    half, thin = LENGTH / 2, 0.01
    waist = [[x, y, 0.0] for x in (-thin, thin) for y in (-thin, thin)]
    shape = {"type": "convex", "points": [[0, 0, -half], *waist, [0, 0, half]]}
    inertia = [LENGTH**2 / 12, LENGTH**2 / 12, 1e-4]
    pose = {"axis": [0, 1, 0], "angle": radians(30)}
    keys = {"collide": True, "material": "stone", "shape": [shape], "orientation": pose}
    rod = body("rod", mass=1.0, inertia=inertia, position=[0, 0, half * sin(radians(60))], **keys)
    return floor() + rod + contact_solver(step)


def test_the_force_on_a_vertex_converges_with_the_square_of_the_step(runs):
    """N = (g − ω² l sin α)/(1 + 3 cos² α) of a rod of length 2 l that turns on a smooth floor; with ω of the
    energy. Gaps that open and close again would take gap/h² off it, more for shorter steps.
    """
    worst = []
    for step in (1e-3, 5e-4, 2.5e-4):
        watch, misses = Watch(runs, leaning(step)), []
        for _ in watch.steps(round(0.2 / step)):
            alpha = np.arcsin(watch.q[0, 2] / (LENGTH / 2))
            mean = 0.5 * watch.v[0, 4] * step  # back to the middle of the step
            alpha_m = alpha + mean
            energy = G * LENGTH / 2 * (sin(radians(60)) - sin(alpha_m))
            square = 2 * energy / (LENGTH**2 / 12 + (LENGTH / 2 * cos(alpha_m)) ** 2)
            expected = (G - square * LENGTH / 2 * sin(alpha_m)) / (1 + 3 * cos(alpha_m) ** 2)
            misses.append(watch.problem[TransientRows].impulse[0] / step - expected)
        worst.append(np.abs(misses[2:]).max())
    assert worst[0] < 3e-3
    assert worst[-1] < worst[0] / 4


def test_a_force_on_a_ball_that_cannot_move_does_no_work(runs):
    """100 N press 10 g onto the floor: over the first half step it would have been at 5 m/s."""
    text = floor() + ball("ball", 0.01, 0.01, [0, 0, 0.01]) + force("ball", "press", z="-100")
    watch = Watch(runs, text + contact_solver(1e-3)).to(0.1)
    assert abs(watch.problem[State].aux[0]) < 1e-9
    assert abs(watch.q[0, 2] - 0.01) < 1e-9


@pytest.mark.parametrize("pushed", ["cube on the floor", "cube in a clamp"])
def test_nothing_is_said_of_energy_where_nothing_moves(pushed):
    if pushed == "cube on the floor":
        text = (
            floor(friction=0.5) + block("cube", (0.1, 0.1, 0.1), 1.0, [0, 0, 0.05]) + force("cube", x="1.0")
        )
    else:
        text = world(gravity=[0, 0, 0]) + table("material", name="stone", friction=0.5)
        text += block("cube", (0.05, 0.05, 0.05), 0.2, [0, 0, 0]) + force("cube", z="-5.0")
        for side in (-1, 1):
            name = f"jaw_{side + 1}"
            text += block(name, (0.05, 0.05, 0.05), 0.1, [0.05 * side, 0, 0])
            text += joint(
                f"guide_{name}", "translational", "ground", name, at=[0.05 * side, 0, 0], axis=[1, 0, 0]
            )
            text += force(name, x=f"{-20.0 * side}")
    result = mb.System.from_text(text + contact_solver(1e-3, 0.1)).run(files=False)
    assert [str(m) for m in result.messages if "energy" in str(m)] == []
    assert np.abs(result.raw["energy/balance"][:]).max() < 1e-9


@pytest.mark.parametrize("law", ["0.05*sin(8*time)", "0.1*time"])
def test_the_work_of_a_motion_that_lifts_a_weight_is_of_order_two(law):
    """Kinetic and potential energy less the work stays within rounding of a constant that falls as h²."""
    errors = []
    for step in (2e-3, 1e-3):
        text = world(gravity=[0, 0, -G]) + block("load", (0.1, 0.1, 0.1), 5.0, [0, 0, 0])
        text += joint("guide", "translational", "ground", "load", at=[0, 0, 0], axis=[0, 0, 1])
        text += motion("guide", length=law) + table("material", name="stone")
        result = mb.System.from_text(text + contact_solver(step)).run(files=False)
        errors.append(np.abs(result.raw["energy/balance"][:]).max())
    assert errors[0] < 1e-3 and errors[1] < 1e-4
    assert errors[1] < 0.3 * errors[0] + 1e-11


def test_the_work_of_a_motor_between_bodies_in_flight_is_of_order_two():
    errors = []
    for step in (4e-3, 2e-3):
        text = world(gravity=[0, 0, -G]) + table("material", name="stone")
        text += block("a", (0.3, 0.2, 0.1), 2.0, [0, 0, 0]) + block("b", (0.1, 0.1, 0.2), 1.0, [0.5, 0, 0])
        text += joint("pin", "revolute", "a", "b", at=[0.2, 0, 0], axis=[0, 0.6, 0.8])
        text += motion("pin", angle_velocity="10*sin(8*time)")
        result = mb.System.from_text(text + contact_solver(step)).run(files=False)
        errors.append(np.abs(result.raw["energy/balance"][:]).max())
    assert errors[0] < 1e-3
    assert errors[1] < 0.3 * errors[0]
