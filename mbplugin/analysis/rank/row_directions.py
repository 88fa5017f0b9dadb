"""Direction of each constraint row, in the axes of its joint.

The rows of a joint between two markers are k vectors in the space of relative twists: (k, 6), translation
x y z and rotation x y z in the axes of its first marker. If they span coordinate axes, as the rows of a
revolute joint do, the rows are replaced by these axes: axes = T rows, and a combination z of rows is T⁻ᵀ z in
terms of the axes. If they do not (a rod), each row keeps its label, with its direction added.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mbplugin.analysis.phrases import vector_text
from mbplugin.analysis.rank.rank import block_jacobian
from mbplugin.problem import JointInfo, Problem
from mbplugin.tables.groups import Blocks, Markers
from mbplugin.tables.spec import Array

#: deviation of a direction from a coordinate axis up to which it counts as that axis
TOLERANCE = 1e-6
AXIS_LABELS = tuple(f"{kind} {axis}" for kind in ("translation along", "rotation about") for axis in "xyz")


@dataclass(frozen=True)
class RowDirection:
    """Direction that one constraint row constrains."""

    owner: str  # joint, motion or start
    joint: int  # number of the joint; -1: none
    label: str  # such as "translation along x"
    unit: str  # "m" or "rad"
    axis: int = -1  # 0 to 5: translation x y z, rotation x y z of the joint; -1: none of these

    def __str__(self) -> str:
        return f"{self.owner}: {self.label}"


@dataclass(frozen=True)
class Term:
    """One row in the linear combination that equals a redundant row."""

    held: RowDirection
    coefficient: float


@dataclass(frozen=True)
class Directions:
    """All rows in the axes of their joints, numbered as the rows of G."""

    held: list[RowDirection]
    blocks: list[tuple[Array, Array]]  # row numbers (k,), and T⁻ᵀ (k, k) of these rows
    frames: dict[int, Array]  # joint number -> (3, 3) its x, y, z as columns, world axes

    def to_joint_axes(self, z: Array) -> Array:
        """T⁻ᵀ z: columns z (nc, k) over rows become columns over joint axes."""
        result = z.copy()
        for rows, T_inverse_t in self.blocks:
            result[rows] = T_inverse_t @ z[rows]
        return result


def row_directions(problem: Problem) -> Directions:
    """At the position of the last evaluation."""
    names = problem.names
    held = [RowDirection(row.owner, -1, row.label, row.unit) for row in names.rows]
    blocks = []
    frames = {}
    for number, joint in enumerate(names.joints):
        for r in joint.rows:
            held[r] = RowDirection(joint.name, number, names.rows[r].label, names.rows[r].unit)
        W = relative_twists(problem, joint)
        if W is None:
            continue
        frames[number] = problem[Markers].R.reshape(-1, 3, 3)[joint.markers[0]].copy()
        rows = np.array(joint.rows)
        translational = np.abs(W[:, 3:]).max(axis=1, initial=0.0) < TOLERANCE
        all_rows = np.ones(len(rows), bool)
        parts = [all_rows] if spanned_axes(W) is not None else [translational, ~translational]
        for part in parts:
            spanned = spanned_axes(W[part])
            if spanned is None:
                label_oblique_rows(held, rows[part], W[part])
                continue
            axes, T = spanned
            blocks.append((rows[part], np.linalg.inv(T).T))
            for r, axis in zip(rows[part], axes):
                unit = "m" if axis < 3 else "rad"
                held[r] = RowDirection(joint.name, number, AXIS_LABELS[axis], unit, axis)
    for coordinate in names.coordinates:
        for r in (*coordinate.motion_rows, coordinate.start_row):
            if r >= 0:
                row = names.rows[r]
                held[r] = RowDirection(row.owner, coordinate.joint, row.label, coordinate.unit)
    return Directions(held, blocks, frames)


def relative_twists(problem: Problem, joint: JointInfo) -> Array | None:
    """(rows, 6) relative twist of b against a that each row constrains, axes of marker a.

    None if the joint does not have two markers, or its rows depend on more than their relative motion.
    """
    blocks, markers = problem[Blocks], problem[Markers]
    block = blocks.index[joint.block]
    if block.slots != 2 or not len(joint.rows):
        return None
    G_m = block_jacobian(problem, joint)
    on_a, on_b = (G_m[[r - block.first_row for r in joint.rows], side] for side in (0, 1))
    a, b = (blocks.marker[block.first_slot + side] for side in (0, 1))
    arm = markers.x[b] - markers.x[a]
    size = np.abs(G_m).max(initial=0.0)

    def balanced(arm: Array) -> bool:
        """Whether force and moment on a and b cancel if b's acts at this arm from a."""
        moment = np.hstack([0.0 * on_b[:, :3], np.cross(arm, on_b[:, :3])])
        return not np.abs(on_a + on_b + moment).max(initial=0.0) > TOLERANCE * size

    # arm 0: a row that acts on both bodies at points of their own, such as a difference of coordinates
    if not (balanced(arm) or balanced(0.0 * arm)):
        return None
    R = markers.R[a].reshape(3, 3)
    return np.hstack([on_b[:, :3] @ R, on_b[:, 3:] @ R])


def spanned_axes(W: Array) -> tuple[list[int], Array] | None:
    """Coordinate axes (0 to 5) that the rows of W (k, 6) span, and T (k, k) with T W = these axes.

    None if the rows do not span coordinate axes.
    """
    k = len(W)
    if k == 0:
        return [], np.zeros((0, 0))
    inverse = np.linalg.pinv(W, rcond=1e-8)
    projector = inverse @ W
    axes = [axis for axis in range(6) if abs(projector[axis, axis] - 1.0) < TOLERANCE]
    if len(axes) != k:
        return None
    return axes, inverse[axes]


def label_oblique_rows(held: list[RowDirection], rows: Array, W: Array) -> None:
    """Put the direction into the label of each row that is a pure translation or a pure rotation."""
    for r, w in zip(rows, W):
        travel, rotation = np.linalg.norm(w[:3]), np.linalg.norm(w[3:])
        if min(travel, rotation) > TOLERANCE * max(travel, rotation):
            continue
        if travel > rotation:
            direction = f"translation along {vector_text(w[:3] / travel)}"
        else:
            direction = f"rotation about {vector_text(w[3:] / rotation)}"
        row = held[r]
        # a distance is along the line of its two ends; its numbers add nothing
        if row.label == "distance":
            continue
        replaces = row.label.startswith(("translation ", "rotation "))
        label = direction if replaces else f"{row.label}, {direction}"
        held[r] = RowDirection(row.owner, row.joint, label, row.unit)
