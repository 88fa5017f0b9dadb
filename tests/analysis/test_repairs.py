"""The tried repairs are those of the literature, and a repair that claims to keep the motion keeps it."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from scene_text import body, joint, motion, solver

import mbplugin as mb
from mbplugin.analysis.redundancy.redundancy import redundancy
from mbplugin.analysis.redundancy.repair_text import repair_table
from mbplugin.analysis.redundancy.repairs import repairs
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
    assert (
        best.joint,
        best.type,
        best.axis,
        best.rows,
        best.redundancy,
        best.mobility,
        best.same_motion,
    ) == ("C", "point_on_line", "", 2, 0, 1, True)


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
    """Both hinges of a door as penalties: no redundant row; listed after exact repairs, before changed motions."""
    listed = tried("door_and_handle", registry)
    (place,) = [k for k, r in enumerate(listed) if r.enforce]
    elastic = listed[place]
    assert (
        elastic.joint,
        elastic.enforce,
        elastic.rows,
        elastic.redundancy,
        elastic.mobility,
        elastic.same_motion,
    ) == ("hinge_top, hinge_low", "penalty", 10, 0, 1, True)
    assert all(r.same_motion for r in listed[:place]) and not any(r.same_motion for r in listed[place + 1 :])
    text = repair_table(listed, 5)
    assert "hinge_top, hinge_low: revolute -> elastic (penalty)" in text
    assert 'set `enforce = "penalty"` on hinge_top and hinge_low.' in text
    assert "stiffness determines the load of each joint" in text
    # the 6 rows of the screws stay; 6 of 12 degrees of freedom remain, one of them the rotation of the door
    assert (elastic.left, elastic.stiff) == (6, 5)
    assert "10 rows become springs, 6 rows left, 0 redundant, 1 free and 5 elastic degrees of freedom" in text


def test_check_counts_elastic_joints_as_the_table_of_repairs_does():
    report = mb.System.from_file(SCENES / "door_with_penalty_hinge").check()
    assert (report.mobility, report.stiff) == (6, 5)
    assert "nq - rank = 6: 1 free, 5 restrained by elastic joints only" in str(report)
    assert "follow from deformation; they are zero until something deforms." in str(report)


def test_both_hinges_of_a_door_stay_as_a_ball_and_a_point_on_a_line(registry):
    """3 rows and 2 rows make one hinge: with the 6 rows of the screws 11, rank 11, as the changed scene has."""
    listed = tried("door_and_handle", registry)
    pairs = [r for r in listed if "," in r.type]
    assert [(r.joint, r.type, r.rows, r.redundancy, r.mobility, r.same_motion) for r in pairs] == [
        ("hinge_top, hinge_low", "ball, point_on_line", 5, 0, 1, True),
        ("hinge_top, hinge_low", "cylindrical, point_on_plane", 5, 0, 1, True),
    ]
    assert (
        'To keep both joints: change "hinge_top" to type "ball" and "hinge_low" to type "point_on_line". '
        "The motion stays the same" in repair_table(listed, 5)
    )
    top, low = ((SCENES / "door_and_handle" / "scene.toml").read_text()).split('name = "hinge_low"')
    head, hinge = top.split('name = "hinge_top"')
    text = 'name = "hinge_low"'.join(
        [
            f'{head}name = "hinge_top"{hinge.replace("revolute", "ball").replace("axis = [0, 0, 1]", "")}',
            low.replace("revolute", "point_on_line", 1),
        ]
    )
    counted = mb.System.from_text(text).check()
    assert (counted.nc, counted.rank, counted.mobility, counted.redundancy) == (11, 11, 1, 0)


def test_no_repair_of_a_misaligned_door_keeps_it_locked(registry):
    system = mb.System.from_text(
        (SCENES / "door_and_handle" / "scene.toml")
        .read_text()
        .replace("at = [0, 0, 0.2]", "at = [0.001, 0, 0.2]")
    )
    problem = prepare(system, registry).problem
    counted = redundancy(problem, system)
    listed = repairs(problem, system, counted, registry)
    text = repair_table(listed, counted.redundancy, counted)
    assert text.startswith(
        "Align the joints first, as listed above: the misalignment locks the mechanism.\n"
        "Only if the misalignment is intended, use a joint with fewer rows; these give mobility 1"
    )
    assert "hinge_low: revolute -> removed" in text
    assert "motion stays the same" not in text and "mobility 0" not in text


def test_a_growing_condition_number_is_mentioned(registry):
    """Condition numbers of the two scenes: 92.2 with four hinges, 4511 with a point on a line."""
    system = mb.System.from_file(SCENES / "four_bar_hinges")
    problem = prepare(system, registry).problem
    counted = redundancy(problem, system)
    text = repair_table(repairs(problem, system, counted, registry), 3, counted)
    assert (
        "; the condition number of the independent rows grows from 92.2 to 4.51e+03." in text.splitlines()[0]
    )


def test_each_hinge_of_a_repaired_door_carries_half_the_weight(registry, runs):
    """With both hinges elastic, as the table proposes; the door is symmetric."""
    text = (SCENES / "door_with_penalty_hinge" / "scene.toml").read_text()
    (rigid,) = {re.sub(r"enforce = .*", "", text)}
    system = mb.System.from_text(rigid)
    problem = prepare(system, registry).problem
    best = next(r for r in repairs(problem, system, redundancy(problem, system), registry) if r.enforce)
    assert (set(best.joint.split(", ")), best.redundancy, best.same_motion) == (
        {"hinge_low", "hinge_top"},
        0,
        True,
    )
    # stiffnesses of the scene, as automatic ones depend on the load; frames after the unloaded start
    frames = runs.frames(text, np.linspace(0.1, 0.6, 6))
    for frame in frames:
        low, top = frame["joints/force"][:, 2]
        assert low == pytest.approx(top, rel=1e-3)


def test_independent_sets_of_redundant_joints_are_made_elastic_separately(registry):
    text = ""
    for door, x in (("left", 0), ("right", 2)):
        text += body(door, mass=2, inertia=[1, 1.2, 0.9], position=[x + 0.4, 0, 0])
        for z in (0, 1):
            text += joint(f"{door}{z}", "revolute", "ground", door, at=[x, 0, z], axis=[0, 0, 1])
    system = mb.System.from_text(text + solver(end=1))
    problem = prepare(system, registry).problem
    elastic = [r for r in repairs(problem, system, redundancy(problem, system), registry) if r.enforce]
    assert sorted((r.joint, r.redundancy, r.same_motion) for r in elastic) == [
        ("left0, left1", 5, True),
        ("right0, right1", 5, True),
    ]


def test_a_rod_without_length_is_not_proposed(registry):
    assert "rod" not in {r.type for r in tried("door_and_handle", registry)}


def test_repairs_leave_the_problem_as_it_was(registry):
    system = mb.System.from_file(SCENES / "four_bar_hinges")
    problem = prepare(system, registry).problem
    q, v, G = problem.q, problem.v, problem.jacobian()
    repairs(problem, system, redundancy(problem, system), registry)
    assert np.array_equal(problem.q, q) and np.array_equal(problem.v, v)
    assert np.array_equal(problem.jacobian(), G)


def test_a_driven_mechanism_is_repaired_like_a_free_one(registry):
    text = (SCENES / "four_bar_hinges" / "scene.toml").read_text().replace(
        "start = { speed = 12.0 }", ""
    ) + motion("A", angle_velocity=12.0)
    system = mb.System.from_text(text)
    problem = prepare(system, registry).problem
    counts = redundancy(problem, system)
    assert (counts.nc, counts.mobility, counts.redundancy) == (21, 0, 3)
    best = repairs(problem, system, counts, registry)[0]
    assert (best.joint, best.type, best.redundancy, best.mobility, best.same_motion) == (
        "C",
        "point_on_line",
        0,
        0,
        True,
    )


def test_the_text_says_what_to_change(registry):
    text = repair_table(tried("four_bar_hinges", registry), 3)
    assert text.startswith(
        'Proposed: change "C" to type "point_on_line". The motion stays the same, no row is redundant.\n'
    )
    assert "\n  C: revolute -> universal, axis = [1, 0, 0]  " in text
    # repairs that change the motion are counted, not listed
    assert "-> removed" not in text and re.search(
        r"^Not listed: \d+ that keep the motion, \d+ that change the motion; --json lists all\.$",
        text,
        flags=re.M,
    )
    assert repair_table([], 0) == "Nothing to repair: no row is redundant."


def test_large_models_are_refused_by_name(registry, monkeypatch):
    import mbplugin.analysis.redundancy.repairs as module

    monkeypatch.setattr(module, "MAX_ROWS", 10)
    with pytest.raises(SceneError, match="up to 10 rows"):
        tried("four_bar_hinges", registry)
