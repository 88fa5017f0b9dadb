"""Tried repairs as text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mbplugin.analysis.phrases import enumerated, plural
from mbplugin.analysis.redundancy.redundancy import Redundancy
from mbplugin.analysis.redundancy.repairs import Repair

#: largest number of repairs without redundant rows, and of others with the same motion, that are listed
WITHOUT_REDUNDANCY, OTHERS = 16, 8
#: growth of the condition number above which it is mentioned
GROWTH = 10.0


def repair_table(tried: Sequence[Repair], redundancy: int, counts: Redundancy | None = None) -> str:
    """Proposals, and a table of the tried repairs, the best first.

    redundancy: redundant rows of the scene as it is. counts: its whole redundancy report, if known.
    """
    if counts is not None and counts.nearly:
        return alignment_text(tried, counts)
    if not redundancy:
        return "Nothing to repair: no row is redundant."
    if not tried:
        return "No replacement of a joint reduces the number of redundant rows."
    same = [r for r in tried if r.same_motion]
    condition = counts.condition if counts is not None else np.nan
    locked = counts is not None and counts.locked
    motion = "The mechanism stays locked" if locked else "The motion stays the same"
    lines = proposals(same, condition, motion)
    listed = [r for r in same if r.redundancy == 0][:WITHOUT_REDUNDANCY]
    listed += [r for r in same if r.redundancy][:OTHERS]
    if listed:
        lines += [f"Tried repairs that keep the motion (redundant rows now: {redundancy}):", *table(listed)]
    parts = []
    if len(same) > len(listed):
        parts.append(f"{len(same) - len(listed)} that keep the motion")
    if len(tried) > len(same):
        parts.append(f"{len(tried) - len(same)} that change the motion")
    if parts:
        lines.append(f"Not listed: {', '.join(parts)}; --json lists all.")
    return "\n".join(lines)


def alignment_text(tried: Sequence[Repair], counts: Redundancy) -> str:
    """The advice to align misaligned joints, and tried repairs that have the mobility of the aligned ones."""
    mobility = counts.mobility + len(counts.nearly)
    locked = ": the misalignment locks the mechanism" if counts.locked else ""
    lines = [f"Align the joints first, as listed above{locked}."]
    free = [r for r in tried if not r.enforce and r.mobility == mobility]
    free.sort(key=lambda r: (r.redundancy, -r.rows))
    listed = free[:OTHERS]
    if listed:
        lines.append(
            "Only if the misalignment is intended, use a joint with fewer rows; "
            f"these give mobility {mobility} (redundant rows now: {counts.redundancy}):"
        )
        lines += table(listed)
    if len(tried) > len(listed):
        lines.append(f"Not listed: {len(tried) - len(listed)} more; --json lists all.")
    return "\n".join(lines)


def proposals(same: Sequence[Repair], condition: float, motion: str) -> list[str]:
    """Advice what to write in the scene: the best repair, then pairs that keep both joints, then elastic
    joints.

    same: repairs with the same motion. condition: condition number now. motion: clause about the motion.
    """
    lines = []
    if same and not same[0].enforce:
        best = same[0]
        remaining = "no row is redundant"
        if best.redundancy:
            stay = "stays" if best.redundancy == 1 else "stay"
            remaining = f"{plural(best.redundancy, 'row')} {stay} redundant"
        lines.append(f"Proposed: {instruction(best)}. {motion}, {remaining}{growth(best, condition)}.")
    lines += [
        f"To keep both joints: {instruction(r)}. {motion}, no row is redundant{growth(r, condition)}."
        for r in same
        if "," in r.type
    ]
    lines += [
        f"To share the load by stiffness: {instruction(r)}. {motion} up to load / stiffness, and stiffness "
        "determines the load of each joint."
        for r in same
        if r.enforce
    ]
    return lines


def instruction(r: Repair) -> str:
    """Advice what to change in the scene."""
    if r.enforce:
        return f'set `enforce = "{r.enforce}"` on {enumerated(r.joints)}'
    if not r.type:
        return f'remove "{r.joint}", whose directions the other joints constrain already'
    if "," in r.type:
        changes = [f'"{name}" to type "{kind}"' for name, kind in zip(r.joints, r.type.split(", "))]
        return f"change {enumerated(changes)}"
    return f'change "{r.joint}" to type "{r.type}"' + (f" with `{axis_text(r)}`" if r.axis else "")


def growth(r: Repair, condition: float) -> str:
    """A clause about the condition number, if it grows."""
    if not r.condition > GROWTH * condition:
        return ""
    return f"; the condition number of the independent rows grows from {condition:.3g} to {r.condition:.3g}"


def table(repairs: Sequence[Repair]) -> list[str]:
    changes = [f"  {change_text(r)}" for r in repairs]
    width = max(map(len, changes))
    return [f"{text:{width}}  {counts_text(r)}" for text, r in zip(changes, repairs)]


def change_text(r: Repair) -> str:
    """Such as "C: revolute -> ball"."""
    if r.enforce:
        return f"{r.joint}: {r.before} -> elastic ({r.enforce})"
    if "," in r.type:
        types = zip(r.joints, r.before.split(", "), r.type.split(", "))
        return " and ".join(f"{name}: {before} -> {kind}" for name, before, kind in types)
    return f"{r.joint}: {r.before} -> {r.type or 'removed'}" + (f", {axis_text(r)}" if r.axis else "")


def counts_text(r: Repair) -> str:
    rows = plural(r.rows, "row")
    if not r.enforce:
        return f"{rows}, {r.redundancy} redundant, mobility {r.mobility}"
    return (
        f"{rows} {'becomes a spring' if r.rows == 1 else 'become springs'}, {plural(r.left, 'row')} left, "
        f"{r.redundancy} redundant, {r.mobility} free and {r.stiff} elastic degrees of freedom"
    )


def axis_text(r: Repair) -> str:
    """The axis as a line of the scene."""
    numbers = [round(x, 15) for x in r.along]
    return f"axis = [{', '.join(str(int(x)) if x == int(x) else repr(x) for x in numbers)}]"
