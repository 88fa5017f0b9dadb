"""Accelerations of one state by the problem in joint coordinates and by that in maximal coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mbplugin.analysis.rank.rank import rank
from mbplugin.api import plugins
from mbplugin.codegen.core_functions import core_units, load
from mbplugin.kernels import entries
from mbplugin.kernels.tree.flat import show_in_space
from mbplugin.kernels.tree.numbers import BIAS, POSE, V, W
from mbplugin.model import System
from mbplugin.problem import Problem
from mbplugin.run.joint_coordinates import JointCoordinates
from mbplugin.run.prepare import Prepared, prepare
from mbplugin.stepping.rates import rates
from mbplugin.tables.groups import Bodies, FrameValues, Rates, Rows, State, Step, Trees
from mbplugin.tables.purposes import PREPARE
from mbplugin.tables.records import StepRecord
from mbplugin.tables.spec import records, table

Array = Any


@dataclass
class Both:
    """A system in maximal coordinates, `full`, and in joint coordinates, `tree`."""

    prepared: Prepared
    full: Problem
    tree: Problem

    @property
    def joint(self) -> JointCoordinates:
        assert self.prepared.joint is not None
        return self.prepared.joint

    @property
    def links(self) -> list[Any]:
        return [link for links in self.joint.folded.trees for link in links]

    def put(self) -> None:
        """Let `full` have the state of `tree`."""
        self.joint.put_back(self.tree, self.full)


def prepared(system: System) -> Prepared:
    """A system with all that is compiled for trees."""
    load(core_units("run", "tree"))
    return prepare(system, plugins()[0])


def in_motion(text: str, seed: int) -> Prepared:
    """A system with random velocities that its constraints admit."""
    found = prepared(System.from_text(text))
    problem = found.problem
    problem[State].v[:] = np.random.default_rng(seed).uniform(-1.0, 1.0, problem.nv)
    problem.check(entries.assemble_velocities(problem.addresses))
    return found


def begun(prepared: Prepared) -> Both:
    """Both at the present state of the problem in maximal coordinates, of which this is a copy."""
    assert prepared.joint is not None
    full = prepared.problem.copy()
    full.check(entries.evaluate(full.addresses))
    tree = prepared.joint.begin(full)
    record = records(StepRecord, [tuple(0 for _ in StepRecord._fields)])
    tree.put(table(Step)._replace(record=record))
    return Both(prepared, full, tree)


def moved(two: Both, seed: int) -> None:
    """Another state: random changes of the coordinates, and random rates, that no closing row limits."""
    rng = np.random.default_rng([seed, 1])
    state = two.tree[State]
    for t, links in enumerate(two.joint.folded.trees):
        body = two.tree[Bodies].index[two.joint.folded.first_body + t]
        q, v = int(body.first_q), int(body.first_v)
        for link in links:
            state.q[q : q + link.nq] += rng.uniform(-0.5, 0.5, link.nq)
            if link.nq > link.rates:
                unit = state.q[q + link.nq - 4 : q + link.nq]
                unit /= np.linalg.norm(unit)
            state.v[v : v + link.rates] = rng.uniform(-2.0, 2.0, link.rates)
            q, v = q + link.nq, v + link.rates
    two.tree.check(entries.evaluate(two.tree.addresses))
    two.put()


def in_space(tree: Problem) -> None:
    """Poses and biases of links that move in a plane, which are else written where they are read."""
    for t, one in enumerate(tree[Trees].index):
        if one["flat"] == 1:
            tree.call_function(show_in_space, t)


def by_tree(two: Both) -> tuple[Array, Array]:
    """(bodies, 3) accelerations of the mass centres of links and angular ones, by the rates of `tree`; NaN of
    bodies that are no links.
    """
    tree = two.tree
    tree.check(tree.call_function(rates, 0))
    trees, state, v_dot = tree[Trees], tree[State], tree[Rates].v_dot.copy()
    in_space(tree)
    pose, bias = (trees.pose.reshape(-1, POSE), trees.bias.reshape(-1, BIAS))
    w = pose[:, W : W + 3].copy()
    alpha, a = bias[:, 6:9].copy(), bias[:, 9:12].copy()
    # twists are linear in the rates: those at the rates v̇ are H v̇
    v = state.v.copy()
    state.v[:] = v_dot
    tree.check(entries.call_purpose(tree.addresses, PREPARE))
    in_space(tree)
    alpha += pose[:, W : W + 3]
    a += pose[:, V : V + 3]
    state.v[:] = v
    tree.check(entries.evaluate(tree.addresses))
    n = len(two.full.names.bodies)
    linear, angular = np.full((n, 3), np.nan), np.full((n, 3), np.nan)
    for k, link in enumerate(two.links):
        r = pose[k, :9].reshape(3, 3) @ link.centre
        linear[link.number] = a[k] + np.cross(alpha[k], r) + np.cross(w[k], np.cross(w[k], r))
        angular[link.number] = alpha[k]
    return linear, angular


def by_full(two: Both) -> tuple[Array, Array]:
    """(bodies, 3) accelerations of the mass centres, and angular ones, in maximal coordinates."""
    full = two.full
    full.check(full.call_function(rates, 0))
    full.check(entries.marker_rates(full.addresses))
    at = full.names.body_marker
    return full[FrameValues].v_dot[at].copy(), full[FrameValues].w_dot[at].copy()


@dataclass
class Differences:
    """Largest ones, relative to the largest value."""

    linear: float
    angular: float
    others: float  # of v̇ of bodies that are no links
    multipliers: float  # of rows of both problems that are determined
    condition: float


def relative(a: Array, b: Array) -> float:
    scale = max(float(np.abs(b).max(initial=0.0)), 1e-3)
    return float(np.abs(a - b).max(initial=0.0)) / scale


def differences(two: Both) -> Differences:
    """At the present state of both."""
    report = rank(two.full)
    linear, angular = by_full(two)
    lam, v_dot = two.full[Rows].lam.copy(), two.full[Rates].v_dot.copy()
    ours, turning = by_tree(two)
    linked = ~np.isnan(ours[:, 0])
    _, other_v = two.joint.other_places(two.tree, two.full)
    others = two.tree[Rates].v_dot[other_v[:, 0]], v_dot[other_v[:, 1]]
    rows = two.joint.folded.rows
    loose = np.abs(report.null).max(axis=1, initial=0.0) > 1e-9 * np.abs(report.null).max(initial=1e-9)
    kept = [k for k, row in enumerate(rows) if row >= 0 and not loose[row]]
    multipliers = relative(two.tree[Rows].lam[kept], lam[rows[kept]])
    return Differences(
        relative(ours[linked], linear[linked]),
        relative(turning[linked], angular[linked]),
        relative(*others),
        multipliers,
        report.condition,
    )
