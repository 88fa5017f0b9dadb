"""`mbplugin paraview`: a script with a first picture, and ParaView with it."""

from __future__ import annotations

import shutil
import subprocess

import numpy as np
import pytest
from child import command
from refusals import stopped
from scene_text import body, solver, world
from screen import SERVER, virtual_screen
from test_points import system

import mbplugin as mb
from mbplugin.errors import MissingLibraryError
from mbplugin.export.drawn import Drawn
from mbplugin.paraview import READER, script_of, start
from mbplugin.viz.gl import NoGraphicsError

DRAWS = pytest.mark.skipif(
    not (shutil.which("pvpython") and SERVER), reason="ParaView (pvpython) or Xvfb is not installed"
)
#: shows two columns of the table in a chart
CHART = """
from paraview.simple import CreateView
chart = CreateView("XYChartView")
shown = Show(OutputPort(result, 5), chart)
shown.UseIndexForXAxis, shown.XArrayName = 0, "time [s]"
shown.SeriesVisibility = ["energy.kinetic [J]", "energy.potential [J]"]
shown.SeriesColor = ["energy.kinetic [J]", "1", "0", "0", "energy.potential [J]", "0", "0", "1"]
shown.SeriesLabel = ["energy.kinetic [J]", "kinetic", "energy.potential [J]", "potential"]
Render(chart)
SaveScreenshot("chart.png", chart, ImageResolution=[600, 400])
"""
LIMIT = "result.UpdatePipelineInformation()\n"


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    return system(False).run(tmp_path_factory.mktemp("shown") / "run")


def drawn(script, folder, name, screen):
    """The picture that pvpython draws by a script, and what it prints."""
    (folder / f"{name}.py").write_text(script)
    line = ["pvpython", f"{name}.py", f"{name}.png"]
    ran = subprocess.run(line, cwd=folder, capture_output=True, text=True, timeout=300, env=screen)
    assert (folder / f"{name}.png").exists(), ran.stdout + ran.stderr
    return picture_of(folder / f"{name}.png"), ran.stdout + ran.stderr


def picture_of(file):
    import imageio.v3 as iio

    return iio.imread(file)[..., :3].astype(int)


@DRAWS
def test_the_first_picture_shows_blocks_and_glyphs_alike_in_the_colours_of_the_scene(result, tmp_path):
    script = script_of(result.raw)
    assert script.count(LIMIT) == 1 and not (result.folder / "result.pvd").exists()
    with virtual_screen() as screen:
        blocks, printed = drawn(script + CHART, tmp_path, "blocks", screen)
        glyphs, of_glyphs = drawn(
            script.replace(LIMIT, LIMIT + "result.BlockLimit = 1\n"), tmp_path, "glyphs", screen
        )
    assert printed == of_glyphs == ""
    red, green, blue = np.moveaxis(picture_of(tmp_path / "chart.png"), 2, 0)
    assert ((red > 200) & (green + blue < 100)).sum() > 200 < ((blue > 200) & (green + red < 100)).sum()
    shown = (np.abs(blocks - 255).sum(axis=2) > 150) & (blocks.max(axis=2) - blocks.min(axis=2) > 60)
    assert shown.mean() > 0.02
    assert (np.abs(blocks - glyphs).sum(axis=2) > 60).sum() < 0.02 * shown.sum()
    # nothing that moves touches the border
    assert not shown[:20].any() and not shown[-20:].any()
    assert not shown[:, :20].any() and not shown[:, -20:].any()
    # a colour is shaded by the light, but keeps its hue
    picture = blocks[shown] / np.linalg.norm(blocks[shown], axis=1, keepdims=True)
    for colour in np.unique(Drawn(result.raw.static()).colours(), axis=0):
        if np.ptp(colour.astype(int)) > 100:
            near = np.abs(picture - colour / np.linalg.norm(colour.astype(float))).max(axis=1) < 0.05
            assert near.sum() > 100, colour


def test_a_body_at_rest_that_is_a_point_is_seen_in_a_cube_of_one_metre(tmp_path):
    text = world(gravity=[0, 0, 0]) + body("dot", mass=1.0, inertia=[1, 1, 1], position=[1e5, 0, 0])
    raw = mb.System.from_text(text + solver(type="rk", end=1.0)).run(tmp_path / "run").raw
    values = values_of(script_of(raw))
    assert values["EXTENT"] == [1e5 - 0.5, 1e5 + 0.5, -0.5, 0.5, -0.5, 0.5]
    assert 0.5 < values["HALF"][1] < 1.0 and values["FOCUS"] == pytest.approx([1e5, 0, 0], abs=1e-6)


def values_of(script):
    """What a script says of its result."""
    values: dict = {}
    exec(script.partition("# ---- this result ----")[2].partition("# ----")[0], values)
    return values


def test_the_command_writes_the_script_and_names_the_reader(result, tmp_path):
    assert command("paraview", "--plugin-path", cwd=tmp_path).stdout.strip() == str(READER)
    folder = str(result.folder)
    printed = command("paraview", folder, "--forces", "--script", "-", cwd=tmp_path).stdout
    assert printed == script_of(result.raw, forces=True)
    values = values_of(printed)
    assert values["READER"] == str(READER) and values["RESULT"] == str(result.folder / "result.mbr")
    assert values["TIME"] == 0.01 and values["UP"] == [0.0, 1.0, 0.0] and values["FORCES"] is True
    done = command("paraview", folder, "--script", "picture.py", cwd=tmp_path)
    assert done.returncode == 0 and (tmp_path / "picture.py").read_text() == script_of(result.raw)
    assert command("paraview", cwd=tmp_path).returncode == 2


@pytest.fixture
def program(tmp_path, monkeypatch):
    """A program named paraview that keeps its script."""
    file = tmp_path / "bin" / "paraview"
    file.parent.mkdir()
    file.write_text(f'#!/bin/sh\ncp "${{1#--script=}}" {tmp_path}/script.py\nexit 7\n')
    file.chmod(0o755)
    monkeypatch.setenv("PATH", f"{file.parent}:/usr/bin:/bin")
    monkeypatch.setenv("DISPLAY", ":0")
    return file


def test_paraview_is_started_with_the_script(program, tmp_path, capsys):
    assert start("# a picture\n") == 7
    assert (tmp_path / "script.py").read_text() == "# a picture\n"
    assert "welcome" in capsys.readouterr().out


def test_without_a_display_a_script_is_offered(program, monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    with stopped(NoGraphicsError, "DISPLAY", "--script"):
        start("")


def test_without_paraview_the_packages_are_named(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with stopped(MissingLibraryError, "apt install paraview", "conda-forge", "www.paraview.org"):
        start("")
