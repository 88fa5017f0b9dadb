"""If the cache of machine code is damaged or the disk is full, code is compiled again and the run
continues.
"""

from __future__ import annotations

import importlib.util
import sys
import warnings

import numba
import pytest
from child import command

from mbplugin.math import cache, machine_code


@pytest.fixture
def compiled(tmp_path, monkeypatch):
    """Decorates the function of a module file anew, as another process would, and calls it: result, hits in
    the cache.
    """
    file = tmp_path / "cached_module.py"
    file.write_text("def twice(x):\n    return 2.0 * x\n")

    def again():
        spec = importlib.util.spec_from_file_location("cached_module", file)
        module = importlib.util.module_from_spec(spec)
        # a module that cannot be imported loads only as long as garbage of the last one is there
        monkeypatch.setitem(sys.modules, "cached_module", module)
        spec.loader.exec_module(module)
        function = machine_code.in_cache(tmp_path / "cache", lambda: numba.njit(cache=True)(module.twice))
        return function(4.0), sum(function.stats.cache_hits.values())

    again.folder = tmp_path / "cache"
    return again


def test_what_is_in_the_cache_is_used(compiled):
    assert compiled() == (8.0, 0)
    assert compiled() == (8.0, 1)
    assert numba.core.dispatcher.FunctionCache is not machine_code.Checked


@pytest.mark.parametrize("kind", ["*.nbi", "*.nbc"])
@pytest.mark.parametrize("content", [b"", b"\x80\x04garbage", None])
def test_a_damaged_file_is_compiled_again(compiled, kind, content):
    compiled()
    files = list(compiled.folder.rglob(kind))
    assert files
    for file in files:
        file.write_bytes(file.read_bytes()[:-20] if content is None else content)
    assert compiled() == (8.0, 0)
    assert compiled() == (8.0, 1)


def test_a_full_disk_gives_one_warning(compiled, monkeypatch):
    def full(*ignored):
        raise OSError(28, "No space left on device")

    cache.warn_once.cache_clear()
    monkeypatch.setattr("numba.core.caching.IndexDataCacheFile.save", full)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        assert [compiled(), compiled()] == [(8.0, 0), (8.0, 0)]
    assert len(said) == 1
    assert "No space left on device" in str(said[0].message) and "MBPLUGIN_CACHE" in str(said[0].message)


KERNEL = """
import numpy as np


def everything(x):
    seen = {("a", 1): x, ("b", 2): 2.0 * x}
    A = np.eye(3) + np.outer(np.arange(3.0), np.ones(3))
    y = np.linalg.solve(A, A @ np.full(3, x)) + np.linalg.norm(A) - np.linalg.norm(A)
    np.random.seed(1)
    drawn = np.random.random() - np.random.random()
    words = [str(k) for k in range(3)]
    if x < 0.0:
        raise ValueError("less than nothing")
    return seen[("b", 2)] + y[0] + len(words) + drawn + np.sort(y)[0] + abs(complex(x, x)) + x**0.3
"""

LOAD = """
import sys, numba, kernel
from mbplugin.math import machine_code
make = lambda: numba.njit(numba.float64(numba.float64), cache=True)(kernel.everything)
function = machine_code.in_cache(sys.argv[1], make)
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
    made, ready = (command(str(tmp_path), cwd=tmp_path, extra=[tmp_path], code=LOAD) for _ in range(2))
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
import numba, kernel
from mbplugin.math import cache, machine_code
make = lambda: numba.njit(numba.float64(numba.float64), cache=True)(kernel.scaled)
function = machine_code.in_cache(cache.cache_folder("kernel"), make)
print(sum(function.stats.cache_hits.values()), function(4.0))
"""


def test_a_kernel_is_compiled_again_when_a_file_that_it_calls_has_changed(tmp_path):
    """Numba alone looks at the kernel's own file only."""
    (tmp_path / "kernel.py").write_text(SCALED)
    said = []
    for value in ("2.0", "2.0", "3.0"):
        (tmp_path / "factors.py").write_text(FACTOR.format(value))
        cache_folder = {"MBPLUGIN_CACHE": str(tmp_path / "cache")}
        done = command(cwd=tmp_path, extra=[tmp_path], code=CALL, PYTHONDONTWRITEBYTECODE="1", **cache_folder)
        said.append(done.stdout.split() or done.stderr)
    assert said == [["0", "8.0"], ["1", "8.0"], ["0", "12.0"]]


CALLER = """
import numba, kernel
from mbplugin.math import machine_code
make = lambda: numba.njit(numba.float64(numba.float64), cache=True)(kernel.scaled)
function = machine_code.in_cache("cache", make)


@numba.njit
def other(x):
    return function(x) + 1.0


print(sum(function.stats.cache_hits.values()), other(4.0), function(4.0))
"""


def test_code_from_the_cache_can_be_inlined_into_other_code(tmp_path):
    (tmp_path / "kernel.py").write_text(SCALED)
    (tmp_path / "factors.py").write_text(FACTOR.format("2.0"))
    said = [command(cwd=tmp_path, extra=[tmp_path], code=CALLER) for _ in range(2)]
    assert [done.stdout.split() or done.stderr for done in said] == [["0", "9.0", "8.0"], ["1", "9.0", "8.0"]]
