"""Static analysis: a position at rest at which all forces are in equilibrium.

    h(q, v = 0) + Gᵀ λ = 0,   Φ(q) = 0

Newton's method in the null space N of the constraints (G N = 0, Nᵀ M N = 1), with K = −∂(h + Gᵀλ)/∂q and the
least-squares λ:

    Nᵀ K N y = Nᵀ h,   q ← q ⊕ N y,   then projection onto Φ = 0

If NᵀKN is symmetric (or far from equilibrium, where rotations make it unsymmetric), its eigenvalues are
replaced by their absolute values, so that a step decreases the potential energy also where it is not
convex, and ends at a stable position. A step is shortened if a body would move too far, or if the force
along it changes sign. Load steps remove the initial unbalanced force r₀ in parts: h − (1 − s) r₀ is in
equilibrium at s = 0.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from mbplugin.analysis.rank.null_space import NullSpace, null_space
from mbplugin.analysis.report import Report, States, table
from mbplugin.analysis.tangent.stiffness import moved, stiffness
from mbplugin.errors import PhysicsError
from mbplugin.kernels import entries
from mbplugin.problem import Problem
from mbplugin.tables.groups import Bodies, Markers, Measures, Rows, State, Wrenches
from mbplugin.tables.purposes import COORDINATE
from mbplugin.tables.spec import Array

#: unbalanced force, relative to the largest force, that counts as zero; largest number of steps per load
BALANCED, STEPS = 1e-11, 200
#: unbalanced force, relative to the largest, above which a position is far from equilibrium
FAR = 1e-3
#: steps after which forces are assumed to have no potential
DOWNHILL = 40
#: largest translation [sizes] and rotation [rad] of a body in one step
STRIDE = 0.25
#: relative eigenvalues of NᵀKN that count as zero, and relative asymmetry that is not rounding
SOFT, SYMMETRIC = 1e-11, 1e-8


@dataclass(kw_only=True)
class StaticReport(Report):
    """stiffnesses: (dof,) eigenvalues of NᵀKN [1/s²]; all positive: stable. steps: (load, unbalanced force
    relative to the largest, size of the step) of each.
    """

    what: ClassVar[str] = "static"
    states: States
    bodies: list[str]
    moved: Array
    position: Array
    steps: list[tuple[float, float, float]]
    stiffnesses: Array
    stable: bool
    joints: list[str]
    reactions: Array = field(default_factory=lambda: np.zeros((0, 6)))

    @property
    def unstable(self) -> bool:
        return bool(len(self.stiffnesses) and self.stiffnesses[0] < -SOFT * np.abs(self.stiffnesses).max())

    def lines(self) -> list[str]:
        text = [
            f"equilibrium after {len(self.steps)} Newton steps; unbalanced force {self.steps[-1][1]:.1e} "
            "of the largest force"
            if self.steps
            else "in equilibrium"
        ]
        if len(self.stiffnesses):
            kind = "stable"
            if not self.stable:
                kind = (
                    "UNSTABLE: small disturbances grow"
                    if self.unstable
                    else "neutrally stable: some motion has no stiffness"
                )
            text.append(
                f"the equilibrium is {kind} (least eigenvalue of the stiffness "
                f"{self.stiffnesses[0]:.6g} 1/s2)"
            )
        text += table(
            ["load", "unbalanced", "step"], [tuple(f"{x:.3g}" for x in step) for step in self.steps[-8:]]
        )
        text += table(
            ["body", "x [m]", "y [m]", "z [m]", "moved [m]"],
            [(n, *x, m) for n, x, m in zip(self.bodies, self.position.tolist(), self.moved.tolist())],
        )
        if len(self.reactions):
            text += table(
                ["joint", "fx [N]", "fy [N]", "fz [N]", "tx [N m]", "ty [N m]", "tz [N m]"],
                [(n, *r) for n, r in zip(self.joints, self.reactions.tolist())],
            )
        return text + self.messages

    def as_dict(self) -> dict[str, Any]:
        return {
            "bodies": {
                n: {"position": x, "moved": m} for n, x, m in zip(self.bodies, self.position, self.moved)
            },
            "joints": {n: {"force": r[:3], "torque": r[3:]} for n, r in zip(self.joints, self.reactions)},
            "newton": [{"load": a, "unbalanced": b, "step": c} for a, b, c in self.steps],
            "stiffnesses": self.stiffnesses,
            "stable": self.stable,
            "messages": self.messages,
        }


def static(problem: Problem, load_steps: int = 1) -> StaticReport:
    """The equilibrium that Newton's method finds from the present, assembled state. Raises PhysicsError if
    it finds none.
    """
    state, names = problem[State], problem.names
    state.v[:] = 0.0
    problem.check(entries.evaluate(problem.addresses))
    start, before, turns = (
        state.q.copy(),
        problem[Markers].x[names.body_marker].copy(),
        problem[Measures].last.copy(),
    )
    steps: list[tuple[float, float, float]] = []
    messages = []
    for count in dict.fromkeys((load_steps, 10 * load_steps)):
        state.q[:], problem[Measures].last[:] = start, turns
        problem.check(entries.evaluate(problem.addresses))
        steps.clear()
        first = unbalanced(problem, null_space(problem))[0]
        for load in np.linspace(0.0, 1.0, count + 1)[1:]:
            good = balance(problem, (1.0 - load) * first, float(load), steps)
            if not good:
                break
        if good:
            break
        messages = [f"no equilibrium with the full load at once; {10 * load_steps} load steps were used"]
    if not good:
        raise no_balance(problem)
    free = null_space(problem)
    _, lam = unbalanced(problem, free)
    values = eigenvalues(free.N.T @ stiffness(problem, lam) @ free.N)
    largest = np.abs(values).max(initial=0.0)
    x = problem[Markers].x[names.body_marker].copy()
    return StaticReport(
        states=States(
            state.time.copy(),
            state.q[None].copy(),
            np.zeros((1, problem.nv)),
            np.zeros((1, problem.nv)),
            lam[None],
        ),
        bodies=names.bodies,
        moved=np.linalg.norm(x - before, axis=1),
        position=x,
        steps=steps,
        stiffnesses=values,
        stable=bool((values > SOFT * largest).all()) if len(values) else True,
        joints=[joint.name for joint in names.joints],
        messages=messages,
    )


def unbalanced(problem: Problem, free: NullSpace) -> tuple[Array, Array]:
    """h + Gᵀλ (nv,), and the λ (nc,) that minimizes it in the norm of M⁻¹."""
    h, rows = problem[Bodies].h.copy(), problem[Rows]
    lam = np.zeros(problem.nc)
    lam[rows.active == 1] = -free.to_lam @ h
    return h + problem.sparse_jacobian().T @ lam, lam


def largest_force(problem: Problem, lam: Array) -> float:
    """Reference for unbalanced forces: the largest force that acts [N, or N·m per size]."""
    wrench, size = np.abs(problem[Wrenches].wrench.reshape(-1, 6)), problem.names.size
    force, torque = wrench[:, :3].max(initial=0.0), wrench[:, 3:].max(initial=0.0) / size
    return float(
        max(np.abs(problem[Bodies].h).max(initial=0.0), force, torque, np.abs(lam).max(initial=0.0), 1e-300)
    )


def balance(problem: Problem, taken: Array, load: float, steps: list[tuple[float, float, float]]) -> bool:
    """Newton on h − taken + Gᵀλ = 0 from the present position. True if it ends in equilibrium."""
    size = problem.names.size
    for k in range(STEPS):
        free = null_space(problem)
        h = problem[Bodies].h - taken
        rows_on = problem[Rows].active == 1
        lam = np.zeros(problem.nc)
        lam[rows_on] = -free.to_lam @ h
        scale = largest_force(problem, lam)
        rest = h + problem.sparse_jacobian().T @ lam
        level = float(np.abs(rest).max(initial=0.0)) / scale
        if not np.isfinite(level):
            return False
        r = free.N.T @ h
        y = newton_direction(
            free.N.T @ stiffness(problem, lam) @ free.N, r, level, level > FAR and k < DOWNHILL
        )
        dq = free.N @ y
        # the remaining force and the step are both rounding errors
        reach = stride(problem, dq)
        steps.append((load, level, reach))
        if (level <= BALANCED and reach <= 1e-9 * max(1.0, size)) or not len(y):
            return True
        if len(steps) > 3 and level <= 1e-9 and reach >= 0.3 * steps[-2][2] and reach <= 1e-7:
            return True
        dq *= min(1.0, STRIDE / reach) if reach > 0 else 1.0
        if not go(problem, dq, taken, reach <= 1e-4):
            return False
        count_turns(problem)
    return False


def count_turns(problem: Problem) -> None:
    """Continue angles from here: the equilibrium may be several turns away."""
    problem.check(entries.call_purpose(problem.addresses, COORDINATE))
    problem[Measures].last[:] = problem[Measures].value


def newton_direction(K: Array, r: Array, level: float, far: bool) -> Array:
    """y with K y = r; if K is symmetric, or far from equilibrium, with absolute values of the eigenvalues
    of its symmetric part.

    Under rotations the derivative of an unbalanced torque has an unsymmetric part, which vanishes at
    equilibrium.
    """
    if not len(r):
        return r
    if not far and np.abs(K - K.T).max() > SYMMETRIC * np.abs(K).max():
        # off equilibrium, a direction without stiffness gets one of the size of the unbalanced force
        return np.asarray(np.linalg.lstsq(K, r, rcond=min(0.1, max(1e-8, 3.0 * level)))[0])
    values, vectors = np.linalg.eigh(0.5 * (K + K.T))
    size = np.abs(values)
    soft = size <= SOFT * size.max()
    along = vectors.T @ r
    # a direction without stiffness: the largest step if a force acts along it, else none
    pulled = np.abs(along) > 1e-9 * max(np.abs(along).max(), 1e-300)
    return np.asarray(
        vectors
        @ np.where(
            soft, np.where(pulled & (np.abs(along) > 0), along * 1e6, 0.0), along / np.where(soft, 1.0, size)
        )
    )


def stride(problem: Problem, dq: Array) -> float:
    """Largest translation [sizes] or rotation [rad] of a body by δ."""
    state, markers, at = problem[State], problem[Markers], problem.names.body_marker
    state.v[:] = dq
    problem.check(entries.evaluate(problem.addresses))
    reach = max(
        np.linalg.norm(markers.v[at], axis=1).max() / problem.names.size,
        np.linalg.norm(markers.w[at], axis=1).max(),
    )
    state.v[:] = 0.0
    problem.check(entries.evaluate(problem.addresses))
    return float(reach)


def go(problem: Problem, dq: Array, taken: Array, near: bool) -> bool:
    """Move by δ, or by less if the force along it would change sign. False if the constraints cannot be
    closed.
    """
    state = problem[State]
    q = state.q.copy()
    slope = float((problem[Bodies].h - taken) @ dq)
    for _ in range(12):
        moved(problem, q, dq)
        status, worst = entries.assemble_positions(problem.addresses, problem.names.size)
        problem.check(status)
        problem.check(entries.evaluate(problem.addresses))
        closed = worst <= 1e-9
        if closed and near:
            return True
        if closed:
            # project δ: constraint forces do no work on it to first order
            free = null_space(problem)
            here = free.N @ np.linalg.lstsq(free.N, dq, rcond=None)[0]
            after = float((problem[Bodies].h - taken) @ here)
            if after >= -0.5 * abs(slope):
                return True
        dq = 0.5 * dq
        slope *= 0.5
    return bool(closed)


def eigenvalues(K: Array) -> Array:
    """Real parts of the eigenvalues in ascending order."""
    if not len(K):
        return np.zeros(0)
    if np.abs(K - K.T).max() <= SYMMETRIC * np.abs(K).max():
        return np.asarray(np.linalg.eigvalsh(0.5 * (K + K.T)))
    return np.asarray(np.sort(np.linalg.eigvals(K).real))


def no_balance(problem: Problem) -> PhysicsError:
    """The error if no equilibrium was found; names the body with the largest unbalanced force."""
    free = null_space(problem)
    rest, _ = unbalanced(problem, free)
    names, worst, body = problem.names, -1.0, ""
    for k, number in enumerate(names.body_index):
        v0, nv = problem[Bodies].index[number][["first_v", "nv"]]
        pull = float(np.abs(rest[v0 : v0 + nv]).max())
        if pull > worst or not np.isfinite(pull):
            worst, body = pull, names.bodies[k]
    return PhysicsError(
        f'static analysis found no equilibrium: body "{body}" keeps an unbalanced force of '
        f"{worst:.3g} N or N m; constrain bodies that can move without limit (`mbplugin check` counts "
        "the degrees of freedom), start nearer to the equilibrium, or use more --load-steps",
        time=float(problem[State].time[0]),
    )
