"""Sizes of shapes, and the step that follows from them."""

from __future__ import annotations

from collections.abc import Iterable
from math import floor, inf, log10, sqrt
from typing import Any

#: parts of the time √(radius / g) in which the smallest shape falls by its radius, and of that in which the
#: fastest body moves by it
OF_FALL, OF_MOTION = 0.03, 0.2
#: part of 1/ω of the fastest vibration of a body that deforms; steps above 2/ω are unstable without damping
OF_VIBRATION = 1.6


def bounding_radius(shape: Any) -> float:
    """Radius of a sphere about the frame of a shape [m]; infinite for a half-space, 0 of one that does not
    collide.
    """
    if shape.kind is None:
        return 0.0
    return float(shape.kind.radius(shape.keys_of_kind)) if shape.kind.bounded else inf


def rounding(shape: Any) -> float:
    """`ShapeKind.rounding` of a shape [m]."""
    return 0.0 if shape.kind is None else float(shape.kind.rounding(shape.keys_of_kind))


def smallest_radius(shapes: Iterable[Any]) -> float:
    """Radius of the smallest shape that is no plane [m]; 1 if there is none."""
    return min((extent(shape) for shape in shapes if shape.kind.bounded), default=1.0)


def extent(shape: Any) -> float:
    """Bounding radius of a shape, or of a node half the distance to the next one, which may be larger [m]."""
    return max(bounding_radius(shape), 0.5 * getattr(shape, "_extent", 0.0))


def fastest_vibration(system: Any) -> tuple[float, float]:
    """The step that the vibrations of bodies that deform allow [s], and the frequency that asks for it
    [rad/s]; infinite and 0 without such bodies.

    The step takes damping β at the velocity v + ½ (v − v₋) of the last change. It grows by −1 at
    4 − h² ω² − 4 h β ω² = 0: damping lowers the limit 2/ω to (2/ω) (√(1 + ζ²) − ζ), ζ = β ω. Derived here.
    """
    step, fastest = inf, 0.0
    for body in system.bodies:
        frequency, damping = body.vibration
        if frequency > 0.0:
            zeta = damping * frequency
            allowed = OF_VIBRATION / frequency / (sqrt(1.0 + zeta**2) + zeta)
            step, fastest = min((step, fastest), (allowed, frequency))
    return step, fastest


def default_step(system: Any) -> tuple[float, str]:
    """A step for the sizes and speeds of a system [s], rounded down to 1, 2 or 5 times a power of ten, and
    the reason for it.
    """
    radius = smallest_radius(shape for _, shape in system.colliding())
    speed = max((sqrt(sum(u * u for u in body.velocity)) for body in system.bodies), default=0.0)
    gravity = sqrt(sum(g * g for g in system.scene.gravity))
    fall = OF_FALL * sqrt(radius / gravity) if gravity > 0.0 else inf
    motion = OF_MOTION * radius / speed if speed > 0.0 else inf
    vibration, frequency = fastest_vibration(system)
    step = min(fall, motion, vibration, 1e-2)
    radius_text = f"{radius:.3g} m, the smallest radius"
    if step == vibration:
        reason = f"a part of the time of the fastest vibration, of at most {frequency:.3g} rad/s"
    elif step == motion:
        reason = f"a fifth of the time in which a body moves by {radius_text}"
    elif step == fall:
        reason = f"a part of the time in which a body falls by {radius_text}"
    else:
        reason = "as nothing asks for a shorter one"
    power = 10.0 ** floor(log10(step))
    return next(n * power for n in (5.0, 2.0, 1.0) if n * power <= step * (1.0 + 1e-9)), reason
