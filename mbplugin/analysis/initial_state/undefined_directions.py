"""Joints whose equations have no direction at the positions of a scene: a rod without length, a flat disc."""

from __future__ import annotations

import numpy as np

from mbplugin.analysis.rank.rank import block_jacobian
from mbplugin.errors import SceneError
from mbplugin.model import System
from mbplugin.problem import JointInfo, Problem
from mbplugin.tables.groups import Blocks
from mbplugin.tables.spec import Array

#: displacement of the trial [mechanism sizes or rad], and change of a row, relative to the row, with which it
#: has no direction: a rod is long enough from 3e-7 of the size of its mechanism on
NUDGE, CHANGED = 1e-9, 3e-3


def joint_without_direction(problem: Problem, system: System) -> SceneError | None:
    """The error for a joint whose rows are not defined at the present positions, or are so only by rounding:
    a displacement of NUDGE changes them by a large part. Evaluates the problem anew.
    """
    joints = [joint for joint in problem.names.joints if joint.kind.singular]
    if not np.isfinite(problem[Blocks].G_marker).all():
        for joint in problem.names.joints:
            if not np.isfinite(block_jacobian(problem, joint)).all():
                return without_direction(system, joint)
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
        if not (np.abs(moved - rows).max(axis=1) <= CHANGED * np.abs(rows).max(axis=1)).all():
            return without_direction(system, joint)
    return None


def own_rows(problem: Problem, joint: JointInfo) -> Array:
    """(rows, 6 slots) the joint's rows without those of its motions, over marker twists."""
    rows = block_jacobian(problem, joint)
    return rows[: max(len(joint.rows), 1)].reshape(-1, rows.shape[1] * 6).copy()


def without_direction(system: System, joint: JointInfo) -> SceneError:
    number = next(k for k, j in enumerate(system.joints) if j.name == joint.name)
    pose = f" ({joint.kind.singular})" if joint.kind.singular else ""
    return SceneError(
        f"joint[{number}]",
        joint.name,
        f'type "{joint.kind.name}" has no direction at the given positions{pose}: {joint.kind.avoided}',
    )
