"""What contacts do to velocities: relative velocities, their own masses, impulses of all of them."""

from __future__ import annotations

from mbplugin.interface import inlined, internal
from mbplugin.stepping import Pool, view
from mbplugin_contact.arrays import Contacts


@inlined
def relative_velocity(pool, k, v):
    """G v of contact k: normal and both tangents."""
    n = a = b = 0.0
    for s in range(2):
        member = pool.member[2 * k + s]
        g, nv = member.first_G, member.nv
        for c in range(nv):
            w = v[member.first_v + c]
            n += pool.G[g + c] * w
            a += pool.G[g + nv + c] * w
            b += pool.G[g + 2 * nv + c] * w
    return n, a, b


@internal
def relative_velocities(tables, v):
    """u = G v + bias of every contact of the island into `Contacts.u`; v (nv,)."""
    pool, mine = view(tables, Pool), view(tables, Contacts)
    for s in range(mine.record[0].first_contact, mine.record[0].end_contact):
        k = mine.contacts[s]
        n, a, b = relative_velocity(pool, k, v)
        mine.u[k, 0], mine.u[k, 1], mine.u[k, 2] = (
            n + mine.bias[k, 0],
            a + mine.bias[k, 1],
            b + mine.bias[k, 2],
        )


@inlined
def add_columns(pool, A, k, n, a, b, x):
    """x ← x + A r of contact k; A: `pool.G` for Gᵀ, a load, or `pool.X` for M⁻¹ Gᵀ, an impulse."""
    for s in range(2):
        member = pool.member[2 * k + s]
        g, nv = member.first_G, member.nv
        for c in range(nv):
            x[member.first_v + c] += A[g + c] * n + A[g + nv + c] * a + A[g + 2 * nv + c] * b


@internal
def add_impulses(tables, v):
    """v ← v + M⁻¹ Gᵀ r of all contacts of the island."""
    pool, mine = view(tables, Pool), view(tables, Contacts)
    r = pool.impulse
    for s in range(mine.record[0].first_contact, mine.record[0].end_contact):
        k = mine.contacts[s]
        add_columns(pool, pool.X, k, r[3 * k], r[3 * k + 1], r[3 * k + 2], v)


@internal
def own_masses(tables):
    """W = G M⁻¹ Gᵀ and ρ = 3 / trace(W) of every contact."""
    pool, W, rho = view(tables, Pool), view(tables, Contacts).W, view(tables, Contacts).rho
    G, X = pool.G, pool.X
    for k in range(pool.used[0]):
        w0 = w1 = w2 = w4 = w5 = w8 = 0.0
        for s in range(2):
            member = pool.member[2 * k + s]
            nv = member.nv
            a = member.first_G
            b, d = a + nv, a + 2 * nv
            for c in range(nv):
                w0 += G[a + c] * X[a + c]
                w1 += G[a + c] * X[b + c]
                w2 += G[a + c] * X[d + c]
                w4 += G[b + c] * X[b + c]
                w5 += G[b + c] * X[d + c]
                w8 += G[d + c] * X[d + c]
        W[k, 0], W[k, 1], W[k, 2] = w0, w1, w2
        W[k, 3], W[k, 4], W[k, 5] = w1, w4, w5
        W[k, 6], W[k, 7], W[k, 8] = w2, w5, w8
        rho[k] = 3.0 / (w0 + w4 + w8)
