"""Processor seconds of each room of tests and of its files, beside the budgets of CONTRIBUTING.md.

A room is a folder of tests. What its tests start counts too. Wall time would depend on what else the machine
does, and on whether another worker compiles what a test waits for.

A plugin that `conftest.py` registers, so that it has the tests of docs/examples too.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).parents[1]
#: a row of the table in CONTRIBUTING.md: room, seconds
ROW = re.compile(r"^\| `(?P<room>[\w/]+)` \| (?P<seconds>\d+) \|", re.MULTILINE)
#: files that are listed at the end of a session
DEAREST = 10
#: what a whole run takes of all budgets together, compilation included, where they were measured
EXPECTED_PART = 2 / 3
#: budgets grow by no more than this on a slower machine
MAX_SLOWNESS = 1.5


def processor_seconds() -> float:
    """Processor time [s] of this process and of those that it has started; on Linux also of those that still
    run.
    """
    own = os.times()
    running = sum(seconds_of(pid) for pid in children(os.getpid()))
    return own.user + own.system + own.children_user + own.children_system + running


def children(pid: int) -> list[int]:
    """Processes that a process has started and that still run."""
    found = []
    for file in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):  # the thread has ended
            found += [int(word) for word in file.read_text().split()]
    return found


def seconds_of(pid: int) -> float:
    """Processor time [s] of a process and of its ended children; 0 if it has ended."""
    try:
        # the name of the program stands in brackets; utime, stime, cutime and cstime are fields 14 to 17
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def room_of(file: str) -> str:
    """The room of a test file, by its path from the root."""
    parts = PurePosixPath(file).parent.parts
    return "docs/examples" if parts[:2] == ("docs", "examples") else "/".join(parts[1:])


def budgets(text: str | None = None) -> dict[str, int]:
    """The processor seconds that CONTRIBUTING.md gives to each room."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8") if text is None else text
    return {row["room"]: int(row["seconds"]) for row in ROW.finditer(text)}


class Ledger:
    """Processor seconds and tests of a session, by file."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()
        self.tests: Counter[str] = Counter()

    def add(self, file: str, seconds: float, tests: int) -> None:
        self.seconds[file] += seconds  # type: ignore[assignment] - a counter of seconds
        self.tests[file] += tests

    def rooms(self) -> Counter[str]:
        """Seconds by room."""
        found: Counter[str] = Counter()
        for file, seconds in self.seconds.items():
            found[room_of(file)] += seconds
        return found

    def slowness(self, allowed: dict[str, int]) -> float:
        """Ratio of what all rooms take to what they took where budgets were measured, 1 to `MAX_SLOWNESS`."""
        total, expected = sum(self.seconds.values()), EXPECTED_PART * sum(allowed.values())
        return min(max(1.0, total / expected), MAX_SLOWNESS) if expected else 1.0

    def above(self, allowed: dict[str, int]) -> list[str]:
        """A sentence for each room that costs more than its budget on this machine, or has none."""
        lines = []
        slowness = self.slowness(allowed)
        for room, seconds in self.rooms().most_common():
            if room not in allowed:
                lines.append(f"CONTRIBUTING.md gives {room} no budget; its tests took {seconds:.0f} s")
            elif seconds > slowness * allowed[room]:
                lines.append(f"{room} took {seconds:.0f} s of its {allowed[room]} s times {slowness:.2f}")
        return lines

    def table(self, allowed: dict[str, int]) -> list[str]:
        """Lines for the end of a session: rooms with their budgets, and the dearest files."""
        tests: Counter[str] = Counter()
        for file, count in self.tests.items():
            tests[room_of(file)] += count
        rooms = self.rooms()
        lines = [f"{'room':24} {'tests':>6} {'s':>7} {'budget':>7}"]
        lines += [f"{r:24} {tests[r]:6} {s:7.1f} {allowed.get(r, '-'):>7}" for r, s in rooms.most_common()]
        lines += [f"{'all':24} {tests.total():6} {sum(rooms.values()):7.1f} {sum(allowed.values()):7}"]
        lines += [f"{s:7.1f} s  {file}" for file, s in self.seconds.most_common(DEAREST)]
        return lines


#: what the tests of this session cost
ledger = Ledger()
#: of this process, when the last phase of a test ended
last_phase = [0.0]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol() -> None:
    last_phase[0] = processor_seconds()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """The report of a phase (set-up, call, end) has the processor seconds of it."""
    report = yield
    now = processor_seconds()
    report.processor_seconds = now - last_phase[0]  # type: ignore[attr-defined]
    last_phase[0] = now
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    # a worker that died told none
    seconds = getattr(report, "processor_seconds", 0.0)
    ledger.add(report.nodeid.partition("::")[0], seconds, int(report.when == "call"))
