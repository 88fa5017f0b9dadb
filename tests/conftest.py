"""Plugins loaded once, and systems run without files."""

from __future__ import annotations

import os

import pytest
from headless import Runs

from mbplugin.hooks.load import load_plugins
from mbplugin.hooks.registry import Registry

# each worker compiles what no other one does, and waits for the others: no further processes
os.environ.setdefault("MBPLUGIN_PROCESSES", "1")


@pytest.fixture(scope="session")
def registry() -> Registry:
    found, plugins = load_plugins()
    assert {p.name for p in plugins} >= {
        "mbplugin_bodies",
        "mbplugin_joints",
        "mbplugin_forces",
        "mbplugin_lagrange",
    }
    return found


@pytest.fixture(scope="session")
def runs(registry: Registry) -> Runs:
    return Runs(registry)
