"""Work of prescribed motions against contacts."""

from __future__ import annotations

from mbplugin.interface import internal
from mbplugin.stepping import ACCELERATION_LEVEL, Blocks, Rows, State, Step, view
from mbplugin_contact.arrays import Contacts


@internal
def add_work_of_motions(tables):
    """Add the work of the impulses that contacts cause in motions, at the end of a step.

    An impulse Λ does the work Λ G (v₀ + v₁)/2, which is −Λ Φₜ for rows at position and velocity level. Rows
    under a law are not among them: `settle_laws` has their work.
    """
    mine, blocks, rows = view(tables, Contacts), view(tables, Blocks), view(tables, Rows)
    aux, v0, v1 = view(tables, State).aux, view(tables, Step).v0, view(tables, State).v
    work = 0.0
    for k in range(blocks.index.shape[0]):
        block = blocks.index[k]
        for r in range(block.rows):
            row = block.first_row + r
            if rows.active[row] == 0 or mine.impulse[row] == 0.0:
                continue
            work -= mine.impulse[row] * rows.phi_t[row]
            if rows.level[row] == ACCELERATION_LEVEL:
                for i in range(block.first_member, block.first_member + block.members):
                    member = blocks.member[i]
                    g = member.first_G + r * member.nv
                    for c in range(member.nv):
                        mean = 0.5 * (v0[member.first_v + c] + v1[member.first_v + c])
                        work += mine.impulse[row] * blocks.G[g + c] * mean
    aux[0] += work
