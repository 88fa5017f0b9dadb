"""Branches of the motion at a singular configuration: the motions that satisfy the constraints to second
order.

At a singular configuration there are more null motions v = N y (G N = 0, Nᵀ M N = 1) than the mechanism has
degrees of freedom nearby. G v̇ = γ(v) has a solution only for those with

    zᵀ γ(N y) = yᵀ Q y = 0   for every z with Gᵀ z = 0;

Each line of solutions is the tangent of a branch. Two lines: a bifurcation with two branches. None: the new
mobility is infinitesimal, and the mechanism is locked. If zᵀ Φₜ is not zero, a motion drives the mechanism
out of its reach: no velocity satisfies the constraints.

If z is unique and a joint moves by δ along the force that z exerts on it, the loop fails to close by
ε = |force| δ, so that yᵀ Q y = −2 ε. The branches then separate into hyperbolas, on which the smallest
singular value |Q y| is at least √(2 ε |q|), with q the smaller eigenvalue of Q. Reports give this
sensitivity.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from mbplugin.analysis.phrases import vector_text
from mbplugin.analysis.rank.null_space import body_twists, coordinate_rates
from mbplugin.analysis.rank.rank import joint_rows
from mbplugin.model.names import GROUND
from mbplugin.problem import JointInfo, Problem
from mbplugin.tables.groups import Measures, Rows
from mbplugin.tables.purposes import COORDINATE
from mbplugin.tables.spec import Array

#: largest number of null motions for which branches are computed
MAX_NULL_MOTIONS = 5
#: relative sizes of forms, and of prescribed rates, that count as zero
NOTHING, DRIVEN = 1e-6, 1e-6
#: start directions of the search for lines, and the cosine above which two lines are equal
STARTS, SAME_LINE = 80, 1.0 - 1e-6
#: suggested shift of a joint, relative to the size of the mechanism
SUGGESTED_SHIFT = 0.01
SEVERAL, NONE, DRIVEN_OUT, OPEN = "several", "locked", "out of reach", "open"


@dataclass(frozen=True)
class Branches:
    """The branches at a singular configuration, and how to avoid it."""

    kind: str  # "several", "locked", "out of reach"; "open": not determined to second order
    lines: list[Array] = field(default_factory=list)  # (nv,) velocity of each branch
    descriptions: list[str] = field(default_factory=list)  # of each branch
    joint: str = ""  # joint to move; "": none
    along: tuple[float, ...] = ()  # direction of the shift, world axes
    moved: float = 0.0  # shift [m]
    least: float = 0.0  # lower bound of the smallest singular value after the shift
    coordinate: str = ""  # joint coordinate to limit
    value: float = 0.0  # its value at the singular configuration

    def __str__(self) -> str:
        if self.kind == SEVERAL:
            numbered = "; ".join(f"({k + 1}) {branch}" for k, branch in enumerate(self.descriptions))
            text = f"bifurcation: the motion can continue on {len(self.descriptions)} branches: {numbered}"
        elif self.kind == NONE:
            text = "no feasible motion: the new mobility is infinitesimal, so the mechanism is locked"
        elif self.kind == DRIVEN_OUT:
            text = "no feasible solution: the motions lead out of the reach of the mechanism"
        else:
            text = "the number of branches is not determined by the second-order terms"
        return f"{text}. {self.suggestion}" if self.suggestion else text

    @property
    def suggestion(self) -> str:
        parts = []
        if self.joint:
            shift = f"by {self.moved:.3g} m along {vector_text(self.along, 2)}"
            keeps = f"keeps the smallest singular value above {self.least:.2g}"
            parts.append(f'moving joint "{self.joint}" {shift} {keeps}')
        if self.coordinate:
            parts.append(f"limit the motion before {self.coordinate} = {self.value:.4g}")
        return ("To avoid it: " + ", or ".join(parts)) if parts else ""

    def along_with(self, problem: Problem, v: Array) -> int:
        """Index of the line nearest to a velocity in the mass norm; -1 if there is none, or if v is zero."""
        M = problem.mass(problem.q)
        if not self.lines or not float(v @ M @ v) > 0.0:
            return -1
        return int(np.argmax([abs(line @ M @ v) for line in self.lines]))


def branches(problem: Problem, N: Array, z: Array, dof: int) -> Branches:
    """Branches at the evaluated position of the problem. N: (nv, d) null motions, Nᵀ M N = 1. z: (nc, m),
    Gᵀ z = 0, of unit length in scaled rows. dof: degrees of freedom nearby.
    """
    d = N.shape[1]
    v = problem.v
    largest = np.abs(problem[Rows].phi_t).max(initial=0.0)
    if largest > 0.0 and np.abs(z.T @ problem[Rows].phi_t).max(initial=0.0) > DRIVEN * largest * np.abs(
        z
    ).max(initial=0.0):
        return away_from(problem, N, Branches(DRIVEN_OUT))
    if not 0 < d <= MAX_NULL_MOTIONS or dof > 1:
        return Branches(OPEN)
    forms, size = forms_of(problem, N, z)
    problem.evaluate_at(v=v)
    kept = independent_forms(forms, size)
    if not len(kept):
        return Branches(OPEN)
    lines = solutions(kept)
    if lines is None:
        return Branches(OPEN)
    moves = [N @ y for y in lines]
    kind = SEVERAL if len(lines) > 1 else OPEN if lines else NONE
    result = away_from(problem, N, Branches(kind, moves, [describe(problem, move) for move in moves]))
    problem.evaluate_at(v=v)
    return (
        sensitivity(problem, z @ leading(forms), kept[0], result)
        if len(kept) == 1 and d == 2 and len(lines) == 2
        else result
    )


def forms_of(problem: Problem, N: Array, z: Array) -> tuple[Array, float]:
    """(m, d, d) symmetric forms zᵀ γ of pairs of null motions, and the reference size of γ."""
    rows, d = problem[Rows], N.shape[1]
    on = problem.on

    def quadratic(v: Array) -> Array:
        parts = []
        for sign in (1.0, -1.0, 0.0):
            problem.evaluate_at(v=sign * v)
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
    """A basis of the forms, without zero forms (which belong to rows that are redundant everywhere)."""
    m, d, _ = forms.shape
    _, values, right = np.linalg.svd(forms.reshape(m, d * d), full_matrices=False)
    count = int((values > NOTHING * max(size, 1e-300)).sum())
    return (values[:count, None] * right[:count]).reshape(count, d, d)


def leading(forms: Array) -> Array:
    """(m,) the combination of the forms with the largest singular value."""
    left, _, _ = np.linalg.svd(forms.reshape(len(forms), -1), full_matrices=False)
    return np.asarray(left[:, 0])


def solutions(forms: Array) -> list[Array] | None:
    """Unit vectors y, one for each line with yᵀ Q y = 0 for all forms; None if the solutions are not
    isolated lines.
    """
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
    lines: list[Array] = []
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
        if not any(abs(y @ other) > SAME_LINE for other in lines):
            lines.append(y)
    return lines


def unit(y: Array) -> Array:
    return np.asarray(y / np.linalg.norm(y))


def pointing(w: Array) -> Array:
    """The unit vector along w (3,) whose largest component is positive."""
    return unit(w) * np.sign(w[int(np.argmax(np.abs(w)))])


def describe(problem: Problem, move: Array) -> str:
    """Text of a branch: speeds of the bodies relative to the fastest, of rotation, or of translation if
    none rotates.
    """
    twists = body_twists(problem, move[:, None])[:, :, 0]
    names = problem.names.bodies
    for part, motion in ((twists[:, 3:], "rotation about"), (twists[:, :3], "translation along")):
        size = np.linalg.norm(part, axis=1)
        if size.max() < 1e-9 * np.abs(twists).max():
            continue
        axis = pointing(part[int(np.argmax(size))])
        rates = part @ axis / size.max()
        rates = rates * np.sign(rates[np.flatnonzero(np.abs(rates) > 0.999)[0]])
        speeds = ", ".join(
            f"{name} {0.0 + round(float(rate), 4):.4g}" for name, rate in list(zip(names, rates))[:8]
        )
        return f"{motion} {vector_text(axis, 2, 5e-4)}, relative speeds {speeds}" + (
            " ..." if len(names) > 8 else ""
        )
    return "no motion"


def away_from(problem: Problem, N: Array, result: Branches) -> Branches:
    """Add the joint coordinate that moves most in the null motions, and its value."""
    if not problem.names.coordinates or not N.shape[1]:
        return result
    rates = np.linalg.norm(coordinate_rates(problem, N), axis=1)
    k = int(np.argmax(rates))
    problem.call_purpose(COORDINATE)
    value = round(float(problem[Measures].value[problem.names.coordinates[k].measure]), 9) + 0.0
    return replace(result, coordinate=problem.names.coordinates[k].name, value=value)


def most_loaded_joint(problem: Problem, z: Array, joints: Sequence[JointInfo]) -> tuple[str, Array]:
    """Name of the joint on which the self-stress z (nc,) acts most, and its force (3,); "" if on none.

    Joints to the ground come first, because they can be moved, and the first of equal ones.
    """
    best, force = "", np.zeros(3)
    for joint in joints:
        rows, G_marker = joint_rows(problem, joint)
        pull = z[rows] @ G_marker[:, :3]
        on_ground = joint.a.partition(".")[0] == GROUND
        if np.linalg.norm(pull) > 1.001 * np.linalg.norm(force) and (on_ground or not best):
            best, force = joint.name, pull
    return best, force


def sensitivity(problem: Problem, z: Array, Q: Array, result: Branches) -> Branches:
    """Add the joint on which the self-stress z acts most, and the effect of moving it on the smallest
    singular value.
    """
    best, force = most_loaded_joint(problem, z, problem.names.joints)
    size = float(np.linalg.norm(force))
    if not size > 0.0:
        return result
    moved = SUGGESTED_SHIFT * problem.names.size
    axis = pointing(force)
    axis = np.where(np.abs(axis) < 5e-4, 0.0, axis)
    least = np.sqrt(2.0 * size * moved * np.abs(np.linalg.eigvalsh(Q)).min())
    return replace(result, joint=best, along=tuple(axis.tolist()), moved=moved, least=float(least))
