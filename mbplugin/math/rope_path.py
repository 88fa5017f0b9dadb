"""The path of a rope over sheaves, between two markers of it, in numpy.

A sheave is a circle of the centre x, axis z and radius r, about which the rope runs in the sense σ = ±1; it
stands as ρ = σ r, and an eye as 0. With d = x_b − x_a, normals n from the centres to where the straight rope
leaves a and touches b, p = d − (d·z) z and c = n_a·n_b

    d·n_a = r_a − r_b c,   d·n_b = r_a c − r_b

where the axes are parallel c is ±1; else it is found by iteration.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
TURN = 2.0 * np.pi
#: wraps are from −WINDOW to 2π − WINDOW [rad]
WINDOW = 0.25 * np.pi
#: most rounds of the iteration, and change of c at its end
ROUNDS, CLOSE = 50, 1e-15


def normals(a: Array, b: Array, z_a: Array, z_b: Array, rho_a: float, rho_b: float) -> tuple[Array, Array]:
    """The normals n_a and n_b (3,); 0 at an eye. NaN where the circles have no such tangent."""
    d, r_a, r_b = b - a, abs(rho_a), abs(rho_b)

    def at(c: float) -> tuple[Array, Array]:
        return normal(d, z_a, rho_a, r_a - r_b * c), normal(d, z_b, rho_b, r_a * c - r_b)

    if not (rho_a and rho_b):
        return at(0.0)
    m_a, m_b = np.cross(d, z_a), np.cross(d, z_b)
    c = float(np.sign(rho_a * rho_b) * (m_a @ m_b) / np.sqrt((m_a @ m_a) * (m_b @ m_b)))
    found = at(c)
    for _ in range(ROUNDS):
        before, c = c, float(found[0] @ found[1])
        if abs(c - before) < CLOSE:
            break
        found = at(c)
    return found


def normal(d: Array, z: Array, rho: float, k: float) -> Array:
    """The n across z with d·n = k, on the side of −σ z × d."""
    if not rho:
        return np.zeros(3)
    p = d - (d @ z) * z
    squared = p @ p
    with np.errstate(invalid="ignore"):
        return np.asarray((k * p - np.sign(rho) * np.sqrt(squared - k * k) * np.cross(z, p)) / squared)


def wrap(n_in: Array, n_out: Array, z: Array, sense: float) -> float:
    """The angle of a sheave that the rope touches [rad]."""
    angle = sense * np.arctan2(z @ np.cross(n_in, n_out), n_in @ n_out)
    return float(angle + TURN if angle < -WINDOW else angle)


def path(x: Array, z: Array, rho: Array) -> tuple[Array, Array, Array]:
    """The path along markers x (n, 3) with axes z (n, 3) and radii ρ (n,).

    Returns the ends (n − 1, 2, 3) of its straight parts, the normals (n − 1, 2, 3) there, and the wraps (n,)
    [rad], 0 at eyes
    """
    at = np.array([normals(*x[k : k + 2], *z[k : k + 2], *rho[k : k + 2]) for k in range(len(x) - 1)])
    r = np.abs(rho)
    ends = np.stack([x[:-1] + r[:-1, None] * at[:, 0], x[1:] + r[1:, None] * at[:, 1]], axis=1)
    wraps = np.zeros(len(x))
    for k in np.flatnonzero(rho):
        wraps[k] = wrap(at[k - 1, 1], at[k, 0], z[k], float(np.sign(rho[k])))
    return ends, at, wraps


def length(ends: Array, wraps: Array, rho: Array) -> float:
    """Length of such a path [m]."""
    return float(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1).sum() + np.abs(rho) @ wraps)
