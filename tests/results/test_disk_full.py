"""If nothing more can be written, a run reports it once, and committed frames stay readable."""

import errno
import json
import os
import subprocess

import made_up
import pytest
from made_up import write
from refusals import has, stopped
from test_store import assert_holds

from mbplugin.errors import StoreError
from mbplugin.results import RawResult, ResultWriter

#: how much is missing differs
ROOM = r"\d+ frames"
# a limit on the size of a file: small files go on being written, chunks do not
CHILD = """
import json, resource, signal
from mbplugin.errors import StoreError
from mbplugin.results import ResultWriter
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
writer = ResultWriter(store, made_up.static(), {})
for i in range(100):
    writer.append(made_up.frame(i))
writer.flush()
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
said = []
for i in range(100, 120):
    try:
        writer.append(made_up.frame(i))
        writer.flush()
    except StoreError as error:
        said.append([error.exit_code, str(error)])
writer.close(complete=True)
print(json.dumps(said))
"""


@pytest.mark.parametrize("limit", [60_000, 5_000, 0])
def test_a_file_size_limit_keeps_the_frames_before_it(tmp_path, limit):
    store = tmp_path / "result.zarr"
    child = made_up.script(CHILD, store=str(store), limit=limit)
    said = json.loads(subprocess.run(child, capture_output=True, check=True).stdout)
    code, text = said[0]
    assert code == 4 and has(text, store, os.strerror(errno.EFBIG), "100 frames")
    raw = RawResult(store)
    assert_holds(raw, 100)
    assert raw.check() == []
    assert not raw.complete
    assert [path.name for path in tmp_path.iterdir()] == ["result.zarr"]


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 3 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if os.geteuid() != 0:
        pytest.skip("only root may mount a small file system")
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)], capture_output=True
    )
    if mounted.returncode:
        pytest.skip(f"cannot mount a small file system here: {mounted.stderr.decode().strip()}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_keeps_the_frames_and_the_run_goes_on_when_there_is_room(small_disk):
    store = small_disk / "result.zarr"
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(1_300_000))
    writer = ResultWriter(store, made_up.static(), {})
    with stopped(StoreError, store, hide=ROOM) as caught:
        for i in range(20_000):
            writer.append(made_up.frame(i))
    assert caught.value.exit_code == 4
    kept = writer.committed
    assert kept > 0
    assert has(str(caught.value), f"{kept} frames", os.strerror(errno.ENOSPC))
    writer.close(complete=True)
    assert_holds(RawResult(store), kept)
    assert RawResult(store).check() == []

    ballast.unlink()
    writer = ResultWriter.reopen(store, frames=kept)
    for i in range(kept, kept + 10):
        writer.append(made_up.frame(i))
    writer.close(complete=True)
    assert_holds(RawResult(store), kept + 10)


def test_a_disk_that_is_full_from_the_start_leaves_the_older_result(small_disk):
    store = small_disk / "result.zarr"
    write(store, 5).close(complete=True)
    disk = os.statvfs(small_disk)
    (small_disk / "ballast").write_bytes(bytes(disk.f_bavail * disk.f_frsize - 60_000))
    with stopped(StoreError, store, hide=ROOM):
        ResultWriter(store, made_up.static(), {})
    assert_holds(RawResult(store), 5)
    assert sorted(path.name for path in small_disk.iterdir()) == ["ballast", "result.zarr"]


def test_a_path_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("no folder")
    with stopped(StoreError, store := tmp_path / "file/out/result.zarr"):
        ResultWriter(store, made_up.static(), {})


def test_a_read_only_path_is_named(small_disk):
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with stopped(StoreError, store := small_disk / "result.zarr"):
        ResultWriter(store, made_up.static(), {})


def test_a_store_that_vanishes_while_written_is_named(tmp_path):
    writer = write(tmp_path / "r", 3)
    writer.flush()
    (tmp_path / "r").rename(tmp_path / "gone")
    writer.append(made_up.frame(3))
    with stopped(StoreError, tmp_path / "r"):
        writer.flush()
    assert_holds(RawResult(tmp_path / "gone"), 3)
