"""Hard limits in analyses at one position: one that is not reached there has no effect, and is left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mbplugin.compile import compile_system
from mbplugin.errors import SceneError
from mbplugin.hooks.registry import Registry
from mbplugin.model import Joint, System
from mbplugin.problem import Problem
from mbplugin.run.laws import OUTSIDE
from mbplugin.tables.groups import Bounded, Measures, Rows


def without_limits(system: System) -> System:
    """A copy without hard limits."""
    changed = {k: hard for k, joint in enumerate(system.joints) if (hard := soft_alone(joint)) is not joint}
    joints = [changed.get(k, joint) for k, joint in enumerate(system.joints)]
    return system.model_copy(update={"joints": joints}) if changed else system


def soft_alone(joint: Joint) -> Joint:
    """A joint with those of its limits that are soft."""
    if joint.limits is None or (joint.stop_stiffness is not None and not isinstance(joint.limits, Mapping)):
        return joint
    soft = joint.stop_stiffness if isinstance(joint.stop_stiffness, Mapping) else {}
    limits: Any = None
    if isinstance(joint.limits, Mapping):
        limits = {name: ends for name, ends in joint.limits.items() if name in soft} or None
    return joint.model_copy(update={"limits": limits, "restitution": None})


def refuse_reached(system: System, registry: Registry, at: Problem, who: str) -> None:
    """Raises SceneError for the first hard limit that is reached in the position of `at`, a problem of the
    system without limits.
    """
    if without_limits(system) is system:
        return
    problem = compile_system(system, registry)
    problem[Measures].last[:] = at[Measures].value
    problem.evaluate_at(at.q, 0.0)
    phi, units = problem[Rows].phi, problem.row_units
    for one, (key, value, what) in zip(problem[Bounded].index, problem.names.bounded):
        if one.gap == 1 and phi[one.row] <= OUTSIDE * units[one.row]:
            mend = f"the {what} is reached, and does not act with {who}; make it soft, or leave it out"
            raise system.locate(SceneError(key, value, mend))
