"""Rows that obey another type than equality: served by a solver that says so, refused by all others."""

from __future__ import annotations

import numpy as np
import pytest
from foreign_kinds.rough_floor import RoughFloor
from foreign_kinds.rough_stop import RoughStop
from foreign_kinds.stop import Stop
from headless import show
from refusals import has, refused, stopped
from scene_text import body, force, joint, motion, solver, table, world
from snapshots import same_report

from mbplugin.errors import PluginError
from mbplugin.hooks.describe import description, lines_of, offers_of
from mbplugin.interface import Pressed
from mbplugin.model import System
from mbplugin.results.layout import STATUSES
from mbplugin.run.analyze import ANALYSES, analyze
from mbplugin.run.prepare import prepare
from mbplugin.tables.groups import Factor
from mbplugin.testing import check_constraint

BASE = world(marker=[{"name": "base", "position": [0.4, 0, 0]}])
STOP = joint("rest", "foreign_stop", "ground.base", "block.foot", height=0.2)
FOOT = [{"name": "foot", "position": [0, 0, -0.1]}]
BLOCK = BASE + body("block", mass=3.0, inertia=[1, 1, 1], position=[0.4, 0, 0.6], marker=FOOT)


@pytest.mark.parametrize("keys", [{}, {"type": "foreign_adams", "step": 1e-3}], ids=["rk", "foreign_adams"])
def test_a_solver_that_does_not_serve_a_law_refuses_it(registry, monkeypatch, keys):
    monkeypatch.setattr(Stop, "row_type", "cone")
    monkeypatch.setattr("mbplugin.stepping.solvers.CompiledSolver.bounded_rows", False)
    monkeypatch.setattr("mbplugin_spheres.Spheres.row_types", ("equality", "cone"))
    with refused("joint[0].type", "foreign_stop") as caught:
        prepare(System.from_text(BLOCK + STOP + solver(**keys)), registry)
    assert has(caught.value.mend, '"cone"', f'"{keys.get("type", "rk")}"', '"spheres"')


@pytest.mark.parametrize("what", ANALYSES)
def test_analyses_refuse_it_too(registry, what):
    with refused("joint[0].type", "foreign_stop") as caught:
        analyze(System.from_text(BLOCK + STOP + solver(type="spheres", step=1e-3)), what, registry)
    assert has(caught.value.mend, f'"{what}"', '"spheres"')


def test_no_solver_that_serves_it_is_said(registry, monkeypatch):
    monkeypatch.setattr(Stop, "row_type", "cone")
    monkeypatch.setattr("mbplugin.stepping.solvers.CompiledSolver.bounded_rows", False)
    with refused("joint[0].type", "foreign_stop") as caught:
        prepare(System.from_text(BLOCK + STOP + solver()), registry)
    assert "spheres" not in caught.value.mend


def test_a_law_that_there_is_not_is_refused(registry, monkeypatch):
    monkeypatch.setattr(Stop, "row_type", "positive")
    text = BLOCK + STOP + solver(type="spheres", step=1e-3)
    monkeypatch.setattr("mbplugin_spheres.Spheres.row_types", ("positive",))
    with stopped(PluginError, '"positive"'):
        prepare(System.from_text(text), registry)


def test_a_block_falls_onto_a_stop_which_then_carries_its_weight(runs):
    prepared = runs.prepare(BLOCK + STOP + solver(type="spheres", step=1e-3, end=1.0))
    integrator = prepared.start(1.0)
    show(integrator, 1.0, 0.1)
    frame = prepared.recorder.frame()
    np.testing.assert_allclose(frame["joints/force"][0], 0.0, atol=1e-12)  # free: no row of S
    np.testing.assert_allclose(frame["bodies/acceleration"][0], [0, 0, -9.81], rtol=1e-9)
    show(integrator, 1.0, 0.8)
    frame = prepared.recorder.frame()
    assert frame["bodies/position"][0, 2] == pytest.approx(0.3, abs=1e-12)
    np.testing.assert_allclose(frame["joints/force"][0], [0, 0, 3.0 * 9.81], rtol=1e-9)
    np.testing.assert_allclose(frame["bodies/acceleration"][0], 0.0, atol=1e-9)


HOW = {
    "rk": {"tolerance": 1e-10},
    "galpha": {"type": "galpha", "step": 1e-3},
    "contact": {"type": "contact", "step": 1e-3},
    "foreign_adams": {"type": "foreign_adams", "step": 1e-3},
}


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("e", [0.0, 0.5])
def test_rows_that_push_are_rows_with_bounds_for_other_solvers(runs, monkeypatch, how, e):
    """It falls by 0.3 m onto the stop, rebounds by e² of that, and rests: its weight is on the stop."""
    monkeypatch.setattr(Stop, "restitution", classmethod(lambda cls, params: e))
    prepared = runs.prepare(BLOCK + STOP + solver(**HOW[how], end=2.0))
    integrator, lands = prepared.start(2.0), np.sqrt(0.6 / 9.81)
    show(integrator, 2.0, lands * (1 + e))
    height = prepared.recorder.frame()["bodies/position"][0, 2] - 0.3
    assert height == pytest.approx(0.3 * e * e, abs=1e-9 if how == "rk" else 2e-3)
    show(integrator, 2.0, 1.9)
    frame = prepared.recorder.frame()
    assert frame["bodies/position"][0, 2] == pytest.approx(0.3, abs=1e-9)
    np.testing.assert_allclose(frame["joints/force"][0], [0, 0, 3.0 * 9.81], atol=1e-6)


@pytest.mark.parametrize("how", HOW)
def test_rows_within_a_box_hold_up_to_their_bounds_and_slip_with_them(runs, how):
    """A clutch of 3 N·m between a flywheel at 2 rad/s and a wheel at rest: both turn as one after 4/9 s."""
    text = world(gravity=[0, 0, 0])
    for name, inertia, speed in (("fly", 2.0, 2.0), ("wheel", 1.0, 0.0)):
        text += body(name, mass=1.0, inertia=[1, 1, inertia], angular_velocity=[0, 0, speed])
        text += joint(f"of_{name}", "revolute", "ground", name, axis=[0, 0, 1])
    text += joint("clutch", "foreign_clutch", "fly", "wheel", axis=[0, 0, 1], most=3.0)
    prepared = runs.prepare(text + solver(**HOW[how], end=1.0))
    integrator = prepared.start(1.0)
    for t in (0.2, 0.4, 0.7):
        show(integrator, 1.0, t)
        frame = prepared.recorder.frame()
        slips = t < 4 / 9
        speeds = [2.0 - 1.5 * t, 3.0 * t] if slips else [4 / 3, 4 / 3]
        np.testing.assert_allclose(frame["bodies/angular_velocity"][:, 2], speeds, atol=1e-9)
        np.testing.assert_allclose(frame["joints/torque"][2, 2], 3.0 if slips else 0.0, atol=1e-9)


@pytest.mark.parametrize("how", [how for how in HOW if how != "foreign_adams"])
def test_a_row_that_presses_gives_another_one_its_friction(runs, how):
    """A block of 3 kg at 3 m/s on a rough stop under a force of 12 t upwards: friction of 0.3 (m g − 12 t),
    none from 2.4525 s on, when it lifts off; from 4 s on it falls back, held by nothing.
    """
    lift = '[[force]]\ntype = "force"\nbody = "block"\nforce_z = "if(4 - time, 12*time, 0)"\n'
    text = BASE + body("block", type="point", mass=3.0, position=[0.4, 0, 0], velocity=[3.0, 0, 0])
    text += joint("floor", "foreign_rough_stop", "ground.base", "block", mu=0.3, mu_static=0.4) + lift
    t = np.linspace(0, 4, 41)
    frames = runs.frames(text + solver(**HOW[how], end=4.0), t)
    x, z = np.array([frame["bodies/position"][0, [0, 2]] for frame in frames]).T
    error, off = 1e-9 if how == "rk" else 1e-5, 3 * 9.81 / 12
    stops = (9.81 - np.sqrt(9.81**2 - 80)) / 4  # of 3 − 0.3 (9.81 t − 2 t²)
    s = np.minimum(t, stops)
    np.testing.assert_allclose(x - 0.4, 3 * s - 0.3 * (9.81 * s**2 / 2 - 2 * s**3 / 3), atol=error)
    since = np.clip(t - off, 0, None)
    np.testing.assert_allclose(z, since**3 * 4 / 6, atol=error)
    words = [STATUSES[frame["bounds/status"][1]] for frame in frames[1:]]
    assert list(dict.fromkeys(words)) == ["slips forwards", "sticks", "free"]


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [("row_type", ("nonnegative",), "`row_type`"), ("pressed", {1: Pressed(0, "grip")}, '"grip"')],
)
def test_a_kind_that_contradicts_itself_about_its_rows_is_refused(registry, monkeypatch, name, value, told):
    monkeypatch.setattr(RoughStop, name, value)
    stop = joint("floor", "foreign_rough_stop", "ground.base", "block", mu=0.3, mu_static=0.4)
    with stopped(PluginError, told):
        prepare(System.from_text(BLOCK + stop + solver()), registry)


def test_rows_under_a_law_are_no_part_of_the_factor_and_a_motion_of_the_joint_is(runs, monkeypatch):
    monkeypatch.setattr(Stop, "coordinates", {"length": "component_z"})
    text = BLOCK + STOP + motion("rest", length="0.5 + 0.1*time") + solver(type="spheres", step=1e-3)
    problem = runs.prepare(text).problem
    assert problem.on.tolist() == [False, True]
    assert problem[Factor].node.first_row.tolist() == [1]


def test_the_kit_checks_the_kernel_of_a_kind_with_a_law():
    checks = check_constraint(Stop, {"height": 0.3}).checks
    assert [str(check) for check in checks if not check.ok] == []
    assert len(checks) > 3


def test_the_description_of_a_kind_tells_its_law_and_that_of_a_solver_those_it_serves(registry):
    for name in ("foreign_stop", "spheres", "rk"):
        same_report(f"plugins_show_{name}", "\n".join(lines_of(description(*offers_of(registry, name)[0]))))


@pytest.mark.parametrize("how", [how for how in HOW if how != "foreign_adams"])
def test_a_kernel_with_a_gap_and_two_slip_rows_is_a_unilateral_with_the_same_functions(runs, how):
    """A block that lands on the floor, slides under a force that turns, stops, and breaks away again."""
    blow = force("block", x="9*cos(5*time)", y="6*sin(5*time)", z="20*sin(9*time)")
    keys = {"mass": 3.0, "inertia": [1, 1, 1], "position": [0.4, 0, 0.02], "velocity": [0.5, 0.2, 0]}
    text = BASE + body("block", **keys, marker=[{"name": "centre", "position": [0, 0, 0]}]) + blow
    numbers = {"mu": 0.3, "mu_static": 0.4, "e": 0.3}
    kernel = joint("floor", "foreign_rough_floor", "ground.base", "block.centre", **numbers)
    x, y, z = (f"component_{i}(ground.base, block)" for i in "xyz")
    slips = {"slip": [f"rate({x})", f"rate({y})"], "friction": 0.3, "friction_static": 0.4}
    function = table("joint", name="floor", type="unilateral", gap=z, restitution=0.3, **slips)
    times = np.linspace(0, 2, 41)
    one, other = (
        runs.frames(text + rows + solver(**HOW[how], end=2.0), times) for rows in (kernel, function)
    )
    for frame, same in zip(one, other):
        np.testing.assert_allclose(
            frame["bodies/position"], same["bodies/position"], atol=1e-9 if how == "rk" else 1e-7
        )
    words = [[STATUSES[k] for k in frame["bounds/status"]] for frame in one]
    assert {word for word, _, _ in words} == {"open", "closed"}
    assert {"slips", "sticks", "free"} >= {word for _, word, _ in words} and all(a == b for _, a, b in words)


def test_a_kind_whose_friction_is_none_is_refused_by_its_name(registry, monkeypatch):
    text = BLOCK + joint("floor", "foreign_rough_floor", "ground.base", "block", mu=0.5, mu_static=0.4)
    with stopped(PluginError, '"foreign_rough_floor"', "0.5", "0.4"):
        prepare(System.from_text(text + solver()), registry)
    monkeypatch.setattr(RoughFloor, "restitution", classmethod(lambda cls, params: 2.0))
    with stopped(PluginError, '"foreign_rough_floor"', "restitution"):
        prepare(System.from_text(text.replace("mu = 0.5", "mu = 0.3") + solver()), registry)


def test_the_kit_checks_the_rows_of_a_cone():
    """G, γ, and the coefficients."""
    checks = check_constraint(RoughFloor, {"mu": 0.3, "mu_static": 0.4}).checks
    assert all(check.ok for check in checks), [check for check in checks if not check.ok]
    assert "gamma is minus the rate of G v + phi_t" in {check.what for check in checks}
    (check,) = check_constraint(RoughFloor, {"mu": 0.5, "mu_static": 0.4}).checks
    assert not check.ok and "static" in check.note
