"""Chains of joints with nothing in between, as one joint of a scene.

A body that slides along x and y and turns about their normal has three joints in URDF and MJCF, with links
between them that have neither mass nor shape. In a scene it has one:

    slides e1 ⟂ e2, hinge about their normal    planar        x, y, angle
    slides e1 ⟂ e2                              planar        x, y; a motion holds the angle
    three slides at right angles                orientation   x, y, z
    the same, a hinge along one of them         parallel      x, y, z, angle
    three slides and a ball or three hinges     none: the body is free

Springs, damping, armature, limits, friction and what reads a coordinate are kept, but for the last row: that
is done only on the ground and without springs, damping, armature and what reads a coordinate.
"""

from __future__ import annotations

import itertools
from collections.abc import Set
from dataclasses import dataclass

import numpy as np

from mbplugin_import.poses import Array, Pose, rotation
from mbplugin_import.robot import WORLD, Joint, Robot

#: directions with a smaller cosine are normal, with a smaller sine parallel
SINE_OF_NO_ANGLE = 1e-9
#: a motion is not free if the sine of the angle between its axes is smaller
SINE_OF_FREE_AXES = 0.05
#: slides and hinges -> type of joint, and its lengths
KINDS = {
    "ss": ("planar", "xy"),
    "ssh": ("planar", "xy"),
    "sss": ("orientation", "xyz"),
    "sssh": ("parallel", "xyz"),
}
#: keys of joints that do not keep a body from being free: what they say is left out
LOST = {"limits", "friction_torque", "friction_force"}
LETTERS = {"translational": "s", "revolute": "h", "ball": "b", "fixed": ""}


@dataclass
class Merged:
    """The frame (3, 3) of a joint in the child's frame, and the joint of each coordinate."""

    type: str
    frame: Array
    coordinates: dict[str, Joint]


def join_chains(robot: Robot, attached: Set[str]) -> dict[str, tuple[str, str]]:
    """Join chains of the robot.

    attached: names of joints that forces, couplers or motions read.

    Returns joint -> its new name and coordinate, "" if it has none.
    """
    names: dict[str, tuple[str, str]] = {}
    grounded = on_ground(robot)
    for chain in chains_of(robot):
        at = 0
        while at < len(chain):
            group, merged = longest(chain[at:], attached, chain[at].parent in grounded)
            if merged is not None:
                names |= replace(robot, group, merged)
            at += len(group)
    return names


def on_ground(robot: Robot) -> set[str]:
    """Links that do not move."""
    links = {WORLD}
    for joint in robot.joints:
        if joint.type == "fixed" and joint.parent in links:
            links.add(joint.child)
    return links


def chains_of(robot: Robot) -> list[list[Joint]]:
    """Joints one after another whose links between have nothing and hold nothing else."""
    below: dict[str, list[Joint]] = {}
    for joint in robot.joints:
        below.setdefault(joint.parent, []).append(joint)
    between = {
        name
        for name, link in robot.links.items()
        if name != WORLD and link.mass is None and not link.shapes and not link.frames
        if len(below.get(name, [])) == 1
    }
    chains = []
    for joint in robot.joints:
        if joint.parent in between or joint.type not in LETTERS:
            continue
        chain = [joint]
        while chain[-1].child in between and below[chain[-1].child][0].type in LETTERS:
            chain += below[chain[-1].child]
        if len(chain) > 1:
            chains.append(chain)
    return chains


def longest(chain: list[Joint], attached: Set[str], on_ground: bool) -> tuple[list[Joint], Merged | None]:
    """The first joints of a chain that make one joint; the first alone if none do."""
    for size in range(len(chain), 1, -1):
        group = chain[:size]
        moving = [joint for joint in group if joint.type != "fixed"]
        loose = not any(joint.keys.keys() - LOST or joint.name in attached for joint in moving)
        if group[0].type == "fixed" or group[-1].type == "fixed":
            continue
        merged = one_joint(group, loose and on_ground)
        if merged is not None:
            return group, merged
    return chain[:1], None


def one_joint(group: list[Joint], may_be_free: bool) -> Merged | None:
    """What a group of joints is together, if there is such a joint."""
    moving = [joint for joint in group if joint.type != "fixed"]
    letters = "".join(LETTERS[joint.type] for joint in moving)
    axes = {id(joint): in_last(group, joint).R @ joint.axis for joint in moving}
    slides = [axes[id(joint)] for joint in moving if joint.type == "translational"]
    hinges = [axes[id(joint)] for joint in moving if joint.type == "revolute"]
    if len(slides) == 3 and sorted(letters) in (list("bsss"), list("hhhsss")):
        turns = all(
            float(np.linalg.norm(np.cross(a, b))) > SINE_OF_FREE_AXES for a, b in itertools.pairwise(hinges)
        )
        if may_be_free and turns and abs(float(np.linalg.det(slides))) > SINE_OF_FREE_AXES:
            return Merged("free", np.eye(3), {})
    if letters not in KINDS or (hinges and abs(moving[-1].value) > np.pi):
        return None
    kind, names = KINDS[letters]
    z = hinges[0] if hinges else np.cross(slides[0], slides[1])
    normals = [*slides, z] if len(slides) == 2 else slides
    if any(abs(float(a @ b)) > SINE_OF_NO_ANGLE for a, b in itertools.combinations(normals, 2)):
        return None
    for order in itertools.permutations(moving[: len(slides)]):
        x, y = axes[id(order[0])], axes[id(order[1])]
        last = axes[id(order[2])] if len(slides) == 3 else z
        right = float(np.cross(x, y) @ last) > 0.0
        if right and (not hinges or float(last @ z) > 1.0 - SINE_OF_NO_ANGLE):
            coordinates = dict(zip(names, order))
            if hinges:
                coordinates["angle"] = moving[-1]
            return Merged(kind, np.column_stack([x, y, last]), coordinates)
    return None


def in_last(group: list[Joint], joint: Joint) -> Pose:
    """The pose of a joint's child in the frame of the last child, where all coordinates are `zero`."""
    pose = Pose()
    for inner in group[group.index(joint) + 1 :]:
        pose = pose @ inner.pose
    return pose.inverse()


def replace(robot: Robot, group: list[Joint], merged: Merged) -> dict[str, tuple[str, str]]:
    """Put one joint in the place of a group; returns joint -> its new name and coordinate."""
    first, last = group[0], group[-1]
    pose, start, twist = Pose(), Pose(), (np.zeros(3), np.zeros(3))
    for joint in group:
        before, start, pose = start, start @ joint.at_start(), pose @ joint.pose
        twist = joint.carried(before, start, twist)
    name = robot.names.new(f"{last.child}_{merged.type}")
    joint = Joint(name, merged.type, first.parent, last.child, pose, moved=start)
    joint.twist = (start.R.T @ twist[0], start.R.T @ twist[1])
    if merged.type != "free":
        zero = {c: one.zero for c, one in merged.coordinates.items()}
        hinge = merged.coordinates.get("angle", last)
        at = in_last(group, hinge) @ Pose(hinge.at)
        frame = Pose(at.x, merged.frame)
        offset = Pose(-np.array([zero.get(c, 0.0) for c in "xyz"]))
        turned = rotation(np.array([0.0, 0.0, 1.0]), zero.get("angle", 0.0))
        joint.frames = (pose @ frame @ offset, frame @ Pose(R=turned))
        for coordinate, one in merged.coordinates.items():
            for key, value in one.keys.items():
                joint.keys.setdefault(key, {})[coordinate] = value
            if one.starts_outside():
                robot.outside.append(f"{name}.{coordinate}")
    if merged.type == "planar" and "angle" not in merged.coordinates:
        robot.motions.append({"joint": name, "angle": 0.0})
        joint.held = True
    robot.joints[robot.joints.index(last)] = joint
    robot.joints = [one for one in robot.joints if one not in group]
    for one in group[:-1]:
        del robot.links[one.child]
    what = "a free body" if merged.type == "free" else f"{name} ({', '.join(merged.coordinates)})"
    old = [one for one in (merged.coordinates.values() or group) if one.type != "fixed"]
    lost = [one.name for one in old if merged.type == "free" and one.keys]
    robot.left_out.add("limits and friction of {}", lost, "joint", "joints")
    robot.left_out.say(f"joints {', '.join(one.name for one in old)} one by one: together they are {what}")
    of = {id(one): coordinate for coordinate, one in merged.coordinates.items()}
    return {one.name: (name, of.get(id(one), "")) for one in old}
