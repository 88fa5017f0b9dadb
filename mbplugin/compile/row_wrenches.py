"""Which rows act on which markers: the terms of Σ Gᵀ (λ + load), owner by owner."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mbplugin.problem import Problem
from mbplugin.problem.names import JointInfo
from mbplugin.tables.groups import Blocks, ImplicitVariables, Markers, RowWrenches
from mbplugin.tables.records import SECOND_RATE


class RowPart(NamedTuple):
    """Key of what the rows of a joint or motion do at a marker."""

    owner: str
    body: int  # of the scene
    marker: int


#: a row, and the place of its six numbers over the marker in `Blocks.G_marker`
Term = tuple[int, int]


def put_row_wrenches(problem: Problem) -> None:
    """Give a problem its table: the parts on bodies, then the reaction of each joint on its last marker."""
    terms = [*row_parts(problem).values(), *reaction_terms(problem)]
    flat = np.array([term for of_part in terms for term in of_part], np.int64).reshape(-1, 2)
    first = np.cumsum([0, *map(len, terms)])
    problem.put(RowWrenches(first, flat[:, 0].copy(), flat[:, 1].copy(), np.zeros((len(terms), 6))))


def row_parts(problem: Problem) -> dict[RowPart, list[Term]]:
    """The parts that act on bodies of the scene, without rows that exert nothing."""
    blocks, body_of = problem[Blocks], bodies_of_markers(problem)
    without_load = rows_without_load(problem)
    parts: dict[RowPart, list[Term]] = {}
    for block in blocks.index:
        markers = blocks.marker[block.first_slot : block.first_slot + block.slots].tolist()
        for row in range(int(block.first_row), int(block.first_row + block.rows)):
            owner = problem.names.rows[row].owner
            first = int(block.first_G_marker) + 6 * len(markers) * (row - int(block.first_row))
            for slot, marker in enumerate(markers if row not in without_load else []):
                if body_of[marker] >= 0:
                    part = RowPart(owner, body_of[marker], marker)
                    parts.setdefault(part, []).append((row, first + 6 * slot))
    return parts


def reaction_terms(problem: Problem) -> list[list[Term]]:
    """Rows of each joint on its last marker."""
    index = problem[Blocks].index

    def place(joint: JointInfo, row: int) -> int:
        block, last = index[joint.block], len(joint.markers) - 1
        return int(block.first_G_marker + 6 * ((row - block.first_row) * block.slots + last))

    return [[(row, place(joint, row)) for row in joint.rows] for joint in problem.names.joints]


def rows_without_load(problem: Problem) -> set[int]:
    """Rows that only set the initial state, or only read an acceleration."""
    starts = {coordinate.start_row for coordinate in problem.names.coordinates}
    return starts | {int(r.place) for r in problem[ImplicitVariables].index if r.kind == SECOND_RATE}


def bodies_of_markers(problem: Problem) -> list[int]:
    """Number in the scene of the body of each marker; -1: the ground or a rotor."""
    names = problem.names
    number = {table: scene for scene, table in enumerate(names.body_index)}
    return [number.get(int(body), -1) for body in problem[Markers].index.body]
