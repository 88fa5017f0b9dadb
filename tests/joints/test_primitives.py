"""What joints are made of: the decomposition of Ansys Motion's theory manual, and as many freedoms taken as
there are rows.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from mbplugin_joints import KINDS

#: joint -> its basic constraints, and the rows of all; Parallel is Dot1(x, z) and Dot1(y, z)
MANUAL = {
    "revolute": ({"Dot1": 2, "Spherical": 1}, 5),
    "translational": ({"Dot1": 3, "Dot2": 2}, 5),
    "fixed": ({"Dot1": 3, "Spherical": 1}, 6),
    "cylindrical": ({"Dot1": 2, "Dot2": 2}, 4),
    "ball": ({"Spherical": 1}, 3),
    "universal": ({"Dot1": 1, "Spherical": 1}, 4),
    "planar": ({"Dot1": 2, "Dot2": 1}, 3),
    "rod": ({"Distance": 1}, 1),
    "parallel": ({"Dot1": 2}, 2),
    "orientation": ({"Orientation": 1}, 3),
}
TWO = """
[scene]
gravity = [0, 0, 0]
[[body]]
name = "a"
mass = 1.0
inertia = [0.1, 0.2, 0.25]
marker = [{{ name = "m", position = [0.5, 0.2, 0.1] }}]
[[body]]
name = "b"
mass = 2.0
inertia = [0.3, 0.2, 0.4]
position = [1.1, 0.4, -0.2]
marker = [{{ name = "m", position = [-0.6, {y}, 0.3] }}]
[[joint]]
name = "tried"
type = "{kind}"
a = "a.m"
b = "b.m"
"""


@pytest.mark.parametrize("kind", MANUAL)
def test_a_joint_is_made_of_the_primitives_of_the_manual_and_takes_a_freedom_for_each_row(runs, kind):
    primitives, rows = MANUAL[kind]
    made_of = {each.name: each for each in KINDS}[kind].primitives()
    assert Counter(name.partition("(")[0] for name in made_of) == primitives
    found = runs.prepare(TWO.format(kind=kind, y=0.4 if kind == "rod" else -0.2))
    assert (found.rank.rows, found.rank.rank, found.rank.dof) == (rows, rows, 12 - rows)
    assert np.linalg.matrix_rank(found.problem.jacobian()) == rows
