"""Work of prescribed motions, with what contacts and the projection ask of them."""

from __future__ import annotations

from mbplugin.interface import internal
from mbplugin.stepping import ACCELERATION_LEVEL, Blocks, Bodies, Rows, State, Step, apply_mass, project, view
from mbplugin_contact.arrays import Contacts


@internal
def add_work_of_motions(tables):
    """Add the work of the impulses that contacts cause in motions, at the end of a step.

    An impulse does the work (h λ + Λ) G (v₀ + v₁)/2; −h λ Φₜ of it is booked with the rates. Rows under a law
    are not among them: `settle_laws` has their work.
    """
    mine, blocks, rows = view(tables, Contacts), view(tables, Blocks), view(tables, Rows)
    h = view(tables, Step).record[0].length
    aux, v0, v1 = view(tables, State).aux, view(tables, Step).v0, view(tables, State).v
    work = 0.0
    for k in range(blocks.index.shape[0]):
        block = blocks.index[k]
        for r in range(block.rows):
            row = block.first_row + r
            moves = rows.phi_t[row] != 0.0
            if rows.active[row] == 0 or not (moves or rows.level[row] == ACCELERATION_LEVEL):
                continue
            smooth = h * rows.lam[row] if moves else 0.0
            mean = 0.0
            for i in range(block.first_member, block.first_member + block.members):
                member = blocks.member[i]
                g = member.first_G + r * member.nv
                for c in range(member.nv):
                    mean += 0.5 * blocks.G[g + c] * (v0[member.first_v + c] + v1[member.first_v + c])
            work += (smooth + mine.impulse[row]) * mean + smooth * rows.phi_t[row]
    aux[0] += work


@internal
def project_and_book(tables, h):
    """Project the end of the step onto the constraints. Rows held at the mean velocity miss it by −¼ h² G v̈:
    what the impulse that removes this does to bodies that are driven is work of the motions. Returns a
    status.
    """
    state, rows, step = view(tables, State), view(tables, Rows), view(tables, Step).record[0]
    state.time[0], step.projected = step.t0 + h, 1
    driven = False
    for r in range(rows.phi_t.shape[0]):
        driven = driven or (rows.active[r] == 1 and rows.phi_t[r] != 0.0)
    before = kinetic_energy(tables) if driven else 0.0
    status = project(tables)
    if driven and status == 0:
        state.aux[0] += kinetic_energy(tables) - before
    return status


@internal
def kinetic_energy(tables):
    """½ vᵀ M v [J]."""
    F, bodies, v = view(tables, Contacts).F, view(tables, Bodies), view(tables, State).v
    for k in range(v.shape[0]):
        F[k] = 0.0
    for i in range(bodies.index.shape[0]):
        apply_mass(bodies, i, 1.0, v, F)
    total = 0.0
    for k in range(v.shape[0]):
        total += 0.5 * v[k] * F[k]
    return total
