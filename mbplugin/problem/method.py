"""The method of a problem: the address that compiled loops call, and its errors."""

from __future__ import annotations

import copy
import weakref
from typing import Any

import numpy as np

from mbplugin.codegen.compiled import CALLBACK, Compiled, address_of, solver_kernel
from mbplugin.errors import PluginError
from mbplugin.interface.method import MethodKind
from mbplugin.problem.arrays import Arrays
from mbplugin.problem.failures import what_raised
from mbplugin.tables.groups import Bodies, Rates, Rows, State, Status
from mbplugin.tables.spec import Array
from mbplugin.tables.status import SOLVER_RAISED


def method_kernel(kind: type[MethodKind]) -> Compiled:
    """The compiled kernel of a method that has one."""
    return solver_kernel("kernel", kind.kernel, f'method "{kind.name}"')


class Method:
    """The method of one problem. Raises PluginError if the kind is incomplete."""

    def __init__(self, kind: type[MethodKind], problem: Arrays) -> None:
        self.kind = kind
        self._problem = weakref.ref(problem)  # which holds the method
        self.error: BaseException | None = None  # that `acceleration` raised last
        self.address = 0  # that the compiled loop calls; 0: the engine's own factor
        self.keep: Any = None  # the function behind the address
        if [kind.acceleration is not None, kind.kernel is not None, kind.engine].count(True) != 1:
            raise PluginError(
                f'method "{kind.name}" has to give one of `acceleration`, `kernel` and `engine = True`'
            )
        if kind.acceleration is not None:
            self.keep = CALLBACK(self.call)
            self.address = address_of(self.keep)
        elif kind.kernel is not None:
            if kind.arrays is not None:
                problem.put(kind.arrays(problem))
            self.keep = method_kernel(kind)
            self.address = self.keep.address

    @property
    def problem(self) -> Arrays:
        """Whose method it is."""
        problem = self._problem()
        assert problem is not None
        return problem

    def failure(self) -> BaseException:
        """The error of the call that failed."""
        if self.error is not None:
            return self.error
        where = f't = {self.problem.time:.9g} s: method "{self.kind.name}"'
        if isinstance(self.keep, Compiled) and self.problem[Status].passes[0] == -SOLVER_RAISED:
            return PluginError(f"{where}: its kernel {what_raised(self.problem, self.keep, 0)}")
        return PluginError(f"{where} failed")

    def of(self, problem: Arrays) -> Method:
        """The method for a copy of its problem, which has its own arrays already."""
        other = copy.copy(self)
        other._problem, other.error = weakref.ref(problem), None
        if self.kind.acceleration is not None:
            other.keep = CALLBACK(other.call)
            other.address = address_of(other.keep)
        return other

    def call(self, first: int, count: int, address: int) -> int:
        """Call `acceleration` at the state that the loop has evaluated. Returns passes, negative on failure.

        Its exception is kept in `error`, because ctypes would print and ignore it.
        """
        problem = self.problem
        state, rates, rows = problem[State], problem[Rates], problem[Rows]
        if not (np.isfinite(problem[Bodies].h).all() and np.isfinite(rows.gamma).all()):
            rates.v_dot[:] = np.nan  # the stepper detects it and looks for the kernel that failed
            return 0
        t, q, v = float(state.time[0]), state.q.copy(), state.v.copy()
        try:
            with problem.evaluated_at_present():
                v_dot, lam = self.accelerations(t, q, v)
            rates.v_dot[:], rows.lam[:] = v_dot, lam
        except BaseException as error:
            self.error = error
            return -1
        return 1

    def accelerations(self, t: float, q: Array, v: Array) -> tuple[Array, Array]:
        """The checked v̇ (nv,) and λ (nc,) of `acceleration`. Raises PluginError."""
        acceleration = self.kind.acceleration
        assert acceleration is not None
        where = f't = {t:.9g} s: method "{self.kind.name}": its acceleration function'
        try:
            returned = acceleration(self.problem, t, q, v)
        except Exception as error:
            raise PluginError(f"{where} raised {type(error).__name__}: {error}") from error
        if not isinstance(returned, tuple) or len(returned) != 2:
            raise PluginError(f"{where} returned a {type(returned).__name__}, not the pair v_dot, lam")
        checked = []
        for name, value, size in zip(("v_dot", "lam"), returned, (self.problem.nv, self.problem.nc)):
            value = np.asarray(value, float)
            if value.shape != (size,):
                raise PluginError(f"{where} returned {name} of shape {value.shape}, not ({size},)")
            if not np.isfinite(value).all():
                k = int(np.argmin(np.isfinite(value)))
                raise PluginError(f"{where} returned {name}[{k}] = {value[k]}")
            checked.append(value)
        return checked[0], checked[1]
