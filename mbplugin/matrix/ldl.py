"""Up-looking sparse LDLᵀ of the augmented matrix, scalar by scalar (T. A. Davis, Algorithm 849, ACM TOMS 31
(2005) 587-591).

The matrix is quasi-definite, so every symmetric permutation has a factor without pivoting (Vanderbei, SIAM J.
Optim. 5 (1995) 100-113). The order is minimum degree on the graph of bodies and joints, computed once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mbplugin.kernels.schur import PROXIMAL
from mbplugin.kernels.view import method_tables, view
from mbplugin.math.jit import internal
from mbplugin.math.ordering import minimum_degree
from mbplugin.tables.groups import Blocks, Bodies, Rows
from mbplugin.tables.records import DENSE
from mbplugin.tables.spec import Array, Floats, Ints, table

# kinds of entries: diagonal of M, dense M, G, −δ
DIAGONAL_M, DENSE_M, ENTRY_G, DELTA = range(4)


@method_tables
class SparseFactor(NamedTuple):
    """The permuted upper triangle by columns, and its factor."""

    column: Ints  # (n + 1,) where each column starts
    row: Ints  # row of each entry
    kind: Ints  # of each entry
    source: Ints  # where the value of each entry is in its table
    scaled_by: Ints  # constraint row that scales an entry of G
    place: Ints  # (n,) new place of each scalar
    parent: Ints  # (n,) elimination tree
    L_column: Ints  # (n + 1,)
    L_row: Ints
    flag: Ints  # (n,) work array
    pattern: Ints  # (n,) work array
    filled: Ints  # (n,) entries of each column of L so far
    right: Floats  # (n,) right-hand side and solution, in natural order
    value: Floats  # of each entry
    L: Floats
    D: Floats  # (n,)
    work: Floats  # (n,) zero between calls


def entries(problem: Any) -> list[tuple[int, int, int, int]]:
    """(row, column, kind, place) of each entry on or above the diagonal, in natural order."""
    bodies, blocks, nv = problem[Bodies], problem[Blocks], problem.nv
    triangle = []
    for body in bodies.index:
        v0, n = int(body.first_v), int(body.nv)
        for a in range(n):
            if body.mass_form == DENSE:
                first = int(body.first_mass) + a * n
                triangle += [(v0 + a, v0 + b, DENSE_M, first + b) for b in range(a, n)]
            else:
                triangle.append((v0 + a, v0 + a, DIAGONAL_M, v0 + a))
    for block in blocks.index:
        for member in blocks.member[block.first_member : block.first_member + block.members]:
            v0, g0, n = int(member.first_v), int(member.first_G), int(member.nv)
            for a in range(block.rows):
                row = nv + int(block.first_row) + a
                triangle += [(v0 + b, row, ENTRY_G, g0 + a * n + b) for b in range(n)]
    return triangle + [(nv + c, nv + c, DELTA, c) for c in range(problem.nc)]


def order(problem: Any) -> Array:
    """New place of each scalar: bodies and blocks by minimum degree on their common graph."""
    bodies, blocks = problem[Bodies], problem[Blocks]
    nb = len(bodies.index)
    neighbours: list[set[int]] = [set() for _ in range(nb + len(blocks.index))]
    for k, block in enumerate(blocks.index):
        for body in blocks.member.body[block.first_member : block.first_member + block.members]:
            neighbours[nb + k].add(int(body))
            neighbours[int(body)].add(nb + k)
    sizes = [*map(int, bodies.index.nv), *map(int, blocks.index.rows)]
    first = [*map(int, bodies.index.first_v), *(problem.nv + int(r) for r in blocks.index.first_row)]
    place, at = np.zeros(sum(sizes), np.int64), 0
    for node in minimum_degree(neighbours, sizes)[0]:
        place[first[node] : first[node] + sizes[node]] = np.arange(at, at + sizes[node])
        at += sizes[node]
    return place


def sparse_factor(problem: Any) -> SparseFactor:
    """Pattern of the permuted upper triangle, elimination tree and storage for L."""
    place = order(problem)
    n = len(place)
    columns: list[list[tuple[int, int, int, int]]] = [[] for _ in range(n)]
    for row, column, kind, source in entries(problem):
        i, j = sorted((int(place[row]), int(place[column])))
        columns[j].append((i, kind, source, column - problem.nv if kind == ENTRY_G else 0))
    entry = np.array([e for column in columns for e in sorted(column)], np.int64).reshape(-1, 4)
    starts = np.concatenate([[0], np.cumsum([len(column) for column in columns])]).astype(np.int64)
    parent, counts, flag = [-1] * n, [0] * n, [-1] * n
    for k in range(n):
        flag[k] = k
        for i in map(int, entry[starts[k] : starts[k + 1], 0]):
            while flag[i] != k:
                if parent[i] == -1:
                    parent[i] = k
                counts[i] += 1
                flag[i] = k
                i = parent[i]
    L_column = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return table(
        SparseFactor,
        n,
        column=starts,
        row=entry[:, 0].copy(),
        kind=entry[:, 1].copy(),
        source=entry[:, 2].copy(),
        scaled_by=entry[:, 3].copy(),
        place=place,
        parent=np.array(parent, np.int64),
        L_column=L_column,
        L_row=np.zeros(L_column[-1], np.int64),
        value=np.zeros(len(entry)),
        L=np.zeros(L_column[-1]),
    )


@internal
def fill(tables):
    """Values of the upper triangle, in the order of its pattern."""
    f, bodies, blocks, rows = (
        view(tables, SparseFactor),
        view(tables, Bodies),
        view(tables, Blocks),
        view(tables, Rows),
    )
    for e in range(f.kind.shape[0]):
        k = f.source[e]
        if f.kind[e] == DIAGONAL_M:
            f.value[e] = 1.0 / bodies.inverse[k]
        elif f.kind[e] == DENSE_M:
            f.value[e] = bodies.M[k]
        elif f.kind[e] == ENTRY_G:
            f.value[e] = blocks.G[k] * rows.scale[f.scaled_by[e]]
        else:
            f.value[e] = -PROXIMAL if rows.scale[k] != 0.0 else -1.0


@internal
def factor_sparse(tables):
    """Factor the matrix at the present state."""
    fill(tables)
    f = view(tables, SparseFactor)
    n = f.place.shape[0]
    y = f.work
    for k in range(n):
        y[k] = 0.0
        top = n
        f.flag[k] = k
        f.filled[k] = 0
        for p in range(f.column[k], f.column[k + 1]):
            i = f.row[p]
            y[i] += f.value[p]
            length = 0
            while f.flag[i] != k:
                f.pattern[length] = i
                length += 1
                f.flag[i] = k
                i = f.parent[i]
            while length > 0:
                length -= 1
                top -= 1
                f.pattern[top] = f.pattern[length]
        f.D[k] = y[k]
        y[k] = 0.0
        while top < n:
            i = f.pattern[top]
            yi = y[i]
            y[i] = 0.0
            end = f.L_column[i] + f.filled[i]
            for p in range(f.L_column[i], end):
                y[f.L_row[p]] -= f.L[p] * yi
            l = yi / f.D[i]
            f.D[k] -= l * yi
            f.L_row[end] = k
            f.L[end] = l
            f.filled[i] += 1
            top += 1


@internal
def solve_sparse(tables):
    """`SparseFactor.right` ← K⁻¹ of itself (natural order)."""
    f = view(tables, SparseFactor)
    n = f.place.shape[0]
    y = f.work
    for k in range(n):
        y[f.place[k]] = f.right[k]
    for j in range(n):
        for p in range(f.L_column[j], f.L_column[j + 1]):
            y[f.L_row[p]] -= f.L[p] * y[j]
    for j in range(n):
        y[j] /= f.D[j]
    for j in range(n - 1, -1, -1):
        for p in range(f.L_column[j], f.L_column[j + 1]):
            y[j] -= f.L[p] * y[f.L_row[p]]
    for k in range(n):
        f.right[k] = y[f.place[k]]
    # zero again for the next factorisation
    for k in range(n):
        y[k] = 0.0
