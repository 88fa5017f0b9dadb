"""The pattern of a sparse matrix of blocks: which nodes it has and which of them are coupled.

A node is a body (the size is its number of velocities) or a block of constraint rows. `m` is a group of
tables with the fields of `Matrix`. What exceeds the room in its arrays is counted and not stored; `analyse`
returns NO_ROOM then.
"""

from __future__ import annotations

from mbplugin.math.jit import inlined


@inlined
def begin_pattern(m, symmetric):
    """Forget all nodes and edges. symmetric: 1 for a symmetric matrix."""
    m.info[0].nodes, m.info[0].edges, m.info[0].length, m.info[0].symmetric = 0, 0, 0, symmetric


@inlined
def add_node(m, size, first, constraint):
    """Add a block row and column. Returns its number.

    first: its first place in a vector; constraint: 1 for constraint rows, whose own diagonal block may be
    tiny
    """
    i = m.info[0].nodes
    m.info[0].nodes += 1
    m.info[0].length = max(m.info[0].length, first + size)
    if i < m.node.shape[0]:
        m.node[i].rows, m.node[i].first, m.node[i].constraint = size, first, constraint
    return i


@inlined
def add_edge(m, i, j):
    """Couple two nodes, in both triangles; again and again is harmless."""
    e = m.info[0].edges
    m.info[0].edges += 1
    if e < m.edge.shape[0]:
        m.edge[e, 0], m.edge[e, 1] = i, j
