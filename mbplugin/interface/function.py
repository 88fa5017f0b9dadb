"""Functions that expressions of scenes can call."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any, ClassVar


class ExpressionFunction:
    """Base of functions for expressions: `cam(wheel.angle, 0.2)`.

    kernel(x, y, ...):   f, of up to eight numbers with any names
    gradient(x, y, ...): (∂f/∂x, ∂f/∂y, ...)
    hessian(x, y, ...):  upper triangle row by row, (∂²f/∂x², ∂²f/∂x∂y, ..., ∂²f/∂y², ...)

    With one argument, gradient and hessian return plain numbers. Forces use the value alone. Motions need
    both derivatives, for rate and acceleration of the driven coordinate. If missing, the engine takes
    differences (Ridders' extrapolation): the rate is then good to about 1e-11, the acceleration to 1e-8, and
    the kernel is also called at distances of up to 0.1, or a tenth of its arguments.
    """

    name: ClassVar[str]
    kernel: ClassVar[Any] = None
    gradient: ClassVar[Any] = None
    hessian: ClassVar[Any] = None
    examples: ClassVar[Sequence[Sequence[float]]] = ()  # arguments used by the conformance kit

    @classmethod
    def operands(cls) -> int:
        """Number of arguments of the kernel."""
        return len(inspect.signature(getattr(cls.kernel, "py_func", cls.kernel)).parameters)
