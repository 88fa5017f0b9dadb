"""Tried repairs are what the literature proposes, and a repair that is said to keep the motion keeps it."""

from __future__ import annotations

from scene_text import body, joint, motion, solver
import re
from pathlib import Path

import numpy as np
import pytest

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


def test_repairs_that_change_the_motion_are_told(registry):
    found = {(r.joint, r.type, r.axis): r for r in tried("four_bar_hinges", registry)}
    # without a hinge the bars are an open chain of three
    assert (found["C", "", ""].mobility, found["C", "", ""].same_motion) == (3, False)
    # a line across the axis lets the loop slide open
    assert (found["C", "point_on_line", "x"].mobility, found["C", "point_on_line", "x"].same_motion) == (
        2,
        False,
    )
    # a ball takes three rows: of the loop's plane two, and one across it
    assert (found["C", "ball", ""].redundancy, found["C", "ball", ""].same_motion) == (1, True)


def test_a_door_hangs_on_one_hinge(registry):
    best = tried("door_and_handle", registry)[0]
    assert (best.joint, best.type, best.redundancy, best.same_motion) == ("hinge_low", "", 0, True)


def test_joints_that_hold_the_same_may_share_by_stiffness(registry):
    """Held by penalty, both hinges of a door are no redundant rows any more; that comes after what holds
    exactly, and before what changes the motion.
    """
    found = tried("door_and_handle", registry)
    (place,) = [k for k, r in enumerate(found) if r.enforce]
    soft = found[place]
    assert (soft.joint, soft.enforce, soft.rows, soft.redundancy, soft.mobility, soft.same_motion) == (
        "hinge_top, hinge_low",
        "penalty",
        10,
        0,
        1,
        True,
    )
    assert all(r.same_motion for r in found[:place]) and not any(r.same_motion for r in found[place + 1 :])
    text = repair_table(found, 5)
    assert (
        "hinge_top, hinge_low: revolute -> held by penalty" in text
        and "loads are shared by stiffness" in text
    )
    assert 'write `enforce = "penalty"` in the table of hinge_top and hinge_low each' in text
    # 6 rows of the screws stay; of two bodies' 12 freedoms 6 are left, one of them the turning of the door
    assert (soft.left, soft.stiff) == (
        6,
        5,
    ) and "10 rows become springs; 6 rows left, 0 redundant; 1 freedom and 5 stiff ones" in text


def test_what_the_table_says_of_springs_is_what_check_says_of_them():
    found = mb.System.from_file(SCENES / "door_with_penalty_hinge").check()
    assert (found.mobility, found.stiff) == (6, 5)
    assert "nq - rank = 6: 1 free and 5 stiff" in str(
        found
    ) and "come from their deviation: relaxed where nothing deviates, as a rule at t = 0." in str(found)


def test_both_hinges_of_a_door_stay_as_a_ball_and_a_point_on_a_line(registry):
    """3 rows and 2 rows: what one hinge holds. With the 6 rows of the screws 11, of rank 11, which the
    changed scene confirms.
    """
    found = tried("door_and_handle", registry)
    pairs = [r for r in found if "," in r.type]
    assert [(r.joint, r.type, r.rows, r.redundancy, r.mobility, r.same_motion) for r in pairs] == [
        ("hinge_top, hinge_low", "ball, point_on_line", 5, 0, 1, True),
        ("hinge_top, hinge_low", "cylindrical, point_on_plane", 5, 0, 1, True),
    ]
    assert (
        'To keep both: give "hinge_top" the type "ball" and give "hinge_low" the type "point_on_line"; the motion stays the same'
        in repair_table(found, 5)
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


def test_a_door_out_of_line_is_not_repaired_by_what_keeps_it_locked(registry):
    system = mb.System.from_text(
        (SCENES / "door_and_handle" / "scene.toml")
        .read_text()
        .replace("at = [0, 0, 0.2]", "at = [0.001, 0, 0.2]")
    )
    problem = prepare(system, registry).problem
    counted = redundancy(problem, system)
    found = repairs(problem, system, counted, registry)
    text = repair_table(found, counted.redundancy, counted)
    assert text.startswith(
        "First put in line what is nearly in line, as told above: as it is, nothing can move.\n"
        "Only if it is meant to be out of line: take a joint that holds less; these make the mobility 1"
    )
    assert (
        "hinge_low: revolute -> left out" in text
        and "motion stays the same" not in text
        and "mobility 0" not in text
    )


def test_a_condition_number_that_grows_is_told(registry):
    """The two scenes' own condition numbers: 92.2 with four hinges, 4511 with a point on a line."""
    system = mb.System.from_file(SCENES / "four_bar_hinges")
    problem = prepare(system, registry).problem
    counted = redundancy(problem, system)
    text = repair_table(repairs(problem, system, counted, registry), 3, counted)
    assert (
        "; the condition number of the independent rows grows from 92.2 to 4.51e+03." in text.splitlines()[0]
    )


def test_a_door_that_is_repaired_so_is_carried_half_by_each_hinge(registry, runs):
    """What the table says, done: with the doubled hinges held by penalty, half the weight each (the door is
    symmetric).
    """
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
    # stiffnesses of the scene in the place of automatic ones, which follow the loads; shaken, for they begin
    # unloaded
    frames = runs.frames(text, np.linspace(0.1, 0.6, 6))
    for frame in frames:
        low, top = frame["joints/force"][:, 2]
        assert low == pytest.approx(top, rel=1e-3)


def test_each_loop_of_equal_joints_is_a_group_of_its_own(registry):
    hinge = joint("{}", "revolute", "ground", "{}", at=[{}, 0, {}], axis=[0, 0, 1])
    body = body("{}", mass=2, inertia=[1, 1.2, 0.9], position=[{}, 0, 0])
    text = "".join(
        body.format(d, x + 0.4) + "".join(hinge.format(f"{d}{z}", d, x, z) for z in (0, 1))
        for d, x in (("left", 0), ("right", 2))
    )
    system = mb.System.from_text(text + solver(end=1))
    problem = prepare(system, registry).problem
    found = [r for r in repairs(problem, system, redundancy(problem, system), registry) if r.enforce]
    assert sorted((r.joint, r.redundancy, r.same_motion) for r in found) == [
        ("left0, left1", 5, True),
        ("right0, right1", 5, True),
    ]


def test_a_rod_without_length_is_not_proposed(registry):
    assert "rod" not in {r.type for r in tried("door_and_handle", registry)}


def test_the_problem_is_as_before(registry):
    system = mb.System.from_file(SCENES / "four_bar_hinges")
    problem = prepare(system, registry).problem
    q, v, G = problem.q, problem.v, problem.jacobian()
    repairs(problem, system, redundancy(problem, system), registry)
    assert (
        np.array_equal(problem.q, q)
        and np.array_equal(problem.v, v)
        and np.array_equal(problem.jacobian(), G)
    )


def test_a_driven_mechanism_is_repaired_like_a_free_one(registry):
    text = (SCENES / "four_bar_hinges" / "scene.toml").read_text().replace(
        "start = { speed = 12.0 }", ""
    ) + motion("A", angle_velocity=12.0)
    system = mb.System.from_text(text)
    problem = prepare(system, registry).problem
    found = redundancy(problem, system)
    assert (found.nc, found.mobility, found.redundancy) == (21, 0, 3)
    best = repairs(problem, system, found, registry)[0]
    assert (best.joint, best.type, best.redundancy, best.mobility, best.same_motion) == (
        "C",
        "point_on_line",
        0,
        0,
        True,
    )


def test_the_words_say_what_to_write(registry):
    text = repair_table(tried("four_bar_hinges", registry), 3)
    assert text.startswith(
        'Proposed: give "C" the type "point_on_line"; the motion stays the same, no row is redundant any more.\n'
    )
    assert "\n  C: revolute -> universal, axis = [1, 0, 0]  " in text
    # what changes the motion is a number, not a list
    assert "-> left out" not in text and re.search(
        r"^\d+ others keep the motion, \d+ others change the motion; --json lists all\.$", text, flags=re.M
    )
    assert repair_table([], 0) == "Nothing to repair: no row is redundant."


def test_large_models_are_refused_by_name(registry, monkeypatch):
    import mbplugin.analysis.redundancy.repairs as module

    monkeypatch.setattr(module, "LARGEST", 10)
    with pytest.raises(SceneError, match="up to 10 rows"):
        tried("four_bar_hinges", registry)
