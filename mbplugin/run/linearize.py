"""The linear model of a system about an equilibrium, for the design of controllers.

    ż = A z + B u,   y = C z + D u,   z = (s, ṡ, x)

s: independent joint coordinates, as many as there are degrees of freedom; x: inner states. z, u and y are
deviations. The derivatives are differences of fourth order over all equations, constraints, implicit
variables and outputs included.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mbplugin.analysis.initial_state.placeholder_masses import at_rest
from mbplugin.analysis.rank.null_space import body_twists, coordinate_rates, independent_rows, null_space
from mbplugin.errors import PhysicsError, SceneError, did_you_mean, listed
from mbplugin.hooks.registry import Registry
from mbplugin.model import Solver, System
from mbplugin.results.curve import Curve
from mbplugin.results.memory import MemoryResult
from mbplugin.results.quantities import curves
from mbplugin.run.analyze import balance_of, moves
from mbplugin.run.faults import attribute_errors
from mbplugin.run.laws import refuse_bounded, refuse_contacts, refuse_sampled
from mbplugin.run.open_limits import refuse_reached, without_limits
from mbplugin.run.prepare import prepare
from mbplugin.tables.groups import Rates, State
from mbplugin.tables.spec import Array

#: step of positions in sizes and radians, of other numbers relative to them
STEP = 1e-3
#: acceleration above which a position is no equilibrium, relative to 1 + g
AT_REST = 1e-6
#: difference of two estimates, relative to the largest entry, above which functions are not smooth; of the
#: step, the parts that are tried in turn until they are
SMOOTH, PARTS = 1e-5, (1.0, 0.03, 0.001)
#: auxiliary states before those of a scene: work and dissipated energy
BOOKED = 2
#: names of the first derivatives
RATE = "rate({})"


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
) -> Linearization:
    """The linear model.

    outputs: quantities as `plot` takes them; None: the joint coordinates among the states
    inputs:  names of `[[input]]`s; None: all
    about:   "start": the position at t = 0, which has to be an equilibrium; "static": one that is searched

    Raises SceneError, PhysicsError.
    """
    if about not in ("start", "static"):
        raise SceneError("about", about, 'must be "start" (position at t = 0) or "static" (equilibrium)')
    chosen = chosen_inputs(system, inputs)
    messages = ["at rest: the given velocities are left out"] if moves(system) else []
    with attribute_errors(system, registry):
        refuse_contacts(system, registry, "a linear model")
        q = balance_of(system, registry, 1, "linearize").problem.q if about == "static" else None
        return OperatingPoint(system, registry, q).linear(chosen, outputs, messages)


def chosen_inputs(system: System, wanted: Sequence[str] | None) -> list[int]:
    names = [one.name for one in system.inputs]
    for name in wanted or ():
        if name not in names:
            known = f"; there are {listed(names)}" if names else "; the scene has no [[input]]"
            raise SceneError("inputs", name, f"there is no such input{did_you_mean(name, names) or known}")
    return [k for k, name in enumerate(names) if wanted is None or name in wanted]


def without_motion(system: System) -> System:
    """A copy at rest, with a solver that evaluates the equations at an instant, in maximal coordinates."""
    joints = [
        joint
        if joint.start is None or not joint.start.speed
        else joint.model_copy(update={"start": joint.start.model_copy(update={"speed": None})})
        for joint in system.joints
    ]
    maximal = system.solver_type == "rk" and system.solver.raw.get("coordinates", "maximal") == "maximal"
    solver = system.solver if maximal else Solver(type="rk")
    return at_rest(system).model_copy(update={"joints": joints, "solver": solver})


class OperatingPoint:
    """A system at rest, whose equations can be evaluated near it."""

    def __init__(self, system: System, registry: Registry, q: Array | None) -> None:
        prepared = prepare(without_motion(without_limits(system)), registry)
        refuse_bounded(prepared.problem, system, "linearize")
        refuse_sampled(prepared.problem, system, "a linear model")
        self.problem, self.recorder = prepared.problem, prepared.recorder
        self.integrator = prepared.start(float("inf"))
        self.saved = {name: np.array(array) for name, array in self.integrator.save().items()}
        if q is not None:
            self.saved["q1"][:] = q
        self.q, self.v = self.saved["q1"].copy(), self.saved["v1"].copy()
        self.x, self.memory = self.saved["aux1"].copy(), self.saved["memory1"].copy()
        size = self.problem.names.size
        if np.abs(self.v).max(initial=0.0) > 1e-9 * max(size, 1.0):
            raise PhysicsError(
                "linearize: motions of this scene move it at t = 0; only what rests is linearized"
            )
        self.result = MemoryResult(
            {key: functools.partial(make, self.recorder) for key, make in self.recorder.name_makers.items()},
            self.recorder.meshes,
            lambda: {"scene": self.recorder.system.to_toml()},
            {},
            self.recorder.frame_arrays,
        )
        self.evaluate(self.q, self.v, self.x, self.memory)
        refuse_reached(system, registry, self.problem, "linearize")
        self.free = null_space(self.problem)
        if not self.free.dof:
            raise PhysicsError("linearize: the mobility is 0, so there is nothing to linearize")
        self.choose_coordinates()

    def choose_coordinates(self) -> None:
        """Coordinates s = T η of the motions N η, and N T⁻¹ and T Nᵀ M."""
        problem, N = self.problem, self.free.N
        infos, rates = problem.names.coordinates, coordinate_rates(problem, N)
        unit = np.array([1.0 if c.unit == "rad" else problem.names.size for c in infos]).reshape(-1, 1)
        scaled = rates / unit
        numbers = sorted(independent_rows(scaled, self.free.dof, float(np.abs(scaled).max(initial=0.0))))
        T, names = rates[numbers], [infos[k].name for k in numbers]
        self.units = {infos[k].name: infos[k].unit for k in numbers}
        if len(numbers) < self.free.dof:
            # motions that no coordinate sees, in unit masses
            rest = (
                np.linalg.svd(T, full_matrices=True)[2][len(numbers) :] if numbers else np.eye(self.free.dof)
            )
            T = np.vstack([T, rest])
            names += [f"motion_{k + 1}" for k in range(len(rest))]
        self.names, self.coordinates = names, [infos[k].name for k in numbers]
        self.along = N @ np.linalg.inv(T)
        self.onto = T @ N.T @ problem.mass(self.q)
        twists = np.abs(body_twists(problem, self.along))
        reach = np.maximum(
            twists[:, :3].max(axis=(0, 1)) / problem.names.size, twists[:, 3:].max(axis=(0, 1))
        )
        self.steps = STEP / reach

    def evaluate(self, q: Array, v: Array, x: Array, memory: Array) -> tuple[Array, Array]:
        """v̇ and the rates of inner states there; the frame is added to `result`."""
        saved = dict(self.saved)
        for name, array in (("q", q), ("v", v), ("aux", x), ("memory", memory)):
            saved[f"{name}0"] = saved[f"{name}1"] = array
        self.integrator.load(saved)
        self.integrator.show(self.problem.time)
        self.result.append_frames(self.recorder.at_present(), 0, 1)
        rates = self.problem[Rates]
        return rates.v_dot.copy(), rates.aux_dot[BOOKED:].copy()

    def linear(self, inputs: list[int], outputs: Sequence[str] | None, messages: list[str]) -> Linearization:
        names, dof = self.problem.names, self.free.dof
        self.check_rest(self.evaluate(self.q, self.v, self.x, self.memory)[0])
        directions: list[tuple[float, Callable[[float], tuple[Array, ...]]]] = [
            *((self.steps[k], self.shifted(k)) for k in range(dof)),
            *((self.steps[k], self.thrown(k)) for k in range(dof)),
            *((self.relative(self.x[k]), self.changed("x", k)) for k in range(BOOKED, len(self.x))),
            *((self.relative(self.memory[k]), self.changed("memory", k)) for k in inputs),
        ]
        wanted = list(outputs) if outputs is not None else self.coordinates
        estimates = []
        for part in PARTS:
            J, error, found = self.estimate([(part * h, at) for h, at in directions], wanted)
            estimates.append((error, J))
            if error <= SMOOTH:
                break
        error, J = min(estimates, key=lambda e: e[0])
        n, nx = 2 * dof, len(self.x) - BOOKED
        A = np.zeros((n + nx, n + nx))
        A[:dof, dof:n] = np.eye(dof)
        A[dof:] = J[: dof + nx, : n + nx]
        B = np.vstack([np.zeros((dof, len(inputs))), J[: dof + nx, n + nx :]])
        if error > SMOOTH:
            messages = [*messages, f"functions are not smooth here: derivatives are uncertain by {error:.1e}"]
        states = [*self.names, *(RATE.format(name) for name in self.names), *names.states]
        labels = [curve.label for curve in found]
        units = self.units | {RATE.format(name): f"{unit}/s" for name, unit in self.units.items()}
        units |= dict(zip(names.states, names.state_units)) | {curve.label: curve.unit for curve in found}
        units |= {names.inputs[k][0]: names.inputs[k][1] for k in inputs}
        point = {names.inputs[k][0]: float(self.memory[k]) for k in inputs}
        point |= {name: float(curves(self.result, name)[0].values[0]) for name in self.coordinates}
        point |= {label: float(curve.values[0]) for label, curve in zip(labels, found)}
        C, D = J[dof + nx :, : n + nx], J[dof + nx :, n + nx :]
        return Linearization(
            A, B, C, D, states, [names.inputs[k][0] for k in inputs], labels, units, point, error, messages
        )

    def estimate(
        self, directions: list[tuple[float, Callable[[float], tuple[Array, ...]]]], wanted: list[str]
    ) -> tuple[Array, float, list[Curve]]:
        """Derivatives (rates and curves, directions) by steps h, their error, and the curves."""
        first, rows = self.result.frames, []
        for h, at in directions:
            for part in (1, -1, 2, -2, 4, -4):
                v_dot, x_dot = self.evaluate(*at(part * h))
                rows.append(np.concatenate([self.onto @ v_dot, x_dot]))
        found = [curve for name in wanted for curve in curves(self.result, name)]
        seen = np.array([curve.values for curve in found]).reshape(len(found), self.result.frames)
        values = np.hstack([np.array(rows).reshape(len(directions) * 6, -1), seen[:, first:].T])
        steps = np.array([h for h, _ in directions])
        return *derivatives(values.reshape(len(directions), 6, -1), steps), found

    def check_rest(self, v_dot: Array) -> None:
        """Raises PhysicsError if the point is no equilibrium."""
        gravity = float(np.linalg.norm(self.recorder.system.scene.gravity))
        twists = np.abs(self.onto @ v_dot / (1.0 + gravity)) * self.steps / STEP
        if twists.max() > AT_REST:
            k = int(twists.argmax())
            mend = "give the position of an equilibrium, or inputs that hold it, or linearize about static"
            raise PhysicsError(
                f"linearize: this position is no equilibrium: {self.names[k]} accelerates; {mend}"
            )

    def shifted(self, k: int) -> Callable[[float], tuple[Array, ...]]:
        def at(h: float) -> tuple[Array, ...]:
            self.problem.move_to(self.q, h * self.along[:, k])
            return self.problem[State].q.copy(), self.v, self.x, self.memory

        return at

    def thrown(self, k: int) -> Callable[[float], tuple[Array, ...]]:
        return lambda h: (self.q, self.v + h * self.along[:, k], self.x, self.memory)

    def changed(self, what: str, k: int) -> Callable[[float], tuple[Array, ...]]:
        def at(h: float) -> tuple[Array, ...]:
            arrays = {"x": self.x, "memory": self.memory}
            arrays[what] = arrays[what].copy()
            arrays[what][k] += h
            return self.q, self.v, arrays["x"], arrays["memory"]

        return at

    @staticmethod
    def relative(value: float) -> float:
        return STEP * max(1.0, abs(value))


def derivatives(values: Array, steps: Array) -> tuple[Array, float]:
    """(functions, directions) from values (directions, 6, functions) at h (1, −1, 2, −2, 4, −4), and how far
    the estimate with h is from that with 2 h, relative to the largest entry.
    """
    d1, d2, d4 = values[:, 0] - values[:, 1], values[:, 2] - values[:, 3], values[:, 4] - values[:, 5]
    h = steps[:, None]
    fine, coarse = (8.0 * d1 - d2) / (12.0 * h), (8.0 * d2 - d4) / (24.0 * h)
    largest = float(np.abs(fine).max(initial=0.0))
    error = float(np.abs(fine - coarse).max(initial=0.0)) / largest if largest else 0.0
    return fine.T, error
