"""Functions of plugins that raise or give no number stop the run by kind, element and time."""

from __future__ import annotations

import foreign_kinds.faulty
import pytest
from headless import Runs, finish
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
    ("scene", "kind", "says"),
    [
        (bad_force("foreign_raises"), "foreign_raises", "raised an exception"),
        (bad_force("foreign_raises_in_python"), "foreign_raises_in_python", "ValueError: too late"),
        (bad_force("foreign_nan"), "foreign_nan", "wrench = [0.0, 0.0, nan"),
        (bad_force("foreign_nan_in_python"), "foreign_nan_in_python", "wrench = [0.0, 0.0, nan"),
        (ROW, "foreign_nan_row", "nan"),
    ],
    ids=["raises", "raises in Python", "nan", "nan in Python", "nan in a row"],
)
def test_the_run_stops_and_names_kind_element_and_time(runs, scene, kind, says):
    prepared = runs.prepare(BODIES + scene + SOLVER)
    integrator = prepared.start(1.0)
    with pytest.raises(PluginError) as caught:
        finish(integrator, 1.0)
    text = str(caught.value)
    assert kind in text and '"bad"' in text and says in text
    time = float(text.partition("t = ")[2].partition(" s")[0])
    assert 0.499 < time <= 1.0
    assert caught.value.exit_code == 5
    # what was reached before stays, and can be looked at
    integrator.show(integrator.time)
    assert 0.05 < integrator.time <= 0.5


def test_a_function_that_asks_for_what_there_is_not_is_refused(runs):
    with pytest.raises(PluginError, match=r'foreign_asks.*"temperature".*interface version 3.*wrench'):
        runs.prepare(BODIES + bad_force("foreign_asks") + SOLVER)
