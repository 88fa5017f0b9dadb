"""Elements whose energy lies in an inner state: the kit passes them, and their motion has closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from foreign_kinds.elements_with_states import LuGre, Maxwell
from headless import Runs
from refusals import stopped
from scene_text import NO_GRAVITY, body, solver, table

from mbplugin.errors import PluginError
from mbplugin.interface import hookimpl
from mbplugin.run.recorder import Recorder
from mbplugin.testing import check_force


class Plugin:
    @hookimpl
    def mbplugin_force_elements(self, register):
        register(Maxwell)
        register(LuGre)


@pytest.mark.parametrize("kind", [Maxwell, LuGre])
def test_the_kit_passes_an_element_with_energy_in_an_inner_state(kind):
    report = check_force(kind)
    assert report.ok, f"\n{report}"
    assert any("rate of energy" in check.what for check in report.checks)


@pytest.mark.parametrize("kind", [Maxwell, LuGre])
def test_an_energy_that_forgets_the_inner_state_is_found(kind):
    class Forgetful(kind):
        name = kind.name

        @staticmethod
        def kernel(*given):
            raise NotImplementedError

    arguments = "a, b" if kind is Maxwell else "a"
    text = f"def kernel({arguments}, p, x, wrench, x_dot, energy, power):\n"
    text += f"    inner({arguments}, p, x, wrench, x_dot, energy, power)\n    energy[0] = 0.0\n"
    space = {"inner": kind.kernel}
    exec(text, space)
    Forgetful.kernel = staticmethod(space["kernel"])
    failed = [check.what for check in check_force(Forgetful).checks if not check.ok]
    assert failed == ["power of the wrenches = power - rate of energy"]


def test_the_force_of_a_maxwell_element_relaxes():
    """A body that moves away at 0.5 m/s: x = c/k v (1 − exp(−k t / c)), and the drive carries this force."""
    runs = Runs.offering(acme=Plugin())
    text = NO_GRAVITY + body("b", mass=1e9, inertia=[1, 1, 1], position=[1, 0, 0], velocity=[0.5, 0, 0])
    text += table("force", name="m", type="foreign_maxwell", a="ground", b="b", stiffness=20.0, damping=5.0)
    (frame,) = runs.frames(text + solver(end=0.4, tolerance=1e-10), [0.4])
    force = 5.0 * 0.5 * (1 - np.exp(-20.0 * 0.4 / 5.0))
    assert frame["forces/wrench"][0, 0] == pytest.approx(-force, rel=1e-7)
    assert frame["states/value"][0] == pytest.approx(force / 20.0, rel=1e-7)


def test_a_kind_says_how_its_line_is_drawn():
    keys = {"a": "ground", "b": "b", "stiffness": 20.0, "damping": 5.0}
    text = body("b", mass=1, inertia=[1, 1, 1], position=[1, 0, 0])
    text += table("force", name="m", type="foreign_maxwell", **keys)
    prepared = Runs.offering(acme=Plugin()).prepare(text + solver(end=0.4))
    recorder = Recorder(prepared.problem, prepared.system, np.zeros(0))
    static = recorder.static()
    assert (static["lines/name"], static["lines/look"], static["lines/strands"]) == (["m"], ["coil"], [1.0])


def test_a_look_that_no_picture_knows_is_refused(monkeypatch):
    monkeypatch.setattr(Maxwell, "look", classmethod(lambda cls, params: "wavy"))
    keys = {"a": "ground", "b": "b", "stiffness": 20.0, "damping": 5.0}
    text = body("b", mass=1, inertia=[1, 1, 1], position=[1, 0, 0])
    text += table("force", name="m", type="foreign_maxwell", **keys)
    with stopped(PluginError, "foreign_maxwell", "wavy", "coil"):
        Runs.offering(acme=Plugin()).prepare(text + solver(end=0.4))


def test_bristles_bend_to_the_force_of_sliding():
    """At constant speed z = F_c/σ (1 − exp(−σ v t / F_c))."""
    runs = Runs.offering(acme=Plugin())
    text = NO_GRAVITY + body("b", mass=1e9, inertia=[1, 1, 1], velocity=[0.2, 0, 0])
    text += table("force", name="f", type="foreign_lugre", body="b", stiffness=50.0, friction=3.0)
    (frame,) = runs.frames(text + solver(end=0.5, tolerance=1e-10), [0.5])
    force = 3.0 * (1 - np.exp(-50.0 * 0.2 * 0.5 / 3.0))
    assert frame["forces/wrench"][0, 0] == pytest.approx(-force, rel=1e-7)
