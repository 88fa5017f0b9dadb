"""Jacobians ∂X/∂ξ of elements, for all elements at once, and elements of equal geometry."""

from __future__ import annotations

import numpy as np

from mbplugin.interface import Array

#: elements are equal if their nodes differ by less than this part of their size
EQUAL = 2.0**-40


def jacobians(points: Array, connectivity: Array, gradients: Array) -> Array:
    """∂X_i/∂ξ_j (ne, m, 3, 3).

    points (n, 3) [m], connectivity (ne, k), gradients (m, k, 3): ∂N/∂ξ at m points
    """
    X = relative_nodes(points, connectivity)
    return np.einsum("eai,maj->emij", X, gradients, optimize=True)


def relative_nodes(points: Array, connectivity: Array) -> Array:
    """(ne, k, 3) nodes of each element from its first node [m]: far from the origin no digits are lost."""
    X = np.asarray(points, float)[np.asarray(connectivity, int)]
    return X - X[:, :1]


def longest_edges(X: Array) -> Array:
    """(ne,) largest extent of each element along an axis [m]; X (ne, k, 3)."""
    return np.ptp(X, axis=1).max(axis=1)


def equal_elements(points: Array, connectivity: Array, *more: Array) -> tuple[Array, Array]:
    """One element of each geometry, and of each element its number in this list.

    first (m,): numbers of the elements; index (ne,): element e is a translated element first[index[e]]
    more: (ne,) numbers each in which equal elements agree, too
    """
    X = relative_nodes(points, connectivity)
    size = np.maximum(longest_edges(X), np.finfo(float).tiny)
    key = np.column_stack([np.round(X[:, 1:].reshape(len(X), -1) / (EQUAL * size.max())), *more])
    key = np.ascontiguousarray(key + 0.0)  # no −0
    rows = key.view([("", key.dtype)] * key.shape[1]).ravel()
    _, first, index = np.unique(rows, return_index=True, return_inverse=True)
    return first, index.ravel()
