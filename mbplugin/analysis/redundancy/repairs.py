"""Repairs of redundant joints, found by trial: change the scene, compile it and count again.

Tried are: each redundant joint left out or replaced by a joint with fewer rows; a pair of redundant joints
replaced together, if no single replacement keeps both; and joints that constrain the same directions made
elastic, all of them at once.

A repair keeps the motion if the mobility and the free motions stay the same, here and at a second position
further along the mechanism's own motion, where the new joint must be closed too. Elastic rows count as exact
in this test: the motion is then the same up to load / stiffness.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any

import numpy as np

from mbplugin.analysis.initial_state.assembly import CLOSED, assemble_initial
from mbplugin.analysis.initial_state.small_steps import residual
from mbplugin.analysis.rank.rank import rank
from mbplugin.analysis.redundancy.near_redundancy import NearlyRedundant
from mbplugin.analysis.redundancy.redundancy import Redundancy, Redundant
from mbplugin.analysis.singular.null_motions import free_motions, moved_along, undriven
from mbplugin.compile import compile_system
from mbplugin.errors import MbpluginError, SceneError
from mbplugin.hooks.registry import Registry
from mbplugin.model import System
from mbplugin.problem import JointInfo, Problem
from mbplugin.tables.groups import Markers, Rows, State
from mbplugin.tables.records import COMPLIANT, ON
from mbplugin.tables.spec import Array

#: largest number of rows of a model, and of joints that are tried
MAX_ROWS, MAX_JOINTS = 300, 12
#: types for two joints that constrain the same directions; as a pair they keep both joints, as on a door
PAIRS = (("ball", "point_on_line"), ("cylindrical", "point_on_plane"))
#: sine of the angle between two spaces of free motions that count as the same
SAME_MOTIONS = 1e-6
#: |γ| [mechanism sizes/s² or rad/s²] at velocities of about 1 beyond which a joint has no defined direction
MAX_GAMMA = 1e6


@dataclass(frozen=True)
class Repair:
    """One change of the scene, and the counts after it."""

    joint: str  # whose type changes; several names are separated by ", "
    before: str  # its type now, or the types of all joints
    type: str  # its new type, one for each joint; "": left out
    axis: str  # "x" or "y": the joint's axis that becomes the new one; "": the axis stays
    rows: int  # of the new joints
    redundancy: int  # redundant rows that remain
    mobility: int
    same_motion: bool
    enforce: str = ""  # enforcement of elastic joints; "": exact
    along: tuple[float, ...] = ()  # (3,) the new axis, world axes
    condition: float = float("nan")  # condition number of the independent rows
    left: int = 0  # elastic joints: rows that stay exact
    stiff: int = 0  # elastic joints: degrees of freedom that only stiffness restrains

    @property
    def joints(self) -> list[str]:
        return self.joint.split(", ")

    def as_dict(self) -> dict[str, Any]:
        return asdict(self) | {
            "along": list(self.along),
            "condition": self.condition if isfinite(self.condition) else None,
        }


def repairs(problem: Problem, system: System, redundancy: Redundancy, registry: Registry) -> list[Repair]:
    """Tried repairs, the best first. Raises SceneError for a model with too many rows.

    Best: same motion, then exact joints, then the least redundancy, then the most rows kept.
    """
    if problem.nc > MAX_ROWS:
        raise SceneError("--repairs", f"{problem.nc} rows", f"is for models of up to {MAX_ROWS} rows")
    dependent: list[Redundant | NearlyRedundant] = [*redundancy.redundant, *redundancy.nearly]
    involved = {owner for row in dependent for owner in (row.held.owner, *(t.held.owner for t in row.terms))}
    joints = [joint.name for joint in problem.names.joints if joint.name in involved]
    attributed = {*redundancy.joints, *(row.held.owner for row in redundancy.nearly)}
    first = [name for name in joints if name in attributed]
    motion = FreeMotion(problem)
    tried = []
    for name in (first + [name for name in joints if name not in first])[:MAX_JOINTS]:
        for repair in joint_repairs(problem, system, name, registry, motion):
            unlocks = bool(redundancy.nearly) and repair.mobility > redundancy.mobility
            if repair.redundancy < redundancy.redundancy or unlocks:
                tried.append(repair)
    repaired = {r.joint for r in tried if r.type and r.same_motion and r.redundancy == 0}
    for group in groups(joints, redundancy):
        if len(group) == 2 and not repaired.intersection(group):
            tried += pair_repairs(system, problem, group, registry, motion)
        tried += elastic_repairs(system, problem, group, registry, motion)
    return sorted(
        tried, key=lambda r: (not r.same_motion, r.enforce, r.redundancy, r.joint not in first, -r.rows)
    )


def groups(joints: list[str], redundancy: Redundancy) -> list[list[str]]:
    """Groups of two or more joints that constrain the same directions, directly or through other joints."""
    group_of = {name: {name} for name in joints}
    for row in redundancy.redundant:
        owners = (row.held.owner, *(t.held.owner for t in row.terms))
        merged = set().union(*(group_of[name] for name in owners if name in group_of))
        group_of.update(dict.fromkeys(merged, merged))
    distinct = {id(group): group for group in group_of.values()}.values()
    return [[name for name in joints if name in group] for group in distinct if len(group) > 1]


def pair_repairs(
    system: System, problem: Problem, names: list[str], registry: Registry, motion: FreeMotion
) -> Iterator[Repair]:
    """Two joints replaced, with the same motion and no redundant row; of each pair the first such order."""
    infos = [next(joint for joint in problem.names.joints if joint.name == name) for name in names]
    for pair in PAIRS:
        for types in (pair, pair[::-1]):
            repair = None
            with suppress(MbpluginError):
                changes = [(info, kind, "") for info, kind in zip(infos, types)]
                repair = replaced(system, problem, changes, registry, motion)
            if repair is not None and repair.same_motion and repair.redundancy == 0:
                yield repair
                break


def elastic_repairs(
    system: System, problem: Problem, names: list[str], registry: Registry, motion: FreeMotion
) -> Iterator[Repair]:
    """These joints made elastic by each enforcement that needs no parameters."""
    infos = [joint for joint in problem.names.joints if joint.name in names]
    for enforcement in registry.names("enforcement"):
        if registry.enforcement(enforcement).kernel is None:
            continue
        tables = system.tables()
        for joint in tables["joint"]:
            if joint["name"] in names:
                joint["enforce"] = enforcement
        with suppress(MbpluginError):
            changed = type(system)(**tables)
            trial = compile_system(changed, registry)
            elastic_rows = [r for info in infos for r in info.rows]
            trial[State].mode[elastic_rows] = ON
            assemble_initial(trial, changed)
            mobility = rank(trial).dof
            same = mobility == motion.mobility and motion.same(trial)
            trial[State].mode[elastic_rows] = COMPLIANT
            report = rank(trial)
            yield Repair(
                ", ".join(names),
                ", ".join(dict.fromkeys(info.type for info in infos)),
                "",
                "",
                len(elastic_rows),
                report.rows - report.rank,
                mobility,
                same,
                enforcement,
                condition=report.condition,
                left=report.rows,
                stiff=report.dof - mobility,
            )


class FreeMotion:
    """Free motions, driving motions released, at the present position and at one further along them."""

    def __init__(self, problem: Problem) -> None:
        self.mobility = rank(problem).dof
        released = undriven(problem)
        self.q = problem.q
        released.evaluate_at(self.q, 0.0)
        self.basis = free_motions(released)
        self.q_further = moved_along(released, self.basis)
        self.basis_further = free_motions_at(released, self.q_further)[0]

    def same(self, other: Problem) -> bool:
        """Whether `other`, of the same bodies, is closed at both positions and has the same free motions."""
        released = undriven(other)
        for q, basis in ((self.q, self.basis), (self.q_further, self.basis_further)):
            free, opened = free_motions_at(released, q)
            if not (
                opened < CLOSED and free.shape == basis.shape and sine_between(basis, free) < SAME_MOTIONS
            ):
                return False
        return True


def free_motions_at(problem: Problem, q: Array) -> tuple[Array, float]:
    """Free motions (nv, dof) and largest position residual [mechanism sizes or rad] at this position."""
    problem.evaluate_at(q, 0.0)
    return free_motions(problem), residual(problem)


def sine_between(A: Array, B: Array) -> float:
    """Sine of the largest angle between the spaces that orthonormal columns A and B span."""
    return float(np.linalg.norm(B - A @ (A.T @ B), 2)) if A.size else 0.0


def joint_repairs(
    problem: Problem, system: System, name: str, registry: Registry, motion: FreeMotion
) -> Iterator[Repair]:
    """One joint left out, or replaced by each type with fewer rows."""
    info = next(joint for joint in problem.names.joints if joint.name == name)
    for kind in ("", *distinct_types(registry)):
        outcomes = set()
        for axis in ("", "x", "y") if kind else ("",):
            repair = None
            # a type that needs parameters of its own, or does not fit these bodies, is skipped
            with suppress(MbpluginError):
                repair = replaced(system, problem, [(info, kind, axis)], registry, motion, len(info.rows))
            if repair is None:
                continue
            # another axis is listed only if the outcome differs
            outcome = (repair.redundancy, repair.mobility, repair.same_motion)
            if outcome not in outcomes:
                outcomes.add(outcome)
                yield repair


def distinct_types(registry: Registry) -> list[str]:
    """Constraint types without second names of others, and without those that would take other points."""
    kinds = {name: registry.constraint(name) for name in registry.names("constraint type")}
    kinds = {name: kind for name, kind in kinds.items() if not kind.at_mass_centres}
    return [
        name
        for name, kind in kinds.items()
        if not any(kind is not other and issubclass(kind, other) for other in kinds.values())
    ]


def replaced(
    system: System,
    problem: Problem,
    changes: Sequence[tuple[JointInfo, str, str]],
    registry: Registry,
    motion: FreeMotion,
    below: float = np.inf,
) -> Repair | None:
    """The outcome of giving joints new types ("": left out) and axes, None if they have
    `below` rows or more. Raises what compilation raises.
    """
    tables = system.tables()
    along: tuple[float, ...] = ()
    for info, kind, axis in changes:
        joint = next(j for j in tables["joint"] if j["name"] == info.name)
        if not kind:
            tables["joint"].remove(joint)
            tables["motion"] = [m for m in tables.get("motion", []) if m["joint"] != info.name]
            continue
        keys = ["name", "a", "b", "at", "axis"]
        if registry.constraint(kind).coordinates:
            keys.append("start")
        kept = {key: joint[key] for key in keys if key in joint}
        joint.clear()
        joint.update(kept, type=kind)
        if axis:
            frame = problem[Markers].R.reshape(-1, 3, 3)[info.markers[0]]
            along = tuple(frame[:, "xyz".index(axis)].tolist())
            joint["axis"] = list(along)
    changed = type(system)(**tables)
    trial = compile_system(changed, registry)
    names = [info.name for info, _, _ in changes]
    rows = sum(len(j.rows) for j in trial.names.joints if j.name in names)
    if rows >= below:
        return None
    assemble_initial(trial, changed)
    for name in names:
        refuse_undefined_direction(trial, name)
    report = rank(trial)
    same = report.dof == motion.mobility and motion.same(trial)
    return Repair(
        ", ".join(names),
        ", ".join(info.type for info, _, _ in changes),
        ", ".join(kind for _, kind, _ in changes),
        changes[0][2],
        rows,
        report.rows - report.rank,
        report.dof,
        same,
        along=along,
        condition=report.condition,
    )


def refuse_undefined_direction(problem: Problem, name: str) -> None:
    """Raises SceneError if the joint's rows have no defined direction here, as those of a rod of zero length.

    Such directions turn at any speed, so that γ is unbounded.
    """
    v = problem.v
    problem.evaluate_at(v=np.cos(np.arange(problem.nv)))
    rows = [r for joint in problem.names.joints if joint.name == name for r in joint.rows]
    largest = max((abs(problem[Rows].gamma[r]) for r in rows), default=0.0)
    problem.evaluate_at(v=v)
    if not largest < MAX_GAMMA * max(1.0, problem.names.size):
        raise SceneError("joint", name, "has no defined direction here")
