"""Wrenches by which joints carry the links of trees, from the accelerations: one sweep from the leaves.

    W = I (α, a − g) + (ω × A ω, ω × (ω × m d)) − forces − rows − contacts + Σ of what it carries

I is the inertia of the link alone, about its origin; (α, a) its acceleration with all joint accelerations s̈.
Check: Sᵀ W = −armature s̈ in every joint. Of a blow W is an impulse, (α, a) a change of the twist, and forces
and what depends on the velocities are left out.

What of W the rows of the joint would exert in maximal coordinates, its reaction, is all but the armatures:
these act along the measures of their coordinates, −armature s̈ J. Source: the inward sweep of the recursive
Newton-Euler algorithm, J. Y. S. Luh, M. W. Walker & R. P. C. Paul, J. Dyn. Syst. Meas. Control 102 (1980)
69-76.
"""

from __future__ import annotations

from mbplugin.kernels.by_address import by_address
from mbplugin.kernels.tree.inertia import inertias_in_space
from mbplugin.kernels.tree.loads import inertia_forces
from mbplugin.kernels.tree.numbers import BIAS, NUMBERS, POSE, W, X, add_to, get, put
from mbplugin.kernels.tree.solve import move_inward, moved_outward, own_momentum
from mbplugin.kernels.view import view
from mbplugin.math.emitters.arrays import address_of, numbers_at
from mbplugin.math.jit import inlined, internal
from mbplugin.math.vec3 import add, cross, dot, load, load9, rotate, rotate_back, scale, sub
from mbplugin.tables.groups import (
    Blocks,
    Bodies,
    Elements,
    Markers,
    Measures,
    Rates,
    Rows,
    State,
    Step,
    TransientMarkers,
    TransientRows,
    Trees,
)

#: what acts: forces; these with the impulses of transient rows over the step; impulses alone
FORCES, STEP, BLOW = range(3)


@inlined
def is_swept(trees, t, every):
    """Whether the wrenches of tree t are asked for: of each one, or of those of which something is read."""
    return t >= 0 and (every == 1 or trees.index[t].read == 1)


@internal
def subtract_at(trees, link, x, f, n):
    """Subtract a force and a torque at the world point x from the wrench of a link in `Trees.load`."""
    arm = sub(x, get(trees.pose, POSE * link + X))
    add_to(trees.load, 6 * link, scale(-1.0, add(n, cross(arm, f))))
    add_to(trees.load, 6 * link + 3, scale(-1.0, f))


@internal
def subtract_rows(tables, trees, carried, every):
    """Subtract what rows exert on links; carried: force of each row."""
    blocks, markers, bodies = view(tables, Blocks), view(tables, Markers), view(tables, Bodies).index
    for k in range(blocks.index.shape[0]):
        block = blocks.index[k]
        for s in range(block.slots):
            m = blocks.marker[block.first_slot + s]
            body = markers.index[m].body
            if body < 0 or not is_swept(trees, bodies[body].tree, every):
                continue
            link = int(markers.p[markers.index[m].first_parameter])
            for r in range(block.rows):
                p, g = carried[block.first_row + r], block.first_G_marker + 6 * (r * block.slots + s)
                if p != 0.0:
                    f, n = get(blocks.G_marker, g), get(blocks.G_marker, g + 3)
                    subtract_at(trees, link, load(markers.x, m), scale(p, f), scale(p, n))


@internal
def subtract_contacts(tables, trees, every):
    """Subtract the impulses of the transient rows over the step, by its length."""
    rows, markers, bodies = (
        view(tables, TransientRows),
        view(tables, TransientMarkers),
        view(tables, Bodies).index,
    )
    h = view(tables, Step).record[0].length
    for k in range(rows.used[0]):
        block = rows.index[k]
        for s in range(2):
            marker = markers.index[2 * k + s]
            if marker.body < 0 or not is_swept(trees, bodies[marker.body].tree, every):
                continue
            link = int(markers.p[marker.first_parameter])
            for r in range(block.first_row, block.first_row + block.rows):
                p, g = rows.impulse[r] / h, 12 * r + 6 * s
                f, n = get(rows.G_marker, g), get(rows.G_marker, g + 3)
                subtract_at(trees, link, load(markers.x, 2 * k + s), scale(p, f), scale(p, n))


@internal
def add_inertia_forces(trees, t, v_dot, part):
    """Accelerations of the links of tree t, less those at v̇ = 0, into `Trees.change`; what they take, but
    for force elements, into `Trees.load`.
    """
    tree = trees.index[t]
    for i in range(tree.first_link, tree.first_link + tree.links):
        link = trees.link[i]
        alpha, a = moved_outward(trees, trees.change, i, link.parent)
        for k in range(link.rates):
            s, x = 6 * (link.first_rate + k), v_dot[link.first_v + k]
            alpha, a = add(alpha, scale(x, get(trees.S, s))), add(a, scale(x, get(trees.S, s + 3)))
        put(trees.change, 6 * i, alpha)
        put(trees.change, 6 * i + 3, a)
        if part == BLOW:
            n, f = own_momentum(trees, i, alpha, a)
        else:
            b = BIAS * i + 6
            alpha, a = add(alpha, get(trees.bias, b)), add(a, get(trees.bias, b + 3))
            n, f = inertia_forces(trees, i, alpha, a)
            n, f = sub(n, get(trees.external, 6 * i)), sub(f, get(trees.external, 6 * i + 3))
        put(trees.load, 6 * i, n)
        put(trees.load, 6 * i + 3, f)


@by_address(seconds=2, when="tree")
def find_wrenches(tables, part, every):
    """Write W of links, world axes about their origins, into `Trees.load`, and their accelerations, less
    those at v̇ = 0, into `Trees.change`. Returns 0.

    part: FORCES, STEP or BLOW. every: 1: of all trees; 0: of those of which a reaction is read. The force of
    each row (nc,) and v̇ (nv,) are at the addresses in `Trees.places`
    """
    trees = view(tables, Trees)
    carried, v_dot = numbers_at(trees.places[0], 1), numbers_at(trees.places[1], 1)
    for t in range(trees.index.shape[0]):
        if is_swept(trees, t, every):
            inertias_in_space(tables, t)
            add_inertia_forces(trees, t, v_dot, part)
    subtract_rows(tables, trees, carried, every)
    if part != FORCES and view(tables, TransientRows).used.shape[0] > 0:
        subtract_contacts(tables, trees, every)
    for t in range(trees.index.shape[0]):
        if not is_swept(trees, t, every):
            continue
        tree = trees.index[t]
        for i in range(tree.first_link + tree.links - 1, tree.first_link, -1):
            parent = trees.link[i].parent
            if parent >= 0:
                move_inward(trees, trees.load, i, parent, get(trees.load, 6 * i), get(trees.load, 6 * i + 3))
    return 0


@inlined
def axes_of_rows(trees, i):
    """Axes of the body with the first marker of the joint that carries link i, along which kinds write rows:
    a mean force over a step turns with them.
    """
    link = trees.link[i]
    if link.forward == 0:
        return load9(trees.pose, POSE * i)
    if link.parent >= 0:
        return load9(trees.pose, POSE * link.parent)
    return (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@by_address(when="tree")
def carry_wrenches(tables, address, impulsive):
    """Write `Trees.reaction` and `Trees.accel` at the present evaluation, from `Rates.v_dot`. Returns 0.

    address: of the force of each row (nc,), λ and load. impulsive: 1: with the impulses of the transient rows
    in the step
    """
    trees = view(tables, Trees)
    trees.places[0], trees.places[1] = address, address_of(view(tables, Rates).v_dot, 0)
    find_wrenches(tables, STEP if impulsive == 1 else FORCES, 1)
    for i in range(trees.link.shape[0]):
        R = axes_of_rows(trees, i)
        put(trees.reaction, 6 * i, rotate_back(R, get(trees.load, 6 * i + 3)))
        put(trees.reaction, 6 * i + 3, rotate_back(R, get(trees.load, 6 * i)))
        alpha = add(get(trees.change, 6 * i), get(trees.bias, BIAS * i + 6))
        a = add(get(trees.change, 6 * i + 3), get(trees.bias, BIAS * i + 9))
        # of the mass centre
        w = get(trees.pose, POSE * i + W)
        d = rotate(load9(trees.pose, POSE * i), get(trees.fixed, NUMBERS * i + 12))
        put(trees.accel, 6 * i, add(a, add(cross(alpha, d), cross(w, cross(w, d)))))
        put(trees.accel, 6 * i + 3, alpha)
    return 0


@inlined
def reactions_are_read(tables):
    """Whether in a step something reads reactions of joints that carry links."""
    return view(tables, Trees).carried.shape[0] > 0


@inlined
def force_of_rotor(trees, i, k, v_dot):
    """−a s̈ of rotor k on a coordinate of the joint that carries link i."""
    return -trees.inertia[k] * v_dot[trees.link[i].first_v + trees.rotor[k].velocity]


@internal
def without_armatures(tables, i, marker, v_dot, n, f):
    """The wrench (n, f) on a marker by the joint that carries link i, without what its armatures exert."""
    trees, measures, markers = view(tables, Trees), view(tables, Measures), view(tables, Elements).marker
    first = trees.link[i].first_rotor
    for k in range(first, first + trees.link[i].rotors):
        one, force = measures.index[trees.rotor[k].measure], force_of_rotor(trees, i, k, v_dot)
        for s in range(one.slots):
            if markers[one.first_slot + s] == marker:
                J = one.first_J + 6 * s
                f = sub(f, scale(force, get(measures.J, J)))
                n = sub(n, scale(force, get(measures.J, J + 3)))
    return n, f


@by_address(when="carried")
def put_carried(tables):
    """Write `Trees.carried` of the joints whose reactions are read, from what `find_wrenches` has found.
    Returns 0.
    """
    trees, x = view(tables, Trees), view(tables, Markers).x
    v_dot = numbers_at(trees.places[1], 1)
    for i in range(trees.link.shape[0]):
        link = trees.link[i]
        if link.end < 0:
            continue
        n, f = get(trees.load, 6 * i), get(trees.load, 6 * i + 3)
        if link.forward == 0:
            arm = sub(get(trees.pose, POSE * i + X), load(x, link.end))
            n, f = scale(-1.0, add(n, cross(arm, f))), scale(-1.0, f)
        n, f = without_armatures(tables, i, link.end, v_dot, n, f)
        if link.planar == 1:
            # the plane bears what acts across it
            e = get(trees.normal, 0)
            n, f = scale(dot(e, n), e), sub(f, scale(dot(e, f), e))
        put(trees.carried, 6 * i, f)
        put(trees.carried, 6 * i + 3, n)
    return 0


@internal
def find_reactions(tables, carried, v_dot, part):
    """Write the reactions that are read of joints which carry links, `Trees.carried`.

    carried: force of each row (nc,); v_dot: (nv,); part: FORCES, STEP or BLOW
    """
    places = view(tables, Trees).places
    places[0], places[1] = address_of(carried, 0), address_of(v_dot, 0)
    find_wrenches(tables, part, 0)
    put_carried(tables)


@internal
def follow_reactions(tables):
    """Let `Trees.carried` follow v̇, λ and loads, if something reads it."""
    if reactions_are_read(tables):
        force, rows = view(tables, Trees).row_force, view(tables, Rows)
        for r in range(force.shape[0]):
            force[r] = rows.lam[r] + rows.load[r]
        find_reactions(tables, force, view(tables, Rates).v_dot, FORCES)


@internal
def reactions_of_step(tables, carried, h):
    """Find the mean wrenches of joints that carry links of trees over a step of length h, for frames, and for
    conditions that read them.

    carried: mean forces of the rows (nc,). The tables hold the evaluation of the step, v at its end, and the
    impulses of the transient rows; `Rates.v_dot` is overwritten where there are trees.
    """
    trees, v_dot, v, v0 = (
        view(tables, Trees),
        view(tables, Rates).v_dot,
        view(tables, State).v,
        view(tables, Step).v0,
    )
    if trees.index.shape[0] > 0:
        for k in range(v_dot.shape[0]):
            v_dot[k] = (v[k] - v0[k]) / h
        carry_wrenches(tables, address_of(carried, 0), 1)
    if reactions_are_read(tables):
        put_carried(tables)
        for i in range(trees.link.shape[0]):
            R = axes_of_rows(trees, i)
            put(trees.mean, 6 * i, rotate_back(R, get(trees.carried, 6 * i)))
            put(trees.mean, 6 * i + 3, rotate_back(R, get(trees.carried, 6 * i + 3)))


@internal
def show_reactions_of_step(tables):
    """Write the mean reactions of the step, in the present axes, into `Trees.carried`."""
    trees = view(tables, Trees)
    if reactions_are_read(tables):
        for i in range(trees.link.shape[0]):
            R = axes_of_rows(trees, i)
            put(trees.carried, 6 * i, rotate(R, get(trees.mean, 6 * i)))
            put(trees.carried, 6 * i + 3, rotate(R, get(trees.mean, 6 * i + 3)))
