"""Joints whose motion follows from their rows and coordinates, as the kernels of their kinds give them:

    Φ(a, b) = 0,   s(a, b) = s*,   A = [G; J] over the twist of the carried marker,   B = A⁻¹
    pose       x ← x ⊕ B [−Φ; s* − s], by Newton's method from the last pose
    S          the last columns of B
    bias       B [γ; −bias of s] at the twist S ṡ

The other marker is at rest at the origin: both are functions of the relative pose alone. Twists and rows are
linear, then angular; the coordinates of a joint are the last of six rows, Φ = s.

A pose counts as found by Newton's method only from nearby, and on the side of det A where the joint began:
where A is singular, and beyond, the coordinates do not tell where the body is. Farther coordinates are
reached by parts.
"""

from __future__ import annotations

from math import isfinite

from mbplugin.kernels.by_address import by_address
from mbplugin.kernels.tree.numbers import get, put
from mbplugin.kernels.view import call_batch, view
from mbplugin.math.emitters.arrays import clear
from mbplugin.math.jit import inlined, internal
from mbplugin.math.quat import exponential, load4, matrix, multiply, normalised, store4
from mbplugin.math.six import factor_six, solve_six
from mbplugin.math.vec3 import add, scale, store
from mbplugin.math.vectors import copy_range
from mbplugin.tables.groups import Batches, DerivedRows, State, Status
from mbplugin.tables.status import NO_POSE, NOT_FINITE

#: Newton steps to a pose, and the largest rotation by one [rad]
MAX_STEPS, MAX_ROTATION = 12, 0.5
#: residual before the last step, and one up to which S before that step is S after it, to rounding; of
#: lengths relative to 1 m and the distance
CONVERGED, ROUNDING_OF_POSE = 1e-9, 1e-13
#: least ratio of two pivots of A, relative to the best one so far
REGULAR_PIVOTS = 1e-3
#: least part of the way to far coordinates
LEAST_PART = 1.0 / 1024.0
ORIGIN = (0.0, 0.0, 0.0)


@inlined
def put_pose(rows, marker, p, q):
    """Place a marker."""
    store(rows.x, marker, p)
    R = matrix(q)
    for k in range(9):
        rows.R[marker, k] = R[k]


@inlined
def call_rows(tables, joint):
    """Φ, s, G, J, γ of a joint at its markers. Returns a status."""
    rows, batches = view(tables, DerivedRows), view(tables, Batches).index
    for i in range(joint.first_call, joint.first_call + joint.calls):
        status = call_batch(batches[rows.batch[i]].address, rows.element[i], 1, tables)
        if status != 0:
            view(tables, Status).batch[0] = rows.batch[i]
            return status
    return 0


@inlined
def without_turns(difference, period):
    """A difference of coordinates, of angles less full turns."""
    # rounding costs more than everything else here
    far = period > 0.0 and abs(difference) > 0.5 * period
    return difference - period * round(difference / period) if far else difference


@internal
def factor(rows, carried):
    """The factors of A at the present rows. Returns the least ratio of two pivots, with the sign of det A."""
    A = rows.matrix
    for r in range(6):
        copy_range(rows.G_marker, 12 * r + 6 * carried, A, 6 * r, 6)
    return factor_six(A, rows.pivot)


@internal
def find_pose(tables, number):
    """Newton's method to the pose at `target`, from the one under way; leaves the factors of A. Returns a
    status.
    """
    rows = view(tables, DerivedRows)
    joint = rows.index[number]
    b, pose = rows.vector, rows.trial
    last = False
    for _ in range(MAX_STEPS):
        p, q = get(pose, 0), load4(pose, 3)
        put_pose(rows, joint.carried, p, q)
        status = call_rows(tables, joint)
        if status != 0:
            return status
        size = 0.0
        for r in range(6):
            d = -rows.phi[r]
            if r >= joint.rows:
                k = r - joint.rows
                d = without_turns(rows.target[k] + d, rows.period[joint.first_coordinate + k])
            b[r] = d
            size += abs(d)
        if not isfinite(size):
            return NO_POSE
        side, best = factor(rows, joint.carried), rows.side[number]
        if not abs(side) > REGULAR_PIVOTS * abs(best):
            return NO_POSE
        reach = 1.0 + abs(p[0]) + abs(p[1]) + abs(p[2])
        solve_six(rows.matrix, rows.pivot, b)
        if not move_by(pose, get(b, 0), get(b, 3)):
            return NO_POSE
        if last or size <= ROUNDING_OF_POSE * reach:
            if side * best < 0.0:
                return NO_POSE
            if abs(side) > abs(best):
                rows.side[number] = side
            put_pose(rows, joint.carried, get(pose, 0), load4(pose, 3))
            return 0
        last = size <= CONVERGED * reach
    return NO_POSE


@inlined
def move_by(pose, shift, turn):
    """Displace and rotate a pose. Returns False if the rotation is too large."""
    if not turn[0] ** 2 + turn[1] ** 2 + turn[2] ** 2 <= MAX_ROTATION**2:
        return False
    pose[0] += shift[0]
    pose[1] += shift[1]
    pose[2] += shift[2]
    store4(pose, 3, normalised(multiply(exponential(turn), load4(pose, 3))))
    return True


@inlined
def guess(rows, joint, number, part):
    """Move the last pose by a part of the change of the coordinates, to second order where they change as
    they did there: x ← x ⊕ (S Δs + ½ τ² bias), Δs = τ ṡ. Returns False if that is far.
    """
    u, w, along, square = ORIGIN, ORIGIN, 0.0, 0.0
    for k in range(6 - joint.rows):
        i = joint.first_coordinate + k
        d, ds = part * rows.target[k], rows.rate[i]
        j = 6 * i
        u = (u[0] + d * rows.S[j], u[1] + d * rows.S[j + 1], u[2] + d * rows.S[j + 2])
        w = (w[0] + d * rows.S[j + 3], w[1] + d * rows.S[j + 4], w[2] + d * rows.S[j + 5])
        along, square = along + d * ds, square + ds * ds
    if square > 0.0:
        f, b = 0.5 * (along / square) ** 2, 6 * number
        u = add(u, scale(f, get(rows.bias, b)))
        w = add(w, scale(f, get(rows.bias, b + 3)))
    return move_by(rows.trial, u, w)


@internal
def reach(tables, number):
    """Move a joint to its coordinates in the state, at once or by parts of the way. Returns a status."""
    rows, q = view(tables, DerivedRows), view(tables, State).q
    joint = rows.index[number]
    n = 6 - joint.rows
    for i in range(7):
        rows.trial[i] = rows.trial[7 + i] = rows.pose[7 * number + i]
    done, part = 0.0, 1.0
    while True:
        end = min(done + part, 1.0)
        for k in range(n):
            i = joint.first_coordinate + k
            rows.target[k] = without_turns(q[joint.first_q + k] - rows.value[i], rows.period[i])
        near = guess(rows, joint, number, end) if done == 0.0 else True
        for k in range(n):
            s, before = q[joint.first_q + k], rows.value[joint.first_coordinate + k]
            rows.target[k] = s if end == 1.0 else before + end * rows.target[k]
        status = find_pose(tables, number) if near else NO_POSE
        if status == 0 and end == 1.0:
            return 0
        if status == 0:
            done = end
            copy_range(rows.trial, 0, rows.trial, 7, 7)
        elif status != NO_POSE or part <= LEAST_PART:
            return status
        else:
            part *= 0.5
            copy_range(rows.trial, 7, rows.trial, 0, 7)


@inlined
def is_there(rows, joint, state):
    """Whether pose and bias are those of the coordinates and rates in the state."""
    for k in range(6 - joint.rows):
        i = joint.first_coordinate + k
        if rows.value[i] != state.q[joint.first_q + k] or rows.rate[i] != state.v[joint.first_v + k]:
            return False
    return True


@internal
def move_joint(tables, number):
    """Pose, S and bias of one joint. Returns a status."""
    rows, state = view(tables, DerivedRows), view(tables, State)
    joint = rows.index[number]
    if is_there(rows, joint, state):
        return 0
    total = 0.0
    for k in range(6 - joint.rows):
        total += state.q[joint.first_q + k] + state.v[joint.first_v + k]
    if not isfinite(total):
        return NOT_FINITE
    put_pose(rows, 1 - joint.carried, ORIGIN, (1.0, 0.0, 0.0, 0.0))
    for marker in range(2):
        store(rows.v, marker, ORIGIN)
        store(rows.w, marker, ORIGIN)
    status = reach(tables, number)
    if status != 0:
        if status == NO_POSE:
            view(tables, Status).batch[0] = joint.link
        return status
    copy_range(rows.trial, 0, rows.pose, 7 * number, 7)
    b, u, w = rows.vector, ORIGIN, ORIGIN
    for k in range(6 - joint.rows):
        i, ds = joint.first_coordinate + k, state.v[joint.first_v + k]
        clear(b, 0, 6)
        b[joint.rows + k] = 1.0
        solve_six(rows.matrix, rows.pivot, b)
        copy_range(b, 0, rows.S, 6 * i, 6)
        u = (u[0] + ds * b[0], u[1] + ds * b[1], u[2] + ds * b[2])
        w = (w[0] + ds * b[3], w[1] + ds * b[4], w[2] + ds * b[5])
    store(rows.v, joint.carried, u)
    store(rows.w, joint.carried, w)
    status = call_rows(tables, joint)
    if status != 0:
        return status
    copy_range(rows.gamma, 0, b, 0, 6)
    solve_six(rows.matrix, rows.pivot, b)
    put(rows.bias, 6 * number, get(b, 0))
    put(rows.bias, 6 * number + 3, get(b, 3))
    for k in range(6 - joint.rows):
        i = joint.first_coordinate + k
        rows.value[i], rows.rate[i] = state.q[joint.first_q + k], state.v[joint.first_v + k]
    return 0


@by_address(when="derived")
def move_derived_joints(tables, first, count):
    """Poses, S and biases of `count` joints relative to the links that carry them. Returns a status."""
    for number in range(first, first + count):
        status = move_joint(tables, number)
        if status != 0:
            return status
    return 0
