"""Products with the mass matrix M of a tree and with its inverse, which are never formed.

    M⁻¹ b   inward:  u = b − Sᵀ P,  P_l += X (P + U D⁻¹ u)      outward:  s̈ = D⁻¹ (u − Uᵀ a'),  a = a' + S s̈
    M v     outward: V = X V_l + S v                            inward:   Sᵀ P + armature v,  P_l += X P
    vᵀ M v = Σ Vᵀ I V + Σ armature v²

X moves a wrench to the origin of the link that carries this one, and a twist back. The articulated inertias
must be those of the present position. Sources: Featherstone 2008, 7.3, about the origins of the links.
"""

from __future__ import annotations

from mbplugin.kernels.by_address import by_address
from mbplugin.kernels.tree.flat import solve_flat, times_mass_flat, twice_energy_flat
from mbplugin.kernels.tree.numbers import ARM, OWN, POSE, add_to, get, put, times_symmetric
from mbplugin.kernels.view import view
from mbplugin.math.dense import solve_lower, solve_lower_transposed
from mbplugin.math.emitters.arrays import clear, numbers_at
from mbplugin.math.jit import inlined, internal
from mbplugin.math.vec3 import add, cross, dot, scale
from mbplugin.tables.groups import Trees


@inlined
def move_inward(trees, target, i, parent, n, f):
    """Add a wrench about the origin of link i to that of its parent, in the array `target`."""
    r = get(trees.pose, POSE * i + ARM)
    add_to(target, 6 * parent, add(n, cross(r, f)))
    add_to(target, 6 * parent + 3, f)


@inlined
def moved_outward(trees, source, i, parent):
    """The twist of the parent, in the array `source`, at the origin of link i."""
    if parent < 0:
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    w = get(source, 6 * parent)
    return w, add(get(source, 6 * parent + 3), cross(w, get(trees.pose, POSE * i + ARM)))


@inlined
def along(a, s, w, v):
    """Product of six numbers at s with a pair of vectors."""
    return dot(get(a, s), w) + dot(get(a, s + 3), v)


@internal
def solve_inward(trees, tree, b):
    """The first sweep of M⁻¹ b: b ← u, of several velocities L⁻¹ u."""
    load = trees.load
    clear(load, 6 * tree.first_link, 6 * tree.links)
    v0 = trees.link[tree.first_link].first_rate
    for i in range(tree.first_link + tree.links - 1, tree.first_link - 1, -1):
        link = trees.link[i]
        n, f = get(load, 6 * i), get(load, 6 * i + 3)
        k0, s = link.first_rate - v0, 6 * link.first_rate
        if link.rates == 1:
            b[k0] -= along(trees.S, s, n, f)
            if link.parent >= 0:
                u = b[k0] * trees.D[link.first_D]
                n = add(n, scale(u, get(trees.U, s)))
                f = add(f, scale(u, get(trees.U, s + 3)))
                move_inward(trees, load, i, link.parent, n, f)
            continue
        for k in range(link.rates):
            b[k0 + k] -= along(trees.S, s + 6 * k, n, f)
        solve_lower(trees.D, link.first_D, link.rates, b, k0)
        if link.parent < 0:
            continue
        for k in range(link.rates):
            n = add(n, scale(b[k0 + k], get(trees.U, s + 6 * k)))
            f = add(f, scale(b[k0 + k], get(trees.U, s + 6 * k + 3)))
        move_inward(trees, load, i, link.parent, n, f)


@internal
def solve_outward(trees, tree, b):
    """The second sweep of M⁻¹ b: b ← s̈."""
    change = trees.change
    v0 = trees.link[tree.first_link].first_rate
    for i in range(tree.first_link, tree.first_link + tree.links):
        link = trees.link[i]
        w, v = moved_outward(trees, change, i, link.parent)
        k0, s = link.first_rate - v0, 6 * link.first_rate
        if link.rates == 1:
            x = (b[k0] - along(trees.U, s, w, v)) * trees.D[link.first_D]
            b[k0] = x
            w, v = add(w, scale(x, get(trees.S, s))), add(v, scale(x, get(trees.S, s + 3)))
        else:
            for k in range(link.rates):
                b[k0 + k] -= along(trees.U, s + 6 * k, w, v)
            solve_lower_transposed(trees.D, link.first_D, link.rates, b, k0)
            for k in range(link.rates):
                w = add(w, scale(b[k0 + k], get(trees.S, s + 6 * k)))
                v = add(v, scale(b[k0 + k], get(trees.S, s + 6 * k + 3)))
        put(change, 6 * i, w)
        put(change, 6 * i + 3, v)


@by_address(when="spatial")
def solve_spatial(tables, t, address):
    """b ← M⁻¹ b of tree t, by both sweeps; address: of its part of b. Returns 0."""
    trees, b = view(tables, Trees), numbers_at(address, 1)
    solve_inward(trees, trees.index[t], b)
    solve_outward(trees, trees.index[t], b)
    return 0


@internal
def solve_tree(tables, t, address):
    """b ← M⁻¹ b of tree t; address: of its part of b."""
    if view(tables, Trees).index[t].flat == 1:
        solve_flat(tables, t, address)
    else:
        solve_spatial(tables, t, address)


@internal
def twists_of(trees, tree, v):
    """Twists of the links for velocities v, into `Trees.change`."""
    change = trees.change
    v0 = trees.link[tree.first_link].first_rate
    for i in range(tree.first_link, tree.first_link + tree.links):
        link = trees.link[i]
        w, u = moved_outward(trees, change, i, link.parent)
        for k in range(link.rates):
            x, j = v[link.first_rate - v0 + k], 6 * (link.first_rate + k)
            w, u = add(w, scale(x, get(trees.S, j))), add(u, scale(x, get(trees.S, j + 3)))
        put(change, 6 * i, w)
        put(change, 6 * i + 3, u)


@inlined
def own_momentum(trees, i, w, v):
    """Angular momentum about its origin, and momentum, of link i itself at this twist."""
    o = OWN * i
    md, m = get(trees.own, o + 6), trees.own[o + 9]
    turn = cross(w, md)
    f = (m * v[0] + turn[0], m * v[1] + turn[1], m * v[2] + turn[2])
    return add(times_symmetric(trees.own, o, w), cross(md, v)), f


@by_address(when="spatial")
def times_mass_spatial(tables, t):
    """out ← out + factor M v of tree t, as `times_mass_of_tree` is told. Returns 0."""
    trees = view(tables, Trees)
    tree, load, change, factor = trees.index[t], trees.load, trees.change, trees.number[0]
    v, out = numbers_at(trees.places[0], 1), numbers_at(trees.places[1], 1)
    twists_of(trees, tree, v)
    v0 = trees.link[tree.first_link].first_rate
    for i in range(tree.first_link, tree.first_link + tree.links):
        n, f = own_momentum(trees, i, get(change, 6 * i), get(change, 6 * i + 3))
        put(load, 6 * i, n)
        put(load, 6 * i + 3, f)
    for i in range(tree.first_link + tree.links - 1, tree.first_link - 1, -1):
        link = trees.link[i]
        n, f = get(load, 6 * i), get(load, 6 * i + 3)
        for k in range(link.rates):
            at = link.first_rate - v0 + k
            x = along(trees.S, 6 * (link.first_rate + k), n, f) + trees.armature[link.first_rate + k] * v[at]
            out[at] += factor * x
        if link.parent >= 0:
            move_inward(trees, load, i, link.parent, n, f)
    return 0


@by_address(when="spatial")
def twice_energy_spatial(tables, t, address):
    """vᵀ M v of tree t [J], into `number`; address: of its part of v. Returns 0."""
    trees, v = view(tables, Trees), numbers_at(address, 1)
    tree = trees.index[t]
    twists_of(trees, tree, v)
    total = 0.0
    v0 = trees.link[tree.first_link].first_rate
    for i in range(tree.first_link, tree.first_link + tree.links):
        w, u = get(trees.change, 6 * i), get(trees.change, 6 * i + 3)
        n, f = own_momentum(trees, i, w, u)
        total += dot(w, n) + dot(u, f)
        link = trees.link[i]
        for k in range(link.first_rate, link.first_rate + link.rates):
            total += trees.armature[k] * v[k - v0] * v[k - v0]
    trees.number[0] = total
    return 0


@internal
def times_mass_of_tree(tables, t):
    """out ← out + factor M v of tree t: `number` is the factor, `places` the addresses of its parts of v and
    out.
    """
    if view(tables, Trees).index[t].flat == 1:
        times_mass_flat(tables, t)
    else:
        times_mass_spatial(tables, t)


@internal
def energy_of_tree(tables, t, address):
    """vᵀ M v of tree t [J], into `number`; address: of its part of v."""
    if view(tables, Trees).index[t].flat == 1:
        twice_energy_flat(tables, t, address)
    else:
        twice_energy_spatial(tables, t, address)
