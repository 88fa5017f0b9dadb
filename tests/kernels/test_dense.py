"""The factor with which full mass matrices are solved."""

import numpy as np
import pytest

from mbplugin.math.dense import cholesky, solve_lower, solve_lower_transposed


@pytest.mark.parametrize("n", [6, 12])
def test_an_ill_conditioned_mass_is_solved_with_its_factor_and_better_than_by_its_inverse(n):
    """M of condition 1e12, M x = b: the residual of the factor's solution is rounding, that of the inverse's
    is the condition times as large.
    """
    random = np.random.default_rng(n)
    Q = np.linalg.qr(random.normal(size=(n, n)))[0]
    M = Q @ np.diag(np.logspace(0, -12, n)) @ Q.T
    M = (M + M.T) / 2
    b = M @ random.normal(size=n)
    L, x = M.copy().ravel(), b.copy()
    assert cholesky(L, 0, n)
    solve_lower(L, 0, n, x, 0)
    solve_lower_transposed(L, 0, n, x, 0)
    residual = lambda x: np.abs(M @ x - b).max() / (np.abs(M).max() * np.abs(x).max())
    assert residual(x) < 1e-14
    assert residual(np.linalg.inv(M) @ b) > 1e3 * residual(x)
