"""A robot as URDF and MJCF describe it: links in a tree of joints, and what closes loops in it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from mbplugin.interface import MassProperties
from mbplugin_import.poses import Array, Pose, rotation
from mbplugin_import.words import LeftOut, Names

#: the root of all trees
WORLD = "(ground)"
#: a joint that is farther beyond its limits is outside [rad] or [m]
ROUNDING_OF_LIMITS = 1e-9


@dataclass
class Link:
    """A rigid part. `mass` is None if it has none; `shapes` are tables of a scene in the link's frame."""

    name: str
    mass: MassProperties | None = None
    shapes: list[dict[str, Any]] = field(default_factory=list)
    frames: dict[str, Pose] = field(default_factory=dict)  # marker -> its pose in the link's frame


@dataclass(eq=False)
class Joint:
    """A joint between a link and its parent.

    type:  a type of a scene, or "free" (no joint)
    pose:  of the child's frame in the parent's where the coordinate is `zero`
    at:    (3,) a point of the axis, in the child's frame [m]
    axis:  (3,) unit vector in the child's frame
    zero:  what the coordinate reads in `pose` [rad] or [m]
    value: what it reads at t = 0
    keys:  of the joint in the scene: stiffness, limits, friction_torque, ...; of several coordinates by name
    """

    name: str
    type: str
    parent: str
    child: str
    pose: Pose
    at: Array = field(default_factory=lambda: np.zeros(3))
    axis: Array = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    zero: float = 0.0
    value: float = 0.0
    keys: dict[str, Any] = field(default_factory=dict)
    moved: Pose | None = None  # of the child at t = 0 in the parent, where `value` does not tell it
    frames: tuple[Pose, Pose] | None = None  # of the markers on parent and child; default: of `at` and `axis`
    held: bool = False  # whether a motion holds its angle
    #: at t = 0 relative to the parent: velocity of the child's origin, angular velocity, in the child's frame
    twist: tuple[Array, Array] = field(default_factory=lambda: (np.zeros(3), np.zeros(3)))

    def rates(self, speed: float) -> tuple[Array, Array]:
        """`twist` of a revolute or translational joint whose coordinate has this rate."""
        if self.type == "revolute":
            return speed * np.cross(self.at, self.axis), speed * self.axis
        return speed * self.axis, np.zeros(3)

    def starts_outside(self) -> bool:
        """Whether a revolute or translational joint is beyond its limits at t = 0."""
        low, high = self.keys.get("limits", (-math.inf, math.inf))
        return not low - ROUNDING_OF_LIMITS <= self.value <= high + ROUNDING_OF_LIMITS

    def at_start(self) -> Pose:
        """Pose of the child in the parent at t = 0."""
        if self.moved is not None:
            return self.moved
        change = self.value - self.zero
        match self.type:
            case "revolute" if change:
                R = rotation(self.axis, change)
                return self.pose @ Pose(self.at - R @ self.at, R)
            case "translational" if change:
                return self.pose @ Pose(change * self.axis)
            case _:
                return self.pose

    def carried(self, parent: Pose, child: Pose, twist: tuple[Array, Array]) -> tuple[Array, Array]:
        """Velocity and angular velocity of the child at t = 0, of poses and the parent's `twist`."""
        (v, w), (v_relative, w_relative) = twist, self.twist
        return v + np.cross(w, child.x - parent.x) + child.R @ v_relative, w + child.R @ w_relative


@dataclass
class Closure:
    """A joint that closes a loop: poses of its markers on two links."""

    name: str
    type: str  # "ball" or "fixed"
    a: str
    b: str
    on_a: Pose
    on_b: Pose


@dataclass
class Robot:
    """Links by name, WORLD among them; joints, each after that of its parent."""

    name: str
    links: dict[str, Link] = field(default_factory=lambda: {WORLD: Link(WORLD)})
    joints: list[Joint] = field(default_factory=list)
    closures: list[Closure] = field(default_factory=list)
    couplings: list[dict[str, Any]] = field(default_factory=list)  # `[[joint]]` tables of type "coupler"
    motions: list[dict[str, Any]] = field(default_factory=list)
    variables: list[dict[str, Any]] = field(default_factory=list)
    forces: list[dict[str, Any]] = field(default_factory=list)
    inputs: list[dict[str, Any]] = field(default_factory=list)
    materials: list[dict[str, Any]] = field(default_factory=list)  # of shapes that collide
    contacts: list[dict[str, Any]] = field(default_factory=list)  # what holds between two materials
    apart: list[tuple[str, str]] = field(default_factory=list)  # links that do not collide
    gravity: list[float] = field(default_factory=lambda: [0.0, 0.0, -9.81])
    files: dict[str, Path | bytes] = field(default_factory=dict)
    left_out: LeftOut = field(default_factory=LeftOut)
    outside: list[str] = field(default_factory=list)  # joints of several coordinates that start beyond limits
    names: Names = field(default_factory=Names)  # of joints
    signals: Names = field(default_factory=Names)  # of inputs, variables and forces
