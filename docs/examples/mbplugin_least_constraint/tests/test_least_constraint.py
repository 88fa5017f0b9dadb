"""The kit on the method, and a pendulum of known reaction."""

import numpy as np
import pytest
from mbplugin_least_constraint import LeastConstraint

import mbplugin as mb
from mbplugin.testing import check_method

PENDULUM = """
[[body]]
name = "bob"
mass = 2.0
inertia = [0.1, 0.1, 0.1]
position = [0, 0, -0.5]
[[joint]]
name = "pivot"
type = "revolute"
a = "ground"
b = "bob"
at = [0, 0, 0]
axis = [0, 1, 0]
"""


def test_the_method_conforms():
    report = check_method(LeastConstraint)
    assert report.ok, f"\n{report}"


def test_a_pendulum_at_rest_hangs_by_its_weight():
    problem = mb.System.from_text(PENDULUM).compile()
    v_dot, lam = LeastConstraint.acceleration(problem, 0.0, problem.q, problem.v)
    assert np.abs(v_dot).max() < 1e-12
    G, _ = problem.constraints(0.0, problem.q, problem.v)
    assert (G.T @ lam)[2] == pytest.approx(2.0 * 9.81)
