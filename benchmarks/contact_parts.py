"""Where the time of a step with contacts goes: each part, called again and again at the end of a step."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numpy as np
from timing import seconds

#: what is timed, in the order of the step
PARTS = (
    *("evaluate", "broad phase", "narrow phase", "rows", "sweep", "residual"),
    *("pattern", "assembly", "factor", "solve", "account"),
)


@cache
def compiled() -> dict[str, Any]:
    """Functions f(tables, times) of the parts."""
    from mbplugin_contact.account import account
    from mbplugin_contact.arrays import Contacts
    from mbplugin_contact.find import broad_phase, narrow_phase
    from mbplugin_contact.linear import assemble, find_pattern, newton_step
    from mbplugin_contact.operators import own_masses
    from mbplugin_contact.sweeps import law_residual, sweep

    from mbplugin.math.jit import jit
    from mbplugin.matrix import Matrix, factor_matrix
    from mbplugin.stepping import State, attach_markers, clear_pool, evaluate_rates, pool_jacobian, view

    @jit
    def evaluate(tables: Any, times: Any) -> None:
        for _ in range(times):
            evaluate_rates(tables)

    @jit
    def broad(tables: Any, times: Any) -> None:
        for _ in range(times):
            broad_phase(tables)

    @jit
    def narrow(tables: Any, times: Any) -> None:
        for _ in range(times):
            clear_pool(tables)
            narrow_phase(tables)

    @jit
    def rows(tables: Any, times: Any) -> None:
        for _ in range(times):
            attach_markers(tables)
            pool_jacobian(tables)
            own_masses(tables)

    @jit
    def sweeps(tables: Any, times: Any) -> None:
        for _ in range(times):
            sweep(tables)

    @jit
    def residual(tables: Any, times: Any) -> None:
        for _ in range(times):
            law_residual(tables, view(tables, State).v)

    @jit
    def pattern(tables: Any, times: Any) -> None:
        for _ in range(times):
            view(tables, Contacts).pairs[0] = -1
            find_pattern(tables)

    @jit
    def assembly(tables: Any, times: Any) -> None:
        for _ in range(times):
            assemble(tables)

    @jit
    def factor(tables: Any, times: Any) -> None:
        for _ in range(times):
            factor_matrix(view(tables, Matrix))

    @jit
    def solve(tables: Any, times: Any) -> None:
        for _ in range(times):
            newton_step(tables)

    @jit
    def accounts(tables: Any, times: Any) -> None:
        for _ in range(times):
            account(tables)

    return dict(
        zip(
            PARTS,
            (evaluate, broad, narrow, rows, sweeps, residual, pattern, assembly, factor, solve, accounts),
        )
    )


def of_step(problem: Any, integrator: Any, names: tuple[str, ...] = PARTS) -> dict[str, float]:
    """Processor time of one call of these parts [µs], at the end of the last step; the run ends there."""
    integrator.show(integrator.time)
    return {name: one(compiled()[name], problem.addresses) for name in names}


def one(call: Any, tables: Any, rounds: int = 5, least: float = 0.02) -> float:
    """Microseconds of a call: the median of rounds that take so many seconds."""
    call(tables, 1)
    once = seconds(partial(call, tables, 1))
    times = max(1, int(least / max(once, 1e-7)))
    return 1e6 * float(np.median([seconds(partial(call, tables, times)) for _ in range(rounds)])) / times
