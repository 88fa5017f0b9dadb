"""A ball that a joint holds hits the floor: one impact, with the restitution of the floor."""

from __future__ import annotations

import numpy as np
import pytest
from blocks import Watch, ball, contact_solver
from mbplugin_contact.arrays import Contacts
from scene_text import joint, table, world

RADIUS, SPEED, AIR = 0.1, 1.0, 5e-3
MASS = np.array([1.0] * 3 + [0.4 * RADIUS**2] * 3)
STIFF = {"type": "penalty", "stiffness": 1e7, "damping": 1e3, "angular_stiffness": 1e5, "angular_damping": 10}
HINGE = {"type": "revolute", "at": [0, 0, 0], "axis": [0, 1, 0]}
#: how the ball is held at (−1, 0, 0): it can move along z
JOINTS = {
    "hinge": HINGE,
    "ball": {"type": "ball", "at": [0, 0, 0]},
    "rod": {"type": "rod"},
    "slider": {"type": "translational", "at": [-1, 0, 0], "axis": [0, 0, 1]},
    "planar": {"type": "planar", "at": [-1, 0, 0], "axis": [0, 1, 0]},
    "cylindrical": {"type": "cylindrical", "at": [-1, 0, 0], "axis": [0, 0, 1]},
    "point on a line": {"type": "point_on_line", "at": [-1, 0, 0], "axis": [0, 0, 1]},
    "point on a plane": {"type": "point_on_plane", "at": [-1, 0, 0], "axis": [0, 1, 0]},
    "orientation": {"type": "orientation", "at": [-1, 0, 0]},
    "penalty": {**HINGE, "enforce": STIFF},
}


def falling(held: str, restitution: float, step: float) -> str:
    """The ball above the floor, without gravity; its centre moves down at `SPEED`."""
    rate = [0, -SPEED, 0] if held in ("hinge", "ball", "penalty") else [0, 0, 0]
    plane = {"type": "plane", "position": [0, 0, -RADIUS - AIR]}
    return (
        world(gravity=[0, 0, 0], collide=True, material="stone", shape=[plane])
        + table("material", name="stone", restitution=restitution)
        + ball("bob", RADIUS, 1.0, [-1, 0, 0], velocity=[0, 0, -SPEED], angular_velocity=rate)
        + joint("hold", a="ground", b="bob", **JOINTS[held])
        + contact_solver(step)
    )


#: (restitution, step) of the default run, and further ones
BOTH = [(0.3, 2e-3), (0.8, 1e-3), (1.0, 1e-3)]
FURTHER = [(e, h) for e in (0.3, 0.5, 0.8, 1.0) for h in (2e-3, 1e-3, 2e-4) if (e, h) not in BOTH]


@pytest.mark.parametrize(
    ("restitution", "step"), [*BOTH, *(pytest.param(*both, marks=pytest.mark.slow) for both in FURTHER)]
)
@pytest.mark.parametrize("held", JOINTS)
def test_what_a_joint_holds_rebounds_once(runs, held, restitution, step):
    """Newton's law along the one way that is left: v⁺ = −e v⁻, up to what the rows turn within a step, of the
    order (h ω)². Then nothing acts on the ball; a penalty of 1e7 N/m gives way by 0.3 mm and vibrates.
    """
    count = round(0.02 / step)
    watch = Watch(runs, falling(held, restitution, step))
    speeds, energies = [], []
    for _ in watch.steps(count):
        speeds.append(watch.v[0, 2])
        energies.append(0.5 * MASS @ watch.v[0] ** 2)
        assert watch.record.missed == 0
    hit = int(np.argmax(np.array(speeds) > 0.0))
    assert hit * step == pytest.approx(AIR / SPEED, abs=step)
    assert speeds[:hit] == pytest.approx([-SPEED] * hit, rel=1e-4)
    rebound = restitution * SPEED
    assert speeds[hit] == pytest.approx(rebound, rel=1e-4)
    assert speeds[hit:] == pytest.approx([rebound] * (count - hit), rel=0.1 if held == "penalty" else 1e-3)
    assert max(energies) <= energies[0] * (1.0 + (1e-5 if held == "penalty" else 1e-6))
    assert watch.problem[Contacts].impacts[0] == 1
