"""How a mechanism can go on from a singular position: the motions that close to second order.

At a singular position the null motions v = N y (G N = 0, Nᵀ M N = 1) are more than the mechanism has. Of them
G v̇ = γ(v) can be solved for those only with

    zᵀ γ(N y) = yᵀ Q y = 0   for every z with Gᵀ z = 0;

each line of solutions is the tangent of a branch. Two lines: two ways on. None: what became free is free to
first order only, and the mechanism is locked. Where zᵀ Φₜ is not zero, a motion drives the mechanism out of
its reach: no velocity follows it.

Near such a position, with one z, a joint moved by δ along the force that z exerts there misses closure by ε =
|force| δ, so that yᵀ Q y = −2 ε: branches part into hyperbolas, and on them the smallest singular value |Q y|
is at least √(2 ε |q|), q the smaller eigenvalue of Q. This is the sensitivity that a report tells.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from mbplugin.analysis.rank.null_space import body_twists, coordinate_rates
from mbplugin.analysis.rank.rank import joint_rows
from mbplugin.kernels import entries
from mbplugin.problem import Problem
from mbplugin.tables.groups import Measures, Rows, State
from mbplugin.tables.purposes import COORDINATE
from mbplugin.tables.spec import Array

#: null motions up to which branches are looked for
LARGEST = 5
#: parts of forms beside their size, and of rates driven beside the largest, that are none
NOTHING, DRIVEN = 1e-6, 1e-6
#: directions from which lines of solutions are sought, and cosine from which on two are one
STARTS, SAME = 80, 1.0 - 1e-6
#: part of the mechanism's size by which a joint is moved in a suggestion
MOVED = 0.01
SEVERAL, NONE, DRIVEN_OUT, OPEN = "several", "locked", "out of reach", "open"


@dataclass(frozen=True)
class Branches:
    """kind: "several", "locked", "out of reach", or "open" where the second order does not tell. lines: (nv,)
    velocities of the branches. ways: the same in words.

    joint: moved by `moved` [m] along `along`, it keeps the smallest singular value above `least`; "" where no
    single one tells. coordinate, value: to be kept away from.
    """

    kind: str
    lines: list[Array] = field(default_factory=list)
    ways: list[str] = field(default_factory=list)
    joint: str = ""
    along: tuple[float, ...] = ()
    moved: float = 0.0
    least: float = 0.0
    coordinate: str = ""
    value: float = 0.0

    def __str__(self) -> str:
        if self.kind == SEVERAL:
            numbered = "; ".join(f"({k + 1}) {way}" for k, way in enumerate(self.ways))
            text = f"multiple solutions: it can go on in {len(self.ways)} ways: {numbered}"
        elif self.kind == NONE:
            text = "no feasible motion: what becomes free closes to first order only, the mechanism is locked there"
        elif self.kind == DRIVEN_OUT:
            text = "no feasible solution: no velocity follows the motions on from there, they lead out of the mechanism's reach"
        else:
            text = "to second order all of it stays closed, so the number of ways on is not known"
        return f"{text}. {self.suggestion}" if self.suggestion else text

    @property
    def suggestion(self) -> str:
        parts = []
        if self.joint:
            axis = "(" + ", ".join(f"{x + 0.0:.2g}" for x in self.along) + ")"
            parts.append(
                f'moving joint "{self.joint}" by {self.moved:.3g} m along {axis} keeps the smallest singular value above {self.least:.2g}'
            )
        if self.coordinate:
            parts.append(f"the position is {self.coordinate} = {self.value:.4g}: limit the motion before it")
        return ("To avoid it: " + ", or ".join(parts)) if parts else ""

    def along_with(self, problem: Problem, v: Array) -> int:
        """The line that is nearest to a velocity in the mass norm; -1 where there is none, or v is nothing."""
        M = problem.mass(problem.q)
        if not self.lines or not float(v @ M @ v) > 0.0:
            return -1
        return int(np.argmax([abs(line @ M @ v) for line in self.lines]))


def branches(problem: Problem, N: Array, z: Array, dof: int) -> Branches:
    """At the problem's position, its terms evaluated. N: (nv, d) null motions, Nᵀ M N = 1. z: (nc, m), Gᵀ z =
    0, of unit length in scaled rows. dof: freedoms around.
    """
    d = N.shape[1]
    v = problem.v
    largest = np.abs(problem[Rows].phi_t).max(initial=0.0)
    if largest > 0.0 and np.abs(z.T @ problem[Rows].phi_t).max(initial=0.0) > DRIVEN * largest * np.abs(
        z
    ).max(initial=0.0):
        return away_from(problem, N, Branches(DRIVEN_OUT))
    if not 0 < d <= LARGEST or dof > 1:
        return Branches(OPEN)
    forms, size = forms_of(problem, N, z)
    restore(problem, v)
    kept = independent_forms(forms, size)
    if not len(kept):
        return Branches(OPEN)
    lines = solutions(kept)
    if lines is None:
        return Branches(OPEN)
    moves = [N @ y for y in lines]
    kind = SEVERAL if len(lines) > 1 else OPEN if lines else NONE
    found = away_from(problem, N, Branches(kind, moves, [way(problem, move) for move in moves]))
    restore(problem, v)
    return (
        sensitivity(problem, z @ leading(forms), kept[0], found)
        if len(kept) == 1 and d == 2 and len(lines) == 2
        else found
    )


def restore(problem: Problem, v: Array) -> None:
    problem[State].v[:] = v
    problem.check(entries.evaluate(problem.addresses))


def forms_of(problem: Problem, N: Array, z: Array) -> tuple[Array, float]:
    """(m, d, d) symmetric forms zᵀ γ of pairs of null motions, and the size of γ that they are compared with."""
    state, rows, d = problem[State], problem[Rows], N.shape[1]
    on = rows.active == 1

    def quadratic(v: Array) -> Array:
        parts = []
        for sign in (1.0, -1.0, 0.0):
            state.v[:] = sign * v
            problem.check(entries.evaluate(problem.addresses))
            parts.append(rows.gamma * on)
        return np.asarray(0.5 * (parts[0] + parts[1]) - parts[2])

    squares = [quadratic(n) for n in N.T]
    forms = np.zeros((z.shape[1], d, d))
    for i in range(d):
        for j in range(i + 1):
            pair = squares[i] if i == j else 0.5 * (quadratic(N[:, i] + N[:, j]) - squares[i] - squares[j])
            forms[:, i, j] = forms[:, j, i] = z.T @ pair
    length = np.abs(z).max(axis=1, initial=0.0)
    return forms, float(max(np.abs(length * s).max(initial=0.0) for s in squares))


def independent_forms(forms: Array, size: float) -> Array:
    """Forms that span the same, without those that are none (of rows that repeat others everywhere)."""
    m, d, _ = forms.shape
    _, values, right = np.linalg.svd(forms.reshape(m, d * d), full_matrices=False)
    count = int((values > NOTHING * max(size, 1e-300)).sum())
    return (values[:count, None] * right[:count]).reshape(count, d, d)


def leading(forms: Array) -> Array:
    """(m,) the combination of the forms that is the one that counts."""
    left, _, _ = np.linalg.svd(forms.reshape(len(forms), -1), full_matrices=False)
    return np.asarray(left[:, 0])


def solutions(forms: Array) -> list[Array] | None:
    """Unit vectors y, one for each line with yᵀ Q y = 0 for all forms; None where they are not lines."""
    d = forms.shape[1]
    if d == 1:
        return []
    if d == 2 and len(forms) == 1:
        values, vectors = np.linalg.eigh(forms[0])
        low, high = values
        if low * high > 0.0 and min(abs(low), abs(high)) > NOTHING * max(abs(low), abs(high)):
            return []
        if min(abs(low), abs(high)) <= NOTHING * max(abs(low), abs(high)):
            return [vectors[:, int(np.argmin(np.abs(values)))]]
        a, b = np.sqrt(high), np.sqrt(-low)
        return [unit(vectors @ np.array([a, sign * b])) for sign in (1.0, -1.0)]
    found: list[Array] = []
    scale = np.abs(forms).max()
    for start in np.random.default_rng(0).normal(size=(STARTS, d)):
        y = unit(start)
        for _ in range(60):
            J = np.vstack([2.0 * (forms @ y) / scale, y])
            rest = np.append(y @ forms @ y / scale, 0.0)
            y = unit(y - np.linalg.lstsq(J, rest, rcond=1e-12)[0])
        if np.abs(y @ forms @ y).max() > 1e-10 * scale:
            continue
        if np.linalg.matrix_rank(np.vstack([2.0 * (forms @ y) / scale, y]), tol=1e-5) < d:
            return None
        if not any(abs(y @ other) > SAME for other in found):
            found.append(y)
    return found


def unit(y: Array) -> Array:
    return np.asarray(y / np.linalg.norm(y))


def way(problem: Problem, move: Array) -> str:
    """How bodies turn in a branch, beside the fastest; how they move where none turns."""
    twists = body_twists(problem, move[:, None])[:, :, 0]
    names = problem.names.bodies
    for part, verb in ((twists[:, 3:], "turning"), (twists[:, :3], "moving")):
        size = np.linalg.norm(part, axis=1)
        if size.max() < 1e-9 * np.abs(twists).max():
            continue
        axis = part[int(np.argmax(size))] / size.max()
        axis = axis * np.sign(axis[int(np.argmax(np.abs(axis)))])
        rates = part @ axis / size.max()
        along = ", ".join(f"{x + 0.0:.2g}" for x in np.where(np.abs(axis) < 5e-4, 0.0, axis))
        rates = rates * np.sign(rates[np.flatnonzero(np.abs(rates) > 0.999)[0]])
        told = ", ".join(
            f"{name} {0.0 + round(float(rate), 4):.4g}" for name, rate in list(zip(names, rates))[:8]
        )
        return f"{verb} {'about' if verb == 'turning' else 'along'} ({along}) as {told}" + (
            " ..." if len(names) > 8 else ""
        )
    return "nothing moves"


def away_from(problem: Problem, N: Array, found: Branches) -> Branches:
    """With the joint coordinate that moves most in the null motions, and its value."""
    if not problem.names.coordinates or not N.shape[1]:
        return found
    rates = np.linalg.norm(coordinate_rates(problem, N), axis=1)
    k = int(np.argmax(rates))
    problem.check(entries.call_purpose(problem.addresses, COORDINATE))
    value = round(float(problem[Measures].value[problem.names.coordinates[k].measure]), 9) + 0.0
    return replace(found, coordinate=problem.names.coordinates[k].name, value=value)


def sensitivity(problem: Problem, z: Array, Q: Array, found: Branches) -> Branches:
    """With the joint on which the self-stress z acts most, and what moving it does to the smallest singular
    value.
    """
    best, force = "", np.zeros(3)
    for joint in problem.names.joints:
        rows, gm = joint_rows(problem, joint)
        pull = z[rows] @ gm[:, :3]
        # of equal ones the first, but ground before all: that is what one can move
        if np.linalg.norm(pull) > 1.001 * np.linalg.norm(force) and (
            joint.a == "ground" or joint.a.startswith("ground.") or not best
        ):
            best, force = joint.name, pull
    size = float(np.linalg.norm(force))
    if not size > 0.0:
        return found
    moved = MOVED * problem.names.size
    axis = force / size * np.sign(force[int(np.argmax(np.abs(force)))])
    axis = np.where(np.abs(axis) < 5e-4, 0.0, axis)
    least = np.sqrt(2.0 * size * moved * np.abs(np.linalg.eigvalsh(Q)).min())
    return replace(found, joint=best, along=tuple(axis.tolist()), moved=moved, least=float(least))
