"""Tables of the blocks of G, and the jobs by which body kinds turn rows and wrenches over markers into G and
generalized forces.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mbplugin.compile.draft import BodyRecord, Draft
from mbplugin.compile.graph import integers
from mbplugin.tables.groups import B_V, Blocks, Bodies, Pulls

#: name of a body kind, and a row of `Pulls`
PullJob = tuple[str, tuple[int, int, int, int, int, int]]


def block_tables(
    draft: Draft, bodies: list[BodyRecord], table: Bodies, number: list[int]
) -> tuple[Blocks, list[PullJob]]:
    """The table of blocks, and the jobs that turn rows over markers into G; numbers the places of rows over
    markers in the draft's blocks.
    """
    rows: list[Any] = []
    slots: list[int] = []
    members: list[Any] = []
    jobs: list[PullJob] = []
    gm = G = 0
    for block in draft.blocks:
        block.gm0 = gm
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
                members.append((body, G, int(table.row[body, B_V]), nv))
                G += nv * block.rows
            jobs.append(
                (
                    bodies[body].kind.name,
                    (number[point], gm + 6 * s, 6 * len(block.points), block.rows, place[body], int(again)),
                )
            )
        rows.append((block.row0, block.rows, slot0, len(block.points), gm, member0, len(members) - member0))
        gm += 6 * len(block.points) * block.rows
    tables = Blocks(
        integers(rows, 7),
        np.array(slots, np.int64),
        integers(members, 4),
        np.zeros(gm),
        np.zeros(G),
        np.zeros(G),
        np.zeros(G),
    )
    return tables, jobs


@dataclass
class ForcePulls:
    """How wrenches of forces become generalized forces: the jobs; where each of those starts among `size`
    numbers and in h, and how many it has, in the scene's order.
    """

    jobs: list[PullJob] = field(default_factory=list)
    order: list[tuple[int, int]] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    size: int = 0


def force_pulls(draft: Draft, bodies: list[BodyRecord], table: Bodies, number: list[int]) -> ForcePulls:
    found = ForcePulls()
    for s, point in enumerate(draft.force_points):
        body = draft.points[point][0]
        if body >= 0:
            kind = bodies[body].kind
            found.jobs.append((kind.name, (number[point], 6 * s, 6, 1, found.size, 0)))
            found.order.append((found.size, int(table.row[body, B_V])))
            found.counts.append(kind.nv)
            found.size += kind.nv
    return found


def pull_tables(pulls: ForcePulls, rows: list[Any], bodies: list[BodyRecord]) -> Pulls:
    """The table of all jobs, whose rows are in the order of their batches."""
    most = max((b.kind.nv for b in bodies), default=1)
    return Pulls(
        integers(rows, 6),
        integers(pulls.order, 2),
        np.array(pulls.counts, np.int64),
        np.zeros(pulls.size),
        np.zeros(most),
    )
