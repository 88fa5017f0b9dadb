"""From a draft to tables: elements in batches, blocks of G, jobs for generalized forces."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.codegen.compiled import compile_kernels
from mbplugin.codegen.core_functions import core_units, load
from mbplugin.codegen.units import Unit
from mbplugin.compile.batches import Batch, body_batches, by_batches, element_batches, job_batches
from mbplugin.compile.block_tables import block_tables, force_jobs, job_tables
from mbplugin.compile.body_tables import body_tables, point_tables
from mbplugin.compile.collisions import collisions
from mbplugin.compile.draft import Draft, DraftBody, DraftElement
from mbplugin.compile.element_tables import (
    activity_tables,
    bearing_tables,
    bounded_tables,
    coupling_tables,
    element_tables,
    enforced_tables,
    measure_tables,
    row_tables,
    wrench_tables,
)
from mbplugin.compile.function_tables import function_tables, implicit_tables
from mbplugin.compile.graph import factor_tables
from mbplugin.compile.inputs import input_tables
from mbplugin.compile.nodal import nodal_tables
from mbplugin.compile.row_wrenches import put_row_wrenches
from mbplugin.compile.shape_tables import shape_tables
from mbplugin.compile.tree.derived import derived_tables
from mbplugin.compile.tree.tables import tree_cases, tree_tables
from mbplugin.model import System
from mbplugin.problem import Names, Problem
from mbplugin.tables.groups import (
    Activity,
    Batches,
    Bearings,
    Blocks,
    Bodies,
    Border,
    Bounded,
    Capacity,
    Changes,
    Couplings,
    DerivedRows,
    Differences,
    Elements,
    Enforced,
    EntryPoints,
    Factor,
    Flat,
    FrameValues,
    Functions,
    Impacts,
    ImplicitVariables,
    Increments,
    InnerStates,
    Inputs,
    Kinds,
    LoopArguments,
    Markers,
    Matrix,
    Measures,
    Nodal,
    Outputs,
    Poses,
    Rates,
    Rows,
    RowWrenches,
    Shapes,
    Shown,
    State,
    Status,
    Step,
    TangentBlocks,
    TangentPlan,
    Tangents,
    TangentWork,
    TransientJobs,
    TransientMarkers,
    TransientRows,
    Trees,
    Wrenches,
    WrenchJobs,
)
from mbplugin.tables.purposes import DERIVED_ROWS, ENFORCE
from mbplugin.tables.records import EQUALITY, ON, BatchRecord, StepRecord
from mbplugin.tables.spec import Array, records, table


def assemble(
    draft: Draft,
    bodies: list[DraftBody],
    names: Names,
    start_rates: dict[int, float],
    units: list[Unit],
    system: System,
) -> Problem:
    """The Problem of a draft. All records get their final numbers, also in `names`.

    start_rates: function -> rate at t = 0 [m/s] or [rad/s] of the row of a `start`
    units: compiled together with the kernels of the problem
    """
    body_table, q, v = body_tables(bodies)
    trees, flat = tree_tables(draft, body_table, system.scene.gravity)
    markers, number = point_tables(draft, bodies)
    blocks, row_jobs, pieces = block_tables(draft, bodies, body_table, number)
    forces = force_jobs(draft, bodies, body_table, number)
    elements = by_batches(draft.elements)
    element_table = element_tables(draft, elements, number)
    name(names, draft, bodies, elements, number)
    shapes = shape_tables(system, draft, bodies, names, number)
    names.collisions = collisions(system, names)
    batches: list[Batch] = []
    body_batches(bodies, draft, number, batches)
    jobs = job_batches(bodies, row_jobs, forces.jobs, batches)
    element_batches(elements, batches, names)
    nodal = nodal_tables(bodies, names, batches)
    enforced = enforced_tables(draft)
    functions = function_tables(draft, start_rates)
    conditional = any(one.conditional for one in names.activities)
    core = core_units(
        "",
        implicit=bool(draft.unknowns),
        enforced=len(enforced.index) > 0,
        bounded=len(draft.bounded) > 0,
        bearings=len(draft.bearings) > 0,
        changes=len(draft.bounded) > 0 or len(enforced.index) > 0 or conditional,
        activity=conditional,
        switches=len(functions.switch) > 0,
        inputs=len(draft.inputs) > 0,
        **tree_cases(draft.folded, trees),
        derived=any(e.purpose == DERIVED_ROWS for e in elements),
        events=len(element_table.event) > 0 or len(draft.bounded) > 0,
    )
    compile_kernels([*(b.kernel for b in batches), *draft.called], [*core, *units])
    load(core)
    functions.called[:] = [kernel.address for kernel in draft.called]
    links = draft.folded.links if draft.folded is not None else []
    tables: dict[type, Any] = {
        Bodies: body_table,
        Nodal: nodal,
        Markers: markers,
        Trees: trees,
        Flat: flat,
        DerivedRows: derived_tables(links, trees, elements, batches),
        Blocks: blocks,
        Elements: element_table,
        Functions: functions,
        Inputs: input_tables(draft),
        ImplicitVariables: implicit_tables(draft, number),
        Measures: measure_tables(draft, elements, element_table),
        Rows: row_tables(draft),
        Enforced: enforced,
        Bounded: bounded_tables(draft, len(v)),
        Activity: activity_tables(draft, len(bodies)),
        Bearings: bearing_tables(draft, number),
        Couplings: coupling_tables(draft),
        WrenchJobs: job_tables(forces, jobs, pieces, bodies),
        Wrenches: wrench_tables(draft),
        RowWrenches: table(RowWrenches),
        Factor: factor_tables(blocks, blocks.index[blocks.index.row_type == EQUALITY], len(body_table.index)),
        State: start_state(draft, q, v),
        Rates: Rates(np.zeros(len(q)), np.zeros(len(v)), np.zeros(draft.states), np.zeros(len(v))),
        Batches: Batches(
            records(BatchRecord, [(b.kernel.address, b.first, b.count, b.purpose) for b in batches])
        ),
        EntryPoints: table(EntryPoints, 1),
        Status: table(Status, 1),
        Step: table(Step)._replace(record=records(StepRecord, [(0,) * len(StepRecord._fields)])),
        LoopArguments: table(LoopArguments, 1),
        FrameValues: frame_values(len(markers.index)),
        Tangents: table(Tangents),
        Matrix: table(Matrix),
        Border: table(Border),
        InnerStates: table(InnerStates),
        Increments: table(Increments),
        TangentBlocks: table(TangentBlocks),
        TangentPlan: table(TangentPlan),
        Differences: table(Differences),
        TangentWork: table(TangentWork),
        Shapes: shapes,
        Outputs: table(Outputs, len(draft.outputs)),
        **{
            group: table(group)
            for group in (
                Poses,
                Shown,
                Kinds,
                TransientRows,
                TransientMarkers,
                TransientJobs,
                Changes,
                Impacts,
                Capacity,
            )
        },
    }
    problem = Problem(tables, [b.kernel for b in batches], names)
    put_row_wrenches(problem)
    return problem


def name(
    names: Names, draft: Draft, bodies: list[DraftBody], elements: list[DraftElement], number: list[int]
) -> None:
    """Complete the names by the final numbers of markers and elements."""
    names.body_marker = [number[p] for p in names.body_marker]
    names.stretches = [number[p] if p >= 0 else -1 for p in names.stretches]
    names.lines = [(name, number[i], number[j]) for name, i, j in names.lines]
    for found in names.defaults:
        found.markers = tuple(number[point] for point in found.markers)
    for joint in names.joints:
        joint.markers = tuple(number[p] for p in joint.markers)
    names.elements = [e.name for e in elements]
    names.compliances = {e.row: k for k, e in enumerate(elements) if e.purpose == ENFORCE}
    names.kinds = [b.kind for b in bodies]
    names.plans = {k: b.plan for k, b in enumerate(bodies) if b.kind.parts}
    names.wholes = [k for k, b in enumerate(bodies) for _ in b.plan.parts]
    names.states, names.state_units = draft.state_names, draft.state_units
    names.outputs = draft.outputs
    names.inputs = [(one.name, one.unit) for one in draft.inputs]
    names.functions = [(expression.key, expression.text) for _, expression, _ in draft.functions]
    names.size = mechanism_size(draft)


def frame_values(markers: int) -> FrameValues:
    one = np.zeros(1, np.int64)
    return FrameValues(np.zeros((markers, 3)), np.zeros((markers, 3)), np.zeros(4), one, one.copy())


def start_state(draft: Draft, q: Array, v: Array) -> State:
    mode = np.array([*(row.mode for row in draft.rows), *(ON for _ in draft.activities)], np.int64)
    return State(np.zeros(1), q, v, np.array(draft.start_states), start_memory(draft), np.zeros(0), mode)


def start_memory(draft: Draft) -> Array:
    """Memory at t = 0: inputs, zeros, and the initial guesses of implicit variables."""
    memory = np.zeros(draft.memory)
    memory[: len(draft.inputs)] = [one.at_start for one in draft.inputs]
    first = draft.implicit_memory
    memory[first : first + len(draft.unknowns)] = [unknown.start for unknown in draft.implicit_rows]
    return memory


def mechanism_size(draft: Draft) -> float:
    """Diagonal of the bounding box of all markers at t = 0, or the largest `extent` of a joint [m]; 1 if all
    coincide.
    """
    x = np.array([pose[0] for pose in draft.point_pose]) if draft.point_pose else np.zeros((1, 3))
    size = max(float(np.linalg.norm(x.max(axis=0) - x.min(axis=0))), draft.extent)
    return size if size > 1e-9 else 1.0
