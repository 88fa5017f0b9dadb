"""Files for other programs, read back by other programs: csv, pyarrow, VTK's readers of HDF and glTF."""

import csv
import json
import struct
import sys

import numpy as np
import pytest
from refusals import refused, stopped
from scene_text import body, solver, spring
from snapshots import same_message

from mbplugin.api import System
from mbplugin.decoder.rotation import rotation
from mbplugin.errors import MissingLibraryError, PluginError, SceneError, StoreError
from mbplugin.export import one_file
from mbplugin.export.geometry import Geometry
from mbplugin.hooks.load import load_plugins
from mbplugin.interface import Exporter, hookimpl
from mbplugin.result import load

#: single precision of points within two metres
FLOAT32 = 2 * 2.0**-24
SHAPES = [
    {"type": "box", "size": [0.1, 0.2, 0.3], "position": [0.2, 0.0, 0.1], "color": "red"},
    {"type": "sphere", "radius": 0.1, "orientation": {"axis": [1, 0, 0], "angle": 0.4}},
    {"type": "sphere", "radius": 0.2, "color": "#1080ff"},
]
SCENE = (
    '[scene]\ngravity = [0, 0, -9.81]\nshape = [{ type = "box", size = [1, 1, 0.1] }]\n'
    "[output]\nframes = 20\n"
    + body(
        "weight",
        density=100.0,
        position=[0, 0, 1],
        velocity=[0.3, 0, 0],
        angular_velocity=[1, 2, 3],
        shape=SHAPES,
    )
    + body("bare", mass=2.0, inertia=[1, 1, 1], position=[0.5, 0, 1])
    + spring("ground", "weight", name="coil", stiffness=100.0, length=0.5)
    + solver(end=0.5)
)


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    folder = tmp_path_factory.mktemp("one_file") / "result"
    return System.from_text(SCENE).run(str(folder))


def test_numbers_of_a_csv_file_are_those_of_the_result_to_the_bit(result, tmp_path):
    file = result.export(
        tmp_path / "x.csv", "energy.kinetic", "weight.position", "coil.energy", separator=";"
    )
    with file.open(newline="") as text:
        head, *rows = csv.reader(text, delimiter=";")
    assert head == [
        "time [s]",
        "energy.kinetic [J]",
        *(f"body.weight.position.{c} [m]" for c in "xyz"),
        "force.coil.energy [J]",
    ]
    numbers = np.array(rows, float)
    stored = [result.time, result.energy.kinetic, *result["weight"].position.T, result.force("coil").energy]
    np.testing.assert_array_equal(numbers, np.transpose(stored))


def test_a_table_without_names_has_all_that_can_be_plotted(result, tmp_path):
    table = result.table()
    assert table.index.name == "time"
    assert table.attrs["units"]["body.bare.velocity.x"] == "m/s"
    np.testing.assert_array_equal(table["body.bare.velocity.z"], result["bare"].velocity[:, 2])
    head = next(csv.reader(result.export(tmp_path / "all.csv").open()))
    assert len(head) == 1 + len(table.columns)
    quantities = {".".join(name.split(".")[:3]) for name in table.columns}
    assert {"body.weight.angular_acceleration", "force.coil.wrench"} <= quantities
    assert "constraints.drift_position" in quantities


def test_pyarrow_reads_numbers_and_units(result, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    found = parquet.read_table(result.export(tmp_path / "x.parquet", "weight.position"))
    assert found.column_names == ["time", *(f"body.weight.position.{c}" for c in "xyz")]
    assert found.schema.field("body.weight.position.y").metadata == {b"unit": b"m"}
    np.testing.assert_array_equal(found["body.weight.position.z"], result["weight"].position[:, 2])


def test_a_dataset_has_time_and_names_as_coordinates(result):
    bodies = result.dataset("bodies")
    assert bodies["position"].dims == ("time", "body", "xyz")
    assert bodies["velocity"].attrs["units"] == "m/s"
    falling = bodies["position"].sel(body="bare", xyz="z")
    # the closed form of a free fall; the frames are dense outputs of the step
    np.testing.assert_allclose(falling, 1.0 - 0.5 * 9.81 * falling["time"] ** 2, atol=1e-9)
    with stopped(SceneError, '"wheels"', "bodies"):
        result.dataset("wheels")


@pytest.mark.parametrize("group", ["forces", "loads"])
def test_a_dataset_of_wrenches_names_their_components(result, group):
    data = result.dataset(group)
    name = {"forces": "coil", "loads": "coil on weight"}[group]
    force_z = data["wrench"].isel({data["wrench"].dims[1]: list(data[group[:-1]].values).index(name)})
    expected = result.force("coil").wrench[:, 2]
    np.testing.assert_allclose(force_z.sel(component="fz"), expected, atol=1e-12)
    assert "wrench" not in data.dims


def test_every_group_of_frames_makes_a_dataset(result):
    for group in {key.partition("/")[0] for key in result.raw.attributes["frame_arrays"] if "/" in key}:
        assert set(result.dataset(group).data_vars), group


def test_the_wrench_of_a_spring_is_that_of_its_length(result):
    x = result["weight"].center_of_mass
    length = np.linalg.norm(x, axis=1)
    expected = -100.0 * ((length - 0.5) / length)[:, None] * x
    np.testing.assert_allclose(result.force("coil").wrench[:, :3], expected, atol=1e-9)
    with refused("force", "coils"):
        result.force("coils")


def test_vtk_reads_points_velocities_bodies_and_names_at_every_time(result, tmp_path):
    pytest.importorskip("h5py")
    reader = pytest.importorskip("vtkmodules.vtkIOHDF").vtkHDFReader()
    numpy_of = pytest.importorskip("vtkmodules.util.numpy_support").vtk_to_numpy
    reader.SetFileName(str(result.export(tmp_path / "x.vtkhdf")))
    reader.UpdateInformation()
    np.testing.assert_array_equal(times_of(reader), result.time)
    surface = Geometry(result.raw.static(), smooth=True)
    for k in (0, 7, 20):
        reader.UpdateTimeStep(result.time[k])
        shown = reader.GetOutput()
        points, velocities = surface.at(result.raw.frame(k))
        np.testing.assert_array_equal(numpy_of(shown.GetPoints().GetData()), points)
        normals = surface.normals_at(result.raw.frame(k)).astype(np.float32)
        np.testing.assert_array_equal(numpy_of(shown.GetPointData().GetArray("Normals")), normals)
        np.testing.assert_array_equal(numpy_of(shown.GetPointData().GetArray("color")), surface.colours)
        np.testing.assert_allclose(
            numpy_of(shown.GetPointData().GetArray("velocity")), velocities, atol=8 * FLOAT32
        )
        np.testing.assert_array_equal(numpy_of(shown.GetCellData().GetArray("body")), surface.body)
        names = shown.GetFieldData().GetAbstractArray("names")
        assert [names.GetValue(i) for i in range(names.GetNumberOfValues())] == result.bodies


def test_vtk_sees_the_bodies_of_a_glb_file_where_they_are(result, tmp_path):
    reader = pytest.importorskip("vtkmodules.vtkIOGeometry").vtkGLTFReader()
    reader.SetFileName(str(result.export(tmp_path / "x.glb")))
    reader.UpdateInformation()
    assert reader.GetAnimationDuration(0) == pytest.approx(0.5)
    reader.EnableAnimation(0)
    reader.SetFrameRate(40)
    reader.UpdateInformation()
    surface = Geometry(result.raw.static())
    for k in (0, 10, 20):
        reader.UpdateTimeStep(result.time[k])
        seen = corners(reader.GetOutput())
        points = surface.positions(result.raw.frame(k))[0][len(surface.vertices) :]
        # up is y: (x, y, z) is shown as (x, z, −y)
        upright = np.stack([points[:, 0], points[:, 2], -points[:, 1]], axis=1)
        assert len(seen) == len(upright)
        distance = np.abs(seen[:, None] - upright[None]).max(axis=2)
        assert distance.min(axis=0).max() < 4 * FLOAT32
        assert distance.min(axis=1).max() < 4 * FLOAT32


def test_a_mesh_is_stored_once_and_quaternions_turn_the_short_way(result, tmp_path):
    data = result.export(tmp_path / "x.glb").read_bytes()
    length = struct.unpack_from("<I", data, 12)[0]
    document = json.loads(data[20 : 20 + length])
    # two colours of spheres, a box of the body and one of the ground; a sphere's points are stored once
    assert len(document["meshes"]) == 4
    assert len({m["primitives"][0]["attributes"]["POSITION"] for m in document["meshes"]}) == 2
    # 0x80 of sRGB is 0.2159 in linear light
    colours = [m["pbrMetallicRoughness"]["baseColorFactor"] for m in document["materials"]]
    assert any(np.allclose(c, [0.00518, 0.21586, 1.0, 1.0], atol=1e-5) for c in colours)
    names = [node.get("name") for node in document["nodes"]]
    assert {"weight", "bare", "ground"} <= set(names)
    from mbplugin_files.glb import continuous, upright

    half = np.array([np.cos(0.3 * np.arange(40)), np.sin(0.3 * np.arange(40)), 0 * np.arange(40)])
    q = np.concatenate([half, np.zeros((1, 40))]).T * np.where(np.arange(40) % 3 == 1, -1.0, 1.0)[:, None]
    turned = continuous(q)
    assert (np.einsum("ni,ni->n", turned[1:], turned[:-1]) > 0.0).all()
    np.testing.assert_array_equal(np.abs(turned), np.abs(q))
    for gravity in ([0, 0, -9.81], [0, -1.62, 0], [0, 3, 0], [1, 2, 3], [0, 0, 0]):
        x, y, z, w = upright(np.array(gravity, float))
        up = -np.array(gravity) / np.linalg.norm(gravity) if any(gravity) else np.array([0, 0, 1.0])
        np.testing.assert_allclose(rotation(np.array([[w, x, y, z]]))[0] @ up, [0, 1, 0], atol=1e-15)


@pytest.mark.parametrize("speed", [3.0, -20.0, 62.0, 2 * np.pi / 0.1, 700.0])
@pytest.mark.parametrize("axis", [[0, 0, 1], [2, -1, 2]])
def test_a_viewer_turns_a_wheel_of_a_glb_file_as_far_as_it_turns(speed, axis):
    """At frames of 0.1 s: from key to key the short way, and in all by speed times time."""
    from mbplugin_files.glb import product, with_turns

    axis = np.array(axis) / np.linalg.norm(axis)
    time = np.linspace(0.0, 1.0, 11)
    half = 0.5 * speed * time
    q = np.column_stack([np.cos(half), np.sin(half)[:, None] * axis])
    q[::3] *= -1.0  # the same orientations
    at, keys = with_turns(time, q, np.tile(speed * axis, (11, 1)))
    between = product(keys[1:], keys[:-1] * [1.0, -1.0, -1.0, -1.0])
    between *= np.sign(between[:, :1])
    angles = 2.0 * np.arctan2(between[:, 1:] @ axis, between[:, 0])
    np.testing.assert_allclose(angles, speed * np.diff(at), atol=1e-6)
    assert set(time) <= set(at) and (len(at) == 11) == (abs(speed) * 0.1 < np.pi)


def test_a_body_of_a_glb_file_that_turns_back_between_frames_turns_the_short_way():
    from mbplugin_files.glb import with_turns

    half = 0.5 * np.array([0.0, 0.4, 0.0])
    q = np.column_stack([np.cos(half), np.sin(half), 0 * half, 0 * half])
    w = np.array([[8.0, 0, 0], [0, 0, 0], [-8.0, 0, 0]])
    assert len(with_turns(np.array([0.0, 0.1, 0.2]), q, w)[0]) == 3


def test_results_of_one_frame_and_in_memory_are_exported(tmp_path):
    short = System.from_text(SCENE.replace("frames = 20", "frames = 1"), set={"solver.end": 1e-6})
    memory = short.run(files=False)
    for suffix in ("csv", "glb", "vtkhdf", "parquet"):
        assert memory.export(tmp_path / f"x.{suffix}").stat().st_size > 0
    same_message(repr(memory))


@pytest.mark.parametrize("separator", [",", ";", ":", "|", " ", "\t", "\\t"])
def test_every_separator_is_read_back(result, tmp_path, separator):
    file = result.export(tmp_path / "x.csv", "weight.position", separator=separator)
    with file.open(newline="") as text:
        head, *rows = csv.reader(text, delimiter=separator.replace("\\t", "\t"))
    assert head == ["time [s]", *(f"body.weight.position.{c} [m]" for c in "xyz")]
    assert np.array_equal(np.array(rows, float)[:, 1:], result["weight"].position)


def test_what_cannot_be_exported_is_refused_by_name(result, tmp_path):
    for name, what, keys, key, value in (
        ("x.xls", (), {}, "-o", ".xls"),
        ("x", (), {}, "-o", ""),
        ("x.glb", ("energy.kinetic",), {}, "what", ["energy.kinetic"]),
        ("x.csv", ("energy.kinetics",), {}, "what", "energy.kinetics"),
        ("x.csv", (), {"separater": ";"}, "separater", ";"),
        *(("x.csv", (), {"separator": s}, "separator", s) for s in [";;", "", *'1.-+e"n_']),
        ("x.glb", (), {"fps": 3}, "fps", 3),
    ):
        with refused(key, value):
            result.export(tmp_path / name, *what, **keys)
    (tmp_path / "folder").write_text("")
    with stopped(StoreError, tmp_path / "folder"):
        result.export(tmp_path / "folder" / "x.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_a_library_that_is_not_installed_is_named(result, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with stopped(MissingLibraryError, "pyarrow", "mbplugin[export]"):
        result.export(tmp_path / "x.parquet")


class Lengths(Exporter):
    """Distance of every body from the origin, as a plugin would write it."""

    name = "lengths"
    suffix = ".len"

    @classmethod
    def write(cls, result, file, what, params):
        np.savetxt(file, np.linalg.norm(result.raw["bodies/position"], axis=2))


class Broken(Lengths):
    name = "broken"
    suffix = ".broken"

    @classmethod
    def write(cls, result, file, what, params):
        file.write_text("half of it")
        raise RuntimeError("no ink")


class Idle(Lengths):
    name = "idle"
    suffix = ".idle"

    @classmethod
    def write(cls, result, file, what, params):
        (file.parent / "x.other").write_text("")


class Foreign:
    @hookimpl
    def mbplugin_exporters(self, register):
        register(Idle)
        register(Lengths)
        register(Broken)


def test_a_plugin_writes_its_own_files_and_its_failure_leaves_the_older_one(result, tmp_path):
    registry, _ = load_plugins(extra=[("foreign", Foreign())])
    file = one_file.export(result, registry, tmp_path / "x.len", (), {})
    expected = np.linalg.norm(result.raw["bodies/position"], axis=2)
    np.testing.assert_allclose(np.loadtxt(file), expected, rtol=1e-15)
    older = tmp_path / "x.broken"
    older.write_text("whole")
    with stopped(PluginError, "foreign", "Broken.write", "no ink"):
        one_file.export(result, registry, older, (), {})
    assert older.read_text() == "whole"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.broken", "x.len"]
    with stopped(PluginError, tmp_path / "x.idle", "idle"):
        one_file.export(result, registry, tmp_path / "x.idle", (), {})


@pytest.mark.parametrize(("given", "name"), [({}, "`suffix`"), ({"suffix": ".x"}, "`write`")])
def test_an_exporter_without_a_suffix_or_a_function_is_refused(given, name):
    class Plugin:
        @hookimpl
        def mbplugin_exporters(self, register):
            register(type("Bare", (Exporter,), {"name": "bare", **given}))

    with stopped(PluginError, '"bare"', name):
        load_plugins(strict=True, extra=[("foreign", Plugin())])


def test_a_stored_result_says_what_it_is(result):
    same_message(repr(load(result.folder)))


def times_of(reader):
    from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline as pipeline

    return np.array(reader.GetOutputInformation(0).Get(pipeline.TIME_STEPS()))


def corners(blocks):
    """All points of a composite of VTK."""
    from vtkmodules.util.numpy_support import vtk_to_numpy

    found, each = [], blocks.NewIterator()
    each.InitTraversal()
    while not each.IsDoneWithTraversal():
        found.append(vtk_to_numpy(each.GetCurrentDataObject().GetPoints().GetData()))
        each.GoToNextItem()
    return np.concatenate(found)


@pytest.mark.parametrize("name", ["csv", "parquet", "glb", "vtkhdf"])
def test_our_exporters_pass_the_kit(name):
    from mbplugin.testing.kit import check_exporter, installed

    report = check_exporter(installed().find("exporter", name))
    assert report.ok, f"\n{report}"


def test_the_kit_finds_an_exporter_that_writes_beside_its_file_and_differs_each_time():
    from mbplugin.testing import check_exporter

    class Untidy(Lengths):
        name = "untidy"
        suffix = ".untidy"
        count = 0

        @classmethod
        def write(cls, result, file, what, params):
            Untidy.count += 1
            file.write_text(str(Untidy.count))
            (file.parent / "left.txt").write_text("")

    failed = {check.what for check in check_exporter(Untidy).checks if not check.ok}
    assert failed == {
        f"{what} of {which}" if what == "writes one file" else f"writes {which} twice to the same bytes"
        for what in ("writes one file", "twice")
        for which in ("a result", "a result of two frames")
    }
