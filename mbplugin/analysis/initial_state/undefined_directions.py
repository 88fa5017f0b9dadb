"""Joints whose equations have no direction at the positions of a scene: a rod without length, a flat disc."""

from __future__ import annotations

import numpy as np

from mbplugin.analysis.rank.rank import block_jacobian
from mbplugin.compile.builder import line_pairs
from mbplugin.errors import SceneError
from mbplugin.model import Joint, System
from mbplugin.model.names import GROUND
from mbplugin.model.register import ends_of
from mbplugin.problem import JointInfo, Problem
from mbplugin.tables.groups import Blocks, Markers
from mbplugin.tables.spec import Array

#: displacement of the trial [mechanism sizes or rad], and change of a row, relative to the row, with which it
#: has no direction: a rod is long enough from 3e-7 of the size of its mechanism on
NUDGE, CHANGED_ROW = 1e-9, 3e-3
#: distance of two markers that a message calls one point [mechanism sizes]
SAME_POINT = 1e-6


def joint_without_direction(problem: Problem, system: System) -> SceneError | None:
    """The error for a joint whose rows are not defined at the present positions, or are so only by rounding:
    a displacement of NUDGE changes them by a large part. Evaluates the problem anew.
    """
    joints = [joint for joint in problem.names.joints if joint.kind.singular]
    if not np.isfinite(problem[Blocks].G_marker).all():
        for joint in problem.names.joints:
            if not np.isfinite(block_jacobian(problem, joint)).all():
                return without_direction(problem, system, joint)
    if not joints:
        return None
    before = [own_rows(problem, joint) for joint in joints]
    q = problem.q
    # displacements of all bodies, each in a direction of its own
    nudge = NUDGE * problem.names.size * np.cos(1.0 + 1.7 * np.arange(problem.nv) ** 1.1)
    problem.move_to(q, nudge)
    problem.evaluate_at()
    after = [own_rows(problem, joint) for joint in joints]
    problem.evaluate_at(q)
    for joint, rows, moved in zip(joints, before, after):
        if not (np.abs(moved - rows).max(axis=1) <= CHANGED_ROW * np.abs(rows).max(axis=1)).all():
            return without_direction(problem, system, joint)
    return None


def own_rows(problem: Problem, joint: JointInfo) -> Array:
    """(rows, 6 slots) the joint's rows without those of its motions, over marker twists."""
    rows = block_jacobian(problem, joint)
    return rows[: max(len(joint.rows), 1)].reshape(-1, rows.shape[1] * 6).copy()


def without_direction(problem: Problem, system: System, joint: JointInfo) -> SceneError:
    number = next(k for k, j in enumerate(system.joints) if j.name == joint.name)
    pose = f" ({joint.kind.singular})" if joint.kind.singular else ""
    where = f'type "{joint.kind.name}" has no direction at the given positions{pose}'
    ends = coincident(problem, system.joints[number], joint)
    return SceneError(f"joint[{number}]", joint.name, f"{where}{ends}: {joint.kind.avoided}")


def coincident(problem: Problem, joint: Joint, info: JointInfo) -> str:
    """A clause on the two markers of a line of the joint that are at one point; "" if there are none."""
    x, references = problem[Markers].x, [reference for _, reference in ends_of(joint)]
    for a, b in line_pairs(info.kind, len(info.markers), info.name):
        start, end = x[info.markers[a]], x[info.markers[b]]
        if np.linalg.norm(end - start) <= SAME_POINT * problem.names.size:
            one, other = (named(references[k], joint, info) for k in (a, b))
            return f"; {one} and {other} are both at [{', '.join(f'{c:.6g}' for c in start)}]"
    return ""


def named(reference: str, joint: Joint, info: JointInfo) -> str:
    """A marker of a joint in words, with the point for which a bare body stands."""
    if "." in reference:
        return f'"{reference}"'
    if info.kind.at_mass_centres and reference != GROUND:
        return f'the mass centre of "{reference}"'
    return f'"{reference}" at `at`' if joint.at is not None else f'"{reference}" at the origin'
