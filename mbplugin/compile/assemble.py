"""From a draft to tables: elements into batches, blocks into G, wrenches into generalized forces."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.compile.batches import Batch, body_batches, by_batches, element_batches, pull_batches
from mbplugin.compile.block_tables import block_tables, force_pulls, pull_tables
from mbplugin.compile.body_tables import body_tables, point_tables
from mbplugin.compile.draft import BodyRecord, Draft, DraftElement
from mbplugin.compile.element_tables import (
    coupling_tables,
    element_tables,
    enforced_tables,
    measure_tables,
    row_tables,
    wrench_tables,
)
from mbplugin.compile.function_tables import function_tables, unknown_tables
from mbplugin.compile.graph import factor_tables, integers
from mbplugin.interface.problem import Problem, Words
from mbplugin.kernels import core
from mbplugin.tables.groups import (
    ENFORCE,
    Batches,
    Blocks,
    Bodies,
    Core,
    Couplings,
    Elements,
    Enforced,
    Factor,
    Functions,
    Measures,
    Points,
    Pulls,
    Rates,
    Room,
    Rows,
    State,
    Tangents,
    Unknowns,
    Wrenches,
)
from mbplugin.tables.spec import Array


def assemble(draft: Draft, bodies: list[BodyRecord], words: Words, start_rates: dict[int, float]) -> Problem:
    """The Problem of a draft: every record gets its number, and `words` the same numbers.

    start_rates: function -> rate at t = 0 of the row that holds a `start`.
    """
    body_table, q, v = body_tables(bodies)
    points, number = point_tables(draft, bodies)
    blocks, row_pulls = block_tables(draft, bodies, body_table, number)
    pulls = force_pulls(draft, bodies, body_table, number)
    elements = by_batches(draft.elements)
    element_table = element_tables(draft, elements, number)
    name(words, draft, bodies, elements, number)
    batches: list[Batch] = []
    body_batches(bodies, draft, number, batches)
    pull_rows = pull_batches(bodies, row_pulls, pulls.jobs, batches)
    element_batches(elements, batches, words)
    nothing = np.zeros(0, np.int64)
    tables: dict[type, Any] = {
        Bodies: body_table,
        Points: points,
        Blocks: blocks,
        Elements: element_table,
        Functions: function_tables(draft, start_rates),
        Unknowns: unknown_tables(draft, number),
        Measures: measure_tables(draft, elements, element_table),
        Rows: row_tables(draft),
        Enforced: enforced_tables(draft),
        Couplings: coupling_tables(draft),
        Pulls: pull_tables(pulls, pull_rows, bodies),
        Wrenches: wrench_tables(draft),
        Factor: factor_tables(blocks, blocks.row, len(bodies)),
        State: State(np.zeros(1), q, v, np.array(draft.start_states), start_memory(draft)),
        Rates: Rates(np.zeros(len(q)), np.zeros(len(v)), np.zeros(draft.states)),
        Batches: Batches(integers([(b.kernel.address, b.first, b.count, b.purpose) for b in batches], 4)),
        Core: Core(core.addresses()),
        Tangents: Tangents(nothing, nothing, nothing, np.zeros(0), np.zeros(0), np.zeros((0, 6))),
        Room: Room(nothing, np.zeros(0)),
    }
    return Problem(tables, [b.kernel for b in batches], words)


def name(
    words: Words, draft: Draft, bodies: list[BodyRecord], elements: list[DraftElement], number: list[int]
) -> None:
    """Complete the words by what the order of the tables says."""
    words.body_point = [number[p] for p in words.body_point]
    words.lines = [(name, number[i], number[j]) for name, i, j in words.lines]
    for joint in words.joints:
        joint.markers = tuple(number[p] for p in joint.markers)
    words.elements = [e.name for e in elements]
    words.laws = {e.row: k for k, e in enumerate(elements) if e.purpose == ENFORCE}
    words.kinds = [b.kind for b in bodies]
    words.states = draft.state_names
    words.functions = [expression.text for _, expression, _ in draft.functions]
    words.size = mechanism_size(draft)


def start_memory(draft: Draft) -> Array:
    """Memory at t = 0: zero, but for the first guesses of unknowns."""
    memory = np.zeros(draft.memory)
    first = draft.unknown_memory
    memory[first : first + len(draft.unknowns)] = [unknown.start for unknown in draft.unknown_rows]
    return memory


def mechanism_size(draft: Draft) -> float:
    """Diagonal of the box around all markers at t = 0 [m]; 1 where they all coincide."""
    x = np.array([pose[0] for pose in draft.point_pose]) if draft.point_pose else np.zeros((1, 3))
    size = float(np.linalg.norm(x.max(axis=0) - x.min(axis=0)))
    return size if size > 1e-9 else 1.0
