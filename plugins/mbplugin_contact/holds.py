"""Contacts that persist hold their mean relative velocity, not only that at the end of the step.

Normals and tangents turn with the bodies, so that G v of the same v differs from that of the last step. A
contact that stays leaves half of that difference at the end of the step: its mean velocity is zero, in its
tangents where it sticks. What held at the end of each step would open a gap, creep by ½ h ω² r per second on
a support that turns, and what rocks would gain energy of the order h.

These velocities fit together along chains and trees of bodies, and around a loop or two. In a heap whose
bodies lock each other they would force slip: there the end of the step is held.
"""

from __future__ import annotations

from mbplugin.interface import OPEN, STICK, inlined, internal
from mbplugin.math.vec3 import load, load_matrix, rotate_back
from mbplugin.stepping import Blocks, Bodies, Pool, PoolMarkers, State, view
from mbplugin_contact.arrays import Contacts, compliant_rows
from mbplugin_contact.groups import STAYING, group_bodies, group_of

#: part of the goal below which a velocity is left as it is
NOTHING = 1e-3
#: change of a slip in a step, in parts of it, up to which its direction is foreseen
TURNS = 0.25
#: loops of bodies that are held in a group, at most
LOOPS = 2
#: columns of `Contacts.sums`: velocities of a group, rows that hold them; its bodies; the pairs of bodies
#: that are held; 1: the ground is in one of them
FREE, HELD, BODIES, PAIRS, GROUND = range(5)


@internal
def hold(tables, k, i):
    """`Contacts.held_rate` of contact k, which was contact i of the last step."""
    mine, axes = view(tables, Contacts), load_matrix(view(tables, PoolMarkers).R, 2 * k + 1)
    jumped = view(tables, State).history[0] == 0.0
    if jumped or mine.stuck[i] == OPEN or mine.before[k, 0] < -mine.record[0].impact:
        return
    mine.held_rate[k, 0] = 0.5 * (mine.before[k, 0] - mine.last_normal_rate[i])
    if mine.stuck[i] == STICK:
        _, a, b = rotate_back(axes, load(mine.last_rate, i))
        mine.held_rate[k, 1] = 0.5 * (mine.before[k, 1] - a)
        mine.held_rate[k, 2] = 0.5 * (mine.before[k, 2] - b)
    else:
        _, a, b = rotate_back(axes, load(mine.last_change, i))
        turn_with_slip(mine, k, a, b)


@inlined
def turn_with_slip(mine, k, a, b):
    """Let friction of contact k act along its mean slip: (a, b) is the change of the slip in the last step,
    of which the part across is expected again.
    """
    x, y = mine.before[k, 1], mine.before[k, 2]
    square = x * x + y * y
    if a * a + b * b < TURNS**2 * square:
        along = (a * x + b * y) / square
        mine.held_rate[k, 1], mine.held_rate[k, 2] = 0.5 * (along * x - a), 0.5 * (along * y - b)


@internal
def release_locked(tables):
    """Groups of bodies that lock each other, or are held by more rows than they have velocities, hold the end
    of the step.
    """
    mine, pool = view(tables, Contacts), view(tables, Pool)
    most, n = 0.0, pool.used[0]
    for k in range(n):
        mine.holds[k] = 0
        for c in range(3):
            most = max(most, abs(mine.held_rate[k, c]))
    if most <= NOTHING * mine.record[0].goal:
        return
    group_bodies(tables, STAYING)
    count_bodies(tables)
    count_contacts(tables)
    count_joints(tables)
    for k in range(n):
        g = group_of(mine, pool, k)
        loops = mine.sums[g, PAIRS] + 1.0 - mine.sums[g, BODIES] - mine.sums[g, GROUND]
        if loops > LOOPS or mine.sums[g, HELD] > mine.sums[g, FREE]:
            mine.held_rate[k, 0] = mine.held_rate[k, 1] = mine.held_rate[k, 2] = 0.0
        elif abs(mine.held_rate[k, 0]) > NOTHING * mine.record[0].goal:
            mine.holds[k] = 1


@internal
def count_bodies(tables):
    """Bodies and velocities of each group."""
    mine, bodies = view(tables, Contacts), view(tables, Bodies).index
    for g in range(mine.sums.shape[0]):
        for c in range(5):
            mine.sums[g, c] = 0.0
    for i in range(bodies.shape[0]):
        mine.sums[mine.group[i], FREE] += bodies[i].nv
        mine.sums[mine.group[i], BODIES] += 1.0


@internal
def count_contacts(tables):
    """Pairs of bodies that touch, and their rows: at most as many as a body has velocities."""
    mine, pool = view(tables, Contacts), view(tables, Pool)
    k, n = 0, pool.used[0]
    while k < n:
        a, b, g, rows = pool.member[2 * k], pool.member[2 * k + 1], group_of(mine, pool, k), 0
        while k < n and same_bodies(pool, k, a, b):
            rows += 0 if mine.status[k] == OPEN else 3 if mine.status[k] == STICK else 1
            k += 1
        if rows > 0:
            mine.sums[g, PAIRS] += 1.0
            mine.sums[g, HELD] += min(rows, max(a.nv, b.nv))
            if a.nv == 0 or b.nv == 0:
                mine.sums[g, GROUND] = 1.0


@internal
def count_joints(tables):
    """Joints, and their rows that do not yield."""
    mine, blocks = view(tables, Contacts), view(tables, Blocks)
    joint_rows = compliant_rows(mine)
    for k in range(blocks.index.shape[0]):
        block, g, moving = blocks.index[k], 0, 0
        for i in range(block.first_member, block.first_member + block.members):
            if blocks.member[i].nv > 0:
                g, moving = mine.group[blocks.member[i].body], moving + 1
        if moving == 0:
            continue
        mine.sums[g, PAIRS] += 1.0
        if moving == 1:
            mine.sums[g, GROUND] = 1.0
        for r in range(block.first_row, block.first_row + block.rows):
            if joint_rows.scale[r] > 0.0 and joint_rows.c[r] == 0.0:
                mine.sums[g, HELD] += 1.0


@inlined
def same_bodies(pool, k, a, b):
    """Whether contact k is between the bodies of members a and b."""
    return pool.member[2 * k].body == a.body and pool.member[2 * k + 1].body == b.body
