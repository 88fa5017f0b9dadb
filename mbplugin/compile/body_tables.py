"""Tables of bodies and of their markers."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import numpy as np

from mbplugin.compile.draft import Draft, DraftBody
from mbplugin.compile.tree.kind import Tree
from mbplugin.errors import PluginError
from mbplugin.interface.body import has_power
from mbplugin.math.dense import cholesky
from mbplugin.math.profile import cholesky_profile, to_profile
from mbplugin.tables.groups import Bodies, Markers
from mbplugin.tables.purposes import DERIVED_ROWS, SHOWN
from mbplugin.tables.records import DENSE, DIAGONAL, PROFILE, TREE, BodyRecord, MarkerRecord
from mbplugin.tables.spec import Array, records


def starts(counts: list[int]) -> list[int]:
    """Cumulative sum of counts, beginning with 0."""
    return list(accumulate(counts, initial=0))[: len(counts)]


def kinds_of(bodies: list[Any]) -> list[Any]:
    """The distinct kinds of the bodies, in the order of `Kinds`."""
    return list(dict.fromkeys(bodies))


def body_tables(bodies: list[DraftBody]) -> tuple[Bodies, Array, Array]:
    """The table of bodies, and q (nq,) and v (nv,) at t = 0."""
    q0, v0 = starts([b.nq for b in bodies]), starts([b.nv for b in bodies])
    p0 = starts([len(b.plan.parameters) for b in bodies])
    i0 = starts([len(b.plan.integers) for b in bodies])
    scratch, record = ([b.size(name) for b in bodies] for name in ("scratch", "record"))
    c0 = starts(scratch)
    masses = [body_mass(b) for b in bodies]
    m0 = starts([len(M) for _, M, _ in masses])
    e0 = starts([len(ends) for _, _, ends in masses])
    inverse = np.zeros(sum(b.nv for b in bodies))
    kinds = kinds_of([body.kind for body in bodies])
    rows: list[tuple[int, ...]] = []
    parts: list[tuple[int, ...]] = []
    trees = 0
    for i, (body, (form, M, ends)) in enumerate(zip(bodies, masses)):
        mass = (form, m0[i], len(M), e0[i])
        tree = -1
        if body.kind is Tree:
            tree, trees = trees, trees + 1
        places = (scratch[i], record[i], p0[i], i0[i], c0[i])
        of_kind = (*places, *mass, kinds.index(body.kind), tree)
        # a link has no mass of its own: its tree has that
        of_part = of_kind if tree < 0 else (*places, DIAGONAL, 0, 0, 0, kinds.index(body.kind), -1)
        own = (body.nq, body.nv) if not body.kind.parts else (0, 0)
        first_part = len(bodies) + len(parts) if body.plan.parts else i
        rows.append((q0[i], v0[i], *own, *of_kind, body.nq, body.nv, i, first_part))
        first = v0[i]
        for number, n in enumerate(body.plan.parts):
            parts.append((q0[i], first, 0, n, *of_part, 0, n, i, first_part + number))
            first += n
        if form == DIAGONAL:
            inverse[v0[i] : v0[i] + body.nv] = 1.0 / np.asarray(body.plan.mass)
    join = lambda parts: np.concatenate([*parts, np.zeros(0)]).astype(float)
    tables = Bodies(
        records(BodyRecord, rows + parts),
        join([b.plan.parameters for b in bodies]),
        join([b.plan.integers for b in bodies]).astype(np.int64),
        np.zeros(sum(scratch)),
        inverse,
        join([M for _, M, _ in masses]),
        join([factored(*mass) for mass in masses]),
        join([ends for _, _, ends in masses]).astype(np.int64),
        np.zeros(len(inverse)),
        np.zeros(len(rows) + len(parts)),
        np.zeros(len(bodies)),
        np.zeros(len(bodies) if any(has_power(kind) for kind in kinds) else 0),
    )
    return tables, join([b.q for b in bodies]), join([b.v for b in bodies])


def body_mass(body: DraftBody) -> tuple[int, Array, Array]:
    """Form of a body's mass matrix, its numbers in `Bodies.M`, and `ends` of a profile."""
    mass, n = body.plan.mass, body.nv
    none = np.zeros(0)
    if mass is None:
        return DENSE, np.zeros(n * n), none
    if isinstance(mass, list):
        return TREE, none, none
    if np.shape(mass) == (n,):
        return DIAGONAL, none, none
    if np.shape(mass) != (n, n):
        raise PluginError(
            f'body kind "{body.kind.name}": the mass in the plan of "{body.name}" has the shape '
            f"{np.shape(mass)}; with nv = {n} it must be ({n},) or ({n}, {n})"
        )
    if hasattr(mass, "tocoo"):
        return PROFILE, *to_profile(mass)
    return DENSE, np.asarray(mass, float).ravel(), none


def factored(form: int, M: Array, ends: Array) -> Array:
    """The Cholesky factor of a mass matrix; of one that is not known yet, whatever."""
    L = M.copy()
    if form == DENSE:
        cholesky(L, 0, round(len(M) ** 0.5))
    elif form == PROFILE:
        cholesky_profile(L, 0, ends.astype(np.int64), 0, len(ends) - 1)
    return L


def read_points(draft: Draft) -> set[int]:
    """Points that something reads in a step in joint coordinates; in maximal coordinates all are located."""
    if draft.folded is None:
        return set(range(len(draft.points)))
    slots = {point for slot, point in enumerate(draft.force_points) if slot not in draft.folded_slots}
    of_rows = {point for block in draft.blocks for point in block.points}
    unread = (DERIVED_ROWS, SHOWN)
    of_elements = {point for e in draft.elements if e.purpose not in unread for point in e.points}
    axes = {one.axes for one in draft.bearings} | {one.axes for one in draft.implicit_rows} - {-1}
    ends = {link.last for link in draft.folded.links if link.read}
    return slots | of_rows | of_elements | axes | ends | draft.of_shapes


def point_tables(draft: Draft, bodies: list[DraftBody]) -> tuple[Markers, dict[int, int]]:
    """The table of markers, sorted by body kind, ground first; and the marker of each point of the draft."""
    kinds = sorted({b.kind.name for b in bodies})
    rank = lambda p: -1 if p[0] < 0 else kinds.index(bodies[p[0]].kind.name)
    read = read_points(draft)
    order = sorted(range(len(draft.points)), key=lambda i: (rank(draft.points[i]), i not in read, i))
    number = {i: place for place, i in enumerate(order)}
    drafted = [draft.points[i] for i in order]
    p0 = starts([len(record) for _, record in drafted])
    n = len(order)
    x, R = np.zeros((n, 3)), np.zeros((n, 9))
    for place, i in enumerate(order):
        x[place], R[place] = (draft.point_pose[i][0], np.asarray(draft.point_pose[i][1]).ravel())
    rows = records(MarkerRecord, [(body, start, -1, -1) for (body, _), start in zip(drafted, p0)])
    p = np.concatenate([*(record for _, record in drafted), np.zeros(0)])
    return Markers(rows, p, x, R, *(np.zeros((n, 3)) for _ in range(4))), number
