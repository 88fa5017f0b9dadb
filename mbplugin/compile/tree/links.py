"""Links: what the recursion knows of a body of a tree and of the joint that carries it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from mbplugin.compile.builder import Builder
from mbplugin.compile.draft import DraftBody, DraftElement
from mbplugin.compile.frames import plane_axes
from mbplugin.compile.joint_motion import JointMotion
from mbplugin.compile.tree.choose import Branch, Carrier
from mbplugin.tables.records import BALL, CONSTANT, CROSS, DERIVED, FIXED, FREE, SLIDING, TURNING
from mbplugin.tables.spec import Array

FORMS = {
    "fixed": FIXED,
    "turning": TURNING,
    "sliding": SLIDING,
    "constant": CONSTANT,
    "cross": CROSS,
    "ball": BALL,
    "free": FREE,
    "derived": DERIVED,
}


class Rotor(NamedTuple):
    """An inertia on a coordinate of the joint that carries a link.

    inertia: times ∂ṡ/∂(velocity), what it adds to the armature by the rate of the coordinate
    """

    coordinate: str
    measure: int
    velocity: int  # which of those of the link
    inertia: float


@dataclass
class Link:
    """A body of a tree. Its frame stands at its marker of the joint that carries it, or at the mass centre of
    a free root; motions are in axes of the joint's frame, whose z is the axis of turns.
    """

    body: str
    number: int  # in the scene's order of `Names.bodies`
    parent: int  # place in the tree; -1: the ground
    joint: int  # in names.joints; -1: a free root
    coordinates: tuple[str, ...]
    markers: tuple[int, int]  # points of the joint: on the parent, on the body
    form: int
    motion: Array  # (rates, 6) turn and translation by each velocity
    armature: Array  # (rates,)
    axes: Array  # (3, 3) of the joint's frame in the parent's link frame
    place: Array  # (3,) of it there
    x: Array  # (3,) origin of the link frame in the body frame
    R: Array  # (3, 3) axes of the link frame in the body frame
    mass: float
    centre: Array  # (3,) mass centre in the link frame
    inertia: Array  # (3, 3) about it, in axes of the link frame
    forward: bool = True
    planar: bool = False  # whether the joint is between planar bodies
    elements: list[DraftElement] = field(default_factory=list)  # rows and coordinates of a DERIVED one
    rotors: list[Rotor] = field(default_factory=list)
    read: bool = False  # whether something reads the joint's reaction in a step

    @property
    def rates(self) -> int:
        return len(self.motion)

    @property
    def last(self) -> int:
        """The point of the last marker of the joint."""
        return self.markers[1 if self.forward else 0]

    @property
    def nq(self) -> int:
        return self.rates + (self.form in (BALL, FREE))


def link_of(build: Builder, branch: Branch, links: list[Link]) -> Link:
    """The link of one body; links: those of its tree before it."""
    if branch.carrier is None:
        return root_link(build, branch)
    return carried_link(build, branch, branch.carrier, links)


def root_link(build: Builder, branch: Branch) -> Link:
    """The link of a body that no joint carries: it moves freely, in space or in the plane of the scene."""
    body = build.bodies[branch.body]
    form, motion, Q = free_root(build, body)
    # in the plane turns are about z of the joint's frame
    R = Q if body.kind.in_plane else np.eye(3)
    mass = build.system.body(body.name).mass_properties()
    at = np.asarray(mass.center_of_mass, float), R
    frame = Frame(-1, (), (-1, -1), Q, np.zeros(3), True)
    return made_link(build, branch, frame, form, motion, at)


def carried_link(build: Builder, branch: Branch, carrier: Carrier, links: list[Link]) -> Link:
    """The link of a body that a joint carries."""
    m = carrier.motion
    Q = along_z(m)
    form, motion = FORMS[m.form], np.zeros((0, 6))
    if form == BALL:
        motion = np.hstack([np.eye(3), np.zeros((3, 3))])
    elif form == CROSS:
        motion = np.hstack([m.t @ Q, np.zeros((2, 3))])
    elif m.P.size:
        turns = np.abs(m.w) if form == TURNING else m.w
        motion = np.hstack([np.outer(turns, [0.0, 0.0, 1.0]), (Q.T @ m.P).T])
    x, A = in_body(build, carrier.child_point)
    x_p, A_p = in_body(build, carrier.parent_point)
    if branch.parent >= 0:
        parent = links[branch.parent]
        x_p, A_p = parent.R.T @ (x_p - parent.x), parent.R.T @ A_p
    points = carrier.parent_point, carrier.child_point
    frame = Frame(carrier.joint, m.coordinates, points, A_p @ Q, x_p + A_p @ m.p0, carrier.forward)
    link = made_link(build, branch, frame, form, motion, (x, A @ m.R0.T @ Q))
    link.planar = build.names.joints[carrier.joint].planar
    return link


class Frame(NamedTuple):
    """The joint of a link, and where its frame stands in that of the parent: fields of `Link`."""

    joint: int
    coordinates: tuple[str, ...]
    markers: tuple[int, int]
    axes: Array
    place: Array
    forward: bool


def made_link(
    build: Builder, branch: Branch, frame: Frame, form: int, motion: Array, at: tuple[Array, Array]
) -> Link:
    """The link with its mass properties. at: origin and axes of its frame in the body frame."""
    body = build.bodies[branch.body]
    mass = build.system.body(body.name).mass_properties()
    x, R = at
    return Link(
        body=body.name,
        number=build.names.bodies.index(body.name),
        parent=branch.parent,
        **frame._asdict(),
        form=form,
        motion=motion,
        armature=np.zeros(len(motion)),
        x=x,
        R=R,
        mass=float(mass.mass),
        centre=R.T @ (np.asarray(mass.center_of_mass, float) - x),
        inertia=R.T @ np.asarray(mass.inertia, float) @ R,
    )


def free_root(build: Builder, body: DraftBody) -> tuple[int, Array, Array]:
    """Form, motion and axes of the joint's frame of a body that no joint carries."""
    if not body.kind.in_plane:
        return FREE, np.zeros((6, 6)), np.eye(3)
    motion = np.zeros((3, 6))
    motion[0, 3] = motion[1, 4] = motion[2, 2] = 1.0
    return CONSTANT, motion, plane_axes(build.system.scene.plane)


def along_z(motion: JointMotion) -> Array:
    """(3, 3) axes whose z is that of the turns, in the positive sense of a single one and of the first of a
    cross, or of a sliding.
    """
    z = motion.u if motion.w.any() else motion.P[:, 0] if motion.form == "sliding" else None
    if motion.form == "turning":
        z = motion.u * motion.w[0]
    if motion.form == "cross":
        z = motion.t[0] / np.linalg.norm(motion.t[0])
    if z is None:
        return np.eye(3)
    x = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = x - (x @ z) * z
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def in_body(build: Builder, point: int) -> tuple[Array, Array]:
    """Position and axes of a point in the frame of its body; of the ground, in the world."""
    number = build.draft.points[point][0]
    x, R = (np.asarray(part, float) for part in build.draft.point_pose[point])
    if number < 0:
        return x, R
    body = build.bodies[number]
    return body.R.T @ (x - body.x), body.R.T @ R


def rest(link: Link) -> Array:
    """(nq,) coordinates at which a joint is at 0."""
    q = np.zeros(link.nq)
    if link.form in (BALL, FREE):
        q[link.nq - 4] = 1.0
    return q
