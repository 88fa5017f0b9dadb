"""States in joint coordinates are put into the full problem, of the same scene in maximal coordinates: poses,
twists and accelerations of all bodies, reactions of all joints, and whatever else frames hold.
"""

from __future__ import annotations

from mbplugin.kernels.by_address import by_address
from mbplugin.kernels.evaluate import run_batches
from mbplugin.kernels.modes import take_modes
from mbplugin.kernels.tree.flat import show_in_space
from mbplugin.kernels.tree.numbers import POSE, V, W, X, get, put
from mbplugin.kernels.tree.reactions import axes_of_rows
from mbplugin.kernels.view import TABLES, view, words_at
from mbplugin.math.dense import cholesky, solve_lower, solve_lower_transposed
from mbplugin.math.emitters.arrays import clear
from mbplugin.math.jit import internal
from mbplugin.math.vec3 import add, cross, load, load9, load_matrix, product, rotate, store
from mbplugin.math.vectors import copy, copy_range
from mbplugin.tables.groups import Blocks, Bounded, FullProblem, Measures, Poses, Rates, Rows, State, Trees
from mbplugin.tables.purposes import PLACE, PREPARE
from mbplugin.tables.records import OFF, ON


@internal
def full_tables(tables):
    """The tables from which frames are read: its own, in maximal coordinates."""
    elsewhere = view(tables, FullProblem).tables
    if elsewhere.shape[0] == 0:
        return tables
    return words_at(elsewhere[0], 2 * TABLES)


@internal
def has_full_problem(tables):
    """Whether frames are read from another problem."""
    return view(tables, FullProblem).tables.shape[0] > 0


@internal
def place_bodies(tables, there):
    """Poses and twists of the bodies of trees, from those of their links."""
    trees, full, poses = view(tables, Trees), view(tables, FullProblem), view(there, Poses)
    for i in range(trees.link.shape[0]):
        p, body = POSE * i, full.body[i]
        R, w = load9(trees.pose, p), get(trees.pose, p + W)
        arm = rotate(R, load(full.x, i))
        store(poses.x, body, add(get(trees.pose, p + X), arm))
        store(poses.v, body, add(get(trees.pose, p + V), cross(w, arm)))
        store(poses.w, body, w)
        axes = product(R, load_matrix(full.R, i))
        for k in range(9):
            poses.R[body, k] = axes[k]


@by_address(seconds=2, when="tree")
def put_full_state(tables):
    """Set the other problem to the present state, without evaluating it. Returns a status."""
    there = full_tables(tables)
    full, here, other = view(tables, FullProblem), view(tables, State), view(there, State)
    status = run_batches(tables, PREPARE)
    if status != 0:
        return status
    other.time[0] = here.time[0]
    trees = view(tables, Trees).index
    for t in range(trees.shape[0]):
        if trees[t].flat == 1 and trees[t].located == 0:
            show_in_space(tables, t)
    place_bodies(tables, there)
    status = run_batches(there, PLACE)
    for k in range(full.other_q.shape[0]):
        other.q[full.other_q[k, 1]] = here.q[full.other_q[k, 0]] + full.offset[k]
    for k in range(full.other_v.shape[0]):
        other.v[full.other_v[k, 1]] = here.v[full.other_v[k, 0]]
    copy(here.aux, other.aux)
    copy(here.memory, other.memory)
    rows, rows_there = view(tables, Rows).active.shape[0], view(there, Rows).active.shape[0]
    modes = view(there, Rows).next_mode
    copy(other.mode, modes)
    for r in range(rows):
        if full.row[r] >= 0:
            modes[full.row[r]] = here.mode[r]
    copy_range(here.mode, rows, modes, rows_there, here.mode.shape[0] - rows)
    for k in range(full.idle.shape[0]):
        modes[full.idle[k, 0]] = ON if here.mode[rows + full.idle[k, 1]] == ON else OFF
    take_modes(there, modes)
    last, last_there = view(tables, Measures).last, view(there, Measures).last
    copy(last, last_there)
    for k in range(full.turn.shape[0]):
        last_there[full.turn[k, 0]] = here.q[full.turn[k, 1]]
    return status


@internal
def put_means(tables):
    """Give the other problem, evaluated at the present state, the mean accelerations and multipliers of the
    last step. Returns a status.

    Bodies of trees have the accelerations of `Trees.accel`, and joints that carry them the multipliers that
    lead to `Trees.reaction`.
    """
    there = full_tables(tables)
    full, trees, poses, state = (
        view(tables, FullProblem),
        view(tables, Trees),
        view(there, Poses),
        view(there, State),
    )
    rates = view(there, Rates)
    copy(state.q, rates.q_dot)
    copy(state.v, rates.v_dot)
    for i in range(trees.link.shape[0]):
        store(poses.v, full.body[i], get(trees.accel, 6 * i))
        store(poses.w, full.body[i], get(trees.accel, 6 * i + 3))
    # a velocity of a body by its kind's function of the twist is an acceleration by that of its rate
    status = run_batches(there, PLACE)
    for k in range(state.v.shape[0]):
        rates.v_dot[k], state.v[k] = state.v[k], rates.v_dot[k]
    copy(rates.q_dot, state.q)
    place_bodies(tables, there)
    v_dot = view(tables, Rates).v_dot
    for k in range(full.other_v.shape[0]):
        rates.v_dot[full.other_v[k, 1]] = v_dot[full.other_v[k, 0]]
    rows, rows_there = view(tables, Rows), view(there, Rows)
    clear(rows_there.lam, 0, rows_there.lam.shape[0])
    for r in range(rows.lam.shape[0]):
        if full.row[r] >= 0:
            rows_there.lam[full.row[r]] = rows.lam[r]
    bounded = view(there, Bounded).index
    for i in range(bounded.shape[0]):
        # of the step, as in `show_means`
        rows_there.load[bounded[i].row] = 0.0
    for k in range(0, full.rotor.shape[0], 4):
        link, rate = trees.link[full.rotor[k + 2]], full.rotor[k + 3]
        rows_there.lam[full.rotor[k]] = -trees.armature[link.first_rate + rate] * v_dot[link.first_v + rate]
    put_carried(tables, there)
    return status


@internal
def put_carried(tables, there):
    """Multipliers of the joints that carry links: Σ g λ = W at the marker on the link, by least squares."""
    full, trees, G = view(tables, FullProblem), view(tables, Trees), view(there, Blocks).G_marker
    lam, A, b = view(there, Rows).lam, full.normal, 36
    for i in range(trees.link.shape[0]):
        R = axes_of_rows(trees, i)
        w = 42
        put(A, w, rotate(R, get(trees.reaction, 6 * i)))
        put(A, w + 3, rotate(R, get(trees.reaction, 6 * i + 3)))
        for k in range(0, full.rotor.shape[0], 4):
            if full.rotor[k + 2] == i:
                for c in range(6):
                    A[w + c] -= lam[full.rotor[k]] * G[full.rotor[k + 1] + c]
        first, n = full.first_term[i], full.first_term[i + 1] - full.first_term[i]
        for r in range(n):
            g = full.term[first + r, 1]
            A[b + r] = 0.0
            for c in range(6):
                A[b + r] += G[g + c] * A[w + c]
            for s in range(r + 1):
                A[r * n + s] = 0.0
                for c in range(6):
                    A[r * n + s] += G[g + c] * G[full.term[first + s, 1] + c]
        if cholesky(A, 0, n):
            solve_lower(A, 0, n, A, b)
            solve_lower_transposed(A, 0, n, A, b)
            for r in range(n):
                lam[full.term[first + r, 0]] = A[b + r]
