"""Up-looking sparse LDLᵀ of the augmented matrix, scalar by scalar (T. A. Davis, Algorithm 849, ACM TOMS 31
(2005) 587-591).

The matrix is quasi-definite, so any symmetric order has a factor without pivoting (Vanderbei, SIAM J. Optim.
5 (1995) 100-113); the order is minimum degree on the graph of bodies and joints, found once. `Workspace.ints`
holds, one after the other: n, number of entries of the upper triangle, of L, then column starts, row numbers,
source and constraint row of each entry, the order, the elimination tree, column starts of L, row numbers of
L, and three work arrays.
"""

from __future__ import annotations

import numpy as np

from mbplugin.interface import internal
from mbplugin.interface.problem import Problem
from mbplugin.kernels.schur import PROXIMAL
from mbplugin.kernels.view import view
from mbplugin.math.ordering import minimum_degree
from mbplugin.tables.groups import Blocks, Bodies, Rows, Workspace
from mbplugin.tables.records import DENSE

# kinds of entries: diagonal of M, dense M, G, −δ
DIAGONAL_M, DENSE_M, ENTRY_G, DELTA = range(4)


def entries(problem: Problem) -> list[tuple[int, int, int, int]]:
    """(row, column, kind, place) of each entry on or above the diagonal, in natural order."""
    bodies, blocks, found = problem[Bodies], problem[Blocks], []
    for row in bodies.index:
        v0, n = int(row.first_v), int(row.nv)
        for a in range(n):
            if row.mass_form == DENSE:
                found += [(v0 + a, v0 + b, DENSE_M, int(row.first_mass) + a * n + b) for b in range(a, n)]
            else:
                found.append((v0 + a, v0 + a, DIAGONAL_M, v0 + a))
    nv = problem.nv
    for row in blocks.index:
        r0, nr = int(row.first_row), int(row.rows)
        for _, g0, v0, n in blocks.member[row.first_member : row.first_member + row.members]:
            found += [
                (int(v0) + b, nv + r0 + a, ENTRY_G, int(g0) + a * int(n) + b)
                for a in range(nr)
                for b in range(n)
            ]
    found += [(nv + c, nv + c, DELTA, c) for c in range(problem.nc)]
    return found


def order(problem: Problem) -> np.ndarray:
    """New place of each scalar: bodies and blocks by minimum degree on their common graph."""
    bodies, blocks = problem[Bodies], problem[Blocks]
    nb = len(bodies.index)
    neighbours: list[set[int]] = [set() for _ in range(nb + len(blocks.index))]
    for k, row in enumerate(blocks.index):
        for body in blocks.member.body[row.first_member : row.first_member + row.members]:
            neighbours[nb + k].add(int(body))
            neighbours[int(body)].add(nb + k)
    sizes = [int(row.nv) for row in bodies.index] + [int(row.rows) for row in blocks.index]
    first = [int(row.first_v) for row in bodies.index] + [
        problem.nv + int(row.first_row) for row in blocks.index
    ]
    place, at = np.zeros(sum(sizes), np.int64), 0
    for node in minimum_degree(neighbours, sizes)[0]:
        place[first[node] : first[node] + sizes[node]] = np.arange(at, at + sizes[node])
        at += sizes[node]
    return place


def sparse_workspace(problem: Problem) -> Workspace:
    """Pattern of the permuted upper triangle by columns, elimination tree and workspace for L."""
    place = order(problem)
    n = len(place)
    columns: list[list[tuple[int, int, int]]] = [[] for _ in range(n)]
    for row, column, kind, source in entries(problem):
        i, j = sorted((int(place[row]), int(place[column])))
        columns[j].append((i, kind + 4 * source, column - problem.nv if kind == ENTRY_G else 0))
    starts = np.concatenate([[0], np.cumsum([len(c) for c in columns])])
    rows = [i for c in columns for i, _, _ in sorted(c)]
    sources = [s for c in columns for _, s, _ in sorted(c)]
    owners = [o for c in columns for _, _, o in sorted(c)]
    parent, counts, flag = [-1] * n, [0] * n, [-1] * n
    for k in range(n):
        flag[k] = k
        for i in rows[starts[k] : starts[k + 1]]:
            while flag[i] != k:
                if parent[i] == -1:
                    parent[i] = k
                counts[i] += 1
                flag[i] = k
                i = parent[i]
    lp = np.concatenate([[0], np.cumsum(counts)])
    nnz, lnz = len(rows), int(lp[-1])
    whole = np.concatenate(
        [[n, nnz, lnz], starts, rows, sources, owners, place, parent, lp, np.zeros(lnz + 3 * n)]
    ).astype(np.int64)
    return Workspace(whole, np.zeros(n + nnz + lnz + 2 * n))


@internal
def ldl_parts(workspace):
    """Where the parts of `Workspace.ints` and `Workspace.floats` start."""
    n, nnz, lnz = workspace.ints[0], workspace.ints[1], workspace.ints[2]
    ap = 3
    ai = ap + n + 1
    source = ai + nnz
    place = source + 2 * nnz
    parent = place + n
    lp = parent + n
    li = lp + n + 1
    work = li + lnz
    return n, ap, ai, source, place, parent, lp, li, work, n + nnz, n + nnz + lnz


@internal
def ldl_values(tables, x0):
    """Numbers of the upper triangle, in the order of its pattern."""
    workspace, bodies, blocks, rows = (
        view(tables, Workspace),
        view(tables, Bodies),
        view(tables, Blocks),
        view(tables, Rows),
    )
    source = ldl_parts(workspace)[3]
    owner = source + workspace.ints[1]
    for e in range(workspace.ints[1]):
        code = workspace.ints[source + e]
        kind, k = code & 3, code >> 2
        if kind == DIAGONAL_M:
            workspace.floats[x0 + e] = 1.0 / bodies.inverse[k]
        elif kind == DENSE_M:
            workspace.floats[x0 + e] = bodies.M[k]
        elif kind == ENTRY_G:
            workspace.floats[x0 + e] = blocks.G[k] * rows.scale[workspace.ints[owner + e]]
        else:
            workspace.floats[x0 + e] = -PROXIMAL if rows.scale[k] != 0.0 else -1.0


@internal
def ldl_numeric(tables, size):
    workspace = view(tables, Workspace)
    n, ap, ai, _, _, parent, lp, li, work, lx, d = ldl_parts(workspace)
    w, x = workspace.ints, workspace.floats
    ax = n
    ldl_values(tables, ax)
    y = d + n
    flag, pattern, lnz = work, work + n, work + 2 * n
    for k in range(n):
        x[y + k] = 0.0
        top = n
        w[flag + k] = k
        w[lnz + k] = 0
        for p in range(w[ap + k], w[ap + k + 1]):
            i = w[ai + p]
            x[y + i] += x[ax + p]
            length = 0
            while w[flag + i] != k:
                w[pattern + length] = i
                length += 1
                w[flag + i] = k
                i = w[parent + i]
            while length > 0:
                length -= 1
                top -= 1
                w[pattern + top] = w[pattern + length]
        x[d + k] = x[y + k]
        x[y + k] = 0.0
        while top < n:
            i = w[pattern + top]
            yi = x[y + i]
            x[y + i] = 0.0
            end = w[lp + i] + w[lnz + i]
            for p in range(w[lp + i], end):
                x[y + w[li + p]] -= x[lx + p] * yi
            l = yi / x[d + i]
            x[d + k] -= l * yi
            w[li + end] = k
            x[lx + end] = l
            w[lnz + i] += 1
            top += 1


@internal
def ldl_solve(tables, size):
    """The first n numbers of `Workspace.floats` ← K⁻¹ of themselves (natural order)."""
    workspace = view(tables, Workspace)
    n, _, _, _, place, _, lp, li, _, lx, d = ldl_parts(workspace)
    w, x = workspace.ints, workspace.floats
    y = d + n
    for k in range(n):
        x[y + w[place + k]] = x[k]
    for j in range(n):
        for p in range(w[lp + j], w[lp + j + 1]):
            x[y + w[li + p]] -= x[lx + p] * x[y + j]
    for j in range(n):
        x[y + j] /= x[d + j]
    for j in range(n - 1, -1, -1):
        for p in range(w[lp + j], w[lp + j + 1]):
            x[y + j] -= x[lx + p] * x[y + w[li + p]]
    for k in range(n):
        x[k] = x[y + w[place + k]]
    # the work array is zero again for the next factorisation
    for k in range(n):
        x[y + k] = 0.0
