"""Linear models and modes about equilibria of bodies that touch, against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from refusals import refused, stopped
from scene_text import body, table, world
from scipy.optimize import brentq

import mbplugin as mb
from mbplugin.errors import PhysicsError

G, MASS, RADIUS, INERTIA, STIFF, DAMP = 9.81, 2.0, 0.1, 0.05, 100.0, 3.0
MU = 0.3


def on_the_floor(gravity=(0.0, 0.0, -G), friction=MU, post=(-1.0, 0.0, 0.1)) -> str:
    return (
        world(
            gravity=list(gravity),
            collide=True,
            material="stuff",
            shape=[{"type": "plane", "size": [9, 9]}],
            marker=[{"name": "post", "position": list(post)}],
        )
        + table("material", name="stuff", friction=friction)
        + table("input", name="push", unit="N")
    )


def rigid(shape: dict, height: float) -> str:
    placed = {"position": [0, 0, height], "collide": True, "material": "stuff", "shape": [shape]}
    return body("one", mass=MASS, inertia=[INERTIA] * 3, **placed) + table(
        "force", name="push", type="force", body="one", force_x="push"
    )


def spring(**keys) -> str:
    keys = {"a": "ground.post", "b": "one", "stiffness": STIFF, **keys}
    return table("force", name="spring", type="spring_damper", **keys)


BALL = on_the_floor() + rigid({"type": "sphere", "radius": RADIUS}, RADIUS) + spring(damping=DAMP, length=1.0)


@pytest.mark.parametrize("about", [pytest.param("start", marks=pytest.mark.slow), "static"])
def test_a_ball_that_rolls_on_a_spring(about):
    """(m + I/r²) s² + d s + k, and the same from a push to the acceleration; its friction is I/r² of that."""
    effective = MASS + INERTIA / RADIUS**2
    outputs = ["one.position.x", "one.velocity.x", "one.acceleration.x", "one.angular_velocity.y"]
    linear = mb.System.from_text(BALL).linearize(outputs=outputs, about=about)
    poles = linear.poles
    expected = np.roots([effective, DAMP, STIFF])
    assert sorted(poles[np.abs(poles) > 1e-3], key=np.imag) == pytest.approx(
        sorted(expected, key=np.imag), abs=1e-9
    )
    f = np.array([0.1, 0.7, 3.0])
    s = 2j * math.pi * f
    x = 1.0 / (effective * s**2 + DAMP * s + STIFF)
    response = linear.frequency_response(f)[:, :, 0]
    for column, exact in enumerate((x, s * x, s**2 * x, s * x / RADIUS)):
        assert np.abs(response[:, column] - exact).max() < 1e-9
    modes = mb.System.from_text(BALL).analyze("eigen", about=about).modes
    assert [mode.s for mode in modes if mode.s.imag > 0.0] == pytest.approx([max(expected, key=np.imag)])


def test_a_filter_takes_part_in_the_motion_of_a_ball():
    """ẋ = (position − x)/T and a force −c x: roots of (m_e s² + d s + k)(T s + 1) + c."""
    T, c = 0.4, 60.0
    text = BALL.replace('force_x = "push"', f'force_x = "push - {c}*slow"')
    text += table("state", name="slow", rate=f"(distance(ground.post, one) - 1 - slow)/{T}")
    poles = mb.System.from_text(text).linearize(about="static").poles
    effective = MASS + INERTIA / RADIUS**2
    expected = np.roots(np.polyadd(np.polymul([effective, DAMP, STIFF], [T, 1.0]), [c]))
    for one in expected:
        assert np.abs(poles - one).min() < 1e-8


def slope_force(x: float, gravity, post, friction=MU) -> float:
    """On a block at x on a floor, along x: weight, spring, and kinetic friction against its way there."""
    arm = np.array(post) - [x, 0.0, 0.1]
    length = float(np.linalg.norm(arm))
    pull = STIFF * (length - 1.0) * arm / length + MASS * np.array(gravity)
    return float(pull[0] + friction * pull[2])


def test_friction_of_a_block_that_has_slipped_follows_its_pressure():
    """A spring askew to the slope presses the less the farther the block is: ω² = −f'(x)/m."""
    slope = 1.6 * math.atan(MU)
    gravity, post = (G * math.sin(slope), 0.0, -G * math.cos(slope)), (-0.8, 0.0, 0.7)
    box = {"type": "box", "size": [0.4, 0.4, 0.2]}
    system = mb.System.from_text(on_the_floor(gravity, MU, post) + rigid(box, 0.1) + spring(length=1.0))
    x = brentq(slope_force, 0.0, 0.5, args=(gravity, post), xtol=1e-14)
    report = system.analyze("static")
    assert report.position[0, 0] == pytest.approx(x, abs=1e-9)
    h = 1e-4
    slopes = (slope_force(x + h, gravity, post) - slope_force(x - h, gravity, post)) / (2.0 * h)
    frequency = math.sqrt(-slopes / MASS)
    (mode,) = system.analyze("eigen").modes
    assert mode.omega == pytest.approx(frequency, rel=1e-7)
    assert system.linearize(about="static").poles.imag.max() == pytest.approx(frequency, rel=1e-7)
    # a constant friction would have another one
    ends = [slope_force(one, gravity, post, friction=0.0) for one in (x + h, x - h)]
    assert math.sqrt((ends[1] - ends[0]) / (2.0 * h) / MASS) != pytest.approx(frequency, rel=0.02)


def test_what_does_not_rest_at_its_contacts_is_refused():
    away = BALL.replace("position = [0, 0, 0.1]", "position = [0.01, 0, 0.1]")
    for asked in (lambda s: s.linearize(about="start"), lambda s: s.analyze("eigen", about="start")):
        with stopped(PhysicsError, "one"):
            asked(mb.System.from_text(away))
    with refused("body[0].collide"):
        mb.System.from_text(BALL).linearize(about="motion")
