"""Measures: functions of a few marker poses, and the basic constraints made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import pi
from typing import Any

from mbplugin.errors import PluginError
from mbplugin.interface.derived import DerivedRows

#: what a measure has that says nothing of them
KERNEL, TANGENT, ACCEPT = DerivedRows("measure"), DerivedRows("tangent"), DerivedRows("accept")


@dataclass(frozen=True)
class Measure:
    """A function s of marker poses, with its Jacobian J over their twists:  s̈ = J (twist rates) + bias.

    Its author writes `phi`, from which kernel and tangent are derived, or the kernel itself.
    """

    #: takes arguments of the role "measure" of `interface.names`; default: derived from `phi`
    kernel: Callable[..., None] = KERNEL  # type: ignore[assignment]
    settings: dict[str, Any] = field(default_factory=dict)  # constants that the kernel gets as `p`, by name
    rows: int = 1  # number of values
    markers: int | None = 2  # None: any number
    unit: str = "m"  # or "rad"
    wraps: bool = False  # the value is an angle in (−π, π]; full turns are counted between accepted steps
    #: of the role "measure_tangent"; default: derived from `phi`; None: differences
    tangent: Callable[..., None] | None = TANGENT  # type: ignore[assignment]
    formula: str = ""  # s, if short ṡ and γ = −bias, in LaTeX, one equation a line; for docs
    #: s as a function of markers (`a`, `b` or `m`) and `p`, which returns a number, or a tuple of `rows`
    phi: Callable[..., Any] | None = None
    #: inner unknowns of `phi`, as of a kind. A coordinate of a joint with such a measure gets the parameters
    #: of the joint as `p`
    unknowns: Mapping[str, str] = field(default_factory=dict)
    #: F of the unknowns as a function like `phi`: zero where they are right
    equations: Callable[..., Any] | None = None
    #: parameter with a range of the value; where steps are free they change it by an eighth of it at most
    range: str = ""
    #: whether it is the size of a motion in several directions, such as the angle between two axes: at least
    #: 0, with a corner there, where `phi` gives J = 0. A limit holds no such coordinate at 0
    size: bool = False
    #: force kind between the markers for `stiffness` and `damping` of such a coordinate, with these two keys:
    #: it acts in all directions of the motion. Default: one on the coordinate
    spring: str = ""
    #: constraint kind with a ψ of two rows at right angles, for dry friction against the motion; None: it
    #: takes none. It is not registered
    friction: Any = None
    #: stores the unknowns after an accepted step, if there are any; derived
    accept: Callable[..., None] | None = ACCEPT  # type: ignore[assignment]

    def __post_init__(self) -> None:
        if self.phi is None and self.kernel is None:
            raise PluginError("a Measure takes `phi`, the function of marker poses, or a `kernel`")

    @property
    def function(self) -> Callable[..., Any]:
        """The author's function: Φ, or the kernel."""
        return self.phi or self.kernel

    @property
    def period(self) -> float:
        """2π [rad] if full turns are counted, as residuals are then taken modulo a turn; else 0."""
        return 2.0 * pi if self.wraps else 0.0


@dataclass(frozen=True)
class Basic:
    """A basic constraint: measure = target."""

    measure: Measure | str  # or its registered name
    labels: tuple[str, ...]  # of each row, the constrained direction; for reports
    to: str | None = None  # name of the parameter or bound function that is the target; None: zero
    name: str = ""  # default: the registered name of the measure, or the first label

    def __str__(self) -> str:
        return self.name or (self.measure if isinstance(self.measure, str) else self.labels[0])
