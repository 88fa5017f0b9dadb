"""How increments of a finite-element body turn with the world: those of nodes are vectors in the axes of y,
those of a group as of a rigid body: its mass centre in these axes, rotations in its principal axes, whose
rotation adds −ω × δ to the rate.
"""

from __future__ import annotations

import numpy as np

from mbplugin.interface import Array
from mbplugin.math.quat import load4, matrix
from mbplugin_flexible.layout import AXES, DOF, GROUP, GROUP_LIST, GROUPS, NODES


def turning_of(q: Array, v: Array, p: Array, ints: Array, spin: Array) -> tuple[Array, Array]:
    """S and C (nv, nv), as `BodyKind.turning` has them. Axes that are held have no part."""
    S, C = np.zeros((len(v), len(v))), np.zeros((len(v), len(v)))
    w = p[AXES : AXES + 9].reshape(3, 3).T @ spin
    turned = crossed(w)
    dof = ints[ints[DOF] : ints[DOF] + 3 * ints[NODES]].reshape(-1, 3)
    for places in dof[(dof >= 0).any(axis=1)]:
        free = places >= 0
        S[np.ix_(places[free], places[free])] = turned[np.ix_(free, free)]
    for g in range(ints[GROUPS]):
        i, j = ints[ints[GROUP_LIST] + GROUP * g : ints[GROUP_LIST] + GROUP * g + 2]
        R = np.array(matrix(load4(q, i + 3))).reshape(3, 3)
        S[j : j + 3, j : j + 3] = turned
        S[j + 3 : j + 6, j + 3 : j + 6] = crossed(R.T @ w)
        C[j + 3 : j + 6, j + 3 : j + 6] = crossed(v[j + 3 : j + 6])
    return S, C


def crossed(a: Array) -> Array:
    """(3, 3) of a ×."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])
