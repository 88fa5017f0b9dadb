"""A mass pushed by a force that lags behind a constant command F:  ẍ = (F/m)(1 − e^{−t/τ})."""

from __future__ import annotations

import numpy as np

SCENE = """
[scene]
gravity = [0, 0, 0]
[[body]]
name = "sled"
mass = 2.5
inertia = [1, 1, 1]
[[force]]
name = "engine"
type = "foreign_lag"
body = "sled"
command = "7.0"
time_constant = 0.4
[solver]
tolerance = 1e-10
end = 2.0
"""


def test_a_force_with_an_inner_state(runs):
    F, m, tau = 7.0, 2.5, 0.4
    for t, frame in zip((0.5, 2.0), runs.frames(SCENE, [0.5, 2.0])):
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
    fast = (
        SCENE.replace("time_constant = 0.4", "time_constant = 0.001")
        .replace("mass = 2.5", "mass = 1e6")
        .replace('"7.0"', '"7.0*sin(3*time)"')
    )
    (frame,) = runs.frames(fast, [1.0])
    tau = 0.001
    w = 3.0
    exact = 7.0 / (1 + (w * tau) ** 2) * (np.sin(w) - w * tau * np.cos(w))
    np.testing.assert_allclose(frame["states/value"][-1], exact, atol=1e-7)
