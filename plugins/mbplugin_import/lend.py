"""Mass for bodies that have none, where a neighbour can lend it without any change of the motion.

A body between two hinges, as a Cardan joint of two joints has it, often has no mass. A thin rod on the axis
of a hinge, with no moment about it, moves with both bodies of the hinge alike: its kinetic energy and its
weight are the same whichever of the two it is counted with. So each neighbour lends such a rod on its axis,
and where the axes differ in direction, the body has an inertia in all directions. The ground lends
anything.
"""

from __future__ import annotations

import numpy as np

from mbplugin.interface import MassProperties
from mbplugin_import.mass import combined, is_physical, to_parent
from mbplugin_import.poses import Array, Pose
from mbplugin_import.robot import WORLD, Joint

#: shares of a neighbour's mass that are tried, the largest first
SHARES = [0.25 * 0.5**k for k in range(12)]
#: sine of the angle between the axes below which they count as parallel
PARALLEL = 0.05


def lend_mass(
    masses: dict[str, MassProperties | None], joints: list[Joint], placed: dict[str, tuple[str, Pose]]
) -> None:
    """Give bodies without mass what their neighbours can lend; changes `masses`, in the frames of bodies."""
    above = {joint.child: joint for joint in joints}
    for link in [link for link, mass in masses.items() if mass is None]:
        first = above[link]
        below = [joint for joint in joints if placed[joint.parent][0] == link and joint.type == "revolute"]
        parent = placed[first.parent][0]
        lends = parent == WORLD or masses[parent] is not None
        if first.type != "revolute" or not lends:
            continue
        second = next((j for j in below if masses[j.child] is not None and differ(first, j, placed)), None)
        if second is None:
            continue
        _, inner = placed[second.parent]
        in_parent = (placed[first.parent][1] @ first.pose).inverse()
        in_child = inner @ second.pose
        # rods lie at the anchor of their joint, in the frame of the body that lends them
        from_child = masses[second.child]
        assert from_child is not None
        lent, rest = rod_from(from_child, second.at, second.axis)
        if lent is None:
            continue
        parts = [to_parent(lent, in_child)]
        place = placed[first.parent][1] @ first.pose
        at, axis = place.x + place.R @ first.at, place.R @ first.axis
        owner = masses.get(parent)
        parent_rest: MassProperties | None = None
        by_parent: MassProperties | None
        if owner is None:  # the ground
            by_parent = thin_rod(at, axis, lent.mass, 0.5 * float(lent.inertia.trace()))
        else:
            by_parent, parent_rest = rod_from(owner, at, axis)
        if by_parent is None:
            continue
        parts.append(to_parent(by_parent, in_parent))
        masses[second.child] = rest
        if parent_rest is not None:
            masses[parent] = parent_rest
        masses[link] = combined(parts)


def differ(first: Joint, second: Joint, placed: dict[str, tuple[str, Pose]]) -> bool:
    """Whether two axes on a body, of the joint above and of one below, differ in direction."""
    axis = placed[second.parent][1].R @ second.pose.R @ second.axis
    return float(np.linalg.norm(np.cross(first.axis, axis))) > PARALLEL


def thin_rod(at: Array, axis: Array, mass: float, moment: float) -> MassProperties:
    """A rod along `axis` with its centre in `at`: moment about normals of it, and none about it."""
    return MassProperties(mass, at, moment * (np.eye(3) - np.outer(axis, axis)))


def rod_from(
    body: MassProperties, at: Array, axis: Array
) -> tuple[MassProperties | None, MassProperties | None]:
    """A rod that a body can lend and still be one, and what is left of the body; None if it cannot."""
    least = float(np.linalg.eigvalsh(body.inertia)[0])
    for share in SHARES:
        rod = thin_rod(at, axis, share * body.mass, share * least)
        rest = combined([body, rod], [1.0, -1.0])
        if is_physical(rest):
            return rod, rest
    return None, None
