"""Linear models and modes where rows have bounds: what holds is an equality, what is open is left out, and
what slips exerts a force that follows pressure and direction.
"""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from scene_text import body, force, hinge, joint, table, world

import mbplugin as mb
from mbplugin.errors import PhysicsError

M, m, l, I, g = 2.0, 0.5, 0.3, 0.02, 9.81


def cart(push: float = 0.0, text: str = "", **keys) -> mb.System:
    """A cart on a rail along x, which a force pushes, with a pendulum of length l below it."""
    scene = world(gravity=[0, 0, -g]) + body("cart", mass=M, inertia=[0.1, 0.1, 0.1])
    scene += body("bob", mass=m, inertia=[I, I, I], position=[0, 0, -l])
    scene += joint("rail", "translational", "ground", "cart", axis=[1, 0, 0], **keys)
    scene += hinge("pin", "cart", "bob", axis=[0, 1, 0])
    return mb.System.from_text(scene + (force("cart", x=push) if push else "") + text)


HELD = np.sqrt(m * g * l / (I + m * l * l))
FREE = np.sqrt(m * g * l / (I + m * l * l - (m * l) ** 2 / (M + m)))


@pytest.mark.parametrize(
    ("keys", "omega"),
    [
        ({"push": 3.0, "limits": [-0.5, 0.0]}, HELD),
        ({"push": 0.0, "limits": [-0.5, 0.5]}, FREE),
        ({"push": 1.0, "friction_force": 3.0}, HELD),
        ({"push": 0.0, "friction": 0.3}, HELD),
        ({"push": -3.0, "one_way": "positive"}, HELD),
    ],
    ids=["pressed", "open", "sticks", "sticks by a coefficient", "locked"],
)
def test_what_holds_is_an_equality(keys, omega):
    system = cart(**keys)
    for about in ("start", "motion"):
        linear = system.linearize(about=about)
        assert np.abs(linear.poles).max() == pytest.approx(omega, rel=1e-9)
        assert len(linear.states) == (4 if omega == FREE else 2)
        modes = system.analyze("eigen", about=about).modes
        assert modes[-1].omega == pytest.approx(omega, rel=1e-9)
    if "friction" not in keys:
        assert np.abs(system.linearize(about="static").poles).max() == pytest.approx(omega, rel=1e-9)


def test_a_taut_rope_swings_and_a_slack_one_does_nothing():
    scene = world(gravity=[0, 0, -g]) + body("bob", type="point", mass=m, position=[0, 0, -0.8])
    scene += joint("taut", "rope", "ground", "bob", length=0.8)
    scene += table("joint", name="slack", type="rope", a="ground", b="bob", at=[0.5, 0, 0], length=1.5)
    system = mb.System.from_text(scene)
    for about in ("start", "static"):
        poles = system.linearize(about=about).poles
        np.testing.assert_allclose(poles.imag**2, np.full(4, g / 0.8), rtol=1e-9)
        frequencies = system.analyze("eigen", about=about).frequencies
        np.testing.assert_allclose(frequencies, np.full(2, np.sqrt(g / 0.8)), rtol=1e-9)


def test_a_row_that_is_closed_without_load_has_a_model_on_each_side():
    """The spring of the cart is at rest where its limit is: closed, the cart is held; open, it is free."""
    system = cart(stiffness=40.0, limits=[-0.5, 0.0])
    closed, opened = system.linearize(), system.linearize(side="open")
    assert "rail.length.upper_limit" in closed.messages[0] and "rail.length.upper_limit" in opened.messages[0]
    assert np.abs(closed.poles).max() == pytest.approx(HELD, rel=1e-9)
    mass, stiffness = np.array([[M + m, -m * l], [-m * l, I + m * l * l]]), np.diag([40.0, m * g * l])
    expected = np.repeat(np.sort(np.linalg.eigvals(np.linalg.solve(mass, stiffness))), 2)
    np.testing.assert_allclose(np.sort(opened.poles.imag**2), expected, rtol=1e-9)
    for about in ("static", "start"):
        assert system.analyze("eigen", about=about).frequencies == pytest.approx([HELD], rel=1e-9)
        report = system.analyze("eigen", about=about, side="open")
        np.testing.assert_allclose(report.frequencies**2, expected[::2], rtol=1e-9)
        assert any("rail.length.upper_limit" in text for text in report.messages)
    with refused("side"):
        system.linearize(side="left")


def test_what_slips_follows_its_pressure():
    """ẍ = −μ (m g + k x + c ẋ)/m."""
    mu, k, c = 0.3, 12.0, 4.0
    scene = world(gravity=[0, 0, -g]) + body("block", mass=M, inertia=[0.1, 0.1, 0.1])
    scene += joint(
        "rail", "translational", "ground", "block", axis=[1, 0, 0], friction=mu, start={"speed": 1.5}
    )
    scene += force("block", z=f"-{k}*rail.length-{c}*rate(rail.length)")
    system = mb.System.from_text(scene)
    linear = system.linearize(about="motion")
    np.testing.assert_allclose(linear.A, [[0, 1], [-mu * k / M, -mu * c / M]], atol=1e-9)
    later = system.linearize(about="motion", time=0.1)
    np.testing.assert_allclose(later.A, linear.A, atol=1e-9)
    assert later.operating_point["rail.length"] == pytest.approx(0.14, abs=0.01)
    s = np.sort_complex([mode.s for mode in system.analyze("eigen", about="motion", frame="world").modes])
    np.testing.assert_allclose(s, np.sort_complex(np.roots([1, mu * c / M, mu * k / M]))[1:], atol=1e-8)


def test_across_the_slip_friction_is_a_damper():
    """−μ N (I − ŵŵᵀ)/|w|: across the slip of 2 m/s, in metres and in the masses' unit motions."""
    mu, w = 0.4, np.array([1.2, 1.6])
    scene = world(gravity=[0, 0, -g]) + body("block", type="point", mass=M, velocity=[*w, 0])
    slip = ["rate(component_x(ground, block))", "rate(component_y(ground, block))"]
    scene += table(
        "joint", name="floor", type="unilateral", gap="component_z(ground, block)", slip=slip, friction=mu
    )
    names = [f"block.{what}.{k}" for what in ("velocity", "acceleration") for k in "xy"]
    linear = mb.System.from_text(scene).linearize(names, about="motion")
    speeds, rates = linear.C[:2, 2:], linear.C[2:, 2:]
    across = np.eye(2) - np.outer(w, w) / (w @ w)
    np.testing.assert_allclose(rates @ np.linalg.inv(speeds), -mu * g / np.linalg.norm(w) * across, atol=1e-8)
    np.testing.assert_allclose(linear.A[2:, :2], 0.0, atol=1e-9)


def test_a_motion_of_limited_effort_that_gives_way_is_a_constant_force():
    """At its bound the drive does not hold: the cart is free."""
    drive = table("motion", joint="rail", length="0", effort_limit=1.0)
    held, moves = cart(0.5, drive), cart(2.0, drive)
    assert held.linearize().states == ["pin.angle", "rate(pin.angle)"]
    with pytest.raises(PhysicsError, match="no equilibrium"):
        moves.linearize()
    assert np.abs(moves.linearize(about="motion").poles).max() == pytest.approx(FREE, rel=1e-6)
