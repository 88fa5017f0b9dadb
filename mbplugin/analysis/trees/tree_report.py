"""Which joint carries which body in joint coordinates, and which rows are left."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from mbplugin.analysis.phrases import enumerated, plural
from mbplugin.analysis.rank.rank import RankReport
from mbplugin.analysis.report import Report
from mbplugin.compile.tree.fold import Folded
from mbplugin.problem import Problem


class Carried(NamedTuple):
    """A body of a tree."""

    body: str
    joint: str  # that carries it; "": none, it moves freely
    type: str  # of the joint
    coordinates: tuple[str, ...]
    depth: int  # 0: on the ground, or free
    velocities: int


@dataclass(kw_only=True, repr=False)
class TreeReport(Report):
    """The trees of a system in joint coordinates."""

    what: ClassVar[str] = "trees"
    trees: list[list[Carried]] = field(default_factory=list)  # a body after the one that carries it
    alone: list[str] = field(default_factory=list)  # bodies that keep coordinates of their own
    velocities: int = 0
    closing: dict[str, int] = field(default_factory=dict)  # joint -> its rows that are left
    motions: int = 0  # rows of motions
    rotors: int = 0  # rows of armatures of joints that close loops
    idle: dict[str, int] = field(default_factory=dict)  # joint -> rows that move nothing
    reasons: dict[str, str] = field(default_factory=dict)  # joint -> why it cannot carry a body
    rank: int | None = None  # of the rows that are left; None: not computed
    advice: str = ""  # where maximal coordinates would be faster

    @property
    def rows(self) -> int:
        """Rows of joints that are left."""
        return sum(self.closing.values())

    def line(self) -> str:
        """All in one line, for the messages of a run."""
        bodies, trees = sum(map(len, self.trees)), len(self.trees)
        carried = (
            f"{bodies_in_words(bodies)} in {plural(trees, 'tree')}" if trees else "no joint carries a body"
        )
        velocities = "1 velocity" if self.velocities == 1 else f"{self.velocities} velocities"
        parts = [f"joint coordinates: {carried}, {velocities}", *self.rows_in_words()]
        return "; ".join(parts)

    def rows_in_words(self) -> list[str]:
        """The rows that are left: of joints that close loops, and of those that cannot carry a body."""
        found = []
        for cannot, one, several in ((False, "closes a loop", "close loops"), (True, "remains", "remain")):
            rows = {joint: n for joint, n in self.closing.items() if (joint in self.reasons) == cannot}
            n = sum(rows.values())
            if n:
                found.append(f"{plural(n, 'row')} of {enumerated(list(rows))} {one if n == 1 else several}")
        return found

    def rank_in_words(self) -> str:
        rows = self.rows + self.motions + self.rotors
        left = "1 row is left" if rows == 1 else f"{rows} rows are left"
        of_motions = f", {self.motions} of them of motions" if self.motions else ""
        redundant = rows - (self.rank or 0)
        what = "none is redundant" if not redundant else f"{redundant} redundant"
        return f"{left}{of_motions}; rank {self.rank}, {what}"

    def lines(self) -> list[str]:
        lines = [self.line()]
        for of in self.trees:
            on_ground = bool(of[0].joint)
            if on_ground and "  ground" not in lines:
                lines.append("  ground")
            lines += [f"{'  ' * (body.depth + 1 + on_ground)}{carried_in_words(body)}" for body in of]
        if self.alone:
            lines.append(f"  with coordinates of their own: {enumerated(self.alone)}")
        if self.rank is not None and self.rows + self.motions + self.rotors:
            lines.append(self.rank_in_words())
        for joint, rows in self.idle.items():
            verb = "moves" if rows == 1 else "move"
            lines.append(f"{plural(rows, 'row')} of {joint} {verb} nothing in these trees: left out")
        lines += [f"{joint} carries no body: {reason}" for joint, reason in self.reasons.items()]
        return lines + [self.advice] * (self.advice != "")

    def as_dict(self) -> dict[str, Any]:
        return {
            "trees": [[body._asdict() for body in of] for of in self.trees],
            "alone": self.alone,
            "velocities": self.velocities,
            "closing": self.closing,
            "motions": self.motions,
            "rotors": self.rotors,
            "rank": self.rank,
            "idle": self.idle,
            "carries_no_body": self.reasons,
            "advice": self.advice,
        }


def advice_on(trees: list[list[Carried]], solver: str, longest: float) -> str:
    """A sentence on the largest tree, if it has more velocities than pay in joint coordinates; else ""."""
    largest = max(trees, key=velocities_of, default=[])
    if velocities_of(largest) <= longest:
        return ""
    return (
        f"the tree of {largest[0].body} has {velocities_of(largest)} velocities, and is one dense block in "
        f'each step of {solver}: above some {longest:g} coordinates = "maximal" is faster'
    )


def velocities_of(tree: list[Carried]) -> int:
    return sum(body.velocities for body in tree)


def bodies_in_words(n: int) -> str:
    return "1 body" if n == 1 else f"{n} bodies"


def carried_in_words(body: Carried) -> str:
    """Such as "rod on crank_pin (revolute: angle)"."""
    if not body.joint:
        return f"{body.body}, free"
    of = f": {', '.join(body.coordinates)}" if body.coordinates else ""
    return f"{body.body} on {body.joint} ({body.type}{of})"


def tree_report(full: Problem, joint: Problem, folded: Folded, rank: RankReport | None = None) -> TreeReport:
    """The report of a problem in joint coordinates, `joint`, whose rows have this rank. full: that in maximal
    coordinates.
    """
    names = full.names
    trees = []
    for links in folded.trees:
        depth: list[int] = []
        tree = []
        for link in links:
            depth.append(depth[link.parent] + 1 if link.parent >= 0 else 0)
            info = names.joints[link.joint] if link.joint >= 0 else None
            name, kind = (info.name, info.type) if info is not None else ("", "")
            tree.append(Carried(link.body, name, kind, link.coordinates, depth[-1], link.rates))
        trees.append(tree)
    in_trees = {body.body for tree in trees for body in tree}
    acting = full.on
    left = np.zeros(full.nc, bool)
    left[folded.rows[folded.rows >= 0]] = True
    closing: dict[str, int] = {}
    idle: dict[str, int] = {}
    for k, info in enumerate(names.joints):
        if k in folded.choice.carried:
            continue
        rows = np.array(info.rows, np.int64)
        for counts, which in ((closing, left), (idle, ~left)):
            if count := int((acting[rows] & which[rows]).sum()):
                counts[info.name] = count
    motion_rows = np.array([r for c in names.coordinates for r in c.motion_rows], np.int64)
    motions = int((acting[motion_rows] & left[motion_rows]).sum())
    return TreeReport(
        trees=trees,
        alone=[name for name in names.bodies if name not in in_trees],
        velocities=joint.nv,
        closing=closing,
        motions=motions,
        rotors=int((acting & left).sum()) - sum(closing.values()) - motions,
        idle=idle,
        reasons=dict(folded.choice.reasons),
        rank=rank.rank if rank is not None else None,
    )
