"""Velocities of trees that jump in the middle of a step: what the forces −c(v) of M v̇ = τ − c(v) do then.

    c = ½ (c(v₀) + c(v₁)) = c(v̄) + c(δ),   v̄ = ½ (v₀ + v₁),   δ = ½ (v₁ − v₀)

since c is quadratic: half a step with v₀, the jump, half a step with v₁. M changes along both halves, so the
kinetic energy changes by more than the work v̄ · (M (v₁ − v₀)) of all impulses:

    ½ h (v₁ · c(v₁) + v₀ · c(v₀)) − h v̄ · c = ½ h δ · (c(v₁) − c(v₀))

That is work of the impulse, at velocities that are reached in the middle.
"""

from __future__ import annotations

from mbplugin.kernels.by_address import by_address
from mbplugin.kernels.tree.loads import inertia_forces
from mbplugin.kernels.tree.motion import move_spatial
from mbplugin.kernels.tree.numbers import BIAS, get, put
from mbplugin.kernels.tree.solve import along, move_inward
from mbplugin.kernels.view import view
from mbplugin.math.emitters.arrays import address_of, clear, numbers_at
from mbplugin.math.jit import internal
from mbplugin.math.vec3 import add
from mbplugin.tables.groups import State, Trees


@internal
def add_quadratic(tables, t, factor, out):
    """out ← out + factor c(v) of tree t, in its places of v (nv,), at the velocities of the last motion."""
    trees = view(tables, Trees)
    tree, p, g = trees.index[t], trees.load, get(trees.gravity, 0)
    for i in range(tree.first_link, tree.first_link + tree.links):
        b = BIAS * i + 6
        # `inertia_forces` has the weight: without it
        n, f = inertia_forces(trees, i, get(trees.bias, b), add(get(trees.bias, b + 3), g))
        put(p, 6 * i, n)
        put(p, 6 * i + 3, f)
    for i in range(tree.first_link + tree.links - 1, tree.first_link - 1, -1):
        link = trees.link[i]
        n, f = get(p, 6 * i), get(p, 6 * i + 3)
        for k in range(link.rates):
            out[link.first_v + k] += factor * along(trees.S, 6 * (link.first_rate + k), n, f)
        if link.parent >= 0:
            move_inward(trees, p, i, link.parent, n, f)


@by_address(when="touched")
def quadratic_forces(tables, v_address, out_address):
    """out ← c(v) of all trees at the present position, which is evaluated; v and out (nv,). Returns 0."""
    trees, state = view(tables, Trees), view(tables, State)
    v, out = numbers_at(v_address, 1), numbers_at(out_address, 1)
    for t in range(trees.index.shape[0]):
        tree = trees.index[t]
        first, last = trees.link[tree.first_link].first_v, trees.link[tree.first_link + tree.links - 1]
        end = last.first_v + last.rates
        kept = trees.jump
        # present velocities wait in `jump`
        rate = trees.link[tree.first_link].first_rate
        for k in range(first, end):
            kept[rate + k - first], state.v[k] = state.v[k], v[k]
        move_spatial(tables, t)
        clear(out, first, end - first)
        add_quadratic(tables, t, 1.0, out)
        for k in range(first, end):
            state.v[k], kept[rate + k - first] = kept[rate + k - first], 0.0
        move_spatial(tables, t)
    return 0


@internal
def forces_of_jumps(tables, v, out):
    """out ← c(v) at the velocities of trees; at those of other bodies it stays. v, out (nv,): two arrays."""
    if view(tables, Trees).index.shape[0] > 0:
        quadratic_forces(tables, address_of(v, 0), address_of(out, 0))


@internal
def let_jump(tables, force):
    """Let this (nv,) be added to the forces of trees in evaluations from now on."""
    trees = view(tables, Trees)
    for i in range(trees.link.shape[0]):
        link = trees.link[i]
        for k in range(link.rates):
            trees.jump[link.first_rate + k] = force[link.first_v + k]


@internal
def end_jumps(tables):
    """Add nothing to the forces of trees any more."""
    jump = view(tables, Trees).jump
    clear(jump, 0, jump.shape[0])
