"""Places of the numbers of a finite-element body: in its constants `p` and `ints`, its scratch `c` and its
point records.

Positions and forces of nodes are in the axes of the body frame at t = 0, and positions from its origin there:
x = x₀ + R₀ y.

    q = (y of the free axes of all nodes; of each group that moves as one: y of its mass centre, quaternion)
    v = (ẏ, the same; of each group: velocity of its mass centre, angular velocity in its principal axes)

A part is a node, with its free axes, or a group. The parts of nodes come first.
"""

from __future__ import annotations

from typing import Any, NamedTuple

#: places in p, before its lists: damping, mass, pose at t = 0, mass centre
MASS_DAMPING, STIFFNESS_DAMPING, TOTAL_MASS, ORIGIN, AXES, CENTRE, P_HEADER = 0, 1, 2, 3, 6, 15, 18
#: places in `ints`: counts
NODES, NODE_PARTS, GROUPS, ELEMENTS = range(4)
#: places in `ints` that hold the first place of a list in p: positions and masses of nodes, masses of groups
#: and places of their nodes, numbers of the elements
REST, MASS, OF_GROUPS, NUMBERS = range(4, 8)
#: places in `ints` that hold the first place of a list in `ints`
DOF, NODE_OF_PART, GROUP_LIST, CONNECTIVITY, OF_ELEMENTS, CORNERS = range(8, 14)
INTS_HEADER = 14
#: value of DOF of an axis that is held, and of a node of the first group; of the group g GROUPED − g
HELD, GROUPED = -1, -2
#: of a group in `ints`: first of its q and v, number of nodes, first of the numbers of its nodes in `ints`,
#: first of its numbers in p: mass, three moments, place of each node from the mass centre in principal axes
GROUP = 5
#: of these numbers, the first place of a node
ARMS = 4


class GroupPlaces(NamedTuple):
    """Where a group is."""

    first_q: int
    first_v: int
    size: int  # number of its nodes
    nodes: Any  # (size,) numbers of its nodes
    numbers: int  # in p
    own: int  # in c


#: places in c, in units of 3 numbers for each node: y, ẏ, force, acceleration at v̇ = 0
FORCE, BIAS, FRAME = 2, 3, 4
#: mean frame behind them: mass centre, R, Y⁻¹, ω, velocity, accelerations at v̇ = 0 of centre and turn
F_X, F_R, F_INVERSE, F_W, F_V, F_A, F_W_BIAS = 0, 3, 12, 21, 24, 27, 30
FRAME_SIZE = 33
#: a group behind that: mass centre, R, ω in the axes of y, velocity
G_X, G_R, G_W, G_V = 0, 3, 12, 15
GROUP_SIZE = 18

#: kinds of points
ONE_NODE, ON_GROUP, MEAN, STILL, MASS_CENTRE, ON_FACE = range(6)
#: numbers of the record of a point that touches
TOUCHING = 20
#: a node in the record of a MEAN: number, weight, place from the mean in principal axes of the set, first of
#: its velocities in the generalized force, number of its group or −1
MEAN_NODE = 7
