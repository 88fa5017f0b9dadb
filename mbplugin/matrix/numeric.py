"""Numeric factorization of a sparse matrix of blocks, without exchanges of rows: A = L U, or L D Lᵀ.

Panel by panel in elimination order: the earlier panels that reach the node change its panel, then its
diagonal block is factored and divides the panel (left-looking). Entries that stand side by side in both
panels are one product.

No exchanges are needed where the matrix is quasi-definite, [A Gᵀ; G −δ] with positive definite A and δ (R.
J. Vanderbei, SIAM J. Optim. 5 (1995) 100-113), or its symmetric part is positive definite, [A −Gᵀ; G δ] (G.
H. Golub, C. Van Loan, Linear Algebra Appl. 28 (1979) 85-97). Pivots must not be tiny beside what is
subtracted from the rest: a constraint, whose diagonal block is −δ, is therefore eliminated after the bodies
next to it.
"""

from __future__ import annotations

from mbplugin.math.emitters.panel_solves import backward, copy_row, forward, subtract_row
from mbplugin.math.emitters.panels import (
    at,
    factor_diagonal,
    solve_and_scale,
    solve_lower,
    solve_unit_lower,
    subtract_product,
)
from mbplugin.math.jit import internal
from mbplugin.tables.status import OK, SINGULAR


@internal
def factor_matrix(m):
    """Overwrite the values with their factors. Returns SINGULAR if a pivot is zero or not finite."""
    return factor_part(m, 0, m.info[0].nodes)


@internal
def factor_part(m, first, end):
    """`factor_matrix` for the panels in a range of the list `grouped`, that of one or more parts."""
    symmetric = m.info[0].symmetric == 1
    upper, lower, place = at(m.upper, 0), at(m.lower, 0), m.work
    for k in range(first, end):
        j = m.panel[k].grouped
        panel = m.panel[j]
        if panel.idle == 1:
            continue
        n, width, start = panel.rows, panel.width, panel.first_value
        place[j] = 0
        for q in range(panel.first_entry, panel.end_entry):
            place[m.entry[q].position] = m.entry[q].column
        for s in range(panel.first_source, panel.end_source):
            source = m.panel[m.source[s].position]
            if source.idle == 1:
                continue
            q = m.source[s].entry
            begin, depth, step = 8 * source.first_value, source.rows, source.width
            left = begin + 8 * m.entry[q].column  # the columns of node j in the source
            while q < source.end_entry:
                column, to = m.entry[q].column, place[m.entry[q].position]
                columns = m.entry[q].rows
                q += 1
                while q < source.end_entry and place[m.entry[q].position] == to + columns:
                    columns += m.entry[q].rows
                    q += 1
                target, right = 8 * (start + to), begin + 8 * column
                subtract_product(
                    upper + target, width, lower + left, 1, step, upper + right, step, n, columns, depth
                )
                if not symmetric and to + columns > n:
                    skip = 8 * n if to == 0 else 0
                    subtract_product(
                        lower + target + skip,
                        width,
                        upper + left,
                        1,
                        step,
                        lower + right + skip,
                        step,
                        n,
                        columns - skip // 8,
                        depth,
                    )
        if not factor_diagonal(m.upper, start, width, n, symmetric):
            m.info[0].failed = panel.node
            return SINGULAR
        if width > n:
            diagonal, beside = upper + 8 * start, 8 * (start + n)
            if symmetric:
                solve_and_scale(
                    upper + beside,
                    width,
                    diagonal,
                    width,
                    1,
                    diagonal,
                    width + 1,
                    lower + beside,
                    n,
                    width - n,
                )
            else:
                solve_unit_lower(upper + beside, width, diagonal, width, 1, n, width - n)
                solve_lower(lower + beside, width, diagonal, 1, width, diagonal, width + 1, n, width - n)
    return OK


@internal
def solve_matrix(m, x):
    """x ← A⁻¹ x, in the order of the vector, with the factors."""
    solve_part(m, x, 0, m.info[0].nodes)


@internal
def solve_part(m, x, first, end):
    """`solve_matrix` for the panels in a range of the list `grouped`, that of one or more parts."""
    upper, lower, vector, row = at(m.upper, 0), at(m.lower, 0), at(x, 0), at(m.row, 0)
    for k in range(first, end):
        panel = m.panel[m.panel[k].grouped]
        if panel.idle == 1:
            continue
        n, width, start = panel.rows, panel.width, 8 * panel.first_value
        y, beside = vector + 8 * panel.first, start + 8 * n
        forward(y, upper + start, width, lower + beside, width, row, n, width - n)
        for q in range(panel.first_entry, panel.end_entry):
            entry = m.entry[q]
            subtract_row(vector + 8 * entry.first, row + 8 * (entry.column - n), entry.rows)
    for k in range(end - 1, first - 1, -1):
        panel = m.panel[m.panel[k].grouped]
        if panel.idle == 1:
            continue
        n, width, start = panel.rows, panel.width, 8 * panel.first_value
        y, beside = vector + 8 * panel.first, start + 8 * n
        for q in range(panel.first_entry, panel.end_entry):
            entry = m.entry[q]
            copy_row(row + 8 * (entry.column - n), vector + 8 * entry.first, entry.rows)
        backward(y, upper + start, width, upper + beside, width, row, n, width - n)
