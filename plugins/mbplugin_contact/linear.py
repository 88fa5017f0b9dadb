"""The matrix of contacts and joints: pattern, values, factors, Newton's step. A part of the step.

    [ M + Σ GᵀD G   Ĝ_jᵀ ] [ δv ]     [ F          ]
    [ Ĝ_j        −δ − ĉ  ] [ −μ ] = − [ Ĝ_j v + ĉ Λ̂ − ĝ ]  D = ρ ∂S/∂x

M makes it regular however redundant contacts are; rows of joints border it. δ damps steps only.
"""

from __future__ import annotations

from mbplugin.interface import OPEN, internal
from mbplugin.matrix import (
    Matrix,
    add_constraints_of,
    add_diagonal,
    add_mass_of,
    add_pool_terms,
    analyse,
    clear_part,
    couple_pool,
    declare_augmented,
    factor_part,
    request_matrix_capacity,
    solve_part,
)
from mbplugin.stepping import Blocks, Bodies, Pool, run_part, view
from mbplugin_contact.arrays import Contacts, compliant_rows
from mbplugin_contact.laws import SLOPES
from mbplugin_contact.parts import LAW

#: δ, of the diagonal of scaled rows
PROXIMAL = 1e-10
#: what the part does
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
        return form(tables)
    newton_step(tables)
    return 0


@internal
def find_pattern(tables):
    """The pattern of the matrix, if it is not that already, and whether it is left out. Returns a status."""
    pool, mine, m = view(tables, Pool), view(tables, Contacts), view(tables, Matrix)
    n = pool.used[0]
    same = mine.pairs[0] == n
    for k in range(n):
        a, b = pool.member[2 * k].body, pool.member[2 * k + 1].body
        if mine.pair[k, 0] != a or mine.pair[k, 1] != b:
            same = False
            mine.pair[k, 0], mine.pair[k, 1] = a, b
    if same:
        return 0
    declare_augmented(tables, m, 0)
    for k in range(n):
        couple_pool(tables, m, k)
    mine.pairs[0] = n
    # the numbers of a factor that is allowed grow linearly with the bodies
    most = m.info[0].nodes * (ENTRIES if mine.record[0].coupled == 0 else 1 << 40)
    fits = analyse(m) == 0
    full = m.info[0].entries > m.entry.shape[0]
    if (full and m.entry.shape[0] >= most) or (not full and m.info[0].entries > most):
        mine.record[0].dear = 1
    elif not fits:
        mine.pairs[0] = -1
        m.info[0].entries = min(m.info[0].entries, most)
        return request_matrix_capacity(tables)
    else:
        mine.record[0].dear = 0
    return 0


@internal
def cost_of_factors(tables):
    """Of the island's part of the matrix, in sweeps: by Σ n w² over its panels, n rows of width w."""
    m, record = view(tables, Matrix), view(tables, Contacts).record[0]
    work = 0.0
    for k in range(record.first_panel, record.end_panel):
        panel = m.panel[m.panel[k].grouped]
        work += 1.0 * panel.rows * panel.width * panel.width
    return work / (WORK_OF_SWEEP * max(record.end_contact - record.first_contact, 1))


@internal
def form(tables):
    """Factor the matrix at `Contacts.u`. Returns a status."""
    assemble(tables)
    record = view(tables, Contacts).record[0]
    record.factored += 1
    return factor_part(view(tables, Matrix), record.first_panel, record.end_panel)


@internal
def assemble(tables):
    """The matrix at `Contacts.u`."""
    mine, m = view(tables, Contacts), view(tables, Matrix)
    bodies, blocks = view(tables, Bodies), view(tables, Blocks)
    m.info[0].symmetric = 1 if mine.record[0].exact == 0 else 0
    run_part(tables, LAW, SLOPES)
    clear_part(m, mine.record[0].first_panel, mine.record[0].end_panel)
    for s in range(mine.record[0].first_body, mine.record[0].end_body):
        i = mine.bodies[s]
        add_mass_of(bodies, m, i, 1.0)
    for s in range(mine.record[0].first_joint, mine.record[0].end_joint):
        k = mine.joints[s]
        add_constraints_of(blocks, m, mine.bodies.shape[0], k, compliant_rows(mine).scale, 1.0)
    add_compliances(tables, m)
    for s in range(mine.record[0].first_contact, mine.record[0].end_contact):
        k = mine.contacts[s]
        mine.formed[k] = mine.status[k]
        if mine.status[k] != OPEN:
            add_pool_terms(tables, m, k, mine.D[k], 0)


@internal
def add_compliances(tables, m):
    """−(δ + c), in scaled rows, on the diagonal of the rows; −1 of those that are not solved for."""
    mine, blocks = view(tables, Contacts), view(tables, Blocks)
    rows, nb = compliant_rows(mine), mine.bodies.shape[0]
    for j in range(mine.record[0].first_joint, mine.record[0].end_joint):
        k = mine.joints[j]
        block = blocks.index[k]
        for r in range(block.rows):
            s = rows.scale[block.first_row + r]
            c = PROXIMAL + s * s * rows.c[block.first_row + r]
            add_diagonal(m, nb + k, r, -c if s != 0.0 else -1.0)


@internal
def newton_step(tables):
    """The step of v into `Contacts.step` and of Λ into `Contacts.turn`, by the matrix as it is factored."""
    mine, m = view(tables, Contacts), view(tables, Matrix)
    scale = compliant_rows(mine).scale
    nv = mine.F.shape[0]
    for i in range(mine.record[0].first_velocity, mine.record[0].end_velocity):
        c = mine.velocities[i]
        m.x[c] = -mine.F[c]
    for i in range(mine.record[0].first_row, mine.record[0].end_row):
        row = mine.rows[i]
        m.x[nv + row] = -mine.open[row]
    solve_part(m, m.x, mine.record[0].first_panel, mine.record[0].end_panel)
    for i in range(mine.record[0].first_velocity, mine.record[0].end_velocity):
        c = mine.velocities[i]
        mine.step[c] = m.x[c]
    for i in range(mine.record[0].first_row, mine.record[0].end_row):
        row = mine.rows[i]
        mine.turn[row] = -scale[row] * m.x[nv + row]
