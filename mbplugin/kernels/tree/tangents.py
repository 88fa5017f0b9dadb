"""K and D of trees: ∂τ/∂q and ∂τ/∂v of τ = M v̇ − h, with the wrenches at their markers held in space.

With F the forces of motion and weight, W the wrenches at the markers, I inertias and C the Coriolis matrix of
a link and all that it carries, about c (`tangent_motion.py`), τ_k = S_kᵀ (F − W) and, where j moves the link
of k or carries it,

    y_j = S_j ×* F + I α_j + C ν_j − ∂W/∂q_j         of the link of j
    ∂τ_k/∂q_j = S_kᵀ y_j                             k carries j
              = S_kᵀ y_j + σ_jkᵀ (F − W)             k and j in one joint
              = S_kᵀ (I α_j + C ν_j) + ω_jᵀ λ_k      j carries k, with I, C of the link of k
    ∂τ_k/∂v_j = S_kᵀ (I χ_j + C S_j)                 of the outer link

A force f at r from c has ∂W/∂q_j = ((u_j + ω_j × r) × f, 0) = (u_j × f + N ω_j, 0), N = r fᵀ − r·f E, and
λ_k = n × ω_k + f × u_k − Nᵀ ω_k of the wrench (n, f) = W. C changes forces by ω alone.
"""

from __future__ import annotations

from mbplugin.kernels.by_address import by_address
from mbplugin.kernels.tree.coordinates import before_quaternion
from mbplugin.kernels.tree.numbers import POSE, X, get, times_symmetric
from mbplugin.kernels.tree.tangent_motion import (
    CORIOLIS,
    FORCE,
    MOMENT,
    MOMENTUM,
    SUMS,
    WRENCH,
    centre_of,
    changed,
)
from mbplugin.kernels.view import view
from mbplugin.math.emitters.arrays import clear, part
from mbplugin.math.jit import inlined, internal
from mbplugin.math.quat import add_right_jacobian
from mbplugin.math.vec3 import add, cross, dot, load, load9, rotate, rotate_back, scale, sub
from mbplugin.math.vectors import add_scaled
from mbplugin.tables.groups import (
    Bodies,
    Increments,
    Markers,
    TangentBlocks,
    TangentPlan,
    Tangents,
    TangentWork,
    Trees,
    TreeTangents,
)


@by_address(seconds=2, when="tangents of trees")
def tangents_at_markers(tables, first, count):
    """H and E of `count` markers on trees; their wrenches are added to those of their links. Returns 0."""
    trees, work, markers = view(tables, Trees), view(tables, TreeTangents), view(tables, Markers)
    tangents, space = view(tables, Tangents), view(tables, TangentWork)
    bodies = view(tables, Bodies).index
    for p in range(first, first + count):
        body = bodies[markers.index[p].body]
        leaf = int(markers.p[markers.index[p].first_parameter])
        r = sub(load(markers.x, p), centre_of(trees, body.tree))
        add_wrench(work.sums, SUMS * leaf, tangents.wrench, p, r)
        h, n = tangents.jacobian[p], body.nv
        clear(tangents.H, h, 6 * n)
        clear(space.velocity, h, 6 * n)
        W, V = get(work.twist, 6 * leaf), get(work.twist, 6 * leaf + 3)
        i = leaf
        while i >= 0:
            link = trees.link[i]
            for k in range(link.rates):
                s, at = 6 * (link.first_rate + k), h + link.first_v - body.first_v + k
                w, u = get(work.S, s), get(work.S, s + 3)
                along = add(u, cross(w, r))
                turn = add(cross(w, W), get(work.nu, s))
                shift = add(add(cross(w, V), cross(u, W)), get(work.nu, s + 3))
                put_column(tangents.H, at, n, along, w)
                rate = add(add(shift, cross(turn, r)), cross(W, along))
                put_column(space.velocity, at, n, rate, turn)
            i = link.parent
    return 0


@inlined
def put_column(a, at, step, v, w):
    """Six numbers, each `step` after the one before."""
    a[at], a[at + step], a[at + 2 * step] = v[0], v[1], v[2]
    a[at + 3 * step], a[at + 4 * step], a[at + 5 * step] = w[0], w[1], w[2]


@inlined
def add_wrench(sums, a, wrench, p, r):
    """Add the wrench of marker p at r to the sums of its link."""
    f = (wrench[p, 0], wrench[p, 1], wrench[p, 2])
    n = add((wrench[p, 3], wrench[p, 4], wrench[p, 5]), cross(r, f))
    along = dot(r, f)
    for k in range(3):
        sums[a + WRENCH + k] += n[k]
        sums[a + WRENCH + 3 + k] += f[k]
        for q in range(3):
            sums[a + MOMENT + 3 * k + q] += r[k] * f[q]
        sums[a + MOMENT + 4 * k] -= along


@inlined
def times_inertia(I, a, w, v):
    """Momentum about c of the inertia at a, angular and linear."""
    h = get(I, a + 6)
    return add(times_symmetric(I, a, w), cross(h, v)), add(scale(I[a + 9], v), cross(w, h))


@internal
def by_coordinate(work, a, s, what):
    """y (what = 0) or z = I χ + C S (1) of the coordinate whose numbers begin at s, of the link whose sums
    begin at a.
    """
    I = work.sums
    w, u = get(work.S, s), get(work.S, s + 3)
    p, C = get(I, a + MOMENTUM), load9(I, a + CORIOLIS)
    if what == 1:
        n, f = times_inertia(I, a, get(work.chi, s), get(work.chi, s + 3))
        return add(n, rotate(C, w)), sub(f, scale(2.0, cross(p, w)))
    turn = get(work.nu, s)
    n, f = times_inertia(I, a, get(work.alpha, s), get(work.alpha, s + 3))
    torque, force = get(I, a + FORCE), get(I, a + FORCE + 3)
    held = add(cross(u, get(I, a + WRENCH + 3)), rotate(load9(I, a + MOMENT), w))
    n = add(add(n, rotate(C, turn)), sub(add(cross(w, torque), cross(u, force)), held))
    return n, add(sub(f, scale(2.0, cross(p, turn))), cross(w, force))


@internal
def add_tangents(trees, work, i, c, K, k0, D, d0, b, first_v, n):
    """The rows and columns of link i in K and b D, which begin at k0 and d0."""
    link, I, a = trees.link[i], work.sums, SUMS * i
    p, C = get(I, a + MOMENTUM), load9(I, a + CORIOLIS)
    torque, force = get(I, a + WRENCH), get(I, a + WRENCH + 3)
    N = load9(I, a + MOMENT)
    net_n, net_f = sub(get(I, a + FORCE), torque), sub(get(I, a + FORCE + 3), force)
    r = sub(get(trees.pose, POSE * i + X), c)
    for k in range(link.rates):
        s, row = 6 * (link.first_rate + k), link.first_v + k - first_v
        w, u = get(work.S, s), get(work.S, s + 3)
        y_n, y_f = by_coordinate(work, a, s, 0)
        z_n, z_f = by_coordinate(work, a, s, 1)
        n_k, f_k = times_inertia(I, a, w, u)
        c_k = add(rotate_back(C, w), scale(2.0, cross(p, u)))
        l_k = sub(add(cross(torque, w), cross(force, u)), rotate_back(N, w))
        at_origin = get(trees.S, s + 3)
        for m in range(link.rates):
            j, other = 6 * (link.first_rate + m), link.first_v + m - first_v
            x, e = get(work.S, j), get(work.S, j + 3)
            dw, du = changed(trees, work, link, k, m)
            du = add(du, add(cross(r, dw), cross(at_origin, x)))
            own = dot(dw, net_n) + dot(du, net_f)
            K[k0 + other * n + row] += dot(x, y_n) + dot(e, y_f) + own
            D[d0 + other * n + row] += b * (dot(x, z_n) + dot(e, z_f))
        o = link.parent
        while o >= 0:
            on = trees.link[o]
            for m in range(on.rates):
                j, other = 6 * (on.first_rate + m), on.first_v + m - first_v
                x, e = get(work.S, j), get(work.S, j + 3)
                K[k0 + other * n + row] += dot(x, y_n) + dot(e, y_f)
                D[d0 + other * n + row] += b * (dot(x, z_n) + dot(e, z_f))
                by_place = dot(n_k, get(work.alpha, j)) + dot(f_k, get(work.alpha, j + 3))
                K[k0 + row * n + other] += by_place + dot(c_k, get(work.nu, j)) + dot(l_k, x)
                by_speed = dot(n_k, get(work.chi, j)) + dot(f_k, get(work.chi, j + 3))
                D[d0 + row * n + other] += b * (by_speed + dot(c_k, x))
            o = on.parent


@by_address(seconds=4, when="tangents of trees")
def tangents_of_trees(tables, first, count):
    """K and b D of `count` trees, from the sums of their links. Returns 0."""
    trees, work, bodies = view(tables, Trees), view(tables, TreeTangents), view(tables, Bodies).index
    space, blocks, plan = view(tables, TangentWork), view(tables, TangentBlocks), view(tables, TangentPlan)
    start = view(tables, Increments).first
    for t in range(first, first + count):
        tree, c = trees.index[t], centre_of(trees, t)
        body = bodies[tree.body]
        k0, d0, b = start[tree.body], plan.diagonal[tree.body], blocks.weight[1]
        for i in range(tree.first_link + tree.links - 1, tree.first_link - 1, -1):
            add_tangents(trees, work, i, c, space.own, k0, blocks.value, d0, b, body.first_v, body.nv)
            parent = trees.link[i].parent
            if parent >= 0:
                add_scaled(1.0, work.sums, SUMS * i, work.sums, SUMS * parent, SUMS)
    return 0


@by_address(when="tangents of trees")
def retract_tangents_of_trees(tables, first, count):
    """T of `count` trees: 1, but of quaternions. Returns 0."""
    trees, increments, bodies = view(tables, Trees), view(tables, Increments), view(tables, Bodies).index
    for t in range(first, first + count):
        tree = trees.index[t]
        body = bodies[tree.body]
        n = body.nv
        T = part(increments.T, increments.first[tree.body], n * n).reshape((n, n))
        for i in range(tree.first_link, tree.first_link + tree.links):
            link = trees.link[i]
            plain = before_quaternion(link)
            if plain < link.rates:
                v = link.first_v + plain
                add_right_jacobian(T, v - body.first_v, v - body.first_v, get(increments.dq, v))
    return 0
