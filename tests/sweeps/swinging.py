"""A pendulum whose length and start are parameters, and its period from the elliptic integral."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np
from scene_text import solver, table
from scipy.interpolate import CubicHermiteSpline
from scipy.special import ellipk
from small_systems import pendulum

#: moment of inertia about the mass centre [kg m²], gravity [m/s²]
INERTIA, GRAVITY = 0.002, 9.81
PENDULUM = (
    table("scene", gravity=[0.0, 0.0, -GRAVITY])
    + table("parameters", length=1.0, lean=0.3, mass=1.0)
    + pendulum(
        "bob", position=[0.0, 0.0, "-length"], mass="mass", inertia=[INERTIA] * 3, start={"angle": "lean"}
    )
    + solver(tolerance=1e-11, end=3.0)
    + table("output", frames=300)
)


def period(length, lean):
    """Of a pendulum of 1 kg [s]."""
    slow = 2.0 * np.pi * np.sqrt((length**2 + INERTIA) / (GRAVITY * length))
    return slow * 2.0 / np.pi * ellipk(np.sin(lean / 2.0) ** 2)


def measured_period(result):
    """Twice the time between two passages [s]."""
    swing = result.columns("pivot.angle", "pivot.angle.speed")
    crossings = CubicHermiteSpline(*(column.values for column in swing)).roots(extrapolate=False)
    return 2.0 * (crossings[1] - crossings[0])


def deadly(result):
    """Kills the worker of the heaviest bob, once if there is a file "once"."""
    heavy = result.system.parameters["mass"] > 2.5
    once = Path(os.environ["ONCE"])
    if heavy and once.exists():
        if once.read_text() == "once":
            once.unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    return result.system.parameters["mass"]
