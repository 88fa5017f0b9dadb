"""A redundancy analysis in words, for people who do not know the code."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from mbplugin.analysis.redundancy import Added, Redundancy, Redundant
from mbplugin.tables.spec import Array

#: redundant rows and joints that a text names before it says how many more there are
SHOWN = 40
#: rows that a sentence names
NAMED = 4
#: states of reactions that are said in more words
STATED = {"none by priority": "no force at this row by priority"}


def report(found: Redundancy, lam: Array | None = None, shown: int = SHOWN, with_reactions: bool = True, title: str = "") -> str:
    """The whole of it: counts, redundant rows, what holds them already, and which reactions are shared. lam: multipliers (nc,) of the moment.

    title: names of the analyses where they are more than one.
    """
    lines = [f"{title or found.analysis} analysis at t = {found.time:.9g} s", *(f"  {line}" for line in counts(found))]
    if not found.redundant:
        return "\n".join([*lines, "  No row is redundant; every reaction is determined."])
    lines += ["", *verdict(found), "", "Redundant rows; directions are in the joint's own axes, of which z is its axis:"]
    lines += told(found.redundant, shown, lambda r: row_lines(found, r))
    if with_reactions:
        lines += ["", *reactions(found, lam, shown)]
    return "\n".join(lines)


def told(items: Sequence[Redundant], shown: int, words: Callable[[Redundant], list[str]]) -> list[str]:
    lines = [line for item in items[:shown] for line in words(item)]
    return lines + ([f"  and {len(items) - shown} more; `mbplugin check SCENE --json` lists all"] if len(items) > shown else [])


def counts(found: Redundancy) -> list[str]:
    lines = [
        f"freedoms of the bodies alone   nq = {found.nq}",
        f"constraint rows                nc = {found.nc}",
        f"independent rows               rank = {found.rank}",
        f"degree of mobility             nq - rank = {found.mobility}",
        f"degree of redundancy           nc - rank = {found.redundancy}",
        f"Gruebler's count               nq - nc = {found.gruebler}",
    ]
    if np.isfinite(found.condition):
        lines.append(f"condition number               {found.condition:.3g}, of the independent rows")
    if found.elastic:
        lines.append(f"held elastically               {', '.join(found.elastic)}: their rows are not counted, their loads follow from stiffness")
    if found.redundancy:
        verb = "is" if found.redundancy == 1 else "are"
        lines[5] += f": it takes every row for independent; {found.redundancy} {verb} not, and {found.gruebler} + {found.redundancy} = {found.mobility}"
    return lines


def verdict(found: Redundancy) -> list[str]:
    rows = f"{found.redundancy} of {found.nc} rows are redundant" if found.redundancy != 1 else f"1 of {found.nc} rows is redundant"
    return [
        f"{rows}, all on {', '.join(found.joints)}. They ask for what other joints hold already, so the motion is right.",
        "How the joints share the load among them does not follow from the laws of rigid bodies: " + how(found),
    ]


def how(found: Redundancy) -> str:
    """The convention by which open reactions are given."""
    if found.shares.left_aside:
        return f"it is given in the minimum-norm way: priorities are followed in models of up to {found.shares.left_aside} rows."
    if found.shares.P is None:
        return "it is given in the minimum-norm way."
    return "joints of higher `priority` carry it, and those of equal priority share in the minimum-norm way."


def row_words(found: Redundancy, r: Redundant) -> str:
    """One sentence about a redundant row."""
    kind = found.types.get(r.held.owner, "")
    who = f"{r.held.owner}{f' ({kind})' if kind else ''}: {r.held.label}"
    if not r.terms:
        return f"{who} holds nothing here: what it joins cannot move that way, or its direction vanishes"
    if len(r.terms) <= NAMED:
        return f"{who} is already held by {' with '.join(str(t.held) for t in r.terms)}"
    joints = list(dict.fromkeys(t.held.owner for t in r.terms))
    more = f" and {len(joints) - NAMED} more" if len(joints) > NAMED else ""
    return f"{who} is already held by {', '.join(joints[:NAMED])}{more} together"


def row_lines(found: Redundancy, r: Redundant) -> list[str]:
    lines = [f"  {row_words(found, r)}"]
    if len(r.terms) > 1 or (r.terms and abs(r.terms[0].coefficient - 1.0) > 1e-9):
        lines.append(f"      = {equation(r)}")
    return lines


def equation(r: Redundant) -> str:
    """What the row is made of, with the numbers."""
    parts = []
    for k, t in enumerate(r.terms[: 3 * NAMED]):
        unit = "" if t.held.unit == r.held.unit else f" {r.held.unit}/{t.held.unit}"
        sign = ("-" if t.coefficient < 0 else "") if k == 0 else (" - " if t.coefficient < 0 else " + ")
        size = abs(t.coefficient)
        number = "" if abs(size - 1.0) < 1e-9 and not unit else f"{size:.4g}{unit} × "
        parts.append(f"{sign}{number}[{t.held}]")
    return "".join(parts) + (" + ..." if len(r.terms) > 3 * NAMED else "")


def reactions(found: Redundancy, lam: Array | None, shown: int) -> list[str]:
    """Which components are shared; with λ also their shares, and what they would be if the redundant rows carried nothing."""
    open_ones = [r for r in found.reactions if r.state != "determined"]
    certain = list(dict.fromkeys(r.held.owner for r in found.reactions if r.state == "determined"))
    certain = [name for name in certain if all(r.held.owner != name for r in open_ones)]
    words = [f"  {r.held.owner}: {reaction_words(r.held.label, r.held.unit)} ({STATED.get(r.state, r.state)})" for r in open_ones]
    lines, width = [], max([56, *map(len, words[:shown])])
    if lam is None:
        lines.append("Reactions that are not determined:")
    else:
        lines.append(f"{'Reactions that are not determined':{width + 4}}as shared    if the redundant rows carried nothing")
        turned, alone = found.carried(lam)
        # shares are known to rounding over δ, about 1e-6 of the largest
        least = 1e-6 * max(np.abs(turned).max(initial=0.0), np.abs(alone).max(initial=0.0))
    for r, line in zip(open_ones[:shown], words):
        if lam is not None:
            unit = "N" if r.held.unit == "m" else "N·m"
            line = f"{line:{width}} {short(turned[r.row], least):>12} {short(alone[r.row], least):>12} {unit}"
        lines.append(line)
    if len(open_ones) > shown:
        lines.append(f"  and {len(open_ones) - shown} more")
    lines += [f"{name} carries nothing by priority; what it would carry is not determined, and 0 is no answer to that." for name in idle(found)]
    if certain:
        some = ", ".join(certain[:shown]) + (f" and {len(certain) - shown} more" if len(certain) > shown else "")
        lines.append(f"All other reactions are determined, among them all of {some}.")
    else:
        lines.append("All other reactions are determined.")
    return lines


def idle(found: Redundancy) -> list[str]:
    """Joints all of whose rows carry nothing by priority."""
    states: dict[str, set[str]] = {}
    for r in found.reactions:
        states.setdefault(r.held.owner, set()).add(r.state)
    return [name for name, mine in states.items() if mine == {"none by priority"}]


def reaction_words(label: str, unit: str) -> str:
    return label.replace("translation along", "force along").replace("rotation about", "torque about") if label.startswith(("translation", "rotation")) else (
        f"{'force' if unit == 'm' else 'torque'} of {label}")  # fmt: skip


def short(x: float, least: float) -> str:
    return f"{x:.5g}" if abs(x) > least else "0"


def step_table(found: Sequence[Added]) -> str:
    """What each joint adds to the rank, in the order in which joints keep their rows."""
    width = max([len(s.name) for s in found] + [5])
    kind = max([len(s.type) for s in found] + [4])
    lines = [f"{'joint':{width}}  {'type':{kind}}  rows  independent  redundant  rank  mobility"]
    lines += [f"{s.name:{width}}  {s.type:{kind}}  {s.rows:+4d}  {s.independent:+11d}  {s.redundant:9d}  {s.rank:4d}  {s.mobility:8d}" for s in found]
    return "\n".join(lines)
