"""A mass pushed by a force that lags behind a constant command F:  ẍ = (F/m)(1 − e^{−t/τ})."""

from __future__ import annotations

import numpy as np
from scene_text import NO_GRAVITY, body, solver, table


def sled(mass, command, lag):
    """Text of a mass that a lagging force pushes along x."""
    return (
        NO_GRAVITY
        + body("sled", mass=mass, inertia=[1, 1, 1])
        + table("force", name="engine", type="foreign_lag", body="sled", command=command, time_constant=lag)
        + solver(tolerance=1e-10, end=2.0)
    )


def test_a_force_with_an_inner_state(runs):
    F, m, tau = 7.0, 2.5, 0.4
    for t, frame in zip((0.5, 2.0), runs.frames(sled(m, f"{F}", tau), [0.5, 2.0])):
        fade = np.exp(-t / tau)
        np.testing.assert_allclose(frame["states/value"][-1], F * (1 - fade), atol=1e-8)
        np.testing.assert_allclose(frame["bodies/velocity"][0, 0], F / m * (t - tau * (1 - fade)), atol=1e-8)
        np.testing.assert_allclose(
            frame["bodies/position"][0, 0],
            F / m * (0.5 * t * t - tau * t + tau * tau * (1 - fade)),
            atol=1e-8,
        )
        assert abs(float(frame["energy/balance"])) < 1e-7


def test_the_error_of_the_state_steers_the_step(runs):
    """Without the state in the error norm, a slow mass would let the step jump over a fast lag."""
    tau = 0.001
    (frame,) = runs.frames(sled(1e6, "7.0*sin(3*time)", tau), [1.0])
    w = 3.0
    exact = 7.0 / (1 + (w * tau) ** 2) * (np.sin(w) - w * tau * np.cos(w))
    np.testing.assert_allclose(frame["states/value"][-1], exact, atol=1e-7)
