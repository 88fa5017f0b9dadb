"""Whether a step is short enough for surfaces that move past each other. A longer one is taken in parts.

A row n · (x + h u) ≥ −φ foresees a gap to first order, from the middle of a step to that of the next one.
A surface whose velocity u turns at the rate ω misses its foreseen place by ½ h² ω |u|. That is compared
with the thickness of the thinner shape, for pairs that may meet in the step. It is 0 for balls,
and for bodies that turn together.

The first half of a step may be longer than the last half of the one before; at the start of a run there was
none. In the time by which it is longer no gap was foreseen: where bodies have come to overlap in it, or
through each other, the step is divided.

A half-space has no other side: pairs with one are left out.
"""

from __future__ import annotations

from math import inf, sqrt

from mbplugin.interface import internal
from mbplugin.math.vec3 import load, norm, sub
from mbplugin.stepping import (
    NO_SOLUTION,
    TOO_LONG,
    Markers,
    State,
    Step,
    TransientMarkers,
    TransientRows,
    copy,
    locate_markers,
    view,
)
from mbplugin.stepping.shapes import Shapes, shape_pose
from mbplugin_contact.ahead import locate_middle, velocity_at
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.sizes import FORESEEN

#: largest overlap that may arise in the first half of a step, in thicknesses
MADE = 5e-3
#: shortest part into which a step is divided, relative to it
SHORTEST = 1e-4
#: length of a step that ends before two shapes can meet, relative to the time to their meeting
BEFORE_MEETING = 0.9


@internal
def check_length(tables, h):
    """A status: `TOO_LONG`, with the length in `Step.record.h`; `NO_SOLUTION` where no part of the step is
    short enough.
    """
    return 0 if seems_short(tables, h) else length_status(tables, h, True)


@internal
def check_after_impacts(tables, h):
    """A status as of `check_length`, for bodies that an impact has struck, at their velocities after it."""
    contacts, transient, struck = view(tables, Contacts), view(tables, TransientRows), False
    for k in range(transient.used[0]):
        hit = transient.impulse[3 * k] > 0.0 and contacts.before[k, 0] < -contacts.record[0].impact
        struck = struck or (hit and pair_thickness(tables, contacts.key[k]) < inf)
    if not struck or view(tables, Step).record[0].estimate == 0:
        return 0
    copy(view(tables, State).v, contacts.trial)
    status = locate_markers(tables)
    too_long = length_status(tables, h, False) if status == 0 else 0
    return locate_middle(tables, status) or too_long


@internal
def length_status(tables, h, first_half):
    """The status of a step of this length at the twists of markers; first_half: also by what has come to
    overlap in its first half.
    """
    contacts, step = view(tables, Contacts), view(tables, Step).record[0]
    allowed, fastest = h, -1
    for k in range(view(tables, TransientRows).used[0]):
        thickness = pair_thickness(tables, contacts.key[k])
        if thickness < inf:
            turning = length_for_turning(tables, k, thickness, h)
            if turning < allowed:
                allowed, fastest = turning, contacts.key[k]
            if first_half and comes_through(tables, k, thickness, h):
                allowed = min(allowed, 0.5 * h)
    shortest = SHORTEST * step.fixed
    if allowed >= h or h <= shortest:
        return 0
    if fastest >= 0 and allowed < 0.1 * shortest:
        contacts.record[0].refused, contacts.record[0].refused_overlap = fastest, 0.0
        return NO_SOLUTION
    step.h = max(allowed, shortest)
    return TOO_LONG


@internal
def seems_short(tables, h):
    """Whether the largest speeds of all shapes prove a step short enough for every pair; true also for a
    frame inside a step, which was checked itself.
    """
    record = view(tables, Contacts).record[0]
    if view(tables, Step).record[0].estimate == 0:
        return True
    # no two points that are compared have a relative velocity above 3 margins / h
    foreseen = 1.5 * h * record.turning * record.margin <= FORESEEN * record.thinnest
    return foreseen and h <= (1.0 + 1e-9) * view(tables, State).history[0]


@internal
def pair_thickness(tables, key):
    """The thickness of the thinner one of a pair of shapes [m]; infinite if one is a half-space."""
    contacts, n = view(tables, Contacts), view(tables, Shapes).index.shape[0]
    a, b = contacts.thickness[key // n], contacts.thickness[key % n]
    return min(a, b) if max(a, b) < inf else inf


@internal
def comes_through(tables, k, thickness, h):
    """Whether the shapes of contact k overlap, or have come through each other, since the time up to which
    the last step has foreseen their gap.
    """
    gap, u = view(tables, TransientRows).phi[3 * k], view(tables, Contacts).before[k, 0]
    unforeseen = 0.5 * (h - view(tables, State).history[0])
    made = MADE * thickness
    return unforeseen * abs(u) > made and min(gap, gap - unforeseen * u) < -made


@internal
def length_for_turning(tables, k, thickness, h):
    """The length of a step that foresees the gap of contact k well enough [s]; infinite where any length
    does.
    """
    turning, speed = turning_and_speed(tables, k)
    gap = max(view(tables, TransientRows).phi[3 * k], 0.0)
    miss = 0.5 * h * h * turning * speed
    if gap > h * speed or miss <= FORESEEN * thickness:
        return inf
    return h * max(sqrt(FORESEEN * thickness / miss), BEFORE_MEETING * gap / (h * speed))


@internal
def turning_and_speed(tables, k):
    """Rate at which the velocities of the shapes of contact k turn [rad/s], and an upper bound of the
    relative speed of their points [m/s], by the twists of markers.
    """
    contacts = view(tables, Contacts)
    n = view(tables, Shapes).index.shape[0]
    i, j = contacts.key[k] // n, contacts.key[k] % n
    turning = max(rate_of_turning(tables, i), rate_of_turning(tables, j))
    if turning == 0.0:
        return 0.0, 0.0
    markers = view(tables, TransientMarkers)
    x_i, x_j = load(markers.x, 2 * k), load(markers.x, 2 * k + 1)
    w_i, w_j = spin(tables, i), spin(tables, j)
    u, reach = sub(velocity_of(tables, j, x_j), velocity_of(tables, i, x_i)), inf
    if contacts.spin_counts[i] == 2:
        reach = min(reach, farthest(tables, i, x_i))
    if contacts.spin_counts[j] == 2:
        reach = min(reach, farthest(tables, j, x_j))
    speed = norm(u)
    if contacts.spin_counts[i] == 2 and contacts.spin_counts[j] == 2:
        speed += norm(sub(w_j, w_i)) * reach
    return turning, speed


@internal
def spin(tables, i):
    """Angular velocity of shape i [rad/s]."""
    m = view(tables, Shapes).index[i].marker
    return load(view(tables, Markers).w, m) if m >= 0 else (0.0, 0.0, 0.0)


@internal
def rate_of_turning(tables, i):
    """Rate at which velocities of the surface of shape i turn [rad/s]; 0 of a ball that moves freely."""
    return norm(spin(tables, i)) if view(tables, Contacts).spin_counts[i] > 0 else 0.0


@internal
def velocity_of(tables, i, x):
    """Velocity of shape i at its point x; of a ball that of its centre [m/s]."""
    if view(tables, Contacts).spin_counts[i] == 2:
        return velocity_at(tables, i, x)
    centre, _ = shape_pose(tables, i)
    return velocity_at(tables, i, centre)


@internal
def farthest(tables, i, x):
    """Distance of x from the farthest point of shape i, at most [m]."""
    centre, _ = shape_pose(tables, i)
    return norm(sub(centre, x)) + view(tables, Contacts).radius[i]
