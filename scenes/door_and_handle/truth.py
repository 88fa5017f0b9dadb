"""A pendulum about the common axis of both hinges, I θ'' = −m l g sin(lean) cos θ; the counts that Ansys
Motion's theory names for this mechanism.

The shares follow by hand: both hinges lie as far from the mass centre, so each carries half of what pulls
along the axis.
"""

import numpy as np
from scipy.integrate import solve_ivp

DOOR, HANDLE, G, LEAN = 20.0, 0.5, 9.81, 0.1
MOMENT = DOOR * (0.8**2 + 0.04**2) / 12 + DOOR * 0.4**2 + 1e-3 + HANDLE * 0.7**2
LEVER = DOOR * 0.4 + HANDLE * 0.7


def truth(result):
    rates = lambda t, y: [y[1], -LEVER * G * np.sin(LEAN) * np.cos(y[0]) / MOMENT]
    theta = solve_ivp(
        rates, (0, result.time[-1]), [0, 0], method="DOP853", rtol=1e-12, atol=1e-13, t_eval=result.time
    ).y[0]
    centre = np.column_stack([0.4 * np.cos(theta), 0.4 * np.sin(theta), 1 + 0 * theta])
    yield "door over 3 s", np.abs(result["door"].position - centre).max(), 0.0, 1e-8, "pendulum equation"
    counts = result.system.check()
    for name, value in (("nq", 12), ("nc", 16), ("rank", 11), ("mobility", 1), ("redundancy", 5)):
        yield name, getattr(counts, name), value, 1e-9, "Ansys Motion theory, door and handle"
    yield (
        "redundant rows on the lower hinge",
        sum(r.held.owner == "hinge_low" for r in counts.redundant),
        5,
        1e-9,
        "Ansys Motion theory",
    )
    top, low = result.joint("hinge_top"), result.joint("hinge_low")
    weight = (DOOR + HANDLE) * G * np.cos(LEAN)
    yield (
        "both hinges along the axis",
        np.abs(top.force[:, 2] + low.force[:, 2] - weight).max(),
        0.0,
        1e-9,
        "weight",
    )
    # rounding over δ = 1e-10, of 200 N
    yield (
        "top hinge along the axis",
        np.abs(top.force[:, 2] - weight / 2).max(),
        0.0,
        2e-3,
        "half of the weight by symmetry",
    )
    pull = DOOR * result["door"].acceleration + HANDLE * result["handle"].acceleration
    needed = pull[:, :2] - (DOOR + HANDLE) * np.array([0, -G * np.sin(LEAN)])
    yield (
        "both hinges across the axis",
        np.abs((top.force + low.force)[:, :2] - needed).max(),
        0.0,
        1e-9,
        "momentum of door and handle",
    )
    marked = np.vstack([top.determined, low.determined])
    yield (
        "components marked shared",
        (marked == 1).sum(),
        2 * 5 * len(result.time),
        1e-9,
        "five of each hinge; the torque about z is zero",
    )
    yield (
        "screws marked determined",
        (result.joint("screws").determined == 2).all(),
        1,
        1e-9,
        "no self-stress reaches them",
    )
    yield "energy", np.abs(result.energy.balance).max(), 0.0, 1e-7, "no work is done"
    yield "constraint drift", result.drift_position.max(), 0.0, 1e-12, "of the mechanism's size"
