"""Notes what changes at the end of a step: rows that begin or cease to hold, and impacts.

Python reads the notes whenever the loop returns; the loop returns early where there might be no place for
those of another step.
"""

from __future__ import annotations

from mbplugin.kernels.by_address import by_address
from mbplugin.kernels.projection import refactor
from mbplugin.kernels.schur import free_motions
from mbplugin.kernels.view import view
from mbplugin.math.jit import inlined, internal
from mbplugin.math.vectors import fill
from mbplugin.tables.groups import Changes, Rows, State, Step
from mbplugin.tables.records import ON
from mbplugin.tables.status import OVERFLOW


@internal
def note_impulse(tables, row, impulse):
    """Let the change of a row at the end of the present step have this impulse too [N·s, N·m·s]."""
    pending = view(tables, Changes).impulse
    if pending.shape[0] > 0:
        pending[row] += impulse


@internal
def forget_impulses(tables):
    """The impacts that were found belong to a step that is not accepted."""
    fill(view(tables, Changes).impulse, 0.0)


@inlined
def are_noted(tables):
    """Whether changes are noted."""
    return view(tables, Changes).impulse.shape[0] > 0


@inlined
def notes_are_full(tables):
    """Whether the changes of one more step might find no place."""
    changes = view(tables, Changes)
    return changes.used[0] > changes.note.shape[0] - 2 * changes.impulse.shape[0]


@internal
def redundant_rows(tables):
    """Degrees of freedom, and rows that are on and depend on others, of the factored S."""
    state, dof = view(tables, State), free_motions(tables)
    redundant = dof - state.v.shape[0]
    for r in range(view(tables, Rows).phi.shape[0]):
        redundant += int(state.mode[r] == ON)
    return dof, redundant


@by_address(seconds=2, when="run")
def count_redundant(tables):
    """Count the redundant rows of the present state. Returns a status."""
    status = refactor(tables)
    if status == 0:
        _, view(tables, Step).record[0].redundant = redundant_rows(tables)
    return status


@by_address(seconds=2, when="changes")
def note_changes(tables):
    """Note the rows and activities whose mode is not that of the end of the last step, and those with an
    impulse, before the present state is stored as the end of a step. Returns a status.
    """
    changes, mode, before = view(tables, Changes), view(tables, State).mode, view(tables, Step).mode1
    if not has_changed(tables):
        return 0
    status = refactor(tables)
    if status != 0:
        return status
    dof, redundant = redundant_rows(tables)
    for r in range(mode.shape[0]):
        if mode[r] == before[r] and changes.impulse[r] == 0.0:
            continue
        if changes.used[0] >= changes.note.shape[0]:
            return OVERFLOW
        note = changes.note[changes.used[0]]
        note.time, note.row, note.before, note.after = view(tables, State).time[0], r, before[r], mode[r]
        note.impulse, note.dof, note.redundant = changes.impulse[r], dof, redundant
        changes.impulse[r] = 0.0
        changes.used[0] += 1
    return 0


@internal
def has_changed(tables):
    changes, mode, before = view(tables, Changes), view(tables, State).mode, view(tables, Step).mode1
    for r in range(mode.shape[0]):
        if mode[r] != before[r] or changes.impulse[r] != 0.0:
            return True
    return False
