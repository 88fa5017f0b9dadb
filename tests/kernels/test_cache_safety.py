"""Machine code is run only from a folder of this user, and only if it is what was written there."""

from __future__ import annotations

import importlib.util
import io
import os
import random
import stat
import subprocess
import sys
import time
import warnings
from contextlib import redirect_stdout
from pathlib import Path

import pytest
from child import command, with_cache

from mbplugin.codegen import compiled, units
from mbplugin.compiler import folder as cache
from mbplugin.compiler import unit_file
from mbplugin.compiler.functions import entry


@pytest.fixture
def roots(tmp_path, monkeypatch):
    """A chosen cache, a home and a folder for temporary files; the folder of this process is asked anew."""
    monkeypatch.setenv("MBPLUGIN_CACHE", str(tmp_path / "chosen"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    for forget in (cache.cache_folder, cache.unused, cache.new_root, cache.warn_once):
        forget.cache_clear()
    yield tmp_path
    for forget in (cache.cache_folder, cache.unused, cache.new_root, cache.warn_once):
        forget.cache_clear()


def chosen() -> tuple[Path, list[str]]:
    """The root that is used, and the warnings."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        folder = cache.cache_folder("mbplugin.math.vec3")
        assert cache.cache_folder("mbplugin.math.quat").parent == folder.parent
    return folder.parent, [str(one.message) for one in said]


def test_the_chosen_folder_is_made_for_this_user_alone(roots):
    root, said = chosen()
    assert root == roots / "chosen" and said == []
    assert {stat.S_IMODE(path.stat().st_mode) for path in (root, *root.iterdir())} == {0o700}


@pytest.mark.parametrize("mode", [0o777, 0o775, 0o1777])
def test_a_folder_that_others_can_write_is_not_used_and_that_is_said_once(roots, mode):
    (roots / "chosen").mkdir()
    (roots / "chosen").chmod(mode)
    root, said = chosen()
    assert root == roots / "home" / "mbplugin"
    (line,) = said
    assert f"{roots / 'chosen'}: others can write there (chmod go-w" in line
    assert f"{root} is used instead" in line and "\n" not in line
    assert list((roots / "chosen").iterdir()) == []


ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


@pytest.mark.skipif(not ROOT, reason="only root can give a folder away")
def test_a_folder_of_another_user_is_not_used(roots):
    for name in ("chosen", "home/mbplugin"):
        (roots / name).mkdir(parents=True)
        os.chown(roots / name, 12345, 12345)
    root, said = chosen()
    assert root == roots / "temporary" / f"mbplugin-{os.geteuid()}"
    assert len(said) == 1 and "belongs to another user (number 12345)" in said[0] and str(root) in said[0]


def test_without_any_folder_of_ours_a_new_one_is_made(roots):
    for name in ("chosen", "home/mbplugin", f"temporary/mbplugin-{os.geteuid()}"):
        (roots / name).mkdir(parents=True)
        (roots / name).chmod(0o777)
    root, said = chosen()
    assert root.name.startswith("mbplugin-cache-") and stat.S_IMODE(root.stat().st_mode) == 0o700
    assert len(said) == 1 and str(root) in said[0]


@pytest.fixture
def twice(tmp_path, monkeypatch):
    """Decorates and calls the function of a module file as another process would: result, hits, warnings."""
    file = tmp_path / "sealed_module.py"
    file.write_text("def twice(x):\n    return 2.0 * x\n")

    def again():
        spec = importlib.util.spec_from_file_location("sealed_module", file)
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, "sealed_module", module)
        spec.loader.exec_module(module)
        monkeypatch.setattr(unit_file, "_said", [])
        cache.warn_once.cache_clear()
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            function = entry(module.twice, tmp_path / "cache")
            value = function(4.0)
        return value, sum(function.stats.cache_hits.values()), [str(one.message) for one in said]

    again.file = unit_file.file_of("sealed_module", "twice", tmp_path / "cache")
    return again


def test_files_of_machine_code_are_of_this_user_alone(twice):
    twice()
    assert stat.S_IMODE(twice.file.stat().st_mode) == 0o600
    assert stat.S_IMODE(twice.file.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=pytest.mark.slow if seed > 3 else ()) for seed in range(12)]
)
def test_a_flipped_bit_is_found_told_once_and_compiled_again(twice, seed):
    rng = random.Random(seed)
    twice()
    assert twice() == (8.0, 1, [])
    file = twice.file
    data = bytearray(file.read_bytes())
    place = rng.randrange(8 * len(data))
    data[place // 8] ^= 1 << place % 8
    file.write_bytes(data)
    value, hits, said = twice()
    assert (value, hits) == (8.0, 0)
    assert len(said) == 1 and f"{file} does not match its checksum" in said[0]
    assert twice() == (8.0, 1, [])


def test_a_file_that_others_can_write_is_compiled_again(twice):
    twice()
    file = twice.file
    file.chmod(0o666)
    value, hits, said = twice()
    assert (value, hits) == (8.0, 0) and "others can write there" in said[0]
    assert twice() == (8.0, 1, [])


def test_code_of_another_function_is_not_taken(twice, tmp_path):
    """As a file that is ours and whole, but was moved into the place of another."""
    twice()
    file = twice.file
    other = file.with_name("other")
    unit_file.write_sealed(other, unit_file.read_sealed(file))
    os.replace(other, file)
    assert twice()[:2] == (8.0, 0)


LENGTH = """
import mbplugin.math.vec3 as vec3
from mbplugin.compiler.folder import cache_folder
from mbplugin.compiler.functions import entry
norm = entry(vec3.norm.py_func)
print(norm((3.0, 4.0, 0.0)), sum(norm.stats.cache_hits.values()), cache_folder("mbplugin.math.vec3"))
"""


@pytest.mark.skipif(not ROOT, reason="only root may mount")
def test_a_read_only_warm_cache_works(roots):
    (roots / "chosen").mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=9m,mode=700", "tmpfs", str(roots / "chosen")]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("a file system cannot be mounted here")
    try:
        call = lambda: command(cwd=roots, code=with_cache(roots / "chosen", LENGTH), fork=True)
        first = call()
        assert first.stdout.startswith("5.0 0 "), first.stderr
        subprocess.run(["mount", "-o", "remount,ro", str(roots / "chosen")], check=True)
        second = call()
        assert second.stdout == first.stdout.replace("5.0 0", "5.0 1") and second.stderr == ""
        assert str(roots / "chosen") in second.stdout
    finally:
        subprocess.run(["umount", str(roots / "chosen")], check=True)


DAY = 86400.0


def aged(root: Path, name: str, days: float, *content: str) -> Path:
    folder = root / name
    for part in content or ("units",):
        (folder / part).mkdir(parents=True, mode=0o700)
    folder.chmod(0o700)
    os.utime(folder, (time.time() - days * DAY,) * 2)
    return folder


def test_old_folders_go_and_nothing_else(roots):
    root = roots / "chosen"
    root.mkdir(mode=0o700)
    kind, other = "0123abcd", "89abcdef"
    goes = [
        aged(root, f"{kind}-{'1' * 20}", 4),  # replaced by what is in use now
        aged(root, f"{other}-{'2' * 20}", 31, "units", "kernels", f"math_{'a' * 40}"),
        aged(root, "3" * 20, 31),  # as folders were named before
    ]
    stays = [
        aged(root, f"{kind}-{'4' * 20}", 2),
        aged(root, f"{other}-{'5' * 20}", 4),
        aged(root, "papers", 400),
        aged(root, f"{kind}-{'6' * 20}", 400, "units", "thesis"),
    ]
    cache.prune(root, kind)
    assert [folder.exists() for folder in goes] == [False] * 3
    assert [folder.exists() for folder in stays] == [True] * 4
    assert {path.name for path in root.iterdir()} == {folder.name for folder in stays}


def test_a_damaged_wrapper_is_written_again_and_never_imported(tmp_path):
    text = "x = 1\n"
    file = tmp_path / f"kernel_{units.text_hash(text)}.py"
    compiled.write_once(file, text)
    assert units.load_module(f"m.{file.stem}", file).x == 1
    assert list(tmp_path.iterdir()) == [file]  # no bytecode beside it
    file.write_text("x = 2\n")
    with pytest.raises(ImportError, match="is damaged"):
        units.load_module(f"m.{file.stem}", file)
    compiled.write_once(file, text)
    before = file.stat()
    compiled.write_once(file, text)
    assert file.read_text() == text and file.stat().st_mtime_ns == before.st_mtime_ns


SYMBOLS = """
from mbplugin.math.jit import jit

def factory(factor):
    def part(x):
        return factor * x
    return jit(part)

function = factory(2.0)
function(1.0)
print(next(iter(function.overloads.values())).fndesc.mangled_name)
"""


def test_closures_of_one_name_have_other_symbols_in_each_process():
    """What two processes have stored is loaded by a third: equal symbols would be taken for one function."""
    first = subprocess.run([sys.executable, "-c", SYMBOLS], capture_output=True, text=True, check=True).stdout
    with redirect_stdout(io.StringIO()) as printed:
        exec(SYMBOLS, {"__name__": "__main__"})
    second = printed.getvalue()
    assert "part" in first
    assert first != second
