"""Coulomb's cone with its tip at −c: bodies that touch are pulled together by up to c at every contact point.

Coulomb's law holds for r' = r + c h n.
"""

from __future__ import annotations

from typing import Any

from mbplugin_contact.coulomb import impulse_map, local_impulse, slope_of_map
from pydantic import Field

from mbplugin.interface import ContactLaw, NonNegative, Parameters, internal

coulomb_map, coulomb_slope, coulomb_solve = map(internal, (impulse_map, slope_of_map, local_impulse))


class CohesiveKeys(Parameters):
    """Keys of a contact with type = "foreign_cohesive"."""

    cohesion: NonNegative = Field(description="largest pull at a contact point [N]")


def begin(friction, friction_static, own, gap, h, stuck):
    """p: μ and the pull in this step, as long as the bodies touch [N·s]."""
    pull = own[0] * h if gap <= 0.0 else 0.0
    return (friction_static if stuck else friction, pull, 0.0, 0.0)


def cohesive_map(x, y, z, p):
    n, a, b, status = coulomb_map(x + p[1], y, z, p)
    return n - p[1], a, b, status


def slope(x, y, z, p):
    return coulomb_slope(x + p[1], y, z, p)


def solve(W, q_n, q_1, q_2, p):
    n, a, b, status = coulomb_solve(W, q_n - W[0] * p[1], q_1 - W[3] * p[1], q_2 - W[6] * p[1], p)
    return n - p[1], a, b, status


def cone(p):
    return p[0], p[1]


class Cohesive(ContactLaw):
    """Coulomb's friction with a constant pull where bodies touch."""

    name = "foreign_cohesive"
    parameters = CohesiveKeys
    begin = staticmethod(begin)
    map = staticmethod(cohesive_map)
    slope = staticmethod(slope)
    solve = staticmethod(solve)
    cone = staticmethod(cone)
    examples = ({"cohesion": 5.0},)

    @classmethod
    def numbers(cls, keys: Any) -> tuple[float]:
        return (keys.cohesion,)
