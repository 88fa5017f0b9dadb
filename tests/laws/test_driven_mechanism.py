"""A mechanism in which a motion drives every coordinate: positions are a matter of geometry alone."""

from __future__ import annotations

import numpy as np
import pytest
from scene_text import body, solver, table, world

import mbplugin as mb

OMEGA, R, D, L, LINK, H = 2.0 * np.pi, 0.1, 0.3, 0.6, 0.3, 0.55
PHI = float(np.arctan2(R, D))
TOP = (L * np.sin(PHI), L * np.cos(PHI))


def place(t):
    """Of the ram, along x, in closed form (quick-return shaper)."""
    angle = np.arctan2(R * np.cos(OMEGA * t), D - R * np.sin(OMEGA * t))
    return L * np.sin(angle) + np.sqrt(LINK**2 - (H - L * np.cos(angle)) ** 2)


def shaper(tolerance: float, off: float) -> mb.System:
    """A shaper; the mass centre of its link is `off` above its pins [m]."""
    ram = [float(place(0.0)), 0.0, H]
    box = {"density": 7800}
    parts = [
        body("crank", position=[0, 0, D], shape=[{"type": "box", "size": [R, 0.02, 0.03]}], **box),
        body("rocker", shape=[{"type": "box", "size": [0.04, 0.01, L], "position": [0, 0.03, L / 2]}], **box),
        body(
            "link",
            position=[(TOP[0] + ram[0]) / 2, 0, (TOP[1] + H) / 2 + off],
            shape=[{"type": "box", "size": [LINK, 0.01, 0.03]}],
            **box,
        ),
        body("ram", position=ram, shape=[{"type": "box", "size": [0.25, 0.04, 0.06]}], **box),
        pin("shaft", "ground", "crank", [0, 0, D]),
        pin("foot", "ground", "rocker", [0, 0, 0]),
        table("joint", name="slot", type="slot", a="rocker", b="crank", at=[R, 0, D], axis=[R, 0, D]),
        pin("top", "rocker", "link", [TOP[0], 0, TOP[1]]),
        pin("wrist", "link", "ram", ram),
        table("joint", name="guide", type="translational", a="ground", b="ram", at=ram, axis=[1, 0, 0]),
        table("motion", joint="shaft", angle=f"{OMEGA}*time"),
        table("force", type="force", name="cutting", body="ram", force_x="if(rate(guide.length), -400, 0)"),
    ]
    text = world(gravity=[0, 0, -9.81]) + "".join(parts) + solver(tolerance=tolerance, end=4.0)
    return mb.System.from_text(text)


def pin(name, a, b, at):
    return table("joint", name=name, type="revolute", a=a, b=b, at=list(map(float, at)), axis=[0, 1, 0])


@pytest.mark.parametrize(("off", "tolerance"), [(0.0, 1e-8), (0.55, 1e-9), (0.6, 1e-7), (0.6, 1e-9)])
def test_places_and_energy_do_not_depend_on_where_the_mass_is(off, tolerance):
    result = shaper(tolerance, off).run(files=False)
    assert np.abs(result["ram"].position[:, 0] - place(result.time)).max() < 1e-12
    assert result.drift_position.max() < 1e-12
    assert np.abs(result.energy.balance).max() < 1e-5 * result.energy.kinetic.max()
