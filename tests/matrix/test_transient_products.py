"""Terms of a law in the matrix of the step, against products in numpy."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from mbplugin.math.emitters.panels import at
from mbplugin.math.emitters.triple_products import add_pair_products
from mbplugin.math.jit import compiled_entry
from mbplugin.matrix.transient_terms import add_product


class Member(NamedTuple):
    """A body of a block: its velocities, and where its part of G begins."""

    nv: int
    first_G: int


@compiled_entry()
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


@compiled_entry()
def add_pair(AA, BB, AB, BA, A, B, D, both):
    add_pair_products(
        at(AA, 0), 7, at(BB, 0), 8, at(AB, 0), at(BA, 0) if both else 0, 9, at(A, 0), at(B, 0), at(D, 0)
    )


@pytest.mark.parametrize("both", [True, False])
def test_two_rigid_bodies_get_all_their_blocks_at_once(both):
    """Those of the pair beside and, transposed, below the diagonal; a symmetric matrix has no block below."""
    draws = np.random.default_rng(6)
    A, B, D = draws.normal(size=(3, 6)), draws.normal(size=(3, 6)), draws.normal(size=(3, 3))
    AA, BB, AB, BA = (draws.normal(size=(6, width)) for width in (7, 8, 9, 9))
    expected = [C.copy() for C in (AA, BB, AB, BA)]
    changes = A.T @ D @ A, B.T @ D @ B, A.T @ D @ B, A.T @ D.T @ B * both
    for C, change in zip(expected, changes):
        C[:, :6] += change
    flat = [C.ravel() for C in (AA, BB, AB, BA)]
    add_pair(*flat, A.ravel(), B.ravel(), D.ravel(), both)
    for found, C in zip(flat, expected):
        np.testing.assert_allclose(found.reshape(C.shape), C, atol=1e-13)
