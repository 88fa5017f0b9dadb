"""Planar bodies touch with their outlines: the sections of shapes by the plane of the scene, found once."""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from mbplugin.errors import PluginError, SceneError
from mbplugin.interface import Array, Outline
from mbplugin_contact.geometry.tables import MAX_VERTICES, perpendicular

#: places of shapes that have no outline: those of bodies that are not planar; of the ground beside the plane
SPATIAL, BESIDE = -1, -2
#: corners nearer to a line than this part of the size lie on it; the plane meets what is nearer than that
ON_LINE = 1e-10
#: cosine of the angle of an axis to the plane, or to its normal, that is rounding
PARALLEL = 1e-9


class OutlineRecord(NamedTuple):
    """Outline of a shape. Its corners are in `Contacts.hull_vertex`, in the frame of the shape,
    counter-clockwise about the plane's normal; of a half-plane a point of its line, then its outward normal.
    """

    first: int  # place of the first corner; SPATIAL or BESIDE
    corners: int  # how many; 0: a half-plane
    radius: float  # of the ball about every point [m]


def section_of_hull(points: Array, triangles: Array, normal: Array, distance: float) -> Outline:
    """The section of a convex polyhedron: points (n, 3) and triangles (m, 3) of its surface."""
    height = points @ normal - distance
    height[np.abs(height) <= ON_LINE * np.abs(points).max()] = 0.0
    sides = np.vstack([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    edges = np.unique(np.sort(sides), axis=0)
    a, b = edges[height[edges[:, 0]] * height[edges[:, 1]] < 0.0].T
    part = (height[a] / (height[a] - height[b]))[:, None]
    return Outline(np.vstack([points[height == 0.0], points[a] + part * (points[b] - points[a])]))


def disc_section(radius: float, normal: Array, distance: float) -> Outline:
    """The section of a ball about the origin."""
    if abs(distance) >= radius:
        return Outline(np.zeros((0, 3)))
    return Outline((distance * normal)[None], sqrt(radius * radius - distance * distance))


def capsule_section(radius: float, length: float, normal: Array, distance: float) -> Outline | None:
    """The section of a capsule along z whose axis lies in the plane or is normal to it; None: it is oblique,
    with elliptic parts.
    """
    z = np.array([0.0, 0.0, 1.0])
    if abs(normal[2]) <= PARALLEL:
        ball = disc_section(radius, normal, distance)
        if not len(ball.corners):
            return ball
        return Outline(
            np.vstack([ball.corners - 0.5 * length * z, ball.corners + 0.5 * length * z]), ball.radius
        )
    if abs(normal[2]) >= 1.0 - PARALLEL:
        at = distance * normal[2]
        beyond = at - min(max(at, -0.5 * length), 0.5 * length)
        ball = disc_section(radius, z, beyond)
        return Outline(ball.corners + (at - beyond) * z, ball.radius)
    return None


def convex_order(corners: Array, normal: Array) -> Array:
    """Corners (n, 3) of a convex polygon in a plane with this normal, counter-clockwise, without those on
    the edges between others (A. M. Andrew, Inform. Process. Lett. 9 (1979) 216-219).
    """
    if len(corners) < 2:
        return corners
    e = np.array(perpendicular.py_func(tuple(normal)))
    flat = corners @ np.column_stack([e, np.cross(normal, e)])
    size = np.ptp(flat, axis=0).max()
    order = np.lexsort((flat[:, 1], np.round(flat[:, 0] / size, 9)))

    def chain(numbers: Any) -> list[int]:
        kept: list[int] = []
        for k in numbers:
            while kept and np.abs(flat[k] - flat[kept[-1]]).max() <= ON_LINE * size:
                kept.pop()
            while len(kept) > 1:
                u, w = flat[kept[-1]] - flat[kept[-2]], flat[k] - flat[kept[-1]]
                if u[0] * w[1] - u[1] * w[0] > ON_LINE * size * size:
                    break
                kept.pop()
            kept.append(int(k))
        return kept

    lower, upper = chain(order), chain(order[::-1])
    return np.asarray(corners[lower[:-1] + upper[:-1]])


def outline_of(shape: Any) -> Outline:
    """The outline of a shape with a section, its corners in order. Raises SceneError, PluginError."""
    normal, distance = shape.section.own_normal, shape.section.distance
    outline = shape.kind.outline(shape.keys_of_kind, normal, distance)
    if outline is None:
        what = f"a {shape.type} has no section with the plane of planar bodies as this one lies"
        raise SceneError("collide", True, f"{what}; give it `collide = false` and a further shape that has")
    corners, radius = np.asarray(outline.corners, float), float(outline.radius)
    if corners.ndim != 2 or corners.shape[1:] != (3,) or not np.isfinite(corners).all() or not radius >= 0.0:
        raise PluginError(f'shape "{shape.type}": `outline` returns no corners (n, 3) with a radius')
    corners = convex_order(corners, normal)
    if len(corners) > MAX_VERTICES:
        what = f"its section has {len(corners)} corners; there may be {MAX_VERTICES}"
        raise SceneError("collide", True, what)
    if (len(corners) == 2 and radius == 0.0) or (len(corners) == 1 and radius == 0.0):
        corners = corners[:0]  # it touches the plane from the side
    return Outline(corners, radius)


def width_of(outline: Outline, normal: Array) -> float:
    """The smallest distance of two parallel lines between which an outline lies [m]."""
    corners, radius = outline
    heights = [0.0]
    if len(corners) > 2:
        edges = np.roll(corners, -1, axis=0) - corners
        inward = np.cross(normal, edges) / np.linalg.norm(edges, axis=1)[:, None]
        heights = [float(((corners - a) @ m).max()) for a, m in zip(corners, inward)]
    return min(heights) + 2.0 * radius


def half_plane(section: Any) -> Array:
    """(2, 3) a point of the line in which the plane meets that of a half-space, and the outward normal of
    the line, in the frame of the half-space; no rows where both are parallel.
    """
    n = section.own_normal
    across = np.array([0.0, 0.0, 1.0]) - n[2] * n
    length = float(np.linalg.norm(across))
    if length <= ON_LINE:
        return np.zeros((0, 3))
    # on n · p = distance and p_z = 0
    level = np.array([n[0], n[1], 0.0])
    return np.array([section.distance / float(level @ level) * level, across / length])


def outline_tables(shapes: Any, surface: Any, start: int) -> tuple[list[OutlineRecord], Array]:
    """The outlines of all shapes, and their corners (n, 3), which are placed from `start` on.

    surface: of each shape, −1 of those that do not collide
    """
    found, rows = [], [np.zeros((0, 3))]
    for shape, touches in zip(shapes, surface):
        if shape.section is None or touches < 0:
            found.append(OutlineRecord(SPATIAL, 0, 0.0))
            continue
        if shape.kind.bounded:
            corners, radius = outline_of(shape)
            number = len(corners)
        else:
            corners, radius, number = half_plane(shape.section), 0.0, 0
        place = start + sum(map(len, rows)) if len(corners) else BESIDE
        found.append(OutlineRecord(place, number, radius))
        rows.append(corners)
    return found, np.vstack(rows)


def check_outlines(system: Any) -> None:
    """Raises SceneError for a shape of a planar body that has no outline, or lies beside the plane."""
    beside: list[tuple[str, bool]] = []  # of the parts of a mesh one in the plane suffices
    for key, shape in system.colliding():
        if shape.section is None or not shape.kind.bounded:
            continue
        try:
            outline = outline_of(shape)
        except SceneError as error:
            raise SceneError(key, True, error.mend) from None
        if not key.startswith("scene"):
            before = beside.pop()[1] if shape.shown_before > 1 else True
            beside.append((key, before and not len(outline.corners)))
    for key, nothing in beside:
        if nothing:
            what = "this shape lies beside the plane of its planar body, and touches nothing there"
            raise SceneError(key, True, f"{what}; move it into the plane, or give it `collide = false`")
