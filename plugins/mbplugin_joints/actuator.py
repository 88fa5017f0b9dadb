"""A massless actuator between two points: a cylinder, a linear motor, a cable drum.

    s = |x_b − x_a| = f(t),   or  ṡ = f(t),   or  s̈ = f(t)

Its only row is that of its motion: the measure `distance`, driven at the level of the given function. With u
along the line from a to b, λ acts on b as the force λ u and on a as −λ u; positive λ pushes them apart. λ is
both `drive` of the length and the z component of the reaction in the joint's axes.
"""

from __future__ import annotations

from pydantic import model_validator

from mbplugin.errors import SceneError, listed
from mbplugin.interface import Function, Parameters
from mbplugin_joints.directions import BetweenPoints
from mbplugin_joints.measures import Distance

#: key of the joint -> equivalent key of a [[motion]]
KEYS = {"length": "length", "speed": "length_velocity", "acceleration": "length_acceleration"}


class ActuatorParameters(Parameters):
    length: Function | None = None
    """Distance of the markers [m], a function of `time`."""
    speed: Function | None = None
    """Its rate [m/s]."""
    acceleration: Function | None = None
    """Its second derivative [m/s²]."""

    @model_validator(mode="after")
    def one_level(self):
        given = [key for key in KEYS if getattr(self, key) is not None]
        if len(given) > 1:
            raise SceneError(
                given[-1],
                getattr(self, given[-1]).text,
                f"an actuator follows one function, not {listed(given)}; keep one of them",
            )
        return self


class Actuator(BetweenPoints):
    """Drives the distance of two points by `length`, `speed` or `acceleration`, or by a [[motion]] of its
    `length` (1 row). Its z is along the line, from a to b.
    """

    name = "actuator"
    parameters = ActuatorParameters
    examples = ({"length": "2.5 + 0.2*sin(3*time)"},)
    coordinates = {"length": Distance}
    formula = r"""
\Phi = |r_b - r_a| - f(t), \quad \dot \Phi = u \cdot (v_b - v_a) - \dot f
u = \frac{r_b - r_a}{|r_b - r_a|}
\gamma = \ddot f - \frac{|v_b - v_a|^2 - \dot s^2}{s}, \quad s = |r_b - r_a|
F_b = \lambda u, \quad F_a = -\lambda u
"""

    @classmethod
    def motions(cls, params):
        return {
            motion: getattr(params, key) for key, motion in KEYS.items() if getattr(params, key) is not None
        }
