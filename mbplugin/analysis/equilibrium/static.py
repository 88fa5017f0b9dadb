"""Static analysis: a position at rest in which all forces are in balance.

    h(q, v = 0) + Gᵀ λ = 0,   Φ(q) = 0

Newton's method in the motions N that the constraints leave (G N = 0, Nᵀ M N = 1), with K = −∂(h + Gᵀλ)/∂q and
the λ that fits best:

    Nᵀ K N y = Nᵀ h,   q ← q ⊕ N y,   then back onto Φ = 0

Where NᵀKN is symmetric (or far from balance, where turns make it look otherwise) the sizes of its eigenvalues
are taken in their place, so that a step goes down the potential also where it is not convex, and ends in a
stable position. A step is shortened where a body would go too far at once, or where the force along it turns
round. In load steps, the unbalanced force r₀ of the start is taken away part by part: h − (1 − s) r₀ is in
balance at s = 0 already.
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

#: unbalanced force, relative to the largest force, that counts as none; no more steps than these for each
#: load
BALANCED, STEPS = 1e-11, 200
#: unbalanced force, relative to the largest, from which on balance is far
FAR = 1e-3
#: steps after which forces are taken to have no potential, so that there is no way down
DOWNHILL = 40
#: what a body may move [sizes] and turn [rad] in one step
STRIDE = 0.25
#: eigenvalues of NᵀKN beside the largest that are no stiffness, and part of it that is asymmetric beside
#: rounding
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
        found = [
            f"balance after {len(self.steps)} Newton steps; unbalanced force {self.steps[-1][1]:.1e} of the largest"
            if self.steps
            else "in balance"
        ]
        if len(self.stiffnesses):
            kind = "stable"
            if not self.stable:
                kind = (
                    "NOT stable: it does not come back after a push"
                    if self.unstable
                    else "indifferent: some motion meets no stiffness"
                )
            found.append(
                f"the position is {kind} (least eigenvalue of the stiffness {self.stiffnesses[0]:.6g} 1/s2)"
            )
        found += table(
            ["load", "unbalanced", "step"], [tuple(f"{x:.3g}" for x in step) for step in self.steps[-8:]]
        )
        found += table(
            ["body", "x [m]", "y [m]", "z [m]", "moved [m]"],
            [(n, *x, m) for n, x, m in zip(self.bodies, self.position.tolist(), self.moved.tolist())],
        )
        if len(self.reactions):
            found += table(
                ["joint", "fx [N]", "fy [N]", "fz [N]", "tx [N m]", "ty [N m]", "tz [N m]"],
                [(n, *r) for n, r in zip(self.joints, self.reactions.tolist())],
            )
        return found + self.messages

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
    """The equilibrium that Newton's method finds from the present, assembled state. Raises PhysicsError where
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
        messages = [f"the whole load at once led to no balance; {10 * load_steps} load steps were taken"]
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
    """h + Gᵀλ (nv,) and the λ (nc,) that makes it least in the norm of M⁻¹."""
    h, rows = problem[Bodies].h.copy(), problem[Rows]
    lam = np.zeros(problem.nc)
    lam[rows.active == 1] = -free.to_lam @ h
    return h + problem.sparse_jacobian().T @ lam, lam


def largest_force(problem: Problem, lam: Array) -> float:
    """What an unbalanced force is compared with: the largest that acts [N, or N·m per size]."""
    wrench, size = np.abs(problem[Wrenches].wrench.reshape(-1, 6)), problem.names.size
    force, torque = wrench[:, :3].max(initial=0.0), wrench[:, 3:].max(initial=0.0) / size
    return float(
        max(np.abs(problem[Bodies].h).max(initial=0.0), force, torque, np.abs(lam).max(initial=0.0), 1e-300)
    )


def balance(problem: Problem, taken: Array, load: float, steps: list[tuple[float, float, float]]) -> bool:
    """Newton on h − taken + Gᵀλ = 0 from the present position. True where it ends in balance."""
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
        # what is left of the force, and the way to balance, are both rounding
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
    """Angles count on from here: a balance may be turns away."""
    problem.check(entries.call_purpose(problem.addresses, COORDINATE))
    problem[Measures].last[:] = problem[Measures].value


def newton_direction(K: Array, r: Array, level: float, far: bool) -> Array:
    """y with K y = r; far from balance or where K is symmetric, with the sizes of the eigenvalues (of its
    symmetric part) in their place.

    Along a turn the derivative of an unbalanced torque has a part without symmetry, which vanishes in
    balance.
    """
    if not len(r):
        return r
    if not far and np.abs(K - K.T).max() > SYMMETRIC * np.abs(K).max():
        # a direction without stiffness has, off balance, one of the size of what is unbalanced
        return np.asarray(np.linalg.lstsq(K, r, rcond=min(0.1, max(1e-8, 3.0 * level)))[0])
    values, vectors = np.linalg.eigh(0.5 * (K + K.T))
    size = np.abs(values)
    soft = size <= SOFT * size.max()
    along = vectors.T @ r
    # a direction without stiffness: as far as a stride allows where a force pulls along it, else not at all
    pulled = np.abs(along) > 1e-9 * max(np.abs(along).max(), 1e-300)
    return np.asarray(
        vectors
        @ np.where(
            soft, np.where(pulled & (np.abs(along) > 0), along * 1e6, 0.0), along / np.where(soft, 1.0, size)
        )
    )


def stride(problem: Problem, dq: Array) -> float:
    """How far δ moves or turns some body: the larger of sizes and radians."""
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
    """Move by δ, or by less where the force along it would turn round. False where the constraints cannot be
    closed any more.
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
            # δ is carried along: the constraints' share of the force does no work on it to first order
            free = null_space(problem)
            here = free.N @ np.linalg.lstsq(free.N, dq, rcond=None)[0]
            after = float((problem[Bodies].h - taken) @ here)
            if after >= -0.5 * abs(slope):
                return True
        dq = 0.5 * dq
        slope *= 0.5
    return bool(closed)


def eigenvalues(K: Array) -> Array:
    """Real parts of the eigenvalues, the least first."""
    if not len(K):
        return np.zeros(0)
    if np.abs(K - K.T).max() <= SYMMETRIC * np.abs(K).max():
        return np.asarray(np.linalg.eigvalsh(0.5 * (K + K.T)))
    return np.asarray(np.sort(np.linalg.eigvals(K).real))


def no_balance(problem: Problem) -> PhysicsError:
    """Which body is pulled where no balance was found."""
    free = null_space(problem)
    rest, _ = unbalanced(problem, free)
    names, worst, body = problem.names, -1.0, ""
    for k, number in enumerate(names.body_index):
        v0, nv = problem[Bodies].index[number][["first_v", "nv"]]
        pull = float(np.abs(rest[v0 : v0 + nv]).max())
        if pull > worst or not np.isfinite(pull):
            worst, body = pull, names.bodies[k]
    return PhysicsError(
        f'static analysis found no position in balance: body "{body}" is left with {worst:.3g} N or N m; hold what can move without end (`mbplugin check` counts '
        "freedoms), start nearer to the balance, or take more --load-steps",
        time=float(problem[State].time[0]),
    )
