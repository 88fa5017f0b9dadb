"""What acts: `State.mode` is the only answer; here are those that follow from it."""

from __future__ import annotations

from mbplugin.kernels.by_address import by_address
from mbplugin.kernels.view import view
from mbplugin.math.jit import inlined, internal
from mbplugin.tables.groups import Activity, Blocks, Enforced, Rows, State
from mbplugin.tables.records import COMPLIANT, OFF, ON, TARGET_ROW


@inlined
def acts(tables, place):
    """Whether what has this place in `State.mode` acts; −1: nothing can switch it off."""
    return place < 0 or view(tables, State).mode[place] == ON


@internal
def select_rows(tables, level):
    """Let those rows be in the factor that are on, up to this level: `Rows.selected`, `Blocks.selected`."""
    blocks, rows, mode = view(tables, Blocks), view(tables, Rows), view(tables, State).mode
    index, of_block, selected, levels = blocks.index, blocks.selected, rows.selected, rows.level
    for k in range(index.shape[0]):
        first, count = index[k].first_row, 0
        for r in range(first, first + index[k].rows):
            selected[r] = 1 if mode[r] == ON and levels[r] <= level else 0
            count += selected[r]
        of_block[k] = count


@inlined
def is_iterated(tables, i):
    """Whether the load of enforced row i is iterated (augmented Lagrangian)."""
    enforced = view(tables, Enforced)
    return enforced.tolerance[i] > 0.0 and view(tables, State).mode[enforced.index[i].row] == COMPLIANT


@by_address()
def fit_next_rows(tables):
    """Let the modes of rows in `Rows.next_mode` follow from those of activities: a row acts if all that it
    belongs to act; one that acts already keeps its mode. Returns 0.
    """
    activity, modes = view(tables, Activity), view(tables, Rows).next_mode
    rows = view(tables, Rows).phi.shape[0]
    for ends in range(2):
        for i in range(activity.index.shape[0]):
            one = activity.index[i]
            if (modes[rows + i] == ON) != (ends == 0):
                continue
            for j in range(one.first_target, one.first_target + one.targets):
                target = activity.target[j]
                if target.kind != TARGET_ROW:
                    continue
                if ends == 1:
                    modes[target.number] = OFF
                elif modes[target.number] == OFF:
                    modes[target.number] = target.mode
    return 0
