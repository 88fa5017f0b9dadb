"""What sticks to a support that turns goes with it; what rests begins at rest."""

from __future__ import annotations

from math import cos, hypot, sin, tan

import numpy as np
import pytest
from blocks import G, Watch, ball, block, contact_solver, floor, on_incline
from scene_text import body, joint, motion, table, world

import mbplugin as mb

EDGE, THICK, AT = 0.05, 0.1, 0.3
MASS, CUBE = 1.0, 0.5


def on_table(rate: float, step: float, driven: bool = True, friction: float = 0.6) -> str:
    """A cube at rest relative to a table that turns about z, driven or free [rad/s]."""
    text = world(gravity=[0, 0, -G]) + table("material", name="stone", friction=friction)
    text += block("table", (1, 1, THICK), MASS, [0, 0, -THICK / 2], angular_velocity=[0, 0, rate])
    text += joint("axle", "revolute", "ground", "table", at=[0, 0, 0], axis=[0, 0, 1])
    if driven:
        text += motion("axle", angle=f"{rate!r}*time")
    moving = {"velocity": [0, rate * AT, 0], "angular_velocity": [0, 0, rate]}
    return text + block("cube", (EDGE, EDGE, EDGE), CUBE, [AT, 0, EDGE / 2], **moving) + contact_solver(step)


def radius(watch: Watch) -> float:
    x, y, _ = watch.q[1, :3]
    return hypot(x, y)


@pytest.mark.parametrize("step", [1e-3, 5e-4])
@pytest.mark.parametrize("driven", [True, False])
def test_what_sticks_on_a_turning_table_does_not_creep_outwards(runs, driven, step):
    """Its mean velocity in each step is that of the table. The first step knows no other: ½ (h ω)² r. Held at
    the end of each step, the cube would be 1.2 mm farther out after 2 s of 1 ms.
    """
    rate = 2.0
    watch = Watch(runs, on_table(rate, step, driven))
    early = radius(watch.to(10 * step)) - AT
    late = radius(watch.to(1.0)) - AT
    assert abs(early) <= 0.6 * (step * rate) ** 2 * AT
    assert late == pytest.approx(early, abs=2e-3 * (step * rate) ** 2 * AT + 1e-12)


def test_sticking_on_a_free_table_takes_no_energy(runs):
    watch = Watch(runs, on_table(2.0, 1e-3, driven=False))
    before = energy(watch.to(5e-3))
    assert energy(watch.to(1.0)) == pytest.approx(before, rel=1e-8)


def energy(watch: Watch) -> float:
    """Of the table, which turns about z, and of the cube [J]."""
    moments = np.array([[1e9, 1e9, MASS / 6], [CUBE / 6 * EDGE**2] * 3])
    v = watch.v
    return 0.5 * (CUBE * v[1, :3] @ v[1, :3] + np.sum(moments * v[:, 3:] ** 2))


@pytest.mark.parametrize(("static", "stays"), [(0.5, True), (0.35, False)])
def test_a_block_at_rest_begins_with_static_friction(runs, static, stays):
    """tan 20° is 0.364: it stays where static friction holds it, though kinetic friction would not. What
    breaks away has the static coefficient in its first step.
    """
    angle, step = np.radians(20.0), 1e-3
    assert 0.35 < tan(angle) < 0.5
    watch = Watch(runs, on_incline(angle, 0.3, friction_static=static, step=step)).to(1.0)
    speed = watch.v[0, :3] @ np.array([cos(angle), 0, -sin(angle)])
    slides = G * (sin(angle) - 0.3 * cos(angle) - step * (static - 0.3) * cos(angle))
    assert speed == pytest.approx(0.0 if stays else slides, abs=1e-9)


@pytest.mark.parametrize("step", [2e-3, 1e-3])
def test_a_ball_that_rolls_on_a_turning_table_goes_round_in_a_circle(runs, step):
    """With 2/7 of the rate of the table, so that its radius is 7 v / (2 ω)."""
    rate, speed, radius, start = 3.0, 0.3, 0.05, 0.2
    text = world(gravity=[0, 0, -G]) + table("material", name="stone", friction=1.0)
    text += block("table", (6, 6, THICK), 10.0, [0, 0, -THICK / 2], angular_velocity=[0, 0, rate])
    text += joint("axle", "revolute", "ground", "table", at=[0, 0, 0], axis=[0, 0, 1])
    text += motion("axle", angle=f"{rate!r}*time")
    # rolls: the point of contact has the velocity of the table there
    spin = [(rate * start - speed) / radius, 0, 0]
    text += ball("ball", radius, 0.2, [start, 0, radius], velocity=[0, speed, 0], angular_velocity=spin)
    watch = Watch(runs, text + contact_solver(step))
    circle, angles = 7 * speed / (2 * rate), []
    for time in watch.steps(round(2.0 / step)):
        x, y, z = watch.q[1, :3]
        angles.append((time, np.hypot(x - start + circle, y)))
        assert abs(z - radius) < 1e-8
    found = np.array(angles)[:, 1]
    assert np.abs(found - circle).max() < 1.5 * (step * rate) ** 2 * start


def test_a_box_on_a_table_that_tilts_gains_nothing_though_a_joint_holds_it_too(runs):
    """Contacts and a planar joint hold more rows than there are velocities; what is not the work of the
    motion is of order 2.
    """
    growth = []
    for step in (2e-3, 1e-3):
        text = world(gravity=[0, 0, -G])
        text += table("material", name="stone", friction=0.4, restitution=0.5)
        text += block("table", (2, 1, THICK), 5.0, [0, 0, -THICK / 2])
        text += joint("axle", "revolute", "ground", "table", at=[0, 0, 0], axis=[0, 1, 0])
        text += motion("axle", angle="0.2*sin(6*time)")
        text += block("cube", (0.1, 0.1, 0.1), CUBE, [0.3, 0, 0.06])
        text += joint("plane", "planar", "ground", "cube", at=[0.3, 0, 0.06], axis=[0, 1, 0])
        energy = mb.System.from_text(text + contact_solver(step)).run(files=False).energy
        rest = energy.kinetic + energy.potential - energy.work
        growth.append((rest - np.minimum.accumulate(rest)).max())
    assert growth[0] < 2e-5
    assert growth[1] < 0.3 * growth[0]


def test_a_capsule_that_sticks_and_rocks_gains_nothing(runs):
    """Its energy falls in impacts alone, up to an error of order 2."""
    growth = []
    for step in (2e-3, 1e-3):
        lying = {"axis": [0, 1, 0], "angle": np.radians(60.0)}
        shape = {"type": "capsule", "radius": 0.05, "length": 0.166}
        keys = {"orientation": lying, "collide": True, "material": "stone", "shape": [shape]}
        inertia = [7.6e-3, 7.6e-3, 2.1e-3]
        text = floor(friction=1.2) + body(
            "rocker", mass=1.8, inertia=inertia, position=[0, 0, 0.0916], **keys
        )
        watch, energies = Watch(runs, text + contact_solver(step)), []
        for _ in watch.steps(round(0.3 / step)):
            v = watch.v[0]
            energies.append(0.9 * v[:3] @ v[:3] + 0.5 * v[3:] ** 2 @ inertia + 1.8 * G * watch.q[0, 2])
        energies = np.array(energies)
        growth.append((energies - np.minimum.accumulate(energies)).max())
    assert growth[0] < 2e-5
    assert growth[1] < max(0.4 * growth[0], 1e-10)
