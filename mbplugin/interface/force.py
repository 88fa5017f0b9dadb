"""A force kind: wrenches on markers, with the energy behind them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from mbplugin.interface.measure import Measure


class ForceKind:
    """Base of force kinds: `kernel` writes `wrench` (and `energy`, `power`, `x_dot`).

    markers: how many markers an element has (None: as many as the scene names). measures: read by the kernel
    as `s`, `s_dot`, `J`;
    a measure that some plugin registered is named.
    dissipates: `power` counts as dissipation, not as work put in. states, memory, events as for constraints.
    tangent: writes `K` and `D`, minus the derivatives of `wrench` by the places and the velocities of the
    markers, from closed forms; None: the engine takes differences. lines: pairs of markers between which
    pictures and ParaView show a line, such as ((0, 1),) of a spring.
    """

    name: ClassVar[str]
    parameters: ClassVar[Any] = None
    markers: ClassVar[int | None] = 2
    measures: ClassVar[Sequence[Measure | str]] = ()
    kernel: ClassVar[Any] = None
    tangent: ClassVar[Any] = None
    dissipates: ClassVar[bool] = False
    lines: ClassVar[Sequence[tuple[int, int]]] = ()
    states: ClassVar[int] = 0
    start_states: ClassVar[Sequence[float]] = ()  # values of the inner states at the start; default 0
    memory: ClassVar[int] = 0
    events: ClassVar[int] = 0
    accept: ClassVar[Any] = None
    event: ClassVar[Any] = None
    examples: ClassVar[Sequence[dict[str, Any]]] = ()  # keys with which the conformance kit tries it

    @classmethod
    def defaults(cls, params: Any, markers: Any) -> Any:
        """Parameters with what the scene left open filled in from the marker poses at t = 0 (list of (x, R))."""
        return params
