"""Statics, modes and implicit steps of finite-element bodies: what is refused, and by which name."""

import pytest

from mbplugin import System
from mbplugin.errors import SceneError

BLOCK = """
[[material]]
name = "rubber"
young = 1e6
poisson = 0.3
density = 1000
[[body]]
name = "block"
type = "finite_element"
material = "rubber"
mesh = { shape = "box", size = [0.4, 0.1, 0.1], divisions = [2, 1, 1] }
"""


def test_implicit_solvers_refuse_a_mesh_by_its_name():
    system = System.from_text(BLOCK + '[solver]\ntype = "galpha"\nend = 0.1\n')
    with pytest.raises(SceneError, match=r"block.*implicit"):
        system.run(files=False)
