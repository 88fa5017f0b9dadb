"""Poses of marker b in axes of marker a at which the rows of a joint hold, by Newton's method.

    rows alone            Φ + G_b δ = 0, the least δ
    with coordinates s*   δ = B [−Φ; s* − s],   B = [G_b; J_b]⁻¹

δ is a displacement and a rotation of b; both are made without approximation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from mbplugin.compile.joint_rows import JointRows, Pose
from mbplugin.tables.spec import Array

#: steps of Newton's method, residual before the last one, and largest rotation by one [rad]
STEPS, CONVERGED, MOST_ROTATION = 40, 1e-10, 1.0
ALIGNED = Pose(np.zeros(3), np.eye(3))


def pose_of_rows(rows: JointRows, first: Pose) -> Pose | None:
    """A pose near `first` at which the rows hold; None: it was not found."""

    def step(pose: Pose) -> tuple[Array, Array]:
        values = rows.at(ALIGNED, pose)
        return -values.phi, np.linalg.pinv(values.on_b[: rows.rows]) @ -values.phi

    return newton(step, first)


def pose_at(rows: JointRows, chosen: Sequence[int], s: Array, first: Pose) -> Pose | None:
    """The pose near `first` at which the rows hold and the chosen coordinates are s; None: not found."""
    chosen = list(chosen)

    def step(pose: Pose) -> tuple[Array, Array]:
        values = rows.at(ALIGNED, pose)
        change = without_turns(s - values.s[chosen], rows.periods[chosen])
        residual = np.concatenate([-values.phi, change])
        return residual, np.linalg.solve(matrix(rows, values.on_b, chosen), residual)

    return newton(step, first)


def newton(step: Callable[[Pose], tuple[Array, Array]], pose: Pose) -> Pose | None:
    """The pose at which the residuals are zero. step: residuals and δ (6,) at a pose."""
    for _ in range(STEPS):
        try:
            residual, change = step(pose)
        except np.linalg.LinAlgError:
            return None
        if not np.isfinite(change).all():
            return None
        size = float(np.abs(residual).max(initial=0.0))
        if size == 0.0:
            return pose
        rotation = float(np.sqrt(change[3:] @ change[3:]))
        if rotation > MOST_ROTATION:
            change = change * (MOST_ROTATION / rotation)
        converged = size <= CONVERGED * (1.0 + np.abs(pose.x).max())
        pose = Pose(pose.x + change[:3], rotation_by(change[3:]) @ pose.R)
        if converged:
            # with this last step to rounding
            return pose
    return None


def matrix(rows: JointRows, on_b: Array, chosen: Sequence[int]) -> Array:
    """[G_b; J_b] of the chosen coordinates, or of b replaced by a."""
    return on_b[[*range(rows.rows), *(rows.rows + k for k in chosen)]]


def condition(A: Array) -> float:
    """Condition number of the rows of A at unit length; ∞ if one is zero."""
    length = np.linalg.norm(A, axis=1)
    if not np.isfinite(length).all() or not (length > 0.0).all():
        return np.inf
    size = np.linalg.svd(A / length[:, None], compute_uv=False)
    return float(size[0] / size[-1]) if size[-1] > 0.0 else np.inf


def without_turns(s: Array, periods: Array) -> Array:
    """Differences of coordinates, reduced by full turns."""
    return s - periods * np.round(s / np.where(periods > 0.0, periods, 1.0))


def rotation_by(a: Array) -> Array:
    """(3, 3) the rotation by the vector a [rad]."""
    angle = float(np.sqrt(a @ a))
    K = np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])
    if angle < 1e-8:
        return np.eye(3) + K + 0.5 * K @ K
    half = np.sin(0.5 * angle) / (0.5 * angle)
    return np.eye(3) + np.sin(angle) / angle * K + 0.5 * half * half * K @ K
