"""What a solver sees of a system: tables for compiled solvers, plain arrays for those who want numpy."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mbplugin.errors import MbpluginError, PhysicsError, PluginError
from mbplugin.interface import failures
from mbplugin.interface.compiled import CALLBACK, Compiled
from mbplugin.interface.enforcement import EnforcementKind
from mbplugin.interface.method import Method, MethodKind
from mbplugin.kernels import entries
from mbplugin.kernels.view import PLACE, TABLES
from mbplugin.tables.arena import pack
from mbplugin.tables.groups import Blocks, Bodies, Core, Rows, State
from mbplugin.tables.records import DENSE
from mbplugin.tables.spec import Array, specs
from mbplugin.tables.status import LOOP_OPEN, METHOD_FAILED, NO_PIVOT, OK, RAISED


@dataclass(frozen=True)
class RowName:
    """Whose constraint row it is and what it holds, in the words of reports."""

    owner: str
    label: str
    unit: str


@dataclass
class JointInfo:
    """Where a joint (or a motion's coordinate) is in the tables."""

    name: str
    type: str
    a: str
    b: str
    block: int
    rows: range
    markers: tuple[int, ...]
    kind: Any = None
    planar: bool = False

    @property
    def free(self) -> tuple[str, ...]:
        """Directions in which it holds nothing, by name."""
        return tuple(self.kind.planar_free if self.planar else self.kind.free)


@dataclass
class EnforcedInfo:
    """A joint whose rows a law holds: its number, the law and its parameters."""

    joint: int
    kind: type[EnforcementKind]
    params: Any


@dataclass
class CoordinateInfo:
    """A joint coordinate: its measure, and the rows of a motion and of a `start` that hold it (-1: none)."""

    name: str
    joint: int
    measure: int
    unit: str
    motion_row: int = -1
    start_row: int = -1


@dataclass
class Names:
    """The names behind the numbers of the tables, for messages and results."""

    bodies: list[str] = field(default_factory=list)
    body_index: list[int] = field(default_factory=list)
    body_point: list[int] = field(default_factory=list)
    joints: list[JointInfo] = field(default_factory=list)
    coordinates: list[CoordinateInfo] = field(default_factory=list)
    again: list[tuple[int, int]] = field(
        default_factory=list
    )  # a relation's own measure, and the coordinate's measure that it repeats
    forces: list[tuple[str, str]] = field(default_factory=list)
    lines: list[tuple[str, int, int]] = field(
        default_factory=list
    )  # what is shown as a line: its name, and the points of its ends
    states: list[str] = field(default_factory=list)
    rows: list[RowName] = field(default_factory=list)
    elements: list[str] = field(default_factory=list)
    functions: list[str] = field(default_factory=list)
    unknowns: list[str] = field(default_factory=list)
    reads: list[tuple[str, str, str]] = field(
        default_factory=list
    )  # key of an expression, joint and component of a reaction that it reads
    enforced: list[EnforcedInfo] = field(default_factory=list)
    laws: dict[int, int] = field(default_factory=dict)  # row -> element of its law
    tangents: dict[int, Any] = field(
        default_factory=dict
    )  # batch -> the tangent function beside its kernel, where there is one
    kinds: list[Any] = field(default_factory=list)  # of the bodies, in the order of the tables
    size: float = 1.0


class Problem:
    """Tables of one system, with the arrays behind them.

    addresses: (2 TABLES,) what every compiled function takes. problem[State].q and so on are the arrays
    themselves; they are filled by evaluations.
    """

    def __init__(self, tables: dict[type, Any], kernels: list[Compiled], names: Names) -> None:
        self.tables, self.kernels, self.names = pack(tables), kernels, names
        self.addresses = np.zeros(2 * TABLES, np.int64)
        for arrays in self.tables.values():
            self.put(arrays)
        #: while a method is asked: whether the tables hold all terms at the present state
        self.evaluated = False
        self.method: Method | None = None
        #: what analyses keep from call to call, by name
        self.kept: dict[str, Any] = {}

    def use(self, kind: type[MethodKind]) -> None:
        """Find accelerations by this method from now on."""
        self.method = Method(kind, self)
        self[Core].method[0] = self.method.address

    def begin_implicit(self) -> None:
        """Find what expressions read of the solve, at the present state. Raises PhysicsError where it is not
        determined.
        """
        if self.names.unknowns:
            self.check(entries.begin_implicit(self.addresses))

    def call_core(self, name: str, what: int) -> None:
        """Call one of the engine's large functions by its name in `Core`."""
        CALLBACK(int(getattr(self[Core], name)[0]))(what, 0, self.addresses.ctypes.data)

    def put(self, arrays: Any) -> None:
        """Use these arrays as one group of tables."""
        group: Any = type(arrays)
        self.tables[group] = arrays
        for name in specs(group):
            array = getattr(arrays, name)
            place = 2 * PLACE[group, name]
            self.addresses[place], self.addresses[place + 1] = array.ctypes.data, len(array)

    def __getitem__(self, group: type) -> Any:
        return self.tables[group]

    @property
    def nq(self) -> int:
        return len(self[State].q)

    @property
    def nv(self) -> int:
        return len(self[State].v)

    @property
    def nc(self) -> int:
        return len(self[Rows].phi)

    @property
    def q(self) -> Array:
        """(nq,) coordinates at present, a copy."""
        return self[State].q.copy()

    @property
    def v(self) -> Array:
        """(nv,) velocities at present, a copy."""
        return self[State].v.copy()

    def set_state(self, t: float, q: Array, v: Array) -> None:
        state = self[State]
        state.time[0], state.q[:], state.v[:] = t, q, v

    def check(self, status: int) -> None:
        """Raise what a compiled function reported. Raises PluginError, PhysicsError."""
        if status == LOOP_OPEN:
            raise self.open_loop()
        if status == METHOD_FAILED:
            raise self.method_failure()
        if status == RAISED:
            raise self.failure()
        if status == NO_PIVOT:
            raise PhysicsError("the constraints have no usable pivot", time=float(self[State].time[0]))
        if status != OK:
            raise PhysicsError("the equations of motion have no solution", time=float(self[State].time[0]))

    # why a compiled function reports a failure: see failures.py

    def open_loop(self) -> PhysicsError:
        """Of accelerations, reactions and variables that depend on each other, no values were found."""
        return failures.open_loop(self)

    def method_failure(self) -> BaseException:
        """Why the method failed."""
        return failures.method_failure(self)

    def failure(self) -> PluginError:
        """The error of a function that raised: which kind and element, and when."""
        return failures.raised(self)

    def not_finite(self) -> MbpluginError | None:
        """The expression or the plugin's function whose output is not finite although what it read is; None
        if there is no such.
        """
        return failures.not_finite(self)

    def expression_without_value(self, which: slice, of_time: bool = False) -> PhysicsError | None:
        """The first expression (or the first of time alone) of which the value (0) or a derivative (1, 2) is
        not a number now.
        """
        return failures.expression_without_value(self, which, of_time)

    # plain arrays

    def evaluate(self, t: float, q: Array, v: Array) -> None:
        """All terms at this state into the tables. Raises PluginError."""
        state = self[State]
        if (
            self.evaluated
            and state.time[0] == t
            and np.array_equal(state.q, q)
            and np.array_equal(state.v, v)
        ):
            return
        self.evaluated = False
        self.set_state(t, q, v)
        self.check(entries.evaluate(self.addresses))

    @contextmanager
    def evaluated_at_present(self) -> Iterator[None]:
        """Inside, the terms of the present state are known to be there; afterwards that state and its terms
        are there again.
        """
        state = self[State]
        before = float(state.time[0]), state.q.copy(), state.v.copy()
        self.evaluated = True
        try:
            yield
            self.evaluate(*before)
        finally:
            self.evaluated = False

    def mass(self, q: Array) -> Array:
        """M(q), (nv, nv)."""
        state = self[State]
        self.evaluate(float(state.time[0]), q, state.v)
        bodies = self[Bodies]
        M = np.zeros((self.nv, self.nv))
        for row in bodies.index:
            v0, nv = row.first_v, row.nv
            if row.mass_form == DENSE:
                M[v0 : v0 + nv, v0 : v0 + nv] = bodies.M[row.first_mass : row.first_mass + nv * nv].reshape(
                    nv, nv
                )
            else:
                M[range(v0, v0 + nv), range(v0, v0 + nv)] = 1.0 / bodies.inverse[v0 : v0 + nv]
        return M

    def forces(self, t: float, q: Array, v: Array) -> Array:
        """h(t, q, v), (nv,): all applied and gyroscopic forces."""
        self.evaluate(t, q, v)
        return self[Bodies].h.copy()

    def constraints(self, t: float, q: Array, v: Array) -> tuple[Array, Array]:
        """G (nc, nv) and γ (nc,) of the active rows' equation G v̇ = γ; inactive rows are zero."""
        self.evaluate(t, q, v)
        active = self[Rows].active[:, None]
        return self.jacobian() * active, self[Rows].gamma * active[:, 0]

    def residuals(self, t: float, q: Array, v: Array) -> tuple[Array, Array]:
        """Φ and Φ̇ = G v + Φₜ, (nc,) each; rows that have no position level have Φ = 0."""
        self.evaluate(t, q, v)
        rows = self[Rows]
        return np.where(rows.level == 0, rows.phi, 0.0) * rows.active, (
            self.sparse_jacobian() @ v + rows.phi_t
        ) * (rows.level < 2) * rows.active

    def jacobian(self) -> Array:
        """G (nc, nv) as the last evaluation left it."""
        place, row, column = self.entries_of_G
        G = np.zeros((self.nc, self.nv))
        G[row, column] = self[Blocks].G[place]
        return G

    def sparse_jacobian(self) -> Any:
        """The same as a sparse array of scipy."""
        from scipy.sparse import csr_array

        place, row, column = self.entries_of_G
        return csr_array((self[Blocks].G[place], (row, column)), shape=(self.nc, self.nv))

    @functools.cached_property
    def entries_of_G(self) -> tuple[Array, Array, Array]:
        """Place in the tables, row and column of every entry of G that is not zero by structure."""
        blocks = self[Blocks]
        place, row, column = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for block in blocks.index:
            r0, nr = block.first_row, block.rows
            for _, g0, v0, nv in blocks.member[block.first_member : block.first_member + block.members]:
                place.append(np.arange(g0, g0 + nr * nv))
                row.append(np.repeat(np.arange(r0, r0 + nr), nv))
                column.append(np.tile(np.arange(v0, v0 + nv), nr))
        return np.concatenate(place), np.concatenate(row), np.concatenate(column)
