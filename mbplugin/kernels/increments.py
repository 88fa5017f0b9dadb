"""T of an increment dq of the coordinates: q ⊕ (dq + ε) = (q ⊕ dq) ⊕ (T ε) to first order in ε.

An implicit integrator whose unknown is the increment dq from the start of a step has K T instead of K and G T
instead of G, with K and G at q ⊕ dq.
"""

from __future__ import annotations

from mbplugin.kernels.view import call_batch, view
from mbplugin.math.jit import internal
from mbplugin.math.vectors import copy, fill
from mbplugin.tables.groups import Blocks, Bodies, Increments, Status, TangentPlan
from mbplugin.tables.purposes import INCREMENT
from mbplugin.tables.status import TANGENT_RAISED


@internal
def increment_tangents(tables, dq):
    """T of every body at dq (nv,), into `Increments.T`. Returns a status. After
    `Problem.prepare_tangents`.
    """
    increments = view(tables, Increments)
    bodies = view(tables, Bodies).index
    copy(dq, increments.dq)
    fill(increments.T, 0.0)
    for i in range(bodies.shape[0]):
        for k in range(bodies[i].nv):
            increments.T[increments.first[i] + k * bodies[i].nv + k] = 1.0
    calls = view(tables, TangentPlan).call
    for i in range(calls.shape[0]):
        call = calls[i]
        if call.purpose == INCREMENT and call_batch(call.address, call.first, call.length, tables) != 0:
            view(tables, Status).batch[0] = call.address
            return TANGENT_RAISED
    return 0


@internal
def rows_by_increments(tables, G_T):
    """G T of every row, into an array in the layout of `Blocks.G`."""
    blocks = view(tables, Blocks)
    increments = view(tables, Increments)
    for b in range(blocks.index.shape[0]):
        block = blocks.index[b]
        for j in range(block.first_member, block.first_member + block.members):
            member = blocks.member[j]
            n, T = member.nv, increments.first[member.body]
            band = increments.band[member.body]
            for r in range(block.rows):
                g = member.first_G + r * n
                for k in range(n):
                    s = 0.0
                    for l in range(max(0, k - band), min(n, k + band + 1)):
                        s += blocks.G[g + l] * increments.T[T + l * n + k]
                    G_T[g + k] = s
