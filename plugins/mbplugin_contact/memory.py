"""Contacts that stay: impulses of the last step, by the pair of shapes and the features that touch."""

from __future__ import annotations

from math import sqrt

from mbplugin.interface import OPEN, SLIP, STICK, inlined, internal
from mbplugin.math.vec3 import load, load_matrix, rotate, rotate_back, store
from mbplugin.stepping import Pool, PoolMarkers, request_capacity, view
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.holds import hold

#: part of `ContactRecord.rough` below which a contact does not slide, 1e-6 g h
RESTING = 5e-7
#: part of the goal up to which what an impulse does to the velocity of its contact is none
UNLOADED = 1e-3


@internal
def recall(tables):
    """Take impulses, statuses and identities of the last step. Pairs are in the same order in both lists."""
    pool, mine, markers = view(tables, Pool), view(tables, Contacts), view(tables, PoolMarkers)
    r, held = pool.impulse, mine.held[0]
    first = 0
    for k in range(pool.used[0]):
        while first < held and mine.last_key[first] < mine.key[k]:
            first += 1
        r[3 * k] = r[3 * k + 1] = r[3 * k + 2] = 0.0
        mine.held_rate[k, 0] = mine.held_rate[k, 1] = mine.held_rate[k, 2] = 0.0
        mine.status[k] = mine.identity[k] = 0
        mine.fresh[k] = 1
        i = first
        while i < held and mine.last_key[i] == mine.key[k]:
            if mine.last_feature[i] == mine.feature[k]:
                # columns of R: normal and tangents
                P = rotate_back(load_matrix(markers.R, 2 * k + 1), load(mine.last, i))
                r[3 * k], r[3 * k + 1], r[3 * k + 2] = P
                mine.status[k], mine.identity[k] = mine.stuck[i], mine.last_identity[i]
                mine.fresh[k] = 1 if mine.stuck[i] == OPEN else 0
                hold(tables, k, i)
                break
            i += 1
        rule = mine.rules[mine.rule[k]]
        if mine.fresh[k] == 1 and rule.friction_static > rule.friction and rests(mine, k):
            mine.status[k] = STICK
    for row in range(mine.impulse.shape[0]):
        mine.impulse[row] = mine.last_impulse[row]


@inlined
def rests(mine, k):
    """Whether contact k does not slide at the start of the step."""
    a, b = mine.before[k, 1], mine.before[k, 2]
    return sqrt(a * a + b * b) <= RESTING * mine.record[0].rough


@internal
def keep_contacts(tables):
    """Remember impulses for the next step, and give new contacts their identity; `Contacts.after` is filled.
    Returns a status.
    """
    pool, mine, markers = view(tables, Pool), view(tables, Contacts), view(tables, PoolMarkers)
    n = pool.used[0]
    if n > mine.last_key.shape[0]:
        return request_capacity(tables, 1, n)
    r, R = pool.impulse, markers.R
    # impulses at the edge of the cone with no sliding: where bodies touch at several points, impulses are not
    # unique, and some reach the edge before the body moves
    at_rest = min(mine.record[0].goal, RESTING * mine.record[0].rough)
    for k in range(n):
        mine.last_key[k], mine.last_feature[k] = mine.key[k], mine.feature[k]
        if mine.identity[k] == 0:
            mine.made[0] += 1
            mine.identity[k] = mine.made[0]
        mine.last_identity[k] = mine.identity[k]
        m, i = 2 * k + 1, 3 * k
        a, b = mine.after[k, 1], mine.after[k, 2]
        first, second = a + mine.bias[k, 1], b + mine.bias[k, 2]
        if mine.status[k] == SLIP and sqrt(first * first + second * second) <= at_rest:
            mine.status[k] = STICK
        # whether a contact without load is open is a matter of rounding
        loaded = abs(r[i]) * mine.W[k, 0] > UNLOADED * mine.record[0].goal
        mine.stuck[k] = mine.status[k] if loaded else OPEN
        axes = load_matrix(R, m)
        mine.last_normal_rate[k] = mine.after[k, 0]
        store(mine.last_rate, k, rotate(axes, (0.0, a, b)))
        change = rotate(axes, (0.0, a - mine.before[k, 1], b - mine.before[k, 2]))
        store(mine.last_change, k, change)
        store(mine.last, k, rotate(axes, (r[i], r[i + 1], r[i + 2])))
    mine.held[0] = n
    mine.refined[0] = mine.record[0].polished
    return 0
