"""Checks of a function for expressions: finite values, and derivatives against finite differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mbplugin.analysis.tangent.derivative import derivative
from mbplugin.codegen.compiled import CALLBACK, function_kernel
from mbplugin.hooks.registry import Registry
from mbplugin.interface.function import ExpressionFunction
from mbplugin.tables.spec import Array
from mbplugin.tables.tape import DEPTH
from mbplugin.testing.report import Checks

#: tolerance of derivatives against finite differences, relative to the largest
TOLERANCE = 1e-7
#: largest step of the differences
STEP = 1e-2
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
    gradient = lambda x: slopes(value, x)
    differences = {"gradient": gradient, "hessian": lambda x: slopes(gradient, x)[np.triu_indices(n)]}
    for name, difference in differences.items():
        function = getattr(kind, name)
        if function is None:
            continue
        what = f"{name} = difference of the value"
        given = np.array([np.ravel(function(*x)) for x in points])
        truth = np.array([difference(x) for x in points])
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


def slopes(f: Callable[[Array], Any], x: Array) -> Array:
    """∂f/∂xₖ of each entry of x."""
    along = lambda e: derivative(lambda s: np.asarray(f(x + s * e)), STEP)
    return np.array([along(e) for e in np.eye(len(x))])
