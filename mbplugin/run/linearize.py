"""The linear model of a system about an equilibrium or a motion, for the design of controllers.

    ż = A z + B u,   y = C z + D u,   z = (s, ṡ, x)

s: independent joint coordinates, as many as there are degrees of freedom; x: inner states. z, u and y are
deviations. The derivatives are those of `variations.py`. Motions that no coordinate measures have
s = P δ and, in place of ṡ, P δv with a constant P: about a motion ṡ = P (δv − C δ).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mbplugin.analysis.equilibrium.inner_states import BOOKED
from mbplugin.analysis.equilibrium.steady import turning
from mbplugin.errors import PhysicsError, SceneError, did_you_mean, listed
from mbplugin.hooks.registry import Registry
from mbplugin.model import System
from mbplugin.problem import Problem
from mbplugin.results.curve import Curve
from mbplugin.results.quantities import curves
from mbplugin.run.analyze import balance_of, moves, refuse_moved
from mbplugin.run.faults import attribute_errors
from mbplugin.run.laws import refuse_contacts
from mbplugin.run.linear_chart import Chart
from mbplugin.run.operating_point import Balance, OperatingPoint
from mbplugin.run.touching_model import TouchingPoint, model_at
from mbplugin.run.unloaded import put_side, take_side
from mbplugin.run.variations import SMOOTH, Tangents, derivatives_of, reach
from mbplugin.tables.spec import Array

#: acceleration above which a position is no equilibrium, relative to 1 + g
AT_REST = 1e-6
#: what is told where nothing can move
LOCKED = "linearize: the mobility is 0, so there is nothing to linearize"
#: names of the first derivatives
RATE = "rate({})"
#: about what a model may be
ABOUT = ("start", "static", "motion")


@dataclass
class Linearization:
    """ż = A z + B u, y = C z + D u. Unpacks as `A, B, C, D`, for `scipy.signal.StateSpace(*linear)`.

    A: (states, states), B: (states, inputs), C: (outputs, states), D: (outputs, inputs)
    operating_point: of all names, the values about which it holds
    error: difference of two estimates of the derivatives, relative to the largest
    """

    A: Array
    B: Array
    C: Array
    D: Array
    states: list[str]
    inputs: list[str]
    outputs: list[str]
    units: dict[str, str]
    operating_point: dict[str, float]
    error: float
    messages: list[str] = field(default_factory=list)

    def __iter__(self) -> Iterator[Array]:
        return iter((self.A, self.B, self.C, self.D))

    def __repr__(self) -> str:
        return f"Linearization: states {self.states}, inputs {self.inputs}, outputs {self.outputs}"

    @property
    def poles(self) -> Array:
        """(states,) eigenvalues of A [1/s], by size."""
        values = np.linalg.eigvals(self.A)
        return values[np.argsort(np.abs(values), kind="stable")]

    def frequency_response(self, frequency: Any) -> Array:
        """G(iω) = C (iω − A)⁻¹ B + D: what outputs answer to inputs that oscillate, e^{iωt}.

        frequency: (n,) [Hz], ω = 2π f. Returns (n, outputs, inputs), complex; NaN at a pole.
        """
        s = 2j * np.pi * np.atleast_1d(np.asarray(frequency, float))
        pencil = s[:, None, None] * np.eye(len(self.A)) - self.A
        try:
            states = np.linalg.solve(pencil, np.broadcast_to(self.B, (len(s), *np.shape(self.B))))
        except np.linalg.LinAlgError:
            each = [self.frequency_response(f) for f in s.imag / (2 * np.pi)] if len(s) > 1 else []
            nothing = np.full((1, len(self.outputs), len(self.inputs)), complex(np.nan, np.nan))
            return np.concatenate(each or [nothing])
        return np.asarray(self.C @ states + self.D)

    def frequencies(self, count: int = 400) -> Array:
        """(count,) [Hz] from a tenth of the lowest natural frequency to ten times the highest."""
        sizes = np.abs(self.poles) / (2 * np.pi)
        moving = sizes[sizes > 1e-6 * max(sizes.max(initial=0.0), 1e-300)]
        low, high = (0.1 * moving.min(), 10.0 * moving.max()) if len(moving) else (0.01, 100.0)
        return np.geomspace(low, high, count)

    def responses(self, frequency: Array) -> dict[str, Array]:
        """Label, "output / input" -> (n,) its complex response at frequencies (n,) [Hz]. Raises SceneError if
        there is no input.
        """
        if not self.inputs:
            raise SceneError("bode", mend="needs an [[input]] of the scene that something answers to")
        response = self.frequency_response(frequency)
        return {
            f"{output} / {name}": response[:, i, k]
            for i, output in enumerate(self.outputs)
            for k, name in enumerate(self.inputs)
        }

    def as_dict(self) -> dict[str, Any]:
        matrices = {name: np.asarray(getattr(self, name)).tolist() for name in "ABCD"}
        names = {"states": self.states, "inputs": self.inputs, "outputs": self.outputs}
        rest = {"units": self.units, "operating_point": self.operating_point, "messages": self.messages}
        return matrices | names | rest


def linearize(
    system: System,
    registry: Registry,
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    about: str = "start",
    side: str | None = None,
    time: float = 0.0,
) -> Linearization:
    """The linear model.

    outputs: quantities as `plot` takes them; None: the joint coordinates among the states
    inputs:  names of `[[input]]`s; None: all
    about:   "start": the position at t = 0, which has to be an equilibrium; "static": one that is searched;
             "motion": the positions and velocities of the motion at `time`
    side:    "closed" or "open": of rows that are closed without load; None: "closed"
    time:    [s], of the motion

    Raises SceneError, PhysicsError.
    """
    if about not in ABOUT:
        known = '"start" (position at t = 0), "static" (equilibrium) or "motion" (that of a run)'
        raise SceneError("about", about, f"must be {known}")
    if not (about == "motion" and 0.0 <= time < np.inf) and time != 0.0:
        raise SceneError("time", time, 'needs about = "motion", and must not be negative')
    chosen = chosen_inputs(system, inputs)
    left_out = about != "motion" and moves(system)
    messages = ["at rest: the given velocities are left out"] if left_out else []
    with attribute_errors(system, registry):
        if any(True for _ in system.colliding()):
            if about == "motion":
                refuse_contacts(system, registry, "a linear model about a motion")
            return touching_linearization(system, registry, chosen, outputs, messages, about, side)
        balance = Balance.of(balance_of(system, registry, 1).problem) if about == "static" else None
        point = OperatingPoint(system, registry, balance, about == "motion", time)
        messages += take_side(point, side)
        if about != "motion":
            refuse_motion(point)
        return linear_model(point, chosen, outputs, messages, about == "motion")


def touching_linearization(
    system: System,
    registry: Registry,
    inputs: list[int],
    outputs: Sequence[str] | None,
    messages: list[str],
    about: str,
    side: str | None,
) -> Linearization:
    """That of bodies that touch, in equilibrium."""
    done = balance_of(system, registry, 1)
    if about == "start":
        refuse_moved(done)
    lam = np.asarray(done.report.multipliers)
    messages = messages + put_side(done.problem, lam, side)
    assert done.bounded is not None
    point = TouchingPoint(done.problem, done.system, done.bounded, lam)
    model = model_at(point, inputs, outputs, LOCKED)
    charts, at_point = (model.chart, model.chart), (model.outputs, model.coordinates, point.memory)
    rough = [f"functions are not smooth here: derivatives are uncertain by {model.error:.1e}"]
    remarks = model.error, messages + (rough if model.error > SMOOTH else [])
    return described(done.problem, model.matrices, charts, point.inner, inputs, at_point, remarks)


def chosen_inputs(system: System, wanted: Sequence[str] | None) -> list[int]:
    names = [one.name for one in system.inputs]
    for name in wanted or ():
        if name not in names:
            known = f"; there are {listed(names)}" if names else "; the scene has no [[input]]"
            raise SceneError("inputs", name, f"there is no such input{did_you_mean(name, names) or known}")
    return [k for k, name in enumerate(names) if wanted is None or name in wanted]


def refuse_motion(point: OperatingPoint) -> None:
    """Raises PhysicsError if a point that is to rest moves."""
    if np.abs(point.v).max(initial=0.0) > 1e-9 * max(point.problem.names.size, 1.0):
        raise PhysicsError(
            "linearize: motions of this scene move it at t = 0; about rest only what rests is linearized; "
            "about the motion: --about motion"
        )


def linear_model(
    point: OperatingPoint, inputs: list[int], outputs: Sequence[str] | None, messages: list[str], moving: bool
) -> Linearization:
    """A, B, C and D from the derivatives of the chart's states Z and of their rates: A Z = Ż."""
    problem, tangents = point.problem, Tangents.of(point, moving, LOCKED)
    names = problem.names
    of_q = Chart.of(point, tangents.N, tangents.M, range(len(names.coordinates)))
    of_v = Chart.of(point, tangents.N_v, tangents.M, of_q.coordinates) if moving else of_q
    if not moving:
        check_rest(point, of_q)
    measured = [names.coordinates[k].name for k in of_q.coordinates]
    wanted = list(outputs) if outputs is not None else measured
    found = derivatives_of(point, tangents, of_q.along, of_v.along, inputs, wanted)
    p, d, nx = of_q.along.shape[1], of_v.along.shape[1], len(point.inner)
    n = p + d + nx
    Z = np.eye(n)
    # velocities that go with changes of positions
    Z[p : p + d, :p] = np.vstack([found.rate[of_v.coordinates], of_v.P @ found.delta_v])[:, :p]
    drift = found.delta_v
    if len(of_q.P) and np.any(point.v):
        point.at(point.q, point.v)
        drift = drift - turning(problem, np.zeros(3))[1] @ found.delta
    of_positions = [found.rate[of_q.coordinates], of_q.P @ drift]
    of_velocities = [found.rate_dot[of_v.coordinates], of_v.P @ found.v_dot]
    rates = np.vstack([*of_positions, *of_velocities, found.x_dot])
    inverse = np.linalg.inv(Z)
    A, C = rates[:, :n] @ inverse, found.outputs[:, :n] @ inverse
    if not moving:
        A[:p] = np.eye(p, n, p)
    if found.error > SMOOTH:
        uncertain = f"derivatives are uncertain by {found.error:.1e}"
        messages = [*messages, f"functions are not smooth here: {uncertain}"]
    base = {name: float(curves(point.result, name)[0].values[0]) for name in measured}
    return described(
        point.problem,
        (A, rates[:, n:], C, found.outputs[:, n:]),
        (of_q, of_v),
        point.inner,
        inputs,
        (found.curves, base, point.memory),
        (found.error, messages),
    )


def described(
    problem: Problem,
    matrices: tuple[Array, Array, Array, Array],
    charts: tuple[Chart, Chart],
    inner: Array,
    inputs: list[int],
    at_point: tuple[list[Curve], dict[str, float], Array],
    remarks: tuple[float, list[str]],
) -> Linearization:
    """The linear model with its names and units. charts: of positions and velocities; inner: places of inner
    states; at_point: curves of the outputs, joint coordinates and memory, at the operating point; remarks:
    error of the derivatives, and messages
    """
    names, (of_q, of_v), (outputs, coordinates, memory) = problem.names, charts, at_point
    of_inner = [names.states[k - BOOKED] for k in inner]
    labels = [curve.label for curve in outputs]
    units = {names.coordinates[k].name: names.coordinates[k].unit for k in of_q.coordinates}
    units |= {RATE.format(name): f"{unit}/s" for name, unit in units.items() if name in of_v.names}
    state_units = [names.state_units[k - BOOKED] for k in inner]
    units |= dict(zip(of_inner, state_units)) | {curve.label: curve.unit for curve in outputs}
    units |= {names.inputs[k][0]: names.inputs[k][1] for k in inputs}
    at = {names.inputs[k][0]: float(memory[k]) for k in inputs} | coordinates
    at |= {label: float(curve.values[0]) for label, curve in zip(labels, outputs)}
    return Linearization(
        *matrices,
        [*of_q.names, *(RATE.format(name) for name in of_v.names), *of_inner],
        [names.inputs[k][0] for k in inputs],
        labels,
        units,
        at,
        *remarks,
    )


def check_rest(point: OperatingPoint, chart: Chart) -> None:
    """Raises PhysicsError if the point is no equilibrium."""
    gravity = float(np.linalg.norm(point.recorder.system.scene.gravity))
    rates = np.linalg.lstsq(chart.along, point.base.v_dot, rcond=None)[0] / (1.0 + gravity)
    size = np.abs(rates) * reach(point, chart.along)
    if size.max() > AT_REST:
        name = chart.names[int(size.argmax())]
        mend = "give the position of an equilibrium, or inputs that hold it, or linearize about static"
        raise PhysicsError(f"linearize: this position is no equilibrium: {name} accelerates; {mend}")
    idle = np.abs(point.base.x_dot) / (1.0 + np.abs(point.aux[point.inner]))
    if idle.max(initial=0.0) > AT_REST:
        name = point.state_names[int(idle.argmax())]
        mend = "give the value at which it rests, or linearize about static"
        raise PhysicsError(f"linearize: this state is no equilibrium: {name} changes; {mend}")
