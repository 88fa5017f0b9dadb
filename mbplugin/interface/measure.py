"""A measure: a function of a few marker poses, and the constraint rows made of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import pi
from typing import Any


@dataclass(frozen=True)
class Measure:
    """s of `markers` marker poses, with its Jacobian over their twists and its bias: s̈ = J (twist rates) +
    bias.

    kernel: function of the names of role "measure". rows: number of values. settings: constants that the
    kernel sees as `p`, by name.
    unit: "m" or "rad". turns: the value is an angle in (−π, π] that counts full turns between accepted steps.
    tangent: function of role "measure_tangent", writes `K`, minus the derivative of Jᵀ lam by the places of
    the markers; None: the engine takes differences. formula: s, and where they are short ṡ and γ, minus the
    bias, in LaTeX, one equation a line; for pages.
    """

    kernel: Callable[..., None]
    settings: dict[str, Any] = field(default_factory=dict)
    rows: int = 1
    markers: int = 2
    unit: str = "m"
    turns: bool = False
    tangent: Callable[..., None] | None = None
    formula: str = ""

    @property
    def period(self) -> float:
        """Residuals of angles are taken modulo a full turn."""
        return 2.0 * pi if self.turns else 0.0


@dataclass(frozen=True)
class Basic:
    """A basic constraint: measure = target. `to` names the parameter or bound function that is the target
    (None: zero).

    measure: one of the plugin's own, or the name of one that some plugin registered.
    labels: what each row holds, in the words that reports print.
    name: what such a constraint is called; without one, its measure or its first label tells.
    """

    measure: Measure | str
    labels: tuple[str, ...]
    to: str | None = None
    name: str = ""

    def __str__(self) -> str:
        return self.name or (self.measure if isinstance(self.measure, str) else self.labels[0])
