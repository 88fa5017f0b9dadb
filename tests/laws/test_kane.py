"""Kane's equations in speeds of one's own, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from child import inside
from discs import SteadyCircle
from refusals import has
from scene_text import SCENES, body, joint, solver, world

import mbplugin as mb
from mbplugin.errors import SceneError

G = 9.81


def hinge(name, a, b, x, start):
    return joint(name, "revolute", a, b, at=[x, 0, 0], axis=[0, -1, 0], start=start)


def arm():
    """Two links of 1 m and 0.6 m that turn about −y; angles 0.7 rad apart, first one 0.2 rad above x."""
    text = (
        world(gravity=[0, 0, -G])
        + body("one", mass=2.0, inertia=[0.1, 0.12, 0.14], position=[0.5, 0, 0])
        + body("two", mass=1.0, inertia=[0.05, 0.06, 0.07], position=[1.3, 0, 0])
        + joint(
            "shoulder",
            "revolute",
            "ground",
            "one",
            at=[0, 0, 0],
            axis=[0, -1, 0],
            start={"angle": 0.2, "speed": 1.3},
        )
        + joint(
            "elbow",
            "revolute",
            "one",
            "two",
            at=[1, 0, 0],
            axis=[0, -1, 0],
            start={"angle": 0.7, "speed": -0.4},
        )
        + solver(end=1.0)
    )
    return mb.System.from_text(text).compile()


def arm_by_hand():
    """M, b, F of the rates of both joint angles (Lagrange's equations of two links)."""
    c, s = np.cos(0.7), np.sin(0.7)
    outer = 0.06 + 0.3**2
    M = np.array([[0.12 + 0.5**2 * 2 + 1 + outer + 0.6 * c, outer + 0.3 * c], [outer + 0.3 * c, outer]])
    first, second = 1.3, -0.4
    b = 0.3 * s * np.array([-second * (2 * first + second), first**2])
    tip = -G * 0.3 * np.cos(0.9)
    return M, b, np.array([-G * (2 * 0.5 + 1) * np.cos(0.2) + tip, tip])


def test_a_two_link_arm():
    found = arm().kane({"u1": "rate(shoulder.angle)", "u2": "rate(elbow.angle)"})
    M, b, F = arm_by_hand()
    np.testing.assert_allclose(found.mass_matrix, M, rtol=1e-12)
    np.testing.assert_allclose(found.bias, b, rtol=1e-11)
    np.testing.assert_allclose(found.active_forces, F, rtol=1e-12)
    np.testing.assert_allclose(found.u, [1.3, -0.4], rtol=1e-12)
    np.testing.assert_allclose(found.active_forces + found.inertia_forces, 0.0, atol=1e-12)


def test_a_choice_of_speeds_transforms_the_equations():
    """u = W q̇: M_u = W⁻ᵀ M W⁻¹, F_u = W⁻ᵀ F; the absolute rates of the links decouple gravity."""
    found = arm().kane({"first": "rate(shoulder.angle)", "both": "rate(shoulder.angle) + rate(elbow.angle)"})
    M, b, F = arm_by_hand()
    back = np.linalg.inv([[1.0, 0.0], [1.0, 1.0]])
    np.testing.assert_allclose(found.mass_matrix, back.T @ M @ back, rtol=1e-11)
    np.testing.assert_allclose(found.bias, back.T @ b, rtol=1e-11)
    np.testing.assert_allclose(found.active_forces, back.T @ F, rtol=1e-12)
    assert found.speeds == ["first", "both"]


def test_a_spinning_top():
    """With a point fixed, M_u = Bᵀ I B for ω = B u, F = Bᵀ (l k × m g), and I ω̇ = l k × m g − ω × I ω; the
    speeds are two of the centre and that of the angle about the vertical.
    """
    lean, l, spin = 0.6, 0.5, 12.0
    k = np.array([np.sin(lean), 0, np.cos(lean)])
    w = np.array([0.3, -0.2, 0.0]) + spin * k
    A, C, m = 0.02, 0.03, 1.5
    text = (
        world(gravity=[0, 0, -G])
        + body(
            "top",
            mass=m,
            inertia=[A, A, C],
            position=l * k,
            orientation={"z": k, "x": np.cross(k, [0, 1, 0])},
            velocity=np.cross(w, l * k),
            angular_velocity=w,
            marker=[{"name": "foot", "position": [0, 0, -l]}],
        )
        + joint("point", "ball", "ground", "top.foot")
        + solver(end=1.0)
    )
    problem = mb.System.from_text(text).compile()
    speeds = {"x": "rate(component_x(ground, top))", "y": "rate(component_y(ground, top))"}
    found = problem.kane({**speeds, "turn": "rate(angle(ground, top))"})
    # ẋ = ω × l k, and the rate of the measure `angle` is g·ω, for e = x of the body and z of the ground
    e, z = np.cross(k, [0, 1, 0]) / np.linalg.norm(np.cross(k, [0, 1, 0])), np.array([0, 0, 1.0])
    axes = np.column_stack([e, np.cross(k, e), k])
    flat = e - (e @ z) * z
    to_u = np.vstack([np.cross(np.eye(3), l * k).T[:2], z - (e @ z) / (flat @ flat) * flat])
    B = np.linalg.inv(to_u)
    inertia = axes @ np.diag([A + m * l**2, A + m * l**2, C]) @ axes.T
    np.testing.assert_allclose(found.u, to_u @ w, rtol=1e-12)
    np.testing.assert_allclose(found.mass_matrix, B.T @ inertia @ B, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(
        found.active_forces, B.T @ np.cross(l * k, [0, 0, -m * G]), rtol=1e-11, atol=1e-12
    )
    # Euler's equation about the foot: I ω̇ = −ω × I ω + moment
    w_dot = np.linalg.solve(inertia, np.cross(l * k, [0, 0, -m * G]) - np.cross(w, inertia @ w))
    x_dot_dot = np.cross(w_dot, l * k) + np.cross(w, np.cross(w, l * k))
    np.testing.assert_allclose(found.accelerations[:2], x_dot_dot[:2], rtol=1e-11)


def test_a_rolling_disc_in_a_steady_circle():
    """Heading and turns at constant rates, the lean constant: all u̇ are zero, and F_r = −F_r* of gyroscopic
    moments (the balance of `discs.SteadyCircle`).
    """
    circle = SteadyCircle(lean=1.1, precession=2.0)
    problem = mb.System.from_text(circle.scene()).compile()
    found = problem.kane(
        {
            "heading": "rate(rolls.heading)",
            "turns": "rate(rolls.angle)",
            "lean": "rate(dot_zz(ground.floor, disc.centre))",
        }
    )
    np.testing.assert_allclose(
        found.u, [circle.precession, circle.spin - circle.precession * np.cos(circle.lean), 0], atol=1e-12
    )
    np.testing.assert_allclose(found.accelerations, 0.0, atol=1e-10)
    np.testing.assert_allclose(found.bias, found.active_forces, atol=1e-11)


@pytest.mark.parametrize(
    ("speeds", "says"),
    [
        ({"u": "rate(shoulder.angle)"}, "the system has 2 degrees of freedom at this state; give 2 speeds"),
        (
            {"u": "rate(shoulder.angle)", "v": "2*rate(shoulder.angle)"},
            "are singular at this state: all of them may be zero while",
        ),
        ({"u": "shoulder.angle", "v": "rate(elbow.angle)"}, '"u" reads no rate'),
        ({"u": "rate(shoulder.angle)**2", "v": "rate(elbow.angle)"}, "is not linear in its rates"),
    ],
)
def test_speeds_that_do_not_do(speeds, says):
    with pytest.raises(SceneError) as caught:
        arm().kane(speeds)
    assert has(str(caught.value), says) or says in str(caught.value)


def test_explain_prints_them(tmp_path):
    names = mb.System.from_file(SCENES / "double_pendulum").compile().names.joints
    speeds = [x for k, j in enumerate(names) for x in ("--speed", f"u{k} = rate({j.name}.angle)")]
    done = inside("explain", str(SCENES / "double_pendulum"), "-o", "out", *speeds, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "out" / "equations.md").read_text()
    assert "## Kane's equations" in page and page.count(r"\begin{bmatrix}") > 8
    done = inside("explain", str(SCENES / "double_pendulum"), "--speed", "u1", cwd=tmp_path)
    assert done.returncode == 2 and "--speed" in done.stderr
