"""Blocks of three rows times vectors, against numpy: rigid bodies in vector registers, others in loops, and
sides of several parts.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from mbplugin.math.jit import jit
from mbplugin.stepping import add_transient_columns, transient_rates

#: one array for each column of the table
MEMBER = np.dtype([("nv", "i8"), ("first_G", "i8"), ("first_v", "i8")], align=True)


class Rows(NamedTuple):
    """What the functions read of `TransientRows`."""

    width: Any
    member: Any
    G: Any
    X: Any


@jit
def rates(transient, v):
    return transient_rates(transient, 0, v)


@jit
def add(transient, a, b, c, x):
    add_transient_columns(transient, transient.X, 0, a, b, c, x)


@pytest.mark.parametrize(
    "sizes", [(6, 6), (6, 0), (0, 6), (3, 6), (3, 3), (3, 6, 3, 6, 0, 0), (3, 2, 0, 6, 3, 3, 0, 0)], ids=str
)
def test_three_rows_are_multiplied_as_by_numpy(sizes):
    """sizes: velocities of each member, the half of them of each side"""
    draws = np.random.default_rng(4)
    v = draws.normal(size=1 + sum(sizes))
    parts = [draws.normal(size=(3, n)) for n in sizes]
    G = np.concatenate([part.ravel() for part in parts])
    member = np.zeros(len(sizes), MEMBER).view(np.recarray)
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    member.nv, member.first_G, member.first_v = sizes, 3 * first, 1 + first
    transient = Rows(np.array([0, 6, len(sizes) // 2]), member, G, 2.0 * G)
    np.testing.assert_allclose(rates(transient, v), np.hstack(parts) @ v[1:], atol=1e-14)
    load, x = draws.normal(size=3), v.copy()
    add(transient, *load, x)
    assert x[0] == v[0]
    np.testing.assert_allclose(x[1:], v[1:] + 2.0 * np.hstack(parts).T @ load, atol=1e-14)
