"""Overlap that sweeps have left: light bodies that carry heavy ones need many thousands of them.

The impulses r ≥ 0 that move bodies apart minimize ½ rᵀ W r + φᵀ r, W = G M⁻¹ Gᵀ with joints held. In
x = r √W_kk they are found by conjugate gradients, which a gradient step expands to the bounds and another one
frees from them (MPRGP: Z. Dostál, Optimal Quadratic Programming Algorithms, Springer 2009, 5.8), for each
group of bodies by itself.

A light body under load is moved apart by turning far, for small overlap: rows are of first order, and to
second order it overlaps anew by ½ |θ| |d|. The movement of a group is shortened where that is more than a
part of its overlap; what is left is removed in the next steps.
"""

from __future__ import annotations

from math import sqrt

from mbplugin.interface import inlined, internal
from mbplugin.stepping import (
    Bodies,
    State,
    TransientRows,
    add_transient_impulse,
    copy,
    locate_markers,
    project_increment,
    view,
)
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.groups import NEAR, group_bodies, group_of
from mbplugin_contact.short_enough import turning_and_speed

#: part of the overlap that may be left
LEFT = 1e-3
#: iterations at most
ITERATIONS = 200
#: part of the overlap that turning may make anew
ANEW = 0.25
#: a step of the gradient, over the largest |A p| / |p| that was met
EXPANSION = 1.5
#: columns of `Contacts.scratch`: 1 / √W_kk; x, A x − b, p and A p; x at first
SCALE, X, G, P, AP, FIRST = range(6)
#: columns of `Contacts.sums`: deepest overlap of a group [m]; the worst that is left [m]; the part of its
#: movement
DEEPEST, WORST, PART = range(3)


@internal
def remove_deep_overlap(tables, d):
    """Improve the movement d of groups whose overlap it does not remove, and shorten it where bodies turn
    far. `Contacts.kept_impulse` has the gap and r of each contact. Returns a status.
    """
    contacts, n = view(tables, Contacts), view(tables, TransientRows).used[0]
    group_bodies(tables, NEAR)
    measure_groups(tables, d)
    for g in range(contacts.sums.shape[0]):
        if contacts.sums[g, WORST] < LEFT * contacts.sums[g, DEEPEST]:
            status = remove_from_group(tables, d, g)
            if status != 0:
                return status
    return shorten(tables, d) if n > 0 else 0


@internal
def measure_groups(tables, d):
    """`DEEPEST` and `WORST` of all groups."""
    contacts, transient = view(tables, Contacts), view(tables, TransientRows)
    for k in range(transient.used[0]):
        g, gap = group_of(contacts, transient, k), contacts.kept_impulse[k, 0]
        contacts.sums[g, DEEPEST] = min(contacts.sums[g, DEEPEST], gap)
        contacts.sums[g, WORST] = min(contacts.sums[g, WORST], gap + along(transient, k, d))


@inlined
def along(transient, k, d):
    """G_N d of contact k."""
    rate = 0.0
    for s in range(2):
        member = transient.member[2 * k + s]
        for c in range(member.nv):
            rate += transient.G[member.first_G + c] * d[member.first_v + c]
    return rate


@internal
def remove_from_group(tables, d, g):
    """The movement of group g. Returns a status."""
    contacts, transient = view(tables, Contacts), view(tables, TransientRows)
    order, x, n = contacts.order, contacts.scratch, 0
    for k in range(transient.used[0]):
        if group_of(contacts, transient, k) == g:
            order[n] = k
            n += 1
            x[k, SCALE] = 1.0 / sqrt(contacts.W[k, 0])
            x[k, X] = x[k, FIRST] = contacts.kept_impulse[k, 1] / x[k, SCALE]
    status = minimize(tables, order[:n], LEFT * contacts.sums[g, DEEPEST])
    for k in order[:n]:
        change = x[k, SCALE] * (x[k, X] - x[k, FIRST])
        contacts.kept_impulse[k, 1] += change
        add_transient_impulse(transient, k, 0, change, d)
    return project_increment(tables, d, 0) if status == 0 and contacts.lam.shape[0] > 0 else status


@internal
def minimize(tables, chosen, left):
    """x of these contacts, until no gap is below `left` [m], nor one above −`left` where x > 0. Returns a
    status.
    """
    contacts = view(tables, Contacts)
    s, largest = contacts.scratch, 1.0
    status = gradient(tables, chosen)
    restart(s, chosen)
    for _ in range(ITERATIONS):
        free, bound, worst = squares(s, chosen)
        if status != 0 or worst <= -left:
            break
        frees = bound > free
        if frees:
            for k in chosen:
                s[k, P] = min(s[k, G], 0.0) if s[k, X] == 0.0 else 0.0
        status = multiply(tables, chosen)
        slope = curvature = size = 0.0
        for k in chosen:
            slope += s[k, G] * s[k, P]
            curvature += s[k, AP] * s[k, P]
            size += s[k, P] * s[k, P]
        if not curvature > 1e-14 * largest * size:
            break
        largest = max(largest, curvature / size)
        length, most = slope / curvature, first_bound(s, chosen)
        expands = length > most and not frees
        length = min(length, most) if expands else length
        for k in chosen:
            s[k, X] = max(s[k, X] - length * s[k, P], 0.0)
            s[k, G] -= length * s[k, AP]
        if expands:
            for k in chosen:
                if s[k, X] > 0.0:
                    s[k, X] = max(s[k, X] - EXPANSION / largest * s[k, G], 0.0)
            status = gradient(tables, chosen) if status == 0 else status
        if expands or frees:
            restart(s, chosen)
        else:
            conjugate(s, chosen, curvature)
    return status


@inlined
def restart(s, chosen):
    """p ← the free part of the gradient."""
    for k in chosen:
        s[k, P] = s[k, G] if s[k, X] > 0.0 else 0.0


@inlined
def conjugate(s, chosen, curvature):
    """p ← the free part of the gradient, conjugate to the last p."""
    overlap = 0.0
    for k in chosen:
        overlap += s[k, G] * s[k, AP] if s[k, X] > 0.0 else 0.0
    for k in chosen:
        s[k, P] = (s[k, G] if s[k, X] > 0.0 else 0.0) - overlap / curvature * s[k, P]


@inlined
def squares(s, chosen):
    """|free part|² and |chopped part|² of the gradient, and the largest gap that should be 0 [m]."""
    free = bound = worst = 0.0
    for k in chosen:
        if s[k, X] > 0.0:
            free += s[k, G] * s[k, G]
            worst = max(worst, abs(s[k, G]) / s[k, SCALE])
        elif s[k, G] < 0.0:
            bound += s[k, G] * s[k, G]
            worst = max(worst, -s[k, G] / s[k, SCALE])
    return free, bound, worst


@inlined
def first_bound(s, chosen):
    """The length along −p at which the first x becomes 0."""
    most = 1e300
    for k in chosen:
        if s[k, P] > 0.0:
            most = min(most, s[k, X] / s[k, P])
    return most


@internal
def gradient(tables, chosen):
    """A x − b of these contacts. Returns a status."""
    contacts = view(tables, Contacts)
    status = apply(tables, chosen, X, G)
    for k in chosen:
        contacts.scratch[k, G] += contacts.scratch[k, SCALE] * contacts.kept_impulse[k, 0]
    return status


@internal
def multiply(tables, chosen):
    """A p of these contacts. Returns a status."""
    return apply(tables, chosen, P, AP)


@inlined
def apply(tables, chosen, given, result):
    """`result` ← A `given`, columns of `Contacts.scratch`. Returns a status."""
    contacts, transient = view(tables, Contacts), view(tables, TransientRows)
    s, y, status = contacts.scratch, contacts.step, 0
    for c in range(y.shape[0]):
        y[c] = 0.0
    for k in chosen:
        add_transient_impulse(transient, k, 0, s[k, SCALE] * s[k, given], y)
    if contacts.lam.shape[0] > 0:
        status = project_increment(tables, y, 0)
    for k in chosen:
        s[k, result] = s[k, SCALE] * along(transient, k, y)
    return status


@internal
def shorten(tables, d):
    """Shorten the movement of groups whose second order makes overlap anew. Returns a status."""
    contacts, transient, bodies = view(tables, Contacts), view(tables, TransientRows), view(tables, Bodies)
    v = view(tables, State).v
    copy(v, contacts.trial)
    copy(d, v)
    status = locate_markers(tables)
    copy(contacts.trial, v)
    for g in range(contacts.sums.shape[0]):
        contacts.sums[g, PART] = 1.0
    for k in range(transient.used[0]):
        g = group_of(contacts, transient, k)
        turning, way = turning_and_speed(tables, k)
        allowed = -ANEW * contacts.sums[g, DEEPEST]
        if contacts.sums[g, PART] * 0.5 * turning * way > allowed:
            contacts.sums[g, PART] = 2.0 * allowed / (turning * way)
    for i in range(bodies.index.shape[0]):
        part, first = contacts.sums[contacts.group[i], PART], bodies.index[i].first_v
        if part < 1.0:
            for c in range(first, first + bodies.index[i].nv):
                d[c] *= part
    return status
