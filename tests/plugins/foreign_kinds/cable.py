"""A cable that runs from marker 0 over marker 1 to marker 2 without friction:  |x₁ − x₀| + |x₂ − x₁| = L.

With e = (y − x)/|y − x| for each leg:  Φ̇ = Σ e·(v_y − v_x),  and  d/dt e·u = e·u̇ + (u·u − (e·u)²)/|y − x|,
u = v_y − v_x.
"""

from __future__ import annotations

from mbplugin.interface import ConstraintKind, Parameters, Positive, jit
from mbplugin.math.vec3 import dot, norm, scale, sub


class CableParameters(Parameters):
    length: Positive | None = None
    """Length [m]; default: that at t = 0."""


class Cable(ConstraintKind):
    name = "foreign_cable"
    parameters = CableParameters
    markers = 3
    labels = ("length of the cable",)

    @classmethod
    def defaults(cls, params, markers):
        if params.length is not None:
            return params
        (x, _), (y, _), (z, _) = markers
        return params.model_copy(
            update={"length": float(((y - x) ** 2).sum() ** 0.5 + ((z - y) ** 2).sum() ** 0.5)}
        )

    @staticmethod
    def kernel(m, p, phi, G, gamma):
        phi[0], gamma[0] = -p.length, 0.0
        for k in range(18):
            G[k] = 0.0
        d, u = sub(m[1].x, m[0].x), sub(m[1].v, m[0].v)
        add_leg(d, u, 0, 6, phi, G, gamma)
        d, u = sub(m[2].x, m[1].x), sub(m[2].v, m[1].v)
        add_leg(d, u, 6, 12, phi, G, gamma)


@jit
def add_leg(d, u, start, end, phi, G, gamma):
    """One straight leg from the marker whose columns begin at `start` to that at `end`."""
    length = norm(d)
    e = scale(1.0 / length, d)
    rate = dot(e, u)
    phi[0] += length
    gamma[0] -= (dot(u, u) - rate * rate) / length
    for k in range(3):
        G[start + k] -= e[k]
        G[end + k] += e[k]
