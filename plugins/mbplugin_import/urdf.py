"""Importer of URDF, the robot description of ROS.

URDF is small: links with mass, shapes and a frame, in a tree of joints. It is read with the XML parser of the
standard library. The root link is fixed to the ground, unless `floating` is asked for.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from mbplugin.errors import SceneError
from mbplugin.interface import Imported, Importer, MassProperties
from mbplugin_import.chains import join_chains
from mbplugin_import.poses import Pose
from mbplugin_import.robot import ROUNDING_OF_LIMITS, WORLD, Closure, Joint, Link, Robot
from mbplugin_import.scene import MassKeys, scene_of
from mbplugin_import.urdf_shapes import Shapes, pose_of, same_shape
from mbplugin_import.words import LeftOut
from mbplugin_import.xml import Element, attribute, child, number, optional_child, read_xml, vector

#: `type` of a joint -> kind of joint of a scene
TYPES = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "translational",
    "fixed": "fixed",
    "floating": "free",
    "planar": "planar",
}
#: kinds that take the axis
WITH_AXIS = ("revolute", "translational", "planar")
#: kinds with a coordinate
MOVING = ("revolute", "translational")
#: joint -> the joint that it mimics, multiplier and offset
Leaders = dict[str, tuple[str, float, float]]
#: the material of what collides (names of bodies have no blanks), and its friction: URDF has none
SURFACE, FRICTION = "robot surface", 1.0
#: told of a robot that does not move
STILL = (
    "a motion: nothing moves beside the root link, which is fixed; --set floating=true makes it a free body"
)
#: what is read, of each element; all else is listed
READ = {
    "robot": ("link", "joint", "material", "transmission"),
    "link": ("inertial", "visual", "collision"),
    "joint": ("parent", "child", "origin", "axis", "limit", "mimic", "dynamics"),
}

EXAMPLE = """
<robot name="pendulum">
  <link name="base"/>
  <link name="bob"><inertial><origin xyz="0 0 -1"/><mass value="2"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <joint name="hinge" type="continuous"><parent link="base"/><child link="bob"/><axis xyz="0 1 0"/></joint>
</robot>
"""


class UrdfKeys(MassKeys):
    floating: bool = False
    """Whether the root link is free to move; default: it is fixed to the ground."""
    packages: dict[str, str] = {}
    """Folders of the packages in paths of meshes: packages.talos_data=/opt/talos. Default: searched."""


class Urdf(Importer):
    """Links, inertias, shapes, joints with friction and limits, and an input for each transmission."""

    name = "urdf"
    examples = (EXAMPLE,)
    suffixes = (".urdf", ".xml")
    root = "robot"
    parameters = UrdfKeys

    @classmethod
    def read(cls, file: Path, params: Any) -> Imported:
        root = read_xml(file)
        if root.tag != "robot":
            raise SceneError(file=str(file), mend=f"the root element is <{root.tag}>; URDF has <robot>")
        if any(element.tag.startswith("xacro:") for element in root.iter()):
            mend = "is a xacro file; expand it first: xacro FILE > robot.urdf"
            raise SceneError(file=str(file), mend=mend)
        return scene_of(Reader(root, file, params).robot(), params)


class Reader:
    """What is read from one file."""

    def __init__(self, root: Element, file: Path, params: Any) -> None:
        self.root, self.file, self.params = root, file, params
        self.solid = False  # whether anything collides
        self.left_out = LeftOut()
        self.joint_names: dict[str, str] = {}  # of the file -> of the scene
        self.efforts: dict[str, float] = {}  # joint of the scene -> the largest one of its motor
        self.merged: dict[str, tuple[str, str]] = {}  # joint -> the joint and coordinate that it became
        self.shapes = Shapes(root, file, params, self.drop)

    def drop(self, what: str, name: str, one: str = "joint") -> None:
        """List something of a joint, or another element, that the scene has not."""
        self.left_out.add(f"{what} of {{}}", [name], one, f"{one}s")

    def drop_unread(self, element: Element, name: str = "") -> None:
        """List the children of an element that nobody reads."""
        for part in element:
            what = f"what <{part.tag[:40]}> says"
            if part.tag not in READ[element.tag] and element is self.root:
                self.left_out.say(what)
            elif part.tag not in READ[element.tag]:
                self.drop(what, name, element.tag)

    def robot(self) -> Robot:
        """The robot. Raises SceneError."""
        robot = Robot(self.root.get("name") or self.file.stem, left_out=self.left_out)
        robot.links |= {name: self.link(name, element) for name, element in self.named("link").items()}
        if len(robot.links) == 1:
            raise SceneError("robot", mend="has no <link>")
        elements = self.named("joint")
        joints = {name: self.joint(name, element, robot) for name, element in elements.items()}
        robot.joints = self.from_the_root(joints, robot)
        leaders = self.leaders(elements, joints)
        self.join_chains(joints, robot)
        self.couple(leaders, robot)
        self.transmissions(joints, robot)
        self.drop_unread(self.root)
        self.shapes.list_left_out(self.left_out)
        if self.solid:
            robot.materials = [{"name": SURFACE, "friction": FRICTION}]
            robot.contacts = [{"a": SURFACE, "b": SURFACE, "collide": False}]
        robot.files = self.shapes.meshes.files
        return robot

    def named(self, tag: str) -> dict[str, Element]:
        """The elements of a tag by their names. Raises SceneError for a name that is taken."""
        elements: dict[str, Element] = {}
        for element in self.root.findall(tag):
            name = attribute(element, "name", f"<{tag}>")
            if name in elements or (tag == "link" and name == WORLD):
                raise SceneError(f'{tag} "{name}"', mend=f"there are two {tag}s of this name")
            elements[name] = element
        return elements

    def link(self, name: str, element: Element) -> Link:
        self.drop_unread(element, name)
        shapes = [
            shape
            for visual in element.findall("visual")
            for shape in [self.shapes.shape(visual, name)]
            if shape is not None
        ]
        if self.params.collision:
            self.add_solids(element, name, shapes)
        return Link(name, self.mass_of(element, name), shapes)

    def add_solids(self, element: Element, link: str, shapes: list[dict[str, Any]]) -> None:
        """Add the shapes of a link that collide. One that is seen, too, is one shape; if none is, these are
        seen.
        """
        looks = list(shapes)
        for collision in element.findall("collision"):
            solid = self.shapes.shape(collision, link)
            if solid is None:
                continue
            same = [look for look in looks if same_shape(look, solid)]
            if not same:
                shapes.append({**solid, **({"visible": False} if looks else {})})
            for shape in same[:1] or shapes[-1:]:
                shape |= {key: solid[key] for key in ("collision",) if key in solid}
                shape |= {"collide": True, "material": SURFACE}
            self.solid = True

    def mass_of(self, link: Element, name: str) -> MassProperties | None:
        """Mass properties in the link's frame; None without mass and moments. Raises SceneError."""
        owner = f'link "{name}"'
        inertial = optional_child(link, "inertial", owner)
        if inertial is None:
            return None
        mass = number(child(inertial, "mass", owner), "value", owner)
        if mass < 0.0:
            raise SceneError(f"{owner}: <mass value>", mass, "must be positive")
        moments = optional_child(inertial, "inertia", owner)
        if moments is None and mass == 0.0:
            return None
        moments = child(inertial, "inertia", owner)
        xx, yy, zz = (number(moments, key, owner) for key in ("ixx", "iyy", "izz"))
        xy, xz, yz = (number(moments, key, owner, 0.0) for key in ("ixy", "ixz", "iyz"))
        pose = pose_of(inertial, owner)
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        if mass == 0.0 and not inertia.any():
            return None
        return MassProperties(mass, pose.x, pose.R @ inertia @ pose.R.T)

    def joint(self, name: str, element: Element, robot: Robot) -> Joint:
        owner = f'joint "{name}"'
        kind = attribute(element, "type", owner)
        if kind not in TYPES:
            raise SceneError(f"{owner}: type", kind, f"must be one of {', '.join(TYPES)}")
        above, below = (attribute(child(element, tag, owner), "link", owner) for tag in ("parent", "child"))
        for end in (above, below):
            if end not in robot.links or end == WORLD:
                raise SceneError(owner, mend=f'there is no link "{end}"')
        of_axis = optional_child(element, "axis", owner)
        axis = np.array([1.0, 0.0, 0.0]) if of_axis is None else vector(of_axis, "xyz", owner, 3)
        largest = float(np.abs(axis).max())
        if TYPES[kind] in WITH_AXIS and largest < 1e-9:
            raise SceneError(f"{owner}: <axis xyz>", mend="must not be zero")
        if largest:
            axis = axis / largest
            axis = axis / np.linalg.norm(axis)
        self.drop_unread(element, name)
        self.joint_names[name] = robot.names.new(name)
        joint = Joint(self.joint_names[name], TYPES[kind], above, below, pose_of(element, owner), axis=axis)
        joint.keys = self.friction(name, element, joint.type)
        if kind != "fixed":
            joint.keys |= self.limits(name, element, joint)
        return joint

    def friction(self, name: str, element: Element, kind: str) -> dict[str, Any]:
        """Damping and dry friction of a joint, as keys of a scene. Raises SceneError."""
        owner, keys = f'joint "{name}"', {}
        dynamics = optional_child(element, "dynamics", owner)
        dry = "friction_torque" if kind == "revolute" else "friction_force"
        for word, key, what in (("damping", "damping", "damping"), ("friction", dry, "friction loss")):
            value = number(dynamics, word, owner, 0.0)
            if value < 0.0:
                raise SceneError(f"{owner}: <dynamics {word}>", value, "must not be negative")
            if value and kind in MOVING and (self.params.limits or word == "damping"):
                keys[key] = value
            elif value and kind != "fixed":
                self.drop(what, name)
        return keys

    def limits(self, name: str, element: Element, joint: Joint) -> dict[str, Any]:
        """The limits of a joint, as a key of a scene. Raises SceneError for one that is no number."""
        owner = f'joint "{name}"'
        limit = optional_child(element, "limit", owner)
        if limit is None:
            return {}
        lower, upper, effort, velocity = (
            number(limit, key, owner, 0.0, math.inf) for key in ("lower", "upper", "effort", "velocity")
        )
        if velocity:
            self.drop("velocity limits", name)
        if effort > 0.0 and math.isfinite(effort):
            self.efforts[joint.name] = effort
        if element.get("type") == "continuous" or (lower, upper) == (-math.inf, math.inf):
            return {}
        if joint.type in MOVING and self.params.limits and lower < upper:
            return {"limits": [lower, upper]}
        without = self.params.limits and joint.type in MOVING
        self.drop(f"limits {lower:g} to {upper:g}, which leave no range," if without else "limits", name)
        return {}

    def from_the_root(self, joints: dict[str, Joint], robot: Robot) -> list[Joint]:
        """The joints, each after that of its parent, with one between the ground and the root. Raises
        SceneError.
        """
        below: dict[str, list[Joint]] = {}
        above: dict[str, str] = {}
        for name, joint in joints.items():
            if joint.child in above:
                mend = f'is the child of "{above[joint.child]}" and of "{name}"; URDF is a tree'
                raise SceneError(f'link "{joint.child}"', mend=mend)
            above[joint.child] = name
            below.setdefault(joint.parent, []).append(joint)
        roots = [link for link in robot.links if link != WORLD and link not in above]
        if len(roots) != 1:
            what = "links are in a ring"
            if roots:
                what = f"{len(roots)} links have no parent ({', '.join(roots[:5])})"
            raise SceneError("robot", mend=f"{what}; URDF is a tree with one root")
        kind = "free" if self.params.floating else "fixed"
        if kind == "fixed" and all(joint.type == "fixed" for joint in joints.values()):
            # a scene needs a body, which the ground would take up
            kind = "free"
            robot.closures.append(Closure(robot.names.new("held"), "fixed", WORLD, roots[0], Pose(), Pose()))
            self.left_out.say(STILL)
        ordered = [Joint(robot.names.new("root"), kind, WORLD, roots[0], Pose())]
        for joint in ordered:
            ordered += below.get(joint.child, [])
        if len(ordered) <= len(joints):
            raise SceneError("robot", mend="some links form a ring; URDF is a tree")
        return ordered

    def leaders(self, elements: dict[str, Element], joints: dict[str, Joint]) -> Leaders:
        """The relations of joints that mimic others, s = multiplier s' + offset. Gives these joints the
        values that they have where those that they follow are at zero, and takes limits from them that they
        are beyond then, or that follow from those of the other joint. Raises SceneError.
        """
        leaders: Leaders = {}
        for name, element in elements.items():
            owner = f'joint "{name}"'
            mimic = optional_child(element, "mimic", owner)
            if mimic is None:
                continue
            other = attribute(mimic, "joint", owner)
            factor = number(mimic, "multiplier", owner, 1.0)
            offset = number(mimic, "offset", owner, 0.0)
            if joints[name].type not in MOVING:
                self.drop("what <mimic> says", name)
            elif other not in joints or joints[other].type not in MOVING:
                self.drop(f'what <mimic> says (no joint "{other}" moves)', name)
            else:
                leaders[name] = (other, factor, offset)
        for name in leaders:
            joints[name].value = start_of(name, leaders)
        given = {name: joint.keys["limits"] for name, joint in joints.items() if "limits" in joint.keys}
        for name in [name for name in leaders if name in given and joints[name].starts_outside()]:
            lower, upper = given.pop(name)
            what = f"limits {lower:g} to {upper:g}, outside of which it starts at {joints[name].value:.6g},"
            self.drop(what, name)
            del joints[name].keys["limits"]
        for name, (other, factor, offset) in leaders.items():
            if {name, other} <= given.keys() and implied(given[other], factor, offset, given[name]):
                del joints[name].keys["limits"]
        return leaders

    def join_chains(self, joints: dict[str, Joint], robot: Robot) -> None:
        """Make one joint of those that are one in a scene."""
        used = {e.get("name", "") for e in self.root.iterfind("joint[mimic]")}
        used |= {e.get("joint", "") for e in self.root.iterfind("joint/mimic")}
        used |= {e.get("name", "") for e in self.root.iterfind("transmission/joint")}
        attached = {joint.name for name, joint in joints.items() if name in used}
        self.merged = join_chains(robot, attached)

    def coordinate(self, joint: str) -> str:
        """What couplers and forces call the coordinate of a joint of one."""
        return ".".join(self.merged[joint]) if joint in self.merged else joint

    def couple(self, leaders: Leaders, robot: Robot) -> None:
        """The couplers of joints that mimic others."""
        for name, (other, factor, offset) in leaders.items():
            robot.couplings.append(
                {
                    "name": robot.names.new(f"{self.joint_names[name]}_mimic"),
                    "type": "coupler",
                    "joints": [self.coordinate(self.joint_names[one]) for one in (name, other)],
                    "factors": [1.0, -factor],
                    "target": offset,
                }
            )

    def transmissions(self, joints: dict[str, Joint], robot: Robot) -> None:
        """An input and a force for each joint that a transmission drives."""
        for transmission in self.root.findall("transmission"):
            own_name = transmission.get("name", "")
            driven = [joints.get(element.get("name", "")) for element in transmission.findall("joint")]
            moving = [joint for joint in driven if joint is not None and joint.type in MOVING]
            if len(moving) < max(1, len(driven)):
                self.drop("what drives no joint that moves", own_name, "transmission")
            if any(reduces(element) for element in transmission.iter("mechanicalReduction")):
                self.drop("mechanical reduction", own_name, "transmission")
            for joint in moving:
                motor = f"{joint.name}_motor"
                if any(known["name"] == motor for known in robot.inputs):
                    continue
                robot.inputs.append({"name": motor, "unit": "N m" if joint.type == "revolute" else "N"})
                at = dict(zip(("joint", "coordinate"), self.coordinate(joint.name).split(".")))
                keys: dict[str, Any] = {"type": "motor", **at, "mode": "torque", "target": motor}
                if self.params.limits and joint.name in self.efforts:
                    keys["effort_limit"] = self.efforts.pop(joint.name)
                robot.forces.append({"name": motor, **keys})
        for name in self.efforts:
            self.drop("effort limits" + " (no <transmission>)" * self.params.limits, name)


def implied(leads: list[float], factor: float, offset: float, limits: list[float]) -> bool:
    """Whether limits are kept wherever those of the joint that is followed are."""
    ends = sorted(factor * end + offset for end in leads)
    return limits[0] - ROUNDING_OF_LIMITS <= ends[0] and ends[1] <= limits[1] + ROUNDING_OF_LIMITS


def start_of(name: str, leaders: Leaders) -> float:
    """The value of a joint where the last one that it follows is at zero. Raises SceneError for a ring."""
    chain: list[str] = []
    while name in leaders:
        if name in chain:
            raise SceneError(f'joint "{name}"', mend=f"mimics itself ({' -> '.join([*chain[:4], name])})")
        chain.append(name)
        name = leaders[name][0]
    value = 0.0
    for follower in reversed(chain):
        _, factor, offset = leaders[follower]
        value = factor * value + offset
    return value


def reduces(reduction: Element) -> bool:
    """Whether a <mechanicalReduction> is not 1."""
    try:
        return float(reduction.text or "1") != 1.0
    except ValueError:
        return True
