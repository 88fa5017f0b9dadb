"""Numbers of elements and of a solver that results store by name and unit."""

from __future__ import annotations

import functools
import json

import foreign_kinds
import mbplugin_spheres
import numpy as np
import pytest
from foreign_kinds.bristles import Bristles, Rail, Telling
from foreign_kinds.stop import Stop
from refusals import has, refused, stopped
from scene_text import NO_GRAVITY, body, joint, solver, table, world
from stored_series import write_series

import mbplugin as mb
from mbplugin import api
from mbplugin.cli.info import info_result
from mbplugin.errors import PluginError, SceneError
from mbplugin.hooks.load import load_plugins
from mbplugin.run.prepare import prepare
from mbplugin.testing import check_enforcement, check_force
from mbplugin.testing.kit import beside

STEP, G = 2e-3, 9.81


@pytest.fixture(autouse=True)
def offered(monkeypatch):
    """The kinds of the third party, for `System.run`."""
    monkeypatch.setattr(api, "plugins", with_foreign_kinds)


@functools.cache
def with_foreign_kinds():
    third_parties = [("foreign_kinds", foreign_kinds), ("mbplugin_spheres", mbplugin_spheres)]
    return load_plugins(extra=third_parties)


BRAKE = table("force", name="brake", type="foreign_bristles", body="sled", stiffness=50, friction=3)
SLED = body("sled", mass=1, inertia=[1, 1, 1], velocity=[2, 0, 0])


@pytest.fixture(scope="module")
def braked(tmp_path_factory):
    text = NO_GRAVITY + SLED + BRAKE + solver(end=0.5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(api, "plugins", with_foreign_kinds)
        return mb.System.from_text(text).run(tmp_path_factory.mktemp("braked") / "out")


def test_outputs_of_a_force_are_what_its_law_says(braked):
    assert braked.outputs == {"brake.slip": "m/s", "brake.saturation": "1"}
    z, v = braked.raw["states/value"][:, 0], braked["sled"].velocity[:, 0]
    np.testing.assert_allclose(braked.output("brake.slip"), 50 * np.abs(v) * z / 3, atol=1e-15)
    np.testing.assert_allclose(braked.output("brake.saturation"), 50 * np.abs(z) / 3, atol=1e-15)
    assert braked.output("brake.saturation").max() > 0.5


def test_inner_states_have_names_and_units(braked):
    assert braked.raw.names("states") == ["brake.deflection", "brake.phase"]
    assert braked.raw.attribute("states/unit") == ["m", "rad"]
    np.testing.assert_allclose(braked.raw["states/value"][:, 1], 2.0 * braked.time, atol=1e-9)


def test_outputs_are_listed_and_can_be_plotted(braked, capsys):
    info_result(str(braked.folder), True)
    assert json.loads(capsys.readouterr().out)["outputs"] == ["brake.slip [m/s]", "brake.saturation [1]"]
    from mbplugin.results.quantities import curves

    (curve,) = curves(braked.raw, "brake.slip")
    assert curve.unit == "m/s" and np.array_equal(curve.values, braked.output("brake.slip"))
    assert curves(braked.raw, "brake.phase")[0].unit == "rad"
    with refused("output", "brake.slp"):
        braked.output("brake.slp")


def test_outputs_of_joints_and_of_laws_are_stored_too(tmp_path):
    marker = [{"name": "foot", "position": [0, 0, 0]}]
    text = (
        world()
        + body("a", mass=2, inertia=[1, 1, 1], marker=marker)
        + body("b", mass=3, inertia=[1, 1, 1], position=[0, 1, 0])
        + joint("slide", "foreign_rail", "ground", "a.foot", slope=-0.3)
        + joint("hung", "ball", "ground", "b", at=[0, 1, 0], enforce={"type": "foreign_telling"})
        + solver(end=0.2)
    )
    result = mb.System.from_text(text).run(tmp_path / "out")
    t = result.time
    np.testing.assert_allclose(result.output("slide.place"), 0.5 * G * np.sin(0.3) * t**2, atol=1e-8)
    names = [name for name in result.outputs if name.startswith("hung")]
    assert names == [f"hung.translation along world {axis}.stretch" for axis in "xyz"]
    # a mass on a spring, from rest: 1 − cos ω t
    stretch = 3 * G / 1e4 * (1 - np.cos(np.sqrt(1e4 / 3) * t))
    np.testing.assert_allclose(result.output(names[2]), stretch, atol=1e-7)


def test_the_kit_guards_outputs(monkeypatch):
    assert [str(c) for c in check_force(Bristles, Bristles.examples[0]).checks if not c.ok] == []
    enforced = check_enforcement(Telling, Telling.examples[0]).checks
    assert [str(c) for c in enforced if not c.ok] == []


def forgets(a, p, x, wrench, x_dot, energy, power, slip, saturation):
    for k in range(6):
        wrench[0, k] = 0.0
    wrench[0, 0] = -p.stiffness * x[0]
    x_dot[0] = x_dot[1] = energy[0] = power[0] = slip[0] = 0.0


def test_the_kit_finds_an_output_that_is_not_written():
    kind = type("Forgets", (Bristles,), {"name": "forgets", "kernel": staticmethod(forgets)})
    checks = check_force(kind, Bristles.examples[0]).checks
    assert any(has(check.note, "saturation[0]") for check in checks if not check.ok)


def test_a_kernel_that_does_not_ask_for_an_output_is_named(registry):
    kind = type("Deaf", (Rail,), {"name": "deaf", "outputs": {"place": "m", "speed": "m/s"}})
    registry = beside("constraint type", kind, None)
    text = SLED + joint("j", "deaf", "ground", "sled") + solver()
    with stopped(PluginError, '"speed"', "`outputs`"):
        prepare(mb.System.from_text(text), registry)


def test_outputs_without_a_kernel_are_refused():
    kind = type("Mute", (Stop,), {"name": "mute", "row_type": "equality", "outputs": {"place": "m"}})
    text = SLED + joint("j", "mute", "ground", "sled") + solver()
    with stopped(PluginError, '"mute"', "place", "`kernel`"):
        prepare(mb.System.from_text(text), beside("constraint type", kind, None))


# a solver


def heap(frames=31, end=0.6):
    text = world(shape=[{"type": "plane", "size": [2, 2]}])
    for k in range(6):
        shape = [{"type": "sphere", "radius": 0.1}]
        at = [0.19 * (k % 2) + 0.01 * k, 0.0, 0.15 + 0.25 * (k // 2)]
        text += body(f"ball{k}", mass=2, inertia=[0.008] * 3, position=at, shape=shape)
    return text + solver(type="spheres", step=STEP, end=end, places=1) + table("output", frames=frames)


@pytest.fixture(scope="module")
def heaped(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(api, "plugins", with_foreign_kinds)
        return mb.System.from_text(heap()).run(tmp_path_factory.mktemp("heap") / "out")


def test_contacts_are_a_list_whose_length_changes(heaped):
    contacts = heaped.list("contacts")
    counts = np.diff(contacts.offset)
    assert len(counts) == len(heaped.time) and counts.min() >= 1 and len(set(counts)) > 3
    assert len(contacts["point"]) == contacts.offset[-1]
    assert contacts.units["impulse"] == "N s"


def test_forces_of_contacts_are_what_accelerates_the_bodies(heaped):
    contacts = heaped.list("contacts")
    for frame in range(len(heaped.time)):
        now = contacts.at(frame)
        force = np.zeros((6, 3))
        for a, b, f in zip(now.body_a, now.body_b, now.force):
            assert 0 <= b < 6
            force[b] += f
            if a >= 0:
                force[a] -= f
        acceleration = np.array([heaped[f"ball{k}"].acceleration[frame] for k in range(6)])
        np.testing.assert_allclose(force / 2.0 + [0, 0, -G], acceleration, atol=1e-7 * G)
        # the points are on the spheres, the normals point outwards from the other body
        centres = np.array([heaped[f"ball{k}"].position[frame] for k in range(6)])[now.body_b]
        np.testing.assert_allclose(np.linalg.norm(now.normal, axis=1), 1.0, atol=1e-12)
        np.testing.assert_allclose(np.linalg.norm(now.point - centres, axis=1), 0.1, atol=1e-12)


def test_lists_and_outputs_of_the_solver_have_its_names_and_units(heaped, capsys):
    pairs = heaped.list("pairs")
    for frame in (1, 10, 30):
        contacts = heaped.list("contacts").at(frame)
        normal = np.einsum("ni,ni->n", contacts.impulse, contacts.normal)
        np.testing.assert_allclose(pairs.at(frame).impulse, normal, atol=1e-15)
    assert len(pairs.at(0).pair) == 0  # kept from step to step: no step leads to the start
    assert heaped.outputs == {"spheres.sweeps": "1"}
    assert set(heaped.output("spheres.sweeps")) <= {0.0, 60.0}
    info_result(str(heaped.folder), True)
    assert json.loads(capsys.readouterr().out)["lists"]["pairs"] == ["pair [1]", "impulse [N s]"]
    assert heaped.raw.check() == []


def test_a_run_that_is_resumed_stores_the_same_lists(heaped, tmp_path, monkeypatch):
    """Stopped by an error after frame 12, with a checkpoint at every frame."""
    from mbplugin.run import loop

    class Stopped(Exception):
        pass

    monkeypatch.setattr(loop, "CHECKPOINT", 0.0)
    record = loop.Run.record

    def stops(run, stop):
        record(run, stop)
        if run.next > 12:
            raise Stopped

    monkeypatch.setattr(loop.Run, "record", stops)
    system = mb.System.from_text(heap())
    with pytest.raises(Stopped):
        system.run(tmp_path / "out")
    monkeypatch.setattr(loop.Run, "record", record)
    resumed = system.run(tmp_path / "out", resume=True)
    assert "resumed at" in " ".join(message.text for message in resumed.messages)
    for key in heaped.raw.attributes["frame_arrays"]:
        assert heaped.raw[key].tobytes() == resumed.raw[key].tobytes(), key
    for name, arrays in heaped.raw.lists.items():
        for array in arrays:
            assert heaped.raw.entries(name, array).tobytes() == resumed.raw.entries(name, array).tobytes()
    assert resumed.raw.check() == []


def test_contacts_are_points_in_paraview(heaped, tmp_path):
    pv = pytest.importorskip("pyvista")
    heaped_again = tmp_path / "again"
    write_series(heaped.raw, heaped_again)
    for folder in (heaped.folder, heaped_again):
        reader = pv.PVDReader(str(folder / "contacts.pvd"))
        assert len(reader.time_values) == len(heaped.time)
        for frame in (0, 12, 30):
            reader.set_active_time_point(frame)
            mesh, contacts = reader.read()[0], heaped.list("contacts").at(frame)
            np.testing.assert_allclose(mesh.points, contacts.point, atol=1e-6)
            assert np.array_equal(mesh["force"], contacts.force)
            assert np.array_equal(mesh["body_b"], contacts.body_b)


def test_a_frame_without_contacts_is_a_series_file_too(tmp_path):
    pv = pytest.importorskip("pyvista")
    text = heap(frames=3).replace("0.15", "5.15")
    result = mb.System.from_text(text).run(tmp_path / "out")
    assert result.list("contacts").offset[-1] < 30
    reader = pv.PVDReader(str(tmp_path / "out" / "contacts.pvd"))
    meshes = []
    for point in range(len(reader.time_values)):
        reader.set_active_time_point(point)
        meshes.append(reader.read()[0].n_points)
    assert meshes == np.diff(result.list("contacts").offset).tolist()


def test_a_simulation_shows_outputs_and_contacts():
    sim = mb.System.from_text(heap()).simulate()
    sim.step(0.3)
    assert sim.output("spheres.sweeps") == 60.0
    contacts = sim.list("contacts")
    assert contacts.force.shape == (len(contacts.gap), 3) and len(contacts.gap) > 5
    with stopped(SceneError, '"bodies"'):
        sim.list("bodies")
