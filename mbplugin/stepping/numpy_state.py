"""The interface between a solver in plain numpy and the system."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

Array = np.ndarray[Any, Any]


class NumpyState(Protocol):
    """The state, which the solver changes in place, and evaluations at this state.

    Arrays are views of the tables: `state.v += ...` changes the state itself. The inner states `x` are
    those of elements and of the scene; `advance` integrates them with the rates of the last evaluation.
    """

    time: float  # [s]
    q: Array  # (nq,)
    v: Array  # (nv,)
    x: Array  # (nx,) inner states
    x_dot: Array  # (nx,) their rates at the last evaluation

    def accelerations(self) -> Array:
        """v̇ (nv,) at the present state. Also evaluates λ, the reactions and the rates of inner states."""

    def advance(self, dt: float) -> None:
        """q ← q ⊕ dt v, x ← x + dt ẋ with ẋ of the last evaluation, time ← time + dt."""

    def project(self) -> None:
        """Project positions and velocities onto the constraints, with the least change in the norm of M."""

    def mass(self) -> Array:
        """M, (nv, nv)."""

    def forces(self) -> Array:
        """h, (nv,): all applied and gyroscopic forces."""

    def constraints(self) -> tuple[Array, Array]:
        """G (nc, nv) and γ (nc,) of G v̇ = γ; inactive rows are zero."""

    def save(self) -> Any:
        """The present state, for `load`."""

    def load(self, saved: Any) -> None:
        """Restore a saved state."""
