"""The mass matrix, body by body: products, solves, kinetic energy."""

from __future__ import annotations

from math import sqrt

from mbplugin.kernels.tree.solve import energy_of_tree, solve_tree, times_mass_of_tree
from mbplugin.kernels.view import tables_of, view
from mbplugin.math.dense import solve_lower, solve_lower_transposed
from mbplugin.math.emitters.arrays import address_of
from mbplugin.math.jit import inlined, internal
from mbplugin.math.profile import first_column, solve_lower_profile, solve_lower_transposed_profile
from mbplugin.tables.groups import Bodies, Trees
from mbplugin.tables.records import DENSE, DIAGONAL, PROFILE, TREE


@inlined
def solve_mass(bodies, i, b, first):
    """b ← M⁻¹ b for body i, whose part of b starts at `first`."""
    body = bodies.index[i]
    if body.mass_form == DIAGONAL:
        for k in range(body.nv):
            b[first + k] *= bodies.inverse[body.first_v + k]
    elif body.mass_form == DENSE:
        solve_lower(bodies.L, body.first_mass, body.nv, b, first)
        solve_lower_transposed(bodies.L, body.first_mass, body.nv, b, first)
    elif body.mass_form == PROFILE:
        solve_profile(bodies, i, b, first)
    else:
        solve_tree(tables_of(bodies), body.tree, address_of(b, first))


@internal
def solve_profile(bodies, i, b, first):
    """b ← M⁻¹ b for a body whose mass matrix is a profile."""
    body = bodies.index[i]
    solve_lower_profile(bodies.L, body.first_mass, bodies.profile, body.first_profile, body.nv, b, first)
    solve_lower_transposed_profile(
        bodies.L, body.first_mass, bodies.profile, body.first_profile, body.nv, b, first
    )


@inlined
def apply_mass(bodies, i, factor, v, out):
    """out ← out + factor M v for the velocities of body i."""
    body = bodies.index[i]
    if body.mass_form == DIAGONAL:
        for k in range(body.first_v, body.first_v + body.nv):
            out[k] += factor * (v[k] / bodies.inverse[k])
    elif body.mass_form == DENSE:
        for r in range(body.nv):
            row = body.first_mass + r * body.nv
            for c in range(body.nv):
                out[body.first_v + r] += factor * (bodies.M[row + c] * v[body.first_v + c])
    elif body.mass_form == PROFILE:
        apply_profile(bodies, i, factor, v, out)
    else:
        apply_tree(bodies, i, factor, v, out)


@internal
def apply_profile(bodies, i, factor, v, out):
    """out ← out + factor M v for a body whose mass matrix is a profile."""
    body = bodies.index[i]
    v0 = body.first_v
    for r in range(body.nv):
        row = body.first_mass + bodies.profile[body.first_profile + r + 1] - 1 - r
        for c in range(first_column(bodies.profile, body.first_profile, r), r):
            out[v0 + r] += factor * (bodies.M[row + c] * v[v0 + c])
            out[v0 + c] += factor * (bodies.M[row + c] * v[v0 + r])
        out[v0 + r] += factor * (bodies.M[row + r] * v[v0 + r])


@internal
def apply_tree(bodies, i, factor, v, out):
    """out ← out + factor M v for a tree."""
    body, tables = bodies.index[i], tables_of(bodies)
    trees = view(tables, Trees)
    trees.number[0] = factor
    trees.places[0], trees.places[1] = address_of(v, body.first_v), address_of(out, body.first_v)
    times_mass_of_tree(tables, body.tree)


@internal
def twice_energy_of_tree(bodies, i, v):
    """vᵀ M v of a tree [J]."""
    body, tables = bodies.index[i], tables_of(bodies)
    energy_of_tree(tables, body.tree, address_of(v, body.first_v))
    return view(tables, Trees).number[0]


@internal
def twice_energy_of_profile(bodies, i, v):
    """vᵀ M v of a body whose mass matrix is a profile [J]."""
    body = bodies.index[i]
    v0 = body.first_v
    s = 0.0
    for r in range(body.nv):
        row = body.first_mass + bodies.profile[body.first_profile + r + 1] - 1 - r
        for c in range(first_column(bodies.profile, body.first_profile, r), r):
            s += 2.0 * (v[v0 + r] * bodies.M[row + c] * v[v0 + c])
        s += v[v0 + r] * bodies.M[row + r] * v[v0 + r]
    return s


@internal
def twice_kinetic_energy(bodies, i, v):
    """vᵀ M v of body i [J]."""
    body = bodies.index[i]
    if body.mass_form == PROFILE:
        return twice_energy_of_profile(bodies, i, v)
    if body.mass_form == TREE:
        return twice_energy_of_tree(bodies, i, v)
    s = 0.0
    for k in range(body.first_v, body.first_v + body.nv):
        if body.mass_form == DENSE:
            row = body.first_mass + (k - body.first_v) * body.nv
            for j in range(body.nv):
                s += v[k] * bodies.M[row + j] * v[body.first_v + j]
        else:
            s += v[k] * v[k] / bodies.inverse[k]
    return s


@internal
def evaluate_kinetic_energy(tables, v):
    """½ vᵀ M v of every body, into `Bodies.kinetic`, and their sum [J]."""
    bodies = view(tables, Bodies)
    total = 0.0
    for i in range(bodies.index.shape[0]):
        bodies.kinetic[i] = 0.5 * twice_kinetic_energy(bodies, i, v)
        total += bodies.kinetic[i]
    return total


@internal
def mass_norm(tables, v):
    """√(vᵀ M v)."""
    bodies = view(tables, Bodies)
    s = 0.0
    for i in range(bodies.index.shape[0]):
        s += twice_kinetic_energy(bodies, i, v)
    return sqrt(s)
