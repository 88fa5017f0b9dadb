"""A run is continued only on what it stood on, by one process at a time, and to a later end if wanted."""

from __future__ import annotations

import json
import re
import shutil
import signal
import time

import numpy as np
import pytest
import pyvista
from child import after_each_frame, command, distribution, going, inside
from refusals import has, refused, stopped
from scene_text import body, force, solver, table

from mbplugin.errors import SceneError, StoreError
from mbplugin.export import choice
from mbplugin.model import System
from mbplugin.results import RawResult
from mbplugin.run.loop import run_system
from mbplugin.run.times import FrameTimes

CSV = "0, 0\n1, 2\n2, 1\n3, 4\n"
CUBE = """ply
format ascii 1.0
element vertex 4
property float x
property float y
property float z
element face 4
property list uchar int vertex_indices
end_header
0 0 0
1 0 0
0 1 0
0 0 1
3 0 2 1
3 0 1 3
3 0 3 2
3 1 2 3
"""
MESH = {"type": "mesh", "file": "part.ply"}


def scene(frames=20, end=1.0, series=False, **output):
    return (
        body("ball", mass=1.0, inertia=[1, 1, 1], shape=[MESH])
        + table("spline", name="load", file="load.csv")
        + force("ball", x="load(time)")
        + solver(end=end)
        + table("output", frames=None if "every" in output else frames, series=series, **output)
    )


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "s.toml").write_text(scene())
    (tmp_path / "load.csv").write_text(CSV)
    (tmp_path / "part.ply").write_text(CUBE)
    return tmp_path


@pytest.fixture
def run(folder, registry):
    def run(out="out", resume=False, end=None):
        system = System.from_file(folder / "s.toml")
        return run_system(system, folder / out, registry, resume=resume, end=end)

    return run


def arrays(store):
    raw = RawResult(store / "result.zarr")
    return {key: raw[key].tobytes() for key in raw.attributes["frame_arrays"]}


@pytest.mark.parametrize(
    ("file", "old", "new", "name"),
    [
        ("load.csv", "1, 2", "1, 3", '"load.csv"'),
        ("part.ply", "1 0 0", "2 0 0", '"part.ply"'),
        ("s.toml", "mass = 1.0", "mass = 2.0", ""),
    ],
)
def test_what_has_changed_is_named(folder, run, file, old, new, name):
    run()
    before = arrays(folder / "out")
    (folder / file).write_text((folder / file).read_text().replace(old, new))
    with refused("--resume", str(folder / "out")) as caught:
        run(resume=True)
    assert caught.value.exit_code == 2 and has(caught.value.mend, name, "omit --resume")
    assert arrays(folder / "out") == before
    run(resume=False)


PLUGIN = """
from mbplugin.interface import ForceKind, hookimpl
from acme_helper import STRENGTH


class Pull(ForceKind):
    name = "acme_pull"
    markers = 1

    @staticmethod
    def kernel(a, wrench):
        wrench[0, 0] = STRENGTH


@hookimpl
def mbplugin_force_elements(register):
    register(Pull)
"""


def test_a_plugin_that_has_changed_is_named_with_its_version(tmp_path):
    site = distribution(tmp_path / "site", "acme", "acme_pull", PLUGIN)
    helper = site / "acme_helper.py"
    helper.write_text("STRENGTH = 1.0\n")
    text = body("ball", mass=1.0, inertia=[1, 1, 1]) + table("force", type="acme_pull", body="ball")
    (tmp_path / "s.toml").write_text(text + solver(end=1.0))
    run = lambda *more: command("run", "s.toml", "-o", "out", *more, cwd=tmp_path, extra=[site])
    assert run().returncode == 0
    assert run("--resume").returncode == 0
    helper.write_text("STRENGTH = 2.0\n")
    done = run("--resume")
    assert done.returncode == 2 and "plugin acme has changed; restore" in done.stderr
    metadata = site / "acme-1.0.dist-info" / "METADATA"
    metadata.write_text(metadata.read_text().replace("1.0\n", "1.1\n"))
    done = run("--resume")
    assert done.returncode == 2 and "plugin acme has changed (version 1.0, now 1.1)" in done.stderr
    assert run().returncode == 0


def test_resume_where_nothing_is_begins_at_the_start_and_says_so(folder, run):
    summary = run(resume=True)
    assert summary.resume_from == 0.0 and summary.frames == 21
    assert "holds no result yet; the run begins at t = 0" in summary.notes[0]
    assert any("begins at t = 0" in m.text for m in RawResult(folder / "out" / "result.zarr").messages)
    run("once")
    assert arrays(folder / "out") == arrays(folder / "once")
    assert run(resume=True).notes == ("resumed at t = 1 s after frame 20",)


def test_a_finished_run_is_extended(folder, run):
    run()
    short = {key: bytes_ for key, bytes_ in arrays(folder / "out").items()}
    summary = run(resume=True, end=2.0)
    assert summary.resume_from == 1.0 and summary.frames == 41
    raw = RawResult(folder / "out" / "result.zarr")
    assert raw.complete and raw.check() == []
    assert np.allclose(raw.time, np.linspace(0.0, 2.0, 41), rtol=1e-14)
    for key, before in short.items():
        assert raw[key].tobytes()[: len(before)] == before
    # x'' = load(t) with the cubic through the points: -t³ + 5 t² - ... integrated twice by numpy
    cubic = np.polynomial.Polynomial.fit([0, 1, 2, 3], [0, 2, 1, 4], 3).convert()
    assert raw["bodies/position"][-1, 0, 0] - raw["bodies/position"][0, 0, 0] == pytest.approx(
        cubic.integ(2)(2.0), abs=1e-5
    )
    with stopped(SceneError, "t = 2 s"):
        run(resume=True, end=1.5)


def test_a_finished_run_that_is_resumed_stays_as_it_is(folder, run):
    run()
    before = arrays(folder / "out")
    assert run(resume=True).frames == 21
    assert arrays(folder / "out") == before


@pytest.mark.parametrize(
    ("planned", "end", "expected"),
    [
        (FrameTimes(0.0, 1.0, 10), 1.5, np.linspace(0, 1.5, 16)),
        (FrameTimes(0.0, 1.0, 10), 1.55, np.linspace(0, 1.5, 16)),
        (FrameTimes(0.0, 1.0, 10), 0.75, np.linspace(0, 0.7, 8)),
        (FrameTimes(0.3, 1.0, 7), 3.0, np.linspace(0.3, 3.0, 28)),
        (FrameTimes(0.0, 1.0, 4, 0.25), 2.0, np.linspace(0, 2.0, 9)),
    ],
)
def test_frames_of_an_extended_run_keep_their_times_and_interval(planned, end, expected):
    count = round(planned.count * end / planned.stop)
    times = planned.to(FrameTimes(planned.start, end, count, planned.every))
    assert len(times) == len(expected)
    assert np.allclose(times.up_to(len(times)), expected, rtol=1e-14)
    common = min(len(times), len(planned))
    assert np.array_equal(times.up_to(common), planned.up_to(common))
    assert [times[i] for i in range(len(times))] == list(times.up_to(len(times)))


def wait_for_frames(run, count):
    """Until it has printed a line for each of so many."""
    until = time.monotonic() + 60
    while run.out.read_text().count("frame\n") < count:
        assert run.poll() is None and time.monotonic() < until
        time.sleep(0.01)


def test_sigterm_exits_with_143_and_leaves_a_run_that_resumes_to_the_same_bits(folder, run):
    (folder / "s.toml").write_text(scene(frames=200, end=3.0))
    slow = after_each_frame("print('frame', flush=True); time.sleep(0.05)")
    ended = going("run", "s.toml", "-o", "out", cwd=folder, code=slow)
    wait_for_frames(ended, 9)
    ended.send_signal(signal.SIGTERM)
    said = ended.communicate(timeout=60)[1]
    assert ended.returncode == 143, said
    assert re.fullmatch(r"error: terminated at t = .* frames are kept; continue with --resume\n", said)
    assert run(resume=True).resume_from > 0.0
    run("once")
    assert arrays(folder / "out") == arrays(folder / "once")


def test_two_at_once_are_one_run_and_one_refusal(folder, run):
    waiting = "[time.sleep(0.01) for _ in range(9999) if not os.path.exists('go')]"
    slow = after_each_frame(f"print('frame', flush=True); {waiting}")
    first = going("run", "s.toml", "-o", "out", cwd=folder, code=slow)
    wait_for_frames(first, 1)
    for more in ([], ["--resume"]):
        second = inside("run", "s.toml", "-o", "out", *more, "--end", "0.5", cwd=folder)
        assert second.returncode == 4
        assert f"process {first.pid} on " in second.stderr and second.stderr.count("\n") == 1
    (folder / "go").touch()
    assert first.communicate(timeout=60)[1] == "" and first.returncode == 0
    run("once")
    assert arrays(folder / "out") == arrays(folder / "once")
    assert RawResult(folder / "out" / "result.zarr").check() == []


def test_a_folder_of_somebody_is_refused_before_anything_is_written(folder, run):
    (folder / "s.toml").write_text(scene(series=True))
    (folder / "out" / "result").mkdir(parents=True)
    (folder / "out" / "result" / "frame_000000.vtp").write_text("mine")
    with stopped(StoreError, "out/result"):
        run()
    assert [str(path.relative_to(folder / "out")) for path in (folder / "out").rglob("*")] == [
        "result",
        "result/frame_000000.vtp",
    ]


def test_two_scenes_of_one_name_have_their_default_folder_refused(folder):
    (folder / "other").mkdir()
    for name in ("s.toml", "load.csv", "part.ply"):
        shutil.copy(folder / name, folder / "other" / name)
    assert inside("run", "s.toml", "--json", cwd=folder).returncode == 0
    assert inside("run", "s.toml", cwd=folder).returncode == 0
    done = inside("run", "other/s.toml", "--json", cwd=folder)
    assert done.returncode == 4 and "a scene of the same name" in done.stderr
    assert "-o" in json.loads(done.stdout)["error"]["message"]
    assert inside("run", "other/s.toml", "-o", "out/other", cwd=folder).returncode == 0


@pytest.mark.parametrize("series", [True, "auto"])
def test_a_series_stays_of_the_kind_that_it_began_with(tmp_path, registry, monkeypatch, series):
    def run(end, **keys):
        text = body(
            "ball", mass=1, inertia=[1, 1, 1], velocity=[1, 0, 0], shape=[{"type": "sphere", "radius": 1}]
        )
        system = System.from_text(text + solver(end=end) + table("output", every=0.1, series=series))
        return run_system(system, tmp_path / "out", registry, **keys)

    assert run(0.3).series == "surface"
    # from now on, "auto" would choose points
    monkeypatch.setattr(choice, "LARGE", 0)
    assert run(0.6, resume=True).series == "surface"
    files = list((tmp_path / "out" / "result").glob("*.vtp"))
    assert len(files) == 7 and not (tmp_path / "out" / "shapes.vtm").exists()
    # surfaces of a sphere have hundreds of points, glyphs one
    assert all(pyvista.read(file).n_points > 100 for file in files)
    assert run(0.6).series == "points"
    assert run(0.7, resume=True).series == "points"


def test_a_run_is_extended_from_an_end_that_rounding_puts_before_its_last_frame(tmp_path, registry):
    # 3 · 0.1 > 0.3 and 6 · 0.1 > 0.6 in floating point
    text = body("ball", mass=1, inertia=[1, 1, 1]) + table("output", every=0.1, series=False)
    for end in (0.3, 0.6, 0.9):
        system = System.from_text(text + solver(end=end))
        run_system(system, tmp_path / "out", registry, resume=end > 0.3)
    times = RawResult(tmp_path / "out" / "result.zarr").time
    np.testing.assert_allclose(times, 0.1 * np.arange(10), atol=1e-15)
