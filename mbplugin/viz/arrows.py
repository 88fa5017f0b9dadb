"""Forces as arrows of one scale.

Arrows are as long as their force up to `LONGEST`. From there they grow with its logarithm, with a broken
shaft, so that an impact hides nothing and the larger of two forces has the longer arrow.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.viz.forces import Source
from mbplugin.viz.meshes import points_mesh, regular_mesh
from mbplugin.viz.places import Array, Snapshot

#: length of an arrow of the usual force, and the longest in proportion to its force, in sizes of the scene
USUAL, LONGEST = 1.0 / 6.0, 0.4
#: growth beyond: L = longest (1 + GROWTH ln(F / F_longest))
GROWTH = 0.15
#: largest length of a tip, in sizes of the scene, and in lengths of its arrow
TIP, TIP_SHARE = 0.045, 0.25
#: radii of tip and shaft in lengths of the tip; corners around
TIP_RADIUS, SHAFT_RADIUS, AROUND = 0.32, 0.11, 12
#: from where to where the shaft of a broken arrow is drawn, in its lengths
PIECES = ((0.0, 0.42), (0.47, 0.52), (0.57, 1.0))


class ForceScale:
    """Length of an arrow over its force, the same in all frames of a result."""

    def __init__(self, usual: float, size: float) -> None:
        """usual: force whose arrow has the length `USUAL` [N]; size: of the scene [m]."""
        self.size = size
        self.factor = USUAL * size / usual if usual > 0.0 else 0.0  # [m/N]

    def arrows(self, force: Any) -> Array:
        """(n, 3) arrows of forces (n, 3) [m]."""
        arrows = np.asarray(force, float).reshape(-1, 3) * self.factor
        share = np.linalg.norm(arrows, axis=1) / (LONGEST * self.size)
        longer = np.maximum(share, 1.0)
        return np.asarray(arrows * ((1.0 + GROWTH * np.log(longer)) / longer)[:, None])

    def broken(self, force: Any) -> Array:
        """(n,) whether the arrows of forces (n, 3) are shorter than their forces ask."""
        size = np.linalg.norm(np.asarray(force, float).reshape(-1, 3), axis=1)
        return np.asarray(size * self.factor > LONGEST * self.size * (1.0 + 1e-9))


class ForceArrows:
    """The arrows of one source, over the bodies.

    heads:  (n, 3) ends of the arrows of the present frame, local [m]
    shafts: (m, 3) points along them
    """

    def __init__(self, stage: Any, source: Source) -> None:
        self.scale, self.source = stage.scale, source
        self.heads = self.shafts = np.zeros((0, 3))
        #: of each kind: points and arrows
        self.meshes = []
        for _, colour in source.kinds:
            points, arrows = points_mesh(), points_mesh()
            stage.show_over_bodies(points, colour, dot=7)
            stage.show_over_bodies(arrows, colour)
            self.meshes.append((points, arrows))
        #: size of the largest force that is shown [N]
        self.largest = 0.0

    def show(self, snapshot: Snapshot) -> None:
        """Move points and arrows to a frame."""
        point, force, kind = self.source.at(snapshot.index, snapshot.frame)
        starts, drawn, broken = snapshot.local(point), self.scale.arrows(force), self.scale.broken(force)
        for k, (points, arrows) in enumerate(self.meshes):
            at = kind == k
            if self.source.dots:
                points.copy_from(points_mesh(starts[at]))
            arrows.copy_from(arrow_mesh(starts[at], drawn[at], broken[at], TIP * self.scale.size))
        there = drawn.any(axis=1)
        self.heads = (starts + drawn)[there]
        self.shafts = np.concatenate([(starts + share * drawn)[there] for share in (0.2, 0.4, 0.6, 0.8)])
        self.largest = float(np.linalg.norm(force, axis=1).max(initial=0.0))


def arrow_mesh(starts: Array, arrows: Array, broken: Array, tip: float) -> Any:
    """A mesh of arrows (n, 3) from their starts (n, 3); broken: (n,); tip: largest length of one [m]."""
    length = np.linalg.norm(arrows, axis=1)
    there = length > 0.0
    parts = [
        surface(starts[chosen], arrows[chosen], np.minimum(tip, TIP_SHARE * length[chosen]), pieces)
        for chosen, pieces in ((there & ~broken, ((0.0, 1.0),)), (there & broken, PIECES))
        if chosen.any()
    ]
    if not parts:
        return points_mesh()
    counts = np.cumsum([0, *(len(points) for points, _ in parts)])
    faces = [quads + start for (_, quads), start in zip(parts, counts)]
    return regular_mesh(np.concatenate([points for points, _ in parts]), np.concatenate(faces))


def surface(
    starts: Array, arrows: Array, tip: Array, pieces: tuple[tuple[float, float], ...]
) -> tuple[Array, Array]:
    """Points (k, 3) and quadrilaterals (m, 4) of arrows (n, 3), whose tips have the lengths (n,) and whose
    shafts have these pieces.
    """
    length = np.linalg.norm(arrows, axis=1)
    axis = arrows / length[:, None]
    first = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis), axis=1)])
    first /= np.linalg.norm(first, axis=1)[:, None]
    second = np.cross(axis, first)
    angle = 2.0 * np.pi * np.arange(AROUND) / AROUND
    around = first[:, None] * np.cos(angle)[:, None] + second[:, None] * np.sin(angle)[:, None]
    shaft, nothing = SHAFT_RADIUS * tip, np.zeros_like(tip)
    # profiles: pairs of place along the arrow and radius, each of arrows (n,)
    profiles = [
        [(begin * (length - tip), nothing), (begin * (length - tip), shaft), (end * (length - tip), shaft)]
        for begin, end in pieces
    ]
    for profile in profiles[:-1]:
        profile.append((profile[-1][0], nothing))
    profiles[-1] += [(length - tip, TIP_RADIUS * tip), (length, nothing)]
    points, quads, count = [], [], 0
    for profile in profiles:
        rings = np.array([starts[:, None] + at[:, None, None] * axis[:, None] + radius[:, None, None] * around
                          for at, radius in profile])  # fmt: skip
        index = count + np.arange(rings[..., 0].size).reshape(rings.shape[:-1])
        after = np.roll(index, -1, axis=2)
        quads.append(np.stack([index[:-1], after[:-1], after[1:], index[1:]], axis=-1).reshape(-1, 4))
        points.append(rings.reshape(-1, 3))
        count += len(points[-1])
    return np.concatenate(points), np.concatenate(quads)
