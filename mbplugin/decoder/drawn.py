"""The shapes of a result and where they are in a frame.

x = x_b + A s,   R_shape = R Q,   ẋ = v + ω × R s, of bodies that deform v + Ḟ s

A: R of a rigid body, the deformation gradient F of one that deforms homogeneously; x_b, R, v, ω: origin and
rotation of the body frame and its velocities; s, Q: place of the shape's mesh in the body frame. The ground
is body -1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .colours import default_colours
from .deformed import GRADIENT, RATE, bodies_that_deform, maps_of_bodies
from .rotation import Array, cross, product, rotation, with_ground

#: frame arrays that a picture of the bodies needs
POSES = ("time", "bodies/position", "bodies/orientation", GRADIENT)


class Drawn:
    """The visible shapes of `static` (see `ResultWriter`), one row each.

    body:        (n,) -1: the ground
    mesh:        (n,) index into `meshes`
    scale:       (n, 3) factors along the axes of the mesh
    orientation: (n, 4) quaternion (w, x, y, z), mesh to body frame
    endless:     (n,) whether the shape is a plane, of which the mesh is a part
    meshes:      points (k, 3) [m] and triangles (m, 3) of each mesh
    deformed:    bodies that deform homogeneously, and their shapes with them
    bare:        bodies without a shape
    bare_centre: (len(bare), 3) their mass centres in the body frames [m]
    """

    def __init__(self, static: Mapping[str, Any]) -> None:
        nb = self.bodies = len(static["bodies/name"])
        n = len(static.get("shapes/body", ()))
        visible = np.asarray(static.get("shapes/visible", np.ones(n)), bool)
        self.body = np.asarray(static.get("shapes/body", ()), np.int64)[visible]
        self.mesh = np.asarray(static.get("shapes/mesh", ()), np.int64)[visible]
        self.position = np.asarray(static.get("shapes/position", ()), float).reshape(n, 3)[visible]
        self.orientation = np.asarray(static.get("shapes/orientation", ()), float).reshape(n, 4)[visible]
        self.scale = np.asarray(static.get("shapes/scale", ()), float).reshape(n, 3)[visible]
        self.endless = np.array([kind == "plane" for kind in static.get("shapes/type", ())], bool)[visible]
        self.given_color = np.asarray(static.get("shapes/color", ()), float).reshape(n, 3)[visible]
        self.meshes = meshes(static)
        self.deformed = bodies_that_deform(static)
        self.bare = np.setdiff1d(np.arange(nb), self.body)
        centres = np.asarray(static["bodies/local_center_of_mass"], float).reshape(nb, 3)
        self.bare_centre = centres[self.bare]

    def __len__(self) -> int:
        """Number of shapes."""
        return len(self.body)

    def colours(self) -> Array:
        """(n, 3) red, green and blue from 0 to 255: as given, else by the number of the body."""
        given = np.isfinite(self.given_color).all(axis=1)[:, None]
        return np.where(
            given, np.round(255.0 * np.nan_to_num(self.given_color)), default_colours(self.body)
        ).astype(np.uint8)

    def axes(self) -> Array:
        """(n, 3, 3) rotation of each mesh into its body frame."""
        return rotation(self.orientation)

    def places(self, frame: Mapping[str, Array]) -> tuple[Array, Array]:
        """(n, 3) origins [m] and (n, 4) quaternions (w, x, y, z) of the meshes in the world."""
        return self.arms(frame)[0], product(self.turns(frame), self.orientation)

    def turns(self, frame: Mapping[str, Array]) -> Array:
        """(n, 4) quaternions of the bodies that own the shapes."""
        return with_ground(frame["bodies/orientation"], np.array([1.0, 0.0, 0.0, 0.0]))[self.body]

    def arms(self, frame: Mapping[str, Array]) -> tuple[Array, Array]:
        """(n, 3) origins of the meshes in the world, and from those of the body frames to them [m]."""
        A = rotation(self.turns(frame))
        if len(self.deformed):
            A = with_ground(maps_of_bodies(frame, self.deformed), np.eye(3))[self.body]
        arm = np.einsum("nij,nj->ni", A, self.position)
        return with_ground(frame["bodies/position"], np.zeros(3))[self.body] + arm, arm

    def velocities(self, frame: Mapping[str, Array]) -> Array:
        """(n, 3) of the meshes' origins, world axes [m/s]."""
        v = with_ground(frame["bodies/velocity"], np.zeros(3))[self.body]
        w = with_ground(frame["bodies/angular_velocity"], np.zeros(3))[self.body]
        rates = cross(w, self.arms(frame)[1])
        if len(self.deformed):
            put_rates(rates, self.position, self.body, frame, self.deformed)
        return v + rates


def put_rates(rates: Array, points: Array, owner: Array, frame: Mapping[str, Array], deformed: Array) -> None:
    """Put Ḟ s in the place of the rates (n, 3) of points s of `deformed` bodies; owner: (n,) bodies."""
    for F_dot, body in zip(np.asarray(frame[RATE]).reshape(-1, 3, 3), deformed):
        rates[owner == body] = points[owner == body] @ F_dot.T


def meshes(static: Mapping[str, Any]) -> list[tuple[Array, Array]]:
    """(points (k, 3), triangles (m, 3)) of each mesh."""
    points = np.asarray(static.get("meshes/points", ()), float).reshape(-1, 3)
    triangles = np.asarray(static.get("meshes/triangles", ()), np.int64).reshape(-1, 3)
    stops = np.asarray(static.get("meshes/point_stop", ()), np.int64)
    triangle_stops = np.asarray(static.get("meshes/triangle_stop", ()), np.int64)
    return list(zip(np.split(points, stops)[:-1], np.split(triangles, triangle_stops)[:-1]))
