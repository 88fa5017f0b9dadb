"""Where the time of a step with contacts goes: each part, called again and again at the end of a step."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np
from mbplugin_contact.account import account
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.find import broad_phase, narrow_phase
from mbplugin_contact.laws import SWEEP
from mbplugin_contact.linear import assemble, find_pattern, newton_step
from mbplugin_contact.operators import law_residual, own_masses
from mbplugin_contact.parts import LAW
from numba import int64
from timing import seconds

from mbplugin.math.jit import compiled_entry
from mbplugin.matrix import Matrix, factor_matrix
from mbplugin.stepping import (
    State,
    attach_markers,
    clear_transient,
    evaluate_rates,
    run_part,
    transient_jacobian,
    view,
)


@compiled_entry(int64)
def evaluate(tables: Any, times: Any) -> None:
    for _ in range(times):
        evaluate_rates(tables)


@compiled_entry(int64)
def broad(tables: Any, times: Any) -> None:
    for _ in range(times):
        broad_phase(tables)


@compiled_entry(int64)
def narrow(tables: Any, times: Any) -> None:
    for _ in range(times):
        clear_transient(tables)
        narrow_phase(tables)


@compiled_entry(int64)
def rows(tables: Any, times: Any) -> None:
    for _ in range(times):
        attach_markers(tables)
        transient_jacobian(tables)
        own_masses(tables)


@compiled_entry(int64)
def sweeps(tables: Any, times: Any) -> None:
    for _ in range(times):
        run_part(tables, LAW, SWEEP)


@compiled_entry(int64)
def residual(tables: Any, times: Any) -> None:
    for _ in range(times):
        law_residual(tables, view(tables, State).v)


@compiled_entry(int64)
def pattern(tables: Any, times: Any) -> None:
    for _ in range(times):
        view(tables, Contacts).pairs[0] = -1
        find_pattern(tables)


@compiled_entry(int64)
def assembly(tables: Any, times: Any) -> None:
    for _ in range(times):
        assemble(tables)


@compiled_entry(int64)
def factor(tables: Any, times: Any) -> None:
    for _ in range(times):
        factor_matrix(view(tables, Matrix))


@compiled_entry(int64)
def solve(tables: Any, times: Any) -> None:
    for _ in range(times):
        newton_step(tables)


@compiled_entry(int64)
def accounts(tables: Any, times: Any) -> None:
    for _ in range(times):
        account(tables)


#: f(tables, times) of what is timed, in the order of the step
PARTS = {
    "evaluate": evaluate,
    "broad phase": broad,
    "narrow phase": narrow,
    "rows": rows,
    "sweep": sweeps,
    "residual": residual,
    "pattern": pattern,
    "assembly": assembly,
    "factor": factor,
    "solve": solve,
    "account": accounts,
}


def of_step(problem: Any, integrator: Any, names: Iterable[str] = PARTS) -> dict[str, float]:
    """Processor time of one call of these parts [µs], at the end of the last step; the run ends there."""
    integrator.show(integrator.time)
    return {name: one(PARTS[name], problem.addresses) for name in names}


def one(call: Any, tables: Any, rounds: int = 5, least: float = 0.02) -> float:
    """Microseconds of a call: the median of rounds that take so many seconds."""
    call(tables, 1)
    once = seconds(partial(call, tables, 1))
    times = max(1, int(least / max(once, 1e-7)))
    return 1e6 * float(np.median([seconds(partial(call, tables, times)) for _ in range(rounds)])) / times
