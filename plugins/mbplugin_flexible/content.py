"""Content of a finite-element body as a scene gives it: its mesh, material, supports and markers."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from mbplugin.errors import NOT_GIVEN, SceneError, errors_at
from mbplugin.interface import (
    Array,
    BodyContent,
    BodyKeys,
    Faces,
    MarkerKeys,
    NodeCells,
    NodeMesh,
    SurfaceNodes,
)
from mbplugin_flexible.body_layout import BodyLayout, body_layout, mass_properties, missing
from mbplugin_flexible.elements import Material, highest_frequency, lumped_mass, prepare_elements
from mbplugin_flexible.elements.faces import face_rule
from mbplugin_flexible.keys import FiniteElementParameters
from mbplugin_flexible.layout import MASS_CENTRE, MEAN, ON_GROUP, ONE_NODE, STILL
from mbplugin_flexible.meshes import Mesh

NODE, RBE2, RBE3 = "node", "rbe2", "rbe3"


@dataclass(frozen=True)
class Attached:
    """A marker: its nodes, its coupling, and where it is in the body frame."""

    nodes: Array
    coupling: str
    position: Array
    axes: Array


@dataclass(frozen=True)
class FlexibleContent:
    """A body before it is placed.

    mass: (n,) lumped masses [kg]; numbers, integers: of the elements; markers: by name; damping:
    mass-proportional [1/s] and stiffness-proportional [s]; frequency: bound of the highest one [rad/s]
    """

    mesh: Mesh
    material: Material
    density: float
    mass: Array
    numbers: Array
    integers: Array
    layout: BodyLayout
    markers: dict[str, Attached]
    damping: tuple[float, float]
    frequency: float


def content_of(params: FiniteElementParameters, keys: BodyKeys, kinds: dict[str, Any]) -> BodyContent:
    """The content of a body. kinds: body kind of each kind of elements. Raises SceneError."""
    with errors_at("mesh"):
        mesh, remarks = params.mesh.mesh(keys.folder)
    material, density, damping = material_of(keys, mesh)
    mass = lumped_mass(mesh.type, mesh.points, mesh.elements, density)
    held = np.zeros((len(mesh.points), 3), bool)
    for k, support in enumerate(params.fix):
        held |= support.held(mesh, f"fix[{k}]")
    markers = {one.name: attached(one, mesh, keys) for one in keys.markers}
    sets: dict[str, tuple[str, Array]] = {}
    seen: dict[bytes, str] = {}
    for one in keys.markers:
        marker = markers[one.name]
        if marker.coupling == RBE2:
            name = seen.setdefault(marker.nodes.tobytes(), str(one.nodes))
            sets.setdefault(name, (one.key.removeprefix(f"{keys.key}.") + ".nodes", marker.nodes))
    layout = body_layout(mesh.points, mass, held, sets)
    if layout.nv == 0:
        raise SceneError("fix", mend="holds all nodes, so nothing moves; leave the body out")
    constants = prepare_elements(mesh.type, mesh.points, mesh.elements, material)
    frequency = highest_frequency(mesh.type, mesh.points, mesh.elements, constants, density)
    content = FlexibleContent(mesh, material, density, mass, *constants, layout, markers, damping, frequency)
    places = {name: (marker.position, marker.axes) for name, marker in markers.items()}
    return BodyContent(
        mass=mass_properties(mesh.points, mass),
        markers=places,
        data=content,
        remarks=[f'body "{keys.name}": {remark}' for remark in remarks],
        surface=surface_nodes(content, params.contact_radius),
        nodes=node_mesh(mesh),
        kind=kinds[mesh.type],
        frequency=frequency,
        damping=damping[1],
        faces=functools.partial(faces_of, content),
    )


def node_mesh(mesh: Mesh) -> NodeMesh:
    """The mesh as results show it."""
    cells = NodeCells(mesh.kind.vtk, mesh.elements, mesh.kind.to_nodes)
    return NodeMesh(mesh.points, (cells,), mesh.triangles(), mesh.node_sets)


def material_of(keys: BodyKeys, mesh: Mesh) -> tuple[Material, float, tuple[float, float]]:
    """Elastic constants, density [kg/m³] and damping of the material that a body names. Raises SceneError."""
    material = keys.material
    if material is None:
        raise SceneError("material", NOT_GIVEN, "a body of finite elements needs a [[material]]; name one")
    for name in ("young", "poisson", "density"):
        if getattr(material, name, None) is None:
            mend = f"has no `{name}`, which finite elements need; add it to the [[material]]"
            raise SceneError("material", material.name, mend)
    laws, law = mesh.kind.laws, material.elasticity
    if law not in laws:
        mend = (
            f'has elasticity = "{law}", and {mesh.type} elements have {", ".join(laws)}; take another of both'
        )
        raise SceneError("material", material.name, mend)
    damping = (material.mass_damping, material.stiffness_damping)
    return Material(material.young, material.poisson, law), float(material.density), damping


def attached(one: MarkerKeys, mesh: Mesh, keys: BodyKeys) -> Attached:
    """A marker of the scene on its nodes. Raises SceneError."""
    key = one.key.removeprefix(f"{keys.key}.")
    if one.nodes is None:
        mend = "a marker of a mesh needs `nodes`: the name of a set, or the number of a node"
        raise SceneError(f"{key}.nodes", NOT_GIVEN, mend)
    if isinstance(one.nodes, int):
        if not 0 <= one.nodes < len(mesh.points):
            mend = f"the mesh has the nodes 0 to {len(mesh.points) - 1}"
            raise SceneError(f"{key}.nodes", one.nodes, mend)
        nodes = np.array([one.nodes])
    else:
        nodes = mesh.nodes(one.nodes, f"{key}.nodes")
    coupling = one.coupling or (NODE if len(nodes) == 1 else RBE2 if one.joined else RBE3)
    if coupling == NODE and len(nodes) > 1:
        mend = f'set "{one.nodes}" has {len(nodes)} nodes; "node" is for one, take "rbe2" or "rbe3"'
        raise SceneError(f"{key}.coupling", coupling, mend)
    if coupling != NODE and (why := missing(nodes, mesh.points)):
        mend = f"{why}: a marker with axes needs three nodes that are not in line; take another set"
        raise SceneError(f"{key}.nodes", one.nodes, mend)
    centroid = mesh.points[nodes].mean(axis=0)
    if coupling == NODE and one.position is not None:
        raise SceneError(
            f"{key}.position", one.position.tolist(), "a marker on one node is there; leave it out"
        )
    return Attached(nodes, coupling, centroid if one.position is None else one.position, one.axes)


def surface_nodes(content: FlexibleContent, radius: float) -> SurfaceNodes:
    """The nodes of the outer faces, each with the record of its point."""
    mesh = content.mesh
    numbers = np.unique(mesh.surface.faces)
    edges = mesh.edges(mesh.elements[:, : mesh.kind.corners])
    records = [node_record(content, int(node), np.eye(3)) for node in numbers]
    # balls have no faces between them
    touching = mesh.touching_faces()
    faces = np.searchsorted(numbers, touching if radius == 0.0 else touching[:0])
    return SurfaceNodes(mesh.points[numbers], records, radius, float(edges.min()), spacing_of(mesh), faces)


def spacing_of(mesh: Mesh) -> float:
    """The largest distance of two nodes beside each other on an edge of an outer face [m]."""
    n, faces = mesh.kind.face_corners, mesh.surface.faces
    return float(mesh.edges(faces[:, :n]).max()) / (1.0 if faces.shape[1] == n else 2.0)


def node_record(content: FlexibleContent, node: int, axes: Array) -> Array:
    """The record of a point that is a node, from axes in the body frame."""
    layout, x = content.layout, content.mesh.points[node]
    part, g = int(layout.part_of_node[node]), int(layout.group_of_node[node])
    if g >= 0:
        return group_record(content, g, x, axes)
    if part < 0:
        return np.concatenate([[0.0, STILL], x, axes.ravel()])
    return np.concatenate([[1.0, part, ONE_NODE, node], axes.ravel()])


def group_record(content: FlexibleContent, g: int, x: Array, axes: Array) -> Array:
    """The record of a point that moves with group g."""
    group, part = content.layout.groups[g], len(content.layout.node_of_part) + g
    place, turned = group.axes.T @ (x - group.centre), group.axes.T @ axes
    return np.concatenate([[1.0, part, ON_GROUP, g], place, turned.ravel()])


def centre_record(content: FlexibleContent) -> Array:
    """The record of the mass centre."""
    parts = len(content.layout.parts)
    return np.concatenate([[float(parts)], np.arange(parts), [MASS_CENTRE], np.eye(3).ravel()])


def faces_of(content: FlexibleContent, name: str) -> Faces:
    """The faces of a set, with the records of their nodes. Raises SceneError."""
    faces = content.mesh.faces(name)
    numbers, place = np.unique(faces, return_inverse=True)
    records = [node_record(content, int(node), np.eye(3)) for node in numbers]
    return Faces(content.mesh.points[numbers], records, place.reshape(faces.shape), face_rule(faces.shape[1]))


def point_record(position: Array, axes: Array, content: FlexibleContent, marker: str) -> Array:
    """The record of a marker at a position in the body frame [m], with these axes. Raises SceneError."""
    if marker not in content.markers:
        mend = (
            "names the body, and a joint, force or sensor acts on nodes of it; give the body a marker with "
            '`nodes`, and name it as "body.marker"'
        )
        raise SceneError(mend=mend)
    one, layout = content.markers[marker], content.layout
    if one.coupling == NODE:
        return node_record(content, int(one.nodes[0]), axes)
    g = int(layout.group_of_node[one.nodes[0]])
    if one.coupling == RBE2:
        if g >= 0:
            return group_record(content, g, position, axes)
        return np.concatenate([[0.0, STILL], position, axes.ravel()])
    return mean_record(content, one.nodes, position, axes)


def mean_record(content: FlexibleContent, nodes: Array, position: Array, axes: Array) -> Array:
    """The record of the mean of a set of nodes, all of the same weight."""
    layout, x = content.layout, content.mesh.points[nodes]
    centroid = x.mean(axis=0)
    arms = x - centroid
    second, Q = np.linalg.eigh(arms.T @ arms)
    Q = Q[:, ::-1].copy()  # the least last
    if np.linalg.det(Q) < 0.0:
        Q[:, 2] *= -1.0
    planar = second[0] <= 1e-12 * second[2]
    local = arms @ Q
    if planar:
        local[:, 2] = 0.0
    parts = [int(part) for part in dict.fromkeys(layout.part_of_node[nodes].tolist()) if part >= 0]
    first = dict(zip(parts, np.cumsum([0, *(layout.parts[part] for part in parts)])))
    rows = [
        (node, 1.0 / len(nodes), *X, first.get(int(layout.part_of_node[node]), 0), layout.group_of_node[node])
        for node, X in zip(nodes, local)
    ]
    head = [float(len(parts)), *parts, MEAN, float(planar), *(Q.T @ (position - centroid))]
    return np.concatenate([head, (Q.T @ axes).ravel(), [len(nodes)], np.ravel(rows)])
