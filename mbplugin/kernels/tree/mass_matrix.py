"""The mass matrix M of a tree, formed: the composite-rigid-body algorithm.

    I' = I + Σ of what it carries                    composite inertia of a link, about its origin
    M_ij = S_jᵀ X (I'_i S_i)                         j: velocities of the link i and on its way to the root

X moves a wrench from the origin of link i to that of the link of j. Velocities on different branches have
M_ij = 0; those with an armature add it on the diagonal. A rigid body keeps its 10 numbers: moments of inertia
A about the origin, first moment m d and mass m. About a point at −r they are

    A + 2 (r·m d) E − (m d) rᵀ − r (m d)ᵀ + m (r·r E − r rᵀ),   m d + m r,   m

Source: Featherstone 2008, 6.2, about the origins of the links.
"""

from __future__ import annotations

from mbplugin.kernels.by_address import by_address
from mbplugin.kernels.tree.inertia import articulate_spatial, inertias_in_space, own_inertia
from mbplugin.kernels.tree.numbers import ARM, OWN, POSE, get, times_symmetric
from mbplugin.kernels.tree.solve import along
from mbplugin.kernels.view import view
from mbplugin.math.dense import cholesky
from mbplugin.math.emitters.arrays import address_of, clear, numbers_at
from mbplugin.math.jit import inlined, internal
from mbplugin.math.vec3 import add, cross, dot
from mbplugin.math.vectors import copy_range
from mbplugin.tables.groups import Bodies, Status, Trees
from mbplugin.tables.status import NO_MASS


@inlined
def add_composite(I, a, J, b, r):
    """Inertia at b of J ← itself + the one at a of I, about a point at −r from its own."""
    m, d = I[a + 9], get(I, a + 6)
    d0, d1, d2 = d
    r0, r1, r2 = r
    # the diagonal part: 2 r·(m d) + m r·r
    s = 2.0 * dot(r, d) + m * dot(r, r)
    J[b] += I[a] + s - (2.0 * d0 + m * r0) * r0
    J[b + 1] += I[a + 1] + s - (2.0 * d1 + m * r1) * r1
    J[b + 2] += I[a + 2] + s - (2.0 * d2 + m * r2) * r2
    J[b + 3] += I[a + 3] - d0 * r1 - (d1 + m * r1) * r0
    J[b + 4] += I[a + 4] - d0 * r2 - (d2 + m * r2) * r0
    J[b + 5] += I[a + 5] - d1 * r2 - (d2 + m * r2) * r1
    J[b + 6] += d0 + m * r0
    J[b + 7] += d1 + m * r1
    J[b + 8] += d2 + m * r2
    J[b + 9] += m


@internal
def composite_inertias(trees, first, end):
    """Inertias of the links from `first` to `end` with all that they carry, as of one rigid body."""
    I = trees.composite
    copy_range(trees.own, OWN * first, I, OWN * first, OWN * (end - first))
    for i in range(end - 1, first - 1, -1):
        parent = trees.link[i].parent
        if parent >= 0:
            add_composite(I, OWN * i, I, OWN * parent, get(trees.pose, POSE * i + ARM))


@inlined
def add_pair(M, start, step, r, c, x):
    """M[r, c] and M[c, r] += x of a matrix with `step` numbers from row to row."""
    M[start + r * step + c] += x
    if r != c:
        M[start + c * step + r] += x


@internal
def add_mass(trees, t, factor, M, start, step):
    """Add factor M of tree t to `M`, from `start` with `step` numbers from row to row, from the inertias of
    its links about their origins.
    """
    tree = trees.index[t]
    first, end = tree.first_link, tree.first_link + tree.links
    v0 = trees.link[first].first_rate
    composite_inertias(trees, first, end)
    I = trees.composite
    for i in range(first, end):
        link = trees.link[i]
        o, d, m = OWN * i, get(I, OWN * i + 6), I[OWN * i + 9]
        for r in range(link.rates):
            s = 6 * (link.first_rate + r)
            w, v = get(trees.S, s), get(trees.S, s + 3)
            turn = cross(w, d)
            f = (m * v[0] + turn[0], m * v[1] + turn[1], m * v[2] + turn[2])
            torque = add(times_symmetric(I, o, w), cross(d, v))
            row = link.first_rate + r - v0
            for c in range(r + 1):
                x = along(trees.S, 6 * (link.first_rate + c), torque, f)
                add_pair(M, start, step, row, link.first_rate + c - v0, factor * x)
            M[start + row * step + row] += factor * trees.armature[link.first_rate + r]
            j = i
            while trees.link[j].parent >= 0:
                torque = add(torque, cross(get(trees.pose, POSE * j + ARM), f))
                j = trees.link[j].parent
                on = trees.link[j]
                for c in range(on.rates):
                    x = along(trees.S, 6 * (on.first_rate + c), torque, f)
                    add_pair(M, start, step, row, on.first_rate + c - v0, factor * x)


@by_address(seconds=3, when="forms_mass")
def form_mass_of_trees(tables, first, count):
    """M of `count` trees, and its Cholesky factor. Returns a status: NO_MASS, or 0."""
    trees, bodies = view(tables, Trees), view(tables, Bodies)
    for t in range(first, first + count):
        tree = trees.index[t]
        for i in range(tree.first_link, tree.first_link + tree.links):
            own_inertia(trees, i)
        body = bodies.index[tree.body]
        at, n = body.first_mass, body.nv
        clear(bodies.M, at, n * n)
        add_mass(trees, t, 1.0, bodies.M, at, n)
        copy_range(bodies.M, at, bodies.L, at, n * n)
        if not cholesky(bodies.L, at, n):
            # which link it is follows from the other order of elimination, from the leaves
            failed = articulate_spatial(tables, t)
            view(tables, Status).batch[0] = failed if failed >= 0 else tree.first_link
            return NO_MASS
    return 0


@by_address(seconds=2, when="mass of trees")
def add_mass_by_recursion(tables, t):
    """Add factor M of tree t, whose mass matrix is not stored, at the position of the last evaluation, to a
    matrix: `number` is the factor, `places` the address of the first number and the step from row to row.
    Returns 0.
    """
    trees = view(tables, Trees)
    inertias_in_space(tables, t)
    add_mass(trees, t, trees.number[0], numbers_at(trees.places[0], 1), 0, trees.places[1])
    return 0


@internal
def add_mass_of_tree(tables, t, factor, M, start, step):
    """Add factor M of tree t to the block of `M` that begins at `start` and has `step` numbers from row to
    row. After `Problem.prepare_masses`.
    """
    trees = view(tables, Trees)
    trees.number[0] = factor
    trees.places[0], trees.places[1] = address_of(M, start), step
    add_mass_by_recursion(tables, t)
