"""Trees and mechanisms by seed, placed so that their joints hold at known coordinates.

Bodies are placed one after the other: a joint's marker on the body before, the motion that textbooks give the
joint, its marker on the next body. Every joint is written from either end. Loops are closed by joints at
places where they fit.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import scene_text
from scipy.spatial.transform import Rotation

Array = Any
X, Y, Z = np.eye(3)
#: coordinates of the joints that carry a body in space, and in the plane
SPATIAL = {
    "revolute": ("angle",),
    "translational": ("length",),
    "cylindrical": ("length", "angle"),
    "screw": ("angle",),
    "planar": ("x", "y", "angle"),
    "parallel": ("x", "y", "z", "angle"),
    "orientation": ("x", "y", "z"),
    "ball": (),
    "fixed": (),
    "universal": ("angle_x", "angle_y"),
    "constant_velocity": (),
}
PLANAR = {
    "pin": ("angle",),
    "translational": ("length",),
    "fixed": (),
    "point_on_line": ("length", "angle"),
    "slot": ("length", "angle"),
}
#: coordinates with bearings: friction by a coefficient
BEARINGS = {
    "revolute": ("angle",),
    "pin": ("angle",),
    "translational": ("length",),
    "cylindrical": ("length", "angle"),
    "universal": ("angle_x", "angle_y"),
    "point_on_line": ("length", "angle"),
    "slot": ("length", "angle"),
}
COMPONENTS = ("fx", "fy", "fz", "tx", "ty", "tz", "force", "torque")
#: how often a kind is drawn, beside 1
OFTEN = {"revolute": 4.0, "ball": 2.0, "translational": 2.0, "pin": 3.0}
#: degrees of freedom that a joint leaves
FREE = {"ball": 3, "constant_velocity": 2}
#: rows of joints that close a loop wherever their markers are
ANYWHERE = {"rod": 1, "axes_at_angle": 1, "actuator": 1}
#: of those whose markers must be at one place
COINCIDENT = {
    "ball": 3,
    "revolute": 5,
    "universal": 4,
    "point_on_line": 2,
    "point_on_plane": 1,
    "cylindrical": 4,
}
IN_PLANE = {"pin": 2, "rod": 1, "slot": 1, "actuator": 1}
PITCH = 0.3
PENALTY = {
    "type": "penalty",
    "stiffness": 300.0,
    "damping": 3.0,
    "angular_stiffness": 50.0,
    "angular_damping": 0.4,
}
GROUND = -1


class Pose(NamedTuple):
    x: Array  # (3,) [m]
    R: Array  # (3, 3)

    def at(self, other: Pose) -> Pose:
        """`other`, given in axes of this pose, in world axes."""
        return Pose(self.x + self.R @ other.x, self.R @ other.R)

    def seen(self, other: Pose) -> Pose:
        """`other`, given in world axes, in axes of this pose."""
        return Pose(self.R.T @ (other.x - self.x), self.R.T @ other.R)


WORLD = Pose(np.zeros(3), np.eye(3))


def turn(axis: Array, angle: float) -> Array:
    return Rotation.from_rotvec(angle * np.asarray(axis)).as_matrix()


def place_of(kind: str, s: dict[str, float], flat: bool) -> Pose:
    """Marker b in axes of marker a at these coordinates."""
    x, angle = np.array([s.get("x", 0.0), s.get("y", 0.0), s.get("z", 0.0)]), s.get("angle", 0.0)
    if kind == "screw":
        return Pose(PITCH * angle / (2.0 * np.pi) * Z, turn(Z, angle))
    if kind == "universal":
        return Pose(np.zeros(3), turn(X, s["angle_x"]) @ turn(Y, s["angle_y"]))
    about = Y if flat and kind in ("point_on_line", "slot") else Z
    return Pose(x + s.get("length", 0.0) * Z, turn(about, angle))


@dataclass
class Scene:
    """A scene, and what is known of it."""

    seed: int
    plane: str = ""
    bodies: list[Pose] = field(default_factory=list)
    keys: list[dict[str, Any]] = field(default_factory=list)  # of each body
    markers: dict[int, list[dict[str, Any]]] = field(default_factory=dict)  # by body
    joints: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)  # forces, motions, relations
    gravity: Array = field(default_factory=lambda: np.zeros(3))
    values: dict[str, float] = field(default_factory=dict)  # coordinates of joints that carry a body
    single: dict[str, tuple[str, int, int]] = field(default_factory=dict)  # joint -> kind, its bodies a and b
    between: set[frozenset[int]] = field(default_factory=set)  # pairs of bodies that a joint connects
    dof: int = 0
    driven: set[str] = field(default_factory=set)
    inputs: list[str] = field(default_factory=list)

    def text(self, **solver: Any) -> str:
        """The scene file; bodies and joints in an order of their own."""
        rng = np.random.default_rng([self.seed, 7])
        bodies = [
            scene_text.body(
                f"b{k}",
                position=pose.x,
                orientation={"quaternion": quaternion(pose.R)},
                marker=self.markers.get(k),
                **self.keys[k],
            )
            for k, pose in enumerate(self.bodies)
        ]
        head = scene_text.world(
            gravity=self.gravity, marker=self.markers.get(GROUND), plane=self.plane or None
        )
        mixed = lambda parts: [parts[k] for k in rng.permutation(len(parts))]
        how = {"type": "rk", "coordinates": "joint", "tolerance": 1e-10, "end": 1.0} | solver
        parts = [head, *self.inputs, *mixed(bodies), *mixed(self.joints), *self.others]
        return "".join([f"# seed {self.seed}\n", *parts, scene_text.solver(**how)])


def quaternion(R: Array) -> Array:
    x, y, z, w = Rotation.from_matrix(R).as_quat()
    return np.array([w, x, y, z])


class Generator:
    """Draws a scene from one seed."""

    def __init__(self, seed: int, plane: str = "") -> None:
        self.rng = np.random.default_rng([seed, *plane.encode()])
        self.scene = Scene(seed, plane)
        #: whether what is drawn next is planar, and whether joints have limits, dry friction and clutches
        self.flat = bool(plane)
        self.bounded = False
        #: whether joints may have friction by a coefficient
        self.rubs = False
        #: whether joints may have springs, dampers, armatures and compliances
        self.springs = True
        #: axes in the plane and its normal
        self.axes = {"": np.eye(3), "xy": np.eye(3), "xz": np.column_stack([X, Z, -Y])}[plane]

    # numbers

    def vector(self, size: float) -> Array:
        v = self.rng.uniform(-size, size, 3)
        return self.axes[:, :2] @ v[:2] if self.flat else v

    def direction(self) -> Array:
        v = self.rng.normal(size=3)
        return v / np.linalg.norm(v)

    def rotation(self) -> Array:
        """Of a body."""
        if self.flat:
            return turn(self.axes[:, 2], self.rng.uniform(-np.pi, np.pi))
        return Rotation.from_quat(self.rng.normal(size=4)).as_matrix()

    def marker_axes(self, kind: str) -> Array:
        """Of a joint's marker: in the plane z is along a slider, or the normal."""
        if not self.flat:
            return self.rotation()
        e1, _, n = self.axes.T
        R = self.rotation()
        if kind in ("translational", "point_on_line", "slot"):
            z = R @ e1
            return np.column_stack([np.cross(n, z), n, z])
        return np.column_stack([R @ e1, np.cross(n, R @ e1), n])

    def pick(self, things: Any) -> Any:
        return things[int(self.rng.integers(len(things)))]

    def chance(self, of: float) -> bool:
        return bool(self.rng.random() < of)

    # parts

    def pose(self, body: int) -> Pose:
        return WORLD if body == GROUND else self.scene.bodies[body]

    def marker(self, body: int, world: Pose) -> str:
        """A new marker on a body at a pose in the world; its reference."""
        markers = self.scene.markers.setdefault(body, [])
        local = self.pose(body).seen(world)
        name = f"m{len(markers)}"
        markers.append(
            {"name": name, "position": local.x, "orientation": {"quaternion": quaternion(local.R)}}
        )
        return f"{'ground' if body == GROUND else f'b{body}'}.{name}"

    def near(self, body: int, size: float = 0.4) -> Array:
        """A place near a body [m]."""
        return self.pose(body).x + self.vector(size)

    def body(self, pose: Pose) -> int:
        """A new body; returns its number."""
        rng = self.rng
        a, b, c = rng.uniform(0.02, 0.3, 3)
        keys: dict[str, Any] = {"mass": rng.uniform(0.3, 4.0), "center_of_mass": self.vector(0.25)}
        if self.flat:
            keys["type"] = "planar"
            keys["inertia"] = rng.uniform(0.05, 0.5)
        else:
            Q = self.rotation()
            J = Q @ np.diag([a + b, b + c, c + a]) @ Q.T
            keys["inertia"] = 0.5 * (J + J.T)
        self.scene.bodies.append(pose)
        self.scene.keys.append(keys)
        return len(self.scene.bodies) - 1

    def is_flat(self, body: int) -> bool:
        return bool(self.scene.plane) and (body == GROUND or "type" in self.scene.keys[body])

    def free_body(self) -> int:
        self.scene.dof += 3 if self.flat else 6
        return self.body(Pose(self.vector(1.5), self.rotation()))

    def kind(self) -> str:
        kinds = list(PLANAR if self.flat else SPATIAL)
        weight = np.array([OFTEN.get(kind, 1.0) for kind in kinds])
        return str(self.rng.choice(kinds, p=weight / weight.sum()))

    def carried_body(self, parent: int, kind: str, backwards: bool | None = None) -> int:
        """A new body on a joint, whose marker a is on the parent unless it is `backwards`."""
        names = (PLANAR if self.flat else SPATIAL)[kind]
        s = {
            name: float(
                self.rng.uniform(-1.0, 1.0)
                if name.startswith("angle_")
                else self.rng.uniform(-2.5, 2.5)
                if name == "angle"
                else self.rng.uniform(-0.4, 0.4)
            )
            for name in names
        }
        relative = place_of(kind, s, self.flat)
        if kind == "ball":
            relative = Pose(np.zeros(3), self.rotation())
        if kind == "constant_velocity":
            bend = self.rng.uniform(-0.6, 0.6, 2)
            relative = Pose(np.zeros(3), Rotation.from_rotvec([*bend, 0.0]).as_matrix())
        backwards = self.chance(0.4) if backwards is None else backwards
        on_parent = Pose(self.near(parent, 0.8), self.marker_axes(kind))
        on_child = on_parent.at(WORLD.seen(relative) if not backwards else relative.seen(WORLD))
        # where the marker is on the child; in the plane its frame turns about the normal alone
        R = self.rotation() if self.flat else on_child.R @ self.rotation()
        child = self.body(Pose(on_child.x + self.vector(0.5), R))
        name = f"j{len(self.scene.joints)}"
        ends = [(parent, on_parent), (child, on_child)]
        self.joint(name, kind, ends[::-1] if backwards else ends, s)
        free = len(names) or FREE.get(kind, 0)
        self.scene.dof += free
        return child

    def joint(self, name: str, kind: str, ends: list[tuple[int, Pose]], s: dict[str, float]) -> None:
        """A joint that carries a body; s: its coordinates."""
        scene, rng = self.scene, self.rng
        (a, A), (b, B) = ends
        keys: dict[str, Any] = {"pitch": PITCH} if kind == "screw" else {}
        for key, size in (("stiffness", 20.0), ("damping", 1.0), ("armature", 0.3), ("rest", 0.5)):
            if s and kind != "screw" and self.springs and self.chance(0.15):
                keys[key] = {
                    one: rng.uniform(0.1, 1.0) * size for one in s if self.chance(0.7) or len(s) == 1
                }
                keys[key] = keys[key] or None
        if self.springs and self.chance(0.04):
            keys["enforce"] = PENALTY
            self.scene.dof += 6
        if keys.get("rest"):
            keys["stiffness"] = dict.fromkeys(keys["rest"], 3.0) | (keys.get("stiffness") or {})
        keys |= self.bounds(s) if self.bounded else {}
        keys |= self.bearings(kind) if self.rubs else {}
        scene.joints.append(scene_text.joint(name, kind, self.marker(a, A), self.marker(b, B), **keys))
        # planar joints are at the angle 0 as the scene is written
        scene.values |= {
            f"{name}.{one}": 0.0 if self.flat and one == "angle" else value for one, value in s.items()
        }
        scene.single |= {f"{name}.{one}": (kind, a, b) for one in s}
        scene.between.add(frozenset((a, b)))

    def bounds(self, s: dict[str, float]) -> dict[str, Any]:
        """Limits, dry friction or a clutch of each coordinate."""
        rng = self.rng
        keys: dict[str, dict[str, Any]] = {}
        for name, value in s.items():
            turns = name.startswith("angle")
            if self.chance(0.6):
                ends = [value - rng.uniform(0.02, 0.2), value + rng.uniform(0.02, 0.2)]
                if self.flat and name == "angle":
                    ends = [-rng.uniform(0.02, 0.2), rng.uniform(0.02, 0.2)]
                keys.setdefault("limits", {})[name] = ends
                if self.chance(0.25):
                    keys.setdefault("stop_stiffness", {})[name] = 500.0
                    keys.setdefault("stop_damping", {})[name] = 3.0
                else:
                    keys.setdefault("restitution", {})[name] = float(rng.choice([0.0, 0.3, 0.8]))
            if self.chance(0.5):
                size = rng.uniform(0.1, 2.0)
                keys.setdefault("friction_torque" if turns else "friction_force", {})[name] = size
                keys.setdefault("friction_static", {})[name] = size * rng.uniform(1.0, 1.5)
            elif self.chance(0.2):
                keys.setdefault("one_way", {})[name] = str(rng.choice(["positive", "negative"]))
        return keys

    def bearings(self, kind: str) -> dict[str, Any]:
        """Friction by a coefficient of some coordinates, on bearings so long that none wedges."""
        chosen = [name for name in BEARINGS.get(kind, ()) if self.chance(0.7)]
        if not chosen:
            return {}
        sizes = {"radius": self.rng.uniform(0.02, 0.08), "length": self.rng.uniform(0.6, 1.2)}
        return {"friction": {name: self.rng.uniform(0.02, 0.1) for name in chosen}, **sizes}

    def readers(self, most: int) -> None:
        """Loads that read reactions of joints, along their axes or those of a marker."""
        scene, rng = self.scene, self.rng
        names = list(dict.fromkeys(name.partition(".")[0] for name in scene.values))
        for k in range(most if names else 0):
            b, component = int(rng.integers(len(scene.bodies))), self.pick(COMPONENTS)
            at, name = self.marker(b, Pose(self.near(b), self.marker_axes(""))), self.pick(names)
            own = scene.single[next(one for one in scene.single if one.startswith(f"{name}."))][0]
            axes = f", {at}" if len(component) == 2 and (own == "universal" or self.chance(0.5)) else ""
            law = f"{rng.uniform(-0.15, 0.15)!r}*reaction({name}.{component}{axes})"
            scene.others.append(
                scene_text.table("force", name=f"reads{k}", type="force", body=at, force_x=law)
            )

    def ropes(self, most: int) -> None:
        """Ropes between bodies, some of them nearly taut."""
        scene, rng = self.scene, self.rng
        for k in range(most):
            a, b = rng.permutation([GROUND, *range(len(scene.bodies))])[:2].tolist()
            ends = [Pose(self.near(one), self.marker_axes("")) for one in (a, b)]
            length = float(np.linalg.norm(ends[1].x - ends[0].x)) * rng.uniform(1.0, 1.1)
            keys = {"length": length, "restitution": float(rng.choice([0.0, 0.5]))}
            marks = [self.marker(one, end) for one, end in zip((a, b), ends)]
            scene.joints.append(scene_text.joint(f"rope{k}", "rope", *marks, **keys))

    def changes(self) -> None:
        """An input with steps, a force that jumps, one that ceases, a motor of little effort."""
        scene, rng, table = self.scene, self.rng, scene_text.table
        n = len(scene.bodies)
        load = lambda: self.marker(b := int(rng.integers(n)), Pose(self.near(b), self.marker_axes("")))
        steps = {"time": [0.0, 0.1, 0.2], "value": list(rng.uniform(-3.0, 3.0, 3))}
        scene.inputs.append(table("input", name="w", **steps))
        jump = f"3*step(time - {rng.uniform(0.05, 0.25)!r})"
        for name, keys in (
            ("by_input", {"force_x": "w"}),
            ("jumping", {"force_y" if self.scene.plane != "xz" else "force_z": jump}),
            ("ceasing", {"force_x": "2", "active": f"time < {rng.uniform(0.05, 0.25)!r}"}),
        ):
            scene.others.append(table("force", name=name, type="force", body=load(), **keys))
        free = [name for name in scene.values if name.endswith((".angle", ".length"))]
        if free and self.chance(0.6):
            joint, _, coordinate = self.pick(free).partition(".")
            keys = {f"{coordinate}_velocity": "2*sin(9*time)", "effort_limit": rng.uniform(0.5, 4.0)}
            scene.others.append(scene_text.motion(joint, **keys))

    def tree(self, n: int) -> None:
        """n bodies."""
        for k in range(n):
            before = list(range(k))
            self.flat = bool(self.scene.plane)
            if (k and self.chance(0.12)) or (not k and self.chance(0.3)):
                self.free_body()
            elif not before or self.chance(0.15):
                self.carried_body(GROUND, self.kind())
            else:
                parent = before[-1] if self.chance(0.6) else self.pick(before)
                # bodies in space may hang on planar ones
                self.flat = self.is_flat(parent) and self.chance(0.8)
                self.carried_body(parent, self.kind())
        self.flat = bool(self.scene.plane)
        self.scene.gravity = self.vector(9.0) if self.chance(0.8) else np.zeros(3)

    def forces(self) -> None:
        """Springs, loads, and motors on coordinates."""
        scene, rng, table = self.scene, self.rng, scene_text.table
        n = len(scene.bodies)
        bodies = [GROUND, *range(n)]
        add = scene.others.append
        if self.chance(0.5):
            scene.inputs.append(table("input", name="u", start=0.7))
            at = self.marker(0, Pose(self.near(0), self.marker_axes("")))
            x = self.vector(1.0)
            add(table("force", name="pull", type="force", body=at, force_x=f"{float(x[0])!r}*u"))
        laws = ["1.5*cos(5*time + 1)", "2 - time"] + (["3*u + 0.2"] if scene.inputs else [])
        for k in range(int(rng.integers(0, 4))):
            a, b = rng.permutation(bodies)[:2].tolist()
            ends = {
                "a": self.marker(a, Pose(self.near(a), self.marker_axes(""))),
                "b": self.marker(b, Pose(self.near(b), self.marker_axes(""))),
            }
            what = self.pick(["spring_damper", "spring_damper", "torsion_spring_damper", "line_force"])
            match what:
                case "spring_damper":
                    keys = {"stiffness": rng.uniform(1, 30), "damping": rng.uniform(0, 2), "length": 0.7}
                case "torsion_spring_damper":
                    keys = {"stiffness": rng.uniform(1, 5), "damping": rng.uniform(0, 1), "angle": 0.2}
                case _:
                    keys = {"force": self.pick(laws)}
            add(table("force", name=f"f{k}", type=what, **ends, **keys))
        for k in range(int(rng.integers(0, 3))):
            b = int(rng.integers(n))
            kind = self.pick(["force", "torque"])
            d = self.vector(1.0) if kind == "force" or not self.flat else self.axes[:, 2]
            at = self.marker(b, Pose(self.near(b), self.marker_axes("")))
            keys = {f"{kind}_{axis}": f"{float(c)!r}*({self.pick(laws)})" for axis, c in zip("xyz", d)}
            add(table("force", name=f"load{k}", type=kind, body=at, **keys))
        self.unknowns()
        for name in scene.values:
            joint, _, coordinate = name.partition(".")
            effort = "torque" if coordinate.startswith("angle") else "force"
            if self.chance(0.15):
                keys = {effort: self.pick([*laws, f"0.5*{effort_law(coordinate)}"])}
                add(
                    table(
                        "force", name=f"on_{joint}_{coordinate}", type="joint_force", joint=joint,
                        coordinate=coordinate, **keys,
                    )
                )  # fmt: skip

    def unknowns(self) -> None:
        """A load that reads an acceleration, or a variable with a differential equation, and the coordinate
        of a joint.
        """
        scene, n = self.scene, len(self.scene.bodies)
        if self.chance(0.3):
            b = int(self.rng.integers(n))
            at = self.marker(b, Pose(self.near(b), self.marker_axes("")))
            read = f"acceleration(component_x(ground, {at}))"
            if scene.values and self.chance(0.5):
                read = f"acceleration({self.pick(list(scene.values))})"
            law = f"0.4 - {self.rng.uniform(0.05, 0.3)!r}*{read}"
            scene.others.append(scene_text.table("force", name="unknown", type="force", body=at, force_x=law))
        if scene.values and self.chance(0.3):
            b, name = int(self.rng.integers(n)), self.pick(list(scene.values))
            at = self.marker(b, Pose(self.near(b), self.marker_axes("")))
            scene.others += [
                scene_text.state("lag", f"sin({name}) - lag", start=0.3),
                scene_text.table("force", name="lagging", type="force", body=at, force_x=f"2*lag + {name}"),
            ]

    def motions(self) -> None:
        """Motions of some coordinates."""
        scene = self.scene
        for name, value in scene.values.items():
            if scene.dof < 3 or not self.chance(0.12):
                continue
            joint, _, coordinate = name.partition(".")
            law = {
                coordinate: f"{value!r} + 0.3*sin(2*time) + 0.1*time**2",
                f"{coordinate}_velocity": "0.4*cos(3*time)",
                f"{coordinate}_acceleration": "0.7 - sin(time)",
            }
            key = self.pick(list(law))
            scene.others.append(scene_text.motion(joint, **{key: law[key]}))
            scene.driven.add(name)
            scene.dof -= 1

    def relations(self, most: int) -> None:
        """Couplers and gears of coordinates that nothing drives."""
        scene = self.scene
        for k in range(most):
            free = [name for name in scene.values if name not in scene.driven]
            if len(free) < 2 or scene.dof < 2:
                return
            count = min(len(free), int(self.rng.integers(2, 4)))
            chosen = [free[i] for i in self.rng.permutation(len(free))[:count]]
            factors = self.rng.uniform(0.3, 2.0, count) * self.rng.choice([-1.0, 1.0], count)
            text = scene_text.table("joint", name=f"r{k}", type="coupler", joints=chosen, factors=factors)
            scene.others.append(text)
            scene.driven.update(chosen)
            scene.dof -= 1

    def loops(self, most: int) -> None:
        """Joints that close loops where they fit, as many as the freedoms admit."""
        scene = self.scene
        n = len(scene.bodies)
        for k in range(most):
            pairs = [
                (a, b) for a in range(GROUND, n) for b in range(n) if a < b
                if frozenset((a, b)) not in scene.between
            ]  # fmt: skip
            if not pairs:
                return
            a, b = self.pick(pairs)
            self.flat = self.is_flat(a) and self.is_flat(b)
            rows = IN_PLANE if self.flat else ANYWHERE | COINCIDENT
            kinds = [kind for kind, count in rows.items() if count < scene.dof]
            if not kinds:
                break
            if self.chance(0.5):
                a, b = b, a
            kind = self.pick(kinds)
            keys: dict[str, Any] = {}
            if kind in ANYWHERE:
                A, B = (Pose(self.near(one), self.marker_axes(kind)) for one in (a, b))
                if kind == "actuator":
                    length = float(np.linalg.norm(B.x - A.x))
                    keys["length"] = f"{length!r} + 0.2*sin(2*time)"
            else:
                s = {
                    "length": 0.3,
                    "angle": float(self.rng.uniform(-2.5, 2.5)),
                    "angle_x": 0.4,
                    "angle_y": -0.7,
                }
                if kind not in ("point_on_line", "slot", "cylindrical"):
                    del s["length"]
                if kind == "ball":
                    del s["angle"]
                A = Pose(0.5 * (self.near(a) + self.near(b)), self.marker_axes(kind))
                B = A.at(place_of(kind, s, self.flat))
                if not self.flat and kind in ("ball", "point_on_line", "point_on_plane"):
                    B = Pose(B.x, self.rotation())
            scene.joints.append(
                scene_text.joint(f"loop{k}", kind, self.marker(a, A), self.marker(b, B), **keys)
            )
            scene.between.add(frozenset((a, b)))
            scene.dof -= rows[kind]
        self.flat = bool(scene.plane)

    def point_mass(self) -> None:
        """A point mass on a rod and a spring."""
        scene, rng = self.scene, self.rng
        scene.bodies.append(Pose(self.vector(1.0), np.eye(3)))
        scene.keys.append({"type": "point", "mass": rng.uniform(0.3, 2.0)})
        point, body = len(scene.bodies) - 1, int(rng.integers(len(scene.bodies) - 1))
        end = self.marker(body, Pose(self.near(body), self.marker_axes("")))
        scene.joints.append(scene_text.joint("to_point", "rod", end, f"b{point}"))
        keys = {"stiffness": 20.0, "damping": 0.3, "length": 0.5}
        scene.others.append(scene_text.spring("ground", f"b{point}", name="of_point", **keys))

    def rolling(self, kind: str) -> None:
        """A disc or a wheel that leans on a plane of the ground, or of a body, and rolls."""
        scene, rng, radius = self.scene, self.rng, 0.4
        a = self.pick([GROUND, *range(len(scene.bodies))])
        floor = Pose(self.near(a), self.rotation())
        n, k = floor.R[:, 2], self.direction()
        while abs(n @ k) > 0.8:
            k = self.direction()
        down = -radius * (n - (n @ k) * k) / np.linalg.norm(n - (n @ k) * k)
        touching = floor.x + floor.R @ np.array([*rng.uniform(-0.5, 0.5, 2), 0.0])
        across = np.cross(k, self.direction())
        across /= np.linalg.norm(across)
        axle = Pose(touching - down, np.column_stack([across, np.cross(k, across), k]))
        b = self.body(Pose(axle.x + self.vector(0.2), self.rotation()))
        ends = self.marker(a, floor), self.marker(b, axle)
        scene.joints.append(scene_text.joint("rolls", kind, *ends, radius=radius))
        scene.dof += 3 if kind == "rolling_disc" else 4
        for _ in range(int(rng.integers(0, 4))):
            self.carried_body(self.pick(range(b, len(scene.bodies))), self.kind())


def effort_law(coordinate: str) -> str:
    """A law that depends on time alone."""
    return "sin(3*time + 0.5)" if coordinate.startswith("angle") else "cos(2*time)"


def random_tree(seed: int) -> Scene:
    """A tree with forces; every fourth one in a plane, every third one with motions."""
    draw = Generator(seed, ("", "", "", "xy", "", "", "", "xz")[seed % 8])
    draw.tree(int(draw.rng.integers(3, 13)))
    draw.forces()
    if seed % 3 == 0:
        draw.motions()
    return draw.scene


def random_mechanism(seed: int) -> Scene:
    """A tree whose loops are closed, or whose coordinates are related; every fourth one in a plane."""
    draw = Generator(seed, ("", "", "", "xy", "", "", "", "xz")[seed % 8])
    draw.tree(int(draw.rng.integers(3, 10)))
    draw.loops(int(draw.rng.integers(1, 4)))
    draw.forces()
    if seed % 3 == 0:
        draw.motions()
    if seed % 2 == 0:
        draw.relations(2)
    return draw.scene


def random_bounded(seed: int) -> Scene:
    """A tree whose coordinates have limits, dry friction and clutches, with ropes, and with loads that
    change at times.
    """
    draw = Generator(seed, ("", "", "", "xz")[seed % 4])
    draw.bounded = True
    draw.tree(int(draw.rng.integers(2, 6)))
    if seed % 3 == 0:
        draw.ropes(2)
    draw.changes()
    return draw.scene


def random_reader(seed: int) -> Scene:
    """A tree, with a loop in every third case, whose joints have friction by a coefficient, and loads that
    read reactions.
    """
    draw = Generator(seed, ("", "", "", "xy", "", "", "", "xz")[seed % 8])
    draw.rubs = True
    draw.tree(int(draw.rng.integers(3, 7)))
    if seed % 3 == 0:
        draw.loops(1)
    draw.forces()
    draw.readers(2)
    return draw.scene


def random_vehicle(seed: int) -> Scene:
    """A tree, and something that rolls on the ground or on one of its bodies and carries bodies; a point mass
    on a rod.
    """
    draw = Generator(seed)
    draw.tree(int(draw.rng.integers(2, 6)))
    draw.rolling(("rolling_disc", "wheel")[seed % 2])
    if seed % 3 == 0:
        draw.loops(1)
    draw.forces()
    if draw.chance(0.5):
        draw.point_mass()
    return draw.scene


def random_linkage(seed: int) -> Scene:
    """Bars on hinges along one direction of space, in one or two loops from ground to ground: three rows of
    each loop are redundant.
    """
    draw = Generator(seed)
    rng, scene = draw.rng, draw.scene
    Q = draw.rotation()
    up = Q[:, 2]

    def corner() -> Array:
        return Q @ np.array([*rng.uniform(-1.0, 1.0, 2), 0.0])

    def hinge(at: Array, a: int, b: int) -> None:
        at = at + rng.uniform(-0.2, 0.2) * up
        A = Pose(at, Q @ turn(Z, rng.uniform(-2.5, 2.5)))
        B = A.at(place_of("revolute", {"angle": rng.uniform(-2.5, 2.5)}, False))
        ends = [(a, A), (b, B)]
        (a, A), (b, B) = ends[::-1] if draw.chance(0.5) else ends
        scene.joints.append(
            scene_text.joint(f"h{len(scene.joints)}", "revolute", draw.marker(a, A), draw.marker(b, B))
        )

    bars = []
    for _ in range(1 + seed % 2):
        first = GROUND if not bars else draw.pick(bars)
        n = int(rng.integers(3, 6))
        corners = [corner() for _ in range(n + 1)]
        chain = [
            draw.body(Pose(0.5 * (corners[k] + corners[k + 1]) + draw.vector(0.2), draw.rotation()))
            for k in range(n)
        ]
        for k, (a, b) in enumerate(zip([first, *chain], [*chain, GROUND])):
            hinge(corners[k], a, b)
        bars += chain
    scene.gravity = draw.vector(9.0)
    if seed % 3 == 0:
        # something that leaves the plane
        draw.carried_body(draw.pick(bars), draw.kind())
    draw.forces()
    return scene


def flying_tree(seed: int) -> Scene:
    """A tree without gravity, held by nothing, with springs and dampers between its bodies; it starts with
    velocities of its own.
    """
    draw = Generator(seed)
    draw.springs = False
    scene, rng = draw.scene, draw.rng
    draw.free_body()
    for k in range(4):
        draw.carried_body(int(rng.integers(k + 1)), draw.pick(["revolute", "ball", "cylindrical", "planar"]))
    for k in range(3):
        a, b = rng.permutation(len(scene.bodies))[:2].tolist()
        keys = {"stiffness": rng.uniform(5, 20), "damping": rng.uniform(0, 0.5), "length": 0.5}
        ends = [draw.marker(one, Pose(draw.near(one), np.eye(3))) for one in (a, b)]
        scene.others.append(scene_text.spring(*ends, name=f"s{k}", **keys))
    for keys in scene.keys:
        keys |= {"velocity": draw.vector(0.5), "angular_velocity": draw.vector(1.0)}
    return scene


def falling_tree(seed: int) -> Scene:
    """A tree on the ground under gravity, without springs and friction, that starts at rest."""
    draw = Generator(seed)
    draw.springs = False
    # shafts that bend to a right angle would end the run
    kinds = [kind for kind in SPATIAL if kind not in ("universal", "constant_velocity")]
    draw.carried_body(GROUND, "revolute")
    for k in range(4):
        draw.carried_body(k, draw.pick(kinds))
    draw.scene.gravity = draw.vector(9.0)
    return draw.scene
