"""Modes of the linear model, where closed forms of K and D do not have all of it: inner states, reactions in
expressions, rows that slip, and about a motion joints that roll.

In a frame that turns with W (`analysis/equilibrium/steady.py`) changes of the state have the rates

    δ̇ = δv − S δ,   δv̇ = ∂v̇ − W δv,   δẋ = ∂ẋ

where ∂ are the derivatives along (δ, δv, δx). The changes that the rows allow are the columns of Z, and the
eigenvalues s are those of A with Z A = Ż. They stand still in that frame where the motion is steady in it.
"""

from __future__ import annotations

import numpy as np

from mbplugin.analysis.equilibrium.eigen import LOCKED, EigenReport, report
from mbplugin.analysis.equilibrium.inner_states import states_of_scene
from mbplugin.analysis.equilibrium.steady import spin_of, turning
from mbplugin.errors import SceneError, listed
from mbplugin.problem import Problem
from mbplugin.run.operating_point import OperatingPoint
from mbplugin.run.variations import SMOOTH, Tangents, derivatives_of, holds_positions
from mbplugin.tables.groups import Bounded, Rows, State
from mbplugin.tables.records import LOWER, UPPER
from mbplugin.tables.spec import Array

#: largest number of velocities of dense matrices
LARGE_SYSTEM = 1000
#: eigenvalues below the root of the derivatives' error, relative to the largest, count as 0: a double zero
#: splits by it
LEAST_ERROR = 1e-13
#: of a mode, the part of the motion below which only inner states take part
STILL = 1e-9
#: change of a mode that is not steady, relative to the largest rate
STEADY = 1e-6


def needs_linear_model(problem: Problem, moving: bool) -> bool:
    """Whether the modes about the present state are those of the linear model; moving: about a motion."""
    rolls = moving and bool((problem.on & ~holds_positions(problem)).any())
    # closed forms of K are those of meshes at rest
    parts = moving and bool(np.any(problem.v)) and any(kind.parts for kind in problem.names.kinds)
    return rolls or parts or depends_on_more(problem) or slips(problem)


def depends_on_more(problem: Problem) -> bool:
    """Whether forces depend on more than positions and velocities: inner states, or implicit variables."""
    return bool(len(states_of_scene(problem)) or problem.names.implicit)


def slips(problem: Problem) -> bool:
    """Whether a row exerts a bound that is not 0."""
    index = problem[Bounded].index
    mode = problem[State].mode[index.row]
    force = np.where(mode == UPPER, index.upper, np.where(index.partner >= 0, index.upper, index.lower))
    return bool((((mode == LOWER) | (mode == UPPER)) & ((force != 0.0) | (index.bearing >= 0))).any())


def refuse_large(problem: Problem) -> None:
    """Raises SceneError for a system that is too large for dense matrices."""
    if problem.nv > LARGE_SYSTEM:
        what = "inner states, reactions in expressions, slip and rolling are taken up to"
        raise SceneError("analyze", "eigen", f"{what} {LARGE_SYSTEM} velocities; this scene has {problem.nv}")


def growth_of(problem: Problem, point: OperatingPoint) -> tuple[float, bool]:
    """The largest real part of a mode about a point at rest [1/s], and whether no disturbance grows or stays
    as it is.
    """
    s = np.array([mode.s for mode in modes_of(problem, point, False).modes])
    growth = float(s.real.max())
    return growth, bool(growth <= STEADY * np.abs(s).max() and (s != 0.0).all())


def modes_of(
    problem: Problem, point: OperatingPoint, moving: bool, spin: Array | None = None, count: int | None = None
) -> EigenReport:
    """Modes about an operating point, in a frame that turns at `spin` [rad/s] (None: as the bodies do) if it
    moves. problem: at the same state, for the report. Raises SceneError, PhysicsError.
    """
    tangents = Tangents.of(point, moving, LOCKED)
    nv, p, d = problem.nv, tangents.N.shape[1], tangents.N_v.shape[1]
    S = C = np.zeros((nv, nv))
    messages = []
    if moving:
        point.at(point.q, point.v)
        spin = spin_of(point.problem) if spin is None else spin
        S, C = turning(point.problem, spin)
        frame = "[" + ", ".join(f"{w + 0.0:.6g}" for w in spin) + "] rad/s"
        messages = [f"relative to a frame that rotates at {frame}"]
    found = derivatives_of(point, tangents, tangents.N, tangents.N_v)
    L = np.linalg.cholesky(tangents.M)
    Z = np.vstack([L.T @ found.delta, L.T @ found.delta_v, found.delta_x])
    W = S - C
    rates = [L.T @ (found.delta_v - S @ found.delta), L.T @ (found.v_dot - W @ found.delta_v), found.x_dot]
    Z_dot = np.vstack(rates)
    A = np.linalg.lstsq(Z, Z_dot, rcond=None)[0]
    if moving:
        left = float(np.abs(Z @ A - Z_dot).max(initial=0.0) / np.abs(Z_dot).max(initial=1e-300))
        messages += unsteady(point, W, left)
    if found.error > SMOOTH:
        messages.append(f"functions are not smooth here: derivatives are uncertain by {found.error:.1e}")
    values, vectors = np.linalg.eig(A)
    largest = float(np.abs(values).max(initial=0.0))
    values = np.where(np.abs(values) <= np.sqrt(max(found.error, LEAST_ERROR)) * largest, 0.0, values)
    values = np.where(np.abs(values.imag) <= 1e-10 * largest, values.real, values)
    roots = []
    for k in np.argsort(np.abs(values), kind="stable"):
        if values[k].imag >= 0.0:
            size = np.abs(vectors[: p + d, k]).max(initial=0.0)
            moves = size > STILL * np.abs(vectors[:, k]).max()
            shape = tangents.N @ vectors[:p, k]
            roots.append((complex(values[k]), shape if moves else np.zeros(nv)))
    return report(problem, roots, d, point.problem[Rows].lam.copy(), messages, count)


def unsteady(point: OperatingPoint, W: Array, left: float) -> list[str]:
    """Report what changes with time in the frame: accelerations beside W v, inner states, and what the rows
    allow; left: the part of the rates of changes that the rows do not allow there.
    """
    phrase = "modes about it are of little use; choose a frame in which it is steady (--frame)"
    base, messages = point.base, []
    turned = W @ point.v
    largest = float(np.abs(turned).max(initial=0.0) + np.abs(base.v_dot).max(initial=0.0))
    if np.abs(base.v_dot - turned).max(initial=0.0) > STEADY * (largest + 1e-3):
        deviation = float(np.abs(base.v_dot - turned).max())
        messages.append(f"no steady motion: in this frame accelerations deviate by {deviation:.3g}; {phrase}")
    idle = np.abs(base.x_dot) > STEADY * (1.0 + np.abs(point.aux[point.inner]))
    if idle.any():
        changing = listed([point.state_names[k] for k in np.flatnonzero(idle)])
        messages.append(
            f"no steady motion: inner states change ({changing}); modes about it are of little use"
        )
    if left > STEADY:
        messages.append(f"the joints do not rotate with this frame; {phrase}")
    return messages
