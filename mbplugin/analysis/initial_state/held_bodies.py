"""Bodies that one rigid joint holds and nothing else, such as a load on a robot's flange, are put at their
place before the assembly. Rows of directions depend on each other a quarter turn from their place, so that
Newton's method on them would not get there.
"""

from __future__ import annotations

from collections import Counter
from math import atan2

import numpy as np

from mbplugin.analysis.tangent.stiffness import moved
from mbplugin.kernels import entries
from mbplugin.model.orientation import from_matrix
from mbplugin.problem import Problem
from mbplugin.tables.groups import Bodies, Markers, State
from mbplugin.tables.spec import Array

#: turn from which on a body is placed [rad], error at which it is [m, rad], steps at most
FAR, CLOSE, STEPS = 1.0, 1e-12, 10


def place_held_bodies(problem: Problem) -> None:
    """Change the coordinates of such bodies; the problem is evaluated, and is again afterwards."""
    body = problem[Markers].index.body
    held = Counter(i for joint in problem.names.joints for i in {int(body[m]) for m in joint.markers})
    for joint in problem.names.joints:
        rigid = len(joint.rows) == (3 if joint.planar else 6) and len(joint.markers) == 2
        if joint.kind is None or joint.free or not rigid:
            continue
        a, b = joint.markers
        for target, marker in ((a, b), (b, a)):
            if int(body[marker]) >= 0 and held[int(body[marker])] == 1:
                if np.linalg.norm(misplaced(problem, target, marker)[3:]) > FAR:
                    place(problem, target, marker)
                break


def misplaced(problem: Problem, target: int, marker: int) -> Array:
    """(6,) translation [m] and rotation vector [rad] that bring a marker to another one."""
    markers = problem[Markers]
    R = markers.R.reshape(-1, 3, 3)
    q = from_matrix(R[target] @ R[marker].T)
    size = float(np.linalg.norm(q[1:]))
    turn = 2.0 * atan2(size, q[0]) * np.asarray(q[1:]) / size if size > 0.0 else np.zeros(3)
    return np.concatenate([markers.x[target] - markers.x[marker], turn])


def place(problem: Problem, target: int, marker: int) -> None:
    """Bring the body of a marker to where this coincides with another one."""
    state, markers = problem[State], problem[Markers]
    body = problem[Bodies].index[int(markers.index.body[marker])]
    own = range(int(body.first_v), int(body.first_v) + int(body.nv))
    for _ in range(STEPS):
        error = misplaced(problem, target, marker)
        if np.abs(error).max() <= CLOSE:
            return
        v = state.v.copy()
        twists = []
        for k in own:
            state.v[:] = 0.0
            state.v[k] = 1.0
            problem.check(entries.evaluate(problem.addresses))
            twists.append(np.concatenate([markers.v[marker], markers.w[marker]]))
        dq = np.zeros(problem.nv)
        dq[list(own)] = np.linalg.lstsq(np.array(twists).T, error)[0]
        state.v[:] = v
        moved(problem, state.q.copy(), dq)
        problem.check(entries.evaluate(problem.addresses))
