"""The scripts on the page about ParaView draw pictures."""

from __future__ import annotations

import re
import shutil
import subprocess

import numpy as np
import pytest
from child import ROOT
from scene_text import SCENES
from screen import SERVER, no_settings, virtual_screen

import mbplugin as mb
from mbplugin.paraview import READER

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (shutil.which("pvpython") and SERVER), reason="ParaView (pvpython) or Xvfb is not installed"
    ),
]
PAGE = (ROOT / "docs" / "paraview.md").read_text()


def run(folder, script, *arguments):
    """Run the script of the page that has these words, in a folder."""
    (code,) = [b for b in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if script in b]
    (folder / "picture.py").write_text(code)
    line = ["pvpython", "picture.py", *arguments]
    with virtual_screen() as screen, no_settings(screen, folder / "home") as home:
        ran = subprocess.run(line, cwd=folder, capture_output=True, text=True, timeout=300, env=home)
    assert ran.stdout + ran.stderr == ""


def picture(file):
    import imageio.v3 as iio

    return iio.imread(file)[:, :, :3].astype(int)


def test_the_script_of_the_series_draws_bodies_arrows_and_scale(tmp_path):
    mb.System.from_file(SCENES / "piston_crank", {"output.frames": "30"}).run(tmp_path / "out")
    run(tmp_path, "/joints.pvd", "out", "picture.png")
    found = picture(tmp_path / "picture.png")
    assert found.shape == (540, 960, 3)
    red, green, blue = np.moveaxis(found, 2, 0)
    bodies, letters = found.min(axis=2) < 240, found.max(axis=2) < 40
    arrows = (red > 90) & (green < 40) & (blue > 40) & (blue < 120)
    assert 0.05 < bodies.mean() < 0.6
    assert arrows.sum() > 300
    assert letters[300:, 850:].sum() > 100


def test_the_script_of_the_reader_draws_speeds_arrows_and_energies_without_the_hidden_body(tmp_path):
    (text,) = [b for b in re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL) if "lintel" in b]
    mb.System.from_text(text).run(tmp_path / "out")
    run(tmp_path, "CONTACTS", str(READER), "out", "heap.png", "energies.png")
    found = picture(tmp_path / "heap.png")
    red, green, blue = np.moveaxis(found, 2, 0)
    arrows, posts = (green > 1.5 * red) & (found.max(axis=2) > 40), (blue > 2 * red) & (blue > 60)
    assert arrows.sum() > 2000 < posts.sum() and ((red > 2 * blue) & (red > 100)).sum() > 100
    assert (found[320:, 840:].max(axis=2) < 60).sum() > 100  # letters of the scale
    # nothing lies between the posts, where the lintel was
    assert (found[250:350, 560:600] > 240).all()
    lines = picture(tmp_path / "energies.png")
    coloured = lines.max(axis=2) - lines.min(axis=2) > 60
    assert coloured[:, 100:].sum() > 1000 and len(np.unique(lines[coloured], axis=0)) > 1
