"""Motors on the coordinate s of a joint: servos of position and of speed, and motors of torque.

    position  f = k (s_d − s) + c (v_d − ṡ) + f_ff
    velocity  f = c (v_d − ṡ) + f_ff
    torque    f = f_d + f_ff,                            each kept within ±f_max

All quantities are those of the coordinate, behind the gear. A rotor of inertia J that turns n times as fast
has the energy ½ J (n ṡ)², so that n² J is an armature of the coordinate. Steps end where f reaches its limit
and where it leaves it, since f has a kink there.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from mbplugin.errors import NOT_GIVEN, SceneError
from mbplugin.interface import COORDINATE, ForceKind, Function, NonNegative, Parameters, Positive, jit
from mbplugin_forces.ends import along

#: default of a limit: the largest number of a scene [N] or [N·m]
UNLIMITED = 1e50


class Mode(IntEnum):
    """What the target of a motor is."""

    position = 0
    velocity = 1
    torque = 2


def to_mode(value: Any) -> Mode:
    """The mode of this name. Raises SceneError."""
    if isinstance(value, str) and value in Mode.__members__:
        return Mode[value]
    raise SceneError(value=value, mend='must be "position", "velocity" or "torque"')


class DrivenKeys(Parameters):
    """Keys of what drives a coordinate."""

    target: Function
    """What the coordinate is to follow, an expression, such as an input: its value [rad] or [m]; with `mode =
    "velocity"` its rate, with `"torque"` the torque [N·m] or force [N] itself."""
    feed_forward: Function = Field(0.0, validate_default=True)  # type: ignore[assignment]
    """Torque [N·m] or force [N] that is added."""
    effort_limit: Function = Field(UNLIMITED, validate_default=True)  # type: ignore[assignment]
    """Largest torque [N·m] or force [N]; default: none."""
    gear: Positive = 1.0
    """Turns of the rotor for one of the coordinate; its angle [rad] for a metre of a length."""
    rotor_inertia: NonNegative = 0.0
    """Moment of inertia of the rotor about its axis [kg·m²]: gear² times this is added to the coordinate."""


class MotorParameters(DrivenKeys):
    mode: Annotated[Mode, BeforeValidator(to_mode), WithJsonSchema({"enum": list(Mode.__members__)})]
    """What the target is: `"position"`, `"velocity"` or `"torque"`."""
    stiffness: NonNegative = 0.0
    """Gain of the position error [N·m/rad] or [N/m]."""
    damping: NonNegative = 0.0
    """Gain of the error of the rate [N·m·s/rad] or [N·s/m]."""
    target_rate: Function = Field(0.0, validate_default=True)  # type: ignore[assignment]
    """Rate that goes with a `target` of position [rad/s] or [m/s]; default 0: damping brakes the motion."""

    @model_validator(mode="after")
    def gains_of_mode(self):
        given = self.model_fields_set
        needed = {Mode.position: "stiffness", Mode.velocity: "damping"}.get(self.mode)
        if needed and not getattr(self, needed):
            value = getattr(self, needed) if needed in given else NOT_GIVEN
            raise SceneError(needed, value, f'must be positive: mode = "{self.mode.name}" has it as its gain')
        unread = {
            Mode.position: (),
            Mode.velocity: ("stiffness", "target_rate"),
            Mode.torque: ("stiffness", "target_rate", "damping"),
        }[self.mode]
        for key in unread:
            if key in given:
                value = getattr(self, key)
                mend = f'is without effect on a motor of mode "{self.mode.name}"; leave it out'
                raise SceneError(key, getattr(value, "text", value), mend)
        return self


class OnDrivenCoordinate(ForceKind):
    """A force kind that drives a coordinate within a limit, with the inertia of its rotor."""

    markers = None
    measures = (COORDINATE,)
    events = 1

    @staticmethod
    def inertia(params: Any) -> float:
        return float(params.gear**2 * params.rotor_inertia)


class Motor(OnDrivenCoordinate):
    """A servo of position or speed, or a motor of torque, on the coordinate of a joint. It is written by
    hand: its power is work, and that of a V that depends on time the change of V.
    """

    name = "motor"
    parameters = MotorParameters
    outputs = {"force": "N or N m", "demand": "N or N m"}
    examples = (
        {
            "mode": "position",
            "stiffness": 30.0,
            "damping": 2.0,
            "target": "0.4*sin(3*time)",
            "effort_limit": 6.0,
            "joint": {"type": "translational"},
        },
    )

    @staticmethod
    def kernel(p, u, s, s_dot, J, wrench, power, force, demand):
        demand[0] = demanded(p, u, s, s_dot)
        force[0] = limited(demand[0], u.effort_limit[0])
        along(J, force[0], wrench)
        power[0] = force[0] * s_dot[0]

    @staticmethod
    def event(p, u, s, s_dot, event):
        event[0] = abs(demanded(p, u, s, s_dot)) - u.effort_limit[0]


@jit
def demanded(p, u, s, s_dot):
    """Force or torque before its limit."""
    if p.mode == 0:
        error, rate = u.target[0] - s[0], u.target_rate[0] - s_dot[0]
        return p.stiffness * error + p.damping * rate + u.feed_forward[0]
    if p.mode == 1:
        return p.damping * (u.target[0] - s_dot[0]) + u.feed_forward[0]
    return u.target[0] + u.feed_forward[0]


@jit
def limited(f, most):
    """f within ±most."""
    return max(-most, min(most, f))
