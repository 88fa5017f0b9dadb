"""Two joints that hold the same two bodies say the same twice, but only where both are closed: a slider and a
ball make one rigid body, which spins freely.

Off the constraints by an error of integration such rows contradict each other, and forces that know only one
position find no answer (or any).
"""

from __future__ import annotations

import numpy as np
import pytest
from random_systems import Body, Joint, Scene, in_motion, rotation, show
from test_momentum import momenta


def pair(seed: int) -> Scene:
    random = np.random.default_rng(seed)
    some = lambda size: size * random.normal(size=3)
    bodies = tuple(
        Body(
            f"body{k}",
            1.5 + k,
            np.array([0.1, 0.15, 0.2]) + 0.02 * k,
            rotation(some(1.0)),
            some(0.1),
            some(0.3) + np.array([k, 0, 0]),
            rotation(some(1.0)),
            some(0.2),
        )
        for k in range(2)
    )
    places = [(some(0.3) + np.array([0.5, 0, 0]), some(1.0)) for _ in range(2)]
    joints = tuple(
        Joint(f"j{i}", kind, 0, 1, at, axis)
        for (i, kind), (at, axis) in zip(enumerate(("translational", "ball")), places)
    )
    return Scene(bodies, joints, (), np.zeros(3), np.zeros(3))


@pytest.mark.parametrize("seed", [4, 27, 31, 41])
@pytest.mark.parametrize("tolerance", [1e-6, 1e-8])
def test_a_body_of_two_that_are_joined_twice_spins_as_one(runs, seed, tolerance):
    moving = in_motion(runs, pair(seed))
    shown = show(runs, moving, np.linspace(0.0, 0.8, 17), tolerance=tolerance)
    assert shown[0].prepared.rank.rows - shown[0].prepared.rank.rank == 2
    _, L0, _, l = momenta(moving, shown[0].frame)
    for s in shown:
        # also in frames inside of steps
        assert np.abs(momenta(moving, s.frame)[1] - L0).max() <= 2e-6 * l
        assert abs(s.frame["energy/balance"]) <= 1e-5
        w = s.frame["bodies/angular_velocity"]
        np.testing.assert_allclose(w[0], w[1], atol=1e-9)
    assert shown[-1].integrator.statistics["unconverged"] == 0
