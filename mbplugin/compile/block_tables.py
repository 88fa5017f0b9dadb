"""Tables of the blocks of G, and the jobs by which body kinds turn rows and wrenches over markers into G and
generalized forces.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mbplugin.compile.draft import Draft, DraftBody
from mbplugin.tables.groups import Blocks, Bodies, WrenchJobs
from mbplugin.tables.records import BlockRecord, GeneralizedRecord, MemberRecord, WrenchJobRecord
from mbplugin.tables.spec import records, table

#: name of a body kind, and a row of `Pulls`
WrenchJob = tuple[str, tuple[int, int, int, int, int, int]]


def block_tables(
    draft: Draft, bodies: list[DraftBody], body_table: Bodies, number: list[int]
) -> tuple[Blocks, list[WrenchJob]]:
    """The table of blocks, and the jobs that turn rows over markers into G; numbers the places of rows over
    markers in the draft's blocks.
    """
    rows: list[Any] = []
    slots: list[int] = []
    members: list[Any] = []
    jobs: list[WrenchJob] = []
    first = G = 0
    for block in draft.blocks:
        block.first_G_marker = first
        slot0, member0 = len(slots), len(members)
        place: dict[int, int] = {}
        for s, point in enumerate(block.points):
            slots.append(number[point])
            body = draft.points[point][0]
            if body < 0:
                continue
            nv = bodies[body].kind.nv
            again = body in place
            if not again:
                place[body] = G
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
                        place[body],
                        int(again),
                    ),
                )
            )
        rows.append(
            (block.row0, block.rows, slot0, len(block.points), first, member0, len(members) - member0)
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
    return blocks, jobs


@dataclass
class ForceJobs:
    """How wrenches of forces become generalized forces.

    jobs: one for each marker slot on a body. parts: of the generalized force of each, in the scene's order, its
    place among `size` numbers, and where it goes in h.
    """

    jobs: list[WrenchJob] = field(default_factory=list)
    parts: list[tuple[int, int, int]] = field(default_factory=list)
    size: int = 0


def force_jobs(draft: Draft, bodies: list[DraftBody], body_table: Bodies, number: list[int]) -> ForceJobs:
    found = ForceJobs()
    for s, point in enumerate(draft.force_points):
        body = draft.points[point][0]
        if body >= 0:
            kind = bodies[body].kind
            found.jobs.append((kind.name, (number[point], 6 * s, 6, 1, found.size, 0)))
            found.parts.append((found.size, int(body_table.index[body].first_v), kind.nv))
            found.size += kind.nv
    return found


def job_tables(forces: ForceJobs, rows: list[Any], bodies: list[DraftBody]) -> WrenchJobs:
    """The table of all jobs, whose rows are in the order of their batches."""
    return WrenchJobs(
        records(WrenchJobRecord, rows),
        records(GeneralizedRecord, forces.parts),
        np.zeros(forces.size),
        np.zeros(max((b.kind.nv for b in bodies), default=1)),
    )
