"""Products and triangular solves of panels against numpy, for all remainders of their tiles."""

import numpy as np
import pytest

from mbplugin.math.emitters import panels
from mbplugin.math.jit import compiled_entry

SIZES = [1, 2, 3, 4, 5, 6, 7, 9]
COLUMNS = [1, 2, 3, 4, 5, 6, 7, 8, 11, 16, 23]
GUARD = 7.0


@compiled_entry()
def subtract(C, c_row, A, a_row, a_column, B, b_row, sizes):
    at = panels.at
    panels.subtract_product(at(C, 1), c_row, at(A, 0), a_row, a_column, at(B, 0), b_row, *sizes)


@compiled_entry()
def solve(T, t_row, L, l_row, l_column, D, n, columns):
    at = panels.at
    if len(D) > 0:
        panels.solve_lower(at(T, 1), t_row, at(L, 0), l_row, l_column, at(D, 0), 1, n, columns)
    else:
        panels.solve_unit_lower(at(T, 1), t_row, at(L, 0), l_row, l_column, n, columns)


@compiled_entry()
def factor(a, start, row, n, symmetric):
    return panels.factor_diagonal(a, start, row, n, symmetric)


def panel(matrix, width):
    """A matrix in the first columns of a wider array, behind one guard."""
    wide = np.full((len(matrix), width), GUARD)
    wide[:, : matrix.shape[1]] = matrix
    return np.concatenate([[GUARD], wide.ravel()])


@pytest.mark.parametrize("rows", SIZES)
@pytest.mark.parametrize("columns", COLUMNS)
def test_a_product_is_subtracted_and_nothing_else_changes(rows, columns):
    rng = np.random.default_rng(0)
    for depth in SIZES:
        C, A, B = (
            rng.normal(size=(rows, columns)),
            rng.normal(size=(rows, depth)),
            rng.normal(size=(depth, columns)),
        )
        for left, a_row, a_column in ((A, depth, 1), (A.T, 1, rows)):
            flat = panel(C, columns + 2)
            sizes = (rows, columns, depth)
            subtract(flat, columns + 2, left.ravel(), a_row, a_column, B.ravel(), columns, sizes)
            np.testing.assert_allclose(flat, panel(C - A @ B, columns + 2), rtol=0, atol=1e-14)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("columns", COLUMNS)
def test_triangular_solves(n, columns):
    rng = np.random.default_rng(1)
    L, D, T = np.tril(rng.normal(size=(n, n)), -1), rng.uniform(1.0, 2.0, n), rng.normal(size=(n, columns))
    for diagonal, scales in ((np.eye(n), np.zeros(0)), (np.diag(1 / D), D)):
        expected = np.linalg.solve(diagonal + L, T)
        for triangle, l_row, l_column in ((L, n, 1), (L.T, 1, n)):
            flat = panel(T, columns + 3)
            solve(
                flat, columns + 3, np.ascontiguousarray(triangle).ravel(), l_row, l_column, scales, n, columns
            )
            np.testing.assert_allclose(flat, panel(expected, columns + 3), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("symmetric", [True, False])
def test_factors_of_a_diagonal_block(n, symmetric):
    rng = np.random.default_rng(2)
    A = 3 * n * np.eye(n) + rng.normal(size=(n, n))
    A = A + A.T if symmetric else A
    given = np.triu(A) + np.tril(np.full((n, n), np.nan), -1) if symmetric else A
    flat = np.concatenate([[GUARD], given.ravel()])
    assert factor(flat, 1, n, n, symmetric)
    F = flat[1:].reshape(n, n)
    U = np.triu(F, 1) + np.diag(1 / np.diag(F))
    np.testing.assert_allclose((np.eye(n) + np.tril(F, -1)) @ U, A, rtol=0, atol=1e-13 * np.abs(A).max())
