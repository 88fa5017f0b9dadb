"""Where paths inside the cones begin: far from all solutions, at impulses that stop the fastest contact."""

from __future__ import annotations

from mbplugin.interface import internal
from mbplugin.stepping import Pool, State, run_part, view
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.islands import copy_velocities
from mbplugin_contact.laws import CONE, CONES
from mbplugin_contact.operators import relative_velocities
from mbplugin_contact.parts import LAW

#: columns of `Contacts.scratch`: s and ψ, steps of r, s and ψ, E and −D_TN / D_NN of `eliminated`
SLACK, PSI, STEP_OF_R, STEP_OF_SLACK, STEP_OF_PSI, E, ALONG = 0, 3, 4, 7, 10, 11, 15


@internal
def begin(tables):
    """Impulses of contacts and slacks inside their cones; joints have none, and velocities are those without
    impulses.
    """
    contacts, r, v = view(tables, Contacts), view(tables, Pool).impulse, view(tables, State).v
    copy_velocities(contacts, contacts.v_free, v)
    for i in range(contacts.record[0].first_row, contacts.record[0].end_row):
        contacts.impulse[contacts.rows[i]] = 0.0
    relative_velocities(tables, v)
    speed = contacts.record[0].sliding_threshold
    for s in range(contacts.record[0].first_contact, contacts.record[0].end_contact):
        k = contacts.order[s]
        r[3 * k + 1] = r[3 * k + 2] = 0.0
        speed = max(speed, abs(contacts.u[k, 0]), abs(contacts.u[k, 1]), abs(contacts.u[k, 2]))
    run_part(tables, LAW, CONES)
    for s in range(contacts.record[0].first_contact, contacts.record[0].end_contact):
        k = contacts.order[s]
        r[3 * k] = contacts.rho[k] * speed - contacts.scratch[k, CONE + 1]
        contacts.scratch[k, SLACK] = max(contacts.u[k, 0], 0.0) + speed
        contacts.scratch[k, SLACK + 1] = contacts.scratch[k, SLACK + 2] = 0.0
        contacts.scratch[k, PSI] = speed
        # contacts without friction do not change it
        contacts.scratch[k, STEP_OF_PSI] = 0.0
