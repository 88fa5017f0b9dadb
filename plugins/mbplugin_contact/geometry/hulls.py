"""Convex polyhedra from their points: vertices, faces and edges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbplugin.stepping.arrays import records
from mbplugin_contact.geometry.tables import (
    MAX_CORNERS,
    MAX_FACES,
    MAX_VERTICES,
    WORK_INTS,
    WORK_ROWS,
    HullRecord,
    Hulls,
)

#: triangles are one face if their corners lie in one plane to this part of the size
COPLANAR = 1e-9
#: least thickness, as a part of the size
THIN = 1e-6


class Polyhedron(NamedTuple):
    """Convex polyhedron."""

    vertices: NDArray[np.float64]  # (nv, 3) [m]
    faces: list[list[int]]  # corners, counter-clockwise seen from outside
    normals: NDArray[np.float64]  # (nf, 3) outward
    edges: NDArray[np.int64]  # (ne, 4): v0, v1, and the faces f0 (from v0 to v1) and f1
    neighbours: list[list[int]]  # of each vertex, also across the diagonals of faces
    triangles: NDArray[np.int64]  # (nt, 3)


def polyhedron(points: Any) -> Polyhedron:
    """The convex hull of (n, 3) points [m]. Raises ValueError if it has no volume or too many faces."""
    from scipy.spatial import ConvexHull, QhullError

    cloud = np.asarray(points, float)
    if cloud.ndim != 2 or cloud.shape[1:] != (3,) or not np.isfinite(cloud).all():
        raise ValueError("points must be finite triples of numbers")
    if len(cloud) < 4:
        raise ValueError(
            f"a convex polyhedron needs at least 4 points that are not in one plane, not {len(cloud)}"
        )
    refuse_flat(cloud)
    for _ in range(10):
        try:
            triangles = oriented(cloud, ConvexHull(cloud))
        except QhullError as error:
            raise ValueError(f"the points have no convex hull: {str(error).splitlines()[0]}") from None
        used, numbers = np.unique(triangles, return_inverse=True)
        vertices, triangles = cloud[used], numbers.reshape(-1, 3)
        faces = merged_faces(vertices, triangles)
        corners = np.bincount([v for face in faces for v in face], minlength=len(vertices))
        if (corners >= 3).all():
            break
        # in a face or on an edge
        cloud = vertices[corners >= 3]
    for name, number, limit in (
        ("vertices", len(vertices), MAX_VERTICES),
        ("faces", len(faces), MAX_FACES),
        ("corners of one face", max(map(len, faces)), MAX_CORNERS),
    ):
        if number > limit:
            raise ValueError(
                f"a convex polyhedron has at most {limit} {name}, not {number}; leave out points"
            )
    normals = np.array([normal_of(vertices[face]) for face in faces])
    neighbours: list[set[int]] = [set() for _ in vertices]
    for i, j, k in triangles.tolist():
        neighbours[i] |= {j, k}
        neighbours[j] |= {i, k}
        neighbours[k] |= {i, j}
    return Polyhedron(
        vertices, faces, normals, edges_of(faces), [sorted(others) for others in neighbours], triangles
    )


def refuse_flat(cloud: NDArray[np.float64]) -> None:
    """Raises ValueError if the points are in one plane, or nearly."""
    centred = cloud - cloud.mean(axis=0)
    along = centred @ np.linalg.svd(centred, full_matrices=False)[2].T
    extents = np.ptp(along, axis=0)
    if not extents[-1] > THIN * extents[0]:
        raise ValueError(
            f"the points lie in one plane within {extents[-1]:.3g} m, so they have no volume; "
            "add points on both sides of it"
        )


def oriented(cloud: NDArray[np.float64], hull: Any) -> NDArray[np.int64]:
    """Triangles of qhull, counter-clockwise seen from outside."""
    triangles = hull.simplices.astype(np.int64)
    a, b, c = (cloud[triangles[:, k]] for k in range(3))
    backwards = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) < 0.0
    triangles[backwards] = triangles[backwards][:, ::-1]
    return triangles


def merged_faces(vertices: NDArray[np.float64], triangles: NDArray[np.int64]) -> list[list[int]]:
    """Faces of triangles that lie in one plane: their corners in order."""
    size = float(np.ptp(vertices, axis=0).max())
    opposite = {}
    for t, (i, j, k) in enumerate(triangles.tolist()):
        opposite[i, j], opposite[j, k], opposite[k, i] = (t, k), (t, i), (t, j)
    normals = np.array([normal_of(vertices[t]) for t in triangles])
    face_of = np.full(len(triangles), -1)
    faces: list[list[int]] = []
    # from the largest triangle of each plane, whose normal is the most accurate
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    largest_first = np.argsort(-np.linalg.norm(np.cross(b - a, c - a), axis=1), kind="stable")
    for seed in largest_first.tolist():
        if face_of[seed] >= 0:
            continue
        face_of[seed] = len(faces)
        heap, members = [seed], [seed]
        while heap:
            i, j, k = triangles[heap.pop()].tolist()
            for edge in ((j, i), (k, j), (i, k)):
                t, far = opposite[edge]
                height = normals[seed] @ (vertices[far] - vertices[triangles[seed, 0]])
                if face_of[t] < 0 and abs(height) <= COPLANAR * size:
                    face_of[t] = len(faces)
                    heap.append(t)
                    members.append(t)
        after = {}
        for t in members:
            i, j, k = triangles[t].tolist()
            for start, end in ((i, j), (j, k), (k, i)):
                if face_of[opposite[end, start][0]] != len(faces):
                    after[start] = end
        loop = [min(after)]
        while after[loop[-1]] != loop[0]:
            loop.append(after[loop[-1]])
        faces.append(loop)
    return faces


def normal_of(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """Unit normal of a polygon (M. E. Newell)."""
    arms = corners - corners[0]
    n = np.cross(arms, np.roll(arms, -1, axis=0)).sum(axis=0)
    return np.asarray(n / np.linalg.norm(n))


def edges_of(faces: list[list[int]]) -> NDArray[np.int64]:
    side = {}
    for f, face in enumerate(faces):
        for i, j in zip(face, face[1:] + face[:1]):
            side[i, j] = f
    return np.array([(i, j, f, side[j, i]) for (i, j), f in side.items() if i < j], np.int64)


def cube() -> Polyhedron:
    """The cube of edge 1 about the origin: vertex k has the signs of the bits of k."""
    return polyhedron(corners_of_box((1.0, 1.0, 1.0)))


def corners_of_box(size: Any) -> NDArray[np.float64]:
    """(8, 3) corners of a box with these edges, about the origin: corner k has the signs of the bits of k."""
    signs = [[0.5 if k & 1 << c else -0.5 for c in range(3)] for k in range(8)]
    return np.array(signs) * np.asarray(size, float)


def segment() -> Polyhedron:
    """A segment of length 1 along z, which has vertices only."""
    ends = np.array([[0.0, 0.0, -0.5], [0.0, 0.0, 0.5]])
    return Polyhedron(
        ends, [], np.zeros((0, 3)), np.zeros((0, 4), np.int64), [[1], [0]], np.zeros((0, 3), np.int64)
    )


def triangle() -> Polyhedron:
    """A triangle with two faces, the first one along z; its edges are those of surfaces, and not here."""
    corners = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    normals = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]])
    faces, others = [[0, 1, 2], [0, 2, 1]], [[1, 2], [0, 2], [0, 1]]
    return Polyhedron(
        corners, faces, normals, np.zeros((0, 4), np.int64), others, np.array([[0, 1, 2], [0, 2, 1]])
    )


def hull_tables(bodies: Sequence[Polyhedron]) -> Hulls:
    """Tables of cube, segment, triangle and these polyhedra, which have the numbers from FIRST_HULL on."""
    rows, vertices, normals = [], [], []
    lists: list[int] = []
    first_vertex = first_face = 0

    def start_list(parts: list[list[int]]) -> int:
        """Store a list of lists behind where each starts and the last ends; returns its place."""
        place = len(lists)
        start = place + len(parts) + 1
        for part in parts:
            lists.append(start)
            start += len(part)
        lists.append(start)
        for part in parts:
            lists.extend(part)
        return place

    for body in [cube(), segment(), triangle(), *bodies]:
        inside = body.vertices.mean(axis=0)
        faces_at: list[list[int]] = [[] for _ in body.vertices]
        for f, face in enumerate(body.faces):
            for v in face:
                faces_at[v].append(f)
        corners, neighbours, at = map(start_list, (body.faces, body.neighbours, faces_at))
        first_edge = len(lists)
        lists.extend(body.edges.ravel().tolist())
        radius = np.linalg.norm(body.vertices - inside, axis=1).max()
        rows.append(
            HullRecord(
                first_vertex=first_vertex,
                vertices=len(body.vertices),
                first_face=first_face,
                faces=len(body.faces),
                corners=corners,
                edges=len(body.edges),
                first_edge=first_edge,
                neighbours=neighbours,
                faces_at=at,
                x=inside[0],
                y=inside[1],
                z=inside[2],
                radius=float(radius),
            )
        )
        vertices.append(body.vertices)
        normals.append(body.normals)
        first_vertex += len(body.vertices)
        first_face += len(body.faces)
    return Hulls(
        records(HullRecord, rows),
        np.concatenate(vertices),
        np.concatenate(normals),
        np.array(lists, np.int64),
        np.zeros((WORK_ROWS, 3)),
        np.zeros(WORK_INTS, np.int64),
    )
