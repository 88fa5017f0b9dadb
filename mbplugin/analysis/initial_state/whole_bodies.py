"""Bodies that deform, moved as wholes: their poses, and all motions in which none of them deforms.

    v = T y     y: velocities of rigid bodies, and the twist of the mass centre of each body that deforms

With M_T = Tᵀ M T the least motion that meets the constraints is computed as for rigid bodies:
min ½ yᵀ M_T y,  G T y = r.
"""

from __future__ import annotations

from math import hypot
from typing import Any

import numpy as np

from mbplugin.analysis.rank.null_space import each_motion
from mbplugin.model.orientation import from_axis_angle, matrix
from mbplugin.problem import Problem
from mbplugin.problem.names import DeformableBody
from mbplugin.tables.groups import Bodies, Markers, State
from mbplugin.tables.spec import Array

#: difference from a rigid motion, relative to it, up to which a motion counts as rigid
RIGIDITY_OF_MOTION = 1e-9
#: compliance of the rows in the matrix of a step, and passes that remove its effect
DELTA, PASSES = 1e-10, 4


class WholeBodies:
    """The bodies of a problem that deform; false if there are none."""

    def __init__(self, problem: Problem) -> None:
        names = problem.names
        self.bodies: list[DeformableBody] = names.deformable
        self.markers = [names.body_marker[body.number] for body in self.bodies]
        self.size = names.size
        #: coordinates at which joints close best with all bodies undeformed; those of the problem until
        #: assembly has found better ones
        self.closest = problem.q
        if not self.bodies:
            return
        # mass centres of the bodies as the scene places them, undeformed
        scene = problem.copy()
        for body in self.bodies:
            q, _ = places(scene, body)
            scene[State].q[q] = body.coordinates(body.x, body.R, np.zeros(3), np.zeros(3))[0]
        scene.evaluate_at()
        self.rest = scene[Markers].x[self.markers].copy()
        self.rest_axes = scene[Markers].R.reshape(-1, 3, 3)[self.markers].copy()

    def __bool__(self) -> bool:
        return bool(self.bodies)

    def poses(self, problem: Problem) -> list[tuple[Array, Array]]:
        """Position (3,) and axes (3, 3) of the frame of each body, from where its mass centre is."""
        markers, poses = problem[Markers], []
        for body, m, rest, axes in zip(self.bodies, self.markers, self.rest, self.rest_axes):
            Q = markers.R[m].reshape(3, 3) @ axes.T
            poses.append((markers.x[m] + Q @ (body.x - rest), Q @ body.R))
        return poses

    def twists(self, problem: Problem) -> list[tuple[Array, Array]]:
        """For each body: its possible rigid motions, as twists of the mass centre (6, k), and its velocities
        in them (nv, k); k < 6 where supports hold nodes. The state is restored.
        """
        velocities: list[Array] = []
        actual = np.zeros((len(self.bodies), 6, 6))
        together = np.zeros((problem.nv, 6))
        for body, m, (x, R) in zip(self.bodies, self.markers, self.poses(problem)):
            arm, (_, v) = x - problem[Markers].x[m], places(problem, body)
            still = body.coordinates(x, R, np.zeros(3), np.zeros(3))[1]
            columns = [
                body.coordinates(x, R, twist[:3] + np.cross(twist[3:], arm), twist[3:])[1] - still
                for twist in np.eye(6)
            ]
            velocities.append(np.column_stack(columns))
            together[v] = velocities[-1]
        for k in each_motion(problem, together):
            markers = problem[Markers]
            actual[:, :3, k], actual[:, 3:, k] = markers.v[self.markers], markers.w[self.markers]
        found = []
        unit = np.array([1.0] * 3 + [1.0 / self.size] * 3)
        for own, body_v in zip(actual, velocities):
            _, sigma, Vt = np.linalg.svd((own - np.eye(6)) * unit / unit[:, None])
            chosen = (
                np.eye(6)
                if sigma[0] <= RIGIDITY_OF_MOTION
                else unit[:, None] * Vt[sigma <= RIGIDITY_OF_MOTION].T
            )
            found.append((chosen, body_v @ chosen))
        return found

    def motions(self, problem: Problem) -> tuple[Any, list[Array]]:
        """T (nv, ny), a sparse array of scipy, whose last columns are the twists of bodies that deform; and
        the twists (6, k) of each of these bodies.
        """
        from scipy.sparse import coo_array

        others = np.ones(problem.nv, bool)
        twists = self.twists(problem)
        entries = []
        count = problem.nv - sum(len(columns) for _, columns in twists)
        for body, (_, columns) in zip(self.bodies, twists):
            _, v = places(problem, body)
            others[v] = False
            row, column = np.nonzero(columns)
            entries.append((columns[row, column], row + v.start, column + count))
            count += columns.shape[1]
        own = np.flatnonzero(others)
        entries.append((np.ones(len(own)), own, np.arange(len(own))))
        value, row, column = (np.concatenate(one) for one in zip(*entries))
        return coo_array((value, (row, column)), shape=(problem.nv, count)).tocsr(), [t for t, _ in twists]

    def move(self, problem: Problem, T: Any, twists: list[Array], y: Array) -> None:
        """Move all bodies by T y, those that deform as wholes; without evaluation."""
        poses, last = self.poses(problem), len(y) - sum(t.shape[1] for t in twists)
        centres = problem[Markers].x[self.markers]
        problem.move_to(problem.q, T @ y)
        for k, (chosen, (x, R)) in enumerate(zip(twists, poses)):
            twist, centre = chosen @ y[last : last + chosen.shape[1]], centres[k]
            last += chosen.shape[1]
            Q = rotation(twist[3:])
            self.put(problem, k, centre + twist[:3] + Q @ (x - centre), Q @ R)

    def undeform(self, problem: Problem) -> None:
        """Undeform each body where it is. The problem must have been evaluated; it is evaluated again at the
        end.
        """
        for k, (x, R) in enumerate(self.poses(problem)):
            self.put(problem, k, x, R)
        problem.evaluate_at()

    def place(self, problem: Problem, index: int, x: Array, R: Array, marker: int) -> bool:
        """Move body `index` of the tables so that its marker `marker` has the position x and the axes R
        (3, 3). Returns whether it is a body that deforms; others are left. The problem must have been
        evaluated; it is evaluated again at the end.
        """
        numbers = [problem.names.body_index[body.number] for body in self.bodies]
        if index not in numbers:
            return False
        markers, k = problem[Markers], numbers.index(index)
        Q = R @ markers.R[marker].reshape(3, 3).T
        frame, axes = self.poses(problem)[k]
        self.put(problem, k, x + Q @ (frame - markers.x[marker]), Q @ axes)
        problem.evaluate_at()
        return True

    def put(self, problem: Problem, k: int, x: Array, R: Array) -> None:
        """Put the frame of body k to a pose, without evaluation."""
        q, _ = places(problem, self.bodies[k])
        problem[State].q[q] = self.bodies[k].coordinates(x, R, np.zeros(3), np.zeros(3))[0]


def places(problem: Problem, body: DeformableBody) -> tuple[slice, slice]:
    """Where its coordinates and velocities are."""
    record = problem[Bodies].index[problem.names.body_index[body.number]]
    q, v = int(record.first_q), int(record.first_v)
    return slice(q, q + int(record.kind_q)), slice(v, v + int(record.kind_v))


def rotation(vector: Array) -> Array:
    """(3, 3) of a rotation vector."""
    x, y, z = vector.tolist()
    angle = hypot(x, y, z)
    return matrix(from_axis_angle((x, y, z), angle)) if angle > 0.0 else np.eye(3)


def least_motion(problem: Problem, T: Any, rows: Array, target: Array) -> Array:
    """y (ny,) for which T y is least in the norm of M and G T y = target in the rows (n,); these may depend
    on each other. The problem must have been evaluated.
    """
    if T.shape[1] == 0:
        return np.zeros(0)
    from scipy.sparse import block_array, diags_array
    from scipy.sparse.linalg import splu

    M, G = problem.sparse_mass(), problem.sparse_jacobian()[rows]
    M_T, G_T = (T.T @ M @ T).tocsr(), G @ T
    square, of_all = ((one * one) @ (1.0 / mass.diagonal()) for one, mass in ((G_T, M_T), (G, M)))
    # rows that motions without deformation do not change hold rounding alone
    moving = square > RIGIDITY_OF_MOTION**2 * of_all
    scale = 1.0 / np.sqrt(square[moving])
    G_T, left = diags_array(scale) @ G_T[moving], scale * target[moving]
    compliance = diags_array(np.full(len(scale), -DELTA))
    bordered = block_array([[M_T, G_T.T], [G_T, compliance]], format="csc")
    solve, y = splu(bordered).solve, np.zeros(T.shape[1])
    for _ in range(PASSES):
        y += solve(np.concatenate([np.zeros(len(y)), left - G_T @ y]))[: len(y)]
    return y
