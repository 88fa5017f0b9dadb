"""Primitives of joints: the decomposition of Ansys Motion's theory manual, and one freedom removed by each
row.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from mbplugin_joints import KINDS
from scene_text import NO_GRAVITY, body, joint

#: joint -> its basic constraints, and the rows of all; Parallel is Dot1(x, z) and Dot1(y, z)
MANUAL = {
    "revolute": ({"Dot1": 2, "Spherical": 1}, 5),
    "translational": ({"Dot1": 3, "Dot2": 2}, 5),
    "fixed": ({"Dot1": 3, "Spherical": 1}, 6),
    "cylindrical": ({"Dot1": 2, "Dot2": 2}, 4),
    "ball": ({"Spherical": 1}, 3),
    "universal": ({"Dot1": 1, "Spherical": 1}, 4),
    "universal_rotation": ({"Dot1": 1}, 1),
    "planar": ({"Dot1": 2, "Dot2": 1}, 3),
    "rod": ({"Distance": 1}, 1),
    "parallel": ({"Dot1": 2}, 2),
    "orientation": ({"Orientation": 1}, 3),
}


def two(kind):
    """Text of two bodies with a joint between a marker of each."""
    y = 0.4 if kind == "rod" else -0.2
    marker = lambda *at: [{"name": "m", "position": at}]
    return (
        NO_GRAVITY
        + body("a", mass=1.0, inertia=[0.1, 0.2, 0.25], marker=marker(0.5, 0.2, 0.1))
        + body("b", mass=2.0, inertia=[0.3, 0.2, 0.4], position=[1.1, 0.4, -0.2], marker=marker(-0.6, y, 0.3))
        + joint("tried", kind, "a.m", "b.m")
    )


@pytest.mark.parametrize("kind", MANUAL)
def test_a_joint_has_the_primitives_of_the_manual_and_removes_a_freedom_for_each_row(runs, kind):
    primitives, rows = MANUAL[kind]
    made_of = {each.name: each for each in KINDS}[kind].primitives()
    assert Counter(name.partition("(")[0] for name in made_of) == primitives
    found = runs.prepare(two(kind))
    assert (found.rank.rows, found.rank.rank, found.rank.dof) == (rows, rows, 12 - rows)
    assert np.linalg.matrix_rank(found.problem.jacobian()) == rows
