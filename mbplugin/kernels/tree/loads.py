"""Forces on trees: h of M v̇ = h + Gᵀ λ, by one sweep from the leaves to the roots.

    p = I (α⁰, a⁰ − g) + (ω × A ω, ω × (ω × m d)) − external + Σ of what it carries,   h = −Sᵀ p

with the acceleration (α⁰, a⁰) of the link at v̇ = 0, and the wrench `external` of all force elements about its
origin; A: its moments of inertia about the origin, m d: its mass times the place of its mass centre. Gravity
is part of the acceleration, so it needs no marker.
"""

from __future__ import annotations

from mbplugin.kernels.by_address import by_address
from mbplugin.kernels.tree.flat import loads_flat
from mbplugin.kernels.tree.numbers import BIAS, OWN, POSE, W, X, add_to, get, put, times_symmetric
from mbplugin.kernels.tree.solve import along, move_inward
from mbplugin.kernels.view import view
from mbplugin.math.emitters.arrays import clear
from mbplugin.math.jit import inlined
from mbplugin.math.vec3 import add, cross, load, sub
from mbplugin.tables.groups import Bodies, Markers, Trees, Wrenches, WrenchJobs


@by_address(when="tree")
def clear_external(tables, first, count):
    """Write zero as the wrenches of force elements on the links of `count` trees. Returns 0."""
    trees = view(tables, Trees)
    for t in range(first, first + count):
        tree = trees.index[t]
        clear(trees.external, 6 * tree.first_link, 6 * tree.links)
    return 0


@by_address(when="tree")
def forces_on_links(tables, first, count):
    """Add the wrenches of `count` jobs to those of the links that their markers are on. Returns 0."""
    trees, jobs, markers = view(tables, Trees), view(tables, WrenchJobs).index, view(tables, Markers)
    wrench = view(tables, Wrenches).wrench
    for j in range(first, first + count):
        job = jobs[j]
        link = int(markers.p[markers.index[job.marker].first_parameter])
        f, n = get(wrench, job.source), get(wrench, job.source + 3)
        arm = sub(load(markers.x, job.marker), get(trees.pose, POSE * link + X))
        add_to(trees.external, 6 * link, add(n, cross(arm, f)))
        add_to(trees.external, 6 * link + 3, f)
    return 0


@inlined
def inertia_forces(trees, i, alpha, a):
    """The wrench that gives link i itself this acceleration, less its weight, about its origin."""
    o = OWN * i
    w, md, m = get(trees.pose, POSE * i + W), get(trees.own, o + 6), trees.own[o + 9]
    g = get(trees.gravity, 0)
    b = (a[0] - g[0], a[1] - g[1], a[2] - g[2])
    turn = add(cross(alpha, md), cross(w, cross(w, md)))
    f = (m * b[0] + turn[0], m * b[1] + turn[1], m * b[2] + turn[2])
    n = add(times_symmetric(trees.own, o, alpha), cross(w, times_symmetric(trees.own, o, w)))
    return add(n, cross(md, b)), f


@by_address(when="spatial")
def loads_spatial(tables, t):
    """h of tree t. Returns 0."""
    trees, h = view(tables, Trees), view(tables, Bodies).h
    tree, p = trees.index[t], trees.load
    for i in range(tree.first_link, tree.first_link + tree.links):
        b = BIAS * i + 6
        n, f = inertia_forces(trees, i, get(trees.bias, b), get(trees.bias, b + 3))
        put(p, 6 * i, sub(n, get(trees.external, 6 * i)))
        put(p, 6 * i + 3, sub(f, get(trees.external, 6 * i + 3)))
    for i in range(tree.first_link + tree.links - 1, tree.first_link - 1, -1):
        link = trees.link[i]
        n, f = get(p, 6 * i), get(p, 6 * i + 3)
        for k in range(link.rates):
            x = along(trees.S, 6 * (link.first_rate + k), n, f)
            h[link.first_v + k] = trees.jump[link.first_rate + k] - x
        if link.parent >= 0:
            move_inward(trees, p, i, link.parent, n, f)
    return 0


@by_address(when="tree")
def loads_of_trees(tables, first, count):
    """h of `count` trees, from the wrenches of force elements on their links. Returns 0."""
    trees = view(tables, Trees)
    for t in range(first, first + count):
        if trees.index[t].flat == 1:
            loads_flat(tables, t)
        else:
            loads_spatial(tables, t)
    return 0
