"""A redundancy analysis in words, for people who do not know the code."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from mbplugin.analysis.phrases import vector_text
from mbplugin.analysis.rank.directions import Term
from mbplugin.analysis.redundancy.near_redundancy import Near
from mbplugin.analysis.redundancy.redundancy import Added, Reaction, Redundancy, Redundant
from mbplugin.tables.spec import Array

#: redundant rows and joints that a text names before it says how many more there are
SHOWN = 40
#: rows that a sentence names
NAMED = 4
#: states of reactions that are said in more words
STATED = {"none by priority": "no force at this row by priority"}


def report(
    found: Redundancy,
    lam: Array | None = None,
    shown: int = SHOWN,
    with_reactions: bool = True,
    title: str = "",
) -> str:
    """The whole of it: counts, redundant rows, what holds them already, and which reactions are shared. lam:
    multipliers (nc,) of the moment.

    title: names of the analyses where they are more than one.
    """
    lines = [
        f"{title or found.analysis} analysis at t = {found.time:.9g} s",
        *(f"  {line}" for line in counts(found)),
    ]
    if not found.redundant:
        springs = (
            f" Those of {enumerated(found.elastic)} come from their deviation: relaxed where nothing deviates, as a rule at t = 0."
            if found.elastic
            else ""
        )
        return "\n".join(
            [
                *lines,
                *near_lines(found, shown),
                *([""] if found.nearly else []),
                f"  No row is redundant; every reaction is determined.{springs}",
            ]
        )
    lines += [
        *near_lines(found, shown),
        "",
        *verdict(found),
        "",
        "Redundant rows; directions are in the joint's own axes, of which z is its axis:",
    ]
    lines += [*axes_lines(found), *told(found.redundant, shown, lambda r: row_lines(found, r))]
    if with_reactions:
        lines += ["", *reactions(found, lam, shown)]
    return "\n".join(lines)


def told(items: Sequence[Redundant], shown: int, words: Callable[[Redundant], list[str]]) -> list[str]:
    lines = [line for item in items[:shown] for line in words(item)]
    return lines + (
        [f"  and {len(items) - shown} more; `mbplugin check SCENE --json` lists all"]
        if len(items) > shown
        else []
    )


def counts(found: Redundancy) -> list[str]:
    free = (
        ": nothing can move"
        if found.locked
        else f": {found.mobility - found.stiff} free and {found.stiff} stiff"
        if found.stiff
        else ""
    )
    lines = [
        f"freedoms of the bodies alone   nq = {found.nq}",
        f"constraint rows                nc = {found.nc}",
        f"independent rows               rank = {found.rank}",
        f"degree of mobility             nq - rank = {found.mobility}{free}",
        f"degree of redundancy           nc - rank = {found.redundancy}",
        f"Gruebler's count               nq - nc = {found.gruebler}",
    ]
    if np.isfinite(found.condition):
        lines.append(f"condition number               {found.condition:.3g}, of the independent rows")
    if found.elastic:
        lines.append(
            f"held elastically               {', '.join(found.elastic)}: their rows are not counted, their loads follow from stiffness"
        )
    if found.redundancy:
        verb = "is" if found.redundancy == 1 else "are"
        lines[5] += (
            f": it takes every row for independent; {found.redundancy} {verb} not, and {found.gruebler} + {found.redundancy} = {found.mobility}"
        )
    return lines


def near_lines(found: Redundancy, shown: int) -> list[str]:
    """Rows that would be redundant if what is nearly in line were in line, and what that means."""
    near = found.nearly
    if not near:
        return []
    one = len(near) == 1
    lines = [
        "",
        f"{len(near)} of the independent rows {'is' if one else 'are'} nearly redundant (smallest singular value {near[0].singular:.2g} of the largest):",
    ]
    for n in near[:shown]:
        by = (
            enumerated([str(t.held) for t in n.terms])
            if len(n.terms) <= NAMED
            else enumerated(owners(n.terms))
        )
        lines.append(f"  {n.held} is nearly held by {by}{' together' if len(n.terms) > 1 else ''}")
        lines.append(f"      ≈ {equation(n)}")
    lines += [f"  {text}." for text in dict.fromkeys(text for n in near for text in n.out)]
    them, they, hold = ("it", "it", "holds") if one else ("them", "they", "hold")
    place = "" if found.mobility == 0 else ", unless the mechanism is only close to a singular position here"
    return [
        *lines,
        f"Without {them} the mobility would be {found.mobility + len(near)}: {they} {'locks a motion' if one else 'lock motions'} by what is out of line{place}. "
        f"The reactions to what {they} {hold} grow as 1 over that.",
    ]


def verdict(found: Redundancy) -> list[str]:
    one = found.redundancy == 1
    rows = (
        f"1 of {found.nc} rows is redundant"
        if one
        else f"{found.redundancy} of {found.nc} rows are redundant"
    )
    sharers = list(
        dict.fromkeys(
            name for r in found.redundant for name in (*(t.held.owner for t in r.terms), r.held.owner)
        )
    )
    them = "it" if one else "them"
    named = f"{rows}, named on {enumerated(found.joints)}"
    if len(sharers) > len(found.joints):
        which = "the joint" if len(found.joints) == 1 else "those"
        named += f", {which} of lowest priority, or last in the file, of those that share (any of {enumerated(sharers)} could be named)"
    return [
        f"{named}. {'It asks' if one else 'They ask'} for what other joints hold already: leaving {them} out does not change the motion"
        + (f"; nothing can move with {them} or without {them}." if found.locked else "."),
        "How the joints share the load among them does not follow from the laws of rigid bodies: "
        + how(found),
    ]


#: how open reactions are given among joints of equal priority
SPLIT = "an arbitrary split (the least sum of squares of the rows' scaled multipliers, forces and torques mixed); do not size parts by it"


def how(found: Redundancy) -> str:
    """The convention by which open reactions are given."""
    if found.shares.left_aside:
        return f"what is given is {SPLIT}. Priorities are followed in models of up to {found.shares.left_aside} rows."
    if found.shares.P is None:
        return f"what is given is {SPLIT}."
    return f"joints of higher `priority` carry it, and among those of equal priority it is {SPLIT}."


def enumerated(names: Sequence[str]) -> str:
    """a, b and c; of many the first ones, and how many more."""
    names = [*names[: 2 * NAMED], *([f"{len(names) - 2 * NAMED} more"] if len(names) > 2 * NAMED else [])]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def owners(terms: Sequence[Term]) -> list[str]:
    """Whose rows these are, motions first: they are what a reader can change at once."""
    return list(
        dict.fromkeys(
            t.held.owner
            for t in sorted(terms, key=lambda t: not t.held.label.startswith(("motion of ", "start of ")))
        )
    )


def row_words(found: Redundancy, r: Redundant) -> str:
    """One sentence about a redundant row."""
    kind = found.types.get(r.held.owner, "")
    who = f"{r.held.owner}{f' ({kind})' if kind else ''}: {r.held.label}"
    if not r.terms:
        return f"{who} holds nothing here: what it joins cannot move that way, or its direction vanishes"
    pack = " together" if len(r.terms) > 1 else ""
    if len(r.terms) <= NAMED:
        return f"{who} is already held by {enumerated([str(t.held) for t in r.terms])}{pack}"
    joints = owners(r.terms)
    # one that is left over takes no more room than "1 more"
    few = joints if len(joints) <= NAMED + 1 else [*joints[:NAMED], f"{len(joints) - NAMED} more"]
    return f"{who} is already held by {enumerated(few)}{pack}"


def row_lines(found: Redundancy, r: Redundant) -> list[str]:
    lines = [f"  {row_words(found, r)}"]
    if len(r.terms) > 1 or (r.terms and abs(r.terms[0].coefficient - 1.0) > 1e-9):
        lines.append(f"      = {equation(r)}")
    return lines


def axes_lines(found: Redundancy) -> list[str]:
    """Where x, y and z of the joints that are named point in the world; joints with the same axes in one
    line.
    """
    named = dict.fromkeys(
        held for r in found.redundant for held in (*(t.held for t in r.terms), r.held) if held.axis >= 0
    )
    alike: dict[str, list[str]] = {}
    for owner, joint in dict.fromkeys((held.owner, held.joint) for held in named):
        R = found.directions.frames[joint]
        plain = np.abs(R - np.eye(3)).max() < 5e-7
        where = (
            "those of the world"
            if plain
            else f"x = {vector_text(R[:, 0])}, y = {vector_text(R[:, 1])}, z = {vector_text(R[:, 2])} in world axes"
        )
        alike.setdefault(where, []).append(owner)
    return [f"  axes of {enumerated(names)}: {where}" for where, names in alike.items()]


def equation(r: Redundant | Near) -> str:
    """What the row is made of, with the numbers."""
    parts = []
    for k, t in enumerate(r.terms[: 3 * NAMED]):
        unit = "" if t.held.unit == r.held.unit else f" {r.held.unit}/{t.held.unit}"
        sign = ("-" if t.coefficient < 0 else "") if k == 0 else (" - " if t.coefficient < 0 else " + ")
        size = abs(t.coefficient)
        number = "" if f"{size:.4g}{unit}" == "1" else f"{size:.4g}{unit} × "
        parts.append(f"{sign}{number}[{t.held}]")
    return "".join(parts) + (" + ..." if len(r.terms) > 3 * NAMED else "")


def reactions(found: Redundancy, lam: Array | None, shown: int) -> list[str]:
    """Which components are shared; with λ also their shares, and what they would be if the redundant rows
    carried nothing.
    """
    open_ones = [r for r in found.reactions if r.state != "determined"]
    certain = list(dict.fromkeys(r.held.owner for r in found.reactions if r.state == "determined"))
    certain = [name for name in certain if all(r.held.owner != name for r in open_ones)]
    what = "Reactions on b that are not determined"
    if lam is None:
        lines = [f"{what}:", *grouped(open_ones, shown)]
    else:
        turned, alone = found.carried(lam)
        # shares are known to rounding over δ, about 1e-6 of the largest
        least = max(1e-6 * max(np.abs(turned).max(initial=0.0), np.abs(alone).max(initial=0.0)), 1e-300)
        if all(max(abs(turned[r.row]), abs(alone[r.row])) <= least for r in open_ones):
            lines = [f"{what}, all 0 at t = {found.time:.9g} s:", *grouped(open_ones, shown)]
        else:
            lines = shares_table(open_ones, what, turned, alone, least, shown)
    lines += [
        f"{name} carries nothing by priority; what it would carry is not determined, and 0 is no answer to that."
        for name in idle(found)
    ]
    if certain:
        some = ", ".join(certain[:shown]) + (
            f" and {len(certain) - shown} more" if len(certain) > shown else ""
        )
        lines.append(f"All other reactions are determined, among them all of {some}.")
    else:
        lines.append("All other reactions are determined.")
    return lines


def shares_table(
    open_ones: Sequence[Reaction], what: str, turned: Array, alone: Array, least: float, shown: int
) -> list[str]:
    """One line for each component, its unit in its name, with both values."""
    unit = lambda r: "N" if r.held.unit == "m" else "N·m"
    words = [
        f"  {r.held.owner}: {reaction_words(r.held.label, r.held.unit)} [{unit(r)}] ({STATED.get(r.state, r.state)})"
        for r in open_ones[:shown]
    ]
    width = max([56, *map(len, words)])
    lines = [f"{what:{width + 4}}as shared    if the redundant rows carried nothing"]
    lines += [
        f"{line:{width}} {short(turned[r.row], least):>12} {short(alone[r.row], least):>12}"
        for r, line in zip(open_ones, words)
    ]
    return lines + ([f"  and {len(open_ones) - shown} more"] if len(open_ones) > shown else [])


def grouped(open_ones: Sequence[Reaction], shown: int) -> list[str]:
    """Components without values, those of one joint and one state in one line."""
    alike: dict[tuple[str, str], list[str]] = {}
    for r in open_ones:
        alike.setdefault((r.held.owner, STATED.get(r.state, r.state)), []).append(
            reaction_words(r.held.label, r.held.unit)
        )
    lines = [f"  {owner}: {', '.join(words)} ({state})" for (owner, state), words in alike.items()]
    return lines[:shown] + ([f"  and {len(lines) - shown} more joints"] if len(lines) > shown else [])


def idle(found: Redundancy) -> list[str]:
    """Joints all of whose rows carry nothing by priority."""
    states: dict[str, set[str]] = {}
    for r in found.reactions:
        states.setdefault(r.held.owner, set()).add(r.state)
    return [name for name, mine in states.items() if mine == {"none by priority"}]


def reaction_words(label: str, unit: str) -> str:
    return (
        label.replace("translation along", "force along").replace("rotation about", "torque about")
        if label.startswith(("translation", "rotation"))
        else (f"{'force' if unit == 'm' else 'torque'} of {label}")
    )


def short(x: float, least: float) -> str:
    return f"{x:.5g}" if abs(x) > least else "0"


def step_table(found: Sequence[Added]) -> str:
    """What each joint adds to the rank, in the order in which joints keep their rows."""
    width = max([len(s.name) for s in found] + [5])
    kind = max([len(s.type) for s in found] + [4])
    lines = [f"{'joint':{width}}  {'type':{kind}}  rows  independent  redundant  rank  mobility"]
    lines += [
        f"{s.name:{width}}  {s.type:{kind}}  {s.rows:+4d}  {s.independent:+11d}  {s.redundant:9d}  {s.rank:4d}  {s.mobility:8d}"
        for s in found
    ]
    return "\n".join(lines)
