"""The mass matrix, body by body: products, solutions, kinetic energy."""

from __future__ import annotations

from math import sqrt

from mbplugin.kernels.view import view
from mbplugin.math.dense import solve_lower, solve_lower_transposed
from mbplugin.math.jit import inlined, internal
from mbplugin.tables.groups import Bodies
from mbplugin.tables.records import DENSE


@inlined
def solve_mass(bodies, i, b, first):
    """b ← M⁻¹ b for body i, whose part of b begins at `first`."""
    body = bodies.index[i]
    if body.mass_form == DENSE:
        solve_lower(bodies.L, body.first_mass, body.nv, b, first)
        solve_lower_transposed(bodies.L, body.first_mass, body.nv, b, first)
    else:
        for k in range(body.nv):
            b[first + k] *= bodies.inverse[body.first_v + k]


@internal
def mass_norm(tables, v):
    """√(vᵀ M v) over the bodies whose M is diagonal."""
    inverse = view(tables, Bodies).inverse
    s = 0.0
    for k in range(v.shape[0]):
        if inverse[k] > 0.0:
            s += v[k] * v[k] / inverse[k]
    return sqrt(s)
