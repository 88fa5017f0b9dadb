"""Proposed repairs are those of the literature, and a repair that is said to keep the motion keeps it."""

from __future__ import annotations

import re

import numpy as np
import pytest
from refusals import has, refused
from scene_text import SCENES, body, bundled, changed, hinge, motion, solver
from small import misaligned_door, system
from snapshots import same_report

import mbplugin as mb
import mbplugin.analysis.redundancy.repairs as module
from mbplugin.analysis.redundancy.redundancy import redundancy
from mbplugin.analysis.redundancy.repair_text import repair_table
from mbplugin.analysis.redundancy.repairs import repairs
from mbplugin.run.prepare import prepare

DOOR = bundled("door_and_handle")


def counted_and_tried(scene: mb.System, registry) -> tuple:
    """The redundancy of a scene, and its repairs, which leave the problem as it was."""
    problem = prepare(scene, registry).problem
    q, v, G = problem.q, problem.v, problem.jacobian()
    counted = redundancy(problem, scene)
    listed = repairs(problem, scene, counted, registry)
    assert np.array_equal(problem.q, q) and np.array_equal(problem.v, v)
    assert np.array_equal(problem.jacobian(), G)
    return counted, listed


#: by the name of a bundled scene
known: dict[str, tuple] = {}


def of_bundled(name: str, registry) -> tuple:
    """The redundancy of a bundled scene, and its repairs, computed once."""
    if name not in known:
        known[name] = counted_and_tried(mb.System.from_file(SCENES / name), registry)
    return known[name]


def tried(name: str, registry) -> list:
    """Repairs of a bundled scene."""
    return of_bundled(name, registry)[1]


def outcome(repair) -> tuple:
    """Rows, redundancy and mobility after a repair, and whether the motion stays the same."""
    return repair.rows, repair.redundancy, repair.mobility, repair.same_motion


def test_a_point_on_a_line_repairs_a_four_bar(registry):
    """Autodesk, module 4: the hinge C becomes a point on a line, 2 rows, no redundancy, mobility 1."""
    best = tried("four_bar_hinges", registry)[0]
    assert (best.joint, best.type, best.axis) == ("C", "point_on_line", "")
    assert outcome(best) == (2, 0, 1, True)


def test_repairs_that_change_the_motion_are_marked(registry):
    repair_of = {(r.joint, r.type, r.axis): r for r in tried("four_bar_hinges", registry)}
    # without the hinge the bars are an open chain of three
    removed = repair_of["C", "", ""]
    assert (removed.mobility, removed.same_motion) == (3, False)
    # a line across the axis lets the loop open
    across = repair_of["C", "point_on_line", "x"]
    assert (across.mobility, across.same_motion) == (2, False)
    # a ball has two rows in the plane of the loop, and one across it
    ball = repair_of["C", "ball", ""]
    assert (ball.redundancy, ball.same_motion) == (1, True)


def test_a_door_hangs_on_one_hinge(registry):
    best = tried("door_and_handle", registry)[0]
    assert (best.joint, best.type, best.redundancy, best.same_motion) == ("hinge_low", "", 0, True)


def test_redundant_joints_may_share_the_load_by_stiffness(registry):
    """Both hinges of a door as penalties: no redundant row; listed after the exact repairs."""
    listed = tried("door_and_handle", registry)
    (place,) = [k for k, r in enumerate(listed) if r.enforce]
    elastic = listed[place]
    assert (elastic.joint, elastic.enforce) == ("hinge_top, hinge_low", "penalty")
    assert outcome(elastic) == (10, 0, 1, True)
    assert all(r.same_motion for r in listed[:place]) and not any(r.same_motion for r in listed[place + 1 :])
    text = repair_table(listed, 5)
    assert has(text, "hinge_top", "hinge_low", "penalty")
    # the 6 rows of the screws stay; 6 of 12 degrees of freedom remain, one of them the rotation of the door
    assert (elastic.left, elastic.stiff) == (6, 5)
    same_report("repairs_elastic", text)


def test_check_counts_elastic_joints_as_the_table_of_repairs_does():
    report = mb.System.from_file(SCENES / "door_with_penalty_hinge").check()
    assert (report.mobility, report.stiff) == (6, 5)
    same_report("check_elastic", str(report))


def test_both_hinges_of_a_door_stay_as_a_ball_and_a_point_on_a_line(registry):
    """3 rows and 2 rows make one hinge: with the 6 rows of the screws 11, all independent."""
    listed = tried("door_and_handle", registry)
    pairs = [r for r in listed if "," in r.type]
    assert [(r.joint, r.type, outcome(r)) for r in pairs] == [
        ("hinge_top, hinge_low", "ball, point_on_line", (5, 0, 1, True)),
        ("hinge_top, hinge_low", "cylindrical, point_on_plane", (5, 0, 1, True)),
    ]
    assert (
        'To keep both joints: change "hinge_top" to type "ball" and "hinge_low" to type "point_on_line". '
        "The motion stays the same" in repair_table(listed, 5)
    )
    # a ball has no axis
    text = re.sub(r'(name = "hinge_top"\n.*?)"revolute"(.*?)axis = [^\n]*', r'\1"ball"\2', DOOR, flags=re.S)
    text = changed(
        text, 'name = "hinge_low"\ntype = "revolute"', 'name = "hinge_low"\ntype = "point_on_line"'
    )
    counted = system(text).check()
    assert (counted.nc, counted.rank, counted.mobility, counted.redundancy) == (11, 11, 1, 0)


def test_no_repair_of_a_misaligned_door_keeps_it_locked(registry):
    counted, listed = counted_and_tried(misaligned_door(0.001), registry)
    text = repair_table(listed, counted.redundancy, counted)
    assert "mobility 0" not in text
    same_report("repairs_misaligned", text)


def test_a_growing_condition_number_is_mentioned(registry):
    """Condition numbers of the two scenes: 92.2 with four hinges, 4511 with a point on a line."""
    counted, listed = of_bundled("four_bar_hinges", registry)
    first = repair_table(listed, 3, counted).splitlines()[0]
    assert has(first, "92.2", "4.51e+03")


def test_each_hinge_of_a_repaired_door_carries_half_the_weight(registry, runs):
    """With both hinges elastic, as the table proposes; the door is symmetric."""
    text = bundled("door_with_penalty_hinge")
    _, listed = counted_and_tried(system(re.sub(r"enforce = .*", "", text)), registry)
    best = next(r for r in listed if r.enforce)
    assert set(best.joint.split(", ")) == {"hinge_low", "hinge_top"}
    assert (best.redundancy, best.same_motion) == (0, True)
    # stiffnesses of the scene, as automatic ones depend on the load; frames after the unloaded start
    frames = runs.frames(text, np.linspace(0.1, 0.6, 6))
    for frame in frames:
        low, top = frame["joints/force"][:, 2]
        assert low == pytest.approx(top, rel=1e-3)


def test_independent_sets_of_redundant_joints_are_made_elastic_separately(registry, monkeypatch):
    monkeypatch.setattr(module, "joint_repairs", lambda *_: ())
    monkeypatch.setattr(module, "pair_repairs", lambda *_: ())
    text = ""
    for door, x in (("left", 0), ("right", 2)):
        text += body(door, mass=2, inertia=[1, 1.2, 0.9], position=[x + 0.4, 0, 0])
        for z in (0, 1):
            text += hinge(f"{door}{z}", "ground", door, at=[x, 0, z])
    _, listed = counted_and_tried(system(text + solver(end=1)), registry)
    elastic = [r for r in listed if r.enforce]
    assert sorted((r.joint, r.redundancy, r.same_motion) for r in elastic) == [
        ("left0, left1", 5, True),
        ("right0, right1", 5, True),
    ]


def test_a_rod_without_length_is_not_proposed(registry):
    assert "rod" not in {r.type for r in tried("door_and_handle", registry)}


def test_a_driven_mechanism_is_repaired_like_a_free_one(registry):
    text = changed(bundled("four_bar_hinges"), "start = { speed = 12.0 }", "")
    counts, (best, *_) = counted_and_tried(system(text + motion("A", angle_velocity=12.0)), registry)
    assert (counts.nc, counts.mobility, counts.redundancy) == (21, 0, 3)
    assert (best.joint, best.type) == ("C", "point_on_line")
    assert (best.redundancy, best.mobility, best.same_motion) == (0, 0, True)


def test_the_text_says_what_to_change(registry):
    text = repair_table(tried("four_bar_hinges", registry), 3)
    assert has(text, '"C"', '"point_on_line"')
    # repairs that change the motion are counted, not listed
    assert "removed" not in text
    same_report("repairs", f"{text}\n\n{repair_table([], 0)}")


def test_large_models_are_refused_by_name(registry, monkeypatch):
    monkeypatch.setattr(module, "MAX_ROWS", 10)
    with refused("--repairs", "21 rows"):
        counted_and_tried(mb.System.from_file(SCENES / "four_bar_hinges"), registry)
