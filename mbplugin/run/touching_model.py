"""The linear model about an equilibrium of bodies that touch.

Contacts that are pressed stay closed, what sticks stays where it is, and what has slipped goes on along its
slip alone; open contacts are left out. With N the motions that joints and contacts allow, δ = N y,

    Lᵀ M N ÿ + Lᵀ D N ẏ + Lᵀ K N y = Lᵀ (h_x x + h_u u),   ẋ = x_q N y + x_v N ẏ + x_x x + x_u u

K has the forces of contacts, which turn and travel with them. Lᵀ annihilates the forces of what holds; where
a contact slips a change of its pressure f_N changes its friction μ f_N too, so that L is not N there. N has
a column for each joint coordinate that is a state.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mbplugin.analysis.equilibrium.bounded_rows import BoundedRows
from mbplugin.analysis.equilibrium.dense_position import Independent
from mbplugin.analysis.equilibrium.inner_states import states_of_scene
from mbplugin.analysis.rank.null_space import null_space
from mbplugin.analysis.report import States
from mbplugin.analysis.tangent.stiffness import damping, stiffness, stride
from mbplugin.errors import PhysicsError, SceneError
from mbplugin.model import System
from mbplugin.problem import Problem
from mbplugin.results.curve import Curve
from mbplugin.results.memory import MemoryResult
from mbplugin.results.quantities import curves
from mbplugin.run.linear_chart import Chart
from mbplugin.run.linear_modes import slips
from mbplugin.run.report_frames import ReportFrames
from mbplugin.run.variations import MULTIPLES, STEP, differences
from mbplugin.tables.groups import Bodies, Rates, State
from mbplugin.tables.spec import Array


@dataclass
class TouchingPoint:
    """An equilibrium of bodies that touch. lam: (nc,) multipliers there; the rows have the modes found."""

    problem: Problem
    system: System
    bounded: BoundedRows
    lam: Array

    def __post_init__(self) -> None:
        problem, state = self.problem, self.problem[State]
        if problem.names.implicit:
            mend = "expressions that read reactions or accelerations are not taken with contacts"
            raise SceneError("linearize", problem.names.implicit[0], mend)
        if slips(problem):
            mend = "a joint's friction that slips is not taken with contacts"
            raise SceneError("linearize", "friction", mend)
        self.q, self.v = problem.q, np.zeros(problem.nv)
        self.aux, self.memory, self.mode = state.aux.copy(), state.memory.copy(), state.mode.copy()
        self.inner = states_of_scene(problem)
        self.at(self.q, self.v)
        self.M = problem.mass(self.q)

    def at(self, q: Array, v: Array) -> None:
        """Put the problem to a position and velocities, evaluated."""
        state = self.problem[State]
        state.aux[:], state.memory[:], state.mode[:] = self.aux, self.memory, self.mode
        self.problem.set_state(float(state.time[0]), q, v)
        self.problem.evaluate_at()

    def motions(self, rows: Array) -> Array:
        """(nv, dof) that the rows of the problem that are on and `rows` (k, nv) allow, Nᵀ M N = 1."""
        self.at(self.q, self.v)
        N = null_space(self.problem).N
        return np.asarray(N @ Independent.of(rows @ N).rest if len(rows) else N)


@dataclass
class TouchingModel:
    """Matrices at a point, the chart of its positions, curves of outputs and of joint coordinates there."""

    matrices: tuple[Array, Array, Array, Array]
    chart: Chart
    outputs: list[Curve]
    coordinates: dict[str, float]
    error: float


def model_at(
    point: TouchingPoint, inputs: Sequence[int], outputs: Sequence[str] | None, locked: str
) -> TouchingModel:
    """inputs: their numbers; outputs: None: joint coordinates among the states; locked: what is told where
    nothing can move. Raises SceneError, PhysicsError.
    """
    problem, bounded = point.problem, point.bounded
    assert bounded.touching is not None
    N, L = point.motions(bounded.touched), point.motions(bounded.pushed)
    if not N.shape[1]:
        raise PhysicsError(locked)
    chart = Chart.of(point, N, point.M, range(len(problem.names.coordinates)))
    along, k, nx = chart.along, N.shape[1], len(point.inner)
    n, m = 2 * k + nx, len(inputs)
    point.at(point.q, point.v)
    K = stiffness(problem, point.lam) + bounded.touching.stiffness(bounded.force[bounded.own :])
    D = damping(problem)
    changes = Changes.of(point, along, inputs)
    h, x_dot, error = changes.forces(point)
    # −K δ − D δv + ∂h of each state and input
    force = np.hstack([-K @ along, -D @ along, h[:, 2 * k :]])
    rates = np.zeros((n, n + m))
    rates[:k, k : 2 * k] = np.eye(k)
    rates[k : 2 * k] = np.linalg.solve(L.T @ point.M @ along, L.T @ force)
    rates[2 * k :] = x_dot
    v_dot = along @ rates[k : 2 * k]
    point.at(point.q, point.v)
    on, G = problem.on, problem.jacobian()
    holds = np.vstack([G[on], bounded.pushed])
    lam = np.zeros((problem.nc, n + m))
    lam[on] = np.linalg.lstsq(holds.T, point.M @ v_dot - force, rcond=None)[0][: int(on.sum())]
    measured = [problem.names.coordinates[i].name for i in chart.coordinates]
    wanted = list(outputs) if outputs is not None else measured
    found, J, rough = changes.outputs(point, v_dot, lam, wanted)
    seen = changes.outputs(point, v_dot, lam, measured, whole=False)[0]
    base = {name: float(one.values[0]) for name, one in zip(measured, seen)}
    matrices = rates[:, :n], rates[:, n:], J[:, :n], J[:, n:]
    return TouchingModel(matrices, chart, found, base, max(error, rough))


@dataclass
class Changes:
    """States near a point: of each of its states and inputs, the multiples of a step."""

    steps: Array  # (n + m,)
    delta: Array  # (n + m, nv) of positions
    delta_v: Array  # (n + m, nv)
    aux: Array  # (n + m, na) changes of auxiliary states
    memory: Array  # (n + m, memory) and of memory

    @classmethod
    def of(cls, point: TouchingPoint, along: Array, inputs: Sequence[int]) -> Changes:
        nv, k = along.shape
        inner, count = point.inner, 2 * k + len(point.inner) + len(inputs)
        found = cls(
            np.zeros(count),
            np.zeros((count, nv)),
            np.zeros((count, nv)),
            np.zeros((count, len(point.aux))),
            np.zeros((count, len(point.memory))),
        )
        found.delta[:k], found.delta_v[k : 2 * k] = along.T, along.T
        found.steps[: 2 * k] = np.tile([STEP / stride(point.problem, one) for one in along.T], 2)
        found.aux[2 * k + np.arange(len(inner)), inner] = 1.0
        first = 2 * k + len(inner)
        found.memory[first + np.arange(len(inputs)), list(inputs)] = 1.0
        sizes = np.concatenate([point.aux[inner], point.memory[list(inputs)]])
        found.steps[2 * k :] = STEP * np.maximum(1.0, np.abs(sizes))
        return found

    def put(self, point: TouchingPoint, j: int, part: float) -> None:
        """Put the problem to a part of change j, evaluated."""
        problem, state, part = point.problem, point.problem[State], part * float(self.steps[j])
        point.at(point.q, part * self.delta_v[j])
        if self.delta[j].any():
            problem.move_to(point.q, part * self.delta[j])
            problem.close_positions()
        state.aux[:] = point.aux + part * self.aux[j]
        state.memory[:] = point.memory + part * self.memory[j]
        problem.evaluate_at()

    def forces(self, point: TouchingPoint) -> tuple[Array, Array, float]:
        """∂h (nv, n + m), ∂ẋ (nx, n + m), and the error of the latter."""
        problem, rows = point.problem, []
        for j in range(len(self.steps)):
            for part in MULTIPLES:
                self.put(point, j, part)
                rows.append(np.concatenate([problem[Bodies].h.copy(), problem[Rates].aux_dot[point.inner]]))
        values = np.array(rows).reshape(len(self.steps), len(MULTIPLES), -1)
        J, _ = differences(values, self.steps)
        error = differences(values[:, :, problem.nv :], self.steps)[1] if len(point.inner) else 0.0
        point.at(point.q, point.v)
        return J[: problem.nv], J[problem.nv :], error

    def outputs(
        self, point: TouchingPoint, v_dot: Array, lam: Array, wanted: list[str], whole: bool = True
    ) -> tuple[list[Curve], Array, float]:
        """Curves of outputs, which begin at the point, their derivatives (outputs, n + m), and the error of
        these. v_dot, lam: (…, n + m) of each change; whole: whether derivatives are asked for
        """
        problem, changes = point.problem, [(0, 0.0)]
        if whole:
            changes += [(j, part) for j in range(len(self.steps)) for part in MULTIPLES]
        found: dict[str, list[Array]] = {key: [] for key in ("q", "v", "v_dot", "lam", "memory", "aux")}
        for j, part in changes:
            self.put(point, j, part)
            state, size = problem[State], part * float(self.steps[j])
            now = (
                problem.q,
                state.v,
                size * v_dot[:, j],
                point.lam + size * lam[:, j],
                state.memory,
                state.aux,
            )
            for key, array in zip(found, now):
                found[key].append(np.array(array))
        arrays = {key: np.array(one) for key, one in found.items()}
        mode = np.tile(point.mode, (len(changes), 1))
        time = np.full(len(changes), problem[State].time[0])
        frames = ReportFrames(problem, point.system, States(time=time, mode=mode, **arrays, touching=None))
        recorder = frames.recorder
        result = MemoryResult(
            {key: functools.partial(make, recorder) for key, make in recorder.name_makers.items()},
            recorder.meshes,
            lambda: {"scene": recorder.system.to_toml()},
            {},
            recorder.frame_arrays,
        )
        for _ in frames.at_each():
            result.append_frames(recorder.at_present(), 0, 1)
        point.at(point.q, point.v)
        curve = [one for name in wanted for one in curves(result, name)]
        values = np.array([one.values for one in curve]).reshape(len(curve), len(changes))
        if not whole:
            return curve, values, 0.0
        J, error = differences(values[:, 1:].T.reshape(len(self.steps), len(MULTIPLES), -1), self.steps)
        return curve, J.reshape(len(curve), len(self.steps)), error
