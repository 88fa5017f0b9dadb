"""Random systems: trees and loops of spatial or planar bodies with joints, springs and loads, moving as their joints admit.

Numbers are thousandths, so that a system that breaks a law can be read. Joints and markers are placed at t = 0 as the bodies stand, so that loops close.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from hypothesis import Phase, settings
from hypothesis import strategies as st

from mbplugin.kernels import entries
from mbplugin.model.plane import NORMAL
from mbplugin.tables.groups import Points, State

Array = Any
#: every law is asked of the same systems in every run; a failing one is shown as it was drawn, for shrinking takes minutes
few = lambda n: settings(derandomize=True, max_examples=n, deadline=None, database=None, phases=(Phase.explicit, Phase.generate))

SPATIAL_JOINTS = ("revolute", "ball", "translational", "fixed", "rod")
PLANAR_JOINTS = ("pin", "translational", "fixed", "rod")
GROUND = -1


@dataclass(frozen=True)
class Body:
    name: str
    mass: float
    moments: Array  # (3,) about `axes`
    axes: Array  # (3, 3) principal axes in the body's frame, as columns
    centre: Array  # (3,) of mass, in the body's frame
    x: Array  # (3,) of the body's frame
    R: Array  # (3, 3)
    eye: Array  # (3,) where springs and rods hold, in the body's frame
    v: Array | None = None  # of the body's frame
    w: Array | None = None

    @property
    def inertia(self) -> Array:
        """(3, 3) about the mass centre in the body's axes."""
        return self.axes @ np.diag(self.moments) @ self.axes.T


@dataclass(frozen=True)
class Joint:
    name: str
    type: str
    a: int
    b: int
    at: Array
    axis: Array
    motion: str = ""  # angle as a function of time


@dataclass(frozen=True)
class Force:
    """A spring with a damper from a to b where `law` is empty, else a force or a torque on b."""

    name: str
    type: str
    a: int
    b: int
    numbers: tuple[float, ...]
    law: str = ""
    direction: Array = ()


@dataclass(frozen=True)
class Scene:
    bodies: tuple[Body, ...]
    joints: tuple[Joint, ...]
    forces: tuple[Force, ...]
    gravity: Array
    eye: Array  # the ground's
    plane: str = ""

    def name(self, number: int) -> str:
        return "ground" if number == GROUND else self.bodies[number].name

    def text(self, solver: str = "tolerance = 1e-10\nend = 1.0") -> str:
        """The scene as it is written."""
        parts = [f'[scene]\ngravity = {rows(self.gravity)}\nmarker = [{{ name = "eye", position = {rows(self.eye)} }}]\n']
        if self.plane:
            parts[0] += f'plane = "{self.plane}"\n'
        parts += map(self.body_text, self.bodies)
        parts += map(self.joint_text, self.joints)
        parts += map(self.force_text, self.forces)
        return "".join([*parts, f"[solver]\n{solver}\n"])

    def body_text(self, body: Body) -> str:
        lines = ["[[body]]", f'name = "{body.name}"', f"mass = {body.mass!r}", f"position = {rows(body.x)}", f"center_of_mass = {rows(body.centre)}"]
        lines += [f"inertia = {rows(0.5 * (body.inertia + body.inertia.T))}", f"orientation = {{ quaternion = {rows(quaternion(body.R))} }}"]
        if self.plane:
            lines.append('type = "planar"')
        if body.v is not None:
            lines += [f"velocity = {rows(body.v)}", f"angular_velocity = {rows(body.w)}"]
        return "\n".join([*lines, f'marker = [{{ name = "eye", position = {rows(body.eye)} }}]', ""])

    def joint_text(self, joint: Joint) -> str:
        eye = ".eye" if joint.type == "rod" else ""
        lines = ["[[joint]]", f'name = "{joint.name}"', f'type = "{joint.type}"', f'a = "{self.name(joint.a)}{eye}"', f'b = "{self.name(joint.b)}{eye}"']
        if joint.type != "rod":
            lines.append(f"at = {rows(joint.at)}")
            if not self.plane or joint.type == "translational":
                lines.append(f"axis = {rows(joint.axis)}")
        if joint.motion:
            lines += ["[[motion]]", f'joint = "{joint.name}"', f'angle = "{joint.motion}"']
        return "\n".join([*lines, ""])

    def force_text(self, force: Force) -> str:
        lines = ["[[force]]", f'name = "{force.name}"', f'type = "{force.type}"']
        if force.law:
            lines.append(f'body = "{self.name(force.b)}.eye"')
            lines += [f'{force.type}_{axis} = "{float(c)!r}*({force.law})"' for axis, c in zip("xyz", force.direction)]
        else:
            k, c, length = force.numbers
            lines += [f'a = "{self.name(force.a)}.eye"', f'b = "{self.name(force.b)}.eye"', f"stiffness = {k}", f"damping = {c}", f"length = {length}"]
        return "\n".join([*lines, ""])


def rows(values: Array) -> str:
    return repr(np.asarray(values, float).tolist())


def quaternion(R: Array) -> Array:
    from scipy.spatial.transform import Rotation

    x, y, z, w = Rotation.from_matrix(R).as_quat()
    return np.array([w, x, y, z])


def rotation(vector: Array) -> Array:
    from scipy.spatial.transform import Rotation

    return Rotation.from_rotvec(vector).as_matrix()


# strategies

thousandths = lambda low, high: st.integers(round(1000 * low), round(1000 * high)).map(lambda n: n / 1000)
vectors = lambda size: st.tuples(*[thousandths(-size, size)] * 3).map(np.array)
directions = vectors(1.0).filter(lambda d: np.linalg.norm(d) > 0.3).map(lambda d: d / np.linalg.norm(d))


@st.composite
def moments(draw) -> Array:
    """Principal moments [kg·m²] that satisfy the triangle inequality."""
    a, b, c = (draw(thousandths(0.02, 0.3)) for _ in range(3))
    return np.array([a + b, b + c, c + a])


@st.composite
def scenes(draw, planar: bool | None = None, free: bool = False, loads: bool = True, motions: bool = True, loops: bool = True) -> Scene:
    """`free`: nothing holds to the ground and there is no gravity. `loads`: forces that depend on time. `motions`: driven joints."""
    flat = draw(st.booleans()) if planar is None else planar
    plane = draw(st.sampled_from(("xy", "xz"))) if flat else ""
    n = np.array(NORMAL[plane or "xy"])
    level = (lambda vector: vector - (vector @ n) * n) if flat else (lambda vector: vector)
    count = draw(st.integers(2 if free else 1, 4))
    bodies, joints = [], []
    for k in range(count):
        turn = draw(thousandths(-3.0, 3.0)) * n if flat else draw(vectors(2.0))
        bodies.append(
            Body(
                f"body{k}", draw(thousandths(0.5, 3.0)), draw(moments()), rotation(draw(vectors(2.0))) if not flat else np.eye(3),
                level(draw(vectors(0.2))), level(draw(vectors(0.4)) + np.array([1.0 * k, 0.0, 0.0])), rotation(turn), level(draw(vectors(0.3))),
            )  # fmt: skip
        )
    kinds = PLANAR_JOINTS if flat else SPATIAL_JOINTS
    for k in range(count):
        parents = list(range(k)) if free else [GROUND, *range(k)]
        if not parents or draw(st.integers(0, 5)) == 0:
            continue
        joints.append(joint(draw, f"joint{k}", draw(st.sampled_from(parents)), k, kinds, bodies, level))
    looped = loops and count > 1 and draw(st.booleans())
    if looped:
        a, b = sorted(draw(st.permutations(range(count)))[:2])
        a = a if free or draw(st.booleans()) else GROUND
        # two joints between the same two bodies are no loop, and mostly say the same twice
        if not any((j.a, j.b) == (a, b) for j in joints):
            joints.append(joint(draw, "closure", a, b, ("rod", "pin" if flat else "ball"), bodies, level))
    hinges = [k for k, j in enumerate(joints) if j.type in ("revolute", "pin")]
    if motions and hinges and not looped and draw(st.booleans()):
        k = draw(st.sampled_from(hinges))
        joints[k] = replace(joints[k], motion="0.3*sin(2*time) + 0.1*time**2")
    forces = []
    for k in range(draw(st.integers(0, 2))):
        a, b = draw(st.permutations(range(0 if free else GROUND, count)))[:2]
        if b == GROUND:
            a, b = b, a
        forces.append(Force(f"spring{k}", "spring_damper", a, b, (draw(thousandths(1, 30)), draw(thousandths(0, 1)), draw(thousandths(0.1, 1.5)))))
    if loads and not free:
        b = draw(st.integers(0, count - 1))
        forces.append(Force("load", "force", GROUND, b, (), "2*cos(5*time) + 1", level(draw(directions))))
        forces.append(Force("twist", "torque", GROUND, b, (), "sin(3*time) + 0.5", n if flat else draw(directions)))
    gravity = np.zeros(3) if free else level(draw(vectors(9.0)))
    return Scene(tuple(bodies), tuple(joints), tuple(forces), gravity, level(draw(vectors(0.5)) - np.array([0.7, 0.0, 0.0])), plane)


def joint(draw, name: str, a: int, b: int, kinds, bodies, level) -> Joint:
    kind = draw(st.sampled_from(kinds))
    place = bodies[b].x if a == GROUND else 0.5 * (bodies[a].x + bodies[b].x)
    axis = level(draw(directions))
    if np.linalg.norm(axis) < 0.1:
        axis = level(np.array([1.0, 0.0, 0.0]))
    return Joint(name, kind, a, b, level(place + draw(vectors(0.3))), axis / np.linalg.norm(axis))


# motion


def in_motion(runs, scene: Scene, seed: int = 0, size: float = 1.0) -> Scene | None:
    """The scene with random velocities that its joints and motions admit; None where the bodies cannot move."""
    prepared = runs.prepare(scene.text())
    if prepared.rank.dof == 0:
        return None
    problem = prepared.problem
    state, points = problem[State], problem[Points]
    state.v[:] = size * np.random.default_rng(seed).uniform(-1.0, 1.0, len(state.v))
    problem.check(entries.assemble_velocities(problem.addresses))
    bodies = []
    for body, point in zip(scene.bodies, problem.words.body_point):
        w = points.w[point].copy()
        bodies.append(replace(body, w=w, v=points.v[point] - np.cross(w, body.R @ body.centre)))
    return replace(scene, bodies=tuple(bodies))


@dataclass
class Shown:
    """A prepared system at a time, and its frame."""

    prepared: Any
    frame: dict[str, Any]
    integrator: Any

    @property
    def problem(self) -> Any:
        return self.prepared.problem


def show(runs, scene: Scene, times=(0.0,), solver: str = "tolerance = 1e-10\nend = 1.0") -> list[Shown]:
    """The system at each time."""
    prepared = runs.prepare(scene.text(solver))
    integrator = prepared.start(1.0)
    found = []
    for t in times:
        while integrator.advance(1.0, float(t), 10**6) == "busy":
            pass
        integrator.show(float(t))
        found.append(Shown(prepared, {key: np.array(value) for key, value in prepared.recorder.frame().items()}, integrator))
    return found
