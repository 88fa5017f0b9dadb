"""A page that a browser turns holds the points of all shapes where the bodies are."""

from __future__ import annotations

import base64
import io
import json
import re
import zipfile

import numpy as np
import pytest
from refusals import refused, stopped

from mbplugin.errors import MissingLibraryError
from mbplugin.export.geometry import Geometry
from mbplugin.viz import bodies, gl

pytestmark = pytest.mark.skipif(not gl.can_draw(), reason="VTK finds no GL library")
TYPES = {"Float32Array": np.float32, "Float64Array": np.float64}


def scene_in(page):
    """What the viewer of the page reads."""
    packed = base64.b64decode(re.search(r'base64Str = "([^"]+)"', page)[1])
    return json.loads(zipfile.ZipFile(io.BytesIO(packed)).read("index.json"))


def shown_points(scene):
    """(n, 3) of all actors with surfaces, in the world."""
    found = []
    (layer, *_) = (each for each in scene["scene"]["dependencies"] if each["type"].endswith("Renderer"))
    for actor in layer["dependencies"]:
        for mapper in actor.get("dependencies", []):
            for mesh in mapper.get("dependencies", []):
                if "polys" not in mesh["properties"]:
                    continue
                array = mesh["properties"]["points"]
                content = base64.b64decode(scene["hashes"][array["hash"]]["content"])
                points = np.frombuffer(content, TYPES[array["dataType"]]).reshape(-1, 3)
                matrix = np.array(actor["properties"].get("userMatrix", np.eye(4).ravel())).reshape(4, 4)
                # written by columns
                found.append(points @ matrix[:3, :3] + matrix[3, :3])
    return np.concatenate(found)


def distances(points, others):
    """From each point to the nearest of the others [m]."""
    return np.array([np.linalg.norm(others - p, axis=1).min() for p in points])


@pytest.mark.parametrize("many", [1000, 1], ids=["an actor for each", "one glyph mapper"])
def test_the_points_of_a_page_are_those_of_the_bodies(results, monkeypatch, many):
    monkeypatch.setattr(bodies, "MANY", many)
    result = results("double_pendulum", 1.0)
    view = result.view(0.7, size=(300, 200), ground=False)
    nearest = int(np.argmin(abs(result.time - 0.7)))
    frame = result.raw.frame(nearest)
    true = Geometry(result.raw.static()).positions(frame)[0]
    shown = shown_points(scene_in(view.page))
    assert distances(true, shown).max() < 1e-6
    assert distances(shown, true).max() < 1e-6
    assert f">t = {result.time[nearest]:.4g} s<" in view.page


def test_a_notebook_gets_the_page_in_a_frame_and_a_file_the_same(results, tmp_path):
    result = results("double_pendulum", 0.5)
    view = result.view(0.2, size=(300, 200))
    assert view._repr_html_().startswith('<iframe srcdoc="') and "300px" in view._repr_html_()
    file = result.render(tmp_path / "a.html", time=0.2, size=(300, 200))
    assert abs(len(file.read_text()) - len(view.page)) < 100
    # nothing is loaded
    assert re.findall(r"<(?:script|link|img)[^>]*(?:src|href)=[\"']?http", file.read_text()) == []
    assert repr(view).startswith("View: page of ") and view.save(tmp_path / "b.html").exists()


def test_names_are_refused(results):
    with refused("names", True):
        results("double_pendulum", 0.5).view(names=True)


def test_without_the_viewer_the_mend_is_told(results, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "trame_vtk", None)
    with stopped(MissingLibraryError, "trame_vtk", "mbplugin[notebook]"):
        results("double_pendulum", 0.5).view()
