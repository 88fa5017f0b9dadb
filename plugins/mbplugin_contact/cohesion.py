"""Bonds between bodies: rigid as long as no impulses within their strengths could hold, then Coulomb's law.

    |r_T| / (f_T h) − r_N / (f_N h) ≤ 1      intact: the cone of slope f_T/f_N with its tip at r_N = −f_N h

(the law of C.-A. Coulomb, 1773, for masonry: cohesion f_T and slope f_T/f_N). In one step impulses are at
most those strengths, so that the points of a bond share its load; slip on the cone does not dilate, so that
limit analysis is no theorem here, and self-stress may break a bond early. A contact at which bodies then
move has broken, at the end of that step; the work of its impulse in the step is the energy of breaking, which
goes to zero with the step as that of a rigid bond does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import Field

from mbplugin.interface import STICK, ContactLaw, Parameters, Positive, internal
from mbplugin_contact.coulomb import cone_projection as project_onto_cone
from mbplugin_contact.coulomb import impulse_map, local_impulse, slope_of_map, slope_of_projection

coulomb_map, coulomb_slope, coulomb_solve = (
    internal(impulse_map),
    internal(slope_of_map),
    internal(local_impulse),
)
coulomb_projection, coulomb_slope_of_projection = internal(project_onto_cone), internal(slope_of_projection)


class CohesionKeys(Parameters):
    """Keys of a `[[contact]]` with type = "cohesion"."""

    tension: Positive = Field(description="largest pull at a contact point [N]")
    shear: Positive | None = Field(
        None, description="largest force along an unloaded contact point [N]; default `tension`"
    )
    heals: bool = Field(False, description="bodies that press on each other without sliding are bonded again")


def begin(friction, friction_static, own, gap, h, stuck, memory):
    """p: slope of the cone, and the pull at its tip [N·s]."""
    if memory[0] > 0.0:
        return (own[1] / own[0], own[0] * h, 0.0, 0.0)
    return (friction_static if stuck else friction, 0.0, 0.0, 0.0)


def start(own, begins):
    """Bodies that touch where the run begins are bonded."""
    return (1.0 if begins else 0.0, 0.0, 0.0)


def accept(own, memory, r_n, r_1, r_2, h, status):
    """Breaks where bodies move; heals where they press."""
    if memory[0] > 0.0:
        return (1.0 if status == STICK else 0.0, 0.0, 0.0)
    return (1.0 if own[2] > 0.0 and status == STICK and r_n > 0.0 else 0.0, 0.0, 0.0)


def cohesive_map(x, y, z, p):
    n, a, b, status = coulomb_map(x + p[1], y, z, p)
    return n - p[1], a, b, status


def slope(x, y, z, p):
    return coulomb_slope(x + p[1], y, z, p)


def projection(x, y, z, p):
    n, a, b, status = coulomb_projection(x + p[1], y, z, p)
    return n - p[1], a, b, status


def slope_projected(x, y, z, p):
    return coulomb_slope_of_projection(x + p[1], y, z, p)


def solve(W, q_n, q_1, q_2, p):
    n, a, b, status = coulomb_solve(W, q_n - W[0] * p[1], q_1 - W[3] * p[1], q_2 - W[6] * p[1], p)
    return n - p[1], a, b, status


def cone(p):
    return p[0], p[1]


class Cohesion(ContactLaw):
    """Bonds that break, between bodies that touch where a run begins; then Coulomb's law."""

    name = "cohesion"
    parameters = CohesionKeys
    begin = staticmethod(begin)
    map = staticmethod(cohesive_map)
    slope = staticmethod(slope)
    solve = staticmethod(solve)
    projection = staticmethod(projection)
    slope_of_projection = staticmethod(slope_projected)
    cone = staticmethod(cone)
    start = staticmethod(start)
    accept = staticmethod(accept)
    examples = ({"tension": 5.0}, {"tension": 5.0, "shear": 2.0, "heals": True})

    @classmethod
    def numbers(cls, keys: Any) -> Sequence[float]:
        shear = keys.tension if keys.shear is None else keys.shear
        return (keys.tension, shear, float(keys.heals))
