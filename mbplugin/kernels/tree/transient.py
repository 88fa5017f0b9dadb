"""Transient markers on links of trees, and the rows of contacts over them."""

from __future__ import annotations

from mbplugin.kernels.by_address import by_address
from mbplugin.kernels.tree.markers import add_rows, locate_marker
from mbplugin.kernels.tree.numbers import OWN, POSE, X, get, put
from mbplugin.kernels.view import view
from mbplugin.math.jit import inlined
from mbplugin.math.vec3 import load, load9, rotate_back, sub
from mbplugin.tables.groups import Bodies, TransientJobs, TransientMarkers, TransientRows, Trees


@inlined
def link_of(trees, bodies, marker):
    """Number of the link that a transient marker is on."""
    body = bodies[marker.body]
    return trees.index[body.tree].first_link + marker.part - body.first_part


@by_address(when="touched")
def points_on_links(tables, first, count):
    """Point records of `count` transient markers, from their poses in the world. Returns 0."""
    trees, bodies, markers = view(tables, Trees), view(tables, Bodies).index, view(tables, TransientMarkers)
    for i in range(first, first + count):
        marker = markers.index[i]
        link, r = link_of(trees, bodies, marker), marker.first_parameter
        R = load9(trees.pose, POSE * link)
        markers.p[r] = link
        put(markers.p, r + 1, rotate_back(R, sub(load(markers.x, i), get(trees.pose, POSE * link + X))))
        for c in range(3):
            axis = rotate_back(R, (markers.R[i, c], markers.R[i, 3 + c], markers.R[i, 6 + c]))
            for k in range(3):
                markers.p[r + 4 + 3 * k + c] = axis[k]
    return 0


@by_address(when="touched")
def locate_transient_on_links(tables, first, count):
    """Poses, twists and acceleration biases of `count` transient markers. Returns 0."""
    trees, markers = view(tables, Trees), view(tables, TransientMarkers)
    for i in range(first, first + count):
        locate_marker(trees, markers, i)
    return 0


@by_address(when="touched")
def transient_rows_on_trees(tables, first, count):
    """Rows of transient markers as rows of G, by `count` jobs. Returns 0."""
    jobs, markers = view(tables, TransientJobs).index, view(tables, TransientMarkers)
    rows = view(tables, TransientRows)
    add_rows(view(tables, Trees), view(tables, Bodies).index, jobs, markers, rows, first, count)
    return 0


@inlined
def inverse_mass_of_links(tables, k):
    """Σ 1/m of the links that the bodies of transient block k are, m with all that they carry [1/kg]; 0: they
    are none.
    """
    trees, bodies = view(tables, Trees), view(tables, Bodies).index
    markers, found = view(tables, TransientMarkers), 0.0
    for s in range(2):
        marker = markers.index[2 * k + s]
        if marker.body >= 0 and bodies[marker.body].tree >= 0:
            m = trees.composite[OWN * link_of(trees, bodies, marker) + 9]
            found += 1.0 / m if m > 0.0 else 0.0
    return found
