"""Enforcements: how the rows of a joint are enforced. A scene chooses one by a joint's `enforce`.

Φ, Φ̇ and G come from the joint in any case. Either the rows belong to the system of the constraint forces,
M v̇ = h + Gᵀλ, G v̇ = γ, and hold exactly; or a *compliance* (a penalty) computes a load along each row from
its deviation Φ, h ← h + Gᵀ load. Rows with a compliance leave that system and are never redundant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from mbplugin.tables.records import POSITION_LEVEL, VELOCITY_LEVEL
from mbplugin.tables.spec import Array


@dataclass(frozen=True)
class EnforcedRow:
    """A row at the start of a run, in the assembled state."""

    joint: str  # its name in the scene
    label: str  # the constrained direction
    unit: str  # "m" or "rad"
    level: int  # POSITION_LEVEL or VELOCITY_LEVEL
    mass: float  # 1 / (G M⁻¹ Gᵀ)_rr [kg] or [kg·m²]
    load: float  # the constraint force, shared by redundant rows [N] or [N·m]
    size: float  # of the mechanism [m]
    step: float | None  # of a solver with fixed steps [s]; else None

    @property
    def name(self) -> str:
        """Joint and label, for messages."""
        return f'joint "{self.joint}", {self.label}'


class EnforcementKind:
    """Base of enforcements.

    Without a `kernel`, rows stay in the system of the constraint forces; a kernel is a row's compliance.
    Functions take the arguments that they name, out of `interface.names`.
    """

    name: ClassVar[str]
    parameters: ClassVar[Any] = None  # pydantic class of the keys of `enforce`
    examples: ClassVar[Sequence[dict[str, Any]]] = ()  # keys used by the conformance kit
    kernel: ClassVar[Any] = None  # writes `load` (and `energy`, `power`) from `phi` and `phi_dot`
    tangent: ClassVar[Any] = None  # writes `slope` and `slope_dot`; None: the engine takes differences
    accept: ClassVar[Any] = None  # called after an accepted step
    values: ClassVar[Sequence[str]] = ()  # names of the row's numbers, which both functions get as `p`
    outputs: ClassVar[Mapping[str, str]] = {}  # of each row, as of a `ForceKind`
    memory: ClassVar[int] = 0  # numbers per row that `accept` writes for the next step
    levels: ClassVar[Sequence[int]] = (POSITION_LEVEL, VELOCITY_LEVEL)  # of the rows that it can enforce

    @classmethod
    def check(cls, params: Any, labels: Sequence[str]) -> None:
        """Check the parameters against the labels of the joint's rows.

        Raises SceneError, with a key below `enforce`.
        """

    @classmethod
    def rows(cls, params: Any, rows: Sequence[EnforcedRow]) -> Sequence[Mapping[str, float]]:
        """The numbers `values` of each row of a joint, by name."""
        return [{name: float(getattr(params, name)) for name in cls.values} for _ in rows]

    @classmethod
    def tolerance(cls, params: Any, row: EnforcedRow, values: Mapping[str, float]) -> float | None:
        """None: the load⁰ is applied as it is. Else a tolerance [m/s²] or [rad/s²]: the engine iterates
        the loads until |Φ̈ − load⁰ / mass| is at most this (augmented Lagrangian).

        values: the numbers of the row, by name
        """
        return None

    @classmethod
    def assembled(cls, params: Any) -> bool:
        """Whether the initial state is assembled onto the rows; else bodies start as the scene has them."""
        return True

    @classmethod
    def before(cls, params: Any, rows: Sequence[EnforcedRow], values: Array) -> Sequence[tuple[str, str]]:
        """(level, text) of messages at the start; values: (rows, numbers) in the order of `values`."""
        return ()

    @classmethod
    def after(
        cls, params: Any, rows: Sequence[EnforcedRow], values: Array, memory: Array
    ) -> Sequence[tuple[str, str]]:
        """(level, text) of messages at the end of a run; values and memory: (rows, numbers)."""
        return ()
