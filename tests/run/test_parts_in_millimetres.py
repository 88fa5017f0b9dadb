"""The slider-crank of docs/cad.md, of two STL parts in millimetres. Read as metres, the remark on units
precedes the error.
"""

from __future__ import annotations

import re

import numpy as np
import pytest
from refusals import has
from scene_text import SCENES, table

import mbplugin as mb
from mbplugin.errors import MbpluginError

trimesh = pytest.importorskip("trimesh")
CRANK, ROD = 0.03, 0.09
#: length, width, height [mm] of the parts, and their ends
PARTS = {
    "crank": ((30.0, 10.0, 5.0), (0.0, 0.0), (0.0, 30.0)),
    "rod": ((90.0, 8.0, 6.0), (0.0, 30.0), (84.8528137423857, 0.0)),
}


def slider_crank(folder, scale=", scale = 0.001") -> mb.System:
    """The scene of the page, with parts drawn where they stand."""
    (folder / "parts").mkdir()
    for name, (size, start, end) in PARTS.items():
        part = trimesh.creation.box(size)
        (x0, z0), (x1, z1) = start, end
        turn = trimesh.transformations.rotation_matrix(-np.arctan2(z1 - z0, x1 - x0), [0, 1, 0])
        part.apply_transform(turn)
        part.apply_translation(((x0 + x1) / 2, 0.0, (z0 + z1) / 2))
        part.export(folder / "parts" / f"{name}.stl")
    (text,) = re.findall(r"^```toml\n(.*?)^```", (SCENES.parent / "docs" / "cad.md").read_text(), re.S | re.M)
    assert text.count(", scale = 0.001") == 2
    text = text.replace(", scale = 0.001", scale)
    (folder / "scene.toml").write_text(text + table("output", frames=10, series=False))
    return mb.System.from_file(folder)


def test_the_remark_on_units_precedes_the_error(tmp_path):
    system = slider_crank(tmp_path, scale="")
    with pytest.warns(UserWarning) as seen, pytest.raises(MbpluginError):
        system.analyze("kinematic")
    assert len([line for line in seen if has(str(line.message), "scale = 0.001")]) == 2


def test_in_metres_the_piston_goes_where_the_formula_says(tmp_path):
    system = slider_crank(tmp_path)
    result = system.run(files=False)
    # about +y, from z to x
    x, z = CRANK * np.sin(20.0 * result.time), CRANK * np.cos(20.0 * result.time)
    np.testing.assert_allclose(result["piston"].center_of_mass[:, 0], x + np.sqrt(ROD**2 - z**2), atol=1e-12)
    np.testing.assert_allclose(result["rod"].center_of_mass[0], [0.0424264068711928, 0.0, 0.015], atol=1e-9)
    problem = system.compile()
    assert problem.mass(problem.q)[6, 6] == pytest.approx(7850 * 90e-3 * 8e-3 * 6e-3, rel=1e-6)
