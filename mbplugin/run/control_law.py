"""Control laws that are compiled, and called within the loop of steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, overload

import numpy as np

from mbplugin.codegen.compiled import Compiled, control_kernel, exception_of
from mbplugin.codegen.control_text import asked, parts_of
from mbplugin.problem import Problem
from mbplugin.tables.spec import Array

Law = Callable[..., Any]


class ControlLaw:
    """A compiled control law, made by `control`.

    memory, parameters: arrays that the law gets under these names; what it writes into them stays, and the
    caller may read and change them between two calls of `Simulation.run`
    """

    def __init__(self, function: Law, memory: int | Sequence[float], parameters: Sequence[float]) -> None:
        self.py_func, self.owner = function, f'control law "{function.__name__}"'
        self.__name__, self.__doc__, self.__wrapped__ = function.__name__, function.__doc__, function
        names = asked(function, self.owner)
        self.memory: Array = np.zeros(memory) if isinstance(memory, int) else np.array(memory, float)
        self.parameters: Array = np.array(parameters, float)
        self.parts = parts_of(names)
        self.kernel: Compiled = control_kernel(function, names, self.owner)

    def __call__(self, *arguments: Any) -> Any:
        """The law in plain Python, for tests of it."""
        return self.py_func(*arguments)

    def __repr__(self) -> str:
        return f"ControlLaw({self.__name__})"

    def exception(self, problem: Problem) -> BaseException | None:
        """The exception that the law raises at the present state."""
        return exception_of(self.kernel, 0, problem.addresses)


@overload
def control(function: Law) -> ControlLaw: ...
@overload
def control(
    *, memory: int | Sequence[float] = 0, parameters: Sequence[float] = ()
) -> Callable[[Law], ControlLaw]: ...
def control(
    function: Law | None = None, *, memory: int | Sequence[float] = 0, parameters: Sequence[float] = ()
) -> Any:
    """Compile a control law: a function that reads arrays by the names of its arguments, and writes `inputs`.

    time:           of the sample [s]
    positions:      (nq,) joint coordinates, as `Simulation.joint_positions` has them
    velocities:     (n,) their rates
    mass_matrix:    (n, n), bias_forces, gravity_forces (n,): those of `Simulation`
    inputs:         of the scene, in its order: it writes those that have no table; they are held
    memory:         what it keeps from one sample to the next: its length, or its numbers at the start
    parameters:     numbers that it is given

    `Simulation.run(control=law, every=...)` calls it within the compiled loop of steps. It may use what numba
    compiles: loops, numpy, functions under `mbplugin.math.jit.jit`. Raises PluginError for other arguments.
    """
    make = lambda law: ControlLaw(law, memory, parameters)
    return make if function is None else make(function)
