"""Symmetric matrices by their profile, against numpy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from mbplugin.math.profile import (
    cholesky_profile,
    from_profile,
    profile_entry,
    solve_lower_profile,
    solve_lower_transposed_profile,
    to_profile,
)


def positive_definite(n, seed):
    """A sparse positive definite matrix whose rows begin anywhere."""
    random = np.random.default_rng(seed)
    L = np.tril(random.normal(size=(n, n)))
    for i in range(n):
        L[i, : random.integers(0, i + 1)] = 0.0
    return L @ L.T + n * np.eye(n)


@pytest.mark.parametrize("n", [1, 2, 7, 30])
def test_the_factor_of_a_profile_solves_as_numpy_does(n):
    A = positive_definite(n, n)
    M, ends = to_profile(A)
    np.testing.assert_array_equal(from_profile(M, ends), A)
    b = np.random.default_rng(0).normal(size=n)
    x, L = b.copy(), np.concatenate([np.full(3, np.nan), M])
    shifted = np.concatenate([np.full(2, -1), ends])
    assert cholesky_profile(L, 3, shifted, 2, n)
    solve_lower_profile(L, 3, shifted, 2, n, x, 0)
    np.testing.assert_allclose(x, np.linalg.solve(np.linalg.cholesky(A), b), rtol=1e-12, atol=1e-14)
    solve_lower_transposed_profile(L, 3, shifted, 2, n, x, 0)
    np.testing.assert_allclose(x, np.linalg.solve(A, b), rtol=1e-12, atol=1e-14)


def test_a_sparse_matrix_has_the_same_profile_and_keeps_stored_zeros():
    A = positive_definite(9, 4)
    for one, other in zip(to_profile(A), to_profile(csr_array(A))):
        np.testing.assert_array_equal(one, other)
    pattern = csr_array((np.zeros(2), np.array([0, 0]), np.array([0, 1, 1, 2])), shape=(3, 3))
    entries, ends = to_profile(pattern)
    assert ends.tolist() == [0, 1, 2, 5] and not entries.any()


def test_entries_outside_the_profile_are_zero():
    A = positive_definite(12, 5)
    M, ends = to_profile(A)
    for i in range(12):
        for j in range(12):
            assert profile_entry(M, 0, ends, 0, i, j) == A[i, j]


def test_a_matrix_that_is_not_positive_definite_is_refused():
    M, ends = to_profile(np.array([[1.0, 2.0], [2.0, 1.0]]))
    assert not cholesky_profile(M, 0, ends, 0, 2)
