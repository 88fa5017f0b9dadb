"""Velocity analysis: redundant and conflicting initial velocities are named; used ones have closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import has, refused, stopped
from scene_text import NO_GRAVITY, body, hinge, joint, motion, pin, solver, with_keys
from small import slider_crank, system
from snapshots import same_message

from mbplugin.analysis.initial_state import initial_velocities
from mbplugin.api import load
from mbplugin.errors import PhysicsError
from mbplugin.run.loop import run_system
from mbplugin.run.prepare import prepare

LOPSIDED = NO_GRAVITY + body("a", mass=1.0, inertia=[1, 2, 3], center_of_mass=[0.5, 0, 0], velocity=[0, 1, 0])


def door(handle, angular_velocity=(0, 0, 0)) -> str:
    """A door of 1 m/s along y with a handle 0.4 m along x, whose given velocity is `handle`."""
    text = NO_GRAVITY
    text += body("door", mass=20.0, inertia=[2, 2, 2], velocity=[0, 1, 0], angular_velocity=angular_velocity)
    text += body("handle", mass=0.5, inertia=[0.1, 0.1, 0.1], position=[0.4, 0, 0], velocity=handle)
    return text + joint("screws", "fixed", "door", "handle")


def test_a_conflicting_velocity_is_named_and_not_reflected():
    """Door vy = 1, handle vy = 2, screwed together: the door's value is used, because it comes first."""
    report = system(door([0, 2, 0])).analyze("velocity")
    (dropped,) = [g for g in report.given if g.conflicts]
    assert (dropped.name, dropped.given) == ('body "handle" velocity y', 2.0)
    assert dropped.used == pytest.approx(1.0, abs=1e-14)
    np.testing.assert_allclose(report.velocity, [[0, 1, 0], [0, 1, 0]], atol=1e-14)
    assert (
        'body "handle" velocity y: given as 2 m/s, but 1 m/s follows from body "door" velocity y and '
        'body "door" angular_velocity z through screws; the given value is not used'
    ) in report.lines()


def test_a_redundant_velocity_that_agrees_is_listed():
    report = system(door([0, 1, 0])).analyze("velocity")
    assert [g.state for g in report.given] == ["kept"] * 6 + ["redundant, consistent"] * 3
    assert (report.rows, report.rank, report.free) == (15, 12, 0)
    # 0.4 m from the door's centre along x: y depends on the rotation about z, z on that about y, x on neither
    by = {g.name[-10:]: (g.by, g.through) for g in report.given if g.redundant}
    of = 'body "door" '
    assert by == {
        "velocity x": ((of + "velocity x",), ("screws",)),
        "velocity y": ((of + "velocity y", of + "angular_velocity z"), ("screws",)),
        "velocity z": ((of + "velocity z", of + "angular_velocity y"), ("screws",)),
    }


def test_a_run_starts_with_the_velocities_of_the_analysis(registry, tmp_path):
    text = door([0, 2, 0]) + solver(end=0.01)
    summary = run_system(system(text), tmp_path, registry)
    result = load(tmp_path)
    np.testing.assert_allclose(
        [result[name].velocity[0] for name in ("door", "handle")],
        system(text).analyze("velocity").velocity,
        atol=1e-14,
    )
    (dropped,) = summary.dropped
    assert has(dropped, '"handle"', "2 m/s", "1 m/s")
    same_message(dropped)
    messages = (tmp_path / "messages.txt").read_text()
    assert f"[warning] {dropped}" in messages
    assert "velocity x" not in messages  # a zero that holds anyway


def test_the_speed_of_a_start_takes_precedence_over_velocities_of_bodies(registry):
    """2 rad/s of the hinge give 0.8 m/s at the door's centre, 0.4 m away; the given 3 m/s are not used."""
    text = body("door", mass=20.0, inertia=[2, 2, 2], position=[0.4, 0, 0], velocity=[0, 3, 0])
    text += hinge("hinge", "ground", "door", start={"speed": 2.0})
    report = system(text).analyze("velocity")
    (dropped,) = [g for g in report.given if g.conflicts]
    assert (dropped.name, dropped.by, dropped.through) == (
        'body "door" velocity y',
        ('joint "hinge" start.speed',),
        ("hinge",),
    )
    np.testing.assert_allclose(report.velocity, [[0, 0.8, 0]], atol=1e-14)
    assembly = prepare(system(text), registry).assembly
    used = [g.used for g in report.given]
    assert [g.used for g in assembly.given] == pytest.approx(used, abs=1e-13)
    assert len(assembly.dropped) == 1


def test_given_velocities_of_a_large_model_must_fit(monkeypatch):
    """A model too large for sorting starts if all given velocities fit; otherwise the error names one."""
    monkeypatch.setattr(initial_velocities, "ALWAYS_SORTED", 3)
    monkeypatch.setattr(initial_velocities, "SORTED", 4)
    fits = door([0, 1, 0])
    assert system(fits).compile().v[[1, 7]] == pytest.approx([1, 1])
    with refused("velocity", hide=r"door|handle|by [\d.]+"):
        system(door([0, 2, 0])).compile()


def test_a_body_with_a_given_velocity_and_no_angular_one_does_not_turn():
    """Least energy would turn it about its mass centre, 0.5 m away; the given velocity decides."""
    scene = system(LOPSIDED)
    for w in (scene.analyze("velocity").angular_velocity[0], scene.compile().v[3:]):
        np.testing.assert_allclose(w, 0.0, atol=1e-14)


def test_velocities_that_need_a_rotation_do_not_conflict():
    """Without a given angular velocity, a door with a handle twice as fast turns at (2 − 1) / 0.4 rad/s."""
    report = system(door([0, 2, 0], angular_velocity=None)).analyze("velocity")
    assert not any(g.conflicts for g in report.given)
    np.testing.assert_allclose(report.angular_velocity, [[0, 0, 2.5]] * 2, atol=1e-13)


def test_the_speed_of_a_start_moves_the_whole_mechanism():
    """Slider-crank: ẋ = −r ω sin θ (1 + r cos θ / √(l² − r² sin² θ))."""
    text = slider_crank(angle=None, start={"angle": 0.7, "speed": 4.0})
    report = system(text).analyze("velocity")
    s, c = 0.05 * np.sin(0.7), 0.05 * np.cos(0.7)
    assert report.velocity[2, 0] == pytest.approx(-4.0 * s * (1 + c / np.sqrt(0.04 - s**2)), abs=1e-12)
    assert report.free == 0 and report.residual < 1e-13


def test_a_given_velocity_that_conflicts_with_a_motion_is_dropped():
    report = system(with_keys(slider_crank(), "piston", velocity=[1.0, 0.0])).analyze("velocity")
    (dropped,) = [g for g in report.given if g.conflicts]
    assert dropped.name == 'body "piston" velocity x' and dropped.used == pytest.approx(0.0, abs=1e-13)


def test_the_given_velocity_is_that_of_the_origin_of_the_body_frame():
    report = system(with_keys(LOPSIDED, "a", angular_velocity=[0, 0, 2])).analyze("velocity")
    np.testing.assert_allclose(report.velocity, [[0, 2, 0]], atol=1e-14)


def test_motions_that_contradict_each_other_are_named():
    text = slider_crank() + pin("second", "ground", "crank", 0) + motion("second", angle="2.0*time")
    with stopped(PhysicsError, "second", "main", "2.0 rad/s", "3.0 rad/s"):
        system(text).analyze("velocity")


def test_a_dropped_velocity_has_no_effect():
    """A ball joint off the mass centre gives the arm 1 m/s; the given 2 m/s do not rotate it either."""
    text = NO_GRAVITY
    text += body("cart", mass=20.0, inertia=[2, 2, 2], velocity=[0, 1, 0], angular_velocity=[0, 0, 0])
    text += body("arm", mass=1.0, inertia=[0.1, 0.1, 0.1], center_of_mass=[0.5, 0, 0], velocity=[0, 2, 0])
    text += joint("ball", "ball", "cart", "arm")
    report = system(text).analyze("velocity")
    assert [g.name for g in report.given if g.conflicts] == ['body "arm" velocity y']
    np.testing.assert_allclose(report.velocity, [[0, 1, 0], [0, 1, 0]], atol=1e-13)
    np.testing.assert_allclose(report.angular_velocity, 0.0, atol=1e-13)
