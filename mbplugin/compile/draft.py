"""The draft of the tables: growing lists, and elements before they are sorted into batches."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Annotated, Any, NamedTuple

import numpy as np

from mbplugin.codegen.compiled import Compiled
from mbplugin.codegen.wrapper import Shape
from mbplugin.errors import PluginError
from mbplugin.interface.body import BodyKind, BodyPlan
from mbplugin.model.expression import Expression
from mbplugin.model.input import Input
from mbplugin.tables.links import FirstRow, Index, MeasureIndex, MemoryIndex
from mbplugin.tables.purposes import MEASURE
from mbplugin.tables.records import (
    EQUALITY,
    ON,
    ActivityRecord,
    BearingRecord,
    BoundedRecord,
    CommandRecord,
    ConditionRecord,
    CouplingRecord,
    ElementRecord,
    EnforcedRecord,
    ForceRecord,
    ImplicitRecord,
    TargetRecord,
)
from mbplugin.tables.spec import Array

#: the Shape with these fields; equal ones are one object
shape_of = functools.lru_cache(maxsize=1024)(Shape)
#: where an element reads and writes that has no row, no measure, ...
NOWHERE = ElementRecord(*(0 for _ in ElementRecord._fields))


@dataclass
class DraftBody:
    """A body before it is in the tables. Raises PluginError if its kind and its plan disagree about sizes."""

    name: str
    kind: type[BodyKind]
    plan: BodyPlan
    q: Array  # (nq,) at t = 0
    v: Array  # (nv,) at t = 0
    x: Array  # (3,) origin of the body frame at t = 0 [m], world
    R: Array  # (3, 3) axes of the body frame at t = 0 as columns, world
    point: int = -1  # of the mass centre
    nodes: list[int] = field(default_factory=list)  # points of the nodes of its surface, if it collides
    stretch: int = -1  # first of three points 1 m from it along the axes; −1: it does not stretch
    nq: int = field(init=False)  # number of coordinates
    nv: int = field(init=False)  # number of velocities

    def size(self, name: str) -> int:
        """Its nq, nv, scratch or record, from its kind or else from its plan. Raises PluginError."""
        fixed, own = getattr(self.kind, name), getattr(self.plan, name)
        if fixed is None and own is None:
            raise PluginError(
                f'body kind "{self.kind.name}": {name} is None in the class, so `plan` has to give it for '
                f'each body; it does not for "{self.name}"'
            )
        if fixed is not None and own not in (None, fixed):
            raise PluginError(
                f'body kind "{self.kind.name}": {name} is {fixed} in the class and {own} in the plan of '
                f'"{self.name}"; set it to None in the class'
            )
        return int(own if fixed is None else fixed)

    def check(self) -> None:
        """Raises PluginError if q and v are not as long as nq and nv say."""
        for name, given, n in (("q", self.q, self.nq), ("v", self.v, self.nv)):
            if np.shape(given) != (n,):
                raise PluginError(
                    f'body kind "{self.kind.name}": `coordinates` of "{self.name}" returns {name} of the '
                    f"shape {np.shape(given)}, and n{name} is {n}"
                )

    def __post_init__(self) -> None:
        self.nq, self.nv = self.size("nq"), self.size("nv")


def first_part_of(bodies: Sequence[DraftBody], number: int) -> int:
    """Number in the tables of the first part of a body: parts of all bodies follow the bodies."""
    return len(bodies) + sum(len(body.plan.parts) for body in bodies[:number])


@dataclass
class DraftElement:
    """An element before it has a number."""

    purpose: int
    role: str  # of `function`, in interface.names
    function: Callable[..., Any]
    shape: Shape
    owner: str  # the kind, for messages
    name: str  # in the scene
    points: Sequence[int]
    parameters: Sequence[float] = ()
    #: slots and parameters get places later; `first_G` of rows that it writes is the number in the block
    record: ElementRecord = NOWHERE
    accept: Callable[..., Any] | None = None  # shares the element's record, like `event`
    event: Callable[..., Any] | None = None
    accept_role: str = "accept"
    sample: Callable[..., Any] | None = None
    interval: float = 0.0  # of its samples [s]; 0: it takes none
    count: MemoryIndex = 0  # where the number of the samples that it has taken stands
    memory_acts: bool = True  # whether its outputs depend on its memory
    tangent: Callable[..., Any] | None = None

    @property
    def writes_rows(self) -> bool:
        """Whether its function writes constraint rows and their Jacobian."""
        return self.role == "constraint" or (self.role == "measure" and not self.shape.as_measure)

    @property
    def has_row(self) -> bool:
        """Whether it writes or enforces a row."""
        return self.writes_rows or self.role == "enforcement"

    @property
    def key(self) -> tuple[str, ...]:
        """Key that elements of one batch share, besides their purpose."""
        return (
            self.role,
            self.owner,
            self.function.__module__,
            self.function.__qualname__,
            self.shape.text,
            getattr(self.tangent, "__qualname__", ""),
        )


@dataclass
class DraftBlock:
    """The rows of one joint over its marker slots."""

    first_row: FirstRow
    points: list[int]
    rows: int = 0
    row_type: int = EQUALITY


@dataclass
class DraftRow:
    """A constraint row."""

    owner: str  # joint or motion
    label: str  # the constrained direction, for reports
    unit: str  # "m" or "rad"
    level: int  # POSITION_LEVEL, VELOCITY_LEVEL or ACCELERATION_LEVEL
    mode: int = ON


class DraftPartial(NamedTuple):
    """The derivative of an expression by a measure or its rate, which becomes a factor of a coupling."""

    expression: Expression
    measure: MeasureIndex
    coupling: Annotated[int, Index("Couplings")]
    by_rate: int  # 1: by the measure's rate


@dataclass
class DraftMeasure:
    """A measure that is evaluated by itself."""

    points: Sequence[int]
    wraps: bool  # whether full turns are counted
    first_J: int
    stride: float = 0.0  # most that it changes in a step; 0: no matter


@dataclass
class Draft:
    """Everything from which `assemble` makes the tables."""

    elements: list[DraftElement] = field(default_factory=list)
    blocks: list[DraftBlock] = field(default_factory=list)
    rows: list[DraftRow] = field(default_factory=list)
    enforced: list[EnforcedRecord] = field(default_factory=list)
    measures: list[DraftMeasure] = field(default_factory=list)
    measure_J: int = 0
    # elements of joint coordinates, by the numbers of their measures
    coordinate_elements: dict[int, DraftElement] = field(default_factory=dict)
    bounded: list[BoundedRecord] = field(default_factory=list)
    commands: list[CommandRecord] = field(default_factory=list)
    bearings: list[BearingRecord] = field(default_factory=list)
    activities: list[ActivityRecord] = field(default_factory=list)
    targets: list[TargetRecord] = field(default_factory=list)  # of all activities
    timed: set[int] = field(default_factory=set)  # targets of conditions of time
    conditions: list[ConditionRecord] = field(default_factory=list)
    belts: list[int] = field(default_factory=list)  # of each shape: `ShapeRecord.belt`
    couplings: list[CouplingRecord] = field(default_factory=list)  # `first_G` from the place of the row on
    coupling_constants: list[float] = field(default_factory=list)
    constant: list[float] = field(default_factory=lambda: [0.0])  # initial values of Functions.u
    of_kernels: set[int] = field(default_factory=set)  # targets in Functions.u that authors' functions read
    # target in Functions.u, expression, shift
    functions: list[tuple[int, Expression, int]] = field(default_factory=list)
    # reference of an expression -> number of the measure, user's state, implicit variable or function
    numbers: dict[Any, int] = field(default_factory=dict)
    partials: list[DraftPartial] = field(default_factory=list)
    equations: list[tuple[Expression, int]] = field(default_factory=list)  # expression, index in State.aux
    called: list[Compiled] = field(default_factory=list)  # functions of plugins in expressions
    unknowns: list[Any] = field(default_factory=list)  # references to implicit variables, by number
    implicit_rows: list[ImplicitRecord] = field(default_factory=list)
    guesses: list[float] = field(default_factory=list)  # of implicit variables at t = 0
    implicit_memory: int = 0
    reads_alone: bool = False  # no implicit variable changes the accelerations
    extent: float = 0.0  # largest length of a joint that markers do not show [m]
    points: list[tuple[int, Array]] = field(default_factory=list)  # body (-1: ground), record
    point_pose: list[tuple[Array, Array]] = field(default_factory=list)  # world at t = 0
    forces: list[ForceRecord] = field(default_factory=list)
    force_points: list[int] = field(default_factory=list)  # of each slot
    dissipates: list[bool] = field(default_factory=list)  # of each force
    states: int = 2  # auxiliary states; the first two are energies
    state_names: list[str] = field(default_factory=list)
    state_units: list[str] = field(default_factory=list)
    outputs: list[tuple[str, str]] = field(default_factory=list)  # name and unit
    start_states: list[float] = field(default_factory=lambda: [0.0, 0.0])
    memory: int = 0
    events: int = 0
    stop: int | None = None  # target of the condition that ends a run, whose event is the last one
    inputs: list[Input] = field(default_factory=list)
    inputs_jump: bool = False  # where one jumps, more than accelerations may jump
    # in joint coordinates (`compile/tree/fold.py`): what became of the bodies; slots of forces that the trees
    # know themselves; mass centre of each body of the scene in its frame
    folded: Any = None
    folded_slots: set[int] = field(default_factory=set)
    of_shapes: set[int] = field(default_factory=set)  # points of bodies whose shapes collide
    origins: list[Array] = field(default_factory=list)

    def bind(self, function: Expression | float, shift: int = 0) -> int:
        """Index in Functions.u of a function of time, or of a constant; u[0] is always zero.

        shift: 0 if the function is a value, 1 a rate, 2 an acceleration
        """
        value = function if isinstance(function, float) else function.constant
        if value == 0.0:
            return 0
        self.constant.append(float(value) if value is not None and shift == 0 else 0.0)
        target = len(self.constant) - 1
        if value is None or shift:
            assert isinstance(function, Expression)
            self.functions.append((target, function, shift))
        return target

    def bind_all(self, functions: Sequence[Expression], of_kernel: bool = True) -> int:
        """First of consecutive indices in Functions.u, one for each function. of_kernel: an author's function
        reads them, with derivatives.
        """
        first = len(self.constant)
        for function in functions:
            self.constant.append(function.constant if function.constant is not None else 0.0)
            if function.constant is None:
                self.functions.append((len(self.constant) - 1, function, 0))
                if of_kernel:
                    self.of_kernels.add(len(self.constant) - 1)
        return first

    def point(self, body: int, record: Array, x: Array, R: Array) -> int:
        """Add a point; returns its number. x (3,) and R (3, 3): world pose at t = 0."""
        self.points.append((body, np.asarray(record, float)))
        self.point_pose.append((x, R))
        return len(self.points) - 1

    def open_block(self, points: Sequence[int]) -> DraftBlock:
        """Add a block without rows over these marker slots."""
        block = DraftBlock(len(self.rows), list(points))
        self.blocks.append(block)
        return block

    def block_of_rows(self) -> list[int]:
        """The number of the block of each row."""
        return [k for k, block in enumerate(self.blocks) for _ in range(block.rows)]

    def row_places(self) -> list[int]:
        """Place of the Jacobian of each row in `Blocks.G_marker`."""
        sizes = [6 * len(block.points) for block in self.blocks for _ in range(block.rows)]
        return list(accumulate(sizes, initial=0))

    def couple(self, row: int, measure: int, function: int, factor: float, first_G: int = 0) -> int:
        """Add a term factor · s to a row; returns its number."""
        self.couplings.append(CouplingRecord(row, measure, first_G, function))
        self.coupling_constants.append(factor)
        return len(self.couplings) - 1

    def add_row(self, block: DraftBlock, row: DraftRow) -> int:
        """Add a row to the last block; returns its number."""
        assert block is self.blocks[-1]
        self.rows.append(row)
        block.rows += 1
        return len(self.rows) - 1

    def always(self, measure: int) -> int:
        """Evaluate a joint coordinate at every state, not only at the ends of steps; returns `measure`."""
        if (element := self.coordinate_elements.get(measure)) is not None:
            element.purpose = MEASURE
        return measure

    def measure(self, points: Sequence[int], wraps: bool, stride: float) -> int:
        """Add a measure; returns its number."""
        self.measures.append(DraftMeasure(points, wraps, self.measure_J, stride))
        self.measure_J += 6 * len(points)
        return len(self.measures) - 1
