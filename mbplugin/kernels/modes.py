"""Modes of rows: whether each is a row of S, has a compliance, or has no effect."""

from __future__ import annotations

from mbplugin.kernels.view import view
from mbplugin.math.jit import inlined, internal
from mbplugin.tables.groups import Enforced, Rows, State
from mbplugin.tables.records import COMPLIANT, ON


@inlined
def set_mode(tables, row, mode):
    """Let a row that no enforcement law holds have this mode."""
    view(tables, State).mode[row] = mode
    view(tables, Rows).active[row] = 1 if mode == ON else 0


@internal
def take_modes(tables, modes):
    """Let the rows have these modes (nc,)."""
    rows, mode, enforced = view(tables, Rows), view(tables, State).mode, view(tables, Enforced)
    for r in range(mode.shape[0]):
        mode[r] = modes[r]
        rows.active[r] = 1 if mode[r] == ON else 0
    iterated = 0
    for i in range(enforced.index.shape[0]):
        compliant = mode[enforced.index[i].row] == COMPLIANT
        enforced.index[i].iterated = 1 if compliant and enforced.tolerance[i] > 0.0 else 0
        iterated += enforced.index[i].iterated
    enforced.iterated[0] = iterated
