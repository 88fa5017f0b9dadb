"""Rolling and spinning friction: moments at a contact, bounded by its normal impulse.

    |m_T| ≤ δ r_N,   ω_T ≠ 0 ⇒ m_T = −δ r_N ω_T / |ω_T|;      the same of m_N, ω_N with ε

with the lengths δ of rolling and ε of spinning, and ω the angular velocity of b relative to a. In the form of
De Saxcé and Feng, u alone is shifted, and r and m are in one cone (V. Acary & F. Bourrier, Eur. J. Mech.
A/Solids 85 (2021) 104046, for rolling): the law of the contact itself stays what it is, and r_N is all that
the moments know of it.

So the moments are blocks of rows of their own, behind the block of their contact, with the same rows: the
normal, in which they give no impulse, and two tangential rows. Those of rolling are L (ω × n) · t₁ and t₂,
those of spinning L ω · n and 0, so that velocities are in m/s and the impulse m / L is bounded by δ / L r_N,
as friction is. L is the radius of the smaller shape. In their slope the column of the normal row is there,
for Newton's method of all contacts.

p of such a block: δ / L, and the present bound of r_N.
"""

from __future__ import annotations

from math import inf

from mbplugin.interface import ContactLaw, inlined, internal
from mbplugin.math.vec3 import scale, store
from mbplugin.stepping import (
    OVERFLOW,
    TransientMarkers,
    TransientRows,
    add_transient_block,
    request_capacity,
    set_block_points,
    set_row,
    view,
)
from mbplugin.stepping.shapes import MOMENT
from mbplugin_contact.arrays import CONTACT, Contacts
from mbplugin_contact.coulomb import impulse_map, local_impulse, slope_of_map

coulomb_map, coulomb_slope, coulomb_solve = (
    internal(impulse_map),
    internal(slope_of_map),
    internal(local_impulse),
)
#: kinds of blocks of a contact: `Contacts.turns`
TOUCHES, ROLLS, SPINS = range(3)
NOTHING = (0.0, 0.0, 0.0)


def moments_within(x, y, z, p):
    """The nearest moments within the bound p[1]; x is not used. No impulse along the normal."""
    _, a, b, status = coulomb_map(p[1], y, z, p)
    return 0.0, a, b, status


def slope(x, y, z, p):
    """∂/∂(bound, y, z)."""
    _, _, _, g, a, b, h, c, d = coulomb_slope(p[1], y, z, p)
    return 0.0, 0.0, 0.0, g, a, b, h, c, d


def slope_within(x, y, z, p):
    """The same at a bound that is held; symmetric."""
    _, _, _, _, a, b, _, c, d = coulomb_slope(p[1], y, z, p)
    return 0.0, 0.0, 0.0, 0.0, a, b, 0.0, c, d


def solve(W, q_n, q_1, q_2, p):
    """The moments with ω = W m + q at the bound p[1], by Coulomb's law with that normal impulse."""
    tangential = (1.0, 0.0, 0.0, 0.0, W[4], W[5], 0.0, W[5], W[8])
    _, a, b, status = coulomb_solve(tangential, -p[1], q_1, q_2, p)
    return 0.0, a, b, status


def cone(p):
    return p[0], 0.0


class Moments(ContactLaw):
    """Moments bounded by the normal impulse of their contact; no `[[contact]]` names it as its `type`."""

    name = "moments"
    map = staticmethod(moments_within)
    slope = staticmethod(slope)
    solve = staticmethod(solve)
    projection = staticmethod(moments_within)
    slope_of_projection = staticmethod(slope_within)
    cone = staticmethod(cone)


@inlined
def bearing(contacts, k):
    """The contact whose normal impulse bounds block k: itself, or that before its moments."""
    return contacts.bounded_by[k] if contacts.bounded_by[k] >= 0 else k


@inlined
def moments_of(tables, c):
    """The blocks of moments of contact c, which follow it."""
    contacts, end = view(tables, Contacts), c + 1
    while end < view(tables, TransientRows).used[0] and contacts.turns[end] != TOUCHES:
        end += 1
    return range(c + 1, end)


@internal
def add_moments(tables, c, i, j, x_a, x_b, axes):
    """Add the blocks of moments of contact c, the last block, of shapes i and j at their points. axes: normal
    and tangents. Returns a status.
    """
    contacts = view(tables, Contacts)
    rule, normal, first, second = contacts.rules[contacts.rule[c]], axes[0], axes[1], axes[2]
    L, status = lever(contacts, i, j), 0
    if rule.rolling > 0.0:
        # ω × n along t₁ is ω · t₂, along t₂ it is −ω · t₁
        rows = (second, scale(-1.0, first))
        status = add_block(tables, c, ROLLS, rule.rolling / L, x_a, x_b, axes, rows, L)
    if rule.spinning > 0.0 and status == 0:
        # the normal is an axis of the block, in which impulses are kept from step to step
        turned = (second, normal, first)
        status = add_block(tables, c, SPINS, rule.spinning / L, x_a, x_b, turned, (normal, NOTHING), L)
    return status


@internal
def lever(contacts, i, j):
    """L: the radius of the smaller one of two shapes [m]; of points the smallest one of the scene."""
    smallest = inf
    for radius in (contacts.radius[i], contacts.radius[j]):
        if radius > 0.0:
            smallest = min(smallest, radius)
    return smallest if smallest < inf else contacts.record[0].size


@internal
def add_block(tables, c, turns, ratio, x_a, x_b, axes, rotations, L):
    """Add a block of moments of contact c. axes: of its markers, in which its impulses are kept; rotations:
    axes of its tangential rows. Returns a status.
    """
    contacts, transient, markers = (
        view(tables, Contacts),
        view(tables, TransientRows),
        view(tables, TransientMarkers),
    )
    k = add_transient_block(tables, markers.index[2 * c].part, markers.index[2 * c + 1].part, 3, MOMENT)
    if k < 0:
        return OVERFLOW
    if k >= contacts.key.shape[0]:
        return request_capacity(tables, CONTACT, k + 1)
    contacts.key[k], contacts.feature[k], contacts.rule[k] = (
        contacts.key[c],
        contacts.feature[c],
        contacts.rule[c],
    )
    contacts.bounded_by[k], contacts.turns[k] = c, turns
    store(contacts.belt, k, NOTHING)
    store(contacts.belt_before, k, NOTHING)
    transient.friction[k] = ratio
    transient.phi[3 * k] = transient.phi[3 * c]
    n, s, t = axes
    set_block_points(tables, k, x_a, x_b, (n[0], s[0], t[0], n[1], s[1], t[1], n[2], s[2], t[2]))
    first, own = 12 * transient.index[c].first_row, 12 * transient.index[k].first_row
    for i in range(12):
        transient.G_marker[own + i] = transient.G_marker[first + i]
    set_row(tables, k, 1, NOTHING, scale(L, rotations[0]))
    set_row(tables, k, 2, NOTHING, scale(L, rotations[1]))
    return 0


@inlined
def own_masses_of_moments(contacts, k, w):
    """W of block k of moments, the upper half: along what nothing turns it is that of another row, so that it
    is regular; nothing acts there.
    """
    w0, _, _, w4, _, w8 = w
    if contacts.turns[k] == SPINS:
        w8 = w4
    if w4 + w8 == 0.0:
        w4 = w8 = w0
    return w0, w[1], w[2], w4, 0.0 if contacts.turns[k] == SPINS else w[4], w8
