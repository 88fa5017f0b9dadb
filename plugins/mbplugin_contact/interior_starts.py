"""Where paths inside the cones begin: far from all solutions, or near the last step."""

from __future__ import annotations

from math import sqrt

from mbplugin.interface import internal
from mbplugin.stepping import Pool, State, run_part, view
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.drift import velocities_of_impulses
from mbplugin_contact.laws import CONE, CONES
from mbplugin_contact.operators import relative_velocities
from mbplugin_contact.parts import LAW

#: from impulses of the size that stops all contacts; from those of the last step; the first, with patience
STOPPING, LAST, PATIENT = range(3)
#: speed by which a start at the last step is inside the cones, in `ContactRecord.rough`
INSIDE = 0.03
#: part of the cone that tangential impulses of such a start keep within
WITHIN = 0.9
#: columns of `Contacts.scratch`: s and ψ, steps of r, s and ψ, E and −D_TN / D_NN of `eliminated`
SLACK, PSI, STEP_OF_R, STEP_OF_SLACK, STEP_OF_PSI, E, ALONG = 0, 3, 4, 7, 10, 11, 15


@internal
def begin(tables, where):
    """Impulses of contacts and slacks inside their cones, with the velocities of these impulses; joints have
    none.
    """
    mine, r = view(tables, Contacts), view(tables, Pool).impulse
    for i in range(mine.record[0].first_row, mine.record[0].end_row):
        mine.impulse[mine.rows[i]] = 0.0
    for s in range(mine.record[0].first_contact, mine.record[0].end_contact):
        k = mine.contacts[s]
        for c in range(3):
            r[3 * k + c] = mine.warm[k, c] if where == LAST else 0.0
        # contacts without friction do not change it
        mine.scratch[k, STEP_OF_PSI] = 0.0
    velocities_of_impulses(tables)
    relative_velocities(tables, view(tables, State).v)
    run_part(tables, LAW, CONES)
    if where == LAST:
        begin_at_last(tables, INSIDE * mine.record[0].rough)
    else:
        begin_stopping(tables)


@internal
def begin_stopping(tables):
    """Impulses and slacks of the size of the fastest contact."""
    mine, r = view(tables, Contacts), view(tables, Pool).impulse
    speed = mine.record[0].rough
    for s in range(mine.record[0].first_contact, mine.record[0].end_contact):
        k = mine.contacts[s]
        speed = max(speed, abs(mine.u[k, 0]), abs(mine.u[k, 1]), abs(mine.u[k, 2]))
    for s in range(mine.record[0].first_contact, mine.record[0].end_contact):
        k = mine.contacts[s]
        r[3 * k] = mine.rho[k] * speed - mine.scratch[k, CONE + 1]
        mine.scratch[k, SLACK] = max(mine.u[k, 0], 0.0) + speed
        mine.scratch[k, SLACK + 1] = mine.scratch[k, SLACK + 2] = 0.0
        mine.scratch[k, PSI] = speed


@internal
def begin_at_last(tables, speed):
    """The impulses that are there, and their relative velocities as slacks, moved inside by a speed [m/s]."""
    mine, r = view(tables, Contacts), view(tables, Pool).impulse
    for s in range(mine.record[0].first_contact, mine.record[0].end_contact):
        k = mine.contacts[s]
        i, mu, offset = 3 * k, mine.scratch[k, CONE], mine.scratch[k, CONE + 1]
        n = max(r[i] + offset, 0.0) + mine.rho[k] * speed
        t = sqrt(r[i + 1] * r[i + 1] + r[i + 2] * r[i + 2])
        part = min(1.0, WITHIN * mu * n / t) if t > 0.0 else 0.0
        r[i], r[i + 1], r[i + 2] = n - offset, part * r[i + 1], part * r[i + 2]
        a, b = mine.u[k, 1], mine.u[k, 2]
        mine.scratch[k, SLACK] = max(mine.u[k, 0], 0.0) + speed
        mine.scratch[k, SLACK + 1], mine.scratch[k, SLACK + 2] = a, b
        mine.scratch[k, PSI] = sqrt(a * a + b * b) + speed
