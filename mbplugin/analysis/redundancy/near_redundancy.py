"""Rows that nearly repeat others: what is meant to be in line and is a little out of line.

G with columns and rows of unit length is asked, so masses and units do not matter. Singular values below
LOOSE of the largest, with a gap above them, are the mark. Rows that are redundant if these count as zero, and
are not otherwise, hold a motion that the others hold but for a small part. That part locks one motion more,
and loads through it grow as 1 / (how far it is out of line).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mbplugin.analysis.rank.directions import Directions, RowDirection, Term
from mbplugin.analysis.rank.echelon import last_places
from mbplugin.interface.problem import JointInfo, Problem
from mbplugin.tables.groups import Markers
from mbplugin.tables.spec import Array

#: singular values beside the largest: below the first a row is nearly redundant, below the second it is
#: redundant
LOOSE, ZERO = 1e-2, 1e-9
#: how much smaller than the next one a singular value must be: those of long chains fall slowly, and are none
#: of this
GAP = 0.1
#: rows up to which one looks, and parts of a combination beside its largest that are not told
LARGEST, PART = 300, 0.02
#: parts of combinations that may come from what is out of line: the first one that leaves enough places
NOISE = (0.05, 1e-3, 1e-7)
#: angles [rad] and distances [size] up to which axes were perhaps meant to be in line, and from which on they
#: are not
MEANT, EXACT = 0.05, 1e-12


@dataclass(frozen=True)
class Near:
    """A nearly redundant row, about Σ coefficient × kept row, and which axes are out of line, in words.
    singular: value beside the largest.
    """

    held: RowDirection
    row: int
    terms: tuple[Term, ...]
    singular: float
    out: tuple[str, ...]


def nearly(problem: Problem, way: Directions, order: Array, ends: set[int]) -> list[Near]:
    """Of the active rows at the present position, whose terms are evaluated. order: they, in the order in
    which they are kept. ends: the redundant ones.
    """
    if not 0 < len(order) <= LARGEST:
        return []
    G = problem.jacobian()[order]
    columns = np.linalg.norm(G, axis=0)
    G = G / np.where(columns > 0.0, columns, 1.0)
    length = np.linalg.norm(G, axis=1)
    if length.min() <= 0.0:
        G, order, length = G[length > 0.0], order[length > 0.0], length[length > 0.0]
    if not len(order):
        return []
    left, singular, _ = np.linalg.svd(G / length[:, None], full_matrices=True)
    count, least = loose_rank(singular)
    if least == 0.0:
        return []
    null = np.zeros((problem.nc, len(order) - count))
    null[order] = left[:, count:] / length[:, None]
    turned = way.to_joint_axes(null)
    scale = np.zeros(problem.nc)
    scale[order] = length
    sizes = (turned * scale[:, None])[order]
    # small parts come from what is out of line and end no combination, as long as there are enough others
    last = next(
        (places for noise in NOISE if len(places := last_places(sizes, noise)) == null.shape[1]), None
    )
    if last is None:
        return []
    form = turned @ np.linalg.inv(turned[order[last]])
    weight = np.abs(form * scale[:, None])
    found = []
    for column, r in sorted(enumerate(order[last].tolist()), key=lambda one: one[1]):
        if r not in ends:
            counts = order[weight[order, column] > PART * weight[:, column].max()]
            terms = tuple(Term(way.held[j], float(-form[j, column])) for j in counts if j != r)
            found.append(Near(way.held[r], r, terms, least, tuple(out_of_line(problem, way.held[r], terms))))
    return found


def loose_rank(singular: Array) -> tuple[int, float]:
    """How many singular values are no small ones, and the least that is small and not zero, beside the
    largest (0 where there is none).
    """
    beside = singular / singular[0]
    small = beside[beside > ZERO]
    steps = [k for k in range(1, len(small)) if small[k] < LOOSE and small[k] < GAP * small[k - 1]]
    return (steps[0], float(small[-1])) if steps else (len(small), 0.0)


def out_of_line(problem: Problem, held: RowDirection, terms: tuple[Term, ...]) -> list[str]:
    """What is out of line between the joint of a nearly redundant row and those that nearly hold it, and
    where it would be in line.
    """
    joints = problem.names.joints
    if held.joint < 0:
        return []
    mine, found = joints[held.joint], []
    angles: dict[str, list[str]] = {}
    for other in dict.fromkeys(t.held.joint for t in terms if t.held.joint not in (-1, held.joint)):
        angle, direction = turned_off(problem, mine, joints[other])
        if EXACT < angle < MEANT:
            angles.setdefault(f"{angle:.4g}", [written(direction)]).append(joints[other].name)
        distance, there = moved_off(problem, mine, joints[other])
        if {mine.a, mine.b} == {
            joints[other].a,
            joints[other].b,
        } and EXACT * problem.names.size < distance < MEANT * problem.names.size:
            off = f"{mine.name} is {distance:.4g} m off the axis of {joints[other].name}"
            found.append(
                f"{off}; if they should be in line, move it to {written(there)} (world), or the other"
            )
    for by, (along, *names) in angles.items():
        off = f"{mine.name} is {by} rad out of parallel with {' and '.join(names)}"
        found.append(f"{off}; if they should be parallel, turn it along {along} (world), or the other")
    return found


def turned_off(problem: Problem, one: JointInfo, other: JointInfo) -> tuple[float, Array]:
    """Angle [rad] between the axes of two joints, infinite where there is none; and the direction that the
    first would have, were they parallel.
    """
    (_, u), (_, w) = axis(problem, one), axis(problem, other)
    if u is None or w is None:
        return np.inf, np.zeros(3)
    return float(np.arctan2(np.linalg.norm(np.cross(u, w)), abs(u @ w))), w if u @ w > 0.0 else -w


def moved_off(problem: Problem, one: JointInfo, other: JointInfo) -> tuple[float, Array]:
    """Distance [m] of the point of one of two joints from the axis of the other, infinite where there is
    none; and where the first would be, were they in line.
    """
    (x, u), (y, w) = axis(problem, one), axis(problem, other)
    off = [(y - x) - ((y - x) @ n) * n for n in (w, u) if n is not None]
    if not off or not rodless(one, other):
        return np.inf, x
    least = min(off, key=np.linalg.norm)
    return float(np.linalg.norm(least)), x + least


def written(vector: Array) -> str:
    return "[" + ", ".join(f"{round(x, 9) + 0.0:.7g}" for x in vector.tolist()) + "]"


def rodless(*joints: JointInfo) -> bool:
    return all(len(joint.rows) > 1 for joint in joints)


def axis(problem: Problem, joint: JointInfo) -> tuple[Array, Array | None]:
    """A joint's place and the direction of its z, world axes; None where no direction is its axis. A rod's is
    from end to end.
    """
    markers = problem[Markers]
    x, R = markers.x.reshape(-1, 3), markers.R.reshape(-1, 3, 3)
    a, b = joint.markers[0], joint.markers[-1]
    span = x[b] - x[a]
    if len(joint.rows) == 1 and np.linalg.norm(span) > 1e-9 * problem.names.size:
        return x[a], span / np.linalg.norm(span)
    letters = [
        {name[-1] for name in joint.free if name.startswith(kind)} for kind in ("translation", "rotation")
    ]
    return x[b], R[a][:, 2] if {"z"} in letters or {"x", "y"} in letters else None
