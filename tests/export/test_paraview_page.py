"""The script on the page about ParaView draws a picture."""

from __future__ import annotations

import re
import shutil
import subprocess

import numpy as np
import pytest
from child import ROOT
from scene_text import SCENES
from screen import SERVER, virtual_screen

import mbplugin as mb


@pytest.mark.skipif(
    not (shutil.which("pvpython") and SERVER), reason="ParaView (pvpython) or Xvfb is not installed"
)
def test_the_script_of_the_page_draws_bodies_arrows_and_scale(tmp_path):
    import imageio.v3 as iio

    mb.System.from_file(SCENES / "piston_crank", {"output.frames": "30"}).run(tmp_path / "out")
    _, code = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "paraview.md").read_text(), re.DOTALL)
    (tmp_path / "picture.py").write_text(code)
    line = ["pvpython", "picture.py", "out", "picture.png"]
    with virtual_screen() as screen:
        ran = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, timeout=300, env=screen)
    assert (tmp_path / "picture.png").exists(), ran.stdout + ran.stderr
    picture = iio.imread(tmp_path / "picture.png")[:, :, :3].astype(int)
    assert picture.shape == (540, 960, 3)
    red, green, blue = np.moveaxis(picture, 2, 0)
    bodies, letters = picture.min(axis=2) < 240, picture.max(axis=2) < 40
    arrows = (red > 90) & (green < 40) & (blue > 40) & (blue < 120)
    assert 0.05 < bodies.mean() < 0.6
    assert arrows.sum() > 300
    assert letters[300:, 850:].sum() > 100
