"""Modes of scenes whose truth is a run, against the one equation of that truth."""

from __future__ import annotations

from runpy import run_path

import numpy as np
from scene_text import SCENES
from scipy.optimize import brentq

import mbplugin as mb


def test_the_mode_of_the_double_wishbone_is_that_of_the_equation_in_its_angle():
    truth = run_path(str(SCENES / "double_wishbone" / "truth.py"))
    one = truth["Suspension"]()
    rest = brentq(lambda a: one.force(1.0, a, 0.0), -0.1, 0.1, xtol=1e-14)
    h = 1e-4
    stiffness = (one.force(1.0, rest - h, 0.0) - one.force(1.0, rest + h, 0.0)) / (2 * h)
    damping = truth["DAMPING"] * one.shortening(rest) ** 2
    omega = np.sqrt(stiffness / one.mass(rest))
    (mode,) = mb.System.from_file(SCENES / "double_wishbone").analyze("eigen").modes
    assert abs(mode.omega / omega - 1) < 1e-6
    assert abs(mode.zeta - damping / (2 * omega * one.mass(rest))) < 1e-6
