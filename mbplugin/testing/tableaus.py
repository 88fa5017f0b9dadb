"""Checks of Runge-Kutta tableaus: their orders, on a nonlinear equation and on a mechanism."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from mbplugin.hooks.registry import Registry
from mbplugin.interface import Tableau
from mbplugin.testing.report import Checks
from mbplugin.testing.solvers import STEP, check_convergence, observed_order

Array = np.ndarray[Any, Any]
#: name of a tableau without control of the step
TRIED = "tried by the kit"
#: step lengths, and the error below which it is rounding
STEPS, ROUNDING = tuple(0.8 / 2**k for k in range(8)), 1e-14


def tableau_checks(checks: Checks, given: Any, registry: Registry) -> None:
    """The orders of the weights of a tableau (or of what the function returns) on y' = −2 t y², and that of
    `rk` with it on a pendulum.
    """
    tableau: Tableau = given() if callable(given) else given
    weights = {"the steps": (tableau.b, tableau.order)}
    if tableau.b_error is not None:
        weights["the embedded method"] = (tableau.b_error, tableau.error_order)
    for which, (b, order) in weights.items():
        observed = order_of_weights(tableau, np.asarray(b, float))
        note = f"observed {observed:.2f}, declared {order}"
        checks.see(f"order of {which}", abs(observed - order), 0.3, note)
    without_control = replace(tableau, b_error=None, b_error2=None)
    registry.add("tableau", TRIED, without_control, "the kit", "the kit")
    keys = {"type": "rk", "integrator": TRIED, "step": STEP}
    where = ", of fixed steps on a mechanism"
    check_convergence(checks, registry.solver("rk"), registry, keys, tableau.order, where)


def order_of_weights(tableau: Tableau, b: Array) -> float:
    """Observed order of weights b on y' = −2 t y², y(0) = 1, whose solution is 1/(1 + t²).

    One step with these weights from the exact solution: its error falls with the order + 1.
    """
    errors = []
    for h in STEPS:
        t, y = 0.5, 1 / 1.25
        k = np.zeros(len(b))
        for i, row in enumerate(np.asarray(tableau.A, float)):
            k[i] = -2 * (t + float(tableau.c[i]) * h) * (y + h * float(row @ k)) ** 2
        errors.append(abs(y + h * float(b @ k) - 1 / (1 + (t + h) ** 2)))
    return observed_order(errors, ROUNDING) - 1.0
