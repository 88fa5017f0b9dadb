"""Surfaces that move relative to their bodies, as of conveyors: relative velocities are those of materials.

    u = G v + (0, s · t₁, s · t₂),   s = R_b s_b(t) − R_a s_a(t)

with the velocity s(t) of each surface in the axes of its body, R in the middle of the step. Friction acts on
this u. The part of s along the normal is left out: material neither enters a surface nor leaves it. At the
ends of a step s is taken from its value and derivatives in the middle.
"""

from __future__ import annotations

from mbplugin.interface import inlined, internal
from mbplugin.math.vec3 import add, dot, load, store, sub
from mbplugin.stepping import Step, TransientRows, transient_rates, view
from mbplugin.stepping.shapes import surface_velocity
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.impulses import impulse_at


@internal
def set_belt(tables, k, i, j, first, second):
    """`Contacts.belt_before` and `belt` of contact k of shapes i and j, with these tangents."""
    contacts, h = view(tables, Contacts), view(tables, Step).record[0].length
    for end in range(2):
        ahead = (end - 0.5) * h
        s = sub(surface_velocity(tables, j, ahead), surface_velocity(tables, i, ahead))
        store(contacts.belt if end == 1 else contacts.belt_before, k, (0.0, dot(s, first), dot(s, second)))


@inlined
def rates_before(tables, k, v):
    """u of contact k at velocities v of the start of the step."""
    contacts, u = view(tables, Contacts), transient_rates(view(tables, TransientRows), k, v)
    return add(u, load(contacts.belt_before, k)) if contacts.record[0].belts == 1 else u


@inlined
def rates_after(tables, k, v):
    """u of contact k at velocities v of its end."""
    contacts, u = view(tables, Contacts), transient_rates(view(tables, TransientRows), k, v)
    return add(u, load(contacts.belt, k)) if contacts.record[0].belts == 1 else u


@internal
def work_of_belts(tables):
    """Work that belts put in during the step [J]: in u their contacts dissipate more than bodies lose."""
    contacts, transient, work = view(tables, Contacts), view(tables, TransientRows), 0.0
    if contacts.record[0].belts == 1:
        for k in range(transient.used[0]):
            both = add(load(contacts.belt_before, k), load(contacts.belt, k))
            work -= 0.5 * dot(impulse_at(transient, k), both)
    return work
