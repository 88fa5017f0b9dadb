"""Many bodies as points: mesh, size, orientation and colour at each point make up the surface again."""

from __future__ import annotations

import shutil
import subprocess
from contextlib import nullcontext

import numpy as np
import pytest
from child import told
from refusals import refused, stopped
from screen import SERVER, virtual_screen

import mbplugin as mb
from mbplugin.decoder.rotation import rotation
from mbplugin.errors import StoreError
from mbplugin.export import chosen_series
from mbplugin.export.choice import LARGE
from mbplugin.export.geometry import Geometry, surface_bytes
from mbplugin.model.output import Output

SHAPES = [
    {"type": "box", "size": [0.3, 0.2, 0.1], "position": [0.1, 0.2, 0.3]},
    {"type": "sphere", "radius": 0.2, "color": [1.0, 0.0, 0.5]},
    {"type": "cylinder", "radius": 0.1, "length": 0.5, "orientation": {"axis": [1, 2, 3], "angle_deg": 50}},
    {"type": "capsule", "radius": 0.1, "length": 0.3},
]


def system(series, bodies: int = 6) -> mb.System:
    """Bodies of all shapes that fly and spin, the last without a shape, and a plane of the ground."""
    made = mb.System(
        scene={
            "gravity": [0, -9.81, 0],
            "shape": [{"type": "plane", "position": [0, -1, 0], "size": [4, 3]}],
        },
        solver={"type": "rk", "integrator": "rk4", "step": 0.01, "end": 0.02},
        output={"frames": 2, "series": series},
    )
    for k in range(bodies):
        made.add(
            mb.Body(
                name=f"b{k}",
                mass=1.0,
                inertia=[1, 1.5, 2],
                center_of_mass=[0.05, 0, 0.1],
                position=[k % 50, k // 50, 0.3 * k],
                orientation={"axis": [1, k % 3, 2 - k % 5], "angle_deg": 17.0 * k},
                velocity=[1, k % 7, 3],
                angular_velocity=[k % 5, 2, 1],
                shape=[SHAPES[k % 4]] if k < bodies - 1 else [],
            )
        )
    return made


def test_points_with_their_meshes_make_the_surface(tmp_path):
    pv = pytest.importorskip("pyvista")
    raw = system("points").run(tmp_path).raw
    table = pv.read(tmp_path / "shapes.vtm")
    assert len(table) == 5  # box, sphere, cylinder, capsule, plane; two boxes and two balls share theirs
    geometry = Geometry(raw.static(), smooth=True)
    for i in range(3):
        cloud = pv.read(tmp_path / f"result/frame_{i:06d}.vtp")
        assert cloud.field_data["TimeValue"][0] == raw.time[i]
        made = []
        for k in range(6):
            Q = rotation(cloud.point_data["orientation"][k : k + 1])[0]
            mesh = table[int(cloud.point_data["mesh"][k])].points * cloud.point_data["scale"][k]
            made.append(cloud.points[k] + mesh @ Q.T)
        points, velocity = geometry.at(raw.frame(i))
        # the surface begins with the body that has no shape
        np.testing.assert_allclose(np.concatenate(made), points[1:], atol=3e-6)
        np.testing.assert_allclose(cloud.points[6], points[0], atol=1e-6)
        assert (cloud.point_data["scale"][6] == 0).all()
        # a ball's mesh has its origin at the centre, which moves with the mean velocity of its surface
        of_ball = geometry._owner == 1
        np.testing.assert_allclose(cloud.point_data["velocity"][1], velocity[of_ball].mean(axis=0), atol=1e-5)
    assert cloud.point_data["body"].tolist() == [0, 1, 2, 3, 4, -1, 5]
    assert cloud.point_data["color"][1].tolist() == [255, 0, 128]
    assert cloud.n_verts == 7 and list(cloud.field_data["names"]) == [f"b{k}" for k in range(6)]


def test_auto_decides_by_size_and_says_so(tmp_path):
    few, many = (
        system(series, bodies).run(tmp_path / str(bodies)) for series, bodies in (("auto", 6), (True, 300))
    )
    for result, kind, said in (
        (few, "surface", "a surface, which takes less"),
        (many, "points", "points and their meshes"),
    ):
        lines = [m.text for m in result.messages if m.text.startswith("[output] series")]
        assert len(lines) == 1 and said in lines[0]
        assert (result.folder / "paraview_state.py").exists() == (kind == "points")
        assert result.summary.series == kind
    size = (many.folder / "result/frame_000001.vtp").stat().st_size
    assert size < 70 * 300  # a surface takes 25,000 bytes a body
    forced = system("surface", 300).run(tmp_path / "forced")
    size = (forced.folder / "result/frame_000001.vtp").stat().st_size
    assert size > LARGE and size == pytest.approx(surface_bytes(many.raw.static()), rel=0.1)
    assert f"over {LARGE / 1e6:g} MB a frame" in Output.model_fields["series"].description
    assert chosen_series(False, many.raw.static()) == (None, "")


def test_a_surface_after_points_leaves_no_state_file_but_one_of_others(tmp_path):
    system("points").run(tmp_path)
    assert (tmp_path / "paraview_state.py").exists()
    system("surface").run(tmp_path)
    assert not (tmp_path / "paraview_state.py").exists()
    (tmp_path / "paraview_state.py").write_text("# mine")
    system("surface").run(tmp_path)
    assert (tmp_path / "paraview_state.py").read_text() == "# mine"


@pytest.mark.parametrize("name", ["shapes", "shapes.vtm", "paraview_state.py"])
def test_files_of_somebody_are_not_replaced(tmp_path, name):
    theirs = tmp_path / name
    if name == "shapes":
        theirs.mkdir()
        (theirs / "mine.txt").write_text("mine")
    else:
        theirs.write_text("mine")
    with stopped(StoreError, theirs):
        system("points").run(tmp_path)
    assert (theirs / "mine.txt" if name == "shapes" else theirs).read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_an_unknown_series_is_named():
    with refused("output.series", "point"):
        mb.System(output={"series": "point"})


def test_a_resumed_run_continues_its_points(tmp_path):
    whole, cut = system("points"), system("points")
    whole.run(tmp_path / "whole")
    cut.run(tmp_path / "cut")
    (tmp_path / "cut/result/frame_000001.vtp").unlink()
    cut.run(tmp_path / "cut", resume=True)
    for i in range(3):
        name = f"result/frame_{i:06d}.vtp"
        assert (tmp_path / "cut" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


LOOK = """
import json, runpy, sys
from paraview.simple import *
runpy.run_path(sys.argv[1] + "/paraview_state.py")
view = GetActiveView()
view.ViewSize = [480, 320]
shown = GetDisplayProperties(FindSource("bodies"), view)
GetAnimationScene().GoToLast()
Render(view)
view.OrientationAxesVisibility = 0
SaveScreenshot(sys.argv[1] + "/state.png", view, ImageResolution=[480, 320])
# the same camera sees the true surface
Hide(FindSource("bodies"), view)
surface = OpenDataFile(sys.argv[2] + "/result.pvd")
Show(surface, view)
SaveScreenshot(sys.argv[1] + "/surface.png", view, ImageResolution=[480, 320])
steps = list(GetAnimationScene().TimeKeeper.TimestepValues)
print("SEEN " + json.dumps({"kind": str(shown.Representation), "steps": steps}))
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pvpython") is None, reason="ParaView (pvpython) is not installed")
def test_paraview_shows_from_the_state_file_what_the_surface_shows(tmp_path):
    iio = pytest.importorskip("imageio.v3")
    times = system("points").run(tmp_path / "points").time
    system("surface").run(tmp_path / "surface")
    (tmp_path / "look.py").write_text(LOOK)
    line = ["pvpython", "look.py", str(tmp_path / "points"), str(tmp_path / "surface")]
    with virtual_screen() if SERVER is not None else nullcontext() as screen:
        done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, timeout=300, env=screen)
    seen = told(done, "SEEN ")
    assert "3D Glyphs" in seen["kind"] and seen["steps"] == pytest.approx(list(times))
    pictures = [
        iio.imread(tmp_path / "points" / f"{name}.png")[..., :3].astype(int) for name in ("state", "surface")
    ]
    drawn = [(np.abs(picture - picture[2, 2]).sum(axis=2) > 30) for picture in pictures]
    assert drawn[0].sum() > 1000
    # the surface shows the body without a shape as a dot
    assert (drawn[0] != drawn[1]).sum() < 0.01 * drawn[0].sum() + 20
