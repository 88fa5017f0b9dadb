"""The reader plugin in ParaView itself gives what the result holds."""

from __future__ import annotations

import ast
import csv
import json
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import made_up
import numpy as np
import pytest
from child import told
from scene_text import body, hinge, solver, spring, table, world
from screen import SERVER, no_settings, virtual_screen
from test_points import system as flying
from test_series import FLOAT32, bounds, series, truth

import mbplugin as mb
from mbplugin import decoder
from mbplugin.decoder.contact_frame import derived
from mbplugin.decoder.drawn import Drawn
from mbplugin.export.geometry import Geometry
from mbplugin.paraview import READER, script_of
from mbplugin.results import ResultWriter
from mbplugin.results.index import INDEX, STORE, write_index

LOOK = Path(__file__).with_name("look_by_reader.py")
STATUS = ("open", "sticks", "slips", "new")
#: names at the mass centres of arrays of the bodies
AT_CENTRES = {
    "center_of_mass_velocity": "velocity",
    "position": "origin",
    "velocity": "origin_velocity",
    "acceleration": "origin_acceleration",
}
FRAMES = 40
#: of the made-up runs; a chunk has 1,024 of them
BEFORE, AFTER, LONG = 40, 70, 2500


def box(position=(0, 0, 0), **keys):
    return {"type": "box", "size": [0.2, 0.2, 0.1], "position": position, **keys}


def scene():
    """Two boxes on the floor, one upon the other, a pendulum with two shapes away from its origin, a spring
    to a body without a shape, and a body 6,000 km away."""
    solid = {"density": 1000.0, "collide": True, "material": "m"}
    text = world(
        collide=True, material="m", shape=[{"type": "plane", "size": [4, 4], "color": [0.5, 0.25, 0.75]}]
    )
    text += table("material", name="m", friction=0.5)
    text += body("bottom", position=[0, 0, 0.05], velocity=[1.0, 0, 0], shape=[box()], **solid)
    text += body("top", position=[0.02, 0, 0.15], shape=[box(color=[0.0, 0.5, 1.0])], **solid)
    text += body(
        "arm",
        density=800.0,
        position=[2, 0, 2],
        orientation={"axis": [1, 2, 3], "angle": 0.7},
        shape=[
            box([0.3, 0.1, 0]),
            {"type": "sphere", "radius": 0.1, "position": [0, 0, 0.4], "color": "red"},
        ],
    )
    text += body("bare", mass=1.0, inertia=[1, 1, 1], position=[3, 1, 2])
    text += body(
        "far", density=500.0, position=[6e6, -1e6, 2e6], angular_velocity=[1, 2, 3], shape=[box([0.5, 0, 0])]
    )
    text += hinge("pivot", "ground", "arm", at=[2, 0, 2], axis=[0, 1, 0])
    text += spring("arm", "bare", name="coil", stiffness=50.0, length=0.5)
    return text + solver(type="contact", step=2e-3, end=0.4) + table("output", frames=FRAMES)


def index_of(folder):
    write_index(folder)
    return folder / INDEX


def made(folder, frames, mesh=True):
    """A made-up run; a writer that is still open, all frames committed."""
    folder.mkdir()
    writer = ResultWriter(folder / STORE, made_up.static(mesh), {"scene": "made up"})
    for i in range(frames):
        writer.append(made_up.frame(i))
    writer.flush()
    return writer, index_of(folder)


class Seen:
    """A result and what ParaView found in it; standard output and error."""

    def __init__(self, folder):
        self.result = mb.System.from_text(scene()).run(folder / "main")
        growing, growing_index = made(folder / "growing", BEFORE)
        _, newer_index = made(folder / "newer", 2)
        _, lost_index = made(folder / "lost", LONG, mesh=False)
        node = json.loads((folder / "newer" / STORE / "zarr.json").read_text())
        node["attributes"]["version"] = 99
        (folder / "newer" / STORE / "zarr.json").write_text(json.dumps(node))
        store = folder / "lost" / STORE
        (store / "bodies/position/c.1.0.0").unlink()
        short = store / "bodies/orientation/c.2.0.0"
        short.write_bytes(short.read_bytes()[: 3 * 4 * 8 * 100])  # 100 frames of 3 bodies
        (store / "joints/force/c.2.0.0").unlink()
        line = ["pvpython", str(LOOK), str(READER), str(folder / "main" / INDEX)]
        line += map(str, (growing_index, newer_index, lost_index))
        (folder / "series").mkdir()
        series(folder / "series", FRAMES)
        self.drawn = flying(False).run(folder / "flying") if SERVER else None
        if self.drawn is not None:
            (folder / "picture.py").write_text(script_of(self.drawn.raw))
        self.picture = folder / "picture.png"
        line += map(str, (folder / "series", folder / "picture.py" if SERVER else "-", self.picture))
        with screen_of(folder / "home") as environment:
            self.look(line, environment, growing)

    def look(self, line, environment, growing):
        run = subprocess.Popen(
            line,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=environment,
        )
        self.text = ""
        for printed in run.stdout:
            self.text += printed
            if printed == "GROW\n":
                for i in range(BEFORE, AFTER):
                    growing.append(made_up.frame(i))
                growing.flush()
                run.stdin.write("grown\n")
                run.stdin.flush()
        run.wait(timeout=300)
        self.found = told(subprocess.CompletedProcess(line, run.returncode, self.text, ""), "FOUND ")

    def between(self, first, last):
        """The lines printed between two marks."""
        return self.text.partition(f"{first}\n")[2].partition(f"{last}\n")[0].splitlines()


@contextmanager
def screen_of(home):
    """The environment of a process that draws, without settings of the user; None: there is no screen."""
    if SERVER is None:
        yield None
        return
    with virtual_screen() as screen, no_settings(screen, home) as environment:
        yield environment


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    if shutil.which("pvpython") is None:
        pytest.skip("ParaView (pvpython) is not installed")
    return Seen(tmp_path_factory.mktemp("reader"))


def each_frame(seen):
    for i, frame in seen.found["frames"].items():
        yield seen.result.raw.frame(int(i)), int(i), frame


def test_every_frame_is_a_step(seen):
    assert seen.found["steps"] == seen.result.time.tolist()
    assert seen.text.count("Traceback") == 0


def test_blocks_are_the_bodies_by_name_where_the_result_has_them(seen):
    geometry = Geometry(seen.result.raw.static())
    for frame, _, found in each_frame(seen):
        blocks = {block["name"]: block for block in found["blocks"]}
        assert list(blocks) == [*seen.result.bodies, "ground plane"]
        points, velocities = geometry.at(frame)
        for number, name in enumerate(seen.result.bodies):
            of_body = points[geometry._owner == number]
            expected = np.stack([of_body.min(axis=0), of_body.max(axis=0)], axis=1).ravel()
            allowed = np.maximum(1e-9, 8 * np.spacing(np.abs(expected)))
            assert (np.abs(np.array(blocks[name]["bounds"]) - expected) <= allowed).all(), name
            assert blocks[name]["bodies"] == [number]
            assert blocks[name]["unused"] == 0 or name == "bare"
            if name in ("bottom", "top", "far"):  # all corners of a box are doubled alike for their normals
                mean = velocities[geometry._owner == number].mean(axis=0)
                np.testing.assert_allclose(blocks[name]["velocity"], mean, atol=1e-5)
    np.testing.assert_array_equal(seen.found["extracted"], blocks["top"]["bounds"])


def test_bodies_have_the_colours_of_the_scene(seen):
    drawn = Drawn(seen.result.raw.static())
    for _, _, found in each_frame(seen):
        for block in found["blocks"]:
            (number,) = block["bodies"]
            if number != seen.result.bodies.index("bare"):
                given = {tuple(map(int, c)) for c in drawn.colours()[drawn.body == number]}
                assert {tuple(c) for c in block["colours"]} == given, block["name"]
        assert found["shapes"]["color"] == drawn.colours().tolist()


def test_shapes_for_glyphs_are_where_the_result_has_them(seen):
    drawn = Drawn(seen.result.raw.static())
    for frame, _, found in each_frame(seen):
        places, turns = drawn.places(frame)
        np.testing.assert_allclose(found["shapes"]["points"], places, rtol=4e-16, atol=1e-12)
        np.testing.assert_allclose(found["shapes"]["orientation"], turns, atol=1e-6)
        assert found["shapes"]["mesh"] == drawn.mesh.tolist()
        assert found["meshes"] == len(drawn.meshes)


def test_joints_and_lines_are_in_step(seen):
    raw = seen.result.raw
    for frame, _, found in each_frame(seen):
        joints = found["joints"]
        assert joints["joint_name"] == raw.names("joints") and joints["joint_type"] == ["revolute"]
        np.testing.assert_array_equal(joints["points"], frame["joints/position"])
        for name in ("force", "torque", "local_force", "determined"):
            np.testing.assert_array_equal(joints[name], frame[f"joints/{name}"])
        assert found["lines"]["line_name"] == ["coil"]
        np.testing.assert_array_equal(found["lines"]["points"], frame["lines/ends"][0])


def test_mass_centres_are_in_step(seen):
    raw = seen.result.raw
    for frame, _, found in each_frame(seen):
        centres = found["centres"]
        assert centres["body_name"] == raw.names("bodies") and centres["mass"] == raw.attribute("bodies/mass")
        np.testing.assert_array_equal(centres["points"], frame["bodies/center_of_mass"])
        for key in raw.frame_arrays:
            group, _, name = key.partition("/")
            if group == "bodies" and name != "center_of_mass":
                shown = AT_CENTRES.get(name, name)
                np.testing.assert_allclose(centres[shown], frame[key], rtol=1e-14, atol=1e-14, err_msg=name)


def test_contacts_act_on_b_with_the_ground_as_a_and_words_for_their_status(seen):
    pairs, words = set(), set()
    raw = seen.result.raw
    for _, i, found in each_frame(seen):
        contacts, (first, stop) = found["contacts"], raw.offsets("contacts")[i : i + 2]
        assert stop > first
        expected = {name: raw.entries("contacts", name, first, stop) for name in raw.lists["contacts"]}
        expected |= derived(expected["normal"], expected["force"])
        np.testing.assert_array_equal(contacts["points"], expected.pop("point"))
        for name, values in expected.items():
            np.testing.assert_allclose(contacts[name], values, rtol=1e-14, atol=1e-14, err_msg=name)
        force, normal = np.array(contacts["force"]), np.array(contacts["normal"])
        assert ((force * normal).sum(axis=1) >= 0.0).all()
        assert min(contacts["body_b"]) >= 0
        names = [*raw.names("bodies"), "ground"]
        for end in "ab":
            assert contacts[f"body_{end}_name"] == [names[b] for b in contacts[f"body_{end}"]]
        assert contacts["status_name"] == [STATUS[k] for k in contacts["status"]]
        pairs |= set(zip(contacts["body_a_name"], contacts["body_b_name"]))
        words |= set(contacts["status_name"])
        # of a force and its reaction the one that pushes upwards, for arrows
        supporting = np.array(contacts["supporting_force"])
        np.testing.assert_array_equal(np.abs(supporting), np.abs(force))
        assert (supporting[:, 2] >= -0.02 * np.linalg.norm(force, axis=1)).all()
        # the floor pushes upwards
        on_floor = np.array(contacts["body_a"]) == -1
        assert (force[on_floor, 2] >= 0.0).all() and force[on_floor, 2].sum() > 0.0
    assert ("ground", "bottom") in pairs and any("top" in pair for pair in pairs)
    assert {"sticks", "slips"} & words


def test_the_table_is_that_of_an_export(seen, tmp_path):
    file = seen.result.export(tmp_path / "all.csv")
    with file.open(newline="") as text:
        head, *rows = csv.reader(text)
    exported = dict(zip(head, np.array(rows, float).T))
    columns = next(each_frame(seen))[2]["table"]
    for name, values in columns.items():
        np.testing.assert_array_equal(values, exported[name], err_msg=name)
    numbers = ("time [s]", "energy", "coordinate", "constraints", "contact")
    reactions = {c for c in head if c.split(".")[0] == "joint" and c.split(".")[-2] in ("force", "torque")}
    assert len(reactions) == 6 * len(seen.result.raw.names("joints")) > 0
    assert {c for c in head if c.split(".")[0] in numbers} | reactions <= set(columns)
    for _, i, found in each_frame(seen):
        assert found["table"]["time [s]"][i] == seen.result.time[i]
        assert found["table"]["energy.kinetic [J]"][i] == seen.result.energy.kinetic[i]


def test_what_is_ticked_is_shown(seen):
    chosen = seen.found["chosen"]
    assert chosen["blocks"] == ["top", "far"] and chosen["joints"] == 0 and chosen["shapes"] == 2
    assert {frozenset(pair) for pair in chosen["pairs"]} == {frozenset(("top", "bottom"))}
    assert seen.found["beyond the limit"] == [0, 2]
    (line,) = [line for line in seen.text.splitlines() if "BlockLimit" in line]
    assert "2 bodies" in line and "Shapes" in line


def test_a_growing_run_has_more_steps_after_a_reload(seen):
    before, after, centres, blocks = seen.found["growing"]
    assert after[: len(before)] == before
    assert after == [i * made_up.DT for i in range(AFTER)]
    assert [block["name"] for block in blocks] == ["crank", "rod", "piston", "ground"]
    np.testing.assert_array_equal(centres, made_up.frame(AFTER - 1)["bodies/center_of_mass"])


def test_a_newer_format_is_refused_in_one_line(seen):
    (line,) = seen.between("OF NEWER", "OF LOST")
    assert "format 99" in line and INDEX in line and "mbplugin" in line
    steps, blocks = seen.found["newer"]
    assert steps == 0 and blocks == 0


def test_frames_of_a_lost_or_short_chunk_are_left_out_and_named(seen):
    shown, force, centres, blocks = seen.found["lost"]
    intact = [*range(1024), *range(2048, 2148)]
    assert shown == [i * made_up.DT for i in intact]
    # the bodies, which have no shapes, are points
    assert blocks == ["crank", "rod", "piston"]
    assert np.isnan(force).all() and np.isfinite(centres).all()
    lines = seen.between("OF LOST", "OF PICTURE")
    assert len(lines) == 3
    for key, chunk in (("position", 1), ("orientation", 2), ("force", 2)):
        assert any(f"{key}/c.{chunk}.0.0" in line for line in lines)


def test_paraview_steps_through_the_series_with_the_right_bounds(seen):
    found = seen.found["series"]
    for i in range(FRAMES):
        for name, points in (("result", truth(i)), ("joints", made_up.frame(i)["joints/position"])):
            assert np.abs(np.array(found[name]["bounds"][i]) - bounds(points)).max() < FLOAT32, (name, i)
    of_bodies, of_joints = found["result"], found["joints"]
    assert of_bodies["steps"] == of_joints["steps"] == [i * made_up.DT for i in range(FRAMES)]
    assert sorted(of_bodies["points"]) == ["Normals", "color", "velocity"]
    assert sorted(of_bodies["cells"]) == ["body", "body_name"]
    of_joint = ["determined", "force", "joint", "joint_name", "joint_type", "torque"]
    assert sorted(of_joints["points"]) == of_joint
    assert "names" in of_bodies["fields"] and "names" in of_joints["fields"]


@pytest.mark.skipif(SERVER is None, reason="there is no virtual screen (Xvfb)")
def test_the_first_picture_has_the_colours_of_the_scene(seen):
    iio = pytest.importorskip("imageio.v3")
    assert seen.between("OF PICTURE", "DONE") == []
    picture = iio.imread(seen.picture)[..., :3].astype(int)
    shown = (np.abs(picture - 255).sum(axis=2) > 150) & (np.ptp(picture, axis=2) > 60)
    assert shown.mean() > 0.015
    # a colour is shaded by the light, but keeps its hue
    hues = picture[shown] / np.linalg.norm(picture[shown], axis=1, keepdims=True)
    for colour in np.unique(Drawn(seen.drawn.raw.static()).colours(), axis=0):
        if np.ptp(colour.astype(int)) > 100:
            near = np.abs(hues - colour / np.linalg.norm(colour.astype(float))).max(axis=1) < 0.05
            assert near.sum() > 100, colour


def test_the_reader_is_plain_python_of_3_8_that_needs_numpy_and_paraview_alone():
    imported = set()
    for file in (READER, *Path(decoder.__path__[0]).glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"), feature_version=(3, 8))):
            if isinstance(node, ast.Import):
                imported |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                imported.add(node.module)
    own = {name.partition(".")[0] for name in imported} - set(sys.stdlib_module_names)
    assert own == {"numpy", "paraview", "vtkmodules", "mbplugin_decoder"}
