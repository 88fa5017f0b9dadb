"""A chain of n + 1 nodes in space with elastic elements between them: q are their positions, v their
velocities. M is that of linear elements, consistent and constant:

    M_e = (m/6n) [2 1; 1 2],    V = ½ (E A/l) Σ (|x_{i+1} − x_i| − l)²,   l = L/n

Along the line the frequencies of the free chain are  ω_k² = (6 E A n/(m l)) (1 − cos θ)/(2 + cos θ),
θ = kπ/n, with the displacements cos(i θ).
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy.sparse import diags_array, eye_array, kron

from mbplugin.interface import BodyKind, BodyPlan, Count, Number, Parameters, Positive, jit
from mbplugin.math.vec3 import add, load9, scale


class BarParameters(Parameters):
    elements: Count
    """n."""
    length: Positive
    """L [m]."""
    stiffness: Positive
    """E A [N]."""
    mode: Count = 1
    """k of the displacements at t = 0."""
    amplitude: Number = 0.0
    """Of these [m]."""
    form: Literal["dense", "profile"] = "profile"
    """How M is kept."""


class Bar(BodyKind):
    name = "foreign_bar"
    parameters = BarParameters
    nq = nv = None
    record = 11
    examples = ({"elements": 3, "length": 1.5, "stiffness": 7.0},)

    @staticmethod
    def plan(params, mass, plane) -> BodyPlan:
        n = params.elements
        ends = np.array([1.0, *np.full(n - 1, 2.0), 1.0])
        along = diags_array([np.ones(n), 2.0 * ends, np.ones(n)], offsets=[-1, 0, 1])
        M = kron(along, eye_array(3)).tocsr() * (mass.mass / (6.0 * n))
        rest = params.length / n
        return BodyPlan(
            mass=M if params.form == "profile" else M.toarray(),
            parameters=np.array([params.stiffness / rest, rest, params.amplitude, params.mode]),
            nq=3 * n + 3,
            nv=3 * n + 3,
        )

    @staticmethod
    def coordinates(position, R, velocity, w, plan, plane):
        n = plan.nv // 3 - 1
        _, rest, amplitude, mode = plan.parameters
        i = np.arange(n + 1)
        along = rest * (i - 0.5 * n) + amplitude * np.cos(i * mode * np.pi / n)
        arm = np.outer(along, R[:, 0])
        return (position + arm).ravel(), (velocity + np.cross(w, arm)).ravel()

    @staticmethod
    def point(position, axes, plan):
        """The first of its two nodes, the share of the second, the axes."""
        n, rest = plan.nv // 3 - 1, plan.parameters[1]
        place = np.clip(position[0] / rest + 0.5 * n, 0.0, n)
        node = min(int(place), n - 1)
        return np.concatenate([[node, place - node], axes.ravel()])

    @staticmethod
    def locate(q, v, r):
        zero = (0.0, 0.0, 0.0)
        return between(q, r), load9(r, 2), between(v, r), zero, zero, zero

    @staticmethod
    def to_generalized_force(r, force, torque, out):
        for k in range(len(out)):
            out[k] = 0.0
        i, s = 3 * int(r[0]), r[1]
        for k in range(3):
            out[i + k], out[i + 3 + k] = (1 - s) * force[k], s * force[k]

    @staticmethod
    def rate(v, q_dot):
        for k in range(len(v)):
            q_dot[k] = v[k]

    @staticmethod
    def retract(q, dq):
        for k in range(len(q)):
            q[k] += dq[k]

    @staticmethod
    def internal(q, p, h):
        for i in range(0, len(q) - 3, 3):
            x, y, z = q[i + 3] - q[i], q[i + 4] - q[i + 1], q[i + 5] - q[i + 2]
            s = (x * x + y * y + z * z) ** 0.5
            f = p[0] * (1.0 - p[1] / s)
            for k, d in enumerate((x, y, z)):
                h[i + k] += f * d
                h[i + 3 + k] -= f * d

    @staticmethod
    def elastic(q, p, energy):
        energy[0] = 0.0
        for i in range(0, len(q) - 3, 3):
            x, y, z = q[i + 3] - q[i], q[i + 4] - q[i + 1], q[i + 5] - q[i + 2]
            energy[0] += 0.5 * p[0] * ((x * x + y * y + z * z) ** 0.5 - p[1]) ** 2


@jit
def between(q, r):
    """What a marker takes from the nodes of its element."""
    i, s = 3 * int(r[0]), r[1]
    a, b = (q[i], q[i + 1], q[i + 2]), (q[i + 3], q[i + 4], q[i + 5])
    return add(scale(1.0 - s, a), scale(s, b))
