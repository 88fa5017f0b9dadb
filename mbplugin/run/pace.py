"""Whether a run has an end in sight, and what makes its steps short if not.

The spectrum of the motion is that of A in  d/dt (δq, δv) = A (δq, δv),  δv̇ = (∂v̇/∂q) δq + (∂v̇/∂v) δv,  by
differences of the accelerations, which constraints and forces are part of. An explicit step h follows an
eigenvalue s only while h |s| is small. Other limits are compared with it as rates of the same unit [1/s]: the
spin of a body, and f''/f' and f'/f of the expressions of time.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from mbplugin.errors import MbpluginError
from mbplugin.model.expression import MOVING
from mbplugin.run.integrator import Stepping
from mbplugin.stepping import entries
from mbplugin.tables.groups import Bodies, Functions, Markers, Rates, Rows, State, Wrenches
from mbplugin.tables.spec import Array

#: processor time per simulated second that is too much, and of what is left of the run [s]
SLOW, LONG = 600.0, 60.0
#: processor time after which the pace is looked at [s]
WINDOW = 2.0
#: velocities of the largest system whose spectrum is computed, and processor time for it [s]
LARGEST, PATIENCE = 150, 20.0
#: step times rate below which a rate does not limit the step
SMALL = 0.01
#: moments and masses below this fraction of that of a body as large as the mechanism are tiny
TINY = 1e-6
#: smallest singular value of G, of the largest, below which constraints are nearly singular, and below which
#: it is 0
NEARLY_SINGULAR, REDUNDANT = 1e-3, 1e-9
#: times at which expressions are looked at, and their distance in steps
SAMPLES, APART = 400, 0.25


@dataclass
class Pace:
    """Processor time of a run against simulated time."""

    time: float  # of the last look [s]
    cpu: float = 0.0  # at the last look [s]
    said: bool = False

    def look(self, integrator: Any, cpu: float, end: float) -> str:
        """A warning, once, where no end is in sight; else ""."""
        if self.said or cpu < self.cpu + WINDOW or integrator.time >= end:
            return ""
        advanced, spent = integrator.time - self.time, cpu - self.cpu
        left = (end - integrator.time) * spent if advanced > 0.0 else np.inf
        slow = spent > SLOW * advanced and left > LONG * advanced
        self.time, self.cpu, self.said = integrator.time, cpu, slow
        if not slow:
            return ""
        pace = f"{spent:.2g} s of processor time without a step"
        if advanced > 0.0:
            pace = f"{spent / advanced:.2g} s of processor time a simulated second"
        return f"t = {integrator.time:.6g} s: no end in sight: {pace}; {limit_of(integrator)}"


@dataclass
class Limit:
    """What may make steps short: a rate [1/s], and a text that says what it is and the mend."""

    rate: float
    text: str


def limit_of(integrator: Any) -> str:
    """What limits the step now, and the mend; the run goes on as if nobody had looked."""
    if not isinstance(integrator, Stepping):
        return "its solver does not say why"
    step, reported, saved = integrator.step, integrator.reported, integrator.save()
    h = float(step.t1 - step.t0) or float(step.h)
    try:
        with np.errstate(all="ignore"):
            integrator.show(integrator.time)
            return described(integrator, h)
    except (MbpluginError, np.linalg.LinAlgError):
        return f"its steps have {h:.2g} s"
    finally:
        integrator.load(saved)
        integrator.reported = reported


def described(integrator: Any, h: float) -> str:
    problem = integrator.problem
    if integrator.control.fixed:
        return f"its steps of fixed length have {h:.2g} s: choose a longer `step`"
    found = [*spin(problem), *motions(problem, h)]
    # a spin has eigenvalues of its own rate
    found += [limit for limit in spectrum(problem) if all(limit.rate > 3.0 * other.rate for other in found)]
    largest = max(found, key=lambda limit: limit.rate, default=Limit(0.0, ""))
    if h * largest.rate > SMALL:
        return f"steps of {h:.2g} s are limited by {largest.text}"
    if name := largest_error(integrator):
        what = f'the error of body "{name}" is the largest'
        return f"steps of {h:.2g} s: {what}; check its joints and forces, or try a larger `tolerance`"
    return f"steps of {h:.2g} s: {integrator.suspect()}"


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


def motions(problem: Any, h: float) -> list[Limit]:
    """The fastest expression of time: of the smaller one of f''/f' and f'/f over many steps."""
    functions, state = problem[Functions], problem[State]
    rows = [
        (text, row)
        for (_, text), row in zip(problem.names.functions, functions.index)
        if not np.isin(functions.ops[row.start : row.stop, 0], list(MOVING)).any()
    ]
    if not rows:
        return []
    u = np.zeros((SAMPLES, len(rows), 3))
    now = float(state.time[0])
    for k in range(SAMPLES):
        state.time[0] = now + k * APART * h
        entries.evaluate_rates(problem.addresses)
        u[k] = [functions.u[row.target] for _, row in rows]
    state.time[0] = now
    size = 0.5 * np.ptp(u, axis=0)  # (functions, 3)
    rates = np.minimum(size[:, 1] / size[:, 0], size[:, 2] / size[:, 1])
    rates = np.where(np.isfinite(rates), rates, 0.0)
    k = int(np.argmax(rates))
    text = (
        f'the frequency of the expression "{rows[k][0]}", about {rates[k] / (2 * np.pi):.3g} Hz: lower it, '
        "or shorten `end`"
    )
    return [Limit(float(rates[k]), text)]


def spectrum(problem: Any) -> list[Limit]:
    """The fastest eigenvalue of the motion; none for a large system."""
    nv = problem.nv
    if not 0 < nv <= LARGEST:
        return []
    state = problem[State]
    t, q, v = float(state.time[0]), state.q.copy(), state.v.copy()
    aux = state.aux.copy()
    start = time.process_time()

    def accelerations(dq: Array, dv: Array) -> Array:
        problem.set_state(t, q, v)
        state.aux[:] = aux
        entries.advance_coordinates(problem.addresses, dq)
        state.v[:] = v + dv
        problem.check(entries.evaluate_rates(problem.addresses))
        return problem[Rates].v_dot.copy()

    zero, A = np.zeros(nv), np.zeros((2 * nv, 2 * nv))
    A[:nv, nv:] = np.eye(nv)
    sizes = 1e-6 * problem.names.size, 1e-6 * max(np.abs(v).max(), problem.names.size)
    for k in range(nv):
        if time.process_time() - start > PATIENCE:
            return []
        e = np.eye(nv)[k]
        for half, d in enumerate(sizes):
            ends = [accelerations(*((s * d * e, zero) if half == 0 else (zero, s * d * e))) for s in (1, -1)]
            A[nv:, half * nv + k] = (ends[0] - ends[1]) / (2.0 * d)
    if not np.isfinite(A).all():
        return []
    values, vectors = np.linalg.eig(A)
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
            f'{force}, which moves body "{name}" at {many}: it is stiff; take type = "galpha", or soften it'
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
    """The velocities of a body that are translations: three of a spatial one, two of a planar one."""
    index = problem[Bodies].index[number]
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
    number = int(np.searchsorted(problem[Bodies].index.first_v, int(np.argmax(error)), side="right")) - 1
    names = problem.names
    return names.body(number) if number in {*names.body_index, *names.rotors} else ""
