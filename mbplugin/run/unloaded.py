"""Rows that are closed without load: the equations are not smooth there, and have a model on each side."""

from __future__ import annotations

import numpy as np

from mbplugin.errors import SceneError, listed
from mbplugin.problem import Problem
from mbplugin.run.operating_point import OperatingPoint
from mbplugin.run.places import places_of
from mbplugin.tables.groups import Bearings, Bodies, Bounded, Rows, State
from mbplugin.tables.records import LOWER, ON, UPPER
from mbplugin.tables.spec import Array

#: of the largest force, what counts as none; distance that counts as closed [sizes or rad]
NO_LOAD, CLOSED = 1e-9, 1e-9
SIDES = ("closed", "open")


def unloaded_rows(problem: Problem, lam: Array) -> list[tuple[int, int]]:
    """(number in `Bounded`, mode of its open side) of each row that holds with a force at its bound, or is
    closed where its bound is 0; lam (nc,) at the present state, evaluated. Rows of cones are left out.
    """
    index, mode, phi = problem[Bounded].index, problem[State].mode, problem[Rows].phi
    largest = float(max(np.abs(problem[Bodies].h).max(initial=0.0), np.abs(lam).max(initial=0.0)))
    units, found = problem.row_units, []
    for k, one in enumerate(index):
        if one.partner >= 0:
            continue
        factor = problem[Bearings].pressure[one.bearing] if one.bearing >= 0 else 1.0
        force, least = float(lam[one.row]), NO_LOAD * max(largest, 1e-300)
        if mode[one.row] == ON:
            if one.holds_to > -np.inf and force <= factor * one.holds_from + least:
                found.append((k, LOWER))
            elif force >= factor * one.holds_to - least:
                found.append((k, UPPER))
        elif one.gap == 1 and mode[one.row] == LOWER and abs(phi[one.row]) <= CLOSED * units[one.row]:
            found.append((k, LOWER))
    return found


def chosen_side(side: str | None) -> str:
    """The side, "closed" by default. Raises SceneError."""
    if side is not None and side not in SIDES:
        raise SceneError("--side", side, f"must be {listed(SIDES)}")
    return side or SIDES[0]


def put_side(problem: Problem, lam: Array, side: str | None) -> list[str]:
    """Let rows that are closed without load hold, or not; lam (nc,). Returns messages."""
    chosen, rows = chosen_side(side), unloaded_rows(problem, lam)
    for k, mode in rows:
        problem[State].mode[problem[Bounded].index[k].row] = ON if chosen == "closed" else mode
    if not rows:
        return []
    names = listed([f'"{places_of(problem).switching.names[k]}"' for k, _ in rows])
    other = SIDES[1 - SIDES.index(chosen)]
    what = "is at the end of what it holds" if len(rows) == 1 else "are at the end of what they hold"
    return [
        f"not smooth here: {names} {what}, without load beyond it; this is the model with it {chosen} "
        f"(--side {other}: the other one)"
    ]


def take_side(point: OperatingPoint, side: str | None) -> list[str]:
    """`put_side` of an operating point, which is evaluated then. Returns messages."""
    problem = point.problem
    before = point.saved["mode1"].copy()
    messages = put_side(problem, problem[Rows].lam.copy(), side)
    mode = problem[State].mode.copy()
    if not np.array_equal(mode, before):
        problem[State].mode[:] = before
        point.put(point.saved, "mode", mode)
        point.begin()
    return messages
