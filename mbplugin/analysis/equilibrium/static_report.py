"""The report of a static analysis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from mbplugin.analysis.forces_report import ForcesReport
from mbplugin.analysis.report import table
from mbplugin.tables.spec import Array


@dataclass(kw_only=True, repr=False)
class StaticReport(ForcesReport):
    """stiffnesses: eigenvalues of NᵀKN [1/s²], of large systems the lowest; all positive: stable. dof: how
    many there are in all. zero: the size up to which each counts as zero. steps: (load, unbalanced force
    relative to the largest, size of the step) of each.
    """

    what: ClassVar[str] = "static"
    bodies: list[str]
    moved: Array
    position: Array
    steps: list[tuple[float, float, float]]
    stiffnesses: Array
    dof: int
    zero: Array | float
    stable: bool | None
    #: largest real part of a mode [1/s], where forces depend on more than positions and velocities; else None
    growth: float | None = None

    @property
    def unstable(self) -> bool:
        return bool((self.stiffnesses < -self.zero).any()) if self.growth is None else not self.stable

    def lines(self) -> list[str]:
        text = [
            f"equilibrium after {len(self.steps)} Newton steps; unbalanced force {self.steps[-1][1]:.1e} "
            "of the largest force"
            if self.steps
            else "in equilibrium"
        ]
        if self.growth is not None:
            kind = "stable" if self.stable else "not stable: small disturbances do not die out"
            text.append(
                f"the equilibrium is {kind}, by its modes with inner states and reactions in expressions "
                f"(largest real part {self.growth:.6g} 1/s)"
            )
        elif len(self.stiffnesses):
            kind = "stable"
            if not self.stable:
                kind = (
                    "UNSTABLE: small disturbances grow"
                    if self.unstable
                    else "neutrally stable: some motion has no stiffness"
                )
            text.append(
                f"the equilibrium is {kind} (least eigenvalue of the stiffness "
                f"{self.stiffnesses[0]:.6g} 1/s2)"
            )
        text += table(
            ["load", "unbalanced", "step"], [tuple(f"{x:.3g}" for x in step) for step in self.steps[-8:]]
        )
        text += table(
            ["body", "x [m]", "y [m]", "z [m]", "moved [m]"],
            [(n, *x, m) for n, x, m in zip(self.bodies, self.position.tolist(), self.moved.tolist())],
        )
        return text + self.tables_of_forces() + self.messages

    def as_dict(self) -> dict[str, Any]:
        return {
            "bodies": {
                n: {"position": x, "moved": m} for n, x, m in zip(self.bodies, self.position, self.moved)
            },
            **self.forces_as_dict(),
            "newton": [{"load": a, "unbalanced": b, "step": c} for a, b, c in self.steps],
            "stiffnesses": self.stiffnesses,
            "stable": self.stable,
            "growth": self.growth,
            "messages": self.messages,
        }
