"""If the cache of machine code is damaged or the disk is full, code is compiled again and the run
continues.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import warnings

import numba
import pytest
from child import command, with_cache

from mbplugin.compiler import folder, unit_file
from mbplugin.compiler.functions import entry


@pytest.fixture
def compiled(tmp_path, monkeypatch):
    """Decorates the function of a module file anew, as another process would, and calls it: result, hits in
    the cache.
    """
    file = tmp_path / "cached_module.py"
    file.write_text("def twice(x):\n    return 2.0 * x\n")

    def again(x=4.0):
        spec = importlib.util.spec_from_file_location("cached_module", file)
        module = importlib.util.module_from_spec(spec)
        # a module that cannot be imported loads only as long as garbage of the last one is there
        monkeypatch.setitem(sys.modules, "cached_module", module)
        spec.loader.exec_module(module)
        function = entry(module.twice, tmp_path / "cache")
        return function(x), sum(function.stats.cache_hits.values())

    again.file = unit_file.file_of("cached_module", "twice", tmp_path / "cache")
    again.source = file
    return again


def test_what_is_in_the_cache_is_used(compiled):
    assert compiled() == (8.0, 0)
    assert compiled() == (8.0, 1)
    assert compiled.file.stat().st_size < 20_000  # without bitcode


def test_the_place_and_the_time_of_a_source_do_not_matter(compiled):
    compiled()
    os.utime(compiled.source, (1.0, 1.0))
    assert compiled() == (8.0, 1)
    moved = compiled.source.with_name("elsewhere") / compiled.source.name
    moved.parent.mkdir()
    compiled.source.rename(moved)
    moved.parent.rename(compiled.source.with_name("again"))
    (compiled.source.with_name("again") / moved.name).rename(compiled.source)
    assert compiled() == (8.0, 1)


def test_a_file_holds_one_signature_and_another_one_is_compiled(compiled):
    """A complex argument does not run what was compiled for a float."""
    assert compiled(4.0) == (8.0, 0)
    assert compiled(4j) == (8j, 0)
    assert compiled(4.0) == (8.0, 1)


@pytest.mark.parametrize("content", [b"\x80\x04garbage", b"mbplugin machine code 3\n", None])
def test_a_damaged_file_is_compiled_again(compiled, content):
    compiled()
    file = compiled.file
    file.write_bytes(file.read_bytes()[:-20] if content is None else content)
    assert compiled() == (8.0, 0)
    assert compiled() == (8.0, 1)


def test_a_full_disk_gives_one_warning(compiled, monkeypatch):
    def full(*ignored):
        raise OSError(28, "No space left on device")

    folder.warn_once.cache_clear()
    monkeypatch.setattr(unit_file, "write_sealed", full)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        assert [compiled(), compiled()] == [(8.0, 0), (8.0, 0)]
    assert len(said) == 1
    assert "No space left on device" in str(said[0].message) and "MBPLUGIN_CACHE" in str(said[0].message)


KERNEL = """
import numpy as np


def everything(x):
    seen = {("a", 1): x, ("b", 2): 2.0 * x}
    A = np.eye(3)
    y = A @ np.full(3, x) + np.linalg.norm(A) - np.linalg.norm(A)
    np.random.seed(1)
    drawn = np.random.random() - np.random.random()
    words = [str(k) for k in range(3)]
    if x < 0.0:
        raise ValueError("less than nothing")
    return seen[("b", 2)] + y[0] + len(words) + drawn + abs(complex(x, x)) + x**0.3
"""

LOAD = """
import sys, pathlib, kernel
from mbplugin.compiler.functions import entry
function = entry(kernel.everything, pathlib.Path(sys.argv[1]))
function(4.0)
hits = sum(function.stats.cache_hits.values())
print(hits, "numba.np.polynomial.polynomial_core" in sys.modules, repr(function(4.0)))
try:
    function(-1.0)
except ValueError as error:
    print(error)
"""


def test_another_process_runs_what_is_ready_without_the_compiler(tmp_path):
    """Machine code finds the symbols of the runtime, of hashes, of BLAS and of Python."""
    (tmp_path / "kernel.py").write_text(KERNEL)
    made, ready = (
        command(str(tmp_path), cwd=tmp_path, extra=[tmp_path], code=LOAD, fork=True) for _ in range(2)
    )
    assert made.returncode == ready.returncode == 0, made.stderr + ready.stderr
    hits, imported, value = ready.stdout.splitlines()[0].split()
    assert (hits, imported) == ("1", "False")
    assert value == made.stdout.split()[2]
    assert ready.stdout.splitlines()[1] == "less than nothing"


FACTOR = """
import numba


@numba.njit
def factor():
    return {}
"""

SCALED = """
from factors import factor


def scaled(x):
    return factor() * x
"""

CALL = """
import kernel
from mbplugin.compiler.functions import entry
function = entry(kernel.scaled)
value = function(4.0)
print(sum(function.stats.cache_hits.values()), value)
"""


def test_a_kernel_is_compiled_again_when_a_file_that_it_calls_has_changed(tmp_path):
    """Numba alone looks at the kernel's own file only."""
    (tmp_path / "kernel.py").write_text(SCALED)
    said = []
    for value in ("2.0", "2.0", "3.0"):
        (tmp_path / "factors.py").write_text(FACTOR.format(value))
        code = with_cache(tmp_path / "cache", "import sys\nsys.dont_write_bytecode = True" + CALL)
        done = command(cwd=tmp_path, extra=[tmp_path], code=code, fork=True)
        said.append(done.stdout.split() or done.stderr)
    assert said == [["0", "8.0"], ["1", "8.0"], ["0", "12.0"]]


CALLER = """
import numba
from mbplugin.math.jit import internal, jit


@internal
def factor():
    return 2.0


@jit
def scaled(x):
    return factor() * x


@numba.njit
def other(x):
    return scaled(x) + 1.0


print(other(4.0), scaled(4.0), other(4.0))
"""


def test_functions_of_plain_numba_call_ours(tmp_path):
    done = command(cwd=tmp_path, code=CALLER, fork=True)
    assert done.stdout.split() == ["9.0", "8.0", "9.0"], done.stderr


def test_code_for_another_processor_has_another_folder(monkeypatch):
    """NUMBA_CPU_NAME chooses it."""
    names = set()
    for chosen in (None, "x86-64-v3"):
        monkeypatch.setattr(numba.config, "CPU_NAME", chosen)
        folder.processor.cache_clear()
        names.add(folder.fingerprint([]))
    folder.processor.cache_clear()
    assert len(names) == 2
