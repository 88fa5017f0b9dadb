"""Arrays of the solver `contact`."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple, get_type_hints

import numpy as np

from mbplugin.interface import MAX_POINTS, Array, ContactPoints, empty_points, inlined
from mbplugin.stepping import Blocks, Bodies
from mbplugin.stepping.arrays import Floats, Floats3, Ints, Records, Spec, records, solver_tables, specs
from mbplugin.stepping.bounded_rows import Bounded
from mbplugin.stepping.shapes import Shapes
from mbplugin_contact.attempts import PLAN, AttemptRecord
from mbplugin_contact.geometry.grid import Grid, grid_arrays
from mbplugin_contact.geometry.hulls import corners_of_box, hull_tables, polyhedron
from mbplugin_contact.geometry.tables import FIRST_HULL, HullRecord, Hulls
from mbplugin_contact.outlines import OutlineRecord, outline_tables
from mbplugin_contact.sizes import bounding_radius, rounding, thickness
from mbplugin_contact.triangles.read import has_surface, surface_of_shape
from mbplugin_contact.triangles.tabled import triangle_tables
from mbplugin_contact.triangles.tables import SURFACE_POINTS, TWO_SURFACES, SurfaceRecord, Triangles


class ContactRecord(NamedTuple):
    """Keys of the solver, and counts of the present step."""

    surfaces: int  # how many
    goal: float  # residual of the law at which a step ends [m/s]
    sliding_threshold: float  # speed below which sliding is left out at first [m/s]
    thinnest: float  # smallest thickness of a shape [m]
    min_margin: float  # smallest margin [m]
    size: float  # the smallest radius of a shape [m]; 1 if there is none
    zero_gap: float  # gaps below this count as closed [m]
    loaded_gap_tolerance: float  # gap that a contact which has been loaded need not close [m]
    slop: float  # overlap that is left [m]
    impact: float  # approach below which there is no restitution [m/s]
    sweeps: int  # at most, before the matrix is used
    only_sweeps: int  # 1: exactly `sweeps` of them in each step, and no matrix
    cones: int  # 1: all laws are those of cones
    convex: int  # 1: all laws are those of convex sets
    belts: int  # 1: a surface moves on its body
    remembers: int  # 1: a law has memory
    law_of_moments: int  # its number; −1: there is no rolling or spinning friction
    planar: int  # place of the part that finds points of outlines; 0: no planar body collides
    plane_x: float  # normal of the plane of planar bodies
    plane_y: float
    plane_z: float
    coupled: int  # 1: bodies are held by joints, so that sweeps alone do not solve
    sequential: int  # 1: only bodies that approach strike each other in a phase
    examinations_left: int  # further steps that are examined for a solution
    margin: float = 0.0  # gap up to which a contact is made in this step [m]
    turning: float = 0.0  # largest angular velocity of a shape in this step [rad/s]
    polished: int = 0  # 1: the last step was solved with the matrix, to the residual of a polish
    cost: float = 0.0  # of a factorization of the island, in sweeps, as the pattern predicts
    matrix_too_costly: int = 0  # 1: factors would need too much room, the matrix is left out
    momentum: float = 0.0  # size of the momenta of the step, √(vᵀ M v) [√J]
    residual: float = 0.0  # reached in the last step [m/s]
    swept: int = 0  # sweeps in the last step
    factored: int = 0  # factorizations in the last step
    impacts: int = 0  # contacts that were approached faster than `impact` and hit
    missed: int = 0  # 1: the residual of the last step is above the goal
    exact: int = 0  # 1: the map of Coulomb's law, 0: the projection onto its cone, 2: none, D is there
    penalty: float = 0.0  # σ
    target: float = 0.0  # residual at which the present attempt ends [m/s]
    costly: int = 0  # 1: contacts of the island slide, and a factorization is costly
    reached: float = 0.0  # residual of the best impulses so far [m/s]
    points: int = 0  # between the two shapes that were looked at last
    acting: int = 0  # contacts that do not wait
    ahead: float = 0.0  # time ahead at which shapes are placed [s]
    asked: int = 0  # what a kind is asked (pairs.py)
    along_x: float = 0.0  # the direction for which it is asked
    along_y: float = 0.0
    along_z: float = 0.0
    point_x: float = 0.0  # its answer: a point [m], or a normal
    point_y: float = 0.0
    point_z: float = 0.0
    name: int = 0  # of that point; of a face the number of corners
    status: int = 0  # of the last kind that was asked in vain
    reclassified: int = 0  # contacts taken to pass by that meet, or act, at the velocities that were found
    passing_count: int = 0  # contacts whose bodies pass by
    rebounding: int = 0  # contacts that rebound
    before_impacts: int = 0  # 1: a frame inside a step is computed, before its impacts
    phases: int = 0  # in which the step was solved for; 0: all at once
    hits: int = 0  # of all phases
    unended: int = 0  # 1: impacts went on after the last phase
    relative: float = 0.0  # largest relative residual of all phases
    scaled: int = 0  # 1: restitution was scaled in this step
    swept_only: int = 0  # `Totals.swept_only` before this step
    largest: float = 0.0  # residual of a law at `Contacts.u` [m/s]
    examined_at: float = -1.0  # start of the last step that seemed to have no solution [s]
    refused: int = -1  # pair of shapes for which the run ends: overlap, or too fast for parts of a step
    refused_overlap: float = 0.0  # of that pair, relative to its thickness; 0: it is too fast


class Totals(NamedTuple):
    """Sums and extremes over all steps so far."""

    softened: int = 0  # steps in which restitution was scaled, or left out
    softened_energy: float = 0.0  # that impacts took in them [J]
    lifted: float = 0.0  # energy that the removal of overlap has added [J]
    unended: int = 0  # steps whose impacts went on after all phases
    unended_time: float = 0.0  # of the first one [s]
    unended_pair: int = 0  # its pair of shapes
    swept_only: int = 0  # steps without a matrix, since it would have cost more than sweeps
    longest_move: float = 0.0  # in a step, in smallest radii
    longest_move_time: float = 0.0  # [s]
    longest_move_body: int = 0
    deepest: float = 0.0  # largest overlap over the thickness of its pair
    deepest_overlap: float = 0.0  # [m]
    deepest_time: float = 0.0  # [s]
    deepest_pair: int = 0  # of shapes
    worst: float = 0.0  # largest residual [m/s]
    worst_time: float = 0.0  # end of its step [s]
    worst_pair: int = -1  # of shapes that had it above the goal; −1: none
    identities: int = 0  # of contacts, given so far
    stepped: int = 0  # 1: a step has been made
    broken: int = 0  # bonds that have broken
    broken_energy: float = 0.0  # that contacts took in the steps in which their bonds broke [J]
    broken_time: float = 0.0  # end of the step of the first one [s]
    broken_pair: int = 0  # its pair of shapes


class LastContact(NamedTuple):
    """A contact of the last step."""

    key: int
    feature: int
    identity: int
    status: int
    stays: int  # 1: it was loaded, or has been since its bodies approached each other
    choice: int
    turns: int  # TOUCHES, ROLLS or SPINS of `rolling.py`
    initial_overlap: float
    normal_rate: float  # relative velocity along the normal at the end of that step [m/s]
    memory_0: float = 0.0  # of its law, at the end of that step
    memory_1: float = 0.0
    memory_2: float = 0.0
    x: float = 0.0  # its place in the frame of the first shape, where its law has memory [m]
    y: float = 0.0
    z: float = 0.0


class LawRecord(NamedTuple):
    """Numbers of the law of a contact."""

    first: float  # in this step, behind the coefficient of friction
    second: float
    third: float
    memory_0: float  # at the start of the step; above 0: the contact is bonded
    memory_1: float
    memory_2: float
    broke: int  # 1: its bond breaks in this step; −1: the contact is new


class BoundRecord(NamedTuple):
    """A bounded row in the present step: `bounds.py`."""

    holds_from: float  # least impulse with which it holds
    holds_to: float  # and largest
    lower: float  # impulse at its lower bound
    upper: float  # and at its upper bound
    scale: float  # 1 / √(G M⁻¹ Gᵀ)
    rebound: float  # rate of its rebound; 0: it has none
    impulse: float  # in the step
    struck: int  # 1: that was a blow
    start_rate: float  # Φ̇ at the start
    rests: int  # 1: it rests there
    factor: float  # of its bounds: the step, or an impulse on a bearing
    found: float  # impulse on its bearing in the present solution
    last_factor: float  # the factor before
    last_found: float  # and the impulse on the bearing that it has led to
    later_phase: int  # 1: the step is in a phase after its first one
    rate_before: float  # G v before that phase
    full_impulse: float  # impulse with all of its rebound
    full_mean_rate: float  # mean rate with all of its rebound
    full_rebound: float  # all of its rebound
    approached: int  # 1: a limit that is approached, and would be passed in the step
    last_compliance: float  # of the slip of two rows that share a cone
    last_miss: float  # by how much that missed the cone
    too_small: float  # largest compliance known to be too small; −1: none
    too_large: float  # smallest compliance known to be too large; 0: none


class GroupRecord(NamedTuple):
    """Bodies that joints and contacts connect, at the number of the first one. `group_bodies` clears it."""

    struck: int  # 1: an impact strikes one of the bodies
    work: float  # of the contacts in the step [J]
    rounding: float  # of that work [J]
    restitution: float  # part s of the restitution that is left
    work_without: float  # without restitution, s = 0 [J]
    work_mixed: float  # of impulses of s = 0 with velocities of s = 1 and the reverse [J]
    missed: int  # 1: a residual is far above the goal
    exchanged: float  # work of blows [J]
    taken: float  # the part of it that contacts take [J]
    yields: int  # 1: a row yields, or a body deforms
    bodies: int  # how many
    pairs: int  # of bodies that are held
    grounded: int  # 1: the ground is in one of the pairs
    driven: int  # 1: a motion has a speed
    energy: float  # change of the kinetic energy of the body with this number [J]
    contradicts: int  # 1: rows contradict each other
    deepest: float  # smallest gap [m]
    worst: float  # smallest gap that the removal of overlap leaves [m]
    movement: float  # part of the movement that is made
    first: int  # place of its first contact in a list of contacts by groups
    contacts: int  # how many it has there


class PathRecord(NamedTuple):
    """A contact on the path inside the cones: `interior.py`."""

    friction: float  # μ of its cone
    offset: float  # c of its cone
    psi: float  # ψ
    psi_step: float  # its step
    E_11: float  # E of `eliminated`
    E_12: float
    E_21: float
    E_22: float
    along_1: float  # −D_TN / D_NN of `eliminated`
    along_2: float


class OverlapRecord(NamedTuple):
    """A contact whose overlap is removed: `correction.py`, `deep_overlap.py`."""

    gap: float  # beyond the slop, at the end of the step [m]
    impulse: float  # r of the movement
    scale: float  # 1 / √W_kk
    x: float  # r √W_kk
    first: float  # x at first
    gradient: float  # A x − b
    direction: float  # p
    image: float  # A p


class RuleRecord(NamedTuple):
    """Friction, restitution and law of two surfaces: a material, or a `[[contact]]`."""

    friction: float  # kinetic
    friction_static: float
    restitution: float
    contact_law: int  # its number, 0: Coulomb's
    apart: int  # 1: they pass through each other
    rolling: float  # lever of rolling friction [m]
    spinning: float  # lever of spinning friction [m]
    number_0: float  # of the law's own
    number_1: float
    number_2: float
    number_3: float


#: what an array has one entry for; the first five grow, in the order of `request_capacity`
CONTACT, LAST, NEAR_PAIR, TOUCHED_PAIR, POINT = range(5)
VELOCITY, RATE, ROW, BODY, BOUND, BLOCK, ONE = range(5, 12)
OfContact = Annotated[Array, Spec("float64", 0), CONTACT]
OfContact3 = Annotated[Array, Spec("float64", 3), CONTACT]
OfContact9 = Annotated[Array, Spec("float64", 9), CONTACT]
OfContactInt = Annotated[Array, Spec("int64", 0), CONTACT]
OfLast3 = Annotated[Array, Spec("float64", 3), LAST]
OfVelocity = Annotated[Array, Spec("float64", 0), VELOCITY]
OfRow = Annotated[Array, Spec("float64", 0), ROW]
OneInt = Annotated[Array, Spec("int64", 0), ONE]
One = Annotated[Array, Spec("float64", 0), ONE]


def spec_of(record: Any) -> Spec:
    """The specification of an array of these records."""
    return Spec(records(record, []).dtype, 0)


@solver_tables
class Contacts(NamedTuple):
    """Vectors of the step (nv,), and numbers of every contact."""

    record: Records[ContactRecord]  # (1,)
    attempts: Records[AttemptRecord]  # in the order in which they are made
    dq: OfVelocity  # increment of the coordinates over half a step
    v_free: OfVelocity  # velocities without impulses of contacts
    v_begin: OfVelocity  # those at the first of several phases
    v_phase: OfVelocity  # velocities at which the present phase begins
    v_dot_mean: OfVelocity  # mean accelerations of the present solution
    kept_velocity: Annotated[Array, Spec("float64", 3), VELOCITY]  # BEST, POINT, BEFORE of `best.py`
    F: OfVelocity  # residual of the balance of momentum [N·s]
    step: OfVelocity  # Newton's step
    trial: OfVelocity  # velocities before the line search
    work: OfVelocity
    v_dot: OfVelocity  # accelerations at the start
    v_dot_middle: OfVelocity  # those that lead to the velocity at which forces are taken
    x_dot: Annotated[Array, Spec("float64", 0), RATE]  # rates at the start
    lam: OfRow  # mean multipliers of the step [N, N·m]
    joint_impulse: OfRow  # of joints beside h λ, over the step
    kept_joint_impulse: Annotated[Array, Spec("float64", 3), ROW]  # BEST, POINT, BEFORE of `best.py`
    joint_impulse_trial: OfRow  # before the line search
    joint_impulse_step: OfRow  # Newton's step of `joint_impulse`
    phase_joint_impulse: OfRow  # of all phases
    joint_residual: OfRow  # Ĝ v − ĝ, scaled rows
    g: OfRow  # G v that the joints ask for, of compliant rows G v + c Λ
    # 1 / √(G M⁻¹ Gᵀ + c) of the rows that the step solves for: those of S, compliant ones, and bounded ones
    # that hold in the solution; 0 of others
    row_scale: OfRow
    row_compliance: OfRow  # c of compliant rows; 0: the row is rigid
    row_slope: OfRow  # ∂load/∂Φ of compliant rows
    row_slope_dot: OfRow  # ∂load/∂Φ̇
    jump: OfVelocity  # ½ (v₁ − v₀) of trees that are struck
    jump_force: OfVelocity  # what that adds to their forces
    jump_other: OfVelocity  # work array
    carried: OfRow  # mean force of each row in the step [N, N·m]
    row_load: OfRow  # of compliant rows, that v̇ is freed of [N, N·m]
    row_damping: OfRow  # D
    bounds: Annotated[Array, spec_of(BoundRecord), BOUND]
    # lists in which those of an island stand together
    order: OfContactInt
    velocities: Annotated[Array, Spec("int64", 0), VELOCITY]
    bodies: Annotated[Array, Spec("int64", 0), BODY]
    joints: Annotated[Array, Spec("int64", 0), BLOCK]
    rows: Annotated[Array, Spec("int64", 0), ROW]
    first: Ints  # (6,) where the present island begins in these lists, and in the panels of the matrix
    end: Ints  # (6,) and ends
    # contacts
    W: OfContact9  # G M⁻¹ Gᵀ of each
    D: OfContact9  # slope of the law
    bias: OfContact3  # u = G v + bias obeys the law
    u: OfContact3  # relative velocity that obeys the law, as last computed
    kept_impulse: OfContact9  # three impulses: BEST, POINT, BEFORE of `best.py`
    rho: OfContact  # 3 / trace(W)
    status: OfContactInt  # OPEN, STICK or SLIP
    matrix_status: OfContactInt  # status in the matrix
    rule: OfContactInt  # place in `rules`
    bounded_by: OfContactInt  # contact whose normal impulse bounds its moments; −1: it is a contact
    turns: OfContactInt  # TOUCHES, ROLLS or SPINS of `rolling.py`
    contact_law: OfContactInt  # number of its law, 0: Coulomb's
    of_law: Annotated[Array, spec_of(LawRecord), CONTACT]
    mapped: OfContact3  # S(r − ρ u), as last computed
    contact_residual: OfContact  # residual of its law [m/s], as last computed
    key: OfContactInt  # pair of shapes
    initial_overlap: OfContact  # that it had when it began to act [m]
    passing_by: OfContactInt  # 0: its shapes meet; 1: they pass each other by, more: and it has acted
    feature: OfContactInt  # which features of them touch
    pair: Annotated[Array, Spec("int64", 2), CONTACT]  # bodies that the matrix couples
    pairs: OneInt  # how many; −1: the matrix has no pattern
    identity: OfContactInt  # number of the contact, the same while its features are near; 0: not given yet
    fresh: OfContactInt  # 1: not loaded in the last step
    reference: OfContact3  # impulse of the last step without a blow, near which one is chosen: `nearest.py`
    choice: OfContactInt  # UNIQUE, LEFT or IN_VAIN of `nearest.py`
    belt: OfContact3  # part of u by surfaces that move on their bodies, at the end of the step [m/s]
    belt_before: OfContact3  # and at its start
    before: OfContact3  # u at the start of the step [m/s]
    after: OfContact3  # u at its end; of a step that is being solved for: Newton's step of the impulses
    holds_mean: OfContactInt  # 1: its mean velocity is held
    stays: OfContactInt  # 1: it was loaded in the last step, or has been since its bodies approached
    held_rate: OfContact3  # that which a contact that stays takes off its own at the end: `holds.py`
    rebound: OfContactInt  # 1: its bias is that of a rebound
    waiting: OfContactInt  # 1: it does not act in this phase of the step
    phase_impulse: OfContact3  # impulse of all phases
    phase_status: OfContactInt  # in the last phase in which it was loaded
    phase_residual: OfContact  # the largest of all phases [m/s]
    full_impulse: OfContact3  # with all of the restitution
    full_mean: OfContact3  # mean relative velocity with all of the restitution [m/s]
    full_rebound: OfContact  # e u₀ of contacts that rebound [m/s]
    path: Annotated[Array, spec_of(PathRecord), CONTACT]
    slack: OfContact3  # s of `interior.py`
    slack_step: OfContact3  # its step
    impulse_step: OfContact3  # step of r there
    overlap: Annotated[Array, spec_of(OverlapRecord), CONTACT]
    group: Annotated[Array, Spec("int64", 0), BODY]  # of each body: `groups.py`
    # of each body: 1: a tree of links, 2: one that the ground carries
    tree: Annotated[Array, Spec("int64", 0), BODY]
    groups: Records[GroupRecord]  # of each body, and one of zeros
    # stored in frames
    penetration: One  # deepest overlap in the middle of the step, without `initial_overlap` [m]
    residual: One  # reached in the last step [m/s]
    relative_residual: One  # that of the natural map with ρ = 1, over the largest of |q|, |r|, |u|
    sweeps: OneInt  # in the last step
    factorizations: OneInt
    # sums over all steps so far
    friction_loss: One  # energy that friction has taken [J]
    impact_loss: One  # and impacts
    impacts: OneInt  # contacts that were approached faster than `ContactRecord.impact` and hit
    missed: OneInt  # steps above the goal
    totals: Records[Totals]  # (1,)
    # contacts of the last step
    last_joint_impulse: OfRow
    last_polished: OneInt  # `ContactRecord.polished`
    last_count: OneInt  # how many
    last: Annotated[Array, spec_of(LastContact), LAST]
    last_impulse: OfLast3  # their impulses [N·s], world axes
    last_reference: OfLast3  # those of the last steps without blows [N·s], world axes
    last_rate: OfLast3  # their tangential velocities at the end of that step [m/s], world axes
    last_change: OfLast3  # change of these in that step
    # pairs of shapes that have touched so far, sorted
    sum_count: OneInt  # how many
    sum_key: Annotated[Array, Spec("int64", 0), TOUCHED_PAIR]
    sum_impulse: Annotated[Array, Spec("float64", 3), TOUCHED_PAIR]  # on the second shape [N·s], world axes
    # shapes
    surface: Ints  # of each; −1: it does not collide
    hull: Ints  # of each: its polyhedron; then those of shapes that stretch, mapped
    part: Ints  # of two types: place of their function in `ContactSolver.parts`; −1: none
    answers: Ints  # of each type: place of the part by which its kind answers; −1: it has no support function
    radius: Floats  # of each: of a sphere about it [m]; infinite for a half-space
    own_radius: Floats  # of each: before its body stretches [m]
    stretching: Floats  # of each: speed at which stretch moves its points, at most; 0: it is rigid [m/s]
    thickness: Floats  # of each: smallest width [m]; infinite for a half-space
    spin_counts: (
        Ints  # of each; 0: a ball about the mass centre of a body without joints, 1: a ball, 2: other
    )
    rounding: Floats  # of each: radius of the ball about every point of its support function [m]
    rules: Records[RuleRecord]  # of each two surfaces, row by row
    joined: Ints  # pairs of bodies that a joint connects: (a + 1) (bodies + 1) + b + 1, sorted
    outline: Records[OutlineRecord]  # of each shape: in the plane of planar bodies
    # polyhedra, and the points of one pair
    hull_index: Records[HullRecord]
    hull_vertex: Floats3  # then the corners of outlines
    hull_normal: Floats3
    hull_list: Ints
    hull_work: Floats3
    hull_work_ints: Ints
    point_a: Annotated[Array, Spec("float64", 3), POINT]
    point_b: Annotated[Array, Spec("float64", 3), POINT]
    point_normal: Annotated[Array, Spec("float64", 3), POINT]
    point_gap: Annotated[Array, Spec("float64", 0), POINT]
    point_feature: Annotated[Array, Spec("int64", 0), POINT]
    point_next: Annotated[Array, Spec("int64", 0), POINT]  # of two surfaces: `Two.next`
    # surfaces of triangles
    triangles: Ints  # of each shape: its surface; −1: it has none
    followed: Floats  # of faces of bodies that deform: `ahead` where their surface is
    triangle_index: Records[SurfaceRecord]
    triangle_vertex: Floats3
    triangle_corner: Ints
    triangle_normal: Floats3
    triangle_plane: Ints
    triangle_both_sides: Ints
    triangle_across: Ints
    triangle_edge: Ints
    triangle_corner_first: Ints
    triangle_corner_list: Ints
    triangle_order: Ints
    triangle_low: Floats3
    triangle_high: Floats3
    triangle_work: Floats3
    triangle_work_ints: Ints
    triangle_home: Ints
    triangle_chain: Ints
    # pairs of shapes whose boxes overlap
    grid_low: Floats3
    grid_high: Floats3
    grid_rank: Ints
    grid_body: Ints
    grid_pair: Annotated[Array, Spec("int64", 0), NEAR_PAIR]
    grid_used: Ints
    grid_found: Annotated[Array, Spec("int64", 0), NEAR_PAIR]
    grid_cell: Ints
    grid_order: Ints
    grid_start: Ints
    grid_sorted_low: Floats3
    grid_sorted_high: Floats3


@inlined
def hulls_of(contacts):
    return Hulls(
        contacts.hull_index,
        contacts.hull_vertex,
        contacts.hull_normal,
        contacts.hull_list,
        contacts.hull_work,
        contacts.hull_work_ints,
    )


@inlined
def points_of(contacts):
    return ContactPoints(
        contacts.point_a, contacts.point_b, contacts.point_normal, contacts.point_gap, contacts.point_feature
    )


@inlined
def triangles_of(contacts):
    return Triangles(
        contacts.triangle_index,
        contacts.triangle_vertex,
        contacts.triangle_corner,
        contacts.triangle_normal,
        contacts.triangle_plane,
        contacts.triangle_both_sides,
        contacts.triangle_across,
        contacts.triangle_edge,
        contacts.triangle_corner_first,
        contacts.triangle_corner_list,
        contacts.triangle_order,
        contacts.triangle_low,
        contacts.triangle_high,
        contacts.triangle_work,
        contacts.triangle_work_ints,
        contacts.triangle_home,
        contacts.triangle_chain,
    )


@inlined
def grid_of(contacts):
    return Grid(
        contacts.grid_low,
        contacts.grid_high,
        contacts.grid_rank,
        contacts.grid_body,
        contacts.grid_pair,
        contacts.grid_used,
        contacts.grid_found,
        contacts.grid_cell,
        contacts.grid_order,
        contacts.grid_start,
        contacts.grid_sorted_low,
        contacts.grid_sorted_high,
    )


#: what an array of the group has one entry for
ENTRY_OF = {
    name: hint.__metadata__[1]
    for name, hint in get_type_hints(Contacts, include_extras=True).items()
    if len(getattr(hint, "__metadata__", ())) > 1
}
#: sets of arrays that grow together
SETS = tuple(
    tuple(name for name in ENTRY_OF if ENTRY_OF[name] == entry)
    for entry in (CONTACT, LAST, NEAR_PAIR, TOUCHED_PAIR, POINT)
)
#: arrays that belong to the state: contacts of the last step, and sums over all steps
STATEFUL = tuple(
    name
    for name in Contacts._fields
    if name.startswith(("last", "sum_"))
    or name in ("friction_loss", "impact_loss", "impacts", "missed", "totals")
)


def zero_arrays(problem: Any, record: ContactRecord, places: int, part: Any, answers: Any) -> Contacts:
    """The arrays of a problem, with places for so many contacts. part, answers: those of `Contacts`."""
    bodies = len(problem[Bodies].index)
    length = dict.fromkeys((CONTACT, LAST, TOUCHED_PAIR), places) | {
        VELOCITY: problem.nv,
        RATE: problem.na,
        ROW: problem.nc,
        BODY: bodies,
        BOUND: len(problem[Bounded].index),
        BLOCK: len(problem[Blocks].index),
        ONE: 1,
    }
    arrays = shape_arrays(problem) | {
        "part": part,
        "answers": answers,
        "record": records(ContactRecord, [record]),
        "attempts": records(AttemptRecord, PLAN),
        "totals": records(Totals, [Totals()]),
        "tree": trees_of(problem),
        "groups": np.zeros(bodies + 1, specs(Contacts)["groups"].dtype),
        "first": np.zeros(6, np.int64),
        "end": np.zeros(6, np.int64),
    }
    for name, spec in specs(Contacts).items():
        if name not in arrays:
            columns = (spec.columns,) if spec.columns else ()
            zeros = np.zeros((length[ENTRY_OF[name]], *columns), spec.dtype)
            arrays[name] = zeros.view(np.recarray) if np.dtype(spec.dtype).names else zeros
    arrays["pairs"][:] = -1
    return Contacts(**arrays)


def trees_of(problem: Any) -> Array:
    """`Contacts.tree`."""
    bodies = problem[Bodies].index
    kinds = np.where((bodies.tree >= 0) & (bodies.nv > 0), 1, 0)
    if problem.folded is not None:
        carried = np.array([links[0].joint >= 0 for links in problem.folded.trees], bool)
        kinds[kinds == 1] += carried[bodies.tree[kinds == 1]]
    return kinds


def shape_arrays(problem: Any) -> dict[str, Any]:
    """Arrays of shapes, surfaces and polyhedra."""
    collisions, shapes = problem.names.collisions, problem.names.shapes
    numbers, hulls = hulls_of_shapes(shapes)
    outlines, corners = outline_tables(shapes, collisions.surface, len(hulls.vertex))
    radius = np.array([bounding_radius(shape) for shape in shapes])
    surfaces, triangles = surfaces_of_shapes(shapes)
    points = empty_points((MAX_POINTS, SURFACE_POINTS, TWO_SURFACES)[min((surfaces >= 0).sum(), 2)])
    grid = grid_arrays(len(shapes), 2 * len(shapes))
    n = len(problem[Bodies].index) + 1
    return {
        "surface": collisions.surface,
        "hull": numbers,
        "radius": radius,
        "own_radius": radius.copy(),
        "stretching": np.zeros(len(shapes)),
        "thickness": np.array([thickness(shape) for shape in shapes]),
        "spin_counts": np.array([spin_counts(problem, k) for k in range(len(shapes))], np.int64),
        "rounding": np.array([rounding(shape) for shape in shapes]),
        "rules": records(RuleRecord, rules_of(collisions)),
        "joined": np.sort((collisions.joined + 1) @ np.array([n, 1], np.int64)),
        "outline": records(OutlineRecord, outlines),
        **{f"hull_{name}": value for name, value in hulls._asdict().items()},
        "triangles": surfaces,
        "followed": np.zeros(len(shapes)),
        **{f"triangle_{name}": value for name, value in triangles._asdict().items()},
        "hull_vertex": np.vstack([hulls.vertex, corners]),
        **{f"grid_{name}": value for name, value in grid._asdict().items()},
        **dict(zip(("point_a", "point_b", "point_normal", "point_gap", "point_feature"), points)),
        "point_next": np.zeros(len(points.gap), np.int64),
    }


def spin_counts(problem: Any, k: int) -> int:
    """`Contacts.spin_counts` of shape k."""
    shape, body = problem.names.shapes[k], int(problem[Shapes].index[k].body)
    if shape.stretched or not rounding(shape) >= bounding_radius(shape):
        return 2
    # a link, or another part of a body
    in_tree = body >= 0 and problem[Bodies].index[body].whole != body
    jointed = in_tree or (problem[Blocks].member.body == body).any()
    return 1 if jointed or np.abs(problem[Shapes].arm[k]).max() > 0.0 else 0


def hulls_of_shapes(shapes: Any) -> tuple[Any, Any]:
    """`Contacts.hull` and the tables of polyhedra: of convex shapes, and of boxes that stretch with their
    body; of those that stretch a second one each, which is mapped.
    """
    owned = [(k, shape.points) for k, shape in enumerate(shapes) if shape.contact_type == "convex"]
    stretched = {k for k, shape in enumerate(shapes) if shape.stretched}
    owned += [(k, corners_of_box(shapes[k].size)) for k in sorted(stretched) if shapes[k].type == "box"]
    n, bodies = len(shapes), [polyhedron(points) for _, points in owned]
    numbers = np.zeros(2 * n if stretched else n, np.int64)
    for place, (k, _) in enumerate(owned):
        numbers[k] = FIRST_HULL + place
        if k in stretched:
            numbers[n + k] = FIRST_HULL + len(bodies)
            bodies.append(bodies[place])
    return numbers, hull_tables(bodies)


def surfaces_of_shapes(shapes: Any) -> tuple[Any, Triangles]:
    """`Contacts.triangles` and the tables of surfaces; shapes of one file share one. Raises SceneError."""
    numbers = np.full(len(shapes), -1)
    found: dict[int, tuple[int, Any]] = {}
    for k, shape in enumerate(shapes):
        if has_surface(shape):
            surface = surface_of_shape(shape)
            numbers[k] = found.setdefault(id(surface), (len(found), surface))[0]
    return numbers, triangle_tables([surface for _, surface in found.values()])


def rules_of(collisions: Any) -> list[RuleRecord]:
    """Records of each two surfaces, row by row."""
    columns = (
        collisions.friction,
        collisions.static,
        collisions.restitution,
        collisions.law,
        collisions.pass_through,
        collisions.rolling,
        collisions.spinning,
    )
    numbers = collisions.law_numbers.reshape(-1, 4)
    return [
        RuleRecord(*(column.ravel()[k].item() for column in columns), *map(float, numbers[k]))
        for k in range(len(numbers))
    ]
