"""Parabolas between impacts at √(2h/g) (1 + 2 Σ eᵏ), apexes h e²ᵏ; impacts are of first order in the step."""

import numpy as np

G, E, HEIGHT, RADIUS = 9.81, 0.9, 1.0, 0.1
SOURCE = "parabolas, Newton's restitution"


def exact(t):
    """Height of the lowest point of the ball at time t [m]."""
    first = np.sqrt(2.0 * HEIGHT / G)
    if t < first:
        return HEIGHT - 0.5 * G * t**2
    start, speed = first, E * G * first
    while t > start + 2.0 * speed / G:
        start, speed = start + 2.0 * speed / G, E * speed
        if speed < 1e-12:
            return 0.0
    return speed * (t - start) - 0.5 * G * (t - start) ** 2


def truth(result):
    z = result["ball"].position[:, 2] - RADIUS
    rising = result.time < 2.5
    found = np.array([exact(t) for t in result.time])
    yield "height, until 2.5 s", np.abs(z - found)[rising].max(), 0.0, 1e-2, SOURCE
    bounce = (result.time > 0.46) & (result.time < 1.26)
    yield "first apex", z[bounce].max(), E**2 * HEIGHT, 4e-3, SOURCE
    yield "speed after 8.8 s", np.abs(result["ball"].velocity[result.time > 8.8]).max(), 0.0, 1e-12, "at rest"
    yield "height at rest", z[-1], 0.0, 1e-9, "at rest"
