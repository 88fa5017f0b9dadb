"""A state of a system near which its equations can be evaluated, with the modes of its bounded rows held.

Rows that hold (pressed, sticking, locked) are equalities; those that are open are left out; what slips exerts
its bound, which follows the state: −μ N ŵ with the pressure N and the direction ŵ of the slip w.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from mbplugin.analysis.equilibrium.inner_states import states_of_scene
from mbplugin.analysis.initial_state.placeholder_masses import at_rest
from mbplugin.hooks.registry import Registry
from mbplugin.model import Solver, System
from mbplugin.problem import Problem
from mbplugin.results.memory import MemoryResult
from mbplugin.run.laws import refuse_sampled
from mbplugin.run.prepare import prepare
from mbplugin.tables.groups import Bounded, Elements, FrameValues, Measures, Rates, Rows, State
from mbplugin.tables.records import ACCELERATION_LEVEL
from mbplugin.tables.spec import Array

#: evaluations of one call of the loop of steps
WORK = 100_000


@dataclass
class Sample:
    """What the equations say at a state."""

    v: Array  # (nv,)
    v_dot: Array  # (nv,)
    x_dot: Array  # (nx,) rates of the inner states of the scene
    rate: Array  # (coordinates,) rates of the joint coordinates
    rate_dot: Array  # (coordinates,) their second derivatives


@dataclass
class Balance:
    """A state at rest that an analysis has found."""

    q: Array  # (nq,)
    x: Array  # (nx,) inner states of the scene
    rows: Array  # (bounded,) modes of rows with bounds
    aims: Array  # directions of what slips on a cone

    @classmethod
    def of(cls, problem: Problem) -> Balance:
        """That of a problem."""
        state, index = problem[State], problem[Bounded].index
        aims = state.memory[index.memory[index.partner >= 0] + 1]
        return cls(state.q.copy(), state.aux[states_of_scene(problem)], state.mode[index.row], aims)


def without_motion(system: System) -> System:
    """A copy at rest."""
    joints = [
        joint
        if joint.start is None or not joint.start.speed
        else joint.model_copy(update={"start": joint.start.model_copy(update={"speed": None})})
        for joint in system.joints
    ]
    return at_rest(system).model_copy(update={"joints": joints})


def for_instants(system: System) -> System:
    """A copy with a solver that evaluates the equations at an instant, in maximal coordinates."""
    maximal = system.solver_type == "rk" and system.solver.raw.get("coordinates", "maximal") == "maximal"
    return system if maximal else system.model_copy(update={"solver": Solver(type="rk")})


class OperatingPoint:
    """The state with which a run begins, at rest or not, that of a run at a time, or one at rest that an
    analysis has found. Raises SceneError, PhysicsError.
    """

    def __init__(
        self,
        system: System,
        registry: Registry,
        balance: Balance | None = None,
        moving: bool = False,
        time: float = 0.0,
    ) -> None:
        """moving: whether given velocities and motions count; time [s]: of the run, if they do"""
        system = for_instants(system if moving else without_motion(system))
        if balance is not None:
            system = system.model_copy(update={"scene": system.scene.model_copy(update={"start": "given"})})
        self.prepared = prepare(system, registry)
        self.problem, self.recorder = self.prepared.problem, self.prepared.recorder
        refuse_sampled(self.problem, system, "a linear model")
        self.integrator = self.prepared.start(time if time > 0.0 else float("inf"))
        self.advance(time)
        self.saved = {name: np.array(array) for name, array in self.integrator.save().items()}
        #: (nx,) places of the inner states of the scene in `State.aux`, and their names
        self.inner = states_of_scene(self.problem)
        if balance is not None:
            index = self.problem[Bounded].index
            for end in "01":
                self.saved[f"q{end}"][:], self.saved[f"v{end}"][:] = balance.q, 0.0
                self.saved[f"aux{end}"][self.inner] = balance.x
                self.saved[f"mode{end}"][index.row] = balance.rows
                self.saved[f"memory{end}"][index.memory[index.partner >= 0] + 1] = balance.aims
        self.q, self.v = self.saved["q1"].copy(), self.saved["v1"].copy()
        self.aux, self.memory = self.saved["aux1"].copy(), self.saved["memory1"].copy()
        self.state_names = [self.problem.names.states[k - 2] for k in self.inner]
        self.coordinates = np.array([c.measure for c in self.problem.names.coordinates], np.int64)
        self.begin()

    def advance(self, time: float) -> None:
        """Let the run go on to a time [s]."""
        while self.integrator.time < time and self.integrator.advance(time, np.inf, WORK) != "end":
            pass

    def begin(self) -> None:
        """Evaluate the point itself: `base`, and the first frame of `result`."""
        self.result = MemoryResult(
            {key: functools.partial(make, self.recorder) for key, make in self.recorder.name_makers.items()},
            self.recorder.meshes,
            lambda: {"scene": self.recorder.system.to_toml()},
            {},
            self.recorder.frame_arrays,
        )
        self.base = self.evaluate(self.q, self.v, self.aux, self.memory)

    @staticmethod
    def put(saved: dict[str, Array], name: str, array: Array) -> None:
        """Let both ends of the last step have an array."""
        for end in (f"{name}0", f"{name}1"):
            saved[end] = array.copy()

    def evaluate(self, q: Array, v: Array, aux: Array, memory: Array) -> Sample:
        """What the equations say there; the frame is added to `result`."""
        saved = dict(self.saved)
        for name, array in (("q", q), ("v", v), ("aux", aux), ("memory", memory)):
            saved[f"{name}0"] = saved[f"{name}1"] = array
        self.integrator.load(saved)
        return self.shown()

    def shown(self) -> Sample:
        """What the equations say at the end of the last step; the frame is added to `result`."""
        self.integrator.show(self.integrator.time)
        self.result.append_frames(self.recorder.at_present(), 0, 1)
        rates, measures = self.problem[Rates], self.problem[Measures]
        return Sample(
            self.problem[State].v.copy(),
            rates.v_dot.copy(),
            rates.aux_dot[self.inner].copy(),
            measures.rate[self.coordinates].copy(),
            self.second_rates(),
        )

    def second_rates(self) -> Array:
        """(coordinates,) s̈ = J (twist rates) + bias of the joint coordinates, in a frame that is shown."""
        values, measures = self.problem[FrameValues], self.problem[Measures]
        found = np.zeros(len(self.coordinates))
        for k, number in enumerate(self.coordinates):
            one = measures.index[number]
            markers = self.problem[Elements].marker[one.first_slot : one.first_slot + one.slots]
            rates = np.hstack([values.v_dot[markers], values.w_dot[markers]]).ravel()
            found[k] = measures.J[one.first_J : one.first_J + 6 * one.slots] @ rates + measures.bias[number]
        return found

    def at(self, q: Array, v: Array) -> None:
        """Put the problem to a position and velocities, evaluated, with the modes of this state."""
        state = self.problem[State]
        state.aux[:], state.memory[:], state.mode[:] = self.aux, self.memory, self.saved["mode1"]
        self.problem.set_state(self.integrator.time, q, v)
        self.problem.evaluate_at()

    def moved(self, dq: Array, to_velocity: Array) -> tuple[Array, Array]:
        """The closed position q ⊕ δ, and the velocities nearest to v that its rows allow.

        dq: (nv,); to_velocity: (nv, rows) of the rows that are on and constrain velocities
        """
        problem = self.problem
        self.at(self.q, self.v)
        problem.move_to(self.q, dq)
        problem.close_positions()
        q, v = problem.q, self.v
        if np.any(v):
            used = self.velocity_rows
            for _ in range(2):
                problem.evaluate_at(q, v)
                v = v - to_velocity @ (problem.times_G(v) + problem[Rows].phi_t)[used]
        return q, v

    def give_modes(self, problem: Problem) -> None:
        """Let the bounded rows of another problem of this system have the modes and memory of this state."""
        index, state = problem[Bounded].index, problem[State]
        state.mode[index.row] = self.saved["mode1"][self.problem[Bounded].index.row]
        aims = index.partner >= 0
        own = self.problem[Bounded].index
        state.memory[index.memory[aims] + 1] = self.memory[own.memory[aims] + 1]
        problem.evaluate_at()

    @property
    def velocity_rows(self) -> Array:
        """(nc,) whether each row constrains velocities."""
        return np.asarray(self.problem.on & (self.problem[Rows].level < ACCELERATION_LEVEL))
