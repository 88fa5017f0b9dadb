"""The impulses of the last step, by element and body.

M (v₁ − v₀) is their sum, in the middle of the step: what the solver says of it (`CompiledSolver.middle`) is
evaluated there once more; the projection at the end of the step counts with the joints whose rows it uses.

In joint coordinates M (v₁ − v₀) are momenta of joints, whose mean accelerations are those of the bodies: a
joint that carries a body gives what is missing to these, from the leaves inwards.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from mbplugin.codegen.core_functions import loaded_address
from mbplugin.kernels.tree.numbers import POSE
from mbplugin.kernels.tree.reactions import BLOW, STEP, find_wrenches
from mbplugin.model import System
from mbplugin.problem import Problem
from mbplugin.results.on_body import CONTACT, GRAVITY
from mbplugin.run.loads import LoadTerms, row_wrenches
from mbplugin.stepping import Middle, entries
from mbplugin.tables import groups
from mbplugin.tables.purposes import SHOWN
from mbplugin.tables.records import OFF
from mbplugin.tables.spec import Array

#: the name under which −h ω × J ω stands
GYROSCOPIC = "gyroscopic"
#: relative singular value of the rows below which they count as redundant
REDUNDANT = 1e-10


@dataclass(frozen=True)
class Impulses:
    """Impulses on the bodies in a step: entry k is what `element[k]` gave to `body[k]`.

    For every rigid body, m (v₁ − v₀) of its mass centre is the sum of `impulse`, and R J (ω₁ − ω₀) the sum of
    `angular_impulse`, with ω and J in axes of the body and R its axes in the middle of the step. In joint
    coordinates the sums are h m a and h (J α + ω × J ω) less its last term, of the mean accelerations s̈ of
    the joints in the middle of the step, which is as much but for its cube.
    """

    start: float  # of the step [s]
    end: float  # [s]
    element: list[str]  # joint, motion, force element, "gravity", "gyroscopic" or "contact with NAME"
    body: list[str]
    impulse: Array  # (n, 3) [N·s], world axes
    angular_impulse: Array  # (n, 3) about the mass centre [N·m·s], world axes

    def on(self, body: str) -> tuple[Array, Array]:
        """The sums of all impulses (3,) and angular impulses (3,) on a body."""
        here = np.array([name == body for name in self.body], bool)
        return self.impulse[here].sum(axis=0), self.angular_impulse[here].sum(axis=0)


#: element and number of a body of the scene -> impulse and angular impulse about the mass centre (6,)
Sums = dict[tuple[str, int], Array]


def impulses_of_step(problem: Problem, system: System, middle: Middle, loads: LoadTerms) -> Impulses:
    """The impulses of the last step, whose arrays the solver still holds. The tables are then evaluated at
    its end, without rates: show the state again. Raises PluginError, PhysicsError.
    """
    step = problem[groups.Step]
    t0, t1 = float(step.record[0].t0), float(step.record[0].t1)
    gathered: Sums = defaultdict(lambda: np.zeros(6))
    of_contacts = contact_wrenches(problem)
    evaluate_middle(problem, middle, t0, t1)
    centre, axes, spin = (
        array[problem.names.body_marker].copy()
        for array in (problem[groups.Markers].x, problem[groups.Markers].R, problem[groups.Markers].w)
    )
    rows = carried(problem, middle, t1 - t0)
    carry(problem, rows, middle.v1 - step.v0, t1 - t0)
    add_loads(problem, gathered, loads, rows, t1 - t0)
    add_weights(system, gathered, axes.reshape(-1, 3, 3), spin, t1 - t0)
    for body, other, x, wrench in of_contacts:
        wrench[3:] += np.cross(x - centre[body], wrench[:3])
        name = problem.names.bodies[other] if other >= 0 else "ground"
        gathered[f"{CONTACT} {name}", body] += wrench
    add_projection(problem, gathered, loads, middle, axes.reshape(-1, 3, 3), t1)
    sums = np.array(list(gathered.values()), float).reshape(-1, 6)
    names = [element for element, _ in gathered]
    bodies = [problem.names.bodies[body] for _, body in gathered]
    return Impulses(t0, t1, names, bodies, sums[:, :3], sums[:, 3:])


def evaluate_middle(problem: Problem, middle: Middle, t0: float, t1: float) -> None:
    """Evaluate accelerations and multipliers in the middle of the step, as the step did."""
    step, state = problem[groups.Step], problem[groups.State]
    state.q[:], state.v[:], state.aux[:] = step.q0, middle.v, middle.aux
    state.memory[:], problem[groups.Measures].last[:] = step.memory0, step.last0
    state.time[0] = t0 + 0.5 * (t1 - t0)
    problem.check(entries.advance_coordinates(problem.addresses, middle.dq))
    if step.record[0].redundant > 0:
        problem.check(entries.close_positions(problem.addresses))
    with without_bounded_rows(problem):
        problem.check(entries.evaluate_rates(problem.addresses))
    problem.call_purpose(SHOWN)


def carry(problem: Problem, rows: Array, change: Array, h: float) -> None:
    """Let `Trees.reaction` be the impulses of joints that carry links, where velocities change by `change`
    (nv,) under the impulses (nc,) of rows, over a step of length h with its forces and contacts; 0: at once.
    """
    trees, v_dot, per = problem[groups.Trees], problem[groups.Rates].v_dot, h or 1.0
    if not len(trees.index):
        return
    force, rate = rows / per, change / per
    trees.places[:2] = force.ctypes.data, rate.ctypes.data
    used = problem[groups.TransientRows].used
    contacts = used.copy()
    used[:] = contacts if h else 0
    problem.check(problem.call(loaded_address(find_wrenches), STEP if h else BLOW, 1))
    used[:] = contacts
    for i, link in enumerate(trees.link):
        frame = link.parent if link.forward else i
        R = trees.pose[POSE * frame : POSE * frame + 9].reshape(3, 3) if frame >= 0 else np.eye(3)
        n, f = trees.load[6 * i : 6 * i + 3], trees.load[6 * i + 3 : 6 * i + 6]
        trees.reaction[6 * i : 6 * i + 6] = per * np.concatenate([R.T @ f, R.T @ n])
    v_dot[:] = change


@contextmanager
def without_bounded_rows(problem: Problem) -> Iterator[None]:
    """All that bounded rows do in a step is impulses: none has a load meanwhile."""
    row, mode = problem[groups.Bounded].index.row, problem[groups.State].mode
    kept = mode[row].copy()
    mode[row] = OFF
    yield
    mode[row] = kept


def carried(problem: Problem, middle: Middle, h: float) -> Array:
    """(nc,) impulses of the rows over the step, in its evaluated middle [N·s, N·m·s]."""
    rows = problem[groups.Rows]
    smooth = np.where(problem.on, rows.lam, rows.load)
    return np.asarray(h * np.where(middle.implicit, 0.0, smooth) + middle.impulse)


def add_loads(problem: Problem, gathered: Sums, loads: LoadTerms, rows: Array, h: float) -> None:
    """Rows with these impulses (nc,), and force elements over a step of length h."""
    for load, wrench in zip(loads.loads, wrenches(problem, loads, rows, h)):
        gathered[load.element, load.body] += wrench


def wrenches(problem: Problem, loads: LoadTerms, rows: Array, h: float) -> Array:
    """(loads, 6) at the evaluated state: of rows with these impulses, and of force elements over h."""
    numbers: dict[Any, Array] = {
        (groups.Markers, "x"): problem[groups.Markers].x[None],
        (groups.RowWrenches, "wrench"): row_wrenches(problem, rows, np.zeros(len(rows)))[None],
        (groups.Wrenches, "wrench"): h * problem[groups.Wrenches].wrench[None],
    }
    return np.asarray(loads.wrenches(numbers)[0])


def add_weights(system: System, gathered: Sums, axes: Array, spin: Array, h: float) -> None:
    """Gravity, and −h ω × J ω. axes (bodies, 3, 3), spin (bodies, 3) [rad/s]: world, in the middle."""
    gravity = np.array(system.scene.gravity, float)
    weight = f"[scene] {GRAVITY}" if GRAVITY in [force.name for force in system.forces] else GRAVITY
    for k, body in enumerate(system.bodies):
        mass = body.mass_properties()
        if gravity.any() and mass.mass:
            gathered[weight, k][:3] += h * mass.mass * gravity
        if body.type == "spatial":
            momentum = axes[k] @ mass.inertia @ axes[k].T @ spin[k]
            gathered[GYROSCOPIC, k][3:] += -h * np.cross(spin[k], momentum)


def contact_wrenches(problem: Problem) -> list[tuple[int, int, Array, Array]]:
    """Body, the other one, a point (3,) and the wrench (6,) about it, of both sides of each transient
    block, as the step left them. The bodies are those of the scene; -1: the ground.
    """
    outputs = problem.solver_outputs
    if outputs is None or not outputs.transient:
        return []
    transient, markers = problem[groups.TransientRows], problem[groups.TransientMarkers]
    found = []
    for k in range(int(transient.used[0])):
        block = transient.index[k]
        ends = [int(outputs.in_scene[markers.index[2 * k + side].part]) for side in range(2)]
        for side in range(2):
            wrench = np.zeros(6)
            for row in range(int(block.first_row), int(block.first_row + block.rows)):
                place = 12 * row + 6 * side
                wrench += transient.impulse[row] * transient.G_marker[place : place + 6]
            if ends[side] >= 0 and wrench.any():
                found.append((ends[side], ends[1 - side], markers.x[2 * k + side].copy(), wrench))
    return found


def add_projection(
    problem: Problem, gathered: Sums, loads: LoadTerms, middle: Middle, axes: Array, t1: float
) -> None:
    """The impulses of rows that bring v at the end onto the constraints: M δv = Gᵀ Λ at q₁, of least size."""
    step, state = problem[groups.Step], problem[groups.State]
    change = step.v1 - middle.v1
    state.memory[:], state.aux[:] = step.memory0, step.aux1
    problem.evaluated = False
    problem.evaluate(t1, step.q1, step.v1)
    if problem.nc == 0 or not change.any():
        return
    rows = problem[groups.Rows]
    on = problem.on & (rows.level < 2)
    G = problem.jacobian() * on[:, None]
    momentum = problem.mass(step.q1) @ change
    roots = problem.solve_mass_root(G.T), problem.solve_mass_root(momentum)
    impulse = np.linalg.lstsq(*roots, rcond=REDUNDANT)[0]
    problem.call_purpose(SHOWN)
    carry(problem, impulse * on, change, 0.0)
    after = problem[groups.Markers].R[problem.names.body_marker].reshape(-1, 3, 3)
    for load, wrench in zip(loads.loads, wrenches(problem, loads, impulse * on, 0.0)):
        turn = axes[load.body] @ after[load.body].T
        gathered[load.element, load.body] += np.concatenate([wrench[:3], turn @ wrench[3:]])
