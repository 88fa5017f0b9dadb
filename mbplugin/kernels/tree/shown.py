"""What frames show of trees and no step needs: energies of links, accelerations of markers, and what the
joints that carry links exert.
"""

from __future__ import annotations

from mbplugin.kernels.by_address import by_address
from mbplugin.kernels.evaluate import measure_rate
from mbplugin.kernels.tree.flat import show_in_space
from mbplugin.kernels.tree.numbers import NUMBERS, POSE, V, W, X, get, times_symmetric
from mbplugin.kernels.tree.reactions import axes_of_rows, force_of_rotor, without_armatures
from mbplugin.kernels.view import view
from mbplugin.math.jit import inlined
from mbplugin.math.vec3 import add, cross, dot, load, load9, rotate, rotate_back, scale, store, sub
from mbplugin.tables.groups import (
    Bodies,
    Carried,
    FrameValues,
    Markers,
    Measures,
    Rates,
    RowWrenches,
    Trees,
    Wrenches,
)

#: places in `Trees.fixed` of the mass centre, the mass and the moments of inertia
CENTRE, MASS, MOMENTS = 12, 15, 16


@by_address(when="tree")
def show_trees(tables, first, count):
    """Poses in space of those of `count` trees that steps move in a plane only. Returns 0."""
    trees = view(tables, Trees).index
    for t in range(first, first + count):
        if trees[t].flat == 1 and trees[t].located == 0:
            show_in_space(tables, t)
    return 0


@by_address(when="tree")
def rates_of_shown(tables, first, count):
    """Rates of those of `count` measures that only frames evaluate. Returns 0."""
    measures = view(tables, Measures).index
    for i in range(first, first + count):
        if measures[i].shown == 1:
            measure_rate(tables, i)
    return 0


@inlined
def arm_of_centre(trees, i):
    """From the origin of link i to its mass centre, world axes."""
    return rotate(load9(trees.pose, POSE * i), get(trees.fixed, NUMBERS * i + CENTRE))


@by_address(when="tree")
def energies_of_links(tables, first, count):
    """Kinetic energies of the links of `count` trees, and energies of their weights. Returns 0."""
    show_trees(tables, first, count)
    trees, bodies, energy = view(tables, Trees), view(tables, Bodies), view(tables, Wrenches).energy
    for t in range(first, first + count):
        tree = trees.index[t]
        part = bodies.index[tree.body].first_part
        for k in range(tree.links):
            i = tree.first_link + k
            p, f, arm = POSE * i, NUMBERS * i, arm_of_centre(trees, i)
            w = get(trees.pose, p + W)
            v, own = add(get(trees.pose, p + V), cross(w, arm)), rotate_back(load9(trees.pose, p), w)
            m, J = trees.fixed[f + MASS], f + MOMENTS
            spin = times_symmetric(trees.fixed, J, own)
            bodies.kinetic[part + k] = 0.5 * (m * dot(v, v) + dot(own, spin))
            if trees.weight[i] >= 0:
                x = add(get(trees.pose, p + X), arm)
                energy[trees.weight[i]] = -m * dot(get(trees.gravity, 0), x)
    return 0


@by_address(when="tree")
def rates_on_trees(tables):
    """Accelerations of all markers on trees, into `FrameValues`, from those of the links. Returns 0."""
    trees, markers, values = view(tables, Trees), view(tables, Markers), view(tables, FrameValues)
    bodies = view(tables, Bodies).index
    for m in range(markers.index.shape[0]):
        marker = markers.index[m]
        if marker.body < 0 or bodies[marker.body].tree < 0:
            continue
        i = int(markers.p[marker.first_parameter])
        w, alpha = get(trees.pose, POSE * i + W), get(trees.accel, 6 * i + 3)
        arm = sub(load(markers.x, m), add(get(trees.pose, POSE * i + X), arm_of_centre(trees, i)))
        turn = add(cross(alpha, arm), cross(w, cross(w, arm)))
        store(values.v_dot, m, add(get(trees.accel, 6 * i), turn))
        store(values.w_dot, m, alpha)
    return 0


@by_address(when="tree")
def add_carried(tables):
    """Add what joints that carry links exert to `RowWrenches.wrench`, from `Trees.reaction`. Returns 0.

    What an inertia on a coordinate exerts is a part of its own.
    """
    carried, trees, markers = view(tables, Carried), view(tables, Trees), view(tables, Markers)
    wrench, measures = view(tables, RowWrenches).wrench, view(tables, Measures)
    v_dot = view(tables, Rates).v_dot
    normal = get(trees.normal, 0)
    for k in range(carried.index.shape[0]):
        one = carried.index[k]
        R = axes_of_rows(trees, one.link)
        f = scale(one.sign, rotate(R, get(trees.reaction, 6 * one.link)))
        arm = sub(get(trees.pose, POSE * one.link + X), load(markers.x, one.marker))
        n = add(scale(one.sign, rotate(R, get(trees.reaction, 6 * one.link + 3))), cross(arm, f))
        n, f = without_armatures(tables, one.link, one.marker, v_dot, n, f)
        if trees.link[one.link].planar == 1:
            f, n = sub(f, scale(dot(f, normal), normal)), scale(dot(n, normal), normal)
        for c in range(3):
            wrench[one.part, c] += f[c]
            wrench[one.part, 3 + c] += n[c]
    for k in range(carried.armature.shape[0]):
        one = carried.armature[k]
        first = measures.index[trees.rotor[one.rotor].measure].first_J + 6 * one.slot
        force = force_of_rotor(trees, one.link, one.rotor, v_dot)
        for c in range(6):
            wrench[one.owned, c] += force * measures.J[first + c]
    return 0
