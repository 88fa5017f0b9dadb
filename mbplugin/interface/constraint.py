"""A constraint kind: a list of basic constraints, or a kernel of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from mbplugin.interface.measure import Basic, Measure
from mbplugin.tables.groups import POSITION_LEVEL


class ConstraintKind:
    """Base of constraint kinds.

    Either `basics` (and `planar_basics` for two bodies that move in the plane), or `kernel` with `labels`, one per row.
    coordinates: name -> measure (or its registered name) of each free coordinate; motions, `start` and results use these names.
    markers: how many markers an element has (None: as many as the scene names).
    level: of the kernel's rows. states, memory, events: how many of each an element has; `start_states` their values at the start.
    length_unit of each row of a kernel: "m" or "rad" in `units`.
    """

    name: ClassVar[str]
    parameters: ClassVar[Any] = None
    basics: ClassVar[Sequence[Basic]] = ()
    planar_basics: ClassVar[Sequence[Basic]] = ()
    planar_name: ClassVar[str] = ""
    spatial: ClassVar[bool] = True
    coordinates: ClassVar[dict[str, Measure | str]] = {}
    planar_coordinates: ClassVar[dict[str, Measure | str] | None] = None
    markers: ClassVar[int | None] = 2
    kernel: ClassVar[Any] = None
    labels: ClassVar[Sequence[str]] = ()
    units: ClassVar[Sequence[str]] = ()
    level: ClassVar[int] = POSITION_LEVEL
    states: ClassVar[int] = 0
    memory: ClassVar[int] = 0
    events: ClassVar[int] = 0
    accept: ClassVar[Any] = None
    event: ClassVar[Any] = None

    @classmethod
    def defaults(cls, own: Any, markers: Any) -> Any:
        """Parameters with what the scene left open filled in from the marker poses at t = 0 (list of (x, R))."""
        return own

    @classmethod
    def coupling(cls, own: Any) -> Sequence[tuple[str, str, float]] | None:
        """For a linear relation Σ cᵢ sᵢ = target of joint coordinates: (joint, coordinate, cᵢ); None for other kinds."""
        return None
