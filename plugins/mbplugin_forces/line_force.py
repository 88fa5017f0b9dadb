"""A force along the line between two markers, as a function.

    s = |x_b − x_a|,   f(t, s, ṡ, …) along the line from a to b, on b, and its opposite on a

Positive f pushes the markers apart. The wrenches are Jᵀ f with the Jacobian of the registered measure
`distance`, so that their power is exactly f ṡ.
"""

from __future__ import annotations

from mbplugin.interface import ForceKind, Function, Parameters
from mbplugin_forces.ends import along, refuse_coincident


class LineForceParameters(Parameters):
    force: Function
    """Force [N], positive if it pushes the markers apart: a function of `time`, in which `length` is the
    distance of the markers [m] and `rate(length)` its rate [m/s].
    """


class LineForce(ForceKind):
    name = "line_force"
    parameters = LineForceParameters
    measures = ("distance",)
    reads = {"length": 0}
    lines = ((0, 1),)
    outputs = {"force": "N", "length": "m", "speed": "m/s"}  # f, s and ṡ

    @classmethod
    def defaults(cls, params, markers):
        refuse_coincident(markers, "force", params.force.text)
        return params

    @staticmethod
    def kernel(u, s, s_dot, J, wrench, power, force, length, speed):
        along(J, u.force[0], wrench)
        power[0] = u.force[0] * s_dot[0]
        force[0], length[0], speed[0] = u.force[0], s[0], s_dot[0]
