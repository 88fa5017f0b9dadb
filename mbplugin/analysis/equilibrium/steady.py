"""The equations of small motions about a steady motion, as they look from a frame that turns.

With T(t) a basis of the increments that the constraints leave, which turns with the frame at a constant
angular velocity, q(t) ⊕ T z is the disturbed position. A body kind tells S, the rate of an increment that
stands still in the frame (of its components in fixed axes: S δ), and C, so that velocities change by δ̇ + C
δ. Then Ṫ = W T with W = S − C, the change of v is T ż + S T z, and that of v̇ is T z̈ + (W + S) T ż + W S T
z, so that

    Tᵀ M T z̈ + Tᵀ (M (W + S) + D) T ż + Tᵀ (M W S + D S + K) T z = 0

For a mass centre S = W = Ω×: twice Ω× is Coriolis, Ω×Ω× centrifugal. The coefficients are constant where the
motion is steady in that frame: v̇ = W v, and the rows turn with it, Ġ T + G W T = 0. Derived here; the tests
compare it with closed forms.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass

import numpy as np

from mbplugin.analysis.rank.null_space import NullSpace, null_space
from mbplugin.analysis.tangent.derivative import derivative
from mbplugin.analysis.tangent.stiffness import damping, stiffness
from mbplugin.errors import SceneError
from mbplugin.interface.tangent import tangent_of
from mbplugin.problem import Problem
from mbplugin.tables.groups import Bodies, Markers, Rows, State
from mbplugin.tables.spec import Array

#: what of the largest acceleration or of the rows' turning may be unsteady
STEADY = 1e-7


@dataclass
class Steady:
    """Linearization about a steady motion."""

    K: Array  # (dof, dof) stiffness for unit generalized masses
    D: Array  # (dof, dof) damping
    free: NullSpace  # the basis
    lam: Array  # (nc,)
    spin: Array  # (3,) angular velocity of the frame [rad/s]
    messages: list[str]  # deviations from a steady motion


def steady(problem: Problem, spin: Array | None) -> Steady:
    """About the present motion, seen from a frame of that angular velocity [rad/s] (None: that of the
    bodies). Raises SceneError.
    """
    v = problem.v
    spin = spin_of(problem) if spin is None else spin
    problem.evaluate_at()
    free = null_space(problem)
    S, C = turning(problem, spin)
    W = S - C
    M = problem.mass(problem.q)
    h, gamma = problem[Bodies].h.copy(), problem[Rows].gamma[problem.on]
    v_dot = free.to_velocity @ gamma
    v_dot = v_dot + free.N @ (free.N.T @ (h - M @ v_dot))
    lam = np.zeros(problem.nc)
    lam[problem.on] = free.to_lam @ (M @ v_dot - h)
    messages = unsteady(problem, free, W, v_dot - W @ v, v, spin)
    K = stiffness(problem, lam) + M @ W @ S
    D = damping(problem)
    T = free.N
    return Steady(T.T @ (K + D @ S) @ T, T.T @ (M @ (W + S) + D) @ T, free, lam, spin, messages)


def spin_of(problem: Problem) -> Array:
    """(3,) angular velocity [rad/s] of the rigid motion that all bodies share, by least squares."""
    return rigid_motion(problem)[1]


def rigid_motion(problem: Problem, spin: Array | None = None) -> tuple[Array, Array]:
    """u [m/s] and Ω [rad/s], (3,) each, of the rigid motion u + Ω × x that bodies share, by least squares;
    spin: Ω, where it is known.
    """
    markers, at, size = problem[Markers], problem.names.body_marker, problem.names.size
    A, b = [], []
    for p in at:
        x = markers.x[p] / size
        A += [
            np.hstack([-np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]]), np.eye(3)]),
            np.eye(3, 6),
        ]
        b += [markers.v[p] / size, markers.w[p]]
    if spin is not None:
        x, v = problem[Markers].x[at], problem[Markers].v[at]
        return np.asarray((v - np.cross(spin, x)).mean(axis=0)), spin
    # the shortest: of one that nothing shows, none
    found = np.linalg.lstsq(np.vstack(A), np.concatenate(b), rcond=1e-10)[0]
    spin = found[:3]
    return size * found[3:], np.asarray(np.where(np.abs(spin) > 1e-12 * np.abs(spin).max(), spin, 0.0))


def turning(problem: Problem, spin: Array) -> tuple[Array, Array]:
    """S and C (nv, nv) of all bodies. Raises SceneError where a kind does not give them."""
    bodies, state, names = problem[Bodies], problem[State], problem.names
    S, C = np.zeros((problem.nv, problem.nv)), np.zeros((problem.nv, problem.nv))
    for number, (kind, row) in enumerate(zip(names.kinds, bodies.index)):
        function = tangent_of(kind, "turning", "retract", "rate", "locate", "inertia")
        if function is None or kind.inertia is not None:
            body = f'body "{names.body(number)}" has type "{kind.name}"'
            mend = "which does not define how its increments rotate (`turning`); use --about start"
            raise SceneError("--about", "motion", f"{body}, {mend}")
        q = slice(row.first_q, row.first_q + row.kind_q)
        v = slice(row.first_v, row.first_v + row.kind_v)
        numbers = [state.q[q].copy(), state.v[v].copy(), bodies.p[row.first_parameter :]]
        if "ints" in inspect.signature(function).parameters:
            numbers.append(bodies.ints[row.first_integer :])
        S[v, v], C[v, v] = function(*numbers, spin)
    return S, C


def unsteady(problem: Problem, free: NullSpace, W: Array, rest: Array, v: Array, spin: Array) -> list[str]:
    """Report what changes with time in the frame: accelerations beside W v, and rows that do not turn with
    it. The state is put back.
    """
    q = problem.q
    reach = (
        np.linalg.norm(free.L.T @ v) * max(np.linalg.norm(spin), np.abs(W).max(initial=0.0))
        + np.linalg.norm(free.L.T @ (W @ v))
        + 1e-12
    )
    on = problem.on

    def rows(s: float) -> Array:
        problem.move_to(q, s * v)
        problem.evaluate_at()
        return np.asarray(problem.jacobian()[on].ravel())

    rates = derivative(rows, 0.1 / max(1.0, float(np.abs(v).max(initial=0.0)))).reshape(-1, problem.nv)
    problem.evaluate_at(q)
    slip = (rates + free.G @ W) @ free.N
    messages = []
    phrase = "modes about it are of little use; choose a frame in which it is steady (--frame)"
    size = float(np.linalg.norm(free.L.T @ rest))
    if size > STEADY * reach + 1e-9:
        messages.append(
            f"no steady motion: in this frame accelerations deviate by {size:.3g} (root of kg m/s2); {phrase}"
        )
    if np.abs(slip).max(initial=0.0) > STEADY * (
        np.abs(free.G @ free.L @ free.L.T).max(initial=0.0) + np.abs(rates).max(initial=0.0) + 1e-12
    ):
        messages.append(f"the joints do not rotate with this frame; {phrase}")
    return messages
