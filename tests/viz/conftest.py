"""Results to draw, and whether this machine can."""

from __future__ import annotations

from pathlib import Path

import pytest

import mbplugin as mb

SCENES = Path(__file__).parents[2] / "scenes"


@pytest.fixture(scope="session")
def results(tmp_path_factory):
    """name -> Result of a short run of that scene."""
    kept = {}

    def of(name: str, end: float | None = None) -> mb.Result:
        if name not in kept:
            folder = tmp_path_factory.mktemp(name)
            kept[name] = mb.System.from_file(
                SCENES / name, {"output.frames": 12, "output.series": "false"}
            ).run(folder, end=end)
        return kept[name]

    return of
