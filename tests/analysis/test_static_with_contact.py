"""Equilibria of bodies that touch, and of friction by a coefficient: closed forms, and a published arch."""

from __future__ import annotations

import math
import runpy

import numpy as np
import pytest
from scene_text import SCENES, body, joint, table, world

import mbplugin as mb
from mbplugin.analysis.initial_state.placeholder_masses import at_rest
from mbplugin.api import plugins
from mbplugin.errors import PhysicsError
from mbplugin.run.at_rest import begun_at_rest

G, M, MU = 9.81, 2.0, 0.4
NEARLY, BEYOND = 0.999, 1.001
FALLS = "no equilibrium"


def equilibrium(text: str, what: str = "static", **options):
    return mb.System.from_text(text).analyze(what, **options)


def floor(gravity=(0, 0, -G), friction=MU, shapes=(), markers="", **keys):
    """A plane z = 0 and more shapes of the ground, of one material."""
    shape = [{"type": "plane", "size": [9, 9]}, *shapes]
    return (
        world(gravity=list(gravity), collide=True, material="stuff", shape=shape)
        + markers
        + table("material", name="stuff", friction=friction, **keys)
    )


def rigid(name, shape, at, mass=M, inertia=(0.05, 0.05, 0.05), **keys):
    placed = {"position": list(at), "collide": True, "material": "stuff", "shape": [shape]}
    return body(name, mass=mass, inertia=list(inertia), **placed, **keys)


def box(name, size, at, **keys):
    return rigid(name, {"type": "box", "size": list(size)}, at, **keys)


def ball(name, radius, at, **keys):
    return rigid(name, {"type": "sphere", "radius": radius}, at, **keys)


def tilted(part, friction=MU):
    """Gravity on a slope of this part of the angle of friction."""
    theta = part * math.atan(friction)
    return [G * math.sin(theta), 0, -G * math.cos(theta)]


def sums(report):
    """Forces of all contacts on their second bodies, by the name of the first."""
    return {
        a: sum(one.force for one in report.contacts if one.a == a) for a in {c.a for c in report.contacts}
    }


POST = table("scene.marker", name="post", position=[-1, 0, 0.1])
SPRING = table(
    "force", name="spring", type="spring_damper", a="ground.post", b="block", stiffness=100, length=1.0
)


def test_a_block_holds_below_the_angle_of_friction_and_slides_away_above():
    block = box("block", (0.4, 0.4, 0.2), (0, 0, 0.1))
    held = equilibrium(floor(tilted(NEARLY)) + block)
    (total,) = sums(held).values()
    load = -M * np.array(tilted(NEARLY))
    assert sum(abs(total) - abs(load)) == pytest.approx(0.0, abs=1e-12)
    assert held.position[0] == pytest.approx([0, 0, 0.1], abs=1e-15)
    assert {one.status for one in held.contacts} == {"sticks"}
    # what the corners carry together is this part of what they can
    tangential = sum(math.hypot(*one.local_force[1:]) for one in held.contacts)
    assert tangential == pytest.approx(math.tan(NEARLY * math.atan(MU)) * M * -tilted(NEARLY)[2], rel=1e-12)
    with pytest.raises(PhysicsError, match=FALLS):
        equilibrium(floor(tilted(BEYOND)) + block)


def test_a_block_slides_until_its_spring_and_friction_hold_it():
    """k s = m g sin θ − μ m g cos θ, from above; its modes are those of the spring."""
    gravity = tilted(1.5)
    text = floor(gravity, markers=POST) + box("block", (0.4, 0.4, 0.2), (0, 0, 0.1)) + SPRING
    report = equilibrium(text)
    s = M * (gravity[0] + MU * gravity[2]) / 100.0
    assert report.position[0] == pytest.approx([s, 0, 0.1], abs=1e-12)
    assert {one.status for one in report.contacts} == {"slips"}
    assert [one.share for one in report.contacts] == pytest.approx([1.0] * 4, rel=1e-9)
    assert report.stable
    (mode,) = equilibrium(text, "eigen").modes
    assert mode.omega == pytest.approx(math.sqrt(100.0 / M), rel=1e-9)


def test_what_falls_lies_on_the_floor():
    report = equilibrium(floor() + box("block", (0.4, 0.4, 0.2), (0, 0, 0.7)))
    assert report.position[0] == pytest.approx([0, 0, 0.1], abs=1e-10)
    assert sum(one.force[2] for one in report.contacts) == pytest.approx(-M * G, rel=1e-12)


def test_without_friction_a_block_on_a_spring_hangs_down_the_slope():
    gravity = tilted(1.0)
    text = floor(gravity, friction=0.0, markers=POST) + box("block", (0.4, 0.4, 0.2), (0, 0, 0.3)) + SPRING
    text = text.replace("position = [-1.0, 0.0, 0.1]", "position = [-1, 0, 0.1]")
    report = equilibrium(text)
    assert report.position[0] == pytest.approx([M * gravity[0] / 100.0, 0, 0.1], abs=1e-10)


@pytest.mark.parametrize("part", [NEARLY, BEYOND])
def test_a_box_tips_where_its_weight_leaves_its_foot(part):
    """Of 0.2 m by 0.5 m: at atan 0.4, where friction of 0.8 holds it."""
    text = floor(tilted(part, 0.4), friction=0.8) + box("block", (0.2, 0.2, 0.5), (0, 0, 0.25))
    if part < 1.0:
        report = equilibrium(text)
        edge = [one for one in report.contacts if one.point[0] > 0.0]
        # nearly all of the weight is on the lower edge
        carried = abs(sum(one.force[2] for one in edge)) / abs(M * tilted(part, 0.4)[2])
        assert carried == pytest.approx(0.5 + 2.5 * 0.5 * math.tan(part * math.atan(0.4)), rel=1e-9)
    else:
        report = equilibrium(text)
        # it falls over and lies on its side
        assert report.position[0, 2] == pytest.approx(0.1, abs=1e-9)


@pytest.mark.parametrize("part", [NEARLY, 1.02])
def test_a_ladder_on_two_rough_walls(part):
    """It stands where a share within both cones exists: tan φ ≥ (1 − μ²)/2μ of a uniform ladder; shares of
    the least norm are outside at the limit.
    """
    length, radius = 2.0, 0.02
    phi = math.atan((1.0 - MU**2) / (2.0 * MU)) * (2.0 - part)
    # ends of the capsule touch the floor and the wall x = 0
    middle = [0.5 * length * math.cos(phi) + radius, 0.0, 0.5 * length * math.sin(phi) + radius]
    wall = {"type": "plane", "size": [9, 9], "orientation": {"axis": [0, 1, 0], "angle": math.pi / 2}}
    keys = {"orientation": {"axis": [0, 1, 0], "angle": math.pi / 2 + phi}}
    ladder = rigid(
        "ladder", {"type": "capsule", "radius": radius, "length": length}, middle,
        inertia=(M * length**2 / 12, M * length**2 / 12, 1e-3), **keys,
    )  # fmt: skip
    text = floor(shapes=[wall]) + ladder
    if part < 1.0:
        report = equilibrium(text)
        assert report.position[0] == pytest.approx(middle, abs=1e-12)
        assert all(one.share <= 1.0 + 1e-9 for one in report.contacts)
    else:
        report = equilibrium(text)
        assert report.position[0, 2] < 0.5 * middle[2]


def test_three_equal_balls_in_a_trough():
    """By hand: two on the floor, each at its wall, and the third between them: sin β = √(1 − d²/4r²) with the
    walls' distance 2 (d + r) carries m g / 2, and the walls what it pushes apart.
    """
    r, d = 0.1, 0.12
    walls = [
        {"type": "plane", "size": [9, 9], "position": [-sign * (d + r), 0, 0],
         "orientation": {"axis": [0, 1, 0], "angle": sign * math.pi / 2}}
        for sign in (1, -1)
    ]  # fmt: skip
    text = floor(friction=0.0, shapes=walls)
    text += (
        ball("left", r, (-0.1, 0, 0.13)) + ball("right", r, (0.11, 0, 0.11)) + ball("top", r, (0.0, 0, 0.32))
    )
    report = equilibrium(text)
    sine = math.sqrt(1.0 - (d / (2.0 * r)) ** 2)
    assert report.position == pytest.approx(
        np.array([[-d, 0, r], [d, 0, r], [0, 0, r + 2.0 * r * sine]]), abs=1e-9
    )
    between = 0.5 * M * G / sine
    for side in ("left", "right"):
        found = sorted(float(np.linalg.norm(one.force)) for one in report.contacts if side in (one.a, one.b))
        assert found == pytest.approx(sorted([1.5 * M * G, between * d / (2.0 * r), between]), rel=1e-9)


@pytest.mark.parametrize(("part", "stands"), [(0.10682, True), (0.10662, False)])
def test_an_arch_stands_above_its_thinnest_ring(part, stands):
    """27 straight voussoirs, μ = 0.5: between these lies the limit of a linear programme, 0.10672."""
    build = runpy.run_path(str(SCENES / "arch" / "build.py"))
    text = build["scene"](part / build["LIMIT"])
    begun = begun_at_rest(at_rest(mb.System.from_text(text)), plugins()[0])
    assert begun.rests == stands
    if stands:
        report = equilibrium(text)
        assert report.moved.max() == 0.0
        assert report.steps[-1][1] <= 1e-12
        assert max(one.share for one in report.contacts) <= 1.0 + 1e-9


def test_a_ball_that_rolls_on_its_spring():
    """ω² = k / (m + I/r²); what sticks rolls."""
    text = floor(markers=POST) + ball("block", 0.1, (0, 0, 0.1)) + SPRING
    modes = equilibrium(text, "eigen").modes
    rolls = [mode.omega for mode in modes if mode.omega > 1.0 and abs(mode.shape[0]) > 0.1]
    assert rolls == pytest.approx([math.sqrt(100.0 / (M + 0.05 / 0.01))], rel=1e-7)
    free = equilibrium(text.replace("friction = 0.4", "friction = 0.0"), "eigen").modes
    assert max(mode.omega for mode in free) == pytest.approx(math.sqrt(100.0 / M), rel=1e-9)


@pytest.mark.parametrize("radius", [1.0, 0.08])
def test_a_board_on_a_ball_rocks_where_it_is_thinner_than_the_ball(radius):
    """ω² = m g (R − c) / (I + m c²), c half its thickness; beyond it tips."""
    half, inertia = 0.1, 0.05
    text = world(
        gravity=[0, 0, -G], collide=True, material="stuff", shape=[{"type": "sphere", "radius": radius}]
    ) + table("material", name="stuff", friction=0.9)
    text += box("board", (0.4, 0.4, 2 * half), (0, 0, radius + half))
    squared = M * G * (radius - half) / (inertia + M * half**2)
    report = equilibrium(text)
    assert report.stiffnesses == pytest.approx(sorted([0.0, squared, squared]), abs=1e-5)
    assert not report.stable
    rocking = [mode.s for mode in equilibrium(text, "eigen").modes if mode.omega > 1.0]
    assert [abs(s) for s in rocking] == pytest.approx([math.sqrt(abs(squared))] * 2, rel=1e-7)
    assert all((s.real > 1.0) == (squared < 0.0) for s in rocking)


ARM = (
    world(gravity=[0, 0, -10])
    + body("arm", mass=2, inertia=[0.1] * 3, position=[0.5, 0, 0])
    + joint("hinge", "revolute", "ground", "arm", axis=[0, 1, 0])
)


@pytest.mark.parametrize("mu", [5.1, 4.9, 2.0])
def test_a_pin_holds_what_its_friction_can(mu):
    """m g l cos φ = μ r m g where it slips: cos φ = μ r / l."""
    report = equilibrium(ARM + f"friction = {mu}\nradius = 0.1\n")
    cosine = min(1.0, mu * 0.1 / 0.5)
    assert report.position[0] == pytest.approx(
        [0.5 * cosine, 0, -0.5 * math.sqrt(1.0 - cosine**2) if mu < 5 else 0.0], abs=1e-11
    )
    (friction,) = report.bounds
    assert friction.force == pytest.approx(-20.0 * 0.5 * cosine, rel=1e-10)
    assert friction.status == ("sticks" if mu > 5 else "slips forwards")


@pytest.mark.parametrize("part", [NEARLY, BEYOND])
def test_a_slider_on_a_slope(part):
    rail = joint("rail", "translational", "ground", "block", axis=[1, 0, 0], friction=MU)
    text = world(gravity=tilted(part)) + body("block", mass=M, inertia=[0.05] * 3) + rail
    if part < 1.0:
        (friction,) = equilibrium(text).bounds
        assert friction.share == pytest.approx(math.tan(part * math.atan(MU)) / MU, rel=1e-10)
    else:
        with pytest.raises(PhysicsError, match=FALLS):
            equilibrium(text)
