"""Laws of rows: a solver or an analysis that does not serve the law of a joint's rows refuses the joint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mbplugin.analysis.redundancy.redundancy import Reaction
from mbplugin.analysis.redundancy.redundancy_text import reaction_label
from mbplugin.analysis.redundancy.undetermined import undetermined_components
from mbplugin.errors import SceneError, errors_at, listed
from mbplugin.hooks.registry import Registry
from mbplugin.interface import ConstraintKind, SolverKind
from mbplugin.model import System
from mbplugin.problem import Problem
from mbplugin.tables.groups import Bearings, Bounded, Rows
from mbplugin.tables.records import BOUNDED_TYPES

#: distance beyond a limit at t = 0 that is rounding [size or rad]
OUTSIDE = 1e-9


def served_types(kind: type[SolverKind]) -> Sequence[str]:
    """Types of rows that a solver serves, itself or as rows with bounds."""
    return (*kind.row_types, *(BOUNDED_TYPES if kind.bounded_rows else ()))


def refuse_unserved_laws(system: System, registry: Registry, who: str, laws: Sequence[str]) -> None:
    """Raises SceneError for the first joint whose rows obey a law that `who` does not serve."""
    for k, joint in enumerate(system.joints):
        kind = registry.constraint(joint.type, f"joint[{k}].type")
        for form in (kind, kind.form(planar=True)):
            types = types_of_rows(form)
            unserved = [row_type for row_type in types if row_type not in laws]
            if not unserved:
                continue
            servers = [
                f'"{name}"'
                for name, solver in solvers(registry).items()
                if set(types) <= {*served_types(solver)}
            ]
            mend = f"solver {' or '.join(servers)} does" if servers else "no installed solver does"
            what = f'the rows of joint "{joint.name}" are of the type "{unserved[0]}"'
            raise SceneError(f"joint[{k}].type", joint.type, f"{what}, which {who} does not serve; {mend}")


def types_of_rows(kind: type[ConstraintKind]) -> Sequence[str]:
    """The types that rows of a kind have."""
    return [kind.row_type] if isinstance(kind.row_type, str) else kind.row_type


def refuse_contacts(system: System, registry: Registry, who: str) -> None:
    """Raises SceneError for the first shape that collides: `who` would leave its contacts out."""
    for key, _ in system.colliding():
        able = " or ".join(f'"{name}"' for name, solver in solvers(registry).items() if solver.contacts)
        use = f"use solver.type = {able}, or" if able else "no installed solver has;"
        mend = f"{use} leave them out with scene.contacts = false"
        raise SceneError(key, True, f"{who} has no contacts; {mend}")


def refuse_bounded(problem: Problem, system: System, who: str, registry: Registry | None = None) -> None:
    """Raises SceneError for the first row whose force has bounds: `who` would leave it out."""
    if not problem.names.bounded:
        return
    key, value, _ = problem.names.bounded[0]
    mend = "leave it out"
    if registry is not None:
        able = [f'"{name}"' for name, solver in solvers(registry).items() if solver.bounded_rows]
        mend = f"use solver.type = {listed(able)}"
    raise system.locate(SceneError(key, value, f"does not act with {who}; {mend}"))


def refuse_sampled(problem: Problem, system: System, who: str) -> None:
    """Raises SceneError for the first force that takes samples: `who` has it not."""
    for key, name in problem.names.sampled:
        mend = f"takes samples, and {who} is continuous in time; leave them out, `sample_time` of a pid"
        raise system.locate(SceneError(key, name, mend))


def refuse_bearings(problem: Problem, system: System, who: str) -> None:
    """Raises SceneError for the first friction by a coefficient: `who` does not serve it."""
    for bearing in problem[Bearings].index:
        key, value, _ = problem.names.bounded[bearing.bounded]
        mend = f"{who} has no friction by a reaction"
        if bearing.pressing < 0:
            mend += "; give `friction_torque` or `friction_force`"
        raise system.locate(SceneError(key, value, mend))


def refuse_undetermined(problem: Problem, system: System) -> None:
    """Raises SceneError for the first friction by a coefficient on a reaction that is not determined."""
    for bearing in problem[Bearings].index:
        joint = problem.names.rows[bearing.first_row].owner
        pressing = [r for r in undetermined_components(problem, system, joint) if presses(bearing, r)]
        if pressing:
            key, value, _ = problem.names.bounded[bearing.bounded]
            names = listed([f"{reaction_label(r.held.label, r.held.unit)} ({r.state})" for r in pressing])
            mend = (
                f'depends on what rigid bodies do not determine: of joint "{joint}", {names}; repair the '
                "redundant joints (`mbplugin check SCENE --repairs`), make them elastic with "
                'enforce = "penalty", or give `friction_torque` or `friction_force`'
            )
            raise system.locate(SceneError(key, value, mend))


def presses(bearing: Any, reaction: Reaction) -> bool:
    """Whether a component of a reaction presses on a bearing."""
    along = bearing.axis >= 0 and reaction.held.label.endswith("xyz"[bearing.axis])
    if reaction.held.unit == "m":
        return bool((bearing.along_force if along else bearing.across_force) > 0.0)
    return bool((bearing.along_moment if along else bearing.across_moment) > 0.0)


def refuse_outside(problem: Problem, system: System) -> None:
    """Raises SceneError for the first coordinate that the initial state has outside its limits."""
    phi, units = problem[Rows].phi, problem.row_units
    for one, (key, value, what) in zip(problem[Bounded].index, problem.names.bounded):
        if one.gap == 1 and phi[one.row] < -OUTSIDE * units[one.row]:
            unit = problem.names.rows[one.row].unit
            for k, joint in enumerate(problem.names.joints):
                if one.row in joint.rows:
                    with errors_at(f"joint[{k}]"):
                        joint.kind.refuse_outside(joint.params, -float(phi[one.row]))
            mend = f"at t = 0 it is {-phi[one.row]:.3g} {unit} beyond the {what}"
            if what.startswith("gap of "):
                mend = f"at t = 0 the {what} is {phi[one.row]:.3g} {unit}; it must not be negative"
            raise system.locate(SceneError(key, value, mend))


def solvers(registry: Registry) -> dict[str, type[SolverKind]]:
    """The solvers that are installed, by name."""
    return {name: registry.offers["solver"][name][0].thing for name in registry.names("solver")}
