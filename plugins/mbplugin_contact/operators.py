"""Relative velocities of contacts, residuals of their laws, their own masses, velocities by impulses."""

from __future__ import annotations

from mbplugin.interface import inlined, internal
from mbplugin.math.emitters.triple_products import RIGID
from mbplugin.math.vec3 import add, load, store
from mbplugin.stepping import (
    TransientRows,
    add_transient_columns,
    inverse_mass_of_links,
    run_part,
    transient_rates,
    view,
)
from mbplugin.stepping.members import members_of
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.impulses import impulse_at
from mbplugin_contact.in_plane import touches_in_plane
from mbplugin_contact.islands import CONTACTS, island
from mbplugin_contact.laws import RESIDUAL
from mbplugin_contact.parts import LAW
from mbplugin_contact.rolling import TOUCHES, own_masses_of_moments

#: part of the inverse mass of a link in the W of its contacts
LOOSENESS = 1e-6


@internal
def relative_velocities(tables, v):
    """u = G v + bias of every contact of the island into `Contacts.u`; v (nv,)."""
    transient, contacts = view(tables, TransientRows), view(tables, Contacts)
    for k in island(contacts, CONTACTS):
        store(contacts.u, k, add(transient_rates(transient, k, v), load(contacts.bias, k)))


@internal
def add_impulses(tables, v):
    """v ← v + M⁻¹ Gᵀ r of all contacts of the island."""
    transient, contacts = view(tables, TransientRows), view(tables, Contacts)
    for k in island(contacts, CONTACTS):
        n, a, b = impulse_at(transient, k)
        add_transient_columns(transient, transient.X, k, n, a, b, v)


@internal
def own_masses(tables):
    """W = G M⁻¹ Gᵀ and ρ = 3 / trace(W) of every contact.

    Where joints that carry a link let it move on a line or not at all, W is singular, and local solutions
    would grow without limit along what moves nothing: there W has a small part of the link's own, with which
    a sweep keeps the impulse that is there.
    """
    transient, contacts = view(tables, TransientRows), view(tables, Contacts)
    W, rho, planar = contacts.W, contacts.rho, contacts.record[0].planar
    for k in range(transient.used[0]):
        w = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        for m in members_of(transient, k):
            member = transient.member[m]
            if member.nv == RIGID:
                w = add_masses(w, transient.G, transient.X, member.first_G, RIGID)
            else:
                w = add_masses(w, transient.G, transient.X, member.first_G, member.nv)
        w0, w1, w2, w4, w5, w8 = w
        loose = LOOSENESS * inverse_mass_of_links(tables, k)
        w = (w0 + loose, w1, w2, w4 + loose, w5, w8 + loose)
        if planar > 0 and touches_in_plane(tables, k):
            # nothing moves along the second tangent, and nothing acts there
            w = (w[0], w[1], 0.0, w[3], 0.0, w[3])
        if contacts.turns[k] != TOUCHES:
            w = own_masses_of_moments(contacts, k, w)
        W[k, 0], W[k, 1], W[k, 2] = w[0], w[1], w[2]
        W[k, 3], W[k, 4], W[k, 5] = w[1], w[3], w[4]
        W[k, 6], W[k, 7], W[k, 8] = w[2], w[4], w[5]
        rho[k] = 3.0 / (w[0] + w[3] + w[5])


@inlined
def add_masses(w, G, X, a, nv):
    """The upper half of W, with the part of a body of nv velocities."""
    w0, w1, w2, w4, w5, w8 = w
    b, d = a + nv, a + 2 * nv
    for c in range(nv):
        w0 += G[a + c] * X[a + c]
        w1 += G[a + c] * X[b + c]
        w2 += G[a + c] * X[d + c]
        w4 += G[b + c] * X[b + c]
        w5 += G[b + c] * X[d + c]
        w8 += G[d + c] * X[d + c]
    return w0, w1, w2, w4, w5, w8


@inlined
def begin_attempt(contacts, k):
    """Write σ, the map and the target of attempt k of the plan."""
    record, attempt = contacts.record[0], contacts.attempts[k]
    record.penalty, record.exact = attempt.penalty, attempt.exact
    record.target = record.goal * (attempt.costly_target if record.costly == 1 else attempt.target)


@internal
def law_residual(tables, v):
    """The largest residual of all contacts at velocities v (nv,) [m/s], which are left as `Contacts.u`; each
    is in `Contacts.contact_residual`.
    """
    relative_velocities(tables, v)
    run_part(tables, LAW, RESIDUAL)
    return view(tables, Contacts).record[0].largest
