"""Sweeps over contacts, and how well all of them obey their laws."""

from __future__ import annotations

from mbplugin.interface import internal
from mbplugin.stepping import run_part, view
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.laws import RESIDUAL, SWEEP
from mbplugin_contact.operators import relative_velocities
from mbplugin_contact.parts import LAW


@internal
def sweep(tables):
    """One sweep over all contacts: impulses and `State.v` change."""
    run_part(tables, LAW, SWEEP)


@internal
def law_residual(tables, v):
    """The largest residual of all contacts at velocities v (nv,) [m/s], which are left as `Contacts.u`; each
    is in `Contacts.contact_residual`.
    """
    relative_velocities(tables, v)
    run_part(tables, LAW, RESIDUAL)
    return view(tables, Contacts).record[0].largest
