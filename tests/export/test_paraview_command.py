"""`mbplugin paraview`: a script with a first picture, and ParaView with it."""

from __future__ import annotations

import itertools
import json
import shutil
import subprocess

import numpy as np
import pytest
from child import inside
from refusals import stopped
from scene_text import body, solver, spring, table, world
from screen import SERVER, no_settings, virtual_screen
from test_points import system

import mbplugin as mb
from mbplugin.decoder.drawn import Drawn
from mbplugin.errors import MissingLibraryError, PhysicsError
from mbplugin.paraview import READER, script_of, start
from mbplugin.viz.gl import NoGraphicsError
from mbplugin.viz.movie import usual_frame

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
#: chooses another array for the colours, as a user does
VELOCITY = """
from paraview.simple import GetDisplayProperties
shown = GetDisplayProperties(OutputPort(result, BODIES), view)
ColorBy(shown, ("POINTS", "velocity", "Magnitude"))
shown.RescaleTransferFunctionToDataRange(False, True)
shown.SetScalarBarVisibility(view, True)
SaveScreenshot("velocity.png", view, ImageResolution=[1280, 720])
"""
#: prints the upward parts of forces on b and of arrows
ARROWS = """
import json
contacts = result.GetClientSideObject().GetOutputDataObject(CONTACTS).GetPointData()
upwards = lambda name: [contacts.GetArray(name).GetTuple3(k)[2] for k in range(contacts.GetNumberOfTuples())]
print(json.dumps([upwards("force"), upwards("supporting_force")]))
"""
CUBE = [{"type": "box", "size": [0.3, 0.3, 0.3]}]
LIMIT = "result.UpdatePipelineInformation()\n"


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    return system(False).run(tmp_path_factory.mktemp("shown") / "run")


def drawn(script, folder, name, screen):
    """The picture that pvpython draws by a script, and what it prints."""
    (folder / f"{name}.py").write_text(script)
    line = ["pvpython", f"{name}.py", f"{name}.png"]
    with no_settings(screen, folder / f"home of {name}") as home:
        ran = subprocess.run(line, cwd=folder, capture_output=True, text=True, timeout=300, env=home)
    assert (folder / f"{name}.png").exists(), ran.stdout + ran.stderr
    return picture_of(folder / f"{name}.png"), ran.stdout + ran.stderr


def picture_of(file):
    import imageio.v3 as iio

    return iio.imread(file)[..., :3].astype(int)


@DRAWS
@pytest.mark.slow
def test_the_first_picture_shows_blocks_and_glyphs_alike_in_the_colours_of_the_scene(result, tmp_path):
    script = script_of(result.raw)
    assert script.count(LIMIT) == 1 and not (result.folder / "result.pvd").exists()
    with virtual_screen() as screen:
        blocks, printed = drawn(script + CHART + VELOCITY, tmp_path, "blocks", screen)
        glyphs, of_glyphs = drawn(
            script.replace(LIMIT, LIMIT + "result.BlockLimit = 1\n"), tmp_path, "glyphs", screen
        )
    assert printed == of_glyphs == ""
    red, green, blue = np.moveaxis(picture_of(tmp_path / "chart.png"), 2, 0)
    assert ((red > 200) & (green + blue < 100)).sum() > 200 < ((blue > 200) & (green + red < 100)).sum()
    shown = (np.abs(blocks - 255).sum(axis=2) > 150) & (blocks.max(axis=2) - blocks.min(axis=2) > 60)
    assert shown.mean() > 0.015
    # but for the pale plane of the ground
    assert (np.abs(blocks - glyphs).sum(axis=2) > 130).sum() < 0.02 * shown.sum()
    # nothing that moves touches the border
    assert not shown[:20].any() and not shown[-20:].any()
    assert not shown[:, :20].any() and not shown[:, -20:].any()
    # a colour is shaded by the light, but keeps its hue
    picture = blocks[shown] / np.linalg.norm(blocks[shown], axis=1, keepdims=True)
    for colour in np.unique(Drawn(result.raw.static()).colours(), axis=0):
        if np.ptp(colour.astype(int)) > 100:
            near = np.abs(picture - colour / np.linalg.norm(colour.astype(float))).max(axis=1) < 0.05
            assert near.sum() > 100, colour
    velocity = picture_of(tmp_path / "velocity.png")
    red, green, blue = np.moveaxis(velocity, 2, 0)
    # the fast ones are yellow and the slow ones violet; letters of the scale are dark
    assert ((red > 100) & (green > 140) & (blue < 100)).sum() > 200
    assert ((red > 30) & (blue > 40) & (green < 0.4 * blue)).sum() > 200
    assert (velocity[440:, 1200:].max(axis=2) < 80).sum() > 100


@DRAWS
@pytest.mark.slow
def test_arrows_of_a_heap_point_upwards_from_a_pale_floor(tmp_path):
    """A ball on a beam that is later in the scene: the force on b, the beam, points downwards."""
    floor = table("scene", collide=True, shape=[{"type": "plane", "size": [8, 8]}])
    text = floor + table("solver", end=0.1, type="contact") + table("output", frames=2)
    for name, z, shape in (
        ("ball", 0.4, {"type": "sphere", "radius": 0.1}),
        ("beam", 0.15, {"type": "box", "size": [0.8, 0.2, 0.3]}),
    ):
        text += table("body", name=name, position=[0, 0, z], density=2000.0, collide=True, shape=[shape])
    script = script_of(mb.System.from_text(text).run(tmp_path / "run").raw, forces=True)
    with virtual_screen() as screen:
        picture, printed = drawn(script + ARROWS, tmp_path, "heap", screen)
    on_b, arrows = json.loads(printed)
    assert min(on_b) < -10.0 and sorted(map(abs, on_b)) == sorted(arrows)
    assert picture[-5, 640].min() > 200
    assert float(f"{values_of(script)['ARROW']:e}".partition("e")[0]) in (1.0, 2.0, 5.0)


@DRAWS
@pytest.mark.slow
def test_axes_around_a_long_way_of_a_small_body_are_not_cut_off(tmp_path):
    ball = [{"type": "sphere", "radius": 0.1}]
    text = world(gravity=[0, 0, 0]) + body("ball", density=1.0, velocity=[0, 9, 0], shape=ball)
    script = script_of(mb.System.from_text(text + solver(type="rk", end=1.0)).run(tmp_path / "run").raw)
    with virtual_screen() as screen:
        _, printed = drawn(
            script + "print(list(view.GetActiveCamera().GetClippingRange()))", tmp_path, "far", screen
        )
    values, (near, far) = values_of(script), json.loads(printed)
    corners = np.array(list(itertools.product(*np.reshape(values["EXTENT"], (3, 2)))))
    look = np.subtract(values["FOCUS"], values["CAMERA"])
    depth = (corners - values["CAMERA"]) @ look / np.linalg.norm(look)
    assert near <= depth.min() < 0.7 * depth.max() < depth.max() <= far


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
    assert inside("paraview", "--plugin-path", cwd=tmp_path).stdout.strip() == str(READER)
    folder = str(result.folder)
    printed = inside("paraview", folder, "--forces", "--script", "-", cwd=tmp_path).stdout
    assert printed == script_of(result.raw, forces=True)
    values = values_of(printed)
    assert values["READER"] == str(READER) and values["RESULT"] == str(result.folder / "result.mbr")
    assert values["TIME"] == 0.01 and values["UP"] == [0.0, 1.0, 0.0] and values["FORCES"] is True
    done = inside("paraview", folder, "--script", "picture.py", cwd=tmp_path)
    assert done.returncode == 0 and (tmp_path / "picture.py").read_text() == script_of(result.raw)
    assert inside("paraview", cwd=tmp_path).returncode == 2


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


def test_colours_are_those_of_the_scene(result):
    values = values_of(script_of(result.raw, forces=True))
    drawn = Drawn(result.raw.static())
    colours = np.array(values["COLOURS"])
    assert set(map(tuple, np.round(255 * colours))) >= set(map(tuple, drawn.colours().tolist()))


def test_of_last_steps_the_last_frame_in_sight_is_shown_with_the_error(tmp_path):
    text = world(gravity=[0, 0, 0]) + body("flung", density=1000, position=[1, 0, 0], shape=CUBE)
    text += body("point", type="point", mass=1.0, position=[0, 0, 1])
    text += spring("ground", "flung", name="stiff", stiffness=3e5, length=0.5)
    text += solver(integrator="rk4", step=0.1, end=40.0) + table("output", frames=2, series=False)
    with pytest.raises(PhysicsError) as stopped_by:
        mb.System.from_text(text).run(tmp_path / "out")
    raw = mb.load(stopped_by.value.last_steps).raw
    values = values_of(script_of(raw))
    assert values["TIME"] == raw.time[usual_frame(raw)] < raw.time[-1]
    assert np.round(255 * np.array(values["COLOURS"])).tolist() == [[214, 0, 0], [217, 219, 224]]
    error, marked = values["STOPPED"].split("\n")
    assert "flung" in error and len(error) <= 110 and marked == "red: stiff, flung"
