"""A system in joint coordinates: the problem that a solver steps, beside the one in maximal coordinates in
which its states begin and are shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mbplugin.compile import compile_system
from mbplugin.compile.placing import add_poses
from mbplugin.compile.tree.fold import Folded
from mbplugin.compile.tree.links import Link
from mbplugin.hooks.registry import Registry
from mbplugin.kernels import entries
from mbplugin.model import System
from mbplugin.model.orientation import from_matrix
from mbplugin.problem import Problem
from mbplugin.run.enforce import put_factor, set_modes
from mbplugin.tables.groups import (
    Bodies,
    DerivedRows,
    Elements,
    Enforced,
    Markers,
    Measures,
    Shown,
    State,
    Step,
)
from mbplugin.tables.purposes import COORDINATE
from mbplugin.tables.records import BALL, FREE, StepRecord
from mbplugin.tables.spec import Array, records, table


@dataclass
class JointCoordinates:
    """The problem in joint coordinates, and what became of the bodies and rows of the scene."""

    problem: Problem
    folded: Folded

    @classmethod
    def of(cls, system: System, registry: Registry, shown: Problem) -> JointCoordinates:
        """Of a system; shown: its problem in maximal coordinates, assembled. Raises SceneError,
        PluginError.
        """
        markers = shown[Markers]
        poses = lambda k: [(markers.x[m], markers.R[m].reshape(3, 3)) for m in shown.names.joints[k].markers]
        problem = compile_system(system, registry, assembled=poses)
        return cls(problem, problem.folded)

    def begin(self, shown: Problem) -> Problem:
        """A copy of the problem at the present state of `shown`, which will show its states."""
        problem = self.problem.copy()
        problem.shown = shown
        prepare_to_show(shown)
        shown.check(entries.evaluate(shown.addresses))
        shown.check(entries.call_purpose(shown.addresses, COORDINATE))
        self.link(problem, shown)
        state, other, index = problem[State], shown[State], problem[Shown]
        state.time[0] = other.time[0]
        state.q[index.other_q[:, 0]] = other.q[index.other_q[:, 1]]
        state.v[index.other_v[:, 0]] = other.v[index.other_v[:, 1]]
        state.aux[: len(other.aux)], state.memory[:] = other.aux, other.memory
        problem[Measures].last[:] = shown[Measures].last
        rows, rows_there = problem.nc, shown.nc
        modes = np.concatenate([other.mode[index.row], other.mode[rows_there:]])
        set_modes(problem, slice(None), modes)
        put_factor(problem, problem[State].mode)
        self.put_coordinates(problem, shown)
        self.put_laws(problem, shown)
        problem.check(entries.evaluate(problem.addresses))
        assert rows == len(index.row)
        return problem

    def put_coordinates(self, problem: Problem, shown: Problem) -> None:
        """Joint coordinates and rates of the present state of `shown`."""
        q, v = problem[State].q, problem[State].v
        for t, links in enumerate(self.folded.trees):
            body = problem[Bodies].index[self.folded.first_body + t]
            at_q, at_v = int(body.first_q), int(body.first_v)
            for link in links:
                q[at_q : at_q + link.nq], v[at_v : at_v + link.rates] = coordinates_of(shown, link)
                at_q, at_v = at_q + link.nq, at_v + link.rates
        self.put_poses(problem, shown)

    def put_poses(self, problem: Problem, shown: Problem) -> None:
        """Relative poses of joints in `DerivedRows`, from which the next ones are found."""
        rows, markers = problem[DerivedRows], shown[Markers]
        links = self.folded.links
        for number, joint in enumerate(rows.index):
            link = links[joint.link]
            a, b = shown.names.joints[link.joint].markers
            carrying, carried = (a, b) if link.forward else (b, a)
            R = markers.R[carrying].reshape(3, 3)
            pose = rows.pose[7 * number : 7 * number + 7]
            pose[:3] = R.T @ (markers.x[carried] - markers.x[carrying])
            pose[3:] = from_matrix(R.T @ markers.R[carried].reshape(3, 3))
            part = slice(joint.first_coordinate, joint.first_coordinate + link.rates)
            rows.value[part] = problem[State].q[joint.first_q : joint.first_q + link.rates]
            rows.rate[part] = np.nan

    def put_laws(self, problem: Problem, shown: Problem) -> None:
        """The numbers that the compliances of rows have in `shown`."""
        here, there = problem[Enforced], shown[Enforced]
        number = {int(row): k for k, row in enumerate(there.index.row)}
        for k, row in enumerate(here.index.row.tolist()):
            other = int(self.folded.rows[row])
            here.mass[k], here.tolerance[k] = there.mass[number[other]], there.tolerance[number[other]]
            here.index[k].iterated = there.index[number[other]].iterated
            p, e = problem[Elements], problem[Elements].index[problem.names.compliances[row]]
            p_there, e_there = shown[Elements], shown[Elements].index[shown.names.compliances[other]]
            n = len(self.law_of(shown, other).values)
            first, first_there = int(e.first_parameter), int(e_there.first_parameter)
            p.p[first : first + n] = p_there.p[first_there : first_there + n]
        here.iterated[0] = there.iterated[0]

    @staticmethod
    def law_of(problem: Problem, row: int) -> Any:
        """The kind of the compliance of a row."""
        return next(one.kind for one in problem.names.enforced if row in problem.names.joints[one.joint].rows)

    def link(self, problem: Problem, shown: Problem) -> None:
        """Let the states of a problem be shown in another one."""
        names, trees = problem.names, self.folded.trees
        links = self.folded.links
        bodies, bodies_there = problem[Bodies].index, shown[Bodies].index
        other_q, other_v = [], []
        for here, there in self.other_bodies(problem, shown):
            a, b = bodies[here], bodies_there[there]
            other_q += [(int(a.first_q) + k, int(b.first_q) + k) for k in range(int(a.nq))]
            other_v += [(int(a.first_v) + k, int(b.first_v) + k) for k in range(int(a.nv))]
        turns = []
        first = {}
        for t, tree in enumerate(trees):
            at = int(bodies[self.folded.first_body + t].first_q)
            for link in tree:
                for k, name in enumerate(link.coordinates):
                    first[f"{names.joints[link.joint].name}.{name}"] = at + k
                at += link.nq
        for coordinate in shown.names.coordinates:
            counts = shown[Measures].index[coordinate.measure].counts_turns == 1
            if counts and coordinate.name in first:
                turns.append((coordinate.measure, first[coordinate.name]))
        pairs = lambda rows: np.array(rows, np.int64).reshape(-1, 2)
        problem.put(
            Shown(
                tables=np.array([shown.addresses.ctypes.data], np.int64),
                body=np.array([shown.names.body_index[link.number] for link in links], np.int64),
                x=np.array([link.centre for link in links]).reshape(-1, 3),
                R=np.array([link.state_axes for link in links]).reshape(-1, 9),
                row=self.folded.rows,
                other_q=pairs(other_q),
                other_v=pairs(other_v),
                turn=pairs(turns),
            )
        )

    def other_bodies(self, problem: Problem, shown: Problem) -> list[tuple[int, int]]:
        """Numbers here and there of the bodies that are no links."""
        linked = {link.number for link in self.folded.links}
        pairs = [
            (here, there)
            for k, (here, there) in enumerate(zip(problem.names.body_index, shown.names.body_index))
            if k not in linked
        ]
        rotors = {name: number for number, name in shown.names.rotors.items()}
        return pairs + [(number, rotors[name]) for number, name in problem.names.rotors.items()]


def coordinates_of(shown: Problem, link: Link) -> tuple[Array, Array]:
    """Coordinates and rates of the joint that carries a body, at the present state, evaluated."""
    names, markers = shown.names, shown[Markers]
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
    return shown[Measures].value[measures], np.array([rate_of(shown, m) for m in measures])


def rate_of(problem: Problem, number: int) -> float:
    """ṡ = J twist of a measure that has been evaluated [m/s] or [rad/s]."""
    measures, markers = problem[Measures], problem[Markers]
    measure = measures.index[number]
    at = problem[Elements].marker[measure.first_slot : measure.first_slot + measure.slots]
    twists = np.hstack([markers.v[at], markers.w[at]]).ravel()
    return float(measures.J[measure.first_J : measure.first_J + len(twists)] @ twists)


def prepare_to_show(shown: Problem) -> None:
    """Give a problem what it needs to show the states of another one."""
    if len(shown[Step].record) == 0:
        record = records(StepRecord, [tuple(0 for _ in StepRecord._fields)])
        shown.put(table(Step)._replace(record=record))
    add_poses(shown)
