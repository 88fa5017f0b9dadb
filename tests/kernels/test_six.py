"""Systems of six equations against numpy."""

from __future__ import annotations

import numpy as np
import pytest

from mbplugin.math.six import factor_six, solve_six


def test_solution_and_side_are_those_of_numpy():
    random = np.random.default_rng(1)
    for _ in range(20):
        A, b = random.normal(size=(6, 6)), random.normal(size=6)
        A[random.integers(6), random.integers(6)] = 0.0
        factors, pivot, x = A.ravel().copy(), np.zeros(6, np.int64), b.copy()
        side = factor_six(factors, pivot)
        solve_six(factors, pivot, x)
        assert x == pytest.approx(np.linalg.solve(A, b), abs=1e-12 * np.linalg.cond(A))
        assert np.sign(side) == np.sign(np.linalg.det(A))
        assert 0.0 < abs(side) <= 1.0


def test_rows_are_exchanged():
    A, b = np.eye(6)[[3, 0, 1, 5, 2, 4]], np.arange(6.0)
    factors, pivot, x = A.ravel().copy(), np.zeros(6, np.int64), b.copy()
    assert factor_six(factors, pivot) == pytest.approx(np.linalg.det(A))
    solve_six(factors, pivot, x)
    assert x == pytest.approx(A.T @ b, abs=1e-15)


def test_a_singular_matrix_has_no_side():
    A = np.diag([1.0, 2.0, 3.0, 4.0, 5.0, 0.0])
    assert factor_six(A.ravel(), np.zeros(6, np.int64)) == 0.0
