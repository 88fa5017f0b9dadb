"""Checks of a function for expressions: finite values, and derivatives against finite differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mbplugin.codegen.compiled import CALLBACK, function_kernel
from mbplugin.hooks.registry import Registry
from mbplugin.interface.function import ExpressionFunction
from mbplugin.tables.spec import Array
from mbplugin.tables.tape import DEPTH
from mbplugin.testing.report import Checks

#: tolerance of derivatives against finite differences, relative to the largest
TOLERANCE = 1e-7
STEP = 1e-3
POINTS = 20


def function_checks(checks: Checks, kind: type[ExpressionFunction], registry: Registry) -> None:
    """At the arguments of `examples`, or at 20 random ones between 0.1 and 1."""
    n = kind.operands()
    points = (
        np.array(kind.examples, float).reshape(-1, n)
        if len(kind.examples)
        else np.random.default_rng(0).uniform(0.1, 1.0, (POINTS, n))
    )
    address = function_kernel(kind).address
    value = lambda x: called(address, x)
    good = np.isfinite([value(x) for x in points])
    checks.fact("value is finite", bool(good.all()), f"nan at {points[np.argmin(good)]}")
    upper = np.triu_indices(n)
    differences = {"gradient": gradient, "hessian": lambda f, x: hessian(f, x)[upper]}
    for name, difference in differences.items():
        function = getattr(kind, name)
        if function is None:
            continue
        what = f"{name} = difference of the value"
        given = np.array([np.ravel(function(*x)) for x in points])
        truth = np.array([difference(value, x) for x in points])
        if given.shape != truth.shape:
            checks.fact(what, False, f"{given.shape[1]} numbers, not {truth.shape[1]}")
        else:
            checks.see(what, np.abs(given - truth).max() / max(np.abs(truth).max(), 1e-300), TOLERANCE)


def called(address: int, x: Array) -> float:
    """Value of the compiled function at x (n,)."""
    stack = np.zeros((DEPTH, 3))
    stack[: len(x), 0] = x
    CALLBACK(address)(0, 0, stack.ctypes.data)
    return float(stack[0, 0])


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
