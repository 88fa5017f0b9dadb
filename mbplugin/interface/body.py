"""Body kinds: coordinates, mass matrix, internal forces, and markers."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from mbplugin.tables.spec import Array


@dataclass(frozen=True)
class MarkerKeys:
    """A marker of a body, as its scene gives it."""

    name: str
    key: str  # path in the scene, for messages, such as "body[0].marker[1]"
    nodes: str | int | None  # set or number of a node
    coupling: str | None  # "node", "rbe2" or "rbe3"
    position: Array | None  # (3,) in the body frame [m]; None: not given
    axes: Array  # (3, 3) in the body frame, as columns
    joined: bool  # whether a joint names it


@dataclass(frozen=True)
class BodyKeys:
    """Keys of a body that `content` of a kind gets besides the kind's own keys.

    folder: of the scene, for files; None: it is not in a file
    material: the `[[material]]` that it names, or None
    markers: those of the body, in the order of the scene
    """

    name: str
    key: str  # path in the scene, for messages, such as "body[0]"
    folder: Any
    material: Any
    markers: Sequence[MarkerKeys]


@dataclass(frozen=True)
class SurfaceNodes:
    """The nodes with which a body touches others.

    points:  (n, 3) where they are in the body frame [m]
    records: point record of each, which moves with one part
    radius:  of the ball about each that touches [m]; may be 0
    extent:  least distance of two nodes [m]
    spacing: largest distance of two nodes beside each other [m]; 0: `extent`
    faces:   (m, 3) nodes of triangles between them, or (m, 4) of quadrilaterals, which are four triangles
             about the mean of their nodes, counter-clockwise from outside: the body touches with these too.
             A point of one moves with the parts of its nodes, in their order
    """

    points: Array
    records: Sequence[Array]
    radius: float
    extent: float
    spacing: float = 0.0
    faces: Array = field(default_factory=lambda: np.zeros((0, 3), np.int64))


class FaceRule(NamedTuple):
    """Shape functions of a face of m nodes at the ng points of a quadrature over ξ, η.

    The rule integrates N_a ∂x/∂ξ × ∂x/∂η exactly, for any positions x of the nodes.
    """

    weights: Array  # (ng,) of the points; they add up to the area of the reference face
    N: Array  # (ng, m) values
    N_xi: Array  # (ng, m) ∂N/∂ξ
    N_eta: Array  # (ng, m) ∂N/∂η


@dataclass(frozen=True)
class Faces:
    """Faces of a body, on which forces act.

    points:  (n, 3) where their nodes are in the body frame [m]
    records: point record of each node
    nodes:   (nf, m) numbers of the nodes of each face, among these; ∂x/∂ξ × ∂x/∂η points outwards
    rule:    of each face
    """

    points: Array
    records: Sequence[Array]
    nodes: Array
    rule: FaceRule


@dataclass(frozen=True)
class NodeCells:
    """Cells of one type between the nodes of a body.

    vtk:      number of the type in vtkCellType.h, which orders the nodes of a cell: 3 line, 10 and 24 linear
              and quadratic tetrahedron, 12 and 29 hexahedron of 8 and 27 nodes, ...
    nodes:    (m, k) numbers of the nodes of each cell
    to_nodes: (k, g) values at the nodes of a cell from those at its g points of stress; None: it has none
    """

    vtk: int
    nodes: Array
    to_nodes: Array | None = None

    @property
    def stress_points(self) -> int:
        """g, points of stress of a cell."""
        return 0 if self.to_nodes is None else int(np.shape(self.to_nodes)[1])


@dataclass(frozen=True)
class NodeMesh:
    """The nodes of a body and what is between them, as results show it.

    points:    (n, 3) of the nodes, undeformed, in the body frame at t = 0 [m]
    cells:     of each type; stresses are given cell by cell in this order
    triangles: (t, 3) nodes of the surface, counter-clockwise from outside
    sets:      name -> nodes
    """

    points: Array
    cells: Sequence[NodeCells] = ()
    triangles: Array = field(default_factory=lambda: np.zeros((0, 3), np.int64))
    sets: Mapping[str, Array] = field(default_factory=dict)

    @property
    def stress_points(self) -> int:
        """Points of stress of all cells."""
        return sum(len(of.nodes) * of.stress_points for of in self.cells)


@dataclass(frozen=True)
class BodyContent:
    """Content that a kind makes of the keys of a body whose mass follows from them, such as a mesh.

    mass:    MassProperties in the body frame
    markers: name -> (3,) position [m] and (3, 3) axes of a marker in the body frame
    data:    anything, for `plan`
    remarks: sentences about the scene that a run tells
    surface: what collides where the body has `collide = true`
    frequency, damping: a bound of the highest frequency [rad/s], and stiffness-proportional damping [s], by
             which the stable step of an explicit solver is found; 0: none
    nodes:   what results show of a body with nodes, whose kind then has the function `nodes`
    kind:    a subclass with compiled functions for this content; default: the kind itself
    faces:   the `Faces` of a set by its name, for forces on faces; it may raise SceneError("faces", ...)
    """

    mass: Any
    markers: dict[str, tuple[Array, Array]] = field(default_factory=dict)
    data: Any = None
    remarks: Sequence[str] = ()
    surface: SurfaceNodes | None = None
    nodes: NodeMesh | None = None
    kind: Any = None
    frequency: float = 0.0
    damping: float = 0.0
    faces: Callable[[str], Faces] | None = None


@dataclass(frozen=True)
class BodyPlan:
    """Constant data of one body, computed by its kind before the run.

    mass:       (nv,) diagonal of M, (nv, nv) M, or a sparse M of scipy, which is kept by its profile (below);
                None if the kind has an `inertia` function. Of one that writes a profile: its pattern
    parameters: (n,) numbers that the kind's functions get as `p`
    integers:   (m,) integers that they get as `ints`, such as places in `p`
    origin:     (3,) mass centre in the body frame [m]
    axes:       (3, 3) columns: axes of the state's frame in the body frame
    nq, nv, scratch, record: sizes of this body, where those of its kind are None
    data: anything, for the kind's functions in plain Python
    parts: of a kind with parts, the number of velocities of each, one after another; M must be a diagonal
    frequency, damping: of a kind that `stretches`, as in `BodyContent`
    """

    mass: Any
    parameters: Array
    origin: Array = field(default_factory=lambda: np.zeros(3))
    axes: Array = field(default_factory=lambda: np.eye(3))
    nq: int | None = None
    nv: int | None = None
    scratch: int | None = None
    record: int | None = None
    parts: Sequence[int] = ()
    data: Any = None
    frequency: float = 0.0
    damping: float = 0.0
    integers: Array = field(default_factory=lambda: np.zeros(0, np.int64))


class BodyKind:
    """Base of body kinds.

    Required: plan, coordinates, point, locate, to_generalized_force, rate, retract.

    Plain Python:

    plan(params, mass, plane[, volume][, material])
        The BodyPlan, from the kind's parameters, the MassProperties and (3, 3) the axes e₁, e₂, n of the
        scene's plane as columns. A plan that names `volume` gets that of the shapes that give the mass [m³],
        or None if no shapes give it; one that names `material` gets the Material of the body, or None, and
        lists in `material_keys` which of its elastic keys it uses; one that names `content`, `position` or
        `axes` gets the `data` of its BodyContent, and where the body frame is at t = 0. It may raise
        SceneError("key", value, "what is accepted").
    content(params, keys)
        The BodyContent of a kind whose mass follows from its keys, from these and the BodyKeys; bodies of
        other kinds have `mass` and `inertia`, or `density` and shapes. It may raise SceneError.
    coordinates(position, R, velocity, w, plan, plane)
        q (nq,) and v (nv,), from pose and velocities of the body frame in world axes. Of a kind that deforms
        it is asked for other poses than that of the scene too: the assembly moves the body as a whole.
    point(position, axes, plan[, marker])
        (record,) point record of a marker, from its position (3,) [m] and axes (3, 3) in the body frame, and
        if it names `marker`, the marker's name in the scene, "" if it has none. It may raise SceneError.
    turns(record)
        Of a kind with parts: whether the point of this record has axes that turn, so that torques and rows
        about its axes may act on it; default: all have.
    centre(plan)
        (record,) point record of the mass centre, on which gravity acts; default: that of the plan's origin
        with the axes of the body frame.
    coupled(plan)
        Of a kind with parts and a `tangent`: (m, 2) parts of the rows and columns of the blocks of K and D
        that `tangent` writes, numbered from 0. Blocks of the same parts are added.
    shifted(record)
        Of a kind with parts: whether the generalized force of a force, without a torque, at the point of this
        record is the same at all positions; default: not. `geometric` is not called then.
    turning(q, v, p[, ints], spin)
        (S, C), (nv, nv) each, for modes about a motion: S δ is the rate of the increment δ of q in a world
        that rotates with the angular velocity `spin` (3,) [rad/s]; the velocities of q ⊕ δ are v + δ̇ + C δ
        to first order.
    stretch_stress(F, F_dot, p)
        Of a kind that `stretches`: (n, 3, 3) Cauchy stress [Pa], world axes, of n deformation gradients
        (n, 3, 3), body frame to world, and their rates.

    Compiled functions take the arguments that they name, out of `interface.names`. `geometric` and `tangent`
    are the derivatives of `to_generalized_force` and `internal`, for analyses and implicit solvers; if
    missing, the engine takes differences. `retract_tangent` is that of `retract`; without it T = 1, as for
    q ⊕ dq = q + dq.

    The profile of a sparse M is from the first entry of each row to the diagonal, so number the velocities
    such that neighbours are close; it costs n w² for w entries a row. An `inertia` function that names `ends`
    writes this profile: M_ij, j ≤ i, is `M[ends[i + 1] - 1 - i + j]`.

    A size that differs from body to body is None in the class, and given in the `BodyPlan` of each body. The
    functions are compiled once for all: `len(q)`, `len(v)`, `len(c)` and `len(r)` are those of the body.

    A kind with `parts`, such as nodes, divides the velocities of a body into parts, and each of its points
    moves with one or more of them: its point record begins with their count and their numbers, and may have
    any length (`record` of the plan is that of a point that touches, which moves with one part). Its
    `to_generalized_force` writes the velocities of these parts only, one part after another, so that a row
    costs what it moves, however large the body is. `point_at` may name `part_number` and, where its surface
    has faces, `face_number`: a point of a face moves with the parts of its three nodes. `tangent` writes
    blocks of parts (`coupled`), and gets `v` = 0, as `geometric` does, which writes no E.
    """

    name: ClassVar[str]
    nq: ClassVar[int | None]  # coordinates
    nv: ClassVar[int | None]  # velocities
    scratch: ClassVar[int | None] = 0  # numbers that `prepare` computes for the other functions
    record: ClassVar[int | None] = 12  # numbers of a point record
    in_plane: ClassVar[bool] = False  # moves in the scene's plane only
    parts: ClassVar[bool] = False  # its points move with some of the parts of its velocities only
    # deforms homogeneously: `locate` moves material points by one affine map, and shapes go with them
    stretches: ClassVar[bool] = False
    rigid: ClassVar[bool] = False  # moves as a rigid body by `coordinates`: a tree may carry it
    rotates: ClassVar[bool] = True  # False: a point, on which no torque and no row about an axis may act
    material_keys: ClassVar[Sequence[str]] = ()  # elastic keys of its material that `plan` uses
    parameters: ClassVar[Any] = None  # pydantic class of the kind's keys
    # why its `prepare` or `internal` has written NaN, and what to change; for messages, after the body's name
    undefined: ClassVar[str] = ""

    plan: ClassVar[Callable[..., BodyPlan]]
    coordinates: ClassVar[Callable[..., tuple[Array, Array]]]
    point: ClassVar[Callable[..., Array]]
    centre: ClassVar[Callable[..., Array] | None] = None
    turns: ClassVar[Callable[..., bool] | None] = None
    content: ClassVar[Callable[..., BodyContent] | None] = None
    coupled: ClassVar[Callable[..., Array] | None] = None
    shifted: ClassVar[Callable[..., bool] | None] = None

    # compiled
    prepare: ClassVar[Any] = None  # writes `scratch` for the others, from q and v
    locate: ClassVar[Any] = None  # returns pose, twist and acceleration bias of a marker
    point_at: ClassVar[Any] = None  # `point` of a marker in the world, for contacts; None: there can be none
    to_generalized_force: ClassVar[Any] = None  # writes the generalized force of a wrench
    rate: ClassVar[Any] = None  # writes q̇ = N(q) v
    retract: ClassVar[Any] = None  # q ⊕ dq, an increment in velocity space
    retract_tangent: ClassVar[Any] = None  # T of q ⊕ (dq + ε) = (q ⊕ dq) ⊕ T ε; None: T = 1
    normalise: ClassVar[Any] = None  # q back to where it has to be, such as unit quaternions; None: nothing
    inertia: ClassVar[Any] = None  # writes M(q); None: M of the plan is constant
    internal: ClassVar[Any] = None  # adds gyroscopic, elastic and damping forces to h; None: none
    elastic: ClassVar[Any] = None  # writes the potential energy of `internal`; None: none
    nodes: ClassVar[Any] = None  # writes positions and velocities of the nodes of its content, for frames
    stress: ClassVar[Any] = None  # writes the stress at the points of the cells of its content, for frames
    geometric: ClassVar[Any] = None  # derivatives of `to_generalized_force`; None: differences
    tangent: ClassVar[Any] = None  # K and D of `internal`; None: differences

    examples: ClassVar[Sequence[dict[str, Any]]] = ()  # keys used by the conformance kit
    turning: ClassVar[Callable[..., tuple[Array, Array]] | None] = None
    stretch_stress: ClassVar[Callable[..., Array] | None] = None


def deforms(kind: type[BodyKind], nv: int) -> bool:
    """Whether bodies of a kind with nv velocities deform."""
    return kind.parts or kind.stretches or kind.elastic is not None or nv > 6


def has_power(kind: type[BodyKind]) -> bool:
    """Whether the `internal` of a kind has a power that its `elastic` does not explain."""
    function = getattr(kind.internal, "py_func", kind.internal)
    return function is not None and "power" in inspect.signature(function).parameters


def writes_profile(kind: type[BodyKind]) -> bool:
    """Whether the `inertia` of a kind writes the profile of a sparse M."""
    function = getattr(kind.inertia, "py_func", kind.inertia)
    return function is not None and "ends" in inspect.signature(function).parameters
