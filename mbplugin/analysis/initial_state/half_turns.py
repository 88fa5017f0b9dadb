"""Axes of joints that are written more than a right angle apart.

Rows such as x_a·z_b = 0 hold for parallel and for antiparallel axes, and Newton's method goes to what is
nearer. Bodies are therefore turned over before, each with all that hangs on it: along a tree of joints from
the ground, a branch whose frames, or whose z axes, are more than a right angle apart is turned as a rigid
body until they agree. What a scene draws closed with antiparallel axes stays so.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mbplugin.analysis.initial_state.held_bodies import misplaced, place_at
from mbplugin.analysis.initial_state.whole_bodies import WholeBodies, rotation
from mbplugin.analysis.phrases import joint_key
from mbplugin.errors import SceneError
from mbplugin.model import System
from mbplugin.problem import JointInfo, Problem
from mbplugin.tables.groups import Markers
from mbplugin.tables.spec import Array

#: angle beyond which the nearer way to close is the wrong one [rad]
RIGHT_ANGLE = 0.51 * np.pi
#: deviation from antiparallel axes up to which they are what the scene draws [rad]
DRAWN_ANTIPARALLEL = 1e-3


class Edge(NamedTuple):
    """A joint of a tree."""

    joint: JointInfo
    near: int  # its markers: towards the root,
    far: int  # and beyond
    body: int  # number of the body beyond, in the tables


def held_axes(joint: JointInfo) -> str:
    """Which axes of the frames of a joint agree: "all", "z", or "" where that does not follow from its free
    directions.
    """
    if joint.kind is None or len(joint.markers) != 2:
        return ""
    whole = len(joint.rows) == (3 if joint.planar else 6) - len(joint.free_directions)
    words = [name.split() for name in joint.free_directions]
    if not whole or any(word[0] not in ("translation", "rotation", "screw") for word in words):
        return ""
    rotations = {word[-1] for word in words if word[0] != "translation"}
    return {frozenset(): "all", frozenset("z"): "z"}.get(frozenset(rotations), "")


def rotation_between(problem: Problem, joint: JointInfo, a: int, b: int) -> Array:
    """(3,) rotation vector by the shortest turn that brings the axes of marker b to those of marker a."""
    axes = held_axes(joint)
    if axes != "z":
        return misplaced(problem, a, b)[3:] if axes else np.zeros(3)
    R = problem[Markers].R.reshape(-1, 3, 3)
    z_a, z_b = R[a][:, 2], R[b][:, 2]
    across = np.cross(z_b, z_a)
    sine = float(np.linalg.norm(across))
    if sine < 1e-8:  # half a turn has no axis of its own
        across, sine = R[b][:, 0], 1.0 if z_a @ z_b < 0.0 else 0.0
        return np.pi * across * sine
    return np.asarray(np.arctan2(sine, z_a @ z_b) * across / sine)


def drawn_so(problem: Problem, joint: JointInfo) -> bool:
    """Whether a scene draws a joint closed with antiparallel axes. Frames of a rigid connection coincide."""
    axes = held_axes(joint)
    if not axes or (axes == "all" and not joint.free_directions):
        return False
    A, B = (problem[Markers].R[m].reshape(3, 3) for m in joint.markers)
    cosines = np.diag(A.T @ B) if axes == "all" else (A.T @ B)[2:, 2]
    closed = bool((np.abs(cosines) > np.cos(DRAWN_ANTIPARALLEL)).all())
    return closed and bool(cosines.min() < 0.0)


def flip_branches(problem: Problem, wholes: WholeBodies) -> set[str]:
    """Turn bodies over where that is needed. Returns the names of the joints that are drawn antiparallel; the
    problem is evaluated, and is again afterwards.
    """
    drawn = {joint.name for joint in problem.names.joints if drawn_so(problem, joint)}
    edges = tree(problem)
    for joint, a, b, body in edges:
        vector = rotation_between(problem, joint, a, b)
        if np.linalg.norm(vector) > RIGHT_ANGLE and joint.name not in drawn:
            centre = problem[Markers].x[b].copy()
            rotate_branch(problem, vector, centre, branch(problem, edges, body), wholes)
    return drawn


def tree(problem: Problem) -> list[Edge]:
    """A tree of joints, breadth first from the ground outwards."""
    body, known = problem[Markers].index.body, set(problem.names.body_index)
    edges: dict[int, list[tuple[JointInfo, int, int]]] = {}
    for joint in problem.names.joints:
        if joint.kind is not None and len(joint.markers) == 2:
            for a, b in (joint.markers, joint.markers[::-1]):
                edges.setdefault(int(body[a]), []).append((joint, a, b))
    reached: set[int] = set()
    found = []
    for root in (-1, *problem.names.body_index):
        if root in reached:
            continue
        reached.add(root)
        queue = [root]
        for near in queue:
            for joint, a, b in edges.get(near, ()):
                far = int(body[b])
                if far not in reached and far in known:
                    reached.add(far)
                    queue.append(far)
                    found.append(Edge(joint, a, b, far))
    return found


def branch(problem: Problem, edges: list[Edge], body: int) -> list[int]:
    """A body and all that hangs on it."""
    near = problem[Markers].index.body
    beyond = {body}
    for edge in edges:
        if int(near[edge.near]) in beyond:
            beyond.add(edge.body)
    return sorted(beyond)


def rotate_branch(
    problem: Problem, vector: Array, centre: Array, branch: list[int], wholes: WholeBodies
) -> None:
    """Turn bodies by a rotation vector about a point, as one rigid body."""
    marker = dict(zip(problem.names.body_index, problem.names.body_marker))
    Q, markers = rotation(vector), problem[Markers]
    targets = [
        (centre + Q @ (markers.x[marker[i]] - centre), Q @ markers.R.reshape(-1, 3, 3)[marker[i]])
        for i in branch
    ]
    for i, (x, R) in zip(branch, targets):
        place_at(problem, x, R, marker[i], wholes)


def closed_antiparallel(problem: Problem, system: System, drawn: set[str]) -> list[str]:
    """A sentence for each joint that closed with its axes antiparallel although it is not drawn so.

    Raises SceneError for a rigid connection whose frames do not coincide.
    """
    sentences = []
    for joint in problem.names.joints:
        if (
            not held_axes(joint)
            or np.linalg.norm(rotation_between(problem, joint, *joint.markers)) < 0.5 * np.pi
        ):
            continue
        if joint.name in drawn:
            continue
        told = (
            "its axes are written more than a right angle apart and the loop closes with them the other way "
            "round; write the bodies nearer to their place, or turn a marker over"
        )
        if held_axes(joint) == "all" and not joint.free_directions:
            mend = f"cannot be assembled at t = 0: its frames do not coincide; {told}"
            raise system.locate(SceneError(joint_key(system, joint.name), joint.name, mend))
        sentences.append(f'joint "{joint.name}": {told}')
    return sentences
