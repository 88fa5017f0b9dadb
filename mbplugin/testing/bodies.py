"""Checks of body kinds: marker velocities are rates of positions, and the power of internal forces equals
the rate at which their energy decreases.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from mbplugin.compile import compile_system
from mbplugin.compile.body_tables import kinds_of
from mbplugin.compile.transient import add_transient
from mbplugin.hooks.registry import Registry
from mbplugin.kernels import entries
from mbplugin.model import Joint, Material, System
from mbplugin.tables.groups import Batches, Bodies, Kinds, Markers, Nodal, Rates, State, TransientMarkers
from mbplugin.tables.purposes import BODY_ENERGY, NODES, NORMALISE, RATE
from mbplugin.testing import samples
from mbplugin.testing.constraints import SEEDS, rows_checks
from mbplugin.testing.motions import TOLERANCE, Motion, distance
from mbplugin.testing.report import Checks
from mbplugin.testing.shapes import written
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


def body_checks(checks: Checks, kind: Any, registry: Registry, keys: dict[str, Any] | None = None) -> None:
    """Marker rates, mass and energy of a body kind, for each of its examples."""
    given = [samples.sample(kind), *kind.examples[1:]] if keys is None else [keys]
    for of_example, example in samples.each_example(checks, given):
        checks_of_body(of_example, kind, example, registry)


def checks_of_body(checks: Checks, declared: Any, keys: dict[str, Any], registry: Registry) -> None:
    with_nodes, planar = declared.content is not None, bool(declared.in_plane)
    for seed in SEEDS:
        random = np.random.default_rng(seed)
        system = System(scene={"gravity": [0.0, 0.0, 0.0]}, solver={"end": 1.0})
        if with_nodes:
            system.add(Material(**MATERIAL))
        system.add(samples.body("b0", random, declared.name, keys, with_nodes))
        system.add(samples.body("b1", random, declared.name if planar else "spatial"))
        system.add(Joint(name="tried", type="fixed", a="b0.m", b="b1.m"))
        problem = compile_system(system, registry)
        kind = problem.names.kinds[problem.names.body_index[0]]  # its own one, where content has chosen it
        if not written(checks, problem, random):
            return
        if not planar:
            # away from the start, where deformations are zero
            problem[State].q[:] += 0.05 * random.normal(size=problem.nq)
            entries.call_purpose(problem.addresses, NORMALISE)
        rows_checks(checks, problem, random)
        motion = Motion(problem, random)
        rates = motion.difference(lambda t, q, v: q)
        problem.evaluate(*motion.at(0.0))
        problem.check(entries.call_purpose(problem.addresses, RATE))
        checks.see("q_dot is the rate of q + dt v", distance(problem[Rates].q_dot, rates), TOLERANCE)
        moved = motion.difference(functools.partial(marker_positions, problem))
        problem.evaluate(*motion.at(0.0))
        error = distance(problem[Markers].v, moved)
        checks.see("marker velocities are rates of their positions", error, TOLERANCE)
        if problem.names.nodal:
            moved = motion.difference(functools.partial(node_positions, problem))
            node_positions(problem, *motion.at(0.0))
            error = distance(problem[Nodal].v, moved)
            checks.see("node velocities are rates of their positions", error, TOLERANCE)
        M = problem.mass(motion.at(0.0)[1])
        h = problem.forces(*motion.at(0.0))
        other = float(problem[Bodies].power.sum())
        fall = motion.difference(functools.partial(own_energy, problem))
        power = distance(np.array(h @ motion.v), other - fall)
        checks.see("M is symmetric", np.abs(M - M.T).max() / np.abs(M).max(), 1e-13)
        checks.see("M is positive definite", -np.linalg.eigvalsh(M).min(), 0.0)
        checks.see("power of internal forces = `power` - rate of energy", power, TOLERANCE)
        tangent_checks = part_tangent_checks if kind.parts else body_tangent_checks
        tangent_checks(checks, problem, random)
        if kind.point_at is not None:
            check_point_at(checks, kind, problem)


def check_point_at(checks: Checks, kind: Any, problem: Any) -> None:
    """A marker made at the pose of each marker of the kind's bodies has this pose, velocity and record."""
    problem.check(entries.evaluate(problem.addresses))
    add_transient(problem, 1)
    row = problem[Kinds].index[kinds_of(problem.names.kinds).index(kind)]
    markers, made = problem[Markers], problem[TransientMarkers]
    error = 0.0
    for m, marker in enumerate(markers.index):
        if marker.body < 0 or problem.names.kinds[marker.body] is not kind:
            continue
        made.index[0].face = -1
        made.index[0].body, made.x[0], made.R[0] = marker.body, markers.x[m], markers.R[m]
        record = markers.p[marker.first_parameter :]
        if kind.parts:
            if record[0] != 1.0:
                continue
            first = int(problem[Bodies].index[marker.body].first_part)
            made.index[0].part = first + int(record[1])
        for number in (row.point_at, row.locate):
            problem.check(problem.call(int(problem[Batches].index[number].address), 0, 1))
        error = max(error, *(distance(getattr(made, a)[0], getattr(markers, a)[m]) for a in POSE))
        n = int(problem[Bodies].index[marker.body].record) if not kind.parts else 0
        error = max(error, distance(made.p[:n], record[:n]))
    checks.see("point_at finds the record of a marker from its pose", error, 1e-12)


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
