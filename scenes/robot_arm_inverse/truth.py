"""Recursive Newton-Euler algorithm (Luh, Walker, Paul 1980) in world axes, from the hinges outward and back;
written for this scene, in numpy alone.

ω_i = ω_{i−1} + θ̇ a,   α_i = α_{i−1} + θ̈ a + ω_{i−1} × θ̇ a,   then forces and moments from the flange back
to the base; τ_i = a · n_i
"""

import numpy as np

ANALYSIS = "inverse"
GRAVITY = np.array([0.0, 0.0, -9.81])
# name, axis, place of the hinge in the body before, mass centre from the hinge, mass, principal moments
LINKS = [
    ("waist", (0, 0, 1), (0, 0, 0), (0.01, 0.02, 0.25), 35.0, (0.9, 0.85, 0.45)),
    ("upper_arm", (0, 1, 0), (0, 0.1, 0.5), (0.2, -0.03, 0.01), 22.0, (0.12, 1.1, 1.05)),
    ("forearm", (0, 1, 0), (0.5, 0.0, 0.0), (0.08, -0.02, 0.03), 11.0, (0.06, 0.31, 0.3)),
    ("wrist_roll", (1, 0, 0), (0.22, -0.05, 0.02), (0.1, 0.0, 0.0), 4.5, (0.012, 0.045, 0.044)),
    ("wrist_pitch", (0, 1, 0), (0.24, 0.0, 0.0), (0.03, 0.005, 0.0), 1.8, (0.0021, 0.0032, 0.003)),
    ("flange", (1, 0, 0), (0.08, 0.0, 0.0), (0.06, 0.012, -0.02), 2.6, (0.003, 0.0062, 0.0058)),
]
# angle and its two derivatives of each hinge
ANGLES = [
    lambda t: (1.1 * np.sin(1.3 * t), 1.43 * np.cos(1.3 * t), -1.859 * np.sin(1.3 * t)),
    lambda t: (
        0.7 * (1 - np.cos(1.7 * t)) - 0.2 * np.sin(2.3 * t),
        1.19 * np.sin(1.7 * t) - 0.46 * np.cos(2.3 * t),
        2.023 * np.cos(1.7 * t) + 1.058 * np.sin(2.3 * t),
    ),
    lambda t: (0.9 * np.sin(2.1 * t), 1.89 * np.cos(2.1 * t), -3.969 * np.sin(2.1 * t)),
    lambda t: (1.6 * np.sin(1.9 * t) + 0.3 * t, 3.04 * np.cos(1.9 * t) + 0.3, -5.776 * np.sin(1.9 * t)),
    lambda t: (-0.8 * np.sin(2.7 * t), -2.16 * np.cos(2.7 * t), 5.832 * np.sin(2.7 * t)),
    lambda t: (2.5 * (1 - np.cos(1.1 * t)), 2.75 * np.sin(1.1 * t), 3.025 * np.cos(1.1 * t)),
]
SOURCE = "recursive Newton-Euler algorithm"


def rotation(axis, angle):
    """Rodrigues' formula."""
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], float)
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def torques(t):
    """(6,) about the hinges' axes [N m]."""
    R, w, alpha, a = np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3)
    outward = []
    for (_, axis, place, centre, mass, moments), angle in zip(LINKS, ANGLES):
        arm = R @ place
        a = a + np.cross(alpha, arm) + np.cross(w, np.cross(w, arm))
        theta, rate, second = angle(t)
        along = R @ np.array(axis, float)
        alpha = alpha + second * along + np.cross(w, rate * along)
        w = w + rate * along
        R = R @ rotation(axis, theta)
        c = R @ centre
        force = mass * (a + np.cross(alpha, c) + np.cross(w, np.cross(w, c)) - GRAVITY)
        J = R @ np.diag(moments) @ R.T
        outward.append((along, arm, c, force, J @ alpha + np.cross(w, J @ w)))
    f, n, back = np.zeros(3), np.zeros(3), np.zeros(3)
    found = []
    for along, arm, c, force, moment in reversed(outward):
        # about this hinge: the body's own, and what the next body asks for
        n = n + np.cross(back, f) + moment + np.cross(c, force)
        f = f + force
        back = arm
        found.append(along @ n)
    return np.array(found[::-1])


def truth(report):
    exact = np.array([torques(t) for t in report.states.time])
    for k, (name, *_) in enumerate(LINKS):
        scale = np.abs(exact[:, k]).max()
        yield f"torque at {name}", np.abs(report.drive[:, k] - exact[:, k]).max(), 0.0, 1e-9 * scale, SOURCE
    power = np.sum(report.drive * report.speed, axis=1)
    yield "positions", len(report.states.time), 401, 0.5, "frames of the scene"
    yield (
        "power at the hinges",
        np.abs(power - np.sum(exact * report.speed, axis=1)).max(),
        0.0,
        1e-9 * np.abs(power).max(),
        SOURCE,
    )
