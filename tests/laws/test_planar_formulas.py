"""Rows of planar joints are the formulas printed in books, entry by entry."""

from __future__ import annotations

import numpy as np
import pytest
from scene_text import NO_GRAVITY, body, joint, motion


def turn(angle):
    """A, with a complex angle too."""
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def slope(angle):
    """B = dA/dθ."""
    return turn(angle + np.pi / 2)


def planar_body(name, place, angle, points):
    """`points`: markers by name, and where they are on the body."""
    markers = [{"name": point, "position": at} for point, at in points.items()]
    orientation = {"angle": float(angle)}
    return body(
        name, type="planar", mass=1.3, inertia=0.4, position=place, orientation=orientation, marker=markers
    )


def link(kind, a, b, **keys):
    """A joint that is named by the first letters of what it joins."""
    return joint(a[0] + b[0], kind, a, b, **keys)


@pytest.mark.parametrize("seed", range(3))
def test_a_planar_revolute_is_the_vector_loop_at_three_levels(runs, seed):
    """Φ = r₁ + A₁ s₁ − r₂ − A₂ s₂,   Φ_q = [I, B₁ s₁, −I, −B₂ s₂],   γ = A₁ s₁ θ₁'² − A₂ s₂ θ₂'²;  ours is
    minus that, in the axes of body 1.
    """
    random = np.random.default_rng(seed)
    s1, s2 = random.normal(size=(2, 2))
    text = (
        NO_GRAVITY
        + planar_body("one", [0, 0], 0, {"P": s1})
        + planar_body("two", s1 - s2, 0, {"P": s2})
        + link("pin", "one.P", "two.P")
    )
    problem = runs.prepare(text).problem
    # anywhere, as long as the loop closes: r₂ and its rate follow
    (r1, v1), (a1, a2), (w1, w2) = random.normal(size=(2, 2)), random.normal(size=2), random.normal(size=2)
    r2, v2 = r1 + turn(a1) @ s1 - turn(a2) @ s2, v1 + slope(a1) @ s1 * w1 - slope(a2) @ s2 * w2
    q, v = np.array([*r1, a1, *r2, a2]), np.array([*v1, w1, *v2, w2])
    to_world = -turn(a1)
    jacobian = np.column_stack([np.eye(2), slope(a1) @ s1, -np.eye(2), -slope(a2) @ s2])
    gamma = turn(a1) @ s1 * w1**2 - turn(a2) @ s2 * w2**2
    G, ours = problem.constraints(0.0, q, v)
    np.testing.assert_allclose(to_world @ G, jacobian, atol=1e-12)
    np.testing.assert_allclose(to_world @ ours, gamma, atol=1e-12)
    phi, rate = problem.residuals(0.0, q, v)
    np.testing.assert_allclose([phi, rate], 0.0, atol=1e-12)
    # and off the loop
    gap = np.array([0.3, -0.2])
    off = np.concatenate([r1 + gap, q[2:]])
    np.testing.assert_allclose(to_world @ problem.residuals(0.0, off, v)[0], gap, atol=1e-12)


THROW, NEAR, FAR, HEAD, BORE, RATE = 43.0, 41.3, 102.6, 28.0, 156.8, 314.0
#: where the wrist pin is on the rod: on one line with the crank pin, or square to it, as the printed
#: equations have it
READINGS = {"straight": np.array([FAR, 0.0]), "square": np.array([0.0, FAR])}


def piston_crank(wrist, angle):
    """Bodies A (block), B (piston), C (rod), D (crank), E (bearing), lengths in millimetres taken for metres;
    D at `angle` at t = 0.
    """
    crank_pin = turn(angle) @ [0, THROW]
    leg = wrist + np.array([NEAR, 0])
    length = np.hypot(*leg)
    lean = -np.arcsin(crank_pin[1] / length) - np.arctan2(leg[1], leg[0])
    rod, pin = crank_pin + turn(lean) @ [NEAR, 0], crank_pin + turn(lean) @ leg
    return (
        NO_GRAVITY
        + planar_body("A", [BORE, 0], 0, {"axis": [0, 0]})
        + planar_body("B", pin + np.array([HEAD, 0]), 0, {"pin": [-HEAD, 0], "axis": [0, 0]})
        + planar_body("C", rod, lean, {"crank": [-NEAR, 0], "wrist": wrist})
        + planar_body("D", [0, 0], angle, {"pin": [0, THROW], "axle": [0, 0]})
        + planar_body("E", [0, 0], 0, {"axle": [0, 0]})
        + link("fixed", "ground", "A", at=[BORE, 0])
        + link("fixed", "ground", "E")
        + link("pin", "D.pin", "C.crank")
        + link("pin", "C.wrist", "B.pin")
        + link("pin", "E.axle", "D.axle")
        + link("translational", "A.axis", "B.axis", axis=[1, 0, 0])
        + motion("ED", angle=f"{RATE}*time")
    )


def printed(q, wrist):
    """Φ of equations 1 to 15, the angle of 15 counted from the start."""
    (A, a), (B, b), (C, c), (D, d), (E, e) = [(q[k : k + 2], q[k + 2]) for k in range(0, 15, 3)]
    x, y = np.eye(2)
    return np.concatenate(
        [
            A - [BORE, 0],
            [a],
            E,
            [e],
            C - turn(c) @ (NEAR * x) - D - turn(d) @ (THROW * y),
            B - turn(b) @ (HEAD * x) - C - turn(c) @ wrist,
            D - E,
            [y @ turn(a).T @ turn(b) @ x, y @ turn(a).T @ (B - A)],
            [d],
        ]
    )


COLUMNS = ["XA", "YA", "a", "XB", "YB", "b", "XC", "YC", "c", "XD", "YD", "d", "XE", "YE", "e"]


def printed_jacobian(q, wrist):
    """The printed matrix, entry by entry; signs, which the print lost, follow from the equations."""
    a, b, c, d = q[2], q[5], q[8], q[11]
    X, Y = q[3] - q[0], q[4] - q[1]
    # ∂(A_C s)/∂θ_C of the wrist pin
    far = (-FAR * np.cos(c), -FAR * np.sin(c)) if wrist[0] == 0 else (-FAR * np.sin(c), FAR * np.cos(c))
    rows = [
        {"XA": 1},
        {"YA": 1},
        {"a": 1},
        {"XE": 1},
        {"YE": 1},
        {"e": 1},
        {"XC": 1, "c": NEAR * np.sin(c), "XD": -1, "d": THROW * np.cos(d)},
        {"YC": 1, "c": -NEAR * np.cos(c), "YD": -1, "d": THROW * np.sin(d)},
        {"XB": 1, "b": HEAD * np.sin(b), "XC": -1, "c": -far[0]},
        {"YB": 1, "b": -HEAD * np.cos(b), "YC": -1, "c": -far[1]},
        {"XD": 1, "XE": -1},
        {"YD": 1, "YE": -1},
        {
            "a": -np.sin(a) * np.sin(b) - np.cos(a) * np.cos(b),
            "b": np.cos(a) * np.cos(b) + np.sin(a) * np.sin(b),
        },
        {
            "XA": np.sin(a),
            "YA": -np.cos(a),
            "a": -X * np.cos(a) - Y * np.sin(a),
            "XB": -np.sin(a),
            "YB": np.cos(a),
        },
        {"d": 1},
    ]
    return np.array([[row.get(name, 0) for name in COLUMNS] for row in rows], q.dtype)


def rates_by_three_steps(q, v, wrist):
    """(Φ_q q̇)_q q̇: multiply by q̇, differentiate by q (complex steps), multiply by q̇."""
    columns = [np.imag(printed_jacobian(q + 1e-30j * e, wrist) @ v) / 1e-30 for e in np.eye(15)]
    return np.array(columns).T @ v


@pytest.mark.parametrize("angle", [-1.1, 0.4, 2.9])
@pytest.mark.parametrize("reading", READINGS)
def test_the_piston_crank_has_the_printed_fifteen_equations(runs, reading, angle):
    """Φ, the 15 × 15 Jacobian, Φₜ = [0, ..., −314], Φₜₜ = Φ_qₜ = 0 and γ = −(Φ_q q̇)_q q̇."""
    wrist = READINGS[reading]
    problem = runs.prepare(piston_crank(wrist, angle)).problem
    q, v = problem.q, problem.v
    # a motion stands with its joint, before the slider; a fixed body says x ⟂ y, which is −sin θ. The axes of
    # a pin are those of the world at the start
    assert [row.owner for row in problem.names.rows] == ["gA"] * 3 + ["gE"] * 3 + ["DC"] * 2 + ["CB"] * 2 + [
        "ED"
    ] * 2 + ["ED motion"] + ["AB"] * 2
    to_printed = np.eye(15)[[*range(12), 13, 14, 12]]
    to_printed[[2, 5]] *= -1.0
    # ours drives D against E; equation 6 makes that the angle of D
    to_printed[14] += to_printed[5]
    rows = lambda values: to_printed @ values
    start = np.concatenate([np.zeros(14), [angle]])
    np.testing.assert_allclose(printed(q, wrist), start, atol=1e-11)
    G, gamma = map(rows, problem.constraints(0.0, q, v))
    jacobian = printed_jacobian(q, wrist)
    np.testing.assert_allclose(G, jacobian, atol=1e-11)
    np.testing.assert_array_equal(np.abs(G) > 1e-11, np.abs(jacobian) > 1e-11)
    _, rate = problem.residuals(0.0, q, np.zeros(15))
    np.testing.assert_array_equal(rows(rate), [0.0] * 14 + [-RATE])
    np.testing.assert_allclose(v, np.linalg.solve(jacobian, [0.0] * 14 + [RATE]), atol=1e-9)
    needed = rates_by_three_steps(q, v, wrist)
    np.testing.assert_allclose(gamma, -needed, atol=1e-11 * np.abs(needed).max())
    assert gamma[14] == 0.0
    assert np.linalg.matrix_rank(jacobian) == 15
