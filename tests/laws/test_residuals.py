"""The residual of the constraint forces is rounding: no error estimate mistakes it for an error of the
step.
"""

from __future__ import annotations

import numpy as np
import pytest
from scene_text import body, joint, solver

#: two light bodies in a row: noise in the small crank's accelerations is what a tight tolerance sees first
CHAIN = (
    body("crank", mass=0.12, inertia=[0.0001, 0.0001, 0.0001], position=[0, 0, 0.04])
    + body("rod", mass=0.5, inertia=[0.0004, 0.004, 0.004], position=[0.15, 0, 0.08])
    + joint("pivot", "revolute", "ground", "crank", at=[0, 0, 0], axis=[1, 0, 0], start={"speed": 6.0})
    + joint("ball", "ball", "crank", "rod", at=[0, 0, 0.08])
)


def run(runs, **keys):
    """The first frame, and the statistics after one second; `keys` of the solver."""
    prepared = runs.prepare(CHAIN + solver(end=1.0, **keys))
    integrator = prepared.start(1.0)
    integrator.show(0.0)
    first = {key: np.array(value) for key, value in prepared.recorder.frame().items()}
    while integrator.advance(1.0, np.inf, 10**6) != "end":
        pass
    return first, integrator.statistics


@pytest.mark.parametrize("tolerance", [1e-8, 1e-10, 1e-12])
def test_joint_blocks_take_as_few_steps_as_the_whole_sparse_system(runs, tolerance):
    keys = {"integrator": "dop853", "tolerance": tolerance}
    _, blocks = run(runs, **keys)
    _, whole = run(runs, method="kkt", **keys)
    assert blocks["steps"] <= 1.1 * whole["steps"]


def test_velocities_begin_on_the_constraints_to_rounding(runs):
    first, _ = run(runs)
    # 6 rad/s on arms below 0.4 m
    assert first["constraints/drift_velocity"] <= 2e-15
    assert first["coordinates/speed"][0] == pytest.approx(6.0, abs=4e-15)
