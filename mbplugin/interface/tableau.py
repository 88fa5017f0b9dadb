"""Butcher tableaus of explicit Runge-Kutta methods."""

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

    With the weights `b_error` of an embedded method the error estimate h Σ_i (b_i − b_error_i) k_i controls
    the steps; without them the steps are fixed.

    Raises ValueError if the shapes or the consistency conditions c = A 1, Σ b = 1 are violated.
    """

    A: Numbers  # (s, s), zero on and above the diagonal
    b: Numbers  # (s,)
    c: Numbers  # (s,)
    order: int  # of accuracy
    b_error: Numbers | None = None  # (s,) of the embedded method
    error_order: int = 0  # order of the embedded method
    b_error2: Numbers | None = None  # (s,) of a second embedded method, combined as in DOP853
    control_order: int = 0  # power of h in the controlled error; 0: error_order + 1
    source: str = ""  # publication

    def __post_init__(self) -> None:
        A, b, c = (np.asarray(x, float) for x in (self.A, self.b, self.c))
        s = len(b)
        if A.shape != (s, s) or c.shape != (s,):
            raise ValueError(
                f"A and c have shapes {A.shape} and {c.shape}; {s} stages need ({s}, {s}) and ({s},)"
            )
        if np.triu(A).any():
            raise ValueError("A is not strictly lower triangular; only explicit methods are supported")
        if np.abs(A.sum(axis=1) - c).max() > 1e-12 or abs(b.sum() - 1.0) > 1e-12:
            raise ValueError("c differs from the row sums of A, or the sum of b from 1; correct the tableau")
        for weights in (self.b_error, self.b_error2):
            if weights is not None and np.shape(weights) != (s,):
                raise ValueError(f"embedded weights have shape {np.shape(weights)}; {s} stages need ({s},)")
        if self.b_error is not None and not 0 < self.error_order <= self.order:
            raise ValueError(
                f"error_order = {self.error_order}: must be that of the embedded method, 1 to {self.order}"
            )

    @property
    def adaptive(self) -> bool:
        """Whether there is an error estimate."""
        return self.b_error is not None

    @property
    def error_power(self) -> int:
        """Power of h in the controlled error."""
        return self.control_order or self.error_order + 1

    def error_weights(self, second: bool = False) -> Array:
        """(s,) e with error = h Σ e_i k_i; empty if there is no such estimate. second: from `b_error2`."""
        embedded = self.b_error2 if second else self.b_error
        return np.zeros(0) if embedded is None else np.asarray(self.b, float) - np.asarray(embedded, float)
