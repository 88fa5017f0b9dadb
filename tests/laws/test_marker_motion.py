"""Velocities and accelerations of markers of random systems are the time derivatives of their positions."""

from __future__ import annotations

import numpy as np
from headless import show
from random_systems import of_random_systems

from mbplugin.kernels import entries
from mbplugin.tables.groups import FrameValues, Markers

STEP = 2e-3


@of_random_systems(25, 100)
def test_the_motion_of_a_marker_is_the_derivative_of_its_position(system):
    """Differences of fourth order over five frames; how far those of second order are from them tells how
    fast the motion changes.
    """
    prepared = system.prepare(tolerance=1e-12)
    problem, integrator = prepared.problem, prepared.start(1.0)
    markers = problem[Markers]
    x, v = [], []
    for k in (-2, -1, 0, 1, 2):
        show(integrator, 1.0, 0.15 + k * STEP)
        if k == 0:
            entries.marker_rates(problem.addresses)
            velocity, acceleration = markers.v.copy(), problem[FrameValues].v_dot.copy()
        else:
            x.append(markers.x.copy())
            v.append(markers.v.copy())
    second = lambda y: (y[2] - y[1]) / (2 * STEP)
    fourth = lambda y: (8 * (y[2] - y[1]) - (y[3] - y[0])) / (12 * STEP)
    doubt = lambda y: 0.3 * np.abs(fourth(y) - second(y)).max()
    assert np.abs(fourth(x) - velocity).max() <= 1e-7 * (1.0 + np.abs(velocity).max()) + doubt(x)
    assert np.abs(fourth(v) - acceleration).max() <= 1e-6 * (1.0 + np.abs(acceleration).max()) + doubt(v)
