"""A function that expressions of scenes may call."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any, ClassVar


class ExpressionFunction:
    """Base of functions for expressions: `cam(wheel.angle, 0.2)`.

    kernel(x, y, ...): the value, of up to eight numbers; its arguments may have any names. gradient: with the
    same arguments, (∂f/∂x, ∂f/∂y, ...); hessian: the second derivatives of the upper triangle, row by row,
    (∂²f/∂x², ∂²f/∂x∂y, ..., ∂²f/∂y², ...). Motions need both, since a coordinate that follows f has the rate
    and the acceleration of f. Where they are missing, differences take their place (Ridders' extrapolation):
    the rate is then good to about 1e-11, the acceleration to 1e-8, and the function is called up to 0.1, or a
    tenth of its arguments, beside them. Forces use the value alone. The derivatives of a function of one
    number are plain numbers. examples: arguments at which the conformance kit tries it.
    """

    name: ClassVar[str]
    kernel: ClassVar[Any] = None
    gradient: ClassVar[Any] = None
    hessian: ClassVar[Any] = None
    examples: ClassVar[Sequence[Sequence[float]]] = ()

    @classmethod
    def operands(cls) -> int:
        """How many numbers it takes."""
        return len(inspect.signature(getattr(cls.kernel, "py_func", cls.kernel)).parameters)
