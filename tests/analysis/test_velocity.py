"""Velocity analysis: redundant and conflicting initial velocities are named, and those used are the ones of a closed form."""

from __future__ import annotations

import numpy as np
import pytest
from small import slider_crank, system, table

from mbplugin.errors import SceneError


def door(handle) -> str:
    text = "[scene]\ngravity = [0, 0, 0]\n"
    text += table("body", name="door", mass=20.0, inertia=[2, 2, 2], velocity=[0, 1, 0], angular_velocity=[0, 0, 0])
    text += table("body", name="handle", mass=0.5, inertia=[0.1, 0.1, 0.1], position=[0.4, 0, 0], velocity=handle)
    return text + table("joint", name="screws", type="fixed", a="door", b="handle")


def test_a_conflicting_velocity_is_named_and_not_reflected():
    """Door vy = 1, handle vy = 2, screwed together: the door's holds, for it comes first."""
    report = system(door([0, 2, 0])).analyze("velocity")
    (dropped,) = [g for g in report.given if g.conflicts]
    assert (dropped.name, dropped.given) == ('body "handle" velocity y', 2.0)
    assert dropped.used == pytest.approx(1.0, abs=1e-14)
    np.testing.assert_allclose(report.velocity, [[0, 1, 0], [0, 1, 0]], atol=1e-14)
    assert 'body "handle" velocity y: given 2 m/s, but 1 m/s follows' in "\n".join(report.lines())


def test_a_redundant_velocity_that_agrees_is_listed_as_such():
    report = system(door([0, 1, 0])).analyze("velocity")
    assert [g.state for g in report.given] == ["kept"] * 6 + ["repeats, agrees"] * 3
    assert (report.rows, report.rank, report.free) == (15, 12, 0)


def test_velocities_that_turn_both_do_not_conflict():
    """With its turning left free, a door whose handle is twice as fast turns at (2 − 1) / 0.4 rad/s."""
    report = system(door([0, 2, 0]).replace("angular_velocity = [0.0, 0.0, 0.0]\n", "")).analyze("velocity")
    assert not any(g.conflicts for g in report.given)
    np.testing.assert_allclose(report.angular_velocity, [[0, 0, 2.5]] * 2, atol=1e-13)


def test_the_speed_of_a_start_moves_the_whole_mechanism():
    """Slider-crank: ẋ = −r ω sin θ (1 + r cos θ / √(l² − r² sin² θ))."""
    text = slider_crank(angle=None).replace('name = "main"\n', 'name = "main"\nstart = { angle = 0.7, speed = 4.0 }\n')
    report = system(text).analyze("velocity")
    s, c = 0.05 * np.sin(0.7), 0.05 * np.cos(0.7)
    assert report.velocity[2, 0] == pytest.approx(-4.0 * s * (1 + c / np.sqrt(0.04 - s**2)), abs=1e-12)
    assert report.free == 0 and report.residual < 1e-13


def test_a_given_velocity_against_a_motion_is_dropped():
    text = slider_crank().replace('name = "piston"\n', 'name = "piston"\nvelocity = [1.0, 0.0]\n')
    report = system(text).analyze("velocity")
    (dropped,) = [g for g in report.given if g.conflicts]
    assert dropped.name == 'body "piston" velocity x' and dropped.used == pytest.approx(0.0, abs=1e-13)


def test_the_frame_s_origin_and_not_the_mass_centre_has_the_given_velocity():
    text = "[scene]\ngravity = [0, 0, 0]\n"
    text += table("body", name="a", mass=1.0, inertia=[1, 2, 3], center_of_mass=[0.5, 0, 0], velocity=[0, 1, 0], angular_velocity=[0, 0, 2])
    report = system(text).analyze("velocity")
    np.testing.assert_allclose(report.velocity, [[0, 2, 0]], atol=1e-14)


def test_motions_that_contradict_each_other_are_named():
    text = slider_crank() + table("joint", name="second", type="pin", a="ground", b="crank") + table("motion", joint="second", angle="2.0*time")
    with pytest.raises(SceneError, match=r"second motion.*asks for the rate 2, but the joints and motions before it make it 3"):
        system(text).analyze("velocity")
