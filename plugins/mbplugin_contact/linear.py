"""The matrix of contacts and joints: pattern, values, factors, Newton's step. A part of the step.

    [ M + Σ GᵀD G   Ĝ_jᵀ ] [ δv ]     [ F          ]
    [ Ĝ_j        −δ − ĉ  ] [ −μ ] = − [ Ĝ_j v + ĉ Λ̂ − ĝ ]  D = ρ ∂S/∂x

M makes it regular however redundant contacts are; rows of joints border it. δ damps steps only.
"""

from __future__ import annotations

from mbplugin.interface import OPEN, inlined, internal
from mbplugin.matrix import (
    Matrix,
    add_constraints_of,
    add_diagonal,
    add_mass_of,
    add_transient_terms,
    analyse,
    clear_part,
    couple_transient,
    declare_augmented,
    factor_part,
    leave_out,
    request_matrix_capacity,
    solve_part,
)
from mbplugin.stepping import Blocks, Bodies, TransientMarkers, TransientRows, run_part, view
from mbplugin.stepping.members import first_member
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.islands import BODIES, CONTACTS, JOINTS, PANELS, ROWS, VELOCITIES, island
from mbplugin_contact.laws import SLOPES
from mbplugin_contact.parts import LAW

#: δ, of the diagonal of scaled rows
PROXIMAL = 1e-10
#: tasks of the part
PATTERN, FACTORS, STEP = range(3)
#: blocks of a factor for each body, above which the matrix is left out
ENTRIES = 24
#: n w² of a factor that takes as long as a contact in a sweep
WORK_OF_SWEEP = 800.0


def linear(tables, number):
    """PATTERN: for the present contacts; FACTORS: at their present statuses and speeds; STEP: of v and Λ.
    Returns a status.
    """
    if number == PATTERN:
        return find_pattern(tables)
    if number == FACTORS:
        contacts = view(tables, Contacts)
        assemble(tables)
        contacts.record[0].factored += 1
        return factor_part(view(tables, Matrix), contacts.first[PANELS], contacts.end[PANELS])
    newton_step(tables)
    return 0


@inlined
def side_named(tables, k, s):
    """A number of what side s of contact k moves with: its body, or a face of one."""
    transient, marker = view(tables, TransientRows), view(tables, TransientMarkers).index[2 * k + s]
    if marker.face >= 0:
        return -2 - marker.face * view(tables, Bodies).index.shape[0] - marker.body
    return transient.member[first_member(transient, k, s)].body


@internal
def find_pattern(tables):
    """The pattern of the matrix, if it is not that already, and whether it is left out. Returns a status."""
    transient, contacts, m = view(tables, TransientRows), view(tables, Contacts), view(tables, Matrix)
    n = transient.used[0]
    same = contacts.pairs[0] == n
    for k in range(n):
        a, b = side_named(tables, k, 0), side_named(tables, k, 1)
        if contacts.pair[k, 0] != a or contacts.pair[k, 1] != b:
            same = False
            contacts.pair[k, 0], contacts.pair[k, 1] = a, b
    if same:
        return 0
    declare_augmented(tables, m, 0)
    for k in range(n):
        couple_transient(tables, m, k)
    contacts.pairs[0] = n
    # the numbers of a factor that is allowed grow linearly with the bodies
    max_entries = m.info[0].nodes * (ENTRIES if contacts.record[0].coupled == 0 else 1 << 40)
    fits = analyse(m) == 0
    full = m.info[0].entries > m.entry.shape[0]
    if (full and m.entry.shape[0] >= max_entries) or (not full and m.info[0].entries > max_entries):
        contacts.record[0].matrix_too_costly = 1
    elif not fits:
        contacts.pairs[0] = -1
        m.info[0].entries = min(m.info[0].entries, max_entries)
        return request_matrix_capacity(tables)
    else:
        contacts.record[0].matrix_too_costly = 0
    return 0


@internal
def cost_of_factors(tables):
    """The cost of factors of the island's matrix, in sweeps: by Σ n w² over its panels, n rows of width w."""
    m, contacts = view(tables, Matrix), view(tables, Contacts)
    work = 0.0
    for k in range(contacts.first[PANELS], contacts.end[PANELS]):
        panel = m.panel[m.panel[k].grouped]
        work += 1.0 * panel.rows * panel.width * panel.width
    return work / (WORK_OF_SWEEP * max(len(island(contacts, CONTACTS)), 1))


@internal
def assemble(tables):
    """Write the matrix at `Contacts.u`."""
    contacts, m = view(tables, Contacts), view(tables, Matrix)
    bodies, blocks = view(tables, Bodies), view(tables, Blocks)
    m.info[0].symmetric = 1 if contacts.record[0].exact == 0 else 0
    run_part(tables, LAW, SLOPES)
    clear_part(m, contacts.first[PANELS], contacts.end[PANELS])
    for i in island(contacts, BODIES):
        add_mass_of(bodies, m, i, 1.0)
    for k in island(contacts, JOINTS):
        idle = solves_none(contacts, blocks, k)
        leave_out(m, contacts.bodies.shape[0] + k, idle)
        if not idle:
            add_constraints_of(blocks, m, contacts.bodies.shape[0], k, contacts.row_scale, 1.0)
    add_compliances(tables, m)
    for k in island(contacts, CONTACTS):
        contacts.matrix_status[k] = contacts.status[k]
        if contacts.status[k] != OPEN:
            add_transient_terms(tables, m, k, contacts.D[k], 0)


@inlined
def solves_none(contacts, blocks, k):
    """Whether no row of block k is solved for, as of limits that are not reached."""
    block = blocks.index[k]
    for row in range(block.first_row, block.first_row + block.rows):
        if contacts.row_scale[row] != 0.0:
            return False
    return True


@internal
def add_compliances(tables, m):
    """−(δ + c), in scaled rows, on the diagonal of the rows; −1 of those that are not solved for."""
    contacts, blocks = view(tables, Contacts), view(tables, Blocks)
    nb = contacts.bodies.shape[0]
    for k in island(contacts, JOINTS):
        block = blocks.index[k]
        for r in range(block.rows):
            s = contacts.row_scale[block.first_row + r]
            c = PROXIMAL + s * s * contacts.row_compliance[block.first_row + r]
            add_diagonal(m, nb + k, r, -c if s != 0.0 else -1.0)


@internal
def newton_step(tables):
    """Reads F, joint residuals and the present factors; writes `Contacts.step` and `joint_impulse_step`."""
    contacts, m = view(tables, Contacts), view(tables, Matrix)
    nv = contacts.F.shape[0]
    for c in island(contacts, VELOCITIES):
        m.x[c] = -contacts.F[c]
    for row in island(contacts, ROWS):
        m.x[nv + row] = -contacts.joint_residual[row]
    solve_part(m, m.x, contacts.first[PANELS], contacts.end[PANELS])
    for c in island(contacts, VELOCITIES):
        contacts.step[c] = m.x[c]
    for row in island(contacts, ROWS):
        contacts.joint_impulse_step[row] = -contacts.row_scale[row] * m.x[nv + row]
