"""Which velocities the nodes of a body have: free axes, held axes, and sets that move as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from mbplugin.errors import SceneError, listed
from mbplugin.interface import Array, MassProperties
from mbplugin_flexible.layout import GROUPED, HELD

#: second moment across a line, relative to that along it, up to which nodes are in line
IN_LINE = 1e-9


@dataclass(frozen=True, eq=False)
class Group:
    """Nodes that move as one rigid body.

    nodes: their numbers; mass: [kg]; centre: (3,) mass centre in the body frame [m]; axes: (3, 3) principal
    axes there, as columns; moments: (3,) of inertia [kg·m²]
    """

    nodes: Array
    mass: float
    centre: Array
    axes: Array
    moments: Array
    first_q: int = 0
    first_v: int = 0


@dataclass(frozen=True, eq=False)
class BodyLayout:
    """The velocities of a body.

    dof:           (n, 3) velocity of each axis of each node; HELD or GROUPED without one of its own
    node_of_part:  node of each part that is a node
    group_of_node: (n,) group of each node, −1 of none
    part_of_node:  (n,) part of each node, −1 of one that is held
    parts:         velocities of each part
    velocity_mass: (nv,) diagonal of M
    """

    dof: Array
    node_of_part: Array
    group_of_node: Array
    part_of_node: Array
    groups: Sequence[Group]
    parts: tuple[int, ...]
    velocity_mass: Array
    nq: int = field(default=0)
    nv: int = field(default=0)


def in_line(points: Array) -> bool:
    """Whether points (n, 3) are one, two or in line."""
    arms = points - points.mean(axis=0)
    second = np.linalg.eigvalsh(arms.T @ arms)
    return bool(second[1] <= IN_LINE * second[2])


def mass_properties(points: Array, mass: Array) -> MassProperties:
    """Mass properties of masses (n,) at points (n, 3)."""
    centre = mass @ points / mass.sum()
    arms = points - centre
    second = np.einsum("n,ni,nj->ij", mass, arms, arms)
    return MassProperties(float(mass.sum()), centre, np.trace(second) * np.eye(3) - second)


def group_of(nodes: Array, points: Array, mass: Array) -> Group:
    """The rigid body of some nodes, from the points (n, 3) and masses (n,) of all."""
    whole = mass_properties(points[nodes], mass[nodes])
    moments, axes = np.linalg.eigh(whole.inertia)
    if np.linalg.det(axes) < 0.0:
        axes[:, 2] *= -1.0
    return Group(nodes, whole.mass, whole.center_of_mass, axes, moments)


def body_layout(points: Array, mass: Array, held: Array, sets: dict[str, tuple[str, Array]]) -> BodyLayout:
    """The layout of nodes with held axes (n, 3). sets: of each set that moves as one, the key that asks for
    it, and its nodes. Raises SceneError.
    """
    n = len(points)
    group_of_node = np.full(n, -1)
    chosen: list[Group] = []
    for name, (key, nodes) in sets.items():
        taken = group_of_node[nodes]
        if (taken >= 0).any():
            other = list(sets)[int(taken[taken >= 0][0])]
            mend = f'shares nodes with "{other}", and nodes of both would move as one; take sets without'
            raise SceneError(key, name, f'{mend} common nodes, or coupling = "rbe3" for one')
        if held[nodes].any():
            count = int(held[nodes].any(axis=1).sum())
            mend = f"has {count} nodes that `fix` holds, so it cannot move as one; take a set without them"
            if held[nodes].all():
                mend = f'{mend}, or "ground" instead of this marker, as nothing of it moves'
            raise SceneError(key, name, mend)
        group_of_node[nodes] = len(chosen)
        chosen.append(group_of(nodes, points, mass))
    free = ~held & (group_of_node < 0)[:, None]
    dof = np.where(held, HELD, GROUPED)
    dof[free] = np.arange(free.sum())
    moving = np.flatnonzero(free.any(axis=1))
    count = int(free.sum())
    groups = [
        Group(g.nodes, g.mass, g.centre, g.axes, g.moments, count + 7 * k, count + 6 * k)
        for k, g in enumerate(chosen)
    ]
    part_of_node = np.full(n, -1)
    part_of_node[moving] = np.arange(len(moving))
    grouped = group_of_node >= 0
    part_of_node[grouped] = len(moving) + group_of_node[grouped]
    of_nodes = np.repeat(mass, 3).reshape(n, 3)[free]
    of_groups = [np.concatenate([np.full(3, g.mass), g.moments]) for g in groups]
    return BodyLayout(
        dof.astype(int),
        moving,
        group_of_node,
        part_of_node,
        groups,
        (*map(int, free[moving].sum(axis=1)), *(6 for _ in groups)),
        np.concatenate([of_nodes, *of_groups]),
        count + 7 * len(groups),
        count + 6 * len(groups),
    )


def missing(nodes: Array, points: Array) -> str:
    """Why nodes have no axes: how many there are, or that they are in line; "" if they have."""
    if len(nodes) < 3:
        return "one node has no axes" if len(nodes) == 1 else "two nodes have no axes"
    return f"{listed(map(str, nodes.tolist()), 5)} are in line" if in_line(points[nodes]) else ""
