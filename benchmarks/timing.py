"""How all figures here are taken: processor time of the main thread's loop, engines in turn, the median of
the rounds.
"""

from __future__ import annotations

import importlib.util
import os
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np

ROUNDS = 3
Timed = Callable[[], float]
T = TypeVar("T")


def sized(usual: T, smallest: T) -> T:
    """A size or a number of repetitions; `--smallest` takes the smallest, to see that a part works.

    To be called when a part runs, not when its module is imported.
    """
    return smallest if "--smallest" in sys.argv else usual


def alone() -> None:
    """Start this script again with one thread for linear algebra: threads that spin while they wait would be
    counted.
    """
    if os.environ.get("OPENBLAS_NUM_THREADS") != "1":
        os.execve(
            sys.executable,
            [sys.executable, *sys.argv],
            {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        )


def installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def seconds(work: Callable[[], object]) -> float:
    """Processor seconds of one call."""
    start = time.process_time()
    work()
    return time.process_time() - start


def prepared(system: Any) -> Any:
    """The system, compiled and assembled: `problem`, its arrays, and `start(end)`, the integrator of a run.

    For times of the loop alone: `Simulation.step` also evaluates the state at its end.
    """
    from mbplugin.api import plugins
    from mbplugin.run.prepare import prepare

    return prepare(system, plugins()[0])


def advance(integrator: Any, until: float) -> None:
    """Let the loop of steps go on to this time [s]."""
    while integrator.advance(until, np.inf, 10**9) != "end":
        pass


def in_turn(runs: Mapping[str, Timed]) -> dict[str, float]:
    """Median of what each returns; one round before the first is not counted."""
    for run in runs.values():
        run()
    found: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(sized(ROUNDS, 1)):
        for name, run in runs.items():
            found[name].append(run())
    return {name: statistics.median(values) for name, values in found.items()}


def table(title: str, head: list[str], rows: list[list[object]]) -> None:
    """A Markdown table."""
    print(f"\n{title}\n\n| {' | '.join(head)} |\n{'|---' * len(head)}|")
    for row in rows:
        print("| " + " | ".join(cell(c) for c in row) + " |", flush=True)


def cell(value: object) -> str:
    if isinstance(value, float):
        return "" if value != value else f"{value:.3g}" if value < 1000 else f"{value:,.0f}"
    return str(value)
