"""One mechanism in two choices of motion variables: x, y, θ of planar bodies, or six velocities of spatial
ones.
"""

from __future__ import annotations

import numpy as np

PLANAR = """
[scene]
gravity = [0, -9.81, 0]
[[body]]
name = "crank"
type = "planar"
mass = 1.0
inertia = 0.02
position = [0.1, 0]
[[body]]
name = "rod"
type = "planar"
mass = 0.8
inertia = 0.05
position = [0.45, 0]
[[body]]
name = "slider"
type = "planar"
mass = 2.0
inertia = 0.01
position = [0.7, 0]
[[joint]]
name = "main"
type = "pin"
a = "ground"
b = "crank"
start = { speed = 9.0 }
[[joint]]
name = "crank_pin"
type = "pin"
a = "crank"
b = "rod"
at = [0.2, 0]
[[joint]]
name = "wrist_pin"
type = "pin"
a = "rod"
b = "slider"
at = [0.7, 0]
[[joint]]
name = "guide"
type = "translational"
a = "ground"
b = "slider"
at = [0.7, 0]
axis = [1, 0, 0]
[[force]]
type = "spring_damper"
a = "ground"
b = "slider"
stiffness = 60.0
damping = 1.5
length = 0.5
[solver]
tolerance = 1e-10
end = 2.0
"""
SPATIAL = (
    PLANAR.replace('type = "planar"\n', "")
    .replace(", 0]\n", ", 0, 0]\n")
    .replace("[0, -9.81, 0, 0]", "[0, -9.81, 0]")
    .replace("[1, 0, 0, 0]", "[1, 0, 0]")
)
# the wrist pin as a point on a line closes the loop without redundancy
SPATIAL = SPATIAL.replace(
    '"wrist_pin"\ntype = "pin"', '"wrist_pin"\ntype = "point_on_line"\naxis = [0, 0, 1]'
)
SPATIAL = SPATIAL.replace('type = "pin"', 'type = "revolute"\naxis = [0, 0, 1]')
for moment in ("0.02", "0.05", "0.01"):
    SPATIAL = SPATIAL.replace(f"inertia = {moment}\n", f"inertia = [0.04, 0.05, {moment}]\n")


def test_planar_and_spatial_bodies_move_alike(runs):
    """Over three and a half turns with a spring and a damper: positions, speeds, energy and the force of the
    crank pin.
    """
    times = np.linspace(0.0, 2.0, 21)
    assert runs.prepare(PLANAR).problem.nv == 9 and runs.prepare(SPATIAL).problem.nv == 18
    for flat, full in zip(runs.frames(PLANAR, times), runs.frames(SPATIAL, times)):
        for key in ("bodies/position", "bodies/velocity", "bodies/angular_velocity"):
            np.testing.assert_allclose(flat[key], full[key], atol=1e-8)
        for key in ("energy/kinetic", "energy/potential", "energy/dissipated"):
            np.testing.assert_allclose(flat[key], full[key], atol=1e-7)
        np.testing.assert_allclose(flat["joints/force"][1], full["joints/force"][1], atol=1e-5)
