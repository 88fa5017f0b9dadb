"""Tables of the blocks of G, and the wrench jobs.

In a wrench job a body kind transforms rows over markers into G, or wrenches into generalized forces.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mbplugin.compile.draft import Draft, DraftBody
from mbplugin.compile.tree.kind import Tree
from mbplugin.tables.groups import Blocks, Bodies, WrenchJobs
from mbplugin.tables.records import BlockRecord, GeneralizedRecord, MemberRecord, WrenchJobRecord
from mbplugin.tables.spec import records, table

#: name of a body kind, and the numbers of a WrenchJobRecord
WrenchJob = tuple[str, tuple[int, int, int, int, int, int]]


def block_tables(
    draft: Draft, bodies: list[DraftBody], body_table: Bodies, number: list[int]
) -> tuple[Blocks, list[WrenchJob]]:
    """The table of blocks, and the jobs that transform rows over markers into G.

    Also sets `first_G_marker` of the draft's blocks.
    """
    rows: list[Any] = []
    slots: list[int] = []
    members: list[Any] = []
    jobs: list[WrenchJob] = []
    first = G = 0
    for block in draft.blocks:
        block.first_G_marker = first
        slot0, member0 = len(slots), len(members)
        first_G: dict[int, int] = {}  # of each body of the block
        for s, point in enumerate(block.points):
            slots.append(number[point])
            body = draft.points[point][0]
            if body < 0:
                continue
            nv = bodies[body].nv
            again = body in first_G
            if not again:
                first_G[body] = G
                members.append((body, G, int(body_table.index[body].first_v), nv))
                G += nv * block.rows
            jobs.append(
                (
                    bodies[body].kind.name,
                    (
                        number[point],
                        first + 6 * s,
                        6 * len(block.points),
                        block.rows,
                        first_G[body],
                        int(again),
                    ),
                )
            )
        slot_count, member_count = len(block.points), len(members) - member0
        rows.append((block.row0, block.rows, slot0, slot_count, first, member0, member_count, block.row_type))
        first += 6 * len(block.points) * block.rows
    blocks = table(
        Blocks,
        G,
        index=records(BlockRecord, rows),
        marker=np.array(slots, np.int64),
        member=records(MemberRecord, members),
        G_marker=np.zeros(first),
    )
    return blocks, jobs


@dataclass
class ForceJobs:
    """Jobs that transform the wrenches of forces into generalized forces."""

    jobs: list[WrenchJob] = field(default_factory=list)  # one for each marker slot on a body
    parts: list[tuple[int, int, int]] = field(default_factory=list)  # of each: start, first velocity, nv
    size: int = 0  # numbers of all generalized forces


def force_jobs(draft: Draft, bodies: list[DraftBody], body_table: Bodies, number: list[int]) -> ForceJobs:
    """The jobs of all force elements, in the order of the scene."""
    forces = ForceJobs()
    for s, point in enumerate(draft.force_points):
        body = draft.points[point][0]
        if body >= 0:
            nv = bodies[body].nv
            if bodies[body].kind is Tree:
                # it sums wrenches itself
                if s not in draft.folded_slots:
                    forces.jobs.append((Tree.name, (number[point], 6 * s, 6, 1, 0, 0)))
                continue
            forces.jobs.append((bodies[body].kind.name, (number[point], 6 * s, 6, 1, forces.size, 0)))
            forces.parts.append((forces.size, int(body_table.index[body].first_v), nv))
            forces.size += nv
    return forces


def job_tables(forces: ForceJobs, rows: list[Any], bodies: list[DraftBody]) -> WrenchJobs:
    """The table of all jobs; `rows`: their records in the order of the batches."""
    return WrenchJobs(
        records(WrenchJobRecord, rows),
        records(GeneralizedRecord, forces.parts),
        np.zeros(forces.size),
        np.zeros(max((b.nv for b in bodies), default=1)),
    )
