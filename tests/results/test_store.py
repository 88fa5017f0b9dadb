"""Our reader, zarr and xarray read back what was written, bit for bit."""

import functools
import shutil
import time
import tracemalloc
import warnings

import made_up
import numpy as np
import pytest
from made_up import chunks, write
from refusals import has, stopped
from snapshots import same_message

from mbplugin.errors import StoreError
from mbplugin.results import RawResult, ResultWriter, checkpoint
from mbplugin.results.layout import FRAME_ARRAYS, STATIC_ARRAYS, chunk_frames

GROUPS = [
    "",
    "bodies",
    "joints",
    "coordinates",
    "forces",
    "states",
    "energy",
    "constraints",
    "meshes",
    "shapes",
]


def assert_holds(raw, frames):
    """`raw` holds the first `frames` made-up frames, bit for bit."""
    assert raw.frames == frames
    expected = [made_up.frame(i) for i in range(frames)]
    for key, array in FRAME_ARRAYS.items():
        truth = np.array([frame[key] for frame in expected]).reshape(raw[key].shape)
        assert raw[key].dtype == np.dtype(array.dtype)
        assert raw[key].tobytes() == truth.astype(array.dtype).tobytes(), key


def damaged_chunks(store):
    return [line.split(" (")[0] for line in RawResult(store).check()]


@pytest.mark.parametrize("frames", [0, 1, 1023, 1024, 1025, 2500])
@pytest.mark.parametrize("capacity", [0, 2000])
def test_frames_are_read_back_bit_for_bit(tmp_path, frames, capacity):
    write(tmp_path / "result.zarr", frames, capacity=capacity).close(complete=True)
    raw = RawResult(tmp_path / "result.zarr")
    assert_holds(raw, frames)
    assert raw.complete
    assert raw.check() == []
    assert [path.name for path in tmp_path.iterdir()] == ["result.zarr"]


def test_static_data_and_attributes_come_back(tmp_path):
    static = made_up.static()
    write(tmp_path / "r", 3).close(
        complete=False, attributes={"steps": np.int64(7), "error": np.float64("nan")}
    )
    raw = RawResult(tmp_path / "r")
    found = raw.static()
    assert found.keys() == static.keys()
    for key, value in static.items():
        assert np.array_equal(found[key], value) if isinstance(value, np.ndarray) else found[key] == value
    assert raw.names("bodies") == ["crank", "rod", "piston"]
    assert raw.names("states") == []
    assert raw.units("joints/torque") == "N m"
    assert raw.attributes["scene"] == "made up"
    assert (raw.attributes["steps"], raw.attributes["error"]) == (7, "NaN")
    assert not raw.complete
    assert "joints/force" in raw
    assert "joints/nothing" not in raw
    with pytest.raises(KeyError):
        raw["joints/nothing"]


def test_zarr_and_xarray_read_it_and_every_array_has_dimensions_and_a_unit(tmp_path):
    zarr, xarray = pytest.importorskip("zarr"), pytest.importorskip("xarray")
    write(tmp_path / "r", 30).close(complete=True)
    arrays = 0
    for name, node in zarr.open_group(str(tmp_path / "r"), mode="r").members(max_depth=None):
        if isinstance(node, zarr.Array):
            arrays += 1
            assert node.attrs["units"], name
            assert len(node.metadata.dimension_names) == node.ndim, name
    assert arrays == len(FRAME_ARRAYS) + len(STATIC_ARRAYS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for group in GROUPS:
            with xarray.open_zarr(str(tmp_path / "r"), group=group, consolidated=False) as data:
                if group == "bodies":
                    assert data["position"].sizes == {"frame": 30, "body": 3, "xyz": 3}
                    expected = [made_up.frame(i)["bodies/position"] for i in range(30)]
                    assert np.array_equal(data["position"], expected)


def test_frames_are_read_singly_and_in_steps(tmp_path):
    write(tmp_path / "r", 1100).close(complete=True)
    raw = RawResult(tmp_path / "r")
    for i in (0, 1023, 1024, 1099):
        assert np.array_equal(raw.frame(i)["joints/force"], made_up.frame(i)["joints/force"])
    assert [round(float(f["time"]) / made_up.DT) for f in raw.each_frame(1000, 1090, 30)] == [
        1000,
        1030,
        1060,
    ]
    assert len(list(raw.each_frame())) == 1100
    assert raw.read("time", 1020, 1030).shape == (10,)


def test_a_reader_takes_the_committed_frames_only(tmp_path, monkeypatch):
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now)
    writer = write(tmp_path / "r", 10)
    assert RawResult(tmp_path / "r").frames == 0
    writer.flush()
    for i in range(10, 15):
        writer.append(made_up.frame(i))
    raw = RawResult(tmp_path / "r")
    assert (writer.frames, writer.committed) == (15, 10)
    assert_holds(raw, 10)
    writer.flush()
    assert_holds(raw, 10)
    assert_holds(RawResult(tmp_path / "r"), 15)


def test_a_run_can_be_watched_without_flushing(tmp_path, monkeypatch):
    writer = write(tmp_path / "r", 5)
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + 1.1)
    writer.append(made_up.frame(5))
    assert RawResult(tmp_path / "r").frames == 6


def test_chunks_are_about_256_kB_of_the_biggest_array():
    assert chunk_frames(24) == 1024
    assert chunk_frames(1000) == 262
    assert chunk_frames(32_000) == 16
    assert chunk_frames(0) == 1024
    assert chunk_frames(24, planned=100) == 100
    assert chunk_frames(24, planned=2) == 2
    assert chunk_frames(160_000, planned=11) == 11


@pytest.mark.parametrize("longer", [3_000, pytest.param(12_000, marks=pytest.mark.slow)])
def test_memory_does_not_grow_with_the_number_of_frames(tmp_path, longer):
    def peak(frames):
        static = made_up.static()
        writer = ResultWriter(tmp_path / "r", static, {})
        frame = made_up.frame(1)
        tracemalloc.start()
        for _ in range(frames):
            writer.append(frame)
        writer.close(complete=True)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    peak(100)
    assert peak(longer) < 1.1 * peak(1_500)


def test_500_frames_of_three_bodies_cost_less_than_half_a_second(tmp_path):
    """0.1 s measured."""
    frames = [made_up.frame(i) for i in range(500)]
    start = time.process_time()
    writer = ResultWriter(tmp_path / "r", made_up.static(), {}, capacity=500)
    for frame in frames:
        writer.append(frame)
    writer.close(complete=True)
    assert time.process_time() - start < 0.5


def test_messages_are_kept_in_order(tmp_path):
    writer = write(tmp_path / "r", 2)
    writer.message(None, "info", "2 of 16 rows are redundant")
    writer.message(0.5, "warning", "joint “hinge” near its limit")
    writer.flush()
    writer.message(np.float64(1.5), "error", "diverged")
    assert len(RawResult(tmp_path / "r").messages) == 2
    writer.close(complete=False)
    messages = RawResult(tmp_path / "r").messages
    assert [m.time for m in messages] == [None, 0.5, 1.5]
    assert messages[1].text == "joint “hinge” near its limit"
    assert messages[2].level == "error"


def test_a_checkpoint_comes_back_bit_for_bit_with_its_number_of_frames(tmp_path):
    writer = write(tmp_path / "r", 7)
    assert RawResult(tmp_path / "r").checkpoint() is None
    odd = np.frombuffer(b"\x01\x00\x00\x00\x00\x00\xf8\x7f\x00\x00\x00\x00\x00\x00\x00\x80", dtype="<f8")
    arrays = {
        "q": odd,  # a nan with a payload, and minus zero
        "empty": np.zeros((0, 3)),
        "scalar": np.array(0.1 + 0.2),
        "flags": np.array([True, False]),
        "memory": np.arange(6, dtype=np.int64).reshape(2, 3),
        "bytes": np.arange(256, dtype=np.uint8),
    }
    attributes = {"t": 0.1 + 0.2, "dt": np.float64(1e-3), "seed": 2**127 + 1, "order": [5, 4]}
    for count in range(1, 4):
        writer.checkpoint(arrays | {"q": odd if count == 3 else np.zeros(2)}, attributes | {"count": count})
        writer.append(made_up.frame(6 + count))
    found = RawResult(tmp_path / "r").checkpoint()
    assert found.frames == 9
    assert found.attributes == attributes | {"count": 3}
    for name, array in arrays.items():
        assert (found.arrays[name].dtype, found.arrays[name].shape) == (array.dtype, array.shape)
        assert found.arrays[name].tobytes() == array.tobytes()


def test_of_two_checkpoints_the_newest_undamaged_is_found(tmp_path):
    writer = write(tmp_path / "r", 4)
    writer.checkpoint({"q": np.arange(3.0)}, {})
    writer.append(made_up.frame(4))
    writer.checkpoint({"q": np.arange(4.0)}, {})
    assert RawResult(tmp_path / "r").checkpoint().frames == 5
    chunk = tmp_path / "r/checkpoint/b/q/c.0"
    chunk.write_bytes(chunk.read_bytes()[:-1])
    raw = RawResult(tmp_path / "r")
    assert raw.checkpoint().frames == 4
    assert raw.check() == ["checkpoint/b/q: has 35 bytes, 36 expected"]


@pytest.fixture(scope="module")
def whole_run(tmp_path_factory):
    """The chunk files of a run of 1600 frames, by capacity."""

    @functools.cache
    def files(capacity):
        folder = tmp_path_factory.mktemp("whole") / "r"
        write(folder, 1600, capacity=capacity).close(complete=True)
        return chunks(folder)

    return files


@pytest.mark.parametrize("cut", [0, 700, 1024, 1500])
@pytest.mark.parametrize("capacity", [0, 1600])
def test_a_run_continued_after_any_frame_has_the_files_of_one_run(tmp_path, whole_run, cut, capacity):
    writer = write(tmp_path / "cut", 1540, capacity=capacity)
    writer.message(0.0, "info", "before")
    writer.flush()
    writer = ResultWriter.reopen(tmp_path / "cut", frames=cut, capacity=capacity)
    assert_holds(RawResult(tmp_path / "cut"), cut)
    assert RawResult(tmp_path / "cut").check() == []
    for i in range(cut, 1600):
        writer.append(made_up.frame(i))
    writer.close(complete=True)
    assert RawResult(tmp_path / "cut").messages == []
    whole, again = whole_run(capacity), chunks(tmp_path / "cut")
    assert whole.keys() == again.keys()
    assert whole == again


def test_continuing_drops_the_messages_and_checkpoints_after_the_frame(tmp_path):
    writer = write(tmp_path / "r", 3)
    writer.message(0.02, "info", "kept")
    writer.checkpoint({"q": np.zeros(2)}, {})
    writer.append(made_up.frame(3))
    writer.message(0.03, "info", "dropped")
    writer.checkpoint({"q": np.ones(2)}, {})
    writer = ResultWriter.reopen(tmp_path / "r", frames=3)
    raw = RawResult(tmp_path / "r")
    assert [m.text for m in raw.messages] == ["kept"]
    assert raw.checkpoint().frames == 3
    writer.checkpoint({"q": np.full(2, 2.0)}, {})
    assert RawResult(tmp_path / "r").checkpoint().arrays["q"][0] == 2.0


def test_a_checkpoint_cut_short_is_none_and_the_one_before_is_found(tmp_path, monkeypatch):
    """The third goes into the place of the first, and is killed after one of its two arrays."""
    writer = write(tmp_path / "r", 3)
    for n in range(2):
        writer.checkpoint({"q": np.full(2, float(n)), "v": np.full(2, float(n))}, {})
        writer.append(made_up.frame(3 + n))
    done = []

    def killed(path, data, temporary):
        done.append(path.parent.name)
        if done[-1] == "v":
            raise KeyboardInterrupt
        replace_file(path, data, temporary)

    replace_file = checkpoint.replace_file
    monkeypatch.setattr(checkpoint, "replace_file", killed)
    with pytest.raises(KeyboardInterrupt):
        writer.checkpoint({"q": np.full(2, 2.0), "v": np.full(2, 2.0)}, {})
    assert done == ["q", "v"]
    found = checkpoint.read(tmp_path / "r", 5)
    assert found.frames == 4 and found.arrays["q"][0] == found.arrays["v"][0] == 1.0
    # what is half of the third and half of the first is no checkpoint
    assert checkpoint.read(tmp_path / "r", 3) is None
    # and none that is damaged: nothing was lost
    assert checkpoint.damage(tmp_path / "r") == []


def test_a_run_cannot_be_continued_after_frames_that_are_not_stored(tmp_path):
    write(tmp_path / "r", 3).close(complete=True)
    with stopped(StoreError, tmp_path / "r", 3, 4):
        ResultWriter.reopen(tmp_path / "r", frames=4)


def test_an_older_result_is_replaced_and_nothing_else_is(tmp_path):
    write(tmp_path / "r", 5).close(complete=True)
    write(tmp_path / "r", 2).close(complete=True)
    assert_holds(RawResult(tmp_path / "r"), 2)
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers/thesis.tex").write_text("years of work")
    with stopped(StoreError, tmp_path / "papers"):
        write(tmp_path / "papers", 1)
    assert (tmp_path / "papers/thesis.tex").read_text() == "years of work"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["papers", "r"]


def test_a_frame_of_the_wrong_shape_is_refused(tmp_path):
    writer = write(tmp_path / "r", 1)
    with stopped(ValueError, "joints/force"):
        writer.append(made_up.frame(1) | {"joints/force": np.zeros(3)})
    with stopped(ValueError, "bodies/positions"):
        ResultWriter(tmp_path / "s", made_up.static(), {}, arrays=["time", "bodies/positions"])


def test_a_kinematic_run_stores_fewer_arrays(tmp_path):
    writer = ResultWriter(tmp_path / "r", made_up.static(), {}, arrays=["time", "bodies/position"])
    writer.append(made_up.frame(0))
    writer.close(complete=True)
    raw = RawResult(tmp_path / "r")
    assert raw.attributes["frame_arrays"] == ["time", "bodies/position"]
    assert "joints/force" not in raw
    assert raw.check() == []


@pytest.fixture(scope="module")
def undamaged(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undamaged") / "r"
    write(folder, 1100).close(complete=True)
    return folder


class TestDamage:
    @pytest.fixture
    def store(self, undamaged, tmp_path):
        return shutil.copytree(undamaged, tmp_path / "r")

    def test_a_flipped_bit_is_found_by_name(self, store):
        path = store / "bodies/position/c.1.0.0"
        data = bytearray(path.read_bytes())
        data[100] ^= 1
        path.write_bytes(data)
        assert damaged_chunks(store) == ["bodies/position: chunk 1"]
        with stopped(StoreError, store, "bodies/position"):
            RawResult(store)["bodies/position"]
        assert RawResult(store).read("bodies/position", 0, 1024).shape == (1024, 3, 3)

    def test_a_missing_chunk_is_not_read_as_nan(self, store):
        (store / "joints/force/c.0.0.0").unlink()
        assert damaged_chunks(store) == ["joints/force: chunk 0"]
        with stopped(StoreError, store, "joints/force", "chunk 0"):
            RawResult(store)["joints/force"]

    def test_a_cut_chunk_and_broken_metadata_are_found(self, store):
        path = store / "time/c.0"
        path.write_bytes(path.read_bytes()[:-8])
        (store / "energy/kinetic/zarr.json").write_text("{")
        (store / "meshes/points/zarr.json").unlink()
        damage = RawResult(store).check()
        assert [line.partition(":")[0] for line in damage] == ["time", "energy/kinetic", "meshes/points"]
        assert has(damage[0], 8188, 8196)
        same_message("\n".join(damage))
        for key in ("time", "energy/kinetic", "meshes/points"):
            with stopped(StoreError, store, key):
                RawResult(store)[key]

    @pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e400"])
    def test_metadata_with_a_number_that_is_none_is_damaged(self, store, number):
        file = store / "time" / "zarr.json"
        file.write_text(file.read_text().replace('"storage_transformers": []', f'"extra": {number}'))
        assert RawResult(store).check() == ["time: zarr.json is not readable as JSON"]

    @pytest.mark.parametrize("text", ["", "{", "[]", '{"node_type": "group", "zarr_format": 3}'])
    def test_a_folder_without_a_result_is_refused_in_one_line(self, store, text):
        (store / "zarr.json").write_text(text)
        with stopped(StoreError, store) as caught:
            RawResult(store)
        assert caught.value.exit_code == 4 and "\n" not in str(caught.value)

    def test_a_missing_folder_is_refused_in_one_line(self, tmp_path):
        with stopped(StoreError, tmp_path / "nothing"):
            RawResult(tmp_path / "nothing")

    @pytest.mark.parametrize("version", [2, 4])
    def test_another_format_is_refused(self, store, version):
        text = (store / "zarr.json").read_text()
        (store / "zarr.json").write_text(text.replace('"version": 3', f'"version": {version}'))
        with stopped(StoreError, store, f"result format {version}", "format 3"):
            RawResult(store)
