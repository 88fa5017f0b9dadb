"""A body of twelve velocities: free, elastic, and held by a hinge of another plugin."""

from __future__ import annotations

import numpy as np
import pytest
from derivatives import check_rows
from headless import show
from scene_text import body, joint, solver, world
from scipy.integrate import solve_ivp

from mbplugin.tables.groups import State

SOLVER = solver(tolerance=1e-10, end=0.8)


def jelly(w=(0, 0, 0), elasticity=30.0, gravity=(0, 0, 0)):
    return world(gravity=gravity) + body(
        "jelly",
        type="foreign_affine",
        mass=1.3,
        inertia=[0.5, 0.4, 0.3],
        position=[0.6, 0.1, -0.2],
        angular_velocity=w,
        elasticity=elasticity,
        marker=[{"name": "corner", "position": [0.2, 0.3, -0.1]}],
    )


def hinged_jelly(elasticity=30.0):
    return jelly(elasticity=elasticity, gravity=[0, 0, -9.81]) + joint(
        "hinge", "revolute", "ground", "jelly", at=[0.2, 0.0, 0.1], axis=[0.2, 1.0, 0.4]
    )


def state(frame_problem):
    return frame_problem[State].q.copy(), frame_problem[State].v.copy()


def run_to(prepared, t):
    integrator = prepared.start(float(t))
    show(integrator, float(t), float(t))
    return state(prepared.problem)


def test_without_elasticity_the_deformation_grows_linearly(runs):
    """F = F₀ + Ḟ₀ t, exactly: a mark on the body moves on a straight line."""
    prepared = runs.prepare(jelly(w=[0.3, -0.2, 0.9], elasticity=0.0) + SOLVER)
    q0, v0 = state(prepared.problem)
    q, v = run_to(prepared, 0.8)
    np.testing.assert_allclose(q, q0 + 0.8 * v0, atol=1e-12)
    np.testing.assert_allclose(v, v0, atol=1e-12)


def test_an_elastic_body_keeps_energy_and_momentum(runs):
    prepared = runs.prepare(jelly(w=[3.0, -2.0, 4.0], elasticity=5.0) + SOLVER)

    def spin(q, v):
        F, dF = q[3:].reshape(3, 3), v[3:].reshape(3, 3)
        return sum(SECOND_IN_ORDER[j] * np.cross(F[j], dF[j]) for j in range(3))

    SECOND_IN_ORDER = 0.5 * 1.2 - np.sort([0.5, 0.4, 0.3])
    before = spin(*state(prepared.problem))
    q, v = run_to(prepared, 0.8)
    np.testing.assert_allclose(spin(q, v), before, atol=1e-9)
    assert abs(float(prepared.recorder.frame()["energy/balance"])) < 1e-8
    F = q[3:].reshape(3, 3)
    assert np.abs(F @ F.T - np.eye(3)).max() > 0.05


def marker_pose(q, record):
    """x and axes of a marker from the definition, for real or complex q."""
    F = q[3:].reshape(3, 3).T
    a, b = F @ record[3:6], F @ record[6:9]
    length = lambda y: np.sqrt(np.sum(y * y))
    e1 = a / length(a)
    n = np.cross(a, b)
    e3 = n / length(n)
    return q[:3] + F @ record[:3], np.array([e1, np.cross(e3, e1), e3])


def hinge_residual(q, record, ground_x, ground_axes):
    x, axes = marker_pose(q, record)
    return np.concatenate([x - ground_x, [ground_axes[0] @ axes[2], ground_axes[1] @ axes[2]]])


def test_held_by_a_hinge_it_moves_as_a_dense_model_says(runs):
    """The same motion from Φ(q) alone: G by complex step, γ by differences of it, the 17 equations by numpy,
    scipy's DOP853.
    """
    from mbplugin.tables.groups import Markers

    prepared = runs.prepare(hinged_jelly() + SOLVER)
    assert prepared.rank.dof == 12 - 5
    problem = prepared.problem
    q0, v0 = state(problem)
    markers, names = problem[Markers], problem.names
    ground, mine = names.joints[0].markers
    start = int(markers.index[mine].first_parameter)
    record = markers.p[start : start + 9].copy()
    ground_x, ground_axes = (markers.x[ground].copy(), markers.R[ground].reshape(3, 3).T.copy())
    M = np.concatenate([[1.3] * 3, np.repeat(0.5 * 1.2 - np.sort([0.5, 0.4, 0.3]), 3)])

    def jacobian(q):
        G = np.zeros((5, 12))
        for k in range(12):
            z = q.astype(complex)
            z[k] += 1e-30j
            G[:, k] = hinge_residual(z, record, ground_x, ground_axes).imag / 1e-30
        return G

    def rates(t, y):
        q, v = y[:12], y[12:]
        G = jacobian(q)
        step = 1e-5
        along = lambda s: hinge_residual(q + s * v + 1e-30j * v, record, ground_x, ground_axes).imag / 1e-30
        gamma = -(along(step) - along(-step)) / (2 * step)
        F = q[3:].reshape(3, 3)
        h = np.concatenate([[0, 0, -9.81 * 1.3], (-30.0 * (F @ F.T - np.eye(3)) @ F).ravel()])
        K = np.block([[np.diag(M), -G.T], [G, np.zeros((5, 5))]])
        return np.concatenate([v, np.linalg.solve(K, np.concatenate([h, gamma]))[:12]])

    assert np.abs(hinge_residual(q0, record, ground_x, ground_axes)).max() < 1e-12
    truth = solve_ivp(rates, (0, 0.8), np.concatenate([q0, v0]), rtol=1e-10, atol=1e-11, method="DOP853").y[
        :, -1
    ]
    q, v = run_to(prepared, 0.8)
    np.testing.assert_allclose(q, truth[:12], atol=2e-8)
    np.testing.assert_allclose(v, truth[12:], atol=2e-7)
    assert np.abs(q - q0).max() > 0.1


@pytest.mark.parametrize("seed", [1, 2])
def test_its_marker_frames_have_the_right_rates(runs, seed):
    """A revolute joint on it: G and γ as differences of Φ and G, away from F = 1."""
    prepared = runs.prepare(hinged_jelly() + SOLVER)
    problem = prepared.problem
    problem[State].q[:] += 0.2 * np.random.default_rng(seed).normal(size=12)
    check_rows(problem, seed=seed, tolerance=1e-5)
