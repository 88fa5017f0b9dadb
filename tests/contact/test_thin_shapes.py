"""Nothing passes through: thin bodies that spin, walls within the first step, links under heavy loads,
and what a run says of overlap.
"""

from __future__ import annotations

from math import pi, sqrt

import numpy as np
import pytest
from blocks import ball, block, contact_solver, floor, stack
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.sizes import thickness
from scene_text import body, changed, joint, solver, table, world

import mbplugin as mb
from mbplugin.errors import PhysicsError
from mbplugin.tables.groups import Step

ELASTIC = table("material", name="stone", restitution=1.0)


def run(text: str):
    return mb.System.from_text(text).run(files=False)


def blade(rate: float, post: float = 0.45, step: float | None = None) -> str:
    """A bar of 1 m on a hinge, which turns by 0.85 π; a post stands so far from the hinge."""
    shapes = [{"type": "capsule", "radius": 5e-3, "length": 0.4, "position": [0, post, 0]}]
    return (
        world(gravity=[0, 0, 0], collide=True, material="stone", shape=shapes)
        + ELASTIC
        + block("bar", (1.0, 0.01, 0.02), 1.0, [0, 0, 0], angular_velocity=[0, 0, rate])
        + joint("hinge", "revolute", "ground", "bar", axis=[0, 0, 1])
        + solver(type="contact", end=0.85 * pi / rate, step=step)
        + table("output", frames=2)
    )


@pytest.mark.parametrize("step", [None, 0.01, 2e-3])
@pytest.mark.parametrize("rate", [10.0, 300.0, 1000.0])
def test_a_bar_that_spins_bounces_off_a_post_at_every_speed(rate, step):
    """e = 1 turns the angular velocity round, whatever the bar sweeps in a step."""
    result = run(blade(rate, step=step))
    assert result["bar"].angular_velocity[-1, 2] == pytest.approx(-rate, rel=1e-9)


@pytest.mark.parametrize("step", [1e-3, 5e-3])
def test_a_bar_that_a_ball_strikes_bounces_off_a_post(step):
    """The ball gives it ω = 2 m a v / (I + m a²), which the post turns round: 4.5 rad in a step of 5 ms."""
    m, a, v = 10.0, 0.05, 30.0
    post = {"type": "capsule", "radius": 5e-3, "length": 0.4, "position": [0.3135, 0.3228, 0]}
    text = world(gravity=[0, 0, 0], collide=True, material="stone", shape=[post]) + ELASTIC
    text += block("bar", (1.0, 0.01, 0.02), 0.1, [0, 0, 0])
    text += joint("hinge", "revolute", "ground", "bar", axis=[0, 0, 1])
    text += ball("ball", 0.01, m, [a, -0.2, 0], velocity=[0, v, 0])
    rates = run(text + contact_solver(step, end=8.2e-3, every=1e-4, frames=None))["bar"].angular_velocity[
        :, 2
    ]
    inertia = 0.1 * (1.0 + 0.01**2) / 12.0
    struck = 2.0 * m * a * v / (inertia + m * a**2)
    assert rates.max() == pytest.approx(struck, rel=1e-6)
    assert rates.min() == pytest.approx(-struck, rel=1e-6)


def test_a_bar_too_thin_and_fast_for_parts_of_its_step_is_named():
    with pytest.raises(PhysicsError, match='"bar" and "ground"'):
        run(blade(1e6, step=0.01))


def test_a_bar_that_spins_where_nothing_is_near_takes_whole_steps(runs):
    for post, divided in ((5.0, False), (0.45, True)):
        prepared = runs.prepare(blade(300.0, post=post, step=1e-3))
        integrator = prepared.start(1.0)
        integrator.advance(8e-3, np.inf, 10**9)
        assert (prepared.problem[Step].record[0].steps > 8) == divided


def test_a_divided_step_does_not_depend_on_frames():
    text = blade(300.0, step=5e-3)
    rates = [
        run(changed(text, "frames = 2", f"frames = {frames}"))["bar"].angular_velocity[-1, 2]
        for frames in (2, 301)
    ]
    assert rates[0] == rates[1]


@pytest.mark.parametrize("gap", [1e-3, 0.05, 0.2, 0.24])
def test_a_ball_does_not_pass_a_wall_within_its_first_half_step(gap):
    """It moves by 50 thicknesses of the wall in a step, and comes back as fast."""
    wall = {"type": "box", "size": [0.01, 1.0, 1.0], "position": [0.015 + gap, 0, 0]}
    text = world(gravity=[0, 0, 0], collide=True, material="stone", shape=[wall]) + ELASTIC
    text += ball("ball", 0.01, 1.0, [0, 0, 0], velocity=[100.0, 0, 0]) + contact_solver(5e-3, end=0.02)
    assert run(text)["ball"].velocity[-1] == pytest.approx([-100.0, 0, 0], rel=1e-9)


#: radius of the wire of a link, half its length and its width between centre lines [m]
WIRE, LONG, WIDE = 3e-3, 0.03, 0.014


def link() -> list[dict]:
    turned = {"axis": [0, 1, 0], "angle_deg": 90}
    across = [
        {"type": "capsule", "radius": WIRE, "length": 2 * WIDE, "position": [0, 0, z], "orientation": turned}
        for z in (LONG, -LONG)
    ]
    along = [
        {"type": "capsule", "radius": WIRE, "length": 2 * LONG, "position": [x, 0, 0]} for x in (WIDE, -WIDE)
    ]
    return across + along


def chain(links: int, load: float, end: float, step: float | None) -> str:
    """Closed links of 10 g that hang in each other; the last one has the mass `load`."""
    text = world(collide=True, material="stone", shape=link()) + table("material", name="stone")
    for k in range(1, links + 1):
        m = load if k == links else 0.01
        text += body(
            f"link_{k}", mass=m, inertia=[4e-4 * m, 4e-4 * m, 2e-4 * m], collide=True, material="stone",
            position=[0, 0, 5e-4 * k - 2 * k * (LONG - WIRE)], shape=link(),
            orientation={"axis": [0, 0, 1], "angle_deg": 90 * (k % 2)},
        )  # fmt: skip
    return text + solver(type="contact", end=end, step=step) + table("output", frames=20)


LOADS = [(3, 1.0, None), (3, 100.0, 1e-3), (6, 10.0, None)]
FURTHER = [(n, m, h) for n in (2, 3, 5, 8, 12) for m in (0.01, 0.1, 1.0, 10.0, 100.0) for h in (None, 1e-3)]


@pytest.mark.parametrize(
    ("links", "load", "step"),
    [*LOADS, *(pytest.param(*each, marks=pytest.mark.slow) for each in FURTHER if each not in LOADS)],
)
def test_links_hang_in_each_other_under_every_load(links, load, step):
    """No link reaches farther than the diagonal of its inside; 10 kg fell through three links of 10 g."""
    result = run(chain(links, load, 0.3, step))
    reach = 2.0 * sqrt((LONG - WIRE) ** 2 + (WIDE - WIRE) ** 2)
    assert result[f"link_{links}"].position[:, 2].min() > -links * reach
    assert result.output("contact.penetration").max() < 0.03 * 2 * WIRE


def crushed(end: float) -> str:
    """A heavy cube sinks into those below it, since one sweep a step does not carry it."""
    text = changed(stack(4, 1e4, step=0.02), 'type = "contact"', 'type = "contact"\nsweeps = 1')
    return changed(text, "end = 1.0", f"end = {end}")


def test_a_run_ends_where_bodies_overlap_by_half_their_thickness():
    """The error names the bodies; its exit code is that of motions without solution."""
    with pytest.raises(PhysicsError, match=r'"cube_\d" and "cube_\d"') as error:
        run(crushed(1.0))
    assert error.value.exit_code == 3


def test_overlap_is_in_the_summary_and_warned_of_above_a_hundredth():
    result = run(crushed(0.12))
    deepest = result.output("contact.penetration").max()
    assert 0.01 < deepest / 0.1 < 0.5
    (warning,) = [m.text for m in result.messages if m.level == "warning" and "overlapped" in m.text]
    assert '"cube_' in warning
    sound = run(changed(stack(4, 1.0), "end = 1.0", "end = 0.04"))
    assert sound.output("contact.penetration").max() < 1e-9
    assert not [m for m in sound.messages if "overlap" in m.text]


def test_overlap_that_bodies_had_when_their_contact_begins_is_not_counted(runs):
    """A ball lies in a block by three quarters of its diameter; a run that began so would be refused."""
    text = floor() + block("block", (1.0, 1.0, 0.4), 10.0, [0, 0, 0.2])
    at = {"contacts": {"active": "time > 0.0105"}, "velocity": [0, 0, 0.1]}
    text += ball("ball", 0.1, 1.0, [0, 0, 0.35], **at) + contact_solver(1e-3, end=0.1)
    prepared = runs.prepare(text)
    prepared.start(0.1).advance(0.1, np.inf, 10**9)
    assert prepared.problem[Contacts].totals[0].deepest < 0.01


def test_thickness_is_the_smallest_width_of_a_shape():
    corners = [[x, y, z] for x in (-0.1, 0.1) for y in (-0.2, 0.2) for z in (-0.3, 0.3)]
    octahedron = [[s * (k == c) for c in range(3)] for k in range(3) for s in (-1.0, 1.0)]
    shapes = {
        "sphere": ({"radius": 0.1}, 0.2),
        "capsule": ({"radius": 3e-3, "length": 1.0}, 6e-3),
        "box": ({"size": [1.0, 0.01, 2.0]}, 0.01),
        "convex": ({"points": corners}, 0.2),
        "octahedron": ({"type": "convex", "points": octahedron}, 2.0 / sqrt(3.0)),
        "plane": ({}, np.inf),
    }
    for name, (keys, width) in shapes.items():
        text = world(collide=True, material="stone", shape=[{"type": name, **keys}]) + ELASTIC
        system = mb.System.from_text(text + ball("ball", 1.0, 1.0, [0, 0, 9]) + contact_solver())
        system.simulate()
        assert thickness(system.scene.shapes[0]) == pytest.approx(width, rel=1e-12)
