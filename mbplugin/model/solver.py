"""The solver as it is written; its own keys stay raw in `own`."""

from __future__ import annotations

from pydantic import Field

from mbplugin.model.quantities import Positive
from mbplugin.model.table import Element


class Solver(Element):
    """Which plugin's solver runs, until when, and the solver's own keys."""

    type: str = Field(default="rk", description="name of the solver; `mbplugin plugins` lists them")
    end: Positive = Field(default=1.0, description="time at which the run ends [s]")
