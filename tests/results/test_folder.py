"""A run replaces, removes and follows only what mbplugin wrote; one run at a time writes into a folder."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading

import made_up
import pytest
from child import tree
from filelock import FileLock
from made_up import write
from refusals import stopped

from mbplugin.errors import StoreError
from mbplugin.export import SeriesWriter
from mbplugin.results import RawResult, creation, folder
from mbplugin.results.files import replace_file

NAMES = (*folder.STORE, *folder.MESSAGES)

HOLD = """
import sys, time
from pathlib import Path
from mbplugin.results.folder import locked
with locked(Path(sys.argv[1]), "result.zarr"):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def holder(tmp_path):
    """A process that writes into the folder `out`."""
    path = os.pathsep.join(p for p in sys.path if p)
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path / "out")],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.communicate()


def test_a_second_run_is_refused_with_who_holds_the_folder(tmp_path, holder):
    before = tree(tmp_path / "out")
    names = (holder.pid, os.uname().nodename, "-o")
    with stopped(StoreError, *names) as caught, folder.locked(tmp_path / "out", *NAMES):
        pass
    assert caught.value.exit_code == 4
    assert tree(tmp_path / "out") == before


def test_the_lock_of_a_process_that_was_killed_is_free(tmp_path, holder):
    holder.kill()
    holder.wait()
    with folder.locked(tmp_path / "out", *NAMES):
        assert folder.read_marker(tmp_path / "out")["holder"]["process"] == os.getpid()


def test_one_process_cannot_write_twice_into_a_folder(tmp_path):
    once_more = stopped(StoreError, os.getpid())
    with folder.locked(tmp_path, *NAMES), once_more, folder.locked(tmp_path, *NAMES):
        pass
    with folder.locked(tmp_path, *NAMES):
        pass


@pytest.mark.parametrize("earlier", [False, True])
def test_a_run_that_has_just_taken_the_lock_is_named_once_it_has_written_its_entry(tmp_path, earlier):
    entry = lambda process: {"process": process, "host": socket.gethostname(), "since": "2024-01-31 12:00:00"}
    if earlier:
        ended = subprocess.Popen(["true"])
        ended.wait()
        folder.claim(tmp_path, holder=entry(ended.pid))
    write = threading.Timer(0.1, folder.claim, (tmp_path,), {"holder": entry(os.getpid())})
    with FileLock(tmp_path / folder.LOCK), stopped(StoreError, os.getpid()):
        write.start()
        with folder.locked(tmp_path, *NAMES):
            pass
    write.join()


def test_files_of_a_run_that_begins_meanwhile_are_not_of_somebody(tmp_path, monkeypatch):
    read = folder.read_marker

    def read_while_another_begins(path):
        monkeypatch.setattr(folder, "read_marker", read)
        marker = read(path)
        folder.claim(path, "messages.txt")
        (path / "messages.txt").write_text("")
        return marker

    monkeypatch.setattr(folder, "read_marker", read_while_another_begins)
    folder.refuse_foreign(tmp_path, *NAMES)


@pytest.mark.parametrize(
    "name",
    ["messages.txt", ".result.zarr.part", ".result.zarr.old/diary.txt", ".result.zarr.new/a", "result.mbr"],
)
def test_a_file_of_somebody_stops_the_run_and_stays(tmp_path, name):
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_text("years of work")
    with stopped(StoreError, tmp_path / name.partition("/")[0]), folder.locked(tmp_path, *NAMES):
        pass
    assert tree(tmp_path) == {name: b"years of work"}


@pytest.mark.parametrize("name", ["messages.txt", ".result.zarr.part", "result.zarr", ".mbplugin"])
def test_a_link_is_not_followed(tmp_path, name):
    (tmp_path / "precious").write_text("years of work")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / name).symlink_to(tmp_path / "precious")
    with stopped(StoreError, tmp_path / "out" / name), folder.locked(tmp_path / "out", *NAMES):
        pass
    assert (tmp_path / "precious").read_text() == "years of work"
    assert (tmp_path / "out" / name).is_symlink()


def test_a_link_in_the_place_of_a_temporary_file_is_not_followed(tmp_path):
    (tmp_path / "precious").write_text("years of work")
    for link in (os.symlink, os.link):
        link(tmp_path / "precious", tmp_path / ".part")
        with stopped(FileExistsError, tmp_path / ".part"):
            replace_file(tmp_path / "new", b"x", tmp_path / ".part")
        (tmp_path / ".part").unlink()
    assert (tmp_path / "precious").read_text() == "years of work"
    (tmp_path / ".part").write_text("what a kill left")
    replace_file(tmp_path / "new", b"x", tmp_path / ".part")
    assert tree(tmp_path) == {"new": b"x", "precious": b"years of work"}


def test_a_store_beside_folders_of_somebody_is_refused(tmp_path):
    (tmp_path / ".r.old").mkdir()
    (tmp_path / ".r.old" / "thesis.tex").write_text("years of work")
    with stopped(StoreError, tmp_path / ".r.old"):
        write(tmp_path / "r", 1)
    assert tree(tmp_path) == {".r.old/thesis.tex": b"years of work"}


def test_what_a_kill_left_of_a_new_store_is_replaced(tmp_path):
    for n, left in enumerate((".r.new", ".r.old")):
        write(tmp_path / str(n), 1).close(complete=True)
        (tmp_path / str(n)).rename(tmp_path / left)
    (tmp_path / ".r.new" / "zarr.json").write_text('{"att')
    for entry in list((tmp_path / ".r.new").iterdir()):
        if entry.is_dir():
            subprocess.run(["rm", "-r", str(entry)], check=True)
    write(tmp_path / "r", 2).close(complete=True)
    assert RawResult(tmp_path / "r").frames == 2
    assert [path.name for path in tmp_path.iterdir()] == ["r"]


def test_of_a_store_that_is_half_removed_the_rest_is_known_as_ours(tmp_path, monkeypatch):
    """A kill may end the removal of an older store after any of its files."""
    write(tmp_path / "r", 1).close(complete=True)
    calls = []

    def killed(path, *more, **options):
        calls.append(path)
        if len(calls) > 5:
            raise KeyboardInterrupt
        rmtree(path, *more, **options)

    rmtree = creation.shutil.rmtree
    monkeypatch.setattr(creation.shutil, "rmtree", killed)
    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / "r", 2)
    monkeypatch.undo()
    assert (tmp_path / ".r.old").exists()
    write(tmp_path / "r", 3).close(complete=True)
    assert RawResult(tmp_path / "r").frames == 3
    assert [path.name for path in tmp_path.iterdir()] == ["r"]


def test_a_series_of_somebody_stays(tmp_path):
    (tmp_path / "result").mkdir()
    (tmp_path / "result" / "frame_000003.vtp").write_text("mine")
    with stopped(StoreError, tmp_path / "result"):
        SeriesWriter(tmp_path, made_up.static())
    assert tree(tmp_path) == {"result/frame_000003.vtp": b"mine"}


def test_other_files_in_the_folder_of_our_series_stay(tmp_path):
    writer = SeriesWriter(tmp_path, made_up.static())
    for i in range(3):
        writer.append(made_up.frame(i))
    writer.close()
    for name in ("frame_abc.vtp", "frame_1.vtp", "notes.txt", "frame_000009.vtp.bak"):
        (tmp_path / "result" / name).write_text("mine")
    SeriesWriter(tmp_path, made_up.static()).close()
    left = {path.name for path in (tmp_path / "result").iterdir()}
    assert left == {"frame_abc.vtp", "frame_1.vtp", "notes.txt", "frame_000009.vtp.bak"}


def test_scenes_of_one_name_in_different_files_do_not_share_a_folder(tmp_path):
    a, b = tmp_path / "a.toml", tmp_path / "b.toml"
    a.touch()
    b.touch()
    with folder.locked(tmp_path / "out", *NAMES, scene=str(a)):
        pass
    folder.refuse_scene_of_another_file(tmp_path / "out", str(a))
    with stopped(StoreError, tmp_path / "out", a):
        folder.refuse_scene_of_another_file(tmp_path / "out", str(b))
    a.unlink()  # moved
    folder.refuse_scene_of_another_file(tmp_path / "out", str(b))


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"format": "other"}', '{"format": "mbplugin folder", "files": 3}']
)
def test_a_marker_that_is_not_ours_is_refused(tmp_path, text):
    (tmp_path / folder.MARKER).write_text(text)
    with stopped(StoreError, tmp_path / folder.MARKER):
        folder.claim(tmp_path, "result.zarr")
    assert (tmp_path / folder.MARKER).read_text() == text


def test_the_marker_lists_what_was_written(tmp_path):
    folder.claim(tmp_path, "result.zarr")
    folder.claim(tmp_path, "result", "result.zarr")
    assert json.loads((tmp_path / folder.MARKER).read_text())["files"] == ["result.zarr", "result"]
