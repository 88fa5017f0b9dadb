"""The extent of the motion that the camera has to see, sampled over frames and surfaces, and its plane."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.decoder.nodal import NodalMesh, nodal_meshes
from mbplugin.decoder.rotation import Array, rotation
from mbplugin.errors import StoreError
from mbplugin.export.geometry import Geometry, outline
from mbplugin.export.lines import Curves
from mbplugin.export.state import upwards
from mbplugin.results import RawResult
from mbplugin.viz.culprits import frames_in_sight
from mbplugin.viz.lines import looks_of_lines, rope_arcs
from mbplugin.viz.places import SHOWN, mass_centres

#: frames from which the extent of the motion is computed, directions in which the outermost points of a mesh
#: are taken, and about how many such points there are in a frame and in all frames
SAMPLES, DIRECTIONS, OUTLINE, POINTS = 60, (6, 500), 30_000, 600_000
#: distance from the origin, in sizes of the scene, from which the local origin is elsewhere; extent of a
#: motion, in distances from the origin, that is rounding
FAR, ROUNDING = 100.0, 1e-12
#: what is seen around a followed body, in sizes of the bodies about it, and at most in its own size
SURROUNDINGS, CLOSE = 1.6, 2.6


class Motion:
    """Sampled points of a result, in the world, without damaged frames. Raises StoreError if all are.

    points: (n, 3) of all samples [m]
    size:   largest extent along an axis [m]
    origin: (3,) of the local coordinates: the world's, or the middle of a motion far from it
    normal: (3,) of the plane of a motion that is seen straight, else None
    """

    def __init__(self, raw: RawResult, static: dict[str, Any]) -> None:
        shapes = max(1, len(static.get("shapes/body", ())))
        hull = Geometry(outline(static, max(DIRECTIONS[0], min(OUTLINE // shapes, DIRECTIONS[1]))))
        frames = frames_in_sight(raw)
        count = min(frames, max(2, min(SAMPLES, POINTS // max(1, len(hull)))))
        #: of each sample: index of the frame, points of bodies, points of joints, lines and the ground
        self.samples: list[tuple[int, Array, Array]] = []
        bodies, ground = hull.ends & (hull._owner >= 0), hull.ends & (hull._owner < 0)
        self.owner = hull._owner[bodies]  # of each point of bodies
        looks, curves, damage = looks_of_lines(raw), Curves(static), None
        places, turns, meshes = [], [], nodal_meshes(static)
        for i in np.unique(np.linspace(0, frames - 1, count).astype(int)):
            try:
                frame = raw.frame(int(i), [key for key in SHOWN if key in raw])
            except StoreError as error:
                damage = error
                continue
            points = hull.positions(frame)[0]
            places.append(mass_centres(frame))
            turns.append(rotation(frame["bodies/orientation"]))
            of_bodies, others = points[bodies] if bodies.any() else mass_centres(frame), [points[ground]]
            if raw.names("joints"):
                others.append(frame["joints/position"])
            if raw.names("lines"):
                others += curves.at(frame)
                others += [points for _, points in rope_arcs(looks, frame["lines/ends"])]
            others += nodes_at(raw, meshes, int(i))
            self.samples.append((int(i), of_bodies, finite(np.concatenate(others))))
        if damage is not None and not self.samples:
            raise damage
        self.points = finite(np.concatenate([part for _, *parts in self.samples for part in parts]))
        low, high = self.points.min(axis=0), self.points.max(axis=0)
        middle, extent = 0.5 * (low + high), float((high - low).max())
        distance = float(np.abs(self.points).max())
        self.size = extent if extent > ROUNDING * distance else max(distance, 1.0)
        self.origin = middle if np.linalg.norm(middle) > FAR * self.size else np.zeros(3)
        up, gravity = upwards(raw.gravity), bool(np.any(raw.gravity))
        self.normal = plane_of_motion(np.array(places), np.array(turns), self.points, up, gravity)

    def around(self, path: Array, body: int) -> Array:
        """(n, 3) points about a followed body [m], each with its mirror image, so that it is in the middle:
        those of the bodies at the sample where they are nearest to it, or its own, enlarged.

        path: (frames, 3) positions of the followed point
        """
        relative = [finite(of_bodies - path[i]) for i, of_bodies, _ in self.samples]
        nearest = SURROUNDINGS * min(relative, key=lambda points: float(np.abs(points).max()))
        index, of_bodies, _ = self.samples[0]
        own = CLOSE * finite((of_bodies - path[index])[self.owner == body])
        closer = np.abs(own).max(initial=0.0)
        seen = own if 0.0 < closer < np.abs(nearest).max() else nearest
        return np.concatenate([seen, -seen])


def nodes_at(raw: RawResult, meshes: list[NodalMesh], i: int) -> list[Array]:
    """(n, 3) nodes of the surface of each body that has nodes, in frame i [m], world."""
    if not meshes:
        return []
    moved = raw.frame(i, ["nodes/displacement"])["nodes/displacement"]
    parts = [np.unique(mesh.triangles) if len(mesh.triangles) else slice(None) for mesh in meshes]
    return [(mesh.rest + moved[mesh.nodes])[part] for mesh, part in zip(meshes, parts)]


def finite(points: Array) -> Array:
    """The rows of (n, 3) points that have no NaN."""
    return np.asarray(points[np.isfinite(points).all(axis=1)])


#: displacement along the normal in the largest one, and change of a unit vector, that are rounding
PLANAR = 1e-6
#: extent along the normal, in the second largest one, of what is flat
FLAT = 0.5


def plane_of_motion(places: Array, turns: Array, points: Array, up: Array, gravity: bool) -> Array | None:
    """(3,) the normal of a flat planar motion, which is seen straight; None of other ones. With gravity only
    if it is `up`, and no other plane serves as well. A motion is planar with the normal n if no mass centre
    moves along n and no body turns about another axis.

    places: (samples, bodies, 3) of mass centres [m]
    turns:  (samples, bodies, 3, 3) rotations
    points: (n, 3) of everything [m]
    """
    moved = (places - places[:1]).reshape(-1, 3)
    turned, spread = turns - turns[:1], np.ptp(points, axis=0)
    if not (np.isfinite(moved).all() and np.isfinite(turned).all()):
        return None
    moves = np.abs(moved).max(initial=0.0) > PLANAR * spread.max()
    if not moves and np.abs(turned).max(initial=0.0) <= PLANAR:
        return None
    normals = [normal for normal in candidates(moved) if is_planar(normal, moved, turned)]
    if not normals or (gravity and (len(normals) > 1 or abs(normals[0] @ up) < 0.999)):
        return None
    along = [float(np.ptp(points @ normal)) for normal in normals]
    thinnest = int(np.argmin(along))
    return normals[thinnest] if along[thinnest] < FLAT * np.sort(spread)[1] else None


def candidates(moved: Array) -> list[Array]:
    """The world axes, and the normal of displacements (n, 3) that are in another plane."""
    axes = list(np.eye(3))
    _, sizes, directions = np.linalg.svd(moved.T @ moved)
    last = directions[2]
    oblique = sizes[1] > 1e-6 * sizes[0] and np.abs(last).max() < 1.0 - PLANAR
    return [*axes, last] if oblique else axes


def is_planar(normal: Array, moved: Array, turned: Array) -> bool:
    """Whether displacements (n, 3) and changes of rotation matrices (..., 3, 3) leave a normal as it is."""
    along, size = float(np.abs(moved @ normal).max(initial=0.0)), float(np.abs(moved).max(initial=0.0))
    return along <= PLANAR * size and float(np.abs(turned @ normal).max(initial=0.0)) <= PLANAR
