"""Contacts that stay: impulses of the last step, by the pair of shapes and the features that touch."""

from __future__ import annotations

from math import sqrt

from mbplugin.interface import OPEN, SLIP, STICK, internal
from mbplugin.math.vec3 import load, store
from mbplugin.stepping import Pool, PoolMarkers, ask_for_room, view
from mbplugin_contact.arrays import Contacts

#: part of `ContactRecord.rough` below which a contact does not slide, 1e-6 g h
RESTING = 5e-7


@internal
def warm_start(tables):
    """Begin with the impulses of the last step, and keep identities. Pairs are in the same order in both
    lists.
    """
    pool, mine, markers = view(tables, Pool), view(tables, Contacts), view(tables, PoolMarkers)
    r, held = pool.impulse, mine.held[0]
    first = 0
    for k in range(pool.used[0]):
        while first < held and mine.last_key[first] < mine.key[k]:
            first += 1
        r[3 * k] = r[3 * k + 1] = r[3 * k + 2] = 0.0
        mine.status[k] = mine.identity[k] = 0
        mine.fresh[k] = 1
        i = first
        while i < held and mine.last_key[i] == mine.key[k]:
            if mine.last_feature[i] == mine.feature[k]:
                P, R = load(mine.last, i), markers.R
                m = 2 * k + 1
                for c in range(3):
                    # columns of R: normal and tangents
                    r[3 * k + c] = R[m, c] * P[0] + R[m, 3 + c] * P[1] + R[m, 6 + c] * P[2]
                mine.status[k], mine.identity[k] = mine.stuck[i], mine.last_identity[i]
                mine.fresh[k] = 1 if mine.stuck[i] == OPEN else 0
                if mine.fresh[k] == 0 and 0.0 < pool.phi[3 * k] <= mine.record[0].close:
                    # bodies that touch at more points than determine impulses cannot close all their gaps at
                    # once: gaps of rounding, and of the order h², would choose the impulses
                    mine.bias[k, 0] = min(mine.bias[k, 0], 0.0)
                break
            i += 1
        for c in range(3):
            mine.warm[k, c] = r[3 * k + c]


@internal
def keep_contacts(tables):
    """Remember impulses for the next step, and give new contacts their identity; `Contacts.after` is filled.
    Returns a status.
    """
    pool, mine, markers = view(tables, Pool), view(tables, Contacts), view(tables, PoolMarkers)
    n = pool.used[0]
    if n > mine.last_key.shape[0]:
        return ask_for_room(tables, 1, n)
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
        first, second = mine.after[k, 1], mine.after[k, 2]
        if mine.status[k] == SLIP and sqrt(first * first + second * second) <= at_rest:
            mine.status[k] = STICK
        mine.stuck[k] = mine.status[k]
        store(
            mine.last,
            k,
            (
                R[m, 0] * r[i] + R[m, 1] * r[i + 1] + R[m, 2] * r[i + 2],
                R[m, 3] * r[i] + R[m, 4] * r[i + 1] + R[m, 5] * r[i + 2],
                R[m, 6] * r[i] + R[m, 7] * r[i + 1] + R[m, 8] * r[i + 2],
            ),
        )
    mine.held[0] = n
    mine.refined[0] = mine.record[0].polished
    return 0
