"""A puck on a table, tied by a cable through a hole to a hanging mass:  (m + M) r̈ = L²/(m r³) − M g,  r² φ̇
= L/m.
"""

from __future__ import annotations

import numpy as np
from scene_text import body, force, solver, table
from scipy.integrate import solve_ivp

PUCK, WEIGHT, RADIUS, SPEED, GRAVITY = 0.8, 1.3, 0.6, 2.1, 9.81
SCENE = (
    body(
        "puck",
        mass=PUCK,
        inertia=[0.01, 0.01, 0.01],
        position=[RADIUS, 0, 0],
        velocity=[0, SPEED, 0],
        marker=[{"name": "middle"}],
    )
    + body(
        "weight", mass=WEIGHT, inertia=[0.01, 0.01, 0.01], position=[0, 0, -0.5], marker=[{"name": "middle"}]
    )
    + table(
        "joint",
        name="cable",
        type="foreign_cable",
        markers=["puck.middle", "ground", "weight.middle"],
        at=[0, 0, 0],
    )
    + force("puck", z=PUCK * GRAVITY)
    + solver(tolerance=1e-10, end=2.0)
)


def test_a_cable_through_a_hole(runs):
    momentum = PUCK * RADIUS * SPEED
    rates = lambda t, y: [
        y[1],
        (momentum**2 / (PUCK * y[0] ** 3) - WEIGHT * GRAVITY) / (PUCK + WEIGHT),
        momentum / (PUCK * y[0] ** 2),
    ]
    times = np.linspace(0.0, 2.0, 5)
    truth = solve_ivp(
        rates, (0, 2), [RADIUS, 0.0, 0.0], rtol=1e-12, atol=1e-13, t_eval=times, method="DOP853"
    ).y
    frames = runs.frames(SCENE, times)
    for (r, _, phi), frame in zip(truth.T, frames):
        np.testing.assert_allclose(
            frame["bodies/position"][0], [r * np.cos(phi), r * np.sin(phi), 0.0], atol=1e-8
        )
        np.testing.assert_allclose(frame["bodies/position"][1], [0.0, 0.0, -0.5 - RADIUS + r], atol=1e-8)
    assert np.ptp(truth[0]) > 0.1


def test_its_jacobian_and_bias_are_derivatives(runs):
    from derivatives import check_rows

    check_rows(runs.prepare(SCENE).problem)
