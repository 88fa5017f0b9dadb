"""Linear relations Σ cᵢ sᵢ = target between joint coordinates: coupler, gear, rack.

The constant is the sum at t = 0 as the scene is written, so that wheels mesh as drawn. The listed reaction is
that on body b of the last joint; each joint's bodies get cᵢ λ along its coordinate.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from mbplugin.errors import SceneError
from mbplugin.interface import ConstraintKind, Function, Number, Parameters, Positive

Two = Annotated[list[str], Field(min_length=2, max_length=2)]


class Relation(ConstraintKind):
    """Base of the kinds that relate coordinates of joints. Its markers are those of all joints in turn."""

    markers = None

    @classmethod
    def axes(cls, markers):
        (_, A), (_, B) = markers[-2:]
        return A, B


class CouplerParameters(Parameters):
    joints: list[str]
    """Joints, or their coordinates such as "arm.angle" where a joint has several."""
    factors: list[Number]
    """cᵢ of each."""
    target: Function | None = None
    """Value of the sum [rad], or [m] if a coordinate is a length; may be a function of `time`. Default: the
    value in the scene as written.
    """

    @model_validator(mode="after")
    def as_many(self):
        if len(self.joints) != len(self.factors) or len(self.joints) < 2:
            raise SceneError(
                "factors",
                list(self.factors),
                f"must be as many as `joints`, at least two; there are {len(self.joints)} joints",
            )
        return self


class Coupler(Relation):
    """Σ cᵢ sᵢ = target over the coordinates of any number of joints (1 row)."""

    name = "coupler"
    formula = r"""
\Phi = \sum_i c_i s_i - f(t)
\dot \Phi = \sum_i c_i \dot s_i - \dot f, \quad \gamma = \sum_i c_i \gamma_i + \ddot f
"""
    parameters = CouplerParameters
    examples = ({"joints": ["first", "second"], "factors": [1.0, 2.0]},)
    labels = ("sum of the coordinates",)

    @classmethod
    def coupling(cls, params):
        return [(*named(joint), c) for joint, c in zip(params.joints, params.factors)]


class GearParameters(Parameters):
    joints: Two
    """The hinges of the two wheels; body a of each is the common carrier."""
    radii: Annotated[list[Positive], Field(min_length=2, max_length=2)]
    """Pitch radii [m], of the wheels in that order."""
    internal: bool = False
    """Whether one wheel runs inside the other, so that both rotate in the same sense."""


class Gear(Relation):
    """Two wheels in mesh: r₁ θ₁ + r₂ θ₂ = constant, with − for internal teeth, θ the angles of their hinges;
    λ is the force between the teeth (1 row).
    """

    name = "gear"
    formula = r"""
\Phi = r_1 \theta_1 \pm r_2 \theta_2 - c
\tau_1 = r_1 \lambda, \quad \tau_2 = \pm r_2 \lambda
"""
    parameters = GearParameters
    examples = ({"joints": ["first", "second"], "radii": [0.1, 0.2]},)
    labels = ("mesh of the teeth",)
    units = ("m",)

    @classmethod
    def coupling(cls, params):
        (first, second), (r1, r2) = params.joints, params.radii
        return [(*named(first), r1), (*named(second), -r2 if params.internal else r2)]


class RackParameters(Parameters):
    joints: Two
    """The pinion's hinge, and the slider of the rack."""
    radius: Number
    """Pitch radius of the pinion [m]; negative if a positive rotation moves the rack against its axis."""


class Rack(Relation):
    """Rack and pinion: s − r θ = constant, s the length of the slider, θ the angle of the hinge; λ is the
    force between the teeth, on the rack (1 row).
    """

    name = "rack"
    formula = r"""
\Phi = s - r \theta - c
F = \lambda, \quad \tau = -r \lambda
"""
    parameters = RackParameters
    examples = ({"joints": ["pinion", "slider"], "radius": 0.1},)
    labels = ("mesh of the teeth",)
    units = ("m",)

    @classmethod
    def coupling(cls, params):
        pinion, rack = params.joints
        return [(*named(pinion), -params.radius), (*named(rack), 1.0)]


def named(joint: str) -> tuple[str, str]:
    """Joint and coordinate of "joint" or "joint.coordinate"."""
    name, _, coordinate = joint.partition(".")
    return name, coordinate
