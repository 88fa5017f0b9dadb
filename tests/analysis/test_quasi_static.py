"""Quasi-static sweeps: closed forms, minimised potentials, loops of hysteresis by hand, and damped runs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from refusals import refused
from scene_text import body, joint, motion, solver, table, world
from scipy.optimize import brentq, minimize_scalar

import mbplugin as mb
from mbplugin.errors import PhysicsError
from mbplugin.results.layout import STATUSES

G = 9.81


def swept(text: str, positions: int = 21, **options):
    return mb.System.from_text(text).analyze("static", positions=positions, **options)


def force(name: str, type: str, **keys) -> str:
    return table("force", name=name, type=type, **keys)


def triangle(size: float) -> str:
    """Up to `size` at t = 1, down to −`size` at 3, and up to `size` again at 5."""
    return f"{size}*(abs(time - 3) - 1 - 2*max(0, 1 - time))"


def play(u, width: float):
    """What follows u with a play of this half width, from rest at 0."""
    x, path = 0.0, []
    for value in u:
        x = min(max(x, value - width), value + width)
        path.append(x)
    return np.array(path)


#: two springs of rest length l0 that meet in an apex at the height h
L, H, K = 1.0, 0.2, 1e4
REST = math.hypot(L, H)
TRUSS = (
    world(gravity=[0, 0, 0])
    + table("scene.marker", name="left", position=[-L, 0, 0])
    + table("scene.marker", name="right", position=[L, 0, 0])
    + body("apex", type="point", mass=1, position=[0, 0, H])
    + joint("guide", "point_on_line", "ground", "apex", at=[0, 0, H], axis=[0, 0, 1])
    + force("first", "spring_damper", a="ground.left", b="apex", stiffness=K)
    + force("second", "spring_damper", a="ground.right", b="apex", stiffness=K)
)


def truss_force(z):
    length = np.hypot(L, z)
    return 2.0 * K * (length - REST) * z / length


def test_a_shallow_truss_snaps_through_at_its_fold_load():
    """The largest force of the two bars; then the branch on the other side."""
    text = TRUSS + force("load", "force", body="apex", force_z="-100*time") + solver(end=1)
    report = swept(text, 41)
    fold = minimize_scalar(truss_force, bounds=(0.01, H), method="bounded", options={"xatol": 1e-12})
    (jump,) = report.jumps
    assert jump.ended
    assert 100.0 * jump.time == pytest.approx(-truss_force(fold.x), rel=1e-8)
    beyond = brentq(lambda z: truss_force(z) - truss_force(fold.x), -2.0 * H, -H)
    assert jump.moved[0] == pytest.approx(fold.x - beyond, abs=2e-4)
    z = report.position[:, 0, 2]
    assert truss_force(z) == pytest.approx(-100.0 * report.states.time, abs=1e-7)
    assert ((z > 0.0) == (report.states.time < jump.time)).all()
    assert any("the branch of equilibria ends" in line for line in report.lines())


WIDTH, DRIVE, STIFF = 0.02, 0.05, 500.0
SLIDER = (
    world(gravity=[0, 0, -G])
    + body("carriage", mass=1, inertia=[1, 1, 1])
    + body("slider", mass=2, inertia=[1, 1, 1])
    + joint("rail", "translational", "ground", "carriage", axis=[1, 0, 0])
    + motion("rail", length=triangle(DRIVE))
    + force("spring", "spring_damper", a="carriage", b="slider", stiffness=STIFF, length=0)
    + solver(end=5)
)


@pytest.mark.parametrize("how", ["force", "coefficient"])
def test_a_slider_pulled_to_and_fro_by_a_spring_follows_with_play(how):
    """It sticks while |k (u − x)| < b, and slips at the bound: a loop of hysteresis."""
    bound = STIFF * WIDTH
    key = {"friction_force": bound} if how == "force" else {"friction": bound / (2.0 * G)}
    report = swept(SLIDER + joint("track", "translational", "ground", "slider", axis=[1, 0, 0], **key), 101)
    u, x = report.position[:, 0, 0], report.position[:, 1, 0]
    t = report.states.time
    assert u == pytest.approx(DRIVE * (np.abs(t - 3) - 1 - 2 * np.maximum(0, 1 - t)), abs=1e-14)
    assert x == pytest.approx(play(u, WIDTH), abs=1e-10)
    assert report.force[:, 0] == pytest.approx(-STIFF * (u - x), abs=1e-7)
    assert not report.jumps
    # where u − x stays at the bound it has slipped on the way
    names = [STATUSES[int(k)] for k in report.status[:, 0]]
    way = np.diff(x, prepend=0.0)
    expected = np.where(way > 1e-9, "slips forwards", np.where(way < -1e-9, "slips backwards", "sticks"))
    assert names == expected.tolist()
