"""Markers on links of trees: poses and twists, and wrenches at them as generalized forces.

A point record is the number of the link, the marker's position in its frame (3) [m], its axes there (9), and
what a force and a torque at the marker add to the squared length of a row (`members.py`) [1/kg, 1/(kg·m²)].
"""

from __future__ import annotations

from mbplugin.kernels.by_address import by_address
from mbplugin.kernels.tree.numbers import ARM, BIAS, POSE, V, W, X, get
from mbplugin.kernels.tree.solve import along
from mbplugin.kernels.view import view
from mbplugin.math.emitters.arrays import clear
from mbplugin.math.jit import inlined
from mbplugin.math.vec3 import add, cross, load, load9, product, rotate, store, sub
from mbplugin.tables.groups import Blocks, Bodies, Markers, Trees, WrenchJobs


@inlined
def locate_marker(trees, markers, i):
    """Pose, twist and acceleration bias of marker i."""
    r = markers.index[i].first_parameter
    link = int(markers.p[r])
    p, b = POSE * link, BIAS * link + 6
    R = load9(trees.pose, p)
    arm, w, alpha = rotate(R, get(markers.p, r + 1)), get(trees.pose, p + W), get(trees.bias, b)
    swing = cross(w, arm)
    store(markers.x, i, add(get(trees.pose, p + X), arm))
    axes = product(R, load9(markers.p, r + 4))
    for k in range(9):
        markers.R[i, k] = axes[k]
    store(markers.v, i, add(get(trees.pose, p + V), swing))
    store(markers.w, i, w)
    store(markers.v_bias, i, add(get(trees.bias, b + 3), add(cross(alpha, arm), cross(w, swing))))
    store(markers.w_bias, i, alpha)


@by_address(when="tree")
def locate_on_trees(tables, first, count):
    """Poses, twists and acceleration biases of `count` markers. Returns 0."""
    trees, markers = view(tables, Trees), view(tables, Markers)
    for i in range(first, first + count):
        locate_marker(trees, markers, i)
    return 0


@inlined
def link_of(markers, job):
    """The link that the marker of a job is on."""
    return int(markers.p[markers.index[job.marker].first_parameter])


@inlined
def wrench_of(trees, markers, blocks, job, link, row):
    """Torque about the origin of the link, and force, that row `row` of a job exerts."""
    source = job.source + row * job.stride
    arm, f = sub(load(markers.x, job.marker), get(trees.pose, POSE * link + X)), get(blocks.G_marker, source)
    return add(get(blocks.G_marker, source + 3), cross(arm, f)), f


@inlined
def add_rows(trees, bodies, jobs, markers, blocks, first, count):
    """Rows over marker twists as rows of G, by `count` jobs: Sᵀ of the wrench at each link on the way to the
    root. Those of two markers are added where their ways meet: mostly they are opposite, and end there.
    """
    j = first
    while j < first + count:
        job = other = jobs[j]
        leaf, other_leaf = link_of(markers, job), -1
        if j + 1 < first + count and jobs[j + 1].add == 1 and jobs[j + 1].target == job.target:
            other = jobs[j + 1]
            other_leaf = link_of(markers, other)
            j += 1
        j += 1
        body = bodies[markers.index[job.marker].body]
        for row in range(job.rows):
            target = job.target + row * body.nv
            if job.add == 0:
                clear(blocks.G, target, body.nv)
            n, f = wrench_of(trees, markers, blocks, job, leaf, row)
            m, g = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
            if other_leaf >= 0:
                m, g = wrench_of(trees, markers, blocks, other, other_leaf, row)
            i, k = leaf, other_leaf
            while max(i, k) >= 0:
                if k > i:
                    i, n, f, k, m, g = k, m, g, i, n, f
                if i == k:
                    n, f, k = add(n, m), add(f, g), -1
                    if is_zero(n) and is_zero(f):
                        break
                link = trees.link[i]
                for c in range(link.rates):
                    at = target + link.first_v - body.first_v + c
                    blocks.G[at] += along(trees.S, 6 * (link.first_rate + c), n, f)
                n = add(n, cross(get(trees.pose, POSE * i + ARM), f))
                i = link.parent


@inlined
def is_zero(x):
    return x[0] == 0.0 and x[1] == 0.0 and x[2] == 0.0


@by_address(when="tree")
def rows_on_trees(tables, first, count):
    """Rows of joints as rows of G, by `count` jobs. Returns 0."""
    jobs, markers = view(tables, WrenchJobs).index, view(tables, Markers)
    add_rows(
        view(tables, Trees), view(tables, Bodies).index, jobs, markers, view(tables, Blocks), first, count
    )
    return 0
