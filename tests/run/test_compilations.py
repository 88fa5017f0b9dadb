"""The step is compiled once for all scenes, and nothing is compiled a second time on one machine."""

from __future__ import annotations

import json
import uuid

import pytest
from child import ROOT, command, distribution
from scene_text import NO_GRAVITY, solver, table
from small_systems import FREE_BODY

ALL = """
import json, pathlib, sys
import mbplugin as mb
from mbplugin.codegen.compiled import compilations
from mbplugin.stepping.frame import show
from mbplugin.stepping.loop import advance
scenes = sorted(p.parent for p in pathlib.Path(sys.argv[1]).glob("*/scene.toml"))[::int(sys.argv[2])]
for scene in scenes:
    system = mb.System.from_file(scene)
    # a scene of kinematics alone has no masses, and no steps
    if all(body.has_mass for body in system.bodies):
        system.simulate().step(1e-4)
found = {"scenes": len(scenes), "kernels": compilations[0]}
for function in (advance, show):
    name = function.__name__
    found[name] = {"types": len(function.signatures), "compiled": sum(function.stats.cache_misses.values())}
print(json.dumps(found))
"""


def counted(folder, every):
    done = command(str(ROOT / "scenes"), str(every), cwd=folder, code=ALL, fork=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("every", [7, pytest.param(1, marks=pytest.mark.slow)])
def test_no_scene_compiles_the_step_again(tmp_path, every):
    counted(tmp_path, every)
    found = counted(tmp_path, every)
    assert found["scenes"] >= 7
    assert found["kernels"] == 0
    for name in ("advance", "show"):
        assert found[name] == {"types": 1, "compiled": 0}


PUSH = """
from mbplugin.interface import ForceKind, hookimpl


class Push(ForceKind):
    name = "acme_push"
    markers = 1

    @staticmethod
    def kernel(a, t, wrench):
        for k in range(6):
            wrench[0, k] = 0.0
        wrench[0, 0] = size(t)


@hookimpl
def mbplugin_force_elements(register):
    register(Push)
"""
ASK = """
import mbplugin as mb
from mbplugin.codegen.compiled import compilations
sim = mb.System.from_file("s.toml").simulate()
sim.step(1.0)
print(round(float(sim["a"].velocity[0]), 9), compilations[0])
"""


@pytest.mark.parametrize("helper", [pytest.param("acme", marks=pytest.mark.slow), "acme_laws"])
def test_a_changed_helper_of_a_plugin_is_compiled_again(tmp_path, helper):
    """The cache looks at every file that the kernel's imports reach, also in another package."""
    site = distribution(tmp_path / "site", "acme", "acme")
    for package in {"acme", helper}:
        (site / package).mkdir()
        (site / package / "__init__.py").touch()
    mark = f"# {uuid.uuid4()}\n"  # the cache may hold what an earlier run of this test left
    law = mark + "from mbplugin.interface import jit\n\n\n@jit\ndef size(t):\n    return 2.0\n"
    (site / helper / "law.py").write_text(law)
    (site / "acme" / "__init__.py").write_text(f"from {helper}.law import size\n{PUSH}")
    push = table("force", type="acme_push", body="a")
    (tmp_path / "s.toml").write_text(NO_GRAVITY + FREE_BODY + push + solver(end=1))
    answer = lambda: command(cwd=tmp_path, extra=[site], code=ASK, fork=True).stdout.split()
    assert [answer(), answer()] == [["2.0", "1"], ["2.0", "0"]]
    (site / helper / "law.py").write_text(law.replace("2.0", "3.0"))
    assert answer() == ["3.0", "1"]
