"""Joint coordinates where two features meet: joints that do not act, motions that follow other coordinates,
impacts in the momentum form, rows that move nothing of joints that are let go, coordinates with factors.
"""

from __future__ import annotations

from typing import ClassVar

import acme_screws
import numpy as np
import pytest
from headless import Runs
from mbplugin_joints import Translational
from refusals import refused
from runs_in_both import differences, in_both
from scene_text import body, changed, force, hinge, joint, motion, solver, world
from test_momentum_form import free_tree, momenta
from test_tree_report import MIXED, report

import mbplugin as mb
from mbplugin.errors import PluginError
from mbplugin.interface import Measure, MethodKind, axis, hookimpl
from mbplugin.math.vec3 import cross, dot, sub
from mbplugin.run.joint_space import JointSpace

BAR = {"mass": 1.0, "inertia": [0.02, 0.1, 0.1]}
PENDULUM = world(gravity=[0, 0, -9.81]) + body("bar", **BAR, position=[0.5, 0, 0])
TIGHT = {"tolerance": 1e-11, "end": 0.5}
FRAMES = "[output]\nframes = 10\n"


def equal_motion(text: str, tolerance: float = 1e-9, **keys) -> mb.Result:
    maximal, joint = in_both(text + solver(**TIGHT) + FRAMES, **keys)
    found = differences(maximal, joint)
    assert max(found.values()) < tolerance, found
    return joint


def test_a_joint_that_does_not_act_carries_nothing():
    """The bar falls: x = −½ g t²."""
    text = PENDULUM + hinge("pin", "ground", "bar", axis=[0, 1, 0], active=False)
    result = equal_motion(text)
    assert result["bar"].position[-1, 2] == pytest.approx(-0.5 * 9.81 * 0.25, abs=1e-10)


def test_a_motion_follows_a_coordinate_beside_a_joint_that_relates_its_own():
    """The row of the screw's relation is gone, and couplings have other numbers."""
    text = PENDULUM + hinge("q", "ground", "bar", axis=[0, 1, 0])
    text += body("nut", **BAR, position=[0, 2, 0]) + body("disc", **BAR, position=[0, 4, 0])
    text += joint("s", "screw", "ground", "nut", pitch=0.1, at=[0, 2, 0], axis=[0, 0, 1])
    text += hinge("p", "ground", "disc", at=[0, 4, 0], axis=[0, 1, 0])
    result = equal_motion(text + motion("p", angle="0.5*sin(q.angle)"))
    p, q = (result.coordinate(f"{name}.angle").value for name in "pq")
    assert np.abs(p).max() > 0.3
    assert p == pytest.approx(0.5 * np.sin(q), abs=1e-9)


@pytest.mark.parametrize("form", ["acceleration", "momentum"])
def test_impacts_at_a_limit_give_back_their_part(form):
    """Falls onto a stop at 0.4 rad: ½ J ω² = m g l sin 0.4, and ω⁺ = −½ ω takes ¾ of it, twice."""
    text = PENDULUM + hinge("pin", "ground", "bar", axis=[0, 1, 0], limits=[-1.0, 0.4], restitution=0.5)
    result = equal_motion(text, 1e-8, form=form)
    assert len(result.events) == 2
    lost = (1.0 - 1.0 / 16.0) * 9.81 * 0.5 * np.sin(0.4)
    energy = result.energy.kinetic + result.energy.potential
    assert energy[0] - energy[-1] == pytest.approx(lost, rel=1e-8)


def test_rows_that_move_nothing_cease_to_bear_with_their_joint():
    """Across the plane of the loop gravity loads the wrist, until it is let go."""
    text = MIXED.replace("gravity = [0, 0, -9.81]", "gravity = [0, 1, -9.81]")
    sim = mb.System.from_text(text + solver(coordinates="joint", end=1.0)).simulate()
    sim.run(0.05)
    assert np.abs(sim.joint("wrist").force).max() > 0.1
    sim.deactivate("wrist")
    sim.run(0.1)
    assert np.abs(sim.joint("wrist").force).max() == 0.0
    assert np.abs(sim.joint("wrist").torque).max() == 0.0


def test_frames_change_no_bits_of_the_momentum_form():
    ends = []
    for frames in (2, 200):
        system = free_tree(form="momentum", tolerance=1e-8, end=2.0)
        system.output = mb.Output(frames=frames, series=False)
        result = system.run(files=False)
        ends.append(np.asarray(result.raw["bodies/center_of_mass"][-1]).tobytes())
    assert ends[0] == ends[1]


def test_quantities_over_joint_coordinates_know_that_a_joint_was_let_go():
    """M would be that of bodies that hang together."""
    text = PENDULUM + hinge("pin", "ground", "bar", axis=[0, 1, 0]) + body("end", **BAR, position=[1.5, 0, 0])
    elbow = {"at": [1, 0, 0], "axis": [0, 1, 0]}
    sim = mb.System.from_text(text + hinge("elbow", "bar", "end", **elbow) + solver(end=1.0)).simulate()
    assert sim.joint_names() == ["pin.angle", "elbow.angle"]
    sim.deactivate("elbow")
    for ask in (sim.mass_matrix, sim.bias_forces, sim.gravity_forces):
        with refused("quantities over joint coordinates: joint", "elbow"):
            ask()
    sim.activate("elbow")
    assert sim.mass_matrix().shape == (2, 2)
    loose = hinge("elbow", "bar", "end", **elbow, release="time > 0.5")
    sim = mb.System.from_text(text + loose + solver(end=1.0)).simulate()
    sim.run(0.6)
    assert sim.joint_names()[1:] == [f"end.{one}" for one in ("x", "y", "z", "wx", "wy", "wz")]
    # 0.35: of the bar about the pin
    assert sim.mass_matrix().diagonal() == pytest.approx([0.35, 1, 1, 1, 0.02, 0.1, 0.1], abs=1e-12)


#: an arm that hangs by a Cardan joint from a cart that is driven
ON_A_CART = (
    world(gravity=[0, 0, -9.81])
    + body("cart", **BAR)
    + body("arm", **BAR, position=[0, 0, -0.5], angular_velocity=[1.8, 1.1, 0.2])
    + joint("rail", "translational", "ground", "cart", axis=[1, 0, 0])
    + motion("rail", length="0.3*sin(4*time)")
)


@pytest.mark.parametrize("form", ["acceleration", "momentum"])
@pytest.mark.parametrize(
    "keys",
    [
        {"armature": {"angle_x": 0.1, "angle_y": 0.05}},
        {"limits": {"angle_y": [-0.2, 0.3]}, "restitution": {"angle_y": 0.6}},
        {"friction_torque": {"angle_x": 0.05, "angle_y": 0.03}},
    ],
    ids=lambda keys: next(iter(keys)),
)
def test_a_cardan_joint_on_a_moving_support(keys, form):
    equal_motion(ON_A_CART + joint("cross", "universal", "cart", "arm", at=[0, 0, 0], **keys), form=form)


def test_armatures_of_a_slot_in_a_plane():
    """Of both of its coordinates: along it and about it."""
    text = world(gravity=[1.0, -9.81, 0], plane="xy")
    text += body("rod", type="planar", mass=1.0, inertia=0.1, position=[0.3, -0.2], angular_velocity=1.0)
    keys = {"armature": {"length": 0.4, "angle": 0.07}, "start": {"length": 0.1}}
    equal_motion(text + joint("guide", "slot", "ground", "rod", at=[0, 0], axis=[1, 0.3], **keys))


@pytest.mark.parametrize("step", [0.02, 0.01])
def test_momentum_through_an_impact_inside_a_free_tree(step):
    """Of a Cardan joint that strikes its limit, at a coarse fixed step."""
    text = world(gravity=[0, 0, 0]) + body("end", **BAR, position=[0, 0, -1])
    text += body(
        "base", mass=2, inertia=[0.1, 0.12, 0.2], velocity=[0.3, -0.1, 0.2], angular_velocity=[1, 2, 0.5]
    )
    cross = {"limits": {"angle_x": [-0.3, 0.4]}, "restitution": {"angle_x": 0.7}}
    text += joint("cross", "universal", "base", "end", at=[0, 0, -0.4], **cross)
    how = {"integrator": "rk4", "step": step, "end": 2.0, "coordinates": "joint", "form": "momentum"}
    result = mb.System.from_text(text + solver(**how) + FRAMES).run(files=False)
    assert len(result.events) > 0
    p, L = momenta(result)
    for one in (p, L):
        assert np.ptp(one, axis=0) == pytest.approx(0.0, abs=1e-13)


class OwnMethod(MethodKind):
    name = "own"
    coordinates = "joint"

    @staticmethod
    def acceleration(problem, t, q, v):
        return np.zeros(problem.nv), np.zeros(problem.nc)


class WithOwnMethod:
    @hookimpl
    def mbplugin_methods(self, register):
        register(OwnMethod)


def test_a_method_that_would_not_be_called_is_refused():
    runs = Runs.offering(own=WithOwnMethod())
    text = PENDULUM + hinge("pin", "ground", "bar", axis=[0, 1, 0])
    with pytest.raises(PluginError, match=r'method "own" has a function of its own; .*engine = True'):
        runs.prepare(text + solver(coordinates="joint", method="own", end=1.0))


def twice(a, b, p, value, J, bias):
    """The component along z of a, times two."""
    n = axis(a, 2)
    d, d_dot = sub(b.x, a.x), sub(b.v, a.v)
    c, n1 = cross(n, d), cross(a.w, n)
    value[0] = 2.0 * dot(n, d)
    for k in range(3):
        J[k], J[3 + k], J[6 + k], J[9 + k] = -2.0 * n[k], 2.0 * c[k], 2.0 * n[k], 0.0
    bias[0] = 4.0 * dot(n1, d_dot) + 2.0 * dot(cross(a.w, n1), d)


class Halved(Translational):
    """A slide whose coordinate counts half metres."""

    name = "halved"
    coordinates: ClassVar = {"length": Measure(twice, {})}


class WithHalved:
    @hookimpl
    def mbplugin_constraint_types(self, register):
        register(Halved)


def test_coordinates_that_count_in_other_units_carry():
    runs = Runs.offering(halved=WithHalved())
    text = PENDULUM + hinge("pin", "ground", "bar", axis=[0, 1, 0]) + body("slide", **BAR, position=[1, 0, 0])
    text += joint("rail", "halved", "bar", "slide", at=[1, 0, 0], axis=[1, 0, 0.2])
    times = np.linspace(0.0, 0.5, 6)
    first, other = (
        runs.frames(text + solver(**TIGHT, coordinates=coordinates), times)
        for coordinates in ("maximal", "joint")
    )
    for a, b in zip(first, other, strict=True):
        for key in ("bodies/center_of_mass", "bodies/orientation", "coordinates/value", "joints/force"):
            assert b[key] == pytest.approx(a[key], abs=1e-8 * (1.0 + np.abs(a[key]).max())), key


def test_the_mass_matrix_is_that_at_the_pose_as_drawn():
    """Of a screw whose angle is the same at two lengths: J + m/θ'² where it is, θ' = t + 2 c h."""
    turn, growth, h, m, J = 4.0, 30.0, -0.2, 0.7, 0.05
    text = world(gravity=[0, 0, 0]) + body("nut", mass=m, inertia=[0.03, 0.04, J])
    keys = {"turn": turn, "growth": growth, "start": {"length": h}}
    text += joint("thread", "variable_screw", "ground", "nut", **keys) + solver(end=1.0)

    def mass(length):
        slope = turn + 2.0 * growth * length
        return np.array(
            [[{"thread.angle": J + m / slope**2, "thread.length": m + J * slope**2}[space.names[0]]]]
        )

    prepared = Runs.offering(acme=acme_screws).prepare(text)
    space = JointSpace(prepared.system, prepared.registry, prepared.problem).take(prepared.problem)
    assert space.mass_matrix() == pytest.approx(mass(h), rel=1e-9)
    # at rest elsewhere
    there = Runs.offering(acme=acme_screws).prepare(changed(text, f"= {h}", "= 0.3"))
    prepared.problem.evaluate_at(there.problem.q, 0.0)
    assert space.take(prepared.problem).mass_matrix() == pytest.approx(mass(0.3), rel=1e-9)


def test_the_check_counts_the_armature_of_a_joint_that_closes_a_loop():
    text = MIXED.replace('name = "wrist"', 'name = "wrist"\narmature = 0.3')
    _, trees = report(text + solver(end=1))
    assert "wrist" in trees.closing
    assert trees.rotors == 1
    assert "4 rows are left; rank 4, none is redundant" in trees.lines()


def test_the_rows_of_a_loop_are_watched_for_singular_positions():
    """A parallelogram is flat after a quarter of a turn at 1 rad/s: the coupler may turn there."""
    text = world(gravity=[0, 0, 0])
    for name, place in (("crank", [0, 0.25, 0]), ("coupler", [0.5, 0.5, 0]), ("rocker", [1, 0.25, 0])):
        text += body(name, mass=1, inertia=[0.1, 0.1, 0.1], position=place)
    turns = {"axis": [0, 0, 1]}
    text += hinge("A", "ground", "crank", **turns, start={"speed": -1.0})
    text += hinge("B", "crank", "coupler", [0, 0.5, 0], **turns)
    text += hinge("C", "coupler", "rocker", [1, 0.5, 0], **turns) + hinge(
        "D", "ground", "rocker", [1, 0, 0], **turns
    )
    maximal, own = in_both(text + solver(tolerance=1e-9, end=2.5) + "[output]\nframes = 200\n")
    for result in (maximal, own):
        (found,) = [m for m in result.messages if "singular configuration: the rank" in m.text]
        assert found.time == pytest.approx(np.pi / 2, abs=1e-4)


def test_planar_joints_bear_in_their_plane_alone():
    """A force across the plane is borne by none of them, as in maximal coordinates."""
    text = world(plane="xy", gravity=[0, -9.81, 0]) + body(
        "rod", type="planar", mass=1, inertia=0.1, position=[0.5, 0, 0]
    )
    text += joint("pin", "pin", "ground", "rod", at=[0, 0, 0])
    result = equal_motion(text + force("rod", y=2.0, z=3.0))
    assert np.abs(result.joint("pin").force[:, 1]).min() > 0.1
