"""Nearly redundant rows: joints that were probably meant to be aligned and are slightly misaligned.

G is scaled to columns and rows of unit length, so that masses and units do not matter. Singular values below
LOOSE of the largest, with a gap above them, indicate a misalignment. The nearly redundant rows are those that
are redundant if these singular values count as zero, and independent otherwise. Each of them locks one more
motion through the misalignment, and its reaction grows as 1 / misalignment.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mbplugin.analysis.phrases import array_text, enumerated
from mbplugin.analysis.rank.echelon import last_places
from mbplugin.analysis.rank.row_directions import Directions, RowDirection, Term
from mbplugin.problem import JointInfo, Problem
from mbplugin.tables.groups import Markers
from mbplugin.tables.spec import Array

#: singular values, relative to the largest, below which a row is nearly redundant, and redundant
LOOSE, ZERO = 1e-2, 1e-9
#: largest ratio of a small singular value to the next larger one; those of long chains decrease more slowly
GAP = 0.1
#: largest number of rows that are examined, and coefficients relative to the largest that are not reported
MAX_ROWS, MINOR = 300, 0.02
#: parts of dependencies that the misalignment may cause; the first value that leaves enough pivots is used
NOISE = (0.05, 1e-3, 1e-7)
#: misalignments [rad or mechanism sizes]: below the first none, from the second on intended
ALIGNED, INTENDED = 1e-12, 0.05
#: angles [rad] below which a misalignment may be that of rounded numbers, such as 1.571 or 90.0001 degrees
ROUNDED = 1e-3


@dataclass(frozen=True)
class NearlyRedundant:
    """A row that is nearly Σ coefficient × kept row."""

    held: RowDirection
    row: int
    terms: tuple[Term, ...]
    singular_value: float  # smallest singular value, relative to the largest
    misalignments: tuple[str, ...]  # clauses for the report: what is misaligned, and how to align it
    angle: float  # largest angle [rad] of the axes from parallel or perpendicular that may be rounding; or 0


def nearly_redundant_rows(
    problem: Problem, directions: Directions, order: Array, redundant: set[int]
) -> list[NearlyRedundant]:
    """Nearly redundant rows at the position of the last evaluation, in table order.

    order: rows that are on, in order of precedence. redundant: rows that are redundant already.
    """
    if not 0 < len(order) <= MAX_ROWS:
        return []
    G = problem.jacobian()[order]
    columns = np.linalg.norm(G, axis=0)
    G = G / np.where(columns > 0.0, columns, 1.0)
    length = np.linalg.norm(G, axis=1)
    if length.min() <= 0.0:
        G, order, length = G[length > 0.0], order[length > 0.0], length[length > 0.0]
    if not len(order):
        return []
    U, sigma, _ = np.linalg.svd(G / length[:, None], full_matrices=G.shape[0] > G.shape[1])
    count, least = loose_rank(sigma)
    if least == 0.0:
        return []
    null = np.zeros((problem.nc, len(order) - count))
    null[order] = U[:, count:] / length[:, None]
    Z = directions.to_joint_axes(null)
    row_length = np.zeros(problem.nc)
    row_length[order] = length
    sizes = (Z * row_length[:, None])[order]
    # parts from the misalignment are no pivots, as long as there are enough others
    candidates = (last_places(sizes, noise) for noise in NOISE)
    pivots = next((places for places in candidates if len(places) == null.shape[1]), None)
    if pivots is None:
        return []
    pivot_rows = order[pivots]
    form = Z @ np.linalg.inv(Z[pivot_rows])
    weight = np.abs(form * row_length[:, None])
    rows = []
    for column, r in sorted(enumerate(pivot_rows.tolist()), key=lambda pair: pair[1]):
        if r in redundant:
            continue
        involved = order[weight[order, column] > MINOR * weight[:, column].max()]
        terms = tuple(Term(directions.held[j], float(-form[j, column])) for j in involved if j != r)
        held = directions.held[r]
        clauses = tuple(misalignments(problem, held, terms))
        rows.append(NearlyRedundant(held, r, terms, least, clauses, rounded_angle(problem, held, terms)))
    return rows


def loose_rank(sigma: Array) -> tuple[int, float]:
    """Number of singular values (descending) above the gap, and the smallest nonzero one over the largest.

    All nonzero ones, and 0, if there is no gap.
    """
    relative = sigma / sigma[0]
    nonzero = relative[relative > ZERO]
    gaps = [k for k in range(1, len(nonzero)) if nonzero[k] < LOOSE and nonzero[k] < GAP * nonzero[k - 1]]
    return (gaps[0], float(nonzero[-1])) if gaps else (len(nonzero), 0.0)


def misalignments(problem: Problem, held: RowDirection, terms: tuple[Term, ...]) -> list[str]:
    """Clauses about misalignments between the joint of a nearly redundant row and those of `terms`."""
    joints, size = problem.names.joints, problem.names.size
    if held.joint < 0:
        return []
    joint = joints[held.joint]
    clauses = []
    same_angle: dict[str, tuple[str, list[str]]] = {}
    for number in dict.fromkeys(t.held.joint for t in terms if t.held.joint not in (-1, held.joint)):
        other = joints[number]
        angle, direction = angular_misalignment(problem, joint, other)
        if ALIGNED < angle < INTENDED:
            same_angle.setdefault(f"{angle:.4g}", (array_text(direction), []))[1].append(other.name)
        distance, place = axis_offset(problem, joint, other)
        if {joint.a, joint.b} == {other.a, other.b} and ALIGNED * size < distance < INTENDED * size:
            clauses.append(
                f"{joint.name} is {distance:.4g} m off the axis of {other.name}; "
                f"to align them, move {joint.name} to {array_text(place)} (world axes), or move {other.name}"
            )
    for angle_text, (direction_text, names) in same_angle.items():
        clauses.append(
            f"{joint.name} is {angle_text} rad from parallel to {enumerated(names)}; to make them parallel, "
            f"align {joint.name} with {direction_text} (world axes), or align the others with it"
        )
    return clauses


def angular_misalignment(problem: Problem, joint: JointInfo, other: JointInfo) -> tuple[float, Array]:
    """Angle [rad] between the axes of two joints, and the axis that makes `joint` parallel (3,), world axes.

    The angle is infinite if one of them has no axis.
    """
    (_, u), (_, w) = axis_of(problem, joint), axis_of(problem, other)
    if u is None or w is None:
        return np.inf, np.zeros(3)
    return float(np.arctan2(np.linalg.norm(np.cross(u, w)), abs(u @ w))), w if u @ w > 0.0 else -w


def rounded_angle(problem: Problem, held: RowDirection, terms: tuple[Term, ...]) -> float:
    """Largest angle [rad] below ROUNDED by which axes miss being parallel or perpendicular, or 0."""
    numbers = {t.held.joint for t in terms} | {held.joint}
    found = [axis_of(problem, problem.names.joints[k])[1] for k in sorted(numbers - {-1})]
    axes = np.array([axis for axis in found if axis is not None]).reshape(-1, 3)
    sines = np.linalg.norm(np.cross(axes[:, None], axes[None, :]), axis=2)
    angles = np.arcsin(np.minimum([sines, np.abs(axes @ axes.T)], 1.0))
    return float(angles[(angles > ALIGNED) & (angles < ROUNDED)].max(initial=0.0))


def axis_offset(problem: Problem, joint: JointInfo, other: JointInfo) -> tuple[float, Array]:
    """Distance [m] of a joint from the axis of another, and its aligned position (3,) [m], world axes.

    The distance is infinite for rods, and if neither joint has an axis.
    """
    (x, u), (y, w) = axis_of(problem, joint), axis_of(problem, other)
    offsets = [(y - x) - ((y - x) @ n) * n for n in (w, u) if n is not None]
    if not offsets or is_rod(joint) or is_rod(other):
        return np.inf, x
    least = min(offsets, key=np.linalg.norm)
    return float(np.linalg.norm(least)), x + least


def is_rod(joint: JointInfo) -> bool:
    """Whether the joint has a single row, as a rod has."""
    return len(joint.rows) <= 1


def axis_of(problem: Problem, joint: JointInfo) -> tuple[Array, Array | None]:
    """Position (3,) [m] and axis (3,) of a joint, world axes; the axis is None if no direction is special.

    The axis of a rod points from end to end.
    """
    markers = problem[Markers]
    x, R = markers.x.reshape(-1, 3), markers.R.reshape(-1, 3, 3)
    a, b = joint.markers[0], joint.markers[-1]
    span = x[b] - x[a]
    if len(joint.rows) == 1 and np.linalg.norm(span) > 1e-9 * problem.names.size:
        return x[a], span / np.linalg.norm(span)
    free = [
        {name[-1] for name in joint.free_directions if name.startswith(kind)}
        for kind in ("translation", "rotation")
    ]
    return x[b], R[a][:, 2] if {"z"} in free or {"x", "y"} in free else None
