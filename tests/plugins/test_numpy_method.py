"""A method in plain numpy, from a distribution of its own, takes the place of ours; what goes wrong in one is
told by its name.
"""

from __future__ import annotations

from pathlib import Path

import foreign_kinds.faulty
import foreign_kinds.methods
import mbplugin_least_constraint
import numpy as np
import pytest
from headless import Runs
from refusals import refused, stopped, time_in, warned
from scene_text import solver, table
from small_systems import pendulum

from mbplugin.errors import PluginError
from mbplugin.hooks.schema import scene_schema
from mbplugin.interface import hookimpl
from mbplugin.kernels import entries
from mbplugin.model import System

END = 0.5
TIMES = np.linspace(0, END, 6)
PENDULUM = pendulum("bob", mass=2)


LEAST = {"mbplugin_least_constraint": mbplugin_least_constraint}


@pytest.fixture(scope="module")
def runs():
    return Runs.offering(**LEAST, foreign_methods=foreign_kinds.methods)


def with_method(scene: str, method: str, end: float = END) -> str:
    return scene + solver(method=method, tolerance=1e-10, end=end)


def scene(name: str) -> str:
    system = System.from_file(Path(__file__).parents[2] / "scenes" / name)
    return system.to_toml().partition("[solver]")[0]


@pytest.mark.parametrize(
    ("name", "end"),
    [
        ("double_pendulum", END),
        ("four_bar_n2", END),
        pytest.param("heavy_top", 0.2, marks=pytest.mark.slow),
        pytest.param("piston_crank", 0.05, marks=pytest.mark.slow),
    ],
)
def test_it_moves_a_scene_as_constraint_force_does(runs, name, end):
    ours, numpy = (
        runs.frames(with_method(scene(name), method, end), end / END * TIMES)
        for method in ("constraint_force", "least_constraint")
    )
    for a, b in zip(ours, numpy):
        for key in (
            "bodies/position",
            "bodies/velocity",
            "bodies/acceleration",
            "joints/force",
            "joints/torque",
        ):
            np.testing.assert_allclose(
                b[key], a[key], rtol=0, atol=1e-10 * max(1.0, np.abs(a[key]).max()), err_msg=key
            )


@pytest.mark.parametrize("method", ["foreign_wanders", "foreign_writes"])
def test_a_method_may_look_elsewhere_and_owns_the_arrays_that_it_gets(runs, method):
    ours, other = (runs.frames(with_method(PENDULUM, m), TIMES) for m in ("least_constraint", method))
    for a, b in zip(ours, other):
        assert all(np.array_equal(a[key], b[key], equal_nan=True) for key in a), [
            key for key in a if not np.array_equal(a[key], b[key], equal_nan=True)
        ]


@pytest.mark.parametrize(
    ("method", "names"),
    [
        ("foreign_raises", ["ValueError", "too late"]),
        ("foreign_says_one", ["ndarray", "v_dot", "lam"]),
        ("foreign_is_short", ["lam", "(4,)", "(5,)"]),
        ("foreign_is_a_column", ["v_dot", "(6, 1)", "(6,)"]),
        ("foreign_is_nan", ["v_dot[2]", "nan"]),
        ("foreign_is_infinite", ["lam", "inf"]),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_what_goes_wrong_in_a_method_stops_the_run_by_its_name_and_time(runs, method, names):
    with stopped(PluginError, f'"{method}"', *names, hide=r"t = 0\.\d+ s|lam\[\d\] = -?inf") as caught:
        runs.frames(with_method(PENDULUM, method), TIMES)
    assert 0.0 < time_in(str(caught.value)) < 1.0


def test_a_method_that_leaves_is_not_held_back(runs):
    with stopped(SystemExit, "of here"):
        runs.frames(with_method(PENDULUM, "foreign_leaves"), TIMES)


def test_a_force_that_gives_no_number_is_blamed_and_not_the_method():
    runs = Runs.offering(**LEAST, faulty=foreign_kinds.faulty)
    faulty = PENDULUM + table("force", name="f", type="foreign_nan", body="bob")
    with stopped(PluginError, "foreign_nan"):
        runs.frames(with_method(faulty, "least_constraint", end=0.6), [0.0, 0.6])


def test_a_name_that_no_plugin_offers_is_refused_with_the_nearest(runs):
    with refused("solver.method", "least_constrain"):
        runs.prepare(with_method(PENDULUM, "least_constrain"))


def test_the_schema_lists_the_methods_of_all_plugins(runs):
    (rule,) = [
        rule
        for rule in scene_schema(runs.registry)["$defs"]["Solver"]["allOf"]
        if rule["if"]["properties"]["type"]["const"] == "rk"
    ]
    assert {"constraint_force", "kkt", "newton_euler", "least_constraint"} <= set(
        rule["then"]["properties"]["method"]["enum"]
    )


def test_two_plugins_with_one_method_are_both_named():
    class Other:
        @hookimpl
        def mbplugin_methods(self, register):
            register(mbplugin_least_constraint.LeastConstraint)

    with warned('"least_constraint"', "other"):
        runs = Runs.offering(**LEAST, other=Other())
    with stopped(PluginError, '"least_constraint"', "mbplugin_least_constraint", "other"):
        runs.prepare(with_method(PENDULUM, "least_constraint"))


def test_asking_the_problem_inside_a_method_costs_no_evaluation(runs, monkeypatch):
    prepared = runs.prepare(with_method(PENDULUM, "least_constraint"))
    prepared.start(END).show(0.0)
    problem = prepared.problem
    evaluations = []
    evaluate = entries.evaluate
    monkeypatch.setattr(entries, "evaluate", lambda tables: evaluations.append(1) or evaluate(tables))
    assert problem.method is not None and problem.method.call(0, 0, 0) == 1
    assert evaluations == []
    mbplugin_least_constraint.LeastConstraint.acceleration(problem, 0.0, problem.q, problem.v)
    assert len(evaluations) == 3
