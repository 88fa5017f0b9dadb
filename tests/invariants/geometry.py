"""Gaps between the shapes of a scene, by coal."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any, NamedTuple

import coal
import numpy as np
from generated import Scene
from hollow_solids import SOLIDS
from images import rotation
from mechanics import GROUND, Pose
from recorded import Run
from scipy.spatial import ConvexHull

Array = Any
#: gaps by coal are so exact [m]; those of two polyhedra with parallel faces depend so much on their order
EXACT, FLUSH = 1e-9, 1e-6
#: shapes to whose distances coal converges slowly
ROUND = ("cylinder", "cone", "ellipsoid")


class Placed(NamedTuple):
    body: str  # or "ground"
    shape: list[tuple[Any, Pose]]  # of coal, convex ones with their places in it; [] of others
    place: Pose  # in the axes of the body, about its mass centre
    flat: bool  # whether it is a polyhedron
    round: bool  # whether it is one of `ROUND`
    arm: float  # how far its surface is from its frame, 0 of a sphere [m]
    collides: bool


def polyhedron(points: Array) -> Any:
    """The convex hull of points (n, 3)."""
    hull = ConvexHull(points)
    vertices, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    for point in points:
        vertices.append(np.array(point, float))
    for triangle, outward in zip(hull.simplices, hull.equations[:, :3]):
        a, b, c = points[triangle]
        order = triangle if np.cross(b - a, c - a) @ outward > 0.0 else triangle[::-1]
        triangles.append(coal.Triangle(*map(int, order)))
    return coal.Convex(vertices, triangles)


def pieces(shape: dict[str, Any]) -> list[tuple[Any, Pose]]:
    """Convex shapes of which a shape consists, with their places in it."""
    if shape["type"] == "mesh":
        boxes = SOLIDS[shape["file"]].boxes
        return [(coal.Box(*(b - a)), Pose(0.5 * (a + b), np.eye(3))) for a, b in boxes]
    one = made(shape)
    return [] if one is None else [(one, GROUND)]


def made(shape: dict[str, Any]) -> Any:
    match shape["type"]:
        case "sphere":
            return coal.Sphere(shape["radius"])
        case "box":
            return coal.Box(*map(float, shape["size"]))
        case "capsule":
            return coal.Capsule(shape["radius"], shape["length"])
        case "plane":
            return coal.Halfspace(np.array([0.0, 0.0, 1.0]), 0.0)
        case "cylinder":
            return coal.Cylinder(shape["radius"], shape["length"])
        case "cone":
            return coal.Cone(shape["radius"], shape["length"])
        case "ellipsoid":
            return coal.Ellipsoid(*map(float, shape["radii"]))
        case "convex":
            return polyhedron(np.array(shape["points"], float))
        case _:
            return None


def radius(shape: dict[str, Any]) -> float:
    """Of a sphere about the origin of the shape that holds it [m]."""
    match shape["type"]:
        case "box":
            return 0.5 * float(np.linalg.norm(shape["size"]))
        case "capsule":
            return float(shape["radius"]) + 0.5 * float(shape["length"])
        case "cylinder" | "cone":
            return float(np.hypot(shape["radius"], 0.5 * shape["length"]))
        case "ellipsoid":
            return float(max(shape["radii"]))
        case "mesh":
            return SOLIDS[shape["file"]].radius()
        case "convex":
            return float(np.linalg.norm(shape["points"], axis=1).max())
        case _:
            return float(shape["radius"])


class Shapes:
    """The shapes of a scene, in the order of results: those of each body, then those of the ground."""

    def __init__(self, scene: Scene, run: Run) -> None:
        self.placed: list[Placed] = []
        solids = [shape for body in scene.bodies for shape in body.shapes if shape.get("collide", True)]
        solids += [shape for shape in scene.ground if shape["type"] != "plane"]
        #: radius of the smallest shape [m]
        self.least = min(map(radius, solids), default=1.0)
        centre = {body.name: body.centre for body in run.bodies}
        for body in scene.bodies:
            for shape in body.shapes:
                self.add(body.name, shape, centre[body.name], body.collide and shape.get("collide", True))
        for shape in scene.ground:
            self.add("ground", shape, np.zeros(3), True)
        joined = {frozenset((one.a, one.b)) for one in scene.joints}
        held = {one.b for one in scene.joints if one.type == "fixed" and one.a == "ground"}
        joined = {pair for pair in joined if "ground" not in pair} | {
            frozenset(("ground", one)) for one in held
        }
        apart = lambda i, j: frozenset((self.placed[i].body, self.placed[j].body)) in joined
        self.pairs = [
            (i, j)
            for i, j in combinations(range(len(self.placed)), 2)
            if self.placed[i].body != self.placed[j].body and not apart(i, j)
            if self.placed[i].collides and self.placed[j].collides
        ]
        self.request = coal.DistanceRequest()
        self.request.enable_signed_distance = True
        self.request.gjk_tolerance = self.request.epa_tolerance = 1e-12
        self.request.gjk_max_iterations = self.request.epa_max_iterations = 1000

    def add(self, body: str, shape: dict[str, Any], centre: Array, collides: bool) -> None:
        place = np.array(shape.get("position", np.zeros(3)), float) - centre
        q = shape.get("orientation", {"quaternion": [1.0, 0.0, 0.0, 0.0]})["quaternion"]
        solid = pieces(shape)
        pose = Pose(place, rotation(q))
        collides = collides and bool(solid)
        arm = 0.0 if shape["type"] in ("sphere", "plane") or not collides else radius(shape)
        flat = shape["type"] in ("box", "convex", "mesh")
        self.placed.append(Placed(body, solid, pose, flat, shape["type"] in ROUND, arm, collides))

    def pose(self, i: int, poses: dict[str, Pose]) -> Pose:
        one = self.placed[i]
        body = poses.get(one.body, GROUND)
        return Pose(body.x + body.R @ one.place.x, body.R @ one.place.R)

    def arm(self, i: int) -> float:
        """How far points of a shape that is no sphere are from its body's mass centre [m]; 0 of a sphere."""
        one = self.placed[i]
        return one.arm + float(np.linalg.norm(one.place.x))

    def exact(self, i: int, j: int) -> float:
        """How exact gaps of two shapes are [m]."""
        one, other = self.placed[i], self.placed[j]
        return FLUSH if (one.flat and other.flat) or one.round or other.round else EXACT

    def gap(self, i: int, j: int, poses: dict[str, Pose]) -> float:
        """Between two shapes, negative where they overlap [m]."""
        sides = []
        for k in (i, j):
            x, R = self.pose(k, poses)
            solids = self.placed[k].shape
            sides.append([(one, coal.Transform3s(R @ at.R, x + R @ at.x)) for one, at in solids])
        gap = lambda a, b: float(coal.distance(*a, *b, self.request, coal.DistanceResult()))
        return min(gap(a, b) for a, b in product(*sides))
