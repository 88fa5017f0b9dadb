"""Which rows are redundant, and what holds them already: counts from the literature, dependencies derived by
hand.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from headless import show

import mbplugin as mb
from mbplugin.analysis.rank import rank as rank_module
from mbplugin.analysis.redundancy.redundancy import redundancy
from mbplugin.analysis.redundancy.undetermined import undetermined_components, warning
from mbplugin.run.prepare import prepare
from mbplugin.tables.groups import State

SCENES = Path(__file__).parents[2] / "scenes"


def scene(name: str, **changes: object) -> mb.System:
    return mb.System.from_file(
        SCENES / name, {key.replace("__", "."): value for key, value in changes.items()}
    )


def counts(found) -> tuple[int, ...]:
    return found.nq, found.nc, found.rank, found.mobility, found.redundancy, found.gruebler


def told(found) -> dict[str, dict[str, float]]:
    """Redundant row -> the rows that hold it, each with its coefficient."""
    return {str(r.held): {str(t.held): t.coefficient for t in r.terms} for r in found.redundant}


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("door_and_handle", (12, 16, 11, 1, 5, -4)),  # Ansys Motion theory
        ("four_bar_hinges", (18, 20, 17, 1, 3, -2)),  # Autodesk, module 4
        ("four_bar_point_line", (18, 17, 17, 1, 0, 1)),
        ("three_link_plate", (3, 3, 2, 1, 1, 0)),
    ],
)
def test_counts_are_the_published_ones(name, wanted):
    assert counts(scene(name).check()) == wanted


def test_the_lower_hinge_of_a_door_is_held_by_the_upper_one():
    """The hinges are 1.6 m apart: u_low = u_top + ω × (0, 0, −1.6), so x takes −1.6 ω_y with it, and y 1.6
    ω_x.
    """
    found = told(scene("door_and_handle").check())
    wanted = {
        "hinge_low: translation along x": {
            "hinge_top: translation along x": 1.0,
            "hinge_top: rotation about y": -1.6,
        },
        "hinge_low: translation along y": {
            "hinge_top: translation along y": 1.0,
            "hinge_top: rotation about x": 1.6,
        },
        "hinge_low: translation along z": {"hinge_top: translation along z": 1.0},
        "hinge_low: rotation about x": {"hinge_top: rotation about x": 1.0},
        "hinge_low: rotation about y": {"hinge_top: rotation about y": 1.0},
    }
    assert set(found) == set(wanted)
    for row, terms in wanted.items():
        assert found[row] == pytest.approx(terms, abs=1e-12)


def test_joints_of_higher_priority_keep_their_rows():
    system = scene("door_and_handle")
    text = system.to_toml().replace('name = "hinge_low"', 'name = "hinge_low"\npriority = 1')
    found = mb.System.from_text(text).check()
    assert found.joints == ["hinge_top"] and found.redundancy == 5


def test_the_row_of_a_fourth_hinge_that_is_left_is_in_its_plane():
    """Four parallel axes: the last hinge holds only the two translations across them; one along, and two
    rotations, are held already.
    """
    found = scene("four_bar_hinges").check()
    assert [str(r.held) for r in found.redundant] == [
        "C: translation along z",
        "C: rotation about x",
        "C: rotation about y",
    ]
    step = {s.name: (s.rows, s.independent, s.redundant) for s in found.steps}
    assert step == {"A": (5, 5, 0), "B": (5, 5, 0), "D": (5, 5, 0), "C": (5, 2, 3)}
    for r in found.redundant:
        assert {t.held.owner for t in r.terms} == {"A", "B", "D"}


def test_the_third_parallel_link_is_minus_the_first_and_twice_the_second_along_the_whole_motion(runs):
    system = scene("three_link_plate")
    prepared = runs.prepare(system.to_toml())
    integrator = prepared.start(3.0)
    for t in np.linspace(0.0, 3.0, 13):
        show(integrator, 3.0, float(t))
        found = redundancy(prepared.problem, system)
        assert found.rank == 2
        (third,) = found.redundant
        assert [term.held.owner for term in third.terms] == ["link_A", "link_B"]
        assert [term.coefficient for term in third.terms] == pytest.approx([-1.0, 2.0], abs=1e-7)
    assert abs(prepared.problem[State].time[0] - 3.0) < 1e-12


@pytest.mark.parametrize("name", ["door_and_handle", "four_bar_hinges", "four_bar_n2", "three_link_plate"])
def test_every_told_dependency_holds_for_all_motions(runs, name):
    """g_r v = Σ c g_j v for random velocities, with directions computed from the twists of the bodies, not
    from the rows.
    """
    prepared = runs.prepare(scene(name).to_toml())
    problem = prepared.problem
    found = redundancy(problem, scene(name))
    G = problem.jacobian()
    T = found.directions.to_joint_axes(np.eye(problem.nc))  # T⁻ᵀ
    held = np.linalg.inv(T).T @ G
    for r in found.redundant:
        by_others = sum(
            (t.coefficient * held[found.directions.held.index(t.held)] for t in r.terms), np.zeros(problem.nv)
        )
        assert np.abs(held[r.row] - by_others).max() < 1e-9


def test_both_ways_to_the_rank_tell_the_same(monkeypatch):
    by_values = told(scene("four_bar_n2").check())
    monkeypatch.setattr(rank_module, "MAX_DENSE_ROWS", 0)
    by_factor = told(scene("four_bar_n2").check())
    assert set(by_values) == set(by_factor) and len(by_values) == 6
    for row, terms in by_values.items():
        assert by_factor[row] == pytest.approx(terms, abs=1e-6)


def test_what_every_joint_adds_sums_up_to_the_rank():
    found = scene("door_and_handle").check()
    assert [(s.name, s.rows, s.independent, s.rank, s.mobility) for s in found.steps] == [
        ("hinge_top", 5, 5, 5, 7),
        ("hinge_low", 5, 0, 5, 7),
        ("screws", 6, 6, 11, 1),
    ]


def test_a_report_is_one_json_document():
    found = json.loads(json.dumps(scene("door_and_handle").check().as_dict()))
    assert (found["nq"], found["nc"], found["rank"], found["mobility"], found["redundancy"]) == (
        12,
        16,
        11,
        1,
        5,
    )
    assert found["redundant"][2]["held_by"] == [
        {"joint": "hinge_top", "direction": "translation along z", "coefficient": pytest.approx(1.0)}
    ]
    assert [r["state"] for r in found["reactions"]] == ["shared"] * 10 + ["determined"] * 6


def ladder(loops: int) -> str:
    """`loops` four-bars side by side, 3 loops + 1 joints of 5 rows, each loop with 3 redundant ones."""
    hinge = '[[joint]]\nname = "{0}"\ntype = "revolute"\na = "{1}"\nb = "{2}"\nat = [{3}, {4}, 0]\naxis = [0, 0, 1]\n'
    body = '[[body]]\nname = "{0}"\nmass = 1\ninertia = [0.1, 0.1, 0.1]\nposition = [{1}, {2}, 0]\n'
    text = ""
    for i in range(loops + 1):
        text += body.format(f"rod_{i}", i, 0.5) + hinge.format(f"A_{i}", "ground", f"rod_{i}", i, 0)
    for i in range(loops):
        text += body.format(f"coupler_{i}", i + 0.5, 1)
        text += "".join(hinge.format(f"B_{i}_{k}", f"rod_{i + k}", f"coupler_{i}", i + k, 1) for k in (0, 1))
    return text + "[solver]\nend = 1\n"


def test_five_hundred_joints_are_counted_by_loops(registry):
    """166 four-bars: 499 hinges, 2495 rows. Three rows of each loop are redundant, and one degree of freedom
    is left.
    """
    system = mb.System.from_text(ladder(166))
    problem = prepare(system, registry).problem
    found = redundancy(problem, system)
    assert (found.nc, found.redundancy, found.mobility) == (2495, 498, 1)
    # each loop is closed by its second coupler hinge
    assert found.joints == [f"B_{i}_1" for i in range(166)]


def test_a_long_chain_of_doubled_hinges_is_counted_right(registry):
    """Soft motions of a long chain do not hide a redundant row: every second hinge of 200 is doubled, 5 rows
    each.
    """
    text = ""
    for i in range(200):
        text += (
            f'[[body]]\nname = "b{i}"\nmass = 1\ninertia = [0.1, 0.1, 0.1]\nposition = [{i + 0.5}, 0, 0]\n'
        )
        for k in range(1 + i % 2):
            text += f'[[joint]]\nname = "j{i}_{k}"\ntype = "revolute"\na = "{f"b{i - 1}" if i else "ground"}"\nb = "b{i}"\nat = [{i}, 0, {k}]\naxis = [0, 0, 1]\n'
    system = mb.System.from_text(text + "[solver]\nend = 1\n")
    found = redundancy(prepare(system, registry).problem, system)
    assert (found.nc, found.rank, found.mobility) == (1500, 1000, 200)
    assert found.joints == [f"j{i}_1" for i in range(1, 200, 2)]


def test_what_is_shared_turns_with_the_links(runs):
    """Three upright links pull along y alone, so y is shared and x is zero whatever the shares; when they
    lean, x is shared as well.
    """
    text = (
        scene("three_link_plate")
        .to_toml()
        .replace("position = [0.8, -0.6, 0.0]", "position = [0.0, -1.0, 0.0]\nvelocity = [1.0, 0.0, 0.0]")
    )
    assert "velocity" in text
    upright, leaning = runs.frames(text, [0.0, 0.2])
    names = [list(frame["joints/determined"][0][:3]) for frame in (upright, leaning)]
    assert names == [[2, 1, 2], [1, 1, 2]]


def test_directions_are_the_joints_own_ones():
    """Two hinges 1.5 m apart on an axis that is askew: the same words and numbers as for an upright one, with
    1.5 in the place of 1.6.
    """
    hinge = '[[joint]]\nname = "{}"\ntype = "revolute"\na = "ground"\nb = "door"\nat = {}\naxis = [1, 2, 2]\n'
    text = '[[body]]\nname = "door"\nmass = 2\ninertia = [1, 1.2, 0.9]\nposition = [0.3, 0.1, 0.7]\n'
    found = mb.System.from_text(
        text + hinge.format("top", [0, 0, 0]) + hinge.format("low", [-0.5, -1, -1]) + "[solver]\nend = 1\n"
    ).check()
    wanted = {
        "low: translation along x": {"top: translation along x": 1.0, "top: rotation about y": -1.5},
        "low: translation along y": {"top: translation along y": 1.0, "top: rotation about x": 1.5},
        "low: translation along z": {"top: translation along z": 1.0},
        "low: rotation about x": {"top: rotation about x": 1.0},
        "low: rotation about y": {"top: rotation about y": 1.0},
    }
    assert set(told(found)) == set(wanted)
    for row, terms in wanted.items():
        assert told(found)[row] == pytest.approx(terms, abs=1e-12)


def test_reactions_that_nothing_should_go_by_are_listed(registry):
    """Of a door: five components of each hinge, none of the screws; of a door on one hinge none at all."""
    system = scene("door_and_handle")
    problem = prepare(system, registry).problem
    found = undetermined_components(problem, system)
    assert [r.held.owner for r in found] == ["hinge_top"] * 5 + ["hinge_low"] * 5
    assert undetermined_components(problem, system, "screws") == [] and warning([], "friction") == ""
    told = warning(undetermined_components(problem, system, "hinge_low"), 'friction in "hinge_low"')
    assert (
        told.startswith(
            'friction in "hinge_low" goes by a reaction that rigid bodies do not determine: hinge_low: force along x (shared), '
        )
        and "--repairs" in told
    )
