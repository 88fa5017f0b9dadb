"""SIGKILL at any moment leaves the committed frames readable, bit for bit, and the run can continue."""

import random
import signal
import subprocess
import time
import warnings

import made_up
import numpy as np
import pytest
from made_up import chunks, write
from test_store import GROUPS, assert_holds

from mbplugin.results import RawResult, ResultWriter

FRAMES = 3000

# writes without a pause: nearly every moment is inside a flush or a checkpoint
CHILD = """
import numpy as np
from mbplugin.results import ResultWriter
writer = ResultWriter(store, made_up.static(), {}, capacity=frames)
for i in range(frames):
    writer.append(made_up.frame(i))
    writer.message(i * made_up.DT, "info", f"frame {i}") if i % 50 == 0 else None
    if i % 7 == 0:
        writer.flush()
    if i % 5 == 0:
        writer.checkpoint({"q": np.full(40 + i % 2, float(i)), "mem": np.arange(i % 3)}, {"i": i})
print("too late")
"""


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The chunk files of a run that nobody killed."""
    path = tmp_path_factory.mktemp("whole") / "result.zarr"
    write(path, FRAMES, capacity=FRAMES).close(complete=True)
    return {name: data for name, data in chunks(path).items() if not name.startswith("checkpoint")}


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 10))])
def test_committed_frames_survive_a_kill_at_a_random_moment(tmp_path, seed, whole):
    store = tmp_path / "result.zarr"
    script = made_up.script(CHILD, store=str(store), frames=FRAMES)
    child = subprocess.Popen(script, stdout=subprocess.PIPE)
    deadline = time.monotonic() + 60
    while not store.exists() and time.monotonic() < deadline:
        time.sleep(0.002)
    time.sleep(random.Random(seed).uniform(0.0, 0.6))
    child.send_signal(signal.SIGKILL)
    assert child.communicate()[0] == b""
    assert child.returncode == -signal.SIGKILL

    raw = RawResult(store)
    assert raw.check() == []
    assert not raw.complete
    assert_holds(raw, raw.frames)
    xarray = pytest.importorskip("xarray")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for group in GROUPS:
            with xarray.open_zarr(str(store), group=group, consolidated=False) as data:
                data.load()

    start = 0
    if (checkpoint := raw.checkpoint()) is not None:
        i = checkpoint.attributes["i"]
        start = checkpoint.frames
        assert start == i + 1
        assert raw.frames - start <= 5
        assert np.array_equal(checkpoint.arrays["q"], np.full(40 + i % 2, float(i)))
        assert len(checkpoint.arrays["mem"]) == i % 3
    writer = ResultWriter.reopen(store, frames=start, capacity=FRAMES)
    for i in range(start, FRAMES):
        writer.append(made_up.frame(i))
    writer.close(complete=True)
    again = {name: data for name, data in chunks(store).items() if not name.startswith("checkpoint")}
    assert again == whole
    assert [path.name for path in tmp_path.iterdir()] == ["result.zarr"]
