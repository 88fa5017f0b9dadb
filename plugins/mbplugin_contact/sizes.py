"""Sizes of shapes, and the step that follows from them."""

from __future__ import annotations

from collections.abc import Iterable
from math import floor, inf, log10, sqrt
from typing import Any

from mbplugin_contact.outlines import outline_of, width_of

#: parts of the time √(radius / g) in which the smallest shape falls by its radius, and of that in which the
#: fastest body moves by it
OF_FALL, OF_MOTION = 0.03, 0.2
#: part of 1/ω of the fastest vibration of a body that deforms; steps above 2/ω are unstable without damping
OF_VIBRATION = 1.6
#: error of a gap that a step may foresee, in thicknesses
FORESEEN = 5e-3


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


def thickness(shape: Any) -> float:
    """Smallest width of a shape [m]; infinite for a half-space, of a node the distance of the next one, which
    may be larger.
    """
    if shape.kind is None:
        return 0.0
    if not shape.kind.bounded:
        return inf
    if shape.section is not None:
        width = width_of(outline_of(shape), shape.section.own_normal)
        return width if shape.section.alone else min(width, float(shape.kind.thickness(shape.keys_of_kind)))
    return max(float(shape.kind.thickness(shape.keys_of_kind)), getattr(shape, "_extent", 0.0))


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
    steps = [(1e-2, "as nothing asks for a shorter one"), *falling(system), *moving(system)]
    steps += [*turning(system), *vibrating(system)]
    step, reason = min(steps, key=lambda one: one[0])
    power = 10.0 ** floor(log10(step))
    return next(n * power for n in (5.0, 2.0, 1.0) if n * power <= step * (1.0 + 1e-9)), reason


def falling(system: Any) -> list[tuple[float, str]]:
    """The step for bodies that fall, and its reason; thin shapes of the ground do not fall."""
    gravity = sqrt(sum(g * g for g in system.scene.gravity))
    if gravity == 0.0:
        return []
    shapes = owned_shapes(system)
    of_bodies = [shape for owner, shape in shapes if owner is not system.scene]
    size, text = min(smallest(shape for _, shape in shapes), thinnest(of_bodies))
    return [(OF_FALL * sqrt(size / gravity), f"a part of the time in which a body falls by {text}")]


def moving(system: Any) -> list[tuple[float, str]]:
    """The step for the speeds at the start, and its reason."""
    speed = max((sqrt(sum(u * u for u in body.velocity)) for body in system.bodies), default=0.0)
    if speed == 0.0:
        return []
    shapes = [shape for _, shape in owned_shapes(system)]
    size, text = min(smallest(shapes), thinnest(shapes))
    return [(OF_MOTION * size / speed, f"a fifth of the time in which a body moves by {text}")]


def turning(system: Any) -> list[tuple[float, str]]:
    """The step for bodies that turn at the start past others that are no half-spaces, and its reason: as
    `short_enough.py` would divide it.
    """
    shapes = [(owner, shape, thickness(shape)) for owner, shape in owned_shapes(system) if shape.kind.bounded]
    steps = []
    for body, shape, thin in shapes:
        rate = sqrt(sum(w * w for w in getattr(body, "angular_velocity", ())))
        thin = min((thin, *(other for owner, _, other in shapes if owner is not body)))
        is_ball = rounding(shape) >= bounding_radius(shape)
        if rate > 0.0 and not is_ball and len({id(owner) for owner, _, _ in shapes}) > 1:
            reach = bounding_radius(shape) + sqrt(sum(x * x for x in shape.position))
            text = f'"{body.name}" turns at {rate:.3g} rad/s, and shapes are {thin:.3g} m thin'
            steps.append((sqrt(FORESEEN * thin / reach) / rate, f"as {text}"))
    return steps


def vibrating(system: Any) -> list[tuple[float, str]]:
    """The step for bodies that deform, and its reason."""
    step, frequency = fastest_vibration(system)
    return [(step, f"a part of the time of the fastest vibration, of at most {frequency:.3g} rad/s")]


def owned_shapes(system: Any) -> list[tuple[Any, Any]]:
    """The shapes that collide, each with its body, or the scene."""
    colliding = {id(shape) for _, shape in system.colliding()}
    return [(owner, shape) for owner, _, shape in system.shapes() if id(shape) in colliding]


def smallest(shapes: Iterable[Any]) -> tuple[float, str]:
    """`smallest_radius`, and what it is."""
    radius = smallest_radius(shapes)
    return radius, f"{radius:.3g} m, the smallest radius"


def thinnest(shapes: Iterable[Any]) -> tuple[float, str]:
    """The smallest thickness of these shapes, and what it is; infinite without any but half-spaces."""
    thin = min(map(thickness, shapes), default=inf)
    return thin, f"{thin:.3g} m, the smallest thickness"
