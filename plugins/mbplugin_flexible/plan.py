"""The constants of a finite-element body, as `layout.py` says."""

from __future__ import annotations

import numpy as np

from mbplugin.interface import Array
from mbplugin_flexible.content import FlexibleContent
from mbplugin_flexible.layout import (
    AXES,
    CENTRE,
    CONNECTIVITY,
    DOF,
    ELEMENTS,
    GROUP_LIST,
    GROUPS,
    HEADER,
    MASS,
    MASS_DAMPING,
    NODE_OF_PART,
    NODE_PARTS,
    NODES,
    NUMBERS,
    ORIGIN,
    REST,
    STIFFNESS_DAMPING,
    TOTAL_MASS,
)


def numbers_of(content: FlexibleContent, position: Array, axes: Array) -> Array:
    """(n,) constants of a body whose frame has this position [m] and axes (3, 3) at t = 0."""
    mesh, layout = content.mesh, content.layout
    head = np.zeros(HEADER)
    head[NODES], head[NODE_PARTS], head[GROUPS] = (
        len(mesh.points),
        len(layout.node_of_part),
        len(layout.groups),
    )
    head[ELEMENTS], head[TOTAL_MASS] = len(mesh.elements), content.mass.sum()
    head[MASS_DAMPING], head[STIFFNESS_DAMPING] = content.damping
    head[ORIGIN : ORIGIN + 3], head[AXES : AXES + 9] = position, axes.ravel()
    head[CENTRE : CENTRE + 3] = content.mass @ mesh.points / content.mass.sum()
    lists = {
        REST: mesh.points.ravel(),
        DOF: (layout.dof - np.maximum(layout.group_of_node, 0)[:, None]).ravel(),
        MASS: content.mass,
        NODE_OF_PART: layout.node_of_part,
        GROUP_LIST: np.zeros(0),
        CONNECTIVITY: mesh.elements.ravel(),
        NUMBERS: content.numbers,
    }
    first = HEADER
    for place, numbers in lists.items():
        if place == GROUP_LIST:
            lists[place] = numbers = group_numbers(content, first)
        head[place] = first
        first += len(numbers)
    return np.concatenate([head, *lists.values()]).astype(float)


def group_numbers(content: FlexibleContent, first: int) -> Array:
    """The records of the groups, then those of their nodes; first: their place in the constants."""
    groups, points = content.layout.groups, content.mesh.points
    records, nodes = [], []
    place = first + 8 * len(groups)
    for group in groups:
        records.append([group.first_q, group.first_v, len(group.nodes), group.mass, *group.moments, place])
        arms = (points[group.nodes] - group.centre) @ group.axes
        nodes.append(np.column_stack([group.nodes, arms]))
        place += 4 * len(group.nodes)
    return np.concatenate([np.ravel(records), *(one.ravel() for one in nodes)]) if groups else np.zeros(0)
