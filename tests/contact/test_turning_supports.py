"""What sticks to a support that turns goes with it; what rests begins at rest."""

from __future__ import annotations

from math import cos, hypot, sin, tan

import numpy as np
import pytest
from blocks import G, Watch, block, contact_solver, on_incline
from scene_text import joint, motion, table, world

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
