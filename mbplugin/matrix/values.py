"""The values of a sparse matrix of blocks, before it is factored: set to zero, add blocks, multiply.

Blocks above the diagonal in elimination order are in `upper`, those below, transposed, in the same place of
`lower`. A client need not know the order: it adds a block to the rows of node i and the columns of node j. Of
a symmetric matrix both triangles may be added; only one is kept.
"""

from __future__ import annotations

from mbplugin.math.emitters.arrays import clear
from mbplugin.math.jit import inlined, internal


@internal
def clear_matrix(m):
    """Set all values to zero."""
    clear(m.upper, 0, m.info[0].values)
    if m.info[0].symmetric == 0:
        clear(m.lower, 0, m.info[0].values)


@internal
def clear_part(m, first, end):
    """`clear_matrix` for the panels in a range of the list `grouped`, that of one or more parts."""
    symmetric = m.info[0].symmetric == 1
    for k in range(first, end):
        panel = m.panel[m.panel[k].grouped]
        for q in range(panel.first_value, panel.first_value + panel.rows * panel.width):
            m.upper[q] = 0.0
            if not symmetric:
                m.lower[q] = 0.0


@inlined
def leave_out(m, i, idle):
    """Leave node i out of factors and solutions, or not: beside the diagonal it is zero."""
    m.panel[m.node[i].position].idle = 1 if idle else 0


@internal
def search(entry, q, end, position):
    """The entry of panel entries q to end with this position; end if there is none."""
    last = end
    while last - q > 4:
        middle = (q + last) >> 1
        if entry[middle].position <= position:
            q = middle
        else:
            last = middle
    while q < last and entry[q].position != position:
        q += 1
    return q if q < last else end


@inlined
def find(m, i, j):
    """Where the blocks (i, j) and (j, i) are: the first number of both, −1 if the pattern has none, and the
    width of their panel.
    """
    a, b = m.node[i].position, m.node[j].position
    earlier, later = min(a, b), max(a, b)
    start, end = m.panel[earlier].first_value, m.panel[earlier].end_entry
    if earlier != later:
        q = search(m.entry, m.panel[earlier].first_entry, end, later)
        start = start + m.entry[q].column if q < end else -1
    return start, m.panel[earlier].width


@inlined
def place(m, i, j):
    """Where block (i, j) is: its first number, distance between rows, between columns; 1 if in `lower`.

    The first is −1 where the pattern has no such block, and where a symmetric matrix does not keep it.
    """
    start, width = find(m, i, j)
    if m.node[i].position <= m.node[j].position:
        return start, width, 1, 0
    return -1 if m.info[0].symmetric == 1 else start, 1, width, 1


@inlined
def add_block(m, i, j, factor, a, first, row, column):
    """Add factor B to the rows of node i and the columns of node j, B[r, c] = a[first + r row + c column]."""
    start, r_step, c_step, below = place(m, i, j)
    if start >= 0:
        values = m.lower if below == 1 else m.upper
        for r in range(m.node[i].rows):
            for c in range(m.node[j].rows):
                values[start + r * r_step + c * c_step] += factor * a[first + r * row + c * column]


@inlined
def add_pair(m, i, j, back, a, first, scale, first_scale):
    """Add B to (i, j) and back Bᵀ to (j, i), i ≠ j; of a symmetric matrix, for which back is 1, once.

    B[r, c] = scale[first_scale + r] a[first + r n + c], with n columns
    """
    start, width = find(m, i, j)
    if start >= 0:
        columns = m.node[j].rows
        below = m.node[i].position > m.node[j].position
        row, column = (1, width) if below else (width, 1)
        both = m.info[0].symmetric == 0
        for r in range(m.node[i].rows):
            s, p = scale[first_scale + r], start + r * row
            for c in range(columns):
                value = s * a[first + r * columns + c]
                if both and below:
                    m.lower[p + c * column] += value
                    m.upper[p + c * column] += back * value
                else:
                    m.upper[p + c * column] += value
                    if both:
                        m.lower[p + c * column] += back * value


@inlined
def add_diagonal(m, i, r, value):
    """Add a number to the diagonal at row r of node i."""
    k = m.node[i].position
    m.upper[m.panel[k].first_value + r * (m.panel[k].width + 1)] += value


@internal
def multiply_matrix(m, x, y):
    """y ← A x with the values before the factorization."""
    symmetric = m.info[0].symmetric == 1
    for k in range(m.info[0].nodes):
        panel = m.panel[k]
        clear(y, panel.first, panel.rows)
    for k in range(m.info[0].nodes):
        panel = m.panel[k]
        for r in range(panel.rows):
            start = panel.first_value + r * panel.width
            total = 0.0
            for c in range(panel.rows):
                below = symmetric and c < r
                total += (
                    m.upper[panel.first_value + c * panel.width + r if below else start + c]
                    * x[panel.first + c]
                )
            for q in range(panel.first_entry, panel.end_entry):
                entry = m.entry[q]
                for c in range(entry.rows):
                    p = start + entry.column + c
                    total += m.upper[p] * x[entry.first + c]
                    y[entry.first + c] += (m.upper[p] if symmetric else m.lower[p]) * x[panel.first + r]
            y[panel.first + r] += total
