"""Orders at step ends, fitted on a smooth nonlinear motion; events keep them."""

from __future__ import annotations

import numpy as np
import pytest

from mbplugin.tables.groups import State
from mbplugin_lagrange import step

SCENE = """
[[body]]
name = "upper"
mass = 1.0
inertia = [0.002, 0.08, 0.08]
position = [0.5, 0, 0]
[[body]]
name = "lower"
mass = 1.0
inertia = [0.002, 0.08, 0.08]
position = [1.5, 0, 0]
[[joint]]
name = "shoulder"
type = "revolute"
a = "ground"
b = "upper"
axis = [0, 1, 0]
[[joint]]
name = "elbow"
type = "ball"
a = "upper"
b = "lower"
at = [1, 0, 0]
start_hint = 0
[solver]
end = 0.5
""".replace("start_hint = 0\n", "")


def end_state(runs, integrator, steps):
    """q after `steps` equal steps to 0.5 s: the step is fixed by leaving out the error test."""
    prepared = runs.prepare(SCENE + f'integrator = "{integrator}"\ntolerance = 1e-8\nstep = {0.5 / steps!r}\n')
    rk = prepared.start(0.5)
    rk.store.number[step.FIXED] = 0.5 / steps
    rk.tableau = rk.tableau._replace(power=0)
    assert rk.advance(0.5, np.inf, 10**7) == "end"
    assert rk.statistics["steps"] == steps
    return prepared.problem[State].q.copy()


@pytest.mark.parametrize(("integrator", "order", "steps"), [("rk4", 4, (40, 80)), ("dp5", 5, (24, 48)), ("dop853", 8, (8, 16))])
def test_order(runs, integrator, order, steps):
    exact = end_state(runs, "dop853", 200)
    errors = [np.abs(end_state(runs, integrator, n) - exact).max() for n in steps]
    assert errors[1] > 1e-13  # above rounding, or the fit means nothing
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.45)


@pytest.mark.parametrize("integrator", ['integrator = "rk4"\nstep = 0.013', 'integrator = "dp5"', 'integrator = "dop853"'])
def test_a_force_that_jumps_is_integrated_exactly(runs, integrator):
    scene = f"""
[scene]
gravity = [0, 0, 0]
[[body]]
name = "mass"
mass = 2.0
inertia = [1, 1, 1]
[[force]]
type = "force"
body = "mass"
force_x = "3*step(time - 0.31) - max(time - 0.6, 0)"
[solver]
end = 1.0
{integrator}
"""
    frame = runs.frames(scene, [0.0, 1.0])[-1]
    assert frame["bodies/position"][0, 0] == pytest.approx((3 * 0.5 * 0.69**2 - 0.4**3 / 6) / 2, abs=1e-14)
