"""Arrays of tables have no owner in compiled code: what functions do with them gives numpy's numbers, and
what they make themselves is freed.
"""

from __future__ import annotations

import numpy as np
import pytest
from numba.core.runtime import _nrt_python, rtsys

from mbplugin.compiler.functions import entry
from mbplugin.math.emitters.arrays import without_owner
from mbplugin.math.jit import internal


@internal
def scaled(a, factor):
    """An array of its own."""
    return factor * a


@internal
def chosen(a, own):
    """The table's array, or one of its own: both are one variable."""
    return scaled(a, 2.0) if own else a


@entry  # kept in the cache: it takes six seconds to compile
def numbers(a):
    table = without_owner(a)
    square = table[:9].reshape((3, 3))
    total = 0.0
    for x in table:
        total += x
    work = np.zeros(3)
    work += np.dot(square, table[1:4])
    table[0] += 1.0
    table[2:4] = table[4:6] * 2.0
    copies = [table.copy(), scaled(table, 3.0)]
    return (
        total + table.sum() + work.sum() + np.linalg.norm(square.T),
        copies[0].max() + copies[1].min() + chosen(table, True)[3] + chosen(table, False)[4],
        np.sort(table)[2] + np.argmax(table) + np.sum(table > 0.0) + table[::-1][1],
    )


@pytest.fixture
def counted():
    """numba counts its allocations."""
    _nrt_python.memsys_enable_stats()
    yield
    _nrt_python.memsys_disable_stats()


@pytest.mark.parametrize("seed", range(3))
def test_they_are_used_as_any_array_and_nothing_is_left_behind(counted, seed):
    a = np.random.default_rng(seed).standard_normal(12)
    ours, numpys = a.copy(), a.copy()
    assert numbers(ours) == pytest.approx(python_numbers(numpys), rel=1e-13)
    assert np.array_equal(ours, numpys)
    before = rtsys.get_allocation_stats()
    numbers(ours)
    after = rtsys.get_allocation_stats()
    assert after.alloc > before.alloc
    assert after.alloc - before.alloc == after.free - before.free


def python_numbers(a):
    """The same without the compiler."""
    square = a[:9].reshape(3, 3)
    total = sum(a)
    work = square @ a[1:4]
    a[0] += 1.0
    a[2:4] = a[4:6] * 2.0
    return (
        total + a.sum() + work.sum() + np.linalg.norm(square),
        a.max() + (3.0 * a).min() + 2.0 * a[3] + a[4],
        np.sort(a)[2] + np.argmax(a) + np.sum(a > 0.0) + a[-2],
    )
