"""Calls of the large parts of a step through their addresses (`large.py`), as in `kernels/core.py`."""

from __future__ import annotations

from mbplugin.kernels.view import call_batch, view
from mbplugin.math.jit import internal
from mbplugin.tables.groups import Core

#: what is at hand when rates are evaluated: nothing, or M, G and the factor of the present state
NOTHING, FACTOR = range(2)


@internal
def evaluate_rates(tables):
    """q̇, v̇, the rates of the auxiliary states, and λ at the present state. Returns a status."""
    return call_batch(view(tables, Core).rates[0], NOTHING, 0, tables)


@internal
def rates_on_constraints(tables):
    """The same where G, M and the factor are those of the present state already, as projections leave them."""
    return call_batch(view(tables, Core).rates[0], FACTOR, 0, tables)


@internal
def project(tables):
    """Positions and velocities of the present state onto the constraints, with the smallest change in the norm of M.

    Returns a status; the position residual that is left is `Step.record.residual`.
    """
    return call_batch(view(tables, Core).project[0], 0, 0, tables)


@internal
def find_switch(tables):
    """The first switch of an expression of time in the step that is due: `switches.find_switch`."""
    call_batch(view(tables, Core).find_switch[0], 0, 0, tables)


@internal
def pass_switch(tables):
    """Past the switch that was found: `switches.pass_switch`. Returns a status."""
    return call_batch(view(tables, Core).pass_switch[0], 0, 0, tables)


@internal
def locate_event(tables):
    """Back to the first event in the step that was taken: `events.locate_event`. Returns a status."""
    return call_batch(view(tables, Core).locate_event[0], 0, 0, tables)
