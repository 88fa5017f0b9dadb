"""Static analysis with rows whose forces have bounds: limits, ropes, dry friction, efforts, clutches."""

from __future__ import annotations

import math

import numpy as np
import pytest
from refusals import refused

import mbplugin as mb
from mbplugin.analysis.equilibrium import static as statics
from mbplugin.analysis.equilibrium.complementarity import Bounds, solve_forces
from mbplugin.errors import MbpluginError

GRAVITY = 10.0
ARM = """
[scene]
gravity = [0, 0, -10]

[[body]]
name = "arm"
mass = 2
inertia = [0.1, 0.1, 0.1]
position = [0.5, 0, 0]

[[joint]]
name = "hinge"
type = "revolute"
a = "ground"
b = "arm"
axis = [0, 1, 0]
"""


def equilibrium(text: str, what: str = "static", **options):
    return mb.System.from_text(text).analyze(what, **options)


def bound(report, name: str):
    return next(one for one in report.bounds if one.name == name)


def hung_from(points: dict[str, float], lengths: dict[str, float], position: str) -> str:
    """A load of 2 kg on ropes from points of the ceiling."""
    text = f'[scene]\ngravity = [0, 0, -10]\n[[body]]\nname = "load"\ntype = "point"\nmass = 2\n{position}\n'
    for name, x in points.items():
        text += (
            f'[[body]]\nname = "hook_{name}"\ntype = "point"\nmass = 1\nposition = [{x}, 0, 0]\n'
            f'[[joint]]\nname = "fix_{name}"\ntype = "ball"\na = "ground"\nb = "hook_{name}"\n'
            f"at = [{x}, 0, 0]\n"
            f'[[joint]]\nname = "{name}"\ntype = "rope"\na = "hook_{name}"\nb = "load"\n'
            f"length = {lengths[name]}\n"
        )
    return text


def test_one_of_three_ropes_is_slack():
    """Which one follows from two circles: the load hangs where the two short ropes end."""
    text = hung_from(
        {"left": -1.0, "middle": 0.3, "right": 1.0},
        {"left": 1.8, "middle": 3.0, "right": 1.5},
        "position = [0.1, 0, -1.0]",
    )
    report = equilibrium(text)
    x = (1.8**2 - 1.5**2 + 4.0) / 4.0 - 1.0
    z = -math.sqrt(1.8**2 - (x + 1.0) ** 2)
    assert report.position[0] == pytest.approx([x, 0.0, z], abs=1e-12)
    forces = np.linalg.solve(
        [[(-1.0 - x) / 1.8, (1.0 - x) / 1.5], [-z / 1.8, -z / 1.5]], [0.0, 2.0 * GRAVITY]
    )
    assert bound(report, "left.tension").force == pytest.approx(forces[0], rel=1e-11)
    assert bound(report, "right.tension").force == pytest.approx(forces[1], rel=1e-11)
    assert bound(report, "middle.tension")[1:3] == ("slack", 0.0)
    assert report.stable


def test_a_load_falls_until_its_rope_is_taut_and_hangs_below():
    report = equilibrium(hung_from({"line": 0.0}, {"line": 1.2}, "position = [0.9, 0, -0.2]"))
    assert report.position[0] == pytest.approx([0.0, 0.0, -1.2], abs=1e-10)
    assert bound(report, "line.tension").force == pytest.approx(2.0 * GRAVITY, rel=1e-12)
    # the pendulum's two swings
    assert report.stiffnesses == pytest.approx([GRAVITY / 1.2] * 2, rel=1e-9)


def test_what_no_rope_holds_falls():
    text = hung_from({"line": 0.0}, {"line": 1.2}, "position = [0.9, 0, -0.2]")
    with pytest.raises(MbpluginError, match=r'"load" .* along .0, 0, -1., .* force of 20'):
        equilibrium(text.split('[[body]]\nname = "hook')[0])


@pytest.mark.parametrize("end", [0.4, 1.2])
def test_a_limit_carries_what_gravity_does_not_turn_back(end):
    report = equilibrium(ARM + f"limits = [-1, {end}]\n")
    assert report.position[0] == pytest.approx([0.5 * math.cos(end), 0.0, -0.5 * math.sin(end)], abs=1e-12)
    assert bound(report, "hinge.angle.upper_limit")[1:3] == ("at limit", pytest.approx(10.0 * math.cos(end)))
    assert bound(report, "hinge.angle.lower_limit").force == 0.0


def test_a_limit_behind_the_equilibrium_is_free():
    report = equilibrium(ARM + "limits = [-1, 2]\n")
    assert report.position[0] == pytest.approx([0.0, 0.0, -0.5], abs=1e-12)
    assert not any(one.force for one in report.bounds)
    assert equilibrium(ARM + "limits = [-1, 2]\n", "eigen").modes[0].omega == pytest.approx(
        math.sqrt(2.0 * GRAVITY * 0.5 / 0.6), rel=1e-12
    )


@pytest.mark.parametrize("torque", [10.01, 9.99, 4.0])
def test_friction_holds_what_it_can(torque):
    """m g l cos φ = τ where it slips, and nowhere less."""
    report = equilibrium(ARM + f"friction_torque = {torque}\n")
    least = 0.0 if torque >= 10.0 else math.acos(torque / 10.0)
    assert report.position[0] == pytest.approx(
        [0.5 * math.cos(least), 0.0, -0.5 * math.sin(least)], abs=1e-11
    )
    friction = bound(report, "hinge.angle.friction")
    assert friction.force == pytest.approx(-min(torque, 10.0), rel=1e-11)
    assert friction.share == pytest.approx(min(1.0, 10.0 / torque), rel=1e-11)
    assert friction.status == ("sticks" if torque >= 10.0 else "slips forwards")
    assert any("one of a range of equilibria" in line for line in report.messages)


def test_what_sticks_stays_where_it_begins():
    report = equilibrium(ARM + "friction_torque = 9.5\nstart = { angle = -0.4 }\n")
    assert report.position[0] == pytest.approx([0.5 * math.cos(0.4), 0.0, 0.5 * math.sin(0.4)], abs=1e-12)
    assert bound(report, "hinge.angle.friction").force == pytest.approx(-10.0 * math.cos(0.4), rel=1e-12)


def test_what_has_slipped_is_held_by_kinetic_friction():
    report = equilibrium(ARM + "friction_torque = 6\nfriction_static = 9.5\n")
    assert report.position[0, 0] == pytest.approx(0.5 * 0.6, abs=1e-11)
    held = equilibrium(ARM + "friction_torque = 6\nfriction_static = 10.5\n")
    assert held.position[0, 0] == pytest.approx(0.5, abs=1e-12)


@pytest.mark.parametrize(("way", "x"), [("positive", 0.0), ("negative", 0.5)])
def test_a_clutch_lets_turn_one_way(way, x):
    report = equilibrium(ARM + f'one_way = "{way}"\n')
    assert report.position[0, 0] == pytest.approx(x, abs=1e-12)
    assert bound(report, "hinge.angle.one_way").force == pytest.approx(10.0 if x else 0.0, abs=1e-11)


@pytest.mark.parametrize("effort", [12.0, 9.0, 5.0])
def test_a_motion_holds_up_to_its_effort(effort):
    report = equilibrium(ARM + f'[[motion]]\njoint = "hinge"\nangle = 0.2\neffort_limit = {effort}\n')
    asked = 10.0 * math.cos(0.2)
    assert report.drive == pytest.approx([-min(asked, effort)], rel=1e-11)
    angle = 0.2 if effort > asked else math.acos(effort / 10.0)
    assert report.position[0, 0] == pytest.approx(0.5 * math.cos(angle), abs=1e-11)


BOB = ARM.replace('type = "revolute"', 'type = "ball"').replace("axis = [0, 1, 0]\n", "")


@pytest.mark.parametrize(("torque", "x"), [(11.0, 0.5), (9.0, 0.45), (4.0, 0.2)])
def test_friction_of_a_ball_joint_holds_what_it_can(torque, x):
    """One moment across the axis, in whichever direction: 10 cos φ = τ where it slips."""
    report = equilibrium(BOB + f"friction_torque = {{ swing = {torque} }}\n")
    assert report.position[0] == pytest.approx([x, 0.0, -math.sqrt(0.25 - x * x)], abs=1e-10)
    moment = [bound(report, f"hinge.swing.friction_{k}").force for k in (1, 2)]
    assert moment == pytest.approx([0.0, -min(torque, 10.0)], abs=1e-9)


def test_a_bob_rests_on_the_cone_of_its_joint():
    report = equilibrium(BOB + "limits = { swing = [0, 0.4] }\n")
    assert report.position[0] == pytest.approx([0.5 * math.cos(0.4), 0.0, -0.5 * math.sin(0.4)], abs=1e-12)
    assert bound(report, "hinge.swing.upper_limit").force == pytest.approx(10.0 * math.cos(0.4), rel=1e-12)


def test_a_beam_lifts_off_its_middle_support():
    """Three supports, one 1 mm lower: two carry half each; loaded beyond an end, the other lifts off."""
    text = """
[scene]
gravity = [0, 0, -10]
plane = "xz"
[[body]]
name = "beam"
type = "planar"
mass = 2
inertia = 0.2
position = [0, 0, 0]
marker = [
    { name = "l", position = [-1, 0, 0] },
    { name = "m", position = [0, 0, 0] },
    { name = "r", position = [1, 0, 0] },
]
"""
    for name, x, height in (("l", -1.0, 0.0), ("m", 0.0, -1e-3), ("r", 1.0, 0.0)):
        text += (
            f'[[joint]]\nname = "{name}"\ntype = "rope"\na = "ground"\nb = "beam.{name}"\n'
            f"at = [{x}, 0, 2]\nlength = {2.0 - height}\n"
        )
    report = equilibrium(text)
    assert [bound(report, f"{k}.tension").force for k in "lmr"] == pytest.approx([10.0, 0.0, 10.0], abs=1e-6)


def test_sparse_matrices_find_the_same(monkeypatch):
    scenes = [ARM + row for row in ("limits = [-1, 0.4]\n", "friction_torque = 9\n")]
    scenes.append(hung_from({"line": 0.0}, {"line": 1.2}, "position = [0.9, 0, -0.2]"))
    dense = [equilibrium(text) for text in scenes]
    monkeypatch.setattr(statics, "position_of", lambda problem, sparse: statics.SparsePosition(problem))
    for one, text in zip(dense, scenes):
        other = equilibrium(text)
        np.testing.assert_allclose(other.position, one.position, atol=1e-11)
        assert [b.status for b in other.bounds] == [b.status for b in one.bounds]
        assert [b.force for b in other.bounds] == pytest.approx([b.force for b in one.bounds], rel=1e-10)
        assert other.stiffnesses == pytest.approx(one.stiffnesses, rel=1e-8)


def test_damped_runs_come_to_rest_where_the_analysis_says():
    """An arm with a damper falls on its limit."""
    text = ARM + "limits = [-0.3, 0.8]\ndamping = 3.0\n"
    report = equilibrium(text)
    run = mb.System.from_text(text + '[solver]\ntype = "rk"\nend = 20\n').run(files=False)
    assert run["arm"].position[-1] == pytest.approx(report.position[0], abs=1e-8)


def test_a_position_beyond_a_limit_is_refused():
    with refused("joint[0].limits", [-1, -0.5]):
        equilibrium(ARM + "limits = [-1, -0.5]\n")


def test_forces_obey_their_laws_in_generated_systems():
    """f = Π(f − u), u = W f + c, of bounds, of rows that push, and of rows that repeat others."""
    rng = np.random.default_rng(3)
    for _ in range(200):
        m, n = rng.integers(1, 10), rng.integers(1, 8)
        J = rng.normal(size=(m, n))
        if m > 3:
            J[1] = 2.0 * J[0]
        W, c = J @ np.diag(10.0 ** rng.uniform(-2.0, 2.0, n)) @ J.T, J @ rng.normal(size=n)
        pushes, most = rng.random(m) < 0.5, rng.random(m)
        low, high = np.where(pushes, 0.0, -most), np.where(pushes, np.inf, most)
        found = solve_forces(W, c, Bounds(low, high, np.full(m, -1), np.full(m, -1)))
        u = W @ found.force + c
        size = (np.abs(W) @ np.abs(found.force) + np.abs(c)).max()
        assert found.solved
        assert np.abs(found.force - np.clip(found.force - u, low, high)).max() <= 1e-9 * size


def test_a_cone_slips_against_its_force():
    W, c = np.array([[2.0, 0.5], [0.5, 1.0]]), np.array([3.0, -1.0])
    found = solve_forces(W, c, Bounds(np.full(2, -0.4), np.full(2, 0.4), np.array([1, 0]), np.full(2, -1)))
    u = W @ found.force + c
    assert found.solved
    assert np.linalg.norm(found.force) == pytest.approx(0.4, rel=1e-12)
    assert u / np.linalg.norm(u) == pytest.approx(-found.force / 0.4, abs=1e-10)
