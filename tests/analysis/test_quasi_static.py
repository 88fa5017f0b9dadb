"""Quasi-static sweeps: closed forms, minimised potentials, loops of hysteresis by hand, and damped runs."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from child import inside
from refusals import refused
from scene_text import body, joint, motion, solver, table, world
from scipy.optimize import brentq, minimize_scalar

import mbplugin as mb
from mbplugin.errors import PhysicsError
from mbplugin.hooks.load import load_plugins
from mbplugin.results.layout import STATUSES
from mbplugin.run.analyze import analyze
from mbplugin.run.report_frames import write_states

G = 9.81


def swept(text: str, positions: int = 21, **options):
    return mb.System.from_text(text).analyze("static", positions=positions, **options)


def force(name: str, type: str, **keys) -> str:
    return table("force", name=name, type=type, **keys)


def triangle(size: float) -> str:
    """Up to `size` at t = 1, down to −`size` at 3, and up to `size` again at 5."""
    return f"{size}*(abs(time - 3) - 1 - 2*max(0, 1 - time))"


def play(u, width: float):
    """What follows u with a play of this half width, from rest at 0."""
    x, path = 0.0, []
    for value in u:
        x = min(max(x, value - width), value + width)
        path.append(x)
    return np.array(path)


#: two springs of rest length l0 that meet in an apex at the height h
L, H, K = 1.0, 0.2, 1e4
REST = math.hypot(L, H)
TRUSS = (
    world(gravity=[0, 0, 0])
    + table("scene.marker", name="left", position=[-L, 0, 0])
    + table("scene.marker", name="right", position=[L, 0, 0])
    + body("apex", type="point", mass=1, position=[0, 0, H])
    + joint("guide", "point_on_line", "ground", "apex", at=[0, 0, H], axis=[0, 0, 1])
    + force("first", "spring_damper", a="ground.left", b="apex", stiffness=K)
    + force("second", "spring_damper", a="ground.right", b="apex", stiffness=K)
)


def truss_force(z):
    length = np.hypot(L, z)
    return 2.0 * K * (length - REST) * z / length


def test_a_shallow_truss_snaps_through_at_its_fold_load():
    """The largest force of the two bars; then the branch on the other side."""
    text = TRUSS + force("load", "force", body="apex", force_z="-100*time") + solver(end=1)
    report = swept(text, 11)
    fold = minimize_scalar(truss_force, bounds=(0.01, H), method="bounded", options={"xatol": 1e-12})
    (jump,) = report.jumps
    assert jump.ended
    assert 100.0 * jump.time == pytest.approx(-truss_force(fold.x), rel=1e-8)
    beyond = brentq(lambda z: truss_force(z) - truss_force(fold.x), -2.0 * H, -H)
    assert jump.moved[0] == pytest.approx(fold.x - beyond, abs=2e-4)
    z = report.position[:, 0, 2]
    assert truss_force(z) == pytest.approx(-100.0 * report.states.time, abs=1e-7)
    assert ((z > 0.0) == (report.states.time < jump.time)).all()
    assert any("the branch of equilibria ends" in line for line in report.lines())


WIDTH, DRIVE, STIFF = 0.02, 0.05, 500.0
SLIDER = (
    world(gravity=[0, 0, -G])
    + body("carriage", mass=1, inertia=[1, 1, 1])
    + body("slider", mass=2, inertia=[1, 1, 1])
    + joint("rail", "translational", "ground", "carriage", axis=[1, 0, 0])
    + motion("rail", length=triangle(DRIVE))
    + force("spring", "spring_damper", a="carriage", b="slider", stiffness=STIFF, length=0)
    + solver(end=5)
)


@pytest.mark.parametrize("how", ["force", pytest.param("coefficient", marks=pytest.mark.slow)])
def test_a_slider_pulled_to_and_fro_by_a_spring_follows_with_play(how):
    """It sticks while |k (u − x)| < b, and slips at the bound: a loop of hysteresis."""
    bound = STIFF * WIDTH
    key = {"friction_force": bound} if how == "force" else {"friction": bound / (2.0 * G)}
    report = swept(SLIDER + joint("track", "translational", "ground", "slider", axis=[1, 0, 0], **key), 51)
    u, x = report.position[:, 0, 0], report.position[:, 1, 0]
    t = report.states.time
    assert u == pytest.approx(DRIVE * (np.abs(t - 3) - 1 - 2 * np.maximum(0, 1 - t)), abs=1e-14)
    assert x == pytest.approx(play(u, WIDTH), abs=1e-10)
    assert report.force[:, 0] == pytest.approx(-STIFF * (u - x), abs=1e-7)
    assert not report.jumps
    # where u − x stays at the bound it has slipped on the way
    names = [STATUSES[int(k)] for k in report.status[:, 0]]
    way = np.diff(x, prepend=0.0)
    expected = np.where(way > 1e-9, "slips forwards", np.where(way < -1e-9, "slips backwards", "sticks"))
    assert names == expected.tolist()


MU, MASS = 0.3, 2.0
BLOCK = (
    world(gravity=[0, 0, -G], collide=True, material="stuff", shape=[{"type": "plane", "size": [9, 9]}])
    + table("material", name="stuff", friction=MU)
    + body("carriage", mass=1, inertia=[1, 1, 1], position=[0, 0, 0.1])
    + body(
        "block",
        mass=MASS,
        inertia=[0.05] * 3,
        position=[0, 0, 0.1],
        collide=True,
        material="stuff",
        shape=[{"type": "box", "size": [0.4, 0.4, 0.2]}],
    )
    + joint("rail", "translational", "ground", "carriage", axis=[1, 0, 0], at=[0, 0, 0.1])
    + motion("rail", length=triangle(DRIVE))
    + force("spring", "spring_damper", a="carriage", b="block", stiffness=STIFF, length=0)
    + solver(end=5)
)


def test_a_block_on_the_ground_follows_its_spring_with_play(tmp_path):
    """The same loop by Coulomb's friction, μ m g/k; the forces and statuses of contacts in the result."""
    done = analyze(mb.System.from_text(BLOCK), "static", load_plugins()[0], positions=11)
    report: Any = done.report
    u, x = report.position[:, 0, 0], report.position[:, 1, 0]
    assert x == pytest.approx(play(u, MU * MASS * G / STIFF), abs=1e-8)
    assert report.position[:, 1, 2] == pytest.approx(0.1, abs=1e-9)
    write_states(tmp_path, done.problem, done.system, done.report.states)
    contact = mb.load(tmp_path).contact("ground", "block")
    assert contact.force[:, 0] == pytest.approx(-STIFF * (u - x), abs=1e-5)
    assert contact.force[:, 2] == pytest.approx(MASS * G, abs=1e-7)
    way = np.abs(np.diff(x, prepend=0.0)) > 1e-6
    statuses = [{one.status for one in contacts} for contacts in report.contacts]
    assert statuses == [{"slips"} if moves else {"sticks"} for moves in way]


def test_without_friction_a_block_is_where_its_spring_is():
    report = swept(BLOCK, 4, friction="none")
    assert report.position[:, 1, 0] == pytest.approx(report.position[:, 0, 0], abs=1e-9)


def test_a_rope_becomes_taut_and_slack_again():
    """A weight on a spring, under a load that grows and goes back; beyond the rope's length that carries."""
    load = lambda t: 20.0 * np.minimum(t, 2.0 - t)
    text = (
        world(gravity=[0, 0, 0], marker=[{"name": "top", "position": [0, 0, 2]}])
        + body("hook", type="point", mass=1, position=[0, 0, 2])
        + joint("fix", "ball", "ground", "hook", at=[0, 0, 2])
        + body("weight", type="point", mass=1, position=[0, 0, 1])
        + force("spring", "spring_damper", a="ground.top", b="weight", stiffness=100, length=1)
        + joint("rope", "rope", "hook", "weight", length=1.1)
        + force("load", "force", body="weight", force_z="-20*min(time, 2 - time)")
        + solver(end=2)
    )
    report = swept(text)
    pulls = load(report.states.time)
    stretch = np.minimum(pulls / 100.0, 0.1)
    assert report.position[:, 1, 2] == pytest.approx(1.0 - stretch, abs=1e-10)
    assert report.force[:, 0] == pytest.approx(pulls - 100.0 * stretch, abs=1e-9)
    assert {STATUSES[int(k)] for k in report.status[:, 0]} == {"taut", "slack"}
    assert not report.jumps


def test_a_column_buckles_at_its_critical_load():
    """A rod on a hinge with the stiffness c under the load P at its tip: P l = c, then c φ = P l sin φ."""
    text = (
        world(gravity=[0, 0, 0])
        + body(
            "rod",
            mass=1,
            inertia=[0.1] * 3,
            position=[0, 0, 0.5],
            marker=[{"name": "tip", "position": [0, 0, 0.5]}],
        )
        + joint("hinge", "revolute", "ground", "rod", at=[0, 0, 0], axis=[0, 1, 0], stiffness=1.0)
        + force("load", "force", body="rod.tip", force_z="-2*time")
        + solver(end=1)
    )
    report = swept(text, 12)
    (jump,) = report.jumps
    assert jump.time == pytest.approx(0.5, abs=1e-7)
    assert not jump.ended
    angle, pulls = report.coordinate[:, 0], 2.0 * report.states.time
    assert angle == pytest.approx(pulls * np.sin(angle), abs=1e-9)
    assert ((np.abs(angle) > 0.1) == (pulls > 1.0)).all()
    assert (report.stable == 1).all()


def test_what_no_equilibrium_is_left_for_is_named_with_the_time():
    """A spring that softens holds at most 2 N."""
    text = (
        world(gravity=[0, 0, 0])
        + body("slider", mass=1, inertia=[0.1] * 3)
        + joint("rail", "translational", "ground", "slider", axis=[1, 0, 0])
        + force("soft", "joint_force", joint="rail", force="-4*rail.length*(1 - rail.length/2) + 4*time")
        + solver(end=1)
    )
    with pytest.raises(PhysicsError, match='"slider" on its way along') as caught:
        swept(text)
    assert caught.value.time == pytest.approx(0.5, abs=1e-8)


def test_jumps_of_inputs_are_followed_evenly():
    """Samples between two positions count too: what sticks keeps what they have moved."""
    text = (
        world(gravity=[0, 0, 0])
        + table("input", name="push", unit="N", time=[0, 0.31, 0.33, 0.5], value=[0, 10, 0, -10])
        + body("slider", mass=1, inertia=[0.1] * 3)
        + joint("rail", "translational", "ground", "slider", axis=[1, 0, 0], stiffness=100, friction_force=2)
        + force("push", "joint_force", joint="rail", force="push")
        + solver(end=1)
    )
    report = swept(text, 11)
    x = np.where(report.states.time >= 0.5, -0.08, np.where(report.states.time > 0.31, 0.02, 0.0))
    assert report.position[:, 0, 0] == pytest.approx(x, abs=1e-10)


def test_controllers_rest_at_each_time():
    """The integral part of a PID takes an arm to its target."""
    text = (
        world(gravity=[0, 0, -10])
        + body("arm", mass=2, inertia=[0.1] * 3, position=[0.5, 0, 0])
        + joint("hinge", "revolute", "ground", "arm", axis=[0, 1, 0])
        + force(
            "control", "pid", joint="hinge", target="0.6*sin(time)", proportional=20, integral=5, derivative=1
        )
        + solver(end=3)
    )
    report = swept(text, 13)
    assert report.coordinate[:, 0] == pytest.approx(0.6 * np.sin(report.states.time), abs=1e-12)
    assert any("stability is not told" in line for line in report.messages)


CRANK, COUPLER, ROCKER, GROUND = 0.3, 0.8, 0.6, 0.9
RODS = {"crank": (0.5, CRANK), "coupler": (1.5, COUPLER), "rocker": (1.0, ROCKER)}


def four_bar_points(phi):
    """The two moving pins of a four-bar with the crank at phi, the open branch."""
    a = CRANK * np.array([math.cos(phi), math.sin(phi)])
    d = np.array([GROUND, 0.0]) - a
    far = math.hypot(*d)
    along = (COUPLER**2 - ROCKER**2 + far**2) / (2.0 * far)
    across = math.sqrt(COUPLER**2 - along**2)
    return a, a + (along * d + across * np.array([-d[1], d[0]])) / far


def four_bar_potential(phi, torque):
    """Weights, a spring from the middle of the coupler to (0.2, 1.2), and the torque on the crank."""
    a, b = four_bar_points(phi)
    height = 0.5 * np.array([a[1], a[1] + b[1], b[1]])
    length = math.dist(0.5 * (a + b), (0.2, 1.2))
    weights = G * sum(m * z for (m, _), z in zip(RODS.values(), height))
    return weights + 0.5 * 400.0 * (length - 0.3) ** 2 - torque * phi


def test_a_four_bar_with_a_spring_is_where_its_potential_is_least():
    """Against scipy's minimum over the angle of the crank at every position."""
    a, b = four_bar_points(1.0)
    ends = {"crank": (np.zeros(2), a), "coupler": (a, b), "rocker": (np.array([GROUND, 0.0]), b)}
    text = world(gravity=[0, 0, -G], marker=[{"name": "hook", "position": [0.2, 0, 1.2]}])
    for name, (mass, length) in RODS.items():
        first, last = ends[name]
        angle = -math.atan2(*(last - first)[::-1])
        text += body(
            name,
            mass=mass,
            inertia=[1e-3, mass * length**2 / 12, mass * length**2 / 12],
            position=[*(0.5 * (first + last))[:1], 0, *(0.5 * (first + last))[1:]],
            orientation={"axis": [0, 1, 0], "angle": angle},
        )
    for name, bodies, at in (
        ("o", ("ground", "crank"), (0.0, 0.0)),
        ("p", ("crank", "coupler"), a),
        ("q", ("coupler", "rocker"), b),
        ("r", ("ground", "rocker"), (GROUND, 0.0)),
    ):
        text += joint(name, "revolute", *bodies, at=[at[0], 0, at[1]], axis=[0, 1, 0])
    text += force("spring", "spring_damper", a="ground.hook", b="coupler", stiffness=400, length=0.3)
    text += force("motor", "joint_force", joint="o", torque="40*sin(time)") + solver(end=3)
    report = swept(text, 7)
    for t, pose in zip(report.states.time.tolist(), report.position):
        # the joint turns about y, which takes z to x
        torque = -40.0 * math.sin(t)
        start = math.atan2(pose[0, 2], pose[0, 0])
        found = minimize_scalar(
            four_bar_potential,
            args=(torque,),
            bounds=(start - 0.1, start + 0.1),
            method="bounded",
            options={"xatol": 1e-12},
        )
        a, b = four_bar_points(found.x)
        assert pose[0, [0, 2]] == pytest.approx(0.5 * a, abs=1e-7), t
        assert pose[1, [0, 2]] == pytest.approx(0.5 * (a + b), abs=1e-7), t
    assert (report.stable == 1).all()


def test_an_elastic_wishbone_rests_where_a_damped_run_does():
    """Two bushings and a spring strut, whose wheel carrier is lifted and pushed: at three times of the sweep,
    against runs in which the load of that time stays until all is at rest.
    """
    stiff = {"stiffness": [4e5, 2e5, 4e5], "angular_stiffness": [300, 300, 300]}
    soft = {"damping": [9e3, 6e3, 9e3], "angular_damping": [30, 30, 30]}

    def text(t):
        points = {"front": [0.2, 0, 0], "rear": [-0.2, 0, 0.05], "top": [0, 0.15, 0.5]}
        marks = [{"name": name, "position": at} for name, at in points.items()]
        inner = [
            {"name": "front", "position": [0.2, -0.3, 0]},
            {"name": "rear", "position": [-0.2, -0.3, 0.05]},
            {"name": "seat", "position": [0, 0.0, 0]},
            {"name": "wheel", "position": [0, 0.1, 0]},
        ]
        found = world(gravity=[0, 0, -G], marker=marks)
        found += body("arm", mass=4, inertia=[0.1] * 3, position=[0, 0.3, 0], marker=inner)
        for name in ("front", "rear"):
            found += force(name, "bushing", a=f"ground.{name}", b=f"arm.{name}", **stiff, **soft)
        found += force(
            "strut", "spring_damper", a="ground.top", b="arm.seat", stiffness=3e4, damping=3e3, length=0.5
        )
        return found + force(
            "road", "force", body="arm.wheel", force_x=f"-300*{t}", force_z=f"900*{t}", force_y=f"200*{t}*{t}"
        )

    report = swept(text("time") + solver(end=1), 9)
    turned = max(np.linalg.norm(report.position[-1] - report.position[0], axis=1))
    assert turned > 0.02
    for k in (2, 5, 8):
        still = text(float(report.states.time[k])) + solver(type="rk", tolerance=1e-9, end=3)
        result = mb.System.from_text(still).run(files=False)
        assert result["arm"].position[-1] == pytest.approx(report.position[k, 0], abs=1e-7)


def test_what_a_sweep_does_not_follow_is_refused():
    with refused("motion[0].length_velocity"):
        swept(SLIDER.replace(f'length = "{triangle(DRIVE)}"', "length_velocity = 0.1"))
    with refused("friction", "some"):
        swept(SLIDER, friction="some")
    with refused("positions", 4):
        swept(SLIDER, 4, about="motion")
    with refused("friction", "none"):
        mb.System.from_text(SLIDER).analyze("static", about="motion", friction="none")
    switched = SLIDER.replace('name = "spring"\n', 'name = "spring"\nactive = "time < 1"\n')
    with refused("force[0].active"):
        swept(switched)


def test_the_command_writes_a_result_of_all_positions(tmp_path):
    """Positions, coordinates, statuses and forces of each; the same numbers in the JSON document."""
    track = joint("track", "translational", "ground", "slider", axis=[1, 0, 0], friction_force=10)
    (tmp_path / "scene.toml").write_text(SLIDER + track)
    words = ("analyze", "scene.toml", "static", "--positions", "11", "--end", "2.5", "-o", "out", "--json")
    done = inside(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    result = mb.load(tmp_path / "out")
    assert result.time == pytest.approx(np.linspace(0.0, 2.5, 11))
    x = play(result["carriage"].position[:, 0], 10.0 / STIFF)
    assert result["slider"].position[:, 0] == pytest.approx(x, abs=1e-10)
    assert result.coordinate("track.length").value == pytest.approx(x, abs=1e-10)
    assert document["coordinates"]["track.length"] == pytest.approx(x, abs=1e-10)
    assert document["bounds"]["track.length.friction"]["status"][2] == "slips forwards"
    assert document["motions"]["rail.length"]["drive"][4] == pytest.approx(10.0, abs=1e-9)
    assert len(list((tmp_path / "out").glob("*.pvd"))) >= 1
    assert "11 equilibria" in (tmp_path / "out" / "messages.txt").read_text()
