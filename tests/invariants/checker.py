"""Laws that every run obeys, from recorded states and impulses, in plain numpy: nothing of the step is used.

Each function returns how far the run misses its law, in parts of what is allowed: above 1 it breaks it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from generated import Scene
from recorded import Given, Run, rotated

Array = Any
#: rounding of a sum of some tens of parts of mixed signs, through a matrix of a few bodies
ROUNDING = 1e-14
#: of the mass times the residual of the step, by which momentum may be open: see `LEFT_OUT`
OPEN = 10.0


class Miss(NamedTuple):
    """The worst place of a run."""

    ratio: float  # of what is allowed
    where: str

    def __str__(self) -> str:
        return f"{self.ratio:.3g} times what is allowed, {self.where}"


def worst(misses: list[Miss]) -> Miss:
    return max(misses, default=Miss(0.0, "nowhere"), key=lambda miss: miss.ratio)


def middle(run: Run, body: str, k: int) -> Array:
    """(3, 3) axes of a body in the middle of step k: exp(½ h ω₀) R₀."""
    h = run.steps[k].end - run.steps[k].start
    return rotated(0.5 * h * run.w[body][k]) @ run.R[body][k]


def spins(run: Run, body: str, k: int) -> tuple[Array, Array]:
    """ω before and after step k, in axes of the body."""
    R, w = run.R[body], run.w[body]
    return R[k].T @ w[k], R[k + 1].T @ w[k + 1]


def momentum(run: Run) -> Miss:
    """m Δv = Σ P and R_m J Δω = Σ L in every step, for every body."""
    misses = []
    for k, step in enumerate(run.steps):
        for body in run.bodies:
            here = [i for i, name in enumerate(step.body) if name == body.name]
            P, L = step.impulse[here], step.angular[here]
            v0, v1 = run.v[body.name][k], run.v[body.name][k + 1]
            reach = 1.0 + np.linalg.norm(run.x[body.name][k])
            size = np.abs(P).sum() + body.mass * (np.abs(v0).sum() + np.abs(v1).sum())
            open_by = OPEN * body.mass * min(step.residual, 1e-5 * (step.end - step.start))
            linear = P.sum(axis=0) - body.mass * (v1 - v0)
            where = f"step {k}, {body.name}"
            if body.type == "planar":
                linear = linear[[0, 2]]
            misses.append(Miss(np.abs(linear).max() / (ROUNDING * size + open_by + 1e-300), f"{where}, m Δv"))
            if body.type == "spatial":
                w0, w1 = spins(run, body.name, k)
                found = L.sum(axis=0) - middle(run, body.name, k) @ body.inertia @ (w1 - w0)
                spin = np.abs(body.inertia).max() * (np.abs(w0).sum() + np.abs(w1).sum())
                allowed = ROUNDING * (np.abs(L).sum() + reach * size + spin) + reach * open_by
                misses.append(Miss(np.abs(found).max() / (allowed + 1e-300), f"{where}, J Δω"))
    return worst(misses)


def kinetic(run: Run, body: Given) -> Array:
    """(n + 1,) [J]"""
    v, w, R = run.v[body.name], run.w[body.name], run.R[body.name]
    translation = 0.5 * body.mass * np.einsum("ni,ni->n", v, v)
    if body.type == "point":
        return translation
    spin = np.einsum("nji,nj->ni", R, w)
    return translation + 0.5 * np.einsum("ni,ij,nj->n", spin, body.inertia, spin)


def potential(run: Run, scene: Scene) -> Array:
    """(n + 1,) of gravity and springs [J]."""
    total = np.zeros(len(run.time))
    for body in run.bodies:
        total -= body.mass * run.x[body.name] @ np.array(scene.gravity)
    for force in scene.forces:
        if force.type == "spring":
            a = np.array(force.anchor) if force.a == "ground" else run.x[force.a]
            stretch = np.linalg.norm(run.x[force.b] - a, axis=1) - force.length
            total += 0.5 * force.stiffness * stretch**2
    return total


def work(run: Run, k: int) -> dict[str, float]:
    """Work of each element in step k, at the mean velocity of both ends [J]."""
    step, found = run.steps[k], {}
    mean = {}
    for body in run.bodies:
        w0, w1 = spins(run, body.name, k)
        turn = middle(run, body.name, k) @ (0.5 * (w0 + w1))
        mean[body.name] = 0.5 * (run.v[body.name][k] + run.v[body.name][k + 1]), turn
    for element, body, P, L in zip(step.element, step.body, step.impulse, step.angular):
        v, w = mean[body]
        found[element] = found.get(element, 0.0) + float(P @ v + L @ w)
    return found


def added_work(run: Run, scene: Scene) -> Array:
    """(n + 1,) work that motions and forces have put in [J]."""
    names = {force.name for force in scene.forces if force.type != "spring"}
    names |= {f"{joint.name} motion" for joint in scene.joints if joint.motion}
    if not names:
        return np.zeros(len(run.time))
    each = [sum(w for name, w in work(run, k).items() if name in names) for k in range(len(run.steps))]
    return np.concatenate([[0.0], np.cumsum(each)])


def rate(run: Run, scene: Scene) -> float:
    """The fastest rate of the motion [1/s]: of rotations, springs and prescribed functions."""
    rates = [float(np.linalg.norm(w, axis=1).max()) for w in run.w.values()]
    rates += [one.rate for one in (*scene.joints, *scene.forces)]
    for force in scene.forces:
        mass = min(body.mass for body in run.bodies if body.name in (force.a, force.b))
        rates.append(float(np.sqrt(force.stiffness / mass)) + force.damping / mass)
    return max(rates)


def energy(run: Run, scene: Scene, part: float) -> Miss:
    """Kinetic and potential energy grow by no more than the work that is put in; the integrator's own error
    is of order 2: part (h Ω)² of the energies that the motion has.
    """
    T = sum(kinetic(run, body) for body in run.bodies)
    V = potential(run, scene)
    balance = T + V - added_work(run, scene)
    # what a penalty has taken up it may give back
    soft = any(joint.penalty for joint in scene.joints)
    grown = balance - (balance[0] if soft else np.minimum.accumulate(balance))
    scale = float(T.max() + np.ptp(V))
    k = int(np.argmax(grown))
    allowed = scale * part * (run.h * rate(run, scene)) ** 2 + 1e-12 * (scale + np.abs(V).max())
    return Miss(float(grown[k]) / allowed, f"at t = {run.time[k]:g} s, by {grown[k]:.3g} J of {scale:.3g} J")


def kept_energy(run: Run, scene: Scene, part: float) -> Miss:
    """Kinetic and potential energy stay, where nothing takes any: up to `part` of what the motion has."""
    V = potential(run, scene)
    E = sum(kinetic(run, body) for body in run.bodies) + V
    scale = float(np.ptp(E - V) + np.ptp(V))
    k = int(np.argmax(np.abs(E - E[0])))
    where = f"at t = {run.time[k]:g} s, {E[k] - E[0]:.3g} J of {scale:.3g} J"
    return Miss(float(abs(E[k] - E[0])) / (part * scale + 1e-12 * float(np.abs(V).max())), where)


def loaded(run: Run, k: int) -> bool:
    """Whether a contact was loaded in step k."""
    return any(name.startswith("contact with") for name in run.steps[k].element)


def no_jump(run: Run, scene: Scene, part: float) -> Miss:
    """Where no contact is loaded in three neighbouring steps, the second Δv is the mean of the others up to
    part h Ω of the largest Δv without a contact, which is at least g h.
    """
    misses = []
    free = np.array([not loaded(run, k) for k in range(len(run.steps))], bool)
    first = np.flatnonzero(free[2:] & free[1:-1] & free[:-2])
    for body in run.bodies if len(first) else []:
        change = np.diff(run.v[body.name], axis=0)
        jumps = np.linalg.norm(change[first + 2] - 2.0 * change[first + 1] + change[first], axis=1)
        size = max(float(np.linalg.norm(change[free], axis=1).max()), 9.81 * run.h)
        k = int(np.argmax(jumps))
        allowed = part * run.h * rate(run, scene) * size + 1e-13
        where = f"step {first[k] + 1}, {body.name}: Δv jumps by {jumps[k]:.3g} m/s"
        misses.append(Miss(float(jumps[k]) / allowed, where))
    return worst(misses)


def mirrored(run: Run, image: Run, allowed: float) -> Miss:
    """The image in y = 0 moves as the image of the motion: within `allowed` [m/s] of velocities."""
    misses = []
    flip, spin = np.array([1.0, -1.0, 1.0]), np.array([-1.0, 1.0, -1.0])
    for body in run.bodies:
        size = float(np.abs(body.inertia).max() / body.mass) ** 0.5 if body.type == "spatial" else 0.0
        v = np.abs(run.v[body.name] - flip * image.v[body.name]).max(axis=1)
        w = size * np.abs(run.w[body.name] - spin * image.w[body.name]).max(axis=1)
        k = int(np.argmax(np.maximum(v, w)))
        misses.append(Miss(max(v[k], w[k]) / allowed, f"at t = {run.time[k]:g} s, {body.name}"))
    return worst(misses)
