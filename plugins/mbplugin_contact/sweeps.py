"""Block Gauss-Seidel over contacts: each in turn obeys its law exactly, the others held."""

from __future__ import annotations

from mbplugin.interface import internal
from mbplugin.stepping import Pool, view
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.coulomb import local_impulse, residual_of
from mbplugin_contact.operators import add_columns, relative_velocities, relative_velocity


@internal
def sweep(tables, v):
    """One sweep over all contacts: impulses and velocities v (nv,) change."""
    pool, mine = view(tables, Pool), view(tables, Contacts)
    r, W = pool.impulse, mine.W
    for k in range(pool.used[0]):
        i = 3 * k
        n, a, b = r[i], r[i + 1], r[i + 2]
        u_n, u_1, u_2 = relative_velocity(pool, k, v)
        q_n = u_n + mine.bias[k, 0] - (W[k, 0] * n + W[k, 1] * a + W[k, 2] * b)
        q_1 = u_1 + mine.bias[k, 1] - (W[k, 3] * n + W[k, 4] * a + W[k, 5] * b)
        q_2 = u_2 + mine.bias[k, 2] - (W[k, 6] * n + W[k, 7] * a + W[k, 8] * b)
        r[i], r[i + 1], r[i + 2], mine.status[k] = local_impulse(W, k, q_n, q_1, q_2, pool.friction[k])
        add_columns(pool, pool.X, k, r[i] - n, r[i + 1] - a, r[i + 2] - b, v)


@internal
def law_residual(tables, v):
    """The largest |r − P_K(r − ρ ũ)| / ρ of all contacts at velocities v (nv,) [m/s], which are left as
    `Contacts.u`.
    """
    relative_velocities(tables, v)
    pool, mine = view(tables, Pool), view(tables, Contacts)
    r, u = pool.impulse, mine.u
    worst = 0.0
    for k in range(pool.used[0]):
        i = 3 * k
        miss = residual_of(r[i], r[i + 1], r[i + 2], u[k, 0], u[k, 1], u[k, 2], pool.friction[k], mine.rho[k])
        worst = max(worst, miss)
    return worst
