"""Where the quantities of a frame are in the tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from mbplugin.analysis.singular.singular import MAX_WATCHED_ROWS
from mbplugin.interface import ConstraintKind
from mbplugin.problem import Names, Problem
from mbplugin.run.force_places import ForcePlaces
from mbplugin.run.frame_rows import FrameRows
from mbplugin.run.loads import LoadTerms
from mbplugin.run.switching import Switching
from mbplugin.tables.groups import Blocks, Functions, Nodal, State
from mbplugin.tables.spec import Array


def places_of(problem: Problem) -> Places:
    """Those of a problem; problems whose tables have one layout share them."""
    layout = problem.structure.layout
    if layout is None:
        return Places.of(problem)
    if "places" not in layout.cache:
        layout.cache["places"] = Places.of(problem)
    places: Places = layout.cache["places"]
    return places


@dataclass(frozen=True)
class Places:
    """Numbers of markers, rows and slots."""

    bodies: Array  # (bodies,) markers of their mass centres
    in_tables: Array  # (bodies,) numbers in the tables
    stretched: Array  # (deformations,) bodies that stretch
    stretches: Array  # (deformations, 3) their markers 1 m from the mass centres
    first_marker: Array  # (joints,)
    last_marker: Array  # (joints,)
    own_axes: list[int]  # joints whose kind gives axes of its own
    measure: Array  # (coordinates,)
    motions: Array  # (motions, 2) number of the coordinate, and row of the motion
    lines: Array  # (lines, 2) markers of their ends
    forces: ForcePlaces
    loads: LoadTerms
    switching: Switching
    rows: FrameRows  # without outputs of a solver

    @classmethod
    def of(cls, problem: Problem) -> Self:
        names, joints = problem.names, problem.names.joints
        return cls(
            np.array(names.body_marker, np.int64),
            np.array(names.body_index, np.int64),
            np.flatnonzero(np.array(names.stretches, np.int64) >= 0),
            np.array([range(m, m + 3) for m in names.stretches if m >= 0], np.int64).reshape(-1, 3),
            np.array([joint.markers[0] for joint in joints], np.int64),
            np.array([joint.markers[-1] for joint in joints], np.int64),
            [k for k, joint in enumerate(joints) if not has_marker_axes(joint.kind)],
            np.array([c.measure for c in names.coordinates], np.int64),
            rows_of_motions(names),
            np.array([(line.a, line.b) for line in names.lines], np.int64).reshape(-1, 2),
            ForcePlaces.of(problem),
            LoadTerms.of(problem),
            Switching.of(problem),
            FrameRows(problem, further_arrays(problem)),
        )


def rows_of_motions(names: Names) -> Array:
    """(motions, 2) as in `Places.motions`."""
    pairs = [(k, row) for k, c in enumerate(names.coordinates) for row in c.motion_rows]
    return np.array(pairs, np.int64).reshape(-1, 2)


def further_arrays(problem: Problem) -> list[tuple[Any, str]]:
    """Arrays of the rows that only some problems need: for the detector of singular positions, inputs,
    variables, and rows that switch.
    """
    needed = {
        (Blocks, "G"): 0 < problem.nc <= MAX_WATCHED_ROWS,
        (State, "memory"): bool(problem.names.inputs),
        (State, "mode"): bool(problem.names.bounded)
        or any(one.conditional for one in problem.names.activities),
        (Functions, "u"): bool(problem.names.variables),
        (Nodal, "x"): bool(problem.names.nodal),
        (Nodal, "v"): bool(problem.names.nodal),
        (Nodal, "stress"): any(one.points for one in problem.names.nodal),
    }
    return [key for key, need in needed.items() if need]


def has_marker_axes(kind: Any) -> bool:
    """Whether the axes of a joint are those of its first and its last marker."""
    return getattr(kind.axes, "__func__", None) is ConstraintKind.axes.__func__  # type: ignore[attr-defined]
