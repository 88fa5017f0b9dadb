"""Solver `galpha`: the generalized-α method on the Lie group of the coordinates, for stiff mechanisms."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any, Literal

from pydantic import Field, model_validator

from mbplugin.errors import SceneError
from mbplugin.interface import Parameters, Time, Tolerance
from mbplugin.interface.coordinates import COORDINATES, METHOD, RECURSION, with_method
from mbplugin.stepping import CompiledSolver, Control
from mbplugin_lagrange import galpha_step
from mbplugin_lagrange.galpha_arrays import Alpha, coefficients, history_length, zero_arrays

#: a longer step is at most so many times the one before, and changes by less than `HOLD` are left out: each
#: change of the step makes the multipliers, and the bodies that they press on stiff springs, oscillate
GROWTH, HOLD = 2.0, 1.5


class GalphaParameters(Parameters):
    """Keys of `[solver]` with type = "galpha"."""

    step: Time | None = Field(
        None, description="length of fixed steps [s]; without it the step follows `tolerance`"
    )
    max_step: Time | None = Field(None, description="largest step where they vary, without `step` [s]")
    tolerance: Tolerance = Field(
        1e-6, description="local error: relative, and absolute below a hundredth of the mechanism's size"
    )
    spectral_radius: float = Field(
        0.8,
        ge=0.0,
        lt=1.0,
        description="factor by which one step damps vibrations that are much faster than the step",
    )
    coordinates: Literal["maximal", "joint"] = Field("maximal", description=COORDINATES)
    method: str | None = Field(None, description=METHOD % RECURSION)

    @model_validator(mode="before")
    @classmethod
    def with_method(cls, given: Any) -> Any:
        """The default method of the coordinates."""
        return with_method(given)


class GeneralizedAlpha(CompiledSolver):
    """Implicit, of order 2, with the whole tangent; positions of joints hold in each step, velocities are
    projected.
    """

    name = "galpha"
    parameters = GalphaParameters
    choices = {"method": "method"}
    order = 2
    advised_tree = 60  # one dense block of the matrix
    examples = ({"step": 1e-3}, {"tolerance": 1e-6})
    begin_step = staticmethod(galpha_step.begin_step)
    try_step = staticmethod(galpha_step.try_step)

    @classmethod
    def control(cls, params: Any, chosen: Mapping[str, Any]) -> Control:
        if params.step is not None and params.max_step is not None:
            raise SceneError("max_step", params.max_step, "is for steps that vary; leave out `step`, or this")
        if params.step is not None:
            return Control(2, fixed=params.step)
        return Control(
            2,
            error_power=3,
            tolerance=params.tolerance,
            growth=GROWTH,
            hold=HOLD,
            longest=inf if params.max_step is None else params.max_step,
        )

    @classmethod
    def history(cls, problem: Any, params: Any) -> int:
        return history_length(problem)

    @classmethod
    def arrays(cls, problem: Any, params: Any, chosen: Mapping[str, Any]) -> Alpha:
        if problem.iterates_loads:
            raise SceneError(
                "type",
                "galpha",
                "does not iterate loads (augment = true); leave `augment` out and choose a stiffness, which "
                'may be large here, or use type = "rk"',
            )
        problem.prepare_step_matrix()
        return zero_arrays(problem, coefficients(params.spectral_radius))
