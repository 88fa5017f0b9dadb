"""Nodes of bodies in the tables, which frames show."""

from __future__ import annotations

from itertools import accumulate

import numpy as np

from mbplugin.codegen.compiled import body_kernel
from mbplugin.compile.batches import Batch, runs
from mbplugin.compile.draft import DraftBody
from mbplugin.errors import PluginError
from mbplugin.interface.body import NodeMesh
from mbplugin.problem.names import Names, NodalBody
from mbplugin.tables.groups import Nodal
from mbplugin.tables.purposes import NODES
from mbplugin.tables.records import NodalRecord
from mbplugin.tables.spec import records


def nodal_body(body: DraftBody, mesh: NodeMesh, stress: bool) -> NodalBody:
    """Part of frames of a body with nodes; stress: whether they have its stress. Raises PluginError."""
    kind = body.kind
    if kind.nodes is None or (mesh.stress_points and kind.stress is None):
        missing = "nodes" if kind.nodes is None else "stress"
        raise PluginError(
            f'body kind "{kind.name}": its content has nodes that need the function `{missing}`'
        )
    rest = body.x + np.asarray(mesh.points, float) @ body.R.T
    return NodalBody(body.name, mesh, rest, mesh.stress_points if stress else 0)


def nodal_tables(bodies: list[DraftBody], names: Names, batches: list[Batch]) -> Nodal:
    """The table of nodes, in the order of the scene; the batches that write it are added."""
    of = {one.name: one for one in names.nodal}
    nodes = dict(zip(of, accumulate((3 * len(one.rest) for one in names.nodal), initial=0)))
    stresses = dict(zip(of, accumulate((6 * one.points for one in names.nodal), initial=0)))
    shown = [(k, body) for k, body in enumerate(bodies) if body.name in of]
    rows = [
        (k, nodes[body.name], len(of[body.name].rest), stresses[body.name], of[body.name].points)
        for k, body in shown
    ]
    for first, count in runs([body.kind for _, body in shown]):
        kind = shown[first][1].kind
        batches.append(Batch(body_kernel("nodes", kind.nodes, kind), first, count, NODES))
        if any(points for *_, points in rows[first : first + count]):
            batches.append(Batch(body_kernel("stress", kind.stress, kind), first, count, NODES))
    coordinates = 3 * sum(len(one.rest) for one in names.nodal)
    stress = np.zeros(6 * sum(one.points for one in names.nodal))
    return Nodal(records(NodalRecord, rows), np.zeros(coordinates), np.zeros(coordinates), stress)
