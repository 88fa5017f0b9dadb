"""A slider-crank of two STL parts in millimetres, read as metres: the remark on units precedes the error."""

from __future__ import annotations

import numpy as np
import pytest
from scene_text import body, joint, motion, solver, table

import mbplugin as mb
from mbplugin.errors import SceneError

trimesh = pytest.importorskip("trimesh")
CRANK, ROD, ANGLE = 0.03, 0.09, np.deg2rad(40.0)
BIG_END = [CRANK * np.cos(ANGLE), 0, CRANK * np.sin(ANGLE)]
SMALL_END = [BIG_END[0] + np.sqrt(ROD**2 - BIG_END[2] ** 2), 0, 0]


def slider_crank(folder, scale: str) -> mb.System:
    for name, length in (("crank", 30.0), ("rod", 90.0)):
        part = trimesh.creation.box((length, 10.0, 5.0))
        part.apply_translation((length / 2, 0.0, 0.0))
        part.export(folder / f"{name}.stl")
    text = "".join(
        f'[[body]]\nname = "{name}"\ndensity = 7800\nposition = {[float(x) for x in place]}\n'
        f'shape = [{{ type = "mesh", file = "{name}.stl"{scale} }}]\n'
        for name, place in (("crank", [0, 0, 0]), ("rod", BIG_END))
    )
    text += body("piston", mass=0.1, inertia=[1e-5] * 3, position=SMALL_END)
    text += joint("main", "revolute", "ground", "crank", at=[0, 0, 0], axis=[0, 1, 0])
    text += joint("big_end", "revolute", "crank", "rod", at=BIG_END, axis=[0, 1, 0])
    text += joint("small_end", "revolute", "rod", "piston", at=SMALL_END, axis=[0, 1, 0])
    text += joint("guide", "translational", "ground", "piston", at=SMALL_END, axis=[1, 0, 0])
    text += motion("main", angle="20*time") + solver(end=0.1) + table("output", frames=10, series=False)
    (folder / "scene.toml").write_text(text)
    return mb.System.from_file(folder)


@pytest.mark.parametrize("start", [lambda s: s.run(files=False), lambda s: s.analyze("kinematic")])
def test_the_remark_on_units_comes_before_the_error(tmp_path, start):
    system = slider_crank(tmp_path, "")
    with pytest.warns(UserWarning, match=r"add scale = 0.001") as seen, pytest.raises(SceneError) as error:
        start(system)
    assert len([line for line in seen if "metres" in str(line.message)]) == 2
    assert "nearly dependent" in str(error.value) and "contradict each other" not in str(error.value)


def test_in_metres_the_piston_goes_where_the_formula_says(tmp_path):
    result = slider_crank(tmp_path, ", scale = 0.001").run(files=False)
    theta = ANGLE - 20.0 * result.time  # the axis is +y, so the crank turns from z to x
    x = CRANK * np.cos(theta) + np.sqrt(ROD**2 - (CRANK * np.sin(theta)) ** 2)
    np.testing.assert_allclose(result["piston"].position[:, 0], x, atol=1e-12)
