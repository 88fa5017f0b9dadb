"""Reactions that rigid bodies leave open: what nobody should build a law on, such as friction in a bearing,
or a control that reads its load.
"""

from __future__ import annotations

from mbplugin.analysis.redundancy.redundancy import Reaction, redundancy
from mbplugin.analysis.redundancy.redundancy_text import reaction_words
from mbplugin.model import System
from mbplugin.problem import Problem


def undetermined_components(problem: Problem, system: System, joint: str | None = None) -> list[Reaction]:
    """Components at the present position that are shared, settled by priority, or held by no row; of one
    joint where it is named. In the joints' own axes.
    """
    found = redundancy(problem, system).reactions
    return [r for r in found if r.state != "determined" and joint in (None, r.held.owner)]


def readings(problem: Problem, system: System) -> list[str]:
    """A warning for each expression that reads a reaction which rigid bodies do not determine."""
    found = []
    for key, joint, component in problem.names.reads:
        of_force = {"force": True, "torque": False}.get(component, component.startswith("f"))
        axis = component[1:] if len(component) == 2 else ""
        open_ones = undetermined_components(problem, system, joint)
        if component:
            open_ones = [
                r for r in open_ones if (r.held.unit == "m") == of_force and r.held.label.endswith(axis)
            ]
        found.append(warning(open_ones, f"the expression {key}"))
    return [text for text in dict.fromkeys(found) if text]


def warning(components: list[Reaction], reader: str) -> str:
    """What to say of something (`reader`) that reads these components; "" where there are none."""
    if not components:
        return ""
    names = [f"{r.held.owner}: {reaction_words(r.held.label, r.held.unit)} ({r.state})" for r in components]
    more = f" and {len(names) - 6} more" if len(names) > 6 else ""
    mend = 'its value is a convention, not a load: repair the redundant joints (`mbplugin check SCENE --repairs`), or hold them by `enforce = "penalty"`'
    return f"{reader} goes by a reaction that rigid bodies do not determine: {', '.join(names[:6])}{more}; {mend}"
