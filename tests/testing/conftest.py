"""Kernels of planted errors are not compiled."""

from __future__ import annotations

import pytest

from mbplugin.codegen import compiled


@pytest.fixture
def plain(monkeypatch):
    """Kernels that no file holds as plain Python, all others compiled."""
    build = compiled.build
    monkeypatch.setattr(
        compiled,
        "build",
        lambda kernel: (
            compiled.interpret(kernel, RuntimeError("for the test")) if kernel.unit is None else build(kernel)
        ),
    )
