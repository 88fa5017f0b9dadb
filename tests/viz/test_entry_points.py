"""PyVista finds reader, accessor and plotter component through entry points: the reading process does not
import mbplugin itself.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import fields

import numpy as np
import pytest
from child import ROOT, told
from refusals import refused

from mbplugin.viz import gl
from mbplugin.viz.options import Options

READ = """
import json, sys
import pyvista as pv

reader = pv.get_reader(sys.argv[1])
reader.set_active_time_point(7)
mesh = reader.read()
bodies, joints, lines = mesh["bodies"], mesh["joints"], mesh["lines"]
assert lines.n_points == mesh["contacts"].n_points == 0
speed = bodies["velocity"]
assert speed.shape == (bodies.n_points, 3) and bodies["color"].shape == (bodies.n_points, 3)
print(json.dumps({
    "times": reader.time_values,
    "active": reader.active_time_value,
    "names": bodies.mbplugin.names,
    "bounds": bodies.mbplugin.body("rod").bounds,
    "centres": mesh["centers"].points.tolist(),
    "energies": mesh["centers"]["kinetic_energy"].tolist(),
    "kinetic": mesh["history"]["energy.kinetic"].tolist(),
    "force": joints.point_data["force"].tolist(),
    "joints": joints.mbplugin.names,
    "first": pv.read(sys.argv[1])["bodies"].field_data["TimeValue"].tolist(),
}))
"""
FAIL = """
import sys
import pyvista as pv

try:
    found = pv.read(sys.argv[1])
    found["bodies"].mbplugin.body("rood")
except Exception as error:
    print(isinstance(error, KeyError), error)
"""
SHOW = """
import sys
import pyvista as pv

plotter = pv.Plotter(off_screen=True, window_size=(320, 192))
plotter.mbplugin.add(sys.argv[1])
plotter.mbplugin.seek(0.0)
plotter.screenshot(sys.argv[2])
plotter.mbplugin.seek(0.01)
plotter.screenshot(sys.argv[3])
plotter.close()
"""


SLIDE = """
import json, sys
import pyvista as pv

plotter = pv.Plotter(off_screen=True, window_size=(320, 192))
shown, said = plotter.mbplugin, []


def attempt(function, *arguments, **options):
    try:
        function(*arguments, **options)
    except Exception as error:
        said.append(f"{type(error).__name__}: {error}")


attempt(shown.seek, 0.0)
attempt(shown.slider)
attempt(shown.add, sys.argv[1], forcs=True)
stage = shown.add(sys.argv[1], forces=True, trace="rod")
shown.seek(float(sys.argv[2]))
slider = shown.slider()
begin = [stage.label, slider.GetRepresentation().GetValue()]
shown.seek(float(sys.argv[3]))
later = [stage.label, slider.GetRepresentation().GetValue()]
second = shown.add(sys.argv[1])
print(json.dumps([said, begin, later, second.label]))
plotter.close()
"""


#: runs pieces of code with arguments one after the other, and prints what each has printed
PIECES = """
import io, json, sys, traceback
from contextlib import redirect_stdout

pieces, printed = json.loads(sys.stdin.read()), {}
for name, (code, arguments) in pieces.items():
    sys.argv, out = ["", *arguments], io.StringIO()
    with redirect_stdout(out):
        try:
            assert printed or not any(module.startswith("mbplugin") for module in sys.modules)
            exec(code, {})
        except Exception:
            traceback.print_exc(file=out)
    printed[name] = out.getvalue()
print("PRINTED " + json.dumps(printed))
"""


@pytest.fixture(scope="module")
def times(results):
    return [float(t) for t in results("piston_crank").time[[3, 5]]]


@pytest.fixture(scope="module")
def outside(results, times, tmp_path_factory):
    """What pieces of code print in a process that begins without mbplugin, and the folder they write to."""
    folder, stored = tmp_path_factory.mktemp("outside"), results("piston_crank").folder
    lost, file = folder / "result.mbr", stored / "result.mbr"
    lost.write_bytes(file.read_bytes())
    pieces = {
        "result.mbr": (READ, [file]),
        "result.zarr": (READ, [stored / "result.zarr"]),
        "a lost store": (FAIL, [lost]),
        "a wrong body": (FAIL, [file]),
    }
    if gl.can_draw():
        pieces["show"] = (SHOW, [file, folder / "a.png", folder / "b.png"])
        pieces["slide"] = (SLIDE, [file, *times])
    done = subprocess.run(
        [sys.executable, "-c", PIECES],
        input=json.dumps(pieces, default=str),
        capture_output=True,
        text=True,
        timeout=300,
    )
    return told(done, "PRINTED "), folder


@pytest.mark.parametrize("name", ["result.mbr", "result.zarr"])
def test_pyvista_reads_a_result(results, outside, name):
    result = results("piston_crank")
    found = json.loads(outside[0][name])
    np.testing.assert_array_equal(found["times"], result.time)
    assert found["active"] == result.time[7] and found["first"] == [result.time[0]]
    assert found["names"] == result.bodies == ["crank", "rod", "piston"]
    bodies = [result[name] for name in result.bodies]
    centres, energies = [b.center_of_mass[7] for b in bodies], [b.kinetic_energy[7] for b in bodies]
    np.testing.assert_array_equal(found["centres"], centres)
    np.testing.assert_array_equal(found["energies"], energies)
    assert found["kinetic"] == [pytest.approx(sum(energies), rel=1e-14)]
    np.testing.assert_array_equal(found["force"], [result.joint(name).force[7] for name in found["joints"]])
    x0, x1, y0, y1, *_ = found["bounds"]
    x, y, _ = result["rod"].center_of_mass[7]
    # the rod is longer than wide, and its mass centre lies inside
    assert x0 < x < x1 and y0 < y < y1 and x1 - x0 > 0.1


@pytest.mark.skipif(not gl.can_draw(), reason="VTK finds no GL library")
def test_a_plotter_shows_a_result_at_any_time(outside):
    import imageio.v3 as iio

    printed, folder = outside
    assert printed["show"] == ""
    a, b = (iio.imread(folder / f"{name}.png").astype(int)[:, :, :3] for name in "ab")
    assert a.shape == (192, 320, 3) and a.std() > 10
    assert (np.abs(a - b).sum(axis=2) > 60).sum() > 200


def test_errors_name_the_mistake(outside):
    printed, _ = outside
    assert "result.zarr" in printed["a lost store"]
    said = printed["a wrong body"]
    assert said.split()[0] == "True" and '"rod"' in said


@pytest.mark.skipif(not gl.can_draw(), reason="VTK finds no GL library")
def test_slider_and_time_go_together_and_mistakes_are_named(outside, times):
    said, *shown, second = json.loads(outside[0]["slide"])
    assert shown == [[f"t = {t:.4g} s", t] for t in times] and second == shown[1][0]
    assert len(said) == 3 and "forces" in said[2] and all(text.startswith("SceneError") for text in said)


def test_options_of_pictures_that_do_not_exist_are_refused(results, tmp_path):
    result = results("piston_crank")
    for draw in (result.picture, lambda **options: result.render(tmp_path / "a.png", **options)):
        with refused("tracs", "rod"):
            draw(tracs="rod")
    with refused("fps", 30):  # of movies
        result.picture(fps=30)


def test_the_page_lists_all_options():
    page = (ROOT / "docs" / "pyvista.md").read_text()
    table = re.findall(r"^\| `(\w+)` \| `(.*?)` \|", page, re.MULTILINE)
    assert {name: default for name, default in table} == {
        field.name: repr(field.default).replace("'", '"') for field in fields(Options)
    }
