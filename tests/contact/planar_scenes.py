"""Scenes of planar bodies in the plane "xz" that touch, and the same of spatial bodies."""

from __future__ import annotations

from math import cos, sin
from typing import Any

import numpy as np
from scene_text import body, solver, table, world

G = 9.81
#: half the thickness of shapes across the plane [m]
HALF = 0.05

#: shapes by name, as they lie in the plane; of the triangle the mass centre is its origin
SHAPES: dict[str, dict[str, Any]] = {
    "disc": {"type": "sphere", "radius": 0.12},
    "box": {"type": "box", "size": [0.3, 2 * HALF, 0.16]},
    "capsule": {
        "type": "capsule",
        "radius": 0.06,
        "length": 0.2,
        "orientation": {"axis": [0, 1, 0], "angle_deg": 90},
    },
    "triangle": {
        "type": "convex",
        "points": [[x, y, z] for y in (-HALF, HALF) for x, z in ((-0.15, -0.1), (0.15, -0.1), (0.0, 0.2))],
    },
}


def ground(shape: Any = None, gravity: float = G, **material: Any) -> str:
    """A ground of one material with these shapes; default a plane through the origin."""
    shape = [{"type": "plane", "size": [2, 2]}] if shape is None else shape
    keys = {"plane": "xz", "gravity": [0, 0, -gravity], "collide": True, "material": "stone", "shape": shape}
    return world(**keys) + table("material", name="stone", **material)


def planar(
    name: str, shape: Any, at: Any, angle: float = 0.0, velocity: Any = (0, 0), spin: float = 0.0, **keys: Any
) -> str:
    """A planar body; `spin` about the plane's normal, −y [rad/s]."""
    keys = {"type": "planar", "mass": 1.0, "inertia": 0.01, "orientation": {"angle": angle}} | keys
    keys |= {"position": list(at), "velocity": list(velocity), "angular_velocity": spin}
    return body(name, collide=True, material="stone", shape=[shape], **keys)


def spatial(
    name: str, shape: Any, at: Any, angle: float = 0.0, velocity: Any = (0, 0), spin: float = 0.0, **keys: Any
) -> str:
    """The spatial body that moves in the same way."""
    keys = {"mass": 1.0, "inertia": 0.01} | keys
    keys["inertia"] = [keys["inertia"]] * 3
    keys |= {
        "position": [at[0], 0, at[1]],
        "velocity": [velocity[0], 0, velocity[1]],
        "angular_velocity": [0, -spin, 0],
        "orientation": {"axis": [0, -1, 0], "angle": angle},
    }
    return body(name, collide=True, material="stone", shape=[shape], **keys)


def walls(size: float) -> list[dict[str, Any]]:
    """Four half-spaces around a square of this half edge."""
    return [
        {"type": "plane", "position": [-size * sin(a), 0, -size * cos(a)], "orientation": turn(a)}
        for a in np.pi / 2 * np.arange(4)
    ]


def turn(angle: float) -> dict[str, Any]:
    """The orientation of a half-space that descends along x at `angle` [rad]."""
    return {"axis": [0, 1, 0], "angle": float(angle)}


def contact(step: float = 1e-3, end: float = 1.0, every: float = 0.02, **keys: Any) -> str:
    """The solver, and few frames."""
    return solver(type="contact", step=step, end=end, **keys) + table("output", every=every)
