"""The series shows the bodies at their positions: read back with VTK and PyVista, against positions
computed by hand.
"""

import errno
import os
import subprocess
import time
import xml.etree.ElementTree as ElementTree

import made_up
import numpy as np
import pytest
from refusals import stopped
from stored_series import write_series

from mbplugin.decoder.colours import default_colours
from mbplugin.decoder.rotation import rotation
from mbplugin.errors import StoreError
from mbplugin.export import SeriesWriter
from mbplugin.export.geometry import Geometry
from mbplugin.results import RawResult

TETRAHEDRON = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
ROD_CENTER = np.array([0.0, 0.2, 0.0])

# Float32 has 24 bits; coordinates here are below 4
FLOAT32 = 4 * 2.0**-24


def truth(i):
    """Points of frame i in the order of the file: crank, piston (vertices), tetrahedron of the rod, of the
    ground.
    """
    angle = made_up.RATES * i * made_up.DT
    centers = made_up.RADII[:, None] * np.stack([np.cos(angle), np.sin(angle), np.zeros(3)], axis=1)
    c, s = np.cos(angle[1]), np.sin(angle[1])
    turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    rod = centers[1] + (turn @ (TETRAHEDRON - ROD_CENTER).T).T
    return np.vstack([centers[0], centers[2], rod, TETRAHEDRON])


#: places of the corners of the triangles in `truth`
CORNERS = np.concatenate([made_up.static()["meshes/triangles"] + start for start in (2, 6)])


def bounds(points):
    """Least and greatest x, y and z of points, as VTK orders them."""
    return np.stack([points.min(axis=0), points.max(axis=0)], axis=1).ravel()


def entries(index):
    """What an index file names."""
    return ElementTree.parse(index).findall("Collection/DataSet")


def at_frame(index, i):
    """The mesh at one time of a series, and all times."""
    reader = pytest.importorskip("pyvista").PVDReader(str(index))
    reader.set_active_time_point(i)
    return reader.read()[0], reader.time_values


def series(folder, frames=50, static=None):
    static = made_up.static() if static is None else static
    writer = SeriesWriter(folder, static)
    for i in range(frames):
        writer.append(made_up.frame(i, static))
    writer.close()
    return writer


def read(path):
    vtk = pytest.importorskip("vtk")
    reader = vtk.vtkXMLPolyDataReader()
    reader.SetFileName(str(path))
    reader.Update()
    return pytest.importorskip("pyvista").wrap(reader.GetOutput())


@pytest.mark.parametrize("i", [0, 7, 49])
def test_vtk_reads_every_point_where_the_body_is(tmp_path, i):
    series(tmp_path)
    mesh = read(tmp_path / f"result/frame_{i:06d}.vtp")
    assert np.abs(mesh.points[:2] - truth(i)[:2]).max() < 1e-15
    assert np.abs(mesh.points[mesh.regular_faces] - truth(i)[CORNERS]).max() < 2e-15
    assert mesh.points.dtype == np.float64
    assert list(mesh.cell_data["body"]) == [0, 2, 1, 1, 1, 1, -1, -1, -1, -1]
    assert mesh.cell_data["body"].dtype == np.int32
    assert list(mesh.cell_data["body_name"]) == ["crank", "piston", *["rod"] * 4, *["ground"] * 4]
    assert list(mesh.field_data["names"]) == ["crank", "rod", "piston"]
    assert mesh.field_data["TimeValue"][0] == i * made_up.DT
    assert mesh.n_verts == 2
    assert mesh.n_cells == 10
    # outward triangles stay outward
    surface = mesh.extract_cells(range(6, 10)).extract_surface(algorithm=None)
    assert surface.volume == pytest.approx(1 / 6, rel=1e-6)


def test_the_velocity_array_is_the_rate_of_the_points(tmp_path):
    series(tmp_path, frames=12)
    rate = (truth(10 + 1e-3) - truth(10 - 1e-3)) / (2e-3 * made_up.DT)
    mesh = read(tmp_path / "result/frame_000010.vtp")
    velocity = mesh.point_data["velocity"]
    assert np.abs(velocity[:2] - rate[:2]).max() < 1e-6
    assert np.abs(velocity[mesh.regular_faces] - rate[CORNERS]).max() < 1e-6
    assert np.abs(rate).max() > 1


def test_a_velocity_field_is_rigid_for_any_rotation():
    rng = np.random.default_rng(1)
    static = made_up.static()
    q = rng.normal(size=(3, 4))
    frame = made_up.frame(3) | {"bodies/orientation": q / np.linalg.norm(q, axis=1)[:, None]}
    frame["bodies/angular_velocity"] = rng.normal(size=(3, 3))
    points, velocity = Geometry(static).at(frame)
    arms = points[2:6, None] - points[None, 2:6]
    rates = velocity[2:6, None] - velocity[None, 2:6]
    assert np.abs(np.einsum("ijk,ijk->ij", arms, rates)).max() < 1e-14  # lengths stay
    R = rotation(frame["bodies/orientation"])
    assert np.abs(R @ R.transpose(0, 2, 1) - np.eye(3)).max() < 1e-15
    assert np.linalg.det(R) == pytest.approx([1, 1, 1])


def test_pyvista_steps_through_time_with_the_right_bounds(tmp_path):
    series(tmp_path)
    for i in (0, 13, 49):
        mesh, times = at_frame(tmp_path / "result.pvd", i)
        assert times == [i * made_up.DT for i in range(50)]
        assert np.abs(np.array(mesh.bounds) - bounds(truth(i))).max() < FLOAT32


def test_surfaces_have_the_colours_of_their_shapes_and_sharp_edges(tmp_path):
    """A tetrahedron has flat faces; a colour that is not given is that of pictures."""
    series(tmp_path)
    mesh = read(tmp_path / "result/frame_000007.vtp")
    color, faces = mesh.point_data["color"], mesh.regular_faces
    assert color.dtype == np.uint8
    assert color[:2].tolist() == default_colours(np.array([0, 2])).tolist()
    assert (color[faces[:4]] == [64, 128, 191]).all() and (color[faces[4:]] == [128, 128, 128]).all()
    assert mesh.GetPointData().GetNormals().GetName() == "Normals"
    a, b, c = (mesh.points[faces[:, k]] for k in range(3))
    flat = np.cross(b - a, c - a)
    flat /= np.linalg.norm(flat, axis=1)[:, None]
    assert np.abs(mesh.point_data["Normals"][faces] - flat[:, None]).max() < 1e-6


def test_arrays_have_units(tmp_path):
    series(tmp_path)
    for file, units in {
        "result": {"velocity": "m/s"},
        "joints": {"force": "N", "torque": "N m"},
        "centers": {"mass": "kg", "kinetic_energy": "J", "angular_velocity": "rad/s"},
        "history": {
            "energy.kinetic": "J",
            "constraints.drift_position": "m or rad",
            "joint.elbow.force": "N",
            "joint.elbow.torque": "N m",
        },
    }.items():
        data = read(tmp_path / f"{file}/frame_000001.vtp").GetPointData()
        found = {name: data.GetAbstractArray(name).GetInformation() for name in units}
        key = data.GetAbstractArray(next(iter(units))).UNITS_LABEL()
        assert {name: of.Get(key) for name, of in found.items()} == units


def test_mass_centres_are_points_with_names_masses_and_energies(tmp_path):
    series(tmp_path)
    mesh, times = at_frame(tmp_path / "centers.pvd", 20)
    frame = made_up.frame(20)
    assert len(times) == 50
    assert np.array_equal(mesh.points, frame["bodies/center_of_mass"])
    for name in ("center_of_mass_velocity", "angular_velocity", "kinetic_energy"):
        assert np.array_equal(mesh.point_data[name.removeprefix("center_of_mass_")], frame[f"bodies/{name}"])
    assert list(mesh.point_data["body_name"]) == ["crank", "rod", "piston"]
    assert mesh.point_data["mass"][:2].tolist() == [1.0, 2.0] and np.isnan(mesh.point_data["mass"][2])


def test_the_history_is_one_point_with_numbers_and_reactions_of_joints(tmp_path):
    series(tmp_path)
    mesh, _ = at_frame(tmp_path / "history.pvd", 13)
    frame = made_up.frame(13)
    assert mesh.n_points == 1
    for name, value in {
        "energy.kinetic": frame["energy/kinetic"],
        "energy.balance": frame["energy/balance"],
        "coordinate.shoulder.angle.value": frame["coordinates/value"][0],
        "coordinate.elbow.angle.speed": frame["coordinates/speed"][1],
        "coordinate.elbow.angle.drive": frame["coordinates/drive"][1],
    }.items():
        assert mesh.point_data[name][0] == value
    for k, joint in enumerate(("shoulder", "elbow")):
        for what in ("force", "torque"):
            assert mesh.point_data[f"joint.{joint}.{what}"].tolist() == [frame[f"joints/{what}"][k].tolist()]


def test_points_6000_km_from_the_origin_keep_their_digits(tmp_path):
    far = np.array([6.0e6, -6.0e6, 1.0e3])
    geometry = Geometry(made_up.static(), smooth=True)
    writer = SeriesWriter(tmp_path, made_up.static())
    frame = made_up.frame(3)
    frame["bodies/position"] = frame["bodies/position"] + far
    writer.append(frame)
    writer.close()
    mesh = read(tmp_path / "result/frame_000000.vtp")
    assert np.array_equal(mesh.points, geometry.at(frame)[0])
    edge = np.linalg.norm(np.diff(mesh.points[mesh.regular_faces[0]], axis=0), axis=1)
    assert edge == pytest.approx([1.0, np.sqrt(2.0)], abs=4e-9)


def test_joints_are_points_with_their_reactions(tmp_path):
    series(tmp_path)
    mesh, _ = at_frame(tmp_path / "joints.pvd", 20)
    frame = made_up.frame(20)
    assert np.abs(mesh.points - frame["joints/position"]).max() < FLOAT32
    for name in ("force", "torque", "determined"):
        assert np.array_equal(mesh.point_data[name], frame[f"joints/{name}"])
    assert list(mesh.point_data["joint"]) == [0, 1]
    assert list(mesh.point_data["joint_name"]) == list(mesh.field_data["names"]) == ["shoulder", "elbow"]
    assert list(mesh.point_data["joint_type"]) == ["revolute", "ball"]
    assert mesh.n_verts == 2


def test_lines_join_their_markers(tmp_path):
    series(tmp_path)
    mesh, times = at_frame(tmp_path / "lines.pvd", 20)
    assert times == [i * made_up.DT for i in range(50)]
    assert np.abs(mesh.points - made_up.frame(20)["lines/ends"][0]).max() < FLOAT32
    assert mesh.n_lines == 1 and list(mesh.lines) == [2, 0, 1]
    assert list(mesh.cell_data["line"]) == [0] and list(mesh.field_data["names"]) == ["spring_1"]


def test_without_lines_there_is_no_series_of_lines(tmp_path):
    series(tmp_path, 1, made_up.static() | {"lines/name": []})
    assert not (tmp_path / "lines.pvd").exists() and (tmp_path / "joints.pvd").exists()


def test_without_any_shape_every_body_is_a_vertex(tmp_path):
    series(tmp_path, 3, made_up.static(mesh=False))
    mesh = read(tmp_path / "result/frame_000002.vtp")
    assert np.abs(mesh.points - made_up.frame(2)["bodies/center_of_mass"]).max() < FLOAT32
    assert list(mesh.cell_data["body"]) == [0, 1, 2]


def test_without_joints_or_bodies_there_is_still_a_series(tmp_path):
    static = {"bodies/name": [], "bodies/local_center_of_mass": np.zeros((0, 3)), "joints/name": []}
    series(tmp_path, 2, static)
    assert read(tmp_path / "result/frame_000001.vtp").n_points == 0
    assert not (tmp_path / "joints.pvd").exists()


def test_a_kinematic_run_has_joints_without_reactions(tmp_path):
    writer = SeriesWriter(tmp_path, made_up.static())
    frame = made_up.frame(0)
    for name in ("force", "torque", "determined"):
        del frame[f"joints/{name}"]
    writer.append(frame)
    writer.close()
    assert set(read(tmp_path / "joints/frame_000000.vtp").point_data) == {"joint", "joint_name", "joint_type"}


def test_names_of_any_script_and_with_markup_survive(tmp_path):
    names = ["Kurbel & <Welle>", "πίστον", 'a "b"']
    series(tmp_path, 1, made_up.static() | {"bodies/name": names})
    assert list(read(tmp_path / "result/frame_000000.vtp").field_data["names"]) == names


def test_the_index_names_only_frames_that_are_there_and_follows_within_a_second(tmp_path, monkeypatch):
    writer = SeriesWriter(tmp_path, made_up.static())
    now = time.monotonic()
    seen = []
    for i in range(40):
        monkeypatch.setattr(time, "monotonic", lambda i=i: now + 0.1 * i)
        writer.append(made_up.frame(i))
        named = entries(tmp_path / "result.pvd")
        assert all((tmp_path / entry.get("file")).exists() for entry in named)
        seen.append(len(named))
    assert len(set(seen)) == 4  # 0 and three times in 3.9 s
    assert all(i - count <= 11 for i, count in enumerate(seen))
    writer.close()
    assert len(entries(tmp_path / "result.pvd")) == 40
    assert not list(tmp_path.rglob("*.part"))


def test_a_shorter_run_leaves_no_frames_of_the_longer_one_before(tmp_path):
    series(tmp_path, 30)
    (tmp_path / "result/notes.txt").write_text("mine")
    series(tmp_path, 4)
    assert len(list(tmp_path.glob("result/frame_*.vtp"))) == 4
    assert (tmp_path / "result/notes.txt").exists()


def contents(folder):
    files = [path for path in folder.rglob("*") if path.suffix in (".vtp", ".pvd")]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def stored(path, frames):
    made_up.write(path, frames).close(complete=True)
    return RawResult(path)


def test_a_continued_series_equals_the_series_of_one_run(tmp_path):
    series(tmp_path / "whole", 30)
    series(tmp_path / "cut", 25)
    (tmp_path / "cut/result/frame_000019.vtp").unlink()  # killed between store and series
    raw = stored(tmp_path / "result.zarr", 22)
    writer = SeriesWriter.reopen(tmp_path / "cut", raw, 20)
    for i in range(20, 30):
        writer.append(made_up.frame(i))
    writer.close()
    assert contents(tmp_path / "cut") == contents(tmp_path / "whole")


def test_a_stored_result_has_the_series_of_its_run(tmp_path):
    raw = stored(tmp_path / "result.zarr", 40)
    series(tmp_path / "run", 40)
    assert write_series(raw, tmp_path / "all") == 40
    assert contents(tmp_path / "all") == contents(tmp_path / "run")


LIMITED = """
import resource, signal
from mbplugin.errors import StoreError
from mbplugin.export import SeriesWriter
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
writer = SeriesWriter(folder, made_up.static())
for i in range(5):
    writer.append(made_up.frame(i))
writer.flush()
resource.setrlimit(resource.RLIMIT_FSIZE, (1200, resource.RLIM_INFINITY))
try:
    writer.append(made_up.frame(5))
except StoreError as error:
    print(error.exit_code, error)
try:
    writer.close()
except StoreError as error:
    print("and at its end:", error)
"""


def test_a_full_disk_keeps_the_frames_before_it(tmp_path):
    script = made_up.script(LIMITED, folder=str(tmp_path))
    said = subprocess.run(script, capture_output=True, check=True, text=True).stdout
    assert said.startswith(
        f"4 {tmp_path}/result.pvd: cannot write frame 5: File too large "
        "(make room, then continue with --resume); the 5 frames written before"
    )
    assert f"and at its end: {tmp_path}/result.pvd: cannot write frame 5" in said
    assert len(entries(tmp_path / "result.pvd")) == 5
    assert len(list(tmp_path.glob("result/*"))) == 5
    assert len(read(tmp_path / "result/frame_000004.vtp").points) == 26


@pytest.mark.parametrize("kept", [3, 12, 20])
def test_a_series_that_makes_room_names_the_frames_it_keeps_and_can_be_continued(tmp_path, kept):
    series(tmp_path / "whole", 25)
    writer = SeriesWriter(tmp_path / "full", made_up.static())
    for i in range(20):
        writer.append(made_up.frame(i))
        if i == 9:
            writer.flush()
    writer.make_room(kept)
    named = entries(tmp_path / "full/result.pvd")
    assert len(named) == min(kept, 10) and writer.frames == kept
    assert len(list(tmp_path.glob("full/result/*"))) == len(list(tmp_path.glob("full/joints/*"))) == kept
    with stopped(StoreError, kept, os.strerror(errno.ENOSPC)):
        writer.append(made_up.frame(20))
    with stopped(StoreError, os.strerror(errno.ENOSPC)):
        writer.close()
    writer = SeriesWriter.reopen(tmp_path / "full", stored(tmp_path / "result.zarr", 25), 25)
    writer.close()
    assert contents(tmp_path / "full") == contents(tmp_path / "whole")


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with stopped(StoreError, tmp_path / "file", os.strerror(errno.ENOTDIR)):
        SeriesWriter(tmp_path / "file", made_up.static())


WITHOUT_VTK = """
from mbplugin.export import SeriesWriter
writer = SeriesWriter(folder, made_up.static())
writer.append(made_up.frame(0))
writer.close()
assert not set(sys.modules) & {"vtk", "vtkmodules", "pyvista", "zarr"}
"""


def test_writing_needs_neither_vtk_nor_zarr(tmp_path):
    subprocess.run(made_up.script(WITHOUT_VTK, folder=str(tmp_path)), check=True)
