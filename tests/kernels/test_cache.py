"""If the cache of machine code is damaged or the disk is full, code is compiled again and the run
continues.
"""

from __future__ import annotations

import importlib.util
import warnings

import numba
import pytest

from mbplugin.math import jit


@pytest.fixture
def compiled(tmp_path):
    """Decorates the function of a module file anew, as another process would, and calls it: result, hits in
    the cache.
    """
    file = tmp_path / "cached_module.py"
    file.write_text("def twice(x):\n    return 2.0 * x\n")

    def again():
        spec = importlib.util.spec_from_file_location("cached_module", file)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        function = jit.in_cache(tmp_path / "cache", lambda: numba.njit(cache=True)(module.twice))
        return function(4.0), sum(function.stats.cache_hits.values())

    again.folder = tmp_path / "cache"
    return again


def test_what_is_in_the_cache_is_used(compiled):
    assert compiled() == (8.0, 0)
    assert compiled() == (8.0, 1)
    assert numba.core.dispatcher.FunctionCache is not jit.Forgiving


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

    jit.warn_once.cache_clear()
    monkeypatch.setattr("numba.core.caching.IndexDataCacheFile.save", full)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        assert [compiled(), compiled()] == [(8.0, 0), (8.0, 0)]
    assert len(said) == 1
    assert "No space left on device" in str(said[0].message) and "MBPLUGIN_CACHE" in str(said[0].message)
