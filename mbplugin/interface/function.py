"""A function that expressions of scenes may call."""

from __future__ import annotations

import inspect
from typing import Any, ClassVar


class ExpressionFunction:
    """Base of functions for expressions: `cam(wheel.angle, 0.2)`.

    kernel(x, y, ...): the value, of up to eight numbers; its arguments may have any names. gradient: with the same arguments, (∂f/∂x, ∂f/∂y, ...); hessian: the
    second derivatives of the upper triangle, row by row, (∂²f/∂x², ∂²f/∂x∂y, ..., ∂²f/∂y², ...). Motions need both, since a coordinate that follows f has the
    rate and the acceleration of f; where they are missing, differences take their place: the rate is good to about 1e-11 of the value over the length on which f
    changes, the acceleration to 1e-8. Forces use the value alone. A function of one number may return its derivatives as plain numbers.
    """

    name: ClassVar[str]
    kernel: ClassVar[Any] = None
    gradient: ClassVar[Any] = None
    hessian: ClassVar[Any] = None

    @classmethod
    def operands(cls) -> int:
        """How many numbers it takes."""
        return len(inspect.signature(getattr(cls.kernel, "py_func", cls.kernel)).parameters)
