"""Records of the tables: one row per body, marker, element, constraint block, ...

`first_x` is the start of the record's part of the array `x`; the count beside it is its length. What a number
points at stands in its annotation (`tables/links.py`).
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

from mbplugin.tables.links import (
    AuxIndex,
    BearingIndex,
    BlockIndex,
    BodyIndex,
    BoundedIndex,
    ConstantIndex,
    CoordinateIndex,
    ElementIndex,
    FactorIndex,
    FirstRow,
    FirstVelocity,
    FunctionIndex,
    Index,
    IndexBy,
    LinkIndex,
    MarkerIndex,
    MeasureIndex,
    MemoryIndex,
    OperationIndex,
    OutputIndex,
    RowIndex,
    VelocityIndex,
)

# kinds of implicit variables, and what the places of some are in
VARIABLE, SECOND_RATE, MULTIPLIER, REACTION = range(4)
PLACES = {VARIABLE: "Functions.u", SECOND_RATE: "Rows", MULTIPLIER: "Rows"}
#: what an activity lets act
TARGET_ROW, TARGET_FORCE, TARGET_CONTACTS = range(3)
TARGETS = {TARGET_ROW: "Rows", TARGET_FORCE: "Wrenches", TARGET_CONTACTS: "Bodies"}


class BatchRecord(NamedTuple):
    """One call of a compiled kernel over a range of records."""

    address: int  # of the kernel
    first: int  # first record
    length: int  # number of records
    purpose: int  # when it is called: one of `purposes`


class BodyRecord(NamedTuple):
    """A body in the state and in the tables of its kind, or a part of one, such as a node: velocities that M
    does not couple with others. The parts of all bodies follow the bodies; a body with parts has no
    velocities besides theirs.
    """

    first_q: Annotated[int, Index("State.q", "nq")]
    first_v: FirstVelocity
    nq: int
    nv: int
    scratch: int  # numbers of its scratch
    record: int  # numbers of a point record
    first_parameter: Annotated[int, Index("Bodies.p")]
    first_integer: Annotated[int, Index("Bodies.ints")]
    first_scratch: Annotated[int, Index("Bodies.scratch", "scratch")]
    mass_form: int  # DIAGONAL, DENSE, PROFILE or TREE
    first_mass: Annotated[int, Index("Bodies.M", "mass_entries")]  # and of L; not of a diagonal
    mass_entries: int  # numbers of the mass matrix there
    first_profile: Annotated[int, Index("Bodies.profile")]  # of a PROFILE: nv + 1 numbers
    kind: int  # in Kinds
    tree: Annotated[int, Index("Trees")]  # -1: it is none
    kind_q: int  # coordinates that the functions of its kind get: nq, or those of all its parts
    kind_v: int  # and velocities
    whole: BodyIndex  # the body that it is a part of, or itself
    first_part: BodyIndex  # number of its first part; itself if it has none


class NodalRecord(NamedTuple):
    """A body with nodes, for frames. Places are those of the first number."""

    body: BodyIndex
    first_node: int  # in Nodal.x and Nodal.v
    nodes: int
    first_stress: int  # in Nodal.stress
    points: int  # points of stress


class TreeRecord(NamedTuple):
    """Bodies that joints carry, below one root: together one body of the tables."""

    body: BodyIndex
    first_link: Annotated[int, Index("Trees.link", "links")]
    links: int
    flat: int  # 1: it moves in a plane, and `Flat` has its numbers
    located: int  # 1: in a step something reads its markers
    read: int  # 1: in a step something reads reactions of its joints


class LinkRecord(NamedTuple):
    """A body of the scene in a tree, and the joint that carries it. Its frame stands at the marker of
    that joint on it.
    """

    parent: LinkIndex  # that carries it, which comes before it; -1: the ground
    form: int  # of the joint: FIXED, TURNING, SLIDING, CONSTANT, CROSS, BALL, FREE or DERIVED
    first_q: CoordinateIndex
    first_v: Annotated[int, Index("State.v", "rates")]
    rates: int  # number of its velocities
    first_rate: Annotated[int, Index("Trees.armature", "rates")]  # and of motion
    first_D: Annotated[int, Index("Trees.D")]
    free: int  # 1: no joint carries it
    forward: int  # 1: the first marker of the joint is on the link that carries it; 0: on it
    derived: Annotated[int, Index("DerivedRows")]  # -1: its form is another one
    end: MarkerIndex  # last one of its joint, where the reaction acts; -1: nothing reads that in a step
    planar: int  # 1: its joint is between planar bodies, and bears no more than moves in the plane
    first_rotor: Annotated[int, Index("Trees.rotor", "rotors")]
    rotors: int  # inertias on coordinates of its joint


class RotorRecord(NamedTuple):
    """An inertia on a coordinate of a joint that carries a link."""

    velocity: int  # which of those of the link gives the rate of the coordinate
    measure: Annotated[int, Index("Measures")]  # that is the coordinate, along which it acts


class CarriedRecord(NamedTuple):
    """What a joint that carries a link of a tree exerts on one of its markers."""

    part: int  # in `RowWrenches.wrench`
    link: LinkIndex
    marker: MarkerIndex
    sign: int  # 1: as on the link, −1: the reaction to that


class ArmatureRecord(NamedTuple):
    """What an inertia on a coordinate of such a joint exerts on a marker."""

    owned: int  # part in `RowWrenches.wrench`
    link: LinkIndex
    rotor: Annotated[int, Index("Trees.rotor")]
    slot: int  # of the marker in its measure


class DerivedRecord(NamedTuple):
    """A joint that carries a body and whose motion follows from its rows and coordinates."""

    link: LinkIndex
    first_q: CoordinateIndex
    first_v: VelocityIndex
    rows: int  # 6 less the number of its coordinates
    first_coordinate: Annotated[int, Index("DerivedRows.period")]
    first_call: Annotated[int, Index("DerivedRows.batch", "calls")]  # and of element
    calls: int
    carried: int  # 1: the link has the joint's second marker, 0: its first


class MarkerRecord(NamedTuple):
    """A marker and the point record of its body kind."""

    body: BodyIndex  # -1: the ground
    first_parameter: Annotated[int, Index("Markers.p")]
    part: BodyIndex  # of a transient marker: the part of the body that it is on, or the body; else -1
    face: int  # of a transient marker: the face of its body that it is on; −1: none


class ElementRecord(NamedTuple):
    """A measure, joint, force, compliance or coordinate: where its function reads and writes."""

    first_slot: Annotated[int, Index("Elements.marker", "slots")]
    slots: int  # number of markers
    first_parameter: Annotated[int, Index("Elements.p")]
    first_row: int  # constraint row
    first_G: int  # in Blocks.G_marker, or of a measure in Measures.J
    first_function: FunctionIndex
    first_aux: AuxIndex
    first_memory: MemoryIndex
    force: Annotated[int, Index("Wrenches")]
    measure: MeasureIndex
    first_event: Annotated[int, Index("Elements.event")]
    first_output: OutputIndex


class SamplerRecord(NamedTuple):
    """An element that takes samples, and where the number of those that it has taken stands."""

    batch: int  # of the function that takes them
    element: ElementIndex
    taken: MemoryIndex


class ReadLinkRecord(NamedTuple):
    """A link of the bodies alone whose coordinates are no measures: how they follow from two markers of the
    problem that is stepped.
    """

    form: int  # BALL, FREE, DERIVED, or else a body that is free in a plane
    a: int  # marker on the carrying side; -1: there is none
    b: int  # marker on the body; of one that is free at its mass centre
    first_q: int  # there
    first_v: int
    derived: int  # number in `DerivedRows` there, of a DERIVED one


class TapeRecord(NamedTuple):
    """An expression as a range of operations of the interpreter."""

    start: OperationIndex  # first operation
    stop: OperationIndex  # one past the last operation
    first_constant: ConstantIndex


class FunctionRecord(NamedTuple):
    """A bound expression."""

    start: OperationIndex
    stop: OperationIndex
    first_constant: ConstantIndex
    target: FunctionIndex  # gets the value and the derivatives
    shift: int  # what the expression prescribes: 0 a value, 1 a rate, 2 an acceleration
    known: int  # order of its highest derivative before the solve for accelerations; kernels get NaN above


class PartialRecord(NamedTuple):
    """The derivative of a driven coordinate's expression by a measure or its rate."""

    start: OperationIndex
    stop: OperationIndex
    first_constant: ConstantIndex
    seed: int  # what the derivative is taken by
    coupling: Annotated[int, Index("Couplings")]  # whose coefficient it becomes
    by_rate: int  # 1: by the rate of the measure, 0: by its value


class EquationRecord(NamedTuple):
    """The rate of one of the user's states."""

    start: OperationIndex
    stop: OperationIndex
    first_constant: ConstantIndex
    aux: AuxIndex


class ImplicitRecord(NamedTuple):
    """A quantity that expressions read and that is known only after the solve."""

    kind: int  # VARIABLE, SECOND_RATE, MULTIPLIER or REACTION
    # of a variable; inactive row over the measure; row of the multiplier
    place: Annotated[int, IndexBy("kind", PLACES)] = 0
    block: BlockIndex = 0
    first_row: FirstRow = 0  # of the joint's rows whose reaction it is
    rows: int = 0
    axes: MarkerIndex = -1  # a reaction is resolved in its axes
    component: int = 0  # 0 to 5, or FORCE_SIZE, TORQUE_SIZE
    slot: int = 0  # marker slot of the block on which the reaction acts
    link: LinkIndex = -1  # that the joint carries: its reaction is in `Trees.carried`


class MeasureRecord(NamedTuple):
    """A measure that is evaluated by itself."""

    first_J: Annotated[int, Index("Measures.J")]
    slots: int
    first_slot: Annotated[int, Index("Elements.marker", "slots")]
    counts_turns: int  # 1 for angles that count full turns
    stride: float = 0.0  # most that it changes in a step, at its rate at the start; 0: no matter
    shown: int = 0  # 1: only frames evaluate it


class InnerStateRecord(NamedTuple):
    """The inner states of an element."""

    address: int  # of the kernel that gives their rates
    element: ElementIndex
    first_aux: Annotated[int, Index("State.aux", "states")]
    states: int


class EnforcedRecord(NamedTuple):
    """A row whose load is computed by a compliance. Where the fields of one record begin another one, numba
    warns that it takes the latter for the former: this must not begin as `BoundedRecord` does.
    """

    block: BlockIndex
    row: RowIndex


class CouplingRecord(NamedTuple):
    """One term c s of a row over the measures of several joints."""

    row: RowIndex
    measure: MeasureIndex
    first_G: Annotated[int, Index("Blocks.G_marker")]
    function: int  # in Functions.u at the row's first term; else OWN_SLOTS, SAME_SLOTS or DEPENDENCE


class BlockRecord(NamedTuple):
    """The rows of one joint."""

    first_row: FirstRow
    rows: int
    first_slot: Annotated[int, Index("Blocks.marker", "slots")]
    slots: int
    first_G_marker: Annotated[int, Index("Blocks.G_marker")]
    first_member: Annotated[int, Index("Blocks.member", "members")]
    members: int
    row_type: int  # EQUALITY; with another one its rows are inactive, and the solver serves them


class MemberRecord(NamedTuple):
    """A body of a block, or a part of one, and its columns of G."""

    body: BodyIndex  # or part
    first_G: Annotated[int, Index("Blocks.G")]  # and of X and T
    first_v: FirstVelocity
    nv: int


class WrenchJobRecord(NamedTuple):
    """Transforms `rows` wrenches at one marker into generalized forces of its body."""

    marker: MarkerIndex
    source: int  # of the first wrench
    stride: int  # from one wrench to the next
    rows: int
    target: int  # of the first generalized force
    add: int  # 1: add to the target, 0: overwrite it
    width: int  # numbers of one generalized force: velocities of the body, or of the parts that it moves
    first_piece: Annotated[int, Index("WrenchJobs.piece", "pieces")]  # of a row on parts
    pieces: int


class PieceRecord(NamedTuple):
    """Where a row of G over one of the parts that a point moves with goes."""

    target: Annotated[int, Index("Blocks.G", "nv")]  # of the first row
    nv: int
    add: int  # 1: add to the target, 0: overwrite it


class GeneralizedRecord(NamedTuple):
    """The generalized force of one marker of a force element; they are summed in this order."""

    start: Annotated[int, Index("WrenchJobs.generalized", "nv")]
    first_v: FirstVelocity
    nv: int


class ForceRecord(NamedTuple):
    """Marker slots of a force element in Wrenches.wrench."""

    first_slot: int
    slots: int


class NodeRecord(NamedTuple):
    """A block of S in elimination order."""

    block: BlockIndex
    first_row: FirstRow
    rows: int
    first_value: FactorIndex  # of its diagonal block
    first_off_diagonal: Annotated[int, Index("Factor.off_diagonal", "off_diagonals")]
    off_diagonals: int  # number of off-diagonal blocks
    first_update: Annotated[int, Index("Factor.update")]


class OffDiagonalBlock(NamedTuple):
    """An off-diagonal block of the factor."""

    block: BlockIndex  # of its columns
    first_value: FactorIndex
    first_row: FirstRow
    rows: int


class ProductRecord(NamedTuple):
    """S += X T of two blocks that share a body."""

    target: FactorIndex
    first_X: Annotated[int, Index("Blocks.X")]
    X_rows: int
    first_T: Annotated[int, Index("Blocks.T")]
    T_columns: int
    nv: int
    block: BlockIndex  # of X, and of T
    other: BlockIndex


class MatrixRecord(NamedTuple):
    """A sparse matrix of blocks: its counts, which may exceed the room in the arrays."""

    nodes: int
    edges: int
    entries: int  # off-diagonal blocks in the rows of the factor
    values: int  # numbers of its rows
    length: int  # of vectors
    symmetric: int  # 1: only the upper triangle is stored and read
    failed: int  # node whose pivot was zero or not finite
    parts: int  # sets of nodes that no entry couples


class MatrixNodeRecord(NamedTuple):
    """A block row and column of the matrix."""

    rows: int
    first: int  # its first place in a vector
    constraint: int  # 1: eliminated after all its neighbours that are no constraints
    position: int  # in elimination order


class MatrixPanelRecord(NamedTuple):
    """The rows of a node in elimination order: its diagonal block, then the entries to its right."""

    node: int
    rows: int
    first: int  # of the node in a vector
    first_entry: int
    end_entry: int
    first_value: int
    width: int  # columns of the panel
    first_source: int
    end_source: int
    part: int  # number of its part
    grouped: int  # of the list of panels in which those of a part stand together: the one at this place
    idle: int  # 1: left out of factors and solutions


class MatrixEntryRecord(NamedTuple):
    """A block of a panel."""

    position: int  # of the node of its columns
    rows: int
    first: int  # of that node in a vector
    column: int  # its first column in the panel


class MatrixSourceRecord(NamedTuple):
    """A panel that changes a later one."""

    position: int  # of the earlier panel
    entry: int  # its entry in the columns of the later one's node


class TangentBlockRecord(NamedTuple):
    """A block of a M + b D + c K: rows of one body, columns of one body."""

    row: int  # body
    column: int  # body
    first: int  # in TangentBlocks.value, row by row
    rows: int  # velocities of the first body
    columns: int  # velocities of the second body


class TangentCallRecord(NamedTuple):
    """A function of a kind over a range of bodies, markers or elements."""

    address: int  # of its kernel
    first: int  # first record
    length: int  # number of records
    purpose: int  # JACOBIAN, GEOMETRIC, INTERNAL, SLOPE or INCREMENT
    numbers: int  # of the largest record, from one to the next; 0: not in Tangents.value


class StripRecord(NamedTuple):
    """Elements with tangents over the same markers, for a range of joints or force elements.

    A group is what acts on one list of markers, such as the three measures of one revolute.
    """

    first_member: int  # in TangentPlan.member
    members: int
    groups: int
    markers: int  # of each group
    first_slot: int  # in TangentPlan.marker: markers of each group
    first_pair: int  # in TangentPlan.pair: of each group, (markers, markers) starts of blocks
    velocity: int  # 1: it has a D as well
    enforced: int  # 1: rows under a compliance


class StripMemberRecord(NamedTuple):
    """A tangent function over the elements of a strip."""

    address: int
    first: int  # element
    each: int  # elements of one group
    numbers: int  # that it writes for each element
    rows: int  # of each element
    place: int  # in Tangents.value


class EnforcedBlockRecord(NamedTuple):
    """Neighbouring rows of one block under a compliance."""

    block: int
    first_row: int
    rows: int
    first_pair: int  # in TangentPlan.pair: (members, members) starts of blocks
    first_member: int  # in TangentPlan.member_of_slot: member of each slot of the block; −1: the ground


class DifferenceRecord(NamedTuple):
    """Part without a tangent: differences of the wrenches (and of inner states) of one element or row."""

    first_call: int  # in TangentPlan.call: what is evaluated for it, in this order
    calls: int
    first_read: int  # in TangentPlan.marker: markers that it depends on
    reads: int
    first_act: int  # in TangentPlan.marker: markers that it acts on
    acts: int
    first_pair: int  # in TangentPlan.pair: (acts, reads) starts of blocks
    first_wrench: int  # of a force element, in Wrenches.wrench; −1: rows
    block: int  # of the rows
    first_row: int
    rows: int
    by_places: int  # 1: it gives no tangent
    rates: int  # 1: the rows are enforced, and their rates have no tangent
    first_aux: int  # inner states
    states: int


class EvaluationRecord(NamedTuple):
    """A part of the evaluation of one element."""

    what: int  # KERNEL, MEASURE_RATE, STATES, PARTIAL, FUNCTION or COUPLING
    number: int  # of the element, measure, function, partial derivative or coupling
    batch: int  # of a kernel


class BodyDifferenceRecord(NamedTuple):
    """A body without tangents. Addresses of functions that its kind does not have are 0."""

    body: int
    first_marker: int  # in TangentPlan.marker
    markers: int
    retract: int
    prepare: int
    locate: int
    jacobian: int
    internal: int


class KindRecord(NamedTuple):
    """A body kind: the batches of its functions on markers of the transient rows; -1: it has none."""

    point_at: int
    locate: int
    to_generalized_force: int


class ShapeRecord(NamedTuple):
    """A shape and its body."""

    body: BodyIndex  # -1: the ground
    part: BodyIndex  # of the body, with which it moves: a node, a link; else the body itself; -1: the ground
    type: int  # SPHERE_SHAPE, BOX_SHAPE, ...
    marker: MarkerIndex  # at the mass centre of the body, with the axes of the body's frame; -1: the ground
    first: Annotated[int, Index("Shapes.p", "numbers")]
    numbers: int
    belt: FunctionIndex  # first of three: velocity of its surface in the body's frame [m/s]; 0: none
    stretch: int  # of a body that stretches: first of its markers in `Names.stretches`; −1: it is rigid
    corner: Annotated[int, Index("Shapes.corner", "corners")]  # of faces of a body that deforms
    corners: int  # of all of them; 0: it is none
    sides: int  # corners of each: 3, or 4 of quadrilaterals, which are four triangles about their middle


class TransientRecord(NamedTuple):
    """A block of transient rows. Block k has the markers and jobs 2 k (body a) and 2 k + 1 (b), and as many
    members for each of them (`kernels/members.py`).
    """

    row_type: int  # EQUALITY, NONNEGATIVE, BOX, CONE or MOMENT
    first_row: int  # in TransientRows.phi, ...; its part of TransientRows.G_marker begins at 12 times that
    rows: int
    label: int  # a number of the solver's own


class BoundedRecord(NamedTuple):
    """A row whose force λ has bounds: a limit or dry friction of a joint coordinate, a motion of limited
    effort, a one-way clutch.
    """

    row: RowIndex
    block: BlockIndex
    gap: int  # 1: it acts where Φ ≤ 0 is reached; 0: on Φ̇ at any position
    works: int  # 1: its power is work input; 0: it is dissipated
    first_aux: AuxIndex  # of IMPULSE, ENERGY and, of a motion, LAG
    # of what a motion has lost while its effort was at a bound [m, rad]; pressure on a bearing; behind it,
    # of a row with a partner, its part of the direction of slip
    memory: MemoryIndex
    bearing: BearingIndex  # whose pressure multiplies the bounds; -1: they are constant
    partner: BoundedIndex  # the other row of its cone, next to it; -1: none
    opening: AuxIndex  # of a gap: the integral of Φ̇, which steps resolve [m, rad]; -1: none
    restitution: float  # of an impact, 0 to 1
    lower: float  # bounds of λ where Φ̇ is not 0 [N, N·m], or by the pressure
    upper: float  # the larger one; infinite where it only pushes
    holds_from: float  # and where Φ̇ is 0
    holds_to: float  # the larger one


class CommandRecord(NamedTuple):
    """An expression that gives a bounded row its bounds, or its restitution."""

    commanded: BoundedIndex
    function: FunctionIndex
    what: int  # SLIPS, STICKS or REBOUNDS


#: what a command gives: the bounds, those where Φ̇ is 0, or the restitution
SLIPS, STICKS, REBOUNDS = range(3)


class BearingRecord(NamedTuple):
    """Pressure of the reaction of a joint, or of one of its rows, on a row with dry friction."""

    bounded: BoundedIndex  # the friction row
    block: BlockIndex  # of the joint's rows
    first_row: FirstRow
    rows: int
    slot: int  # marker slot of the block on which the reaction acts
    axes: MarkerIndex  # one of its axes is that of the bearing
    axis: int  # x, y or z of it; -1: none, all of the reaction is across
    pressing: RowIndex  # its multiplier presses instead; -1: the reaction
    kinetic: OutputIndex = -1  # the coefficient where it slips; -1: the bounds are constant
    static: OutputIndex = -1  # and where it sticks
    across_force: float = 0.0  # factor of |F⊥| in the pressure
    along_force: float = 0.0  # of |F∥|
    across_moment: float = 0.0  # of |M⊥| [1/m, or 1]
    along_moment: float = 0.0  # of |M∥|
    link: LinkIndex = -1  # that the joint carries: its reaction is in `Trees.carried`


class ImpactRecord(NamedTuple):
    """An impact of two bodies in a transient block."""

    time: float  # end of its step [s]
    shape_a: int  # in `Shapes`
    shape_b: int  # in `Shapes`
    body_a: int  # or part of one; -1: the ground
    body_b: int  # or part of one; -1: the ground
    phase: int  # of the step in which impacts are taken in turn, from 1
    touched: int  # 1: the contact was loaded before
    parts: int  # 1: its bodies move apart after it
    energy: float  # taken [J]


class ChangeRecord(NamedTuple):
    """A row whose mode has changed at the end of a step, or that was struck there; or an element that has
    begun or ceased to act.
    """

    time: float  # [s]
    row: int  # in State.mode
    before: int  # its mode until then
    after: int  # and from then on
    dof: int  # degrees of freedom from then on
    redundant: int  # redundant rows from then on
    impulse: float  # of an impact [N·s, N·m·s]; 0: none


class ActivityRecord(NamedTuple):
    """A joint, motion, force or the contacts of a body: what acts, or does not."""

    active: FunctionIndex = -1  # the condition under which it acts; -1: none
    release: FunctionIndex = -1  # the condition that ends that for good; -1: none
    first_target: Annotated[int, Index("Activity.target", "targets")] = 0
    targets: int = 0  # what begins or ceases to act
    snap: int = 0  # 1: its rows may close a gap where it begins to act
    watched: int = 0  # 1: a condition depends on the motion; 0: on time and inputs alone
    # the next motion of the same coordinate, which may not act at the same time; -1: none
    rival: Annotated[int, Index("Activity")] = -1


class TargetRecord(NamedTuple):
    """A row, a force element or the contacts of a body."""

    kind: int  # TARGET_ROW, TARGET_FORCE or TARGET_CONTACTS
    number: Annotated[int, IndexBy("kind", TARGETS)]
    mode: int = 0  # of a row that acts


class ConditionRecord(NamedTuple):
    """A condition of an activity that depends on the motion."""

    function: FunctionIndex  # positive where it holds
    by_reaction: int  # 1: it reads reactions or accelerations


class StatefulArrayRecord(NamedTuple):
    """An array of the solver that belongs to the state."""

    place: int  # of its address in the vector of addresses
    first: int  # in Step.stateful0 and stateful1
    words: int  # of 8 bytes


class StepRecord(NamedTuple):
    """State, settings and counts of the time integration."""

    t0: float  # start of the last step [s]
    t1: float  # end of the last step [s]
    h: float  # length of the next step [s]
    length: float  # of the trial step [s]
    error: float  # error estimate of the trial step over the tolerance; 0 if there is none
    previous_error: float
    tolerance: float  # relative; absolute below a hundredth of the size
    length_scale: float  # size of the mechanism [m]
    error_power: float  # the error of a step grows with this power of its length
    growth: float  # a step is at most this many times as long as the one before
    hold: float  # smaller changes of the step than by this factor are left out
    fixed: float  # length of fixed steps [s]; 0: steps vary
    longest: float  # largest length of steps that vary [s]
    origin: float  # of the grid of fixed steps [s]
    floor: float  # least step whose error estimate is not rounding [s]
    residual: float  # position residual after the last projection [size or rad]
    pivot: float  # smallest pivot of S since it was set to 1, without permanently redundant rows
    worst_residual: float  # of constraint accelerations that did not converge, scaled
    held_time: float  # start of the last held step [s]
    impact_time: float  # last jump of a motion's speed [s]
    turn: float  # largest change of an angle within a step, if above half a turn [rad]
    turn_time: float
    turn_step: float
    steps: int
    rejected: int
    evaluations: int
    unconverged: int  # evaluations whose constraint accelerations did not converge
    held: int  # steps accepted above the tolerance because their error is rounding
    events: int
    impacts: int  # jumps of a motion's speed
    turned: int  # number, from 1, of the measure that changed by more than half a turn; 0: none
    repeated: int  # redundant rows at every position so far: begins with all rows, and only decreases
    near_singular: int  # 1: S has a small pivot in this step, whose stages are therefore projected
    was_near_singular: int  # `near_singular` of the last step, for frames that repeat it
    switch_left: (
        float  # end of the step that is due: the last number before a switch, or where no switch is [s]
    )
    switch_right: float  # first number behind that switch [s]
    projected: int  # 1: the solver has projected the end of the trial step
    estimate: int  # 0: no error estimate is needed
    kept: int  # rates at the end of the last step: KEPT, in the tables; TAKEN, for the next one; 0: neither
    ready: int  # whether the tables hold the end of the last step: NOT_READY, BEGUN or ENDED
    status: int  # of the failed evaluation
    reports: int  # 1: the solver reports what a step did, so that frames show that
    frame_due: int  # 1: a frame lies in this step or at its end: a solver that reports fills in outputs
    stopped: int  # 1: the condition that ends the run has become true at the end of the last step
    redundant: int  # number of rows that depend on others where joints are closed, of those that act


# the tables hold something else; the end of the last step, and `begin_step` has run for the next one; that
# end as the step left it
NOT_READY, BEGUN, ENDED = range(3)
KEPT, TAKEN = 1, 2

# forms of a body's mass matrix
DIAGONAL, DENSE, PROFILE, TREE = range(4)

#: how a joint of a tree moves its body: not; about z or along z of its frame; by constants, along any
#: directions and about z; about a point; freely; as its rows and coordinates say at each position
FIXED, TURNING, SLIDING, CONSTANT, CROSS, BALL, FREE, DERIVED = range(8)

# types of the rows of a block: λ free; λ ≥ 0; lower ≤ λ ≤ upper; |tangential λ| ≤ friction × normal λ
# moments at the contact of a block before, bounded by its normal λ
EQUALITY, NONNEGATIVE, BOX, CONE, MOMENT = range(5)
#: modes of a row: outside S, and without effect; a row of S; prescribes a coordinate at t = 0, then without
#: effect; only computes an acceleration for an expression; a compliance applies a load along it
OFF, ON, START, PROBE, COMPLIANT = range(5)
#: and of a row whose force has bounds: the force is the lower one, or the upper one
LOWER, UPPER = 5, 6
#: modes of an activity besides ON and OFF: ended for good
RELEASED = 2
#: inner states of a bounded row: its impulse [N·s, N·m·s], and the energy that it has taken or put in [J];
#: of a motion also what it has lost against its function while its effort was at a bound [m, rad]; of a gap
#: that is a function, how far it has opened since the start [m, rad]
IMPULSE, ENERGY, LAG = range(3)
OPENING = LAG
ROW_TYPES = ("equality", "nonnegative", "box", "cone")
#: those whose rows are rows with bounds
BOUNDED_TYPES = ROW_TYPES[NONNEGATIVE:]

# types of shapes that the engine knows; those of plugins follow
SPHERE_SHAPE, BOX_SHAPE, CYLINDER_SHAPE, CAPSULE_SHAPE, PLANE_SHAPE, MESH_SHAPE, CONVEX_SHAPE = range(7)
CONE_SHAPE, ELLIPSOID_SHAPE = 7, 8

# levels of a constraint row
POSITION_LEVEL, VELOCITY_LEVEL, ACCELERATION_LEVEL = 0, 1, 2

# components of a reaction after the six of force and torque: their norms
FORCE_SIZE, TORQUE_SIZE = 6, 7

# `function` of a coupling's further terms: over its own marker slots, over those of the term before, or over
# its own slots a measure that the row's function depends on
OWN_SLOTS, SAME_SLOTS, DEPENDENCE = -1, -2, -3
