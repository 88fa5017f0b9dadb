"""Tables while they are being built: lists that grow, and the elements before they are sorted into batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mbplugin.codegen.wrapper import Shape
from mbplugin.interface.body import BodyKind, BodyPlan
from mbplugin.model.expression import Expression
from mbplugin.tables.purposes import COORDINATE, MEASURE
from mbplugin.tables.spec import Array


@dataclass
class DraftBody:
    """A body as its kind planned it; x, R: pose of its frame at t = 0; point: that of its frame."""

    name: str
    kind: type[BodyKind]
    plan: BodyPlan
    q: Array
    v: Array
    x: Array
    R: Array
    point: int = -1


@dataclass
class DraftElement:
    """An element before it has a number. `accept`, `event`: further functions that share its record."""

    purpose: int
    role: str
    function: Callable[..., Any]
    shape: Shape
    owner: str
    name: str
    points: Sequence[int]
    parameters: Sequence[float] = ()
    row: int = 0
    gm: int = 0
    function0: int = 0
    state: int = 0
    memory: int = 0
    out: int = 0
    measure: int = 0
    event0: int = 0
    accept: Callable[..., Any] | None = None
    event: Callable[..., Any] | None = None
    accept_role: str = "accept"
    tangent: Callable[..., Any] | None = None


@dataclass
class DraftBlock:
    """The rows of one joint over its marker slots."""

    row0: int
    points: list[int]
    first_G_marker: int = 0
    rows: int = 0


@dataclass
class DraftRow:
    owner: str
    label: str
    unit: str
    level: int
    active: int = 1


@dataclass
class DraftEnforced:
    """A row that a law holds."""

    row: int
    block: int


@dataclass
class DraftImplicit:
    """As the columns of `Unknowns.row` have it; axes: a point; start: a first guess."""

    what: int
    place: int = 0
    block: int = 0
    row: int = 0
    rows: int = 0
    axes: int = -1
    component: int = 0
    slot: int = 0
    start: float = 0.0


@dataclass
class DraftMeasure:
    points: Sequence[int]
    turns: bool
    j0: int


@dataclass
class Draft:
    """Everything that `assemble` turns into tables."""

    elements: list[DraftElement] = field(default_factory=list)
    blocks: list[DraftBlock] = field(default_factory=list)
    rows: list[DraftRow] = field(default_factory=list)
    enforced: list[DraftEnforced] = field(default_factory=list)
    measures: list[DraftMeasure] = field(default_factory=list)
    measure_J: int = 0
    couplings: list[tuple[tuple[int, int, int, int], float]] = field(default_factory=list)
    constant: list[float] = field(default_factory=lambda: [0.0])
    functions: list[tuple[int, Expression, int]] = field(
        default_factory=list
    )  # target in u, expression, shift
    numbers: dict[Any, int] = field(
        default_factory=dict
    )  # reference of an expression -> number of the measure, the user's state, the unknown or the function
    partials: list[tuple[Expression, int, int, int]] = field(
        default_factory=list
    )  # expression, measure, coupling, 1: by its rate
    equations: list[tuple[Expression, int]] = field(default_factory=list)  # expression, place in x
    called: list[int] = field(default_factory=list)  # addresses of plugins' functions
    unknowns: list[Any] = field(default_factory=list)  # references, by number
    implicit_rows: list[DraftImplicit] = field(default_factory=list)
    implicit_memory: int = 0
    points: list[tuple[int, Array]] = field(default_factory=list)  # body (-1: ground), record
    point_pose: list[tuple[Array, Array]] = field(default_factory=list)  # world at t = 0
    wrench_slots: list[tuple[int, int]] = field(default_factory=list)
    force_points: list[int] = field(default_factory=list)
    dissipates: list[int] = field(default_factory=list)
    states: int = 2
    state_names: list[str] = field(default_factory=list)
    start_states: list[float] = field(default_factory=lambda: [0.0, 0.0])
    memory: int = 0
    events: int = 0

    def bind(self, function: Expression | float, shift: int = 0) -> int:
        """Place in `u` of a function of time. Constants are written there once; 0 is zero for ever."""
        value = function if isinstance(function, float) else function.constant
        if value == 0.0:
            return 0
        self.constant.append(float(value) if value is not None and shift == 0 else 0.0)
        target = len(self.constant) - 1
        if value is None or shift:
            assert isinstance(function, Expression)
            self.functions.append((target, function, shift))
        return target

    def bind_all(self, functions: Sequence[Expression]) -> int:
        """First of consecutive places; each function gets its own, also a zero one."""
        first = len(self.constant)
        for function in functions:
            self.constant.append(function.constant if function.constant is not None else 0.0)
            if function.constant is None:
                self.functions.append((len(self.constant) - 1, function, 0))
        return first

    def point(self, body: int, record: Array, x: Array, R: Array) -> int:
        self.points.append((body, np.asarray(record, float)))
        self.point_pose.append((x, R))
        return len(self.points) - 1

    def open_block(self, points: Sequence[int]) -> DraftBlock:
        block = DraftBlock(len(self.rows), list(points))
        self.blocks.append(block)
        return block

    def block_of_rows(self) -> dict[int, DraftBlock]:
        """The block of each row, by the row's number."""
        return {row: block for block in self.blocks for row in range(block.row0, block.row0 + block.rows)}

    def add_row(self, block: DraftBlock, row: DraftRow) -> int:
        assert block is self.blocks[-1]
        self.rows.append(row)
        block.rows += 1
        return len(self.rows) - 1

    def always(self, measure: int) -> int:
        """Evaluate a joint's coordinate at every state, and not only where steps end: something depends on
        it.
        """
        for element in self.elements:
            if element.measure == measure and element.purpose == COORDINATE:
                element.purpose = MEASURE
        return measure

    def measure(self, points: Sequence[int], turns: bool) -> int:
        self.measures.append(DraftMeasure(points, turns, self.measure_J))
        self.measure_J += 6 * len(points)
        return len(self.measures) - 1
