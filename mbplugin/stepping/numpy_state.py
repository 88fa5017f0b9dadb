"""What a solver in plain numpy sees of the system while it takes a step."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

Array = np.ndarray[Any, Any]


class NumpyState(Protocol):
    """The state, which the solver changes in place, and what can be asked at it.

    Arrays are those of the tables: `state.v += ...` changes the state itself. Inner states `x` are those of elements and
    of the scene; `advance` moves them on by the rates of the last evaluation.
    """

    time: float  # [s]
    q: Array  # (nq,)
    v: Array  # (nv,)
    x: Array  # (nx,) inner states
    x_dot: Array  # (nx,) their rates at the last evaluation

    def accelerations(self) -> Array:
        """v̇ (nv,) at the present state. Also leaves λ, the reactions and the rates of inner states."""

    def advance(self, dt: float) -> None:
        """q ← q ⊕ dt v, x ← x + dt ẋ with ẋ of the last evaluation, time ← time + dt."""

    def project(self) -> None:
        """Positions and velocities onto the constraints, with the smallest change in the norm of M."""

    def mass(self) -> Array:
        """M, (nv, nv)."""

    def forces(self) -> Array:
        """h, (nv,): all applied and gyroscopic forces."""

    def constraints(self) -> tuple[Array, Array]:
        """G (nc, nv) and γ (nc,) of G v̇ = γ; inactive rows are zero."""

    def save(self) -> Any:
        """The present state, for `load`."""

    def load(self, saved: Any) -> None:
        """Back to a saved state."""
