"""Results to draw."""

from __future__ import annotations

import pytest
from scene_text import SCENES

import mbplugin as mb


@pytest.fixture(scope="session")
def results(tmp_path_factory):
    """name -> Result of a short run of that scene."""
    kept = {}

    def of(name: str, end: float | None = None) -> mb.Result:
        if (name, end) not in kept:
            folder = tmp_path_factory.mktemp(name)
            changes = {"output.frames": 12, "output.series": "false"}
            kept[name, end] = mb.System.from_file(SCENES / name, changes).run(folder, end=end)
        return kept[name, end]

    return of
