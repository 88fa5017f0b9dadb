"""Forces f of rows that hold where they are, or exert a bound: with the displacements u = W f + c,

    lower ≤ f ≤ upper,   f = lower where u > 0,   f = upper where u < 0,   u = 0 in between

For a limit the bounds are 0 and ∞, for dry friction −b and b. Two rows of a cone have |f| ≤ b together, and
where they slip f is opposite to u.

A semismooth Newton method on f = Π(f − u), which for bounds is the primal-dual active set method (M.
Hintermüller, K. Ito, K. Kunisch, SIAM J. Optim. 13 (2002) 865-888); where its sets repeat, single rows are
exchanged, that of the least number in the end (K. G. Murty, Linear Complementarity, 1988). Rows have unit
diagonals of W; redundant ones share by the least norm, by proximal passes with W + ε.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mbplugin.tables.spec import Array

#: ε of the proximal passes, how many, and the change of f, relative to the largest, at which they end
PROXIMAL, PASSES, SETTLED = 1e-9, 8, 1e-13
#: rounding of f and of u, relative to their largest terms
ROUNDING = 1e-11
#: exchanges of all rows at once, and of the row that is farthest off, for each row
AT_ONCE, FARTHEST = 30, 4
#: what a row is doing
AT_LOWER, HOLDS, AT_UPPER, SLIPS = -1, 0, 1, 2


class Bounds(NamedTuple):
    lower: Array  # (m,) of the forces
    upper: Array  # (m,)
    partner: Array  # (m,) the other row of a cone, whose bound is `upper`; −1: none


class Solution(NamedTuple):
    force: Array  # (m,)
    doing: Array  # (m,) AT_LOWER, HOLDS, AT_UPPER or SLIPS
    solved: bool


def solve_forces(W: Array, c: Array, bounds: Bounds, doing: Array | None = None) -> Solution:
    """The forces f (m,) with u = W f + c, W (m, m). doing: from which sets to begin.

    A row that cannot move (W is zero there) exerts nothing.
    """
    m = len(c)
    diagonal = np.diag(W).copy()
    moves = diagonal > ROUNDING**2 * diagonal.max(initial=0.0)
    pairs = bounds.partner >= 0
    # a cone stays round
    both = np.where(pairs, np.maximum(diagonal, diagonal[bounds.partner]), diagonal)
    size = np.sqrt(np.where(both > 0.0, both, 1.0))
    scaled = Bounds(bounds.lower * size, bounds.upper * size, bounds.partner)
    # a cone has its bound where one of its rows moves
    idle = ~moves & ~(pairs & moves[bounds.partner])
    scaled.lower[idle], scaled.upper[idle] = 0.0, 0.0
    A, b = W / np.outer(size, size) + PROXIMAL * np.eye(m), c / size
    f, doing = np.zeros(m), np.zeros(m, np.int64) if doing is None else doing.copy()
    solved = False
    for _ in range(PASSES):
        before = f
        f, doing, solved = exchanged(A, b - PROXIMAL * before, scaled, doing, f)
        if not solved or np.abs(f - before).max(initial=0.0) <= SETTLED * np.abs(f).max(initial=0.0):
            break
    return Solution(f / size, doing, solved)


def exchanged(A: Array, c: Array, bounds: Bounds, doing: Array, f: Array) -> tuple[Array, Array, bool]:
    """f and what the rows are doing with u = A f + c, and whether all obey their law."""
    m, seen = len(c), set()
    leads = bounds.partner > np.arange(m)
    for count in range(AT_ONCE + (FARTHEST + 2 * m) * m + 1):
        f = forces_of(A, c, bounds, doing, f)
        u = A @ f + c
        after, beyond = laws(A, c, bounds, doing, f, u)
        changes = after != doing
        turning = np.flatnonzero(leads & (doing == SLIPS) & (after == SLIPS))
        turned = any(turn_of(bounds, f, u, int(i)) > 10.0 * ROUNDING for i in turning)
        if not changes.any():
            if not turned:
                return f, doing, True
            if count > AT_ONCE + m:
                return f, doing, False
            continue
        key = doing.tobytes()
        if count < AT_ONCE and key not in seen:
            seen.add(key)
            doing = after
            continue
        places = np.flatnonzero(changes)
        one = places[0] if count > AT_ONCE + FARTHEST * m else places[np.argmax(beyond[places])]
        doing = doing.copy()
        doing[one] = after[one]
        if bounds.partner[one] >= 0:
            doing[bounds.partner[one]] = after[one]
    return f, doing, False


def forces_of(A: Array, c: Array, bounds: Bounds, doing: Array, f: Array) -> Array:
    """f with u = 0 of rows that hold, and the bounds of others; a cone that slips by one Newton step."""
    m = len(c)
    matrix, right = A.copy(), -c
    for which, bound in ((doing == AT_LOWER, bounds.lower), (doing == AT_UPPER, bounds.upper)):
        matrix[which] = np.eye(m)[which]
        right[which] = bound[which]
    u = A @ f + c
    for i in np.flatnonzero((doing == SLIPS) & (bounds.partner > np.arange(m))):
        pair = [int(i), int(bounds.partner[i])]
        z = f[pair] - u[pair]
        length = float(np.linalg.norm(z)) or 1.0
        along = z / length
        across = bounds.upper[i] / length * (np.eye(2) - np.outer(along, along))
        # f − (b/|z|) P (f − u) = b d,  d = z/|z|
        matrix[pair] = np.eye(m)[pair] - across @ (np.eye(m)[pair] - A[pair])
        right[pair] = bounds.upper[i] * along - across @ c[pair]
    return np.asarray(np.linalg.solve(matrix, right)) if m else f


def laws(A: Array, c: Array, bounds: Bounds, doing: Array, f: Array, u: Array) -> tuple[Array, Array]:
    """What each row should be doing, and how far it is from it."""
    least_f = ROUNDING * np.abs(f).max(initial=0.0)
    least_u = ROUNDING * (np.abs(A) @ np.abs(f) + np.abs(c))
    after, beyond = doing.copy(), np.zeros(len(f))
    holds, low, high = doing == HOLDS, f < bounds.lower - least_f, f > bounds.upper + least_f
    after[holds & low], after[holds & high] = AT_LOWER, AT_UPPER
    after[(doing == AT_LOWER) & (u < -least_u)] = HOLDS
    after[(doing == AT_UPPER) & (u > least_u)] = HOLDS
    beyond = np.where(holds, np.maximum(bounds.lower - f, f - bounds.upper), np.abs(u))
    for i in np.flatnonzero(bounds.partner > np.arange(len(f))):
        pair = [int(i), int(bounds.partner[i])]
        force = float(np.linalg.norm(f[pair]))
        if doing[i] == HOLDS:
            after[pair] = SLIPS if force > bounds.upper[i] + least_f else HOLDS
            beyond[pair] = force - bounds.upper[i]
        else:
            # it slips on where u is opposite to f
            along = float(f[pair] @ u[pair])
            after[pair] = HOLDS if along > least_u[pair].max() * force else SLIPS
            beyond[pair] = np.linalg.norm(u[pair])
    return after, np.where(np.isfinite(beyond), beyond, 0.0)


def turn_of(bounds: Bounds, f: Array, u: Array, i: int) -> float:
    """How far the force of a cone that slips is from the direction opposite to its slip [rad]."""
    pair = [i, int(bounds.partner[i])]
    z = f[pair] - u[pair]
    size = float(np.linalg.norm(z) * np.linalg.norm(f[pair]))
    return abs(float(z[0] * f[pair][1] - z[1] * f[pair][0])) / size if size > 0.0 else 0.0
