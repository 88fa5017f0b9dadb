"""Forward against inverse: the recursive Newton-Euler algorithm (Luh, Walker, Paul 1980) finds, from the
motion of the bodies, the torques that drive it; they must be those that were applied. In numpy alone.
"""

import numpy as np

GRAVITY = np.array([0.0, 0.0, -9.81])
#: body, axis of its hinge in the body, principal moments, mass centre in the body, applied torque
LINKS = [
    ("waist", (0, 0, 1), (0.9, 0.85, 0.45), (0.01, 0.02, 0.25), lambda t: 60 * np.sin(2 * t)),
    ("upper_arm", (0, 1, 0), (0.12, 1.1, 1.05), (0.2, -0.03, 0.01), lambda t: -150 + 40 * np.cos(3 * t)),
    ("forearm", (0, 1, 0), (0.06, 0.31, 0.3), (0.08, -0.02, 0.03), lambda t: -45 + 12 * np.sin(4 * t)),
    ("wrist_roll", (1, 0, 0), (0.012, 0.045, 0.044), (0.1, 0.0, 0.0), lambda t: 1.5 * np.sin(5 * t)),
    ("wrist_pitch", (0, 1, 0), (0.0021, 0.0032, 0.003), (0.03, 0.005, 0.0), lambda t: -3 + 2 * np.cos(3 * t)),
    ("flange", (1, 0, 0), (0.003, 0.0062, 0.0058), (0.06, 0.012, -0.02), lambda t: 0.3 * np.sin(6 * t)),
]
MASSES = (35.0, 22.0, 11.0, 4.5, 1.8, 2.6)


def rotation(q):
    """(3, 3) of a quaternion (w, x, y, z)."""
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def torques(result, frame):
    """(6,) about the axes of the hinges, from the flange back to the base [N m]."""
    f, n, before = np.zeros(3), np.zeros(3), np.zeros(3)
    found = []
    for (name, axis, moments, centre, _), mass in reversed(list(zip(LINKS, MASSES))):
        body = result[name]
        R = rotation(body.orientation[frame])
        w, alpha = body.angular_velocity[frame], body.angular_acceleration[frame]
        hinge, c = body.position[frame], R @ centre
        a = body.acceleration[frame] + np.cross(alpha, c) + np.cross(w, np.cross(w, c))
        J = R @ np.diag(moments) @ R.T
        # moment about this hinge: what the next body asks for, and the body's own
        n = n + np.cross(before - hinge, f) if found else n
        force = mass * (a - GRAVITY)
        n = n + np.cross(c, force) + J @ alpha + np.cross(w, J @ w)
        f, before = f + force, hinge
        found.append(R @ np.array(axis, float) @ n)
    return np.array(found[::-1])


def truth(result):
    found = np.array([torques(result, k) for k in range(len(result.time))])
    for k, (name, *_, applied) in enumerate(LINKS):
        exact = np.array([applied(t) for t in result.time])
        scale = np.abs(exact).max()
        source = "recursive Newton-Euler algorithm"
        yield f"torque at {name}", np.abs(found[:, k] - exact).max(), 0.0, 1e-8 * max(scale, 1.0), source
    yield "energy", np.abs(result.energy.balance).max(), 0.0, 1e-5, "work of the motors"
