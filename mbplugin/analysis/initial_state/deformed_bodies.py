"""The assembly moves bodies as wholes: one that it would deform is refused by name and distance."""

from __future__ import annotations

import numpy as np

from mbplugin.analysis.initial_state.whole_bodies import WholeBodies
from mbplugin.analysis.phrases import joint_key
from mbplugin.errors import SceneError
from mbplugin.model import System
from mbplugin.problem import Problem
from mbplugin.tables.groups import Markers, Nodal, Rows
from mbplugin.tables.purposes import NODES
from mbplugin.tables.spec import Array

#: largest deformation by the assembly, of the size of a body: more than rounded numbers of a scene make
MAX_DEFORMATION = 1e-5


def refuse_deformed(problem: Problem, system: System, wholes: WholeBodies) -> None:
    """Raises SceneError for the joint that is widest open where no body is deformed, if closing it has
    deformed one. The problem is evaluated, and is again afterwards.
    """
    if not wholes:
        return
    closed = problem.q
    problem.evaluate_at(wholes.closest)
    wholes.undeform(problem)
    residual, rest = problem.position_residuals(), points_of(problem, wholes)
    row = int(np.argmax(residual)) if len(residual) else -1
    gap = abs(float(problem[Rows].phi[row])) if row >= 0 else 0.0
    problem.evaluate_at(closed)
    worst, name, size = largest_deformation(problem, wholes, rest)
    if row < 0 or worst <= MAX_DEFORMATION * size:
        return
    info = problem.names.rows[row]
    owner = info.owner.partition(" ")[0]
    mend = (
        f"stays open by {gap:.3g} {info.unit} at t = 0 while no body is deformed, and closing it would "
        f'deform body "{name}" by {worst:.3g} m; give the bodies positions and orientations at which they fit'
    )
    raise system.locate(SceneError(joint_key(system, owner), owner, mend))


def points_of(problem: Problem, wholes: WholeBodies) -> list[Array]:
    """(n, 3) points of each body that deforms [m]: its nodes, or its markers and the ends of their axes."""
    problem.call_purpose(NODES)
    nodes, first = {}, 0
    for one in problem.names.nodal:
        nodes[one.name] = problem[Nodal].x.reshape(-1, 3)[first : first + len(one.rest)].copy()
        first += len(one.rest)
    markers, points = problem[Markers], []
    for body in wholes.bodies:
        on = markers.index.body == problem.names.body_index[body.number]
        x, axes = markers.x[on], markers.R[on].reshape(-1, 3, 3).transpose(0, 2, 1)
        ends = x[:, None] + problem.names.size * axes
        points.append(nodes.get(problem.names.bodies[body.number], np.vstack([x, ends.reshape(-1, 3)])))
    return points


def largest_deformation(problem: Problem, wholes: WholeBodies, rest: list[Array]) -> tuple[float, str, float]:
    """Largest distance of a point from where its body would have it as a rigid one [m], the name of the body,
    and its size [m]; rest: as from `points_of` where no body is deformed.
    """
    worst = (0.0, "", 1.0)
    for body, whole, now in zip(wholes.bodies, rest, points_of(problem, wholes)):
        away, size = float(np.linalg.norm(now - as_whole(whole, now), axis=1).max()), float(np.ptp(whole))
        if away * worst[2] > worst[0] * size:
            worst = away, problem.names.bodies[body.number], size
    return worst


def as_whole(rest: Array, now: Array) -> Array:
    """Points (n, 3) at rest, turned and shifted to be nearest to where they are now (W. Kabsch, Acta Cryst. A
    32 (1976) 922).
    """
    a, b = rest - rest.mean(axis=0), now - now.mean(axis=0)
    left, _, right = np.linalg.svd(a.T @ b)
    handed = np.diag([1.0, 1.0, np.sign(np.linalg.det(left @ right))])
    return np.asarray(now.mean(axis=0) + a @ (left @ handed @ right))
