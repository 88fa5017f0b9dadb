"""Scenes by seed: bodies that joints hold, forces and motions move, and other shapes stop.

Bodies stand in cells of a grid, so that nothing overlaps at the start; those of the lowest row are a few
millimetres above what they hit, or stand on it. Numbers are thousandths, so that a scene that fails can be
read. `Scene.text` writes images of a scene as well (`images.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scene_text
from hollow_solids import SOLIDS
from images import SAME, Image, rotation

Array = Any
GRAVITY = 9.81
#: edge of a cell, and the largest radius of a body in it [m]
CELL, LARGEST = 0.4, 0.12
SHAPES = ("sphere", "box", "capsule", "convex", "compound")
TREE = ("revolute", "ball", "translational", "fixed", "rod", "universal", "cylindrical", "planar")
MORE_JOINTS = ("point_on_line", "point_on_plane", "screw", "constant_velocity", "parallel", "orientation")
#: joints that a motion drives, and the key of the motion
DRIVEN = {"revolute": "angle", "translational": "length"}
#: joints whose axis is a direction of movement, a polar vector; others rotate about it, or are even in it
POLAR_AXES = ("translational",)
#: joints between mass centres
BETWEEN_CENTRES = ("rod", "rope")
PENALTY = {
    "type": "penalty",
    "stiffness": 2e4,
    "damping": 5.0,
    "angular_stiffness": 200.0,
    "angular_damping": 0.05,
}


@dataclass(frozen=True)
class Kinds:
    """What scenes of a set are made of: machine code is compiled once for each kind, not for each scene."""

    name: str
    shapes: tuple[str, ...] = SHAPES
    joints: tuple[str, ...] = ()
    grounds: tuple[str, ...] = ("plane",)
    bodies: tuple[str, ...] = ("spatial",)
    forces: tuple[str, ...] = ()
    most: int = 6  # bodies
    loop: tuple[str, ...] = ()  # its joints, from the ground around to the ground
    motions: bool = False
    penalty: bool = False
    inputs: bool = False
    damped: bool = True  # springs may have dampers
    restitution: tuple[float, ...] = (0.0, 0.3, 0.8, 1.0)
    friction: tuple[float, float] = (0.0, 1.2)
    solver: str = "contact"
    steps: tuple[float, ...] = (1e-3, 2e-3)
    #: how bodies start: "falling"; "standing": upright, touching, with the velocity of their support or, on
    #: the ground, at rest; "sliding": the same along x; "sunk": overlapping by up to 0.1 mm, at rest
    starts: tuple[str, ...] = ("falling",)
    stacked: float = 0.3  # part of the bodies that are above others
    slopes: tuple[float, ...] = ()  # angles of gravity to the vertical [rad]
    relations: tuple[str, ...] = ()  # of coordinates of joints
    rows: tuple[str, ...] = ()  # supports of balls in a row that touch
    jumps: bool = False  # forces that jump at a time
    bounded: bool = False  # joints have limits, dry friction and clutches
    shifts: bool = False  # speeds of motions jump, some of limited effort; others take turns
    in_turn: float = 0.0  # part of the scenes whose impacts are sequential
    densities: tuple[float, ...] = (300.0, 1000.0, 5000.0)
    spin: float = 4.0  # of bodies that fall, at most [rad/s]
    flat: tuple[str, ...] = ()  # shapes of planar bodies
    hollow: bool = False  # the first body is a concave mesh

    @property
    def floats(self) -> bool:
        """Whether nothing connects the bodies to the ground."""
        return self.grounds == ("none",) and not self.rows and self.solver == "contact"


@dataclass(frozen=True)
class Body:
    name: str
    type: str
    position: Array
    quaternion: Array  # w, x, y, z
    velocity: Array
    spin: Array
    shapes: tuple[dict[str, Any], ...] = ()
    density: float = 1000.0
    mass: float = 0.0  # of points, which have no shape
    collide: bool = True


@dataclass(frozen=True)
class Joint:
    name: str
    type: str
    a: str
    b: str
    at: Array
    axis: Array
    motion: str = ""
    penalty: bool = False
    rate: float = 0.0  # of its motion [rad/s]
    keys: dict[str, Any] = field(default_factory=dict)  # of limits, friction, ...
    shifts: tuple[dict[str, Any], ...] = ()  # keys of motions beside their speed
    speeds: tuple[str, ...] = ()  # of these motions
    jump: float = 0.0  # the time at which the speed jumps, or the motions change [s]


@dataclass(frozen=True)
class Relation:
    """Σ cᵢ ṡᵢ = 0 of coordinates of joints, each the only one of its joint."""

    name: str
    type: str
    joints: tuple[str, ...]
    factors: tuple[float, ...]  # cᵢ

    def keys(self) -> dict[str, Any]:
        match self.type:
            case "gear":
                return {"radii": np.abs(self.factors), "internal": self.factors[1] < 0.0}
            case "rack":
                return {"radius": -self.factors[0]}
            case _:
                return {"factors": list(self.factors)}


@dataclass(frozen=True)
class Force:
    """A spring between two bodies, or a force on one that follows an expression."""

    name: str
    type: str
    a: str
    b: str
    stiffness: float = 0.0
    damping: float = 0.0
    length: float = 0.0
    anchor: Array = (0.0, 0.0, 0.0)  # on the ground
    direction: Array = (0.0, 0.0, 0.0)
    law: str = ""
    rate: float = 0.0  # of its law [rad/s]
    jump: float = 0.0  # the time at which its law jumps [s]


@dataclass(frozen=True)
class Scene:
    seed: int
    kinds: Kinds
    bodies: tuple[Body, ...]
    joints: tuple[Joint, ...]
    forces: tuple[Force, ...]
    ground: tuple[dict[str, Any], ...]
    restitution: float
    friction: float
    friction_static: float
    step: float
    inputs: tuple[tuple[str, float], ...] = ()
    gravity: Array = (0.0, 0.0, -GRAVITY)
    keys: dict[str, Any] = field(default_factory=dict)  # further ones of the solver
    relations: tuple[Relation, ...] = ()
    start: str = "falling"

    @property
    def in_turn(self) -> bool:
        """Whether its impacts are sequential."""
        # drawn apart, so that scenes with other numbers stay what they are
        rng = np.random.default_rng([self.seed, *self.kinds.name.encode(), *b"impact"])
        return self.collides and bool(rng.random() < self.kinds.in_turn)

    @property
    def coordinates(self) -> str:
        """Of the states of `rk` and `galpha`: those of the joints in half of their scenes."""
        rng = np.random.default_rng([self.seed, *self.kinds.name.encode(), *b"coordinates"])
        return "joint" if rng.random() < 0.5 else "maximal"

    @property
    def collides(self) -> bool:
        return self.kinds.solver == "contact"

    def changed(self, **values: Any) -> Scene:
        return replace(self, **values)

    @property
    def jumps(self) -> list[float]:
        """Times at which forces, or speeds of motions, jump [s]."""
        return [one.jump for one in (*self.forces, *self.joints) if one.jump > 0.0]

    def text(
        self,
        steps: int = 100,
        image: Image = SAME,
        order: int | None = None,
        beside: bool = False,
        frames: int | None = None,
    ) -> str:
        """The scene file, of so many steps.

        frames: one for each step, by default
        order: bodies, joints and forces in another order, by this seed
        beside: with a mechanism of its own far away
        """
        markers = [
            {"name": f"anchor_{force.name}", "position": image.polar(force.anchor)}
            for force in self.forces
            if force.type == "spring" and force.a == "ground"
        ]
        head = [
            f"# set {self.kinds.name}, seed {self.seed}{'' if image is SAME else f', {image}'}\n",
            scene_text.world(
                gravity=image.polar(self.gravity),
                plane="xz" if "planar" in self.kinds.bodies else None,
                given_velocities="impulse" if self.joints else None,
                marker=markers or None,
                collide=True if self.collides and self.ground else None,
                material="stone" if self.collides and self.ground else None,
                shape=[image.shape_of_ground(shape) for shape in self.ground] or None,
            ),
            scene_text.table(
                "material",
                name="stone",
                friction=self.friction,
                friction_static=self.friction_static if self.friction_static > self.friction else None,
                restitution=self.restitution,
            ),
        ]
        head += [scene_text.table("input", name=name, start=start) for name, start in self.inputs]
        bodies = [self.body_text(body, image) for body in self.bodies]
        joints = [self.joint_text(joint, image) for joint in self.joints]
        forces = [self.force_text(force, image) for force in self.forces]
        if beside:
            bodies, joints = [*bodies, PENDULUM], [*joints, FAR_HINGE]
        if order is not None:
            rng = np.random.default_rng(order)
            bodies, joints, forces = (
                [each[k] for k in rng.permutation(len(each))] for each in (bodies, joints, forces)
            )
        # a relation follows the joints that it names
        joints += [
            scene_text.table("joint", name=one.name, type=one.type, joints=one.joints, **one.keys())
            for one in self.relations
        ]
        solver: dict[str, Any] = {"type": self.kinds.solver, "end": self.step * steps}
        if self.kinds.solver == "contact":
            solver["step"] = self.step
        if self.kinds.solver != "contact":
            solver["coordinates"] = self.coordinates
        if self.in_turn:
            solver["impact"] = "sequential"
        if self.start == "sunk":
            solver["separate"] = True
        tail = [scene_text.solver(**(solver | self.keys)), scene_text.table("output", frames=frames or steps)]
        return "".join([*head, *bodies, *joints, *forces, *tail])

    def body_text(self, body: Body, image: Image) -> str:
        collides = self.collides and body.collide and bool(body.shapes)
        keys: dict[str, Any] = {
            "position": image.polar(body.position),
            "velocity": image.velocity(body.velocity),
        }
        match body.type:
            case "planar":
                keys |= {"type": "planar", "mass": body.mass, "inertia": 0.01}
                # about the normal of the plane xz, which is −y
                keys["angular_velocity"] = -float(image.axial(body.spin)[1])
                if body.shapes:
                    w, _, y, _ = body.quaternion
                    keys["orientation"] = {"angle": -2.0 * float(np.arctan2(y, w))}
                    keys["shape"] = [image.shape(shape) for shape in body.shapes]
            case "point":
                keys |= {"type": "point", "mass": body.mass}
            case _:
                keys["angular_velocity"] = image.axial(body.spin)
                keys["orientation"] = {"quaternion": image.quaternion(body.quaternion)}
                keys["density"] = body.density
                keys["shape"] = [image.shape(shape) for shape in body.shapes]
        if image.turn is not None:
            keys["marker"] = self.crosses(body, image) or None
        if collides:
            keys |= {"collide": True, "material": "stone"}
        return scene_text.body(body.name, **keys)

    def crosses(self, body: Body, image: Image) -> list[dict[str, Any]]:
        """Markers of Cardan joints, whose x and y do not follow from the axis; in the axes of their body,
        which are mirrored with it.
        """
        found = []
        for joint in self.joints:
            if joint.type == "universal" and joint.b == body.name:
                R = Image(image.mirrored).Q @ rotation(body.quaternion).T
                frame = {"z": R @ np.array(joint.axis), "x": R @ np.cross(joint.axis, [0.36, 0.48, 0.8])}
                place = R @ (np.array(joint.at) - body.position)
                found.append({"name": joint.name, "position": place, "orientation": frame})
        return found

    def joint_text(self, joint: Joint, image: Image) -> str:
        marked = joint.type == "universal" and image.turn is not None and joint.b != "ground"
        placed = joint.type not in BETWEEN_CENTRES and not marked
        axis = (image.polar if joint.type in POLAR_AXES else image.axial)(joint.axis)
        keys: dict[str, Any] = {"enforce": PENALTY} if joint.penalty else {}
        if placed:
            keys |= {"at": image.polar(joint.at), "axis": axis if joint.type != "pin" else None}
        if joint.type == "screw":
            # the image of a thread is left-handed
            keys["pitch"] = -0.05 if image.mirrored else 0.05
        keys |= joint.keys
        b = f"{joint.b}.{joint.name}" if marked else joint.b
        text = scene_text.joint(joint.name, joint.type, joint.a, b, **keys)
        if joint.motion:
            text += scene_text.motion(joint.name, **{DRIVEN[joint.type]: joint.motion})
        for keys, speed in zip(joint.shifts, joint.speeds):
            text += scene_text.motion(joint.name, **keys, **{f"{DRIVEN[joint.type]}_velocity": speed})
        return text

    def force_text(self, force: Force, image: Image) -> str:
        if force.type == "spring":
            a = f"ground.anchor_{force.name}" if force.a == "ground" else force.a
            keys = {"stiffness": force.stiffness, "damping": force.damping, "length": force.length}
            return scene_text.spring(a, force.b, name=force.name, **keys)
        load = scene_text.force if force.type == "force" else scene_text.torque
        direction = (image.polar if force.type == "force" else image.axial)(force.direction)
        components = {axis: f"{float(c)!r}*({force.law})" for axis, c in zip("xyz", direction)}
        return load(force.b, force.name, **components)


#: a pendulum on a hinge, 50 m away, which hits nothing
PENDULUM = scene_text.body(
    "pendulum",
    position=[50.0, 0.1, 0.9],
    angular_velocity=[2.0, 0.0, 0.0],
    density=1000.0,
    shape=[{"type": "sphere", "radius": 0.05}],
)
FAR_HINGE = scene_text.joint(
    "far_hinge", "revolute", "ground", "pendulum", at=[50.0, 0.0, 1.2], axis=[1.0, 0.0, 0.0]
)


class Generator:
    """Draws a scene of a set."""

    def __init__(self, kinds: Kinds, seed: int) -> None:
        self.kinds, self.seed = kinds, seed
        self.rng = np.random.default_rng([seed, *kinds.name.encode()])

    def scene(self) -> Scene:
        kinds, rng = self.kinds, self.rng
        self.start = str(rng.choice(kinds.starts)) if len(kinds.starts) > 1 else kinds.starts[0]
        if kinds.rows:
            return self.row()
        ground, table = self.ground()
        loop = self.loop() if kinds.loop else ([], [])
        free = int(rng.integers(1, kinds.most - len(loop[0]) - (1 if table else 0) + 1))
        bodies = self.bodies(free) if self.start == "falling" else self.standing(free, table)
        joints = self.tree(bodies)
        relations = self.relations(bodies, joints) if kinds.relations else ()
        bodies, joints = bodies + loop[0], joints + loop[1]
        if table:
            bodies, joints = [*bodies, table[0]], [*joints, table[1]]
        friction = round(float(rng.uniform(*kinds.friction)), 2)
        static = round(friction * float(rng.choice([1.0, 1.0, 1.3])), 3)
        forces = tuple(self.forces(bodies))
        push = round(float(rng.uniform(-2, 2)), 2)
        inputs = (("push", push),) if any(force.law == "push" for force in forces) else ()
        return Scene(
            self.seed,
            kinds,
            tuple(bodies),
            tuple(joints),
            forces,
            tuple(ground),
            float(rng.choice(kinds.restitution)),
            friction,
            static,
            float(rng.choice(kinds.steps)),
            inputs,
            relations=relations,
            start=self.start,
            gravity=self.gravity(),
        )

    def gravity(self) -> Array:
        angle = float(self.rng.choice(self.kinds.slopes)) if self.kinds.slopes else 0.0
        return GRAVITY * np.sin(angle), 0.0, -GRAVITY * np.cos(angle)

    def numbers(self, low: float, high: float, n: int = 3) -> Array:
        return np.round(self.rng.uniform(low, high, n), 3)

    def direction(self) -> Array:
        a = self.rng.normal(size=3)
        return np.round(a / np.linalg.norm(a), 3)

    def quaternion(self) -> Array:
        q = self.rng.normal(size=4)
        return np.round(q / np.linalg.norm(q), 3)

    def ground(self) -> tuple[list[dict[str, Any]], tuple[Body, Joint] | None]:
        """Shapes of the ground, and a table on a joint to it, whose top is z = 0."""
        which = str(self.rng.choice(self.kinds.grounds))
        slab = {"type": "box", "size": [6.0, 3.0, 0.1], "position": [1.0, 0.0, -0.05]}
        match which:
            case "plane":
                return [{"type": "plane", "size": [5, 5]}], None
            case "tilted":
                half = 0.5 * float(self.rng.choice([-0.2, 0.1, 0.3]))
                tilt = {"quaternion": np.round([np.cos(half), np.sin(half), 0.0, 0.0], 3)}
                return [
                    {"type": "plane", "size": [5, 5], "position": [0, 0, -0.015], "orientation": tilt}
                ], None
            case "slab":
                return [slab], None
            case "channel":
                return [{"type": "mesh", "file": "channel.obj"}], None
            case "bumps":
                bumps = [
                    {"type": "sphere", "radius": 0.2, "position": [CELL * k, 0.1, -0.2]}
                    for k in range(self.kinds.most)
                ]
                return [*bumps, {"type": "plane", "size": [5, 5], "position": [0, 0, -0.1]}], None
            case "seams":
                # edges are ahead of bodies that slide along x; all flush, or every second one lower
                low = float(self.rng.choice([0.0, 0.0, 1e-6, 1e-4, 1e-3]))
                place = lambda k: [round(CELL * k - 0.1, 3), 0.0, -0.05 - (low if k % 2 else 0.0)]
                tile = {"type": "box", "size": [CELL, 3.0, 0.1]}
                return [{**tile, "position": place(k)} for k in range(self.kinds.most + 2)], None
            case "turning table" | "free table":
                rate = float(self.rng.integers(1, 4))
                up = np.array([0.0, 0.0, 1.0])
                box = {"type": "box", "size": [5.0, 5.0, 0.1]}
                still = np.array([1.0, 0, 0, 0])
                top = Body("table", "spatial", -0.05 * up, still, 0.0 * up, rate * up, (box,), 50.0)
                law = f"{rate}*time" if which == "turning table" else ""
                return [], (
                    top,
                    Joint("support", "revolute", "ground", "table", 0.0 * up, up, law, rate=rate),
                )
            case "fixed table" | "driven table":
                top = Body(
                    "table",
                    "spatial",
                    np.array([1.0, 0, -0.05]),
                    np.array([1.0, 0, 0, 0]),
                    *[np.zeros(3)] * 2,
                )
                top = replace(top, density=100.0, shapes=({"type": "box", "size": [6.0, 3.0, 0.1]},))
                if which == "fixed table":
                    return [], (
                        top,
                        Joint("support", "fixed", "ground", "table", np.zeros(3), np.array([0, 0, 1.0])),
                    )
                axis = np.array([[1.0, 0, 0], [0, 0, 1.0]][int(self.rng.integers(2))])
                size, rate = (
                    round(float(self.rng.uniform(0.002, 0.02)), 3),
                    round(float(self.rng.uniform(5, 20)), 1),
                )
                law = f"{size}*sin({rate}*time)"
                return [], (
                    top,
                    Joint("support", "translational", "ground", "table", np.zeros(3), axis, law, rate=rate),
                )
            case _:
                return [], None

    def shape(self, kind: str) -> tuple[tuple[dict[str, Any], ...], float]:
        """Shapes of a body, and a radius about its origin that holds them."""
        rng = self.rng
        match kind:
            case "sphere":
                r = round(float(rng.uniform(0.04, LARGEST)), 3)
                return ({"type": "sphere", "radius": r},), r
            case "box":
                size = self.numbers(0.05, 0.13)
                return ({"type": "box", "size": size},), 0.5 * float(np.linalg.norm(size))
            case "capsule":
                r, length = np.round(rng.uniform([0.02, 0.04], [0.05, 0.12]), 3)
                return ({"type": "capsule", "radius": r, "length": length},), float(r + 0.5 * length)
            case "cylinder":
                r, length = np.round(rng.uniform([0.02, 0.04], [0.06, 0.12]), 3)
                # a ball collides for this one
                cylinder = {"type": "cylinder", "radius": r, "length": length, "collide": False}
                return (cylinder, {"type": "sphere", "radius": r}), float(np.hypot(r, 0.5 * length))
            case "roller":
                r, length = np.round(rng.uniform([0.03, 0.02], [0.07, 0.12]), 3)
                return ({"type": "cylinder", "radius": r, "length": length},), float(
                    np.hypot(r, 0.5 * length)
                )
            case "cone":
                r, length = np.round(rng.uniform([0.04, 0.06], [0.08, 0.14]), 3)
                return ({"type": "cone", "radius": r, "length": length},), float(np.hypot(r, 0.5 * length))
            case "ellipsoid":
                radii = self.numbers(0.03, 0.09)
                return ({"type": "ellipsoid", "radii": radii},), float(max(radii))
            case "mesh":
                return ({"type": "mesh", "file": "u.obj"},), SOLIDS["u.obj"].radius()
            case "prism":
                # a polygon in the plane of planar bodies, as thick as it is
                angle = np.sort(rng.uniform(0.0, 2.0 * np.pi, 5)) + np.arange(5)
                flat = np.round(0.1 * np.column_stack([np.cos(angle), np.sin(angle)]), 3)
                return ({"type": "convex", "points": [[x, y, z] for x, z in flat for y in (-0.1, 0.1)]},), 0.1
            case "convex":
                points = rng.normal(size=(int(rng.integers(6, 11)), 3))
                points = np.round(0.1 * points / np.linalg.norm(points, axis=1)[:, None], 3)
                return ({"type": "convex", "points": list(points)},), 0.1
            case _:
                r, offset = round(float(rng.uniform(0.03, 0.05)), 3), self.numbers(-0.03, 0.03)
                box = {"type": "box", "size": [0.06, 0.05, 0.04], "position": -offset}
                return ({"type": "sphere", "radius": r, "position": offset}, box), 0.105

    def bodies(self, n: int) -> list[Body]:
        kinds, rng = self.kinds, self.rng
        top: dict[int, float] = {}
        bodies = []
        for k in range(n):
            type = str(rng.choice(kinds.bodies))
            column = (
                0
                if kinds.floats
                else k
                if rng.random() < 1.0 - kinds.stacked
                else int(rng.integers(max(k, 1)))
            )
            if type == "spatial":
                hollow = kinds.hollow and k == 0
                shapes, radius = self.shape("mesh" if hollow else str(rng.choice(kinds.shapes)))
                mass = 0.0
            elif kinds.flat:
                shapes, radius = self.shape(str(rng.choice(kinds.flat)))
                mass = round(float(rng.uniform(0.2, 2.0)), 2)
            else:
                shapes, radius, mass = (), 0.05, round(float(rng.uniform(0.2, 2.0)), 2)
            gap = round(float(rng.uniform(0.002, 0.02)), 3)
            z = round(top.get(column, 0.0) + radius + gap + 5e-4, 3)
            top[column] = z + radius
            y = 0.0 if type == "planar" else round(float(rng.uniform(-0.02, 0.02)), 3)
            velocity, spin = self.numbers(-0.5, 0.5), self.numbers(-kinds.spin, kinds.spin)
            velocity[2] = -round(float(rng.uniform(0.2, 1.5)), 3)
            if type == "planar":
                velocity[1] = 0.0
            if kinds.floats:
                velocity[2] = round(0.3 - 0.6 * k, 3)
            place = np.array([round(CELL * column, 3), y, z])
            density = float(rng.choice(self.kinds.densities))
            q = self.quaternion()
            if type == "planar" and shapes:
                q = np.array([q[0], 0.0, q[2], 0.0])
            bodies.append(Body(f"b{k}", type, place, q, velocity, spin, shapes, density, mass))
        return bodies

    def standing(self, n: int, table: tuple[Body, Joint] | None) -> list[Body]:
        """Bodies that stand or lie on z = 0, or on each other: boxes upright, capsules level."""
        rng = self.rng
        bodies: list[Body] = []
        top = 0.0
        for k in range(n):
            shape, height, q = self.upright()
            # on the one before, if that is a box
            above = bool(bodies) and bodies[-1].shapes[0]["type"] == "box" and rng.random() < 0.3
            top = top if above else 0.0
            y = round(float(rng.uniform(-0.02, 0.02)), 3)
            x, y = bodies[-1].position[:2] if above else (round(CELL * k, 3), y)
            sunk = round(float(rng.uniform(2e-5, 1e-4)), 6) if self.start == "sunk" else 0.0
            place = np.array([x, y, top + height - sunk])
            top += 2.0 * height
            velocity, spin = np.zeros(3), np.zeros(3)
            if table and table[1].type == "revolute":
                spin = table[0].spin
                velocity = np.cross(spin, place)
            elif self.start == "sliding":
                velocity[0] = round(float(rng.uniform(0.2, 2.0)), 3)
            density = float(rng.choice(self.kinds.densities))
            bodies.append(Body(f"b{k}", "spatial", place, q, velocity, spin, (shape,), density))
        return bodies

    def upright(self) -> tuple[dict[str, Any], float, Array]:
        """A shape, half its height, and a quaternion: a box rotated about the vertical, or not."""
        rng = self.rng
        match str(rng.choice([one for one in self.kinds.shapes if one in ("sphere", "box", "capsule")])):
            case "box":
                size = 2.0 * self.numbers(0.025, 0.065)
                half = round(float(rng.uniform(0.0, np.pi)), 3) if rng.random() < 0.5 else 0.0
                q = np.round([np.cos(half), 0.0, 0.0, np.sin(half)], 3)
                return {"type": "box", "size": size}, 0.5 * float(size[2]), q
            case "capsule":
                r, length = np.round(rng.uniform([0.02, 0.04], [0.05, 0.12]), 3)
                return (
                    {"type": "capsule", "radius": r, "length": length},
                    float(r),
                    np.array([1.0, 0, 1.0, 0]),
                )
            case _:
                r = round(float(rng.uniform(0.04, LARGEST)), 3)
                return {"type": "sphere", "radius": r}, r, np.array([1.0, 0, 0, 0])

    def row(self) -> Scene:
        """Balls in a row along x that touch, of which the first ones fly at the others."""
        kinds, rng = self.kinds, self.rng
        support = str(rng.choice(kinds.rows))
        n, r = int(rng.integers(3, kinds.most + 1)), round(float(rng.uniform(0.04, LARGEST)), 3)
        lifted, speed = int(rng.integers(1, n)), round(float(rng.uniform(0.3, 2.0)), 3)
        bodies, joints = [], []
        for k in range(n):
            flies = 1.0 if k < lifted else 0.0
            place = np.array([round(2.0 * r * k - 0.01 * flies, 3), 0.0, r])
            density = 1000.0 if rng.random() < 0.7 else float(rng.choice([300.0, 5000.0]))
            velocity, spin = np.array([speed * flies, 0.0, 0.0]), np.zeros(3)
            if support == "hinges":
                spin[1] = -2.0 * speed * flies
                at = place + np.array([0.0, 0.0, 0.5])
                joints.append(Joint(f"j{k}", "revolute", "ground", f"b{k}", at, np.array([0.0, 1.0, 0.0])))
            ball = {"type": "sphere", "radius": r}
            still = np.array([1.0, 0, 0, 0])
            bodies.append(Body(f"b{k}", "spatial", place, still, velocity, spin, (ball,), density))
        ground = ({"type": "plane", "size": [5, 5]},) if support == "floor" else ()
        e, h = float(rng.choice(kinds.restitution)), float(rng.choice(kinds.steps))
        gravity = (0.0, 0.0, 0.0) if support == "free" else (0.0, 0.0, -GRAVITY)
        parts = tuple(bodies), tuple(joints), ()
        return Scene(self.seed, kinds, *parts, ground, e, 0.0, 0.0, h, gravity=gravity)

    def relations(self, bodies: list[Body], joints: list[Joint]) -> tuple[Relation, ...]:
        """One of the hinges or sliders on which the first two bodies are put, instead of their joints."""
        rng = self.rng
        type = str(rng.choice(self.kinds.relations))
        if len(bodies) == 1:
            bodies.append(replace(bodies[0], name="b1", position=bodies[0].position + np.array([CELL, 0, 0])))
        pair = bodies[:2]
        joints[:] = [joint for joint in joints if joint.b not in (pair[0].name, pair[1].name)]
        free = [str(kind) for kind in rng.choice(["revolute", "translational"], 2)]
        kinds = {"gear": ["revolute"] * 2, "rack": ["revolute", "translational"]}.get(type, free)
        names = []
        for body, kind in zip(pair, kinds):
            names.append(f"of_{body.name}")
            at = np.round(body.position + self.numbers(-0.1, 0.1), 3)
            joints.append(Joint(names[-1], kind, "ground", body.name, at, self.direction()))
        first, second = (float(c) for c in self.numbers(0.05, 0.3, 2))
        if rng.random() < 0.5:
            second = -second
        factors = (-first, 1.0) if type == "rack" else (first, second)
        return (Relation("relation", type, tuple(names), factors),)

    def tree(self, bodies: list[Body]) -> list[Joint]:
        """Joints from some bodies to the ground or to an earlier one."""
        kinds, rng = self.kinds, self.rng
        joints: list[Joint] = []
        for k, body in enumerate(bodies):
            if not kinds.joints or rng.random() < 0.25:
                continue
            earlier = [one for one in bodies[:k] if "planar" not in (one.type, body.type)]
            other = bodies[bodies.index(earlier[int(rng.integers(len(earlier)))])] if earlier else None
            if rng.random() < 0.4:
                other = None
            if other is None and kinds.floats:
                continue
            type = self.joint_kind(body, other)
            if other is None:
                at = body.position + np.array([0.0, 0.0, 0.3]) + self.numbers(-0.1, 0.1)
            else:
                at = 0.5 * (body.position + other.position) + self.numbers(-0.03, 0.03)
            if body.type == "planar":
                at[1] = 0.0
            axis = np.array([0.0, 0.0, 1.0]) if type == "planar" else self.direction()
            law, rate = "", 0.0
            if kinds.motions and type in DRIVEN and rng.random() < 0.7:
                size = round(
                    float(rng.uniform(0.02, 0.3) if type == "revolute" else rng.uniform(0.002, 0.02)), 3
                )
                rate = round(float(rng.uniform(3, 15)), 1)
                law = f"{size}*sin({rate}*time)"
            a = other.name if other else "ground"
            penalty = kinds.penalty and not law and rng.random() < 0.7
            bounds = self.bounds(type) if kinds.bounded and type in DRIVEN else {}
            shifts = self.shifts(f"j{k}", type) if kinds.shifts and type in DRIVEN else {}
            if shifts and "effort_limit" not in shifts["shifts"][0]:
                # what a motion leads beyond a limit is refused
                bounds = {key: value for key, value in bounds.items() if key.startswith("friction")}
            if type == "rope":
                bounds = {"restitution": float(rng.choice([0.0, 0.3, 0.8]))}
            one = Joint(f"j{k}", type, a, body.name, np.round(at, 3), axis, law, penalty, rate, bounds)
            joints.append(replace(one, **shifts))
        return joints

    def shifts(self, name: str, type: str) -> dict[str, Any]:
        """Motions of a hinge or slider whose speed jumps, as fields of its `Joint`."""
        rng, most = self.rng, 3.0 if type == "revolute" else 0.3
        first, second = (round(float(most * v), 3) for v in rng.uniform(-1, 1, 2))
        # within a step of any length that is drawn
        jump = round(round(float(rng.uniform(0.01, 0.05)), 3) + 3e-4, 4)
        found = {"jump": jump, "rate": max(abs(first), abs(second)) if type == "revolute" else 0.0}
        speeds = (f"if(time - {jump}, {first}, {second})",)
        match ("exact", "limited", "turns", "none")[rng.integers(4)]:
            case "exact":
                return found | {"shifts": ({},), "speeds": speeds}
            case "limited":
                effort = round((0.1 if type == "revolute" else 1.0) * float(rng.uniform(0.05, 2.0)), 3)
                return found | {"shifts": ({"effort_limit": effort},), "speeds": speeds}
            case "turns":
                before = {"name": f"{name}_before", "active": f"time < {jump}"}
                after = {"name": f"{name}_after", "active": f"time >= {jump}"}
                return found | {"shifts": (before, after), "speeds": (str(first), str(second))}
        return {}

    def bounds(self, type: str) -> dict[str, Any]:
        """Limits, dry friction, and a clutch of a hinge or slider, for bodies of 0.1 to 10 kg."""
        rng, found = self.rng, {}
        size, load = (0.3, 0.1) if type == "revolute" else (0.03, 1.0)
        if rng.random() < 0.7:
            found["limits"] = [
                round(-size * rng.uniform(0.05, 1.0), 4),
                round(size * rng.uniform(0.05, 1.0), 4),
            ]
            found["restitution"] = float(rng.choice([0.0, 0.3, 0.8]))
        if rng.random() < 0.6:
            force = round(load * float(rng.uniform(0.05, 2.0)), 3)
            found["friction_torque" if type == "revolute" else "friction_force"] = force
            found["friction_static"] = round(force * float(rng.choice([1.0, 1.3])), 4)
        elif rng.random() < 0.3:
            found["one_way"] = str(rng.choice(["positive", "negative"]))
        return found

    def joint_kind(self, body: Body, other: Body | None) -> str:
        kinds = self.kinds.joints
        if body.type == "planar":
            kinds = tuple(kind for kind in kinds if kind in ("pin", "rod"))
        elif "point" in (body.type, other.type if other else ""):
            kinds = tuple(kind for kind in kinds if kind == "rod")
        elif other is not None:
            kinds = tuple(kind for kind in kinds if kind not in ("planar", "pin"))
        else:
            # what the ground holds in all directions meets no floor
            kinds = tuple(kind for kind in kinds if kind not in ("fixed", "pin"))
        return str(self.rng.choice(kinds))

    def loop(self) -> tuple[list[Body], list[Joint]]:
        """A closed chain above the bodies, from the ground to the ground; its middle hangs lowest."""
        kinds, n = self.kinds, len(self.kinds.loop) - 1
        corners = np.array([[0.3 * k, 0.3 + 0.02 * k, 1.0 - 0.2 * min(k, n - k)] for k in range(n + 1)])
        bodies, joints = [], []
        for k in range(n):
            shapes, _ = self.shape("capsule")
            place = np.round(0.5 * (corners[k] + corners[k + 1]), 3)
            one = Body(
                f"link{k}", "spatial", place, self.quaternion(), self.numbers(-0.3, 0.3), np.zeros(3), shapes
            )
            bodies.append(one)
        for k, kind in enumerate(kinds.loop):
            a = f"link{k - 1}" if k else "ground"
            b = f"link{k}" if k < n else "ground"
            axis = np.array([0.0, 1.0, 0.0])
            joints.append(Joint(f"loop{k}", kind, a, b, np.round(corners[k], 3), axis))
        return bodies, joints

    def forces(self, bodies: list[Body]) -> list[Force]:
        rng, found = self.rng, []
        moving = [body for body in bodies if body.name != "table"]
        for k, type in enumerate(self.kinds.forces):
            body = moving[int(rng.integers(len(moving)))]
            if type == "spring":
                others = [one for one in moving if one is not body]
                other = others[int(rng.integers(len(others)))] if others and rng.random() < 0.5 else None
                anchor = np.round(body.position + self.numbers(-0.1, 0.1) + np.array([0, 0, 0.4]), 3)
                if body.type == "planar":
                    anchor[1] = 0.0
                reach = (other.position if other else anchor) - body.position
                length = round(0.8 * float(np.linalg.norm(reach)), 3)
                stiffness = round(float(rng.uniform(5, 200)), 1)
                damping = float(rng.choice([0.0, 0.5])) if self.kinds.damped else 0.0
                a = other.name if other else "ground"
                found.append(Force(f"f{k}", type, a, body.name, stiffness, damping, length, anchor))
                continue
            rate = round(float(rng.uniform(3, 30)), 1)
            law, jump = "push" if self.kinds.inputs and rng.random() < 0.5 else f"sin({rate}*time)", 0.0
            if self.kinds.jumps and rng.random() < 0.5:
                # within a step of any length that is drawn
                jump = round(round(float(rng.uniform(0.01, 0.05)), 3) + 3e-4, 4)
                law = f"step(time - {jump})"
            size = 2.0 if type == "force" else 0.02
            if type == "torque" and body.type == "point":
                type = "force"
            direction = np.round(size * self.direction(), 3)
            if body.type == "planar":
                direction *= [0, 1, 0] if type == "torque" else [1, 0, 1]
            found.append(
                Force(f"f{k}", type, "", body.name, direction=direction, law=law, rate=rate, jump=jump)
            )
        return found


def scene(kinds: Kinds, seed: int) -> Scene:
    return Generator(kinds, seed).scene()


#: sets of kinds of the default cases
LOOSE = Kinds("loose", grounds=("plane", "tilted", "slab", "bumps"), in_turn=0.3)
SUPPORTS = Kinds(
    "supports", shapes=("sphere", "box"), grounds=("fixed table", "driven table"), most=4, in_turn=0.3
)
TREES = Kinds(
    "trees", shapes=("sphere", "box", "capsule"), joints=TREE, forces=("spring", "force"), in_turn=0.3
)
LOOPS = Kinds("loops", shapes=("sphere",), loop=("revolute", "universal", "ball", "revolute"))
MOTORS = Kinds(
    "motors",
    shapes=("sphere", "box"),
    joints=("revolute", "translational", "ball"),
    forces=("torque", "spring"),
    motions=True,
    inputs=True,
)
SOFT = Kinds("soft", shapes=("sphere", "capsule"), joints=("revolute", "ball", "translational"), penalty=True)
MIXED = Kinds(
    "mixed",
    shapes=("sphere", "cylinder"),
    bodies=("spatial", "planar", "point"),
    joints=("ball", "rod", "pin"),
    forces=("spring", "force", "torque"),
)
#: a driven and a free turning table, on which bodies lie or fall
TURNING = Kinds(
    "turning",
    shapes=("sphere", "box"),
    grounds=("turning table", "free table"),
    most=4,
    starts=("standing", "standing", "falling"),
    friction=(0.3, 1.2),
)
#: what stands or overlaps at the start, with forces that jump
RESTING = Kinds(
    "resting",
    shapes=("sphere", "box", "capsule"),
    grounds=("plane", "slab"),
    forces=("force", "torque"),
    starts=("standing", "sunk"),
    slopes=(0.0, 0.1, 0.3),
    inputs=True,
    jumps=True,
)
#: what slides, rolls or falls over flush and lowered seams of boxes
SEAMS = Kinds("seams", shapes=("sphere", "box"), grounds=("seams",), most=3, starts=("sliding", "falling"))
CRADLES = Kinds(
    "cradles", shapes=("sphere",), grounds=("none",), rows=("free", "floor", "hinges"), in_turn=0.5
)
GEARS = Kinds(
    "gears",
    shapes=("sphere", "capsule"),
    joints=("revolute", "ball"),
    relations=("coupler", "gear", "rack"),
    most=5,
)
#: bodies that fly at each other, in pairs or on joints, without a support
SWARM = Kinds(
    "swarm",
    shapes=("sphere", "box", "capsule"),
    joints=("revolute", "ball", "rod", "cylindrical"),
    grounds=("none",),
    stacked=0.8,
    in_turn=0.3,
)
#: hinges and sliders with limits, dry friction and clutches, whose bodies hit others
LIMITED = Kinds(
    "limited",
    shapes=("sphere", "box"),
    joints=("revolute", "translational", "revolute", "translational", "ball"),
    bounded=True,
    in_turn=0.4,
)
#: ropes between mass centres, taut at the start, beside hinges, whose bodies hit others
ROPES = Kinds("ropes", shapes=("sphere", "box"), joints=("rope", "rope", "revolute", "ball"), in_turn=0.4)
#: elastic balls above each other, of which several strike in a step
ELASTIC = Kinds(
    "elastic",
    shapes=("sphere",),
    grounds=("plane", "bumps"),
    stacked=0.9,
    restitution=(1.0,),
    friction=(0.0, 0.0),
    steps=(1e-3, 4e-3),
    densities=(300.0, 1000.0, 30000.0),
    in_turn=0.5,
)
#: links and payloads of up to a thousand times their mass
PAYLOADS = Kinds(
    "payloads",
    shapes=("sphere", "box"),
    joints=("revolute", "ball", "translational", "fixed"),
    densities=(100.0, 1000.0, 100000.0),
)
#: bodies that turn fast
SPINNING = Kinds("spinning", shapes=("box", "capsule", "convex"), grounds=("plane", "slab"), spin=200.0)
#: shapes that are exactly round
ROUND = Kinds("round", shapes=("roller", "cone", "ellipsoid", "box"), grounds=("plane", "slab"), most=5)
#: everything convex in a channel that is a mesh, and with a body that is one
CONVEX = ("sphere", "box", "capsule", "convex", "roller", "cone", "ellipsoid")
CHANNEL = Kinds("channel", shapes=CONVEX, grounds=("channel",), most=5, stacked=0.5)
HOLLOW = Kinds("hollow", shapes=CONVEX, grounds=("plane", "slab"), most=4, stacked=0.8, hollow=True)
#: planar bodies that collide
FLAT = Kinds(
    "flat",
    bodies=("planar",),
    flat=("sphere", "box", "capsule", "prism"),
    grounds=("plane", "slab"),
    stacked=0.5,
)
#: limited bodies with speeds of motions that jump, some of limited effort, and motions that take turns
SHIFTING = replace(LIMITED, name="shifting", shifts=True)
#: without contacts, under other solvers
FLYING = replace(
    TREES, name="flying", solver="rk", grounds=("none",), forces=("spring", "spring"), damped=False
)
IMPLICIT = replace(FLYING, name="implicit", solver="galpha", joints=("revolute", "ball", "rod"))
#: free of contacts, with dry friction, limits and motions whose speeds jump
SHIFTING_FREE = replace(SHIFTING, name="shifting, free", solver="rk", forces=("spring", "force"))
#: slow: what is compiled for them alone
OTHER_JOINTS = replace(TREES, name="other joints", joints=MORE_JOINTS)
PARALLEL_LOOPS = replace(LOOPS, name="parallel loops", loop=("revolute",) * 4)
