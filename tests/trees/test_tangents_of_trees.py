"""K, D and M of trees in joint coordinates against differences of the whole system: M v̇ − h − Gᵀλ by the
coordinates and the velocities. A failure prints the scene; more seeds run with --slow.
"""

from __future__ import annotations

import numpy as np
import pytest
import random_trees
from both_coordinates import Both, begun, in_motion, moved

from mbplugin.analysis.tangent.derivative import derivative
from mbplugin.errors import PhysicsError
from mbplugin.kernels import entries
from mbplugin.kernels.form_tangent import form_step_tangent
from mbplugin.kernels.increments import increment_tangents
from mbplugin.math.jit import jit
from mbplugin.problem import Problem
from mbplugin.tables.groups import Bodies, DerivedRows, Rates, Rows, State, Trees
from mbplugin.tables.purposes import RETRACT
from mbplugin.tables.records import FREE

FORM_BY_INCREMENTS = jit(lambda tables, a, b, c, s: form_step_tangent(tables, a, b, c, s, 1))
INCREMENT = jit(lambda tables, dq: increment_tangents(tables, dq))
#: of the largest entry; that of joints which Newton's method moves are differences of two positions
TOLERANCE, OF_DIFFERENCES = 1e-8, 1e-6
TREES, MECHANISMS = (
    [*range(quick), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(quick, 150))]
    for quick in (12, 8)
)


def residual(problem: Problem, q: np.ndarray, v: np.ndarray, v_dot: np.ndarray, lam: np.ndarray):
    """dq, dv -> M v̇ − h − Gᵀλ at q ⊕ dq, v + dv."""
    state = problem[State]

    def at(dq: np.ndarray, dv: np.ndarray) -> np.ndarray:
        state.q[:], state.v[:] = q, v + dv
        problem[Rates].v_dot[:] = dq
        problem.check(entries.call_purpose(problem.addresses, RETRACT))
        problem.check(entries.evaluate(problem.addresses))
        M = problem.mass(state.q.copy())
        return M @ v_dot - problem[Bodies].h - problem.sparse_jacobian().T @ lam

    return at


def in_joint_coordinates(scene: random_trees.Scene) -> Both:
    """A scene in motion, off its start."""
    print(scene.text())
    try:
        two = begun(in_motion(scene.text(), scene.seed))
    except PhysicsError as error:
        if "contradict each other" in str(error):
            pytest.skip("its loops do not admit its motions")
        raise
    moved(two, scene.seed)
    return two


def state_of(problem: Problem) -> list[bytes]:
    """The state, the poses of derived joints, v̇ and the forces: what a tangent leaves as it is."""
    joints = problem[DerivedRows]
    found = [joints.value, joints.rate, joints.S, joints.pose, joints.bias, joints.side]
    return [x.tobytes() for x in (*problem[State], *found, problem[Rates].v_dot, problem[Bodies].h)]


def check(problem: Problem, seed: int) -> None:
    """The matrix with weights."""
    rng = np.random.default_rng([seed, 3])
    n = problem.nv
    v_dot, lam = rng.normal(size=n), rng.normal(size=problem.nc)
    q, v = problem.q, problem.v
    at = residual(problem, q, v, v_dot, lam * problem.on)
    unit, none = np.eye(n), np.zeros(n)
    K = np.column_stack([derivative(lambda s, e=e: at(s * e, none), 0.05) for e in unit])
    D = np.column_stack([derivative(lambda s, e=e: at(none, s * e), 0.1) for e in unit])
    at(none, none)
    M = problem.mass(problem.q)
    problem.check(entries.evaluate(problem.addresses))
    problem.prepare_tangents()
    tolerance = OF_DIFFERENCES if len(problem[DerivedRows].index) else TOLERANCE
    for a, b, c in ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (2.0, 0.7, 0.3)):
        problem[Rows].lam[:], problem[Rates].v_dot[:] = lam, v_dot
        before = state_of(problem)
        problem.form_tangent(a, b, c)
        assert state_of(problem) == before
        truth = a * M + b * D + c * K
        np.testing.assert_allclose(
            problem.tangent().toarray(), truth, atol=tolerance * max(np.abs(truth).max(), 1.0)
        )


def test_over_the_increment_of_a_step_it_is_the_derivative_of_the_residual():
    """The unknown is dq from q₀, in a tree with a free root and balls: positions are q₀ ⊕ dq."""
    problem = in_joint_coordinates(random_trees.flying_tree(3)).tree
    rng, n = np.random.default_rng(4), problem.nv
    assert (problem[Trees].link["form"] == FREE).any()
    q0, v, v_dot, dq, b, c = problem.q, problem.v, rng.normal(size=n), 0.4 * rng.normal(size=n), 0.7, 0.3
    at = residual(problem, q0, v, v_dot, np.zeros(problem.nc))
    truth = np.column_stack(
        [derivative(lambda s, e=e: at(dq + s * c * e, s * b * e), 0.05) for e in np.eye(n)]
    )
    at(dq, 0.0 * v)
    problem.prepare_tangents()
    problem[Rates].v_dot[:] = v_dot
    assert INCREMENT(problem.addresses, dq) == 0
    assert FORM_BY_INCREMENTS(problem.addresses, 0.0, b, c, 0.0) == 0
    np.testing.assert_allclose(problem.tangent().toarray(), truth, atol=TOLERANCE * np.abs(truth).max())


@pytest.mark.parametrize("seed", TREES)
def test_tangents_of_generated_trees(seed):
    check(in_joint_coordinates(random_trees.random_tree(seed)).tree, seed)


@pytest.mark.parametrize("seed", MECHANISMS)
def test_tangents_of_generated_mechanisms(seed):
    check(in_joint_coordinates(random_trees.random_mechanism(seed)).tree, seed)
