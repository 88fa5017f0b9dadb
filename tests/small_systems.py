"""Texts of small systems that several tests start from."""

from __future__ import annotations

import numpy as np
from scene_text import NO_GRAVITY, body, joint, solver, world

TIMES = np.linspace(0.0, 2.0, 21)
#: a body that nothing holds
FREE_BODY = body("a", mass=1.0, inertia=[1, 1, 1])


def pendulum(
    name="rod", hinge="pivot", position=(0.5, 0, 0), mass=1.0, inertia=(0.1, 0.1, 0.1), axis=(0, 1, 0), **keys
):
    """A body on a hinge at the origin, about y unless `axis` is given; `keys` of the hinge."""
    rod = body(name, mass=mass, inertia=inertia, position=position)
    return rod + joint(hinge, "revolute", "ground", name, axis=axis, **keys)


#: a rod of 1 kg that swings about y, 0.5 m from its pivot
SWING = pendulum(inertia=[0.01, 0.1, 0.1])


def colliding(name, shape, material, **keys):
    """A body of one shape, a table, that collides."""
    return body(name, collide=True, material=material, shape=[shape], **keys)


def chain(links, kinds=("revolute", "ball"), **keys):
    """Links in a row from the ground, joined by the kinds in turn; `keys` of all joints."""
    return "".join(
        body(f"b{i}", mass=1 + 0.3 * i, inertia=[0.1, 0.2, 0.25], position=[i + 0.5, 0.2 * i, 0.1])
        + joint(
            f"j{i}",
            kinds[i % len(kinds)],
            f"b{i - 1}" if i else "ground",
            f"b{i}",
            at=[i, 0.2 * i, 0],
            axis=[0.2, 1, 0.3],
            **keys,
        )
        for i in range(links)
    )


def planar_pair(kind, plane, axis=None, spin=0.0):
    """Two planar bodies with a joint `tried` between them, in a plane of the world, without gravity; body a
    has the angular velocity `spin` [rad/s].
    """
    return (
        world(gravity=[0, 0, 0], plane=plane)
        + body("a", type="planar", mass=1.0, inertia=0.3, position=[0.1, 0.2], angular_velocity=spin)
        + body("b", type="planar", mass=2.0, inertia=0.5, position=[1.1, 0.5])
        + joint("tried", kind, "a", "b", at=[0.6, 0.3], axis=axis)
    )


def two_wheels(more="", angle=0.3, speed=1.5, **keys):
    """Bodies p and q on hinges a and b along z, of 0.2 and 0.3 kg m². Hinge a has a start unless `angle` is
    None; `keys` of the solver.
    """
    start = None if angle is None else {"angle": angle, "speed": speed}
    return (
        NO_GRAVITY
        + body("p", mass=1, inertia=[0.1, 0.1, 0.2])
        + body(
            "q",
            mass=1,
            inertia=[0.2, 0.2, 0.3],
            position=[1, 0, 0],
            marker=[{"name": "rim", "position": [0.5, 0, 0]}],
        )
        + joint("a", "revolute", "ground", "p", axis=[0, 0, 1], start=start)
        + joint("b", "revolute", "ground", "q", at=[1, 0, 0], axis=[0, 0, 1])
        + more
        + solver(**({"tolerance": 1e-10, "end": 2} | keys))
    )


def run_two_wheels(runs, more, angle=0.3, speed=1.5, times=TIMES):
    """Angles, rates and drives of a and b as columns, and the energy balance."""
    frames = runs.frames(two_wheels(more, angle, speed), times)
    stack = lambda key: np.array([f[f"coordinates/{key}"] for f in frames])
    balance = np.array([f["energy/balance"] for f in frames])
    return stack("value"), stack("speed"), stack("drive"), balance
