"""Texts of small scenes for analyses."""

from __future__ import annotations

import numpy as np
from scene_text import NO_GRAVITY, body, joint, motion, solver, world

import mbplugin as mb


def system(text: str) -> mb.System:
    return mb.System.from_text(text)


def slider_crank(throw: float = 0.05, rod: float = 0.2, angle: str | None = "3.0*time") -> str:
    """A planar slider-crank without masses; pins and a slider to ground: 9 velocities, 8 rows, and a motion."""
    text = NO_GRAVITY
    for name, x in (("crank", 0.0), ("rod", throw + rod / 2), ("piston", throw + rod)):
        text += body(name, type="planar", position=[x, 0])
    text += joint("main", "pin", "ground", "crank")
    text += joint("big_end", "pin", "crank", "rod", at=[throw, 0])
    text += joint("small_end", "pin", "rod", "piston", at=[throw + rod, 0])
    text += joint("bore", "translational", "ground", "piston", axis=[1, 0, 0], at=[throw + rod, 0])
    return text + (motion("main", angle=angle) if angle is not None else "") + solver(end=2.0)


def hanging_chain(rods: int, length: float, span: float, density: float = 2.0) -> str:
    """A chain of equal planar rods between two points at one height, laid out as a V."""
    side, mass = length / rods, density * length / rods
    slope = np.arctan2(np.sqrt(length**2 - span**2), span)
    angles = np.where(np.arange(rods) < rods // 2, -slope, slope)
    nodes = np.vstack(
        [np.zeros(2), np.cumsum(side * np.column_stack([np.cos(angles), np.sin(angles)]), axis=0)]
    )
    text = world(gravity=[0, -9.81, 0])
    for i, angle in enumerate(angles):
        text += body(
            f"rod{i}",
            type="planar",
            mass=mass,
            inertia=mass * side**2 / 12,
            position=(nodes[i] + nodes[i + 1]) / 2,
            orientation={"angle_deg": float(np.degrees(angle))},
        )
    for i in range(rods):
        text += joint(f"pin{i}", "pin", "ground" if i == 0 else f"rod{i - 1}", f"rod{i}", at=nodes[i])
    return text + joint("last", "pin", "ground", f"rod{rods - 1}", at=nodes[-1])
