"""Robots with mistakes are read, or refused in one line: no traceback, no hang, no scene that is none."""

from __future__ import annotations

import pytest
from mutated_robots import case, models
from watchdog import WORKER, cases

ROBOTS = WORKER.with_name("robot_worker.py")


def faults(results):
    return [(r["case"], r["scene"], r["found"]) for r in results if r["found"]]


def test_robots_are_the_same_each_time_and_differ_from_the_models():
    assert case(7) == case(7)
    assert len({case(n)[1] for n in range(200)}) > 150
    assert {case(n)[0] for n in range(1000)} == set(models())


def test_mutated_robots_are_read_or_refused_in_one_line():
    pytest.importorskip("mujoco")
    results = list(cases(100_000, 25, ROBOTS))
    assert faults(results) == []
    # some of each: robots that are read, and robots that are refused
    assert 2 < sum(r["said"] in ("read", "checked") for r in results) < 23


@pytest.mark.slow
def test_two_thousand_mutated_robots_are_read_or_refused_in_one_line():
    pytest.importorskip("mujoco")
    assert faults(cases(0, 2000, ROBOTS)) == []
