"""Three wheels on parallel axes whose turns are coupled: J_i θ̈_i = T_i + c_i λ, Σ c_i θ̈_i = 0."""

from __future__ import annotations

import numpy as np

J = np.array([0.5, 0.8, 1.1])
C = np.array([2.0, -1.0, 0.5])
T = np.array([3.0, 0.5, -0.7])
SCENE = (
    "".join(
        f"""
[[body]]
name = "wheel{i}"
mass = 2.0
inertia = [1.0, 1.0, {J[i]}]
position = [{i}, 0, 0]
[[joint]]
name = "axle{i}"
type = "revolute"
a = "ground"
b = "wheel{i}"
at = [{i}, 0, 0]
axis = [0, 0, 1]
[[force]]
type = "torque"
body = "wheel{i}"
torque_z = {T[i]}
"""
        for i in range(3)
    )
    + f"""
[[joint]]
name = "gears"
type = "foreign_coupler"
joints = ["axle0", "axle1", "axle2"]
ratios = {C.tolist()}
[solver]
tolerance = 1e-9
end = 6.0
"""
)


def test_three_coupled_wheels_turn_as_the_formula_says_over_many_turns(runs):
    prepared = runs.prepare(SCENE)
    assert prepared.rank.dof == 2
    acceleration = (T - C * (C @ (T / J)) / (C @ (C / J))) / J
    frames = runs.frames(SCENE, [0.0, 2.0, 6.0])
    for t, frame in zip((0.0, 2.0, 6.0), frames):
        np.testing.assert_allclose(frame["coordinates/value"], 0.5 * acceleration * t * t, atol=1e-8)
        np.testing.assert_allclose(frame["coordinates/speed"], acceleration * t, atol=1e-8)
        assert abs(float(frame["energy/balance"])) < 1e-8
    assert np.abs(frames[-1]["coordinates/value"]).max() > 2 * 2 * np.pi
