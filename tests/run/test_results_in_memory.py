"""A run without files gives what a run with files stores, and writes nothing."""

from __future__ import annotations

import tempfile

import numpy as np
import pytest
from refusals import refused, stopped
from scene_text import SCENES, body, force, solver, table

import mbplugin as mb
from mbplugin.errors import PhysicsError


def short(name):
    system = mb.System.from_file(SCENES / name)
    system.output = {"frames": 20, "series": False}
    return system, 0.1 * system.solver.end


@pytest.mark.parametrize(
    "name",
    [
        "piston_crank",
        "four_bar_n2",
        "four_bar_hinges",
        "door_and_handle",
        "door_with_penalty_hinge",
        "bearing_friction",
        "cardan_shaft",
        "atwood",
        "spring_mass_chain",
    ],
)
def test_it_is_the_stored_result(name, tmp_path):
    system, end = short(name)
    stored, kept = system.run(tmp_path / "out", end=end), system.run(files=False, end=end)
    assert len(kept.time) == 21 and kept.bodies == stored.bodies and kept.outputs == stored.outputs
    assert list(kept.raw.keys()) == list(stored.raw.keys())
    for key in stored.raw:
        a, b = stored.raw[key], kept.raw[key]
        # points of loads in the frames of bodies are differences of places in the world
        rounded = key == "loads/point" and np.allclose(a, b, rtol=0.0, atol=1e-14)
        assert a.dtype == b.dtype and a.shape == b.shape and (rounded or a.tobytes() == b.tobytes()), key
        assert stored.raw.units(key) == kept.raw.units(key)
    assert kept.raw.static().keys() == stored.raw.static().keys()
    assert kept.messages == stored.messages
    assert kept.system == stored.system
    # on a machine that is slow at the moment frames come one by one, which counts an evaluation more
    differing = ("out", "cpu_seconds", "evaluations")
    a, b = (result.summary.as_dict() for result in (stored, kept))
    assert {k: v for k, v in a.items() if k not in differing} == {
        k: v for k, v in b.items() if k not in differing
    }
    assert abs(a["evaluations"] - b["evaluations"]) <= 2
    for joint in stored.raw.names("joints"):
        assert kept.joint(joint).free == stored.joint(joint).free
        assert np.array_equal(kept.joint(joint).local_force, stored.joint(joint).local_force)


def test_a_run_that_fails_has_the_frames_up_to_there_as_a_stored_one_has(tmp_path):
    text = body("ball", mass=1, inertia=[1, 1, 1]) + force("ball", x="sqrt(0.52 - time)") + solver(end=1)
    system = mb.System.from_text(text + table("output", frames=20, series=False))
    with pytest.raises(PhysicsError):
        system.run(tmp_path / "out")
    with stopped(PhysicsError, "sqrt(0.52 - time)") as caught:
        system.run(files=False)
    stored, kept = mb.load(tmp_path / "out"), caught.value.result
    assert len(kept.time) == 11 and kept.time[-1] == 0.5
    for key in stored.raw:
        assert stored.raw[key].tobytes() == kept.raw[key].tobytes(), key
    told = [m for m in stored.messages if "last_steps" not in m.text]  # which only files have
    assert kept.messages == told and str(caught.value) in kept.messages[-1].text
    assert not kept.summary.complete and kept.summary.frames == 11
    with pytest.raises(PhysicsError) as caught:
        system.compile().run()
    assert len(caught.value.result.time) == 11


def test_it_is_plotted_as_a_stored_one():
    system, end = short("double_pendulum")
    figure = system.run(files=False, end=end).plot("energy.kinetic", "joint.shoulder.force")
    assert len(figure.axes) == 2


def test_it_writes_nothing(tmp_path, monkeypatch):
    here, temporary = tmp_path / "here", tmp_path / "temporary"
    here.mkdir(), temporary.mkdir()
    system, end = short("piston_crank")
    system.output = {"frames": 20, "series": True}
    system.compile()  # whatever is compiled
    monkeypatch.chdir(here)
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    result = system.run(files=False, end=end)
    assert result["rod"].position.shape == (21, 3) and result.messages
    system.compile().run(end)
    assert list(here.iterdir()) == [] and list(temporary.iterdir()) == []


def test_frames_do_not_change_when_the_system_is_used_again():
    system, end = short("piston_crank")
    problem = system.compile()
    first = problem.run(end)
    before = first["rod"].position.copy()
    problem.set_parameter("crank", 0.03)
    problem.run(end)
    system.hold("crank_pin", "penalty")
    assert np.array_equal(first["rod"].position, before)
    assert first.system != system


@pytest.mark.parametrize("key, value", [("out", "somewhere"), ("resume", True)])
def test_files_that_are_asked_for_and_forbidden_are_refused(key, value, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    system, _ = short("piston_crank")
    with refused(f"System.run: {key}", str(value)):
        system.run(files=False, **{key: value})
    assert list(tmp_path.iterdir()) == []
