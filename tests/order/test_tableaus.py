"""Order conditions of the tableaus (Hairer, Nørsett & Wanner, Solving Ordinary Differential Equations I,
section II.2), of the embedded methods too.
"""

from __future__ import annotations

import numpy as np
import pytest

from mbplugin.hooks.load import load_plugins

#: orders of the method and of the embedded ones
ORDERS = {"rk4": (4, ()), "dp5": (5, (4,)), "dop853": (8, (5, 3))}


def residuals(t, b, order):
    """What is missing to Σ b cᵏ⁻¹ = 1/k, and to those conditions of orders 3 to 5 that have A in them."""
    A, c = t.A, t.c
    found = [b @ c ** (k - 1) - 1 / k for k in range(1, order + 1)]
    if order >= 3:
        found.append(b @ A @ c - 1 / 6)
    if order >= 4:
        found += [(b * c) @ A @ c - 1 / 8, b @ A @ c**2 - 1 / 12, b @ A @ A @ c - 1 / 24]
    if order >= 5:
        found += [
            b @ A @ A @ A @ c - 1 / 120,
            b @ A @ c**3 - 1 / 20,
            (b * c**2) @ A @ c - 1 / 10,
            b @ (A @ c) ** 2 - 1 / 20,
        ]
    return np.array(found)


@pytest.mark.parametrize("name", ORDERS)
def test_conditions_of_order(name):
    t, (order, embedded) = load_plugins()[0].find("tableau", name), ORDERS[name]
    np.testing.assert_allclose(t.A.sum(axis=1), t.c, atol=1e-14)
    assert not np.triu(t.A).any()
    assert np.abs(residuals(t, t.b, order)).max() < 1e-14
    # an estimate b − e of an order that is lower, and no lower than it says
    for weights, lower in zip((t.b_error, t.b_error2), embedded):
        assert np.abs(residuals(t, weights, lower)).max() < 1e-13
        assert abs(weights @ t.c**lower - 1 / (lower + 1)) > 1e-5
