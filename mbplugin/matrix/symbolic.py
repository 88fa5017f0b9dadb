"""Symbolic factorization: elimination order, panels, and which panel changes which.

The factors of A = L U are kept by panels: the rows of a node in U, its diagonal block first and then its
entries side by side. L, transposed, has the same pattern.
"""

from __future__ import annotations

from mbplugin.math.jit import internal
from mbplugin.math.minimum_degree import adjacency, eliminate_all
from mbplugin.math.vectors import copy_range
from mbplugin.tables.status import NO_ROOM, OK


@internal
def analyse(m):
    """Find the order of elimination and the pattern of the factors for the nodes and edges in `m`.

    Returns NO_ROOM if an array of `m` is too short; the counts in `m.info` then say which, `enlarged` makes
    room for them, and the solver declares the pattern again.
    """
    info = m.info[0]
    n, edges = info.nodes, info.edges
    if n > m.node.shape[0] or edges > m.edge.shape[0] or info.length > m.x.shape[0]:
        return NO_ROOM
    w = m.work
    size, late, order, end = w[0:n], w[n : 2 * n], w[2 * n : 3 * n], w[3 * n : 4 * n]
    start, first = w[4 * n : 5 * n + 1], w[5 * n + 1 : 6 * n + 2]
    at = 6 * n + 2
    neighbour = w[at : at + 2 * edges]
    at += 2 * edges
    work = w[at : at + 11 * n + 2 * edges]
    later = w[at + 11 * n + 2 * edges : w.shape[0]]
    for i in range(n):
        size[i], late[i] = m.node[i].rows, m.node[i].constraint
    adjacency(n, m.edge, edges, start, neighbour, work)
    entries = eliminate_all(n, size, late, start, neighbour, work, order, first, later)
    if entries < 0:
        m.info[0].entries = 2 * m.entry.shape[0] + n
        return NO_ROOM
    m.info[0].entries = entries
    place_panels(m, n, order, first)
    if entries > m.entry.shape[0]:
        return NO_ROOM
    sort_entries(m, n, order, first, later, end)
    group_parts(m)
    return NO_ROOM if m.info[0].values > m.upper.shape[0] else OK


@internal
def place_panels(m, n, order, first):
    """The panels in elimination order, without their entries."""
    for k in range(n):
        node = m.node[order[k]]
        m.node[order[k]].position = k
        m.panel[k].node, m.panel[k].rows, m.panel[k].first = order[k], node.rows, node.first
        m.panel[k].first_entry, m.panel[k].end_entry = first[k], first[k + 1]
        m.panel[k].idle = 0


@internal
def sort_entries(m, n, order, first, later, end):
    """The entries of every panel in elimination order, its sources, and the places of its values.

    first, later: later nodes of each panel, not sorted; end: (n,) work array
    """
    for k in range(n):
        end[k] = 0
    for q in range(first[n]):
        end[m.node[later[q]].position] += 1
    total = 0
    for k in range(n):
        m.panel[k].first_source = total
        total += end[k]
        m.panel[k].end_source = total
        end[k] = m.panel[k].first_source
    # transposed twice, entries are sorted
    for k in range(n):
        for q in range(first[k], first[k + 1]):
            j = m.node[later[q]].position
            m.source[end[j]].position = k
            end[j] += 1
    copy_range(first, 0, end, 0, n)
    for j in range(n):
        panel = m.panel[j]
        for s in range(panel.first_source, panel.end_source):
            k = m.source[s].position
            m.entry[end[k]].position, m.entry[end[k]].rows, m.entry[end[k]].first = j, panel.rows, panel.first
            m.source[s].entry = end[k]
            end[k] += 1
    value = 0
    for k in range(n):
        width = m.panel[k].rows
        for q in range(first[k], first[k + 1]):
            m.entry[q].column = width
            width += m.entry[q].rows
        m.panel[k].first_value, m.panel[k].width = value, width
        value += m.panel[k].rows * width
    m.info[0].values = value


@internal
def group_parts(m):
    """Number the parts of the matrix, sets of nodes that no entry couples; list the panels part by part."""
    n, start = m.info[0].nodes, m.work
    parts = 0
    for k in range(n - 1, -1, -1):
        panel = m.panel[k]
        if panel.first_entry == panel.end_entry:
            m.panel[k].part = parts
            parts += 1
        else:
            m.panel[k].part = m.panel[m.entry[panel.first_entry].position].part
    m.info[0].parts = parts
    for p in range(parts + 1):
        start[p] = 0
    for k in range(n):
        start[m.panel[k].part + 1] += 1
    for p in range(parts):
        start[p + 1] += start[p]
    for k in range(n):
        p = m.panel[k].part
        m.panel[start[p]].grouped = k
        start[p] += 1


@internal
def end_of_part(m, first):
    """The place behind the part that begins at this place of the list `grouped`."""
    n, end = m.info[0].nodes, first
    part = m.panel[m.panel[first].grouped].part
    while end < n and m.panel[m.panel[end].grouped].part == part:
        end += 1
    return end
