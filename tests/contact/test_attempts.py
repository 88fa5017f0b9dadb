"""The plan of the solver's attempts is data: it is printed, and its page agrees with it."""

from __future__ import annotations

from pathlib import Path

from mbplugin_contact.attempts import FROM_PATH, PLAN, plan_text

PAGE = Path(__file__).parents[2] / "docs" / "solvers" / "contact.md"


def test_the_page_of_the_solver_has_the_plan():
    assert plan_text() in PAGE.read_text()


def test_no_attempt_needs_what_bars_it():
    assert all(attempt.needs and not attempt.needs & attempt.bars for attempt in PLAN[:FROM_PATH])
