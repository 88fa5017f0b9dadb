"""Whether motions leave bodies that overlap no way: no velocities obey the joints and part all of them.

    minimize s ≥ 0   with   G_N v + φ⁺/h + s ≥ 0,   G_j v = g,   |v| ≤ V

for the gaps φ of the contacts. V lets nothing escape along planes that are parallel but for rounding. A least
approach s > 0 proves it, whatever the friction. Its multipliers, those of Farkas' lemma, tell which contacts
and motions stand against each other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.errors import listed
from mbplugin.interface import Array
from mbplugin.stepping import Blocks, Pool, Step
from mbplugin_contact.arrays import CompliantRows, Contacts
from mbplugin_contact.jammed import SHALLOW
from mbplugin_contact.shares import pair_text, sides_of

#: least approach that counts, as a part of the speed at which the motions press; multipliers that count, as a
#: part of the largest
APPROACH, COUNTS = 0.05, 1e-6
#: least approach that is none, and V at a contact, in the largest speed of a row
ROUNDING, FASTEST = 1e-6, 1e3
#: pairs and motions that a message names
NAMED = 4


def no_solution(problem: Any) -> str:
    """Why no velocities solve the present step, with the motions and bodies that jam; "" if some may."""
    pool, contacts, n = problem[Pool], problem[Contacts], int(problem[Pool].used[0])
    chosen = np.flatnonzero(contacts.passing_by[:n] == 0)
    rows = CompliantRows(*contacts.compliant.reshape(6, -1))
    held = np.flatnonzero((rows.scale > 0.0) & (rows.c == 0.0))
    approach, presses, powers = least_approach(problem, chosen, held)
    if approach == 0.0:
        return ""
    jammed = chosen[presses > COUNTS * presses.max()]
    depth, min_margin = -float(pool.phi[3 * jammed].min()), float(contacts.record[0].min_margin)
    if approach <= APPROACH * normal_speed(problem, jammed) or depth <= SHALLOW * min_margin:
        return ""
    of_row = dict(zip(held.tolist(), powers.tolist()))
    motions = {
        f'"{c.name}"': of_row.get(c.motion_row, 0.0) for c in problem.names.coordinates if c.motion_row >= 0
    }
    most = max(motions.values(), default=0.0)
    driving = [name for name, power in motions.items() if power > COUNTS * most]
    pairs = dict.fromkeys(map(tuple, sides_of(problem, jammed).tolist()))
    between = listed((pair_text(problem, pair) for pair in pairs), NAMED)
    if not driving:
        return ""
    contacts.record[
        0
    ].examined_at = -1.0  # so that it is asked again where the run goes on from an earlier state
    return text(driving, between, depth)


def text(driving: list[str], between: str, depth: float) -> str:
    """The message."""
    motions, press = ("motion", "it presses") if len(driving) == 1 else ("motions", "they press")
    return (
        f"the {motions} of {listed(driving, NAMED)} cannot be met: {press} bodies into each other that have "
        f"no way out: {between}, with an overlap of {depth:.3g} m; end the {motions} where they touch, or "
        "drive with a force"
    )


def least_approach(problem: Any, chosen: Array, held: Array) -> tuple[float, Array, Array]:
    """s [m/s] of these contacts and rows of joints, the multipliers of the contacts, and those of the rows
    times g; 0 where nothing drives the rows, or they contradict each other.
    """
    from scipy.optimize import linprog
    from scipy.sparse import coo_array, hstack

    g = problem[Contacts].g[held]
    speed = float(np.abs(g).max(initial=0.0))
    if speed == 0.0 or not len(chosen):
        return 0.0, np.zeros(0), np.zeros(0)
    h = float(problem[Step].record[0].length)
    G, G_j = contact_rows(problem, chosen), joint_rows(problem)[held]
    G_N, arms = G[::3], abs(G).max(axis=0).toarray().ravel()
    most = np.divide(FASTEST, arms, out=np.full(problem.nv, np.inf), where=arms > 0.0)
    solution = linprog(
        np.append(np.zeros(problem.nv), 1.0),
        A_ub=hstack([-G_N, coo_array(-np.ones((len(chosen), 1)))], format="csr"),
        b_ub=np.maximum(problem[Pool].phi[3 * chosen], 0.0) / (h * speed),
        A_eq=hstack([G_j, coo_array((len(held), 1))], format="csr"),
        b_eq=g / speed,
        bounds=[*zip(-most, most), (0.0, np.inf)],
        method="highs",
    )
    if solution.status != 0 or solution.fun <= ROUNDING:
        return 0.0, np.zeros(0), np.zeros(0)
    return solution.fun * speed, np.abs(solution.ineqlin.marginals), np.abs(solution.eqlin.marginals * g)


def contact_rows(problem: Any, chosen: Array) -> Any:
    """G (3 n, nv) of these contacts, sparse: each has its normal row first."""
    pool = problem[Pool]
    entries = [
        (3 * i + r, int(member.first_v) + c, pool.G[member.first_G + r * member.nv + c])
        for i, k in enumerate(chosen)
        for member in pool.member[2 * k : 2 * k + 2]
        for r in range(3)
        for c in range(member.nv)
    ]
    return sparse(entries, (3 * len(chosen), problem.nv))


def joint_rows(problem: Any) -> Any:
    """G_j (nc, nv), sparse."""
    blocks = problem[Blocks]
    entries = [
        (int(block.first_row) + r, int(member.first_v) + c, blocks.G[member.first_G + r * member.nv + c])
        for block in blocks.index
        for member in blocks.member[block.first_member : block.first_member + block.members]
        for r in range(block.rows)
        for c in range(member.nv)
    ]
    return sparse(entries, (problem.nc, problem.nv))


def sparse(entries: list[tuple[int, int, float]], shape: tuple[int, int]) -> Any:
    """A matrix of (row, column, value), whose equal places are added."""
    from scipy.sparse import coo_array

    i, j, value = np.array(entries).reshape(-1, 3).T
    return coo_array((value, (i.astype(int), j.astype(int))), shape=shape).tocsr()


def normal_speed(problem: Any, chosen: Array) -> float:
    """The largest speed of a body along the normal of these contacts, at the start of the step [m/s]."""
    pool, v0, largest = problem[Pool], problem[Step].v0, 0.0
    for k in chosen:
        for member in pool.member[2 * k : 2 * k + 2]:
            G = pool.G[member.first_G : member.first_G + member.nv]
            largest = max(largest, abs(float(G @ v0[member.first_v : member.first_v + member.nv])))
    return largest
