"""Momentum form: the momenta p = M v of trees are states, and velocities follow from them.

    v = M⁻¹ p, projected onto G v = −Φₜ                    p_i = S_iᵀ L_i
    ṗ_i = h_i + (Gᵀ λ)_i + S_iᵀ C_i + S'_iᵀ L_i

L_i is the momentum of a link with all that it carries about the link's origin o, C_i the force that gives it
its acceleration at v̇ = 0, S' = (ω_l × S_ω, ω_l × S_v) with the angular velocity ω_l of the axes in which S is
constant. About a moving origin S'ᵀ L has the further term −S_ω · (v_o × P), P the linear part of L.

h + S_iᵀ C_i are the generalized forces that are applied, so the terms of velocities that do not change a
momentum cancel. Of a free root p is the momentum in world axes, and the angular momentum about the world's
origin: its rate is the wrench from outside, and both are conserved to rounding without one.

The momenta are auxiliary states, from `Trees.momentum` on; without them nothing here is called.
"""

from __future__ import annotations

from mbplugin.kernels.by_address import by_address
from mbplugin.kernels.inertia import apply_mass, solve_mass
from mbplugin.kernels.tree.loads import inertia_forces
from mbplugin.kernels.tree.numbers import BIAS, POSE, V, W, X, get, put
from mbplugin.kernels.tree.solve import along, move_inward, own_momentum
from mbplugin.kernels.view import view
from mbplugin.math.emitters.arrays import clear
from mbplugin.math.jit import inlined, internal
from mbplugin.math.vec3 import add, cross, dot, load9, rotate, rotate_back, scale, sub
from mbplugin.math.vectors import add_scaled, copy, copy_range
from mbplugin.tables.groups import Blocks, Bodies, Rates, Rows, State, Trees
from mbplugin.tables.records import BALL, CROSS, FREE, ON


@internal
def has_momenta(tables):
    """Whether momenta are states."""
    return view(tables, Trees).momentum.shape[0] > 0


@internal
def to_world(trees, link, i, p, first):
    """Turn the momentum of a free root, about its own coordinates, into that about the world's origin."""
    P, x = root_momentum(trees, link, i, p, first)
    L = root_turn(trees, link, i, p, first)
    L = add(L, cross(x, P))
    if link.form == FREE:
        put(p, first, P)
        put(p, first + 3, L)
    else:
        p[first + 2] = dot(L, axis_of(trees, link))


@internal
def from_world(trees, link, i, p, first):
    """Turn the momentum of a free root about the world's origin into that about its own coordinates."""
    P, x = root_momentum(trees, link, i, p, first)
    about = cross(x, P)
    if link.form == FREE:
        put(p, first + 3, rotate_back(load9(trees.pose, POSE * i), sub(get(p, first + 3), about)))
    else:
        p[first + 2] -= dot(about, axis_of(trees, link))


@inlined
def axis_of(trees, link):
    """The normal of the plane in which a free root moves."""
    return get(trees.S, 6 * (link.first_rate + 2))


@inlined
def root_momentum(trees, link, i, p, first):
    """Linear momentum of a tree with a free root in world axes, and the place of the root."""
    if link.form == FREE:
        P = get(p, first)
    else:
        a, b = get(trees.S, 6 * link.first_rate + 3), get(trees.S, 6 * (link.first_rate + 1) + 3)
        P = (p[first] * a[0] + p[first + 1] * b[0], p[first] * a[1] + p[first + 1] * b[1],
             p[first] * a[2] + p[first + 1] * b[2])  # fmt: skip
    return P, get(trees.pose, POSE * i + X)


@inlined
def root_turn(trees, link, i, p, first):
    """Angular momentum of a tree about the place of its free root, in world axes."""
    if link.form == FREE:
        return rotate(load9(trees.pose, POSE * i), get(p, first + 3))
    n = axis_of(trees, link)
    return (p[first + 2] * n[0], p[first + 2] * n[1], p[first + 2] * n[2])


@by_address(when="momentum")
def velocities_of_momenta(tables):
    """v ← M⁻¹ p of all trees, at the present position, evaluated; not yet projected. Returns 0."""
    trees, bodies, state = view(tables, Trees), view(tables, Bodies), view(tables, State)
    p0 = trees.momentum[0]
    for t in range(trees.index.shape[0]):
        tree = trees.index[t]
        root = trees.link[tree.first_link]
        copy_range(state.aux, p0 + root.first_rate, state.v, root.first_v, bodies.index[tree.body].nv)
        if root.free == 1:
            from_world(trees, root, tree.first_link, state.v, root.first_v)
        solve_mass(bodies, tree.body, state.v, root.first_v)
    return 0


@by_address(when="momentum")
def momenta_of_velocities(tables):
    """p ← M v of all trees, at the present state, evaluated: after a jump of velocities. Returns 0."""
    trees, bodies, state = view(tables, Trees), view(tables, Bodies), view(tables, State)
    work, p0 = view(tables, Rates).change, trees.momentum[0]
    for t in range(trees.index.shape[0]):
        tree = trees.index[t]
        root, nv = trees.link[tree.first_link], bodies.index[tree.body].nv
        clear(work, root.first_v, nv)
        apply_mass(bodies, tree.body, 1.0, state.v, work)
        if root.free == 1:
            to_world(trees, root, tree.first_link, work, root.first_v)
        copy_range(work, root.first_v, state.aux, p0 + root.first_rate, nv)
    return 0


@internal
def add_row_forces(tables, out):
    """out ← out + Gᵀ λ."""
    blocks, rows, mode = view(tables, Blocks), view(tables, Rows), view(tables, State).mode
    for k in range(blocks.index.shape[0]):
        block = blocks.index[k]
        for i in range(block.first_member, block.first_member + block.members):
            member = blocks.member[i]
            for r in range(block.rows):
                lam = rows.lam[block.first_row + r]
                if mode[block.first_row + r] != ON or lam == 0.0:
                    continue
                add_scaled(lam, blocks.G, member.first_G + r * member.nv, out, member.first_v, member.nv)


@internal
def add_changes(trees, tree, v, out):
    """Add S_iᵀ C_i + S'_iᵀ L_i of a tree."""
    C, L = trees.load, trees.change
    first, end = tree.first_link, tree.first_link + tree.links
    g = get(trees.gravity, 0)
    for i in range(first, end):
        b = BIAS * i + 6
        a = get(trees.bias, b + 3)
        # without weight, which `inertia_forces` subtracts
        n, f = inertia_forces(trees, i, get(trees.bias, b), add(a, g))
        put(C, 6 * i, n)
        put(C, 6 * i + 3, f)
        n, f = own_momentum(trees, i, get(trees.pose, POSE * i + W), get(trees.pose, POSE * i + V))
        put(L, 6 * i, n)
        put(L, 6 * i + 3, f)
    for i in range(end - 1, first - 1, -1):
        link = trees.link[i]
        n, f = get(C, 6 * i), get(C, 6 * i + 3)
        turn, P = get(L, 6 * i), get(L, 6 * i + 3)
        # of a ball S is constant in the axes of the link itself
        frame = i if link.form == BALL else link.parent
        w = get(trees.pose, POSE * frame + W) if frame >= 0 else (0.0, 0.0, 0.0)
        moved = cross(get(trees.pose, POSE * i + V), P)
        for k in range(link.rates):
            s = 6 * (link.first_rate + k)
            S_w, S_v = get(trees.S, s), get(trees.S, s + 3)
            if link.form == CROSS and k == 1:
                # constant in axes that the first rotation turns
                w = add(w, scale(v[link.first_v], get(trees.S, s - 6)))
            out[link.first_v + k] += along(trees.S, s, n, f)
            if link.free == 0:
                out[link.first_v + k] += dot(cross(w, S_w), turn) + dot(cross(w, S_v), P) - dot(S_w, moved)
        if link.parent >= 0:
            move_inward(trees, C, i, link.parent, n, f)
            move_inward(trees, L, i, link.parent, turn, P)


@by_address(when="momentum")
def rates_of_momenta(tables):
    """ṗ of all trees, with h and λ of the present state. Returns 0."""
    trees, bodies, rates = view(tables, Trees), view(tables, Bodies), view(tables, Rates)
    out, p0, v = rates.change, trees.momentum[0], view(tables, State).v
    copy(bodies.h, out)
    add_row_forces(tables, out)
    for t in range(trees.index.shape[0]):
        tree = trees.index[t]
        root = trees.link[tree.first_link]
        add_changes(trees, tree, v, out)
        if root.free == 1:
            # applied forces alone: the wrench about the origin of the root
            to_world(trees, root, tree.first_link, out, root.first_v)
        copy_range(out, root.first_v, rates.aux_dot, p0 + root.first_rate, bodies.index[tree.body].nv)
    return 0
