"""A body that is a mesh of finite elements with lumped mass.

    m_i ÿ_i = f_i − ∂W/∂y_i        in the axes of the body frame at t = 0 (`layout.py`)
    mÿ = Σ f_i, J ω̇ + ω × J ω = Σ r_i × f_i of nodes that move as one

The mass matrix is a diagonal, so every explicit solver needs no factor of it. Kinds of elements differ in
their functions only; each has a body kind of its own, so that only what a scene has is compiled.
"""

from __future__ import annotations

from math import nan
from typing import Any

import numpy as np

from mbplugin.interface import Array, BodyKind, BodyPlan, jit, quaternion_of
from mbplugin.math.emitters.arrays import part
from mbplugin.math.emitters.stack import stack_array
from mbplugin.math.quat import normalise, put_rate, turn
from mbplugin.math.vec3 import load3
from mbplugin_flexible.content import centre_record, content_of, point_record
from mbplugin_flexible.elements import FUNCTIONS, KINDS
from mbplugin_flexible.in_world import nodes_in_world, stresses_in_world
from mbplugin_flexible.keys import FiniteElementParameters
from mbplugin_flexible.layout import (
    AXES,
    FORCE,
    FRAME,
    FRAME_SIZE,
    GROUP_SIZE,
    MASS,
    MASS_CENTRE,
    MASS_DAMPING,
    NODES,
    ONE_NODE,
    ORIGIN,
    STIFFNESS_DAMPING,
    STILL,
    TOUCHING,
)
from mbplugin_flexible.plan import constants_of
from mbplugin_flexible.point_tangents import put_geometric
from mbplugin_flexible.points import force_on_parts, motion_of_point, pose_in_world, touching_record
from mbplugin_flexible.state import gather_forces, place_frame, place_nodes
from mbplugin_flexible.tangents import clear, coupled_parts, elements_of, put_element, put_parts
from mbplugin_flexible.world_turning import turning_of

#: of a marker of the examples
TURNED = {"axis": [1.0, 2.0, -1.0], "angle": 0.7}


class FiniteElement(BodyKind):
    """The base of the kinds, one for each kind of elements; `content` chooses the one of the mesh."""

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
        return content_of(params, keys, BODY_KINDS)

    @staticmethod
    def plan(params, mass, plane, content, position, axes) -> BodyPlan:
        layout = content.layout
        numbers, integers = constants_of(content, position, axes)
        return BodyPlan(
            mass=layout.velocity_mass,
            parameters=numbers,
            integers=integers,
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
    def prepare(q, v, p, ints, c):
        place_nodes(q, v, p, ints, c)
        place_frame(p, ints, c)

    @staticmethod
    def locate(p, ints, c, r):
        return pose_in_world(p, motion_of_point(ints, c, r))

    @staticmethod
    def point_at(part_number, face_number, p, ints, c, x, R, r):
        touching_record(part_number, face_number, p, ints, c, x, R, r)

    @staticmethod
    def to_generalized_force(p, ints, c, r, force, torque, out):
        force_on_parts(p, ints, c, r, force, torque, out)

    @staticmethod
    def geometric(p, ints, c, r, force, torque, K):
        put_geometric(p, ints, c, r, force, torque, K)

    @staticmethod
    def turning(q: Array, v: Array, p: Array, ints: Array, spin: Array) -> tuple[Array, Array]:
        return turning_of(q, v, p, ints, spin)

    @staticmethod
    def nodes(p, ints, c, x, u):
        nodes_in_world(p, ints, c, x, u)

    @staticmethod
    def rate(q, v, q_dot):
        groups = len(q) - len(v)
        free = len(v) - 6 * groups
        for k in range(free):
            q_dot[k] = v[k]
        for g in range(groups):
            i, j = free + 7 * g, free + 6 * g
            q_dot[i], q_dot[i + 1], q_dot[i + 2] = v[j], v[j + 1], v[j + 2]
            put_rate(q, i + 3, load3(v, j + 3), q_dot)

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
            turn(q, i + 3, load3(dq, j + 3))

    @staticmethod
    def normalise(q, v):
        groups = len(q) - len(v)
        for g in range(groups):
            normalise(q, len(q) - 7 * (groups - g) + 3)


@jit
def finish_forces(v, p, ints, c, h, inverted, dissipated, power):
    """h from the forces of the elements, with mass-proportional damping; NaN if one is inverted."""
    n, mass, alpha = 3 * ints[NODES], ints[MASS], p[MASS_DAMPING]
    if alpha != 0.0:
        for i in range(n):
            force = alpha * p[mass + i // 3] * c[n + i]
            c[FORCE * n + i] -= force
            dissipated += force * c[n + i]
    power[0] = -dissipated
    gather_forces(v, p, ints, c, h)
    if inverted >= 0:
        for k in range(len(h)):
            h[k] = nan


def body_kind(elements: str, class_name: str) -> type[FiniteElement]:
    """The body kind of a kind of elements, which this module has by the name of the class."""
    k, functions = KINDS[elements].k, FUNCTIONS[elements]
    add_forces, strain_energy, stresses, add_tangent, add_damping = functions
    entries = 9 * k * k

    class OfElements(FiniteElement):
        name = f"finite_element.{elements}"

        @staticmethod
        def internal(v, p, ints, c, h, power):
            n = 3 * ints[NODES]
            for i in range(FORCE * n, (FORCE + 1) * n):
                c[i] = 0.0
            mesh = elements_of(p, ints)
            inverted, dissipated = add_forces(mesh, c, 0, n, FORCE * n, p[STIFFNESS_DAMPING])
            finish_forces(v, p, ints, c, h, inverted, dissipated, power)

        @staticmethod
        def tangent(v, p, ints, c, K, D):
            A, B, mesh = stack_array(entries), stack_array(entries), elements_of(p, ints)
            beta, place = p[STIFFNESS_DAMPING], 0
            for e in range(mesh.size):
                clear(A, entries)
                add_tangent(mesh, e, c, 0, A, 0)
                if beta != 0.0:
                    clear(B, entries)
                    add_damping(mesh, e, c, 0, beta, B, 0)
                place = put_element(ints, c, part(mesh.nodes, k * e, k), k, A, B, beta != 0.0, K, D, place)
            put_parts(v, p, ints, c, K, D, place)

        @staticmethod
        def elastic(p, ints, c, energy):
            energy[0] = strain_energy(elements_of(p, ints), c, 0)

        @staticmethod
        def stress(p, ints, c, stress):
            stresses(elements_of(p, ints), c, 0, stress, 0)
            stresses_in_world(p, stress)

    for name in ("internal", "tangent", "elastic", "stress"):
        getattr(OfElements, name).__qualname__ = f"{class_name}.{name}"
    OfElements.__name__ = OfElements.__qualname__ = class_name
    return OfElements


Hex8, Hex27 = body_kind("hex8", "Hex8"), body_kind("hex27", "Hex27")
Tet4, Tet10 = body_kind("tet4", "Tet4"), body_kind("tet10", "Tet10")
#: the body kind of each kind of elements
BODY_KINDS = {"hex8": Hex8, "hex27": Hex27, "tet4": Tet4, "tet10": Tet10}
