"""The assembly moves bodies as wholes: one that it would deform is refused by name and distance."""

from __future__ import annotations

import numpy as np

from mbplugin.errors import SceneError
from mbplugin.model import System
from mbplugin.problem import Problem
from mbplugin.tables.groups import Nodal, Rows
from mbplugin.tables.purposes import NODES
from mbplugin.tables.spec import Array

#: largest deformation by the assembly, of the size of a body: more than rounded numbers of a scene make
LARGEST = 1e-5


def refuse_deformed(problem: Problem, system: System, given_q: Array) -> None:
    """Raises SceneError for the joint that was widest open at the coordinates of the scene, if closing it has
    deformed a body with nodes. The problem is evaluated, and is again afterwards.
    """
    worst, name, size = largest_deformation(problem)
    if worst <= LARGEST * size:
        return
    closed = problem.q
    problem.evaluate_at(given_q)
    residual = problem.position_residuals()
    row = int(np.argmax(residual))
    gap, unit = abs(float(problem[Rows].phi[row])), problem.names.rows[row].unit
    problem.evaluate_at(closed)
    owner = problem.names.rows[row].owner.partition(" ")[0]
    number = next((k for k, joint in enumerate(system.joints) if joint.name == owner), None)
    mend = (
        f'is open by {gap:.3g} {unit} at t = 0, and closing it would deform body "{name}" by {worst:.3g} m; '
        "give the bodies positions and orientations at which they fit"
    )
    raise system.locate(SceneError(f"joint[{number}]" if number is not None else "joint", owner, mend))


def largest_deformation(problem: Problem) -> tuple[float, str, float]:
    """Largest distance of a node from where its body would have it as a rigid one [m], the name of the body,
    and its size [m].
    """
    worst = (0.0, "", 1.0)
    if not problem.names.nodal:
        return worst
    problem.call_purpose(NODES)
    nodes, first = problem[Nodal].x.reshape(-1, 3), 0
    for body in problem.names.nodal:
        rest, now = np.asarray(body.rest), nodes[first : first + len(body.rest)]
        first += len(rest)
        away, size = float(np.linalg.norm(now - as_whole(rest, now), axis=1).max()), float(np.ptp(rest))
        if away / size > worst[0] / worst[2]:
            worst = away, body.name, size
    return worst


def as_whole(rest: Array, now: Array) -> Array:
    """Nodes (n, 3) at rest, turned and shifted to be nearest to where they are now (W. Kabsch, Acta Cryst. A
    32 (1976) 922).
    """
    a, b = rest - rest.mean(axis=0), now - now.mean(axis=0)
    left, _, right = np.linalg.svd(a.T @ b)
    handed = np.diag([1.0, 1.0, np.sign(np.linalg.det(left @ right))])
    return np.asarray(now.mean(axis=0) + a @ (left @ handed @ right))
