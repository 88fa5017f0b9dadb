"""Forces of contacts on the nodes of a body, and the pressure that they are.

A force at a point of a face acts on its nodes by the weights with which the point moves: barycentric ones of
a triangle; a face of four nodes is four triangles about its middle. So these sums are those of the run, also
where many points share a load in a way that is not unique.

The pressure at a node is the normal force on it over its part of the area of the faces about it that look
along that force: the pressure, linear over a face, times the area is the force.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from .nodal import NodalMesh
from .rotation import Array

#: numbers of cells in vtkCellType.h whose faces have four nodes, and nine
HEXAHEDRON, TRIQUADRATIC = 12, 29
#: triangles whose middles are nearest to a point, among which the nearest one is
NEAREST = 24
#: cosine between the normal of a face and the force on a node, from which on the face carries it
ALONG = 0.7
#: where the list of contacts is in a frame
STEM = "lists/contacts/"
#: arrays at the nodes: components
LOADS = {"contact_force": 3, "contact_pressure": 1}


def faces_of(mesh: NodalMesh) -> Array:
    """(m, 4) nodes of the parts of its outer faces; of triangles the last one is −1."""
    triangles, kinds = mesh.triangles, {cells.vtk for cells in mesh.cells}
    if kinds == {HEXAHEDRON}:
        a, b = triangles[::2], triangles[1::2]
        return np.column_stack([a, b[:, 2]])
    if kinds == {TRIQUADRATIC}:
        rim = triangles.reshape(-1, 8, 3)
        parts = [np.column_stack([rim[:, k], rim[:, k - 1, 0]]) for k in (0, 2, 4, 6)]
        return np.stack(parts, axis=1).reshape(-1, 4)
    return np.column_stack([triangles, np.full(len(triangles), -1)])


def sub_triangles(faces: Array, points: Array) -> tuple[Array, Array, Array]:
    """Corners (t, 3, 3) of triangles, weights (t, 3, 4) of the nodes of the face there, and the face (t,)."""
    if not len(faces) or faces[0, 3] < 0:
        weights = np.zeros((len(faces), 3, 4))
        weights[:, range(3), range(3)] = 1.0
        return points[faces[:, :3]], weights, np.arange(len(faces))
    corners, middle = points[faces], points[faces].mean(axis=1)
    parts, shares = [], []
    for k in range(4):
        parts.append(np.stack([corners[:, k], corners[:, (k + 1) % 4], middle], axis=1))
        one = np.full((3, 4), 0.25)
        one[:2] = 0.0
        one[0, k] = one[1, (k + 1) % 4] = 1.0
        shares.append(np.broadcast_to(one, (len(faces), 3, 4)))
    return np.concatenate(parts), np.concatenate(shares), np.tile(np.arange(len(faces)), 4)


def barycentric(p: Array, triangles: Array) -> tuple[Array, Array]:
    """(..., 3) weights of the point of triangles (..., 3, 3) below p (..., 3), moved to their edges and
    corners, and its squared distance (...).
    """
    a = triangles[..., 0, :]
    e, g, arm = triangles[..., 1, :] - a, triangles[..., 2, :] - a, p - a
    normal = np.cross(e, g)
    area = np.maximum((normal * normal).sum(-1), 1e-300)
    v = (np.cross(arm, g) * normal).sum(-1) / area
    w = (np.cross(e, arm) * normal).sum(-1) / area
    weights = np.clip(np.stack([1.0 - v - w, v, w], axis=-1), 0.0, None)
    weights /= weights.sum(-1, keepdims=True)
    miss = p - (weights[..., None] * triangles).sum(-2)
    return weights, (miss * miss).sum(-1)


def contact_loads(
    mesh: NodalMesh, body: int, displacement: Array, contacts: Mapping[str, Array]
) -> tuple[Array, Array]:
    """Forces (n, 3) of contacts on the nodes of a body [N], world axes, and pressures (n,) [Pa].

    body: its index; displacement: (n, 3) of its nodes [m]; contacts: the list of a frame, by names
    """
    points, faces = mesh.rest + displacement, faces_of(mesh)
    force, normal_force = np.zeros((len(points), 3)), np.zeros((len(points), 3))
    of_a, of_b = contacts["body_a"] == body, contacts["body_b"] == body
    chosen = np.flatnonzero((of_a | of_b) & np.isfinite(contacts["point"]).all(axis=1))
    if not len(chosen) or not len(faces):
        return force, np.zeros(len(points))
    triangles, weights, face = sub_triangles(faces, points)
    middles, few = triangles.mean(axis=1), min(NEAREST, len(triangles))
    for c in chosen.tolist():
        sign = 1.0 if of_b[c] else -1.0
        p, f, n = contacts["point"][c], sign * contacts["force"][c], sign * contacts["normal"][c]
        near = np.argpartition(((middles - p) ** 2).sum(axis=1), few - 1)[:few]
        share, miss = barycentric(p, triangles[near])
        best = int(miss.argmin())
        t = near[best]
        of_nodes = share[best] @ weights[t]
        nodes = faces[face[t]]
        used = nodes >= 0
        np.add.at(force, nodes[used], of_nodes[used, None] * f)
        np.add.at(normal_force, nodes[used], of_nodes[used, None] * (f @ n) * n)
    return force, pressure_of(normal_force, points, faces)


def pressure_of(force: Array, points: Array, faces: Array) -> Array:
    """(n,) pressures of normal forces (n, 3) on nodes."""
    size = np.linalg.norm(force, axis=1)
    direction = force / np.maximum(size, 1e-300)[:, None]
    area = np.zeros(len(points))
    triangles, weights, face = sub_triangles(faces, points)
    normals = 0.5 * np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    whole = np.zeros((len(faces), 3))
    np.add.at(whole, face, normals)
    whole /= np.maximum(np.linalg.norm(whole, axis=1), 1e-300)[:, None]
    shares = weights.mean(axis=1) * np.linalg.norm(normals, axis=1)[:, None]
    for k in range(4):
        nodes = faces[face, k]
        carries = (nodes >= 0) & ((direction[nodes] * whole[face]).sum(axis=1) < -ALONG)
        np.add.at(area, nodes[carries], shares[carries, k])
    return np.divide(size, area, out=np.zeros(len(points)), where=area > 0.0)


def loads_in_frame(
    mesh: NodalMesh, body: int, displacement: Array, frame: Mapping[str, Array]
) -> dict[str, Array]:
    """`LOADS` of a body in a frame with a list of contacts."""
    names = ("body_a", "body_b", "point", "normal", "force")
    force, pressure = contact_loads(mesh, body, displacement, {name: frame[STEM + name] for name in names})
    return {"contact_force": force, "contact_pressure": pressure}
