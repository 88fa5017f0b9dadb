"""Bodies that one rigid joint holds and nothing else, such as a load on a robot's flange, are put at their
place before the assembly. Rows of directions depend on each other a quarter turn from their place, so that
Newton's method on them would not get there.
"""

from __future__ import annotations

from collections import Counter
from math import atan2

import numpy as np

from mbplugin.analysis.initial_state.whole_bodies import WholeBodies
from mbplugin.analysis.rank.null_space import each_motion, unit_motions
from mbplugin.model.orientation import from_matrix
from mbplugin.problem import Problem
from mbplugin.tables.groups import Bodies, Markers
from mbplugin.tables.spec import Array

#: angle from which on a body is placed [rad], error at which it is [m, rad], steps at most
FAR_ROTATION, PLACED, MAX_STEPS = 1.0, 1e-12, 10


def place_held_bodies(problem: Problem, wholes: WholeBodies) -> None:
    """Change the coordinates of such bodies; the problem is evaluated, and is again afterwards."""
    body = problem[Markers].index.body
    held = Counter(i for joint in problem.names.joints for i in {int(body[m]) for m in joint.markers})
    for joint in problem.names.joints:
        rigid = len(joint.rows) == (3 if joint.planar else 6) and len(joint.markers) == 2
        if joint.kind is None or joint.free_directions or not rigid:
            continue
        a, b = joint.markers
        for target, marker in ((a, b), (b, a)):
            if int(body[marker]) >= 0 and held[int(body[marker])] == 1:
                if np.linalg.norm(misplaced(problem, target, marker)[3:]) > FAR_ROTATION:
                    x, R = problem[Markers].x[target].copy(), problem[Markers].R[target].reshape(3, 3).copy()
                    place_at(problem, x, R, marker, wholes)
                break


def misplaced(problem: Problem, target: int, marker: int) -> Array:
    """(6,) translation [m] and rotation vector [rad] that bring a marker to another one."""
    markers = problem[Markers]
    return displaced(problem, markers.x[target], markers.R[target].reshape(3, 3), marker)


def displaced(problem: Problem, x: Array, R: Array, marker: int) -> Array:
    """(6,) the same for a position and axes (3, 3)."""
    markers = problem[Markers]
    q = from_matrix(R @ markers.R[marker].reshape(3, 3).T)
    size = float(np.linalg.norm(q[1:]))
    angle = 2.0 * atan2(size, q[0]) * np.asarray(q[1:]) / size if size > 0.0 else np.zeros(3)
    return np.concatenate([x - markers.x[marker], angle])


def place_at(problem: Problem, x: Array, R: Array, marker: int, wholes: WholeBodies) -> None:
    """Bring the body of a marker to where this has a position and axes (3, 3), undeformed."""
    markers = problem[Markers]
    number = int(markers.index.body[marker])
    if wholes.place(problem, number, x, R, marker):
        return
    motions = unit_motions(problem, problem[Bodies].index[number])
    for _ in range(MAX_STEPS):
        error = displaced(problem, x, R, marker)
        if np.abs(error).max() <= PLACED:
            return
        twist = lambda: np.concatenate([markers.v[marker], markers.w[marker]])
        H = np.column_stack([twist() for _ in each_motion(problem, motions)])
        problem.move_to(problem.q, motions @ np.linalg.lstsq(H, error)[0])
        problem.evaluate_at()
