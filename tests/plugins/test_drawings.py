"""Drawings of plugins: what pictures and the ParaView series show of them, and whom a fault is told of."""

from __future__ import annotations

import re
from types import SimpleNamespace

import numpy as np
import pytest
from child import ROOT
from refusals import has, refused, stopped
from scene_text import solver
from small_systems import chain
from stored_series import write_series

import mbplugin as mb
import mbplugin.api
import mbplugin.export.drawings
from mbplugin.api import System
from mbplugin.errors import PluginError
from mbplugin.hooks.load import load_plugins
from mbplugin.interface import DrawingKind, Glyphs, hookimpl
from mbplugin.paraview import script_of
from mbplugin.testing import check_drawing

PAGE = (ROOT / "docs" / "around-a-run.md").read_text()
(SOURCE,) = [b for b in re.findall(r"```python\n(.*?)```", PAGE, flags=re.S) if "class Velocities" in b]
(TABLE,) = [b for b in re.findall(r"```toml\n(.*?)```", PAGE, flags=re.S) if "acme_velocities" in b]
FAULTY = '[[drawing]]\nname = "dots"\ntype = "faulty"\n'
SCENE = chain(2) + TABLE + "[output]\nframes = 8\n" + solver(end=0.4)


class Faulty(DrawingKind):
    """Draws what the test wants, and from 0.2 s on what is wrong."""

    name = "faulty"
    _wrong = None

    @classmethod
    def draw(cls, params, frame):
        if frame.time < 0.19:
            return Glyphs([frame.body("b0").position])
        return cls._wrong(frame)


@pytest.fixture
def registry(monkeypatch):
    names: dict = {}
    exec(compile(SOURCE, "around-a-run.md", "exec", dont_inherit=True), names)
    page = SimpleNamespace(**{k: v for k, v in names.items() if not k.startswith("__")})

    class Own:
        @hookimpl
        def mbplugin_drawings(self, register):
            register(Faulty)

    found = load_plugins(strict=True, extra=[("acme_page", page), ("own", Own())])
    monkeypatch.setattr(mbplugin.api, "plugins", lambda: found)
    monkeypatch.setattr(mbplugin.export.drawings, "load_plugins", lambda: found)
    return found[0]


def read(file):
    pyvista = pytest.importorskip("pyvista")
    return pyvista.read(str(file))


def test_arrows_in_paraview_files_are_the_velocities_of_the_result(registry, tmp_path):
    result = System.from_text(SCENE).run(tmp_path / "out")
    index = (tmp_path / "out/drawing_speed.pvd").read_text()
    assert index.count("DataSet timestep") == 9
    for i in range(9):
        mesh = read(tmp_path / f"out/drawing_speed/frame_{i:06d}.vtp")
        expected = np.array([result[name].center_of_mass_velocity[i] for name in result.bodies])
        assert mesh["velocity"].dtype == np.float64
        assert np.abs(mesh["velocity"] - expected).max() < 1e-12
        positions = np.array([result[name].center_of_mass[i] for name in result.bodies])
        assert np.abs(mesh.points - positions).max() < 1e-6
        assert np.abs(mesh["speed"] - np.linalg.norm(expected, axis=1)).max() < 1e-12
    assert np.abs(mesh["velocity"]).max() > 0.5
    assert np.allclose(mesh["color"], [0.1, 0.45, 0.2])
    assert np.allclose(mesh["arrow"], 0.3 * mesh["velocity"])
    assert f"DRAWINGS = {{'speed': '{tmp_path}/out/drawing_speed.pvd'}}" in script_of(result.raw)


def test_the_series_of_a_stored_result_has_the_same_files(registry, tmp_path):
    result = System.from_text(SCENE).run(tmp_path / "out")
    write_series(result.raw, tmp_path / "again")
    for i in range(9):
        name = f"drawing_speed/frame_{i:06d}.vtp"
        assert (tmp_path / "again" / name).read_bytes() == (tmp_path / "out" / name).read_bytes()


def test_a_run_that_was_cut_short_goes_on_with_its_drawings(registry, tmp_path):
    system = System.from_text(SCENE)
    system.run(tmp_path / "out", on_frame=lambda frame: "enough" if frame.time > 0.19 else None)
    system.run(tmp_path / "out", resume=True)
    system.run(tmp_path / "whole")
    names = sorted(file.name for file in (tmp_path / "whole/drawing_speed").glob("*.vtp"))
    assert len(names) == 9
    for name in names:
        cut, whole = (tmp_path / of / "drawing_speed" / name for of in ("out", "whole"))
        assert cut.read_bytes() == whole.read_bytes()


@pytest.mark.slow
def test_a_picture_shows_the_arrows_in_their_colour_and_only_if_wanted(registry, tmp_path):
    iio = pytest.importorskip("imageio.v3")
    pytest.importorskip("pyvista")
    result = System.from_text(SCENE).run(files=False)
    green = []
    for drawings in (True, False):
        file = result.render(tmp_path / f"{drawings}.png", time=0.4, size=(640, 360), drawings=drawings)
        rgb = iio.imread(file)[..., :3].astype(int)
        green.append(int(((np.abs(rgb - [26, 115, 51]) < 12).all(axis=2)).sum()))
    assert green[0] > 300 and green[1] < 10, green


@pytest.mark.filterwarnings("error")
def test_a_picture_shows_lines_and_arrows_of_one_drawing(registry, tmp_path, monkeypatch):
    iio = pytest.importorskip("imageio.v3")
    pytest.importorskip("pyvista")
    result = System.from_text(chain(2) + FAULTY + solver(end=0.4)).run(files=False)
    points, arrays = [[0, 0, 0], [0, 0, -0.4]], {"v": [[0.3, 0, 0], [0.3, 0, 0]]}
    red = []
    for keys in ({}, {"lines": [[0, 1]]}):
        glyphs = Glyphs(points, arrays=arrays, arrows="v", color=(1, 0, 0), **keys)
        monkeypatch.setattr(Faulty, "_wrong", at(glyphs))
        rgb = iio.imread(result.render(tmp_path / "red.png", time=0.4, size=(1280, 720)))[..., :3].astype(int)
        red.append(int(((np.abs(rgb - [255, 0, 0]) < 12).all(axis=2)).sum()))
    assert red[0] > 100 and red[1] > red[0] + 100, red


def at(glyphs):
    return lambda frame: glyphs


@pytest.mark.parametrize(
    ("wrong", "names"),
    [
        (lambda frame: 1 / 0, ["ZeroDivisionError"]),
        (at([0, 0, 0]), ["list", "Glyphs"]),
        (at(Glyphs([[0, 0]])), ["points", "(1, 2)", "(n, 3)"]),
        (at(Glyphs([[0, 0, np.nan]])), ["points"]),
        (at(Glyphs([[0, 0, 0]], arrays={"f": [1, 2]})), ['"f"', "(2,)"]),
        (at(Glyphs([[0, 0, 0]], arrows="f")), ['arrows = "f"']),
        (at(Glyphs([[0, 0, 0]], lines=[[0, 1]])), ["lines"]),
        (at(Glyphs([[0, 0, 0]], color=(2, 0, 0))), ["color"]),
        (at(Glyphs([["a", 0, 0]])), []),
        (at(Glyphs([[0, 0, 0]], scale=0.0)), ["scale = 0"]),
    ],
)
def test_a_faulty_drawing_is_blamed_by_name_and_the_run_is_whole(
    registry, tmp_path, monkeypatch, wrong, names
):
    monkeypatch.setattr(Faulty, "_wrong", staticmethod(wrong))
    system = System.from_text(SCENE + FAULTY)
    with stopped(PluginError, '"dots"', '"faulty"', *names, time=0.2):
        system.run(tmp_path / "out")
    result = mb.load(tmp_path / "out")
    assert len(result.time) == 9 and result.raw.complete
    assert any(has(text, '"dots"') for _, _, text in result.messages)
    assert len(list((tmp_path / "out/drawing_speed").glob("*.vtp"))) == 9
    assert len(list((tmp_path / "out/drawing_dots").glob("*.vtp"))) == 4


def test_a_picture_blames_a_faulty_drawing_too(registry, tmp_path, monkeypatch):
    pytest.importorskip("pyvista")
    monkeypatch.setattr(Faulty, "_wrong", staticmethod(lambda frame: 1 / 0))
    system = System.from_text(chain(1) + FAULTY + solver(end=0.4))
    result = system.run(files=False)
    with stopped(PluginError, "dots", "ZeroDivisionError"):
        result.render(tmp_path / "picture.png", time=0.4, size=(160, 90))


@pytest.mark.parametrize(
    ("table", "key"),
    [
        ('name = "a"\ntype = "acme_velocitys"', "drawing[0].type"),
        ('name = "a"\ntype = "acme_velocities"\nlenght = 1', "drawing[0].lenght"),
        ('name = "a"\ntype = "faulty"\nlength = 1', "drawing[0].length"),
        ('name = "a"\ntype = "acme_velocities"\nlength = -1', "drawing[0].length"),
    ],
)
def test_wrong_keys_are_refused_by_name(registry, table, key):
    with refused(key):
        System.from_text(chain(1) + f"[[drawing]]\n{table}\n" + solver(end=0.1)).run(files=False)


def test_two_drawings_of_one_name_are_refused(registry):
    with refused("drawing[1].name", "speed"):
        System.from_text(chain(1) + TABLE + TABLE + solver(end=0.1))


def test_the_kit_passes_the_page_and_finds_a_drawing_that_changes(registry):
    assert check_drawing(registry.find("drawing", "acme_velocities")).ok
    random = np.random.default_rng(1)
    draw = classmethod(lambda cls, params, frame: Glyphs(random.random((1, 3))))
    moody = type("Moody", (DrawingKind,), {"name": "moody", "draw": draw})
    assert [c.what for c in check_drawing(moody).checks if not c.ok] == ["draws the same of a frame again"]
