"""Kinematic analysis: closed forms, derivatives of positions, counts of motions, and its cost."""

from __future__ import annotations

import re
import time

import numpy as np
import pytest
from refusals import refused, stopped
from scene_text import NO_GRAVITY, SCENES, body, hinge, motion, pin, solver
from small import slider_crank, system

import mbplugin as mb
from mbplugin.errors import PhysicsError

#: where and how fast a mechanism stops depends on the last step
FIGURES = r"-?[\d.]+(e[-+]?\d+)? (?=rad|m\b|m/s|s\b)|the (step has|motion div)[^(]*"


def test_rates_are_the_differences_of_positions():
    """Fourth-order central differences of the positions at 4,000 times, for an angle that is no constant
    rate.
    """
    report = system(slider_crank(angle="2*sin(1.7*time) + time**2")).analyze("kinematic", positions=4001)
    h = report.states.time[1]
    first = lambda x: (8 * (x[3:-1] - x[1:-3]) - (x[4:] - x[:-4])) / (12 * h)
    for name in ("crank", "rod", "piston"):
        body = report.body(name)
        for value, rate in (
            ("position", "velocity"),
            ("velocity", "acceleration"),
            ("angular_velocity", "angular_acceleration"),
        ):
            scale = np.abs(body[rate]).max() + 1e-3
            np.testing.assert_allclose(first(body[value]), body[rate][2:-2], atol=1e-9 * scale)


def test_three_dimensions_and_redundant_rows_make_no_difference():
    """A four-bar of revolutes (three rows too many) moves as the planar one."""
    r = (0.3, 0.5, 0.4)
    a0 = 1.1
    crank = r[0] * np.array([np.cos(a0), np.sin(a0)])
    # the closed form of the rocker: circles of r1 about the crank's end and of r2 about (0.55, 0)
    far = np.array([0.55, 0.0])

    def elbow(angle):
        p = r[0] * np.array([np.cos(angle), np.sin(angle)])
        d = far - p
        c = np.linalg.norm(d)
        x = (r[1] ** 2 - r[2] ** 2 + c**2) / (2 * c)
        u = d / c
        return p + x * u + np.sqrt(r[1] ** 2 - x**2) * np.array([-u[1], u[0]])

    top = elbow(a0)
    text = NO_GRAVITY
    places = [np.zeros(2), crank, top, far]
    for i in range(3):
        text += body(f"bar{i}", position=[*((places[i] + places[i + 1]) / 2), 0])
    for i, place in enumerate(places):
        a, b = f"bar{i - 1}" if i else "ground", f"bar{i}" if i < 3 else "ground"
        text += hinge(f"hinge{i}", a, b, at=[*place, 0])
    text += motion("hinge0", angle="1.9*time") + solver(end=4.0)
    report = system(text).analyze("kinematic", positions=300)
    assert (report.count.joint_rows, report.count.rank) == (20, 18)
    for k in range(0, 300, 7):
        angle = a0 + 1.9 * report.states.time[k]
        exact = (r[0] * np.array([np.cos(angle), np.sin(angle)]) + elbow(angle)) / 2
        np.testing.assert_allclose(report.body("bar1")["position"][k, :2], exact, atol=1e-11)


def test_no_python_runs_between_positions():
    """Ten thousand positions take less than 3 s of processor time."""
    scene = mb.System.from_file(SCENES / "piston_crank_kinematics")
    start = time.process_time()
    report = scene.analyze("kinematic", positions=10_000)
    assert len(report.states.time) == 10_000 and report.steps.max() <= 2
    assert time.process_time() - start < 3.0


def test_missing_motions_are_counted_and_named():
    with refused("motion", "0 given", hide=r"drive [\w.]+"):
        system(slider_crank(angle=None)).analyze("kinematic")


def test_a_freedom_without_a_coordinate_is_named_by_its_body():
    """A rod between two balls spins about itself."""
    with refused("motion", "1 given"):
        mb.System.from_file(SCENES / "piston_crank").analyze("kinematic")


def test_excess_motions_are_counted_and_named():
    """Whether they contradict each other or agree."""
    second = slider_crank() + pin("second", "ground", "crank", 0)
    with refused("motion", "2 given"):
        system(second + motion("second", angle="3.0*time")).analyze("kinematic")
    with stopped(PhysicsError, "second", "0.2 rad", "0.0 rad"):
        system(second + motion("second", angle="0.2")).analyze("kinematic")


def test_a_rate_alone_is_refused():
    with refused("motion[0].angle_velocity", 3.0):
        system(slider_crank(angle=None) + motion("main", angle_velocity=3.0)).analyze("kinematic")


def test_a_crank_that_cannot_turn_fully_stops_at_its_geometric_limit():
    """The throw is longer than the rod: the crank stands still where the pin leaves the reach of the rod, sin
    θ = rod / throw.
    """
    text = slider_crank(throw=0.2, rod=0.05, angle="0.5*time")
    limit = np.arcsin(0.25) / 0.5
    with stopped(PhysicsError, "main.angle", '"main"', "1 mm", "(0, 1, 0)", hide=FIGURES) as caught:
        system(text).analyze("kinematic", positions=20_001)
    assert caught.value.time == pytest.approx(limit, abs=2e-4)
    # sin θ = (rod − δ) / throw with the crank's pin moved by δ across the slide: δθ = δ / (throw cos θ)
    limit, change = map(float, re.findall(r"([\d.]+) rad", str(caught.value)))
    assert limit == pytest.approx(np.arcsin(0.25), abs=2e-4)
    assert change == pytest.approx(1e-3 / (0.2 * np.sqrt(1 - 0.25**2)), rel=0.02)


def test_a_run_stops_there_too_and_refers_to_kinematic_analysis():
    text = slider_crank(throw=0.2, rod=0.05, angle="0.5*time", mass=1.0, inertia=0.01)
    sim = system(text).simulate()
    with stopped(PhysicsError, "main.angle", "kinematic", hide=FIGURES) as caught:
        sim.step(2.0)
    assert caught.value.time == pytest.approx(np.arcsin(0.25) / 0.5, abs=1e-6)


def test_a_crank_drives_through_dead_centre_and_a_piston_does_not():
    """Driven by the crank the slider-crank passes θ = π regularly; driven by the piston it stops at θ = 0,
    where no crank angle follows from the piston.
    """
    through = system(slider_crank(angle="3.0*time")).analyze("kinematic", positions=501)
    assert 3.0 * through.states.time[-1] > np.pi and through.count.rank == 9
    bent = 0.05 * np.cos(1.0) + np.sqrt(0.2**2 - (0.05 * np.sin(1.0)) ** 2) - 0.25
    by_piston = slider_crank(angle=None, start={"angle": 1.0})
    by_piston += motion("bore", length=f"{float(bent)!r}*cos(3*time)")
    with stopped(PhysicsError, "main", hide=FIGURES) as caught:
        system(by_piston).analyze("kinematic", positions=2001)
    assert caught.value.time == pytest.approx(np.pi / 6, abs=2e-3)
    with stopped(PhysicsError, "bore", hide=FIGURES):
        system(slider_crank(angle=None) + motion("bore", length="-0.01*time")).analyze("kinematic")
