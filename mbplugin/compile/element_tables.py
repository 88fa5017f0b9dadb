"""Tables of elements and of their outputs: measures, constraint rows, couplings, wrenches."""

from __future__ import annotations

import numpy as np

from mbplugin.compile.batches import Batch
from mbplugin.compile.draft import Draft, DraftElement
from mbplugin.kernels.schur import BELOW_ROUNDING, PROXIMAL
from mbplugin.model.input import ratio
from mbplugin.tables.groups import (
    Activity,
    Bearings,
    Bounded,
    Couplings,
    Elements,
    Enforced,
    Measures,
    Rows,
    Samplers,
    Wrenches,
)
from mbplugin.tables.links import renumbered
from mbplugin.tables.purposes import DERIVED_ROWS, MEASURE, SAMPLE, SHOWN
from mbplugin.tables.records import (
    TARGET_CONTACTS,
    TARGET_FORCE,
    ActivityRecord,
    BearingRecord,
    BoundedRecord,
    CommandRecord,
    ConditionRecord,
    CouplingRecord,
    ElementRecord,
    EnforcedRecord,
    ForceRecord,
    MeasureRecord,
    SamplerRecord,
    TargetRecord,
)
from mbplugin.tables.spec import Array, records, table


def element_tables(draft: Draft, elements: list[DraftElement], number: dict[int, int]) -> Elements:
    """The table of elements, sorted by `by_batches`; number: marker of each point of the draft."""
    rows: list[ElementRecord] = []
    slots: list[int] = []
    p = 0
    places = draft.row_places()
    for e in elements:
        record = e.record._replace(first_slot=len(slots), slots=len(e.points), first_parameter=p)
        if e.writes_rows and e.purpose != DERIVED_ROWS:
            record = record._replace(first_G=places[record.first_row])
        rows.append(record)
        slots += e.points if e.purpose == DERIVED_ROWS else [number[point] for point in e.points]
        p += len(e.parameters)
    return Elements(
        records(ElementRecord, rows),
        np.array(slots, np.int64),
        element_parameters(elements),
        np.zeros(draft.events),
    )


def element_parameters(elements: list[DraftElement]) -> Array:
    """Parameters of all elements."""
    return np.array([value for e in elements for value in e.parameters], float)


def measure_tables(draft: Draft, elements: list[DraftElement], element_table: Elements) -> Measures:
    """The table of measures that are evaluated by themselves."""
    first_slot = {
        e.record.measure: int(row.first_slot)
        for e, row in zip(elements, element_table.index)
        if e.shape.as_measure
    }
    n = len(draft.measures)
    shown = {e.record.measure for e in elements if e.shape.as_measure and e.purpose == SHOWN}
    # what only frames evaluate limits no step
    rows = [
        (
            m.first_J,
            len(m.points),
            first_slot[i],
            *((0, 0.0, 1) if i in shown else (int(m.wraps), m.stride, 0)),
        )
        for i, m in enumerate(draft.measures)
    ]
    return table(Measures, n, index=records(MeasureRecord, rows), J=np.zeros(draft.measure_J))


def row_tables(draft: Draft) -> Rows:
    n = len(draft.rows)
    return table(
        Rows,
        n,
        level=np.array([r.level for r in draft.rows], np.int64),
        delta=np.full(1, PROXIMAL),
        goal=np.full(1, BELOW_ROUNDING),
        radians=np.array([int(r.unit == "rad") for r in draft.rows], np.int64),
        next_mode=np.zeros(n + len(draft.activities), np.int64),
    )


def bounded_tables(draft: Draft, nv: int) -> Bounded:
    n = len(draft.bounded)
    return table(
        Bounded,
        n,
        index=records(BoundedRecord, draft.bounded),
        command=records(CommandRecord, draft.commands),
        v=np.zeros(nv),
        located=np.zeros(1, np.int64),
        steady=np.array([keeps_nothing_that_acts(draft)], np.int64),
    )


def activity_tables(draft: Draft, bodies: int) -> Activity:
    """The table of what may cease to act; bodies: their number, with their parts."""
    of_slot, of_body = np.full(len(draft.force_points), -1), np.full(bodies, -1)
    for place, one in enumerate(draft.activities, len(draft.rows)):
        for target in draft.targets[one.first_target : one.first_target + one.targets]:
            if target.kind == TARGET_FORCE:
                force = draft.forces[target.number]
                of_slot[force.first_slot : force.first_slot + force.slots] = place
            elif target.kind == TARGET_CONTACTS:
                of_body[target.number] = place
    return table(
        Activity,
        len(draft.activities),
        index=records(ActivityRecord, draft.activities),
        target=records(TargetRecord, draft.targets),
        condition=records(ConditionRecord, draft.conditions),
        of_slot=of_slot,
        of_body=of_body,
        located=np.ones(1, np.int64),
        changed=np.zeros(1, np.int64),
        failed=np.zeros(1, np.int64),
    )


def keeps_nothing_that_acts(draft: Draft) -> bool:
    """Whether no rates change, not even by rounding, by what is kept at the end of a step: memory of
    elements, turns of angles, and where iterations on implicit variables and pressures begin.
    """
    remembers = any((e.accept is not None and e.memory_acts) or e.interval > 0.0 for e in draft.elements)
    turns = any(e.purpose == MEASURE and e.shape.period for e in draft.elements)
    # poses of joints by Newton's method from the last one
    found = any(e.purpose == DERIVED_ROWS for e in draft.elements)
    return not (remembers or turns or found or draft.unknowns or draft.bearings)


def bearing_tables(draft: Draft, number: dict[int, int]) -> Bearings:
    """The table of bearings; number: marker of each point of the draft."""
    n = len(draft.bearings)
    return table(
        Bearings,
        n,
        index=records(BearingRecord, renumbered(draft.bearings, {"Markers": number})),
        inverse=np.zeros(n * n),
        worst=np.zeros(1),
        worst_place=np.zeros(1, np.int64),
    )


def enforced_tables(draft: Draft) -> Enforced:
    n = len(draft.enforced)
    return table(
        Enforced,
        n,
        index=records(EnforcedRecord, draft.enforced),
        mass=np.ones(n),
        most_iterations=np.zeros(1, np.int64),
    )


def coupling_tables(draft: Draft) -> Couplings:
    places = draft.row_places()
    rows = [one._replace(first_G=places[one.row] + one.first_G) for one in draft.couplings]
    return Couplings(records(CouplingRecord, rows), np.array(draft.coupling_constants, float))


def wrench_tables(draft: Draft) -> Wrenches:
    return table(
        Wrenches,
        len(draft.forces),
        wrench=np.zeros(6 * len(draft.force_points)),
        dissipates=np.array(draft.dissipates, np.int64),
        index=records(ForceRecord, draft.forces),
    )


def sampler_tables(elements: list[DraftElement], batches: list[Batch]) -> Samplers:
    """The table of elements that take samples; both as in the tables."""
    found = [
        (number, k, elements[k])
        for number, batch in enumerate(batches)
        if batch.purpose == SAMPLE
        for k in range(batch.first, batch.first + batch.count)
        if elements[k].interval > 0.0
    ]
    interval, rate = np.array([ratio(e.interval) for *_, e in found], float).reshape(-1, 2).T.copy()
    return Samplers(records(SamplerRecord, [(number, k, e.count) for number, k, e in found]), interval, rate)
