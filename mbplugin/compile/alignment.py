"""Joint axes that are parallel, perpendicular or equal within `[scene] angle_tolerance` are made exactly so.

A loop of hinges moves only if their axes are exactly parallel. Angles that a file gives with a few digits,
such as 1.5708, leave them apart by 1e-6 rad, and the loop locks. Markers of joints are therefore rotated,
each by at most the tolerance, as they stand at t = 0:

    z ← ±d          for a direction d of an earlier joint within the tolerance of ±z
    z ← (1 − P) z   for the directions, spanned by P, that are perpendicular to z within the tolerance
    x               likewise, in the plane perpendicular to the new z

Along each axis of a joint, markers that are apart by no more than such a rotation of their bodies makes are
moved together.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mbplugin.compile.frames import Frame
from mbplugin.errors import listed
from mbplugin.tables.spec import Array

#: |cosine| below which two directions that were made perpendicular are so; changes [rad, m] that are reported
EXACT, REPORTED = 1e-14, 1e-12


class Alignment:
    """The directions of the joints so far, and what was changed."""

    def __init__(self, tolerance: float) -> None:
        self.tolerance = tolerance  # [rad]
        self.directions = np.zeros((0, 3))  # unit vectors, world axes at t = 0
        self.rotated: dict[str, float] = {}  # joint -> largest rotation of a marker [rad]
        self.moved: dict[str, float] = {}  # joint -> largest displacement of a marker [m]

    def of(self, joint: str, frames: Sequence[Frame], origins: Sequence[Array]) -> tuple[Frame, ...]:
        """The frames of a joint's markers, aligned. origins: of their bodies (3,) [m]."""
        first, aligned = frames[0], []
        for frame, origin in zip(frames, origins):
            R = self.axes(frame.R)
            lever = np.linalg.norm(frame.x - origin) + np.linalg.norm(first.x - origins[0])
            gap = (first.x - frame.x) @ R  # along its axes
            gap[np.abs(gap) > self.tolerance * lever] = 0.0
            note(self.rotated, joint, float(np.abs(R - frame.R).max()))
            note(self.moved, joint, float(np.abs(gap).max()))
            aligned.append(Frame(frame.body, frame.x + R @ gap, R, frame.marker))
        return tuple(aligned)

    def axes(self, R: Array) -> Array:
        """(3, 3) axes as columns, aligned; they become directions for those that follow."""
        z = self.aligned(R[:, 2], self.directions)
        self.add(z)
        x = unit(R[:, 0] - (R[:, 0] @ z) * z)
        across = self.directions[np.abs(self.directions @ z) < EXACT]
        x = self.aligned(x, np.vstack([across, np.cross(z, across)]))
        x = unit(x - (x @ z) * z)
        self.add(x)
        return np.column_stack([x, np.cross(z, x), z])

    def add(self, d: Array) -> None:
        if not (np.abs(self.directions @ d) > 1.0 - EXACT).any():
            self.directions = np.vstack([self.directions, d])

    def aligned(self, u: Array, directions: Array) -> Array:
        """The unit vector u (3,), made parallel or perpendicular to `directions` (n, 3)."""
        cosine = directions @ u
        sine = np.linalg.norm(np.cross(directions, u), axis=1)
        if len(sine) and sine.min() <= self.tolerance:
            nearest = int(np.argmin(sine))
            return directions[nearest] * np.sign(cosine[nearest])
        basis: list[Array] = []
        changed = u
        for d in directions[np.abs(cosine) <= self.tolerance]:
            new = d - sum((d @ b) * b for b in basis)
            if np.linalg.norm(new) <= self.tolerance:
                continue
            trial = unit(changed - (changed @ unit(new)) * unit(new))
            # directions that are nearly the same may not turn it far
            if np.linalg.norm(trial - u) <= self.tolerance:
                basis.append(unit(new))
                changed = trial
        return changed

    def remarks(self) -> list[str]:
        """A line about what was changed; none if nothing was."""
        lines = []
        for changed, what, unit in (
            (self.rotated, "axes of joints were rotated to be parallel or perpendicular", "rad"),
            (self.moved, "points of joints were moved together", "m"),
        ):
            joints = [name for name, value in changed.items() if value > REPORTED]
            if joints:
                most = f"by at most {max(changed.values()):.3g} {unit}"
                lines.append(f"angle_tolerance: {what}, {most}: {listed(joints, 5)}")
        return lines


def note(largest: dict[str, float], joint: str, value: float) -> None:
    largest[joint] = max(largest.get(joint, 0.0), value)


def unit(v: Array) -> Array:
    return np.asarray(v / np.linalg.norm(v))
