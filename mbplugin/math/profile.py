"""Symmetric matrices by their profile (skyline): of row i the entries from its first nonzero one to the
diagonal, row after row. The Cholesky factor has the same profile, and costs n w² for rows of w entries.

    ends: (n + 1,) ends[i + 1] is one past the diagonal of row i:  A_ij, j ≤ i, is a[ends[i + 1] − 1 − i + j]
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from mbplugin.math.jit import jit

Array = np.ndarray[Any, Any]


@jit
def first_column(ends, e0, i):
    """The column of the first stored entry of row i; `ends` begins at e0."""
    return i + 1 - (ends[e0 + i + 1] - ends[e0 + i])


@jit
def cholesky_profile(a, start, ends, e0, n):
    """Overwrite the matrix with its Cholesky factor L, diagonal inverted.

    Returns False if it is not positive definite.
    """
    for i in range(n):
        first = first_column(ends, e0, i)
        row = start + ends[e0 + i + 1] - 1 - i
        d = a[row + i]
        for j in range(first, i):
            other = start + ends[e0 + j + 1] - 1 - j
            s = a[row + j]
            for k in range(max(first, first_column(ends, e0, j)), j):
                s -= a[row + k] * a[other + k]
            a[row + j] = s * a[other + j]
            d -= a[row + j] * a[row + j]
        if not d > 0.0:
            return False
        a[row + i] = 1.0 / sqrt(d)
    return True


@jit
def solve_lower_profile(a, start, ends, e0, n, b, b0):
    """b ← L⁻¹ b."""
    for i in range(n):
        row = start + ends[e0 + i + 1] - 1 - i
        s = b[b0 + i]
        for k in range(first_column(ends, e0, i), i):
            s -= a[row + k] * b[b0 + k]
        b[b0 + i] = s * a[row + i]


@jit
def solve_lower_transposed_profile(a, start, ends, e0, n, b, b0):
    """b ← L⁻ᵀ b."""
    for i in range(n - 1, -1, -1):
        row = start + ends[e0 + i + 1] - 1 - i
        s = b[b0 + i] * a[row + i]
        b[b0 + i] = s
        for k in range(first_column(ends, e0, i), i):
            b[b0 + k] -= a[row + k] * s


@jit
def profile_entry(a, start, ends, e0, i, j):
    """A_ij."""
    i, j = max(i, j), min(i, j)
    return a[start + ends[e0 + i + 1] - 1 - i + j] if j >= first_column(ends, e0, i) else 0.0


def to_profile(A: Array) -> tuple[Array, Array]:
    """The entries and `ends` of a symmetric matrix; a sparse one of scipy keeps its stored zeros."""
    n = A.shape[0]
    pairs = A.tocoo() if hasattr(A, "tocoo") else None
    row, column = (pairs.row, pairs.col) if pairs is not None else np.nonzero(A)
    value = pairs.data if pairs is not None else np.asarray(A)[row, column]
    first = np.arange(n)
    np.minimum.at(first, row, np.minimum(row, column))
    ends = np.concatenate([[0], np.cumsum(np.arange(n) - first + 1)]).astype(np.int64)
    entries = np.zeros(int(ends[-1]))
    lower = column <= row
    np.add.at(entries, ends[row[lower] + 1] - 1 - row[lower] + column[lower], value[lower])
    return entries, ends


def from_profile(entries: Array, ends: Array) -> Array:
    """The matrix (n, n)."""
    n = len(ends) - 1
    A = np.zeros((n, n))
    for i in range(n):
        stored = entries[ends[i] : ends[i + 1]]
        A[i, i + 1 - len(stored) : i + 1] = A[i + 1 - len(stored) : i + 1, i] = stored
    return A
