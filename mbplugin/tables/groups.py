"""What the machine reads: groups of arrays whose types are the same for every scene.

Counts: nb bodies, nq coordinates, nv velocities, nx inner states, np points (markers), ne elements, nc
constraint rows, nu bound functions. Bodies and points are sorted by body kind, elements by kind, so that a
batch is a range.
`x0` after a name means: where the record's part of the array `x` starts.
"""

from __future__ import annotations

from typing import NamedTuple

from mbplugin.tables.spec import (
    Floats,
    Floats3,
    Floats6,
    Ints,
    Ints2,
    Ints3,
    Ints4,
    Ints5,
    Ints6,
    Ints7,
    Ints8,
    Ints10,
)

# columns of Batches.row
ADDRESS, FIRST, COUNT, PURPOSE = 0, 1, 2, 3
# purposes of a batch, in the order in which an evaluation calls them
PREPARE, LOCATE, MEASURE, CONSTRAINT, FORCE, BODY_FORCE, MASS, PULL, FORCE_PULL = range(9)
# purposes outside an evaluation
RATE, RETRACT, NORMALISE, COORDINATE, ACCEPT, EVENT, BODY_ENERGY = range(9, 16)
# after the forces, where Φ̇ is known
ENFORCE = 16

# columns of Elements.row
E_SLOT, E_PARAMETER, E_ROW, E_GM, E_FUNCTION, E_STATE, E_MEMORY, E_OUT, E_MEASURE, E_EVENT = range(10)

# levels of a constraint row
POSITION_LEVEL, VELOCITY_LEVEL, ACCELERATION_LEVEL = 0, 1, 2

# columns of Bodies.row
B_Q, B_V, B_NQ, B_NV, B_PARAMETER, B_SCRATCH, B_FORM, B_MASS = range(8)
# forms of a body's mass matrix
DIAGONAL, DENSE = 0, 1

# columns of Blocks.row
K_ROW, K_ROWS, K_SLOT, K_SLOTS, K_GM, K_BODY, K_BODIES = range(7)
# columns of Pulls.row: generalized force of `rows` wrenches at one point (add: to what is there)
P_POINT, P_FROM, P_STRIDE, P_ROWS, P_TO, P_ADD = range(6)
# function of a term of a coupling that is not its row's first: over slots of its own, over those of the term
# before, or (over its own) a measure that the row's function depends on
OWN_SLOTS, SAME_SLOTS, DEPENDENCE = -1, -2, -3
# columns of Functions.row
F_START, F_STOP, F_CONSTANT, F_TARGET, F_SHIFT = range(5)


class State(NamedTuple):
    """Where the system is: what every kernel reads."""

    time: Floats  # (1,) [s]
    q: Floats  # (nq,)
    v: Floats  # (nv,)
    x: Floats  # (nx,) inner states; the first two are the work put in and the energy dissipated [J]
    memory: Floats  # constant during a step


class Rates(NamedTuple):
    """What an evaluation finds."""

    q_dot: Floats
    v_dot: Floats
    x_dot: Floats


class Batches(NamedTuple):
    row: Ints4  # address of the compiled kernel, first record, number of records, purpose


# places in Core.address
TERMS, FACTOR, PROXIMAL, ACCELERATE, ITERATE, CLOSE_LOOPS = range(6)


class Core(NamedTuple):
    """Addresses of the engine's own large functions: called, not inlined, so that each is compiled once and
    not in every loop that uses it.
    """

    address: Ints


class Room(NamedTuple):
    """Arrays of a solver's own compiled functions, which see nothing but tables."""

    whole: Ints
    real: Floats


class Bodies(NamedTuple):
    row: Ints8
    p: Floats  # parameters of the kinds
    c: Floats  # scratch that `prepare` fills once per evaluation
    inverse: Floats  # (nv,) diagonal of M⁻¹ where M is diagonal
    M: Floats  # dense mass matrices, row by row
    L: Floats  # their Cholesky factors
    h: Floats  # (nv,) all applied and gyroscopic forces
    kinetic: Floats  # (nb,) [J]
    energy: Floats  # (nb,) potential (elastic) energy of the body itself [J]


class Points(NamedTuple):
    """A marker is a point record of its body kind; here are its pose, twist and Ḣv in world axes."""

    row: Ints2  # body, start of the record's parameters
    p: Floats
    x: Floats3  # [m]
    R: Floats  # (9 np,) axes, row by row
    v: Floats3  # [m/s]
    w: Floats3  # [rad/s]
    dv: Floats3  # Ḣv, linear part [m/s²]
    dw: Floats3  # Ḣv, angular part [rad/s²]


class Elements(NamedTuple):
    row: Ints10
    slot: Ints  # point of each marker slot
    p: Floats  # parameters
    event: Floats  # event functions


class Functions(NamedTuple):
    """Expressions as tapes, and their values."""

    u: Floats3  # (nu, 3) value, first and second derivative; u[0] is zero for ever
    row: Ints5
    ops: Ints2
    constants: Floats
    stack: Floats3
    switch: Ints3  # tapes of time whose change of sign is a kink or a jump of some expression: F_START, F_STOP, F_CONSTANT
    partial: Ints6  # F_START, F_STOP, F_CONSTANT, seed, coupling, 1 where by a rate: derivatives of a driven coordinate's function by measures or rates
    equation: Ints4  # F_START, F_STOP, F_CONSTANT, place in x: the rates of the user's states
    state: Floats3  # (n, 3) value, first and second derivative of those
    called: Ints  # addresses of plugins' functions


# columns of Unknowns.row, and what an unknown may be: a variable (place: in u), s̈ of a measure (place: an
# inactive row over it), a multiplier (place: row), or a component of a joint's reaction on the marker of a
# slot
Z_WHAT, Z_PLACE, Z_BLOCK, Z_ROW, Z_ROWS, Z_AXES, Z_COMPONENT, Z_SLOT = range(8)
VARIABLE, SECOND_RATE, MULTIPLIER, REACTION = range(4)
# components of a reaction beyond the six of force and torque: their sizes
FORCE_SIZE, TORQUE_SIZE = 6, 7


class Unknowns(NamedTuple):
    """What expressions read and only the solve tells: z = F(z), with working arrays of its iteration."""

    row: Ints8
    value: Floats  # z
    found: Floats  # F(z)
    tolerance: Floats  # of F(z) − z
    start: Floats  # (m,) z from which a step begins
    residual: Floats
    change: Floats
    matrix: Floats  # (2 m²,) 1 − ∂F/∂z, and a copy to eliminate in
    memory: Ints  # (1,) where z of the last accepted step is in State.memory
    outcome: Floats  # (2,) worst residual over its tolerance; the number of that unknown


class Measures(NamedTuple):
    row: Ints4  # start in J, marker slots, first slot, 1 where the measure is an angle that counts full turns
    value: Floats
    rate: Floats
    bias: Floats
    last: Floats  # value at the last accepted step
    J: Floats


class Rows(NamedTuple):
    """Constraint rows: Φ, Φ̇ = G v + Φₜ, G v̇ = γ."""

    phi: Floats
    phi_t: Floats
    gamma: Floats
    level: Ints
    active: Ints
    on: Ints  # 1 where the row takes part in the present solve
    scale: Floats  # 1 / √diag(G M⁻¹ Gᵀ); 0 where the row has no norm
    dropped: Ints
    lam: Floats
    residual: Floats
    solution: Floats
    target: Floats
    delta: Floats  # (1,) δ of the factor
    outcome: Floats  # (1,) residual that the last proximal solve left, scaled
    goal: Floats  # (1,) relative residual at which passes on accelerations end
    radians: Ints  # 1 where the row is in radians, 0 where it is in metres
    rate: Floats  # Φ̇ of the rows that a law holds
    load: Floats  # their load along the row, as lam of the others [N], [N·m]
    energy: Floats  # behind it [J]
    power: Floats  # of what is not derived from `energy` [W]


# columns of Enforced.row
N_ROW, N_BLOCK, N_ITERATED = range(3)


class Enforced(NamedTuple):
    """Rows that a law holds by a load of its own, not by the system of the constraint forces; working arrays
    of the iteration of those loads.
    """

    row: Ints3
    mass: Floats  # 1 / diag(G M⁻¹ Gᵀ) at the start [kg] or [kg·m²]
    tolerance: Floats  # of an iterated row, on what is left of Φ̈ − load / mass
    wanted: Floats  # Φ̈ that the law asks for
    residual: Floats
    weighed: Floats
    direction: Floats
    image: Floats
    change: Floats
    count: Ints  # type: ignore[assignment]  # (2,) iterated rows; most iterations of one evaluation


class Couplings(NamedTuple):
    """Σ cᵢ sᵢ = f(t) over measures of any joints."""

    row: Ints4  # constraint row, measure, where its J goes in Gm, function (or, not the first term of its row: OWN_SLOTS, SAME_SLOTS, DEPENDENCE)
    coefficient: Floats


class Blocks(NamedTuple):
    """A block is the rows of one joint; G is kept per block and body."""

    row: Ints7
    slot: Ints  # point of each marker slot of each block
    body: Ints4  # body, start in G, start in v, number of velocities
    gm: Floats  # rows over marker twists
    G: Floats  # rows over velocities
    X: Floats  # M⁻¹ Gᵀ in scaled rows, same layout
    T: Floats  # Gᵀ in scaled rows


class Pulls(NamedTuple):
    row: Ints6
    force: Ints2  # start in `generalized`, start in v: summed in this order
    count: Ints  # type: ignore[assignment]  # velocities of each of those
    generalized: Floats
    spare: Floats


class Wrenches(NamedTuple):
    wrench: Floats  # (6 slots,) force [N] and torque [N·m] about the marker
    energy: Floats
    power: Floats
    dissipates: Ints  # 1 where `power` counts as dissipation
    slots: Ints2  # first slot and number of slots of each force


class Tangents(NamedTuple):
    """What the tangent functions of elements and bodies read and write; empty until an analysis asks for
    them.
    """

    element: Ints  # start in `value` of each element's K and, behind it, D
    point: Ints  # of each point's K of its body, and E
    body: Ints  # of each body's own K and D
    value: Floats
    lam: Floats  # of each row
    wrench: Floats6  # of each point: force [N] and torque [N·m], world axes


class Factor(NamedTuple):
    """Block Cholesky factor of S = G M⁻¹ Gᵀ + δ on the joint graph; nodes in elimination order."""

    node: Ints4  # first row, rows, start of the diagonal block, number of blocks beside it
    beside: Ints4  # per block beside a diagonal one, node by node: node of its columns, start in `values`, first row and number of those
    beside0: Ints  # per node: where its list in `beside` starts
    update: Ints  # target of each product, in the order in which the factorisation forms them
    update0: Ints  # per node: where its list in `update` starts
    product: Ints6  # S += X T: target, start of X, its rows, start of T, its columns, velocities
    values: Floats


GROUPS: tuple[type, ...] = (
    State,
    Rates,
    Batches,
    Core,
    Room,
    Bodies,
    Points,
    Elements,
    Functions,
    Unknowns,
    Measures,
    Rows,
    Enforced,
    Couplings,
    Blocks,
    Pulls,
    Wrenches,
    Tangents,
    Factor,
)
