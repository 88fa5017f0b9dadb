"""The recursion of trees that move in a plane: all turns about one normal n, all translations across it.

Three components are left of six: the turn about n, and two along e₁ and e₂. What acts otherwise on such a
tree its joints bear. S = (turn, along e₁, along e₂), and an articulated inertia is

    [n; f] = [J hᵀ; h M] [α; a]        of a link itself h = m (−d₂, d₁), M = m 1

The formulas are those of `motion.py`, `inertia.py`, `loads.py` and `solve.py`. Poses, S and biases in space
are written only where markers are read (`in_space`).

The functions of a tree are called from those that serve trees of both kinds, by their addresses: only what a
scene has is compiled.
"""

from __future__ import annotations

from math import cos, sin

from mbplugin.kernels.by_address import by_address
from mbplugin.kernels.tree.numbers import ARM, BIAS, POSE, V, W, X, get, put
from mbplugin.kernels.view import view
from mbplugin.math.dense import cholesky, solve_lower, solve_lower_transposed
from mbplugin.math.emitters.arrays import clear, numbers_at
from mbplugin.math.jit import inlined, internal
from mbplugin.math.vec3 import add, dot, scale
from mbplugin.tables.groups import Bodies, Flat, State, Trees

#: numbers of each link that do not change: place of the joint's frame (2), mass centre (2), mass, moment of
#: inertia about it, offset along n
NUMBERS = 7
#: numbers of each link that move: cos, sin, angle, ω, x (2), v (2), place from the parent's origin (2), bias
#: of the joint (2), bias acceleration (2)
PLACE = 14
SPIN, AT, VELOCITY, FROM, OWN_BIAS, ALL_BIAS = 3, 4, 6, 8, 10, 12
#: numbers of an inertia: J, h (2), M: 11, 12, 22
INERTIA = 6
#: numbers of the axes of a link: R = cos A + sin B + C
AXES = 27


@by_address(when="flat")
def move_flat(tables, t):
    """Poses, twists and biases of the links of tree t, in space too where markers are read. Returns 0."""
    flat, trees, state = view(tables, Flat), view(tables, Trees), view(tables, State)
    tree = trees.index[t]
    move_links(flat, trees, state, tree.first_link, tree.first_link + tree.links)
    if tree.located == 1:
        in_space(flat, trees, tree.first_link, tree.first_link + tree.links)
    return 0


@internal
def move_links(flat, trees, state, first, end):
    """Poses, twists and biases of the links from `first` to `end`."""
    at, fixed = flat.place, flat.fixed
    for i in range(first, end):
        link, p, f = trees.link[i], PLACE * i, NUMBERS * i
        c, s, angle, spin = 1.0, 0.0, 0.0, 0.0
        x, y, vx, vy, ax, ay = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        if link.parent >= 0:
            l = PLACE * link.parent
            c, s, angle, spin = at[l], at[l + 1], at[l + 2], at[l + 3]
            x, y, vx, vy = at[l + 4], at[l + 5], at[l + 6], at[l + 7]
            ax, ay = at[l + 12], at[l + 13]
        rx, ry = c * fixed[f] - s * fixed[f + 1], s * fixed[f] + c * fixed[f + 1]
        turn, rate, ux, uy = 0.0, 0.0, 0.0, 0.0
        for k in range(link.rates):
            m = 3 * (link.first_rate + k)
            q, v = state.q[link.first_q + k], state.v[link.first_v + k]
            w, a, b = flat.motion[m], flat.motion[m + 1], flat.motion[m + 2]
            turn += w * q
            rate += w * v
            flat.S[m] = w
            if a != 0.0 or b != 0.0:
                px, py = c * a - s * b, s * a + c * b
                flat.S[m + 1], flat.S[m + 2] = px, py
                rx += px * q
                ry += py * q
                ux += px * v
                uy += py * v
        bx = -spin * (spin * rx + 2.0 * uy)
        by = -spin * (spin * ry - 2.0 * ux)
        at[p + 6], at[p + 7] = vx - spin * ry + ux, vy + spin * rx + uy
        at[p + 4], at[p + 5], at[p + 8], at[p + 9] = x + rx, y + ry, rx, ry
        at[p + 10], at[p + 11], at[p + 12], at[p + 13] = bx, by, ax + bx, ay + by
        angle += turn
        at[p + 2], at[p + 3] = angle, spin + rate
        if turn != 0.0:
            c, s = cos(angle), sin(angle)
        at[p], at[p + 1] = c, s


@internal
def in_space(flat, trees, first, end):
    """Poses, biases and S in space of the links from `first` to `end`."""
    e1, e2, n = get(flat.plane, 0), get(flat.plane, 3), get(flat.plane, 6)
    at = flat.place
    for i in range(first, end):
        link, p, f, s, b = trees.link[i], PLACE * i, AXES * i, POSE * i, BIAS * i
        for k in range(9):
            trees.pose[s + k] = (
                at[p] * flat.axes[f + k] + at[p + 1] * flat.axes[f + 9 + k] + flat.axes[f + 18 + k]
            )
        height = scale(flat.fixed[NUMBERS * i + 6], n)
        put(trees.pose, s + X, add(height, along_plane(at, p + AT, e1, e2)))
        put(trees.pose, s + W, scale(at[p + SPIN], n))
        put(trees.pose, s + V, along_plane(at, p + VELOCITY, e1, e2))
        arm = along_plane(at, p + FROM, e1, e2)
        if link.parent >= 0:
            arm = add(arm, scale(flat.fixed[NUMBERS * i + 6] - flat.fixed[NUMBERS * link.parent + 6], n))
        else:
            arm = add(arm, height)
        put(trees.pose, s + ARM, arm)
        put(trees.bias, b, (0.0, 0.0, 0.0))
        put(trees.bias, b + 3, along_plane(at, p + OWN_BIAS, e1, e2))
        put(trees.bias, b + 6, (0.0, 0.0, 0.0))
        put(trees.bias, b + 9, along_plane(at, p + ALL_BIAS, e1, e2))
        for k in range(link.first_rate, link.first_rate + link.rates):
            put(trees.S, 6 * k, scale(flat.S[3 * k], n))
            put(trees.S, 6 * k + 3, along_plane(flat.S, 3 * k + 1, e1, e2))


@inlined
def along_plane(a, i, e1, e2):
    """Two numbers at i as a vector in the plane."""
    return add(scale(a[i], e1), scale(a[i + 1], e2))


@by_address(when="flat")
def show_in_space(tables, t):
    """Poses in space of the links of a tree that moves in a plane. Returns 0."""
    trees = view(tables, Trees)
    tree = trees.index[t]
    in_space(view(tables, Flat), trees, tree.first_link, tree.first_link + tree.links)
    return 0


@internal
def own_inertias(flat, first, end):
    """Inertias of the links themselves, about their origins."""
    I, fixed = flat.inertia, flat.fixed
    for i in range(first, end):
        f, a, p = NUMBERS * i, INERTIA * i, PLACE * i
        c, s, m = flat.place[p], flat.place[p + 1], fixed[f + 4]
        dx, dy = c * fixed[f + 2] - s * fixed[f + 3], s * fixed[f + 2] + c * fixed[f + 3]
        I[a], I[a + 1], I[a + 2] = fixed[f + 5] + m * (dx * dx + dy * dy), -m * dy, m * dx
        I[a + 3], I[a + 4], I[a + 5] = m, 0.0, m
        flat.own[3 * i], flat.own[3 * i + 1], flat.own[3 * i + 2] = I[a], m * dx, m * dy


@inlined
def times(I, a, w, x, y):
    """[J hᵀ; h M] (w, x, y) of the inertia at a."""
    return (
        I[a] * w + I[a + 1] * x + I[a + 2] * y,
        I[a + 1] * w + I[a + 3] * x + I[a + 4] * y,
        I[a + 2] * w + I[a + 4] * x + I[a + 5] * y,
    )


@inlined
def subtract_square(I, a, u, f):
    """I ← I − f u uᵀ."""
    I[a] -= f * u[0] * u[0]
    I[a + 1] -= f * u[0] * u[1]
    I[a + 2] -= f * u[0] * u[2]
    I[a + 3] -= f * u[1] * u[1]
    I[a + 4] -= f * u[1] * u[2]
    I[a + 5] -= f * u[2] * u[2]


@inlined
def add_moved(I, a, b, x, y):
    """I at b ← I at b + the inertia at a about a point at −(x, y) from its own."""
    gx = I[a + 1] + x * I[a + 4] - y * I[a + 3]
    gy = I[a + 2] + x * I[a + 5] - y * I[a + 4]
    I[b] += I[a] + (x * I[a + 2] - y * I[a + 1]) + (x * gy - y * gx)
    I[b + 1] += gx
    I[b + 2] += gy
    I[b + 3] += I[a + 3]
    I[b + 4] += I[a + 4]
    I[b + 5] += I[a + 5]


@internal
def eliminate_several(flat, trees, link, a):
    """U, D and I' of a joint with several velocities; U is then L⁻¹ U. Returns False if D has no factor."""
    k, s, D = link.rates, 3 * link.first_rate, link.first_D
    S, U = flat.S, flat.U
    for r in range(k):
        put(U, s + 3 * r, times(flat.inertia, a, S[s + 3 * r], S[s + 3 * r + 1], S[s + 3 * r + 2]))
    for r in range(k):
        for c in range(k):
            trees.D[D + r * k + c] = dot(get(S, s + 3 * r), get(U, s + 3 * c))
        trees.D[D + r * k + r] += trees.armature[link.first_rate + r]
    if not cholesky(trees.D, D, k):
        return False
    for r in range(k):
        u = get(U, s + 3 * r)
        for c in range(r):
            u = add(u, scale(-trees.D[D + r * k + c], get(U, s + 3 * c)))
        u = scale(trees.D[D + r * k + r], u)
        put(U, s + 3 * r, u)
        subtract_square(flat.inertia, a, u, 1.0)
    return True


@by_address(when="flat")
def articulate_flat(tables, t):
    """U, D and articulated inertias of tree t. Returns the number of a link whose velocities move no mass, or
    −1.
    """
    flat, trees = view(tables, Flat), view(tables, Trees)
    first = trees.index[t].first_link
    end = first + trees.index[t].links
    own_inertias(flat, first, end)
    I = flat.inertia
    for i in range(end - 1, first - 1, -1):
        link, a = trees.link[i], INERTIA * i
        s = 3 * link.first_rate
        if link.rates == 1:
            S = get(flat.S, s)
            u = times(I, a, S[0], S[1], S[2])
            D = dot(S, u) + trees.armature[link.first_rate]
            if not D > 0.0:
                return i
            put(flat.U, s, u)
            trees.D[link.first_D] = 1.0 / D
            if link.parent >= 0:
                subtract_square(I, a, u, 1.0 / D)
        elif link.rates > 1 and not eliminate_several(flat, trees, link, a):
            return i
        if link.parent >= 0:
            p = PLACE * i + FROM
            add_moved(I, a, INERTIA * link.parent, flat.place[p], flat.place[p + 1])
    return -1


@inlined
def move_inward(flat, target, i, parent, w):
    """Add a wrench (n, f₁, f₂) about the origin of link i to that of its parent."""
    p, t = PLACE * i + FROM, 3 * parent
    target[t] += w[0] + flat.place[p] * w[2] - flat.place[p + 1] * w[1]
    target[t + 1] += w[1]
    target[t + 2] += w[2]


@by_address(when="flat")
def loads_flat(tables, t):
    """h of tree t, from the wrenches in space of force elements on its links. Returns 0."""
    flat, trees, h = view(tables, Flat), view(tables, Trees), view(tables, Bodies).h
    tree = trees.index[t]
    e1, e2, n = get(flat.plane, 0), get(flat.plane, 3), get(flat.plane, 6)
    g = get(trees.gravity, 0)
    gx, gy = dot(g, e1), dot(g, e2)
    load, at = flat.load, flat.place
    first, end = tree.first_link, tree.first_link + tree.links
    for i in range(first, end):
        p, k = PLACE * i, 3 * i
        m, mx, my = flat.fixed[NUMBERS * i + 4], flat.own[k + 1], flat.own[k + 2]
        w2 = at[p + SPIN] * at[p + SPIN]
        ax, ay = at[p + ALL_BIAS] - gx, at[p + ALL_BIAS + 1] - gy
        load[k] = mx * ay - my * ax
        load[k + 1] = m * ax - w2 * mx
        load[k + 2] = m * ay - w2 * my
        if tree.located == 1:
            torque, force = get(trees.external, 6 * i), get(trees.external, 6 * i + 3)
            load[k] -= dot(n, torque)
            load[k + 1] -= dot(e1, force)
            load[k + 2] -= dot(e2, force)
    for i in range(end - 1, first - 1, -1):
        link = trees.link[i]
        w = get(load, 3 * i)
        for k in range(link.rates):
            h[link.first_v + k] = -dot(get(flat.S, 3 * (link.first_rate + k)), w)
        if link.parent >= 0:
            move_inward(flat, load, i, link.parent, w)
    return 0


@inlined
def moved_outward(flat, source, i, parent):
    """The twist of the parent, in the array `source`, at the origin of link i."""
    if parent < 0:
        return (0.0, 0.0, 0.0)
    p, s = PLACE * i + FROM, 3 * parent
    w = source[s]
    return (w, source[s + 1] - w * flat.place[p + 1], source[s + 2] + w * flat.place[p])


@by_address(when="flat")
def solve_flat(tables, t, address):
    """b ← M⁻¹ b of tree t; address: of its part of b. Returns 0."""
    flat, trees, b = view(tables, Flat), view(tables, Trees), numbers_at(address, 1)
    tree, load, change = trees.index[t], flat.load, flat.change
    first, end = tree.first_link, tree.first_link + tree.links
    v0 = trees.link[first].first_rate
    clear(load, 3 * first, 3 * tree.links)
    for i in range(end - 1, first - 1, -1):
        link = trees.link[i]
        k0, s = link.first_rate - v0, 3 * link.first_rate
        w = get(load, 3 * i)
        if link.rates == 1:
            b[k0] -= dot(get(flat.S, s), w)
            if link.parent >= 0:
                w = add(w, scale(b[k0] * trees.D[link.first_D], get(flat.U, s)))
                move_inward(flat, load, i, link.parent, w)
            continue
        for k in range(link.rates):
            b[k0 + k] -= dot(get(flat.S, s + 3 * k), w)
        solve_lower(trees.D, link.first_D, link.rates, b, k0)
        if link.parent < 0:
            continue
        for k in range(link.rates):
            w = add(w, scale(b[k0 + k], get(flat.U, s + 3 * k)))
        move_inward(flat, load, i, link.parent, w)
    for i in range(first, end):
        link = trees.link[i]
        k0, s = link.first_rate - v0, 3 * link.first_rate
        a = moved_outward(flat, change, i, link.parent)
        if link.rates == 1:
            x = (b[k0] - dot(get(flat.U, s), a)) * trees.D[link.first_D]
            b[k0] = x
            put(change, 3 * i, add(a, scale(x, get(flat.S, s))))
            continue
        for k in range(link.rates):
            b[k0 + k] -= dot(get(flat.U, s + 3 * k), a)
        solve_lower_transposed(trees.D, link.first_D, link.rates, b, k0)
        for k in range(link.rates):
            a = add(a, scale(b[k0 + k], get(flat.S, s + 3 * k)))
        put(change, 3 * i, a)
    return 0


@internal
def twists_flat(flat, trees, tree, v):
    """Twists of the links for velocities v, into `Flat.change`."""
    first = tree.first_link
    v0 = trees.link[first].first_rate
    for i in range(first, first + tree.links):
        link = trees.link[i]
        a = moved_outward(flat, flat.change, i, link.parent)
        for k in range(link.rates):
            a = add(a, scale(v[link.first_rate - v0 + k], get(flat.S, 3 * (link.first_rate + k))))
        put(flat.change, 3 * i, a)


@inlined
def own_momentum(flat, i, w):
    """Angular momentum about its origin, and momentum, of link i itself at this twist."""
    m, k = flat.fixed[NUMBERS * i + 4], 3 * i
    mx, my = flat.own[k + 1], flat.own[k + 2]
    return (flat.own[k] * w[0] + mx * w[2] - my * w[1], m * w[1] - w[0] * my, m * w[2] + w[0] * mx)


@by_address(when="flat")
def times_mass_flat(tables, t):
    """out ← out + factor M v of tree t, as `times_mass_of_tree` is told. Returns 0."""
    flat, trees = view(tables, Flat), view(tables, Trees)
    v, out, factor = numbers_at(trees.places[0], 1), numbers_at(trees.places[1], 1), trees.number[0]
    tree = trees.index[t]
    first, end = tree.first_link, tree.first_link + tree.links
    v0 = trees.link[first].first_rate
    twists_flat(flat, trees, tree, v)
    for i in range(first, end):
        put(flat.load, 3 * i, own_momentum(flat, i, get(flat.change, 3 * i)))
    for i in range(end - 1, first - 1, -1):
        link = trees.link[i]
        w = get(flat.load, 3 * i)
        for k in range(link.first_rate, link.first_rate + link.rates):
            out[k - v0] += factor * (dot(get(flat.S, 3 * k), w) + trees.armature[k] * v[k - v0])
        if link.parent >= 0:
            move_inward(flat, flat.load, i, link.parent, w)
    return 0


@by_address(when="flat")
def twice_energy_flat(tables, t, address):
    """vᵀ M v of tree t [J], into `number`; address: of its part of v. Returns 0."""
    flat, trees, v = view(tables, Flat), view(tables, Trees), numbers_at(address, 1)
    tree = trees.index[t]
    twists_flat(flat, trees, tree, v)
    total = 0.0
    v0 = trees.link[tree.first_link].first_rate
    for i in range(tree.first_link, tree.first_link + tree.links):
        link, w = trees.link[i], get(flat.change, 3 * i)
        total += dot(w, own_momentum(flat, i, w))
        for k in range(link.first_rate, link.first_rate + link.rates):
            total += trees.armature[k] * v[k - v0] * v[k - v0]
    trees.number[0] = total
    return 0
