"""A result that is loaded has the summary of its run."""

from __future__ import annotations

import dataclasses
import json
import signal

import pytest
from child import inside
from refusals import stopped
from scene_text import SCENES, body, force, solver, table

import mbplugin as mb
from mbplugin.errors import PhysicsError, StoreError
from mbplugin.run.interrupts import Interrupted

FEW_FRAMES = table("output", frames=20, series=False)
BALL = body("ball", mass=1, inertia=[1, 1, 1])


def test_it_is_what_the_command_printed(tmp_path):
    words = ["run", SCENES / "four_bar_hinges", "-o", "out", "--end", "0.1", "--json"]
    printed = inside(*words, cwd=tmp_path)
    told = json.loads(printed.stdout)
    del told["wall_seconds"]
    (tmp_path / "out").rename(tmp_path / "moved")
    summary = mb.load(tmp_path / "moved").summary
    assert json.loads(json.dumps(summary.as_dict())) == told | {"out": str(tmp_path / "moved")}
    assert summary.steps > 0 and summary.rows > summary.rank


def test_it_is_that_of_a_run_without_files(tmp_path):
    stops = solver(stop="component_z(ball, ground) > 1", end=5)
    system = mb.System.from_text(BALL + stops + FEW_FRAMES)
    kept = system.run(files=False).summary
    system.run(tmp_path / "out")
    stored = mb.load(tmp_path / "out").summary
    same = {"out": kept.out, "cpu_seconds": kept.cpu_seconds, "evaluations": kept.evaluations}
    assert dataclasses.replace(stored, **same) == kept
    assert stored.stopped and stored.complete


def test_a_run_that_fails_has_one(tmp_path):
    system = mb.System.from_text(BALL + force("ball", x="sqrt(0.52 - time)") + solver(end=1) + FEW_FRAMES)
    with pytest.raises(PhysicsError):
        system.run(tmp_path / "out")
    summary = mb.load(tmp_path / "out").summary
    assert (summary.frames, summary.complete) == (11, False) and summary.steps > 0


def test_a_run_that_is_interrupted_has_one_until_it_goes_on(tmp_path):
    times = []

    def interrupt(time, end):
        if time > 0.1:
            signal.raise_signal(signal.SIGINT)

    def look(time, end):
        times.append((time, mb.load(tmp_path / "out").summary))

    system = mb.System.from_text(BALL + solver(integrator="rk4", step=4e-6, end=1) + FEW_FRAMES)
    with pytest.raises(Interrupted):
        system.run(tmp_path / "out", progress=interrupt)
    first = mb.load(tmp_path / "out").summary
    assert not first.complete and first.resume_from == 0.0
    resumed = system.run(tmp_path / "out", resume=True, progress=look).summary
    assert resumed.complete and resumed.resume_from > 0.0
    assert any(time < 1.0 and summary is None for time, summary in times)


def test_a_store_without_one_is_read(tmp_path):
    mb.System.from_text(BALL + solver(end=0.1) + FEW_FRAMES).run(tmp_path / "out")
    forge(tmp_path / "out", lambda attributes: attributes.pop("summary"))
    assert mb.load(tmp_path / "out").summary is None


@pytest.mark.parametrize("key", ["steps", "dropped", "energy_error", "stopped"])
def test_a_forged_one_is_refused_in_one_line(tmp_path, key):
    mb.System.from_text(BALL + solver(end=0.1) + FEW_FRAMES).run(tmp_path / "out")
    forge(tmp_path / "out", lambda attributes: attributes["summary"].update({key: {"a": []}}))
    with stopped(StoreError, tmp_path / "out/result.zarr", "zarr.json", f"`{key}`"):
        mb.load(tmp_path / "out")


def forge(folder, change):
    file = folder / "result.zarr/zarr.json"
    node = json.loads(file.read_text())
    change(node["attributes"])
    file.write_text(json.dumps(node))
