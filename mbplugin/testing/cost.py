"""Time that an element of a kind takes."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from mbplugin.problem import Problem
from mbplugin.tables.groups import Batches
from mbplugin.testing.report import Cost

#: elements timed in one batch
BATCH = 100


def cost(problem: Problem, purpose: int) -> Cost:
    """Time of all kernels of one element in a batch [ns], without the call from Python."""
    total, compiled = 0.0, True
    for number, row in enumerate(problem[Batches].index):
        if row.purpose == purpose:
            kernel = problem.kernels[number]
            compiled = compiled and not kernel.python
            first, count, times = int(row.first), int(row.length), 1 if kernel.python else 200
            full = least_time(times, kernel.call, first, count, problem.addresses)
            empty = least_time(times, kernel.call, first, 0, problem.addresses)
            total += max(0.0, full - empty) / max(count, 1)
    return Cost(1e9 * total, f"one of {BATCH} elements", compiled)


def least_time(times: int, call: Callable[..., Any], *arguments: Any) -> float:
    """Time of a call [s]: the least mean of five series of so many."""
    least = float("inf")
    for _ in range(5):
        start = time.perf_counter()
        for _ in range(times):
            call(*arguments)
        least = min(least, (time.perf_counter() - start) / times)
    return least
