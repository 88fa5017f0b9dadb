"""Runs with the solver `contact`."""

from __future__ import annotations

import mbplugin_contact
import pytest
from headless import Runs
from offered import with_contact

from mbplugin import api
from mbplugin.hooks.load import load_plugins


@pytest.fixture(scope="session")
def runs() -> Runs:
    registry, _ = load_plugins()
    return (
        Runs(registry) if "contact" in registry.offers["solver"] else Runs.offering(contact=mbplugin_contact)
    )


@pytest.fixture
def offered(monkeypatch):
    """`contact` for what finds the installed plugins."""
    monkeypatch.setattr(api, "plugins", with_contact)
