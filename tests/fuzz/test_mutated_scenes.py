"""Scenes with mistakes run or end in one clear message: no traceback, no hang, only finite frames."""

from __future__ import annotations

import mutated_scenes
import pytest
from mutated_scenes import bundled, case
from watchdog import cases


def test_cases_are_the_same_each_time_and_differ_from_the_bundled_scenes():
    assert case(7) == case(7)
    assert len({case(n)[1] for n in range(200)}) > 150
    assert {case(n)[0] for n in range(500)} == set(bundled())


def test_a_case_whose_numbers_grow_out_of_range_is_another_case(monkeypatch):
    calls = []

    def overflows_at_first(tables, chance):
        calls.append(tables)
        return 1.5 * 10**400 if len(calls) == 1 else None

    monkeypatch.setattr(mutated_scenes, "MUTATIONS", (overflows_at_first,))
    assert case(7) == case(7 + 10**9)
    assert len(calls) > 2


@pytest.mark.parametrize("number", [20, pytest.param(100, marks=pytest.mark.slow)])
def test_mutated_scenes_run_or_say_why_not(number):
    results = list(cases(100_000, number))
    assert [(r["case"], r["found"]) for r in results if r["found"]] == []
    assert len(results) == number
    # some of each: scenes that run, and scenes that are refused
    ran = sum(r["said"] == "ran" for r in results)
    assert 0.1 * number < ran < 0.9 * number


@pytest.mark.slow
def test_ten_thousand_mutated_scenes_run_or_say_why_not():
    faults = [(r["case"], r["found"]) for r in cases(0, 10_000) if r["found"]]
    assert faults == []


def test_the_watchdog_finds_a_hang_and_a_process_that_ends(tmp_path, monkeypatch):
    import watchdog

    worker = tmp_path / "worker.py"
    worker.write_text(
        "import json, os, sys, time\n"
        "for n in range(int(sys.argv[1]), int(sys.argv[1]) + int(sys.argv[2])):\n"
        "    print(json.dumps({'begin': n}), flush=True)\n"
        "    time.sleep(60 if n == 1 else 0)\n"
        "    os._exit(3) if n == 2 else None\n"
        "    print(json.dumps({'case': n, 'found': '', 'said': '', 'scene': '', 'seconds': 0}), flush=True)\n"
    )
    monkeypatch.setattr(watchdog, "WORKER", worker)
    monkeypatch.setattr(watchdog, "SILENCE", 3.0)
    found = {r["case"]: r["found"] for r in watchdog.cases(0, 4)}
    assert found[0] == found[3] == ""
    assert "says nothing" in found[1] and "ended with 3" in found[2]
