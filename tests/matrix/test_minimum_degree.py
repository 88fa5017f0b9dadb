"""The compiled elimination order against elimination in a dense pattern and against exact degrees."""

import numpy as np
import pytest
from graphs import chain, grid, random_graph, wall

from mbplugin.math.ordering import minimum_degree
from mbplugin.matrix.capacity import matrix_tables

RANDOM = [random_graph(np.random.default_rng(seed), 30, 25, 20) for seed in range(20)]
GRAPHS = [chain(1), chain(40), wall(7, 9), grid(5), *RANDOM, ([3, 6], [0, 1], []), ([2], [1], [(0, 0)])]


def pattern(m):
    """Later nodes of each panel, by position."""
    return [
        [int(e.position) for e in m.entry[p.first_entry : p.end_entry]] for p in m.panel[: m.info[0].nodes]
    ]


@pytest.mark.parametrize("graph", GRAPHS)
def test_the_pattern_is_that_of_elimination_with_all_fill(graph):
    m = matrix_tables(*graph)
    position = m.node.position
    n = len(position)
    assert sorted(position) == list(range(n))
    dense = np.eye(n, dtype=bool)
    for i, j in graph[2]:
        dense[position[i], position[j]] = dense[position[j], position[i]] = True
    for k in range(n):
        later = np.nonzero(dense[k, k + 1 :])[0] + k + 1
        assert list(later) == pattern(m)[k]
        dense[np.ix_(later, later)] = True


@pytest.mark.parametrize("graph", GRAPHS)
def test_constraints_come_after_the_bodies_next_to_them(graph):
    m = matrix_tables(*graph)
    for i, j in graph[2]:
        if graph[1][i] > graph[1][j]:
            assert m.node.position[i] > m.node.position[j]


@pytest.mark.parametrize(
    "graph", [wall(20, 20), wall(40, 25), grid(8), (chain(50)[0], [0] * 100, chain(50)[2])]
)
def test_approximate_degrees_fill_as_little_as_exact_ones(graph):
    sizes, _, edges = graph
    m = matrix_tables(*graph)
    neighbours = [set() for _ in sizes]
    for i, j in edges:
        neighbours[i].add(j)
        neighbours[j].add(i)
    order, later = minimum_degree(neighbours, sizes)
    exact = sum(sizes[k] * (sizes[k] + sum(sizes[j] for j in nodes)) for k, nodes in zip(order, later))
    assert m.info[0].values <= 1.1 * exact


def test_repeated_edges_and_loops_change_nothing():
    sizes, late, edges = random_graph(np.random.default_rng(3), 20, 15, 10)
    once = matrix_tables(sizes, late, sorted({(min(e), max(e)) for e in edges if e[0] != e[1]}))
    again = matrix_tables(sizes, late, sorted((min(e), max(e)) for e in [*edges, *edges, (2, 2)]))
    assert list(once.node.position) == list(again.node.position)
    assert pattern(once) == pattern(again)
