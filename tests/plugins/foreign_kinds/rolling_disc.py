"""A thin disc (axis: z of marker b, centre there) that rolls on the plane of marker a (normal: z of a)
without slipping.

The rim point nearest to the plane is at c = −R u from the centre, u = (n − (n·k) k)/|n − (n·k) k| with n, k
the two z axes. It moves as the plane does:

    v_b + ω_b × c − v_a − ω_a × r = 0,   r = x_b + c − x_a

There is no function of positions whose rate this is (the path matters), so the rows are at velocity level.
"""

from __future__ import annotations

from mbplugin.interface import VELOCITY_LEVEL, ConstraintKind, Parameters, Positive, axis, jit
from mbplugin.math.vec3 import add, cross, dot, norm, scale, sub


class RollingParameters(Parameters):
    radius: Positive
    """Radius of the disc [m]."""


class RollingDisc(ConstraintKind):
    name = "foreign_rolling_disc"
    parameters = RollingParameters
    labels = ("contact velocity x", "contact velocity y", "contact velocity z")
    level = VELOCITY_LEVEL

    @staticmethod
    def kernel(a, b, p, G, gamma):
        n, k = axis(a, 2), axis(b, 2)
        n1, k1 = cross(a.w, n), cross(b.w, k)
        d, d1 = dot(n, k), dot(n1, k) + dot(n, k1)
        e, e1 = sub(n, scale(d, k)), sub(n1, add(scale(d1, k), scale(d, k1)))
        s = norm(e)
        s1 = dot(e, e1) / s
        c = scale(-p.radius / s, e)
        c1 = sub(scale(-p.radius / s, e1), scale(s1 / s, c))
        r, r1 = sub(add(b.x, c), a.x), sub(add(b.v, c1), a.v)
        for row in range(3):
            for i in range(12):
                G[12 * row + i] = 0.0
            G[12 * row + row] = -1.0
            G[12 * row + 6 + row] = 1.0
        # −ω_a × r = r × ω_a and ω_b × c = −c × ω_b
        put_cross(G, 3, r, 1.0)
        put_cross(G, 9, c, -1.0)
        bias = sub(cross(b.w, c1), cross(a.w, r1))
        gamma[0], gamma[1], gamma[2] = -bias[0], -bias[1], -bias[2]


@jit
def put_cross(G, start, c, sign):
    """sign · (c ×) into the columns from `start` of rows of twelve."""
    G[start + 1], G[start + 2] = -sign * c[2], sign * c[1]
    G[12 + start], G[12 + start + 2] = sign * c[2], -sign * c[0]
    G[24 + start], G[24 + start + 1] = -sign * c[1], sign * c[0]
