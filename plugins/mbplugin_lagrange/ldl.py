"""Up-looking sparse LDLᵀ of the augmented matrix, scalar by scalar (T. A. Davis, Algorithm 849, ACM TOMS 31
(2005) 587-591).

The matrix is quasi-definite, so any symmetric order has a factor without pivoting (Vanderbei, SIAM J. Optim.
5 (1995) 100-113); the order is minimum degree on the graph of bodies and joints, found once. `Room.whole`
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
from mbplugin.tables.groups import (
    B_FORM,
    B_MASS,
    B_NV,
    B_V,
    DENSE,
    K_BODIES,
    K_BODY,
    K_ROW,
    K_ROWS,
    Blocks,
    Bodies,
    Room,
    Rows,
)

# kinds of entries: diagonal of M, dense M, G, −δ
DIAGONAL_M, DENSE_M, ENTRY_G, DELTA = range(4)


def entries(problem: Problem) -> list[tuple[int, int, int, int]]:
    """(row, column, kind, place) of each entry on or above the diagonal, in natural order."""
    bodies, blocks, found = problem[Bodies], problem[Blocks], []
    for row in bodies.row:
        v0, n = int(row[B_V]), int(row[B_NV])
        for a in range(n):
            if row[B_FORM] == DENSE:
                found += [(v0 + a, v0 + b, DENSE_M, int(row[B_MASS]) + a * n + b) for b in range(a, n)]
            else:
                found.append((v0 + a, v0 + a, DIAGONAL_M, v0 + a))
    nv = problem.nv
    for row in blocks.row:
        r0, nr = int(row[K_ROW]), int(row[K_ROWS])
        for _, g0, v0, n in blocks.body[row[K_BODY] : row[K_BODY] + row[K_BODIES]]:
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
    nb = len(bodies.row)
    neighbours: list[set[int]] = [set() for _ in range(nb + len(blocks.row))]
    for k, row in enumerate(blocks.row):
        for body in blocks.body[row[K_BODY] : row[K_BODY] + row[K_BODIES], 0]:
            neighbours[nb + k].add(int(body))
            neighbours[int(body)].add(nb + k)
    sizes = [int(row[B_NV]) for row in bodies.row] + [int(row[K_ROWS]) for row in blocks.row]
    first = [int(row[B_V]) for row in bodies.row] + [problem.nv + int(row[K_ROW]) for row in blocks.row]
    place, at = np.zeros(sum(sizes), np.int64), 0
    for node in minimum_degree(neighbours, sizes)[0]:
        place[first[node] : first[node] + sizes[node]] = np.arange(at, at + sizes[node])
        at += sizes[node]
    return place


def sparse_room(problem: Problem) -> Room:
    """Pattern of the permuted upper triangle by columns, elimination tree and room for L."""
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
    return Room(whole, np.zeros(n + nnz + lnz + 2 * n))


@internal
def ldl_parts(room):
    """Where the parts of `Room.whole` and `Room.real` start."""
    n, nnz, lnz = room.whole[0], room.whole[1], room.whole[2]
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
    room, bodies, blocks, rows = (
        view(tables, Room),
        view(tables, Bodies),
        view(tables, Blocks),
        view(tables, Rows),
    )
    source = ldl_parts(room)[3]
    owner = source + room.whole[1]
    for e in range(room.whole[1]):
        code = room.whole[source + e]
        kind, k = code & 3, code >> 2
        if kind == DIAGONAL_M:
            room.real[x0 + e] = 1.0 / bodies.inverse[k]
        elif kind == DENSE_M:
            room.real[x0 + e] = bodies.M[k]
        elif kind == ENTRY_G:
            room.real[x0 + e] = blocks.G[k] * rows.scale[room.whole[owner + e]]
        else:
            room.real[x0 + e] = -PROXIMAL if rows.scale[k] != 0.0 else -1.0


@internal
def ldl_numeric(tables, size):
    room = view(tables, Room)
    n, ap, ai, _, _, parent, lp, li, work, lx, d = ldl_parts(room)
    w, x = room.whole, room.real
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
    """The first n numbers of `Room.real` ← K⁻¹ of themselves (natural order)."""
    room = view(tables, Room)
    n, _, _, _, place, _, lp, li, _, lx, d = ldl_parts(room)
    w, x = room.whole, room.real
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
