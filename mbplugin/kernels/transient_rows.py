"""Blocks of three rows of the transient rows, such as contacts, times velocities and impulses.

Rows of a rigid body fill vector registers.
"""

from __future__ import annotations

from mbplugin.kernels.members import PARTS, first_member, members_of
from mbplugin.math.emitters.panels import at
from mbplugin.math.emitters.three_rows import add_three, three_rates
from mbplugin.math.emitters.triple_products import RIGID
from mbplugin.math.jit import inlined


@inlined
def transient_rates(transient, k, v):
    """G v of a block of three rows, as three numbers."""
    x, y, z = transient_rates_of(transient, k, 0, v)
    n, a, b = transient_rates_of(transient, k, 1, v)
    return x + n, y + a, z + b


@inlined
def transient_rates_of(transient, k, s, v):
    """Part that one of the two bodies adds to `transient_rates`; s: 0 body a, 1 body b."""
    m = first_member(transient, k, s)
    if transient.member[m].nv == RIGID:
        return three_rates(at(transient.G, transient.member[m].first_G), at(v, transient.member[m].first_v))
    x = y = z = 0.0
    for i in range(m, m + transient.width[PARTS]):
        g, first, nv = transient.member[i].first_G, transient.member[i].first_v, transient.member[i].nv
        for c in range(nv):
            w = v[first + c]
            x += transient.G[g + c] * w
            y += transient.G[g + nv + c] * w
            z += transient.G[g + 2 * nv + c] * w
    return x, y, z


@inlined
def add_transient_columns(transient, A, k, a, b, c, x):
    """x ← x + A (a, b, c) for a block of three rows.

    A: `transient.G` for Gᵀ, a load; `transient.X` for M⁻¹ Gᵀ, an impulse
    """
    for m in members_of(transient, k):
        member = transient.member[m]
        g, first, nv = member.first_G, member.first_v, member.nv
        if nv == RIGID:
            add_three(at(A, g), a, b, c, at(x, first))
        else:
            for i in range(nv):
                x[first + i] += A[g + i] * a + A[g + nv + i] * b + A[g + 2 * nv + i] * c
