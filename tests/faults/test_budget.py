"""Budgets of rooms: a dear room is named on any machine, a slow machine is not taken for dear tests."""

from __future__ import annotations

from tests.budget import Ledger

BUDGETS = {"laws": 150, "contact": 90, "run": 60}


def session(**seconds: float) -> Ledger:
    """A session in which rooms took these seconds."""
    ledger = Ledger()
    for room, each in seconds.items():
        ledger.add(f"tests/{room}/test_it.py", each, 1)
    return ledger


def test_a_slow_machine_is_not_taken_for_dear_tests():
    assert not session(laws=100, contact=60, run=40).above(BUDGETS)
    assert not session(laws=149, contact=105, run=45).above(BUDGETS)  # half slower, one room a little more


def test_a_room_that_doubles_is_named_on_any_machine():
    for slowness in (0.7, 1.0, 1.4):
        (line,) = session(laws=100 * slowness, contact=135 * slowness, run=40 * slowness).above(BUDGETS)
        assert line.startswith("contact took")


def test_all_rooms_that_double_are_named():
    assert len(session(laws=230, contact=140, run=95).above(BUDGETS)) == 3


def test_a_room_without_a_budget_is_named():
    assert "imports" in session(imports=1).above(BUDGETS)[0]
