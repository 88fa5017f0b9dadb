"""The [solver] table. The solver's parameters stay unchecked in `raw`."""

from __future__ import annotations

from pydantic import Field

from mbplugin.model.quantities import Time
from mbplugin.model.table import Element


class Solver(Element):
    """Solver, end time, and the solver's parameters."""

    type: str = Field(
        default="",
        description='name of the solver; default "rk", or "contact" where shapes collide; `mbplugin plugins` '
        "lists them",
    )
    end: Time = Field(default=1.0, description="time at which the run ends [s]")
    stop: str | None = Field(
        default=None,
        description='condition that ends the run earlier, when it becomes true: "hinge.angle > 1"; several '
        "with `and`, `or`",
    )
