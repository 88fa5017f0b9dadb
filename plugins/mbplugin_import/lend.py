"""Mass for bodies that have none, where a neighbour can lend it without any change of the motion.

A body between two joints, as a chain of joints in one body has it, often has no mass. What moves with both
bodies of a joint alike has the same kinetic energy and weight whichever of the two it is counted with:

    hinge          a thin rod on its axis, with no moment about it
    ball           a point mass in its centre
    slides         moments of inertia without mass, as both bodies rotate alike

So each neighbour lends such a part, and where the parts together are a rigid body, they are the mass of that
link. The ground lends anything.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from mbplugin.interface import MassProperties
from mbplugin_import.poses import Array, Pose, combined, is_physical, to_parent
from mbplugin_import.robot import WORLD, Joint

#: shares of a neighbour's mass that are tried, the largest first
SHARES = [0.25 * 0.5**k for k in range(12)]
#: parts whose smallest moment is below this part of the largest are no body: axes that are almost parallel
THINNEST_BODY = 1e-3
#: type of a joint -> mass, moment along and normal to its axis that it can lend, each 0 or 1
LENT = {
    "revolute": (1.0, 0.0, 1.0),
    "ball": (1.0, 0.0, 0.0),
    "translational": (0.0, 1.0, 1.0),
    "orientation": (0.0, 1.0, 1.0),
}


def lend_mass(
    masses: dict[str, MassProperties | None], joints: list[Joint], placed: dict[str, tuple[str, Pose]]
) -> None:
    """Give bodies without mass what their neighbours can lend; changes `masses`, in the frames of bodies."""
    for link in [link for link, mass in masses.items() if mass is None]:
        most = np.inf  # moment of a part: equal ones make a body that is not thin
        for _ in range(2):
            parts, rests = parts_of(link, masses, joints, placed, most)
            most = min((size for part in parts for size in [largest(part)] if size), default=0.0)
        if sum(part.mass for part in parts) > 0.0 and is_body(combined(parts)):
            masses[link] = combined(parts)
            masses.update(rests)


def parts_of(
    link: str,
    masses: Mapping[str, MassProperties | None],
    joints: list[Joint],
    placed: dict[str, tuple[str, Pose]],
    most: float,
) -> tuple[list[MassProperties], dict[str, MassProperties]]:
    """Parts for a link, in its frame, with moments up to `most`; what is left of those that lend them."""
    parts, grounded = [], []
    rests: dict[str, MassProperties] = {}
    for joint in joints:
        parent, pose = placed[joint.parent][0], placed[joint.parent][1] @ joint.pose
        if link not in (joint.child, parent) or kind_of(joint) not in LENT:
            continue
        # a part stands in the frame of the joint's child
        other, to_link, to_owner = (
            (parent, Pose(), pose) if joint.child == link else (joint.child, pose, Pose())
        )
        owner = rests.get(other) or masses.get(other)
        if other == WORLD:
            grounded.append((joint, to_link))
        elif owner is not None:
            part, rest = part_from(owner, joint, to_owner, most)
            if part is not None and rest is not None:
                parts.append(to_parent(part, to_link))
                rests[other] = rest
    if parts:
        mass = SHARES[0] * max(rest.mass for rest in rests.values())
        moment = max(map(largest, parts)) or mass
        parts += [to_parent(part_of(joint, mass, moment), to_link) for joint, to_link in grounded]
    return parts, rests


def largest(mass: MassProperties) -> float:
    """The largest moment of inertia."""
    return float(np.linalg.eigvalsh(mass.inertia)[2])


def part_of(joint: Joint, mass: float, moment: float) -> MassProperties:
    """What moves with both bodies of a joint alike, in the frame of its child."""
    has_mass, along, normal = LENT[kind_of(joint)]
    onto = np.outer(joint.axis, joint.axis)
    return MassProperties(has_mass * mass, joint.at, moment * (along * onto + normal * (np.eye(3) - onto)))


def kind_of(joint: Joint) -> str:
    """Its type; that of one that only slides if its angle is held."""
    return "orientation" if joint.held else joint.type


def part_from(
    body: MassProperties, joint: Joint, pose: Pose, most: float
) -> tuple[MassProperties | None, MassProperties | None]:
    """A part that a body can lend and still be one, and what is left of the body; None if it cannot.

    pose: of the joint's child in the frame of the body; most: largest moment of the part.
    """
    least = float(np.linalg.eigvalsh(body.inertia)[0])
    for share in SHARES:
        part = part_of(joint, share * body.mass, min(share * least, most))
        rest = combined([body, to_parent(part, pose)], [1.0, -1.0])
        if is_physical(rest):
            return part, rest
    return None, None


def is_body(mass: MassProperties) -> bool:
    """Whether parts are a rigid body, with moments in all directions."""
    moments: Array = np.linalg.eigvalsh(mass.inertia)
    return is_physical(mass) and bool(moments[0] > THINNEST_BODY * moments[2])
