"""Work of prescribed motions, with that of the impulses of contacts and of the projection."""

from __future__ import annotations

from mbplugin.interface import internal
from mbplugin.stepping import (
    ACCELERATION_LEVEL,
    ON,
    Blocks,
    Bodies,
    Rows,
    State,
    Step,
    apply_mass,
    copy,
    project,
    view,
)
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.groups import LOADED, group_bodies, group_of_block
from mbplugin_contact.momentum import row_rate


@internal
def add_work_of_motions(tables):
    """Add the work of the impulses that contacts cause in motions, at the end of a step.

    An impulse does the work (h λ + Λ) G (v₀ + v₁)/2; −h λ Φₜ of it is booked with the rates. Rows under a law
    are not among them: `settle_compliant_rows` has their work.
    """
    contacts, blocks, rows = view(tables, Contacts), view(tables, Blocks), view(tables, Rows)
    mode, h = view(tables, State).mode, view(tables, Step).record[0].length
    aux, v0, v1 = view(tables, State).aux, view(tables, Step).v0, view(tables, State).v
    work, total = 0.0, contacts.work
    for c in range(total.shape[0]):
        total[c] = v0[c] + v1[c]
    for k in range(blocks.index.shape[0]):
        block = blocks.index[k]
        for r in range(block.rows):
            row = block.first_row + r
            moves = rows.phi_t[row] != 0.0
            if mode[row] != ON or not (moves or rows.level[row] == ACCELERATION_LEVEL):
                continue
            smooth = h * rows.lam[row] if moves else 0.0
            mean = 0.5 * row_rate(blocks, block, r, total)
            work += (smooth + contacts.joint_impulse[row]) * mean + smooth * rows.phi_t[row]
    aux[0] += work


@internal
def project_and_book(tables, h):
    """Project the end of the step onto the constraints. Rows held at the mean velocity miss it by −¼ h² G v̈:
    the work of the impulse that removes this on driven groups of bodies is work of the motions.
    Returns a status.
    """
    contacts, state, step = view(tables, Contacts), view(tables, State), view(tables, Step).record[0]
    state.time[0], step.projected = step.t0 + h, 1
    driven = mark_driven(tables)
    copy(state.v, contacts.trial)
    status = project(tables)
    if driven and status == 0:
        # both with M at the end, which of trees is another one than in the middle
        add_kinetic_energies(tables, 1.0, contacts.trial)
        add_kinetic_energies(tables, -1.0, state.v)
        for i in range(contacts.group.shape[0]):
            if contacts.groups[contacts.group[i]].driven == 1:
                state.aux[0] -= contacts.groups[i].energy
    return status


@internal
def mark_driven(tables):
    """Mark `driven` of groups with a motion that has a speed; returns whether there is one."""
    contacts, blocks, rows = view(tables, Contacts), view(tables, Blocks), view(tables, Rows)
    mode, any_driven = view(tables, State).mode, False
    for k in range(blocks.index.shape[0]):
        block = blocks.index[k]
        for r in range(block.first_row, block.first_row + block.rows):
            if mode[r] == ON and rows.phi_t[r] != 0.0:
                if not any_driven:
                    group_bodies(tables, LOADED)
                any_driven, group = True, group_of_block(tables, k)
                if group >= 0:
                    contacts.groups[group].driven = 1
    return any_driven


@internal
def add_kinetic_energies(tables, factor, v):
    """Add factor ½ vᵀ M v of every body to `energy` of its record in `Contacts.groups` [J]; v (nv,)."""
    contacts, bodies = view(tables, Contacts), view(tables, Bodies)
    F = contacts.F
    for k in range(v.shape[0]):
        F[k] = 0.0
    for i in range(bodies.index.shape[0]):
        apply_mass(bodies, i, 1.0, v, F)
        first = bodies.index[i].first_v
        for k in range(first, first + bodies.index[i].nv):
            contacts.groups[i].energy += factor * 0.5 * v[k] * F[k]
