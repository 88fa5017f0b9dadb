"""Quantities of bodies with nodes, by name.

body.block.node[12].displacement    of a node: position, displacement, velocity, stress, von_mises
body.block.tip.displacement         of a marker, which moves with its nodes: position, displacement, velocity

A marker stands at the mean of its nodes and turns with the rotation R that fits them best, A = Σ y Xᵀ = R U
with X from the mean at rest; ω of it by Y ω = ax(Rᵀ Ȧ), Y = tr(U) 1 − U.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from mbplugin.decoder.nodal import NodalMesh, nodal_meshes, von_mises
from mbplugin.results.layout import COMPONENTS, Array
from mbplugin.results.read import RawResult

#: quantities of a node -> unit; those of a marker
NODE = {"position": "m", "displacement": "m", "velocity": "m/s", "stress": "Pa", "von_mises": "Pa"}
MARKER = ("position", "displacement", "velocity")
#: the names of quantities of nodes
NAME = re.compile(r"(?:body\.)?(?P<body>.+)\.node\[(?P<node>\d+)\]\.(?P<quantity>\w+)")
#: nodes that are needed for a rotation
TURNING = 3


class Computed(NamedTuple):
    """A quantity that is no array of the result."""

    name: str  # in full, without the component
    unit: str
    components: tuple[str, ...]  # names of the columns of `values`; none of scalars
    values: Callable[[], Array]  # (frames,), or (frames, components), along world axes
    remark: str = ""


def at_node(raw: RawResult, what: str) -> Computed | None:
    """The quantity of a name such as "block.node[12].displacement"; None if the name is of another kind."""
    match = NAME.fullmatch(what)
    if match is None or match["body"] not in raw.names("nodes") or match["quantity"] not in NODE:
        return None
    mesh, quantity = mesh_of(raw, match["body"]), match["quantity"]
    node = int(match["node"])
    of_stress = quantity in ("stress", "von_mises")
    if node >= len(mesh.rest) or (of_stress and not mesh.has_stress(raw)):
        return None
    letters: tuple[str, ...] = COMPONENTS["xyz"]
    if of_stress:
        letters = COMPONENTS["tensor"] if quantity == "stress" else ()
    values = functools.partial(values_at_node, raw, mesh, node, quantity)
    return Computed(f"body.{mesh.name}.node[{node}].{quantity}", NODE[quantity], letters, values)


def names_at_nodes(raw: RawResult) -> list[str]:
    """The quantities of the first node of each body, for lists of names."""
    found = []
    for name in raw.names("nodes"):
        mesh = mesh_of(raw, name)
        found += [
            f"body.{name}.node[0].{quantity}"
            for quantity in NODE
            if quantity not in ("stress", "von_mises") or mesh.has_stress(raw)
        ]
    return found


def mesh_of(raw: RawResult, body: str) -> NodalMesh:
    """The nodes of a body."""
    return next(mesh for mesh in nodal_meshes(raw.static()) if mesh.name == body)


def values_at_node(raw: RawResult, mesh: NodalMesh, node: int, quantity: str) -> Array:
    """(frames,) or (frames, components) of a node."""
    if quantity in ("stress", "von_mises"):
        stress = mesh.at_nodes(raw["nodes/stress"][:, mesh.points])[:, node]
        return stress if quantity == "stress" else von_mises(stress)
    return moved(raw, mesh, np.array([node]), quantity)[:, 0]


def moved(raw: RawResult, mesh: NodalMesh, nodes: Array, quantity: str) -> Array:
    """(frames, nodes, 3) of some nodes."""
    key = "velocity" if quantity == "velocity" else "displacement"
    values = raw[f"nodes/{key}"][:, mesh.nodes][:, nodes]
    return np.asarray(values + mesh.rest[nodes] if quantity == "position" else values)


def at_markers(
    raw: RawResult, bodies: Sequence[Mapping[str, Any]], axes: Callable[[Mapping[str, Any]], Array]
) -> Iterator[tuple[str, str, Callable[[], Array]]]:
    """Name, unit and values of the quantities of markers.

    bodies: tables of the scene
    axes:   of such a body, position (3,) [m] and rotation matrix (3, 3) at t = 0, as the rows of one array
    """
    for body in bodies:
        if body.get("name") not in raw.names("nodes"):
            continue
        mesh = mesh_of(raw, str(body["name"]))
        markers = body.get("marker")
        for marker in markers if isinstance(markers, list) else ():
            nodes = nodes_of(mesh, marker.get("nodes"))
            if nodes is None or "name" not in marker:
                continue
            given = marker.get("position")
            for quantity in MARKER:
                values = functools.partial(
                    values_at_marker, raw, mesh, nodes, quantity, given, functools.partial(axes, body)
                )
                yield f"body.{mesh.name}.{marker['name']}.{quantity}", NODE[quantity], values


def nodes_of(mesh: NodalMesh, given: Any) -> Array | None:
    """Numbers of the nodes of a marker; None if the mesh does not have them."""
    if isinstance(given, int):
        return np.array([given]) if 0 <= given < len(mesh.rest) else None
    return mesh.sets.get(str(given))


def values_at_marker(
    raw: RawResult, mesh: NodalMesh, nodes: Array, quantity: str, given: Any, axes: Callable[[], Array]
) -> Array:
    """(frames, 3) of a marker.

    given: its position in the body frame at t = 0 [m]; None: it is at the mean of its nodes
    """
    mean = moved(raw, mesh, nodes, quantity).mean(axis=1)
    if given is None or len(nodes) < TURNING:
        return np.asarray(mean)
    origin, *R0 = axes()
    X = mesh.rest[nodes] - mesh.rest[nodes].mean(axis=0)
    arm = origin + np.array(R0) @ np.asarray(given, float) - mesh.rest[nodes].mean(axis=0)
    y = moved(raw, mesh, nodes, "position")
    U, S, V = np.linalg.svd(np.einsum("tni,nj->tij", y - y.mean(axis=1, keepdims=True), X))
    sign = np.linalg.det(U @ V)
    U[:, :, 2] *= sign[:, None]
    S[:, 2] *= sign
    R = U @ V
    if quantity == "position":
        return np.asarray(mean + R @ arm)
    if quantity == "displacement":
        return np.asarray(mean + R @ arm - arm)
    stretch = np.swapaxes(V, 1, 2) * S[:, None, :] @ V
    L = np.swapaxes(R, 1, 2) @ np.einsum("tni,nj->tij", moved(raw, mesh, nodes, "velocity"), X)
    Y = np.trace(stretch, axis1=1, axis2=2)[:, None, None] * np.eye(3) - stretch
    spin = np.linalg.solve(
        Y,
        np.stack([L[:, 2, 1] - L[:, 1, 2], L[:, 0, 2] - L[:, 2, 0], L[:, 1, 0] - L[:, 0, 1]], -1)[..., None],
    )
    return np.asarray(mean + np.cross((R @ spin)[..., 0], R @ arm))
