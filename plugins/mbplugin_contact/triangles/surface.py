"""Planes, edges and corners of a surface of triangles.

Triangles beside each other in one plane share it, with one normal, so that seams between them are nothing.
An edge touches where the surface is convex there, and at its border: the pieces of a straight one share a
number. A closed part of a surface is solid inside; an open one is a sheet that touches from both sides.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbplugin_contact.triangles.boxes import Tree, tree_of
from mbplugin_contact.triangles.tables import SMOOTH

#: a vertex farther than this part of the size from a plane is not in it
COPLANAR = 1e-9
#: sine of the angle up to which two triangles are in one plane, and two edges on one line
STRAIGHT = 1e-6
#: height of a triangle relative to the size below which it has no area
FLAT = 1e-10


class Surface(NamedTuple):
    """As in `Triangles`, with numbers of one surface."""

    vertex: NDArray[np.float64]
    corner: NDArray[np.int64]  # (n, 3)
    normal: NDArray[np.float64]
    plane: NDArray[np.int64]
    both_sides: NDArray[np.int64]
    across: NDArray[np.int64]  # (3 n,)
    edge: NDArray[np.int64]  # (3 n,)
    corner_first: NDArray[np.int64]
    corner_list: NDArray[np.int64]
    tree: Tree | None
    grid: tuple[int, int, float, float]  # cells of a height field along x and y, and their size [m]


def surface_of(points: NDArray[np.float64], triangles: NDArray[np.int64]) -> Surface:
    """The surface of a mesh. Raises ValueError if no triangle has an area."""
    points, triangles = welded(np.asarray(points, float), np.asarray(triangles, np.int64))
    ring, edges = rings(triangles)
    flipped = edges == 2
    flipped &= triangles.ravel() == triangles.ravel()[ring]
    part = parts_of(ring, np.ones(len(ring), bool))
    closed = np.bincount(part[np.arange(len(ring)) // 3], (edges != 2) | flipped) == 0
    if flipped[~closed[part].repeat(3)].any():
        triangles = one_way(triangles, ring, edges)
        ring, edges = rings(triangles)
    solid = closed[part]
    a, b, c = (points[triangles[:, k]] for k in range(3))
    if (np.einsum("ij,ij->i", a, np.cross(b, c)) * solid).sum() < 0.0:
        triangles[solid] = triangles[solid][:, ::-1]
        ring, edges = rings(triangles)
    return completed(points, triangles, ring, edges, solid, tree_of(points[triangles]), (0, 0, 0.0, 0.0))


def completed(
    points: NDArray[np.float64],
    triangles: NDArray[np.int64],
    ring: NDArray[np.int64],
    edges: NDArray[np.int64],
    solid: NDArray[np.bool_],
    tree: Tree | None,
    grid: tuple[int, int, float, float],
) -> Surface:
    """The surface of triangles whose rings of edges are known. edges: how many are in the ring of each"""
    size = float(np.ptp(points, axis=0).max())
    a, b, c = (points[triangles[:, k]] for k in range(3))
    area = np.cross(b - a, c - a)
    normal = area / np.linalg.norm(area, axis=1)[:, None]
    here, there = np.arange(len(ring)) // 3, ring // 3
    # how far the far corner beyond each edge is above the plane of its triangle
    far = triangles[there, (ring % 3 + 2) % 3]
    above = np.einsum("ij,ij->i", normal[here], points[far] - a[here])
    sine = np.linalg.norm(np.cross(normal[here], normal[there]), axis=1)
    two = (edges == 2) & (np.einsum("ij,ij->i", normal[here], normal[there]) > 0.0)
    flat = two & (np.abs(above) <= COPLANAR * size) & (sine <= STRAIGHT)
    plane = parts_of(ring, flat & flat[ring])
    flat = (edges == 2) & (plane[here] == plane[there])
    total = np.column_stack([np.bincount(plane, area[:, k]) for k in range(3)])
    normal = (total / np.linalg.norm(total, axis=1)[:, None])[plane]
    hollow = (edges == 2) & (above >= 0.0) & solid[here]
    edge = straight_edges(points, triangles, ring, edges, plane, ~flat & ~hollow)
    first, others = corners_of(points, triangles, edge)
    both = np.where(solid, 0, 1).astype(np.int64)
    return Surface(points, triangles, normal, plane, both, ring, edge, first, others, tree, grid)


def welded(
    points: NDArray[np.float64], triangles: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Vertices at one place made one, and triangles without area left out. Raises ValueError if all are."""
    size = float(np.ptp(points[triangles.ravel()], axis=0).max())
    if not size > 0.0:
        raise ValueError("no triangle has an area")
    _, first, inverse = np.unique(
        np.round(points / (COPLANAR * size)), axis=0, return_index=True, return_inverse=True
    )
    triangles = inverse.reshape(-1)[triangles]
    points = points[first]
    corners = points[triangles]
    sides = corners - np.roll(corners, 1, axis=1)
    height = np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1)
    longest = np.linalg.norm(sides, axis=2).max(axis=1)
    triangles = triangles[height > FLAT * size * longest]
    if not len(triangles):
        raise ValueError("no triangle has an area")
    used, numbers = np.unique(triangles, return_inverse=True)
    return points[used], numbers.reshape(-1, 3)


def rings(triangles: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """`Triangles.across`, and the number of edges in the ring of each edge."""
    ends = np.sort(np.column_stack([triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()]), axis=1)
    key = ends[:, 0] * (triangles.max() + 1) + ends[:, 1]
    order = np.argsort(key, kind="stable")
    _, start, count = np.unique(key[order], return_index=True, return_counts=True)
    after = np.arange(len(order)) + 1
    after[start + count - 1] = start
    ring, number = np.empty_like(order), np.empty_like(order)
    ring[order], number[order] = order[after], np.repeat(count, count)
    return ring, number


def parts_of(ring: NDArray[np.int64], joined: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The part of each triangle, where `joined` edges connect triangles."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n, here = len(ring) // 3, np.flatnonzero(joined)
    links = coo_array((np.ones(len(here), np.int8), (here // 3, ring[here] // 3)), shape=(n, n))
    return connected_components(links, directed=False)[1].astype(np.int64)


def one_way(
    triangles: NDArray[np.int64], ring: NDArray[np.int64], edges: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Triangles of sheets turned over so that neighbours agree, as far as they can."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import breadth_first_order

    n, here = len(triangles), np.flatnonzero(edges == 2)
    links = coo_array((np.ones(len(here)), (here // 3, ring[here] // 3)), shape=(n, n)).tocsr()
    differ = {
        (int(h) // 3, int(ring[h]) // 3): bool(triangles.ravel()[h] == triangles.ravel()[ring[h]])
        for h in here
    }
    turned, seen = np.zeros(n, bool), np.zeros(n, bool)
    for start in range(n):
        if seen[start]:
            continue
        order, before = breadth_first_order(links, start, directed=False)
        seen[order] = True
        for t in order[1:].tolist():
            turned[t] = turned[before[t]] ^ differ[int(before[t]), t]
    triangles = triangles.copy()
    triangles[turned] = triangles[turned][:, ::-1]
    return triangles


def straight_edges(
    points: NDArray[np.float64],
    triangles: NDArray[np.int64],
    ring: NDArray[np.int64],
    edges: NDArray[np.int64],
    plane: NDArray[np.int64],
    sharp: NDArray[np.bool_],
) -> NDArray[np.int64]:
    """`Triangles.edge`: sharp edges that meet at a vertex, on one line and between the same planes, share a
    number.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    found = np.full(len(ring), SMOOTH)
    here = np.flatnonzero(sharp)
    if not len(here):
        return found
    start = triangles.ravel()[here]
    end = np.roll(triangles, -1, axis=1).ravel()[here]
    sides = np.sort(np.column_stack([plane[here // 3], plane[ring[here] // 3]]), axis=1)
    along = points[end] - points[start]
    along /= np.linalg.norm(along, axis=1)[:, None]
    # one entry for each end of each edge, those at one vertex between the same planes together
    at = np.concatenate([start, end])
    which = np.tile(np.arange(len(here)), 2)
    both = np.tile(sides, (2, 1))
    order = np.lexsort((both[:, 1], both[:, 0], at))
    i, j = which[order[:-1]], which[order[1:]]
    same = (at[order[:-1]] == at[order[1:]]) & (both[order[:-1]] == both[order[1:]]).all(axis=1)
    same &= np.linalg.norm(np.cross(along[i], along[j]), axis=1) <= STRAIGHT
    # and the edges of one ring
    place = np.full(len(ring), -1)
    place[here] = np.arange(len(here))
    k = np.flatnonzero(place[ring[here]] >= 0)
    rows, columns = np.concatenate([i[same], k]), np.concatenate([j[same], place[ring[here]][k]])
    links = coo_array((np.ones(len(rows), np.int8), (rows, columns)), shape=(len(here), len(here)))
    found[here] = connected_components(links, directed=False)[1]
    return found


def corners_of(
    points: NDArray[np.float64], triangles: NDArray[np.int64], edge: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """`Triangles.corner_first` and `corner_list`: of vertices where more than one straight edge is."""
    start, end = triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()
    ends = np.concatenate([np.column_stack([start, end]), np.column_stack([end, start])])
    of_edge = np.tile(edge, 2)
    sharp = of_edge != SMOOTH
    at = np.unique(np.column_stack([ends[sharp, 0], of_edge[sharp]]), axis=0)[:, 0]
    is_corner = np.bincount(at, minlength=len(points)) > 1
    pairs = np.unique(ends[is_corner[ends[:, 0]]], axis=0)
    counts = np.bincount(pairs[:, 0], minlength=len(points))
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), pairs[:, 1].astype(np.int64)
