"""What a control law reads at the end of the last step: joint coordinates and their rates, and over these the
mass matrix, the bias forces and those of gravity.

The bodies alone are a problem of their own (`run/joint_space.py`), whose tables stand at `Controls.space`.
"""

from __future__ import annotations

from math import atan2, nan

from mbplugin.kernels.by_address import by_address
from mbplugin.kernels.tree.alone import evaluate_alone, evaluate_coordinates
from mbplugin.kernels.tree.mass_matrix import add_mass_by_recursion
from mbplugin.kernels.view import TABLES, view, words_at
from mbplugin.math.emitters.arrays import address_of
from mbplugin.math.jit import internal
from mbplugin.math.quat import of_matrix, store4
from mbplugin.math.vec3 import column, dot, load, load_matrix, product, product_back, rotate_back, store3, sub
from mbplugin.math.vectors import copy, fill
from mbplugin.tables.groups import Bodies, Controls, DerivedRows, Markers, Measures, State, Step, Trees
from mbplugin.tables.records import BALL, BEGUN, DERIVED, FREE, NOT_READY

#: parts that are asked for, as a sum
COORDINATES, BIAS, MASS_MATRIX, GRAVITY = 1, 2, 4, 8


@by_address(seconds=2, when="alone")
def read_joint_space(tables, parts):
    """Write the parts that are asked for into `Controls`: a sum of COORDINATES, BIAS, MASS_MATRIX and
    GRAVITY, of which the first has to be there before the others. Returns a status.
    """
    status = 0
    if parts & COORDINATES:
        status = read_coordinates(tables)
    if status == 0 and parts & GRAVITY:
        status = read_gravity(tables)
    # poses and inertias are those of gravity, where that has been read
    if status == 0 and (parts & BIAS or parts & (MASS_MATRIX | GRAVITY) == MASS_MATRIX):
        status = read_bias(tables)
    if status == 0 and parts & MASS_MATRIX:
        read_mass_matrix(tables)
    return status


@internal
def space_of(tables):
    """The vector of addresses of the bodies alone."""
    return words_at(view(tables, Controls).space[0], 2 * TABLES)


@internal
def restore_positions(tables):
    """Let the tables hold positions, velocities and counted turns of the end of the last step."""
    step, state = view(tables, Step), view(tables, State)
    record = step.record[0]
    if record.ready == NOT_READY:
        copy(step.q1, state.q)
        copy(step.v1, state.v)
        copy(step.mode1, state.mode)
        copy(step.last1, view(tables, Measures).last)
    if record.ready == BEGUN:
        record.ready = NOT_READY


@internal
def read_coordinates(tables):
    """Coordinates and rates, here and in the tables of the bodies alone. Returns a status."""
    controls, measures, here = view(tables, Controls), view(tables, Measures), view(tables, Step)
    there, status = view(space_of(tables), State), 0
    if controls.measure.shape[0] > 0 or controls.link.shape[0] > 0:
        restore_positions(tables)
        status = evaluate_coordinates(tables)
    for k in range(controls.measure.shape[0]):
        there.q[controls.scalar_q[k]] = measures.value[controls.measure[k]]
        there.v[controls.scalar_v[k]] = measures.rate[controls.measure[k]]
    for k in range(controls.other_q.shape[0]):
        there.q[controls.other_q[k, 0]] = here.q1[controls.other_q[k, 1]]
    for k in range(controls.other_v.shape[0]):
        there.v[controls.other_v[k, 0]] = here.v1[controls.other_v[k, 1]]
    for k in range(controls.link.shape[0]):
        read_link(tables, k)
    copy(there.q, controls.positions)
    copy(there.v, controls.velocities)
    return status


@internal
def read_link(tables, k):
    """Coordinates and rates of a link that are no measures, from its markers or as they stand here: a pose
    relative to the carrying body or the world, with a quaternion of w ≥ 0.
    """
    space, controls, markers = space_of(tables), view(tables, Controls), view(tables, Markers)
    there, one, axes = view(space, State), controls.link[k], load_matrix(controls.axes, k)
    q, v = there.q, there.v
    i, j = one.first_q, one.first_v
    if one.b >= 0:
        R, w = load_matrix(markers.R, one.b), load(markers.w, one.b)
        x, u = load(markers.x, one.b), load(markers.v, one.b)
        if one.form == BALL or one.form == DERIVED:
            A = load_matrix(markers.R, one.a)
            turn = of_matrix(product_back(A, R))
            if one.form == BALL:
                store4(q, i, turn)
                store3(v, j, rotate_back(R, sub(w, load(markers.w, one.a))))
            else:
                pose = view(space, DerivedRows).pose
                store3(pose, 7 * one.derived, rotate_back(A, sub(x, load(markers.x, one.a))))
                store4(pose, 7 * one.derived + 3, turn)
        elif one.form == FREE:
            turned = product(R, axes)
            store3(q, i, x)
            store4(q, i + 3, of_matrix(turned))
            store3(v, j, u)
            store3(v, j + 3, rotate_back(turned, w))
        else:
            turned = product_back(axes, R)
            place, rate = rotate_back(axes, x), rotate_back(axes, u)
            q[i], q[i + 1], q[i + 2] = place[0], place[1], atan2(turned[3], turned[0])
            v[j], v[j + 1], v[j + 2] = rate[0], rate[1], dot(column(axes, 2), w)
    if one.form == BALL or one.form == FREE:
        at = i if one.form == BALL else i + 3
        if q[at] < 0.0:
            for c in range(4):
                q[at + c] = -q[at + c]
    if one.form == DERIVED:
        begin_pose(space, one.derived, q, i)


@internal
def begin_pose(space, joint, q, first_q):
    """Let the pose of a joint in `DerivedRows` be that of its coordinates, from which Newton's method goes
    on.
    """
    rows = view(space, DerivedRows)
    one = rows.index[joint]
    for k in range(6 - one.rows):
        rows.value[one.first_coordinate + k] = q[first_q + k]
        rows.rate[one.first_coordinate + k] = nan
    rows.side[joint] = 0.0


@internal
def read_bias(tables):
    """The bias forces; poses and inertias of the bodies alone are then those of the coordinates. Returns a
    status.
    """
    space, bias = space_of(tables), view(tables, Controls).bias_forces
    status = evaluate_alone(space)
    h = view(space, Bodies).h
    for k in range(h.shape[0]):
        bias[k] = -h[k]
    return status


@internal
def read_mass_matrix(tables):
    """The mass matrix of all trees, evaluated."""
    space, M = space_of(tables), view(tables, Controls).mass_matrix
    trees, n = view(space, Trees), view(space, State).v.shape[0]
    fill(M, 0.0)
    for t in range(trees.index.shape[0]):
        first = view(space, Bodies).index[trees.index[t].body].first_v
        trees.number[0] = 1.0
        trees.places[0], trees.places[1] = address_of(M, first * (n + 1)), n
        add_mass_by_recursion(space, t)


@internal
def read_gravity(tables):
    """The bias forces at rest. Returns a status."""
    space, controls = space_of(tables), view(tables, Controls)
    v, h = view(space, State).v, view(space, Bodies).h
    fill(v, 0.0)
    status = evaluate_alone(space)
    for k in range(h.shape[0]):
        controls.gravity_forces[k] = -h[k]
    copy(controls.velocities, v)
    return status
