"""Tables of bodies and of their markers."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.compile.draft import Draft, DraftBody
from mbplugin.math.dense import cholesky
from mbplugin.tables.groups import Bodies, Markers
from mbplugin.tables.records import DENSE, DIAGONAL, BodyRecord, MarkerRecord
from mbplugin.tables.spec import Array, records


def starts(counts: list[int]) -> list[int]:
    """Cumulative sum of counts, beginning with 0."""
    return [int(s) for s in np.concatenate([[0], np.cumsum(counts)])[: len(counts)]] if counts else []


def kinds_of(bodies: list[Any]) -> list[Any]:
    """The distinct kinds of the bodies, in the order of `Kinds`."""
    return list(dict.fromkeys(bodies))


def body_tables(bodies: list[DraftBody]) -> tuple[Bodies, Array, Array]:
    """The table of bodies, and q (nq,) and v (nv,) at t = 0."""
    q0, v0 = starts([b.kind.nq for b in bodies]), starts([b.kind.nv for b in bodies])
    p0 = starts([len(b.plan.parameters) for b in bodies])
    c0 = starts([b.kind.scratch for b in bodies])
    dense = [b.plan.mass is None or np.ndim(b.plan.mass) == 2 for b in bodies]
    m0 = starts([b.kind.nv**2 if d else 0 for b, d in zip(bodies, dense)])
    nv = sum(b.kind.nv for b in bodies)
    nm = sum(b.kind.nv**2 for b, d in zip(bodies, dense) if d)
    inverse, M, L = np.zeros(nv), np.zeros(nm), np.zeros(nm)
    kinds = kinds_of([body.kind for body in bodies])
    rows = []
    for i, body in enumerate(bodies):
        n = body.kind.nv
        form, kind = DENSE if dense[i] else DIAGONAL, kinds.index(body.kind)
        rows.append((q0[i], v0[i], body.kind.nq, n, p0[i], c0[i], form, m0[i], kind))
        if not dense[i]:
            inverse[v0[i] : v0[i] + n] = 1.0 / np.asarray(body.plan.mass)
        elif body.plan.mass is not None:
            M[m0[i] : m0[i] + n * n] = L[m0[i] : m0[i] + n * n] = np.asarray(body.plan.mass, float).ravel()
            cholesky.py_func(L, m0[i], n)
    join = lambda parts: np.concatenate([*parts, np.zeros(0)]).astype(float)
    tables = Bodies(
        records(BodyRecord, rows),
        join([b.plan.parameters for b in bodies]),
        np.zeros(sum(b.kind.scratch for b in bodies)),
        inverse,
        M,
        L,
        np.zeros(nv),
        np.zeros(len(bodies)),
        np.zeros(len(bodies)),
    )
    return tables, join([b.q for b in bodies]), join([b.v for b in bodies])


def point_tables(draft: Draft, bodies: list[DraftBody]) -> tuple[Markers, list[int]]:
    """The table of markers, sorted by body kind, ground first; and the marker of each point of the draft."""
    kinds = sorted({b.kind.name for b in bodies})
    rank = lambda p: -1 if p[0] < 0 else kinds.index(bodies[p[0]].kind.name)
    order = sorted(range(len(draft.points)), key=lambda i: (rank(draft.points[i]), i))
    number = [0] * len(order)
    for place, i in enumerate(order):
        number[i] = place
    drafted = [draft.points[i] for i in order]
    p0 = starts([len(record) for _, record in drafted])
    n = len(order)
    x, R = np.zeros((n, 3)), np.zeros((n, 9))
    for place, i in enumerate(order):
        x[place], R[place] = (draft.point_pose[i][0], np.asarray(draft.point_pose[i][1]).ravel())
    rows = records(MarkerRecord, [(body, start) for (body, _), start in zip(drafted, p0)])
    p = np.concatenate([*(record for _, record in drafted), np.zeros(0)])
    return Markers(rows, p, x, R, *(np.zeros((n, 3)) for _ in range(4))), number
