"""Scenes by seed: bodies that joints hold, forces and motions move, and other shapes stop.

Bodies stand in cells of a grid, so that nothing overlaps at the start; those of the lowest row are a few
millimetres above what they hit. Numbers are thousandths, so that a scene that fails can be read. A vector is
either polar (a position, a velocity, a force) or axial (an angular velocity, a hinge): `Scene.text` writes
the mirror image, y to −y, as well.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scene_text

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

    @property
    def collides(self) -> bool:
        return self.kinds.solver == "contact"

    def changed(self, **values: Any) -> Scene:
        return replace(self, **values)

    def text(self, mirrored: bool = False, steps: int = 100) -> str:
        """The scene file, of so many steps; mirrored: its image in the plane y = 0."""
        image = Image(mirrored)
        markers = [
            {"name": f"anchor_{force.name}", "position": image.polar(force.anchor)}
            for force in self.forces
            if force.type == "spring" and force.a == "ground"
        ]
        parts = [
            f"# set {self.kinds.name}, seed {self.seed}{', mirror image' if mirrored else ''}\n",
            scene_text.world(
                gravity=list(image.polar(self.gravity)),
                plane="xz" if "planar" in self.kinds.bodies else None,
                given_velocities="impulse" if self.joints else None,
                marker=markers or None,
                collide=True if self.collides and self.ground else None,
                material="stone" if self.collides and self.ground else None,
                shape=[image.shape(shape) for shape in self.ground] or None,
            ),
            scene_text.table(
                "material",
                name="stone",
                friction=self.friction,
                friction_static=self.friction_static if self.friction_static > self.friction else None,
                restitution=self.restitution,
            ),
        ]
        parts += [scene_text.table("input", name=name, start=start) for name, start in self.inputs]
        parts += [self.body_text(body, image) for body in self.bodies]
        parts += [self.joint_text(joint, image) for joint in self.joints]
        parts += [self.force_text(force, image) for force in self.forces]
        solver: dict[str, Any] = {"type": self.kinds.solver, "end": self.step * steps}
        if self.kinds.solver == "contact":
            solver["step"] = self.step
        return "".join(
            [*parts, scene_text.solver(**solver, **self.keys), scene_text.table("output", frames=steps)]
        )

    def body_text(self, body: Body, image: Image) -> str:
        collides = self.collides and body.collide and body.type == "spatial" and bool(body.shapes)
        keys: dict[str, Any] = {
            "position": image.polar(body.position),
            "velocity": image.polar(body.velocity),
        }
        match body.type:
            case "planar":
                keys |= {"type": "planar", "mass": body.mass, "inertia": 0.01}
                # about the normal of the plane xz, which is −y
                keys["angular_velocity"] = -float(image.axial(body.spin)[1])
                keys["position"], keys["velocity"] = [keys[key] for key in ("position", "velocity")]
            case "point":
                keys |= {"type": "point", "mass": body.mass}
            case _:
                keys["angular_velocity"] = image.axial(body.spin)
                keys["orientation"] = {"quaternion": image.quaternion(body.quaternion)}
                keys["density"] = body.density
                keys["shape"] = [image.shape(shape) for shape in body.shapes]
        if collides:
            keys |= {"collide": True, "material": "stone"}
        return scene_text.body(body.name, **keys)

    def joint_text(self, joint: Joint, image: Image) -> str:
        placed = joint.type != "rod"
        axis = (image.polar if joint.type in POLAR_AXES else image.axial)(joint.axis)
        keys: dict[str, Any] = {"enforce": PENALTY} if joint.penalty else {}
        if placed:
            keys |= {"at": image.polar(joint.at), "axis": axis if joint.type != "pin" else None}
        if joint.type == "screw":
            # the image of a thread is left-handed
            keys["pitch"] = -0.05 if image.mirrored else 0.05
        text = scene_text.joint(joint.name, joint.type, joint.a, joint.b, **keys)
        if joint.motion:
            text += scene_text.motion(joint.name, **{DRIVEN[joint.type]: joint.motion})
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


class Image:
    """The scene itself, or its image in the plane y = 0. Frames of bodies are mirrored with them."""

    def __init__(self, mirrored: bool) -> None:
        self.mirrored = mirrored

    def polar(self, a: Array) -> Array:
        return thousandths(np.array(a, float) * ([1, -1, 1] if self.mirrored else 1))

    def axial(self, a: Array) -> Array:
        return thousandths(np.array(a, float) * ([-1, 1, -1] if self.mirrored else 1))

    def quaternion(self, q: Array) -> Array:
        return thousandths(np.array(q, float) * ([1, -1, 1, -1] if self.mirrored else 1))

    def shape(self, shape: dict[str, Any]) -> dict[str, Any]:
        found = dict(shape)
        if "position" in found:
            found["position"] = self.polar(found["position"])
        if "orientation" in found:
            found["orientation"] = {"quaternion": self.quaternion(found["orientation"]["quaternion"])}
        if "points" in found:
            found["points"] = [self.polar(point) for point in found["points"]]
        return found


def thousandths(a: Array) -> Array:
    return [round(float(x), 3) + 0.0 for x in np.ravel(a)]


class Generator:
    """Draws a scene of a set."""

    def __init__(self, kinds: Kinds, seed: int) -> None:
        self.kinds, self.seed = kinds, seed
        self.rng = np.random.default_rng([seed, *kinds.name.encode()])

    def scene(self) -> Scene:
        kinds, rng = self.kinds, self.rng
        ground, table = self.ground()
        loop = self.loop() if kinds.loop else ([], [])
        free = int(rng.integers(1, kinds.most - len(loop[0]) - (1 if table else 0) + 1))
        bodies = self.bodies(free)
        joints = self.tree(bodies)
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
        )

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
                tilt = {"quaternion": [np.cos(half), np.sin(half), 0.0, 0.0]}
                return [
                    {"type": "plane", "size": [5, 5], "position": [0, 0, -0.015], "orientation": tilt}
                ], None
            case "slab":
                return [slab], None
            case "bumps":
                bumps = [
                    {"type": "sphere", "radius": 0.2, "position": [CELL * k, 0.1, -0.2]}
                    for k in range(self.kinds.most)
                ]
                return [*bumps, {"type": "plane", "size": [5, 5], "position": [0, 0, -0.1]}], None
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
                # cylinders do not collide: a ball does for this one
                cylinder = {"type": "cylinder", "radius": r, "length": length, "collide": False}
                return (cylinder, {"type": "sphere", "radius": r}), float(np.hypot(r, 0.5 * length))
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
            column = k if rng.random() < 0.7 else int(rng.integers(max(k, 1)))
            if type == "spatial":
                shapes, radius = self.shape(str(rng.choice(kinds.shapes)))
                mass = 0.0
            else:
                shapes, radius, mass = (), 0.05, round(float(rng.uniform(0.2, 2.0)), 2)
            gap = round(float(rng.uniform(0.002, 0.02)), 3)
            z = round(top.get(column, 0.0) + radius + gap + 5e-4, 3)
            top[column] = z + radius
            y = 0.0 if type == "planar" else round(float(rng.uniform(-0.02, 0.02)), 3)
            velocity, spin = self.numbers(-0.5, 0.5), self.numbers(-4.0, 4.0)
            velocity[2] = -round(float(rng.uniform(0.2, 1.5)), 3)
            if type == "planar":
                velocity[1] = 0.0
            place = np.array([round(CELL * column, 3), y, z])
            density = float(rng.choice([300.0, 1000.0, 5000.0]))
            bodies.append(
                Body(f"b{k}", type, place, self.quaternion(), velocity, spin, shapes, density, mass)
            )
        return bodies

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
            joints.append(Joint(f"j{k}", type, a, body.name, np.round(at, 3), axis, law, penalty, rate))
        return joints

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
            law = "push" if self.kinds.inputs and rng.random() < 0.5 else f"sin({rate}*time)"
            size = 2.0 if type == "force" else 0.02
            if type == "torque" and body.type == "point":
                type = "force"
            direction = np.round(size * self.direction(), 3)
            if body.type == "planar":
                direction *= [0, 1, 0] if type == "torque" else [1, 0, 1]
            found.append(Force(f"f{k}", type, "", body.name, direction=direction, law=law, rate=rate))
        return found


def scene(kinds: Kinds, seed: int) -> Scene:
    return Generator(kinds, seed).scene()


#: sets of kinds of the default cases
LOOSE = Kinds("loose", grounds=("plane", "tilted", "slab", "bumps"))
SUPPORTS = Kinds("supports", shapes=("sphere", "box"), grounds=("fixed table", "driven table"), most=4)
TREES = Kinds("trees", shapes=("sphere", "box", "capsule"), joints=TREE, forces=("spring", "force"))
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
#: without contacts, under other solvers
FLYING = replace(
    TREES, name="flying", solver="rk", grounds=("none",), forces=("spring", "spring"), damped=False
)
IMPLICIT = replace(FLYING, name="implicit", solver="galpha", joints=("revolute", "ball", "rod"))
#: slow: what is compiled for them alone
OTHER_JOINTS = replace(TREES, name="other joints", joints=MORE_JOINTS)
PARALLEL_LOOPS = replace(LOOPS, name="parallel loops", loop=("revolute",) * 4)
