"""A massless rope over a frictionless pulley.

    L₁ + ratio · L₂ = length,   L₁ = |x₁ − x₀|,   L₂ = |x₃ − x₂|

The multiplier acts on the loads as λ e₁ and ratio λ e₂, away from their pulleys: −λ is the tension of the
rope. The rope cannot go slack: λ > 0 is compression. A leg that has changed its direction by more than 90°
in a step has passed its fixed point, where it has none.
"""

from __future__ import annotations

from math import nan

from mbplugin.interface import ConstraintKind, Parameters, Positive
from mbplugin.math.vec3 import dot, norm, sub
from mbplugin_joints.directions import APART, about, along, with_z


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
    def phi(m, p, mem):
        first, second = sub(m[1].x, m[0].x), sub(m[3].x, m[2].x)
        if dot(first, (mem[0], mem[1], mem[2])) < 0.0 or dot(second, (mem[3], mem[4], mem[5])) < 0.0:
            return nan  # a load has passed its pulley
        return norm(first) + p.ratio * norm(second) - p.length

    @staticmethod
    def accept(m, mem_new):
        for k in range(2):
            d = sub(m[2 * k + 1].x, m[2 * k].x)
            for i in range(3):
                mem_new[3 * k + i] = d[i]
