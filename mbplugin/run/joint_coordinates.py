"""A system in joint coordinates: the problem that a run steps and shows. It begins at the state that the
problem in maximal coordinates has after the assembly, and may put its states back there for an analysis.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mbplugin.analysis.rank.rank import joint_rows
from mbplugin.compile import in_joint_coordinates
from mbplugin.compile.frames import plane_axes
from mbplugin.compile.tree.fold import Folded
from mbplugin.compile.tree.form import TreeForm
from mbplugin.compile.tree.links import Link
from mbplugin.kernels import entries
from mbplugin.kernels.tree.momentum import momenta_of_velocities
from mbplugin.kernels.tree.numbers import POSE, V, W, X
from mbplugin.model.orientation import from_matrix
from mbplugin.problem import Problem
from mbplugin.run.chosen_solver import ChosenSolver
from mbplugin.run.enforce import put_factor
from mbplugin.run.places import Places, places_of
from mbplugin.tables import groups
from mbplugin.tables.purposes import COORDINATE, NORMALISE, SHOWN
from mbplugin.tables.records import BALL, EQUALITY, FREE, MULTIPLIER, OFF, ON, POSITION_LEVEL, TARGET_ROW
from mbplugin.tables.spec import Array

#: positions at which rows are looked at, and part of a row over markers that is none over joint coordinates
POSITIONS, NO_EFFECT = 3, 1e-12
#: arrays of a frame from which the multipliers of all rows follow
MULTIPLIERS = (groups.Rows, "lam"), (groups.RowWrenches, "wrench"), (groups.Rates, "v_dot")


@dataclass
class JointCoordinates:
    """The problem in joint coordinates, and what became of the bodies and rows of the scene.

    whole: the problem with the rows that move nothing
    """

    problem: Problem
    folded: Folded
    whole: Problem

    @classmethod
    def of(
        cls,
        maximal: Problem,
        form: TreeForm = TreeForm(),  # noqa: B008 - it is frozen
        rows: bool = True,
        like: JointCoordinates | None = None,
    ) -> JointCoordinates:
        """maximal: the problem in maximal coordinates, assembled; rows: whether its rows are needed, and not
        its bodies alone; like: those of a system with other numbers. Raises SceneError, PluginError.
        """
        markers = maximal[groups.Markers]
        joints = maximal.names.joints
        poses = lambda k: [(markers.x[m], markers.R[m].reshape(3, 3)) for m in joints[k].markers]
        made = functools.partial(in_joint_coordinates, maximal.draft, poses, form)
        problem = whole = made(like=like.whole if like is not None else None)
        if like is not None:
            whole.take_pattern(like.whole)
        idle = rows_without_effect(whole) if rows else frozenset()
        if idle:
            problem = made(idle, like.problem if like is not None else None)
        return cls(problem, problem.folded, whole)

    @functools.cached_property
    def places(self) -> Places:
        """What frames are made of."""
        return places_of(self.problem)

    def begin(self, maximal: Problem) -> Problem:
        """A copy of the problem at the present state of `maximal`."""
        problem = self.problem.copy()
        maximal.check(entries.evaluate(maximal.addresses))
        maximal.check(entries.call_purpose(maximal.addresses, COORDINATE))
        state, other = problem[groups.State], maximal[groups.State]
        q, v = self.other_places(problem, maximal)
        state.time[0] = other.time[0]
        state.q[q[:, 0]], state.v[v[:, 0]] = other.q[q[:, 1]], other.v[v[:, 1]]
        state.aux[: len(other.aux)], state.memory[:] = other.aux, other.memory
        problem[groups.Measures].last[:] = maximal[groups.Measures].last
        row = self.folded.rows
        own = np.where(row >= 0, other.mode[row], OFF)
        state.mode[:] = np.concatenate([own, other.mode[maximal.nc :]])
        put_factor(problem, state.mode)
        self.put_coordinates(problem, maximal)
        self.put_laws(problem, maximal)
        problem.check(entries.evaluate(problem.addresses))
        if self.folded.momenta:
            problem.call_function(momenta_of_velocities)
        return problem

    def put_back(self, problem: Problem, maximal: Problem) -> None:
        """Set `maximal` to the present state of a problem of `begin`, evaluated. Both are then evaluated.
        Raises PhysicsError, PluginError.
        """
        problem.check(entries.call_purpose(problem.addresses, SHOWN))
        here, state = problem[groups.State], maximal[groups.State]
        q, v = self.other_places(problem, maximal)
        state.time[0] = here.time[0]
        state.q[q[:, 1]], state.v[v[:, 1]] = here.q[q[:, 0]], here.v[v[:, 0]]
        state.aux[:], state.memory[:] = here.aux[: len(state.aux)], here.memory
        maximal[groups.Measures].last[:] = problem[groups.Measures].last
        plane, poses = plane_axes(maximal.draft.system.scene.plane), problem[groups.Trees].pose
        for link, pose in zip(self.folded.links, poses.reshape(-1, POSE)):
            number = maximal.names.body_index[link.number]
            body, record = maximal.draft.bodies[number], maximal[groups.Bodies].index[number]
            R, w = pose[:9].reshape(3, 3) @ link.R.T, pose[W : W + 3]
            arm = R @ link.x
            x, u = pose[X : X + 3] - arm, pose[V : V + 3] - np.cross(w, arm)
            q, v = body.kind.coordinates(x, R, u, w, body.plan, plane)
            state.q[record.first_q : record.first_q + record.nq] = q
            state.v[record.first_v : record.first_v + record.nv] = v
        modes = state.mode.copy()
        modes[maximal.nc :] = here.mode[problem.nc :]
        idle, activity = self.idle_rows(maximal).T
        modes[idle] = np.where(modes[maximal.nc + activity] == ON, ON, OFF)
        rows = self.folded.rows
        modes[rows[rows >= 0]] = here.mode[: problem.nc][rows >= 0]
        state.mode[:] = modes
        put_factor(maximal, modes)
        maximal.check(entries.evaluate(maximal.addresses))
        self.put_rotors(maximal)

    def every_multiplier(self, maximal: Problem, frame: Mapping[Any, Array]) -> Array:
        """(nc,) multipliers of the rows of `maximal`, whose state is that of a frame with these arrays."""
        (lam,), (wrench,), (v_dot,) = (frame[key] for key in MULTIPLIERS)
        rows, every = self.folded.rows, np.zeros(maximal.nc)
        every[rows[rows >= 0]] = lam[rows >= 0]
        reactions = wrench[len(wrench) - len(maximal.names.joints) :]
        for link, record in zip(self.folded.links, self.problem[groups.Trees].link):
            if link.joint < 0:
                continue
            joint = maximal.names.joints[link.joint]
            own, G_m = joint_rows(maximal, joint)
            every[own] = np.linalg.lstsq(G_m.T, reactions[link.joint], rcond=None)[0]
            for rotor in link.rotors:
                row = row_of_rotor(maximal, f"{joint.name}.{rotor.coordinate}")
                every[row] = -rotor.inertia * v_dot[record.first_v + rotor.velocity]
        return every

    def put_rotors(self, maximal: Problem) -> None:
        """Let the rotors whose inertia the recursion has be where their rows want them, at their rates."""
        left = set(self.problem.names.rotors.values())
        state = maximal[groups.State]
        gone = [(number, name) for number, name in maximal.names.rotors.items() if name not in left]
        for number, name in gone:
            body, row = maximal[groups.Bodies].index[number], row_of_rotor(maximal, name)
            # Φ = s − r − constant
            state.q[body.first_q] += maximal[groups.Rows].phi[row]
            state.v[body.first_v] += maximal.jacobian()[row] @ state.v
        if gone:
            maximal.check(entries.evaluate(maximal.addresses))

    def put_coordinates(self, problem: Problem, maximal: Problem) -> None:
        """Joint coordinates and rates of the present state of `maximal`."""
        q, v = problem[groups.State].q, problem[groups.State].v
        for t, links in enumerate(self.folded.trees):
            body = problem[groups.Bodies].index[self.folded.first_body + t]
            at_q, at_v = int(body.first_q), int(body.first_v)
            for link in links:
                q[at_q : at_q + link.nq], v[at_v : at_v + link.rates] = coordinates_of(maximal, link)
                at_q, at_v = at_q + link.nq, at_v + link.rates
        self.put_poses(problem, maximal)

    def put_poses(self, problem: Problem, maximal: Problem) -> None:
        """Relative poses of joints in `DerivedRows`, from which the next ones are found."""
        rows, markers = problem[groups.DerivedRows], maximal[groups.Markers]
        links = self.folded.links
        for number, joint in enumerate(rows.index):
            link = links[joint.link]
            a, b = maximal.names.joints[link.joint].markers
            carrying, carried = (a, b) if link.forward else (b, a)
            R = markers.R[carrying].reshape(3, 3)
            pose = rows.pose[7 * number : 7 * number + 7]
            pose[:3] = R.T @ (markers.x[carried] - markers.x[carrying])
            pose[3:] = from_matrix(R.T @ markers.R[carried].reshape(3, 3))
            part = slice(joint.first_coordinate, joint.first_coordinate + link.rates)
            rows.value[part] = problem[groups.State].q[joint.first_q : joint.first_q + link.rates]
            rows.rate[part] = np.nan
            rows.side[number] = 0.0

    def put_laws(self, problem: Problem, maximal: Problem) -> None:
        """The numbers that the compliances of rows have in `maximal`."""
        here, there = problem[groups.Enforced], maximal[groups.Enforced]
        number = {int(row): k for k, row in enumerate(there.index.row)}
        for k, row in enumerate(here.index.row.tolist()):
            other = int(self.folded.rows[row])
            here.mass[k], here.tolerance[k] = there.mass[number[other]], there.tolerance[number[other]]
            p, p_there = problem[groups.Elements], maximal[groups.Elements]
            e = p.index[problem.names.compliances[row]]
            e_there = p_there.index[maximal.names.compliances[other]]
            n = len(self.law_of(maximal, other).values)
            first, first_there = int(e.first_parameter), int(e_there.first_parameter)
            p.p[first : first + n] = p_there.p[first_there : first_there + n]

    @staticmethod
    def law_of(problem: Problem, row: int) -> Any:
        """The kind of the compliance of a row."""
        return next(one.kind for one in problem.names.enforced if row in problem.names.joints[one.joint].rows)

    def idle_rows(self, maximal: Problem) -> Array:
        """(n, 2) rows of `maximal` that move nothing here, and the activities of their joints."""
        activity, others = maximal[groups.Activity], set(self.folded.rows.tolist())
        others |= {row for k in self.folded.choice.carried for row in maximal.names.joints[k].rows}
        return pairs(
            [
                (int(target.number), k)
                for k, one in enumerate(activity.index)
                for target in activity.target[one.first_target : one.first_target + one.targets]
                if target.kind == TARGET_ROW and int(target.number) not in others
            ]
        )

    def other_places(self, problem: Problem, maximal: Problem) -> tuple[Array, Array]:
        """(n, 2) places here and there of the coordinates of bodies that are no links, and of their
        velocities.
        """
        bodies, bodies_there = problem[groups.Bodies].index, maximal[groups.Bodies].index
        q, v = [], []
        for here, there in self.other_bodies(problem, maximal):
            a, b = bodies[here], bodies_there[there]
            q += [(int(a.first_q) + k, int(b.first_q) + k) for k in range(int(a.kind_q))]
            v += [(int(a.first_v) + k, int(b.first_v) + k) for k in range(int(a.kind_v))]
        return pairs(q), pairs(v)

    def other_bodies(self, problem: Problem, maximal: Problem) -> list[tuple[int, int]]:
        """Numbers here and there of the bodies that are no links."""
        linked = {link.number for link in self.folded.links}
        pairs = [
            (here, there)
            for k, (here, there) in enumerate(zip(problem.names.body_index, maximal.names.body_index))
            if k not in linked
        ]
        rotors = {name: number for number, name in maximal.names.rotors.items()}
        return pairs + [(number, rotors[name]) for number, name in problem.names.rotors.items()]


def row_of_rotor(maximal: Problem, coordinate: str) -> int:
    """Number of the row of the inertia on a coordinate, such as "pin.angle"."""
    joint, _, own = coordinate.rpartition(".")
    return next(
        k
        for k, row in enumerate(maximal.names.rows)
        if (row.owner, row.label) == (f"{joint} armature", f"inertia of {own}")
    )


def pairs(rows: list[tuple[int, int]]) -> Array:
    return np.array(rows, np.int64).reshape(-1, 2)


def joint_coordinates(
    maximal: Problem, solver: ChosenSolver, like: JointCoordinates | None
) -> JointCoordinates | None:
    """Joint coordinates of a run, if its solver has them. Raises SceneError, PluginError.

    maximal: the assembled problem in maximal coordinates; like: joint coordinates of one with other numbers
    """
    if not solver.joint_coordinates:
        return None
    return JointCoordinates.of(maximal, solver.tree_form, like=like)


def rows_without_effect(problem: Problem) -> frozenset[int]:
    """Numbers, in the draft in maximal coordinates, of the rows of joints that move nothing at any position,
    as those of a loop across the plane in which its tree moves. Rows with bounds, under a compliance, or
    whose multiplier something reads by itself, not in a sum of a reaction, are none of them.
    """
    blocks, found = problem[groups.Blocks], np.ones(problem.nc, bool)
    rows = [row for joint in problem.names.joints for row in joint.rows]
    found[np.setdiff1d(np.arange(problem.nc), rows)] = False
    found &= problem[groups.Rows].level == POSITION_LEVEL
    for block in blocks.index[blocks.index["row_type"] != EQUALITY]:
        found[block.first_row : block.first_row + block.rows] = False
    implicit, pressing = problem[groups.ImplicitVariables].index, problem[groups.Bearings].index.pressing
    found[implicit.place[implicit.kind == MULTIPLIER]] = False
    found[problem[groups.Bounded].index.row] = found[problem[groups.Enforced].index.row] = False
    found[pressing[pressing >= 0]] = False
    entry, row_of_entry, _ = problem.entries_of_G
    row_at_marker = np.zeros(len(blocks.G_marker), np.int64)
    for first, rows, slots, place in blocks.index[["first_row", "rows", "slots", "first_G_marker"]].tolist():
        row_at_marker[place : place + 6 * slots * rows] = np.repeat(np.arange(first, first + rows), 6 * slots)
    random = np.random.default_rng(0)
    start = problem.q
    for _ in range(POSITIONS if found.any() else 0):
        q = problem[groups.State].q
        for t, links in enumerate(problem.folded.trees):
            at = int(problem[groups.Bodies].index[problem.folded.first_body + t].first_q)
            for link in links:
                q[at : at + link.nq] = random.uniform(-1.0, 1.0, link.nq)
                at += link.nq
        problem.check(entries.call_purpose(problem.addresses, NORMALISE))
        if entries.evaluate(problem.addresses) != 0:
            # a joint has no such position
            found[:] = False
            break
        size, effect = np.zeros(problem.nc), np.zeros(problem.nc)
        np.maximum.at(size, row_at_marker, np.abs(blocks.G_marker))
        np.maximum.at(effect, row_of_entry, np.abs(blocks.G[entry]))
        found &= effect <= NO_EFFECT * size
    problem[groups.State].q[:] = start
    return frozenset(problem.folded.rows[found].tolist())


def coordinates_of(maximal: Problem, link: Link) -> tuple[Array, Array]:
    """Coordinates and rates of the joint that carries a body, at the present state, evaluated."""
    names, markers = maximal.names, maximal[groups.Markers]
    if link.joint < 0:
        marker = names.body_marker[link.number]
        R, w = markers.R[marker].reshape(3, 3) @ link.R, markers.w[marker]
        x, u = markers.x[marker], markers.v[marker]
        if link.form == FREE:
            return np.array([*x, *from_matrix(R)]), np.array([*u, *(R.T @ w)])
        turned = link.axes.T @ R
        place, rate = link.axes.T @ x, link.axes.T @ u
        angle = np.arctan2(turned[1, 0], turned[0, 0])
        return np.array([*place[:2], angle]), np.array([*rate[:2], link.axes[:, 2] @ w])
    joint = names.joints[link.joint]
    if link.form == BALL:
        a, b = joint.markers if link.forward else joint.markers[::-1]
        A, B = (markers.R[m].reshape(3, 3) for m in (a, b))
        return np.array(from_matrix(A.T @ B)), B.T @ (markers.w[b] - markers.w[a])
    numbers = {c.name: c.measure for c in names.coordinates}
    measures = [numbers[f"{joint.name}.{name}"] for name in link.coordinates]
    return maximal[groups.Measures].value[measures], np.array([rate_of(maximal, m) for m in measures])


def rate_of(problem: Problem, number: int) -> float:
    """ṡ = J twist of a measure that has been evaluated [m/s] or [rad/s]."""
    measures, markers = problem[groups.Measures], problem[groups.Markers]
    measure = measures.index[number]
    at = problem[groups.Elements].marker[measure.first_slot : measure.first_slot + measure.slots]
    twists = np.hstack([markers.v[at], markers.w[at]]).ravel()
    return float(measures.J[measure.first_J : measure.first_J + len(twists)] @ twists)
