"""Laws that every run obeys, from recorded states and impulses, in plain numpy: nothing of the step is used.

Each function returns how far the run misses its law, in parts of what is allowed: above 1 it breaks it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import mechanics
import numpy as np
from generated import CELL, GRAVITY, Scene
from geometry import Shapes
from mechanics import Mechanism, Touch
from recorded import Given, Run, Step, rotated
from scipy.optimize import minimize_scalar

Array = Any
#: rounding of a sum of some tens of parts of mixed signs, through a matrix of a few bodies
ROUNDING = 1e-14
#: steps from one search for overlap to the next
SPARSE = 8


class Miss(NamedTuple):
    """The worst place of a run."""

    ratio: float  # of what is allowed
    where: str

    def __str__(self) -> str:
        return f"{self.ratio:.3g} times what is allowed, {self.where}"


def worst(misses: list[Miss]) -> Miss:
    return max(misses, default=Miss(0.0, "nowhere"), key=lambda miss: miss.ratio)


def known(run: Run) -> list[tuple[int, Step]]:
    """The steps of which impulses are known, with their numbers."""
    return [(k, step) for k, step in enumerate(run.steps) if step is not None]


def middle(run: Run, body: str, k: int) -> Array:
    """(3, 3) axes of a body in the middle of step k: exp(½ h ω₀) R₀."""
    h = run.steps[k].end - run.steps[k].start
    return rotated(0.5 * h * run.w[body][k]) @ run.R[body][k]


def spins(run: Run, body: str, k: int) -> tuple[Array, Array]:
    """ω before and after step k, in axes of the body."""
    R, w = run.R[body], run.w[body]
    return R[k].T @ w[k], R[k + 1].T @ w[k + 1]


def momentum(run: Run, scene: Scene) -> Miss:
    """m Δv = Σ P and R_m J Δω = Σ L in every step, for every body."""
    misses, mechanism = [], Mechanism(scene, run)
    # of a body that another one has stopped its velocity is rounding of that before
    stopped = np.finfo(float).eps * max(float(np.abs(v).max()) for v in run.v.values())
    for k, step in known(run):
        poses = mechanism.middle(k)
        for body in run.bodies:
            here = [i for i, name in enumerate(step.body) if name == body.name]
            P, L = step.impulse[here], step.angular[here]
            v0, v1 = run.v[body.name][k], run.v[body.name][k + 1]
            reach = 1.0 + np.linalg.norm(run.x[body.name][k])
            size = np.abs(P).sum() + body.mass * (np.abs(v0).sum() + np.abs(v1).sum())
            linear = P.sum(axis=0) - body.mass * (v1 - v0)
            where = f"step {k}, {body.name}"
            if body.type == "planar":
                linear = linear[[0, 2]]
            allowed = ROUNDING * size + body.mass * stopped + 1e-300
            misses.append(Miss(np.abs(linear).max() / allowed, f"{where}, m Δv"))
            if body.type == "spatial":
                w0, w1 = spins(run, body.name, k)
                found = L.sum(axis=0) - poses[body.name].R @ body.inertia @ (w1 - w0)
                spin = np.abs(body.inertia).max() * (np.abs(w0).sum() + np.abs(w1).sum())
                allowed = ROUNDING * (np.abs(L).sum() + reach * size + spin)
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
    if step is None:
        return found
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
    names |= {f"{joint.name} motion" for joint in scene.joints if joint.motion or joint.shifts}
    names |= {keys["name"] for joint in scene.joints for keys in joint.shifts if "name" in keys}
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
    # what a step did that the solver has not shown counts as work
    unseen = np.array([step is None for step in run.steps], bool)
    hidden = np.concatenate([[0.0], np.cumsum(np.where(unseen, np.diff(T + V), 0.0))])
    balance = T + V - added_work(run, scene) - hidden
    # what a penalty has taken up it may give back
    soft = any(joint.penalty for joint in scene.joints)
    grown = balance - (balance[0] if soft else np.minimum.accumulate(balance))
    scale = float(T.max() + np.ptp(V))
    k = int(np.argmax(grown))
    # what hangs swings, if it does nothing else
    fastest = max(rate(run, scene), np.sqrt(GRAVITY / CELL))
    allowed = scale * part * (run.h * fastest) ** 2 + 1e-12 * (scale + np.abs(V).max())
    # impulses in impacts are known to the residual of the step
    allowed += 1e-9 * scale
    if scene.start == "sunk":
        # overlap that `separate` leaves, 1e-6 of the smallest size, is lifted in the first steps
        allowed += 1e-7 * GRAVITY * sum(body.mass for body in run.bodies)
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
    step = run.steps[k]
    return step is None or any(name.startswith("contact with") for name in step.element)


def no_jump(run: Run, scene: Scene, part: float) -> Miss:
    """Where no contact is loaded in three neighbouring steps, the second Δv is the mean of the others up to
    part h Ω of the largest Δv without a contact, which is at least g h.
    """
    misses = []
    lengths = np.diff(run.time)
    whole = np.abs(lengths - run.h) < 1e-9 * run.h
    quiet = [
        not any(a - run.h <= time <= b + run.h for time in scene.jumps)
        for a, b in zip(run.time, run.time[1:])
    ]
    free = np.array([not loaded(run, k) for k in range(len(run.steps))], bool) & whole & np.array(quiet, bool)
    first = np.flatnonzero(free[2:] & free[1:-1] & free[:-2])
    for body in run.bodies if len(first) else []:
        change = np.diff(run.v[body.name], axis=0)
        jumps = np.linalg.norm(change[first + 2] - 2.0 * change[first + 1] + change[first], axis=1)
        size = max(float(np.linalg.norm(change[free], axis=1).max()), 9.81 * run.h)
        k = int(np.argmax(jumps))
        allowed = part * run.h * rate(run, scene) * size + 1e-12
        where = f"step {first[k] + 1}, {body.name}: Δv jumps by {jumps[k]:.3g} m/s"
        misses.append(Miss(float(jumps[k]) / allowed, where))
    return worst(misses)


class Past(NamedTuple):
    """A contact in the step before: its normal, and relative velocities at the start and the end."""

    normal: Array
    before: Array
    after: Array


def across(u: Array, n: Array) -> Array:
    """The part of u across n."""
    return u - (n @ u) * n


class Law:
    """What a run is asked of its contacts and joints, step by step."""

    def __init__(self, run: Run, scene: Scene) -> None:
        self.run, self.scene = run, scene
        self.mechanism, self.shapes = Mechanism(scene, run), Shapes(scene, run)
        #: a contact that was loaded need not close a smaller gap
        self.close = 1e-7 * self.shapes.least
        poses, times = mechanics.middle(run, 0), run.time
        #: of motions in the run
        self.fastest = max(float(np.abs(self.mechanism.rows(poses, t)[1]).max(initial=0.0)) for t in times)

    def velocities(self, k: int) -> tuple[Array, Array]:
        """(6 n,) at the start of step k, and at its end before the projection; ω as in its middle."""
        start = [{name: values[k] for name, values in of.items()} for of in (self.run.v, self.run.w)]
        return mechanics.stacked(self.run, *start), mechanics.stacked(
            self.run, self.run.steps[k].v, self.run.steps[k].w
        )

    def statements(self, touch: Touch, u0: Array, h: float, past: Past | None) -> list[tuple[float, Array]]:
        """Velocities b at which the law 0 ≤ u + b ⊥ r may be stated, along the normal and across it: at the
        end of the step, or at its mean velocity.
        """
        n = touch.normal
        closing = max(touch.gap, 0.0) / h
        normal = [closing, 0.0] if touch.gap <= self.close else [closing]
        tangent = [np.zeros(3)]
        if past is not None:
            # normals and tangents have turned since the last step: half of that is left at the end
            excess = max(touch.gap - self.close, 0.0) / h
            normal.append(0.5 * (n @ u0 - past.normal @ past.after) + excess)
            slip = across(u0, n)
            change = across(across(past.after, past.normal) - across(past.before, past.normal), n)
            tangent.append(0.5 * (slip - across(across(past.after, past.normal), n)))
            if slip @ slip > 0.0:
                tangent.append(0.5 * ((change @ slip) / (slip @ slip) * slip - change))
        e = self.scene.restitution
        if e > 0.0 and n @ u0 < -2.0 * GRAVITY * h * (1.0 - 1e-9):
            normal.append(e * float(n @ u0))
        return [(a, b) for a in normal for b in tangent]

    def stated(
        self, touch: Touch, v0: Array, v1: Array, inverse: Array, h: float, past: Past | None, in_turn: bool
    ) -> tuple[float, float, Array]:
        """|r − P(r − ρ ũ)| / ρ [m/s] of the statement that it misses least, and that statement."""
        n, r, G = touch.normal, touch.impulse, touch.G
        rho = 3.0 / mechanics.trace(touch, inverse)
        u, u0 = G @ v1, G @ v0
        stated = self.statements(touch, u0, h, past)
        least = min(a for a, _ in stated)
        if in_turn and r.any():
            # what is struck in turn ends with other velocities than those of its own blow
            return 0.0, -float(n @ u), -across(u, n)
        if self.scene.friction > 0.0 and least < 0.0:
            # with friction the rebound may be smaller, so that no energy is added
            stated.append((float(np.clip(-n @ u, least, 0.0)), np.zeros(3)))
        misses = []
        for a, b in stated:
            slip = across(u, n) + b
            shifted = slip + (n @ u + a + touch.friction * np.linalg.norm(slip)) * n
            miss = float(np.linalg.norm(r - on_cone(r - rho * shifted, n, touch.friction))) / rho
            misses.append((miss, a, b))
        return min(misses, key=lambda one: one[0])

    def past(self, k: int) -> dict[int, Past]:
        """What contacts of step k did there, by identity."""
        if k < 0 or self.run.steps[k] is None:
            return {}
        touches = mechanics.touches(self.run, k, self.mechanism.middle(k))
        v0, v1 = self.velocities(k)
        return {touch.identity: Past(touch.normal, touch.G @ v0, touch.G @ v1) for touch in touches}

    def struck_in_turn(self, touches: list[Touch], v0: Array, h: float) -> bool:
        """Whether a body is struck over a gap that it did not close at the start of the step, or may wait
        for an impact of others, or of a limit.
        """
        if self.scene.in_turn:
            hit = [(float(t.normal @ t.G @ v0), t.gap) for t in touches if t.impulse.any()]
            # at once: fast enough, and over a gap that is closed in h whatever forces do, or may be so
            least = 2.0 * GRAVITY * h
            surely = [rate < -least and gap + h * (rate + least) < 0.0 for rate, gap in hit]
            perhaps = [rate < -least and gap + h * (rate - least) < 0.0 for rate, gap in hit]
            limited = any("limits" in joint.keys or joint.type == "rope" for joint in self.scene.joints)
            return limited or (any(perhaps) and not all(surely))
        if self.scene.restitution == 0.0:
            return False
        for touch in touches:
            u0 = float(touch.normal @ touch.G @ v0)
            alone = u0 < -2.0 * GRAVITY * h and touch.gap + h * u0 < -self.close
            if touch.gap > self.close and touch.impulse.any() and not alone:
                return True
        return False

    def misses(self, k: int) -> dict[str, float]:
        """What step k misses [m/s]: the worst contact, row of joints, and balance of momentum."""
        run, step = self.run, self.run.steps[k]
        h = step.end - step.start
        poses = self.mechanism.middle(k)
        inverse = mechanics.inverse_mass(run, poses)
        v0, v1 = self.velocities(k)
        touches = mechanics.touches(run, k, poses)
        past, in_turn = self.past(k - 1), self.struck_in_turn(touches, v0, h)
        contacts = [
            self.stated(touch, v0, v1, inverse, h, past.get(touch.identity), in_turn)[0] for touch in touches
        ]
        for i, touch in enumerate(touches):
            if not touch.impulse.any() and contacts[i] > 1e-6 * GRAVITY * h:
                # what does not meet on its way needs no impulse, whatever its present normal says
                overlap = -self.nearest(touch.shapes, run, poses, v1, h) - self.shapes.exact(*touch.shapes)
                contacts[i] = max(overlap, 0.0) / h
        rows, rates = self.mechanism.rows(poses, 0.5 * (step.start + step.end))
        size = np.sqrt(np.einsum("ij,jk,ik->i", rows, inverse, rows))
        # motions hold their acceleration, which is as much beside the mean velocity as that changes in h
        beside = 0.5 * (h * rate(run, self.scene)) ** 2 * self.fastest * (rates != 0.0)
        struck = [t.gap > self.close or t.normal @ t.G @ v0 < -2.0 * GRAVITY * h for t in touches]
        if any(touch.impulse.any() and hit for touch, hit in zip(touches, struck)):
            beside = np.where(rates != 0.0, np.inf, beside)  # by as much as a blow turns axes in h
        open = np.maximum(np.abs(rows @ (v0 + v1) - 2.0 * rates) - beside, 0.0)
        open /= np.where(size > 0.0, size, 1.0)
        masses = [3.0 / mechanics.trace(touch, inverse) for touch in touches]
        # without contacts nothing is claimed: rows are then solved to rounding
        joints = float(open.max(initial=0.0)) / np.sqrt(np.mean(masses)) if masses else 0.0
        return {
            "contacts": max(contacts, default=0.0),
            "joints": joints,
            "lists": self.unlisted(k, touches, inverse),
        }

    def unlisted(self, k: int, touches: list[Touch], inverse: Array) -> float:
        """How far impulses of the list of contacts are from those that bodies got, as velocities [m/s],
        beyond rounding: those of bodies that jam cancel, and points are rounded as their coordinates are.
        """
        step = self.run.steps[k]
        of_contacts = [i for i, name in enumerate(step.element) if name.startswith("contact with")]
        told = np.zeros(len(inverse))
        for place, body in enumerate(self.run.bodies):
            here = [i for i in of_contacts if step.body[i] == body.name]
            told[6 * place : 6 * place + 3] = step.impulse[here].sum(axis=0)
            told[6 * place + 3 : 6 * place + 6] = step.angular[here].sum(axis=0)
        listed = sum((touch.G.T @ touch.impulse for touch in touches), np.zeros(len(inverse)))
        sizes = np.zeros(len(inverse))
        for touch in touches:
            arms = np.abs(touch.G.T) + (touch.G.T != 0.0) * np.linalg.norm(touch.xb)
            sizes += arms @ np.abs(touch.impulse)
        off = np.abs(inverse @ (listed - told)) - ROUNDING * np.abs(inverse) @ sizes
        return float(off.max(initial=0.0))

    def spin(self, step: Step, shape: int) -> float:
        """Of the body of a shape [rad/s]."""
        return float(np.linalg.norm(step.w.get(self.shapes.placed[shape].body, np.zeros(3))))

    def nearest(self, shapes: tuple[int, int], run: Run, poses: Any, v: Array, h: float) -> float:
        """The least gap of two shapes on the way that their bodies go from `poses` in h at v (6 n,) [m]."""
        names = [body.name for body in run.bodies]
        linear = {name: v[6 * i : 6 * i + 3] for i, name in enumerate(names)}
        angular = {name: v[6 * i + 3 : 6 * i + 6] for i, name in enumerate(names)}
        gap = lambda t: self.shapes.gap(*shapes, mechanics.moved(run, 0, t, linear, angular, poses))
        end = min(gap(h), self.shapes.gap(*shapes[::-1], mechanics.moved(run, 0, h, linear, angular, poses)))
        if end <= self.close:
            return end
        found = minimize_scalar(gap, bounds=(0.0, h), method="bounded", options={"xatol": 1e-3 * h})
        return min(end, float(found.fun))


def on_cone(r: Array, n: Array, mu: float) -> Array:
    """The nearest point of Coulomb's cone about n."""
    normal = float(r @ n)
    tangent = r - normal * n
    size = float(np.linalg.norm(tangent))
    if normal <= -mu * size:
        return np.zeros(3)
    if size <= mu * normal:
        return r
    along = (normal + mu * size) / (1.0 + mu * mu)
    return along * (n + (mu / size * tangent if size > 0.0 else 0.0))


def residual(run: Run, scene: Scene) -> Miss:
    """The law of contacts and the rows of joints, each at its own velocity, are missed by no more than the
    run claims of its step.
    """
    law, misses = Law(run, scene), []
    for k, step in known(run):
        speed = max(float(np.abs(np.concatenate([*step.v.values(), *step.w.values()])).max()), 1.0)
        for what, found in law.misses(k).items():
            # joints: their rows have other axes here
            allowed = (
                (1.01 if what == "contacts" else 3.0) * step.residual + 1e-12 * speed + 1e-9 * GRAVITY * run.h
            )
            misses.append(Miss(found / allowed, f"step {k}, {what}: {found:.3g} m/s"))
    return worst(misses)


def closing(run: Run, scene: Scene) -> Miss:
    """Impulses act only between bodies that meet in the step, by the gaps of coal: with the velocities before
    it, or with those that they would have without the impulses between them. Gaps of contacts are coal's, and
    what overlaps has a contact (looked at in every eighth step).
    """
    law, misses = Law(run, scene), []
    for k, step in known(run):
        h = step.end - step.start
        poses = law.mechanism.middle(k)
        v0, v1 = law.velocities(k)
        inverse = mechanics.inverse_mass(run, poses)
        rows, _ = law.mechanism.rows(poses, 0.5 * (step.start + step.end))
        touches = mechanics.touches(run, k, poses)
        least = {touch.shapes: min(t.gap for t in touches if t.shapes == touch.shapes) for touch in touches}
        for shapes, gap in least.items():
            where = f"step {k}, shapes {shapes}"
            exact = law.shapes.exact(*shapes)
            off = min(abs(law.shapes.gap(*order, poses) - gap) for order in (shapes, shapes[::-1]))
            misses.append(Miss(off / exact, f"{where}: the gap {gap:.3g} m is off by {off:.3g} m"))
            of_pair = [touch for touch in touches if touch.shapes == shapes]
            if gap <= law.close or not any(touch.impulse.any() for touch in of_pair):
                continue
            pushed = inverse @ sum(touch.G.T @ touch.impulse for touch in of_pair)
            # what the joints do about it
            answer = np.linalg.lstsq(rows @ inverse @ rows.T, rows @ pushed, rcond=1e-10)[0]
            free = v1 - pushed + inverse @ rows.T @ answer
            ways = [law.nearest(shapes, run, poses, v, h) for v in (v0, free)]
            # a point that rotates is so far beside a straight way
            beside = sum(law.shapes.arm(i) * (h * law.spin(step, i)) ** 2 for i in shapes)
            allowed = law.close + exact + beside
            misses.append(Miss(min(ways) / allowed, f"{where}: they stay {min(ways):.3g} m apart"))
        if k % SPARSE == 0:
            for shapes in law.shapes.pairs:
                if shapes not in least and shapes[::-1] not in least:
                    overlap = -law.shapes.gap(*shapes, poses)
                    where = f"step {k}, shapes {shapes}: no contact, though they overlap by {overlap:.3g} m"
                    misses.append(Miss(overlap / law.shapes.exact(*shapes), where))
    return worst(misses)
