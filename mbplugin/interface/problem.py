"""What a solver sees of a system: tables for compiled solvers, plain arrays for those who want numpy."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mbplugin.errors import MbpluginError, PhysicsError, PluginError
from mbplugin.interface.compiled import Compiled
from mbplugin.interface.enforcement import EnforcementKind
from mbplugin.interface.method import Method, MethodKind
from mbplugin.kernels import entries
from mbplugin.kernels.unknowns import OPEN
from mbplugin.kernels.view import PLACE, TABLES
from mbplugin.model.expression import MOVING
from mbplugin.tables.arena import together
from mbplugin.tables.groups import (
    ACCELERATE,
    B_FORM,
    B_MASS,
    B_NV,
    B_V,
    COUNT,
    DENSE,
    E_OUT,
    E_ROW,
    F_SHIFT,
    F_START,
    F_STOP,
    F_TARGET,
    FIRST,
    K_BODIES,
    K_BODY,
    K_ROW,
    K_ROWS,
    P_POINT,
    PURPOSE,
    Batches,
    Blocks,
    Bodies,
    Core,
    Elements,
    Functions,
    Points,
    Pulls,
    Rows,
    State,
    Unknowns,
    Wrenches,
)  # fmt: skip
from mbplugin.tables.spec import Array, specs

#: a state beyond this (or one that is not a number) has diverged, and no function is to blame
DIVERGED = 1e50
#: residual over its tolerance that says: the equations of unknowns are singular
OPEN_BY_FAR = 1e300


@dataclass(frozen=True)
class RowName:
    """Whose constraint row it is and what it holds, in the words of reports."""

    owner: str
    label: str
    unit: str


@dataclass
class JointWords:
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
class EnforcedWords:
    """A joint whose rows a law holds: its number, the law and its parameters."""

    joint: int
    kind: type[EnforcementKind]
    own: Any


@dataclass
class CoordinateWords:
    """A joint coordinate: its measure, and the rows of a motion and of a `start` that hold it (-1: none)."""

    name: str
    joint: int
    measure: int
    unit: str
    motion_row: int = -1
    start_row: int = -1


@dataclass
class Words:
    """The names behind the numbers of the tables, for messages and results."""

    bodies: list[str] = field(default_factory=list)
    body_index: list[int] = field(default_factory=list)
    body_point: list[int] = field(default_factory=list)
    joints: list[JointWords] = field(default_factory=list)
    coordinates: list[CoordinateWords] = field(default_factory=list)
    again: list[tuple[int, int]] = field(default_factory=list)  # a relation's own measure, and the coordinate's measure that it repeats
    forces: list[tuple[str, str]] = field(default_factory=list)
    lines: list[tuple[str, int, int]] = field(default_factory=list)  # what is shown as a line: its name, and the points of its ends
    states: list[str] = field(default_factory=list)
    rows: list[RowName] = field(default_factory=list)
    elements: list[str] = field(default_factory=list)
    functions: list[str] = field(default_factory=list)
    unknowns: list[str] = field(default_factory=list)
    reads: list[tuple[str, str, str]] = field(default_factory=list)  # key of an expression, joint and component of a reaction that it reads
    enforced: list[EnforcedWords] = field(default_factory=list)
    laws: dict[int, int] = field(default_factory=dict)  # row -> element of its law
    tangents: dict[int, Any] = field(default_factory=dict)  # batch -> the tangent function beside its kernel, where there is one
    kinds: list[Any] = field(default_factory=list)  # of the bodies, in the order of the tables
    size: float = 1.0


class Problem:
    """Tables of one system, with the arrays behind them.

    addresses: (2 TABLES,) what every compiled function takes. problem[State].q and so on are the arrays themselves; they are filled by evaluations.
    """

    def __init__(self, tables: dict[type, Any], kernels: list[Compiled], words: Words) -> None:
        self.tables, self.kernels, self.words = together(tables), kernels, words
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
        self[Core].address[ACCELERATE] = self.method.address

    def begin_loops(self) -> None:
        """Find what expressions read of the solve, at the present state. Raises PhysicsError where it is not determined."""
        if self.words.unknowns:
            self.check(entries.begin_loops(self.addresses))

    def method_failure(self) -> BaseException:
        """Why the method failed."""
        assert self.method is not None
        return self.method.error or PluginError(f't = {self[State].time[0]:.9g} s: method "{self.method.kind.name}" failed')

    def put(self, arrays: Any) -> None:
        """Use these arrays as one group of tables."""
        group = type(arrays)
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

    def open_loop(self) -> PhysicsError:
        """Of accelerations, reactions and variables that depend on each other, no values were found."""
        unknowns = self[Unknowns]
        names = " and ".join(f'"{name}"' for name in self.words.unknowns)
        at = int(unknowns.outcome[1])
        if unknowns.outcome[0] >= OPEN_BY_FAR:
            what = "its equation does not change with it" if len(self.words.unknowns) == 1 else "their equations do not determine them"
        else:
            what = f'nearest is {unknowns.value[at]:.6g} for "{self.words.unknowns[at]}", of which the expressions make {unknowns.found[at]:.6g}'
        mend = "do the expressions contradict each other? Correct them, make what depends on it weaker, or give a variable another `start`"
        return PhysicsError(f"t = {self[State].time[0]:.9g} s: no value of {names} solves the equations ({what}); {mend}")

    def check(self, status: int) -> None:
        """Raise what a compiled function reported. Raises PluginError, PhysicsError."""
        if status == OPEN:
            raise self.open_loop()
        if status < 0:
            raise self.method_failure()
        if status != 0:
            raise self.failure(status)

    def failure(self, status: int) -> PluginError:
        """The error behind a status: which kind and element raised, and when."""
        batch = (status >> 32) - 1
        kernel = self.kernels[batch]
        first, count = (int(n) for n in self[Batches].row[batch, [FIRST, COUNT]])
        # the batch is called again for one element at a time, to find the one that fails
        record = next((i for i in range(first, first + count) if kernel.call(i, 1, self.addresses) != 0), first)
        raised = f" ({type(kernel.error[0]).__name__}: {kernel.error[0]})" if kernel.error else ""
        return PluginError(
            f"t = {self[State].time[0]:.9g} s: {kernel.owner}: its {kernel.role} function raised an exception{raised} for {self.element_name(kernel, record)}"
        )

    def element_name(self, kernel: Compiled, record: int) -> str:
        words = self.words
        if kernel.role in ("measure", "constraint", "force", "enforcement", "enforcement_accept", "accept", "event"):
            return f'"{words.elements[record]}"'
        points = self[Points].row
        number = int(points[record, 0]) if kernel.role == "locate" else int(points[self[Pulls].row[record, P_POINT], 0]) if kernel.role == "pull" else record
        return f'body "{words.bodies[words.body_index.index(number)]}"'

    def not_finite(self) -> MbpluginError | None:
        """The expression or the plugin's function whose output is not finite although what it read is; None if there is no such."""
        state = self[State]
        if not all(np.abs(y).max(initial=0.0) < DIVERGED for y in (state.q, state.v, state.x)):
            entries.evaluate_terms(self.addresses)
            return self.expression_without_value(slice(0, 1), of_time=True)
        entries.evaluate_terms(self.addresses)
        expression = self.expression_without_value(slice(0, 1))
        if expression is not None:
            return expression
        for number, kernel in enumerate(self.kernels):
            row = self[Batches].row[number]
            if kernel.role not in ("measure", "constraint", "force", "enforcement"):
                continue
            for record in range(row[FIRST], row[FIRST] + row[COUNT]):
                for name, values in self.outputs(int(record), kernel, int(row[PURPOSE])):
                    if not np.isfinite(values).all():
                        rate = self.expression_without_value(slice(1, 3)) if kernel.role == "measure" else None
                        if rate is not None:
                            return rate
                        return PluginError(f"t = {state.time[0]:.9g} s: {kernel.owner}: its {kernel.role} function returned {name} = "
                                           f"{values.tolist()} for {self.element_name(kernel, record)}")  # fmt: skip
        return None

    def expression_without_value(self, which: slice, of_time: bool = False) -> PhysicsError | None:
        """The first expression (or the first of time alone) of which the value (0) or a derivative (1, 2) is not a number now."""
        functions, t = self[Functions], float(self[State].time[0])
        for text, row in zip(self.words.functions, functions.row):
            if of_time and np.isin(functions.ops[row[F_START] : row[F_STOP], 0], list(MOVING)).any():
                continue
            found = np.roll(functions.u[row[F_TARGET]], -row[F_SHIFT])[which]
            if not np.isfinite(found).all():
                what = "is" if which.start == 0 else "has the derivatives"
                said = found[0] if which.start == 0 else found.tolist()
                return PhysicsError(f't = {t:.9g} s: the expression "{text}" {what} {said} there; choose one that has a value at all times of the run')
        return None

    def outputs(self, record: int, kernel: Compiled, purpose: int) -> list[tuple[str, Array]]:
        """What one element's function wrote."""
        return [(name, values) for name, values in self._outputs(record, kernel).items()]

    def _outputs(self, record: int, kernel: Compiled) -> dict[str, Array]:
        element = self[Elements].row[record]
        if kernel.role == "force":
            wrenches = self[Wrenches]
            first, count = wrenches.slots[element[E_OUT]]
            return {
                "wrench": wrenches.wrench[6 * first : 6 * (first + count)],
                "energy": wrenches.energy[element[E_OUT] : element[E_OUT] + 1],
                "power": wrenches.power[element[E_OUT] : element[E_OUT] + 1],
            }
        if kernel.role == "enforcement":
            r = element[E_ROW]
            return {name: getattr(self[Rows], name)[r : r + 1] for name in ("load", "energy", "power")}
        owner = self.words.elements[record]
        found = {}
        rows, blocks = self[Rows], self[Blocks]
        for block in blocks.row:
            for r in range(block[K_ROW], block[K_ROW] + block[K_ROWS]):
                if self.words.rows[r].owner == owner:
                    found[f"row {r - block[K_ROW]} (phi, gamma)"] = np.array([rows.phi[r], rows.gamma[r]])
        return found

    # plain arrays

    def evaluate(self, t: float, q: Array, v: Array) -> None:
        """All terms at this state into the tables. Raises PluginError."""
        state = self[State]
        if self.evaluated and state.time[0] == t and np.array_equal(state.q, q) and np.array_equal(state.v, v):
            return
        self.evaluated = False
        self.set_state(t, q, v)
        self.check(entries.evaluate_terms(self.addresses))

    @contextmanager
    def evaluated_at_present(self) -> Iterator[None]:
        """Inside, the terms of the present state are known to be there; afterwards that state and its terms are there again."""
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
        for row in bodies.row:
            v0, nv = row[B_V], row[B_NV]
            if row[B_FORM] == DENSE:
                M[v0 : v0 + nv, v0 : v0 + nv] = bodies.M[row[B_MASS] : row[B_MASS] + nv * nv].reshape(nv, nv)
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
        return np.where(rows.level == 0, rows.phi, 0.0) * rows.active, (self.sparse_jacobian() @ v + rows.phi_t) * (rows.level < 2) * rows.active

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
        for block in blocks.row:
            r0, nr = block[K_ROW], block[K_ROWS]
            for _, g0, v0, nv in blocks.body[block[K_BODY] : block[K_BODY] + block[K_BODIES]]:
                place.append(np.arange(g0, g0 + nr * nv))
                row.append(np.repeat(np.arange(r0, r0 + nr), nv))
                column.append(np.tile(np.arange(v0, v0 + nv), nr))
        return np.concatenate(place), np.concatenate(row), np.concatenate(column)
