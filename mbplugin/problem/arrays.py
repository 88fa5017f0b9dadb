"""Arrays of the equations of motion at any state, for solvers and studies in numpy."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from mbplugin.codegen.compiled import Compiled
from mbplugin.kernels import entries
from mbplugin.math.dense import solve_lower, solve_lower_transposed
from mbplugin.math.profile import from_profile, solve_lower_profile, solve_lower_transposed_profile
from mbplugin.problem import failures
from mbplugin.problem.names import Names
from mbplugin.problem.tables import Tables
from mbplugin.problem.trees import mass_of_tree
from mbplugin.tables.groups import Blocks, Bodies, Measures, Rates, Rows, State
from mbplugin.tables.purposes import COORDINATE, RETRACT
from mbplugin.tables.records import DENSE, DIAGONAL, ON, POSITION_LEVEL, PROFILE, TREE
from mbplugin.tables.spec import Array


class Arrays(Tables):
    """Tables with M, h, G, γ and residuals as arrays."""

    def __init__(self, groups: dict[type, Any], kernels: list[Compiled], names: Names) -> None:
        super().__init__(groups, kernels, names)
        #: whether the tables hold the equations of motion at the present state; set during a method's call
        self.evaluated = False

    def check(self, status: int) -> None:
        """Raise the error of a status of a compiled function. Raises PluginError, PhysicsError."""
        failures.check(self, status)

    def evaluate(self, t: float, q: Array, v: Array) -> None:
        """Evaluate the equations of motion at a state, into the tables. Raises PluginError, PhysicsError.

        t [s], q (nq,), v (nv,)
        """
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

    def evaluate_at(self, q: Array | float | None = None, v: Array | float | None = None) -> None:
        """Evaluate the equations of motion at the present time, into the tables. Raises PluginError,
        PhysicsError.

        q (nq,), v (nv,), or numbers for all of them; None: the present ones
        """
        self.evaluated = False
        if q is not None:
            self[State].q[:] = q
        if v is not None:
            self[State].v[:] = v
        self.check(entries.evaluate(self.addresses))

    def call_purpose(self, purpose: int) -> None:
        """Run the batches of one purpose. Raises PluginError."""
        self.check(entries.call_purpose(self.addresses, purpose))

    def move_to(self, q: Array, dq: Array) -> None:
        """Put the coordinates at q ⊕ dq, without evaluation; dq (nv,). Raises PluginError."""
        self[State].q[:] = q
        self[Rates].v_dot[:] = dq
        self.call_purpose(RETRACT)

    def close_positions(self) -> float:
        """Project q onto the active position rows. Returns the largest residual that remains [mechanism sizes
        or rad]. Raises PluginError, PhysicsError.
        """
        status, residual = entries.assemble_positions(self.addresses, self.names.size)
        self.check(status)
        return float(residual)

    def count_turns(self) -> None:
        """Let angles count full turns from the present position. Raises PluginError."""
        self.call_purpose(COORDINATE)
        self[Measures].last[:] = self[Measures].value

    @contextmanager
    def evaluated_at_present(self) -> Iterator[None]:
        """Context in which the tables hold the equations at the present state; restores them afterwards."""
        state = self[State]
        before = float(state.time[0]), state.q.copy(), state.v.copy()
        self.evaluated = True
        try:
            yield
            self.evaluate(*before)
        finally:
            self.evaluated = False

    def mass(self, q: Array) -> Array:
        """M(q), (nv, nv). Raises PluginError, PhysicsError."""
        state = self[State]
        self.evaluate(float(state.time[0]), q, state.v)
        return self.present_mass()

    def present_mass(self) -> Array:
        """M of the last evaluation, (nv, nv)."""
        M = np.zeros((self.nv, self.nv))
        for body in self[Bodies].index:
            v = slice(body.first_v, body.first_v + body.nv)
            M[v, v] = self.mass_of_body(body)
        return M

    def sparse_mass(self) -> Any:
        """M (nv, nv) of the last evaluation as a sparse array of scipy."""
        from scipy.sparse import coo_array

        bodies, v = self[Bodies], np.arange(self.nv)
        diagonal = np.ones(self.nv, bool)
        values, rows, columns = [], [], []
        for body in bodies.index[bodies.index.mass_form != DIAGONAL]:
            own = v[body.first_v : body.first_v + body.nv]
            diagonal[own] = False
            values.append(np.ravel(self.mass_of_body(body)))
            rows.append(np.repeat(own, len(own)))
            columns.append(np.tile(own, len(own)))
        values.append(1.0 / bodies.inverse[diagonal])
        place = (np.concatenate([*rows, v[diagonal]]), np.concatenate([*columns, v[diagonal]]))
        return coo_array((np.concatenate(values), place), shape=(self.nv, self.nv)).tocsr()

    def mass_of_body(self, body: Any) -> Array:
        """M of the velocities of a body, from its record."""
        bodies = self[Bodies]
        if body.mass_form == DENSE:
            M = bodies.M[body.first_mass : body.first_mass + body.nv**2].reshape(body.nv, body.nv)
        elif body.mass_form == PROFILE:
            entries = bodies.M[body.first_mass : body.first_mass + body.mass_entries]
            M = from_profile(entries, bodies.profile[body.first_profile :][: body.nv + 1])
        elif body.mass_form == TREE:
            M = mass_of_tree(self, body)
        else:
            M = np.diag(1.0 / bodies.inverse[body.first_v : body.first_v + body.nv])
        return np.asarray(M)

    def solve_mass(self, b: Array) -> Array:
        """M⁻¹ b of the last evaluation, (nv,) or (nv, k)."""
        return self.by_factors(b, upper=True)

    def solve_mass_root(self, b: Array) -> Array:
        """L⁻¹ b with M = L Lᵀ of the last evaluation, (nv,) or (nv, k); 0 where a body has no mass."""
        return self.by_factors(b, upper=False)

    def by_factors(self, b: Array, upper: bool) -> Array:
        """b with L of M = L Lᵀ solved; upper: with Lᵀ as well."""
        bodies = self[Bodies]
        scale = np.maximum(bodies.inverse, 0.0) if upper else np.sqrt(np.maximum(bodies.inverse, 0.0))
        other = bodies.index[bodies.index.mass_form != DIAGONAL]
        for body in other:
            scale[body.first_v : body.first_v + body.nv] = 1.0
        columns = np.array(b, float).reshape(self.nv, -1).T * scale
        for body in other:
            v0, n, L = int(body.first_v), int(body.nv), (bodies.L, int(body.first_mass))
            if body.mass_form == TREE:
                from scipy.linalg import solve_triangular

                part = columns[:, v0 : v0 + n]
                root = np.linalg.cholesky(mass_of_tree(self, body))
                part[:] = solve_triangular(root, part.T, lower=True).T
                if upper:
                    part[:] = solve_triangular(root.T, part.T).T
                continue
            profile = (bodies.profile, int(body.first_profile))
            for column in columns:
                if body.mass_form == DENSE:
                    solve_lower(*L, n, column, v0)
                    if upper:
                        solve_lower_transposed(*L, n, column, v0)
                else:
                    solve_lower_profile(*L, *profile, n, column, v0)
                    if upper:
                        solve_lower_transposed_profile(*L, *profile, n, column, v0)
        return columns.T.reshape(np.shape(b))

    def forces(self, t: float, q: Array, v: Array) -> Array:
        """h(t, q, v), (nv,): all applied and gyroscopic forces. Raises PluginError, PhysicsError."""
        self.evaluate(t, q, v)
        return self[Bodies].h.copy()

    def constraints(self, t: float, q: Array, v: Array) -> tuple[Array, Array]:
        """G (nc, nv) and γ (nc,) of G v̇ = γ; zero beside `on`. Raises PluginError, PhysicsError."""
        self.evaluate(t, q, v)
        return self.jacobian() * self.on[:, None], self[Rows].gamma * self.on

    def residuals(self, t: float, q: Array, v: Array) -> tuple[Array, Array]:
        """Φ and Φ̇ = G v + Φₜ, (nc,) each, [m] or [rad] and their rates; zero where a row's level has none.

        Raises PluginError, PhysicsError.
        """
        self.evaluate(t, q, v)
        rows = self[Rows]
        rate = self.times_G(v) + rows.phi_t
        return np.where(rows.level == 0, rows.phi, 0.0) * self.on, rate * (rows.level < 2) * self.on

    @property
    def on(self) -> Array:
        """(nc,) whether each row is one of S."""
        return np.asarray(self[State].mode[: self.nc] == ON)

    @property
    def row_units(self) -> Array:
        """(nc,) what residuals of the rows are divided by: the mechanism's size [m], or 1 rad."""
        return np.where(self[Rows].radians == 1, 1.0, self.names.size)

    def position_residuals(self) -> Array:
        """(nc,) |Φ| of the last evaluation [mechanism sizes or rad], infinite where it is not finite; 0 of
        rows that are not on, and of other levels.
        """
        rows = self[Rows]
        on = self.on & (rows.level == POSITION_LEVEL)
        phi = np.where(on, np.abs(rows.phi) / self.row_units, 0.0)
        return np.where(np.isfinite(phi), phi, np.inf)

    def jacobian(self) -> Array:
        """G (nc, nv) of the last evaluation."""
        index, row, column = self.entries_of_G
        G = np.zeros((self.nc, self.nv))
        G[row, column] = self[Blocks].G[index]
        return G

    def times_G(self, v: Array) -> Array:
        """G v (nc,), with G as the last evaluation left it."""
        place, row, column = self.entries_of_G
        return np.bincount(row, self[Blocks].G[place] * v[column], self.nc)

    def times_G_T(self, lam: Array) -> Array:
        """Gᵀ λ (nv,), with G as the last evaluation left it."""
        place, row, column = self.entries_of_G
        return np.bincount(column, self[Blocks].G[place] * lam[row], self.nv)

    def sparse_jacobian(self) -> Any:
        """G (nc, nv) of the last evaluation as a sparse array of scipy."""
        from scipy.sparse import csr_array

        first, column = self.rows_of_G
        G = self[Blocks].G[self.entries_of_G[0]]
        return csr_array((G, column.copy(), first.copy()), shape=(self.nc, self.nv))

    def take_pattern(self, other: Arrays) -> None:
        """Use the pattern of G of a problem of the same structure, if it is known and the blocks agree."""
        known = vars(other).get("entries_of_G")
        if known is not None and self.places_in_G() == other.places_in_G():
            self.entries_of_G = known
            vars(self).pop("rows_of_G", None)

    def places_in_G(self) -> list[bytes]:
        """Numbers from which `entries_of_G` follows."""
        blocks = self[Blocks]
        return [blocks.index.tobytes(), blocks.member.tobytes()]

    @functools.cached_property
    def rows_of_G(self) -> tuple[Array, Array]:
        """First entry (nc + 1,) of each row in `entries_of_G`, and their columns (sparse rows)."""
        _, row, column = self.entries_of_G
        return np.searchsorted(row, np.arange(self.nc + 1)).astype(np.int32), column.astype(np.int32)

    @functools.cached_property
    def entries_of_G(self) -> tuple[Array, Array, Array]:
        """Index in Blocks.G, row and column of every structurally nonzero entry of G, by rows and columns."""
        blocks = self[Blocks]
        index, row, column = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for block in blocks.index:
            rows = np.arange(block.first_row, block.first_row + block.rows)
            for member in blocks.member[block.first_member : block.first_member + block.members]:
                index.append(np.arange(member.first_G, member.first_G + len(rows) * member.nv))
                row.append(np.repeat(rows, member.nv))
                column.append(np.tile(np.arange(member.first_v, member.first_v + member.nv), len(rows)))
        entries = np.concatenate(index), np.concatenate(row), np.concatenate(column)
        order = np.lexsort(entries[:0:-1])
        return entries[0][order], entries[1][order], entries[2][order]
