"""Eigenmodes of the constrained system about a position at rest, or about a steady motion.

    Nᵀ M N ÿ + Nᵀ D N ẏ + Nᵀ K N y = 0,   G N = 0,   Nᵀ M N = 1,   K = −∂(h + Gᵀλ)/∂q,   D = −∂h/∂v

Without damping y = φ e^{iωt} with ω² from the symmetric NᵀKN; otherwise s from [0 1; −NᵀKN −NᵀDN], a pair s =
−ζω ± iω√(1 − ζ²) for each mode. Motions and inner states are constant. For modes about a steady motion, see
`steady.py`; for the lowest modes of large systems, `lowest_modes.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mbplugin.analysis.equilibrium.bounded_rows import BoundedRows
from mbplugin.analysis.equilibrium.dense_position import (
    EXACT,
    SOFT,
    SYMMETRIC,
    DensePosition,
    Independent,
    modes_of,
    symmetric,
)
from mbplugin.analysis.equilibrium.lowest_modes import ZERO, Lowest, lowest, lowest_damped, random_motions
from mbplugin.analysis.equilibrium.mass_scaling import ROUNDED, largest_force
from mbplugin.analysis.equilibrium.sparse_position import LOWEST_MODES, SparsePosition, asymmetry
from mbplugin.analysis.equilibrium.static import position_of, unbalanced
from mbplugin.analysis.equilibrium.steady import steady
from mbplugin.analysis.phrases import plural
from mbplugin.analysis.rank.null_space import body_twists, deformation_rates
from mbplugin.analysis.rank.rank import rank
from mbplugin.analysis.report import Report, States, table
from mbplugin.analysis.tangent.stiffness import damping, sparse_damping, sparse_stiffness, stiffness
from mbplugin.errors import PhysicsError
from mbplugin.problem import Problem
from mbplugin.tables.spec import Array

#: unbalanced force, relative to the largest, above which the position is reported as no equilibrium
AT_REST = 1e-7
#: shift of the search for damped modes, relative to the lowest frequency, and what is zero relative to it
SHIFT_OF_SEARCH, ZERO_FREQUENCY = 1e-3, 0.1
#: roots of a mode that are nearer to each other count as double, and no root is corrected by more, relative
SIMPLE_ROOT = 1e-3
#: amplitude of a drawn mode: mass centres [sizes], nodes [extents of their body], and rotations [rad]
DRAWN_SHIFT, DRAWN_ANGLE = 0.08, 0.35


#: what is told where nothing can move
LOCKED = "eigen analysis: the mobility is 0, so there are no modes; remove a joint or a motion"


@dataclass
class Mode:
    """A mode: s [1/s] of e^{st}, its natural frequency ω = |s| [rad/s], damping ratio ζ, and shape (nv,) of
    unit generalized mass (complex where damped).
    """

    s: complex
    omega: float
    zeta: float
    shape: Array
    moves: str

    @property
    def hertz(self) -> float:
        """Damped frequency [Hz]."""
        return abs(self.s.imag) / (2.0 * np.pi)

    @property
    def kind(self) -> str:
        if self.omega == 0.0:
            return "free"
        if self.s.real > 1e-9 * self.omega:
            return "UNSTABLE"
        return "oscillatory" if self.s.imag else "overdamped"


@dataclass(kw_only=True, repr=False)
class EigenReport(Report):
    """modes: by frequency. dof: degrees of freedom. complete: whether all modes are there. q (nq,) and lam
    (nc,): position and multipliers of the linearization.
    """

    what: ClassVar[str] = "eigen"
    modes: list[Mode]
    dof: int
    complete: bool
    time: float
    q: Array
    lam: Array

    @property
    def frequencies(self) -> Array:
        """(modes,) natural frequencies ω [rad/s]."""
        return np.array([mode.omega for mode in self.modes])

    @property
    def title(self) -> str:
        if self.complete:
            return f"{len(self.modes)} modes"
        number = plural(len(self.modes), "lowest mode")
        return f"the {number} of {self.dof} degrees of freedom (--lowest chooses how many)"

    def lines(self) -> list[str]:
        rows = [
            (str(k + 1), m.omega, m.omega / (2 * np.pi), m.hertz, m.zeta, m.kind, m.moves)
            for k, m in enumerate(self.modes)
        ]
        return [
            self.title,
            *table(
                ["mode", "omega [rad/s]", "natural [Hz]", "damped [Hz]", "damping ratio", "", "moves most"],
                rows,
            ),
            *self.messages,
        ]

    def as_dict(self) -> dict[str, Any]:
        modes = [
            {
                "omega": m.omega,
                "natural_hertz": m.omega / (2 * np.pi),
                "hertz": m.hertz,
                "damping_ratio": m.zeta,
                "s": [m.s.real, m.s.imag],
                "kind": m.kind,
                "moves_most": m.moves,
                "shape_real": m.shape.real,
                "shape_imag": m.shape.imag,
            }
            for m in self.modes
        ]
        return {
            "modes": modes,
            "degrees_of_freedom": self.dof,
            "complete": self.complete,
            "messages": self.messages,
        }


def eigen(
    problem: Problem,
    count: int | None = None,
    sparse: bool | None = None,
    touching: BoundedRows | None = None,
) -> EigenReport:
    """Modes about the present position, velocities 0. Raises PhysicsError if no degree of freedom is left.

    count:    how many of the lowest; None: all, of a large system the 20 lowest
    sparse:   whether sparse matrices are used; None: if the system is large
    touching: rows of contacts in equilibrium, which hold as they do there
    """
    problem.evaluate_at(v=0.0)
    position = position_of(problem, False if touching is not None else sparse)
    pushes = position.free.N if isinstance(position, DensePosition) else np.zeros((0, 0))
    if touching is not None and isinstance(position, DensePosition):
        pushes = pushes @ Independent.of(touching.pushed @ pushes).rest
        position.hold(touching.touched)
    dof = rank(problem).dof if isinstance(position, SparsePosition) else position.free.dof
    refuse_locked(dof)
    rest, lam = unbalanced(problem, position, touching)
    messages = []
    level = np.abs(rest).max()
    # between elements that balance each other only rounding errors remain
    if level > AT_REST * largest_force(problem, lam) and level > rounding_of_forces(problem, lam):
        messages.append(
            f"this position is no equilibrium: the unbalanced force is {level:.3g} N or N "
            "m; modes about it are of little use (try --about static)"
        )
    if isinstance(position, SparsePosition):
        return lowest_report(problem, position, lam, dof, LOWEST_MODES if count is None else count, messages)
    moments = position.scaling.moments(largest_force(problem, lam))
    K = stiffness(problem, lam)
    if touching is not None and touching.touching is not None:
        K = K + touching.touching.stiffness(touching.force[touching.own :])
    N, D = position.free.N, damping(problem)
    if touching is not None and not np.array_equal(touching.pushed, touching.touched):
        # what slips rubs as it is pressed, and K is not symmetric
        inverse = np.linalg.inv(pushes.T @ problem.mass(problem.q) @ N) @ pushes.T
        roots = [(s, N @ y) for s, y in damped(inverse @ K @ N, inverse @ D @ N)]
    else:
        roots = roots_of(K, D, N, moments)
    return report(problem, roots, dof, lam, messages, count)


def eigen_of_motion(problem: Problem, spin: Array | None, count: int | None = None) -> EigenReport:
    """Modes about the present position and velocities in a frame that rotates at `spin` [rad/s] (None: as
    the bodies do). Raises PhysicsError.
    """
    linearized = steady(problem, spin)
    N = linearized.free.N
    refuse_locked(N.shape[1])
    frame = "[" + ", ".join(f"{w + 0.0:.6g}" for w in linearized.spin) + "] rad/s"
    messages = [f"relative to a frame that rotates at {frame}", *linearized.messages]
    K, D, dof = linearized.K, linearized.D, N.shape[1]
    if damps(D, K) or not symmetric(K):
        roots = damped(K, D)
    else:
        roots = undamped(*modes_of(K, np.eye(dof), np.full(dof, np.abs(K).max())))
    return report(problem, [(s, N @ y) for s, y in roots], dof, linearized.lam, messages, count)


def rounding_of_forces(problem: Problem, lam: Array) -> float:
    """[N] of stiff parts that balance each other."""
    return float(ROUNDED * abs(sparse_stiffness(problem, lam)).max() * problem.names.size)


def refuse_locked(dof: int) -> None:
    if not dof:
        raise PhysicsError(LOCKED)


def lowest_report(
    problem: Problem, position: SparsePosition, lam: Array, dof: int, count: int, messages: list[str]
) -> EigenReport:
    """The report of the `count` lowest modes, without matrices over all degrees of freedom."""
    c = position.constrained
    K, D = position.stiffness(lam), c.scaled(sparse_damping(problem))
    if dof <= 3 * count:
        # few motions are left: all of them
        N = random_motions(c, position.mass, dof)
        roots = roots_of(K, D, N, position.moments(lam))
        return report(problem, [(s, c.unit * x) for s, x in roots], dof, lam, messages, count)
    even = asymmetry(K) <= SYMMETRIC * abs(K).max()
    sym = 0.5 * (K + K.T)
    found = lowest(c, position.mass, sym, count)
    if found.negative > count:
        messages.append(f"{found.negative - count} more modes are unstable")
    if found.free:
        messages.append(f"{plural(found.free, 'mode')} of frequency 0 in all")
    if found.missing is None:
        messages.append("whether modes below the highest of these are missing could not be checked")
    elif found.missing:
        messages.append(f"{plural(found.missing, 'mode')} below the highest of these could not be found")
    if even and abs(D).max() <= 1e-12 * np.sqrt(found.zero / ZERO):
        values = np.where(np.abs(found.values) <= found.zero, 0.0, found.values)
        roots = [(complex(root(x)), found.shapes[:, k]) for k, x in enumerate(values)]
    else:
        roots = damped_roots(position, sym if even else K, D, count, found)
        if found.negative or not even:
            messages.append("these are the modes nearest to s = 0; a faster one may be unstable")
    return report(problem, [(s, c.unit * x) for s, x in roots], dof, lam, messages, count)


def damped_roots(
    position: SparsePosition, K: Any, D: Any, count: int, found: Lowest
) -> list[tuple[complex, Array]]:
    """s and shape in scaled velocities of the `count` lowest modes; of what has no stiffness, s = 0."""
    free = np.abs(found.values) <= found.zero
    roots = [(0j, found.shapes[:, k]) for k in np.flatnonzero(free)]
    if len(roots) >= count:
        return roots
    scale = float(np.sqrt(np.abs(found.values[~free]).min()))
    # a shift keeps away from the double zeros of free motions
    shift = SHIFT_OF_SEARCH * scale if roots else 0.0
    s, shapes = lowest_damped(position.constrained, K, D, count + len(roots), scale, shift)
    moving = np.abs(s) > ZERO_FREQUENCY * shift
    return roots + [(complex(x), shape) for x, shape in zip(s[moving], shapes[:, moving].T)]


def report(
    problem: Problem,
    roots: list[tuple[complex, Array]],
    dof: int,
    lam: Array,
    messages: list[str],
    count: int | None,
) -> EigenReport:
    """The report from pairs of s and shape (nv,), by |s|, 0 where only inner states change.

    count: limits how many are told
    """
    problem.form_tangent(1.0, 0.0, 0.0)
    M = problem.tangent()
    modes = []
    for s, shape in sorted(roots, key=lambda pair: abs(pair[0]))[:count]:
        omega = abs(s)
        still = not np.any(shape)
        if not still:
            shape = shape / np.sqrt((np.conj(shape) @ (M @ shape)).real)
            k = int(np.argmax(np.abs(shape)))
            shape = shape * (np.conj(shape[k]) / abs(shape[k]))
        modes.append(
            Mode(
                s,
                omega,
                0.0 - s.real / omega if omega else 0.0,
                shape.real if np.abs(shape.imag).max() <= 1e-9 else shape,
                "inner states" if still else largest_mover(problem, shape),
            )
        )
    return EigenReport(
        modes=modes,
        dof=dof,
        complete=len(modes) == len(roots) >= dof,
        time=problem.time,
        q=problem.q,
        lam=lam,
        messages=messages,
    )


def roots_of(K: Any, D: Any, N: Array, moments: Array) -> list[tuple[complex, Array]]:
    """s and shape (nv,) of all motions N y, by |s|, with the arguments of `modes_of` but any K."""
    reduced, damping = N.T @ (K @ N), N.T @ (D @ N)
    if not symmetric(reduced):
        roots = damped(reduced, damping)
    else:
        values, vectors, zero = modes_of(K, N, moments)
        if damps(damping, reduced):
            free = np.abs(values) <= zero
            roots = damped_beside_free(reduced, damping, vectors[:, free], vectors[:, ~free])
            if symmetric(damping):
                roots = [(refined(s, y, K, D, N), y) for s, y in roots]
        else:
            roots = undamped(values, vectors, zero)
    return [(s, N @ y) for s, y in roots]


def damps(D: Array, K: Array) -> bool:
    return bool(np.abs(D).max() > 1e-12 * np.sqrt(np.abs(K).max()))


def undamped(values: Array, vectors: Array, zero: Array) -> list[tuple[complex, Array]]:
    """s and coefficients of all modes, by |s|, from what `modes_of` returns."""
    roots = [0j if abs(x) <= least else root(x) for x, least in zip(values, zero)]
    return [(roots[k], vectors[:, k]) for k in np.argsort(np.abs(roots), kind="stable")]


def root(x: float) -> complex:
    """s of ω² = x: iω, or the growing √−ω² of an unstable position."""
    return complex(0.0, np.sqrt(x)) if x > 0 else complex(np.sqrt(-x))


def damped_beside_free(K: Array, D: Array, free: Array, held: Array) -> list[tuple[complex, Array]]:
    """All s with Im s ≥ 0, by |s|, where K is symmetric and zero along `free` (n, r), orthonormal together
    with `held` (n, n − r).

    With y = Y₀ a + Y₁ b, a enters by its rate only: s = 0 with a still, and beside it those of (b, ȧ, ḃ).
    Along free motions that no damper resists, s = 0 is double and counted once.
    """
    rates = D @ free
    _, _, turn = np.linalg.svd(rates)
    free = free @ turn.T
    least = SOFT * (np.abs(D) @ np.abs(free)) + EXACT * np.abs(D).max()
    resisted = (np.abs(D @ free) > least).any(axis=0)
    B, m = np.hstack([held, free[:, resisted]]), held.shape[1]
    n = B.shape[1]
    A = np.block([[np.zeros((m, m)), np.eye(m, n)], [-(B.T @ K @ held), -(B.T @ D @ B)]])
    values, vectors = np.linalg.eig(A)
    values = np.where(np.abs(values.imag) <= 1e-13 * np.abs(values).max(initial=0.0), values.real, values)
    order = np.argsort(np.abs(values), kind="stable")
    moving = [(complex(values[k]), B @ vectors[m:, k]) for k in order if values[k].imag >= 0.0]
    return [(0j, y) for y in free.T] + moving


def refined(s: complex, y: Array, K: Any, D: Any, N: Array) -> complex:
    """The root near s of s² yᵀy + s φᵀDφ + φᵀKφ = 0, φ = N y, for symmetric K and D: its error is the square
    of that of y, also beside far faster modes. s itself where it is nearly a double root.
    """
    shape = N @ y
    m, d, k = y @ y, shape @ (D @ shape), shape @ (K @ shape)
    for _ in range(2):
        slope = 2.0 * m * s + d
        if (
            abs(slope) <= SIMPLE_ROOT * max(abs(2.0 * m * s), abs(d))
            or abs(m) <= SIMPLE_ROOT * np.linalg.norm(y) ** 2
        ):
            return s
        change = (m * s * s + d * s + k) / slope
        if abs(change) > SIMPLE_ROOT * abs(s):
            return s
        s = s - change
    return complex(s)


def damped(K: Array, D: Array) -> list[tuple[complex, Array]]:
    """All s with Im s ≥ 0, by |s|, of any K."""
    n = len(K)
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-K, -D]])
    values, vectors = np.linalg.eig(A)
    largest = np.abs(values).max()
    # a double zero splits by the square root of rounding errors
    values = np.where(np.abs(values) <= np.sqrt(SOFT) * largest * 0.1, 0.0, values)
    values = np.where(np.abs(values.imag) <= 1e-13 * largest, values.real, values)
    return [
        (complex(values[k]), vectors[:n, k])
        for k in np.argsort(np.abs(values), kind="stable")
        if values[k].imag >= 0.0
    ]


def largest_mover(problem: Problem, shape: Array) -> str:
    """The body that moves farthest; rotations and deformations are times the size of the mechanism."""
    parts, size = np.column_stack([shape.real, shape.imag]), problem.names.size
    twist = body_twists(problem, parts)
    reach = np.linalg.norm(twist[:, :3], axis=(1, 2)) + size * np.linalg.norm(twist[:, 3:], axis=(1, 2))
    reach += size * np.linalg.norm(deformation_rates(problem, parts), axis=1)
    return problem.names.bodies[int(np.argmax(reach))]


def swinging(problem: Problem, report: EigenReport, number: int, frames: int = 48) -> States:
    """One undamped period of a mode (number from 0) at visible amplitude, for drawing, with all loops
    closed.
    """
    mode = report.modes[number]
    problem.evaluate_at(report.q, 0.0)
    parts = np.column_stack([mode.shape.real, mode.shape.imag])
    twist, rates = np.abs(body_twists(problem, parts)), deformation_rates(problem, parts)
    reach = max(
        twist[:, :3].max() / (DRAWN_SHIFT * problem.names.size),
        twist[:, 3:].max() / DRAWN_ANGLE,
        rates.max() / DRAWN_SHIFT,
    )
    reach = reach if reach > 0.0 else 1.0
    shape = mode.shape / reach
    period = 2.0 * np.pi / mode.omega if mode.omega else 1.0
    phase = 2.0 * np.pi * np.arange(frames + 1) / frames
    rate = 2.0 * np.pi / period
    phasor = np.exp(1j * phase)[:, None]
    states = States(
        phase / rate,
        np.zeros((frames + 1, problem.nq)),
        (1j * rate * shape * phasor).real,
        (-(rate**2) * shape * phasor).real,
        np.tile(report.lam, (frames + 1, 1)),
    )
    for k in range(frames + 1):
        problem.move_to(report.q, (shape * phasor[k]).real)
        problem.close_positions()
        states.q[k] = problem.q
    problem.evaluate_at(report.q)
    return states
