"""Checks of body kinds: marker velocities are rates of positions, and the power of internal forces equals
the rate at which their energy decreases.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.compile import compile_system
from mbplugin.compile.body_tables import kinds_of
from mbplugin.compile.transient import add_transient
from mbplugin.hooks.registry import Registry
from mbplugin.kernels import entries
from mbplugin.model import Joint, Material, System
from mbplugin.tables.groups import (
    Batches,
    Bodies,
    Kinds,
    Markers,
    Nodal,
    Rates,
    State,
    TransientMarkers,
    TransientRows,
)
from mbplugin.tables.purposes import BODY_ENERGY, NODES, NORMALISE, RATE
from mbplugin.testing import samples
from mbplugin.testing.constraints import SEEDS, rows_checks, worst_of, written
from mbplugin.testing.motions import TOLERANCE, Motion, distance
from mbplugin.testing.report import Check
from mbplugin.testing.tangents import body_tangent_checks, part_tangent_checks

#: which examples of kinds with content may name
MATERIAL: dict[str, Any] = {
    "name": "sample",
    "young": 40.0,
    "poisson": 0.3,
    "density": 2.0,
    "mass_damping": 0.1,
    "stiffness_damping": 0.01,
}
#: of a marker: pose and twist
POSE = ("x", "R", "v", "w")


def body_checks(declared: Any, params: dict[str, Any], registry: Registry, where: str = "") -> list[Check]:
    name, with_nodes = f'body "{declared.name}"{where}', declared.content is not None
    checks: list[Check] = []
    for seed in SEEDS:
        random = np.random.default_rng(seed)
        planar = bool(declared.in_plane)
        system = System(scene={"gravity": [0.0, 0.0, 0.0]}, solver={"end": 1.0})
        if with_nodes:
            system.add(Material(**MATERIAL))
        system.add(samples.body("b0", random, declared.name, params, with_nodes))
        system.add(samples.body("b1", random, declared.name if planar else "spatial"))
        system.add(Joint(name="tried", type="fixed", a="b0.m", b="b1.m"))
        problem = compile_system(system, registry)
        kind = problem.names.kinds[problem.names.body_index[0]]  # its own one, where content has chosen it
        shapes = written(name, problem, random)
        checks += shapes
        if not shapes[0].ok:
            return worst_of(checks)
        if not planar:
            # away from the start, where deformations are zero
            problem[State].q[:] += 0.05 * random.normal(size=problem.nq)
            entries.call_purpose(problem.addresses, NORMALISE)
        checks += rows_checks(name, problem, random)
        motion = Motion(problem, random)
        rates = motion.difference(lambda t, q, v: q)
        problem.evaluate(*motion.at(0.0))
        problem.check(entries.call_purpose(problem.addresses, RATE))
        checks.append(
            Check(name, "q_dot is the rate of q + dt v", distance(problem[Rates].q_dot, rates), TOLERANCE)
        )
        moved = motion.difference(lambda t, q, v, problem=problem: marker_positions(problem, t, q, v))
        problem.evaluate(*motion.at(0.0))
        checks.append(
            Check(
                name,
                "marker velocities are rates of their positions",
                distance(problem[Markers].v, moved),
                TOLERANCE,
            )
        )
        if problem.names.nodal:
            checks.append(nodes_check(name, problem, motion))
        M = problem.mass(motion.at(0.0)[1])
        h = problem.forces(*motion.at(0.0))
        other = float(problem[Bodies].power.sum())
        fall = motion.difference(lambda t, q, v, problem=problem: own_energy(problem, t, q, v))
        power = distance(np.array(h @ motion.v), np.array(other - float(fall)))
        least = float(np.linalg.eigvalsh(M).min())
        checks += [
            Check(name, "M is symmetric", float(np.abs(M - M.T).max()) / float(np.abs(M).max()), 1e-13),
            Check(name, "M is positive definite", max(0.0, -least), 0.0),
            Check(name, "power of internal forces = `power` - rate of energy", power, TOLERANCE),
        ]
        tangent_checks = part_tangent_checks if kind.parts else body_tangent_checks
        checks += tangent_checks(name, problem, random)
        if kind.point_at is not None:
            checks.append(point_at_check(name, kind, problem))
    return worst_of(checks)


def point_at_check(name: str, kind: Any, problem: Any) -> Check:
    """A marker made at the pose of each marker of the kind's bodies has this pose, velocity and record."""
    problem.check(entries.evaluate(problem.addresses))
    add_transient(problem, 1)
    row = problem[Kinds].index[kinds_of(problem.names.kinds).index(kind)]
    markers, made = problem[Markers], problem[TransientMarkers]
    error = 0.0
    for m, marker in enumerate(markers.index):
        if marker.body < 0 or problem.names.kinds[marker.body] is not kind:
            continue
        made.index[0].body, made.x[0], made.R[0] = marker.body, markers.x[m], markers.R[m]
        record = markers.p[marker.first_parameter :]
        if kind.parts:
            if record[0] != 1.0:
                continue
            first = int(problem[Bodies].index[marker.body].first_part)
            problem[TransientRows].member[0].body = first + int(record[1])
        for number in (row.point_at, row.locate):
            problem.check(problem.call(int(problem[Batches].index[number].address), 0, 1))
        error = max(error, *(distance(getattr(made, a)[0], getattr(markers, a)[m]) for a in POSE))
        n = int(problem[Bodies].index[marker.body].record) if not kind.parts else 0
        r = markers.p[marker.first_parameter : marker.first_parameter + n]
        error = max(error, distance(made.p[:n], r))
    return Check(name, "point_at finds the record of a marker from its pose", error, 1e-12)


def nodes_check(name: str, problem: Any, motion: Motion) -> Check:
    """Velocities of nodes are rates of their positions."""
    moved = motion.difference(lambda t, q, v: node_positions(problem, t, q, v))
    node_positions(problem, *motion.at(0.0))
    error = distance(problem[Nodal].v, moved)
    return Check(name, "node velocities are rates of their positions", error, TOLERANCE)


def node_positions(problem: Any, t: float, q: Any, v: Any) -> Any:
    """(3 n,) [m], world."""
    problem.evaluate(t, q, v)
    problem.check(entries.call_purpose(problem.addresses, NODES))
    return problem[Nodal].x.copy()


def marker_positions(problem: Any, t: float, q: Any, v: Any) -> Any:
    """(markers, 3) [m], world."""
    problem.evaluate(t, q, v)
    return problem[Markers].x.copy()


def own_energy(problem: Any, t: float, q: Any, v: Any) -> float:
    """Elastic energy, and kinetic energy at constant v, which changes if M varies."""
    M = problem.mass(q)
    problem.evaluate(t, q, v)
    problem.check(entries.call_purpose(problem.addresses, BODY_ENERGY))
    return float(problem[Bodies].energy.sum() + 0.5 * v @ M @ v)
