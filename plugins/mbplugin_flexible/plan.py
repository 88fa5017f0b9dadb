"""The constants of a finite-element body, as `layout.py` says."""

from __future__ import annotations

from itertools import accumulate

import numpy as np

from mbplugin.interface import Array
from mbplugin_flexible.content import FlexibleContent
from mbplugin_flexible.layout import ARMS, GROUP, INTS_HEADER, P_HEADER


def constants_of(content: FlexibleContent, position: Array, axes: Array) -> tuple[Array, Array]:
    """Numbers and integers of a body whose frame has this position [m] and axes (3, 3) at t = 0."""
    mesh, layout, groups, total = content.mesh, content.layout, content.layout.groups, content.mass.sum()
    centre = content.mass @ mesh.points / total
    head = np.array([*content.damping, total, *position, *axes.ravel(), *centre])
    arms = [(mesh.points[group.nodes] - group.centre) @ group.axes for group in groups]
    of_groups = [np.array([one.mass, *one.moments, *arm.ravel()]) for one, arm in zip(groups, arms)]
    numbers = (mesh.points.ravel(), content.mass, np.concatenate([*of_groups, np.zeros(0)]), content.numbers)
    first_number = first_places(P_HEADER, numbers)
    dof = layout.dof - np.maximum(layout.group_of_node, 0)[:, None]
    members = np.concatenate([*(group.nodes for group in groups), np.zeros(0, int)])
    records = np.zeros((len(groups), GROUP), int)
    touching = mesh.touching_faces()
    behind = (mesh.elements, content.integers, [touching.shape[1], *touching.ravel()])
    integers = (dof, layout.node_of_part, [*records.ravel(), *members], *behind)
    first_integer = first_places(INTS_HEADER, integers)
    at_node, at_number = first_integer[2] + records.size, first_number[2]
    for record, group in zip(records, groups):
        count = len(group.nodes)
        record[:] = group.first_q, group.first_v, count, at_node, at_number
        at_node, at_number = at_node + count, at_number + ARMS + 3 * count
    counts = (len(mesh.points), len(layout.node_of_part), len(groups), len(mesh.elements))
    lists = (dof, layout.node_of_part, records, members, *behind)
    whole = [*counts, *first_number, *first_integer, *(n for one in lists for n in np.ravel(one))]
    return np.concatenate([head, *numbers]), np.array(whole, np.int64)


def first_places(header: int, lists: tuple[Array | list[int], ...]) -> list[int]:
    """The first place of each list behind a header."""
    return list(accumulate((np.size(one) for one in lists[:-1]), initial=header))
