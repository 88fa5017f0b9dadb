"""Tried repairs in words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mbplugin.analysis.redundancy.redundancy import Redundancy
from mbplugin.analysis.redundancy.repairs import Repair

#: repairs without redundant rows, and others of the same motion, that a text lists
EXACT, OTHERS = 16, 8
#: by how much a condition number may grow before a word is lost on it
WORSE = 10.0


def repair_table(found: Sequence[Repair], redundancy: int, counted: Redundancy | None = None) -> str:
    """What was tried, the best first. counted: what the scene has as it is; it tells whether anything moves
    there.
    """
    if counted is not None and counted.nearly:
        return freeing(found, counted)
    if not redundancy:
        return "Nothing to repair: no row is redundant."
    if not found:
        return "No other joint in the place of a redundant one makes fewer rows redundant."
    good = [r for r in found if r.same_motion]
    now = counted.condition if counted is not None else np.nan
    locked = counted is not None and counted.locked
    lines = proposals(good, now, "nothing can move, as now" if locked else "the motion stays the same")
    shown = [*[r for r in good if r.redundancy == 0][:EXACT], *[r for r in good if r.redundancy][:OTHERS]]
    if shown:
        lines += [f"Tried, with the same motion (now {redundancy} redundant):", *table(shown)]
    return "\n".join([*lines, *rest(len(good) - len(shown), len(found) - len(good))])


def freeing(found: Sequence[Repair], counted: Redundancy) -> str:
    """Where joints are nearly in line: what was tried, and lets move what moves once they are in line."""
    wanted = counted.mobility + len(counted.nearly)
    lines = [
        "First put in line what is nearly in line, as told above: as it is, nothing can move."
        if counted.locked
        else "First put in line what is nearly in line, as told above."
    ]
    free = sorted(
        (r for r in found if not r.enforce and r.mobility == wanted), key=lambda r: (r.redundancy, -r.rows)
    )
    shown = [*[r for r in free if r.redundancy == 0][:OTHERS], *[r for r in free if r.redundancy][:OTHERS]][
        :OTHERS
    ]
    if shown:
        lines.append(
            f"Only if it is meant to be out of line: take a joint that holds less; these make the mobility {wanted} (now {counted.redundancy} redundant):"
        )
        lines += table(shown)
    more = len(found) - len(shown)
    return "\n".join(
        [
            *lines,
            *([f"{more} more {'was' if more == 1 else 'were'} tried; --json lists all."] if more else []),
        ]
    )


def proposals(good: Sequence[Repair], now: float, stays: str) -> list[str]:
    """What to write: the best one, then what keeps both joints, then what makes them elastic."""
    lines = []
    if good and not good[0].enforce:
        best = good[0]
        left = (
            "no row is redundant any more"
            if best.redundancy == 0
            else f"{rows(best.redundancy)} {'stays' if best.redundancy == 1 else 'stay'} redundant"
        )
        lines.append(f"Proposed: {in_words(best)}; {stays}, {left}{worse(best, now)}.")
    lines += [
        f"To keep both: {in_words(r)}; {stays}, no row is redundant any more{worse(r, now)}."
        for r in good
        if "," in r.type
    ]
    lines += [
        f"To share by stiffness: {in_words(r)}; {stays} up to load / stiffness, loads are shared by stiffness."
        for r in good
        if r.enforce
    ]
    return lines


def table(found: Sequence[Repair]) -> list[str]:
    what = [f"  {change(r)}" for r in found]
    width = max(map(len, what))
    return [f"{w:{width}}  {counts(r)}" for w, r in zip(what, found)]


def change(r: Repair) -> str:
    if r.enforce:
        return f"{r.joint}: {r.before} -> held by {r.enforce}"
    if "," in r.type:
        return " and ".join(
            f"{name}: {before} -> {kind}"
            for name, before, kind in zip(r.joints, r.before.split(", "), r.type.split(", "))
        )
    return f"{r.joint}: {r.before} -> {r.type or 'left out'}" + (f", {written(r)}" if r.axis else "")


def counts(r: Repair) -> str:
    if not r.enforce:
        return f"{rows(r.rows)}, {r.redundancy} redundant, mobility {r.mobility}"
    free = f"{r.mobility} freedom{'' if r.mobility == 1 else 's'} and {r.stiff} stiff one{'' if r.stiff == 1 else 's'}"
    return f"{rows(r.rows)} {'becomes a spring' if r.rows == 1 else 'become springs'}; {rows(r.left)} left, {r.redundancy} redundant; {free}"


def rows(n: int) -> str:
    return f"{n} row" if n == 1 else f"{n} rows"


def written(r: Repair) -> str:
    """The axis as a scene has it."""
    clean = [round(x, 15) for x in r.along]
    return f"axis = [{', '.join(str(int(x)) if x == int(x) else repr(x) for x in clean)}]"


def worse(r: Repair, now: float) -> str:
    """A word about a condition number that grows."""
    return (
        f"; the condition number of the independent rows grows from {now:.3g} to {r.condition:.3g}"
        if r.condition > WORSE * now
        else ""
    )


def rest(same: int, changed: int) -> list[str]:
    """How many are not listed."""
    parts = [f"{same} other{' keeps' if same == 1 else 's keep'} the motion"] if same else []
    parts += [f"{changed} other{' changes' if changed == 1 else 's change'} the motion"] if changed else []
    return [f"{', '.join(parts)}; --json lists all."] if parts else []


def in_words(r: Repair) -> str:
    if r.enforce:
        return f'write `enforce = "{r.enforce}"` in the table of {", ".join(r.joints[:-1])} and {r.joints[-1]} each'
    if not r.type:
        return f'leave out "{r.joint}"; the other joints hold all that it holds'
    if "," in r.type:
        return " and ".join(
            f'give "{name}" the type "{kind}"' for name, kind in zip(r.joints, r.type.split(", "))
        )
    return f'give "{r.joint}" the type "{r.type}"' + (f" and `{written(r)}`" if r.axis else "")
