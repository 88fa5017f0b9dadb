"""From a draft to tables: elements in batches, blocks of G, jobs for generalized forces."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mbplugin.codegen.compiled import Compiled, compile_kernels
from mbplugin.codegen.core_functions import core_units, load
from mbplugin.codegen.units import Unit
from mbplugin.compile.batches import Batch, body_batches, by_batches, element_batches, job_batches
from mbplugin.compile.block_tables import block_tables, force_jobs, job_tables
from mbplugin.compile.body_tables import body_tables, point_tables
from mbplugin.compile.builder import Builder
from mbplugin.compile.collisions import collisions
from mbplugin.compile.draft import Draft, DraftElement
from mbplugin.compile.element_tables import (
    activity_tables,
    bearing_tables,
    bounded_tables,
    coupling_tables,
    element_tables,
    enforced_tables,
    measure_tables,
    row_tables,
    sampler_tables,
    wrench_tables,
)
from mbplugin.compile.function_tables import function_tables, implicit_tables
from mbplugin.compile.graph import factor_tables
from mbplugin.compile.inputs import input_tables
from mbplugin.compile.nodal import nodal_tables
from mbplugin.compile.row_wrenches import put_row_wrenches
from mbplugin.compile.shape_tables import shape_tables
from mbplugin.compile.tree.derived import derived_tables
from mbplugin.compile.tree.tables import tree_cases, tree_tables, turns_of
from mbplugin.problem import Names, Problem
from mbplugin.tables import groups
from mbplugin.tables.check import check_indices
from mbplugin.tables.links import renumbered
from mbplugin.tables.purposes import DERIVED_ROWS, ENFORCE
from mbplugin.tables.records import EQUALITY, ON, BatchRecord, StepRecord
from mbplugin.tables.spec import Array, records, table


@dataclass
class Assembly:
    """Tables of a draft, without addresses of machine code, and what is called on them.

    cases: which of the engine's functions it calls (`codegen/core_functions.py`)
    called: functions of plugins in expressions
    """

    tables: dict[type, Any]
    batches: list[Batch]
    names: Names
    cases: dict[str, bool]
    called: list[Compiled]
    folded: Any = None

    def arrays(self) -> list[Array]:
        """All arrays of the tables."""
        return [array for arrays in self.tables.values() for array in arrays]

    def put_addresses(self) -> None:
        """Write the addresses of the functions in expressions into the tables."""
        self.tables[groups.Functions].called[:] = [kernel.address for kernel in self.called]


def tables_of(build: Builder) -> Assembly:
    """The tables of a draft, in which all records have their final numbers, and names with these."""
    draft, bodies, system = build.draft, build.bodies, build.system
    body_table, q, v = body_tables(bodies)
    markers, number = point_tables(draft, bodies)
    trees, flat = tree_tables(draft, body_table, system.scene, number)
    blocks, row_jobs, pieces = block_tables(draft, bodies, body_table, number)
    forces = force_jobs(draft, bodies, body_table, number)
    elements = by_batches(draft.elements)
    element_table = element_tables(draft, elements, number)
    names = completed(build, elements, number)
    shapes = shape_tables(system, draft, bodies, names, number)
    names.collisions = collisions(system, names)
    batches: list[Batch] = []
    body_batches(bodies, draft, number, batches)
    jobs = job_batches(bodies, row_jobs, forces.jobs, batches)
    element_batches(elements, batches, names)
    nodal = nodal_tables(bodies, names, batches)
    samplers = sampler_tables(elements, batches)
    functions = function_tables(draft, dict(build.start_rates))
    links = draft.folded.links if draft.folded is not None else []
    conditional = any(one.conditional for one in names.activities)
    bounded, enforced = len(draft.bounded) > 0, len(draft.enforced) > 0
    cases = {
        "implicit": bool(draft.unknowns),
        "enforced": enforced,
        "bounded": bounded,
        "bearings": len(draft.bearings) > 0,
        "changes": bounded or enforced or conditional,
        "activity": conditional,
        "switches": len(functions.switch) > 0,
        "inputs": len(draft.inputs) > 0 or len(samplers.index) > 0,
        **tree_cases(draft.folded, trees),
        "derived": any(e.purpose == DERIVED_ROWS for e in elements),
        "events": len(element_table.event) > 0 or bounded,
    }
    tables = {
        type(arrays): arrays
        for arrays in (
            body_table,
            nodal,
            markers,
            trees,
            flat,
            derived_tables(links, trees, elements, batches),
            blocks,
            element_table,
            functions,
            input_tables(draft),
            samplers,
            implicit_tables(draft, number),
            measure_tables(draft, elements, element_table),
            row_tables(draft),
            enforced_tables(draft),
            bounded_tables(draft, len(v)),
            activity_tables(draft, len(body_table.index)),
            bearing_tables(draft, number),
            coupling_tables(draft),
            job_tables(forces, jobs, pieces, bodies),
            wrench_tables(draft),
            start_state(draft, q, v),
            shapes,
            table(groups.Outputs, len(draft.outputs)),
        )
    }
    return Assembly(tables, batches, names, cases, draft.called, draft.folded)


def assemble(assembly: Assembly, units: Sequence[Unit]) -> Problem:
    """The Problem of these tables; units: compiled together with what it calls."""
    kernels = [batch.kernel for batch in assembly.batches]
    core = core_units("", **assembly.cases)
    compile_kernels([*kernels, *assembly.called], [*core, *units])
    load(core)
    tables = assembly.tables
    assembly.put_addresses()
    blocks, state = tables[groups.Blocks], tables[groups.State]
    equations = np.flatnonzero(blocks.index.row_type == EQUALITY)
    batches = [(b.kernel.address, b.first, b.count, b.purpose) for b in assembly.batches]
    q_dot, v_dot, aux_dot, change = (np.zeros_like(array) for array in (state.q, state.v, state.aux, state.v))
    work = (
        groups.Rates(q_dot, v_dot, aux_dot, change),
        factor_tables(blocks, equations, len(tables[groups.Bodies].index)),
        groups.Batches(records(BatchRecord, batches)),
        table(groups.EntryPoints, 1),
        table(groups.Status, 1),
        table(groups.Step)._replace(record=records(StepRecord, [(0,) * len(StepRecord._fields)])),
        table(groups.LoopArguments, 1),
        frame_values(len(tables[groups.Markers].index)),
    )
    every = tables | {type(arrays): arrays for arrays in work}
    every |= {group: table(group) for group in groups.GROUPS if group not in every}
    if os.environ.get("MBPLUGIN_STRICT") == "1":
        check_indices(every)
    problem = Problem(every, kernels, assembly.names)
    problem.folded = assembly.folded
    put_row_wrenches(problem)
    if problem.folded is not None and problem.folded.trees:
        problem.put(problem[groups.Trees]._replace(turn=turns_of(problem)))
    return problem


def completed(build: Builder, elements: list[DraftElement], number: dict[int, int]) -> Names:
    """The names of a draft with the final numbers of markers and elements."""
    draft, bodies = build.draft, build.bodies
    return replace(
        renumbered(build.names, {"Markers": number}),
        elements=[e.name for e in elements],
        compliances={e.record.first_row: k for k, e in enumerate(elements) if e.purpose == ENFORCE},
        kinds=[b.kind for b in bodies],
        plans={k: b.plan for k, b in enumerate(bodies) if b.kind.parts},
        wholes=[k for k, b in enumerate(bodies) for _ in b.plan.parts],
        states=draft.state_names,
        state_units=draft.state_units,
        outputs=draft.outputs,
        inputs=[(one.name, one.unit) for one in draft.inputs],
        functions=[(expression.key, expression.text) for _, expression, _ in draft.functions],
        shapes=[shape for _, _, shape in build.system.shapes()],
        size=mechanism_size(draft),
        tangents={},
    )


def frame_values(markers: int) -> groups.FrameValues:
    one = np.zeros(1, np.int64)
    return groups.FrameValues(np.zeros((markers, 3)), np.zeros((markers, 3)), np.zeros(4), one, one.copy())


def start_state(draft: Draft, q: Array, v: Array) -> groups.State:
    mode = np.array([*(row.mode for row in draft.rows), *(ON for _ in draft.activities)], np.int64)
    return groups.State(
        np.zeros(1), q, v, np.array(draft.start_states), start_memory(draft), np.zeros(0), mode
    )


def start_memory(draft: Draft) -> Array:
    """Memory at t = 0: inputs, zeros, and the initial guesses of implicit variables."""
    memory = np.zeros(draft.memory)
    memory[: len(draft.inputs)] = [one.at_start for one in draft.inputs]
    first = draft.implicit_memory
    memory[first : first + len(draft.unknowns)] = draft.guesses
    return memory


def mechanism_size(draft: Draft) -> float:
    """Diagonal of the bounding box of all markers at t = 0, or the largest `extent` of a joint [m]; 1 if all
    coincide.
    """
    x = np.array([pose[0] for pose in draft.point_pose]) if draft.point_pose else np.zeros((1, 3))
    size = max(float(np.linalg.norm(x.max(axis=0) - x.min(axis=0))), draft.extent)
    return size if size > 1e-9 else 1.0
