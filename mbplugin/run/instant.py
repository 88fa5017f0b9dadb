"""Accelerations and forces at t = 0 where rows have bounds or bodies touch: those with which a run begins.

Modes of rows with bounds are found by principal pivoting (`stepping/bounded.py`), as `rk` finds them before
its first step. Contacts are those of the first step of `contact`, found at the position, with the exact cone.
That step is so short that its mean forces and accelerations are those of the instant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mbplugin.analysis.forces_report import BoundedForce, TouchingForce
from mbplugin.analysis.initial_state.acceleration import AccelerationReport
from mbplugin.analysis.kinematics.kinematic import poses
from mbplugin.analysis.report import States
from mbplugin.errors import PhysicsError
from mbplugin.hooks.registry import Registry
from mbplugin.interface.solver import Integrator
from mbplugin.model import System
from mbplugin.model.solver import Solver
from mbplugin.problem import Problem
from mbplugin.results.layout import STATUSES
from mbplugin.run.prepare import Prepared, prepare
from mbplugin.tables.groups import Bodies, Rates, Rows, State
from mbplugin.tables.records import COMPLIANT
from mbplugin.tables.spec import Array

#: length of a step of `contact` whose forces are those of the instant [s]
SHORT = 1e-6
#: of the step, by the largest acceleration: contacts that close faster are struck
STRUCK = 10.0
#: contacts slip where their speed is larger, by that of a free fall in the step
SLIPS, GRAVITY = 1e-5, 9.81
#: the list of contacts in a frame
CONTACTS = "lists/contacts/"


@dataclass
class Instant:
    """The begun run of a scene, and the arrays of its frame at t = 0."""

    prepared: Prepared
    integrator: Integrator
    frame: dict[str, Array]
    remarks: list[str]  # of the solver, such as which forces are not unique


def at_instant(system: System, registry: Registry, touching: bool, **keys: Any) -> Instant:
    """Begin a run in maximal coordinates. keys: of the solver `contact`. Raises SceneError, PhysicsError."""
    chosen = {"type": "contact", "step": SHORT, **keys} if touching else {"type": "rk"}
    prepared = prepare(system.model_copy(update={"solver": Solver.model_validate(chosen)}), registry)
    integrator = prepared.start(1.0)
    integrator.show(0.0)
    return Instant(prepared, integrator, prepared.recorder.frame(), remarks_on_forces(prepared))


def remarks_on_forces(prepared: Prepared) -> list[str]:
    """What the solver has to say on the forces of the present frame."""
    if prepared.solver.kind.observer is None:
        return []
    observer = prepared.solver.kind.observer(prepared.problem)
    observer.frame()
    return [text for _, text in observer.closing()]


def report_of(instant: Instant) -> AccelerationReport:
    """The report of the instant, with the forces of its joints left out. Raises PhysicsError."""
    problem, frame, rank = instant.prepared.problem, instant.frame, instant.prepared.rank
    contacts = touching_forces(problem, frame) if f"{CONTACTS}gap" in frame else None
    v_dot, lam = problem[Rates].v_dot.copy(), problem[Rows].lam.copy()
    of_equations = residuals(problem, v_dot, lam, frame)
    one = lambda array: np.asarray(array)[None].copy()
    states = States(one(0.0), one(problem.q), one(problem[State].v), one(v_dot), one(lam))
    pose = poses(problem, states)
    return AccelerationReport(
        rows=rank.rows,
        rank=rank.rank,
        dof=instant.prepared.recorder.dof,
        states=states,
        bodies=problem.names.bodies,
        acceleration=pose[0, :, 18:21],
        angular_acceleration=pose[0, :, 21:],
        residuals=of_equations,
        bounds=bounded_forces(instant),
        contacts=contacts,
        messages=instant.remarks,
    )


def bounded_forces(instant: Instant) -> list[BoundedForce]:
    """Status and force of each row with bounds."""
    switching, frame = instant.prepared.recorder.places.switching, instant.frame
    found = zip(switching.names, frame["bounds/status"], frame["bounds/force"], switching.units)
    return [BoundedForce(name, STATUSES[int(k)], float(force), unit) for name, k, force, unit in found]


def touching_forces(problem: Problem, frame: dict[str, Array]) -> list[TouchingForce]:
    """Each contact with its status. Raises PhysicsError where one is struck."""
    names = ["ground", *problem.names.bodies]
    found: list[TouchingForce] = []
    largest = float(np.abs(frame["bodies/acceleration"]).max(initial=GRAVITY))
    for k in range(len(frame.get(f"{CONTACTS}gap", ()))):
        one = {key.removeprefix(CONTACTS): frame[key][k] for key in frame if key.startswith(CONTACTS)}
        a, b = (names[int(one[body]) + 1] for body in ("body_a", "body_b"))
        speed = -float(one["normal"] @ one["velocity_before"])
        if speed > STRUCK * GRAVITY * SHORT and float(one["local_force"][0]) * SHORT > 0.0:
            mend = (
                "there are no accelerations, but an impulse: give the velocities after it, or run the scene"
            )
            what = f'"{b}" strikes "{a}" with {speed:.3g} m/s'
            raise PhysicsError(f"acceleration analysis: {what}; {mend}", time=0.0)
        slips = float(one["slip_speed"]) > SLIPS * max(largest, GRAVITY) * SHORT
        loaded = float(one["local_force"][0]) > 0.0
        status = "open" if not loaded else "slips" if slips else "sticks"
        found.append(TouchingForce(a, b, status, one["point"], one["force"], one["local_force"]))
    return found


def residuals(problem: Problem, v_dot: Array, lam: Array, frame: dict[str, Array]) -> tuple[float, float]:
    """Residual of G v̇ = γ, and of M v̇ = h + Gᵀλ or, with contacts, of their law, relative to the largest
    term.
    """
    rows, state = problem[Rows], problem[State]
    h = np.array(problem[Bodies].h)
    on = problem.on
    G, gamma = problem.constraints(0.0, problem.q, state.v)
    largest = lambda *terms: max([float(np.abs(x).max(initial=0.0)) for x in terms] + [1e-300])
    free = np.asarray(problem[Bodies].inverse) * h
    of_constraints = float(np.abs((G @ v_dot - gamma)[on]).max(initial=0.0)) / largest(gamma, v_dot, free)
    if (law := frame.get(f"{CONTACTS}residual")) is not None:
        return of_constraints, float(np.abs(law).max(initial=0.0)) / (largest(free) * SHORT)
    compliant = np.where(state.mode[: problem.nc] == COMPLIANT, rows.load, 0.0)
    M = problem.mass(problem.q)
    imbalance = M @ v_dot - h - G.T @ (lam + compliant)
    return of_constraints, float(np.abs(imbalance).max(initial=0.0)) / largest(h, M @ v_dot, lam)
