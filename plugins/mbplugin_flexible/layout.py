"""Where the numbers of a finite-element body are: its constants `p`, its scratch `c`, its point records.

Positions and forces of nodes are in the axes of the body frame at t = 0, and positions from its origin there:
x = x₀ + R₀ y.

    q = (y of the free axes of all nodes; of each group that moves as one: y of its mass centre, quaternion)
    v = (ẏ, the same; of each group: velocity of its mass centre, angular velocity in its principal axes)

A part is a node, with its free axes, or a group. The parts of nodes come first.
"""

#: places in p: counts, damping, pose at t = 0, then the first place of each list
(NODES, NODE_PARTS, GROUPS, ELEMENTS, MASS_DAMPING, STIFFNESS_DAMPING, TOTAL_MASS) = range(7)
ORIGIN, AXES, CENTRE = 7, 10, 19
(REST, DOF, MASS, NODE_OF_PART, GROUP_LIST, CONNECTIVITY, NUMBERS) = range(22, 29)
HEADER = 29
#: value of DOF of an axis that is held, and of a node of the first group; of the group g GROUPED − g
HELD, GROUPED = -1.0, -2.0
#: a group: first of its q and v, number of nodes, mass, three moments, first of its nodes
GROUP = 8
#: a node of a group: its number, and its place from the mass centre in principal axes
GROUP_NODE = 4

#: places in c, in units of 3 numbers for each node: y, ẏ, force, acceleration at v̇ = 0
FORCE, BIAS, FRAME = 2, 3, 4
#: mean frame behind them: mass centre, R, Y⁻¹, ω, velocity, accelerations at v̇ = 0 of centre and turn
F_X, F_R, F_INVERSE, F_W, F_V, F_A, F_W_BIAS = 0, 3, 12, 21, 24, 27, 30
FRAME_SIZE = 33
#: a group behind that: mass centre, R, ω in the axes of y, velocity
G_X, G_R, G_W, G_V = 0, 3, 12, 15
GROUP_SIZE = 18

#: kinds of points
ONE_NODE, ON_GROUP, MEAN, STILL, MASS_CENTRE = range(5)
#: numbers of the record of a point that touches
TOUCHING = 16
#: a node in the record of a MEAN: number, weight, place from the mean in principal axes of the set, first of
#: its velocities in the generalized force, number of its group or −1
MEAN_NODE = 7
