"""What each joint, motion and force element exerts on each body, of frames.

Rows r of one owner act on marker m by the wrench Σ_r G_m[r]ᵀ λ_r, a force element by the wrench of its slot.
The torque about the mass centre x_c of the body is T + (x_m − x_c) × F; the markers on one body are summed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from mbplugin.problem import Problem
from mbplugin.results.layout import APPLIED, CONSTRAINT
from mbplugin.tables.groups import Batches, Blocks, ImplicitVariables, Markers, Rows, Wrenches, WrenchJobs
from mbplugin.tables.purposes import FORCES_TO_GENERALIZED
from mbplugin.tables.records import SECOND_RATE
from mbplugin.tables.spec import Array


class Load(NamedTuple):
    """What one element does to one body."""

    part: str  # APPLIED or CONSTRAINT
    element: str  # joint, motion or force element
    body: int  # of the scene


@dataclass(frozen=True)
class LoadTerms:
    """Where the parts of all loads are in a frame: first those of rows, then those of force elements.

    A part is what acts at one marker: those of rows first, then those of force elements; both in the order of
    the scene, with the parts of one load side by side.
    """

    loads: list[Load]
    first_part: Array  # (loads,) its parts are neighbours
    marker: Array  # (parts,) that the wrench of the part acts on
    centre: Array  # (parts,) marker at the mass centre of the body
    first_term: Array  # (parts of rows,) its terms are neighbours
    rows: Array  # (terms,)
    places: Array  # (terms, 6) in `Blocks.G_marker`
    slots: Array  # (parts of forces,) of `Wrenches.wrench`

    @classmethod
    def of(cls, problem: Problem) -> Self:
        of_rows, of_forces = terms_of_rows(problem), slots_of_forces(problem)
        loads = list(dict.fromkeys([load for load, _ in of_rows] + [load for load, _, _ in of_forces]))
        number = {load: k for k, load in enumerate(loads)}
        keys = sorted(of_rows, key=lambda part: number[part[0]])
        of_forces = sorted(of_forces, key=lambda part: number[part[0]])
        parts = keys + [(load, marker) for load, marker, _ in of_forces]
        terms = [of_rows[key] for key in keys]
        flat = [term for of_part in terms for term in of_part]
        counts = np.array([len(of_part) for of_part in terms], np.int64)
        of_part = np.array([number[load] for load, _ in parts], np.int64)
        first_place = np.array([place for _, place in flat], np.int64)
        return cls(
            loads,
            np.searchsorted(of_part, np.arange(len(loads))),
            np.array([marker for _, marker in parts], np.int64),
            np.array([problem.names.body_marker[load.body] for load, _ in parts], np.int64),
            np.cumsum(counts) - counts,
            np.array([row for row, _ in flat], np.int64),
            first_place[:, None] + np.arange(6),
            np.array([slot for _, _, slot in of_forces], np.int64),
        )

    def wrenches(self, numbers: Any) -> Array:
        """(n, loads, 6) force [N] and torque [N·m] about the mass centre, world axes.

        numbers: of n frames, as `FrameRows` has them
        """
        x = numbers[Markers, "x"]
        count = len(x)
        parts = np.zeros((count, len(self.marker), 6))
        of_rows = len(self.first_term)
        if of_rows:
            carried = numbers[Rows, "lam"] + numbers[Rows, "load"]
            terms = numbers[Blocks, "G_marker"][:, self.places]
            terms *= carried[:, self.rows, None]
            np.add.reduceat(terms, self.first_term, axis=1, out=parts[:, :of_rows])
        if len(self.slots):
            parts[:, of_rows:] = numbers[Wrenches, "wrench"].reshape(count, -1, 6)[:, self.slots]
        if not len(self.loads):
            return parts
        arm = x[:, self.marker] - x[:, self.centre]
        parts[:, :, 3:] += np.cross(arm, parts[:, :, :3])
        return np.asarray(np.add.reduceat(parts, self.first_part, axis=1))


def terms_of_rows(problem: Problem) -> dict[tuple[Load, int], list[tuple[int, int]]]:
    """(load, marker) -> its rows, each with the start of its six numbers in `Blocks.G_marker`."""
    blocks, body_of = problem[Blocks], bodies_of_markers(problem)
    without_load = rows_without_load(problem)
    terms: dict[tuple[Load, int], list[tuple[int, int]]] = {}
    for block in blocks.index:
        markers = blocks.marker[block.first_slot : block.first_slot + block.slots].tolist()
        for row in range(int(block.first_row), int(block.first_row + block.rows)):
            owner = problem.names.rows[row].owner
            first = int(block.first_G_marker) + 6 * len(markers) * (row - int(block.first_row))
            for slot, marker in enumerate(markers if row not in without_load else []):
                if body_of[marker] >= 0:
                    load = Load(CONSTRAINT, owner, body_of[marker])
                    terms.setdefault((load, marker), []).append((row, first + 6 * slot))
    return terms


def rows_without_load(problem: Problem) -> set[int]:
    """Rows that only set the initial state, or only read an acceleration."""
    starts = {coordinate.start_row for coordinate in problem.names.coordinates}
    return starts | {int(r.place) for r in problem[ImplicitVariables].index if r.kind == SECOND_RATE}


def slots_of_forces(problem: Problem) -> list[tuple[Load, int, int]]:
    """(load, marker, slot in `Wrenches.wrench`) of the force elements of the scene; gravity follows from the
    masses.
    """
    body_of, forces, names = bodies_of_markers(problem), problem[Wrenches].index, problem.names.forces
    force_of = np.repeat(np.arange(len(forces)), forces.slots) - (len(forces) - len(names))
    slots = []
    for batch in problem[Batches].index:
        if batch.purpose != FORCES_TO_GENERALIZED:
            continue
        for job in problem[WrenchJobs].index[batch.first : batch.first + batch.length]:
            slot, marker = int(job.source) // 6, int(job.marker)
            if force_of[slot] >= 0 and body_of[marker] >= 0:
                slots.append((Load(APPLIED, names[force_of[slot]][0], body_of[marker]), marker, slot))
    return sorted(slots, key=lambda part: part[2])


def bodies_of_markers(problem: Problem) -> list[int]:
    """Number in the scene of the body of each marker; -1: the ground or a rotor."""
    names = problem.names
    number = {table: scene for scene, table in enumerate(names.body_index)}
    return [number.get(int(body), -1) for body in problem[Markers].index.body]
