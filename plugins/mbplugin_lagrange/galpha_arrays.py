"""Arrays and coefficients of the solver `galpha`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mbplugin.stepping.arrays import Floats, Records, records, solver_tables


class AlphaRecord(NamedTuple):
    """Coefficients of the method, and numbers of the present step."""

    alpha_m: float
    alpha_f: float
    beta: float
    gamma: float
    ahead: float  # α_m − α_f: a stands for v̇ at t + ahead · h
    late: float  # λ₁ of the step's equations stands for t₁ + late · h
    velocity_error: float  # C: the error of v in one step is C h³ d³v/dt³
    length: float  # of the step that has left `jerk` and the pseudo-accelerations [s]; 0: none has


@solver_tables
class Alpha(NamedTuple):
    """Vectors of the step; those of first-order states have na numbers, the others nv or nc."""

    record: Records[AlphaRecord]  # (1,)
    v_dot0: Floats  # v̇ at the start
    v_dot1: Floats  # at the end
    a0: Floats  # pseudo-acceleration at the start
    a1: Floats  # at the end
    a: Floats  # as the last step has left it
    jerk: Floats  # (a1 − a0) / h of the last step
    dq: Floats  # q1 = q0 ⊕ dq
    lam: Floats  # (nc,) multipliers at the end
    lam0: Floats  # (nc,) at the start
    r: Floats  # (nv,) residual of the equations of motion
    q: Floats  # (nq,) work array
    v: Floats  # (nv,) work array
    error_q: Floats  # (nq,)
    error_v: Floats  # (nv,)
    error_x: Floats  # (na,)
    x_dot0: Floats  # rates of the first-order states at the start
    w0: Floats  # their pseudo-rates at the start
    w: Floats  # as the last step has left them
    w_rate: Floats  # (w1 − w0) / h of the last step


def coefficients(rho: float) -> AlphaRecord:
    """Coefficients for the spectral radius ρ at infinite frequency (Chung & Hulbert 1993)."""
    alpha_m, alpha_f = (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)
    ahead = alpha_m - alpha_f
    gamma = 0.5 - ahead
    beta = 0.25 * (gamma + 0.5) ** 2
    # a₀ = v̇ + ahead h v̈ + c h² d³v/dt³, from the recursion of a
    c = 0.5 * (1.0 - alpha_f) - (1.0 - alpha_m) * (0.5 + ahead)
    return AlphaRecord(
        alpha_m=alpha_m,
        alpha_f=alpha_f,
        beta=beta,
        gamma=gamma,
        ahead=ahead,
        late=1.0 / 3.0 - 2.0 * beta - ahead,
        velocity_error=c + gamma * (0.5 + ahead) - 1.0 / 6.0,
        length=0.0,
    )


def history_length(problem: Any) -> int:
    """Length of the last step; v̇, a, jerk; pseudo-rates of first-order states and their slopes."""
    return 1 + 3 * int(problem.nv) + 2 * int(problem.na)


def zero_arrays(problem: Any, record: AlphaRecord) -> Alpha:
    """The arrays of a run."""
    lengths = {"lam": problem.nc, "lam0": problem.nc, "q": problem.nq, "error_q": problem.nq}
    lengths |= dict.fromkeys(("error_x", "x_dot0", "w0", "w", "w_rate"), problem.na)
    arrays = {name: np.zeros(lengths.get(name, problem.nv)) for name in Alpha._fields if name != "record"}
    return Alpha(record=records(AlphaRecord, [record]), **arrays)
