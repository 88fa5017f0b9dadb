"""States in joint coordinates are shown in another problem, of the same scene in maximal coordinates: poses,
twists and accelerations of all bodies, reactions of all joints, and whatever else frames hold.
"""

from __future__ import annotations

from mbplugin.kernels.by_address import by_address
from mbplugin.kernels.evaluate import run_batches
from mbplugin.kernels.modes import take_modes
from mbplugin.kernels.tree.flat import show_in_space
from mbplugin.kernels.tree.numbers import POSE, V, W, X, get
from mbplugin.kernels.view import TABLES, view, words_at
from mbplugin.math.jit import internal
from mbplugin.math.vec3 import add, cross, load, load9, load_matrix, product, rotate, store
from mbplugin.math.vectors import copy
from mbplugin.tables.groups import Measures, Poses, Rows, Shown, State, Trees
from mbplugin.tables.purposes import PLACE, PREPARE
from mbplugin.tables.records import OFF, ON


@internal
def shown_tables(tables):
    """The tables in which the states of a problem are shown: its own, in maximal coordinates."""
    elsewhere = view(tables, Shown).tables
    if elsewhere.shape[0] == 0:
        return tables
    return words_at(elsewhere[0], 2 * TABLES)


@internal
def shows_elsewhere(tables):
    """Whether states are shown in another problem."""
    return view(tables, Shown).tables.shape[0] > 0


@internal
def place_bodies(tables, there):
    """Poses and twists of the bodies of trees, from those of their links."""
    trees, shown, poses = view(tables, Trees), view(tables, Shown), view(there, Poses)
    for i in range(trees.link.shape[0]):
        p, body = POSE * i, shown.body[i]
        R, w = load9(trees.pose, p), get(trees.pose, p + W)
        arm = rotate(R, load(shown.x, i))
        store(poses.x, body, add(get(trees.pose, p + X), arm))
        store(poses.v, body, add(get(trees.pose, p + V), cross(w, arm)))
        store(poses.w, body, w)
        axes = product(R, load_matrix(shown.R, i))
        for k in range(9):
            poses.R[body, k] = axes[k]


@by_address(seconds=2, when="tree")
def put_state_elsewhere(tables):
    """Set the other problem to the present state, without evaluating it. Returns a status."""
    there = shown_tables(tables)
    shown, here, other = view(tables, Shown), view(tables, State), view(there, State)
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
    for k in range(shown.other_q.shape[0]):
        other.q[shown.other_q[k, 1]] = here.q[shown.other_q[k, 0]] + shown.offset[k]
    for k in range(shown.other_v.shape[0]):
        other.v[shown.other_v[k, 1]] = here.v[shown.other_v[k, 0]]
    copy(here.aux, other.aux)
    copy(here.memory, other.memory)
    rows, rows_there = view(tables, Rows).active.shape[0], view(there, Rows).active.shape[0]
    modes = view(there, Rows).next_mode
    copy(other.mode, modes)
    for r in range(rows):
        if shown.row[r] >= 0:
            modes[shown.row[r]] = here.mode[r]
    for k in range(here.mode.shape[0] - rows):
        modes[rows_there + k] = here.mode[rows + k]
    for k in range(shown.idle.shape[0]):
        modes[shown.idle[k, 0]] = ON if here.mode[rows + shown.idle[k, 1]] == ON else OFF
    take_modes(there, modes)
    last, last_there = view(tables, Measures).last, view(there, Measures).last
    copy(last, last_there)
    for k in range(shown.turn.shape[0]):
        last_there[shown.turn[k, 0]] = here.q[shown.turn[k, 1]]
    return status
