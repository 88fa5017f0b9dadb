"""Two wheels on axles along z, of 0.2 and 0.3 kg m², and what drives them."""

from __future__ import annotations

import numpy as np

TWO_WHEELS = """
[scene]
gravity = [0, 0, 0]
[[body]]
name = "p"
mass = 1
inertia = [0.1, 0.1, 0.2]
[[body]]
name = "q"
mass = 1
inertia = [0.2, 0.2, 0.3]
position = [1, 0, 0]
marker = [{{ name = "rim", position = [0.5, 0, 0] }}]
[[joint]]
name = "a"
type = "revolute"
a = "ground"
b = "p"
axis = [0, 0, 1]
{start}
[[joint]]
name = "b"
type = "revolute"
a = "ground"
b = "q"
at = [1, 0, 0]
axis = [0, 0, 1]
{more}
[solver]
tolerance = 1e-10
end = 2
"""
TIMES = np.linspace(0.0, 2.0, 21)


def scene(more, angle, speed):
    start = f"start = {{ angle = {angle}, speed = {speed} }}" if angle is not None else ""
    return TWO_WHEELS.format(more=more, start=start)


def run(runs, more, angle=0.3, speed=1.5, times=TIMES):
    """Angles, rates and drives of a and b as columns, and the energy balance; angle None: `a` is driven and
    has no start.
    """
    frames = runs.frames(scene(more, angle, speed), times)
    stack = lambda key: np.array([f[f"coordinates/{key}"] for f in frames])
    balance = np.array([f["energy/balance"] for f in frames])
    return stack("value"), stack("speed"), stack("drive"), balance


def torque(body, text):
    return f'[[force]]\ntype = "torque"\nbody = "{body}"\ntorque_z = "{text}"\n'


def variable(name, value, start=None):
    return f'[[variable]]\nname = "{name}"\nvalue = "{value}"\n' + (
        f"start = {start}\n" if start is not None else ""
    )


def motion(joint, key, text):
    return f'[[motion]]\njoint = "{joint}"\n{key} = "{text}"\n'
