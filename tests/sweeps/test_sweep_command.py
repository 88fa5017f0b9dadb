"""`mbplugin sweep`: files, summary and exit code; killed and interrupted, it goes on where it was."""

from __future__ import annotations

import csv
import json
import os
import random
import signal
import time
from pathlib import Path

import numpy as np
import pytest
from child import MAIN, command, going, inside
from refusals import has, refused
from scene_text import SCENES, body, joint, motion, table
from swinging import PENDULUM

from mbplugin.cli.app import app
from mbplugin.sweeps.grid import read_values

CRANK = str(SCENES / "piston_crank")
MEASURE = ["-m", "max(norm(main_bearing.force))"]
#: worker processes of a sweep in two processes
BEGUN = 2
LINE = [
    *("sweep", "pendulum.toml", "length=0.5:2:12", "lean=0.1,0.2", "-m", "max(pivot.angle.speed)"),
    *("-m", "joint.pivot.force", "--end", "0.2", "--processes", "2"),
]
#: the file is written after each point, and points take their time
SLOW = f"""
import time
import mbplugin.sweeps.store as store, mbplugin.sweeps.plan as point
store.EVERY = store.FACTOR = 0.0
old = point.Points.run
def run(self, index, values):
    time.sleep(0.1)
    return old(self, index, values)
point.Points.run = run
{MAIN}
"""


@pytest.fixture
def line(tmp_path):
    (tmp_path / "pendulum.toml").write_text(PENDULUM)
    return LINE


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The folder of a sweep that nobody disturbed."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "pendulum.toml").write_text(PENDULUM)
    assert command(*LINE, "-o", "out", cwd=folder).returncode == 0
    return folder / "out"


def test_a_sweep_writes_file_table_and_picture_and_says_what_failed(tmp_path):
    words = ["sweep", CRANK, "crank=0.05,0.16", "rod=0.1439,0.3", *MEASURE, "-o", "out"]
    words += ["--set", "output.frames=40"]
    done = inside(*words, cwd=tmp_path)
    assert done.returncode == 3, done.stderr
    assert "points   4, 1 failed" in done.stdout
    assert "failed   crank = 0.16, rod = 0.1439: t = " in done.stdout
    rows = list(csv.reader((tmp_path / "out/sweep.csv").read_text().splitlines()))
    assert rows[0] == ["crank", "rod", "max(norm(main_bearing.force)) [N]", "message"]
    points = [["0.05", "0.1439"], ["0.05", "0.3"], ["0.16", "0.1439"], ["0.16", "0.3"]]
    assert [row[:2] for row in rows[1:]] == points
    for *point, force, message in rows[1:]:
        assert (force == "nan") is bool(message) is (point == points[2])
    assert (tmp_path / "out/sweep.png").read_bytes()[1:4] == b"PNG"
    told = inside(*words, "--json", "--resume", cwd=tmp_path)
    document = json.loads(told.stdout)
    assert told.returncode == 3 and document["failed"][0]["values"] == {"crank": 0.16, "rod": 0.1439}
    measure = document["measures"]["max(norm(main_bearing.force))"]
    assert measure["unit"] == "N" and measure["values"][1][0] is None
    assert [f"{value!r}" for value in measure["values"][0]] == [row[2] for row in rows[1:3]]


@pytest.mark.parametrize("kills", [1, pytest.param(30, marks=pytest.mark.slow)])
def test_a_sweep_killed_and_resumed_has_the_bytes_of_one_that_nobody_disturbed(tmp_path, line, whole, kills):
    moments, rounds, killed = random.Random(kills), 0, 0
    while killed < kills and rounds < 3 * kills:
        rounds += 1
        run = going(*line, "-o", "out", *(["--resume"] if rounds > 1 else []), cwd=tmp_path, code=SLOW)
        begun, file = time.time(), tmp_path / "out/sweep.nc"
        while run.poll() is None and time.time() < begun + 60:
            if file.exists() and file.stat().st_mtime > begun:
                break
            time.sleep(0.01)
        time.sleep(moments.uniform(0.0, 0.6))
        workers = children(run.pid)
        killed += run.poll() is None and len(workers) == BEGUN
        run.kill()
        run.communicate(timeout=60)
        assert all(gone(worker) for worker in workers)
    assert killed > 0
    assert command(*line, "-o", "out", "--resume", cwd=tmp_path).returncode == 0
    for name in ("sweep.nc", "sweep.csv"):
        assert (tmp_path / "out" / name).read_bytes() == (whole / name).read_bytes()


@pytest.mark.parametrize(
    "number, code, processes",
    [
        (signal.SIGINT, 130, "2"),
        pytest.param(signal.SIGTERM, 143, "2", marks=pytest.mark.slow),
        pytest.param(signal.SIGINT, 130, "1", marks=pytest.mark.slow),
        pytest.param(signal.SIGTERM, 143, "1", marks=pytest.mark.slow),
    ],
)
def test_an_interrupted_sweep_keeps_its_points(tmp_path, line, whole, number, code, processes):
    words = [*line[:-1], processes, "-o", "out"]
    run = going(*words, cwd=tmp_path, code=SLOW)
    file = tmp_path / "out/sweep.nc"
    while run.poll() is None and not file.exists():
        time.sleep(0.01)
    workers = children(run.pid)
    run.send_signal(number)
    _, said = run.communicate(timeout=60)
    assert run.returncode == code, said
    assert has(said, 24, "--resume")
    assert all(gone(worker) for worker in workers)
    assert command(*words, "--resume", cwd=tmp_path).returncode == 0
    assert file.read_bytes() == (whole / "sweep.nc").read_bytes()


def children(process: int) -> list[int]:
    """The processes that it has begun."""
    try:
        return [int(word) for word in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except OSError:
        return []


def gone(process: int) -> bool:
    """Whether it ends within ten seconds."""
    until = time.time() + 10
    while time.time() < until:
        try:
            os.kill(process, 0)
            if Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.02)
    return False


@pytest.mark.parametrize(
    "values, numbers",
    [
        ("length=0.5:1:3", [0.5, 0.75, 1.0]),
        ("length=0.01:1:3:log", [0.01, 0.1, 1.0]),
        ("length=1,2.5", [1, 2.5]),
        ("body.bob.position=[0,0,-1],[0,0,-2]", [[0, 0, -1], [0, 0, -2]]),
        ("joint.pivot.type=ball,revolute", ["ball", "revolute"]),
        ("length=2*mass, 3", ["2*mass", "3"]),
        ("length=max(1, mass), 3", ["max(1, mass)", "3"]),
        ('name="a,,b",3', ["a,,b", 3]),
    ],
)
def test_values_are_written_as_ranges_or_lists(values, numbers):
    ((_, found),) = read_values([values]).items()
    if isinstance(numbers[0], float):
        np.testing.assert_allclose(found, numbers, rtol=1e-14)
    else:
        assert found == numbers


@pytest.mark.parametrize(
    "words",
    [
        *([f"length={given}"] for given in ("1,,2", "1,2,", ",1", ",", "a,,b", "a,b,")),
        *([f"length={given}"] for given in ("", "1:2", "1:2:", ":2:3", "1:2:3:lin", "1:2:3,4")),
        ["=1"],
        ["length=1", "parameters.length=2"],
    ],
)
def test_values_that_are_empty_or_half_a_range_are_refused(words):
    with refused("sweep", words[-1]):
        read_values(words)


@pytest.mark.parametrize(
    "words, key",
    [
        (["length"], "sweep"),
        (["length=1:2:0"], "sweep"),
        (["length=1:x:3"], "sweep"),
        (["length=-1:2:3:log"], "sweep"),
        (["length=1", "length=2"], "sweep"),
        (["length=1", "--plot", "x.gif"], "--plot"),
        (["length=1", "-m", "pivot.angel"], "what"),
        (["lenght=1"], "sweep: lenght"),
        (["length=1", "--against", "pivot.angle.speed"], "--against"),
        (["length=1", "--against", "pivot.angle"], "--against"),
        (["length=1", "-m", "bob.position", "--against", "bob.position"], "--against"),
    ],
)
def test_what_cannot_be_swept_is_refused_and_writes_nothing(tmp_path, monkeypatch, words, key):
    (tmp_path / "pendulum.toml").write_text(PENDULUM)
    monkeypatch.chdir(tmp_path)
    measure = [] if "-m" in words else ["-m", "pivot.angle"]
    words = ["sweep", "pendulum.toml", *words, *measure, "-o", "out"]
    with refused(key) as caught:
        app(words, prog_name="mbplugin", standalone_mode=False)
    assert caught.value.exit_code == 2 and "\n" not in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_time_courses_are_drawn_over_another_and_said_to_be_in_the_file(tmp_path):
    (tmp_path / "pendulum.toml").write_text(PENDULUM)
    words = ["sweep", "pendulum.toml", "length=1,2", "-m", "bob.position.z", "-m", "bob.position.x"]
    words += ["--against", "bob.position.x", "--end", "0.1", "-o", "out"]
    done = inside(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "courses  bob.position.z, bob.position.x: in sweep.nc" in done.stdout


def test_a_sweep_of_bodies_without_mass_names_the_analysis_that_needs_none(tmp_path, monkeypatch):
    text = body("arm", position=[1, 0, 0]) + joint("hinge", "revolute", "ground", "arm", axis=[0, 0, 1])
    (tmp_path / "arm.toml").write_text(
        table("parameters", rate=1.0) + text + motion("hinge", angle="rate*time")
    )
    monkeypatch.chdir(tmp_path)
    with refused("body[0].mass") as caught:
        app(
            ["sweep", "arm.toml", "rate=1,2", "-m", "hinge.angle"],
            prog_name="mbplugin",
            standalone_mode=False,
        )
    assert "analyze SCENE kinematic" in caught.value.mend


WATCHED = """
import sys, time
import mbplugin.sweeps.run as run
from mbplugin.sweeps.workers import Processes
begun = []
submit = Processes.submit
def noted(self, todo):
    begun.append(len(todo))
    return submit(self, todo)
def bar(wanted):
    print("handed out:", len(begun))
    return old(wanted)
Processes.submit, old, run.bar = noted, run.bar, bar
from mbplugin.cli import main
try:
    main()
finally:
    print("imported:", sorted({"rich", "pandas", "xarray", "zarr"} & set(sys.modules)))
"""


def test_workers_begin_before_anything_else_is_done_and_nothing_is_imported_in_vain(tmp_path):
    words = ["sweep", CRANK, "crank=0.04:0.046:9", *MEASURE, "--set", "output.frames=40", "--processes", "2"]
    done = command(*words, cwd=tmp_path, code=WATCHED, fork=True)
    assert done.returncode == 0, done.stderr
    assert "handed out: 4\n" in done.stdout and "imported: []\n" in done.stdout
