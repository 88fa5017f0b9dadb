"""Whatever happens to the files of a store: each intact frame is read, or one clear line comes."""

from __future__ import annotations

import os
import random
import shutil
import signal
import warnings
from pathlib import Path

import damages
import made_up
import numpy as np
import pytest
from refusals import stopped, warned
from scene_text import body, hinge, motion, solver, spring, table

import mbplugin.run.frame_blocks as blocks
import mbplugin.run.loop as loop
from mbplugin.api import load, plugins
from mbplugin.cli.info import info_result
from mbplugin.errors import MbpluginError, StoreError
from mbplugin.model import System
from mbplugin.results import RawResult, ResultWriter, ragged, store
from mbplugin.results.layout import Described
from mbplugin.results.quantities import curves, known
from mbplugin.run.interrupts import Interrupted
from mbplugin.run.loop import run_system

BALL = {"type": "sphere", "radius": 0.1}
SCENE = (
    body("arm", mass=1.0, inertia=[1, 1, 1], position=[0.5, 0, 0], marker=[{"name": "tip"}])
    + body(
        "ball", mass=1.0, inertia=[1, 1, 1], position=[1.5, 0, 0], shape=[{"type": "sphere", "radius": 0.1}]
    )
    + hinge("pivot", "ground", "arm")
    + motion("pivot", angle="sin(time)")
    + spring("arm.tip", "ball", name="spring", stiffness=50.0, damping=0.1, length=0.4)
    + table("state", name="heat", rate="1 - heat")
    + solver(end=2.0)
    + table("output", frames=40, series=False)
)
FEW, MANY = 20, 500


def run(folder, resume=False):
    return run_system(System.from_text(SCENE), folder, plugins()[0], resume=resume)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The arrays of a run that nobody disturbed."""
    folder = tmp_path_factory.mktemp("whole")
    run(folder)
    raw = RawResult(folder / "result.zarr")
    return {key: raw[key] for key in raw}


@pytest.fixture(scope="module")
def halves(tmp_path_factory):
    """The folders of a run that was stopped after 20 frames, and of one that ended."""
    stopped, ended = tmp_path_factory.mktemp("stopped"), tmp_path_factory.mktemp("ended")
    record = loop.Run.record

    def stop_halfway(self, frames):
        record(self, frames)
        if self.next == 15:
            self.sink.checkpoint()
        if self.next >= 20:
            os.kill(os.getpid(), signal.SIGTERM)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop.Run, "record", stop_halfway)
        patch.setattr(loop, "CALL", 1e-6)
        patch.setattr(blocks, "FRAMES", 1)
        with pytest.raises(Interrupted):
            run(stopped)
    run(ended)
    return [stopped, ended]


def one_line(error: MbpluginError) -> bool:
    text = str(error)
    assert text and "\n" not in text and len(text) < 1500, text
    assert error.exit_code in (2, 4)
    return True


def read_all(folder, whole, capsys) -> int:
    """Read everything; returns how many frames were read whole. What is read is what was written."""
    try:
        result = load(folder)
        info_result(str(folder), json=False)
        info_result(str(folder), json=True)
    except MbpluginError as error:
        return -one_line(error)
    finally:
        capsys.readouterr()
    raw = result.raw
    for look in (
        lambda: result.system,
        lambda: result.messages,
        lambda: result.outputs,
        lambda: raw.static(),
        lambda: raw.checkpoint(),
        lambda: [result[name] for name in result.bodies],
        lambda: [result.joint(name) for name in raw.names("joints")],
        lambda: [result.coordinate(name) for name in raw.names("coordinates")],
        lambda: [curves(raw, name) for name in known(raw)],
        lambda: list(raw.each_frame()),
        *(lambda key=key: raw.units(key) for key in raw),
    ):
        try:
            look()
        except MbpluginError as error:
            one_line(error)
    read = []
    for key in raw:
        try:
            array = raw[key]
        except MbpluginError as error:
            one_line(error)
        else:
            truth = whole.get(key, array)
            assert array.tobytes() == truth[: len(array)].tobytes(), key
            read.append(key)
    # of a frame array that cannot be read as a whole nothing is missing but its damaged chunks
    return raw.frames if set(read) >= set(raw.attributes["frame_arrays"]) else 0


def resume(folder, whole) -> bool:
    """Resume; whether it came to the end. Then every array is what it would be, or said to be damaged."""
    try:
        run(folder, resume=True)
    except MbpluginError as error:
        return not one_line(error)
    raw = RawResult(folder / "result.zarr")
    said = " ".join(raw.check())
    for key in raw.attributes["frame_arrays"]:
        if f"{key}:" not in said:
            assert raw[key].tobytes() == whole[key].tobytes(), key
    return True


@pytest.mark.parametrize("count", [FEW, pytest.param(MANY, marks=pytest.mark.slow)])
def test_damaged_stores_are_read_or_refused_in_one_line(tmp_path, halves, whole, count, capsys):
    rng = random.Random(13)
    read = resumed = 0
    for k in range(count):
        folder = tmp_path / str(k)
        shutil.copytree(halves[k % 2], folder)
        done = [damages.damage(folder / "result.zarr", rng) for _ in range(rng.choice([1, 1, 1, 2, 5]))]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                warnings.filterwarnings("ignore", ".*result.zarr: damaged")
                read += read_all(folder, whole, capsys) > 0
                resumed += resume(folder, whole)
        except BaseException as error:
            error.add_note(f"case {k}: {'; '.join(done)}")
            raise
        shutil.rmtree(folder)
    print(count, "damages:", read, "read whole,", resumed, "resumed to the end")
    # neither is everything refused, nor nothing
    assert 0.05 * count < read < 0.9 * count
    assert 0.05 * count < resumed < 0.9 * count


def test_an_undamaged_half_is_resumed_with_the_same_bits(tmp_path, halves, whole):
    shutil.copytree(halves[0], tmp_path / "out")
    raw = RawResult(tmp_path / "out" / "result.zarr")
    assert 15 <= raw.frames < 30 and not raw.complete
    assert resume(tmp_path / "out", whole)
    assert RawResult(tmp_path / "out" / "result.zarr").check() == []


def test_frames_beside_a_damaged_chunk_are_read(tmp_path, halves, whole):
    shutil.copytree(halves[1], tmp_path / "out")
    (tmp_path / "out/result.zarr/joints/force/c.0.0.0").write_bytes(b"")
    raw = RawResult(tmp_path / "out" / "result.zarr")
    assert raw.check() == ["joints/force: chunk 0 (0 to 40) has 0 bytes, 988 expected"]
    assert np.array_equal(raw["bodies/position"], whole["bodies/position"])


@pytest.fixture(scope="module")
def four_chunks(tmp_path_factory):
    """The folder of a run whose arrays have three full chunks and one more."""
    folder = tmp_path_factory.mktemp("chunks")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "chunk_frames", lambda *_: 11)
        run(folder)
    return folder


@pytest.mark.parametrize("key", ["forces/energy", "time", "bodies/position", "meshes/points"])
@pytest.mark.parametrize("index", [0, 1, 3])
@pytest.mark.parametrize("harm", [Path.unlink, lambda path: os.truncate(path, 7)])
def test_a_lost_chunk_is_named_when_a_result_is_loaded_or_continued(tmp_path, four_chunks, key, index, harm):
    out = shutil.copytree(four_chunks, tmp_path / "out")
    chunks = sorted((out / "result.zarr" / key).glob("c.*"))
    index = min(index, len(chunks) - 1)
    harm(chunks[index])
    named = ("out/result.zarr", key, f"chunk {index}")
    with warned(*named, hide=None):
        load(out)
    with stopped(StoreError, *named, hide=None):
        run_system(System.from_text(SCENE), out, plugins()[0], end=3.0, resume=True)


def test_a_lost_chunk_of_a_list_is_named(tmp_path):
    lists = {"events": {"size": Described((), "m", "made up")}}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ragged, "CHUNK", 8)
        writer = ResultWriter(tmp_path / "result.zarr", made_up.static(), {}, lists=lists)
        for i in range(10):
            writer.append({**made_up.frame(i), "lists/events/size": np.arange(3.0)})
        writer.close(complete=True)
        assert RawResult(writer.path).check(content=False) == []
        (writer.path / "lists/events/size/c.1").unlink()
        for content in (True, False):
            assert RawResult(writer.path).check(content) == ["lists/events/size: chunk 1 is missing"]
        # the lost entries belong to frames 2 to 5
        assert RawResult(writer.path).check(content=False, frames=2) == []


def test_only_sizes_are_looked_at_when_a_result_is_loaded(tmp_path, four_chunks, monkeypatch):
    out = shutil.copytree(four_chunks, tmp_path / "out")
    data = out / "result.zarr/forces/energy/c.1.0"
    data.write_bytes(bytes(data.stat().st_size))
    result = load(out)
    assert [line.split(" (")[0] for line in result.raw.check()] == ["forces/energy: chunk 1"]


@pytest.mark.parametrize("end", [2.0, 3.0])
def test_a_chunk_of_another_content_is_named_when_a_result_is_continued(tmp_path, four_chunks, end):
    """Also where the run has ended, and nothing is left to compute: it is `complete`."""
    out = shutil.copytree(four_chunks, tmp_path / "out")
    data = out / "result.zarr/forces/energy/c.1.0"
    content = bytearray(data.read_bytes())
    content[len(content) // 2] ^= 1
    data.write_bytes(bytes(content))
    with stopped(StoreError, "out/result.zarr", "forces/energy", "chunk 1", hide=None):
        run_system(System.from_text(SCENE), out, plugins()[0], end=end, resume=True)


def test_a_result_with_one_damaged_checkpoint_is_continued_from_the_other(tmp_path, halves, whole):
    out = shutil.copytree(halves[0], tmp_path / "out")
    slot = out / "result.zarr/checkpoint/b"
    next(file for file in slot.rglob("c*") if file.is_file()).write_bytes(b"")
    assert resume(out, whole)
