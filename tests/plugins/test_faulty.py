"""Functions of plugins that raise or give no number stop the run by kind, element and time."""

from __future__ import annotations

import foreign_kinds.faulty
import pytest
from headless import Runs, finish
from refusals import stopped, time_in
from scene_text import body, force, joint, solver, table

from mbplugin.errors import PluginError

BODIES = body("first", mass=1, inertia=[1, 1, 1]) + body(
    "second", mass=1, inertia=[1, 1, 1], position=[1, 0, 0], marker=[{"name": "end"}]
)


def bad_force(kind):
    return force("first", name="good", x=1.0) + table("force", name="bad", type=kind, body="second")


ROW = joint("bad", "foreign_nan_row", "ground", "second.end")
SOLVER = solver(end=1.0)


@pytest.fixture(scope="module")
def runs():
    return Runs.offering(faulty=foreign_kinds.faulty)


@pytest.mark.filterwarnings("ignore::mbplugin.codegen.compiled.PythonKernelWarning")
@pytest.mark.parametrize(
    ("scene", "kind", "value"),
    [
        (bad_force("foreign_raises"), "foreign_raises", "ValueError"),
        (bad_force("foreign_raises_in_python"), "foreign_raises_in_python", "ValueError"),
        (bad_force("foreign_nan"), "foreign_nan", "nan"),
        (bad_force("foreign_nan_in_python"), "foreign_nan_in_python", "nan"),
        (ROW, "foreign_nan_row", "nan"),
    ],
    ids=["raises", "raises in Python", "nan", "nan in Python", "nan in a row"],
)
def test_the_run_stops_and_names_kind_element_and_time(runs, scene, kind, value):
    prepared = runs.prepare(BODIES + scene + SOLVER)
    integrator = prepared.start(1.0)
    with stopped(PluginError, f'"{kind}"', '"bad"', value, hide=r"t = \S+ s") as caught:
        finish(integrator, 1.0)
    time = time_in(str(caught.value))
    assert 0.499 < time <= 1.0
    assert caught.value.exit_code == 5
    # what was reached before stays, and can be looked at
    integrator.show(integrator.time)
    assert 0.05 < integrator.time <= 0.5


def test_a_function_that_asks_for_what_there_is_not_is_refused(runs):
    with stopped(PluginError, "foreign_asks", "temperature"):
        runs.prepare(BODIES + bad_force("foreign_asks") + SOLVER)
