"""The three methods and numpy find one acceleration for random systems, and one set of reactions where rows
are independent.
"""

from __future__ import annotations

import numpy as np
from random_systems import of_random_systems

from mbplugin.tables.groups import Rates, State

METHODS = ("constraint_force", "kkt", "newton_euler")


@of_random_systems(25, 80)
def test_three_methods_and_least_squares_agree(system):
    found = {m: system.show(method=m)[0] for m in METHODS}
    v_dot = {m: shown.problem[Rates].v_dot.copy() for m, shown in found.items()}
    problem, report = found["kkt"].problem, found["kkt"].prepared.rank
    state = problem[State]
    t, q, v = float(state.time[0]), state.q.copy(), state.v.copy()
    M, h = problem.mass(q), problem.forces(t, q, v)
    G, gamma = problem.constraints(t, q, v)
    K = np.block([[M, -G.T], [G, np.zeros((len(G), len(G)))]])
    dense = np.linalg.lstsq(K, np.concatenate([h, gamma]), rcond=1e-12)[0][: len(h)]
    scale = np.abs(dense).max() + 1e-2
    for m in METHODS:
        assert np.abs(v_dot[m] - dense).max() <= 1e-8 * scale, m
        assert np.abs(G @ v_dot[m] - gamma).max(initial=0.0) <= 1e-9 * (
            scale + np.abs(gamma).max(initial=0.0)
        ), m
    if report.rank == report.rows:
        reactions = {
            m: np.hstack([shown.frame["joints/force"], shown.frame["joints/torque"]])
            for m, shown in found.items()
        }
        size = np.abs(reactions["kkt"]).max(initial=0.0) + 1e-2
        for m in METHODS:
            assert np.abs(reactions[m] - reactions["kkt"]).max(initial=0.0) <= 1e-8 * size, m
