"""Factors and solutions of sparse matrices of blocks against numpy and scipy."""

import numpy as np
import pytest
import scipy.sparse.csgraph
import scipy.sparse.linalg
from graphs import chain, random_graph, wall

from mbplugin.math.jit import compiled_entry
from mbplugin.matrix.capacity import analyse_matrix, empty_matrix, enlarged, matrix_tables
from mbplugin.matrix.export import to_csc
from mbplugin.matrix.numeric import factor_matrix, factor_part, solve_matrix, solve_part
from mbplugin.matrix.pattern import add_edge, add_node, begin_pattern
from mbplugin.matrix.symbolic import end_of_part
from mbplugin.matrix.values import add_block, add_diagonal, clear_matrix, clear_part, multiply_matrix
from mbplugin.tables.status import NO_ROOM, OK, SINGULAR

DELTA = 1e-10


@compiled_entry()
def clear(m):
    clear_matrix(m)


@compiled_entry()
def add(m, i, j, factor, B, transposed):
    """Add factor B or factor Bᵀ."""
    if transposed:
        add_block(m, i, j, factor, B, 0, 1, m.node[i].rows)
    else:
        add_block(m, i, j, factor, B, 0, m.node[j].rows, 1)


@compiled_entry()
def add_to_diagonal(m, i, r, value):
    add_diagonal(m, i, r, value)


@compiled_entry()
def factor(m):
    return factor_matrix(m)


@compiled_entry()
def solve(m, x):
    solve_matrix(m, x)


@compiled_entry()
def declare_pattern(m, rows, late, edges):
    """The pattern anew, as a solver does whose contacts come and go."""
    begin_pattern(m, 0)
    first = 0
    for i in range(len(rows)):
        add_node(m, rows[i], first, late[i])
        first += rows[i]
    for e in range(len(edges)):
        add_edge(m, edges[e, 0], edges[e, 1])


@compiled_entry()
def multiply(m, x, y):
    multiply_matrix(m, x, y)


def definite(rng, n, size):
    Q = np.linalg.qr(rng.normal(size=(n, n)))[0]
    A = Q @ np.diag(rng.uniform(1.0, 3.0, n) * size) @ Q.T
    return 0.5 * (A + A.T)


def blocks(rng, graph, symmetric, heaviest=1.0):
    """{(i, j): block}: definite over bodies, bordered by orthonormal rows of joints and ∓δ.

    symmetric: [A Ĝᵀ; Ĝ −δ], else [A −Ĝᵀ; Ĝ δ] with some skew part in A and a border of two different matrices
    """
    sizes, late, edges = graph
    mass = heaviest ** rng.uniform(0.0, 1.0, len(sizes))
    values = {}
    for i, n in enumerate(sizes):
        if late[i] == 0:
            values[i, i] = definite(rng, n, mass[i])
        else:
            values[i, i] = (-DELTA if symmetric else DELTA) * np.eye(n)
    for i, j in sorted({(max(e), min(e)) for e in edges if e[0] != e[1]}):
        if late[i] == 1:
            G = np.linalg.qr(rng.normal(size=(sizes[j], sizes[j])))[0][: sizes[i]] * np.sqrt(mass[j])
            values[i, j] = G
            values[j, i] = G.T if symmetric else -G.T * rng.uniform(0.9, 1.1, G.T.shape)
        else:
            C = rng.uniform(-1.0, 1.0, (sizes[i], sizes[j])) * 0.02 * np.sqrt(mass[i] * mass[j])
            values[i, j] = C
            values[j, i] = C.T if symmetric else rng.uniform(0.5, 1.0) * C.T
    return values


def dense(graph, values):
    first = np.concatenate([[0], np.cumsum(graph[0])])
    A = np.zeros((first[-1], first[-1]))
    for (i, j), block in values.items():
        A[first[i] : first[i + 1], first[j] : first[j + 1]] = block
    return A


def fill(m, values):
    clear(m)
    for k, ((i, j), block) in enumerate(values.items()):
        # the same block in two portions, and in both layouts
        add(m, i, j, 0.25, np.ascontiguousarray(block).ravel(), False)
        add(m, i, j, 0.75, np.ascontiguousarray(block.T).ravel(), True)


GRAPHS = {f"random {seed}": random_graph(np.random.default_rng(seed), 12, 6, 8) for seed in range(12)}
GRAPHS |= {
    "chain": chain(20),
    "wall": wall(6, 6),
    "one": ([1], [0], []),
    "sizes": ([1, 2, 3, 4, 7, 8, 9, 16, 17], [0] * 9, [(0, k) for k in range(1, 9)] + [(7, 8)]),
}


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("name", GRAPHS)
def test_values_products_and_solutions_are_those_of_the_dense_matrix(name, symmetric):
    rng = np.random.default_rng(5)
    graph = GRAPHS[name]
    m = matrix_tables(*graph, symmetric=symmetric)
    values = blocks(rng, graph, symmetric)
    A = dense(graph, values)
    fill(m, values)
    np.testing.assert_allclose(to_csc(m).toarray(), A, rtol=3e-16, atol=0)
    x, y = rng.normal(size=len(A)), np.zeros(len(A))
    multiply(m, x, y)
    np.testing.assert_allclose(y, A @ x, rtol=0, atol=1e-13 * np.abs(A).max() * len(A))
    sparse = to_csc(m)
    assert factor(m) == OK
    z = y.copy()
    solve(m, z)
    np.testing.assert_allclose(z, np.linalg.solve(A, y), rtol=0, atol=1e-11 * np.abs(z).max())
    np.testing.assert_allclose(
        z, scipy.sparse.linalg.spsolve(sparse, y), rtol=0, atol=1e-11 * np.abs(z).max()
    )


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("seed", range(10))
def test_masses_of_a_million_to_one_leave_a_residual_of_rounding(seed, symmetric):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, 25, 15, 10)
    m = matrix_tables(*graph, symmetric=symmetric)
    values = blocks(rng, graph, symmetric, heaviest=1e6)
    A = dense(graph, values)
    fill(m, values)
    b = A @ rng.normal(size=len(A))
    x = b.copy()
    assert factor(m) == OK
    solve(m, x)
    # componentwise backward error, after one refinement
    dx = b - A @ x
    solve(m, dx)
    x += dx
    assert (np.abs(b - A @ x) <= 1e-14 * len(A) * (np.abs(A) @ np.abs(x))).all()


def test_the_upper_triangle_alone_is_read_of_a_symmetric_matrix():
    rng = np.random.default_rng(1)
    graph = wall(4, 4)
    values = blocks(rng, graph, True)
    m = matrix_tables(*graph, symmetric=True)
    fill(m, values)
    upper = m.upper.copy()
    m.lower[:] = np.nan
    for panel in m.panel:
        for r in range(1, panel.rows):
            start = panel.first_value + r * panel.width
            m.upper[start : start + r] = np.nan
    fine = matrix_tables(*graph, symmetric=True)
    fine.upper[:] = upper
    x, y = np.ones(96), np.ones(96)
    assert factor(m) == factor(fine) == OK
    solve(m, x)
    solve(fine, y)
    assert np.array_equal(x, y)


@pytest.mark.parametrize("value", [0.0, np.nan, np.inf])
@pytest.mark.parametrize("symmetric", [True, False])
def test_a_pivot_that_is_none_is_a_status_with_its_node(value, symmetric):
    m = matrix_tables([3, 3, 3], [0, 0, 0], [(0, 1), (1, 2)], symmetric=symmetric)
    clear(m)
    for i in range(3):
        for r in range(3):
            add_to_diagonal(m, i, r, value if (i, r) == (1, 2) else 2.0)
    assert factor(m) == SINGULAR
    assert m.info[0].failed == 1


@pytest.mark.parametrize("lacking", ["nodes", "edges", "entries", "values", "all"])
def test_a_matrix_that_had_no_room_ends_with_the_same_bits(lacking):
    rng = np.random.default_rng(2)
    graph = random_graph(rng, 40, 30, 30)
    values = blocks(rng, graph, False)
    roomy = matrix_tables(*graph)
    info = roomy.info[0]
    room = {"nodes": info.nodes, "edges": info.edges, "entries": info.entries, "values": info.values}
    few = dict.fromkeys(room, 1) if lacking == "all" else {**room, lacking: room[lacking] // 3}
    m = empty_matrix(**few, length=int(info.length))

    def declare():
        declare_pattern(m, np.array(graph[0]), np.array(graph[1]), np.array(graph[2]))
        return analyse_matrix(m)

    status = declare()
    assert status == NO_ROOM
    while status == NO_ROOM:
        m = enlarged(m)
        status = declare()
    assert status == OK
    for a in (m, roomy):
        fill(a, values)
        assert factor(a) == OK
    n = info.values
    assert np.array_equal(m.upper[:n], roomy.upper[:n])
    assert np.array_equal(m.lower[:n], roomy.lower[:n])


@compiled_entry()
def one_by_one(m, x):
    """Factor and solve each part by itself. Returns how many there are."""
    first, parts = 0, 0
    while first < m.info[0].nodes:
        end = end_of_part(m, first)
        factor_part(m, first, end)
        solve_part(m, x, first, end)
        first, parts = end, parts + 1
    return parts


def parts_of(graph):
    """The number of connected components."""
    sizes, _, edges = graph
    n, pairs = len(sizes), np.array(edges).reshape(-1, 2)
    links = scipy.sparse.coo_array((np.ones(len(pairs)), pairs.T), (n, n))
    return scipy.sparse.csgraph.connected_components(links, directed=False)[0]


@pytest.mark.parametrize("seed", range(8))
def test_parts_that_nothing_couples_are_factored_apart(seed):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, 40, 12, 18)
    m = matrix_tables(*graph)
    assert m.info[0].parts == parts_of(graph) > 1
    assert sorted(m.panel.grouped[: len(graph[0])]) == list(range(len(graph[0])))
    values = blocks(rng, graph, False)
    fill(m, values)
    b = rng.normal(size=m.info[0].length)
    x, whole = b.copy(), b.copy()
    assert one_by_one(m, x) == m.info[0].parts
    fill(m, values)
    factor(m)
    solve(m, whole)
    assert (x == whole).all()
    assert abs(dense(graph, values) @ x - b).max() <= 1e-9 * abs(x).max()


def test_values_of_one_part_are_cleared_alone():
    m = matrix_tables([2, 2, 1], [0, 0, 0], [(0, 2)])
    m.upper[:] = m.lower[:] = 1.0
    end = clear_first_part(m)
    kept = {int(m.panel.node[m.panel.grouped[s]]) for s in range(end, 3)}
    A = to_csc(m).toarray()
    assert kept in ({1}, {0, 2})
    places = {0: [0, 1], 1: [2, 3], 2: [4]}
    for node, rows in places.items():
        assert (A[np.ix_(rows, rows)] == (1.0 if node in kept else 0.0)).all()


@compiled_entry()
def clear_first_part(m):
    end = end_of_part(m, 0)
    clear_part(m, 0, end)
    return end
