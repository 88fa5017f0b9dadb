"""The tables of an implicit step: its matrix, the border of constraint rows, the inner states of elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mbplugin.matrix import analysed, empty_matrix
from mbplugin.tables.groups import (
    Batches,
    Blocks,
    Bodies,
    Border,
    Elements,
    Functions,
    InnerStates,
    Matrix,
    Rows,
    TangentBlocks,
)
from mbplugin.tables.records import InnerStateRecord
from mbplugin.tables.spec import Array, records

if TYPE_CHECKING:
    from mbplugin.problem.problem import Problem


def prepare(problem: Problem) -> None:
    """Put the tables into a problem whose tangents are prepared, for the rows that are active now."""
    node = block_nodes(problem)
    problem.put(matrix(problem, node))
    length = len(problem[Blocks].G)
    problem.put(Border(node, np.zeros(length), np.zeros(length)))
    problem.put(inner_states(problem))


def block_nodes(problem: Problem) -> Array:
    """Node of each block of rows, behind the bodies; −1 where no row is active."""
    blocks, active = problem[Blocks].index, problem[Rows].active
    used = np.array([bool(active[b.first_row : b.first_row + b.rows].any()) for b in blocks], bool)
    return np.where(used, len(problem[Bodies].index) + np.cumsum(used) - 1, -1).astype(np.int64)


def matrix(problem: Problem, node: Array) -> Any:
    """The matrix with its pattern: bodies that a tangent couples, and blocks of rows with their bodies."""
    bodies, blocks, tangent = problem[Bodies].index, problem[Blocks], problem[TangentBlocks].index
    nb = len(bodies)
    chosen = blocks.index[node >= 0]
    edges = [(int(t.row), int(t.column)) for t in tangent if t.row < t.column]
    for number, block in zip(node, blocks.index):
        if number >= 0:
            members = blocks.member[block.first_member : block.first_member + block.members]
            edges += [(int(body), int(number)) for body in members.body]
    n = nb + len(chosen)
    m = empty_matrix(Matrix, n, len(edges), n + len(edges), 0, problem.nv + problem.nc)
    m.info.nodes, m.info.edges, m.info.length = n, len(edges), problem.nv + problem.nc
    m.node.rows[:nb], m.node.first[:nb] = bodies.nv, bodies.first_v
    m.node.rows[nb:], m.node.first[nb:] = chosen.rows, problem.nv + chosen.first_row
    m.node.constraint[nb:] = 1
    if edges:
        m.edge[:] = edges
    return analysed(m)


def inner_states(problem: Problem) -> InnerStates:
    """Which elements have inner states, and room to solve for them."""
    index, elements = [], problem[Elements].index
    most = len(problem[Functions].equation)
    for kernel, batch in zip(problem.kernels, problem[Batches].index):
        if kernel.role in ("force", "constraint") and kernel.shape.states > 0:
            most = max(most, kernel.shape.states)
            index += [
                (int(batch.address), e, int(elements[e].first_aux), kernel.shape.states)
                for e in range(int(batch.first), int(batch.first + batch.length))
            ]
    return InnerStates(
        records(InnerStateRecord, index),
        np.zeros(problem.na),
        np.zeros(most * most),
        np.zeros(most),
        np.zeros(most, np.int64),
    )
