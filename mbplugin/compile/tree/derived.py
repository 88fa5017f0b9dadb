"""Joints whose motion follows from their rows and coordinates: the elements that their kinds have for them
are kept, over two markers and six rows of their own.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mbplugin.compile.batches import Batch
from mbplugin.compile.builder import Builder
from mbplugin.compile.draft import DraftElement, shape_of
from mbplugin.compile.parameters import split
from mbplugin.compile.tree.choose import Carrier
from mbplugin.compile.tree.links import Link
from mbplugin.tables.groups import DerivedRows, Trees
from mbplugin.tables.purposes import DERIVED_ROWS
from mbplugin.tables.records import DERIVED, DerivedRecord
from mbplugin.tables.spec import records, table


def derived_elements(build: Builder, carrier: Carrier) -> list[DraftElement]:
    """The rows of a joint and its coordinates s = 0, behind them."""
    joint = build.names.joints[carrier.joint]
    made = [
        on_own_rows(e, e.record.first_row - joint.rows.start)
        for e in build.draft.elements
        if e.has_row and e.record.first_row in joint.rows
    ]
    for k, name in enumerate(carrier.motion.coordinates):
        measure = build.coordinate_measure[joint.name, name][1]
        layout, values, _ = split(measure.settings)
        shape = shape_of(parameters=tuple(layout), markers=measure.markers, rows=1, period=measure.period)
        owner = f"measure {measure.kernel.__name__}"
        element = DraftElement(DERIVED_ROWS, "measure", measure.kernel, shape, owner, joint.name, (), values)
        made.append(on_own_rows(element, len(joint.rows) + k))
    return made


def on_own_rows(e: DraftElement, row: int) -> DraftElement:
    """The element over both markers, for one of the six rows. Those are 0 and 1 in `DerivedRows`."""
    return replace(
        e,
        purpose=DERIVED_ROWS,
        shape=replace(e.shape, derived=True),
        points=(0, 1),
        record=e.record._replace(first_row=row, first_G=12 * row),
        accept=None,
        event=None,
        tangent=None,
    )


def derived_tables(
    links: list[Link], of_links: Trees, elements: list[DraftElement], batches: list[Batch]
) -> DerivedRows:
    """The table of the joints among those of all links. elements: sorted by `by_batches`."""
    place = {id(e): k for k, e in enumerate(elements)}
    joints: list[tuple[int, ...]] = []
    calls: list[tuple[int, int]] = []
    period: list[float] = []
    for i, link in enumerate(links):
        if link.form != DERIVED:
            continue
        own, n = of_links.link[i], link.rates
        first = len(period), len(calls), len(link.elements), int(link.forward)
        joints.append((i, own.first_q, own.first_v, 6 - n, *first))
        calls += [(batch_of(place[id(e)], batches), place[id(e)]) for e in link.elements]
        period += [e.shape.period for e in link.elements[-n:]]
    if not joints:
        return table(DerivedRows)
    numbers = np.array(calls, np.int64)
    n = len(period)
    return DerivedRows(
        index=records(DerivedRecord, joints),
        batch=numbers[:, 0].copy(),
        element=numbers[:, 1].copy(),
        period=np.array(period),
        value=np.zeros(n),
        rate=np.full(n, np.nan),
        S=np.zeros(6 * n),
        pose=np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], len(joints)),
        bias=np.zeros(6 * len(joints)),
        side=np.zeros(len(joints)),
        x=np.zeros((2, 3)),
        R=np.zeros((2, 9)),
        v=np.zeros((2, 3)),
        w=np.zeros((2, 3)),
        phi=np.zeros(6),
        phi_t=np.zeros(6),
        gamma=np.zeros(6),
        active=np.ones(6, np.int64),
        G_marker=np.zeros(72),
        matrix=np.zeros(36),
        pivot=np.zeros(6, np.int64),
        vector=np.zeros(6),
        target=np.zeros(6),
        trial=np.zeros(14),
    )


def batch_of(element: int, batches: list[Batch]) -> int:
    """Number of the batch of an element of these joints."""
    return next(
        k
        for k, batch in enumerate(batches)
        if batch.purpose == DERIVED_ROWS and batch.first <= element < batch.first + batch.count
    )
