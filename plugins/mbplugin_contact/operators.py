"""What contacts do to velocities: relative velocities, their own masses, impulses of all of them."""

from __future__ import annotations

from mbplugin.interface import inlined, internal
from mbplugin.stepping import Pool, view
from mbplugin_contact.arrays import Contacts

#: velocities of a rigid body: loops of known length are faster
RIGID = 6


@inlined
def relative_velocity(pool, k, v):
    """G v of contact k: normal and both tangents."""
    n = a = b = 0.0
    for s in range(2):
        member = pool.member[2 * k + s]
        nv = member.nv
        if nv == RIGID:
            rates = part_of_rates(pool.G, member.first_G, RIGID, v, member.first_v)
        else:
            rates = part_of_rates(pool.G, member.first_G, nv, v, member.first_v)
        n, a, b = n + rates[0], a + rates[1], b + rates[2]
    return n, a, b


@inlined
def part_of_rates(G, g, nv, v, first):
    """What the nv velocities of one body add to the three rates of a contact."""
    n = a = b = 0.0
    for c in range(nv):
        w = v[first + c]
        n += G[g + c] * w
        a += G[g + nv + c] * w
        b += G[g + 2 * nv + c] * w
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
        if member.nv == RIGID:
            add_part(A, member.first_G, RIGID, n, a, b, x, member.first_v)
        else:
            add_part(A, member.first_G, member.nv, n, a, b, x, member.first_v)


@inlined
def add_part(A, g, nv, n, a, b, x, first):
    """The part of one body of nv velocities."""
    for c in range(nv):
        x[first + c] += A[g + c] * n + A[g + nv + c] * a + A[g + 2 * nv + c] * b


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
    for k in range(pool.used[0]):
        w = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        for s in range(2):
            member = pool.member[2 * k + s]
            if member.nv == RIGID:
                w = add_masses(w, pool.G, pool.X, member.first_G, RIGID)
            else:
                w = add_masses(w, pool.G, pool.X, member.first_G, member.nv)
        W[k, 0], W[k, 1], W[k, 2] = w[0], w[1], w[2]
        W[k, 3], W[k, 4], W[k, 5] = w[1], w[3], w[4]
        W[k, 6], W[k, 7], W[k, 8] = w[2], w[4], w[5]
        rho[k] = 3.0 / (w[0] + w[3] + w[5])


@inlined
def add_masses(w, G, X, a, nv):
    """The upper half of W, with the part of a body of nv velocities."""
    w0, w1, w2, w4, w5, w8 = w
    b, d = a + nv, a + 2 * nv
    for c in range(nv):
        w0 += G[a + c] * X[a + c]
        w1 += G[a + c] * X[b + c]
        w2 += G[a + c] * X[d + c]
        w4 += G[b + c] * X[b + c]
        w5 += G[b + c] * X[d + c]
        w8 += G[d + c] * X[d + c]
    return w0, w1, w2, w4, w5, w8
