"""Calls of the solver's functions through their addresses."""

from __future__ import annotations

from mbplugin.kernels.view import call_batch, view
from mbplugin.math.jit import internal
from mbplugin.stepping.coordinates import project
from mbplugin.stepping.impacts import forget_impacts, lack_places
from mbplugin.stepping.snapshot import restore_start
from mbplugin.tables.groups import EntryPoints, State, Step
from mbplugin.tables.status import OVERFLOW


@internal
def begin_step(tables):
    """Call `begin_step`; the tables hold the start of the step and its factor. Returns a status."""
    address = view(tables, EntryPoints).begin_step[0]
    if address == 0:
        return 0
    return call_batch(address, 0, 0, tables)  # type: ignore[call-arg]


@internal
def try_step(tables, h):
    """The solver's step of length h from the state in the tables. Returns a status.

    The wrapper passes on `Step.record.length` as h (`codegen/solver_text.py`). Leaves the end of the step in
    the tables and its error estimate in `Step.record.error`.
    """
    step = view(tables, Step).record[0]
    step.length, step.error, step.projected = h, 0.0, 0
    forget_impacts(tables)
    status = call_batch(view(tables, EntryPoints).try_step[0], 0, 0, tables)  # type: ignore[call-arg]
    return OVERFLOW if status == 0 and lack_places(tables) else status


@internal
def step_of_length(tables, h):
    """A projected step of length h from the start of the last one, without error estimate. Returns a
    status.
    """
    step = view(tables, Step).record[0]
    restore_start(tables)
    step.estimate = 0
    status = try_step(tables, h)
    step.estimate = 1
    if status != 0 or step.projected == 1:
        return status
    view(tables, State).time[0] = step.t0 + h
    return project(tables)


@internal
def run_part(tables, k, number):
    """Call the part at place k of `CompiledSolver.parts` with this number. Returns its status."""
    return call_batch(view(tables, EntryPoints).parts[k], number, 0, tables)
