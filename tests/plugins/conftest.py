"""The kinds of the third party, offered beside the installed ones."""

from __future__ import annotations

import foreign_kinds
import pytest
from headless import Runs

from mbplugin.hooks.load import load_plugins
from mbplugin.hooks.registry import Registry


@pytest.fixture(scope="session")
def registry() -> Registry:
    return load_plugins(extra=[("foreign_kinds", foreign_kinds)])[0]


@pytest.fixture(scope="session")
def runs(registry: Registry) -> Runs:
    return Runs(registry)
