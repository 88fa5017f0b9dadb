"""Closed form of the slider-crank: x = r cos θ + √(l² − r² sin² θ), differentiated twice at constant rate."""

import numpy as np

R, L, OFFSET, RATE = 0.043, 0.1439, 0.028, 314.0
ANGLES = (0, 15, 30, 45, 60, 90, 120, 135, 180, 225, 270, 315)  # of the published table [degrees]
SOURCE = "closed form of the slider-crank"


def closed_form(theta):
    """Wrist pin: position [m], velocity [m/s], acceleration [m/s²]."""
    s, c = np.sin(theta), np.cos(theta)
    root = np.sqrt(L**2 - R**2 * s**2)
    # x' = dx/dθ, x'' likewise; root' = −r² s c / root
    x1 = -R * s - R**2 * s * c / root
    x2 = -R * c - R**2 * (c**2 - s**2) / root - (R**2 * s * c) ** 2 / root**3
    return R * c + root, x1 * RATE, x2 * RATE**2


def truth(result):
    turn = np.linspace(0.0, 2.0 * np.pi, 3601)
    largest = [np.abs(values).max() for values in closed_form(turn)]
    piston = result["piston"]
    found = piston.position[:, 0] - OFFSET, piston.velocity[:, 0], piston.acceleration[:, 0]
    for angle in ANGLES:
        frame = int(np.argmin(np.abs(RATE * result.time - np.radians(angle))))
        for name, values, exact, scale in zip(
            ("position", "velocity", "acceleration"), found, closed_form(np.radians(angle)), largest
        ):
            yield f"{name} at {angle} degrees", values[frame], exact, 1e-8 * scale, SOURCE
    yield "stroke", found[0].max() - found[0].min(), 0.086, 1e-9, "twice the throw"
    yield "top dead centre acceleration", -found[2][0], 5506.50781, 5e-6, "r w^2 (1 + r/l), published digits"
    yield "constraint drift", result.drift_position.max(), 0.0, 1e-12, "of the mechanism's size"
    # the force that the piston's mass needs comes from the wrist pin alone: the cylinder is smooth
    mass = result.raw.attribute("bodies/mass")[result.bodies.index("piston")]
    force = result.joint("wrist_pin").force[:, 0]
    yield (
        "wrist pin force",
        np.abs(force - mass * found[2]).max(),
        0.0,
        1e-8 * mass * largest[2],
        "m a of the piston",
    )
