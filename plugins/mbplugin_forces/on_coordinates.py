"""Forces on the coordinate s of a joint: a spring with a damper, a stop, and a function.

    f = −k (s − s₀) − c ṡ,   V = ½ k (s − s₀)²,  dissipated power c ṡ²

The wrenches on the markers of the joint are Jᵀ f with the Jacobian of the coordinate, ṡ = J [twists], so that
their power is exactly f ṡ; they are equal and opposite.
"""

from __future__ import annotations

from typing import Literal

from pydantic import model_validator

from mbplugin.errors import NOT_GIVEN, SceneError
from mbplugin.interface import COORDINATE, ForceKind, Function, NonNegative, Number, Parameters, Positive, jit
from mbplugin_forces.ends import along


class JointSpringParameters(Parameters):
    stiffness: NonNegative = 0.0
    """Stiffness [N·m/rad] of an angle, or [N/m] of a length."""
    damping: NonNegative = 0.0
    """Damping [N·m·s/rad] or [N·s/m]."""
    rest: Number = 0.0
    """Value of the coordinate at which the spring exerts nothing [rad] or [m]."""


class JointSpringDamper(ForceKind):
    """The keys `stiffness`, `damping` and `rest` of a joint are one of these for each coordinate."""

    name = "joint_spring_damper"
    parameters = JointSpringParameters
    markers = None
    measures = (COORDINATE,)
    dissipates = True
    outputs = {"force": "N or N m"}

    @staticmethod
    def potential(p, s):
        return 0.5 * p.stiffness * (s[0] - p.rest) ** 2

    @staticmethod
    def dissipation(p, s_dot):
        return 0.5 * p.damping * s_dot[0] ** 2

    @staticmethod
    def output_values(p, s, s_dot):
        return -p.stiffness * (s[0] - p.rest) - p.damping * s_dot[0]


class JointStopParameters(Parameters):
    stiffness: Positive
    """Stiffness [N·m/rad] of an angle, or [N/m] of a length."""
    damping: NonNegative = 0.0
    """Damping [N·m·s/rad] or [N·s/m]."""
    limit: Number
    """Value of the coordinate at which the stop begins [rad] or [m]."""
    side: Literal[-1, 1]
    """1: it stops the coordinate where that grows beyond the limit, -1: where it falls below."""


#: whether a stop pushes during a step: as its state says, before the first step; yes; no
BY_STATE, PUSHES, OPEN = 0.0, 1.0, 2.0


class JointStop(ForceKind):
    """A one-sided spring with a damper: with the penetration d = ±(s − limit), where d > 0,

        N = max(0, k d + c ḋ),   f = ∓N,   V = ½ k d²

    What the spring still has where it lets go, N = 0 at d > 0, is dissipated. N begins with a jump if c > 0:
    steps end where it begins, where it ends and where d is 0 again, and all is smooth in between. It is
    written by hand, as no V and R have its max(0, k d + c ḋ), which pulls at no time. The keys
    `stop_stiffness` and `stop_damping` of a joint are one of these for each limit.
    """

    name = "joint_stop"
    parameters = JointStopParameters
    markers = None
    measures = (COORDINATE,)
    dissipates = True
    outputs = {"force": "N or N m"}
    memory = 1
    events = 2
    examples = ({"stiffness": 30.0, "damping": 0.4, "limit": -0.2, "side": 1},)

    @staticmethod
    def kernel(p, s, s_dot, J, mem, wrench, energy, power, force):
        d, d_dot = p.side * (s[0] - p.limit), p.side * s_dot[0]
        pushes = pressure(p, s, s_dot) > 0.0 if mem[0] == BY_STATE else mem[0] == PUSHES
        N = p.stiffness * d + p.damping * d_dot if pushes else 0.0
        force[0] = -p.side * N
        along(J, force[0], wrench)
        energy[0], power[0] = 0.0, 0.0
        if pushes or d > 0.0:
            energy[0] = 0.5 * p.stiffness * d * d
            power[0] = (p.stiffness * d - N) * d_dot

    @staticmethod
    def event(p, s, s_dot, event):
        event[0], event[1] = pressure(p, s, s_dot), p.side * (s[0] - p.limit)

    @staticmethod
    def accept(p, s, s_dot, mem_new):
        mem_new[0] = PUSHES if pressure(p, s, s_dot) > 0.0 else OPEN


@jit
def pressure(p, s, s_dot):
    """Where this is positive, a stop pushes: min(k d, k d + c ḋ)."""
    d, d_dot = p.side * (s[0] - p.limit), p.side * s_dot[0]
    return p.stiffness * d + min(0.0, p.damping * d_dot)


class JointForceParameters(Parameters):
    force: Function = 0.0  # type: ignore[assignment]
    """Force [N] on a length, a function of `time`; positive in the direction in which the length grows."""
    torque: Function = 0.0  # type: ignore[assignment]
    """Torque [N·m] on an angle, likewise."""

    @model_validator(mode="after")
    def one(self):
        given = self.model_fields_set
        if not given:
            raise SceneError(
                "torque", NOT_GIVEN, "is missing: give `torque` on an angle, `force` on a length"
            )
        if len(given) > 1:
            raise SceneError("force", self.force.text, "`torque` is given as well; keep one of them")
        return self


class JointForce(ForceKind):
    """A force or torque on a coordinate, as a motor exerts it: on body b, and its opposite on body a. It is
    written by hand, as its power is work, and that of a V that depends on time the change of V.
    """

    name = "joint_force"
    parameters = JointForceParameters
    markers = None
    measures = (COORDINATE,)
    outputs = {"force": "N or N m"}
    examples = ({"force": "0.4*sin(3*time) + 0.9", "joint": {"type": "translational"}},)

    @classmethod
    def on_coordinate(cls, params, unit):
        (given,) = params.model_fields_set
        fits, what = ("torque", "an angle") if unit == "rad" else ("force", "a length")
        if given != fits:
            raise SceneError(given, getattr(params, given).text, f"the coordinate is {what}; give `{fits}`")

    @staticmethod
    def kernel(u, s_dot, J, wrench, power, force):
        force[0] = u.force[0] + u.torque[0]
        along(J, force[0], wrench)
        power[0] = force[0] * s_dot[0]
