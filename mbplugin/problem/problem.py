"""The compiled system as solvers and methods use it."""

from __future__ import annotations

from typing import Any

from mbplugin.codegen.compiled import Compiled
from mbplugin.errors import MbpluginError, PhysicsError, PluginError
from mbplugin.interface.method import MethodKind
from mbplugin.kernels import entries
from mbplugin.problem import failures
from mbplugin.problem.arrays import Arrays
from mbplugin.problem.method import Method
from mbplugin.problem.names import Names
from mbplugin.tables.groups import Core
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

    def use(self, kind: type[MethodKind]) -> None:
        """Use this method for accelerations from now on. Raises PluginError."""
        self.method = Method(kind, self)
        self[Core].method[0] = self.method.address

    def call_core(self, name: str, what: int) -> int:
        """Call one of the engine's large functions by its name in `Core`. Returns a status."""
        return self.call(int(getattr(self[Core], name)[0]), what, 0)

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

    def not_finite(self) -> MbpluginError | None:
        """The error of the expression or function whose output, but no input, is not finite; or None."""
        return failures.not_finite(self)

    def expression_without_value(self, which: slice) -> PhysicsError | None:
        """The error of the first expression whose value (0) or derivative (1, 2) is not finite; or None."""
        return failures.expression_without_value(self, which)
