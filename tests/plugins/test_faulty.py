"""Functions of plugins that raise or give no number stop the run by kind, element and time."""

from __future__ import annotations

import foreign_kinds.faulty
import pytest
from headless import Runs

from mbplugin.errors import PluginError
from mbplugin.hooks.load import load_plugins

BODIES = """
[[body]]
name = "first"
mass = 1
inertia = [1, 1, 1]
[[body]]
name = "second"
mass = 1
inertia = [1, 1, 1]
position = [1, 0, 0]
marker = [{ name = "end" }]
"""
FORCE = '[[force]]\nname = "good"\ntype = "force"\nbody = "first"\nforce_x = 1.0\n[[force]]\nname = "bad"\ntype = "TYPE"\nbody = "second"\n'
ROW = '[[joint]]\nname = "bad"\ntype = "foreign_nan_row"\na = "ground"\nb = "second.end"\n'
SOLVER = "[solver]\nend = 1.0\n"


@pytest.fixture(scope="module")
def runs():
    return Runs(load_plugins(extra=[("faulty", foreign_kinds.faulty)])[0])


@pytest.mark.filterwarnings("ignore::mbplugin.codegen.compiled.PythonKernelWarning")
@pytest.mark.parametrize(
    ("scene", "kind", "says"),
    [
        (FORCE.replace("TYPE", "foreign_raises"), "foreign_raises", "raised an exception"),
        (
            FORCE.replace("TYPE", "foreign_raises_in_python"),
            "foreign_raises_in_python",
            "ValueError: too late",
        ),
        (FORCE.replace("TYPE", "foreign_nan"), "foreign_nan", "wrench = [0.0, 0.0, nan"),
        (FORCE.replace("TYPE", "foreign_nan_in_python"), "foreign_nan_in_python", "wrench = [0.0, 0.0, nan"),
        (ROW, "foreign_nan_row", "nan"),
    ],
    ids=["raises", "raises in Python", "nan", "nan in Python", "nan in a row"],
)
def test_the_run_stops_and_names_kind_element_and_time(runs, scene, kind, says):
    prepared = runs.prepare(BODIES + scene + SOLVER)
    integrator = prepared.start(1.0)
    with pytest.raises(PluginError) as caught:
        while integrator.advance(1.0, 2.0, 10**6) == "busy":
            pass
    text = str(caught.value)
    assert kind in text and '"bad"' in text and says in text
    time = float(text.partition("t = ")[2].partition(" s")[0])
    assert 0.499 < time <= 1.0
    assert caught.value.exit_code == 5
    # what was reached before stays, and can be looked at
    integrator.show(integrator.time)
    assert 0.05 < integrator.time <= 0.5


def test_a_function_that_asks_for_what_there_is_not_is_refused(runs):
    with pytest.raises(PluginError, match=r'foreign_asks.*"temperature".*interface version 2.*wrench'):
        runs.prepare(BODIES + FORCE.replace("TYPE", "foreign_asks") + SOLVER)
