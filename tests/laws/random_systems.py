"""Random systems: trees and loops of spatial or planar bodies with joints, springs and loads, moving as their
joints admit.

Numbers are thousandths, so that a system that breaks a law can be read. Joints and markers are placed at t =
0 as the bodies stand, so that loops close.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache
from itertools import count, islice
from typing import Any

import headless
import numpy as np
import pytest
import scene_text

from mbplugin.kernels import entries
from mbplugin.model.plane import NORMAL
from mbplugin.tables.groups import Markers, State

Array = Any

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

    def text(self, **solver: Any) -> str:
        """The scene as it is written; `solver`: keys of the solver."""
        ground = {"name": "eye", "position": self.eye}
        parts = [scene_text.world(gravity=self.gravity, marker=[ground], plane=self.plane or None)]
        parts += map(self.body_text, self.bodies)
        parts += map(self.joint_text, self.joints)
        parts += map(self.force_text, self.forces)
        return "".join([*parts, scene_text.solver(**({"tolerance": 1e-10, "end": 1.0} | solver))])

    def body_text(self, body: Body) -> str:
        return scene_text.body(
            body.name,
            type="planar" if self.plane else None,
            mass=body.mass,
            position=body.x,
            center_of_mass=body.centre,
            inertia=0.5 * (body.inertia + body.inertia.T),
            orientation={"quaternion": quaternion(body.R)},
            velocity=body.v,
            angular_velocity=body.w,
            marker=[{"name": "eye", "position": body.eye}],
        )

    def joint_text(self, joint: Joint) -> str:
        placed = joint.type != "rod"
        directed = placed and (not self.plane or joint.type == "translational")
        text = scene_text.joint(
            joint.name,
            joint.type,
            self.name(joint.a) + ("" if placed else ".eye"),
            self.name(joint.b) + ("" if placed else ".eye"),
            at=joint.at if placed else None,
            axis=joint.axis if directed else None,
        )
        return text + (scene_text.motion(joint.name, angle=joint.motion) if joint.motion else "")

    def force_text(self, force: Force) -> str:
        if force.law:
            load = scene_text.force if force.type == "force" else scene_text.torque
            components = {axis: f"{float(c)!r}*({force.law})" for axis, c in zip("xyz", force.direction)}
            return load(f"{self.name(force.b)}.eye", force.name, **components)
        k, c, length = force.numbers
        a, b = f"{self.name(force.a)}.eye", f"{self.name(force.b)}.eye"
        return scene_text.spring(a, b, name=force.name, stiffness=k, damping=c, length=length)


def quaternion(R: Array) -> Array:
    from scipy.spatial.transform import Rotation

    x, y, z, w = Rotation.from_matrix(R).as_quat()
    return np.array([w, x, y, z])


def rotation(vector: Array) -> Array:
    from scipy.spatial.transform import Rotation

    return Rotation.from_rotvec(vector).as_matrix()


# at random


class Draws:
    """Numbers from one seed."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)

    def thousandths(self, low: float, high: float) -> float:
        return int(self.random.integers(round(1000 * low), round(1000 * high) + 1)) / 1000

    def vector(self, size: float) -> Array:
        return np.array([self.thousandths(-size, size) for _ in range(3)])

    def direction(self) -> Array:
        while True:
            d = self.vector(1.0)
            if np.linalg.norm(d) > 0.3:
                return d / np.linalg.norm(d)

    def among(self, things: Any) -> Any:
        return things[int(self.random.integers(len(things)))]

    def chance(self, of: float) -> bool:
        return bool(self.random.random() < of)

    def moments(self) -> Array:
        """Principal moments [kg·m²] that satisfy the triangle inequality."""
        a, b, c = (self.thousandths(0.02, 0.3) for _ in range(3))
        return np.array([a + b, b + c, c + a])


def random_scene(draw: Draws, free: bool = False) -> Scene:
    """`free`: nothing holds to the ground, and there is neither gravity nor load."""
    plane = draw.among(("", "", "xy", "xz"))
    n = np.array(NORMAL[plane or "xy"])
    level = (lambda vector: vector - (vector @ n) * n) if plane else (lambda vector: vector)
    count = draw.among((2, 3, 4) if free else (1, 2, 3, 4))
    bodies = tuple(random_body(draw, k, n if plane else None, level) for k in range(count))
    kinds = PLANAR_JOINTS if plane else SPATIAL_JOINTS
    joints = []
    for k in range(count):
        parents = list(range(k)) if free else [GROUND, *range(k)]
        if parents and draw.chance(0.85):
            joints.append(random_joint(draw, f"joint{k}", draw.among(parents), k, kinds, bodies, level))
    looped = count > 1 and draw.chance(0.5)
    if looped:
        a, b = sorted(draw.random.permutation(count)[:2].tolist())
        a = a if free or draw.chance(0.5) else GROUND
        # two joints between the same two bodies are no loop, and mostly say the same twice
        if not any((j.a, j.b) == (a, b) for j in joints):
            joints.append(
                random_joint(draw, "closure", a, b, ("rod", "pin" if plane else "ball"), bodies, level)
            )
    hinges = [k for k, j in enumerate(joints) if j.type in ("revolute", "pin")]
    if hinges and not looped and draw.chance(0.5):
        k = draw.among(hinges)
        joints[k] = replace(joints[k], motion="0.3*sin(2*time) + 0.1*time**2")
    forces = []
    for k in range(draw.among((0, 1, 2))):
        a, b = draw.random.permutation(np.arange(0 if free else GROUND, count))[:2].tolist()
        if b == GROUND:
            a, b = b, a
        numbers = (draw.thousandths(1, 30), draw.thousandths(0, 1), draw.thousandths(0.1, 1.5))
        forces.append(Force(f"spring{k}", "spring_damper", a, b, numbers))
    if not free:
        b = draw.among(range(count))
        forces.append(Force("load", "force", GROUND, b, (), "2*cos(5*time) + 1", level(draw.direction())))
        forces.append(
            Force("twist", "torque", GROUND, b, (), "sin(3*time) + 0.5", n if plane else draw.direction())
        )
    gravity = np.zeros(3) if free else level(draw.vector(9.0))
    return Scene(
        bodies,
        tuple(joints),
        tuple(forces),
        gravity,
        level(draw.vector(0.5) - np.array([0.7, 0.0, 0.0])),
        plane,
    )


def random_body(draw: Draws, k: int, n: Array | None, level: Any) -> Body:
    """`n`: normal of the plane of a planar body."""
    return Body(
        f"body{k}",
        draw.thousandths(0.5, 3.0),
        draw.moments(),
        np.eye(3) if n is not None else rotation(draw.vector(2.0)),
        level(draw.vector(0.2)),
        level(draw.vector(0.4) + np.array([1.0 * k, 0.0, 0.0])),
        rotation(draw.thousandths(-3.0, 3.0) * n if n is not None else draw.vector(2.0)),
        level(draw.vector(0.3)),
    )


def random_joint(
    draw: Draws, name: str, a: int, b: int, kinds: tuple[str, ...], bodies: tuple[Body, ...], level: Any
) -> Joint:
    place = bodies[b].x if a == GROUND else 0.5 * (bodies[a].x + bodies[b].x)
    axis = level(draw.direction())
    if np.linalg.norm(axis) < 0.1:
        axis = level(np.array([1.0, 0.0, 0.0]))
    return Joint(name, draw.among(kinds), a, b, level(place + draw.vector(0.3)), axis / np.linalg.norm(axis))


# motion


def in_motion(runs, scene: Scene, seed: int = 0, size: float = 1.0) -> Scene | None:
    """The scene with random velocities that its joints and motions admit; None if the bodies cannot move."""
    prepared = runs.prepare(scene.text())
    if prepared.rank.dof == 0:
        return None
    problem = prepared.problem
    state, markers = problem[State], problem[Markers]
    state.v[:] = size * np.random.default_rng(seed).uniform(-1.0, 1.0, len(state.v))
    problem.check(entries.assemble_velocities(problem.addresses))
    bodies = []
    for body, point in zip(scene.bodies, problem.names.body_marker):
        w = markers.w[point].copy()
        bodies.append(replace(body, w=w, v=markers.v[point] - np.cross(w, body.R @ body.centre)))
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


def show(runs, scene: Scene, times=(0.0,), **solver: Any) -> list[Shown]:
    """The system at each time; `solver`: keys of the solver."""
    prepared = runs.prepare(scene.text(**solver))
    integrator = prepared.start(1.0)
    found = []
    for t in times:
        headless.show(integrator, 1.0, float(t))
        found.append(
            Shown(
                prepared,
                {key: np.array(value) for key, value in prepared.recorder.frame().items()},
                integrator,
            )
        )
    return found


# laws of many systems

#: the number of the first system: of the 25 that follow and can move, three are driven, nine are loops, and
#: two of these have redundant rows
FIRST = 80


@dataclass(frozen=True, eq=False)
class Moving:
    """A random system that moves, by the number that it was drawn with."""

    seed: int
    scene: Scene
    runs: Any

    def prepare(self, **solver: Any) -> Any:
        """`solver`: keys of the solver."""
        return self.runs.prepare(self.scene.text(**solver))

    def show(self, times=(0.0,), **solver: Any) -> list[Shown]:
        """The system at each time, prepared anew."""
        return show(self.runs, self.scene, times, **solver)

    @property
    def frames(self) -> dict[float, dict[str, Array]]:
        """Its frames at 0, 0.1, 0.2 and 0.3 s; laws that only read them have one run in common."""
        return shown_once(self)[0]

    @property
    def rank(self) -> Any:
        return shown_once(self)[1]

    @property
    def is_redundant(self) -> bool:
        return bool(self.rank.rank < self.rank.rows)


@cache
def shown_once(moving: Moving) -> tuple[dict[float, dict[str, Array]], Any]:
    """Frames by time, and the rank of the rows."""
    times = (0.0, 0.1, 0.2, 0.3)
    shown = moving.show(times)
    return {t: one.frame for t, one in zip(times, shown)}, shown[0].prepared.rank


@cache
def drawn(runs: Any, seed: int, free: bool) -> Moving | None:
    """The system of this number; None if its bodies cannot move."""
    scene = in_motion(runs, random_scene(Draws(seed), free), seed)
    return None if scene is None else Moving(seed, scene, runs)


def of_random_systems(
    few: int, many: int, free: bool = False, but: Callable[[Scene], bool] = lambda scene: False
) -> Any:
    """A test of one system as a test of the first few, and a slow one of those that follow up to `many`.

    but: those that are left out
    """

    def decorate(law: Any) -> Any:
        def test(runs: Any, numbers: Iterable[int]) -> None:
            moving = (system for seed in count(FIRST) if (system := drawn(runs, seed, free)))
            chosen = (system for system in moving if not but(system.scene))
            for system in islice(chosen, numbers.start, numbers.stop):
                try:
                    law(system)
                except AssertionError as error:
                    error.add_note(f"random system {system.seed}")
                    raise

        test.__name__, test.__doc__, test.__module__ = law.__name__, law.__doc__, law.__module__
        further = pytest.param(range(few, many), marks=pytest.mark.slow, id="further")
        return pytest.mark.parametrize("numbers", [pytest.param(range(few), id="few"), further])(test)

    return decorate
