"""Steps of a run to its end, what limits them where they are many, and motions that frames or fixed steps do
not follow. All of it follows from counts of steps, so that it is the same on any machine.

The spectrum of the motion is that of A in  d/dt (δq, δv) = A (δq, δv),  δv̇ = (∂v̇/∂q) δq + (∂v̇/∂v) δv,  by
differences of the accelerations, which constraints and forces are part of. An explicit step h follows an
eigenvalue s only while h |s| is small. Other limits are compared with it as rates of the same unit [1/s]: the
spin of a body, and f''/f' and f'/f of the expressions of time.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mbplugin.errors import MbpluginError
from mbplugin.interface.solver import SolverKind
from mbplugin.model.expression import MOVING
from mbplugin.run.integrator import Stepping
from mbplugin.stepping import entries
from mbplugin.tables import tape
from mbplugin.tables.groups import Bodies, Functions, Markers, Rates, Rows, State, Wrenches
from mbplugin.tables.spec import Array

#: steps to the end of which something is told if they can be avoided, and in any case
LONG, MANY = 1e5, 1e7
#: evaluations after which the pace is looked at; then after twice as many, and so on
WINDOW = 20_000
#: velocities of the largest system whose whole spectrum is computed, and whose fastest eigenvalue is
LARGEST, LARGEST_FOR_ONE = 150, 3000
#: step times rate below which a rate does not limit the step
SMALL = 0.01
#: moments and masses below this fraction of that of a body as large as the mechanism are tiny
TINY = 1e-6
#: smallest singular value of G, of the largest, below which constraints are nearly singular, and below which
#: it is 0
NEARLY_SINGULAR, REDUNDANT = 1e-3, 1e-9
#: times at which expressions are looked at, and their distance in steps; times over a run of fixed steps
SAMPLES, APART, FEW_SAMPLES = 400, 0.25, 16
#: step times rate from which steps of fixed length are hardly stable (2 to 2.8 for vibrations)
STABLE = 2.0
#: mean step times rate from which variable steps are held short by stability: a vibration that the error
#: control sees has shorter ones
HELD = 0.7
#: periods of a motion between two frames that hardly are meant; angle in a fixed step that is too large [rad]
PERIODS, UNFOLLOWED = 10.0, 1.0


class Pace:
    """Steps of a run against simulated time. frames: of the run."""

    def __init__(self, integrator: Any, frames: int) -> None:
        self.frames = frames
        self.time, self.steps = integrator.time, int(integrator.statistics["steps"])  # at the last look
        self.next = 0  # evaluations at the next one
        self.told = False

    def room(self, evaluations: int) -> int:
        """Evaluations that are left until the next look."""
        return max(1, self.next - evaluations)

    def look(self, integrator: Any, end: float) -> str:
        """A warning, once, where the end is many steps away, or where a motion is too fast; else ""."""
        evaluations, first = int(integrator.statistics["evaluations"]), self.next == 0
        if evaluations < self.next:
            return ""
        self.next = max(self.next, WINDOW)
        while self.next <= evaluations:
            self.next *= 2
        if first:
            self.told = bool(text := self.before(integrator, end))
            return text
        steps, now = int(integrator.statistics["steps"]), float(integrator.time)
        taken, advanced = steps - self.steps, now - self.time
        self.time, self.steps = now, steps
        text = "" if self.told or now >= end else self.ahead(integrator, end, taken, advanced)
        self.told = self.told or bool(text)
        return f"t = {now:.6g} s: {text}" if text else ""

    def before(self, integrator: Any, end: float) -> str:
        """A motion that fixed steps do not follow; else ""."""
        if is_fixed(integrator) and of_time(integrator.shown):
            return limit_of(integrator, functools.partial(unfollowed, end))
        return ""

    def ahead(self, integrator: Any, end: float, taken: int, advanced: float) -> str:
        """Of a run that has advanced so far [s] in the steps taken since the last look."""
        if taken == 0 or not advanced > 0.0:
            return f"no end in sight: no step ends; {limit_of(integrator)}"
        h = advanced / taken
        left = (end - integrator.time) / h
        if left < LONG:
            return ""
        apart = end / max(self.frames - 1, 1)
        avoidable = lambda integrator, _: (
            faster_than_frames(apart, integrator, h) or stiff(apart, integrator, h)
        )
        what = f"{left:.2g} steps of {h:.2g} s to the end"
        if text := limit_of(integrator, avoidable):
            return f"{what}, limited by {text}"
        return f"{what}; {limit_of(integrator)}" if left >= MANY else ""


@dataclass
class Limit:
    """What may make steps short: a rate [1/s], and a text that says what it is and the mend."""

    rate: float
    text: str
    what: str = ""  # the text without the mend


def is_fixed(integrator: Any) -> bool:
    return isinstance(integrator, Stepping) and bool(integrator.control.fixed)


def limit_of(integrator: Any, describe: Callable[[Any, float], str] | None = None) -> str:
    """What limits the step now, and the mend; the run goes on as if nobody had looked.

    describe: what is asked instead, of the integrator and the length of its step
    """
    if not isinstance(integrator, Stepping):
        return "" if describe else "its solver does not say why"
    step, reported, saved = integrator.step, integrator.reported, integrator.save()
    h = float(step.t1 - step.t0) or float(step.h)
    try:
        with np.errstate(all="ignore"):
            integrator.show(integrator.time)
            return (describe or described)(integrator, h)
    except (MbpluginError, np.linalg.LinAlgError):
        return "" if describe else f"its steps have {h:.2g} s"
    finally:
        integrator.load(saved)
        integrator.reported = reported


def described(integrator: Any, h: float) -> str:
    problem = integrator.shown
    if integrator.control.fixed:
        return f"its steps of fixed length have {h:.2g} s: choose a longer `step`"
    found = [*spin(problem), *motions(problem, steps_from(integrator.time, h))]
    # a spin has eigenvalues of its own rate
    found += [limit for limit in spectrum(problem) if all(limit.rate > 3.0 * other.rate for other in found)]
    largest = max(found, key=lambda limit: limit.rate, default=Limit(0.0, ""))
    if h * largest.rate > SMALL:
        return f"steps of {h:.2g} s are limited by {largest.text}"
    if name := largest_error(integrator):
        what = f'the error of body "{name}" is the largest'
        return f"steps of {h:.2g} s: {what}; check its joints and forces, or try a larger `tolerance`"
    return f"steps of {h:.2g} s: {integrator.suspect()}"


def unfollowed(end: float, integrator: Any, h: float) -> str:
    """A motion that fixed steps do not follow; "" if there is none."""
    h, now = float(integrator.control.fixed), integrator.time
    span = end - now if np.isfinite(end) else SAMPLES * h
    times = now + span * (np.arange(FEW_SAMPLES) * 0.618 % 1.0)
    found = [m for m in motions(integrator.shown, times) if h * m.rate > UNFOLLOWED]
    if not found:
        return ""
    return (
        f"steps of {h:.2g} s do not follow {found[0].what}: choose a `step` below "
        f"{0.1 * UNFOLLOWED / found[0].rate:.1g} s, or lower it"
    )


def faster_than_frames(apart: float, integrator: Any, h: float) -> str:
    """A motion with many periods between two frames, `apart` [s], which makes the steps short; "" if there is
    none.
    """
    found = [m for m in motions(integrator.shown, steps_from(integrator.time, h)) if h * m.rate > SMALL]
    if not found or found[0].rate * apart <= 2 * np.pi * PERIODS:
        return ""
    periods = found[0].rate * apart / (2 * np.pi)
    return f"{found[0].what}, {periods:.2g} periods from one frame to the next: lower it, or shorten `end`"


def stiff(apart: float, integrator: Any, h: float) -> str:
    """A motion that no frame shows, and that keeps steps of an explicit solver short by stability alone; ""
    if there is none.
    """
    explicit = integrator.kind.growth.__func__ is not SolverKind.growth.__func__  # type: ignore[attr-defined]
    if is_fixed(integrator) or not explicit:
        return ""
    for limit in spectrum(integrator.shown):
        if h * limit.rate > HELD and limit.rate * apart > 2 * np.pi * PERIODS:
            return limit.text
    return ""


def too_long(integrator: Any, h: float) -> str:
    """The fastest motion, if a step of fixed length is too long for it; "" else."""
    found = [limit for limit in spectrum(integrator.shown) if h * limit.rate > STABLE]
    return f"steps of {h:.2g} s are too long for {found[0].text}" if found and is_fixed(integrator) else ""


def steps_from(time: float, h: float) -> Array:
    """(SAMPLES,) times over many steps of length h."""
    return time + APART * h * np.arange(SAMPLES)


def spin(problem: Any) -> list[Limit]:
    """The fastest rotation of a body."""
    names = problem.names
    if not names.bodies:
        return []
    w = np.linalg.norm(problem[Markers].w[names.body_marker], axis=1)
    k = int(np.argmax(w))
    text = (
        f'the spin of body "{names.bodies[k]}", {w[k]:.3g} rad/s: each turn takes some twenty steps; check '
        "its angular velocity, or shorten `end`"
    )
    return [Limit(float(w[k]), text)]


def of_time(problem: Any) -> list[tuple[str, Any]]:
    """Text and record of the functions that depend on time alone."""
    functions = problem[Functions]
    codes = lambda row: functions.ops[row.start : row.stop, 0]
    return [
        (text, row)
        for (_, text), row in zip(problem.names.functions, functions.index)
        if tape.TIME in codes(row) and not np.isin(codes(row), list(MOVING)).any()
    ]


def motions(problem: Any, times: Array) -> list[Limit]:
    """The fastest expression of time: of the smaller one of f''/f' and f'/f over these times."""
    functions, state, rows = problem[Functions], problem[State], of_time(problem)
    if not rows:
        return []
    u = np.zeros((len(times), len(rows), 3))
    now = float(state.time[0])
    for k, at in enumerate(times):
        state.time[0] = at
        entries.evaluate_rates(problem.addresses)
        u[k] = [functions.u[row.target] for _, row in rows]
    state.time[0] = now
    size = 0.5 * np.ptp(u, axis=0)  # (functions, 3)
    rates = np.minimum(size[:, 1] / size[:, 0], size[:, 2] / size[:, 1])
    rates = np.where(np.isfinite(rates), rates, 0.0)
    k = int(np.argmax(rates))
    what = f'the frequency of the expression "{rows[k][0]}", about {rates[k] / (2 * np.pi):.3g} Hz'
    return [Limit(float(rates[k]), f"{what}: lower it, or shorten `end`", what)]


def spectrum(problem: Any) -> list[Limit]:
    """The fastest eigenvalue of the motion; none for a large system."""
    nv = problem.nv
    if not 0 < nv <= LARGEST_FOR_ONE:
        return []
    state = problem[State]
    t, q, v = float(state.time[0]), state.q.copy(), state.v.copy()
    aux = state.aux.copy()

    def accelerations(dq: Array, dv: Array) -> Array:
        problem.set_state(t, q, v)
        state.aux[:] = aux
        entries.advance_coordinates(problem.addresses, dq)
        state.v[:] = v + dv
        problem.check(entries.evaluate_rates(problem.addresses))
        return problem[Rates].v_dot.copy()

    sizes = 1e-6 * problem.names.size, 1e-6 * max(np.abs(v).max(), problem.names.size)

    def times_A(x: Array) -> Array:
        """A (δq, δv)."""
        dq, dv = x[:nv].ravel(), x[nv:].ravel()
        d = min(size / max(np.abs(part).max(), 1e-300) for size, part in zip(sizes, (dq, dv)))
        return np.concatenate(
            [dv, (accelerations(d * dq, d * dv) - accelerations(-d * dq, -d * dv)) / (2.0 * d)]
        )

    if nv <= LARGEST:
        A = np.column_stack([times_A(e) for e in np.eye(2 * nv)])
        if not np.isfinite(A).all():
            return []
        values, vectors = np.linalg.eig(A)
    else:
        from scipy.sparse.linalg import ArpackError, LinearOperator, eigs

        start = np.cos(1.0 + np.arange(2 * nv))
        try:
            values, vectors = eigs(
                LinearOperator((2 * nv, 2 * nv), times_A, dtype=float), k=2, v0=start, tol=1e-3, maxiter=20
            )
        except ArpackError:
            return []
    k = int(np.argmax(np.abs(values)))
    mode = np.real(vectors[nv:, k])
    mode = mode if np.abs(mode).max() > 0.0 else np.imag(vectors[nv:, k])
    # forces at both ends of a small movement along the mode
    step = sizes[0] * mode / np.abs(mode).max()
    changes = []
    for sign in (1.0, -1.0):
        accelerations(sign * step, sign * step * max(abs(values[k]), 1.0))
        changes.append(problem[Wrenches].wrench.copy())
    problem.set_state(t, q, v)
    problem.check(entries.evaluate_rates(problem.addresses))
    return [
        Limit(float(np.abs(values[k])), of_mode(problem, complex(values[k]), mode, changes[0] - changes[1]))
    ]


def of_mode(problem: Any, value: complex, mode: Array, change: Array) -> str:
    """What moves fast in a mode: a tiny inertia, a stiff force, or a body between nearly singular or taut
    joints.
    """
    names = problem.names
    mass = problem.mass(problem[State].q.copy())
    share = mode * (mass @ mode)
    at = int(np.argmax(share))
    first = problem[Bodies].index.first_v
    number = int(np.searchsorted(first, at, side="right")) - 1
    name = names.body(number)
    many = (
        f"{abs(value.imag) / (2 * np.pi):.3g} Hz"
        if abs(value.imag) > abs(value.real)
        else f"{abs(value):.3g} 1/s"
    )
    heaviest = float(np.diag(mass).max())
    rotating = at - int(first[number]) >= len(mode_of_translation(problem, number))
    typical = heaviest * (names.size**2 if rotating else 1.0)
    if mass[at, at] < TINY * typical:
        what, unit = ("moment of inertia", "kg·m²") if rotating else ("mass", "kg")
        return (
            f'the tiny {what} of body "{name}", {mass[at, at]:.3g} {unit}, which moves at {many}: give it a '
            'larger one, or take type = "galpha"'
        )
    if force := stiffest(problem, change):
        return (
            f'{force}, which moves body "{name}" at {many}: it is stiff: type = "galpha" takes fewer, longer '
            "steps; or soften it"
        )
    return between_joints(problem, name, many)


def between_joints(problem: Any, name: str, many: str) -> str:
    """A body that moves fast by constraint forces: they grow near a singular position, or hold it taut."""
    lam = np.abs(problem[Rows].lam)
    if smallest_singular_value(problem) < NEARLY_SINGULAR or not lam.any():
        return (
            f'body "{name}" between nearly singular constraints, at {many}: see `mbplugin check`, change the '
            'position or loosen a joint, or take type = "galpha"'
        )
    r = int(np.argmax(lam))
    row = problem.names.rows[r]
    load = f"{lam[r]:.3g} {'N' if row.unit == 'm' else 'N·m'}"
    return (
        f'body "{name}" between taut constraints, like a string, at {many}: "{row.owner}" holds {load}, the '
        'most; take type = "galpha", or lower the load'
    )


def smallest_singular_value(problem: Any) -> float:
    """Of G without dependent rows, relative to the largest; rows of unit length, rotations times the size of
    the mechanism. Masses, which may differ, do not count.
    """
    G = problem.jacobian()[problem[Rows].active == 1]
    for number, index in enumerate(problem[Bodies].index):
        first = int(index.first_v) + len(mode_of_translation(problem, number))
        G[:, first : int(index.first_v + index.nv)] /= problem.names.size
    length = np.linalg.norm(G, axis=1, keepdims=True)
    sigma = np.linalg.svd(np.divide(G, length, out=np.zeros_like(G), where=length > 0.0), compute_uv=False)
    sigma = sigma / sigma.max(initial=1e-300)
    return float(sigma[sigma > REDUNDANT].min(initial=1.0))


def mode_of_translation(problem: Any, number: int) -> range:
    """The velocities of a body that are translations: three of a spatial one, two of a planar one, all of a
    node.
    """
    index = problem[Bodies].index[number]
    if int(index.whole) != number and int(index.nv) <= 3:
        return range(int(index.nv))
    return range(3 if int(index.nv) >= 6 else 2)


def stiffest(problem: Any, change: Array) -> str:
    """The force element whose wrench changes most; "" if none does."""
    forces = problem.names.forces
    # gravity, which the engine adds, comes before those of the scene
    index = problem[Wrenches].index[len(problem[Wrenches].index) - len(forces) :]
    sizes = [np.abs(change[6 * w.first_slot : 6 * (w.first_slot + w.slots)]).max(initial=0.0) for w in index]
    if not sizes or max(sizes) == 0.0:
        return ""
    k = int(np.argmax(sizes))
    return f'force "{forces[k][0]}"'


def largest_error(integrator: Any) -> str:
    """The body whose velocities have the largest error estimate; "" if the solver shows none."""
    problem = integrator.problem
    if integrator.own is None or not hasattr(problem[integrator.own], "ev"):
        return ""
    error = np.abs(problem[integrator.own].ev[: problem.nv])
    if not len(error) or not np.isfinite(error).all():
        return ""
    place = int(np.argmax(error))
    number = int(np.searchsorted(problem[Bodies].index.first_v, place, side="right")) - 1
    if problem.folded is not None and (links := problem.folded.links_of(number)):
        rates = np.cumsum([link.rates for link in links])
        place -= int(problem[Bodies].index.first_v[number])
        return links[int(np.searchsorted(rates, place, side="right"))].body
    names = problem.names
    return names.body(number) if number in {*names.body_index, *names.rotors} else ""
