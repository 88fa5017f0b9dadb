"""Trees that move in a plane: found from the motions of their joints, and the table of their numbers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mbplugin.compile.tree.links import Link
from mbplugin.kernels.tree.flat import INERTIA, PLACE
from mbplugin.tables.groups import Flat
from mbplugin.tables.records import CONSTANT, FIXED, SLIDING, TURNING
from mbplugin.tables.spec import Array, table

#: deviation of an axis that is rounding
ROUNDING = 1e-12
#: forms of joints that a plane may have
FORMS = (FIXED, TURNING, SLIDING, CONSTANT)


class Plane(NamedTuple):
    """The plane of a tree, and where its links are where all coordinates are 0."""

    axes: Array  # (3, 3) columns e₁, e₂, n
    x: list[Array]  # (3,) origin of each link
    R: list[Array]  # (3, 3) axes of each link
    joint: list[Array]  # (3, 3) axes of the frame of each joint


def planes_of(trees: list[list[Link]]) -> list[Plane | None]:
    """The plane of each tree; None: it moves in space, or in another plane than the first one."""
    planes = [plane_of(links) for links in trees]
    first = next((plane.axes for plane in planes if plane is not None), np.eye(3))
    inside = lambda plane: np.abs(np.cross(first[:, 2], plane.axes[:, 2])).max() <= ROUNDING
    return [plane._replace(axes=first) if plane is not None and inside(plane) else None for plane in planes]


def plane_of(links: list[Link]) -> Plane | None:
    """The plane in which a tree moves; None: it moves in space, or not at all."""
    if any(link.form not in FORMS for link in links):
        return None
    x: list[Array] = []
    R: list[Array] = []
    joint: list[Array] = []
    for link in links:
        x_l, R_l = (x[link.parent], R[link.parent]) if link.parent >= 0 else (np.zeros(3), np.eye(3))
        joint.append(R_l @ link.axes)
        R.append(joint[-1])
        x.append(x_l + R_l @ link.place)
    turns = [joint[i] @ m[:3] for i, link in enumerate(links) for m in link.motion if m[:3].any()]
    slides = [joint[i] @ m[3:] for i, link in enumerate(links) for m in link.motion if m[3:].any()]
    if not turns:
        return None
    n = turns[0] / np.linalg.norm(turns[0])
    across = [np.cross(n, turn) for turn in turns]
    along = [n * (n @ slide) for slide in slides]
    if any(np.abs(part).max() > ROUNDING for part in (*across, *along)):
        return None
    e1 = np.eye(3)[int(np.argmin(np.abs(n)))]
    e1 = e1 - (e1 @ n) * n
    e1 /= np.linalg.norm(e1)
    return Plane(np.column_stack([e1, np.cross(n, e1), n]), x, R, joint)


def flat_tables(trees: list[list[Link]], planes: list[Plane | None]) -> Flat:
    """The table of all trees; numbers of those that move in space are 0."""
    if all(plane is None for plane in planes):
        return table(Flat)
    fixed: list[Array] = []
    axes: list[Array] = []
    motion: list[Array] = []
    for links, plane in zip(trees, planes):
        for i, link in enumerate(links):
            numbers, frame, turns = numbers_of(link, i, plane) if plane is not None else nothing(link)
            fixed.append(numbers)
            axes.append(frame)
            motion.append(turns)
    n, rates = len(fixed), sum(len(one) for one in motion)
    return Flat(
        plane=next(plane for plane in planes if plane is not None).axes.T.ravel().copy(),
        fixed=np.concatenate(fixed),
        axes=np.concatenate(axes),
        motion=np.concatenate(motion).ravel(),
        place=np.zeros(PLACE * n),
        own=np.zeros(3 * n),
        inertia=np.zeros(INERTIA * n),
        S=np.zeros(3 * rates),
        U=np.zeros(3 * rates),
        load=np.zeros(3 * n),
        change=np.zeros(3 * n),
    )


def numbers_of(link: Link, i: int, plane: Plane) -> tuple[Array, Array, Array]:
    """The fixed numbers (7,), axes (27,) and motion (rates, 3) of link i of a tree."""
    e, n = plane.axes, plane.axes[:, 2]
    R_l = plane.R[link.parent] if link.parent >= 0 else np.eye(3)
    R = plane.R[i]
    place, centre = e[:, :2].T @ (R_l @ link.place), e[:, :2].T @ (R @ link.centre)
    moment = n @ R @ link.inertia @ R.T @ n
    about = np.outer(n, n) @ R
    turning = np.array([[0.0, -n[2], n[1]], [n[2], 0.0, -n[0]], [-n[1], n[0], 0.0]]) @ R
    motion = np.array(
        [[n @ (plane.joint[i] @ m[:3]), *(e[:, :2].T @ (plane.joint[i] @ m[3:]))] for m in link.motion]
    ).reshape(-1, 3)
    motion[np.abs(motion) < ROUNDING] = 0.0
    numbers = np.array([*place, *centre, link.mass, moment, n @ plane.x[i]])
    return numbers, np.concatenate([(R - about).ravel(), turning.ravel(), about.ravel()]), motion


def nothing(link: Link) -> tuple[Array, Array, Array]:
    return np.zeros(7), np.zeros(27), np.zeros((link.rates, 3))
