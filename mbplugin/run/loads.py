"""Loads of each joint, motion and force element on each body, of frames.

The rows of one owner act on a marker by their part of `RowWrenches`, a force element by the wrench of its
slot.
The torque about the mass centre x_c of the body is T + (x_m − x_c) × F; the markers on one body are summed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from mbplugin.compile.row_wrenches import bodies_of_markers, row_parts
from mbplugin.kernels.row_wrenches import evaluate_row_wrenches
from mbplugin.kernels.tree.loads import loads_of_trees
from mbplugin.problem import Problem
from mbplugin.results.layout import APPLIED, CONSTRAINT
from mbplugin.tables.groups import Batches, Markers, Rows, RowWrenches, Wrenches, WrenchJobs
from mbplugin.tables.purposes import FORCES_TO_GENERALIZED
from mbplugin.tables.spec import Array


class Load(NamedTuple):
    """Load of one element on one body."""

    part: str  # APPLIED or CONSTRAINT
    element: str  # joint, motion or force element
    body: int  # of the scene


@dataclass(frozen=True)
class LoadTerms:
    """Places of the parts of all loads in a frame: first those of rows, then those of force elements.

    A part is what acts at one marker: those of rows first, then those of force elements; both in the order of
    the scene, with the parts of one load side by side.
    """

    loads: list[Load]
    first_part: Array  # (loads,) its parts are neighbours
    marker: Array  # (parts,) that the wrench of the part acts on
    centre: Array  # (parts,) marker at the mass centre of the body
    of_rows: Array  # (parts of rows,) in `RowWrenches.wrench`
    slots: Array  # (parts of forces,) of `Wrenches.wrench`

    @classmethod
    def of(cls, problem: Problem) -> Self:
        of_rows = [(Load(CONSTRAINT, part.owner, part.body), part.marker) for part in row_parts(problem)]
        of_forces = slots_of_forces(problem)
        loads = list(dict.fromkeys([load for load, _ in of_rows] + [load for load, _, _ in of_forces]))
        number = {load: k for k, load in enumerate(loads)}
        order = sorted(range(len(of_rows)), key=lambda k: number[of_rows[k][0]])
        of_forces = sorted(of_forces, key=lambda part: number[part[0]])
        parts = [of_rows[k] for k in order] + [(load, marker) for load, marker, _ in of_forces]
        of_part = np.array([number[load] for load, _ in parts], np.int64)
        return cls(
            loads,
            np.searchsorted(of_part, np.arange(len(loads))),
            np.array([marker for _, marker in parts], np.int64),
            np.array([problem.names.body_marker[load.body] for load, _ in parts], np.int64),
            np.array(order, np.int64),
            np.array([slot for _, _, slot in of_forces], np.int64),
        )

    def wrenches(self, numbers: Any) -> Array:
        """(n, loads, 6) force [N] and torque [N·m] about the mass centre, world axes.

        numbers: of n frames, as `FrameRows` has them
        """
        x = numbers[Markers, "x"]
        count, of_rows = len(x), len(self.of_rows)
        parts = np.zeros((count, len(self.marker), 6))
        parts[:, :of_rows] = numbers[RowWrenches, "wrench"][:, self.of_rows]
        if len(self.slots):
            parts[:, of_rows:] = numbers[Wrenches, "wrench"].reshape(count, -1, 6)[:, self.slots]
        if not len(self.loads):
            return parts
        arm = x[:, self.marker] - x[:, self.centre]
        parts[:, :, 3:] += np.cross(arm, parts[:, :, :3])
        return np.asarray(np.add.reduceat(parts, self.first_part, axis=1))

    @property
    def bodies(self) -> Array:
        """(loads,) numbers of the bodies in the scene."""
        return np.array([load.body for load in self.loads], np.int64)

    def points(self, problem: Problem) -> Array:
        """(loads, 3) the first marker of each load, from the mass centre in body axes, as they stand now."""
        markers = problem[Markers]
        marker, centre = self.marker[self.first_part], self.centre[self.first_part]
        arm = markers.x[marker] - markers.x[centre]
        return np.asarray(np.einsum("nij,ni->nj", markers.R[centre].reshape(-1, 3, 3), arm))


def row_wrenches(problem: Problem, lam: Array, load: Array | None = None) -> Array:
    """(parts, 6) of `RowWrenches` with other multipliers (nc,), and loads (nc,), than those in the tables."""
    rows = problem[Rows]
    kept = rows.lam.copy(), rows.load.copy()
    rows.lam[:], rows.load[:] = lam, kept[1] if load is None else load
    problem.check(evaluate_row_wrenches(problem.addresses))
    rows.lam[:], rows.load[:] = kept
    return problem[RowWrenches].wrench.copy()


def slots_of_forces(problem: Problem) -> list[tuple[Load, int, int]]:
    """(load, marker, slot in `Wrenches.wrench`) of the force elements of the scene; gravity follows from the
    masses.
    """
    body_of, forces, names = bodies_of_markers(problem), problem[Wrenches].index, problem.names.forces
    force_of = np.repeat(np.arange(len(forces)), forces.slots) - (len(forces) - len(names))
    slots = []
    for batch, kernel in zip(problem[Batches].index, problem.kernels):
        if batch.purpose != FORCES_TO_GENERALIZED or kernel.role == loads_of_trees.by_address.python.__name__:
            continue
        for job in problem[WrenchJobs].index[batch.first : batch.first + batch.length]:
            slot, marker = int(job.source) // 6, int(job.marker)
            if force_of[slot] >= 0 and body_of[marker] >= 0:
                slots.append((Load(APPLIED, names[force_of[slot]][0], body_of[marker]), marker, slot))
    return sorted(slots, key=lambda part: part[2])
