"""Memory and events: a force F that always points back to x = 0 makes parabolas of period 4 √(2 x₀ m/F)."""

from __future__ import annotations

import numpy as np
from headless import show
from scene_text import NO_GRAVITY, body, solver, table

SCENE = (
    NO_GRAVITY
    + body("ball", mass=2.0, inertia=[1, 1, 1], position=[0.5, 0, 0])
    + table("force", type="foreign_latch", body="ball", size=3.0)
    + solver(tolerance=1e-09, end=10.0)
)


def test_the_memory_flips_where_the_event_is(runs):
    m, F, x0 = 2.0, 3.0, 0.5
    quarter = np.sqrt(2 * x0 * m / F)
    prepared = runs.prepare(SCENE)
    integrator = prepared.start(10.0)
    for t in np.linspace(0.3, 10.0, 12):
        show(integrator, 10.0, float(t))
        phase = (t / quarter) % 4.0
        side = 1.0 if phase < 1 or phase > 3 else -1.0
        s = phase if phase < 1 else 2 - phase if phase < 3 else 4 - phase
        exact = side * (x0 - 0.5 * F / m * (quarter * s) ** 2)
        np.testing.assert_allclose(prepared.recorder.frame()["bodies/position"][0, 0], exact, atol=1e-9)
    assert integrator.statistics["events"] == int(10.0 / quarter + 1) // 2
