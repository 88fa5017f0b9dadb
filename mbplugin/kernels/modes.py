"""Modes: whether each row is a row of S, has a compliance, or has no effect, and what acts."""

from __future__ import annotations

from mbplugin.kernels.by_address import by_address
from mbplugin.kernels.view import view
from mbplugin.math.jit import inlined, internal
from mbplugin.math.vectors import copy
from mbplugin.tables.groups import Activity, Enforced, Rows, State, Wrenches
from mbplugin.tables.records import COMPLIANT, OFF, ON, TARGET_CONTACTS, TARGET_FORCE, TARGET_ROW


@inlined
def set_mode(tables, row, mode):
    """Let a row that no enforcement law holds have this mode."""
    view(tables, State).mode[row] = mode
    view(tables, Rows).active[row] = 1 if mode == ON else 0


@internal
def take_modes(tables, modes):
    """Let rows and activities have these modes, as in `State.mode`."""
    rows, mode, enforced = view(tables, Rows), view(tables, State).mode, view(tables, Enforced)
    copy(modes, mode)
    for r in range(rows.active.shape[0]):
        rows.active[r] = 1 if mode[r] == ON else 0
    iterated = 0
    for i in range(enforced.index.shape[0]):
        compliant = mode[enforced.index[i].row] == COMPLIANT
        enforced.index[i].iterated = 1 if compliant and enforced.tolerance[i] > 0.0 else 0
        iterated += enforced.index[i].iterated
    enforced.iterated[0] = iterated
    silence(tables)


@by_address()
def silence(tables):
    """Note the forces and the contacts that do not act, from the modes. Returns 0."""
    activity, mode = view(tables, Activity), view(tables, State).mode
    rows = view(tables, Rows).active.shape[0]
    activity.silent[0] = 0
    for i in range(activity.index.shape[0]):
        one, off = activity.index[i], 0 if mode[rows + i] == ON else 1
        for j in range(one.first_target, one.first_target + one.targets):
            target = activity.target[j]
            if target.kind == TARGET_FORCE:
                force = view(tables, Wrenches).index[target.number]
                for k in range(force.first_slot, force.first_slot + force.slots):
                    activity.off[k] = off
                activity.silent[0] += off
            elif target.kind == TARGET_CONTACTS:
                activity.apart[target.number] = off
    return 0


@by_address()
def fit_next_rows(tables):
    """Let the modes of rows in `Rows.next_mode` follow from those of activities: a row acts if all that it
    belongs to act; one that acts already keeps its mode. Returns 0.
    """
    activity, modes = view(tables, Activity), view(tables, Rows).next_mode
    rows = view(tables, Rows).active.shape[0]
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
