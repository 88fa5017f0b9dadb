"""Minimal coordinates: angles a, b of the rods from the downward vertical.

[I + m c² + m l²   m l c cos(a−b)] [a'']   [−m l c sin(a−b) b'² − (m c + m l) g sin a]
[m l c cos(a−b)    I + m c²      ] [b''] = [ m l c sin(a−b) a'² − m c g sin b        ]
"""

import numpy as np
from scipy.integrate import solve_ivp

M, INERTIA, C, L, G = 1.0, 0.0841, 0.5, 1.0, 9.81
SOURCE = "minimal coordinates, DOP853 at 1e-12"


def rates(t, y):
    a, b, a1, b1 = y
    k = M * L * C
    matrix = np.array(
        [[INERTIA + M * C**2 + M * L**2, k * np.cos(a - b)], [k * np.cos(a - b), INERTIA + M * C**2]]
    )
    right = [
        -k * np.sin(a - b) * b1**2 - (M * C + M * L) * G * np.sin(a),
        k * np.sin(a - b) * a1**2 - M * C * G * np.sin(b),
    ]
    return [a1, b1, *np.linalg.solve(matrix, right)]


def truth(result):
    y = solve_ivp(
        rates,
        (0.0, result.time[-1]),
        [np.pi / 2, np.pi / 2, 0, 0],
        method="DOP853",
        rtol=1e-12,
        atol=1e-13,
        t_eval=result.time,
    ).y
    a, b = y[0], y[1]
    upper = np.column_stack([C * np.sin(a), 0 * a, -C * np.cos(a)])
    lower = np.column_stack([L * np.sin(a) + C * np.sin(b), 0 * a, -L * np.cos(a) - C * np.cos(b)])
    yield "upper rod over 3 s", np.abs(result["upper"].position - upper).max(), 0.0, 1e-8, SOURCE
    yield "lower rod over 3 s", np.abs(result["lower"].position - lower).max(), 0.0, 1e-8, SOURCE
    yield "energy", np.abs(result.energy.balance).max(), 0.0, 1e-8, "no work is done"
    weight = np.array([0, 0, -2 * M * G])
    needed = M * (result["upper"].acceleration + result["lower"].acceleration) - weight
    yield (
        "shoulder force",
        np.abs(result.joint("shoulder").force - needed).max(),
        0.0,
        1e-9,
        "momentum of both rods",
    )
    yield "constraint drift", result.drift_position.max(), 0.0, 1e-12, "of the mechanism's size"
