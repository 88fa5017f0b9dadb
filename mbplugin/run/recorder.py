"""Read one frame of the result from the tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.analysis.rank.rank import DETERMINED, places_of_G_m
from mbplugin.analysis.redundancy.priority import Priorities, reaction_flags
from mbplugin.kernels import entries
from mbplugin.model import System
from mbplugin.model.orientation import from_matrices
from mbplugin.problem import Problem
from mbplugin.results.ragged import Lists
from mbplugin.run.drawn_shapes import shape_arrays
from mbplugin.tables.groups import Blocks, Bodies, Markers, Measures, Outputs, Rates, Rows, State, Wrenches
from mbplugin.tables.spec import Array

#: largest number of rows for which each frame determines the shared reactions; larger models keep the result
#: of the start
FOLLOWED = 120


class Recorder:
    """Reads a problem's tables. `determined`: (joints, 6) from the rank analysis at the start.

    Create it after assembly, so that the energy balance starts at the initial state.
    """

    def __init__(self, problem: Problem, system: System, determined: Array) -> None:
        self.problem, self.system, self.determined = problem, system, determined
        #: shared components rotate with the joints, so each frame determines them again
        self.follows = bool((determined < DETERMINED).any()) and problem.nc <= FOLLOWED
        self.priorities = Priorities(problem, system)
        #: per joint: its rows (rows,), and the places of G_m of its last marker in `Blocks.G_marker` (rows,
        #: 6)
        self.joint_rows = [
            (np.array(j.rows, np.int64), places_of_G_m(problem, j)) for j in problem.names.joints
        ]
        problem.check(entries.evaluate(problem.addresses))
        self.start_energy = sum(self.mechanical_energy())

    def static(self) -> dict[str, Any]:
        """Names, meshes and all other constant data."""
        system, names = self.system, self.problem.names
        properties = [body.mass_properties() for body in system.bodies]
        of_solver = self.problem.solver_outputs
        outputs = names.outputs + (of_solver.names() if of_solver is not None else [])
        arrays: dict[str, Any] = {
            "bodies/name": list(names.bodies),
            "bodies/kind": [body.type for body in system.bodies],
            "bodies/mass": [float(p.mass) for p in properties],
            "bodies/center_of_mass": np.array([p.center_of_mass for p in properties]).reshape(-1, 3),
            "joints/name": [joint.name for joint in names.joints],
            "joints/type": [joint.type for joint in names.joints],
            "joints/a": [joint.a for joint in names.joints],
            "joints/b": [joint.b for joint in names.joints],
            "joints/free": [list(joint.free) for joint in names.joints],
            "joints/locked": [[names.rows[row].label for row in joint.rows] for joint in names.joints],
            "coordinates/name": [c.name for c in names.coordinates],
            "coordinates/joint": np.array([c.joint for c in names.coordinates], np.int64),
            "coordinates/unit": [c.unit for c in names.coordinates],
            "forces/name": [name for name, _ in names.forces],
            "forces/type": [kind for _, kind in names.forces],
            "forces/gravity": list(system.scene.gravity),
            "states/name": list(names.states),
            "states/unit": list(names.state_units),
            "outputs/name": [name for name, _ in outputs],
            "outputs/unit": [unit for _, unit in outputs],
            "lines/name": [name for name, _, _ in names.lines],
        }
        return arrays | shape_arrays(system)

    def frame(self) -> dict[str, Any]:
        """All arrays of one frame, as `results/layout.py` names them."""
        problem, names = self.problem, self.problem.names
        markers, state, wrenches = problem[Markers], problem[State], problem[Wrenches]
        of_solver = problem.solver_outputs
        n = len(markers.index)
        linear, angular = np.zeros((n, 3)), np.zeros((n, 3))
        shares = self.priorities.at_present(problem) if self.follows or self.priorities.active else None
        lam = shares.of(problem[Rows].lam) if shares is not None else problem[Rows].lam
        reaction = self.reactions(lam)
        local = self.in_joint_axes(reaction)
        measures = problem[Measures]
        number = [c.measure for c in names.coordinates]
        value, speed = measures.value[number], measures.rate[number]
        drive = np.array([lam[c.motion_row] if c.motion_row >= 0 else 0.0 for c in names.coordinates])
        drift = self.drift()
        kinetic, potential = self.mechanical_energy()
        problem.check(entries.marker_rates(problem.addresses, problem[Rates].v_dot, linear, angular))
        at = names.body_marker
        axes = markers.R.reshape(-1, 3, 3)
        ends = [joint.markers[-1] for joint in names.joints]
        lines = np.array([pair for _, *pair in names.lines], np.int64).reshape(-1, 2)
        first = len(wrenches.index) - len(names.forces)
        last = wrenches.index.first_slot[first:] + wrenches.index.slots[first:] - 1
        work, dissipated = float(state.aux[0]), float(state.aux[1])
        return {
            "time": float(state.time[0]),
            "bodies/position": markers.x[at],
            "bodies/orientation": from_matrices(axes[at]),
            "bodies/velocity": markers.v[at],
            "bodies/angular_velocity": markers.w[at],
            "bodies/acceleration": linear[at],
            "bodies/angular_acceleration": angular[at],
            "joints/position": markers.x[ends],
            "joints/orientation": from_matrices(axes[ends]),
            "joints/force": reaction[:, :3],
            "joints/torque": reaction[:, 3:],
            "joints/local_force": local[:, 0],
            "joints/local_torque": local[:, 1],
            "joints/determined": reaction_flags(problem, shares) if shares is not None else self.determined,
            "coordinates/value": value,
            "coordinates/speed": speed,
            "coordinates/drive": drive,
            "forces/wrench": wrenches.wrench.reshape(-1, 6)[last],
            "forces/energy": wrenches.energy[first:].copy(),
            "forces/power": wrenches.power[first:].copy(),
            "states/value": state.aux[2:].copy(),
            "outputs/value": np.concatenate([problem[Outputs].value, of_solver.values()])
            if of_solver is not None
            else problem[Outputs].value.copy(),
            "lines/ends": markers.x.reshape(-1, 3)[lines],
            "energy/kinetic": kinetic,
            "energy/potential": potential,
            "energy/dissipated": dissipated,
            "energy/work": work,
            "energy/balance": kinetic + potential + dissipated - work - self.start_energy,
            "constraints/drift_position": drift[0],
            "constraints/drift_velocity": drift[1],
            **(of_solver.entries() if of_solver is not None else {}),
        }

    def lists(self) -> Lists:
        """Descriptions of the lists whose length changes from frame to frame."""
        of_solver = self.problem.solver_outputs
        return of_solver.lists() if of_solver is not None else {}

    def reactions(self, lam: Array | None = None) -> Array:
        """(joints, 6) force and torque of each joint's own rows on its last marker, world axes: G_mᵀ λ, and
        G_mᵀ load of rows under an enforcement law.

        lam: multipliers after priorities, if the caller has them already.
        """
        rows = self.problem[Rows]
        if lam is None:
            lam = (
                self.priorities.at_present(self.problem).of(rows.lam) if self.priorities.active else rows.lam
            )
        carried = lam + rows.load
        G_m = self.problem[Blocks].G_marker
        wrench = np.zeros((len(self.joint_rows), 6))
        for k, (rows_of_joint, places) in enumerate(self.joint_rows):
            wrench[k] = carried[rows_of_joint] @ G_m[places]
        return wrench

    def in_joint_axes(self, reaction: Array) -> Array:
        """(joints, 2, 3) the same force and torque in the axes that each kind defines."""
        markers = self.problem[Markers]
        R = markers.R.reshape(-1, 3, 3)
        local = np.zeros((len(reaction), 2, 3))
        for k, joint in enumerate(self.problem.names.joints):
            of_force, of_torque = joint.kind.axes([(markers.x[m], R[m]) for m in joint.markers])
            local[k] = reaction[k, :3] @ of_force, reaction[k, 3:] @ of_torque
        return local

    def drift(self) -> tuple[float, float]:
        """Largest position and velocity residual: metres over the mechanism's size, or radians."""
        problem = self.problem
        rows = problem[Rows]
        unit = np.where(rows.radians == 1, 1.0, problem.names.size)
        active = rows.active == 1
        rate = problem.times_G(problem[State].v) + rows.phi_t
        return (
            float(np.max(np.abs(rows.phi / unit)[active & (rows.level == 0)], initial=0.0)),
            float(np.max(np.abs(rate / unit)[active & (rows.level <= 1)], initial=0.0)),
        )

    def mechanical_energy(self) -> tuple[float, float]:
        """½ vᵀ M v and the potential energy of forces, bodies and enforcement laws [J]."""
        problem = self.problem
        problem.check(entries.evaluate_energies(problem.addresses))
        bodies = problem[Bodies]
        elastic = np.sum(problem[Wrenches].energy) + np.sum(bodies.energy) + np.sum(problem[Rows].energy)
        return float(bodies.kinetic.sum()), float(elastic)
