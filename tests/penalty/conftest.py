"""Kinds of a third party beside the installed ones."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from headless import Runs

from mbplugin.hooks.load import load_plugins
from mbplugin.hooks.registry import Registry

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def registry() -> Registry:
    import foreign_kinds
    import held

    return load_plugins(extra=[("foreign_kinds", foreign_kinds), ("held", held)])[0]


@pytest.fixture(scope="session")
def runs(registry: Registry) -> Runs:
    return Runs(registry)
