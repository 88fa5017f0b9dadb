"""Texts of small scenes for analyses."""

from __future__ import annotations

import numpy as np
from scene_text import NO_GRAVITY, PLANAR_GRAVITY, body, bundled, changed, joint, motion, pin, solver
from scipy.optimize import brentq

import mbplugin as mb
from mbplugin.api import plugins
from mbplugin.run.analyze import assembled, at_rest

#: what hinges door_and_handle at the lower end
LOW = "at = [0, 0, 0.2]"


def system(text: str) -> mb.System:
    return mb.System.from_text(text)


def problem_of(text: str):
    """Assembled, with given velocities left out."""
    return assembled(at_rest(system(text)), plugins()[0])


def misaligned_door(off: float) -> mb.System:
    """door_and_handle with the lower hinge beside the axis of the upper one, `off` [m] along x."""
    return system(changed(bundled("door_and_handle"), LOW, f"at = [{off}, 0, 0.2]"))


def slider_crank(
    throw: float = 0.05,
    rod: float = 0.2,
    angle: str | None = "3.0*time",
    world: str = NO_GRAVITY,
    start: dict[str, float] | None = None,
    **keys: object,
) -> str:
    """A planar slider-crank: pins and a slider to ground, 9 velocities, 8 rows, and a motion of the crank
    unless `angle` is None. `start` of the crank; `keys` of the bodies, which have no masses otherwise.
    """
    text = world
    for name, x in (("crank", 0.0), ("rod", throw + rod / 2), ("piston", throw + rod)):
        text += body(name, type="planar", position=[x, 0], **keys)
    text += pin("main", "ground", "crank", 0.0, start=start)
    text += pin("big_end", "crank", "rod", throw) + pin("small_end", "rod", "piston", throw + rod)
    text += joint("bore", "translational", "ground", "piston", axis=[1, 0, 0], at=[throw + rod, 0])
    return text + (motion("main", angle=angle) if angle is not None else "") + solver(end=2.0)


def planar_rod(
    name: str, mass: float, length: float, position: object, angle: float = 0.0, **keys: object
) -> str:
    """A slender planar rod, turned by `angle` [rad] from x; `keys` of the body."""
    return body(
        name,
        type="planar",
        **{"mass": mass, "inertia": mass * length**2 / 12, "position": position} | keys,
        orientation={"angle_deg": float(np.degrees(angle))},
    )


def along(start: np.ndarray, lengths, angles) -> np.ndarray:
    """Ends (n + 1, 2) of rods in a row from `start`, of these lengths and at these angles from x."""
    steps = np.column_stack([lengths * np.cos(angles), lengths * np.sin(angles)])
    return np.vstack([start, start + np.cumsum(steps, axis=0)])


def hanging_chain(rods: int, length: float, span: float, density: float = 2.0) -> str:
    """A chain of equal planar rods between two points at one height, laid out as a V."""
    side, mass = length / rods, density * length / rods
    slope = np.arctan2(np.sqrt(length**2 - span**2), span)
    angles = np.where(np.arange(rods) < rods // 2, -slope, slope)
    nodes = along(np.zeros(2), side, angles)
    text = PLANAR_GRAVITY
    for i, angle in enumerate(angles):
        text += planar_rod(f"rod{i}", mass, side, (nodes[i] + nodes[i + 1]) / 2, angle)
        text += pin(f"pin{i}", f"rod{i - 1}" if i else "ground", f"rod{i}", *nodes[i])
    return text + pin("last", "ground", f"rod{rods - 1}", *nodes[-1])


def rods_in_balance(n: int, length: float, span: float, density: float) -> tuple[np.ndarray, float]:
    """Mass centres of the n equal rods of `hanging_chain` at rest, and the horizontal force H: tan θ_i =
    V_i / H with the vertical force V_i in the middle of rod i, and Σ l cos θ_i = span.
    """
    side = length / n
    V = (np.arange(n) + 0.5 - n / 2) * density * side * 9.81
    H = brentq(lambda H: np.sum(side / np.sqrt(1.0 + (V / H) ** 2)) - span, 1e-3, 1e3, xtol=1e-15, rtol=1e-15)
    ends = along(np.zeros(2), side, np.arctan2(V, H))
    return (ends[1:] + ends[:-1]) / 2, H
