"""State of a compilation: system, registry, draft and names; adds rows, measures and markers to them."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mbplugin.compile.alignment import Alignment
from mbplugin.compile.draft import NOWHERE, Draft, DraftBlock, DraftBody, DraftElement, DraftRow, shape_of
from mbplugin.compile.frames import Frame
from mbplugin.compile.parameters import names_argument, plain_parameters, split, validated_keys
from mbplugin.errors import PluginError, SceneError, errors_at
from mbplugin.hooks.registry import Registry
from mbplugin.interface import CHAIN, ConstraintKind, ForceKind, Measure
from mbplugin.interface.outputs import state_names, unit_on
from mbplugin.model import Motion, System
from mbplugin.model.expression import Expression, parse
from mbplugin.model.references import Symbols
from mbplugin.problem import CoordinateInfo, LineInfo, Names, RowName
from mbplugin.tables.purposes import CONSTRAINT, COORDINATE
from mbplugin.tables.spec import Array

#: most that an angle changes in a step [rad], and another measure in its range
STRIDE_OF_TURNS, STRIDE_OF_RANGES = 2.5, 0.125
#: how pictures can show the lines of any kind
LOOKS = ("straight", "coil", "dashpot")


@dataclass
class Builder:
    """One compilation."""

    system: System
    registry: Registry
    draft: Draft = field(default_factory=Draft)
    names: Names = field(default_factory=Names)
    bodies: list[DraftBody] = field(default_factory=list)  # in the order of the tables
    index: dict[str, int] = field(default_factory=dict)  # name of a body -> its number in `bodies`
    # joint -> its motions with their numbers in the scene
    joint_motions: dict[str, list[tuple[int, Motion]]] = field(default_factory=dict)
    row_of_motion: dict[str, int] = field(default_factory=dict)  # key of a motion, such as "motion[0].angle"
    # (joint, coordinate) -> number of its measure, the measure, its points
    coordinate_measure: dict[tuple[str, str], tuple[int, Measure, tuple[int, ...]]] = field(
        default_factory=dict
    )
    # joint -> names of its coordinates
    coordinate_names: dict[str, list[str]] = field(default_factory=dict)
    # motions that depend on other coordinates, with their keys; added after all joints
    dependent: list[tuple[str, Motion, CoordinateInfo, Expression]] = field(default_factory=list)
    # reference -> key and text of the first expression that contains it
    first_use: dict[Any, tuple[str, str]] = field(default_factory=dict)
    # ("force" or "joint", name) -> numbers of its force elements
    forces_of: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    acting: set[Any] = field(default_factory=set)  # references of expressions that change accelerations
    breaks: dict[str, str | None] = field(default_factory=dict)  # joint -> condition of its kind
    inputs_read: set[str] = field(default_factory=set)  # by expressions
    dotted: set[tuple[str, str]] = field(default_factory=set)  # `compile/optional_coordinates.py`
    armatures: list[Any] = field(
        default_factory=list
    )  # of `compile/armatures.py`, with the rotors in `bodies`
    start_rates: list[tuple[int, float]] = field(default_factory=list)  # function, rate at t = 0 of a `start`

    @functools.cached_property
    def alignment(self) -> Alignment | None:
        """Alignment of the joints' markers; None: they stay as written."""
        tolerance = self.system.scene.angle_tolerance
        return Alignment(tolerance) if tolerance > 0.0 else None

    @functools.cached_property
    def own_row_types(self) -> Sequence[str]:
        """Types of rows that the solver of the scene serves itself."""
        offers = self.registry.offers["solver"].get(self.system.solver.type, [])
        return offers[0].thing.row_types if offers else ()

    @functools.cached_property
    def symbols(self) -> Symbols:
        """Symbol table of the system's expressions."""
        return self.system.symbols

    def params(
        self, kind: Any, raw: dict[str, Any], key: str, common: Sequence[str], own: Symbols | None = None
    ) -> Any:
        """The validated parameters of a kind; None if it has none. own: further names of its expressions.
        Raises SceneError.
        """
        symbols = {**self.symbols, **own} if own else self.symbols
        return validated_keys(kind, raw, key, common, self.system, symbols)

    def measure(self, given: Measure | str, kind: type[ConstraintKind] | type[ForceKind]) -> Measure:
        """A kind's own measure, or the registered one with this name. Raises PluginError."""
        if not isinstance(given, str):
            return given
        try:
            return self.registry.measure(given)
        except SceneError as error:
            raise PluginError(f'type "{kind.name}" asks for the measure "{given}": {error.mend}') from None

    def point(self, frame: Frame, r: Array | None = None) -> int:
        """Add a marker; returns its point in the draft. r: its point record, if it is known."""
        if frame.body < 0:
            return self.draft.point(-1, np.zeros(0), frame.x, frame.R)
        record = self.bodies[frame.body]
        if r is None:
            r = self.point_record(frame)
        if not record.kind.parts and np.shape(r) != (record.size("record"),):
            raise PluginError(
                f'body kind "{record.kind.name}": `point` returns {np.shape(r)} numbers for a marker of '
                f'"{record.name}", and `record` is {record.size("record")}'
            )
        return self.draft.point(frame.body, r, frame.x, frame.R)

    def point_record(self, frame: Frame) -> Array:
        """The point record of a marker on a body. Raises SceneError."""
        body = self.bodies[frame.body]
        named = {"marker": frame.marker} if names_argument(body.kind.point, "marker") else {}
        position = body.R.T @ (frame.x - body.x)
        return np.asarray(body.kind.point(position, body.R.T @ frame.R, body.plan, **named), float)

    def add_row(self, block: DraftBlock, row: DraftRow) -> int:
        """Add a row to the last block; returns its number."""
        self.names.rows.append(RowName(row.owner, row.label, row.unit))
        return self.draft.add_row(block, row)

    def add_measure(self, name: str, measure: Measure, points: Sequence[int], purpose: int) -> int:
        """Add a measure that is evaluated by itself, not as a row; returns its number."""
        layout, values, _ = split(measure.settings)
        number = self.draft.measure(points, measure.wraps, stride_of(measure))
        shape = shape_of(
            parameters=tuple(layout),
            markers=measure.markers,
            rows=1,
            period=measure.period,
            as_measure=True,
            memory=len(measure.unknowns),
        )
        element = DraftElement(
            purpose,
            "measure",
            measure.kernel,
            shape,
            f"measure {measure.kernel.__name__}",
            name,
            points,
            values,
            NOWHERE._replace(
                first_G=self.draft.measures[number].first_J,
                measure=number,
                first_memory=self.memory_of(measure),
            ),
            accept=measure.accept,
        )
        self.draft.elements.append(element)
        if purpose == COORDINATE:
            self.draft.coordinate_elements[number] = element
        return number

    def add_measure_rows(
        self, name: str, measure: Measure, function: int, row: int, block: DraftBlock
    ) -> None:
        """Add the element that evaluates the rows measure = function, from `row`. Raises PluginError."""
        if measure.markers not in (None, len(block.points)):
            raise PluginError(
                f'joint "{name}": measure {measure.kernel.__name__} is of {measure.markers} markers, and the '
                f"joint has {len(block.points)}; give the joint as many markers, or take another measure"
            )
        layout, values, _ = split(measure.settings)
        shape = shape_of(
            parameters=tuple(layout),
            markers=measure.markers,
            rows=measure.rows,
            period=measure.period,
            memory=len(measure.unknowns),
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
                NOWHERE._replace(
                    first_row=row,
                    first_G=row - block.first_row,
                    first_function=function,
                    first_memory=self.memory_of(measure),
                ),
                accept=measure.accept,
                tangent=measure.tangent,
            )
        )

    def memory_of(self, measure: Measure) -> int:
        """Allocate the memory of an element of a measure with inner unknowns; returns its place."""
        first = self.draft.memory
        self.draft.memory += len(measure.unknowns)
        return first

    def add_lines(self, name: str, kind: Any, points: Sequence[int], params: Any) -> None:
        """Add the lines that pictures show of a joint or force element. Raises PluginError."""
        pairs, look, strands = line_pairs(kind, len(points), name), kind.look(params), 1.0
        known: tuple[str, ...] = (*LOOKS, "slack", "rings")
        if issubclass(kind, ConstraintKind):
            known = (*LOOKS, "strands") if len(pairs) == 2 else LOOKS
            strands = float(kind.strands(params))
        if look not in known:
            raise PluginError(
                f'"{kind.name}": `look` returns {look!r} for "{name}"; known: {", ".join(known)}'
            )
        self.names.lines += [LineInfo(name, points[a], points[b], look, strands) for a, b in pairs]

    def place_inner(self, element: DraftElement, kind: Any, name: str, coordinate: str = "") -> None:
        """Allocate the inner states, memory and event functions of an element.

        coordinate: unit of the joint coordinate on which it stands
        """
        draft = self.draft
        element.record = element.record._replace(
            first_aux=draft.states,
            first_memory=draft.memory,
            first_event=draft.events,
            first_output=self.add_outputs(name, kind, coordinate),
        )
        states = state_names(kind.states)
        start = list(getattr(kind, "start_states", ())) or [0.0] * len(states)
        draft.start_states += start
        draft.states += len(states)
        draft.memory += kind.memory
        draft.events += kind.events
        for i, (own, unit) in enumerate(states):
            label = own or (str(i) if len(states) > 1 else "")
            draft.state_names.append(f"{name}.{label}" if label else name)
            draft.state_units.append(unit_on(coordinate, unit))

    def add_outputs(self, name: str, kind: Any, coordinate: str = "") -> int:
        """Add the outputs of an element; returns the place of the first."""
        first = len(self.draft.outputs)
        self.draft.outputs += [
            (f"{name}.{output}", unit_on(coordinate, unit)) for output, unit in kind.outputs.items()
        ]
        return first

    def expression(self, value: Any, key: str) -> Expression:
        """The parsed expression of a key. Raises SceneError."""
        with errors_at(key, value):
            return parse(value, self.symbols)


def stride_of(measure: Measure) -> float:
    """Most that a measure changes in a step, so that full turns are counted and unknowns followed; 0: any."""
    if measure.wraps:
        return STRIDE_OF_TURNS
    if not measure.range:
        return 0.0
    return STRIDE_OF_RANGES * float(getattr(plain_parameters(measure.settings), measure.range))


def line_pairs(kind: Any, count: int, name: str) -> list[tuple[int, int]]:
    """The pairs of the `count` markers of a joint or force between which it has lines. Raises PluginError."""
    if kind.lines == CHAIN:
        return [(k, k + 1) for k in range(count - 1)]
    for pair in kind.lines:
        if not (isinstance(pair, tuple) and len(pair) == 2 and all(end in range(count) for end in pair)):
            raise PluginError(
                f'"{kind.name}": `lines` holds pairs of markers, counted from 0, such as ((0, 1),); '
                f'{pair!r} is not a pair of the {count} markers of "{name}"'
            )
    return list(kind.lines)
