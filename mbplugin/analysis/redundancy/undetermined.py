"""Reactions that rigid bodies do not determine; no law, such as bearing friction, should depend on them."""

from __future__ import annotations

from mbplugin.analysis.redundancy.redundancy import Reaction, redundancy
from mbplugin.analysis.redundancy.redundancy_text import reaction_label
from mbplugin.errors import listed
from mbplugin.model import System
from mbplugin.problem import Problem

#: largest number of components that a warning names
NAMED = 6


def undetermined_components(problem: Problem, system: System, joint: str | None = None) -> list[Reaction]:
    """Components at the present position that are not determined, in the axes of their joints.

    They are shared, settled by priority, or belong to a row that constrains nothing. joint: of this one only.
    """
    reactions = redundancy(problem, system).reactions
    return [r for r in reactions if r.state != "determined" and joint in (None, r.held.owner)]


def read_reaction_warnings(problem: Problem, system: System) -> list[str]:
    """A warning for each expression that reads a reaction which rigid bodies do not determine."""
    warnings = []
    for key, joint, component in problem.names.reads:
        components = undetermined_components(problem, system, joint)
        if component:
            of_force = component.startswith("f")
            axis = component[1:] if len(component) == 2 else ""
            components = [
                r for r in components if (r.held.unit == "m") == of_force and r.held.label.endswith(axis)
            ]
        warnings.append(warning(components, f"the expression {key}"))
    return [text for text in dict.fromkeys(warnings) if text]


def warning(components: list[Reaction], reader: str) -> str:
    """A warning that `reader` depends on these components; "" if there are none."""
    if not components:
        return ""
    names = [f"{r.held.owner}: {reaction_label(r.held.label, r.held.unit)} ({r.state})" for r in components]
    return (
        f"{reader} depends on a reaction that rigid bodies do not determine: {listed(names, NAMED)}; "
        "its value is a convention, not a load: repair the redundant joints "
        '(`mbplugin check SCENE --repairs`) or make them elastic with `enforce = "penalty"`'
    )
