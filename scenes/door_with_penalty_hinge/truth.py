"""Where the energy of the door at rest is least:  V = m g z + ½ k Σ |x_b − x_a|² + ½ k_r Σ sin²θ  over its
mass centre (x, z) and its lean θ about y.
"""

import numpy as np

MASS, G, K, KR = 20.0, 9.81, 1e6, 2e4
ARM, HEIGHT = 0.45, 0.7
W = MASS * G


def hinge_points(s):
    """Where the lower and the upper hinge of the door are, in the plane x, z."""
    x, z, lean = s
    turn = np.array([[np.cos(lean), np.sin(lean)], [-np.sin(lean), np.cos(lean)]])
    return [np.array([x, z]) + turn @ np.array([-ARM, sign * HEIGHT]) for sign in (-1, 1)]


def slope(s):
    """∂V/∂(x, z, θ)."""
    lean = s[2]
    d_turn = np.array([[-np.sin(lean), np.cos(lean)], [-np.cos(lean), -np.sin(lean)]])
    found = np.array([0.0, W, 2.0 * KR * np.sin(lean) * np.cos(lean)])
    for sign, point in zip((-1, 1), hinge_points(s)):
        pull = K * (point - np.array([0.0, sign * HEIGHT]))
        found[:2] += pull
        found[2] += pull @ (d_turn @ np.array([-ARM, sign * HEIGHT]))
    return found


def at_rest():
    """Newton's method on the slope."""
    s = np.array([ARM, 0.0, 0.0])
    for _ in range(20):
        jacobian = np.array([(slope(s + 1e-6 * e) - slope(s - 1e-6 * e)) / 2e-6 for e in np.eye(3)]).T
        s = s - np.linalg.solve(jacobian, slope(s))
    return s


def truth(result):
    s = at_rest()
    door = result["door"]
    yield "sag of the mass centre [m]", door.position[-1, 2], s[1], 1e-12, "least energy"
    yield "shift of the mass centre [m]", door.position[-1, 0], s[0], 1e-12, "least energy"
    for name, sign, point in zip(("hinge_low", "hinge_top"), (-1, 1), hinge_points(s)):
        hinge = result.joint(name)
        force = -K * (point - np.array([0.0, sign * HEIGHT]))
        yield f"{name}, force across [N]", hinge.force[-1, 0], force[0], 1e-9 * W, "least energy"
        yield f"{name}, force upwards [N]", hinge.force[-1, 2], force[1], 1e-9 * W, "least energy"
        yield f"{name}, share of the weight", hinge.force[-1, 2] / W, 0.5, 1e-4, "symmetry, but for the lean"
        yield (
            f"{name}, determined",
            float((hinge.determined == 2).all()),
            1.0,
            1e-12,
            "no row repeats another",
        )
    yield (
        "both hinges, upwards [N]",
        result.joint("hinge_low").force[-1, 2] + result.joint("hinge_top").force[-1, 2],
        W,
        1e-8 * W,
        "the door's weight",
    )
    yield (
        "energy balance [J]",
        np.abs(result.energy.balance).max(),
        0.0,
        1e-9,
        "what the dampers take is counted",
    )
