"""The redundancy report as text, for readers who do not know the program."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mbplugin.analysis.phrases import enumerated, plural, vector_text
from mbplugin.analysis.rank.row_directions import Term
from mbplugin.analysis.redundancy.near_redundancy import NearlyRedundant
from mbplugin.analysis.redundancy.redundancy import Added, Reaction, Redundancy, Redundant
from mbplugin.errors import listed
from mbplugin.tables.spec import Array

#: largest number of redundant rows, and of joints, that are listed
SHOWN = 40
#: largest number of rows that one sentence names
NAMED = 4
#: condition number from which its effect is told, and digits of reactions with which it is harmless
REMARKABLE, ENOUGH = 1e4, 6
#: reaction states in the report
STATE_TEXT = {
    "by priority": "settled by priority",
    "none by priority": "zero by priority",
    "undetermined": "undetermined: the row constrains nothing",
}
#: how the load is split among joints of equal priority
SPLIT = (
    "the reported split is arbitrary (minimum norm of the scaled multipliers, forces and torques mixed); "
    "do not size parts with it."
)
NONE_REDUNDANT = "No row is redundant."
REACTIONS_TITLE = "Reactions on body b that are not determined"
STEPS_TITLE = "Rank after each joint, in order of precedence (priority, then order in the file):"


def report(
    redundancy: Redundancy,
    lam: Array | None = None,
    shown: int = SHOWN,
    with_reactions: bool = True,
    title: str = "",
) -> str:
    """Counts, redundant rows, the rows that make them redundant, and the reactions that are not determined.

    lam: (nc,) multipliers at the same state, for values. title: names of the analyses, if there are several.
    """
    lines = [
        f"{title or redundancy.analysis} analysis at t = {redundancy.time:.9g} s",
        *(f"  {line}" for line in count_lines(redundancy)),
        *nearly_lines(redundancy, shown),
    ]
    if not redundancy.redundant:
        if redundancy.nearly:
            lines.append("")
        lines.append(f"  {none_redundant(redundancy) if with_reactions else NONE_REDUNDANT}")
        return "\n".join(lines)
    lines += [
        "",
        *verdict(redundancy),
        "",
        "Redundant rows (directions in the joint's own axes; z is the joint axis):",
        *axes_lines(redundancy),
    ]
    for row in redundancy.redundant[:shown]:
        lines += row_lines(redundancy, row)
    if len(redundancy.redundant) > shown:
        left_out = len(redundancy.redundant) - shown
        lines.append(f"  and {left_out} more; `mbplugin check SCENE --json` lists all of them")
    if with_reactions:
        lines += ["", *reaction_lines(redundancy, lam, shown)]
    return "\n".join(lines)


def none_redundant(redundancy: Redundancy) -> str:
    return f"{NONE_REDUNDANT[:-1]}; every reaction of a joint is determined.{elastic_note(redundancy)}"


def elastic_note(redundancy: Redundancy) -> str:
    if not redundancy.elastic:
        return ""
    names = enumerated(redundancy.elastic)
    return f" Reactions of {names} follow from deformation; they are zero until something deforms."


def of_starts(redundancy: Redundancy) -> str:
    """A clause about the rows that only the initial state has; "" if there are none."""
    return f" ({redundancy.starts} of `start`, at t = 0 only)" if redundancy.starts else ""


def count_lines(redundancy: Redundancy) -> list[str]:
    nq, nc, rank = redundancy.nq, redundancy.nc, redundancy.rank
    mobility, excess, gruebler = redundancy.mobility, redundancy.redundancy, redundancy.gruebler
    note = ""
    if redundancy.locked:
        note = ": nothing can move"
    elif redundancy.stiff:
        note = f": {mobility - redundancy.stiff} free, {redundancy.stiff} restrained by elastic joints only"
    mistake = ""
    if excess:
        are = "is" if excess == 1 else "are"
        mistake = f" (treats all rows as independent; {excess} {are} not: {gruebler} + {excess} = {mobility})"
    rows = [
        ("unconstrained degrees of freedom", f"nq = {nq}"),
        ("constraint rows", f"nc = {nc}{of_starts(redundancy)}"),
        ("independent rows", f"rank = {rank}"),
        ("mobility", f"nq - rank = {mobility}{note}"),
        ("redundant rows", f"nc - rank = {excess}"),
        ("Gruebler's count", f"nq - nc = {gruebler}{mistake}"),
    ]
    if np.isfinite(redundancy.condition):
        digits = digits_kept(redundancy.condition)
        rows.append(("condition number", f"{redundancy.condition:.3g} (independent rows{digits})"))
    if redundancy.elastic:
        names = ", ".join(redundancy.elastic)
        rows.append(("elastic joints", f"{names} (rows not counted; stiffness determines the load)"))
    return [f"{name:34}{value}" for name, value in rows]


def digits_kept(condition: float) -> str:
    """A clause about the digits of reactions that a large condition number leaves; "" for a small one."""
    if not condition > REMARKABLE:
        return ""
    digits = max(0, round(-np.log10(condition * np.finfo(float).eps)))
    return f"; {'harmless, ' if digits >= ENOUGH else ''}reactions keep about {digits} digits"


def nearly_lines(redundancy: Redundancy, shown: int) -> list[str]:
    """Nearly redundant rows, the misalignments that cause them, and their consequences."""
    nearly = redundancy.nearly
    if not nearly:
        return []
    one = len(nearly) == 1
    smallest = f"smallest singular value {nearly[0].singular_value:.2g} of the largest"
    rows_are = f"{plural(len(nearly), 'independent row')} {'is' if one else 'are'}"
    lines = ["", f"{rows_are} nearly redundant ({smallest}):"]
    for row in nearly[:shown]:
        lines.append(f"  {row.held} is nearly constrained by {constrained_by(row.terms)}")
        lines.append(f"      ≈ {linear_combination(row)}")
    lines += [f"  {text}." for text in dict.fromkeys(text for row in nearly for text in row.misalignments)]
    rows, reactions_grow = (
        ("this row", "Its reaction grows") if one else ("these rows", "Their reactions grow")
    )
    consequence = (
        f"Without {rows} the mobility would be {redundancy.mobility + len(nearly)}: the misalignment "
        f"locks {plural(len(nearly), 'motion')}. {reactions_grow} as 1 / misalignment."
    )
    if redundancy.mobility > 0:
        consequence += " Near a singular configuration this also happens without a misalignment."
    angle = max(row.angle for row in nearly)
    if angle > 0.0:
        consequence += f" {rounding_offer(angle)}"
    return [*lines, consequence]


def rounding_offer(angle: float) -> str:
    """A sentence that offers the key by which axes become exact that miss it by `angle` [rad] at most."""
    tolerance = 10.0 ** np.ceil(np.log10(angle))
    return (
        f"The axes miss being parallel or perpendicular by up to {angle:.2g} rad: if that is rounding, "
        f"`angle_tolerance = {tolerance:.0e}` in `[scene]` makes them exact."
    )


def verdict(redundancy: Redundancy) -> list[str]:
    """How many rows are redundant, which joints they are attributed to, and how these share the load."""
    one = redundancy.redundancy == 1
    they, them = ("It is", "it") if one else ("They are", "them")
    involved = [
        name for r in redundancy.redundant for name in (*(t.held.owner for t in r.terms), r.held.owner)
    ]
    involved = list(dict.fromkeys(involved))
    joints = redundancy.joints
    first = (
        f"{redundancy.redundancy} of {redundancy.nc} constraint rows {'is' if one else 'are'} redundant; "
        f"removing {them} does not change the motion. "
    )
    if redundancy.locked:
        first += f"Nothing can move with {them} or without {them}. "
    first += f"{they} attributed to {enumerated(joints)}"
    if len(involved) > len(joints):
        has = "it has the lowest priority or comes"
        if len(joints) > 1:
            has = "they have the lowest priority or come"
        first += f": of the joints involved ({enumerated(involved)}), {has} last in the file"
    return [
        f"{first}.",
        f"Rigid-body mechanics does not determine how these joints share the load: {split_rule(redundancy)}",
    ]


def split_rule(redundancy: Redundancy) -> str:
    """How the reported reactions share the load."""
    if redundancy.sharing.row_limit:
        return f"{SPLIT} Priorities are ignored in models of more than {redundancy.sharing.row_limit} rows."
    if redundancy.sharing.P is None:
        return SPLIT
    return f"joints of higher `priority` carry it, and among joints of equal priority {SPLIT}"


def owners(terms: Sequence[Term]) -> list[str]:
    """Owners of the rows, motions and starts first: these are the easiest to change."""
    is_joint = lambda t: not t.held.label.startswith(("motion of ", "start of "))
    return list(dict.fromkeys(t.held.owner for t in sorted(terms, key=is_joint)))


def constrained_by(terms: Sequence[Term]) -> str:
    """Such as "top (translation along x, rotation about y)"; of many rows, their owners only."""
    if len(terms) > NAMED:
        names = owners(terms)
    else:
        labels: dict[str, list[str]] = {}
        for t in terms:
            labels.setdefault(t.held.owner, []).append(t.held.label)
        names = [f"{owner} ({', '.join(parts)})" for owner, parts in labels.items()]
    return enumerated(names, NAMED) + (" together" if len(names) > 1 else "")


def row_text(redundancy: Redundancy, row: Redundant) -> str:
    """One sentence about a redundant row, without a full stop."""
    kind = redundancy.types.get(row.held.owner, "")
    name = f"{row.held.owner} ({kind})" if kind else row.held.owner
    if not row.terms:
        return (
            f"{name}: {row.held.label} constrains nothing here: the bodies cannot move in this direction, "
            "or the direction is not defined"
        )
    return f"{name}: {row.held.label} is already constrained by {constrained_by(row.terms)}"


def row_lines(redundancy: Redundancy, row: Redundant) -> list[str]:
    lines = [f"  {row_text(redundancy, row)}"]
    if len(row.terms) > 1 or (row.terms and abs(row.terms[0].coefficient - 1.0) > 1e-9):
        lines.append(f"      = {linear_combination(row)}")
    return lines


def axes_lines(redundancy: Redundancy) -> list[str]:
    """World directions of the axes of the joints in the redundant rows, one line for each set of axes."""
    directions = [
        held for r in redundancy.redundant for held in (*(t.held for t in r.terms), r.held) if held.axis >= 0
    ]
    joints_with: dict[str, list[str]] = {}
    for owner, joint in dict.fromkeys((held.owner, held.joint) for held in directions):
        R = redundancy.directions.frames[joint]
        if np.abs(R - np.eye(3)).max() < 5e-7:
            axes = "world axes"
        else:
            x, y, z = (vector_text(R[:, k]) for k in range(3))
            axes = f"x = {x}, y = {y}, z = {z} (world axes)"
        joints_with.setdefault(axes, []).append(owner)
    return [f"  axes of {enumerated(names)}: {axes}" for axes, names in joints_with.items()]


def linear_combination(row: Redundant | NearlyRedundant) -> str:
    """The row as a combination of kept rows, with coefficients and their units."""
    parts = []
    for k, t in enumerate(row.terms[: 3 * NAMED]):
        unit = "" if t.held.unit == row.held.unit else f" {row.held.unit}/{t.held.unit}"
        minus, plus = ("-", "") if k == 0 else (" - ", " + ")
        number = f"{abs(t.coefficient):.4g}{unit}"
        factor = "" if number == "1" else f"{number} × "
        parts.append(f"{minus if t.coefficient < 0 else plus}{factor}[{t.held}]")
    return "".join(parts) + (" + ..." if len(row.terms) > 3 * NAMED else "")


def reaction_lines(redundancy: Redundancy, lam: Array | None, shown: int) -> list[str]:
    """Reactions that are not determined; with λ (nc,) also their values."""
    reactions = [r for r in redundancy.reactions if r.state != "determined"]
    if lam is None:
        lines = [f"{REACTIONS_TITLE}:", *reactions_by_joint(reactions, shown)]
    else:
        values, without_redundant = redundancy.carried(lam)
        largest = max(np.abs(values).max(initial=0.0), np.abs(without_redundant).max(initial=0.0))
        # values are accurate to rounding / δ, about 1e-6 of the largest
        least = max(1e-6 * largest, 1e-300)
        if all(max(abs(values[r.row]), abs(without_redundant[r.row])) <= least for r in reactions):
            title = f"{REACTIONS_TITLE}, all 0 at t = {redundancy.time:.9g} s:"
            lines = [title, *reactions_by_joint(reactions, shown)]
        else:
            lines = reaction_table(reactions, values, without_redundant, least, shown)
    lines += [
        f"{name} carries nothing by priority; its actual load is not determined, so 0 is no prediction."
        for name in unloaded_joints(redundancy)
    ]
    undetermined = {r.held.owner for r in reactions}
    owners_of_all = dict.fromkeys(r.held.owner for r in redundancy.reactions)
    determined = [name for name in owners_of_all if name not in undetermined]
    if determined:
        names = listed(determined, shown)
        return [*lines, f"All other reactions are determined, including all reactions of {names}."]
    return [*lines, "All other reactions are determined."]


def reaction_table(
    reactions: Sequence[Reaction], values: Array, without_redundant: Array, least: float, shown: int
) -> list[str]:
    """One line for each component, with both values of `Redundancy.carried` [N or N·m]; 0 up to `least`."""
    number = lambda x: f"{x:.5g}" if abs(x) > least else "0"
    names = []
    for r in reactions[:shown]:
        unit = "N" if r.held.unit == "m" else "N·m"
        state = STATE_TEXT.get(r.state, r.state)
        names.append(f"  {r.held.owner}: {reaction_label(r.held.label, r.held.unit)} [{unit}] ({state})")
    width = max([56, *map(len, names)])
    lines = [f"{REACTIONS_TITLE:{width}} {'reported':>12}  if redundant rows carry nothing"]
    lines += [
        f"{name:{width}} {number(values[r.row]):>12} {number(without_redundant[r.row]):>12}"
        for r, name in zip(reactions, names)
    ]
    return lines + ([f"  and {len(reactions) - shown} more"] if len(reactions) > shown else [])


def reactions_by_joint(reactions: Sequence[Reaction], shown: int) -> list[str]:
    """Components without values, one line for each joint and state."""
    labels: dict[tuple[str, str], list[str]] = {}
    for r in reactions:
        label = reaction_label(r.held.label, r.held.unit)
        labels.setdefault((r.held.owner, STATE_TEXT.get(r.state, r.state)), []).append(label)
    lines = [f"  {owner}: {', '.join(parts)} ({state})" for (owner, state), parts in labels.items()]
    return lines[:shown] + ([f"  and {len(lines) - shown} more joints"] if len(lines) > shown else [])


def unloaded_joints(redundancy: Redundancy) -> list[str]:
    """Joints whose rows all carry nothing by priority."""
    states: dict[str, set[str]] = {}
    for r in redundancy.reactions:
        states.setdefault(r.held.owner, set()).add(r.state)
    return [name for name, of_joint in states.items() if of_joint == {"none by priority"}]


def reaction_label(label: str, unit: str) -> str:
    """Such as "force along x" for the row "translation along x"."""
    for motion, reaction in (("translation along", "force along"), ("rotation about", "torque about")):
        if label.startswith(motion):
            return reaction + label.removeprefix(motion)
    return f"{'force' if unit == 'm' else 'torque'} ({label})"


def step_table(steps: Sequence[Added]) -> str:
    """Contribution of each joint to the rank, in order of precedence."""
    width = max([len(s.name) for s in steps] + [5])
    kind = max([len(s.type) for s in steps] + [4])
    lines = [f"{'joint':{width}}  {'type':{kind}}  rows  independent  redundant  rank  mobility"]
    lines += [
        f"{s.name:{width}}  {s.type:{kind}}  {s.rows:+4d}  {s.independent:+11d}  {s.redundant:9d}  "
        f"{s.rank:4d}  {s.mobility:8d}"
        for s in steps
    ]
    return "\n".join(lines)
