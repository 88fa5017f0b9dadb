"""Kernels that are not compiled."""

from __future__ import annotations

import pytest

from mbplugin.codegen import compiled


@pytest.fixture
def plain(monkeypatch):
    """Kernels as plain Python: the kit calls each of them a few times only."""
    compiled.batch_kernel.cache_clear()
    monkeypatch.setattr(compiled, "_made", {})
    monkeypatch.setattr(
        compiled, "build", lambda kernel: compiled.interpret(kernel, RuntimeError("for the test"))
    )
    yield
    # those of other tests are compiled
    compiled.batch_kernel.cache_clear()
