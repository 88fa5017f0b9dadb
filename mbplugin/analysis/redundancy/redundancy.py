"""Which constraint rows repeat others, and which reactions that leaves undetermined.

Z holds all combinations of rows without effect, Gᵀ Z = 0. With the rows in the order in which joints keep
theirs, row r lies in the span of the rows before it where some z ends at r. So the redundant rows are the
last places of the echelon form of Z, as many as it has columns, and the echelon form itself tells each of
them by rows that are kept: g_r = −Σ z_j g_j. G itself is not eliminated, so its order does not cost anything.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from mbplugin.analysis.initial_state.initial_velocities import speed_rows
from mbplugin.analysis.rank.directions import Directions, RowDirection, Term, row_directions
from mbplugin.analysis.rank.echelon import last_places
from mbplugin.analysis.rank.rank import DETERMINED, SHARED, UNDETERMINED, RankReport, rank
from mbplugin.analysis.redundancy.near_redundancy import Near, nearly
from mbplugin.analysis.redundancy.priority import BY_PRIORITY, Priorities, Shares
from mbplugin.interface.problem import Problem
from mbplugin.kernels import entries
from mbplugin.model import System
from mbplugin.tables.groups import Rows, State
from mbplugin.tables.records import VELOCITY_LEVEL
from mbplugin.tables.spec import Array

ANALYSES = ("position", "velocity", "acceleration")
#: words for what priorities make of a reaction that rigid bodies leave open
STATES = {
    UNDETERMINED: "none by priority",
    SHARED: "shared",
    DETERMINED: "determined",
    BY_PRIORITY: "by priority",
}


@dataclass(frozen=True)
class Redundant:
    """A redundant row g = Σ coefficient × kept row. mismatch: by how much what it asks for differs from what
    they ask for: Φ, Φₜ, γ.
    """

    held: RowDirection
    row: int
    terms: tuple[Term, ...]
    mismatch: tuple[float, float, float]


@dataclass(frozen=True)
class Reaction:
    """What a row's reaction is: "determined", "shared", "undetermined" (its row holds nothing), "by priority"
    (all of what is shared) or "none by priority".
    """

    held: RowDirection
    row: int
    state: str


@dataclass(frozen=True)
class Added:
    """What a joint (or a motion) adds when joints come one by one."""

    name: str
    type: str
    rows: int
    independent: int
    rank: int
    mobility: int

    @property
    def redundant(self) -> int:
        return self.rows - self.independent


@dataclass
class Redundancy:
    """Counts at one position, the redundant rows in the order of the scene, and the state of every reaction."""

    analysis: str
    time: float
    nq: int
    nc: int
    rank: int
    condition: float
    redundant: list[Redundant]
    reactions: list[Reaction]
    steps: list[Added]
    types: dict[str, str]
    form: Array  # (nc, redundancy) Z in the joints' own axes, 1 in its redundant row and 0 in the others
    columns: Array  # (redundancy,) the redundant row of each column
    directions: Directions = field(repr=False)
    shares: Shares = field(repr=False)
    elastic: list[str]  # joints whose rows a law holds; they are not among the rows
    stiff: int = 0  # freedoms of `mobility` that these rows hold elastically
    driven: bool = False  # whether rows of motions or starts are among the rows
    nearly: list[Near] = field(
        default_factory=list
    )  # rows that would be redundant if what is nearly in line were in line

    @property
    def mobility(self) -> int:
        return self.nq - self.rank

    @property
    def redundancy(self) -> int:
        return self.nc - self.rank

    @property
    def gruebler(self) -> int:
        return self.nq - self.nc

    @property
    def locked(self) -> bool:
        """Whether nothing can move, and no motion or start is the reason."""
        return self.mobility == 0 and self.nq > 0 and not self.driven

    @property
    def joints(self) -> list[str]:
        """Owners of redundant rows."""
        return list(dict.fromkeys(r.held.owner for r in self.redundant))

    def __str__(self) -> str:
        from mbplugin.analysis.redundancy.redundancy_text import report

        return report(self)

    def carried(self, lam: Array) -> tuple[Array, Array]:
        """(nc,) reactions along the directions that rows hold [N, N·m]: as λ (nc,) and priorities share them,
        and as if the redundant rows carried nothing.
        """
        lam = self.shares.of(lam)
        turned = self.directions.to_joint_axes(lam[:, None])[:, 0]
        return turned, turned - self.form @ turned[self.columns]

    def as_dict(self, lam: Array | None = None) -> dict[str, Any]:
        """For scripts; with λ (nc,) the reactions have values."""
        values: dict[int, dict[str, float]] = {}
        if lam is not None:
            shared, alone = self.carried(lam)
            values = {
                r.row: {
                    "value": float(shared[r.row]),
                    "value_if_redundant_rows_carry_nothing": float(alone[r.row]),
                }
                for r in self.reactions
            }
        return {
            "analysis": self.analysis,
            "time": self.time,
            "nq": self.nq,
            "nc": self.nc,
            "rank": self.rank,
            "mobility": self.mobility,
            "redundancy": self.redundancy,
            "gruebler": self.gruebler,
            "elastic": self.elastic,
            "stiff": self.stiff,
            "nearly_redundant": [
                {
                    "joint": n.held.owner,
                    "direction": n.held.label,
                    "nearly_held_by": [
                        {"joint": t.held.owner, "direction": t.held.label, "coefficient": t.coefficient}
                        for t in n.terms
                    ],
                    "singular_value": n.singular,
                    "out_of_line": list(n.out),
                }
                for n in self.nearly
            ],
            "redundant": [
                {
                    "joint": r.held.owner,
                    "type": self.types.get(r.held.owner, ""),
                    "direction": r.held.label,
                    "held_by": [
                        {"joint": t.held.owner, "direction": t.held.label, "coefficient": t.coefficient}
                        for t in r.terms
                    ],
                    "mismatch": list(r.mismatch),
                }
                for r in self.redundant
            ],
            "reactions": [
                {"joint": r.held.owner, "direction": r.held.label, "state": r.state, **values.get(r.row, {})}
                for r in self.reactions
            ],
            "steps": [
                {
                    "joint": s.name,
                    "type": s.type,
                    "rows": s.rows,
                    "independent": s.independent,
                    "redundant": s.redundant,
                    "rank": s.rank,
                    "mobility": s.mobility,
                }
                for s in self.steps
            ],
        }


def redundancy(
    problem: Problem, system: System, analysis: str = "acceleration", report: RankReport | None = None
) -> Redundancy:
    """Of the present state. analysis: "position", "velocity" or the words of another one, which take all
    active rows. `report`: its rank, if it is known.
    """
    rows = problem[Rows]
    before = rows.active.copy()
    try:
        rows.active[:] = rows_of(problem, system, analysis)
        found = analysed(problem, system, analysis, report if report is not None else rank(problem))
        near = nearly(
            problem,
            found.directions,
            order_of_rows(problem, system, rows.active),
            {r.row for r in found.redundant},
        )
        given = [r for c in problem.names.coordinates for r in (c.motion_row, c.start_row) if r >= 0]
        return replace(
            found, nearly=near, driven=bool(rows.active[given].any()), stiff=stiff(problem, found.rank)
        )
    finally:
        rows.active[:] = before


def rows_of(problem: Problem, system: System, analysis: str) -> Array:
    """(nc,) 1 where a row takes part: starts hold coordinates in the analysis of position, and speeds, where
    they give one, in that of velocity; nowhere else.
    """
    rows = problem[Rows]
    active = rows.active.copy()
    if analysis in ANALYSES[:2]:
        active[
            [c.start_row for c in problem.names.coordinates if c.start_row >= 0]
            if analysis == "position"
            else speed_rows(problem, system)
        ] = 1
        active[rows.level > (0 if analysis == "position" else VELOCITY_LEVEL)] = 0
    return active


def order_of_rows(problem: Problem, system: System, active: Array) -> Array:
    """Active rows, those first that are kept first: by priority, joints before motions before starts, then as
    the scene has them.
    """
    names = problem.names
    kinds = {joint.name: (-joint.priority, place) for place, joint in enumerate(system.joints)}
    key = {}
    for joint in names.joints:
        given = kinds.get(joint.name, (0, len(kinds)))
        for r in joint.rows:
            key[r] = (0, *given, r)
    for coordinate in names.coordinates:
        given = kinds.get(names.joints[coordinate.joint].name, (0, len(kinds)))
        for later, r in ((1, coordinate.motion_row), (2, coordinate.start_row)):
            if r >= 0:
                key[r] = (later, *given, r)
    return np.array(
        sorted(np.flatnonzero(active == 1).tolist(), key=lambda r: key.get(r, (0, 0, 0, r))), np.int64
    )


def analysed(problem: Problem, system: System, analysis: str, report: RankReport) -> Redundancy:
    rows, names = problem[Rows], problem.names
    way = row_directions(problem)
    order = order_of_rows(problem, system, rows.active)
    turned = way.to_joint_axes(report.null)
    # lengths of rows in the mass norm make parts of combinations comparable
    length = np.divide(1.0, report.scale, out=np.ones_like(report.scale), where=report.scale > 0.0)
    sizes = turned * length[:, None]
    last = last_places(sizes[order], report.noise)
    ends = order[last]
    form = turned @ np.linalg.inv(turned[ends]) if len(ends) else turned
    weight = np.abs(form * length[:, None])
    counts = (weight > report.noise * weight.max(axis=0, initial=1e-300))[order]
    found = []
    plain = report.null @ np.linalg.inv(turned[ends]) if len(ends) else report.null
    gaps = (
        np.array(
            [np.where(rows.level == 0, rows.phi, 0.0), np.where(rows.level <= 1, rows.phi_t, 0.0), rows.gamma]
        )
        @ plain
    )
    for column in np.argsort(ends):
        r = int(ends[column])
        terms = tuple(Term(way.held[j], float(-form[j, column])) for j in order[counts[:, column]] if j != r)
        found.append(Redundant(way.held[r], r, terms, tuple(float(g) for g in gaps[:, column])))  # type: ignore[arg-type]
    reached = np.abs(sizes).max(axis=1, initial=0.0) > report.noise
    shares = Priorities(problem, system).shares(report.null, report.scale, report.noise)
    by_priority = (
        shares.states(way.to_joint_axes(np.eye(problem.nc)), slice(None))
        if shares.P is not None
        else np.full(problem.nc, SHARED)
    )
    state = lambda r: (
        "undetermined"
        if report.scale[r] == 0.0
        else STATES[int(by_priority[r])]
        if reached[r]
        else "determined"
    )
    reactions = [
        Reaction(way.held[r], int(r), state(r))
        for r in np.flatnonzero(rows.active == 1)
        if way.held[r].joint >= 0
    ]
    types = {joint.name: joint.type for joint in names.joints}
    return Redundancy(
        analysis,
        float(problem[State].time[0]),
        problem.nv,
        report.rows,
        report.rank,
        report.condition,
        found,
        reactions,
        steps(problem, way, order, set(ends.tolist()), types),
        types,
        form,
        ends,
        way,
        shares,
        elastic(problem),
    )


def elastic(problem: Problem) -> list[str]:
    """Joints whose rows a law holds at present."""
    joints = [problem.names.joints[info.joint] for info in problem.names.enforced]
    return [joint.name for joint in joints if not problem[Rows].active[list(joint.rows)].any()]


def stiff(problem: Problem, exactly: int) -> int:
    """By how much the rank would rise above `exactly` if rows that a law holds were held exactly."""
    soft = [r for info in problem.names.enforced for r in problem.names.joints[info.joint].rows]
    active = problem[Rows].active
    if not soft or active[soft].all():
        return 0
    before = active.copy()
    active[soft] = 1
    try:
        return rank(problem).rank - exactly
    finally:
        active[:] = before
        problem.check(entries.evaluate(problem.addresses))


def steps(
    problem: Problem, way: Directions, order: Array, ends: set[int], types: dict[str, str]
) -> list[Added]:
    """What each joint adds to the rank, in the order in which they keep their rows."""
    groups: dict[str, list[int]] = {}
    for r in order:
        groups.setdefault(way.held[r].owner, []).append(int(r))
    found, total = [], 0
    for name, rows in groups.items():
        independent = sum(r not in ends for r in rows)
        total += independent
        found.append(Added(name, types.get(name, ""), len(rows), independent, total, problem.nv - total))
    return found
