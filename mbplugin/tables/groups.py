"""The tables that compiled code reads: groups of arrays whose types are the same for every scene.

Counts: nb bodies, nq coordinates, nv velocities, na auxiliary states, nm markers, ne elements, nc constraint
rows, nu bound functions. Bodies and markers are sorted by body kind, elements by kind, so that a batch is a
range.
"""

from __future__ import annotations

from typing import NamedTuple

from mbplugin.tables.records import (
    ActivityRecord,
    ArmatureRecord,
    BatchRecord,
    BearingRecord,
    BlockRecord,
    BodyDifferenceRecord,
    BodyRecord,
    BoundedRecord,
    CarriedRecord,
    ChangeRecord,
    CommandRecord,
    ConditionRecord,
    CouplingRecord,
    DerivedRecord,
    DifferenceRecord,
    ElementRecord,
    EnforcedBlockRecord,
    EnforcedRecord,
    EquationRecord,
    EvaluationRecord,
    ForceRecord,
    FunctionRecord,
    GeneralizedRecord,
    ImpactRecord,
    ImplicitRecord,
    InnerStateRecord,
    KindRecord,
    LinkRecord,
    MarkerRecord,
    MatrixEntryRecord,
    MatrixNodeRecord,
    MatrixPanelRecord,
    MatrixRecord,
    MatrixSourceRecord,
    MeasureRecord,
    MemberRecord,
    NodalRecord,
    NodeRecord,
    OffDiagonalBlock,
    PartialRecord,
    PieceRecord,
    ProductRecord,
    ReadLinkRecord,
    RotorRecord,
    SamplerRecord,
    ShapeRecord,
    StatefulArrayRecord,
    StepRecord,
    StripMemberRecord,
    StripRecord,
    TangentBlockRecord,
    TangentCallRecord,
    TapeRecord,
    TargetRecord,
    TransientRecord,
    TreeRecord,
    WrenchJobRecord,
)
from mbplugin.tables.spec import Floats, Floats3, Floats6, Floats9, Ints, Ints2, Records


class State(NamedTuple):
    """Time, coordinates, velocities and auxiliary states."""

    time: Floats  # (1,) [s]
    q: Floats  # (nq,) coordinates
    v: Floats  # (nv,) velocities
    aux: Floats  # (na,) inner states; the first two are the work put in and the energy dissipated [J]
    memory: Floats  # constant during a step
    history: Floats  # of the solver: numbers that follow from step to step; zero after a discontinuity
    # of each row: OFF, ON, START, PROBE, COMPLIANT, ...; then of each of `Activity.index`: what acts
    mode: Ints


class Rates(NamedTuple):
    """Time derivatives of the state."""

    q_dot: Floats  # (nq,)
    v_dot: Floats  # (nv,)
    aux_dot: Floats  # (na,)
    change: Floats  # (nv,) work array of the solve: M⁻¹ Gᵀ of `Rows.direction`


class Status(NamedTuple):
    """Details of the status that compiled functions return."""

    batch: Ints  # (1,) number of the batch under way, or whose kernel raised
    passes: Ints  # (1,) proximal passes of the last solve; PASSES where it did not converge
    residual: Floats  # (1,) residual after them, in scaled rows


class Step(NamedTuple):
    """The time integration: its record, and the states at start (0) and end (1) of the last step."""

    record: Records[StepRecord]  # (1,)
    q0: Floats
    v0: Floats
    aux0: Floats
    memory0: Floats
    history0: Floats
    mode0: Ints  # `State.mode` at the start
    last0: Floats  # Measures.last
    q1: Floats
    v1: Floats
    aux1: Floats
    memory1: Floats
    history1: Floats
    mode1: Ints  # and at the end
    last1: Floats
    events: Floats  # values of the event functions at the end of the last step
    margins: Floats  # how far bounded rows, then event functions, are from a change: negative behind it
    margins0: Floats  # while a change is located: before it
    margins1: Floats  # and behind it
    stateful: Records[StatefulArrayRecord]  # arrays of the solver that belong to the state
    stateful0: Ints  # their content at the start, word by word
    stateful1: Ints  # and at the end
    mean: Floats  # (nv,) mean acceleration of the step of the last frame, if the solver reports


class LoopArguments(NamedTuple):
    """Arguments of `advance` and `show`, which are called by their addresses."""

    until: Floats  # (1,) [s]
    frame: Floats  # (1,) [s]
    frame_time: Floats  # (1,) of the frame that is computed [s]
    work: Ints  # (1,) evaluations


class FrameValues(NamedTuple):
    """Arrays that a frame needs beside the tables."""

    v_dot: Floats3  # of each marker [m/s²], world
    w_dot: Floats3  # of each marker [rad/s²], world
    numbers: Floats  # (4,) kinetic and potential energy [J], largest position and velocity residual
    mean: Ints  # (1,) 1: accelerations are the means of the step
    multipliers: Ints  # (1,) place of the solver's multipliers in the vector of addresses; 0: it has none


class Batches(NamedTuple):
    """Calls of compiled kernels."""

    index: Records[BatchRecord]


class EntryPoints(NamedTuple):
    """Addresses of the functions that a scene chooses: of its solver and its method."""

    method: Ints  # (1,) of the method that computes v̇ and λ; 0: the engine's own
    begin_step: Ints  # (1,) of the solver's function called at the start of a step; 0: none
    try_step: Ints  # (1,) of the solver's function that computes a step from the start in the tables
    parts: Ints  # of functions that the solver calls by `run_part`


class Bodies(NamedTuple):
    """Bodies: mass matrices, forces and energies."""

    index: Records[BodyRecord]
    p: Floats  # parameters of the kinds
    ints: Ints  # integers of their plans
    scratch: Floats  # written by `prepare` for the other functions, once per evaluation
    inverse: Floats  # (nv,) diagonal of M⁻¹ if M is diagonal
    M: Floats  # dense mass matrices, row by row, and those of a profile
    L: Floats  # their Cholesky factors
    profile: Ints  # `ends` of each matrix of a profile (math/profile.py)
    h: Floats  # (nv,) all applied and gyroscopic forces
    kinetic: Floats  # (nb,) [J]
    energy: Floats  # (nb,) potential (elastic) energy of the body itself [J]
    power: Floats  # (nb,) of internal forces not derived from it [W]; empty if no kind has any


class Nodal(NamedTuple):
    """Nodes of bodies, sorted by body kind as in `Bodies`; only frames have their numbers."""

    index: Records[NodalRecord]
    x: Floats  # (3 n,) positions of the nodes [m], world
    v: Floats  # (3 n,) their velocities [m/s], world
    stress: Floats  # (6 m,) Cauchy's stress at the points of the cells, world axes [Pa]


class Trees(NamedTuple):
    """Trees of bodies that joints carry, link by link, a link after the one that carries it; world axes,
    about the origin of the link's frame. Empty in maximal coordinates.
    """

    index: Records[TreeRecord]
    link: Records[LinkRecord]
    gravity: Floats  # (3,) [m/s²]
    normal: Floats  # (3,) of the plane in which planar bodies move
    fixed: Floats  # of each link: numbers that do not change (`kernels/tree/numbers.py`)
    motion: Floats  # (6,) of each velocity: turn and translation in the axes of the joint's frame
    armature: Floats  # of each velocity: inertia on it [kg·m², kg]
    pose: Floats  # (24,) of each link: R, x, ω, v, and x from the parent's origin
    bias: Floats  # (12,) of each link: what the joint adds to its acceleration, then all of it, at v̇ = 0
    own: Floats  # (10,) of each link: moments of inertia, first moment, mass
    composite: Floats  # (10,) of each link, the same with all that it carries, as of one rigid body
    S: Floats  # (6,) of each velocity: twist of the link by it, turn and translation
    articulated: Floats  # (21,) of each link: inertia with what it carries
    U: Floats  # (6,) of each velocity: articulated inertia times S
    D: Floats  # of each link: inverse of Sᵀ U and armature, as a Cholesky factor where there are several
    external: Floats  # (6,) of each link: torque and force of all force elements
    load: Floats  # (6,) of each link: work array, torque and force
    change: Floats  # (6,) of each link: work array, angular and linear
    jump: Floats  # of each velocity: force that a jump within a step adds (`kernels/tree/jumps.py`)
    reaction: Floats  # (6,) of each link: force and torque by which its joint carries it, in `axes_of_rows`
    accel: Floats  # (6,) of each link: acceleration of its mass centre, angular acceleration, world
    weight: Ints  # of each link: number of its weight in `Wrenches`; −1: it has none
    turn: Ints2  # measure of an angle whose turns are counted, place of the coordinate that has them
    carried: Floats  # (6,) of each link: reaction of its joint, world; empty: in a step nothing reads them
    mean: Floats  # as `carried`, in `axes_of_rows`: means of the last step
    row_force: Floats  # (nc,) work array: force of each row
    rotor: Records[RotorRecord]
    inertia: Floats  # of each rotor: what it adds to `armature`, by the rate of its coordinate [kg·m², kg]
    momentum: Ints  # (1,) first of the momenta in State.aux; empty: they are no states
    number: Floats  # (1,) argument or result of a function that is called by its address
    places: Ints  # (2,) its further arguments: addresses of two vectors


class Flat(NamedTuple):
    """Arrays as those of `Trees`, of trees that move in a plane (`kernels/tree/flat.py`)."""

    plane: Floats  # (9,) e₁, e₂ and the normal n, world
    fixed: Floats  # of each link: numbers that do not change
    axes: Floats  # (27,) of each link: R = cos A + sin B + C
    motion: Floats  # (3,) of each velocity, in the axes of the joint's frame where all angles are 0
    place: Floats  # of each link: pose, twist and bias
    own: Floats  # (3,) of each link: moment of inertia about its origin, first moments
    inertia: Floats  # (6,) of each link: articulated inertia
    S: Floats  # (3,) of each velocity
    U: Floats  # (3,) of each velocity
    load: Floats  # (3,) of each link: work array
    change: Floats  # (3,) of each link: work array


class TreeTangents(NamedTuple):
    """Work arrays of the tangents of trees (`kernels/tree/tangent_motion.py`), all about the origin of the
    first link of each tree; empty until `Problem.prepare_tangents`, and without trees.
    """

    twist: Floats  # (6,) of each link, turn and translation
    acceleration: Floats  # (6,) of each link, less that of gravity
    sums: Floats  # (43,) of each link: inertia, momentum, Coriolis matrix, force, wrench, its moment
    S: Floats  # (6,) of each velocity: twist of the link by it
    nu: Floats  # (6,) of each velocity: change of twists by the coordinate, as seen from the link
    alpha: Floats  # (6,) of each velocity: the same of accelerations
    chi: Floats  # (6,) of each velocity: the same of accelerations by the velocity
    joint: Floats  # (252,) of each joint in `DerivedRows`: changes of S and bias by each of six coordinates
    saved: Floats  # (62,) of one of them: what is differenced


class DerivedRows(NamedTuple):
    """Joints whose motion follows from their rows and coordinates, and the rows and coordinates of the one
    under way: as functions of its two markers, of which that on the carrying link is at rest at the origin.
    """

    index: Records[DerivedRecord]
    batch: Ints  # of each call: in Batches
    element: Ints  # of each call
    period: Floats  # of each coordinate: 2π of an angle, 0 without one
    value: Floats  # of each coordinate: s at `pose`
    rate: Floats  # of each coordinate: ṡ at `bias`
    S: Floats  # (6,) of each coordinate: velocity and angular velocity by it, at `pose`
    pose: Floats  # (7,) of each joint: position and quaternion of the carried marker
    bias: Floats  # (6,) of each joint: its acceleration at s̈ = 0, linear and angular
    side: Floats  # of each joint: sign of det [G; J], times the best ratio of its pivots so far; 0: none yet
    x: Floats3  # of markers a and b
    R: Floats9
    v: Floats3
    w: Floats3
    phi: Floats  # (6,) Φ, then s
    phi_t: Floats
    gamma: Floats
    active: Ints
    G_marker: Floats  # (12,) of each row, over the twists of a and b
    matrix: Floats  # (36,) factors of the part over the twist of the carried marker
    pivot: Ints  # its row exchanges
    vector: Floats  # (6,) right-hand side and solution
    target: Floats  # (6,) coordinates to be reached
    trial: Floats  # (14,) pose under way, and the last one that was reached


class Carried(NamedTuple):
    """What joints that carry links exert, as parts of `RowWrenches`."""

    index: Records[CarriedRecord]
    armature: Records[ArmatureRecord]


class Markers(NamedTuple):
    """Markers: point records of their body kinds, poses and twists in world axes."""

    index: Records[MarkerRecord]
    p: Floats  # point records
    x: Floats3  # position [m]
    R: Floats9  # axes, row by row
    v: Floats3  # velocity [m/s]
    w: Floats3  # angular velocity [rad/s]
    v_bias: Floats3  # Ḣ v, linear part [m/s²]
    w_bias: Floats3  # Ḣ v, angular part [rad/s²]


class Elements(NamedTuple):
    """Measures, joints, forces, compliances and coordinates: where their functions read and write."""

    index: Records[ElementRecord]
    marker: Ints  # marker of each slot
    p: Floats  # parameters
    event: Floats  # event functions


class Outputs(NamedTuple):
    """Numbers of elements that each frame stores."""

    value: Floats


class Functions(NamedTuple):
    """Expressions as tapes, and their values."""

    u: Floats3  # (nu, 3) value, first and second derivative; u[0] is always zero
    index: Records[FunctionRecord]
    ops: Ints2  # operations of all tapes: code and argument
    constants: Floats  # of all tapes
    stack: Floats3  # of the interpreter
    switch: Records[TapeRecord]  # functions of time whose sign changes are kinks or jumps of an expression
    partial: Records[PartialRecord]
    equation: Records[EquationRecord]
    state: Floats3  # (n, 3) value, first and second derivative of the user's states
    called: Ints  # addresses of plugins' functions
    stop: Ints  # of a condition that ends the run: (1,) index in u, positive where it holds; else (0,)


class Inputs(NamedTuple):
    """Inputs: numbers from outside with which `State.memory` begins, and their schedules."""

    value: Floats  # of each input: wanted from now on
    scheduled: Ints  # of each input: 1 if it has a schedule
    smooth: Ints  # (1,) 1: where an input jumps, accelerations do, but no speed, no energy and no row
    time: Floats  # of all samples [s], ascending
    input: Ints  # of each sample
    sample: Floats  # its value
    next: Ints  # (1,) number of the first sample that was not taken
    next_time: Floats  # (1,) its time; infinite: there is none


class Samplers(NamedTuple):
    """Elements that take samples by themselves, such as sampled controllers."""

    index: Records[SamplerRecord]
    interval: Floats  # of each: time from one sample to the next, times `rate` [s]
    rate: Floats  # of each: by which `interval` is whole; 1 if it is no ratio


class Controls(NamedTuple):
    """What a control law reads at its samples, over the coordinates of joints, and the compiled law, if there
    is one. Empty: nobody has asked for it.
    """

    space: Ints  # (1,) address of the vector of addresses of the bodies alone, `JointSpace.problem`
    measure: Ints  # measure of each scalar coordinate of it that is none here
    scalar_q: Ints  # its place in q there
    scalar_v: Ints  # its place in v there
    other_q: Ints2  # places of other coordinates, there and here
    other_v: Ints2  # the same of velocities
    link: Records[ReadLinkRecord]  # whose coordinates are no measures
    axes: Floats9  # of each of them: as `Link.R` of one that is free, else as `Link.axes`
    positions: Floats  # (nq,)
    velocities: Floats  # (n,)
    mass_matrix: Floats  # (n n,) row by row
    bias_forces: Floats  # (n,)
    gravity_forces: Floats  # (n,)
    address: Ints  # (1,) of the compiled law; 0: there is none
    parts: Ints  # (1,) what it reads: a sum of COORDINATES, BIAS, MASS_MATRIX and GRAVITY
    memory: Floats  # what it keeps from sample to sample
    parameters: Floats  # numbers that it is given
    before: Floats  # of each input: its value before the law is called
    sample: Ints  # (1,) number of the next sample
    every: Floats  # (1,) interval of the samples, times `rate` [s]
    rate: Floats  # (1,) by which `every` is whole; 1 if it is no ratio
    next_time: Floats  # (1,) of the next sample [s]; infinite: there is none
    stop: Floats  # (1,) time from which on there are no samples [s]


class ImplicitVariables(NamedTuple):
    """Quantities that expressions read and that are known only after the solve: z = F(z)."""

    index: Records[ImplicitRecord]
    value: Floats  # z
    image: Floats  # F(z)
    tolerance: Floats  # of F(z) − z
    start: Floats  # z from which a Newton step begins
    residual: Floats  # F(z) − z
    change: Floats  # Newton step
    matrix: Floats  # (2 m²,) 1 − ∂F/∂z, then its LU factors
    pivot: Ints  # row exchanges of the LU factors
    first_memory: Ints  # (1,) start of z of the last accepted step in State.memory
    read_alone: Ints  # (1,) 1: none changes the accelerations
    worst: Floats  # (1,) largest residual over its tolerance
    worst_place: Ints  # (1,) number of the variable that has it


class Measures(NamedTuple):
    """Measures that are evaluated by themselves."""

    index: Records[MeasureRecord]
    value: Floats
    rate: Floats
    bias: Floats  # s̈ − J (twist rates)
    last: Floats  # value at the last accepted step
    J: Floats  # over [v, ω] of each marker slot


class Rows(NamedTuple):
    """Constraint rows: Φ, Φ̇ = G v + Φₜ, G v̇ = γ."""

    phi: Floats
    phi_t: Floats
    gamma: Floats
    level: Ints  # POSITION_LEVEL, VELOCITY_LEVEL or ACCELERATION_LEVEL
    next_mode: Ints  # as `State.mode`: what is asked for, and what is tried by pivoting
    selected: Ints  # 1: in the present factor of S, as `select_rows` has found by mode and level
    scale: Floats  # 1 / √diag(G M⁻¹ Gᵀ); 0 of a row that is not selected, or has no norm
    lam: Floats  # multipliers [N, N·m]
    residual: Floats  # work array of the solve
    solution: Floats  # work array of the solve
    image: Floats  # work array: Ĝ v̇ of a method that solves the augmented system; Ŝ times `direction`
    direction: Floats  # work array of conjugate gradients
    target: Floats  # value of G v after a solve, in scaled rows
    delta: Floats  # (1,) δ of the factor
    goal: Floats  # (1,) relative residual at which the passes of an acceleration solve end
    radians: Ints  # 1: row in radians, 0: in metres
    phi_dot: Floats  # of enforced rows
    load: Floats  # of enforced rows: the compliance's load, instead of λ [N, N·m]
    energy: Floats  # of enforced rows [J]
    power: Floats  # of enforced rows: power not derived from `energy` [W]


class Enforced(NamedTuple):
    """Enforced rows: a compliance applies a load along them, outside the system of the constraint forces."""

    index: Records[EnforcedRecord]
    mass: Floats  # 1 / diag(G M⁻¹ Gᵀ) at the start [kg] or [kg·m²]
    tolerance: Floats  # on Φ̈ − load / mass of a row whose load is iterated; 0: it is not
    wanted: Floats  # Φ̈ that the compliance demands
    residual: Floats  # work array of the iteration
    scaled: Floats  # work array of the iteration
    direction: Floats  # work array of the iteration
    image: Floats  # work array of the iteration
    change: Floats  # work array of the iteration
    most_iterations: Ints  # (1,) of one evaluation


class Couplings(NamedTuple):
    """Σ cᵢ sᵢ = f(t) over measures of any joints."""

    index: Records[CouplingRecord]
    coefficient: Floats


class Blocks(NamedTuple):
    """Blocks of rows, one per joint; G is stored by block and body."""

    index: Records[BlockRecord]
    marker: Ints  # marker of each slot of each block
    member: Records[MemberRecord]
    selected: Ints  # of each: how many of its rows are in the present factor of S; 0: it is left out
    G_marker: Floats  # rows over marker twists
    G: Floats  # rows over velocities
    X: Floats  # M⁻¹ Gᵀ in scaled rows, in the layout of G
    T: Floats  # Gᵀ in scaled rows


class WrenchJobs(NamedTuple):
    """Jobs that transform wrenches at markers into generalized forces."""

    index: Records[WrenchJobRecord]
    force: Records[GeneralizedRecord]
    piece: Records[PieceRecord]
    generalized: Floats  # generalized forces of the force elements
    spare: Floats  # work array of one generalized force


class Wrenches(NamedTuple):
    """Wrenches, energies and powers of force elements."""

    wrench: Floats  # (6 slots,) force [N] and torque [N·m] about the marker
    energy: Floats  # of each force [J]
    power: Floats  # of each force: power not derived from `energy` [W]
    dissipates: Ints  # of each force: 1: `power` counts as dissipation, 0: as work
    index: Records[ForceRecord]


class RowWrenches(NamedTuple):
    """Wrenches that the rows of one owner exert on one marker, part by part."""

    first: Ints  # (parts + 1,) the first term of each part
    row: Ints  # of each term
    place: Ints  # of each term, in `Blocks.G_marker`
    wrench: Floats6  # of each part, in the last frame: force [N], torque about the marker [N·m]; world


class Tangents(NamedTuple):
    """Arrays that the tangent functions of kinds read and write; empty until `Problem.prepare_tangents`."""

    element: Ints  # start in `value` of each element's K, followed by D
    marker: Ints  # of each marker's K of its body, and E
    body: Ints  # of each body's own K and D
    value: Floats  # of a few records at a time
    lam: Floats  # of each row: its multiplier, or the load of its compliance
    wrench: Floats6  # of each marker: force [N] and torque [N·m], world axes
    jacobian: Ints  # start in `H` of each marker; −1: on the ground
    width: Ints  # columns of H of each marker: nv of its body; 6 on a body with parts, where H is 1
    H: Floats  # (6, width) of each marker: its twist is H v
    slope: Floats  # ∂load/∂Φ of each enforced row
    slope_dot: Floats  # ∂load/∂Φ̇ of each enforced row


class PartTangents(NamedTuple):
    """Arrays that the tangent functions of kinds with parts write; empty without such a body."""

    jacobian: Ints  # start in `H` of each marker on such a body
    moved: Ints  # velocities of the parts that each marker moves with
    geometric: Ints  # start in `value` of each marker's K
    own: Ints  # start in `value` of each body's K, followed by D
    entries: Ints  # numbers of each body's K
    H: Floats  # (6, moved) of each marker over the velocities of its parts
    value: Floats


class Increments(NamedTuple):
    """Increments dq of the coordinates, and T of each body: q ⊕ (dq + ε) = (q ⊕ dq) ⊕ T ε to first order."""

    first: Ints  # start in `T` of each body
    band: Ints  # of each body: T is zero farther from its diagonal
    dq: Floats  # (nv,)
    T: Floats  # (nv, nv) of each body


class TangentBlocks(NamedTuple):
    """a M + b D + c K in blocks of bodies, as `form_tangent` leaves it."""

    index: Records[TangentBlockRecord]  # by rows and columns
    value: Floats
    weight: Floats  # a, b, c, s of inner states, and 1
    by_increments: Ints  # (1,) 1: c K T instead of c K
    hold_rates: Ints  # (1,) 1: without the changes of the rates of enforced rows with positions


class TangentPlan(NamedTuple):
    """Who is called for the tangents, and where its numbers belong."""

    call: Records[TangentCallRecord]  # functions of bodies and compliances
    strip: Records[StripRecord]
    member: Records[StripMemberRecord]
    enforced: Records[EnforcedBlockRecord]
    member_of_slot: Ints
    marker: Ints
    pair: Ints  # starts of blocks in TangentBlocks.value; −1: the ground
    force_marker: Ints  # marker of each slot of Wrenches.wrench
    diagonal: Ints  # start of each body's diagonal block


class Differences(NamedTuple):
    """Plan of differences for what gives no tangent."""

    part: Records[DifferenceRecord]  # elements and rows
    evaluation: Records[EvaluationRecord]
    compliance: Records[EvaluationRecord]  # rows whose compliance gives no slopes: `number` is its element
    body: Records[BodyDifferenceRecord]
    pivot: Ints  # row exchanges of a factor
    size: Floats  # (1,) of the mechanism [m]
    twists: Ints  # (1,) 1: some wrench depends on twists
    rates: Ints  # (1,) 1: loads depend on how the rates of enforced rows change with the position


class TangentWork(NamedTuple):
    """Parts of the tangents that the blocks are made of."""

    own: Floats  # K of each body's own forces and geometry, in the places of `Increments.T`
    position: Floats  # c H T of each marker, in the places of `H`
    velocity: Floats  # E, then b H + c E T of each marker
    row_rate: Floats  # ∂(G_m twist + Φₜ)/∂(places of the markers) of enforced rows, in the places of G_marker
    work: Floats
    line: Floats  # work array, as many numbers as the columns of the widest H


class Factor(NamedTuple):
    """Block Cholesky factor of S = G M⁻¹ Gᵀ + δ on the joint graph; nodes in elimination order."""

    node: Records[NodeRecord]
    off_diagonal: Records[OffDiagonalBlock]  # node by node
    update: Ints  # target of each product, in the order in which the factorisation forms them
    product: Records[ProductRecord]
    values: Floats


class Matrix(NamedTuple):
    """A sparse matrix in blocks of bodies and joints, and its factors; empty until a solver uses it."""

    info: Records[MatrixRecord]  # (1,)
    node: Records[MatrixNodeRecord]
    edge: Ints2  # pairs of nodes that are coupled
    panel: Records[MatrixPanelRecord]  # in elimination order
    entry: Records[MatrixEntryRecord]  # panel by panel, in elimination order
    source: Records[MatrixSourceRecord]  # panel by panel
    upper: Floats  # panels, row by row
    lower: Floats  # the transposed columns of the nodes in the same places; without diagonal blocks
    x: Floats  # right-hand side and solution, in the order of the vector
    row: Floats  # work array of one row
    work: Ints  # of the analysis; of the factorization: place of each node in a panel


class Border(NamedTuple):
    """Border of the matrix of the step: constraint rows; empty until a solver uses it."""

    node: Ints  # of each block in Matrix; −1: none of its rows can be on in this run
    G: Floats  # scaled rows of G, in the layout of Blocks.G
    G_T: Floats  # the same of G T


class InnerStates(NamedTuple):
    """Inner states in an implicit step, x = base + s ẋ(x); empty until a solver uses it."""

    index: Records[InnerStateRecord]  # of elements
    base: Floats  # (na,)
    matrix: Floats  # work array: 1 − s ∂ẋ/∂x of one element, or of the scene's states
    residual: Floats  # work array
    pivot: Ints  # work array


class Kinds(NamedTuple):
    """Body kinds, for transient markers; empty without transient rows."""

    index: Records[KindRecord]


class Shapes(NamedTuple):
    """Shapes of all bodies and of the ground."""

    index: Records[ShapeRecord]
    p: Floats  # numbers: edges; radius; radius and length (cylinder, capsule); three zeros of others [m]
    x: Floats3  # position in the body's frame [m]; of the ground: in the world
    R: Floats9  # axes in the body's frame, row by row
    arm: Floats3  # position from the mass centre, in the body's frame [m]
    corner: Ints  # markers of the corners of each face of bodies that deform
    corner_part: Ints  # the part with which it moves; −1: it is held


class TransientRows(NamedTuple):
    """Blocks of rows that come and go, such as contacts, with spare places behind those in use. They are no
    part of S, of projections, drift and ranks: only the solver sees them.
    """

    used: Ints  # (2,) blocks and rows in use
    width: Ints  # (3,) numbers of the longest point record, most velocities of a member, members of a side
    index: Records[TransientRecord]
    member: Records[MemberRecord]  # bodies a and b of each block, or parts; the ground has no velocities
    friction: Floats  # of each block: coefficient of a CONE
    phi: Floats  # gap of each row [m] or [rad]
    target: Floats  # the solver's own, such as the velocity after the step
    impulse: Floats  # over the step [N·s] or [N·m·s]
    lower: Floats  # bounds of a BOX, on the impulse
    upper: Floats
    inverse_mass: Floats  # diag(G M⁻¹ Gᵀ) [1/kg] or [1/(kg·m²)]
    G_marker: Floats  # (12,) of each row, over the twists of markers a and b
    G: Floats  # over the velocities of the bodies
    X: Floats  # M⁻¹ Gᵀ, in the layout of G


class TransientMarkers(Markers):
    """Transient markers, those of transient rows."""


class TransientJobs(NamedTuple):
    """Wrench jobs of transient rows, one for each marker."""

    index: Records[WrenchJobRecord]
    piece: Records[PieceRecord]  # one for each member, of sides that move with several parts
    spare: Floats  # work array of one generalized force


class Bounded(NamedTuple):
    """Rows whose forces have bounds."""

    index: Records[BoundedRecord]
    command: Records[CommandRecord]  # a row's bounds where it slips come before those where it sticks
    rate: Floats  # work array: Φ̇ before an impact
    v: Floats  # (nv,) work array: velocities before an impact
    direction: Floats  # of rows with a partner: its part of the present direction of slip
    angle: Floats  # work array: last angle of that direction
    across: Floats  # work array: the acceleration across it then
    located: Ints  # (1,) 1: a step ends where a mode changes; 0: the solver decides on modes in each step
    steady: Ints  # (1,) 1: what is kept at the end of a step, as memory of elements, changes no rates


class Activity(NamedTuple):
    """Joints, motions, forces and contacts that may cease to act, and begin again."""

    index: Records[ActivityRecord]
    target: Records[TargetRecord]
    condition: Records[ConditionRecord]  # their values are event functions
    of_slot: Ints  # of each marker slot in Wrenches: place in `State.mode` of its force; −1: it has none
    of_body: Ints  # of each body: place in `State.mode` of its contacts; −1: they have none
    located: (
        Ints  # (1,) 1: a step ends where a condition changes; 0: those that read reactions change at its end
    )
    changed: Ints  # (1,) 1: one has changed at the end of the step
    changes: Ints  # of each: how often, one shortly after the other
    since: Floats  # of each: when that began [s]
    failed: Ints  # (1,) number of the one whose change failed


class Bearings(NamedTuple):
    """Dry friction whose bounds follow from the reactions of joints, and Broyden's method for it."""

    index: Records[BearingRecord]
    pressure: Floats  # [N, N·m]: the coefficient of friction times this is the bound
    residual: Floats  # what the law gives, less the force of friction
    before: Floats  # residuals before a change of these forces
    change: Floats  # of the forces
    image: Floats  # work array
    inverse: Floats  # (n²,) inverse of the derivative of −residual with respect to the forces
    pivot: Ints  # work array
    worst: Floats  # (1,) largest residual over its tolerance
    worst_place: Ints  # (1,) its bearing


class Changes(NamedTuple):
    """Notes that Python has not read yet of changes of rows; empty where no row can change."""

    used: Ints  # (1,) notes
    note: Records[ChangeRecord]  # in the order of time, with spare places behind those in use
    impulse: Floats  # as `State.mode`: in an impact at the end of the present step [N·s, N·m·s]


class Impacts(NamedTuple):
    """Impacts of bodies that Python has not read yet; empty where no solver notes them."""

    used: Ints  # (2,) of steps that are accepted, and behind them of the step that is tried
    index: Records[ImpactRecord]  # in the order of time, with spare places behind those in use
    point: Floats3  # between those of both bodies, in the middle of the step, world [m]
    material_a: Floats3  # the point of body a that is struck, in the frame of the body [m]
    material_b: Floats3  # that of body b
    normal: Floats3  # direction of a push on b, world
    impulse: Floats3  # on b, along the axes of the contact [N·s]
    before: Floats3  # velocity of b relative to a, along them [m/s]
    after: Floats3  # the same after the impact


class Capacity(NamedTuple):
    """Requests of compiled code for longer arrays."""

    required: Ints  # places required in each set of growing arrays; 0: no request


GROUPS: tuple[type, ...] = (
    State,
    Rates,
    Status,
    Step,
    LoopArguments,
    FrameValues,
    Batches,
    EntryPoints,
    Bodies,
    Nodal,
    Trees,
    Flat,
    DerivedRows,
    Carried,
    Markers,
    Elements,
    Functions,
    Inputs,
    Samplers,
    Controls,
    ImplicitVariables,
    Measures,
    Rows,
    Enforced,
    Bounded,
    Activity,
    Bearings,
    Changes,
    Impacts,
    Couplings,
    Blocks,
    WrenchJobs,
    Wrenches,
    RowWrenches,
    Tangents,
    PartTangents,
    TreeTangents,
    Increments,
    TangentBlocks,
    TangentPlan,
    Differences,
    TangentWork,
    Factor,
    Matrix,
    Border,
    InnerStates,
    Kinds,
    Shapes,
    TransientRows,
    TransientMarkers,
    TransientJobs,
    Capacity,
    Outputs,
)
