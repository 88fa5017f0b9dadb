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
    transient_row_rate,
    view,
)
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.groups import NEAR, group_bodies, group_of
from mbplugin_contact.short_enough import turning_and_speed

#: part of the overlap that may be left
MIN_PART_LEFT = 1e-3
#: iterations at most
MAX_ITERATIONS = 200
#: part of the overlap that turning may make anew
PART_MADE_ANEW = 0.25
#: a step of the gradient, over the largest |A p| / |p| that was met
EXPANSION = 1.5


@internal
def remove_deep_overlap(tables, d, left):
    """Reads gaps and impulses of contacts; improves the movement d of groups whose overlap it does not
    remove, and shortens it where bodies turn far. left: part of the overlap of a group that may be left.
    Returns a status.
    """
    contacts, transient = view(tables, Contacts), view(tables, TransientRows)
    group_bodies(tables, NEAR)
    for k in range(transient.used[0]):
        group, gap = contacts.groups[group_of(contacts, transient, k)], contacts.overlap[k].gap
        group.deepest = min(group.deepest, gap)
        group.worst = min(group.worst, gap + transient_row_rate(transient, k, 0, d))
        group.contacts += 1
    list_by_groups(tables)
    for g in range(contacts.group.shape[0]):
        if contacts.groups[g].worst < left * contacts.groups[g].deepest:
            status = remove_from_group(tables, d, g, left)
            if status != 0:
                return status
    return shorten(tables, d)


@internal
def list_by_groups(tables):
    """Write `Contacts.order`: the contacts of each group, one group after the other."""
    contacts, transient, first = view(tables, Contacts), view(tables, TransientRows), 0
    for g in range(contacts.group.shape[0]):
        group = contacts.groups[g]
        group.first = first
        first += group.contacts
        group.contacts = 0
    for k in range(transient.used[0]):
        group = contacts.groups[group_of(contacts, transient, k)]
        contacts.order[group.first + group.contacts] = k
        group.contacts += 1


@internal
def remove_from_group(tables, d, g, left):
    """The movement of group g. Returns a status."""
    contacts, transient, group = (
        view(tables, Contacts),
        view(tables, TransientRows),
        view(tables, Contacts).groups[g],
    )
    chosen = contacts.order[group.first : group.first + group.contacts]
    for k in chosen:
        overlap = contacts.overlap[k]
        overlap.scale = 1.0 / sqrt(contacts.W[k, 0])
        overlap.x = overlap.first = overlap.impulse / overlap.scale
    status = minimize(tables, chosen, left * group.deepest)
    for k in chosen:
        overlap = contacts.overlap[k]
        change = overlap.scale * (overlap.x - overlap.first)
        overlap.impulse += change
        add_transient_impulse(transient, k, 0, change, d)
    return status or (project_increment(tables, d, 0) if contacts.lam.shape[0] > 0 else 0)


@internal
def minimize(tables, chosen, left):
    """Write x of these contacts, until no gap is below `left` [m], nor one above −`left` where x > 0. Returns
    a status.
    """
    s, largest = view(tables, Contacts).overlap, 1.0
    status = find_gradient(tables, chosen)
    for _ in range(MAX_ITERATIONS):
        free, bound, worst = squares(s, chosen)
        if status != 0 or worst <= -left:
            break
        frees = bound > free
        if frees:
            for k in chosen:
                s[k].direction = min(s[k].gradient, 0.0) if s[k].x == 0.0 else 0.0
        status = apply(tables, chosen)
        slope = curvature = size = 0.0
        for k in chosen:
            slope += s[k].gradient * s[k].direction
            curvature += s[k].image * s[k].direction
            size += s[k].direction * s[k].direction
        if not curvature > 1e-14 * largest * size:
            break
        largest = max(largest, curvature / size)
        length, most = slope / curvature, first_bound(s, chosen)
        expands = length > most and not frees
        length = min(length, most) if expands else length
        for k in chosen:
            s[k].x = max(s[k].x - length * s[k].direction, 0.0)
            s[k].gradient -= length * s[k].image
        if expands:
            for k in chosen:
                if s[k].x > 0.0:
                    s[k].x = max(s[k].x - EXPANSION / largest * s[k].gradient, 0.0)
            status = status or find_gradient(tables, chosen)
        elif frees:
            turn(s, chosen, 0.0)
        else:
            overlap = 0.0
            for k in chosen:
                overlap += s[k].gradient * s[k].image if s[k].x > 0.0 else 0.0
            turn(s, chosen, overlap / curvature)
    return status


@inlined
def turn(s, chosen, part):
    """p ← the free part of the gradient, less a part of the last p."""
    for k in chosen:
        s[k].direction = (s[k].gradient if s[k].x > 0.0 else 0.0) - part * s[k].direction


@inlined
def squares(s, chosen):
    """|free part|² and |chopped part|² of the gradient, and the largest gap that should be 0 [m]."""
    free = bound = worst = 0.0
    for k in chosen:
        gradient = s[k].gradient
        if s[k].x > 0.0:
            free += gradient * gradient
            worst = max(worst, abs(gradient) / s[k].scale)
        elif gradient < 0.0:
            bound += gradient * gradient
            worst = max(worst, -gradient / s[k].scale)
    return free, bound, worst


@inlined
def first_bound(s, chosen):
    """The length along −p at which the first x becomes 0."""
    most = 1e300
    for k in chosen:
        if s[k].direction > 0.0:
            most = min(most, s[k].x / s[k].direction)
    return most


@internal
def find_gradient(tables, chosen):
    """Write the gradient A x − b of these contacts, and its free part as p. Returns a status."""
    s = view(tables, Contacts).overlap
    for k in chosen:
        s[k].direction = s[k].x
    status = apply(tables, chosen)
    for k in chosen:
        s[k].gradient = s[k].image + s[k].scale * s[k].gap
    turn(s, chosen, 0.0)
    return status


@internal
def apply(tables, chosen):
    """Write the image A p of these contacts. Returns a status."""
    contacts, transient = view(tables, Contacts), view(tables, TransientRows)
    s, y, status = contacts.overlap, contacts.step, 0
    for c in range(y.shape[0]):
        y[c] = 0.0
    for k in chosen:
        add_transient_impulse(transient, k, 0, s[k].scale * s[k].direction, y)
    if contacts.lam.shape[0] > 0:
        status = project_increment(tables, y, 0)
    for k in chosen:
        s[k].image = s[k].scale * transient_row_rate(transient, k, 0, y)
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
    for g in range(contacts.group.shape[0]):
        contacts.groups[g].movement = 1.0
    for k in range(transient.used[0]):
        group = contacts.groups[group_of(contacts, transient, k)]
        turning, way = turning_and_speed(tables, k)
        allowed = -PART_MADE_ANEW * group.deepest
        if group.movement * 0.5 * turning * way > allowed:
            group.movement = 2.0 * allowed / (turning * way)
    for i in range(bodies.index.shape[0]):
        part, first = contacts.groups[contacts.group[i]].movement, bodies.index[i].first_v
        if part < 1.0:
            for c in range(first, first + bodies.index[i].nv):
                d[c] *= part
    return status
