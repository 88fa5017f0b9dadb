"""Quasi-static sweep of a scene: the equilibria at the times of its frames, and their forces."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.analysis.equilibrium.bounded_rows import BoundedRows
from mbplugin.analysis.equilibrium.quasi_static import Sweep
from mbplugin.analysis.equilibrium.sweep_report import SweepReport
from mbplugin.analysis.forces_report import DRIVEN_IN, TouchingForce
from mbplugin.analysis.report import States
from mbplugin.errors import SceneError, refuse_beyond_memory
from mbplugin.model import System
from mbplugin.problem import Problem
from mbplugin.run.activity import refuse_following
from mbplugin.run.at_rest import Touching, touching_forces
from mbplugin.run.linear_modes import depends_on_more
from mbplugin.run.places import places_of
from mbplugin.run.report_frames import ReportFrames
from mbplugin.tables.groups import Measures, State
from mbplugin.tables.spec import Array

#: arrays of frames that the report has
READ = (
    *("bodies/position", "joints/force", "joints/torque", "coordinates/drive", "coordinates/value"),
    *("bounds/status", "bounds/force"),
)
WHO = 'analysis "static" over time'


def refuse_for_sweeps(problem: Problem, system: System) -> None:
    """Raises SceneError for motions that give a rate, and for conditions."""
    for k, motion in enumerate(system.motions):
        if motion.level > 0:
            mend = f'gives a rate, and equilibria follow from positions; give "{motion.coordinate}" over time'
            raise system.locate(SceneError(f"motion[{k}].{motion.key}", motion.expression, mend))
    refuse_following(system, problem.names.activities, WHO)


def swept(problem: Problem, system: System, bounded: BoundedRows | None, times: Array) -> SweepReport:
    """The equilibria at these times, from that at the first one, at which the problem is. Raises
    PhysicsError.
    """
    n, state = len(times), problem[State]
    numbers = problem.nq + 2 * problem.nv + problem.nc + len(state.mode) + len(state.memory) + len(state.aux)
    refuse_beyond_memory("--positions", n, 8.0 * n * numbers, "ask for fewer")
    start = problem[Measures].last.copy()
    more = depends_on_more(problem)
    sweep = Sweep(problem, bounded, more)
    none = np.zeros((n, problem.nv))
    arrays: dict[str, Any] = {"q": [], "lam": [], "mode": [], "memory": [], "aux": []}
    touching = None if bounded is None else bounded.touching
    contacts: list[list[TouchingForce]] = []
    shown: list[Touching] = []
    least, stable = np.full(n, np.nan), np.full(n, -1)
    for k, t in enumerate(times.tolist()):
        rest = sweep.rest if k == 0 else sweep.to(t)
        for name, array in arrays.items():
            array.append(rest.lam.copy() if name == "lam" else getattr(state, name).copy())
        if touching is not None and bounded is not None:
            contacts.append(touching_forces(problem, bounded))
            shown.append(Touching.of(bounded))
        if rest.stable is not None and not more:
            least[k], stable[k] = rest.stiffnesses[0] if rest.dof else np.inf, int(rest.stable)
    found = {name: np.array(array) for name, array in arrays.items()}
    states = States(times, v=none, v_dot=none, touching=None, **found)
    if touching is not None:
        states.touching = lambda k: shown[k].entries(problem, touching)
    problem[Measures].last[:] = start  # frames count turns from there
    report = report_of(problem, system, states, sweep)
    problem[Measures].last[:] = start
    report.least, report.stable = least, stable
    report.contacts = contacts if touching is not None else None
    if more:
        report.messages.append("stability is not told: forces depend on inner states or reactions")
    return report


def report_of(problem: Problem, system: System, states: States, sweep: Sweep) -> SweepReport:
    """The report, with the forces of frames at the states."""
    names, seen = problem.names, dict[str, list[Any]]((key, []) for key in READ)
    for frame in ReportFrames(problem, system, states).frames():
        for key in READ:
            seen[key].append(frame.get(key, np.zeros(0)))
    of = {key: np.array(arrays) for key, arrays in seen.items()}
    driven = [k for k, c in enumerate(names.coordinates) if c.motion_rows]
    switching, bounds = places_of(problem).switching, of["bounds/status"].shape[1] > 0
    return SweepReport(
        states=states,
        bodies=names.bodies,
        position=of["bodies/position"],
        joints=[joint.name for joint in names.joints],
        reactions=np.concatenate([of["joints/force"], of["joints/torque"]], axis=2),
        motions=[names.coordinates[k].name for k in driven],
        units=[DRIVEN_IN[names.coordinates[k].unit] for k in driven],
        drive=of["coordinates/drive"][:, driven],
        coordinates=[one.name for one in names.coordinates],
        coordinate=of["coordinates/value"],
        bounds=list(switching.names) if bounds else [],
        bound_units=list(switching.units) if bounds else [],
        status=of["bounds/status"],
        force=of["bounds/force"],
        least=np.zeros(0),
        stable=np.zeros(0, int),
        inputs=[name for name, _ in names.inputs],
        searches=sweep.searches,
        jumps=sweep.jumps,
    )
