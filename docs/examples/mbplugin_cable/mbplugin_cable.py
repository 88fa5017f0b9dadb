"""A body kind whose body is a row of nodes: a cable that resists stretch only.

    q = positions of the nodes (3 each), v = q̇        m_i ẍ_i = f_i + T_i+1 − T_i
    T = (E A ε + c ε̇) along the segment, 0 where that would push         ε = (l − l₀) / l₀

Each node is a part of the body: a joint, force or contact at a node costs three velocities, however long the
cable is. A point record is [1, node, world axes]; that of the mass centre [n, 0, 1, …, n − 1, weights, axes].
"""

from __future__ import annotations

from itertools import product
from math import sqrt
from typing import Any

import numpy as np

from mbplugin.errors import SceneError, suggestion
from mbplugin.interface import (
    Array,
    BodyContent,
    BodyKeys,
    BodyKind,
    BodyPlan,
    MassProperties,
    NodeCells,
    NodeMesh,
    NonNegative,
    Parameters,
    Positive,
    SurfaceNodes,
    hookimpl,
)


class CableParameters(Parameters):
    length: Positive
    """Length without load [m]; at t = 0 it lies along x of the body frame, from its origin."""
    segments: int = 10
    """Number of segments between nodes."""
    line_density: Positive
    """Mass per length [kg/m]."""
    stiffness: Positive
    """E A, force per strain [N]."""
    damping: NonNegative = 0.0
    """Force per rate of strain [N·s]."""
    radius: NonNegative = 0.0
    """Radius about the nodes with which they touch other bodies, if `collide = true` [m]."""


class Cable(BodyKind):
    name = "cable"
    nq, nv, scratch, record = None, None, 0, 11
    parts = True
    parameters = CableParameters
    examples = ({"length": 1.0, "segments": 4, "line_density": 2.0, "stiffness": 50.0, "damping": 0.5},)

    @staticmethod
    def content(params: CableParameters, keys: BodyKeys) -> BodyContent:
        """Mass properties of the nodes, and where the markers stand. Raises SceneError."""
        if params.segments < 1:
            raise SceneError("segments", params.segments, "must be 1 or more")
        x, m = nodes_of(params)
        sets = {"start": 0, "end": params.segments}
        places, node = {}, {}
        for one in keys.markers:
            number = sets.get(str(one.nodes), one.nodes)
            if not isinstance(number, int) or not 0 <= number <= params.segments:
                mend = f'must be "start", "end" or a node from 0 to {params.segments}'
                raise SceneError(f"{one.key}.nodes", one.nodes, mend + suggestion(str(one.nodes), sets))
            node[one.name] = number
            places[one.name] = (x[number], one.axes)
        centre = m @ x / m.sum()
        arms = x - centre
        inertia = np.einsum("n,nij->ij", m, [a @ a * np.eye(3) - np.outer(a, a) for a in arms])
        records = [np.array([1.0, k, *np.eye(3).ravel()]) for k in range(len(x))]
        touching = SurfaceNodes(x, records, params.radius, params.length / params.segments)
        mass = MassProperties(float(m.sum()), centre, inertia)
        lines = NodeCells(3, np.column_stack([np.arange(params.segments), np.arange(1, len(x))]))
        ends = {"start": np.array([0]), "end": np.array([params.segments])}
        segment = params.length / params.segments
        return BodyContent(
            mass,
            places,
            (x, m, node),
            surface=touching,
            nodes=NodeMesh(x, (lines,), sets=ends),
            # ω² ≤ 4 k / m of springs k between masses m in a row
            frequency=2.0 / segment * sqrt(params.stiffness / params.line_density),
            damping=params.damping / params.stiffness,
        )

    @staticmethod
    def plan(params: CableParameters, mass: Any, plane: Array, content: Any, axes: Array) -> BodyPlan:
        x, m, _ = content
        n = len(x)
        numbers = [n, params.length / params.segments, params.stiffness, params.damping]
        return BodyPlan(
            mass=np.repeat(m, 3),
            parameters=np.array([*numbers, *(m / m.sum())]),
            origin=np.asarray(mass.center_of_mass),
            nq=3 * n,
            nv=3 * n,
            parts=(3,) * n,
            data=(*content, axes),
        )

    @staticmethod
    def coordinates(position, R, velocity, w, plan, plane) -> tuple[Array, Array]:
        arms = plan.data[0] @ R.T
        return (position + arms).ravel(), (velocity + np.cross(w, arms)).ravel()

    @staticmethod
    def point(position: Array, axes: Array, plan: BodyPlan, marker: str) -> Array:
        x, _, node, at_start = plan.data
        number = node.get(marker)
        if number is None:
            distance = np.linalg.norm(x - position, axis=1)
            number = int(distance.argmin())
            if distance[number] > 1e-9 * (1.0 + np.abs(x).max()):
                raise SceneError(mend=f"the nearest node, {number}, is {distance[number]:.3g} m away")
        return np.concatenate([[1.0, number], (at_start @ axes).ravel()])

    @staticmethod
    def centre(plan: BodyPlan) -> Array:
        n = len(plan.data[0])
        return np.concatenate([[float(n)], np.arange(n), plan.parameters[4:], plan.data[3].ravel()])

    @staticmethod
    def turns(record: Array) -> bool:
        """Nodes have no axes of their own."""
        return False

    @staticmethod
    def locate(q, v, r):
        n = int(r[0])
        x = u = (0.0, 0.0, 0.0)
        for k in range(n):
            node, weight = 3 * int(r[1 + k]), r[1 + n + k] if n > 1 else 1.0
            x = (x[0] + weight * q[node], x[1] + weight * q[node + 1], x[2] + weight * q[node + 2])
            u = (u[0] + weight * v[node], u[1] + weight * v[node + 1], u[2] + weight * v[node + 2])
        o = 1 + n if n == 1 else 1 + 2 * n
        still = (0.0, 0.0, 0.0)
        axes = (r[o], r[o + 1], r[o + 2], r[o + 3], r[o + 4], r[o + 5], r[o + 6], r[o + 7], r[o + 8])
        return x, axes, u, still, still, still

    @staticmethod
    def nodes(q, v, x, u):
        for k in range(len(q)):
            x[k], u[k] = q[k], v[k]

    @staticmethod
    def point_at(part_number, R, r):
        r[0], r[1] = 1.0, part_number
        for k in range(9):
            r[2 + k] = R[k]

    @staticmethod
    def to_generalized_force(r, force, out):
        n = int(r[0])
        for k in range(n):
            weight = r[1 + n + k] if n > 1 else 1.0
            for i in range(3):
                out[3 * k + i] = weight * force[i]

    @staticmethod
    def rate(v, q_dot):
        for k in range(len(q_dot)):
            q_dot[k] = v[k]

    @staticmethod
    def retract(q, dq):
        for k in range(len(q)):
            q[k] += dq[k]

    @staticmethod
    def internal(q, v, p, h, power):
        lost = 0.0
        for k in range(int(p[0]) - 1):
            a, b = 3 * k, 3 * k + 3
            d = (q[b] - q[a], q[b + 1] - q[a + 1], q[b + 2] - q[a + 2])
            l = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
            speed = (d[0] * (v[b] - v[a]) + d[1] * (v[b + 1] - v[a + 1]) + d[2] * (v[b + 2] - v[a + 2])) / l
            elastic = p[2] * max((l - p[1]) / p[1], 0.0)
            tension = max(elastic + p[3] * speed / p[1], 0.0) if elastic > 0.0 else 0.0
            lost += (tension - elastic) * speed
            for i in range(3):
                h[a + i] += tension * d[i] / l
                h[b + i] -= tension * d[i] / l
        power[0] = -lost

    @staticmethod
    def coupled(plan: BodyPlan) -> Array:
        """The four blocks of the nodes of each segment."""
        return np.array(
            [pair for k in range(len(plan.data[0]) - 1) for pair in product((k, k + 1), repeat=2)]
        )

    @staticmethod
    def shifted(record: Array) -> bool:
        """A force on a node is its generalized force."""
        return True

    @staticmethod
    def tangent(q, p, K, D):
        """∂T/∂l u uᵀ + T / l (1 − u uᵀ) and c / l₀ u uᵀ, with u along the segment."""
        for k in range(int(p[0]) - 1):
            a, b = 3 * k, 3 * k + 3
            d = (q[b] - q[a], q[b + 1] - q[a + 1], q[b + 2] - q[a + 2])
            l = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
            strain = (l - p[1]) / p[1]
            if strain <= 0.0:
                continue
            for i in range(3):
                for j in range(3):
                    along, same = d[i] * d[j] / (l * l), 1.0 if i == j else 0.0
                    stiffness = p[2] / p[1] * along + p[2] * strain / l * (same - along)
                    damping = p[3] / p[1] * along
                    for block in range(4):
                        sign = 1.0 if block == 0 or block == 3 else -1.0
                        K[36 * k + 9 * block + 3 * i + j] = sign * stiffness
                        D[36 * k + 9 * block + 3 * i + j] = sign * damping

    @staticmethod
    def elastic(q, p, energy):
        total = 0.0
        for k in range(int(p[0]) - 1):
            a, b = 3 * k, 3 * k + 3
            l = sqrt((q[b] - q[a]) ** 2 + (q[b + 1] - q[a + 1]) ** 2 + (q[b + 2] - q[a + 2]) ** 2)
            strain = max((l - p[1]) / p[1], 0.0)
            total += 0.5 * p[2] * p[1] * strain * strain
        energy[0] = total


def nodes_of(params: CableParameters) -> tuple[Array, Array]:
    """(n, 3) positions of the nodes in the body frame [m], and (n,) their masses [kg]."""
    n = params.segments + 1
    x = np.zeros((n, 3))
    x[:, 0] = np.linspace(0.0, params.length, n)
    m = np.full(n, params.line_density * params.length / params.segments)
    m[[0, -1]] *= 0.5
    return x, m


@hookimpl
def mbplugin_body_kinds(register):
    register(Cable)
