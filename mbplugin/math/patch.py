"""Adds 3 × 3 blocks to a matrix, for tangents.

a and b are vectors; [a]× is the matrix of the cross product, [a]× b = a × b.
"""

from __future__ import annotations

from mbplugin.math.jit import jit
from mbplugin.math.vec3 import dot


@jit
def add_diagonal(K, i, j, s):
    """K[i:i+3, j:j+3] += s 1."""
    for k in range(3):
        K[i + k, j + k] += s


@jit
def add_outer(K, i, j, s, a, b):
    """K[i:i+3, j:j+3] += s a bᵀ."""
    for r in range(3):
        for c in range(3):
            K[i + r, j + c] += s * a[r] * b[c]


@jit
def add_cross(K, i, j, s, a):
    """K[i:i+3, j:j+3] += s [a]×."""
    K[i, j + 1] -= s * a[2]
    K[i, j + 2] += s * a[1]
    K[i + 1, j] += s * a[2]
    K[i + 1, j + 2] -= s * a[0]
    K[i + 2, j] -= s * a[1]
    K[i + 2, j + 1] += s * a[0]


@jit
def add_cross_cross(K, i, j, s, a, b):
    """K[i:i+3, j:j+3] += s [a]× [b]×, which is b aᵀ − (a·b) 1."""
    add_outer(K, i, j, s, b, a)
    add_diagonal(K, i, j, -s * dot(a, b))


@jit
def add_gyroscopic(D, i, j, J, w):
    """D[i:i+3, j:j+3] += [w]× J − [J w]×, the derivative of w × J w by w, with the diagonal J."""
    for k in range(3):
        a, b, momentum = (k + 1) % 3, (k + 2) % 3, J[k] * w[k]
        D[i + a, j + b] += momentum - w[k] * J[b]
        D[i + b, j + a] += w[k] * J[a] - momentum


@jit
def add_between(K, i, j, same, along, u, e):
    """Add k = same 1 + along u eᵀ, by the vector from point i to point j, for translations of both points:
    [k −k; −k k].
    """
    for a in (i, j):
        for b in (i, j):
            sign = 1.0 if a == b else -1.0
            add_diagonal(K, a, b, sign * same)
            add_outer(K, a, b, sign * along, u, e)
