"""Terms of a law in the matrix of the step, against products in numpy."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mbplugin.math.jit import jit
from mbplugin.matrix.pool_terms import add_product


class Member(NamedTuple):
    """A body of a block: its velocities, and where its part of G begins."""

    nv: int
    first_G: int


@jit
def add(G, a, b, C, n, values, row, column):
    add_product(G, a, b, C, 0, n, values, 0, row, column)


def test_the_slope_of_a_law_need_not_be_symmetric():
    """As that of friction, which changes with the normal load, but not the load with friction."""
    draws, n = np.random.default_rng(5), 3
    a, b = Member(6, 0), Member(3, 6 * n)
    G, C = draws.normal(size=(6 + 3) * n), draws.normal(size=(n, n))
    values = draws.normal(size=(6, 3))
    expected = values + G[: 6 * n].reshape(n, 6).T @ C @ G[6 * n :].reshape(n, 3)
    filled = values.copy().ravel()
    add(G, a, b, C.ravel(), n, filled, 3, 1)
    np.testing.assert_allclose(filled.reshape(6, 3), expected, atol=1e-13)
