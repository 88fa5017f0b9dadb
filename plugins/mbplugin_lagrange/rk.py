"""Solver `rk`: explicit Runge-Kutta methods with projection; adaptive Dormand-Prince 5(4) by default."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any, Literal

import numpy as np
from pydantic import Field, model_validator

from mbplugin.errors import SceneError
from mbplugin.interface import Parameters, Tableau, Time, Tolerance
from mbplugin.interface.coordinates import COORDINATES, METHOD, RECURSION, with_method
from mbplugin.stepping import CompiledSolver, Control
from mbplugin_lagrange import stages
from mbplugin_lagrange.arrays import Stages


class RkParameters(Parameters):
    """Keys of `[solver]` with type = "rk"."""

    integrator: str = Field(
        "dp5", description="the Runge-Kutta method; `mbplugin plugins` lists the tableaus"
    )
    coordinates: Literal["maximal", "joint"] = Field("maximal", description=COORDINATES)
    form: Literal["acceleration", "momentum"] = Field(
        "acceleration",
        description="what is integrated besides positions: velocities, or in joint coordinates momenta",
    )
    method: str | None = Field(None, description=METHOD % RECURSION)
    tolerance: Tolerance = Field(
        1e-8, description="local error: relative, and absolute below a hundredth of the mechanism's size"
    )
    step: Time | None = Field(None, description="fixed step of rk4, first step of the others [s]")
    max_step: Time | None = Field(None, description="largest step; not for rk4, whose steps are fixed [s]")

    @model_validator(mode="before")
    @classmethod
    def with_method(cls, given: Any) -> Any:
        """The default method of the coordinates."""
        return with_method(given)


class RungeKutta(CompiledSolver):
    """Explicit Runge-Kutta methods on the accelerations, projected onto the constraints after each step."""

    name = "rk"
    velocity_error = "ev"
    parameters = RkParameters
    # the engine uses the method (`Problem.use`); `control` and `stages` use the tableau
    choices = {"method": "method", "integrator": "tableau"}
    begin_step = staticmethod(stages.begin_step)
    try_step = staticmethod(stages.try_step)

    @classmethod
    def completed(cls, params: Any, system: Any) -> tuple[Any, Sequence[str]]:
        if params.form == "momentum" and params.coordinates == "maximal":
            mend = 'is a form in joint coordinates; add coordinates = "joint", or leave it out'
            raise SceneError("form", params.form, mend)
        return params, ()

    @classmethod
    def control(cls, params: Any, chosen: Mapping[str, Any]) -> Control:
        integrator: Tableau = chosen["integrator"]
        if integrator.adaptive:
            return Control(
                integrator.order,
                integrator.error_power,
                params.tolerance,
                first=params.step,
                longest=inf if params.max_step is None else params.max_step,
            )
        if params.max_step is not None:
            mend = f'is for steps that vary; those of integrator = "{params.integrator}" are `step` long'
            raise SceneError("max_step", params.max_step, mend)
        if params.step is None:
            raise SceneError(
                "step", mend=f'is needed by integrator = "{params.integrator}", whose step is fixed'
            )
        return Control(integrator.order, fixed=params.step)

    @classmethod
    def growth(cls, params: Any, chosen: Mapping[str, Any], hA: Any) -> float:
        integrator: Tableau = chosen["integrator"]
        stages: list[Any] = []
        for row in np.asarray(integrator.A, float):
            stages.append(hA @ (np.eye(2) + sum(a * k for a, k in zip(row, stages))))
        step = np.eye(2) + sum(b * k for b, k in zip(np.asarray(integrator.b, float), stages))
        return float(np.abs(np.linalg.eigvals(step)).max())

    @classmethod
    def arrays(cls, problem: Any, params: Any, chosen: Mapping[str, Any]) -> Stages:
        integrator: Tableau = chosen["integrator"]
        nq, nv, na = problem.nq, problem.nv, problem.na
        s, estimates = len(integrator.b), 1 + (integrator.b_error2 is not None)
        flat = lambda x: np.array(x, float).ravel()
        return Stages(
            flat(integrator.A),
            flat(integrator.b),
            flat(integrator.c),
            integrator.error_weights(),
            integrator.error_weights(second=True),
            *(np.zeros(s * n) for n in (nq, nv, na)),
            *(np.zeros(n) for n in (nq, nv, na)),
            *(np.zeros(estimates * n) for n in (nq, nv, na)),
        )
