"""What is evaluated before a run, such as conditions at t = 0, writes into its own tables only."""

from __future__ import annotations

import numpy as np
import pytest
from scene_text import body, force, solver, with_keys, world

from mbplugin.compile import compile_system
from mbplugin.model import System
from mbplugin.tables.groups import Batches, Blocks, Bodies, Elements, Markers

#: groups whose records stay as they were assembled
FIXED = (Batches, Bodies, Blocks, Elements, Markers)


@pytest.mark.parametrize("condition", ["time < 0.1", "time > 0.1"])
def test_records_stay_as_they_were_assembled(runs, registry, condition):
    text = world() + "".join(body(f"ball{k}", mass=1.0, inertia=[0.1, 0.2, 0.3]) for k in range(4))
    text += with_keys(force("ball1", "push", x=1.0), "push", active=condition) + solver(end=1.0)
    fresh = compile_system(System.from_text(text), registry)
    prepared = runs.prepare(text).problem
    for group in FIXED:
        np.testing.assert_array_equal(prepared[group].index.tolist(), fresh[group].index.tolist())
