"""Wrenches by which joints carry the links of trees, from the accelerations: one sweep from the leaves.

    W = I (α, a − g) + (ω × A ω, ω × (ω × m d)) − forces − rows − contacts + Σ of what it carries

I is the inertia of the link alone, about its origin; (α, a) its acceleration with all joint accelerations s̈.
Check: Sᵀ W = −armature s̈ in every joint. Source: the inward sweep of the recursive Newton-Euler algorithm,
J. Y. S. Luh, M. W. Walker & R. P. C. Paul, J. Dyn. Syst. Meas. Control 102 (1980) 69-76.
"""

from __future__ import annotations

from mbplugin.kernels.by_address import by_address
from mbplugin.kernels.tree.inertia import inertias_in_space
from mbplugin.kernels.tree.loads import inertia_forces
from mbplugin.kernels.tree.numbers import BIAS, NUMBERS, POSE, X, add_to, get, put
from mbplugin.kernels.tree.solve import move_inward, moved_outward
from mbplugin.kernels.view import view
from mbplugin.math.emitters.arrays import address_of, numbers_at
from mbplugin.math.jit import inlined, internal
from mbplugin.math.vec3 import add, cross, load, load9, rotate, rotate_back, scale, sub
from mbplugin.tables.groups import (
    Blocks,
    Bodies,
    Markers,
    Rates,
    State,
    Step,
    TransientMarkers,
    TransientRows,
    Trees,
)


@internal
def subtract_at(trees, link, x, f, n):
    """Subtract a force and a torque at the world point x from the wrench of a link in `Trees.load`."""
    arm = sub(x, get(trees.pose, POSE * link + X))
    add_to(trees.load, 6 * link, scale(-1.0, add(n, cross(arm, f))))
    add_to(trees.load, 6 * link + 3, scale(-1.0, f))


@internal
def subtract_rows(tables, trees, carried):
    """Subtract what rows exert on links; carried: force of each row."""
    blocks, markers, bodies = view(tables, Blocks), view(tables, Markers), view(tables, Bodies).index
    for k in range(blocks.index.shape[0]):
        block = blocks.index[k]
        for s in range(block.slots):
            m = blocks.marker[block.first_slot + s]
            body = markers.index[m].body
            if body < 0 or bodies[body].tree < 0:
                continue
            link = int(markers.p[markers.index[m].first_parameter])
            for r in range(block.rows):
                p, g = carried[block.first_row + r], block.first_G_marker + 6 * (r * block.slots + s)
                if p != 0.0:
                    f, n = get(blocks.G_marker, g), get(blocks.G_marker, g + 3)
                    subtract_at(trees, link, load(markers.x, m), scale(p, f), scale(p, n))


@internal
def subtract_contacts(tables, trees, h):
    """Subtract the impulses of the transient rows over a step of length h."""
    rows, markers, bodies = (
        view(tables, TransientRows),
        view(tables, TransientMarkers),
        view(tables, Bodies).index,
    )
    for k in range(rows.used[0]):
        block = rows.index[k]
        for s in range(2):
            marker = markers.index[2 * k + s]
            if marker.body < 0 or bodies[marker.body].tree < 0:
                continue
            link = int(markers.p[marker.first_parameter])
            for r in range(block.first_row, block.first_row + block.rows):
                p, g = rows.impulse[r] / h, 12 * r + 6 * s
                f, n = get(rows.G_marker, g), get(rows.G_marker, g + 3)
                subtract_at(trees, link, load(markers.x, 2 * k + s), scale(p, f), scale(p, n))


@internal
def add_inertia_forces(tables, trees, t):
    """Accelerations of the links of tree t, into `Trees.accel`, and what they take, into `Trees.load`."""
    tree, v_dot = trees.index[t], view(tables, Rates).v_dot
    for i in range(tree.first_link, tree.first_link + tree.links):
        link = trees.link[i]
        alpha, a = moved_outward(trees, trees.change, i, link.parent)
        for k in range(link.rates):
            s, x = 6 * (link.first_rate + k), v_dot[link.first_v + k]
            alpha, a = add(alpha, scale(x, get(trees.S, s))), add(a, scale(x, get(trees.S, s + 3)))
        put(trees.change, 6 * i, alpha)
        put(trees.change, 6 * i + 3, a)
    for i in range(tree.first_link, tree.first_link + tree.links):
        b = BIAS * i + 6
        alpha = add(get(trees.change, 6 * i), get(trees.bias, b))
        a = add(get(trees.change, 6 * i + 3), get(trees.bias, b + 3))
        n, f = inertia_forces(trees, i, alpha, a)
        put(trees.load, 6 * i, sub(n, get(trees.external, 6 * i)))
        put(trees.load, 6 * i + 3, sub(f, get(trees.external, 6 * i + 3)))
        # of the mass centre
        w = get(trees.pose, POSE * i + 12)
        d = rotate(load9(trees.pose, POSE * i), get(trees.fixed, NUMBERS * i + 12))
        put(trees.accel, 6 * i, add(a, add(cross(alpha, d), cross(w, cross(w, d)))))
        put(trees.accel, 6 * i + 3, alpha)


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
    for t in range(trees.index.shape[0]):
        inertias_in_space(tables, t)
        add_inertia_forces(tables, trees, t)
    subtract_rows(tables, trees, numbers_at(address, 1))
    if impulsive == 1:
        subtract_contacts(tables, trees, view(tables, Step).record[0].length)
    for i in range(trees.link.shape[0] - 1, -1, -1):
        link = trees.link[i]
        n, f = get(trees.load, 6 * i), get(trees.load, 6 * i + 3)
        R = axes_of_rows(trees, i)
        put(trees.reaction, 6 * i, rotate_back(R, f))
        put(trees.reaction, 6 * i + 3, rotate_back(R, n))
        if link.parent >= 0:
            move_inward(trees, trees.load, i, link.parent, n, f)
    return 0


@internal
def reactions_of_step(tables, carried, h):
    """Find the mean wrenches of joints that carry links of trees over a step of length h, for frames.

    carried: mean forces of the rows (nc,). The tables hold the evaluation of the step, v at its end, and the
    impulses of the transient rows; `Rates.v_dot` is overwritten where there are trees.
    """
    v_dot, v, v0 = view(tables, Rates).v_dot, view(tables, State).v, view(tables, Step).v0
    if view(tables, Trees).index.shape[0] > 0:
        for k in range(v_dot.shape[0]):
            v_dot[k] = (v[k] - v0[k]) / h
        carry_wrenches(tables, address_of(carried, 0), 1)
