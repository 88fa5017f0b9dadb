"""A massless rope over a frictionless pulley.

    L₁ + ratio · L₂ = length,   L₁ = |x₁ − x₀|,   L₂ = |x₃ − x₂|
    L̇ = e·u,   L̈ = e·u̇ + (u·u − L̇²)/L           of a leg: d = y − x, L = |d|, e = d/L, u = ḋ

The multiplier acts on the loads as λ e₁ and ratio λ e₂, away from their pulleys: −λ is the tension of the
rope. The rope cannot go slack: λ > 0 is compression. A leg that has changed its direction by more than 90°
in a step has passed its fixed point, where it has none. Derived here; the conformance kit checks G and γ.
"""

from __future__ import annotations

from math import nan

from mbplugin.interface import ConstraintKind, Parameters, Positive, jit
from mbplugin.math.vec3 import dot, sub
from mbplugin_joints.directions import APART, about, along, with_z
from mbplugin_joints.measures.distance import line


class PulleyParameters(Parameters):
    ratio: Positive = 1.0
    """Number of strands of the second leg: 2 for a movable block."""
    length: Positive | None = None
    """L₁ + ratio · L₂ [m]; default: that in the scene as written."""


class Pulley(ConstraintKind):
    """A rope between four markers 0 to 3: from a fixed point to a load, twice; L₁ + c L₂ = `length` l stays,
    c being `ratio` (1 row). It pushes as well as it pulls: a `rope` goes slack. Works between planar bodies
    too.
    """

    name = "pulley"
    formula = r"""
\Phi = L_1 + c L_2 - l, \quad L_1 = |r_1 - r_0|, \quad L_2 = |r_3 - r_2|
\dot \Phi = e_1 \cdot (v_1 - v_0) + c \, e_2 \cdot (v_3 - v_2), \quad e_1 = (r_1 - r_0) / L_1
e_2 = (r_3 - r_2) / L_2
\gamma = -\frac{|v_1 - v_0|^2 - \dot L_1^2}{L_1} - c \frac{|v_3 - v_2|^2 - \dot L_2^2}{L_2}
F_1 = \lambda e_1, \quad F_3 = c \, \lambda e_2
"""
    parameters = PulleyParameters
    markers = 4
    labels = ("length of the rope",)
    free_directions = (*along("xy"), *about("xyz"))
    singular = "a leg of no length"
    avoided = APART
    at_mass_centres = True
    lines = ((0, 1), (2, 3))
    memory = 6
    undefined = (
        "a strand has shrunk to nothing: its load has reached the pulley, where it has no direction; keep it "
        'away by `limits` of its joint, or take the type "rope", which goes slack'
    )

    @classmethod
    def look(cls, params):
        return "strands"

    @classmethod
    def strands(cls, params):
        return params.ratio

    @classmethod
    def defaults(cls, params, markers):
        if params.length is not None:
            return params
        x = [x for x, _ in markers]
        legs = [float(((y - x) ** 2).sum() ** 0.5) for x, y in ((x[0], x[1]), (x[2], x[3]))]
        return params.model_copy(update={"length": legs[0] + params.ratio * legs[1]})

    @classmethod
    def axes(cls, markers):
        """z is along the second leg."""
        return with_z(markers[3][0] - markers[2][0])

    @staticmethod
    def kernel(m, p, mem, phi, G, gamma):
        phi[0], gamma[0] = -p.length, 0.0
        add_leg(m[0], m[1], 1.0, 0, phi, G, gamma)
        add_leg(m[2], m[3], p.ratio, 12, phi, G, gamma)
        for k in range(2):
            d = sub(m[2 * k + 1].x, m[2 * k].x)
            if dot(d, (mem[3 * k], mem[3 * k + 1], mem[3 * k + 2])) < 0.0:
                phi[0] = gamma[0] = nan

    @staticmethod
    def accept(m, mem_new):
        for k in range(2):
            d = sub(m[2 * k + 1].x, m[2 * k].x)
            for i in range(3):
                mem_new[3 * k + i] = d[i]


@jit
def add_leg(start, end, factor, column, phi, G, gamma):
    """Add factor · L of the leg from `start` to `end`; `column`: its first column of G."""
    length, e, bias = line(start, end)
    phi[0] += factor * length
    gamma[0] -= factor * bias
    for k in range(3):
        pull = factor * e[k]
        G[column + k], G[column + 3 + k] = -pull, 0.0
        G[column + 6 + k], G[column + 9 + k] = pull, 0.0
