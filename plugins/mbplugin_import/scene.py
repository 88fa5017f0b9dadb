"""A robot as tables of a scene: links that fixed joints hold together become one body.

The frame of a body is that of the topmost of its links; the others remain as markers of their names. A joint
has a marker on each body, in the same place where its coordinate is zero.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from mbplugin.errors import SceneError
from mbplugin.interface import Imported, MassProperties, Parameters, Positive, quaternion_of
from mbplugin_import.lend import lend_mass
from mbplugin_import.poses import Array, Pose, combined, is_physical, rotation, to_parent, with_z
from mbplugin_import.robot import WORLD, Joint, Link, Robot
from mbplugin_import.words import GROUND, LeftOut, Names, identifier, unused

#: components of places that a scene takes [m]
FARTHEST = 1e20


class MassKeys(Parameters):
    """Keys of both importers: for masses that no body can have, shapes that collide, and limits."""

    massless: Positive | None = None
    """Mass [kg] of moving bodies that have none, with an inertia of a thousandth of it; default: refuse."""
    balance: bool = False
    """Give moments of inertia that no body can have their mean, as MuJoCo's `balanceinertia` does."""
    collision: bool = True
    """Import the shapes that collide, too."""
    concave: Literal["mesh", "parts", "hull"] = "mesh"
    """Closed meshes with hollows or holes collide as they are, as convex parts, or as their convex hulls."""
    limits: bool = True
    """Import limits and dry friction of joints, and ranges of what motors exert, too."""


def scene_of(robot: Robot, keys: MassKeys) -> Imported:
    """The scene of a robot. Raises SceneError for a moving body whose mass properties are impossible."""
    names = Names()  # of bodies
    placed = {WORLD: (WORLD, Pose())}  # link -> body (its topmost link), and its pose in that
    at_start = {WORLD: Pose()}  # body -> pose in the world
    twists = {WORLD: (np.zeros(3), np.zeros(3))}  # body -> velocity and angular velocity in the world
    parts: dict[str, list[tuple[Link, Pose]]] = {WORLD: [(robot.links[WORLD], Pose())]}
    for joint in robot.joints:
        if not np.abs([joint.pose.x, joint.at, joint.axis]).max() <= FARTHEST:  # nor if it is NaN
            mend = f"its axis has no direction, or its place is farther away than {FARTHEST:g} m"
            raise SceneError(f'joint "{joint.name}"', mend=mend)
        body, pose = placed[joint.parent]
        if joint.type == "fixed":
            placed[joint.child] = (body, pose @ joint.pose)
            parts[body].append((robot.links[joint.child], pose @ joint.pose))
        else:
            placed[joint.child] = (joint.child, Pose())
            at_start[joint.child] = at_start[body] @ pose @ joint.at_start()
            twists[joint.child] = joint.carried(at_start[body], at_start[joint.child], twists[body])
            parts[joint.child] = [(robot.links[joint.child], Pose())]
    body_name = {link: names.new(link) if link != WORLD else GROUND for link in parts}
    masses = {link: mass_of(parts[link], robot.left_out) for link in parts if link != WORLD}
    moving = [joint for joint in robot.joints if joint.type != "fixed"]
    lend_mass(masses, moving, placed)
    markers: dict[str, list[dict[str, Any]]] = {link: frames_of(parts[link]) for link in parts}
    joints = [
        table
        for joint in moving
        if joint.type != "free"
        for table in [joint_table(joint, placed, body_name, markers)]
    ]
    for closure in robot.closures:
        ends = []
        for link, pose in ((closure.a, closure.on_a), (closure.b, closure.on_b)):
            body, inner = placed[link]
            ends.append(f"{body_name[body]}.{add_marker(markers[body], closure.name, inner @ pose)}")
        joints.append({"name": closure.name, "type": closure.type, "a": ends[0], "b": ends[1]})
    bodies = []
    for link, mass in masses.items():
        mass = placeholder(robot, link, keys.massless) if mass is None else possible(robot, link, mass, keys)
        table = {
            "name": body_name[link],
            **pose_keys(at_start[link]),
            **{key: rounded(v) for key, v in zip(("velocity", "angular_velocity"), twists[link]) if v.any()},
            "mass": mass.mass,
            "center_of_mass": rounded(mass.center_of_mass),
            "inertia": [rounded(row) for row in 0.5 * (mass.inertia + mass.inertia.T)],
            "shape": shapes_of(parts[link]),
            "marker": markers[link],
        }
        bodies.append({key: value for key, value in table.items() if value != []})
    if not bodies:
        raise SceneError(mend="has no link that can move; nothing to simulate")
    ground = {"shape": shapes_of(parts[WORLD]), "marker": markers[WORLD]}
    tables: dict[str, Any] = {
        "scene": {
            "name": robot.name,
            "gravity": rounded(np.array(robot.gravity)),
            **({"contacts": False} if robot.materials else {}),
            **{key: value for key, value in ground.items() if value},
        },
        "material": robot.materials,
        "contact": [*robot.contacts, *apart_of(robot, placed, body_name)],
        "input": robot.inputs,
        "body": bodies,
        "joint": [*joints, *robot.couplings],
        "motion": robot.motions,
        "variable": robot.variables,
        "force": robot.forces,
        "solver": {"coordinates": "joint"} if joints else {},
    }
    left_out = robot.left_out
    outside = [j.name for j in moving if j.type in ("revolute", "translational") and j.starts_outside()]
    mend = "runs are refused without; give each a `start`, or import with --set limits=false"
    what = f"a start within the limits of {{}}: {mend}"
    left_out.add(what, [*outside, *robot.outside], "joint", "joints")
    if robot.materials:
        left_out.say("contacts, unless scene.contacts = true")
    for what, of in (("bodies", names), ("joints", robot.names), ("inputs and forces", robot.signals)):
        if of.changed:
            left_out.say(f"names of {what} that are taken or reserved ({', '.join(of.changed)})")
    return Imported({name: table for name, table in tables.items() if table}, robot.files, left_out.lines())


def apart_of(
    robot: Robot, placed: dict[str, tuple[str, Pose]], body_name: dict[str, str]
) -> list[dict[str, Any]]:
    """The `[[contact]]` tables of links that do not collide, as far as these are on two bodies that would."""
    solid = {
        placed[link.name][0]
        for link in robot.links.values()
        if any("collide" in shape for shape in link.shapes)
    }
    there = [(placed[a][0], placed[b][0]) for a, b in robot.apart if a in placed and b in placed]
    pairs = dict.fromkeys((min(pair), max(pair)) for pair in there)
    return [
        {"a": body_name[a], "b": body_name[b], "collide": False}
        for a, b in pairs
        if a != b and {a, b} <= solid
    ]


def joint_table(
    joint: Joint,
    placed: dict[str, tuple[str, Pose]],
    body_name: dict[str, str],
    markers: dict[str, list[dict[str, Any]]],
) -> dict[str, Any]:
    """The `[[joint]]` table of a joint; adds its markers."""
    body, inner = placed[joint.parent]
    on_child = Pose(joint.at, with_z(joint.axis))
    offset = Pose()
    if joint.type == "revolute":
        offset = Pose(R=rotation(np.array([0.0, 0.0, 1.0]), -joint.zero))
    if joint.type == "translational":
        offset = Pose(np.array([0.0, 0.0, -joint.zero]))
    on_parent = inner @ joint.pose @ on_child @ offset
    if joint.frames is not None:
        on_parent, on_child = inner @ joint.frames[0], joint.frames[1]
    a = f"{body_name[body]}.{add_marker(markers[body], joint.name, on_parent)}"
    b = f"{body_name[joint.child]}.{add_marker(markers[joint.child], joint.name, on_child)}"
    table: dict[str, Any] = {"name": joint.name, "type": joint.type, "a": a, "b": b}
    if joint.type == "revolute" and abs(joint.value) > np.pi:
        table["start"] = {"angle": joint.value}  # which turn it is in, the poses do not tell
    return {**table, **joint.keys}


def add_marker(markers: list[dict[str, Any]], name: str, pose: Pose) -> str:
    """Add a marker to those of a body; returns its name, `name` with a number if it is taken."""
    result = unused(name, {marker["name"] for marker in markers})
    markers.append({"name": result, **pose_keys(pose)})
    return result


def frames_of(parts: list[tuple[Link, Pose]]) -> list[dict[str, Any]]:
    """Markers for the links merged into a body, but for its own, and for their frames."""
    markers: list[dict[str, Any]] = []
    for number, (link, pose) in enumerate(parts):
        if number:
            add_marker(markers, identifier(link.name), pose)
        for name, inner in link.frames.items():
            add_marker(markers, identifier(name), pose @ inner)
    return markers


def shapes_of(parts: list[tuple[Link, Pose]]) -> list[dict[str, Any]]:
    """Shapes of all links of a body, in its frame."""
    shapes = []
    for link, pose in parts:
        for shape in link.shapes:
            table = {key: value for key, value in shape.items() if key != "pose"}
            shapes.append({**table, **pose_keys(pose @ shape["pose"])})
    return shapes


def mass_of(parts: list[tuple[Link, Pose]], left_out: LeftOut) -> MassProperties | None:
    """Mass properties of all links of a body, in its frame; None without mass."""
    weighed = [to_parent(link.mass, pose) for link, pose in parts if link.mass is not None]
    if any(part.mass for part in weighed):
        return combined(weighed)
    if weighed:
        left_out.say(f'moments of inertia of body "{parts[0][0].name}", which has no mass')
    return None


def placeholder(robot: Robot, link: str, massless: float | None) -> MassProperties:
    """The mass of a body that has none. Raises SceneError if none is to be given."""
    if massless is None:
        ends = [joint.name for joint in robot.joints if link in (joint.parent, joint.child)]
        mend = (
            f"at the joints {', '.join(ends[:4])}, moves and has no mass: its motion is undetermined; "
            "give it mass and inertia in the file, or a small mass [kg] at the import: --set massless=1e-3"
        )
        raise SceneError(f'body "{link}"', mend=mend)
    robot.left_out.say(f'body "{link}" has no mass; it got {massless:g} kg, which changes the motion')
    return MassProperties(massless, np.zeros(3), 1e-3 * massless * np.eye(3))


def possible(robot: Robot, link: str, mass: MassProperties, keys: MassKeys) -> MassProperties:
    """The mass properties of a body, balanced if they are to be. Raises SceneError if no body has them."""
    if is_physical(mass):
        return mass
    moments = np.linalg.eigvalsh(mass.inertia)
    mean = float(moments.mean())
    if not keys.balance or mean <= 0.0 or mass.mass <= 0.0:
        correct = "correct the file"
        if mean > 0.0:
            correct += ", or take their mean: --set balance=true"
        shown = ", ".join(f"{moment:.4g}" for moment in moments)
        mend = (
            f"with what is fixed to it, has mass {mass.mass:.4g} kg and the principal moments {shown} kg m2, "
            f"which no body has: each is positive and at most the sum of the others; {correct}"
        )
        raise SceneError(f'body "{link}"', mend=mend)
    robot.left_out.say(f'body "{link}": moments of inertia that no body has; it got their mean')
    return MassProperties(mass.mass, mass.center_of_mass, mean * np.eye(3))


def pose_keys(pose: Pose) -> dict[str, Any]:
    """`position` and `orientation`, left out where they are the defaults."""
    keys: dict[str, Any] = {}
    if pose.x.any():
        keys["position"] = rounded(pose.x)
    if not np.array_equal(pose.R, np.eye(3)):
        keys["orientation"] = {"quaternion": list(quaternion_of(pose.R))}
    return keys


def rounded(values: Array) -> list[float]:
    """As plain numbers, without negative zeros."""
    return [float(value) + 0.0 for value in values]
