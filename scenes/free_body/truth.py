"""Jacobi: ω₁ = a₁ dn, ω₂ = a₂ sn, ω₃ = a₃ cn (p t | k²) about the principal axes, I₁ < I₂ < I₃, for a body
with L² < 2 E I₂ that starts with ω₂ = 0.
"""

import numpy as np
from scipy.special import ellipj

I_BOOK, W_BOOK = np.array([2 / 3, 1.0, 1.5]), np.array([1.3368110400921531, 0.0, 0.22679806071278866])
FLIP = 12.370398615029488  # half the period of ω₂ of the wing nut [s]


def jacobi(t):
    """ω of the book in body axes; the sign of a₂ is that of ω̇₂ = (I₃ − I₁)/I₂ ω₁ ω₃ at the start."""
    i1, i2, i3 = I_BOOK
    a1, _, a3 = W_BOOK
    a2 = a3 * np.sqrt(i3 * (i3 - i1) / (i2 * (i2 - i1)))
    p = a1 * np.sqrt((i2 - i1) * (i3 - i1) / (i2 * i3))
    k2 = (i3 * (i3 - i2) * a3**2) / (i1 * (i2 - i1) * a1**2)
    sn, cn, dn, _ = ellipj(p * t, k2)
    return np.array([a1 * dn, a2 * sn, a3 * cn])


def axes(q):
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def truth(result):
    book, nut = result["book"], result["wing_nut"]
    frame = int(np.argmin(np.abs(result.time - 10.0)))
    w = axes(book.orientation[frame]).T @ book.angular_velocity[frame]
    exact = jacobi(10.0)
    for k in range(3):
        yield f"book, omega {k + 1} at 10 s", w[k], exact[k], 1e-9, "Jacobi elliptic functions"
    for name, body, inertia in (("book", book, I_BOOK), ("wing nut", nut, np.array([1.0, 10.0, 11.0]))):
        L = np.array(
            [axes(q) @ (inertia * (axes(q).T @ v)) for q, v in zip(body.orientation, body.angular_velocity)]
        )
        yield f"{name}, angular momentum", np.abs(L - L[0]).max(), 0.0, 1e-9 * np.abs(L[0]).max(), "no torque"
    middle = np.array([(axes(q).T @ v)[1] for q, v in zip(nut.orientation, nut.angular_velocity)])
    k = int(np.flatnonzero(np.sign(middle[1:]) != np.sign(middle[:-1]))[0])
    # ω₂ is nearly straight at its zero; the cubic through four frames is good to 1e-7 s there
    cubic = np.polyfit(middle[k - 1 : k + 3], result.time[k - 1 : k + 3], 3)
    first = cubic[-1]
    later = np.flatnonzero(np.sign(middle[1:]) != np.sign(middle[:-1]))
    second = np.polyfit(middle[later[1] - 1 : later[1] + 3], result.time[later[1] - 1 : later[1] + 3], 3)[-1]
    # the separatrix is 3e-9 away in k², which multiplies errors of ω by 1e4 or more
    yield (
        "wing nut, time between flips",
        second - first,
        FLIP,
        2e-4,
        "half the period, complete elliptic integral",
    )
