"""Checks of constraint kinds that carry bodies in joint coordinates: what is derived from their rows and
coordinates, against differences of the pose.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from mbplugin.compile.frames import plane_axes
from mbplugin.compile.joint_motion import CannotCarry, joint_motion, plane_of
from mbplugin.compile.joint_poses import matrix, pose_at
from mbplugin.compile.joint_rows import JointRows, Pose
from mbplugin.hooks.registry import Registry
from mbplugin.problem import Problem
from mbplugin.tables.groups import Markers
from mbplugin.tables.spec import Array
from mbplugin.testing.report import Checks

#: step of the differences [m, rad], and largest error of S by them, relative to the largest of its numbers
H, TOLERANCE = 1e-4, 1e-6
#: coordinates at which S is checked
VALUES = (0.3, -0.2, 0.15, 0.25)


def carrying_checks(checks: Checks, problem: Problem, registry: Registry) -> None:
    """S of the last joint of a problem by differences, and S across its rows; none if it carries no body."""
    info = problem.names.joints[-1]
    markers = problem[Markers]
    poses = [(markers.x[m], markers.R[m].reshape(3, 3)) for m in info.markers]
    normal = plane_axes("xy")[:, 2] if info.planar else None
    measure_of = lambda given: registry.measure(given) if isinstance(given, str) else given
    try:
        motion = joint_motion(info.kind, info.params, poses, info.planar, normal, measure_of)
    except CannotCarry:
        return
    if not motion.coordinates:
        return
    a, b = (Pose(x, R) for x, R in poses)
    plane = plane_of(a, b, normal) if normal is not None else None
    rows = JointRows(info.kind, info.params, info.planar, plane, measure_of)
    chosen = tuple(rows.names.index(one) for one in motion.coordinates)
    s, first = np.array(VALUES[: len(chosen)]), Pose(motion.p0, motion.R0)
    found: list[Array] = []
    middle = pose_at(rows, chosen, s, first)
    for step in H * np.eye(len(chosen)):
        after, before = (pose_at(rows, chosen, s + sign * step, first) for sign in (1.0, -1.0))
        if middle is None or after is None or before is None:
            checks.see("its position at given coordinates is found", 1.0, 0.0)
            return
        found.append(difference(after, before))
    assert middle is not None
    values = rows.at(Pose(np.zeros(3), np.eye(3)), middle)
    S = np.linalg.inv(matrix(rows, values.on_b, chosen))[:, rows.rows :]
    moved = np.column_stack(found)
    size = max(1.0, float(np.abs(S).max()))
    across = np.abs(values.on_b[: rows.rows] @ moved).max(initial=0.0)
    checks.see("S moves the body as its pose changes", np.abs(S - moved).max() / size, TOLERANCE)
    checks.see("its rows do not hinder that motion", across / size, TOLERANCE)


def difference(after: Pose, before: Pose) -> Array:
    """(6,) velocity and angular velocity between two poses 2 H apart."""
    turn = Rotation.from_matrix(after.R @ before.R.T).as_rotvec()
    return np.concatenate([after.x - before.x, turn]) / (2.0 * H)
