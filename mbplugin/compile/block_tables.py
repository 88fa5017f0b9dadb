"""Tables of the blocks of G, and the wrench jobs.

In a wrench job a body kind transforms rows over markers into G, or wrenches into generalized forces.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from mbplugin.compile.draft import Draft, DraftBody
from mbplugin.compile.tree.kind import Tree
from mbplugin.tables.groups import Blocks, Bodies, WrenchJobs
from mbplugin.tables.records import BlockRecord, GeneralizedRecord, MemberRecord, PieceRecord, WrenchJobRecord
from mbplugin.tables.spec import records, table

#: name of a body kind, and the numbers of a WrenchJobRecord
WrenchJob = tuple[str, tuple[int, ...]]


class Moved(NamedTuple):
    """A body, or a part of one, with which a point moves."""

    number: int  # in Bodies.index
    first_v: int
    nv: int


def moved_by(draft: Draft, bodies: list[DraftBody], body_table: Bodies, point: int) -> list[Moved]:
    """The body with which a point moves, or the parts of it; none for the ground."""
    body, record = draft.points[point]
    if body < 0:
        return []
    if not bodies[body].kind.parts:
        return [Moved(body, int(body_table.index[body].first_v), bodies[body].nv)]
    first = int(body_table.index[body].first_part)
    numbers = first + record[1 : 1 + int(record[0])].astype(int)
    columns = (numbers, body_table.index.first_v[numbers], body_table.index.nv[numbers])
    return [Moved(*moved) for moved in zip(*(column.tolist() for column in columns))]


def block_tables(
    draft: Draft, bodies: list[DraftBody], body_table: Bodies, number: dict[int, int]
) -> tuple[Blocks, list[WrenchJob], list[tuple[int, int, int]]]:
    """The table of blocks, the jobs that transform rows over markers into G, and their pieces."""
    rows: list[Any] = []
    slots: list[int] = []
    members: list[Any] = []
    jobs: list[WrenchJob] = []
    pieces: list[tuple[int, int, int]] = []
    first = G = 0
    for block in draft.blocks:
        slot0, member0 = len(slots), len(members)
        first_G: dict[int, int] = {}  # of each body or part of the block
        for s, point in enumerate(block.points):
            slots.append(number[point])
            body = draft.points[point][0]
            if body < 0:
                continue
            first_piece, again = len(pieces), False
            moved = moved_by(draft, bodies, body_table, point)
            for one in moved:
                again = one.number in first_G
                if not again:
                    first_G[one.number] = G
                    members.append((one.number, G, one.first_v, one.nv))
                    G += one.nv * block.rows
                if bodies[body].kind.parts:
                    pieces.append((first_G[one.number], one.nv, int(again)))
            width, count = sum(one.nv for one in moved), len(pieces) - first_piece
            source = (number[point], first + 6 * s, 6 * len(block.points), block.rows)
            target = (first_G.get(body, 0), int(again and count == 0))
            jobs.append((bodies[body].kind.name, (*source, *target, width, first_piece, count)))
        slot_count, member_count = len(block.points), len(members) - member0
        rows.append(
            (block.first_row, block.rows, slot0, slot_count, first, member0, member_count, block.row_type)
        )
        first += 6 * len(block.points) * block.rows
    blocks = table(
        Blocks,
        G,
        index=records(BlockRecord, rows),
        marker=np.array(slots, np.int64),
        member=records(MemberRecord, members),
        G_marker=np.zeros(first),
    )
    return blocks, jobs, pieces


@dataclass
class ForceJobs:
    """Jobs that transform the wrenches of forces into generalized forces."""

    jobs: list[WrenchJob] = field(default_factory=list)  # one for each marker slot on a body
    parts: list[tuple[int, int, int]] = field(default_factory=list)  # of each: start, first velocity, nv
    size: int = 0  # numbers of all generalized forces


def force_jobs(
    draft: Draft, bodies: list[DraftBody], body_table: Bodies, number: dict[int, int]
) -> ForceJobs:
    """The jobs of all force elements, in the order of the scene."""
    forces = ForceJobs()
    for s, point in enumerate(draft.force_points):
        body = draft.points[point][0]
        if body >= 0:
            if bodies[body].kind is Tree:
                # it sums wrenches itself
                if s not in draft.folded_slots:
                    forces.jobs.append((Tree.name, (number[point], 6 * s, 6, 1, 0, 0, 0, 0, 0)))
                continue
            moved = moved_by(draft, bodies, body_table, point)
            width, job = sum(one.nv for one in moved), (number[point], 6 * s, 6, 1, forces.size, 0)
            forces.jobs.append((bodies[body].kind.name, (*job, width, 0, 0)))
            for one in joined(moved):
                forces.parts.append((forces.size, one.first_v, one.nv))
                forces.size += one.nv
    return forces


def joined(moved: list[Moved]) -> list[Moved]:
    """Join neighbouring parts: the velocities as fewer, longer ranges."""
    found: list[Moved] = []
    for one in moved:
        if found and found[-1].first_v + found[-1].nv == one.first_v:
            one = Moved(found[-1].number, found[-1].first_v, found.pop().nv + one.nv)
        found.append(one)
    return found


def job_tables(
    forces: ForceJobs, rows: list[Any], pieces: list[tuple[int, int, int]], bodies: list[DraftBody]
) -> WrenchJobs:
    """The table of all jobs; `rows`: their records in the order of the batches."""
    return WrenchJobs(
        records(WrenchJobRecord, rows),
        records(GeneralizedRecord, forces.parts),
        records(PieceRecord, pieces),
        np.zeros(forces.size),
        np.zeros(max((b.nv for b in bodies), default=1)),
    )
