"""Contacts between shapes at the present positions, as blocks of the pool."""

from __future__ import annotations

from mbplugin.interface import internal
from mbplugin.math.vec3 import add, column, dot, norm, rotate, scale, sub
from mbplugin.stepping import (
    BOX_SHAPE,
    CONE,
    OVERFLOW,
    PLANE_SHAPE,
    SPHERE_SHAPE,
    Pool,
    Shapes,
    add_pool_block,
    ask_for_room,
    clear_pool,
    place_block,
    pool_jacobian,
    set_row,
    shape_pose,
    view,
)
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.operators import own_masses


@internal
def find_contacts(tables):
    """A block of three rows for each point of contact within the margin. Returns a status."""
    clear_pool(tables)
    shapes, mine = view(tables, Shapes), view(tables, Contacts)
    n = shapes.index.shape[0]
    margin = mine.record[0].margin
    for j in range(n):
        for i in range(n):
            a, b = shapes.index[j], shapes.index[i]
            if a.type == PLANE_SHAPE and b.type == SPHERE_SHAPE:
                x, R = shape_pose(tables, j)
                c, _ = shape_pose(tables, i)
                normal = column(R, 2)
                gap = dot(normal, sub(c, x)) - shapes.size[i, 0]
                p = sub(c, scale(shapes.size[i, 0], normal))
                status = add_contact(tables, j, i, 0, p, normal, gap)
                if status != 0:
                    return status
            elif a.type == PLANE_SHAPE and b.type == BOX_SHAPE:
                x, R = shape_pose(tables, j)
                c, Q = shape_pose(tables, i)
                normal = column(R, 2)
                for corner in range(8):
                    half = (
                        (0.5 if corner & 1 else -0.5) * shapes.size[i, 0],
                        (0.5 if corner & 2 else -0.5) * shapes.size[i, 1],
                        (0.5 if corner & 4 else -0.5) * shapes.size[i, 2],
                    )
                    p = add(c, rotate(Q, half))
                    gap = dot(normal, sub(p, x))
                    if gap < margin:
                        status = add_contact(tables, j, i, corner, p, normal, gap)
                        if status != 0:
                            return status
            elif i < j and a.type == SPHERE_SHAPE and b.type == SPHERE_SHAPE:
                x, _ = shape_pose(tables, j)
                c, _ = shape_pose(tables, i)
                d = sub(c, x)
                gap = norm(d) - shapes.size[i, 0] - shapes.size[j, 0]
                if gap < margin and norm(d) > 0.0:
                    normal = scale(1.0 / norm(d), d)
                    p = sub(c, scale(shapes.size[i, 0], normal))
                    status = add_contact(tables, j, i, 0, p, normal, gap)
                    if status != 0:
                        return status
    status = pool_jacobian(tables)
    if status == 0:
        own_masses(tables)
    return status


@internal
def add_contact(tables, j, i, feature, x, normal, gap):
    """A contact at point x of shape i, with the normal from shape j to it. Returns a status."""
    shapes, pool, mine = view(tables, Shapes), view(tables, Pool), view(tables, Contacts)
    k = add_pool_block(tables, shapes.index[j].body, shapes.index[i].body, 3, CONE)
    if k < 0 or k >= mine.key.shape[0]:
        return OVERFLOW if k < 0 else ask_for_contacts(tables, k + 1)
    mine.key[k], mine.feature[k] = j * shapes.index.shape[0] + i, feature
    pool.index[k].label = k
    pool.friction[k] = mine.record[0].friction
    zero = mine.record[0].zero
    pool.phi[3 * k] = 0.0 if abs(gap) <= zero else gap
    first, second = tangents(normal)
    R = (*normal, *first, *second)
    axes = (R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8])
    status = place_block(tables, k, sub(x, scale(gap, normal)), x, axes)
    if status != 0:
        return status
    none = (0.0, 0.0, 0.0)
    set_row(tables, k, 0, normal, none)
    set_row(tables, k, 1, first, none)
    set_row(tables, k, 2, second, none)
    return 0


@internal
def ask_for_contacts(tables, n):
    return ask_for_room(tables, 0, n)


@internal
def tangents(n):
    """Two unit vectors across the unit vector n, without a branch that jumps but at n = −z (Duff et al. 2017)."""
    s = 1.0 if n[2] >= 0.0 else -1.0
    a = -1.0 / (s + n[2])
    b = n[0] * n[1] * a
    return (1.0 + s * n[0] * n[0] * a, s * b, -s * n[0]), (b, s + n[1] * n[1] * a, -n[1])
