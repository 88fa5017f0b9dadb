"""Velocities and accelerations of markers of random systems are the time derivatives of their positions."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from random_systems import few, movable, scenes, show

from mbplugin.kernels import entries
from mbplugin.tables.groups import FrameValues, Markers

STEP = 2e-3


@few(40)
@given(scenes())
def test_the_motion_of_a_marker_is_the_derivative_of_its_position(runs, scene):
    """Differences of fourth order over five frames; how far those of second order are from them tells how
    fast the motion changes.
    """
    moving = movable(runs, scene)
    (shown,) = show(runs, moving, (0.15,), tolerance=1e-12)
    problem = shown.problem
    markers = problem[Markers]
    x, v = [], []
    for k in (-2, -1, 1, 2):
        shown = show(runs, moving, (0.15 + k * STEP,), tolerance=1e-12)[0]
        x.append(shown.problem[Markers].x.copy())
        v.append(shown.problem[Markers].v.copy())
    second = lambda y: (y[2] - y[1]) / (2 * STEP)
    fourth = lambda y: (8 * (y[2] - y[1]) - (y[3] - y[0])) / (12 * STEP)
    doubt = lambda y: 0.3 * np.abs(fourth(y) - second(y)).max()
    entries.marker_rates(problem.addresses)
    linear = problem[FrameValues].v_dot
    assert np.abs(fourth(x) - markers.v).max() <= 1e-7 * (1.0 + np.abs(markers.v).max()) + doubt(x)
    assert np.abs(fourth(v) - linear).max() <= 1e-6 * (1.0 + np.abs(linear).max()) + doubt(v)
