"""What each constraint row holds, in the joint's own axes.

A joint's rows, seen from its last marker, are k directions in the space of relative twists: (k, 6),
translation x y z and rotation x y z in the axes of its first marker. Where these directions span coordinate
axes, as those of a hinge do, the rows are replaced by these axes: T (rows) = axes, and a combination z of
rows is T⁻ᵀ z in them. Where they do not (a rod), a row keeps its own words and tells its direction.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mbplugin.problem import JointInfo, Problem
from mbplugin.tables.groups import Blocks, Markers
from mbplugin.tables.spec import Array

#: how far a direction may be from an axis and still be called by its name
NEAR = 1e-6
NAMES = tuple(f"{kind} {axis}" for kind in ("translation along", "rotation about") for axis in "xyz")


@dataclass(frozen=True)
class Held:
    """One row: whose it is, and what it holds. `joint`: number in the words (-1: none); `axis`: 0 to 5 where
    it is one of the joint's axes, else -1.
    """

    owner: str
    joint: int
    label: str
    unit: str
    axis: int = -1

    def __str__(self) -> str:
        return f"{self.owner}: {self.label}"


@dataclass(frozen=True)
class Term:
    """One row that a redundant row is made of."""

    held: Held
    coefficient: float


@dataclass(frozen=True)
class Directions:
    """All rows in the joints' own axes, with the same numbers as the rows of G; `turn` leads from
    combinations of rows to combinations of these.
    """

    held: list[Held]
    blocks: list[tuple[Array, Array]]  # rows, T⁻ᵀ
    frames: dict[int, Array]  # (3, 3) a joint's x, y, z as columns in world axes, by its number

    def turn(self, z: Array) -> Array:
        """T⁻ᵀ z for columns z (nc, k) over rows."""
        found = z.copy()
        for rows, inverse in self.blocks:
            found[rows] = inverse @ z[rows]
        return found


def directions(problem: Problem) -> Directions:
    """Of the present position, whose terms are evaluated."""
    names = problem.names
    held = [Held(row.owner, -1, row.label, row.unit) for row in names.rows]
    blocks = []
    frames = {}
    for number, joint in enumerate(names.joints):
        W = relative(problem, joint)
        for r in joint.rows:
            held[r] = Held(joint.name, number, names.rows[r].label, names.rows[r].unit)
        if W is None:
            continue
        frames[number] = problem[Markers].R.reshape(-1, 3, 3)[joint.markers[0]].copy()
        rows = np.array(joint.rows)
        shifts = np.abs(W[:, 3:]).max(axis=1, initial=0.0) < NEAR
        parts = [np.ones(len(rows), bool)] if aligned(W) is not None else [shifts, ~shifts]
        for part in parts:
            found = aligned(W[part])
            if found is None:
                name_others(held, rows[part], W[part])
                continue
            axes, T = found
            blocks.append((rows[part], np.linalg.inv(T).T))
            for r, axis in zip(rows[part], axes):
                held[r] = Held(joint.name, number, NAMES[axis], "m" if axis < 3 else "rad", axis)
    for coordinate in names.coordinates:
        for r in (coordinate.motion_row, coordinate.start_row):
            if r >= 0:
                held[r] = Held(names.rows[r].owner, coordinate.joint, names.rows[r].label, coordinate.unit)
    return Directions(held, blocks, frames)


def relative(problem: Problem, joint: JointInfo) -> Array | None:
    """(rows, 6) directions in which the joint holds b against a, in the axes of a; None where its rows are
    not of two markers that only see each other.
    """
    blocks, markers = problem[Blocks], problem[Markers]
    block = blocks.index[joint.block]
    slots = block.slots
    if slots != 2 or not len(joint.rows):
        return None
    gm = blocks.G_marker[block.first_G_marker : block.first_G_marker + 6 * slots * block.rows].reshape(
        block.rows, slots, 6
    )
    on_a, on_b = (gm[[r - block.first_row for r in joint.rows], side] for side in (0, 1))
    a, b = (blocks.marker[block.first_slot + side] for side in (0, 1))
    arm = markers.x[b] - markers.x[a]
    size = np.abs(gm).max(initial=0.0)
    # a row that acts on both at points of their own, such as that of the difference of two places, is as good
    # while these are apart
    arms = (arm, 0.0 * arm)
    if all(
        np.abs(on_a + on_b + np.hstack([0.0 * on_b[:, :3], np.cross(d, on_b[:, :3])])).max(initial=0.0)
        > NEAR * size
        for d in arms
    ):
        return None
    R = markers.R[a].reshape(3, 3)
    return np.hstack([on_b[:, :3] @ R, on_b[:, 3:] @ R])


def aligned(W: Array) -> tuple[list[int], Array] | None:
    """The axes that the rows of W span, and T with T W = those axes; None where they span others."""
    k = len(W)
    if k == 0:
        return [], np.zeros((0, 0))
    inverse = np.linalg.pinv(W, rcond=1e-8)
    span = inverse @ W
    axes = [axis for axis in range(6) if abs(span[axis, axis] - 1.0) < NEAR]
    if len(axes) != k:
        return None
    return axes, inverse[axes]


def name_others(held: list[Held], rows: Array, W: Array) -> None:
    """Rows that hold no axis of the joint tell their direction, where it is one of translation or of rotation
    alone.
    """
    for r, w in zip(rows, W):
        shift, turn = np.linalg.norm(w[:3]), np.linalg.norm(w[3:])
        if min(shift, turn) > NEAR * max(shift, turn):
            continue
        direction = (
            f"translation along {vector(w[:3] / shift)}"
            if shift > turn
            else f"rotation about {vector(w[3:] / turn)}"
        )
        old = held[r]
        # a distance is along the line between its ends: nothing is told by the numbers of it
        if old.label == "distance":
            continue
        plain = old.label.startswith(("translation ", "rotation "))
        held[r] = Held(old.owner, old.joint, direction if plain else f"{old.label}, {direction}", old.unit)


def vector(w: Array) -> str:
    """Three numbers, short; -0 is 0."""
    return "(" + ", ".join(f"{x + 0.0:.3g}" for x in np.where(np.abs(w) < 5e-7, 0.0, w)) + ")"
