"""v̇ = −5/7 g δ/r of a ball that rolls, ω̇ = −5/2 g ε/r² of one that spins; on a ramp tan α against δ/r."""

import numpy as np

G, SPEED, SPIN, DELTA, EPSILON, RADIUS, SLOPE = 9.81, 1.2, 60.0, 0.003, 0.002, 0.05, 0.08
SOURCE = "closed form"


def truth(result):
    t = result.time
    roller, spinner, runner, stayer = (result[name] for name in ("roller", "spinner", "runner", "stayer"))
    v = np.maximum(SPEED - 5 / 7 * G * DELTA / RADIUS * t, 0.0)
    yield "speed of the roller", np.abs(roller.velocity[:, 0] - v).max(), 0.0, 1e-9, SOURCE
    way = 0.7 * SPEED**2 * RADIUS / (G * DELTA)
    yield "way of the roller", roller.position[-1, 0], way, 1e-6, SOURCE
    w = np.maximum(SPIN - 2.5 * G * EPSILON / RADIUS**2 * t, 0.0)
    yield "spin of the spinner", np.abs(spinner.angular_velocity[:, 2] - w).max(), 0.0, 1e-9, SOURCE
    yield "way of the spinner", np.linalg.norm(spinner.position[-1] - spinner.position[0]), 0.0, 1e-9, SOURCE
    down = 5 / 7 * G * (SLOPE - DELTA / RADIUS) / np.sqrt(1.0 + SLOPE**2)
    speed = np.linalg.norm(runner.velocity, axis=1)
    yield "speed of the runner", np.abs(speed - down * t).max(), 0.0, 1e-9, SOURCE
    yield "way of the ball that stays", np.linalg.norm(np.ptp(stayer.position, axis=0)), 0.0, 1e-9, SOURCE
