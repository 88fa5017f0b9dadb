"""Calls of the large parts of a step through their addresses (`large.py`), as in `kernels/core.py`."""

from __future__ import annotations

from mbplugin.kernels.view import call_batch, view
from mbplugin.math.jit import internal
from mbplugin.tables.groups import Core

#: what is already evaluated at the present state: nothing, or M, G and the factor
NOTHING, FACTOR = range(2)


@internal
def evaluate_rates(tables):
    """q̇, v̇, the rates of the auxiliary states, and λ at the present state. Returns a status."""
    return call_batch(view(tables, Core).rates[0], NOTHING, 0, tables)


@internal
def rates_on_constraints(tables):
    """The same, if M, G and the factor are already those of the present state, as after a projection."""
    return call_batch(view(tables, Core).rates[0], FACTOR, 0, tables)


@internal
def project(tables):
    """Project positions and velocities onto the constraints, with the least change in the norm of M.

    Returns a status; the remaining position residual is `Step.record.residual`.
    """
    return call_batch(view(tables, Core).project[0], 0, 0, tables)


@internal
def find_switch(tables):
    """Find the first switch of an expression of time in the next step: `switches.find_switch`."""
    call_batch(view(tables, Core).find_switch[0], 0, 0, tables)


@internal
def pass_switch(tables):
    """Advance past the switch: `switches.pass_switch`. Returns a status."""
    return call_batch(view(tables, Core).pass_switch[0], 0, 0, tables)


@internal
def take_samples(tables):
    """Take the samples of inputs that are due: `samples.samples_due`. Returns a status."""
    return call_batch(view(tables, Core).take_samples[0], 0, 0, tables)


@internal
def locate_event(tables):
    """Go back to the first event in the last step: `events.locate_event`. Returns a status."""
    return call_batch(view(tables, Core).locate_event[0], 0, 0, tables)
