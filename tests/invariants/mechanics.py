"""Rows of joints and contacts in plain numpy, as matrices over the velocities of all bodies, and the masses.

Velocities are (6 n,): v of the mass centre and ω of each body, world axes. Nothing of the step is used.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from generated import BETWEEN_CENTRES, Joint, Scene
from images import rotation
from recorded import Run, rotated

Array = Any
UP = np.array([0.0, 0.0, 1.0])
#: part of the largest singular value below which rows are redundant; Newton steps that close their joints
REDUNDANT, CLOSING = 1e-9, 3
#: of Gauss, for the integral of a velocity
NODES, WEIGHTS = np.polynomial.legendre.leggauss(4)


class Pose(NamedTuple):
    x: Array  # (3,)
    R: Array  # (3, 3)


GROUND = Pose(np.zeros(3), np.eye(3))


def cross(a: Any, b: Any) -> Any:
    """a × b of two vectors (3,): numpy's takes ten times as long for so few numbers."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def moved(run: Run, k: int, h: float, v: dict[str, Array], w: dict[str, Array], poses: Any = None) -> Any:
    """Name -> pose of the bodies, h after the start of step k at these velocities, or after `poses`."""
    start = poses or {body.name: Pose(run.x[body.name][k], run.R[body.name][k]) for body in run.bodies}
    return {name: Pose(pose.x + h * v[name], rotated(h * w[name]) @ pose.R) for name, pose in start.items()}


def displaced(run: Run, poses: dict[str, Pose], way: Array) -> dict[str, Pose]:
    """`poses`, displaced and rotated by (6 n,)."""
    return {
        body.name: Pose(
            poses[body.name].x + way[6 * i : 6 * i + 3],
            rotated(way[6 * i + 3 : 6 * i + 6]) @ poses[body.name].R,
        )
        for i, body in enumerate(run.bodies)
    }


def middle(run: Run, k: int) -> dict[str, Pose]:
    """q₀ ⊕ ½ h v₀"""
    step = run.steps[k]
    v, w = ({name: values[k] for name, values in of.items()} for of in (run.v, run.w))
    return moved(run, k, 0.5 * (step.end - step.start), v, w)


def written(scene: Scene, run: Run) -> dict[str, Pose]:
    """Where the scene places the mass centres of its bodies."""
    centre = {body.name: body.centre for body in run.bodies}
    found = {}
    for body in scene.bodies:
        R = rotation(body.quaternion) if body.type == "spatial" else run.R[body.name][0]
        found[body.name] = Pose(np.array(body.position, float) + R @ centre[body.name], R)
    return found


def inverse_mass(run: Run, poses: dict[str, Pose]) -> Array:
    """(6 n, 6 n); 0 for what does not move."""
    found = np.zeros((6 * len(run.bodies), 6 * len(run.bodies)))
    for i, body in enumerate(run.bodies):
        linear = np.diag([1.0, 0.0, 1.0]) if body.type == "planar" else np.eye(3)
        R = poses[body.name].R
        place = slice(6 * i, 6 * i + 3), slice(6 * i + 3, 6 * i + 6)
        found[place[0], place[0]] = linear / body.mass
        match body.type:
            case "spatial":
                found[place[1], place[1]] = R @ np.linalg.inv(body.inertia) @ R.T
            case "planar":
                found[place[1], place[1]] = np.diag([0.0, 1.0 / float(np.max(body.inertia)), 0.0])
            case _:
                pass
    return found


def stacked(run: Run, v: dict[str, Array], w: dict[str, Array]) -> Array:
    """(6 n,)"""
    return np.concatenate([np.concatenate([v[body.name], w[body.name]]) for body in run.bodies])


class Ends:
    """Both ends of a joint or a contact: rows of what their velocities do."""

    def __init__(self, run: Run, a: str, b: str, poses: dict[str, Pose]) -> None:
        self.places = {body.name: 6 * i for i, body in enumerate(run.bodies)}
        self.n = 6 * len(run.bodies)
        self.names = (a, b)
        self.poses = [poses.get(name, GROUND) for name in self.names]

    def point(self, side: int, x: Array) -> Array:
        """(3, 6 n) velocity of the point x of the body on this side."""
        found = np.zeros((3, self.n))
        if self.names[side] in self.places:
            k = self.places[self.names[side]]
            found[:, k : k + 3] = np.eye(3)
            found[:, k + 3 : k + 6] = -crossed(x - self.poses[side].x)
        return found

    def spin(self, side: int) -> Array:
        """(3, 6 n) angular velocity of the body on this side."""
        found = np.zeros((3, self.n))
        if self.names[side] in self.places:
            k = self.places[self.names[side]]
            found[:, k + 3 : k + 6] = np.eye(3)
        return found


def crossed(a: Array) -> Array:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


class Mechanism:
    """The joints of a scene, as rows at any poses; penalties have none, nor have kinds of slow sets alone."""

    def __init__(self, scene: Scene, run: Run) -> None:
        self.scene, self.run = scene, run
        self.written = written(scene, run)

    def markers(self, joint: Joint, poses: dict[str, Pose]) -> tuple[Ends, list[Pose]]:
        """Both ends of a joint, and their markers at the poses."""
        x, F = self.run.frames[joint.name]
        ends = Ends(self.run, joint.a, joint.b, poses)
        found = []
        for name, pose in zip(ends.names, ends.poses):
            body = self.written.get(name, GROUND)
            place = body.R.T @ (x - body.x)
            if joint.type in BETWEEN_CENTRES:
                place = np.zeros(3)
            found.append(Pose(pose.x + pose.R @ place, pose.R @ body.R.T @ F))
        return ends, found

    def rows(self, poses: dict[str, Pose], time: float) -> tuple[Array, Array]:
        """(m, 6 n) of joints, motions and relations that are exact, and (m,) the rates that they ask for."""
        rows, rates = [np.zeros((0, 6 * len(self.run.bodies)))], []
        coordinates = {}
        for joint in self.scene.joints:
            ends, markers = self.markers(joint, poses)
            if not joint.penalty:
                rows.append(joint_rows(joint.type, ends, markers))
                rates += [0.0] * len(rows[-1])
            coordinates[joint.name] = coordinate_row(joint.type, ends, markers)
            if joint.motion:
                rows.append(coordinates[joint.name])
                rates.append(slope(joint.motion, time))
        for relation in self.scene.relations:
            pairs = zip(relation.factors, relation.joints)
            rows.append(sum(factor * coordinates[name] for factor, name in pairs))
            rates.append(0.0)
        return np.vstack(rows), np.array(rates)

    @cached_property
    def redundant(self) -> bool:
        """Whether rows follow from each other where joints are closed."""
        start = {
            body.name: Pose(self.run.x[body.name][0], self.run.R[body.name][0]) for body in self.run.bodies
        }
        rows, inverse = self.rows(start, 0.0)[0], inverse_mass(self.run, start)
        sizes = np.linalg.svd(rows @ inverse @ rows.T, compute_uv=False)
        return bool((sizes < REDUNDANT * sizes.max(initial=0.0)).any())

    def middle(self, k: int) -> dict[str, Pose]:
        """q₀ ⊕ ½ h v₀; where rows are redundant, the nearest pose at which joints are closed: beside that
        their rows contradict each other.
        """
        poses, run = middle(self.run, k), self.run
        if not self.redundant:
            return poses
        time, half = run.steps[k].start, 0.5 * (run.steps[k].end - run.steps[k].start)
        start = {body.name: Pose(run.x[body.name][k], run.R[body.name][k]) for body in run.bodies}
        v0 = stacked(run, *({name: values[k] for name, values in of.items()} for of in (run.v, run.w)))
        open = self.opened(start, half * v0, time, half)
        for _ in range(CLOSING):
            rows, inverse = self.rows(poses, time + half)[0], inverse_mass(run, poses)
            mend = -inverse @ rows.T @ np.linalg.lstsq(rows @ inverse @ rows.T, open, rcond=REDUNDANT)[0]
            open = open + self.opened(poses, mend, time + half, 0.0)
            poses = displaced(run, poses, mend)
        return poses

    def opened(self, poses: dict[str, Pose], way: Array, time: float, h: float) -> Array:
        """(m,) by how much joints open on a way (6 n,) from `poses` in h: the integral of their rates."""
        found = 0.0
        for s, weight in zip(0.5 * (1.0 + NODES), 0.5 * WEIGHTS):
            rows, rates = self.rows(displaced(self.run, poses, s * way), time + s * h)
            found = found + weight * (rows @ way - h * rates)
        return found


def joint_rows(type: str, ends: Ends, markers: list[Pose]) -> Array:
    """(rows, 6 n) Φ̇ of a joint."""
    (xa, A), (xb, B) = markers
    d = xb - xa
    gap = ends.point(1, xb) - ends.point(0, xa)  # ḋ
    spins = ends.spin(0), ends.spin(1)
    # (a·b)˙ = (b × a)·(ω_b − ω_a) of vectors a and b of both bodies
    dot = lambda i, j: cross(B[:, j], A[:, i]) @ (spins[1] - spins[0])
    along = lambda i: A[:, i] @ gap + cross(A[:, i], d) @ spins[0]
    level = [dot(0, 2), dot(1, 2)]
    match type:
        case "ball":
            return gap
        case "pin":
            return gap[[0, 2]]
        case "revolute":
            return np.vstack([gap, *level])
        case "translational":
            return np.vstack([*level, dot(0, 1), along(0), along(1)])
        case "fixed":
            return np.vstack([gap, dot(0, 1), dot(1, 2), dot(2, 0)])
        case "rod":
            return (d / np.linalg.norm(d) @ gap)[None]
        case "universal":
            return np.vstack([gap, dot(0, 1)])
        case "cylindrical":
            return np.vstack([*level, along(0), along(1)])
        case "planar":
            return np.vstack([*level, along(2)])
        case _:
            return np.zeros((0, ends.n))


def coordinate_row(type: str, ends: Ends, markers: list[Pose]) -> Array:
    """(1, 6 n) rate of the only coordinate: a length, or the angle atan2(x_b·y_a, x_b·x_a)."""
    (xa, A), (xb, B) = markers
    spins = ends.spin(0), ends.spin(1)
    if type == "translational":
        gap = ends.point(1, xb) - ends.point(0, xa)
        return (A[:, 2] @ gap + cross(A[:, 2], xb - xa) @ spins[0])[None]
    s, c = B[:, 0] @ A[:, 1], B[:, 0] @ A[:, 0]
    rate = lambda i: cross(B[:, 0], A[:, i]) @ (spins[1] - spins[0])
    return ((c * rate(1) - s * rate(0)) / (s * s + c * c))[None]


def slope(law: str, time: float) -> float:
    """f′ of a motion f(t), by a complex step."""
    sin: Callable[[Any], Any] = np.sin
    return float(eval(law, {"sin": sin, "time": time + 1e-30j}).imag / 1e-30)


class Touch(NamedTuple):
    """A contact of a step, in its middle."""

    a: str
    b: str
    shapes: tuple[int, int]
    xa: Array
    xb: Array
    normal: Array
    gap: float
    friction: float
    impulse: Array  # (3,) on b, world axes
    G: Array  # (3, 6 n) velocity of b relative to a, world axes
    identity: int


def trace(touch: Touch, inverse: Array) -> float:
    """Of W = G M⁻¹ Gᵀ. Between planar bodies, of which nothing moves across the plane, the tangent counts
    twice, as it does in the solver's ρ.
    """
    W = touch.G @ inverse @ touch.G.T
    found = float(np.trace(W))
    return 2.0 * found - float(touch.normal @ W @ touch.normal) if W[1, 1] == 0.0 else found


def touches(run: Run, k: int, poses: dict[str, Pose]) -> list[Touch]:
    """The contacts of step k: the points that its end shows, carried back to the middle with their bodies."""
    listed, found = run.steps[k].contacts, []
    names = [body.name for body in run.bodies]
    ends = {name: Pose(run.x[name][k + 1], run.R[name][k + 1]) for name in names}
    name = lambda number: names[number] if number >= 0 else "ground"

    def back(body: str, x: Array) -> Array:
        pose, end = poses.get(body, GROUND), ends.get(body, GROUND)
        return pose.x + pose.R @ end.R.T @ (x - end.x)

    for i in range(len(listed.body_a)):
        a, b = name(int(listed.body_a[i])), name(int(listed.body_b[i]))
        xa, xb = back(a, listed.point_a[i]), back(b, listed.point[i])
        both = Ends(run, a, b, poses)
        # both sides act in the middle of both points
        G = both.point(1, 0.5 * (xa + xb)) - both.point(0, 0.5 * (xa + xb))
        shapes = int(listed.shape_a[i]), int(listed.shape_b[i])
        numbers = float(listed.gap[i]), float(listed.friction[i])
        of_run = listed.normal[i], *numbers, listed.impulse[i], G, int(listed.identity[i])
        found.append(Touch(a, b, shapes, xa, xb, *of_run))
    return found
