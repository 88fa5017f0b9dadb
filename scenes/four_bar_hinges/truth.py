"""The four-bar by hand: one angle θ of the crank, the other two from its triangle, and the energy gives θ' =
√(2 (E − V(θ)) / J(θ)).

J = Σ m |dx/dθ|² + I (dα/dθ)²,   V = g Σ m y
"""

import numpy as np
from scipy.integrate import solve_ivp

CRANK, COUPLER, ROCKER, GROUND, G = 0.5, 1.2, 1.0, 1.2, 9.81
MASS = {"crank": 1.0, "coupler": 2.0, "rocker": 1.5}
LENGTH = {"crank": CRANK, "coupler": COUPLER, "rocker": ROCKER}
SOURCE = "energy of one angle, DOP853 at 1e-13"


def places(theta):
    """Centre (complex) of each bar, and its angle's rate per dθ."""
    B = CRANK * np.exp(1j * theta)
    D = GROUND
    along = D - B
    L = abs(along)
    x = (COUPLER**2 - ROCKER**2 + L**2) / (2 * L)
    C = B + along / L * (x + 1j * np.sqrt(COUPLER**2 - x**2))
    u, w = C - B, C - D
    # iB + φ' i u = ψ' i w: two equations in the rates φ', ψ' of coupler and rocker
    cross = lambda p, q: p.real * q.imag - p.imag * q.real
    phi, psi = -cross(B, w) / cross(u, w), -cross(u, B) / cross(u, w)
    centre = {"crank": B / 2, "coupler": B + u / 2, "rocker": D + w / 2}
    speed = {"crank": 1j * B / 2, "coupler": 1j * B + 1j * phi * u / 2, "rocker": 1j * psi * w / 2}
    return centre, speed, {"crank": 1.0 + 0 * theta, "coupler": phi, "rocker": psi}


def terms(theta):
    centre, speed, turn = places(theta)
    J = sum(MASS[n] * (abs(speed[n]) ** 2 + LENGTH[n] ** 2 / 12 * turn[n] ** 2) for n in MASS)
    return J, G * sum(MASS[n] * centre[n].imag for n in MASS)


def motion(result):
    """Rows of the motion, the energy and the drift."""
    J0, V0 = terms(np.pi / 2)
    E = 0.5 * J0 * 12.0**2 + V0

    def rate(t, y):
        J, V = terms(y[0])
        return [np.sqrt(2 * (E - V) / J)]

    theta = solve_ivp(
        rate, (0, result.time[-1]), [np.pi / 2], method="DOP853", rtol=1e-13, atol=1e-13, t_eval=result.time
    ).y[0]
    centre = places(theta)[0]
    for name in MASS:
        want = np.column_stack([centre[name].real, centre[name].imag, 0 * theta])
        yield f"{name} over 3 s", np.abs(result[name].position - want).max(), 0.0, 1e-9, SOURCE
    yield (
        "energy",
        np.abs(result.energy.balance).max() / result.energy.kinetic.max(),
        0.0,
        1e-9,
        "no work is done",
    )
    yield "constraint drift", result.drift_position.max(), 0.0, 1e-12, "of the mechanism's size"


def counts(result, wanted):
    found = result.system.check()
    for name, value in wanted:
        yield name, getattr(found, name), value, 1e-9, "Autodesk, Dynamic Simulation, module 4"


def truth(result):
    yield from motion(result)
    yield from counts(result, (("nq", 18), ("nc", 20), ("rank", 17), ("mobility", 1), ("redundancy", 3)))
    on_C = sum(r.held.owner == "C" for r in result.system.check().redundant)
    yield "redundant rows on C", on_C, 3, 1e-9, "the joint of lowest priority gives way"
