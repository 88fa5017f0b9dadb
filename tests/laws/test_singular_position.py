"""Through a singular position: two four-bars that lie flat ten times in ten seconds (IFToMM A02, N = 2)."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import mbplugin as mb

SCENE = Path(__file__).parents[2] / "scenes" / "four_bar_n2"
ROWS = json.loads((SCENE / "table.json").read_text())["rows"]


def largest_error(settings: dict[str, object]) -> tuple[float, list[tuple[float, str, str]]]:
    """Largest distance of B0 from the table [m], and what the solver had to say."""
    system = mb.System.from_file(
        SCENE / "scene.toml", {f"solver.{key}": value for key, value in settings.items()}
    )
    sim = system.simulate()
    worst = 0.0
    for row in ROWS:
        sim.step(row["t"] - sim.time)
        B0 = 2.0 * np.asarray(sim["rod_0"].position)[:2]
        worst = max(worst, float(np.hypot(B0[0] - row["B0x"], B0[1] - row["B0y"])))
    return worst, sim.messages


@pytest.mark.parametrize(
    ("settings", "bound"),
    [
        ({"tolerance": 1e-6}, 1e-4),
        ({"tolerance": 1e-8}, 1e-6),
        ({"tolerance": 1e-11}, 2e-7),
        ({"integrator": "dop853", "tolerance": 1e-10}, 2e-7),
        ({"integrator": "rk4", "step": 0.002}, 1e-5),
        ({"method": "kkt", "tolerance": 1e-8}, 1e-6),
    ],
    ids=str,
)
def test_smooth_motion_through_singular_positions(settings, bound):
    worst, messages = largest_error(settings)
    assert worst < bound
    assert [text for _, level, text in messages if level != "info"] == []
