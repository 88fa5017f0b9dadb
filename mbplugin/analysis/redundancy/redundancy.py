"""Redundant constraint rows, and the reactions that they leave undetermined.

The columns of Z are all dependencies among the rows, Gᵀ Z = 0. With the rows in order of precedence, row r
depends on the rows before it if some combination of the columns of Z ends at r. So the redundant rows are the
pivot rows of the column echelon form of Z, as many as Z has columns, and the form gives each of them in terms
of kept rows: g_r = −Σ z_j g_j. G itself is not eliminated, so the order costs no accuracy.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from mbplugin.analysis.initial_state.initial_velocities import speed_rows
from mbplugin.analysis.rank.echelon import last_places
from mbplugin.analysis.rank.rank import DETERMINED, SHARED, UNDETERMINED, RankReport, rank
from mbplugin.analysis.rank.row_directions import Directions, RowDirection, Term, row_directions
from mbplugin.analysis.redundancy.near_redundancy import NearlyRedundant, nearly_redundant_rows
from mbplugin.analysis.redundancy.priority import BY_PRIORITY, Priorities, Sharing
from mbplugin.errors import PhysicsError
from mbplugin.model import System
from mbplugin.problem import Problem
from mbplugin.tables.groups import Rows, State
from mbplugin.tables.records import OFF, ON, POSITION_LEVEL, VELOCITY_LEVEL
from mbplugin.tables.spec import Array

#: analyses of the initial state; each has its own set of rows
ANALYSES = ("position", "velocity", "acceleration")
#: states of a reaction that a self-stress reaches, by its flag
STATES = {
    UNDETERMINED: "none by priority",
    SHARED: "shared",
    DETERMINED: "determined",
    BY_PRIORITY: "by priority",
}


@dataclass(frozen=True)
class Redundant:
    """A redundant row: Σ coefficient × kept row."""

    held: RowDirection
    row: int
    terms: tuple[Term, ...]
    mismatch: tuple[float, float, float]  # Φ, Φₜ, γ of the row minus those of the combination


@dataclass(frozen=True)
class Reaction:
    """Whether the reaction along one row is determined."""

    held: RowDirection
    row: int
    state: str  # one of STATES, or "undetermined": the row constrains nothing


@dataclass(frozen=True)
class Added:
    """Contribution of one joint or motion to the rank, after all those of higher precedence."""

    name: str
    type: str
    rows: int
    independent: int  # rows that add to the rank
    rank: int  # so far
    mobility: int  # so far

    @property
    def redundant(self) -> int:
        return self.rows - self.independent


@dataclass(repr=False)
class Redundancy:
    """Rank, mobility, redundant rows (in table order) and the state of every reaction at one position."""

    analysis: str  # "position", "velocity", "acceleration", "static", ...
    time: float  # [s]
    nq: int  # degrees of freedom without constraints
    nc: int  # constraint rows
    rank: int
    condition: float  # condition number of G M⁻¹ Gᵀ, independent rows; NaN: not computed
    redundant: list[Redundant]
    reactions: list[Reaction]
    steps: list[Added]  # in order of precedence
    types: dict[str, str]  # joint -> type
    form: Array  # (nc, redundancy) echelon form of Z in joint axes: 1 in its redundant row, 0 in the others
    columns: Array  # (redundancy,) the redundant row of each column of `form`
    directions: Directions = field(repr=False)
    sharing: Sharing = field(repr=False)
    elastic: list[str]  # joints held by a compliance (penalty); their rows are not among the nc rows
    stiff: int = 0  # degrees of freedom in `mobility` that only these joints restrain
    driven: bool = False  # whether rows of motions or starts are among the rows
    starts: int = 0  # rows of `start` among the nc rows
    nearly: list[NearlyRedundant] = field(default_factory=list)  # rows redundant but for a misalignment

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
        """Whether nothing can move although no motion or start drives the mechanism."""
        return self.mobility == 0 and self.nq > 0 and not self.driven

    @property
    def joints(self) -> list[str]:
        """Owners of redundant rows."""
        return list(dict.fromkeys(r.held.owner for r in self.redundant))

    def __str__(self) -> str:
        from mbplugin.analysis.redundancy.redundancy_text import report

        return report(self)

    def __repr__(self) -> str:
        return str(self)

    def carried(self, lam: Array) -> tuple[Array, Array]:
        """(nc,) reactions [N, N·m] along the row directions, from the multipliers λ (nc,), in two versions.

        First as shared by priority, then with the redundant rows carrying nothing.
        """
        reaction = self.directions.to_joint_axes(self.sharing.of(lam)[:, None])[:, 0]
        return reaction, reaction - self.form @ reaction[self.columns]

    def as_dict(self, lam: Array | None = None) -> dict[str, Any]:
        """The report for scripts; with λ (nc,) the reactions have values."""
        values: dict[int, dict[str, float]] = {}
        if lam is not None:
            shared, without_redundant = self.carried(lam)
            values = {
                r.row: {
                    "value": float(shared[r.row]),
                    "value_if_redundant_rows_carry_nothing": float(without_redundant[r.row]),
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
                    "nearly_held_by": terms_as_dicts(n.terms),
                    "singular_value": n.singular_value,
                    "out_of_line": list(n.misalignments),
                }
                for n in self.nearly
            ],
            "redundant": [
                {
                    "joint": r.held.owner,
                    "type": self.types.get(r.held.owner, ""),
                    "direction": r.held.label,
                    "held_by": terms_as_dicts(r.terms),
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


def terms_as_dicts(terms: tuple[Term, ...]) -> list[dict[str, Any]]:
    return [{"joint": t.held.owner, "direction": t.held.label, "coefficient": t.coefficient} for t in terms]


def redundancy(
    problem: Problem, system: System, analysis: str = "acceleration", report: RankReport | None = None
) -> Redundancy:
    """Redundancy of the present state.

    analysis: "position" or "velocity" select their rows; with any other name all rows that are on take part.
    report: rank of these rows, if known.
    """
    modes = modes_of(problem, system, analysis)
    problem = problem.copy()
    problem[State].mode[:] = modes
    on = problem.on
    result = redundancy_of_rows(problem, system, analysis, rank(problem) if report is None else report)
    order = order_of_rows(problem, system)
    nearly = nearly_redundant_rows(problem, result.directions, order, {r.row for r in result.redundant})
    driving = [r for c in problem.names.coordinates for r in (*c.motion_rows, c.start_row) if r >= 0]
    driven = bool(on[driving].any())
    starts = sum(int(on[c.start_row]) for c in problem.names.coordinates if c.start_row >= 0)
    stiff = stiff_freedoms(problem, result.rank)
    return replace(result, nearly=nearly, driven=driven, stiff=stiff, starts=starts)


def modes_of(problem: Problem, system: System, analysis: str) -> Array:
    """As `State.mode`, where the rows that take part in the analysis are on.

    A `start` constrains its coordinate in the position analysis and, if it gives a speed, its rate in the
    velocity analysis; it takes no part in other analyses.
    """
    level, modes = problem[Rows].level, problem[State].mode.copy()
    if analysis == "position":
        modes[[c.start_row for c in problem.names.coordinates if c.start_row >= 0]] = ON
        modes[np.flatnonzero(level > POSITION_LEVEL)] = OFF
    elif analysis == "velocity":
        modes[speed_rows(problem, system)] = ON
        modes[np.flatnonzero(level > VELOCITY_LEVEL)] = OFF
    return modes


def order_of_rows(problem: Problem, system: System) -> Array:
    """Numbers of the rows that are on, in order of precedence: the first ones are kept.

    Joints come before motions, motions before starts; then priority decides, then the order of the scene.
    """
    names = problem.names
    precedence = {joint.name: (-joint.priority, place) for place, joint in enumerate(system.joints)}
    last = (0, len(precedence))
    key = {}
    for joint in names.joints:
        for r in joint.rows:
            key[r] = (0, *precedence.get(joint.name, last), r)
    for coordinate in names.coordinates:
        of_joint = precedence.get(names.joints[coordinate.joint].name, last)
        key |= {r: (1, *of_joint, r) for r in coordinate.motion_rows}
        if coordinate.start_row >= 0:
            key[coordinate.start_row] = (2, *of_joint, coordinate.start_row)
    on = np.flatnonzero(problem.on).tolist()
    return np.array(sorted(on, key=lambda r: key.get(r, (0, 0, 0, r))), np.int64)


def inverse_of_pivots(pivots: Array) -> Array:
    """(k, k) inverse. Raises PhysicsError where rounding has left too few pivots, or dependent ones."""
    try:
        return np.linalg.inv(pivots) if pivots.size else np.eye(pivots.shape[1])
    except np.linalg.LinAlgError:
        raise PhysicsError(
            "the constraint rows have numbers of such different sizes that their dependencies are lost "
            "in rounding; check the positions, mass centres and masses of the bodies"
        ) from None


def redundancy_of_rows(problem: Problem, system: System, analysis: str, report: RankReport) -> Redundancy:
    """Redundancy of the rows that are on, at the position of the last evaluation; report: their rank.

    Leaves out what `redundancy` adds: nearly redundant rows, `driven` and `stiff`.
    """
    rows, names = problem[Rows], problem.names
    directions = row_directions(problem)
    order = order_of_rows(problem, system)
    Z = directions.to_joint_axes(report.null)
    # lengths of rows in the norm of M⁻¹ make the parts of a dependency comparable
    length = np.divide(1.0, report.scale, out=np.ones_like(report.scale), where=report.scale > 0.0)
    sizes = Z * length[:, None]
    pivot_rows = order[last_places(sizes[order], report.noise)]
    to_form = inverse_of_pivots(Z[pivot_rows])
    form = Z @ to_form
    form[pivot_rows] = np.eye(len(pivot_rows))
    weight = np.abs(form * length[:, None])
    involved = (weight > report.noise * weight.max(axis=0, initial=1e-300))[order]
    form_over_rows = report.null @ to_form
    phi = np.where(rows.level == POSITION_LEVEL, rows.phi, 0.0)
    phi_t = np.where(rows.level <= VELOCITY_LEVEL, rows.phi_t, 0.0)
    mismatches = np.array([phi, phi_t, rows.gamma]) @ form_over_rows
    redundant = []
    for column in np.argsort(pivot_rows):
        r = int(pivot_rows[column])
        others = [j for j in order[involved[:, column]] if j != r]
        terms = tuple(Term(directions.held[j], float(-form[j, column])) for j in others)
        phi_gap, phi_t_gap, gamma_gap = mismatches[:, column].tolist()
        redundant.append(Redundant(directions.held[r], r, terms, (phi_gap, phi_t_gap, gamma_gap)))
    sharing = Priorities(problem, system).sharing(report.null, report.scale, report.noise)
    types = {joint.name: joint.type for joint in names.joints}
    return Redundancy(
        analysis,
        float(problem[State].time[0]),
        problem.nv,
        report.rows,
        report.rank,
        report.condition,
        redundant,
        reaction_states(problem, directions, report, sizes, sharing),
        rank_steps(problem, directions, order, set(pivot_rows.tolist()), types),
        types,
        form,
        pivot_rows,
        directions,
        sharing,
        elastic_joints(problem),
    )


def reaction_states(
    problem: Problem, directions: Directions, report: RankReport, sizes: Array, sharing: Sharing
) -> list[Reaction]:
    """State of the reaction along each joint row that is on.

    sizes: (nc, redundancy) Z in rows of unit length
    """
    reached = np.abs(sizes).max(axis=1, initial=0.0) > report.noise
    flags = np.full(problem.nc, SHARED)
    if sharing.P is not None:
        flags = sharing.flags(directions.to_joint_axes(np.eye(problem.nc)), slice(None))
    reactions = []
    for r in np.flatnonzero(problem.on).tolist():
        if directions.held[r].joint < 0:
            continue
        if report.scale[r] == 0.0:
            state = "undetermined"
        elif reached[r]:
            state = STATES[int(flags[r])]
        else:
            state = "determined"
        reactions.append(Reaction(directions.held[r], r, state))
    return reactions


def elastic_joints(problem: Problem) -> list[str]:
    """Joints that a compliance (penalty) holds at present; none of their rows is on."""
    joints = [problem.names.joints[info.joint] for info in problem.names.enforced]
    return [joint.name for joint in joints if not problem.on[list(joint.rows)].any()]


def stiff_freedoms(problem: Problem, rank_without: int) -> int:
    """Degrees of freedom that only elastic joints restrain: rank with their rows minus `rank_without`."""
    elastic = [r for info in problem.names.enforced for r in problem.names.joints[info.joint].rows]
    if not elastic or problem.on[elastic].all():
        return 0
    exact = problem.copy()
    exact[State].mode[elastic] = ON
    return rank(exact).rank - rank_without


def rank_steps(
    problem: Problem, directions: Directions, order: Array, redundant: set[int], types: dict[str, str]
) -> list[Added]:
    """Contribution of each joint to the rank, in order of precedence. redundant: numbers of the redundant
    rows.
    """
    rows_of_owner: dict[str, list[int]] = {}
    for r in order.tolist():
        rows_of_owner.setdefault(directions.held[r].owner, []).append(r)
    steps, total = [], 0
    for name, rows in rows_of_owner.items():
        independent = sum(r not in redundant for r in rows)
        total += independent
        mobility = problem.nv - total
        steps.append(Added(name, types.get(name, ""), len(rows), independent, total, mobility))
    return steps
