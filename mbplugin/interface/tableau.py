"""A Runge-Kutta method as data: its Butcher tableau."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mbplugin.tables.spec import Array

#: an array or nested lists
Numbers = Array | Sequence[Any]


@dataclass(frozen=True)
class Tableau:
    """An explicit Runge-Kutta method.

        k_i = f(t0 + c_i h, y0 + h Σ_j A_ij k_j),   y1 = y0 + h Σ_i b_i k_i

    With weights `b_error` of an embedded method of lower order its steps are controlled by h Σ_i (b_i − b_error_i) k_i;
    without them they have a fixed length.
    """

    A: Numbers  # (s, s), zero on and above the diagonal
    b: Numbers  # (s,)
    c: Numbers  # (s,)
    order: int
    b_error: Numbers | None = None  # (s,) of the embedded method
    error_order: int = 0  # order of the embedded method
    b_error2: Numbers | None = None  # (s,) of a second one, combined as in DOP853
    control_order: int = 0  # power of the step in the error that is controlled; 0: error_order + 1
    source: str = ""

    def __post_init__(self) -> None:
        A, b, c = (np.asarray(x, float) for x in (self.A, self.b, self.c))
        s = len(b)
        if A.shape != (s, s) or c.shape != (s,):
            raise ValueError(
                f"a tableau of {s} stages has A ({s}, {s}) and c ({s},), not {A.shape} and {c.shape}"
            )
        if np.triu(A).any():
            raise ValueError("only explicit methods: A is zero on and above its diagonal")
        if np.abs(A.sum(axis=1) - c).max() > 1e-12 or abs(b.sum() - 1.0) > 1e-12:
            raise ValueError("c is the sum of the rows of A, and b adds up to 1")
        for weights in (self.b_error, self.b_error2):
            if weights is not None and np.shape(weights) != (s,):
                raise ValueError(
                    f"the weights of an embedded method are {s} numbers, not {np.shape(weights)}"
                )
        if self.b_error is not None and not 0 < self.error_order <= self.order:
            raise ValueError("`error_order` is the order of the embedded method")

    @property
    def adaptive(self) -> bool:
        return self.b_error is not None

    @property
    def error_power(self) -> int:
        """The controlled error of a step grows with this power of its length."""
        return self.control_order or self.error_order + 1

    def error_weights(self, second: bool = False) -> Array:
        """(s,) e with error = h Σ e_i k_i; empty where there is no such estimate."""
        embedded = self.b_error2 if second else self.b_error
        return np.zeros(0) if embedded is None else np.asarray(self.b, float) - np.asarray(embedded, float)
