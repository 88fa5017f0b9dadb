"""Poses of shapes in the world, and velocities of their surfaces."""

from __future__ import annotations

from mbplugin.kernels.view import view
from mbplugin.math.jit import inlined, internal
from mbplugin.math.vec3 import add, cross, dot, load, load_matrix, product, rotate, rotate_back, scale, sub
from mbplugin.tables.groups import Functions, Markers, Shapes


@internal
def shape_pose(tables, k):
    """Position [m] and axes (nine numbers) of shape k in the world, of a body that stretches as if it had
    none; the bodies must have been located.
    """
    shapes = view(tables, Shapes)
    m = shapes.index[k].marker
    if m < 0:
        return load(shapes.x, k), load_matrix(shapes.R, k)
    markers = view(tables, Markers)
    R = load_matrix(markers.R, m)
    x = add(load(markers.x, m), rotate(R, load(shapes.arm, k)))
    return x, product(R, load_matrix(shapes.R, k))


@internal
def body_map(tables, k, ahead):
    """Map of the body of shape k, which stretches: mass centre x [m] and the nine numbers A of the map of a
    point r of its frame, from the mass centre, to x + A r in the world, `ahead` [s] after the present time
    with the present velocities.
    """
    markers, shape = view(tables, Markers), view(tables, Shapes).index[k]
    x, v = load(markers.x, shape.marker), load(markers.v, shape.marker)
    columns = stretch_column(markers, shape, 0, ahead), stretch_column(markers, shape, 1, ahead)
    (a, b, c), (d, e, f) = columns
    g, h, i = stretch_column(markers, shape, 2, ahead)
    return add(x, scale(ahead, v)), (a, d, g, b, e, h, c, f, i)


@inlined
def stretch_column(markers, shape, k, ahead):
    """Column k of A: where 1 m along axis k of the body has come to, seen from the mass centre."""
    m, centre = shape.stretch + k, shape.marker
    arm = sub(load(markers.x, m), load(markers.x, centre))
    return add(arm, scale(ahead, sub(load(markers.v, m), load(markers.v, centre))))


@internal
def shape_map(tables, k, ahead):
    """Position [m] and nine numbers A of shape k of a body that stretches: a point p of the shape, in its
    frame, is at x + A p in the world, `ahead` [s] after the present time with the present velocities.
    """
    shapes = view(tables, Shapes)
    x, A = body_map(tables, k, ahead)
    return add(x, rotate(A, load(shapes.arm, k))), product(A, load_matrix(shapes.R, k))


@internal
def material_point(tables, k, x):
    """The point of the body of shape k that is at the world point x [m], in the frame of the body (as it was
    before it deformed), of the ground x. A point near a node moves with the node.
    """
    shapes = view(tables, Shapes)
    shape = shapes.index[k]
    if shape.marker < 0:
        return x
    markers = view(tables, Markers)
    arm = sub(x, load(markers.x, shape.marker))
    if shape.stretch >= 0:
        r = stretched_back(markers, shape, arm)
    else:
        r = rotate_back(load_matrix(markers.R, shape.marker), arm)
    return add(r, sub(load(shapes.x, k), load(shapes.arm, k)))


@internal
def stretched_back(markers, shape, arm):
    """r with A r = arm, of the map A of a body that stretches."""
    centre = load(markers.x, shape.marker)
    a, b, c = (
        sub(load(markers.x, shape.stretch), centre),
        sub(load(markers.x, shape.stretch + 1), centre),
        sub(load(markers.x, shape.stretch + 2), centre),
    )
    volume = dot(a, cross(b, c))
    return dot(arm, cross(b, c)) / volume, dot(arm, cross(c, a)) / volume, dot(arm, cross(a, b)) / volume


@internal
def material_velocity(tables, k, x):
    """Velocity of the material of shape k, of a body that stretches, at the world point x [m/s]: v + Ȧ r with
    A r from the mass centre to x.
    """
    markers, shape = view(tables, Markers), view(tables, Shapes).index[k]
    centre, velocity = load(markers.x, shape.marker), load(markers.v, shape.marker)
    r = stretched_back(markers, shape, sub(x, centre))
    for axis in range(3):
        rate = sub(load(markers.v, shape.stretch + axis), load(markers.v, shape.marker))
        velocity = add(velocity, scale(r[axis], rate))
    return velocity


@internal
def surface_velocity(tables, k, ahead):
    """Velocity of the surface of shape k relative to its body, world axes [m/s], `ahead` [s] after the
    present time, by its value and derivatives there; the bodies must have been located.
    """
    shape, u = view(tables, Shapes).index[k], view(tables, Functions).u
    if shape.belt == 0:
        return (0.0, 0.0, 0.0)
    a, b, c = shape.belt, shape.belt + 1, shape.belt + 2
    s = (u[a, 0], u[b, 0], u[c, 0])
    s = add(s, scale(ahead, (u[a, 1], u[b, 1], u[c, 1])))
    s = add(s, scale(0.5 * ahead * ahead, (u[a, 2], u[b, 2], u[c, 2])))
    return rotate(load_matrix(view(tables, Markers).R, shape.marker), s) if shape.marker >= 0 else s
