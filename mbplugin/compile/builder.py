"""What all parts of a compilation share: the system, what plugins offer, the draft and the words, and how
rows and measures are added to them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mbplugin.codegen.wrapper import Shape
from mbplugin.compile.draft import Draft, DraftBlock, DraftBody, DraftElement, DraftRow
from mbplugin.compile.frames import Frame
from mbplugin.compile.parameters import split
from mbplugin.errors import PluginError, SceneError, did_you_mean, listed
from mbplugin.hooks.registry import Registry
from mbplugin.interface import ConstraintKind, ForceKind, Measure
from mbplugin.model import Motion, System
from mbplugin.model.expression import Expression, parse
from mbplugin.model.table import validated
from mbplugin.problem import CoordinateInfo, Names, RowName
from mbplugin.tables.purposes import CONSTRAINT


@dataclass
class Builder:
    """One compilation.

    bodies, index: in the order of the tables, and where each name is. joint_motions: those of each joint,
    with their numbers. coordinate_measure: of each coordinate of a joint, its number, the measure and its
    points. dependent: motions that read the motion of others, with their keys, which come when all
    coordinates are there. first_use: key and text of the expression that first refers to something.
    start_rates: (function, rate at t = 0) of the rows that hold a `start`.
    """

    system: System
    registry: Registry
    draft: Draft = field(default_factory=Draft)
    names: Names = field(default_factory=Names)
    bodies: list[DraftBody] = field(default_factory=list)
    index: dict[str, int] = field(default_factory=dict)
    joint_motions: dict[str, list[tuple[int, Motion]]] = field(default_factory=dict)
    coordinate_measure: dict[tuple[str, str], tuple[int, Measure, tuple[int, ...]]] = field(
        default_factory=dict
    )
    dependent: list[tuple[str, Motion, CoordinateInfo, Expression]] = field(default_factory=list)
    first_use: dict[Any, tuple[str, str]] = field(default_factory=dict)
    start_rates: list[tuple[int, float]] = field(default_factory=list)

    def params(self, kind: Any, raw: dict[str, Any], key: str, common: Sequence[str]) -> Any:
        """A kind's own keys, validated."""
        if kind.parameters is None:
            for name in raw:
                raise SceneError(
                    f"{key}.{name}",
                    raw[name],
                    f'unknown key of type "{kind.name}"{did_you_mean(name, common) or f"; it takes {listed(common)}"}',
                )
            return None
        return validated(kind.parameters, raw, key, self.system.symbols, also_known=common)

    def measure(self, given: Measure | str, kind: type[ConstraintKind] | type[ForceKind]) -> Measure:
        """A kind's own measure, or the registered one that it names."""
        if not isinstance(given, str):
            return given
        try:
            return self.registry.measure(given)
        except SceneError as error:
            raise PluginError(f'type "{kind.name}" asks for the measure "{given}": {error.mend}') from None

    def point(self, frame: Frame) -> int:
        """A marker: a point record on its body."""
        if frame.body < 0:
            return self.draft.point(-1, np.zeros(0), frame.x, frame.R)
        record = self.bodies[frame.body]
        place = record.R.T @ (frame.x - record.x)
        return self.draft.point(
            frame.body, record.kind.point(place, record.R.T @ frame.R, record.plan), frame.x, frame.R
        )

    def add_row(self, block: DraftBlock, row: DraftRow) -> int:
        self.names.rows.append(RowName(row.owner, row.label, row.unit))
        return self.draft.add_row(block, row)

    def add_measure(self, name: str, measure: Measure, points: Sequence[int], purpose: int) -> int:
        """A measure that is evaluated for itself; returns its number."""
        layout, values, _ = split(measure.settings)
        number = self.draft.measure(points, measure.turns)
        shape = Shape(
            parameters=tuple(layout), markers=measure.markers, rows=1, period=measure.period, as_measure=True
        )
        self.draft.elements.append(
            DraftElement(
                purpose,
                "measure",
                measure.kernel,
                shape,
                f"measure {measure.kernel.__name__}",
                name,
                points,
                values,
                gm=self.draft.measures[number].j0,
                measure=number,
            )
        )
        return number

    def add_measure_rows(
        self, name: str, measure: Measure, function: int, row: int, block: DraftBlock
    ) -> None:
        if measure.markers != len(block.points):
            raise PluginError(
                f'joint "{name}": measure {measure.kernel.__name__} is of {measure.markers} markers, and the joint has {len(block.points)}'
            )
        layout, values, _ = split(measure.settings)
        shape = Shape(
            parameters=tuple(layout), markers=measure.markers, rows=measure.rows, period=measure.period
        )
        self.draft.elements.append(
            DraftElement(
                CONSTRAINT,
                "measure",
                measure.kernel,
                shape,
                f"measure {measure.kernel.__name__}",
                name,
                block.points,
                values,
                row=row,
                gm=row - block.row0,
                function0=function,
                tangent=measure.tangent,
            )
        )

    def add_lines(self, name: str, kind: Any, points: Sequence[int]) -> None:
        """What pictures show of a joint or force element besides bodies."""
        for pair in kind.lines:
            if not (
                isinstance(pair, tuple) and len(pair) == 2 and all(end in range(len(points)) for end in pair)
            ):
                raise PluginError(
                    f'"{kind.name}": `lines` holds pairs of markers, counted from 0, such as ((0, 1),); {pair!r} is none of the {len(points)} of "{name}"'
                )
            self.names.lines.append((name, points[pair[0]], points[pair[1]]))

    def place_inner(self, element: DraftElement, kind: Any, name: str) -> None:
        """Room for inner states, memory and events."""
        draft = self.draft
        element.state, element.memory, element.event0 = draft.states, draft.memory, draft.events
        start = list(getattr(kind, "start_states", ())) or [0.0] * kind.states
        draft.start_states += start
        draft.states += kind.states
        draft.memory += kind.memory
        draft.events += kind.events
        draft.state_names += [f"{name}.{i}" if kind.states > 1 else name for i in range(kind.states)]

    def expression(self, value: Any, key: str) -> Expression:
        try:
            return parse(value, self.system.symbols)
        except SceneError as error:
            raise SceneError(key, value, error.mend) from None
