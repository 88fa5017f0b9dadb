"""The plate stays level, so it moves as a point on one link: θ'' = −g sin θ.

The third row is −1 times the first and 2 times the second, all along the motion (Ansys Motion theory,
equation 2-179).
"""

import numpy as np
from scipy.integrate import solve_ivp

MASS, G = 3.0, 9.81


def truth(result):
    start = np.arctan2(0.8, 0.6)
    y = solve_ivp(
        lambda t, y: [y[1], -G * np.sin(y[0])],
        (0, result.time[-1]),
        [start, 0],
        method="DOP853",
        rtol=1e-12,
        atol=1e-13,
        t_eval=result.time,
    ).y
    theta = y[0]
    place = np.column_stack([np.sin(theta), -np.cos(theta), 0 * theta])
    yield "plate over 3 s", np.abs(result["plate"].position - place).max(), 0.0, 1e-8, "pendulum equation"
    counts = result.system.check()
    for name, value in (("nq", 3), ("nc", 3), ("rank", 2), ("mobility", 1), ("redundancy", 1)):
        yield name, getattr(counts, name), value, 1e-9, "Ansys Motion theory, figure 2.23"
    (third,) = counts.redundant
    for name, term, value in zip(("link_A", "link_B"), third.terms, (-1.0, 2.0)):
        yield (
            f"link_C holds what {name} holds, times",
            term.coefficient,
            value,
            1e-9,
            "Ansys Motion theory, equation 2-179",
        )
    along = np.array([np.einsum("fi,fi->f", result.joint(f"link_{n}").force, -place) for n in "ABC"])
    pull = MASS * (y[1] ** 2 + G * np.cos(theta))
    yield "all links together", np.abs(along.sum(axis=0) - pull).max(), 0.0, 1e-6, "pendulum"
    yield (
        "links A and C pull alike",
        np.abs(along[0] - along[2]).max(),
        0.0,
        1e-6,
        "the torque about the centre is zero",
    )
    yield (
        "every link is marked shared",
        all((result.joint(f"link_{n}").determined == 1).any() for n in "ABC"),
        1,
        1e-9,
        "the dependency has no zero",
    )
    yield "constraint drift", result.drift_position.max(), 0.0, 1e-12, "of the mechanism's size"
