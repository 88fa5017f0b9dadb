"""Forces f of rows that hold where they are, or exert a bound: with the displacements u = W f + c,

    lower ≤ f ≤ upper,   f = lower where u > 0,   f = upper where u < 0,   u = 0 in between

For a limit the bounds are 0 and ∞, for dry friction −b and b. Two rows of a cone have |f| ≤ b together, and
where they slip f is opposite to u. Where another row presses, the bounds grow with its force: b = μ f.

A semismooth Newton method on f = Π(f − u), which for bounds is the primal-dual active set method (M.
Hintermüller, K. Ito, K. Kunisch, SIAM J. Optim. 13 (2002) 865-888). Where its sets repeat, it begins again
after projected Gauss-Seidel sweeps, longer each time (M. Jean, Comput. Methods Appl. Mech. Eng. 177 (1999)
235-257). Rows have unit diagonals of W; redundant ones share by the least norm, by proximal passes with
W + ε.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mbplugin.math.cone_sweeps import sweep
from mbplugin.tables.spec import Array

#: ε of the proximal passes, how many, and the change of f, relative to the largest, at which they end
PROXIMAL, PASSES, SETTLED = 1e-9, 8, 1e-13
#: rounding of f and of u, relative to their largest terms; miss of f = Π(f − u) that counts as none
ROUNDING, SOLVED = 1e-11, 1e-8
#: exchanges of all rows at once; sweeps before the first new start, their growth, and how many starts
AT_ONCE, SWEEPS, GROWTH, LONGEST, STARTS = 30, 100, 2, 5_000, 12
#: change of f in a sweep, relative to the largest, at which they end
STILL = 1e-13
#: what a row is doing
AT_LOWER, HOLDS, AT_UPPER, SLIPS = -1, 0, 1, 2


class Bounds(NamedTuple):
    lower: Array  # (m,) of the forces, where another row presses for each unit of its force
    upper: Array  # (m,)
    partner: Array  # (m,) the other row of a cone, whose bound is `upper`; −1: none
    presser: Array  # (m,) the row that presses on it; −1: none

    def at(self, f: Array) -> Bounds:
        """The bounds at forces f (m,)."""
        pressed = self.presser >= 0
        if not pressed.any():
            return self
        pressure = np.where(pressed, np.maximum(f[self.presser], 0.0), 1.0)
        times = lambda bound: np.multiply(bound, pressure, out=np.zeros(len(f)), where=pressure != 0.0)
        return self._replace(lower=times(self.lower), upper=times(self.upper))

    def hold(self, f: Array, rounding: float = ROUNDING) -> bool:
        """Whether forces f (m,) are within all bounds, but for a part of the largest."""
        most, least = self.at(f), rounding * np.abs(f).max(initial=0.0)
        within = (f >= most.lower - least) & (f <= most.upper + least)
        pairs = self.partner >= 0
        within[pairs] = np.hypot(f, f[self.partner])[pairs] <= most.upper[pairs] + least
        return bool(within.all())

    @property
    def leads(self) -> Array:
        """Numbers of the first rows of the cones."""
        return np.flatnonzero(self.partner > np.arange(len(self.partner)))


class Solution(NamedTuple):
    force: Array  # (m,)
    doing: Array  # (m,) AT_LOWER, HOLDS, AT_UPPER or SLIPS
    solved: bool


def solve_forces(
    W: Array, c: Array, bounds: Bounds, doing: Array | None = None, near: Array | None = None
) -> Solution:
    """The forces f (m,) with u = W f + c, W (m, m). doing: from which sets to begin; near: (m,) forces that
    redundant rows are to stay near; None: 0.

    A row that cannot move (W is zero there) exerts nothing.
    """
    m = len(c)
    diagonal = np.diag(W).copy()
    moves = diagonal > ROUNDING**2 * diagonal.max(initial=0.0)
    pairs, pressed = bounds.partner >= 0, bounds.presser >= 0
    # a cone stays round
    both = np.where(pairs, np.maximum(diagonal, diagonal[bounds.partner]), diagonal)
    size = np.sqrt(np.where(both > 0.0, both, 1.0))
    own = np.where(pressed, size / size[bounds.presser], size)
    scaled = bounds._replace(lower=bounds.lower * own, upper=bounds.upper * own)
    # a cone has its bound where one of its rows moves
    idle = ~moves & ~(pairs & moves[bounds.partner])
    scaled.lower[idle], scaled.upper[idle] = 0.0, 0.0
    A, b = W / np.outer(size, size) + PROXIMAL * np.eye(m), c / size
    begun = np.zeros(m) if near is None else near * size
    found = begun, np.zeros(m, np.int64) if doing is None else doing.copy(), False
    for _ in range(PASSES):
        before, was_solved = found[0], found[2]
        after = begun_again(A, b - PROXIMAL * before, scaled, found[1], before)
        if was_solved and not after[2]:
            break
        found = after
        change = np.abs(found[0] - before).max(initial=0.0)
        if not found[2] or change <= SETTLED * np.abs(found[0]).max(initial=0.0):
            break
    return Solution(found[0] / size, found[1], found[2])


def begun_again(A: Array, c: Array, bounds: Bounds, doing: Array, f: Array) -> tuple[Array, Array, bool]:
    """`exchanged`, and where that fails again after sweeps."""
    found = exchanged(A, c, bounds, doing, f)
    near, count = f.copy(), SWEEPS
    for _ in range(STARTS):
        if found[2]:
            break
        sweep(A, c, *bounds, near, count, STILL)
        doing = states(A, c, bounds, near)
        found = exchanged(A, c, bounds, doing, near)
        if not found[2] and miss(A, c, bounds, near) <= SOLVED * np.abs(near).max(initial=0.0):
            # forces at the edge of two sets
            return near, doing, True
        count = min(GROWTH * count, LONGEST)
    return found


def exchanged(A: Array, c: Array, bounds: Bounds, doing: Array, f: Array) -> tuple[Array, Array, bool]:
    """f and what the rows are doing with u = A f + c, and whether all obey their law."""
    for _ in range(AT_ONCE):
        try:
            f = forces_of(A, c, bounds, doing, f)
        except np.linalg.LinAlgError:
            return f, doing, False
        u = A @ f + c
        after = laws(A, c, bounds, doing, f, u)
        if (after == doing).all():
            slipping = [i for i in bounds.leads.tolist() if doing[i] == SLIPS]
            if all(turn_of(bounds, f, u, i) <= 10.0 * ROUNDING for i in slipping):
                return f, doing, True
        doing = after
    return f, doing, False


def forces_of(A: Array, c: Array, bounds: Bounds, doing: Array, f: Array) -> Array:
    """f with u = 0 of rows that hold, and the bounds of others; a cone that slips by one Newton step."""
    m = len(c)
    matrix, right = A.copy(), -c
    for which, bound in ((doing == AT_LOWER, bounds.lower), (doing == AT_UPPER, bounds.upper)):
        matrix[which] = np.eye(m)[which]
        pressed = which & (bounds.presser >= 0)
        right[which] = np.where(pressed, 0.0, bound)[which]
        matrix[pressed, bounds.presser[pressed]] = -bound[pressed]
    u, present = A @ f + c, bounds.at(f)
    for i in bounds.leads.tolist():
        if doing[i] != SLIPS:
            continue
        pair = [i, int(bounds.partner[i])]
        z = f[pair] - u[pair]
        length = float(np.linalg.norm(z)) or 1.0
        along = z / length
        across = present.upper[i] / length * (np.eye(2) - np.outer(along, along))
        # f − (b/|z|) P (f − u) = b d,  d = z/|z|
        matrix[pair] = np.eye(m)[pair] - across @ (np.eye(m)[pair] - A[pair])
        right[pair] = -across @ c[pair]
        if bounds.presser[i] < 0:
            right[pair] += bounds.upper[i] * along
        else:
            matrix[pair, bounds.presser[i]] -= bounds.upper[i] * along
    return np.asarray(np.linalg.solve(matrix, right)) if m else f


def laws(A: Array, c: Array, bounds: Bounds, doing: Array, f: Array, u: Array) -> Array:
    """What each row should be doing."""
    least_f = ROUNDING * np.abs(f).max(initial=0.0)
    least_u = ROUNDING * (np.abs(A) @ np.abs(f) + np.abs(c))
    after, bounds = doing.copy(), bounds.at(f)
    holds, low, high = doing == HOLDS, f < bounds.lower - least_f, f > bounds.upper + least_f
    after[holds & low], after[holds & high] = AT_LOWER, AT_UPPER
    after[(doing == AT_LOWER) & (u < -least_u)] = HOLDS
    after[(doing == AT_UPPER) & (u > least_u)] = HOLDS
    for i in bounds.leads.tolist():
        pair = [i, int(bounds.partner[i])]
        force = float(np.linalg.norm(f[pair]))
        if doing[i] == HOLDS:
            after[pair] = SLIPS if force > bounds.upper[i] + least_f else HOLDS
        else:
            # it slips on where u is opposite to f
            along = float(f[pair] @ u[pair])
            after[pair] = HOLDS if along > least_u[pair].max() * force else SLIPS
    return after


def turn_of(bounds: Bounds, f: Array, u: Array, i: int) -> float:
    """How far the force of a cone that slips is from the direction opposite to its slip [rad]."""
    pair = [i, int(bounds.partner[i])]
    z = f[pair] - u[pair]
    size = float(np.linalg.norm(z) * np.linalg.norm(f[pair]))
    return abs(float(z[0] * f[pair][1] - z[1] * f[pair][0])) / size if size > 0.0 else 0.0


def states(A: Array, c: Array, bounds: Bounds, f: Array) -> Array:
    """What each row is doing by Π(f − u)."""
    z, bounds = f - (A @ f + c), bounds.at(f)
    alone, doing = bounds.partner < 0, np.zeros(len(f), np.int64)
    doing[alone & (z <= bounds.lower)], doing[alone & (z >= bounds.upper)] = AT_LOWER, AT_UPPER
    for i in bounds.leads.tolist():
        pair = [i, int(bounds.partner[i])]
        doing[pair] = SLIPS if np.linalg.norm(z[pair]) > bounds.upper[i] else HOLDS
    return doing


def miss(A: Array, c: Array, bounds: Bounds, f: Array) -> float:
    """The largest |f − Π(f − u)|."""
    z, bounds = f - (A @ f + c), bounds.at(f)
    nearest = np.clip(z, bounds.lower, bounds.upper)
    for i in bounds.leads.tolist():
        pair = [i, int(bounds.partner[i])]
        nearest[pair] = z[pair] * min(1.0, bounds.upper[i] / max(float(np.linalg.norm(z[pair])), 1e-300))
    return float(np.abs(f - nearest).max(initial=0.0))
