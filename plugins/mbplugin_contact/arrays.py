"""Arrays of the solver `contact`."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from mbplugin.interface import Array, ContactPoints, empty_points, inlined
from mbplugin.stepping import Blocks, Bodies
from mbplugin.stepping.arrays import (
    Floats,
    Floats3,
    Floats9,
    Ints,
    Ints2,
    Records,
    Spec,
    records,
    solver_tables,
    specs,
)
from mbplugin.stepping.bounded_rows import Bounded
from mbplugin.stepping.shapes import Shapes
from mbplugin_contact.geometry.grid import Grid, grid_arrays
from mbplugin_contact.geometry.hulls import corners_of_box, hull_tables, polyhedron
from mbplugin_contact.geometry.tables import FIRST_HULL, HullRecord, Hulls
from mbplugin_contact.sizes import bounding_radius, rounding, thickness

#: samples of the drift of sweeps, from which it is extrapolated
SAMPLES = 6
#: columns of a method of the solve for each contact: see `drift.py` and `interior.py`
Scratch = Annotated[Array, Spec("float64", 19)]
#: columns of `impacts.py`: of a contact, of a group of bodies
Blows = Annotated[Array, Spec("float64", 7)]
#: columns of `bounds.py`
Bounds = Annotated[Array, Spec("float64", 23)]
Sums = Annotated[Array, Spec("float64", 6)]


class ContactRecord(NamedTuple):
    """Keys of the solver, and counts of the present step."""

    surfaces: int  # how many
    goal: float  # residual of the law at which a step ends [m/s]
    sliding_threshold: float  # speed below which sliding is left out at first [m/s]
    margin: float  # gap up to which a contact is made in this step [m]
    turning: float  # largest angular velocity of a shape in this step [rad/s]
    thinnest: float  # smallest thickness of a shape [m]
    min_margin: float  # smallest margin [m]
    size: float  # the smallest radius of a shape [m]; 1 if there is none
    zero_gap: float  # gap that counts as none [m]
    loaded_gap_tolerance: float  # gap that a contact which has been loaded need not close [m]
    slop: float  # overlap that is left [m]
    impact: float  # approach below which there is no restitution [m/s]
    sweeps: int  # at most, before the matrix is used
    only_sweeps: int  # 1: exactly `sweeps` of them in each step, and no matrix
    polished: int  # 1: the last step was solved with the matrix, to the residual of a polish
    max_factorizations: int  # factorizations, at most
    cost: float  # of a factorization of the island, in sweeps, as the pattern predicts
    matrix_too_costly: int  # 1: factors would need too much room, the matrix is left out
    momentum: float  # size of the momenta of the step, √(vᵀ M v) [√J]
    residual: float  # reached in the last step [m/s]
    swept: int  # sweeps in the last step
    factored: int  # factorizations in the last step
    impacts: int  # contacts that were approached faster than `impact` and hit
    missed: int  # 1: the residual of the last step is above the goal
    exact: int  # 1: the map of Coulomb's law, 0: the projection onto its cone, 2: none, D is there
    penalty: float  # σ
    smooth: int  # 1: all laws have a smooth map
    cones: int  # 1: all laws are those of cones
    width: float  # ε of the smooth map [m/s]
    target: float  # residual at which passes end [m/s]
    reached: float  # residual of the best pass [m/s]
    max_iterations: int  # passes, at most
    points: int  # between the two shapes that were looked at last
    acting: int  # contacts that do not wait
    belts: int  # 1: a surface moves on its body
    coupled: int  # 1: bodies are held by joints, so that sweeps alone do not solve
    ahead: float  # time ahead at which shapes are placed [s]
    along_x: float  # direction in which the extent of a shape is asked for
    along_y: float
    along_z: float
    extent: float  # of that shape [m]
    reclassified: (
        int  # contacts that were taken to pass by, and meet, or act, at the velocities that were found
    )
    passing_count: int  # contacts whose bodies pass by
    rebounding: int  # contacts that rebound
    before_impacts: int  # 1: a frame inside a step is computed, before its impacts
    sequential: int  # 1: only bodies that approach strike each other in a phase
    phases: int  # in which the step was solved for; 0: all at once
    hits: int  # of all phases
    unended: int  # 1: impacts went on after the last phase
    relative: float  # largest relative residual of all phases
    scaled: int  # 1: restitution was scaled in this step
    swept_only: int  # `Contacts.swept_only` before this step
    convex: int  # 1: all laws are those of convex sets
    largest: float  # residual of a law at `Contacts.u` [m/s]
    examined_at: float  # start of the last step that seemed to have no solution [s]
    examinations_left: int  # further such steps that are examined
    refused: int  # pair of shapes for which the run ends: overlap, or too fast for parts of a step; −1: none
    refused_overlap: float  # of that pair, relative to its thickness; 0: it is too fast


class RuleRecord(NamedTuple):
    """How two surfaces touch: a material or a `[[contact]]`."""

    friction: float  # kinetic
    friction_static: float
    restitution: float
    contact_law: int  # its number, 0: Coulomb's
    apart: int  # 1: they pass through each other
    number_0: float  # of the law's own
    number_1: float
    number_2: float
    number_3: float


@solver_tables
class Contacts(NamedTuple):
    """Vectors of the step (nv,), and numbers of every contact."""

    record: Records[ContactRecord]  # (1,)
    dq: Floats  # increment of the coordinates over half a step
    v_free: Floats  # velocities without impulses of contacts
    v_begin: Floats  # those at the first of several phases
    kept_velocity: Floats3  # columns: BEST, POINT, BEFORE of `best.py`
    F: Floats  # residual of the balance of momentum [N·s]
    step: Floats  # Newton's step
    trial: Floats  # velocities before the line search
    work: Floats
    v_dot: Floats  # accelerations at the start
    v_dot_middle: Floats  # those that lead to the velocity at which forces are taken
    x_dot: Floats  # (na,) rates at the start
    lam: Floats  # (nc,) mean multipliers of the step [N, N·m]
    impulse: Floats  # (nc,) of joints beside h λ, over the step
    kept_joint_impulse: Floats3  # (nc, 3)
    impulse_trial: Floats  # (nc,)
    phase_joint_impulse: Floats  # (nc,) of all phases
    impulse_step: Floats  # (nc,) Newton's step of `impulse`
    joint_residual: Floats  # (nc,) Ĝ v − ĝ, scaled rows
    g: Floats  # (nc,) G v that the joints ask for, of compliant rows G v + c Λ
    row_scale: Floats  # (nc,) 1 / √(G M⁻¹ Gᵀ + c); 0: the row is not solved for
    row_compliance: Floats  # (nc,) c of compliant rows; 0: the row is rigid
    row_slope: Floats  # (nc,) ∂load/∂Φ of compliant rows
    row_slope_dot: Floats  # (nc,) ∂load/∂Φ̇
    row_load: Floats  # (nc,) of compliant rows, that v̇ is freed of [N, N·m]
    row_damping: Floats  # (nc,) D
    bounds: Bounds  # of each bounded row: `bounds.py`
    # lists in which those of an island stand together
    order: Ints
    velocities: Ints  # (nv,)
    bodies: Ints
    joints: Ints  # blocks of rows
    rows: Ints  # (nc,)
    first: Ints  # (6,) where the present island begins in these lists, and in the panels of the matrix
    end: Ints  # (6,) and ends
    # contacts
    W: Floats9  # G M⁻¹ Gᵀ of each
    D: Floats9  # slope of the law
    bias: Floats3  # u = G v + bias obeys the law
    u: Floats3  # relative velocity that obeys the law, as last computed
    kept_impulse: Floats9  # three impulses: BEST, POINT, BEFORE of `best.py`
    rho: Floats  # 3 / trace(W)
    status: Ints  # OPEN, STICK or SLIP
    matrix_status: Ints  # status in the matrix
    rule: Ints  # place in `rules`
    contact_law: Ints  # number of its law, 0: Coulomb's
    law_parameters: Floats3  # numbers of its law in this step, behind the coefficient of friction
    mapped: Floats3  # S(r − ρ u), as last computed
    contact_residual: Floats  # residual of its law [m/s], as last computed
    key: Ints  # pair of shapes
    given: Floats  # overlap that it had when it began to act [m]
    passing_by: Ints  # 0: its shapes meet; 1: they pass each other by, more: and it has acted all the same
    feature: Ints  # which features of them touch
    pair: Ints2  # bodies that the matrix couples
    pairs: Ints  # (1,) how many; −1: the matrix has no pattern
    identity: Ints  # number of the contact, the same while its features are near; 0: not given yet
    fresh: Ints  # 1: not loaded in the last step
    share: Floats3  # impulse of the last step without a blow, near which one is chosen: `nearest.py`
    chosen: Ints  # CHOSEN, LEFT or IN_VAIN of `nearest.py`
    belt: Floats3  # part of u by surfaces that move on their bodies, at the end of the step [m/s]
    belt_before: Floats3  # and at its start
    before: Floats3  # u at the start of the step [m/s]
    holds_mean: Ints  # 1: its mean velocity is held
    stays: Ints  # 1: it was loaded in the last step, or has been since its bodies approached each other
    held_rate: Floats3  # that which a contact that stays takes off its own at the end: `holds.py`
    rebound: Ints  # 1: its bias is that of a rebound
    waiting: Ints  # 1: it does not act in this phase of the step
    phase_impulse: Floats3  # impulse of all phases
    phase_status: Ints  # in the last phase in which it was loaded
    phase_residual: Floats  # the largest of all phases [m/s]
    blow: Blows
    group: Ints  # of each body: `groups.py`
    sums: Sums  # of each group
    scratch: Scratch  # of the method at work
    gram: Floats  # (SAMPLES²,) products of the samples
    weights: Floats  # (SAMPLES,)
    after: Floats3  # u at its end; of a step that is being solved for: Newton's step of the impulses
    # stored in frames
    penetration: Floats  # (1,) deepest overlap in the middle of the step, without `given` [m]
    residual: Floats  # (1,) reached in the last step [m/s]
    relative_residual: Floats  # (1,) that of the natural map with ρ = 1, over the largest of |q|, |r|, |u|
    sweeps: Ints  # (1,) in the last step
    factorizations: Ints  # (1,)
    # sums over all steps so far
    friction_loss: Floats  # (1,) energy that friction has taken [J]
    impact_loss: Floats  # (1,) and impacts
    impacts: Ints  # (1,) contacts that were approached faster than `ContactRecord.impact` and hit
    softened: Floats  # (2,) steps in which restitution was scaled, or left out; what impacts took in them [J]
    lifted: Floats  # (1,) energy that the removal of overlap has added [J]
    missed: Ints  # (1,) steps above the goal
    unended: (
        Floats  # (3,) steps whose impacts went on after all phases; the first one [s], its pair of shapes
    )
    swept_only: Ints  # (1,) steps without a matrix, since it would have cost more than sweeps
    longest_move: Floats  # (3,) the largest movement in a step in smallest radii, its time [s], and the body
    # largest overlap over the thickness of its pair, the overlap [m], its time [s], its pair of shapes
    deepest: Floats  # (4,)
    # the largest residual [m/s], the end of its step [s]; the pair that had it above the goal, or −1
    worst: Floats  # (3,)
    identities: Ints  # (1,) identities so far
    # contacts of the last step
    last_joint_impulse: Floats  # (nc,) of joints
    last_polished: Ints  # (1,) `ContactRecord.polished` of the last step
    last_count: Ints  # (1,) how many
    last_key: Ints
    last_feature: Ints
    last_given: Floats
    last_identity: Ints
    last_impulse: Floats3  # their impulses [N·s], world axes
    last_share: Floats3  # those of the last steps without blows [N·s], world axes
    last_status: Ints  # their statuses
    last_kept: Ints2  # columns: 1: loaded, or it has been since its bodies approached each other; `chosen`
    last_rate: Floats3  # their tangential velocities at the end of that step [m/s], world axes
    last_change: Floats3  # change of these in that step
    last_normal_rate: Floats  # and those along the normal
    # pairs of shapes that have touched so far, sorted
    sum_count: Ints  # (1,) how many
    sum_key: Ints
    sum_impulse: Floats3  # sum over all steps so far, on the second shape [N·s], world axes
    # shapes
    surface: Ints  # of each; −1: it does not collide
    hull: Ints  # of each: its polyhedron; then those of shapes that stretch, mapped
    part: Ints  # of two types: place of their function in `ContactSolver.parts`; −1: none
    reach: Ints  # of each type: place of the function of its extent; −1: none
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
    # polyhedra, and the points of one pair
    hull_index: Records[HullRecord]
    hull_vertex: Floats3
    hull_normal: Floats3
    hull_list: Ints
    hull_work: Floats3
    hull_work_ints: Ints
    point_a: Floats3
    point_b: Floats3
    point_normal: Floats3
    point_gap: Floats
    point_feature: Ints
    # pairs of shapes whose boxes overlap
    grid_low: Floats3
    grid_high: Floats3
    grid_rank: Ints
    grid_body: Ints
    grid_pair: Ints
    grid_used: Ints
    grid_found: Ints
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


#: arrays that belong to the state: contacts of the last step, and sums over all steps
STATEFUL = (
    *("last_count", "last_key", "last_feature", "last_given", "last_identity", "last_impulse", "last_status"),
    *("last_rate", "last_change", "last_normal_rate", "last_kept", "last_share", "last_joint_impulse"),
    "last_polished",
    *("friction_loss", "impact_loss", "impacts", "softened", "lifted", "missed", "swept_only"),
    *("unended", "worst", "identities", "longest_move", "deepest"),
    *("sum_count", "sum_key", "sum_impulse"),
)
#: arrays of one number
SINGLE = (
    *("last_count", "last_polished", "pairs", "residual", "relative_residual", "sweeps", "factorizations"),
    *("friction_loss", "impact_loss", "impacts", "lifted", "missed", "swept_only"),
    *("identities", "sum_count", "penetration"),
)
#: arrays of one number for each row of joints
OF_ROWS = (
    *("lam", "impulse", "last_joint_impulse", "kept_joint_impulse", "impulse_trial", "phase_joint_impulse"),
    *("impulse_step", "joint_residual", "g", "row_scale", "row_compliance"),
    *("row_slope", "row_slope_dot", "row_load", "row_damping"),
)
#: sets of arrays that grow together: with the contacts of a step, with those of the last one, with pairs that
#: are near, with pairs that have touched
SETS = (
    (
        *(
            "W",
            "D",
            "bias",
            "u",
            "kept_impulse",
            "rho",
            "status",
            "matrix_status",
            "rule",
            "key",
            "given",
            "feature",
            "pair",
        ),
        *("contact_law", "law_parameters", "mapped", "contact_residual", "passing_by"),
        *("identity", "fresh", "belt", "belt_before", "before", "after", "rebound", "waiting"),
        *("share", "chosen"),
        *("holds_mean", "stays", "held_rate"),
        *("phase_impulse", "phase_status", "phase_residual", "blow", "order", "scratch"),
    ),
    (
        *("last_key", "last_feature", "last_given", "last_identity", "last_impulse", "last_status"),
        *("last_rate", "last_change", "last_normal_rate", "last_kept", "last_share"),
    ),
    ("grid_pair", "grid_found"),
    ("sum_key", "sum_impulse"),
)


def zero_arrays(problem: Any, record: ContactRecord, places: int, part: Any, reach: Any) -> Contacts:
    """The arrays of a problem, with places for so many contacts. part, reach: those of `Contacts`."""
    nv, na, nc = problem.nv, problem.na, problem.nc
    of_velocities = ("dq", "v_free", "v_begin", "kept_velocity", "v_dot", "v_dot_middle", "F", "step")
    lengths = dict.fromkeys((*of_velocities, "trial", "work"), nv)
    lengths |= {"x_dot": na, **dict.fromkeys(OF_ROWS, nc)}
    lengths |= dict.fromkeys(SINGLE, 1) | {
        "worst": 3,
        "longest_move": 3,
        "deepest": 4,
        "unended": 3,
        "softened": 2,
    }
    lengths |= {"first": 6, "end": 6}
    lengths |= {"velocities": nv, "rows": nc, "gram": SAMPLES**2, "weights": SAMPLES}
    lengths |= dict.fromkeys(("bodies", "group", "sums"), len(problem[Bodies].index))
    lengths |= {"bounds": len(problem[Bounded].index)}
    lengths |= {"joints": len(problem[Blocks].index)}
    lengths |= {name: places for names in SETS for name in names}
    arrays: dict[str, Any] = {}
    given = shape_arrays(problem) | {"part": part, "reach": reach}
    for name, spec in specs(Contacts).items():
        if name != "record" and name not in given:
            shape = (lengths[name], spec.columns) if spec.columns else lengths[name]
            arrays[name] = np.zeros(shape, spec.dtype)
    arrays["pairs"][:] = arrays["worst"][2] = -1
    return Contacts(record=records(ContactRecord, [record]), **arrays, **given)


def shape_arrays(problem: Any) -> dict[str, Any]:
    """Arrays of shapes, surfaces and polyhedra."""
    collisions, shapes = problem.names.collisions, problem.names.shapes
    numbers, hulls = hulls_of_shapes(shapes)
    radius = np.array([bounding_radius(shape) for shape in shapes])
    points = empty_points()
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
        **{f"hull_{name}": value for name, value in hulls._asdict().items()},
        **{f"grid_{name}": value for name, value in grid._asdict().items()},
        **dict(zip(("point_a", "point_b", "point_normal", "point_gap", "point_feature"), points)),
    }


def spin_counts(problem: Any, k: int) -> int:
    """`Contacts.spin_counts` of shape k."""
    shape, body = problem.names.shapes[k], int(problem[Shapes].index[k].body)
    if shape.stretched or not rounding(shape) >= bounding_radius(shape):
        return 2
    jointed = problem.folded is not None or (problem[Blocks].member.body == body).any()
    return 1 if jointed or np.abs(problem[Shapes].arm[k]).max() > 0.0 else 0


def hulls_of_shapes(shapes: Any) -> tuple[Any, Any]:
    """`Contacts.hull` and the tables of polyhedra: of convex shapes, and of boxes that stretch with their
    body; of those that stretch a second one each, which is mapped.
    """
    owned = [(k, shape.points) for k, shape in enumerate(shapes) if shape.type == "convex"]
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


def rules_of(collisions: Any) -> list[RuleRecord]:
    """How each two surfaces touch, row by row."""
    columns = (
        collisions.friction,
        collisions.static,
        collisions.restitution,
        collisions.law,
        collisions.pass_through,
    )
    numbers = collisions.law_numbers.reshape(-1, 4)
    return [
        RuleRecord(*(column.ravel()[k].item() for column in columns), *map(float, numbers[k]))
        for k in range(len(numbers))
    ]
