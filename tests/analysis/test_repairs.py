"""Tried repairs are what the literature proposes, and a repair that is said to keep the motion keeps it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mbplugin as mb
from mbplugin.analysis.redundancy import redundancy
from mbplugin.analysis.repair_words import repair_table
from mbplugin.analysis.repairs import repairs
from mbplugin.errors import SceneError
from mbplugin.run.prepare import prepare

SCENES = Path(__file__).parents[2] / "scenes"


def tried(name: str, registry) -> list:
    system = mb.System.from_file(SCENES / name)
    problem = prepare(system, registry).problem
    return repairs(problem, system, redundancy(problem, system), registry)


def test_a_point_on_a_line_repairs_a_four_bar(registry):
    """Autodesk, module 4: the hinge C becomes a point on a line, 2 rows, no redundancy, mobility 1."""
    best = tried("four_bar_hinges", registry)[0]
    assert (best.joint, best.type, best.axis, best.rows, best.redundancy, best.mobility, best.same_motion) == ("C", "point_on_line", "", 2, 0, 1, True)


def test_repairs_that_change_the_motion_are_told(registry):
    found = {(r.joint, r.type, r.axis): r for r in tried("four_bar_hinges", registry)}
    # without a hinge the bars are an open chain of three
    assert (found["C", "", ""].mobility, found["C", "", ""].same_motion) == (3, False)
    # a line across the axis lets the loop slide open
    assert (found["C", "point_on_line", "x"].mobility, found["C", "point_on_line", "x"].same_motion) == (2, False)
    # a ball takes three rows: of the loop's plane two, and one across it
    assert (found["C", "ball", ""].redundancy, found["C", "ball", ""].same_motion) == (1, True)


def test_a_door_hangs_on_one_hinge(registry):
    best = tried("door_and_handle", registry)[0]
    assert (best.joint, best.type, best.redundancy, best.same_motion) == ("hinge_low", "", 0, True)


def test_a_rod_without_length_is_not_proposed(registry):
    assert "rod" not in {r.type for r in tried("door_and_handle", registry)}


def test_the_problem_is_as_before(registry):
    system = mb.System.from_file(SCENES / "four_bar_hinges")
    problem = prepare(system, registry).problem
    q, v, G = problem.q, problem.v, problem.jacobian()
    repairs(problem, system, redundancy(problem, system), registry)
    assert np.array_equal(problem.q, q) and np.array_equal(problem.v, v) and np.array_equal(problem.jacobian(), G)


def test_a_driven_mechanism_is_repaired_like_a_free_one(registry):
    text = (SCENES / "four_bar_hinges" / "scene.toml").read_text().replace("start = { speed = 12.0 }", "") + '[[motion]]\njoint = "A"\nangle_velocity = 12.0\n'
    system = mb.System.from_text(text)
    problem = prepare(system, registry).problem
    found = redundancy(problem, system)
    assert (found.nc, found.mobility, found.redundancy) == (21, 0, 3)
    best = repairs(problem, system, found, registry)[0]
    assert (best.joint, best.type, best.redundancy, best.mobility, best.same_motion) == ("C", "point_on_line", 0, 0, True)


def test_the_words_say_what_to_write(registry):
    text = repair_table(tried("four_bar_hinges", registry), 3)
    assert text.startswith('Proposed: give "C" the type "point_on_line"; the motion stays the same, no row is redundant any more.\nTried (now 3 redundant):\n')
    assert repair_table([], 0) == "Nothing to repair: no row is redundant."


def test_large_models_are_refused_by_name(registry, monkeypatch):
    import mbplugin.analysis.repairs as module

    monkeypatch.setattr(module, "LARGEST", 10)
    with pytest.raises(SceneError, match="up to 10 rows"):
        tried("four_bar_hinges", registry)
