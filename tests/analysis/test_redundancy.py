"""Redundant rows: counts from the literature, dependencies derived by hand."""

from __future__ import annotations

import json

import numpy as np
import pytest
from headless import show
from refusals import has
from scene_text import SCENES, body, changed, hinge, solver, with_keys
from snapshots import same_message

import mbplugin as mb
from mbplugin.analysis.rank import rank as rank_module
from mbplugin.analysis.redundancy.redundancy import redundancy
from mbplugin.analysis.redundancy.undetermined import undetermined_components, warning
from mbplugin.run.prepare import prepare
from mbplugin.tables.groups import State


def scene(name: str) -> mb.System:
    return mb.System.from_file(SCENES / name)


def counts(report) -> tuple[int, ...]:
    return report.nq, report.nc, report.rank, report.mobility, report.redundancy, report.gruebler


def dependencies(report) -> dict[str, dict[str, float]]:
    """Redundant row -> the rows that it depends on, each with its coefficient."""
    return {str(r.held): {str(t.held): t.coefficient for t in r.terms} for r in report.redundant}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("door_and_handle", (12, 16, 11, 1, 5, -4)),  # Ansys Motion theory
        ("four_bar_hinges", (18, 20, 17, 1, 3, -2)),  # Autodesk, module 4
        ("four_bar_point_line", (18, 17, 17, 1, 0, 1)),
        ("three_link_plate", (3, 3, 2, 1, 1, 0)),
    ],
)
def test_counts_are_the_published_ones(name, expected):
    assert counts(scene(name).check()) == expected


def assert_dependencies(report, expected: dict[str, dict[str, float]]) -> None:
    rows = dependencies(report)
    assert set(rows) == set(expected)
    for row, terms in expected.items():
        assert rows[row] == pytest.approx(terms, abs=1e-12)


def of_two_hinges(top: str, low: str, distance: float) -> dict[str, dict[str, float]]:
    """Dependencies of a hinge on another, this far above it: u_low = u_top + ω × (0, 0, −distance)."""
    return {
        f"{low}: translation along x": {
            f"{top}: translation along x": 1.0,
            f"{top}: rotation about y": -distance,
        },
        f"{low}: translation along y": {
            f"{top}: translation along y": 1.0,
            f"{top}: rotation about x": distance,
        },
        f"{low}: translation along z": {f"{top}: translation along z": 1.0},
        f"{low}: rotation about x": {f"{top}: rotation about x": 1.0},
        f"{low}: rotation about y": {f"{top}: rotation about y": 1.0},
    }


def test_the_lower_hinge_of_a_door_depends_on_the_upper_one():
    """The hinges are 1.6 m apart: u_low = u_top + ω × (0, 0, −1.6) = u_top + (−1.6 ω_y, 1.6 ω_x, 0)."""
    assert_dependencies(scene("door_and_handle").check(), of_two_hinges("hinge_top", "hinge_low", 1.6))


def test_joints_of_higher_priority_keep_their_rows():
    text = with_keys(scene("door_and_handle").to_toml(), "hinge_low", priority=1)
    report = mb.System.from_text(text).check()
    assert report.joints == ["hinge_top"] and report.redundancy == 5


def test_a_fourth_hinge_adds_only_the_rows_in_its_plane():
    """Four parallel axes: the last hinge adds two translations across them; its other rows are redundant."""
    report = scene("four_bar_hinges").check()
    assert [str(r.held) for r in report.redundant] == [
        "C: translation along z",
        "C: rotation about x",
        "C: rotation about y",
    ]
    step = {s.name: (s.rows, s.independent, s.redundant) for s in report.steps}
    assert step == {"A": (5, 5, 0), "B": (5, 5, 0), "D": (5, 5, 0), "C": (5, 2, 3)}
    for r in report.redundant:
        assert {t.held.owner for t in r.terms} == {"A", "B", "D"}


def test_the_third_parallel_link_is_minus_the_first_and_twice_the_second_along_the_whole_motion(runs):
    system = scene("three_link_plate")
    prepared = runs.prepare(system.to_toml())
    integrator = prepared.start(3.0)
    for t in np.linspace(0.0, 3.0, 13):
        show(integrator, 3.0, float(t))
        report = redundancy(prepared.problem, system)
        assert report.rank == 2
        (third,) = report.redundant
        assert [term.held.owner for term in third.terms] == ["link_A", "link_B"]
        assert [term.coefficient for term in third.terms] == pytest.approx([-1.0, 2.0], abs=1e-7)
    assert abs(prepared.problem[State].time[0] - 3.0) < 1e-12


@pytest.mark.parametrize("name", ["door_and_handle", "four_bar_hinges", "four_bar_n2", "three_link_plate"])
def test_every_reported_dependency_holds_for_all_motions(runs, name):
    """g_r = Σ c g_j, with the rows of G transformed to the axes of the joints."""
    prepared = runs.prepare(scene(name).to_toml())
    problem = prepared.problem
    report = redundancy(problem, scene(name))
    to_axes = report.directions.to_joint_axes(np.eye(problem.nc))  # T⁻ᵀ
    G = np.linalg.inv(to_axes).T @ problem.jacobian()
    for r in report.redundant:
        combination = np.zeros(problem.nv)
        for t in r.terms:
            combination += t.coefficient * G[report.directions.held.index(t.held)]
        assert np.abs(G[r.row] - combination).max() < 1e-9


def test_singular_values_and_the_factor_give_the_same_dependencies(monkeypatch):
    by_values = dependencies(scene("four_bar_n2").check())
    monkeypatch.setattr(rank_module, "MAX_DENSE_ROWS", 0)
    by_factor = dependencies(scene("four_bar_n2").check())
    assert set(by_values) == set(by_factor) and len(by_values) == 6
    for row, terms in by_values.items():
        assert by_factor[row] == pytest.approx(terms, abs=1e-6)


def test_the_rows_that_every_joint_adds_sum_up_to_the_rank():
    report = scene("door_and_handle").check()
    assert [(s.name, s.rows, s.independent, s.rank, s.mobility) for s in report.steps] == [
        ("hinge_top", 5, 5, 5, 7),
        ("hinge_low", 5, 0, 5, 7),
        ("screws", 6, 6, 11, 1),
    ]


def test_a_report_is_one_json_document():
    document = json.loads(json.dumps(scene("door_and_handle").check().as_dict()))
    keys = ("nq", "nc", "rank", "mobility", "redundancy")
    assert [document[key] for key in keys] == [12, 16, 11, 1, 5]
    assert document["redundant"][2]["held_by"] == [
        {"joint": "hinge_top", "direction": "translation along z", "coefficient": pytest.approx(1.0)}
    ]
    assert [r["state"] for r in document["reactions"]] == ["shared"] * 10 + ["determined"] * 6


def ladder(loops: int) -> str:
    """`loops` four-bars side by side, 3 loops + 1 joints of 5 rows, each loop with 3 redundant ones."""
    bar = lambda name, x, y: body(name, mass=1, inertia=[0.1, 0.1, 0.1], position=[x, y, 0])
    text = ""
    for i in range(loops + 1):
        text += bar(f"rod_{i}", i, 0.5) + hinge(f"A_{i}", "ground", f"rod_{i}", at=[i, 0, 0])
    for i in range(loops):
        text += bar(f"coupler_{i}", i + 0.5, 1)
        for k in (0, 1):
            text += hinge(f"B_{i}_{k}", f"rod_{i + k}", f"coupler_{i}", at=[i + k, 1, 0])
    return text + solver(end=1)


@pytest.mark.parametrize("loops", [60, pytest.param(166, marks=pytest.mark.slow)])
def test_hundreds_of_joints_are_counted_by_loops(registry, loops):
    """Four-bars in a row, 166 of them with 499 hinges: three redundant rows in each loop, mobility 1."""
    system = mb.System.from_text(ladder(loops))
    problem = prepare(system, registry).problem
    report = redundancy(problem, system)
    assert (report.nc, report.redundancy, report.mobility) == (15 * loops + 5, 3 * loops, 1)
    # the second coupler hinge closes each loop
    assert report.joints == [f"B_{i}_1" for i in range(loops)]


@pytest.mark.parametrize("links", [80, pytest.param(200, marks=pytest.mark.slow)])
def test_a_long_chain_of_doubled_hinges_is_counted_right(registry, links):
    """Soft motions of a long chain do not hide redundant rows: every second hinge is doubled."""
    text = ""
    for i in range(links):
        text += body(f"b{i}", mass=1, inertia=[0.1, 0.1, 0.1], position=[i + 0.5, 0, 0])
        for k in range(1 + i % 2):
            text += hinge(f"j{i}_{k}", f"b{i - 1}" if i else "ground", f"b{i}", at=[i, 0, k])
    system = mb.System.from_text(text + solver(end=1))
    report = redundancy(prepare(system, registry).problem, system)
    assert (report.nc, report.rank, report.mobility) == (15 * links // 2, 5 * links, links)
    assert report.joints == [f"j{i}_1" for i in range(1, links, 2)]


def test_the_shared_components_change_as_the_links_turn(runs):
    """Vertical links carry no force along x, however they share y; once they lean, x is shared as well."""
    at_rest, moving = "position = [0.8, -0.6, 0.0]", "position = [0.0, -1.0, 0.0]\nvelocity = [1.0, 0.0, 0.0]"
    text = changed(scene("three_link_plate").to_toml(), at_rest, moving)
    upright, leaning = runs.frames(text, [0.0, 0.2])
    flags = [list(frame["joints/determined"][0][:3]) for frame in (upright, leaning)]
    assert flags == [[2, 1, 2], [1, 1, 2]]


@pytest.mark.parametrize("name", ["door_and_handle", "four_bar_hinges", "four_bar_n2", "three_link_plate"])
def test_redundant_rows_that_carry_nothing_carry_exactly_nothing(name):
    report = scene(name).check()
    lam = np.random.default_rng(0).standard_normal(len(report.form))
    _, without_redundant = report.carried(lam)
    assert len(report.columns) and (without_redundant[report.columns] == 0.0).all()
    assert (report.form[report.columns] == np.eye(len(report.columns))).all()


def test_directions_are_in_the_axes_of_the_joint():
    """Two hinges 1.5 m apart on an oblique axis: the same directions as for a vertical one."""
    text = body("door", mass=2, inertia=[1, 1.2, 0.9], position=[0.3, 0.1, 0.7])
    for name, at in (("top", [0, 0, 0]), ("low", [-0.5, -1, -1])):
        text += hinge(name, "ground", "door", at=at, axis=[1, 2, 2])
    assert_dependencies(mb.System.from_text(text + solver(end=1)).check(), of_two_hinges("top", "low", 1.5))


def test_undetermined_components_are_listed(registry):
    """Of a door: five components of each hinge, none of the screws."""
    system = scene("door_and_handle")
    problem = prepare(system, registry).problem
    components = undetermined_components(problem, system)
    assert [r.held.owner for r in components] == ["hinge_top"] * 5 + ["hinge_low"] * 5
    assert undetermined_components(problem, system, "screws") == [] and warning([], "friction") == ""
    text = warning(undetermined_components(problem, system, "hinge_low"), 'friction in "hinge_low"')
    assert has(text, '"hinge_low"', "--repairs")
    same_message(text)
