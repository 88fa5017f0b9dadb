"""Inverse dynamics and back: the computed drives make the mechanism follow the given motion."""

from __future__ import annotations

import re
import runpy

import numpy as np
import pytest
from refusals import refused
from scene_text import PLANAR_GRAVITY, SCENES, body, motion, pin, solver, table, torque
from small import slider_crank, system

import mbplugin as mb
from mbplugin.analysis.kinematics.inverse import inverse


def test_accelerations_under_the_drives_are_those_of_the_motion():
    """The arm without its motions, with the computed torques on both bodies of each hinge: M v̇ = h + Bᵀτ +
    Gᵀλ.
    """
    scene = mb.System.from_file(SCENES / "robot_arm_inverse")
    report = scene.analyze("inverse", positions=60)
    free = scene.model_copy(update={"motions": []}).compile()
    for k in range(60):
        q, v = report.states.q[k], report.states.v[k]
        t = float(report.states.time[k])
        M, h = free.mass(q), free.forces(t, q, v)
        G, gamma = free.constraints(t, q, v)
        for i, tau in enumerate(report.drive[k]):
            # a hinge's axis is the same in both of its bodies, whose frames are parallel at angle 0 and are
            # their principal axes
            axis = np.array(scene.joints[i].axis)
            h[6 * i + 3 : 6 * i + 6] += tau * axis
            if i:
                h[6 * i - 3 : 6 * i] -= tau * axis
        n, c = len(h), len(gamma)
        whole = np.block([[M, -G.T], [G, np.zeros((c, c))]])
        a = np.linalg.solve(whole, np.concatenate([h, gamma]))[:n]
        np.testing.assert_allclose(
            a, report.states.v_dot[k], atol=1e-9 * np.abs(report.states.v_dot[k]).max()
        )


def polynomial(values, times) -> str:
    """An expression that is `values` at Chebyshev points of [0, 1], by Horner's rule in u = 2 t − 1."""
    c = np.polynomial.chebyshev.cheb2poly(
        np.polynomial.chebyshev.chebfit(2 * times - 1, values, len(times) - 1)
    )
    text = repr(float(c[-1]))
    for value in c[-2::-1]:
        text = f"({text}*(2*time - 1) + {float(value)!r})"
    return text


def test_a_run_under_the_drives_follows_the_motion_for_a_second(tmp_path):
    """Planar two-link arm: torques at Chebyshev points make polynomials, which drive the free arm from the
    same start; the angles return within 1e-9.
    """
    angles = ("0.4*time**2 + 0.3*sin(2*time)", "-0.9*time + 0.5*sin(3*time)")
    bodies = PLANAR_GRAVITY
    for i in range(2):
        bodies += body(f"link{i}", type="planar", mass=1.5 - 0.4 * i, inertia=0.08, position=[0.5 + i, 0])
        bodies += pin(f"pin{i}", f"link{i - 1}" if i else "ground", f"link{i}", i, start={"speed": 0.6})
    settings = solver(type="rk", integrator="dop853", tolerance=1e-12, end=1.0)
    settings += table("output", frames=2, series=False)
    driven = system(bodies + "".join(motion(f"pin{i}", angle=a) for i, a in enumerate(angles)) + settings)
    n = 26
    points = 0.5 - 0.5 * np.cos(np.pi * np.arange(n + 1) / n)
    drive = inverse(driven.compile(), driven, points).drive
    assert np.abs(drive).max() > 5.0
    first, second = (polynomial(drive[:, i], points) for i in range(2))
    drives = torque("link0", z=first) + torque("link1", z=second) + torque("link0", z=f"-({second})")
    result = system(bodies + drives + settings).run(tmp_path / "out")
    for i, expected in enumerate((0.4 + 0.3 * np.sin(2.0), -0.9 + 0.5 * np.sin(3.0))):
        assert result.coordinate(f"pin{i}.angle").value[-1] == pytest.approx(expected, abs=1e-9)


def test_power_of_the_drives_is_the_change_of_energy():
    """Slider-crank with masses: ∫ drive · speed dt = ΔE, by Simpson's rule."""
    angle = "1.5*time**2 - 0.2*time**3"
    scene = system(slider_crank(angle=angle, world=PLANAR_GRAVITY, mass=1.3, inertia=0.02))
    report = scene.analyze("inverse", positions=2001)
    power = (report.drive * report.speed).sum(axis=1)
    h = report.states.time[1]
    work = h / 3 * (power[0] + power[-1] + 4 * power[1:-1:2].sum() + 2 * power[2:-1:2].sum())
    problem = scene.compile()

    def energy(k):
        q, v = report.states.q[k], report.states.v[k]
        problem.set_state(0.0, q, v)
        return 0.5 * v @ problem.mass(q) @ v + 1.3 * 9.81 * q[1::3].sum()

    assert work == pytest.approx(energy(-1) - energy(0), rel=1e-9)


def test_inverse_analysis_without_motions_is_refused():
    with refused("motion", "none"):
        system(slider_crank(angle=None, mass=1, inertia=1)).analyze("inverse")


def test_an_arm_at_rest_is_held_against_its_weight():
    """The six-axis arm with constant angles, against the Newton-Euler recursion of the scene."""
    angles = [0.4, 0.3, -0.7, 0.5, 0.9, -0.2]
    folder = SCENES / "robot_arm_inverse"
    recursion = runpy.run_path(str(folder / "truth.py"))["torques"]
    recursion.__globals__["ANGLES"] = [lambda t, a=a: (a, 0.0, 0.0) for a in angles]
    given = iter(angles)
    text = re.sub(r'angle = ".*"', lambda _: f"angle = {next(given)}", (folder / "scene.toml").read_text())
    scene = system(text)
    assert [motion.expression for motion in scene.motions] == angles
    exact = recursion(0.0)
    report = scene.analyze("inverse", positions=30)
    np.testing.assert_allclose(report.drive, np.tile(exact, (30, 1)), atol=1e-10)
    np.testing.assert_array_equal(report.speed, 0.0)
    np.testing.assert_array_equal(scene.analyze("inverse", positions=1).drive, report.drive[:1])
    for what in ("acceleration", "static"):
        other = scene.analyze(what)
        assert other.motions == report.motions and other.units == report.units == ["N m"] * 6
        np.testing.assert_allclose(other.drive, exact, atol=1e-10)
        assert "upper_arm_hinge.angle" in str(other)
    assert max(scene.analyze("acceleration").residuals) < 1e-13
