"""Names and further data of the tables' records, for messages and results."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple

from mbplugin.interface.enforcement import EnforcementKind
from mbplugin.problem.collisions import Collisions
from mbplugin.tables.links import BlockIndex, BodyIndex, Index, MarkerIndex, RowIndex


class RowName(NamedTuple):
    """A constraint row as reports name it."""

    owner: str  # joint or motion
    label: str  # the constrained direction
    unit: str  # "m" or "rad"


@dataclass
class JointInfo:
    """A joint (or the motion of a coordinate), and its numbers in the tables."""

    name: str
    type: str
    a: str  # reference of the scene
    b: str
    block: BlockIndex
    rows: Annotated[range, Index("Rows")]
    markers: tuple[MarkerIndex, ...]
    kind: Any = None  # in the form for its bodies
    planar: bool = False  # between planar bodies
    params: Any = None  # keys of its kind

    @property
    def free_directions(self) -> tuple[str, ...]:
        """Names of the unconstrained directions."""
        return tuple(self.kind.free_directions)


@dataclass
class EnforcedInfo:
    """A joint whose rows are enforced by a compliance (penalty)."""

    joint: int  # its number
    kind: type[EnforcementKind]
    params: Any


@dataclass
class DefaultsInfo:
    """Parameters that a force derived from its markers where the scene gives nothing, such as a
    free length.
    """

    force: str
    kind: Any
    given: Any  # parameters before
    params: Any  # and after
    markers: tuple[MarkerIndex, ...]


@dataclass(frozen=True)
class WarningForce:
    """A force whose memory may give a warning."""

    name: str
    kind: Any
    params: Any
    first_memory: int  # in State.memory


@dataclass
class ActivityInfo:
    """A joint, motion, force or the contacts of a body, and when it acts."""

    name: str
    what: str  # "joint", "motion", "force" or "contacts"
    key: str  # of its table in the scene
    label: str  # its name, with `what` before it where two have the same
    active: str | bool  # as given
    release: str | None
    breaks: bool  # its kind has a strength

    @property
    def conditional(self) -> bool:
        """Whether it has a condition."""
        return isinstance(self.active, str) or self.release is not None


@dataclass
class CoordinateInfo:
    """A joint coordinate."""

    name: str
    joint: int
    measure: int
    unit: str
    motion_rows: list[RowIndex] = field(default_factory=list)  # of the motions that drive it, in turn
    start_row: RowIndex = -1  # row of the `start` that sets it; -1: none
    #: of a coordinate with limits: first or second marker, and its axis (3,); None: it has no fixed axis
    axis: tuple[int, Any] | None = None


@dataclass(frozen=True)
class NodalBody:
    """A body with nodes, as frames show it.

    mesh:   its `NodeMesh`
    rest:   (n, 3) its nodes, undeformed, at t = 0 [m], world
    points: number of points of stress; 0: frames have no stress
    """

    name: str
    mesh: Any
    rest: Any
    points: int


@dataclass(frozen=True)
class DeformableBody:
    """A body that deforms, and how the assembly moves it as a whole.

    number:      in the scene
    x, R:        (3,) and (3, 3) of the body frame as the scene gives it, world
    coordinates: q and v of the undeformed body, from x, R, velocity and angular velocity of its frame
    """

    number: int
    x: Any
    R: Any
    coordinates: Any


class LineInfo(NamedTuple):
    """A line that pictures show of a joint or force element."""

    owner: str
    a: MarkerIndex  # markers of its ends
    b: MarkerIndex
    look: str  # as `ForceKind.look` or `ConstraintKind.look`
    strands: float  # that pull at the last marker of the owner


@dataclass
class Names:
    """Names in the order of the tables; `bodies` in that of the scene."""

    bodies: list[str] = field(default_factory=list)
    body_index: list[BodyIndex] = field(default_factory=list)  # of each body of the scene
    body_marker: list[MarkerIndex] = field(default_factory=list)  # at the mass centre of each of them
    # of each body of the scene: first of three markers 1 m from its mass centre along the axes of its frame,
    # which move as the material; −1: the body is rigid
    stretches: list[MarkerIndex] = field(default_factory=list)
    nodal: list[NodalBody] = field(default_factory=list)  # bodies with nodes, in the order of the scene
    deformable: list[DeformableBody] = field(default_factory=list)  # bodies that deform, likewise
    rotors: dict[BodyIndex, str] = field(default_factory=dict)  # body -> coordinate, for armatures
    joints: list[JointInfo] = field(default_factory=list)
    coordinates: list[CoordinateInfo] = field(default_factory=list)
    # measure of a relation or coupling, and measure of the coordinate that it repeats
    same_measures: list[tuple[int, int]] = field(default_factory=list)
    # name and type of each force element of the scene; elements on the faces of one force have the same
    forces: list[tuple[str, str]] = field(default_factory=list)
    on_faces: set[str] = field(default_factory=set)  # names of forces on faces
    defaults: list[DefaultsInfo] = field(default_factory=list)  # of forces
    warning_forces: list[WarningForce] = field(default_factory=list)
    lines: list[LineInfo] = field(default_factory=list)
    states: list[str] = field(default_factory=list)
    state_units: list[str] = field(default_factory=list)  # "": not given
    inputs: list[tuple[str, str]] = field(default_factory=list)  # name and unit; "": not given
    unread: list[str] = field(default_factory=list)  # inputs that no expression reads
    outputs: list[tuple[str, str]] = field(default_factory=list)  # of elements: name and unit
    variables: list[tuple[str, str, int]] = field(default_factory=list)  # name, unit, place in Functions.u
    rows: list[RowName] = field(default_factory=list)
    elements: list[str] = field(default_factory=list)
    functions: list[tuple[str, str]] = field(default_factory=list)  # key and text of the bound expressions
    implicit: list[str] = field(default_factory=list)
    # reactions in expressions: key of the expression, joint, component
    reads: list[tuple[str, str, str]] = field(default_factory=list)
    enforced: list[EnforcedInfo] = field(default_factory=list)
    # key of each bounded row, such as "joint[0].limits", its value, and what it is, such as "pin friction"
    bounded: list[tuple[str, Any, str]] = field(default_factory=list)
    # key and name of each force that takes samples, such as "force[0]", "drive"
    sampled: list[tuple[str, str]] = field(default_factory=list)
    activities: list[ActivityInfo] = field(default_factory=list)
    compliances: dict[int, int] = field(default_factory=dict)  # row -> element of its compliance
    tangents: dict[int, Any] = field(default_factory=dict)  # batch -> tangent function
    kinds: list[Any] = field(default_factory=list)  # of the bodies, in the order of the tables
    wholes: list[int] = field(default_factory=list)  # of each part of a body, the body
    plans: dict[int, Any] = field(default_factory=dict)  # of each body with parts
    shapes: list[Any] = field(default_factory=list)  # as in the scene, in the order of the table
    collisions: Collisions | None = None
    remarks: list[str] = field(default_factory=list)  # of the compilation, for the messages of a run
    size: float = 1.0  # of the mechanism [m]

    @property
    def scene_forces(self) -> list[tuple[str, str]]:
        """Name and type of each force of the scene."""
        return list(dict.fromkeys(self.forces))

    def body(self, number: int) -> str:
        """Name of the body with this number in the tables; of a part that of the whole, of a tree that of its
        root, of a rotor its coordinate.
        """
        if number in self.rotors:
            return f"rotor of {self.rotors[number]}"
        if number in self.body_index:
            return self.bodies[self.body_index.index(number)]
        if number >= len(self.kinds):
            return self.body(self.wholes[number - len(self.kinds)])
        return self.body(len(self.kinds) + self.wholes.index(number))
