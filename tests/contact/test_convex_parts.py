"""Meshes that touch as convex parts, which a file beside them keeps."""

import sys
import types

import numpy as np
import pytest
import trimesh
from on_surfaces import ring
from refusals import has

import mbplugin as mb
from mbplugin.errors import MissingLibraryError, SceneError
from mbplugin.model.toml import document

SIDES = 8
MESH = {"type": "mesh", "file": "ring.stl", "collision": "parts"}


def sectors():
    """Corners of the convex parts of `ring(0.5, 1, 0.4, SIDES)`, exactly."""
    angle = 2 * np.pi * np.arange(SIDES + 1) / SIDES
    corner = lambda r, k, z: (r * np.cos(angle[k]), r * np.sin(angle[k]), z)
    return [
        np.array([corner(r, j, z) for r in (0.5, 1.0) for j in (k, k + 1) for z in (-0.2, 0.2)])
        for k in range(SIDES)
    ]


@pytest.fixture
def folder(tmp_path):
    """A folder with the mesh of a ring."""
    trimesh.Trimesh(*ring(0.5, 1.0, 0.4, SIDES), process=False).export(tmp_path / "ring.stl")
    return tmp_path


@pytest.fixture
def cutter(monkeypatch):
    """Stands in for coacd, which takes seconds: what it was asked."""
    asked = []

    def run_coacd(mesh, threshold, seed):
        asked.append((threshold, seed))
        return [(part, None) for part in sectors()]

    module = types.ModuleType("coacd")
    module.run_coacd, module.Mesh, module.set_log_level = run_coacd, lambda *a: a, lambda level: None
    monkeypatch.setitem(sys.modules, "coacd", module)
    return asked


def without_coacd(monkeypatch):
    monkeypatch.setitem(sys.modules, "coacd", None)


def read(folder, tables):
    """A scene of tables."""
    (folder / "scene.toml").write_text(document(tables))
    return mb.System.from_file(folder)


def scene(folder, ground, **solver):
    return read(folder, tables_of(ground, **solver))


def tables_of(ground, end=0.7, **solver):
    """A peg above the hole of a ring, a box above its rim, and the floor."""
    body = lambda name, x, size: {
        "name": name, "position": [x, 0, 0.8], "density": 1000, "collide": True, "material": "wood",
        "shape": [{"type": "box", "size": size}],
    }  # fmt: skip
    return {
        "scene": {
            "collide": True, "material": "wood",
            "shape": [*ground, {"type": "plane", "position": [0, 0, -1]}],
        },
        "material": [{"name": "wood", "friction": 0.4}],
        "body": [body("peg", 0.0, [0.5, 0.5, 0.6]), body("lid", 0.75, [0.2, 0.2, 0.2])],
        "output": {"series": False},
        "solver": {"type": "contact", "step": 2e-3, "end": end, **solver},
    }  # fmt: skip


def test_parts_are_made_once_and_a_scene_with_them_needs_no_library(folder, cutter, monkeypatch):
    made = scene(folder, [MESH]).run(files=False)
    assert cutter == [(0.05, 0)]
    kept = folder / "ring.stl.parts_0.05.obj"
    text = kept.read_text()
    without_coacd(monkeypatch)
    again = scene(folder, [MESH]).run(files=False)
    assert kept.read_text() == text
    assert np.array_equal(made["peg"].position, again["peg"].position)


@pytest.mark.parametrize("coordinates", ["maximal", "joint"])
def test_a_mesh_of_parts_is_as_convex_shapes_of_their_corners(coordinates, folder, cutter):
    """To the last bit; a peg falls through the hole, as it would not through the hull."""
    scene(folder, [MESH]).run(end=0.01, files=False)
    file = (folder / "ring.stl.parts_0.05.obj").read_text()
    corners = [
        [[float(x) for x in line.split()[1:]] for line in part.splitlines() if line.startswith("v ")]
        for part in file.split("\no ")[1:]
    ]
    assert len(corners) == SIDES
    found = scene(folder, [MESH], coordinates=coordinates).run(files=False)
    convex = [{"type": "convex", "points": points} for points in corners]
    same = scene(folder, convex, coordinates=coordinates).run(files=False)
    for name in ("peg", "lid"):
        assert np.array_equal(found[name].position, same[name].position)
    assert found["peg"].position[-1, 2] == pytest.approx(-0.7, abs=1e-6)
    assert found["lid"].position[-1, 2] == pytest.approx(0.3, abs=1e-6)


def test_results_name_the_mesh_of_its_parts(folder, cutter):
    named = MESH | {"name": "washer"}
    result = scene(folder, [named]).run(files=False)
    floor, mesh = 3, 2  # after the shapes of two bodies
    assert set(result.list("contacts")["shape_a"].tolist()) == {mesh, floor}
    assert result.contact("washer", "lid").normal_force[-1] == pytest.approx(8.0 * 9.81, rel=1e-6)
    assert result.contact("washer", "peg").normal_force.max() == 0.0


def test_a_lid_on_several_parts_has_one_share_of_load_with_the_mesh(folder, cutter):
    """Its weight on the mesh is unique, however the parts share it."""
    tables = tables_of([MESH])
    tables["body"] = [
        tables["body"][1] | {"position": [0, 0, 0.25], "shape": [{"type": "box", "size": [3, 3, 0.1]}]}
    ]
    result = read(folder, tables).run(end=0.1, files=False)
    assert not any("not unique" in line for line in result.messages)
    assert result.contact("ground", "lid").normal_force[-1] == pytest.approx(900 * 9.81, rel=1e-6)


def test_a_moving_mesh_has_its_own_mass_and_the_parts_touch(folder, cutter):
    """It falls over a post of the ground, around which its hole leaves room."""
    tables = tables_of([{"type": "box", "size": [0.3, 0.3, 3.0]}])
    loop = {"name": "loop", "position": [0, 0, 1.2], "density": 1000, "collide": True, "material": "wood"}
    tables["body"] = [loop | {"shape": [MESH]}]
    system = read(folder, tables)
    area = SIDES * np.sin(2 * np.pi / SIDES) / 2 * (1.0 - 0.25)
    assert system.bodies[0].mass_properties().mass == pytest.approx(400 * area, rel=1e-6)
    result = system.run(end=1.0, files=False)
    assert result["loop"].position[-1] == pytest.approx([0, 0, -0.8], abs=1e-6)


def test_a_change_of_place_moves_the_parts(folder, cutter):
    problem = scene(folder, [MESH]).compile()
    problem.set_parameter("scene.shape[0].position", [0, 0, -0.1])
    result = problem.run()
    assert result["lid"].position[-1, 2] == pytest.approx(0.2, abs=1e-6)


def test_without_the_library_and_a_file_of_parts_it_says_what_to_install(folder, monkeypatch):
    without_coacd(monkeypatch)
    with pytest.raises(MissingLibraryError) as error:
        scene(folder, [MESH]).compile()
    assert has(str(error.value), "scene.shape[0].collision", "ring.stl", "pip install 'mbplugin[parts]'")


def test_parts_of_a_mesh_that_has_changed_are_made_anew(folder, cutter, monkeypatch):
    scene(folder, [MESH]).compile()
    trimesh.Trimesh(*ring(0.5, 1.0, 0.4, 12), process=False).export(folder / "ring.stl")
    scene(folder, [MESH]).compile()
    assert len(cutter) == 2
    scene(folder, [MESH | {"concavity": 0.1}]).compile()
    assert cutter[2:] == [(0.1, 0)] and (folder / "ring.stl.parts_0.1.obj").is_file()
    trimesh.Trimesh(*ring(0.5, 1.0, 0.4, 8), process=False).export(folder / "ring.stl")
    without_coacd(monkeypatch)
    with pytest.raises(MissingLibraryError, match="parts of another mesh"):
        scene(folder, [MESH]).compile()


def test_a_file_of_parts_without_a_digest_is_taken_as_it_is(folder, monkeypatch):
    without_coacd(monkeypatch)
    cube = "".join(f"v {x} {y} {z}\n" for x in (0, 1) for y in (0, 1) for z in (0, 0.1))
    kept = folder / "ring.stl.parts_0.05.obj"
    kept.write_text(f"o one\n{cube}")
    assert len([s for s in scene(folder, [MESH]).compile().names.shapes if s.type == "convex"]) == 1
    for text, what in [
        ("", "has no parts"),
        ("o one\nv 0 0 0\n", "object 0"),
        (cube, "before the first part"),
    ]:
        kept.write_text(text)
        with pytest.raises(SceneError) as error:
            scene(folder, [MESH]).compile()
        assert has(error.value.mend, what, kept.name) and error.value.key == "scene.shape[0].collision"


def test_concavity_is_one_of_parts(folder):
    with pytest.raises(SceneError, match="convex parts"):
        scene(folder, [{"type": "mesh", "file": "ring.stl", "concavity": 0.1}])


@pytest.mark.slow
def test_coacd_cuts_a_ring_the_same_way_each_time_and_leaves_its_hole(folder):
    pytest.importorskip("coacd")
    texts = []
    for _ in range(2):
        result = scene(folder, [MESH]).run(files=False)
        kept = folder / "ring.stl.parts_0.05.obj"
        texts.append(kept.read_text())
        kept.unlink()
    assert texts[0] == texts[1]
    assert result["peg"].position[-1, 2] == pytest.approx(-0.7, abs=1e-6)
    assert result["lid"].position[-1, 2] == pytest.approx(0.3, abs=1e-3)
