"""The bodies of a system by themselves: the inertias, the forces of motion and gravity without the force
elements of the scene, and Jacobians of points; and the joint coordinates of a system in maximal coordinates.
"""

from __future__ import annotations

from mbplugin.kernels.by_address import by_address
from mbplugin.kernels.evaluate import locate_markers, measure_rates, run_batches, sum_forces
from mbplugin.kernels.tree.flat import show_in_space
from mbplugin.kernels.tree.numbers import POSE, X, get
from mbplugin.kernels.view import view
from mbplugin.math.emitters.arrays import numbers_at
from mbplugin.math.vec3 import add, cross, load9, rotate, sub
from mbplugin.math.vectors import fill
from mbplugin.tables.groups import Bodies, State, Trees
from mbplugin.tables.purposes import BODY_FORCE, COORDINATE, FORCES_TO_GENERALIZED, MASS, MEASURE


@by_address(seconds=2, when="alone")
def evaluate_alone(tables):
    """Poses and inertias of all bodies, and h of their motion and of the wrenches that stand in the tables,
    which no force element changes. Returns a status.
    """
    h, trees = view(tables, Bodies).h, view(tables, Trees).index
    status = locate_markers(tables)
    for t in range(trees.shape[0]):
        if trees[t].flat == 1 and trees[t].located == 0:
            show_in_space(tables, t)
    if status == 0:
        status = run_batches(tables, MASS)
    fill(h, 0.0)
    if status == 0:
        status = run_batches(tables, BODY_FORCE)
    if status == 0:
        status = run_batches(tables, FORCES_TO_GENERALIZED)
    sum_forces(tables)
    return status


@by_address(seconds=2, when="alone")
def evaluate_coordinates(tables):
    """Poses and twists of all markers, joint coordinates and their rates. Returns a status."""
    status = locate_markers(tables) or run_batches(tables, MEASURE) or run_batches(tables, COORDINATE)
    measure_rates(tables)
    return status


@by_address(when="alone")
def write_jacobian(tables, link, address):
    """J (6, nv) of [v; ω] = J v of a point of a link, at the position of the last evaluation; the address is
    that of the place of the point in the frame of the link (3), behind which J is written, where it is not 0.
    Returns 0.
    """
    trees, n = view(tables, Trees), view(tables, State).v.shape[0]
    out = numbers_at(address, 1)
    x = add(get(trees.pose, POSE * link + X), rotate(load9(trees.pose, POSE * link), get(out, 0)))
    i = link
    while i >= 0:
        one = trees.link[i]
        arm = sub(x, get(trees.pose, POSE * i + X))
        for k in range(one.rates):
            s, at = 6 * (one.first_rate + k), 3 + one.first_v + k
            w = get(trees.S, s)
            v = add(get(trees.S, s + 3), cross(w, arm))
            for c in range(3):
                out[at + c * n] = v[c]
                out[at + (3 + c) * n] = w[c]
        i = one.parent
    return 0
