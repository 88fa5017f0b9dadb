"""An enforcement: how the rows of a joint are held. A scene chooses it by a joint's `enforce`.

The rows keep their measures: Φ, Φ̇ and G come from the joint. Either they enter the system of the constraint
forces, M v̇ = h + Gᵀλ, G v̇ = γ, and hold exactly; or a *law* answers the deviation Φ by a load along the
row, h ← h + Gᵀ load, and they are rows of that system no more: they are never redundant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from mbplugin.tables.records import POSITION_LEVEL, VELOCITY_LEVEL
from mbplugin.tables.spec import Array


@dataclass(frozen=True)
class EnforcedRow:
    """A row at the start of a run, its system assembled.

    level: POSITION_LEVEL or VELOCITY_LEVEL. mass: 1 / (G M⁻¹ Gᵀ)_rr [kg] or [kg·m²]. load: what a constraint
    force would be there [N] or [N·m], rows that repeat each other sharing it. size: of the mechanism [m].
    step: of a solver whose step is fixed [s].
    """

    joint: str
    label: str
    unit: str
    level: int
    mass: float
    load: float
    size: float
    step: float | None

    @property
    def name(self) -> str:
        return f'joint "{self.joint}", {self.label}'


class EnforcementKind:
    """Base of enforcements. Without a `kernel`, rows enter the system of the constraint forces; with one, it
    is the law of a row.

    kernel: writes `load` (and `energy`, `power`) from `phi` and `phi_dot`; `accept` runs after an accepted
    step. values: the numbers of a row that both see as `p`, by name. memory: how many numbers of a row
    `accept` writes for the next step. levels: of the rows that the law can hold.
    """

    name: ClassVar[str]
    parameters: ClassVar[Any] = None
    examples: ClassVar[Sequence[dict[str, Any]]] = ()  # keys with which the conformance kit tries it
    kernel: ClassVar[Any] = None
    accept: ClassVar[Any] = None
    values: ClassVar[Sequence[str]] = ()
    memory: ClassVar[int] = 0
    levels: ClassVar[Sequence[int]] = (POSITION_LEVEL, VELOCITY_LEVEL)

    @classmethod
    def check(cls, params: Any, labels: Sequence[str]) -> None:
        """Raise a SceneError, its key below `enforce`, where parameters do not fit a joint whose rows have
        these labels.
        """

    @classmethod
    def rows(cls, params: Any, rows: Sequence[EnforcedRow]) -> Sequence[Mapping[str, float]]:
        """`values` of each row of a joint."""
        return [{name: float(getattr(params, name)) for name in cls.values} for _ in rows]

    @classmethod
    def tolerance(cls, params: Any, row: EnforcedRow, values: Mapping[str, float]) -> float | None:
        """None where the law's load is the load. Else loads are iterated until the row moves as if they were
        its law's on its own mass: |Φ̈ − load⁰ / mass| ≤ this.
        """
        return None

    @classmethod
    def assembled(cls, params: Any) -> bool:
        """Whether the initial state is brought onto the rows; otherwise they are at the start as the scene
        has them.
        """
        return True

    @classmethod
    def before(cls, params: Any, rows: Sequence[EnforcedRow], values: Array) -> Sequence[tuple[str, str]]:
        """(level, text) to tell at the start of a run; values (rows, numbers) in the order of `values`."""
        return ()

    @classmethod
    def after(
        cls, params: Any, rows: Sequence[EnforcedRow], values: Array, memory: Array
    ) -> Sequence[tuple[str, str]]:
        """(level, text) to tell at its end; memory (rows, numbers)."""
        return ()
