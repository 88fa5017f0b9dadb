"""Limits that are not reached at one position change nothing in its analyses."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import stopped
from scene_text import body, joint, solver, torque, world

import mbplugin as mb
from mbplugin.errors import PhysicsError

K, START = 8.0, 3.5


def wheel(**keys) -> mb.System:
    """A wheel of 2 kg m² that a spring and a torque hold at 3.4 rad; it starts at 3.5 rad, > π."""
    text = world(gravity=[0, 0, 0]) + body("wheel", mass=1, inertia=[1, 1, 2])
    keys = {"stiffness": K, "rest": 3.3, "start": {"angle": START}} | keys
    text += joint("pin", "revolute", "ground", "wheel", axis=[0, 0, 1], **keys)
    return mb.System.from_text(text + torque("wheel", z=0.1 * K) + solver(end=1))


def test_limits_that_are_open_change_nothing():
    free, limited = wheel(), wheel(limits=[3.0, 4.0])
    for what in ("static", "acceleration"):
        one, other = (system.analyze(what) for system in (free, limited))
        np.testing.assert_allclose(one.states.q, other.states.q, rtol=0, atol=1e-14)
        np.testing.assert_array_equal(one.states.v_dot, other.states.v_dot)
    (mode,) = limited.analyze("eigen").modes
    assert mode.omega == pytest.approx(np.sqrt(K / 2))
    linear = limited.linearize(about="static")
    assert linear.states == ["pin.angle", "rate(pin.angle)"]
    np.testing.assert_array_equal(linear.A, free.linearize(about="static").A)


def test_limits_that_are_reached_without_load_are_told():
    """The equilibrium is 3.4 rad, the start 3.5 rad; a start at a limit does not keep it from being found."""
    at_rest, at_start = wheel(limits=[3.0, 3.4], start={"angle": 3.35}), wheel(limits=[3.3, 3.5])
    for what in ("static", "eigen", "acceleration"):
        at_start.analyze(what)
    with stopped(PhysicsError, 0):  # the mobility
        at_rest.linearize(about="static")
    linear = at_rest.linearize(about="static", side="open")
    assert any("pin.angle.upper_limit" in text for text in linear.messages)
    np.testing.assert_allclose(linear.A, [[0, 1], [-K / 2, 0]], atol=1e-9)


def test_soft_limits_stay_where_hard_ones_are_left_out():
    text = world(gravity=[0, 0, -10]) + body("nut", mass=2, inertia=[1, 1, 1])
    keys = {"limits": {"length": [-0.1, 1.0], "angle": [-1.0, 1.0]}, "stop_stiffness": {"length": 100.0}}
    text += joint("bolt", "cylindrical", "ground", "nut", axis=[0, 0, 1], **keys)
    assert mb.System.from_text(text).analyze("static").position[0][2] == pytest.approx(-0.3)
