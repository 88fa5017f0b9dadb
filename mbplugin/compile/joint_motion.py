"""The motion of joints of a scene: found once for all joints that differ in their places only."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from mbplugin.compile.joint_forms import JointMotion, motion_of, numbers_of
from mbplugin.compile.joint_poses import ALIGNED, pose_of_rows
from mbplugin.compile.joint_rows import JointRows, Plane, Pose
from mbplugin.compile.joint_rules import CannotCarry, refuse
from mbplugin.interface import ConstraintKind, Measure
from mbplugin.tables.spec import Array

__all__ = ["CannotCarry", "JointMotion", "joint_motion"]

#: motions that are kept, and decimals of the normal of a plane and of the offset along it in their keys
MOST_KEPT, DECIMALS = 4096, 13
#: cosine of the largest deviation of a drawn joint from a motion that is known, beyond which another one that
#: satisfies its rows may be nearer
NEAR = 0.9

known: dict[Hashable, tuple[JointMotion, ...]] = {}


def joint_motion(
    kind: type[ConstraintKind],
    params: Any,
    poses: Sequence[tuple[Array, Array]],
    planar: bool,
    normal: Array | None,
    measure_of: Callable[[Measure | str], Measure],
) -> JointMotion:
    """How marker b moves relative to marker a. Raises CannotCarry.

    kind, params: the kind that is in force, and its parameters with all defaults
    poses:  (x, R) of both markers in the scene as written: position (3,) [m] and axes (3, 3) as columns,
            world; they need not satisfy the joint
    planar: whether all moving bodies of the joint are planar, in a plane with this `normal`

    Of several motions, such as those of parallel and of antiparallel axes, that near the given poses.
    """
    if len(poses) != 2:
        refuse(kind, params, len(poses), planar, measure_of)
    a, b = (Pose(x, R) for x, R in poses[:2])
    plane = plane_of(a, b, normal) if planar and normal is not None else None
    key = key_of(kind, params, planar, plane, measure_of)
    found = known.get(key, ())
    drawn = b.seen_from(a)
    for motion in found:
        if near(motion, drawn):
            return motion
    refuse(kind, params, len(poses), planar, measure_of)
    rows = JointRows(kind, params, planar, plane, measure_of)
    for motion in found:
        if motion.form == "cross" and same_branch(rows, motion, drawn):
            return motion
    # a joint drawn far from its rows
    met = pose_of_rows(rows, drawn) if found else None
    for motion in found:
        if met is not None and near(motion, met):
            return motion
    motion = motion_of(rows, drawn)
    if key is not None and not any(equal(motion, other) for other in found):
        if len(known) >= MOST_KEPT:
            known.clear()
        known[key] = (*found, motion)
    return motion


def plane_of(a: Pose, b: Pose, normal: Array) -> Plane:
    """The plane of two bodies, from the poses of markers on them."""
    n_a, n_b = (tuple((np.round(one.R.T @ normal, DECIMALS) + 0.0).tolist()) for one in (a, b))
    return Plane(n_a, n_b, round(float(normal @ (b.x - a.x)), DECIMALS) + 0.0)


def key_of(
    kind: type[ConstraintKind],
    params: Any,
    planar: bool,
    plane: Plane | None,
    measure_of: Callable[[Measure | str], Measure],
) -> Hashable:
    """Key of all that the motions of a joint depend on; None if that cannot be told."""
    given = [basic.measure for basic in kind.basics] + [*kind.coordinates.values()]
    measures = [measure_of(one) for one in given if isinstance(one, str)]
    fields = type(params).model_fields if params is not None else ()
    key = (
        kind,
        planar,
        plane,
        type(params),
        tuple(hashable(getattr(params, name)) for name in fields),
        tuple((one.kernel, hashable(list(one.settings.items())), one.wraps) for one in measures),
    )
    try:
        hash(key)
    except TypeError:
        return None
    return key


def hashable(value: Any) -> Any:
    """The value with lists as tuples."""
    return tuple(map(hashable, value)) if isinstance(value, list | tuple) else value


def equal(motion: JointMotion, other: JointMotion) -> bool:
    """Whether two motions of a joint are the same one."""
    return all(
        np.allclose(getattr(motion, name), getattr(other, name), rtol=0.0, atol=1e-9)
        for name in ("p0", "P", "u", "w", "R0", "t")
    )


def same_branch(rows: JointRows, motion: JointMotion, drawn: Pose) -> bool:
    """Whether a cross has about this pose at the coordinates that it has there."""
    s = rows.at(ALIGNED, drawn).s[numbers_of(rows, motion)]
    deviation = drawn.R @ motion.pose(s).R.T
    return bool(0.5 * (np.trace(deviation) - 1.0) >= NEAR)


def near(motion: JointMotion, drawn: Pose) -> bool:
    """Whether a joint drawn at this pose of b in axes of a has this motion, and not another one that
    satisfies its rows. Of a cross that is not told by constants, but by `same_branch`.
    """
    if motion.form in ("ball", "derived"):
        return True
    if motion.form == "cross":
        return False
    deviation = drawn.R @ motion.R0.T
    if motion.u.any():
        cosine = motion.u @ deviation @ motion.u
    else:
        cosine = 0.5 * (deviation[0, 0] + deviation[1, 1] + deviation[2, 2] - 1.0)
    if cosine < NEAR:
        return False
    if not motion.p0.any():
        return True
    across = np.eye(3) - motion.P @ np.linalg.pinv(motion.P)
    offset = across @ motion.p0
    return bool(np.linalg.norm(across @ drawn.x - offset) <= 0.5 * np.linalg.norm(offset) + 1e-9)
