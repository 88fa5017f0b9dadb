"""The compiled system as solvers and methods use it."""

from __future__ import annotations

from typing import Any

from mbplugin.codegen.compiled import Compiled
from mbplugin.errors import MbpluginError, PhysicsError, PluginError
from mbplugin.interface.method import MethodKind
from mbplugin.kernels import entries
from mbplugin.problem import failures, step_matrix, tangent_matrices
from mbplugin.problem.arrays import Arrays
from mbplugin.problem.method import Method
from mbplugin.problem.names import Names
from mbplugin.problem.tangent_plan import plan_tangents
from mbplugin.tables.groups import Core, Enforced, TangentBlocks
from mbplugin.tables.status import METHOD_FAILED


class Problem(Arrays):
    """A compiled system: tables for compiled code, arrays for numpy, and the method for accelerations."""

    def __init__(self, groups: dict[type, Any], kernels: list[Compiled], names: Names) -> None:
        super().__init__(groups, kernels, names)
        self.method: Method | None = None
        #: what the solver of a run stores in each frame (`run/solver_outputs.py`); None without one
        self.solver_outputs: Any = None
        #: data that analyses keep between calls, by name
        self.kept: dict[str, Any] = {}
        #: whether the tables of tangents use what kinds give; None: there are none
        self.closed_form: bool | None = None

    def use(self, kind: type[MethodKind]) -> None:
        """Use this method for accelerations from now on. Raises PluginError."""
        self.method = Method(kind, self)
        self[Core].method[0] = self.method.address

    def call_core(self, name: str, what: int) -> int:
        """Call one of the engine's large functions by its name in `Core`. Returns a status."""
        return self.call(int(getattr(self[Core], name)[0]), what, 0)

    def prepare_step_matrix(self) -> None:
        """Make the tables of an implicit step for the rows that are active: `problem/step_matrix.py`."""
        self.prepare_tangents()
        step_matrix.prepare(self)

    @property
    def iterates_loads(self) -> bool:
        """Whether an enforcement iterates the loads of some rows (augmented Lagrangian)."""
        return bool(self[Enforced].iterated[0] > 0)

    def begin_implicit(self) -> None:
        """Compute the implicit variables at the present state. Raises PhysicsError if undetermined."""
        if self.names.implicit:
            self.check(entries.begin_implicit(self.addresses))

    def check(self, status: int) -> None:
        """Raise the error of a status of a compiled function. Raises PluginError, PhysicsError."""
        if status == METHOD_FAILED:
            name = self.method.kind.name if self.method is not None else ""
            error = self.method.error if self.method is not None else None
            raise error or PluginError(f't = {self.time:.9g} s: method "{name}" failed')
        super().check(status)

    def prepare_tangents(self, closed_form: bool = True) -> None:
        """Compile what `form_tangent` needs, and make its tables, once. Raises PluginError.

        closed_form: False to take differences even of what gives tangents, for checks
        """
        if self.closed_form is not closed_form:
            plan_tangents(self, closed_form)
            self.closed_form = closed_form
            self.kept.pop("tangent entries", None)

    def form_tangent(self, a: float, b: float, c: float, s: float = 0.0) -> None:
        """a M + b D + c K into `TangentBlocks`, at the present state, evaluated, and `Rows.lam`:
        `kernels/tangents.py`. Raises PluginError.
        """
        if self.closed_form is None:
            self.prepare_tangents()
        blocks = self[TangentBlocks]
        blocks.weight[:4], blocks.by_increments[0], blocks.hold_rates[0] = (a, b, c, s), 0, 0
        self.check(self.call_core("form_tangent", 0))
        tangent_matrices.refuse_nan(self)

    def tangent(self) -> Any:
        """The matrix that `form_tangent` has formed, (nv, nv), as a sparse array of scipy (CSC)."""
        return tangent_matrices.sparse(self)

    def not_finite(self) -> MbpluginError | None:
        """The error of the expression or function whose output, but no input, is not finite; or None."""
        return failures.not_finite(self)

    def expression_without_value(self, which: slice) -> PhysicsError | None:
        """The error of the first expression whose value (0) or derivative (1, 2) is not finite; or None."""
        return failures.expression_without_value(self, which)
