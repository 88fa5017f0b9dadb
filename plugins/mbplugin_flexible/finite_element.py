"""A body that is a mesh of finite elements with lumped mass.

    m_i ÿ_i = f_i − ∂W/∂y_i        in the axes of the body frame at t = 0 (`layout.py`)
    mÿ = Σ f_i, J ω̇ + ω × J ω = Σ r_i × f_i of nodes that move as one

The mass matrix is a diagonal, so every explicit solver needs no factor of it. Kinds of elements differ in
`internal` and `elastic` only; each is a body kind of its own, so that only what a scene has is compiled.
"""

from __future__ import annotations

from math import nan
from typing import Any

import numpy as np

from mbplugin.interface import Array, BodyKind, BodyPlan, jit, quaternion_of
from mbplugin.math.quat import exponential, multiply, normalised
from mbplugin_flexible.content import centre_record, content_of, point_record
from mbplugin_flexible.element_tangents import hex8_tangent, hex27_tangent, tet4_tangent, tet10_tangent
from mbplugin_flexible.elements import hex8, hex27, tet4, tet10
from mbplugin_flexible.in_world import nodes_in_world, stresses_in_world
from mbplugin_flexible.keys import FiniteElementParameters
from mbplugin_flexible.layout import (
    AXES,
    CONNECTIVITY,
    ELEMENTS,
    FORCE,
    FRAME,
    FRAME_SIZE,
    GROUP_SIZE,
    MASS,
    MASS_CENTRE,
    MASS_DAMPING,
    NODES,
    NUMBERS,
    ONE_NODE,
    ORIGIN,
    STIFFNESS_DAMPING,
    STILL,
    TOUCHING,
)
from mbplugin_flexible.plan import numbers_of
from mbplugin_flexible.point_tangents import put_geometric
from mbplugin_flexible.points import force_on_parts, motion_of_point, pose_in_world, touching_record
from mbplugin_flexible.state import gather_forces, place_frame, place_nodes
from mbplugin_flexible.tangents import coupled_parts

#: of a marker of the examples
TURNED = {"axis": [1.0, 2.0, -1.0], "angle": 0.7}


class FiniteElement(BodyKind):
    """What all kinds of elements share; `content` chooses the one of the mesh."""

    name = "finite_element"
    nq, nv, scratch, record = None, None, None, None
    parts = True
    parameters = FiniteElementParameters
    material_keys = ("young", "poisson", "elasticity", "mass_damping", "stiffness_damping")
    examples = tuple(
        {
            "material": "sample",
            "mesh": {"shape": "box", "size": [4.0, 3.0, 2.5], "divisions": [2, 1, 1], "elements": elements},
            "marker": [{"name": "m", "nodes": nodes, "coupling": coupling, "orientation": TURNED}],
        }
        for elements, nodes, coupling in (
            ("hex8", "x+", "rbe2"),
            ("hex8", "x+", "rbe3"),
            ("hex8", 0, "node"),
            ("tet4", "y-", "rbe3"),
            ("tet10", "z+", "rbe2"),
            ("hex27", "x-", "rbe3"),
        )
    )
    undefined = (
        "has an element that is turned inside out: its strain is too large; make it stiffer, load it less, "
        "take smaller steps, or a finer mesh there"
    )

    @staticmethod
    def content(params: FiniteElementParameters, keys: Any) -> Any:
        return content_of(params, keys, KINDS)

    @staticmethod
    def plan(params, mass, plane, content, position, axes) -> BodyPlan:
        layout = content.layout
        return BodyPlan(
            mass=layout.velocity_mass,
            parameters=numbers_of(content, position, axes),
            origin=np.asarray(mass.center_of_mass, float),
            nq=layout.nq,
            nv=layout.nv,
            scratch=3 * FRAME * len(content.mesh.points) + FRAME_SIZE + GROUP_SIZE * len(layout.groups),
            record=TOUCHING,
            parts=layout.parts,
            data=content,
        )

    @staticmethod
    def coordinates(position, R, velocity, w, plan, plane) -> tuple[Array, Array]:
        """q and v, undeformed, from the pose and the velocities of the body frame in world axes."""
        layout, p = plan.data.layout, plan.parameters
        R_0 = p[AXES : AXES + 9].reshape(3, 3)
        # exactly 1 in the pose at t = 0
        Q = np.eye(3) if np.array_equal(R, R_0) else R_0.T @ R
        x, u, spin = (R_0.T @ one for one in (position - p[ORIGIN : ORIGIN + 3], velocity, w))
        arms = plan.data.mesh.points @ Q.T
        q, v = np.empty(layout.nq), np.empty(layout.nv)
        free = layout.dof >= 0
        q[layout.dof[free]] = (x + arms)[free]
        v[layout.dof[free]] = (u + np.cross(spin, arms))[free]
        for group in layout.groups:
            arm, axes = Q @ group.centre, Q @ group.axes
            q[group.first_q : group.first_q + 3] = x + arm
            q[group.first_q + 3 : group.first_q + 7] = quaternion_of(axes)
            v[group.first_v : group.first_v + 3] = u + np.cross(spin, arm)
            v[group.first_v + 3 : group.first_v + 6] = axes.T @ spin
        return q, v

    @staticmethod
    def point(position: Array, axes: Array, plan: BodyPlan, marker: str) -> Array:
        return point_record(position, axes, plan.data, marker)

    @staticmethod
    def centre(plan: BodyPlan) -> Array:
        return centre_record(plan.data)

    @staticmethod
    def turns(record: Array) -> bool:
        return int(record[1 + int(record[0])]) not in (ONE_NODE, STILL)

    @staticmethod
    def coupled(plan: BodyPlan) -> Array:
        return coupled_parts(plan.data)

    @staticmethod
    def shifted(record: Array) -> bool:
        return int(record[1 + int(record[0])]) in (ONE_NODE, STILL, MASS_CENTRE)

    @staticmethod
    def prepare(q, v, p, c):
        place_nodes(q, v, p, c)
        place_frame(p, c)

    @staticmethod
    def locate(p, c, r):
        return pose_in_world(p, motion_of_point(p, c, r))

    @staticmethod
    def point_at(part_number, p, c, x, R, r):
        touching_record(part_number, p, c, x, R, r)

    @staticmethod
    def to_generalized_force(p, c, r, force, torque, out):
        force_on_parts(p, c, r, force, torque, out)

    @staticmethod
    def geometric(p, c, r, force, torque, K):
        put_geometric(p, c, r, force, torque, K)

    @staticmethod
    def nodes(p, c, x, u):
        nodes_in_world(p, c, x, u)

    @staticmethod
    def rate(q, v, q_dot):
        groups = len(q) - len(v)
        free = len(v) - 6 * groups
        for k in range(free):
            q_dot[k] = v[k]
        for g in range(groups):
            i, j = free + 7 * g, free + 6 * g
            q_dot[i], q_dot[i + 1], q_dot[i + 2] = v[j], v[j + 1], v[j + 2]
            turn = (0.0, 0.5 * v[j + 3], 0.5 * v[j + 4], 0.5 * v[j + 5])
            rate = multiply((q[i + 3], q[i + 4], q[i + 5], q[i + 6]), turn)
            q_dot[i + 3], q_dot[i + 4], q_dot[i + 5], q_dot[i + 6] = rate

    @staticmethod
    def retract(q, dq):
        groups = len(q) - len(dq)
        free = len(dq) - 6 * groups
        for k in range(free):
            q[k] += dq[k]
        for g in range(groups):
            i, j = free + 7 * g, free + 6 * g
            for k in range(3):
                q[i + k] += dq[j + k]
            turn = exponential((dq[j + 3], dq[j + 4], dq[j + 5]))
            turned = multiply((q[i + 3], q[i + 4], q[i + 5], q[i + 6]), turn)
            q[i + 3], q[i + 4], q[i + 5], q[i + 6] = turned

    @staticmethod
    def normalise(q, v):
        groups = len(q) - len(v)
        for g in range(groups):
            i = len(q) - 7 * (groups - g)
            unit = normalised((q[i + 3], q[i + 4], q[i + 5], q[i + 6]))
            q[i + 3], q[i + 4], q[i + 5], q[i + 6] = unit


@jit
def begin_forces(p, c):
    """No force on any node; returns the first places of y, ẏ and force, of connectivity and numbers."""
    n = 3 * int(p[NODES])
    for i in range(FORCE * n, (FORCE + 1) * n):
        c[i] = 0.0
    return n, int(p[CONNECTIVITY]), int(p[NUMBERS]), int(p[ELEMENTS])


@jit
def power_on_nodes(p, c):
    """Σ f·ẏ of the forces in c [W]."""
    n, total = 3 * int(p[NODES]), 0.0
    for i in range(n):
        total += c[FORCE * n + i] * c[n + i]
    return total


@jit
def finish_forces(v, p, c, h, inverted, elastic_power, power):
    """h from the forces of the elements, with mass-proportional damping; NaN if one is inverted."""
    n, mass, alpha = 3 * int(p[NODES]), int(p[MASS]), p[MASS_DAMPING]
    lost = power_on_nodes(p, c) - elastic_power if p[STIFFNESS_DAMPING] != 0.0 else 0.0
    if alpha != 0.0:
        for i in range(n):
            force = alpha * p[mass + i // 3] * c[n + i]
            c[FORCE * n + i] -= force
            lost -= force * c[n + i]
    power[0] = lost
    gather_forces(v, p, c, h)
    if inverted >= 0:
        for k in range(len(h)):
            h[k] = nan


@jit
def internal_force(v, p, c, h, power, add_forces):
    """h of the elements, with damping, by the `add_forces` of their kind."""
    n, nodes, numbers, count = begin_forces(p, c)
    elastic, beta = 0.0, p[STIFFNESS_DAMPING]
    inverted = add_forces(p, nodes, numbers, count, c, 0, n, FORCE * n, 0.0)
    if beta != 0.0:
        elastic = power_on_nodes(p, c)
        begin_forces(p, c)
        inverted = add_forces(p, nodes, numbers, count, c, 0, n, FORCE * n, beta)
    finish_forces(v, p, c, h, inverted, elastic, power)


class Hex8(FiniteElement):
    name = "finite_element.hex8"

    @staticmethod
    def internal(v, p, c, h, power):
        internal_force(v, p, c, h, power, hex8.add_forces)

    @staticmethod
    def tangent(v, p, c, K, D):
        hex8_tangent(v, p, c, K, D)

    @staticmethod
    def elastic(p, c, energy):
        energy[0] = hex8.strain_energy(p, int(p[CONNECTIVITY]), int(p[NUMBERS]), int(p[ELEMENTS]), c, 0)

    @staticmethod
    def stress(p, c, stress):
        hex8.stresses(p, int(p[CONNECTIVITY]), int(p[NUMBERS]), int(p[ELEMENTS]), c, 0, stress, 0)
        stresses_in_world(p, stress)


class Hex27(FiniteElement):
    name = "finite_element.hex27"

    @staticmethod
    def internal(v, p, c, h, power):
        internal_force(v, p, c, h, power, hex27.add_forces)

    @staticmethod
    def tangent(v, p, c, K, D):
        hex27_tangent(v, p, c, K, D)

    @staticmethod
    def elastic(p, c, energy):
        energy[0] = hex27.strain_energy(p, int(p[CONNECTIVITY]), int(p[NUMBERS]), int(p[ELEMENTS]), c, 0)

    @staticmethod
    def stress(p, c, stress):
        hex27.stresses(p, int(p[CONNECTIVITY]), int(p[NUMBERS]), int(p[ELEMENTS]), c, 0, stress, 0)
        stresses_in_world(p, stress)


class Tet4(FiniteElement):
    name = "finite_element.tet4"

    @staticmethod
    def internal(v, p, c, h, power):
        internal_force(v, p, c, h, power, tet4.add_forces)

    @staticmethod
    def tangent(v, p, c, K, D):
        tet4_tangent(v, p, c, K, D)

    @staticmethod
    def elastic(p, c, energy):
        energy[0] = tet4.strain_energy(p, int(p[CONNECTIVITY]), int(p[NUMBERS]), int(p[ELEMENTS]), c, 0)

    @staticmethod
    def stress(p, c, stress):
        tet4.stresses(p, int(p[CONNECTIVITY]), int(p[NUMBERS]), int(p[ELEMENTS]), c, 0, stress, 0)
        stresses_in_world(p, stress)


class Tet10(FiniteElement):
    name = "finite_element.tet10"

    @staticmethod
    def internal(v, p, c, h, power):
        internal_force(v, p, c, h, power, tet10.add_forces)

    @staticmethod
    def tangent(v, p, c, K, D):
        tet10_tangent(v, p, c, K, D)

    @staticmethod
    def elastic(p, c, energy):
        energy[0] = tet10.strain_energy(p, int(p[CONNECTIVITY]), int(p[NUMBERS]), int(p[ELEMENTS]), c, 0)

    @staticmethod
    def stress(p, c, stress):
        tet10.stresses(p, int(p[CONNECTIVITY]), int(p[NUMBERS]), int(p[ELEMENTS]), c, 0, stress, 0)
        stresses_in_world(p, stress)


#: the body kind of each kind of elements
KINDS = {"hex8": Hex8, "hex27": Hex27, "tet4": Tet4, "tet10": Tet10}
