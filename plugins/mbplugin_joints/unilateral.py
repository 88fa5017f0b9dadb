"""A gap Φ(s, t) ≥ 0 of joint coordinates s, measures between markers and time, and slip functions w(s, ṡ, t).

    Φ ≥ 0,  λ ≥ 0,  λ Φ = 0;        G = ∂Φ/∂s J,   Φ̇ = G v + Φₜ,   γ = −(Φ̈ without ∂Φ/∂s J v̇)
    w = G_w v + w_t,                G_w = ∂w/∂ṡ J
    w = 0 with |f| ≤ μ_s λ, else    f = −μ λ w/|w|
    an impact: Φ̇⁺ = −e Φ̇⁻

The derivatives are those of the expressions, taken by the interpreter (`kernels/tape.py`).
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from mbplugin.errors import SceneError
from mbplugin.interface import ConstraintKind, Function, NonNegative, Number, Parameters

SLIPS = {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 2}
Slips = Annotated[
    list[Function],
    BeforeValidator(lambda given: given if isinstance(given, list | tuple) else [given]),
    WithJsonSchema({"anyOf": [{"type": "string"}, SLIPS]}),
]


class UnilateralParameters(Parameters):
    gap: Function
    """Φ, which stays ≥ 0: an expression of joint coordinates, measures between markers and `time`, such as
    "slider.length - 0.05*sin(cam.angle)" [m]; [rad] if all that it and `slip` read are angles.
    """
    restitution: Annotated[Number, Field(ge=0.0, le=1.0)] = 0.0
    """e of impacts where the gap closes, 0 to 1."""
    slip: Slips | None = None
    """Velocity of slip where the gap is closed, linear in rates, such as "rate(block.length)"; a list of two
    for slip in a plane, along directions at right angles [m/s], of angles [rad/s].
    """
    friction: NonNegative | None = None
    """μ, coefficient of dry friction against the slip: of size μ λ."""
    friction_static: NonNegative | None = None
    """The same where nothing slips, at least as large; default `friction`."""

    @model_validator(mode="after")
    def slips(self):
        given = [key for key in ("friction", "friction_static") if getattr(self, key) is not None]
        if self.slip is None and given:
            mend = "needs `slip`, the velocity that friction acts against"
            raise SceneError(given[0], getattr(self, given[0]), mend)
        if self.slip is None:
            return self
        if not 1 <= len(self.slip) <= 2:
            texts = [slip.text for slip in self.slip]
            raise SceneError("slip", texts, f"must be one or two slip functions, not {len(texts)}")
        if self.friction is None:
            raise SceneError("slip", [slip.text for slip in self.slip], "needs `friction`, its coefficient")
        if self.friction_static is not None and self.friction_static < self.friction:
            mend = f"must be at least the kinetic friction, {self.friction:g}"
            raise SceneError("friction_static", self.friction_static, mend)
        return self


class Unilateral(ConstraintKind):
    """A gap Φ(s, t) ≥ 0, an expression of coordinates of other joints and of measures between markers. The
    force λ ≥ 0 acts where it is closed, along ∂Φ/∂s, and friction against one or two slip functions (1 to 3
    rows). It names no bodies itself.
    """

    name = "unilateral"
    formula = r"""
\Phi(s, t) \ge 0, \quad \lambda \ge 0, \quad \lambda \, \Phi = 0
G = \frac{\partial \Phi}{\partial s} J, \quad \dot \Phi^+ = -e \, \dot \Phi^-
w = 0 \;\text{ with }\; |f| \le \mu_s \lambda, \quad \text{else} \quad f = -\mu \lambda \, w / |w|
"""
    parameters = UnilateralParameters
    row_type = "cone"
    markers = None
    labels = ("gap",)
    examples = ({"gap": "first.angle - 0.3", "slip": "rate(second.angle)", "friction": 0.3},)

    @classmethod
    def functions(cls, params):
        slips = params.slip or []
        keys = ["slip"] if len(slips) == 1 else [f"slip[{k}]" for k in range(len(slips))]
        return {"gap": params.gap, **dict(zip(keys, slips))}

    @classmethod
    def friction(cls, params):
        kinetic = params.friction or 0.0
        return kinetic, kinetic if params.friction_static is None else params.friction_static
