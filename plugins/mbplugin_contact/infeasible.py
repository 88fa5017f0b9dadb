"""Feasibility of a step: whether velocities exist that obey joints and motions and part bodies that overlap.

    minimize s ≥ 0   with   G_N v + φ⁺/h + s ≥ 0,   G_j v = g,   |v| ≤ V

for the gaps φ of the contacts. V lets nothing escape along planes that are parallel but for rounding. A least
approach s > 0 proves that none exist, whatever the friction. Its multipliers, those of Farkas' lemma, show
which contacts and motions contradict each other.

With friction G_N v − μ |G_T v| takes the place of G_N v: if that has no solution, no force may exist that
friction allows, which is known to exist otherwise (V. Acary, F. Cadoux, Recent Advances in Contact Mechanics
(2013) 273-288). It may all the same, so that the run goes on with a warning.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mbplugin.errors import listed
from mbplugin.interface import Array
from mbplugin.stepping import Doubt, Step, TransientRows
from mbplugin.stepping.members import PARTS
from mbplugin_contact import report
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.jammed import SHALLOW_OVERLAP
from mbplugin_contact.rolling import TOUCHES
from mbplugin_contact.shares import contact_rows, pair_text, sides_of

#: least approach that counts, as a part of the speed at which the motions press; multipliers that count, as a
#: part of the largest
APPROACH, COUNTS = 0.05, 1e-6
#: least approach that is none, and V at a contact, in the largest speed of a row
ROUNDING, FASTEST = 1e-6, 1e3
#: pairs and motions that a message names
NAMED = 4
#: of the polygon that stands for the circle of friction
SIDES = 8


class Jam(NamedTuple):
    """Motions that press bodies into each other."""

    motions: list[str]
    between: str  # names of the pairs of bodies
    depth: float  # of their overlap [m]


def no_solution(problem: Any) -> str:
    """The reason why no velocities solve the present step, with the motions and bodies that jam; "" if some
    may. A `Doubt` where they do only if friction holds what could slide out.
    """
    record = problem[Contacts].record[0]
    if record.refused >= 0:
        return refused_text(problem)
    if jam := find_jam(problem, with_friction=False):
        record.examined_at = -1.0  # so that it is asked again where the run goes on from an earlier state
        motions, press = ("motion", "it presses") if len(jam.motions) == 1 else ("motions", "they press")
        return (
            f"the {motions} of {listed(jam.motions, NAMED)} cannot be met: {press} bodies into each other "
            f"that have no way out: {jam.between}, with an overlap of {jam.depth:.3g} m; end the {motions} "
            "where they touch, or drive with a force"
        )
    if jam := find_jam(problem, with_friction=True):
        motions, press = ("motion", "presses") if len(jam.motions) == 1 else ("motions", "press")
        return Doubt(
            f"the {motions} of {listed(jam.motions, NAMED)} {press} bodies into each other that friction "
            f"locks: {jam.between}; their forces are as large as rounding lets them be: end the {motions} "
            "where they touch, or drive with a force"
        )
    return ""


def refused_text(problem: Any) -> str:
    """The reason why a step was refused for two shapes that overlap, or turn too fast past each other."""
    record = problem[Contacts].record[0]
    between, overlap = report.pair_text(problem, int(record.refused)), float(record.refused_overlap)
    record.refused = -1
    if overlap == 0.0:
        return (
            f"surfaces turn past each other too fast for a ten-thousandth of the step{between}; give a "
            "shorter `step`"
        )
    return (
        f"bodies overlap by {overlap:.0%} of the thickness of the thinner one{between}: they pass through "
        "each other; give a shorter `step`"
    )


def find_jam(problem: Any, with_friction: bool) -> Jam | None:
    """The bodies and motions that jam in the present step; None if bodies may part."""
    transient, contacts, n = problem[TransientRows], problem[Contacts], int(problem[TransientRows].used[0])
    chosen = np.flatnonzero((contacts.passing_by[:n] == 0) & (contacts.turns[:n] == TOUCHES))
    held = np.flatnonzero((contacts.row_scale > 0.0) & (contacts.row_compliance == 0.0))
    approach, presses, powers = least_approach(problem, chosen, held, with_friction)
    if approach == 0.0:
        return None
    jammed = chosen[presses > COUNTS * presses.max()]
    depth, min_margin = -float(transient.phi[3 * jammed].min()), float(contacts.record[0].min_margin)
    if approach <= APPROACH * normal_speed(problem, jammed) or depth <= SHALLOW_OVERLAP * min_margin:
        return None
    of_row = dict(zip(held.tolist(), powers.tolist()))
    motions = {
        f'"{c.name}"': max(of_row.get(r, 0.0) for r in c.motion_rows)
        for c in problem.names.coordinates
        if c.motion_rows
    }
    most = max(motions.values(), default=0.0)
    driving = [name for name, power in motions.items() if power > COUNTS * most]
    pairs = dict.fromkeys(map(tuple, sides_of(problem, jammed).tolist()))
    between = listed((pair_text(problem, pair) for pair in pairs), NAMED)
    return Jam(driving, between, depth) if driving else None


def least_approach(
    problem: Any, chosen: Array, held: Array, with_friction: bool
) -> tuple[float, Array, Array]:
    """s [m/s] of these contacts and rows of joints, the multipliers of the contacts, and those of the rows
    times g; 0 where no row is driven, or the rows contradict each other.
    """
    from scipy.optimize import linprog
    from scipy.sparse import coo_array, diags_array, hstack, vstack

    g = problem[Contacts].g[held]
    speed = float(np.abs(g).max(initial=0.0))
    if speed == 0.0 or not len(chosen):
        return 0.0, np.zeros(0), np.zeros(0)
    h = float(problem[Step].record[0].length)
    G, G_j = contact_rows(problem, chosen), problem.sparse_jacobian()[held]
    G_N, arms = G[::3], abs(G).max(axis=0).toarray().ravel()
    most = np.divide(FASTEST, arms, out=np.full(problem.nv, np.inf), where=arms > 0.0)
    gaps = np.maximum(problem[TransientRows].phi[3 * chosen], 0.0) / (h * speed)
    sides = [G_N]
    if with_friction:
        friction = diags_array(problem[TransientRows].friction[chosen])
        angles = 2.0 * np.pi * np.arange(SIDES) / SIDES
        sides = [G_N - friction @ (np.cos(a) * G[1::3] + np.sin(a) * G[2::3]) for a in angles]
    rows = vstack(sides, format="csr")
    solution = linprog(
        np.append(np.zeros(problem.nv), 1.0),
        A_ub=hstack([-rows, coo_array(-np.ones((rows.shape[0], 1)))], format="csr"),
        b_ub=np.tile(gaps, len(sides)),
        A_eq=hstack([G_j, coo_array((len(held), 1))], format="csr"),
        b_eq=g / speed,
        bounds=[*zip(-most, most), (0.0, np.inf)],
        method="highs",
    )
    if solution.status != 0 or solution.fun <= ROUNDING:
        return 0.0, np.zeros(0), np.zeros(0)
    presses = np.abs(solution.ineqlin.marginals).reshape(len(sides), -1).sum(axis=0)
    return solution.fun * speed, presses, np.abs(solution.eqlin.marginals * g)


def normal_speed(problem: Any, chosen: Array) -> float:
    """The largest speed of a body along the normal of these contacts, at the start of the step [m/s]."""
    transient, v0, largest = problem[TransientRows], problem[Step].v0, 0.0
    for k in chosen:
        parts = 2 * int(transient.width[PARTS])
        for member in transient.member[parts * k : parts * (k + 1)]:
            G = transient.G[member.first_G : member.first_G + member.nv]
            largest = max(largest, abs(float(G @ v0[member.first_v : member.first_v + member.nv])))
    return largest
