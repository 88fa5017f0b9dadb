"""Tried repairs: each redundant joint is replaced by joints that hold less, and the mechanism is compiled and
counted again; two joints that hold the same are replaced both, where no single one keeps its place; then
joints that hold the same are held elastically, all of them together.

A repair keeps the motion if the mobility stays what it was and the motions that are free stay the same, here
and at a position some way along the mechanism's own motion, where the new joint must be closed too. Rows that
are held elastically count there as if they held exactly: the motion is the same up to load over stiffness.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any

import numpy as np

from mbplugin.analysis.initial_state.assembly import assemble_initial
from mbplugin.analysis.rank.rank import rank
from mbplugin.analysis.redundancy.redundancy import Redundancy
from mbplugin.analysis.singular.null_motions import evaluate_at, free_motions, moved_along, undriven
from mbplugin.compile import compile_system
from mbplugin.errors import MbpluginError, SceneError
from mbplugin.hooks.registry import Registry
from mbplugin.kernels import entries
from mbplugin.model import System
from mbplugin.problem import JointInfo, Problem
from mbplugin.tables.groups import Markers, Rows, State
from mbplugin.tables.spec import Array

#: rows up to which repairs are tried, and joints that are
LARGEST, TRIED = 300, 12
#: kinds that two joints which hold the same may share: with these a door keeps both hinges
PAIRS = (("ball", "point_on_line"), ("cylindrical", "point_on_plane"))
#: sine of the angle between spaces of motions that count as the same, and residual [size or rad] of a closed
#: joint
SAME, CLOSED = 1e-6, 1e-9
#: γ [m/s² over the size, or rad/s²] at velocities of about 1 that no joint with a direction has
FAST = 1e6


@dataclass(frozen=True)
class Repair:
    """joint: whose type is replaced (or names of several, `type` then has one for each). axis: "" where it
    stays, else which of its axes is the new one; along: that one in world axes. rows: of the new joints.
    enforce: how they are held, "" exactly. condition: of the rows that are independent then.

    left, stiff: rows that still hold exactly, and freedoms that only stiffness holds, for joints that are
    held elastically.
    """

    joint: str
    before: str
    type: str
    axis: str
    rows: int
    redundancy: int
    mobility: int
    same_motion: bool
    enforce: str = ""
    along: tuple[float, ...] = ()
    condition: float = float("nan")
    left: int = 0
    stiff: int = 0

    @property
    def joints(self) -> list[str]:
        return self.joint.split(", ")

    def as_dict(self) -> dict[str, Any]:
        return asdict(self) | {
            "along": list(self.along),
            "condition": self.condition if isfinite(self.condition) else None,
        }


def repairs(problem: Problem, system: System, found: Redundancy, registry: Registry) -> list[Repair]:
    """The best first: the same motion, then held exactly, then the least redundancy, then the most rows kept."""
    if problem.nc > LARGEST:
        raise SceneError("--repairs", f"{problem.nc} rows", f"is for models of up to {LARGEST} rows")
    involved = [(r.held, *(t.held for t in r.terms)) for r in found.redundant] + [
        (n.held, *(t.held for t in n.terms)) for n in found.nearly
    ]
    suspects = {held.owner for one in involved for held in one}
    joints = [joint.name for joint in problem.names.joints if joint.name in suspects]
    first = [name for name in joints if name in found.joints or name in {n.held.owner for n in found.nearly}]
    original = Motion(problem)
    tried = []
    for name in (first + [name for name in joints if name not in first])[:TRIED]:
        freed = lambda repair: bool(found.nearly) and repair.mobility > found.mobility
        tried += [
            repair
            for repair in of_joint(problem, system, name, registry, original)
            if repair.redundancy < found.redundancy or freed(repair)
        ]
    kept = {r.joint for r in tried if r.type and r.same_motion and r.redundancy == 0}
    for group in groups(joints, found):
        if len(group) == 2 and not kept.intersection(group):
            tried += both(system, problem, group, registry, original)
        tried += elastic(system, problem, group, registry, original)
    return sorted(
        tried, key=lambda r: (not r.same_motion, r.enforce, r.redundancy, r.joint not in first, -r.rows)
    )


def groups(joints: list[str], found: Redundancy) -> list[list[str]]:
    """Joints that hold the same things, directly or by way of others."""
    group = {name: {name} for name in joints}
    for r in found.redundant:
        mine = [name for name in (r.held.owner, *(t.held.owner for t in r.terms)) if name in group]
        pack = set().union(*(group[name] for name in mine))
        group.update(dict.fromkeys(pack, pack))
    return [
        [name for name in joints if name in one]
        for one in {id(one): one for one in group.values()}.values()
        if len(one) > 1
    ]


def both(
    system: System, problem: Problem, names: list[str], registry: Registry, original: Motion
) -> Iterator[Repair]:
    """Two joints replaced so that both keep their place, the motion stays and no row is redundant: of each
    pair the first order that does it.
    """
    info = [next(joint for joint in problem.names.joints if joint.name == name) for name in names]
    for pair in PAIRS:
        for kinds in (pair, pair[::-1]):
            repair = None
            with suppress(MbpluginError):
                repair = replaced(
                    system, problem, [(w, kind, "") for w, kind in zip(info, kinds)], registry, original
                )
            if repair is not None and repair.same_motion and repair.redundancy == 0:
                yield repair
                break


def elastic(
    system: System, problem: Problem, names: list[str], registry: Registry, original: Motion
) -> Iterator[Repair]:
    """These joints held by each law that needs no numbers."""
    info = [joint for joint in problem.names.joints if joint.name in names]
    for law in registry.names("enforcement"):
        if registry.enforcement(law).kernel is None:
            continue
        tables = system.tables()
        for joint in tables["joint"]:
            if joint["name"] in names:
                joint["enforce"] = law
        with suppress(MbpluginError):
            new = type(system)(**tables)
            other = compile_system(new, registry)
            rows, mine = other[Rows], [r for each in info for r in each.rows]
            rows.active[mine] = 1
            assemble_initial(other, new)
            mobility = rank(other).dof
            same = mobility == original.mobility and original.same(other)
            rows.active[mine] = 0
            report = rank(other)
            yield Repair(
                ", ".join(names),
                ", ".join(dict.fromkeys(w.type for w in info)),
                "",
                "",
                len(mine),
                report.rows - report.rank,
                mobility,
                same,
                law,
                condition=report.condition,
                left=report.rows,
                stiff=report.dof - mobility,
            )


class Motion:
    """What moves freely in a mechanism without its motions: at the present position, and at another one along
    these free motions.
    """

    def __init__(self, problem: Problem) -> None:
        self.mobility = rank(problem).dof
        with undriven(problem):
            self.here, v = problem.q, problem.v
            evaluate_at(problem, self.here)
            self.free = free_motions(problem)
            self.there = moved_along(problem, self.free)
            self.free_there = at(problem, self.there)[0]
        problem.set_state(float(problem[State].time[0]), self.here, v)
        problem.check(entries.evaluate(problem.addresses))

    def same(self, other: Problem) -> bool:
        """Whether `other`, of the same bodies, is closed at both positions and has the same free motions
        there.
        """
        with undriven(other):
            for q, mine in ((self.here, self.free), (self.there, self.free_there)):
                free, worst = at(other, q)
                if not (worst < CLOSED and free.shape == mine.shape and angle(mine, free) < SAME):
                    return False
        return True


def at(problem: Problem, q: Array) -> tuple[Array, float]:
    """Free motions, and the largest residual, at this position."""
    evaluate_at(problem, q)
    rows = problem[Rows]
    unit = np.where(rows.radians == 1, 1.0, problem.names.size)
    return free_motions(problem), float(
        np.max(np.abs(rows.phi / unit) * (rows.active == 1) * (rows.level == 0), initial=0.0)
    )


def angle(A: Array, B: Array) -> float:
    """Sine of the largest angle between the spaces that orthonormal columns span."""
    return float(np.linalg.norm(B - A @ (A.T @ B), 2)) if A.size else 0.0


def of_joint(
    problem: Problem, system: System, name: str, registry: Registry, original: Motion
) -> Iterator[Repair]:
    info = next(joint for joint in problem.names.joints if joint.name == name)
    for kind in ("", *distinct(registry)):
        seen = set()
        for axis in ("", "x", "y") if kind else ("",):
            repair = None
            # a kind that wants keys of its own, or does not fit these bodies, is passed over
            with suppress(MbpluginError):
                repair = replaced(system, problem, [(info, kind, axis)], registry, original)
            if repair is None or repair.rows >= len(info.rows):
                continue
            # another axis is worth a line only where it changes something
            what = (repair.redundancy, repair.mobility, repair.same_motion)
            if what not in seen:
                seen.add(what)
                yield repair


def distinct(registry: Registry) -> list[str]:
    """Constraint types without those that are another one by a further name."""
    kinds = {name: registry.constraint(name) for name in registry.names("constraint type")}
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
    original: Motion,
) -> Repair:
    """The system with these joints replaced by kinds ("": left out) with axes. Raises what compiling raises."""
    tables = system.tables()
    along: tuple[float, ...] = ()
    for info, kind, axis in changes:
        joint = next(j for j in tables["joint"] if j["name"] == info.name)
        if not kind:
            tables["joint"].remove(joint)
            tables["motion"] = [m for m in tables.get("motion", []) if m["joint"] != info.name]
            continue
        kept = ("name", "a", "b", "at", "axis") + (
            ("start",) if registry.constraint(kind).coordinates else ()
        )
        new_keys = {key: joint[key] for key in kept if key in joint}
        joint.clear()
        joint.update(new_keys, type=kind)
        if axis:
            along = tuple(
                problem[Markers].R.reshape(-1, 3, 3)[info.markers[0]][:, "xyz".index(axis)].tolist()
            )
            joint["axis"] = list(along)
    new = type(system)(**tables)
    other = compile_system(new, registry)
    assemble_initial(other, new)
    names = [info.name for info, _, _ in changes]
    for name in names:
        without_sense(other, name)
    report = rank(other)
    rows = sum(len(j.rows) for j in other.names.joints if j.name in names)
    same = report.dof == original.mobility and original.same(other)
    before, types = (
        ", ".join(texts)
        for texts in ((info.type for info, _, _ in changes), (kind for _, kind, _ in changes))
    )
    return Repair(
        ", ".join(names),
        before,
        types,
        changes[0][2],
        rows,
        report.rows - report.rank,
        report.dof,
        same,
        along=along,
        condition=report.condition,
    )


def without_sense(problem: Problem, name: str) -> None:
    """Raises SceneError where the joint's rows have no direction here, as those of a rod without length: they
    then turn at any speed, and γ is beyond all bounds.
    """
    q, v = problem.q, problem.v
    problem.set_state(float(problem[State].time[0]), q, np.cos(np.arange(problem.nv)))
    problem.check(entries.evaluate(problem.addresses))
    mine = [
        abs(problem[Rows].gamma[r])
        for joint in problem.names.joints
        if joint.name == name
        for r in joint.rows
    ]
    problem.set_state(float(problem[State].time[0]), q, v)
    problem.check(entries.evaluate(problem.addresses))
    if not max(mine, default=0.0) < FAST * max(1.0, problem.names.size):
        raise SceneError("joint", name, "has no direction here")
