"""Checks of a function for expressions: finite values, and derivatives against finite differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mbplugin.codegen.compiled import CALLBACK, function_kernel
from mbplugin.interface.function import ExpressionFunction
from mbplugin.tables.spec import Array
from mbplugin.tables.tape import DEPTH
from mbplugin.testing.report import Check

#: tolerance of derivatives against finite differences, relative to the largest
TOLERANCE = 1e-7
STEP = 1e-3
POINTS = 20


def function_checks(kind: type[ExpressionFunction]) -> list[Check]:
    """At the arguments of `examples`, or at 20 random ones between 0.1 and 1."""
    name, n = f'function "{kind.name}"', kind.operands()
    points = (
        np.array(kind.examples, float).reshape(-1, n)
        if len(kind.examples)
        else np.random.default_rng(0).uniform(0.1, 1.0, (POINTS, n))
    )
    address = function_kernel(kind).address
    value = lambda x: called(address, x)
    values = np.array([value(x) for x in points])
    good = np.isfinite(values)
    checks = [
        Check(
            name,
            "value is finite",
            0.0 if good.all() else np.inf,
            0.0,
            "" if good.all() else f"nan at {points[~good][0]}",
        )
    ]
    if kind.gradient is not None:
        given = np.array([np.ravel(kind.gradient(*x)) for x in points])
        checks.append(
            compared(
                name,
                "gradient = difference of the value",
                given,
                np.array([gradient(value, x) for x in points]),
            )
        )
    if kind.hessian is not None:
        upper = np.triu_indices(n)
        given = np.array([np.ravel(kind.hessian(*x)) for x in points])
        checks.append(
            compared(
                name,
                "hessian = difference of the value",
                given,
                np.array([hessian(value, x)[upper] for x in points]),
            )
        )
    return checks


def called(address: int, x: Array) -> float:
    """Value of the compiled function at x (n,)."""
    stack = np.zeros((DEPTH, 3))
    stack[: len(x), 0] = x
    CALLBACK(address)(0, 0, stack.ctypes.data)
    return float(stack[0, 0])


def compared(name: str, what: str, given: Array, differences: Array) -> Check:
    if given.shape != differences.shape:
        return Check(name, what, np.inf, TOLERANCE, f"{given.shape[1]} numbers, not {differences.shape[1]}")
    return Check(
        name,
        what,
        float(np.abs(given - differences).max() / max(np.abs(differences).max(), 1e-300)),
        TOLERANCE,
    )


def gradient(f: Callable[[Array], float], x: Array) -> Array:
    """By central differences of sixth order."""
    return np.array([slope(lambda e, k=k: f(moved(x, k, e))) for k in range(len(x))])  # type: ignore[misc]


def hessian(f: Callable[[Array], float], x: Array) -> Array:
    return np.array([slope(lambda e, k=k: gradient(f, moved(x, k, e))) for k in range(len(x))])  # type: ignore[misc]


def moved(x: Array, k: int, e: float) -> Array:
    shifted = x.copy()
    shifted[k] += e
    return shifted


def slope(f: Callable[[float], Any]) -> Any:
    return sum(c * (f(i * STEP) - f(-i * STEP)) for i, c in ((1, 45.0), (2, -9.0), (3, 1.0))) / (60.0 * STEP)
