"""Eigenmodes of the constrained system about a position at rest, or about a steady motion.

    Nᵀ M N ÿ + Nᵀ D N ẏ + Nᵀ K N y = 0,   G N = 0,   Nᵀ M N = 1,   K = −∂(h + Gᵀλ)/∂q,   D = −∂h/∂v

Without damping y = φ e^{iωt} with ω² from the symmetric NᵀKN; otherwise s from [0 1; −NᵀKN −NᵀDN], a pair s =
−ζω ± iω√(1 − ζ²) for each mode. Motions and inner states are constant. For modes about a steady motion, see
`steady.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mbplugin.analysis.equilibrium.static import SOFT, SYMMETRIC, largest_force, unbalanced
from mbplugin.analysis.equilibrium.steady import steady
from mbplugin.analysis.rank.null_space import NullSpace, body_twists, null_space
from mbplugin.analysis.report import Report, States, table
from mbplugin.analysis.tangent.stiffness import damping, moved, stiffness
from mbplugin.errors import PhysicsError
from mbplugin.kernels import entries
from mbplugin.problem import Problem
from mbplugin.tables.groups import State
from mbplugin.tables.spec import Array

#: unbalanced force, relative to the largest, above which the position is reported as no equilibrium
AT_REST = 1e-7
#: amplitude of a drawn mode: mass centres [sizes], and rotations [rad]
SHIFT, TURN = 0.08, 0.35


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


@dataclass(kw_only=True)
class EigenReport(Report):
    """modes: by frequency. q (nq,) and lam (nc,): position and multipliers of the linearization."""

    what: ClassVar[str] = "eigen"
    modes: list[Mode]
    time: float
    q: Array
    lam: Array

    @property
    def frequencies(self) -> Array:
        """(modes,) natural frequencies ω [rad/s]."""
        return np.array([mode.omega for mode in self.modes])

    def lines(self) -> list[str]:
        rows = [
            (str(k + 1), m.omega, m.omega / (2 * np.pi), m.hertz, m.zeta, m.kind, m.moves)
            for k, m in enumerate(self.modes)
        ]
        return [
            f"{len(self.modes)} modes",
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
        return {"modes": modes, "messages": self.messages}


def eigen(problem: Problem) -> EigenReport:
    """Modes about the present position, velocities 0. Raises PhysicsError if no degree of freedom is left."""
    state = problem[State]
    state.v[:] = 0.0
    problem.check(entries.evaluate(problem.addresses))
    free = null_space(problem)
    if not free.N.shape[1]:
        raise PhysicsError(
            "eigen analysis: the mobility is 0, so there are no modes; remove a joint or a motion"
        )
    rest, lam = unbalanced(problem, free)
    messages = []
    force = largest_force(problem, lam)
    if np.abs(rest).max() > AT_REST * force:
        messages.append(
            f"this position is no equilibrium: the unbalanced force is {np.abs(rest).max():.3g} N or N "
            "m; modes about it are of little use (try --about static)"
        )
    K, D = (free.N.T @ X @ free.N for X in (stiffness(problem, lam), damping(problem)))
    return modes_of(problem, free, K, D, lam, messages)


def eigen_of_motion(problem: Problem, spin: Array | None) -> EigenReport:
    """Modes about the present position and velocities in a frame that rotates at `spin` [rad/s] (None: as
    the bodies do). Raises PhysicsError.
    """
    linearized = steady(problem, spin)
    if not linearized.free.N.shape[1]:
        raise PhysicsError(
            "eigen analysis: the mobility is 0, so there are no modes; remove a joint or a motion"
        )
    frame = "[" + ", ".join(f"{w + 0.0:.6g}" for w in linearized.spin) + "] rad/s"
    return modes_of(
        problem,
        linearized.free,
        linearized.K,
        linearized.D,
        linearized.lam,
        [f"relative to a frame that rotates at {frame}", *linearized.messages],
    )


def modes_of(
    problem: Problem, free: NullSpace, K: Array, D: Array, lam: Array, messages: list[str]
) -> EigenReport:
    """The report from stiffness and damping (dof, dof) in unit masses."""
    state = problem[State]
    roots = (
        undamped(K) if np.abs(D).max() <= 1e-12 * np.sqrt(np.abs(K).max()) and symmetric(K) else damped(K, D)
    )
    modes = []
    for s, y in roots:
        omega = abs(s)
        shape = free.N @ y
        shape = shape / np.sqrt(np.sum(np.abs(free.L.T @ shape) ** 2))
        k = int(np.argmax(np.abs(shape)))
        shape = shape * (np.conj(shape[k]) / abs(shape[k]))
        modes.append(
            Mode(
                s,
                omega,
                0.0 - s.real / omega if omega else 0.0,
                shape.real if np.abs(shape.imag).max() <= 1e-9 else shape,
                largest_mover(problem, shape),
            )
        )
    return EigenReport(modes=modes, time=float(state.time[0]), q=state.q.copy(), lam=lam, messages=messages)


def symmetric(K: Array) -> bool:
    return bool(np.abs(K - K.T).max() <= SYMMETRIC * np.abs(K).max())


def undamped(K: Array) -> list[tuple[complex, Array]]:
    """s = iω, or the growing root √−ω² if the position is unstable."""
    values, vectors = np.linalg.eigh(0.5 * (K + K.T))
    largest = np.abs(values).max()
    roots = [0.0 if abs(x) <= SOFT * largest else 1j * np.sqrt(x) if x > 0 else np.sqrt(-x) for x in values]
    order = np.argsort(np.abs(roots), kind="stable")
    return [(complex(roots[k]), vectors[:, k]) for k in order]


def damped(K: Array, D: Array) -> list[tuple[complex, Array]]:
    """All s with Im s ≥ 0, by |s|."""
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
    """The body that moves farthest; rotations are multiplied by the size of the mechanism."""
    twist = body_twists(problem, np.column_stack([shape.real, shape.imag]))
    reach = np.linalg.norm(twist[:, :3], axis=(1, 2)) + problem.names.size * np.linalg.norm(
        twist[:, 3:], axis=(1, 2)
    )
    return problem.names.bodies[int(np.argmax(reach))]


def swinging(problem: Problem, report: EigenReport, number: int, frames: int = 48) -> States:
    """One undamped period of a mode (number from 0) at visible amplitude, for drawing, with all loops
    closed.
    """
    mode = report.modes[number]
    state = problem[State]
    state.q[:], state.v[:] = report.q, 0.0
    problem.check(entries.evaluate(problem.addresses))
    twist = np.abs(body_twists(problem, np.column_stack([mode.shape.real, mode.shape.imag])))
    reach = max(twist[:, :3].max() / (SHIFT * problem.names.size), twist[:, 3:].max() / TURN)
    shape = mode.shape / reach
    period = 2.0 * np.pi / mode.omega if mode.omega else 1.0
    phase = 2.0 * np.pi * np.arange(frames + 1) / frames
    rate = 2.0 * np.pi / period
    turn = np.exp(1j * phase)[:, None]
    states = States(
        phase / rate,
        np.zeros((frames + 1, problem.nq)),
        (1j * rate * shape * turn).real,
        (-(rate**2) * shape * turn).real,
        np.tile(report.lam, (frames + 1, 1)),
    )
    for k in range(frames + 1):
        moved(problem, report.q, (shape * turn[k]).real)
        status, _ = entries.assemble_positions(problem.addresses, problem.names.size)
        problem.check(status)
        states.q[k] = state.q
    state.q[:] = report.q
    problem.check(entries.evaluate(problem.addresses))
    return states
