"""v = v₀ − μ g t, ω = 5 μ g t / 2R until 2 v₀ / (7 μ g), then v = 5 v₀ / 7 = R ω (Euler; Coriolis 1835)."""

import numpy as np

G, SPEED, FRICTION, RADIUS, STEP = 9.81, 2.0, 0.2, 0.05, 1e-3
SOURCE = "Euler; Coriolis, 1835"


def truth(result):
    rolls = 2.0 * SPEED / (7.0 * FRICTION * G)
    ball, t = result["ball"], np.minimum(result.time, rolls)
    slides = result.time < rolls
    v, w = ball.velocity[:, 0], ball.angular_velocity[:, 1]
    yield "speed while it slides", np.abs(v - SPEED + FRICTION * G * t)[slides].max(), 0.0, 1e-9, SOURCE
    yield "spin while it slides", np.abs(w - 2.5 * FRICTION * G * t / RADIUS)[slides].max(), 0.0, 1e-8, SOURCE
    yield "speed of rolling", v[-1], 5.0 / 7.0 * SPEED, 1e-9, SOURCE
    yield "slip of rolling", v[-1] - RADIUS * w[-1], 0.0, 1e-12, "static friction"
    distance = SPEED * t - 0.5 * FRICTION * G * t**2 + 5.0 / 7.0 * SPEED * (result.time - t)
    # in the step in which it begins to roll, its position is off by at most μ g h² / 8
    error = 0.13 * FRICTION * G * STEP**2
    yield "distance, all frames", np.abs(ball.position[:, 0] - distance).max(), 0.0, error, SOURCE
