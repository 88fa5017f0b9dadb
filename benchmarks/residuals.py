"""How far the impulses of a step are from the exact law: the largest |r − P_K(r − ρ ũ)| / ρ over g dt, with
ũ = u + μ |u_T| n and ρ = 3 / trace(W), W = G M⁻¹ Gᵀ of a contact alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

#: rows of a Jacobian that are made at once
AT_ONCE = 300


def jacobian(model: Any, data: Any, rows: Any) -> Any:
    """(n, nv) rows of the Jacobian of the constraints, which may be sparse."""
    import mujoco

    if not mujoco.mj_isSparse(model):
        return data.efc_J.reshape(data.nefc, model.nv)[rows]
    G = np.zeros((len(rows), model.nv))
    for k, row in enumerate(rows):
        first, count = int(data.efc_J_rowadr[row]), int(data.efc_J_rownnz[row])
        G[k, data.efc_J_colind[first : first + count]] = data.efc_J[first : first + count]
    return G


def projection(x: Any, mu: Any) -> Any:
    """(n, 3) points of the cones |r_T| ≤ μ r_N next to x (n, 3)."""
    normal, t = x[:, 0], np.hypot(x[:, 1], x[:, 2])
    r_n = np.where(t <= mu * normal, normal, np.maximum(0.0, (normal + mu * t) / (1.0 + mu * mu)))
    factor = np.minimum(1.0, mu * r_n / np.where(t > 0.0, t, 1.0))
    return np.column_stack([r_n, factor * x[:, 1], factor * x[:, 2]])


def of_mbplugin(simulation: Any, scale: float) -> float:
    """Of the last step; scale: g dt [m/s]."""
    return float(simulation.output("contact.residual")) / scale


def of_mujoco(model: Any, data: Any, scale: float) -> float:
    """Of the last `mj_step`, with MuJoCo's own contacts, where a gap may close within the step. The model has
    elliptic cones.
    """
    import mujoco

    if data.ncon == 0:
        return 0.0
    dt, first = model.opt.timestep, data.contact.efc_address
    kept = first >= 0
    rows = (first[kept, None] + np.arange(3)).ravel()
    u, norms = np.empty(len(rows)), np.empty(len(rows))
    for start in range(0, len(rows), AT_ONCE):
        part = slice(start, start + AT_ONCE)
        G = jacobian(model, data, rows[part])
        X = np.empty_like(G)
        mujoco.mj_solveM(model, data, X, G)
        u[part], norms[part] = G @ data.qvel, (G * X).sum(axis=1)
    trace, u = norms.reshape(-1, 3).sum(axis=1), u.reshape(-1, 3)
    mu, r = data.contact.friction[kept, 0], dt * data.efc_force[rows].reshape(-1, 3)
    u[:, 0] += np.maximum(data.contact.dist[kept], 0.0) / dt + mu * np.hypot(u[:, 1], u[:, 2])
    rho = (3.0 / trace)[:, None]
    return float((np.linalg.norm(r - projection(r - rho * u, mu), axis=1) / rho[:, 0]).max()) / scale
