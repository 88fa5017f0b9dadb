"""Two planar bodies with a joint between them, in a plane of the world, as a scene without gravity."""

from __future__ import annotations


def planar_pair(kind, plane, axis="", spin=0.0, more=""):
    """`axis`: a line of the joint. `spin` [rad/s]: of body a. `more`: further tables, forces and the solver."""
    return f"""
[scene]
gravity = [0, 0, 0]
plane = "{plane}"
[[body]]
name = "a"
type = "planar"
mass = 1.0
inertia = 0.3
position = [0.1, 0.2]
angular_velocity = {spin}
[[body]]
name = "b"
type = "planar"
mass = 2.0
inertia = 0.5
position = [1.1, 0.5]
[[joint]]
name = "tried"
type = "{kind}"
a = "a"
b = "b"
at = [0.6, 0.3]
{axis}
{more}
"""
