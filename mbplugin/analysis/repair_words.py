"""Tried repairs in words."""

from __future__ import annotations

from collections.abc import Sequence

from mbplugin.analysis.repairs import Repair


def repair_table(found: Sequence[Repair], redundancy: int) -> str:
    """What was tried, the best first."""
    if not redundancy:
        return "Nothing to repair: no row is redundant."
    good = [r for r in found if r.same_motion]
    if not found:
        return "No other joint in the place of a redundant one makes fewer rows redundant."
    lines = []
    if good:
        best = good[0]
        rest = "no row is redundant any more" if best.redundancy == 0 else f"{best.redundancy} rows stay redundant"
        lines.append(f"Proposed: {in_words(best)}; the motion stays the same, {rest}.")
    lines.append(f"Tried (now {redundancy} redundant):")
    what = [f"  {r.joint}: {r.before} -> {f'held by {r.enforce}' if r.enforce else new_type(r)}" for r in found]
    width = max(map(len, what))
    for w, r in zip(what, found):
        motion = "NOT the same" if not r.same_motion else "the same up to load / stiffness; loads are shared by stiffness" if r.enforce else "the same"
        lines.append(f"{w:{width}}  {r.rows} rows, {r.redundancy} redundant, mobility {r.mobility}, motion {motion}")
    return "\n".join(lines)


def new_type(r: Repair) -> str:
    return (r.type or "left out") + (f", axis along its {r.axis}" if r.axis else "")


def in_words(r: Repair) -> str:
    if r.enforce:
        return f'give {r.joint} `enforce = "{r.enforce}"`; they share the load by stiffness'
    if not r.type:
        return f'leave out "{r.joint}"; the other joints hold all that it holds'
    return f'give "{r.joint}" the type "{r.type}"' + (f", with its axis along the present {r.axis}" if r.axis else "")
