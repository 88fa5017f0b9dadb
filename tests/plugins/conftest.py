"""The kinds of third parties, offered beside the installed ones."""

from __future__ import annotations

import foreign_kinds
import mbplugin_ellipsoid
import mbplugin_spheres
import pytest
from headless import Runs

from mbplugin.hooks.load import load_plugins
from mbplugin.hooks.registry import Registry


@pytest.fixture(scope="session")
def registry() -> Registry:
    examples = [mbplugin_spheres, mbplugin_ellipsoid]
    third_parties = [("foreign_kinds", foreign_kinds), *((module.__name__, module) for module in examples)]
    return load_plugins(extra=third_parties)[0]


@pytest.fixture(scope="session")
def runs(registry: Registry) -> Runs:
    return Runs(registry)
