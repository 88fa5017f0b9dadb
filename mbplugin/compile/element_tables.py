"""Tables of elements, and of what they write: measures, constraint rows, couplings, wrenches."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.compile.draft import Draft, DraftElement
from mbplugin.compile.graph import integers
from mbplugin.kernels.schur import FINEST
from mbplugin.tables.groups import E_SLOT, Couplings, Elements, Enforced, Measures, Rows, Wrenches


def element_tables(draft: Draft, elements: list[DraftElement], number: list[int]) -> Elements:
    """The table of elements that are sorted by batches, after the blocks have got their places."""
    rows: list[Any] = []
    slots: list[int] = []
    p: list[float] = []
    block_of = draft.block_of_rows()
    for e in elements:
        gm = e.gm
        if e.role == "constraint" or (e.role == "measure" and not e.shape.as_measure):
            block = block_of[e.row]
            gm = block.gm0 + (e.row - block.row0) * 6 * len(block.points)
        rows.append(
            (len(slots), len(p), e.row, gm, e.function0, e.state, e.memory, e.out, e.measure, e.event0)
        )
        slots += [number[point] for point in e.points]
        p += list(e.parameters)
    return Elements(integers(rows, 10), np.array(slots, np.int64), np.array(p, float), np.zeros(draft.events))


def measure_tables(draft: Draft, elements: list[DraftElement], table: Elements) -> Measures:
    slot0 = {e.measure: int(row[E_SLOT]) for e, row in zip(elements, table.row) if e.shape.as_measure}
    n = len(draft.measures)
    rows = [(m.j0, len(m.points), slot0[i], int(m.turns)) for i, m in enumerate(draft.measures)]
    return Measures(
        integers(rows, 4), np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(draft.measure_J)
    )


def row_tables(draft: Draft) -> Rows:
    n = len(draft.rows)
    zeros = lambda: np.zeros(n)
    return Rows(
        phi=zeros(),
        phi_t=zeros(),
        gamma=zeros(),
        level=np.array([r.level for r in draft.rows], np.int64),
        active=np.array([r.active for r in draft.rows], np.int64),
        on=np.ones(n, np.int64),
        scale=zeros(),
        dropped=np.zeros(n, np.int64),
        lam=zeros(),
        residual=zeros(),
        solution=zeros(),
        target=zeros(),
        outcome=np.zeros(1),
        goal=np.full(1, FINEST),
        delta=np.full(1, 1e-10),
        radians=np.array([int(r.unit == "rad") for r in draft.rows], np.int64),
        rate=zeros(),
        load=zeros(),
        energy=zeros(),
        power=zeros(),
    )


def enforced_tables(draft: Draft) -> Enforced:
    rows = draft.enforced
    zeros = lambda: np.zeros(len(rows))
    return Enforced(
        integers([(e.row, e.block, 0) for e in rows], 3),
        np.ones(len(rows)),
        zeros(),
        zeros(),
        zeros(),
        zeros(),
        zeros(),
        zeros(),
        zeros(),
        np.zeros(2, np.int64),
    )


def coupling_tables(draft: Draft) -> Couplings:
    block_of = draft.block_of_rows()
    rows = [
        (row, measure, block_of[row].gm0 + g, function) for (row, measure, g, function), _ in draft.couplings
    ]
    return Couplings(integers(rows, 4), np.array([c for _, c in draft.couplings], float))


def wrench_tables(draft: Draft) -> Wrenches:
    n = len(draft.wrench_slots)
    return Wrenches(
        np.zeros(6 * len(draft.force_points)),
        np.zeros(n),
        np.zeros(n),
        np.array(draft.dissipates, np.int64),
        integers(draft.wrench_slots, 2),
    )
