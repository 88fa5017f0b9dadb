"""How runs with contacts begin: bodies that overlap, and the step where none is given."""

from __future__ import annotations

import re
from math import pi

import numpy as np
import pytest
from blocks import ball, block, contact_solver, floor
from headless import finish
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.overlap import overlaps
from mbplugin_contact.parts import FIND
from mbplugin_contact.solver import ContactSolver
from refusals import has, refused
from scene_text import joint, solver, spring, table, world
from snapshots import same_message

from mbplugin.tables.groups import State


def two_blocks(**keys):
    """The lower one 2 mm in the floor, the upper one 5 mm in the lower one."""
    return (
        floor(friction=0.5)
        + block("lower", (0.1, 0.1, 0.1), 1.0, [0, 0, 0.048])
        + block("upper", (0.1, 0.1, 0.1), 2.0, [0, 0, 0.143])
        + solver(type="contact", step=1e-3, end=0.2, **keys)
    )


def turned(*quaternion):
    return {"quaternion": list(quaternion)}


def cube(k, height, x=0.0):
    return block(f"cube{k}", (0.1, 0.1, 0.1), 1.0, [x, 0, height])


def rail(axis):
    return joint("rail", "translational", "ground", "cube0", axis=axis)


def capsule(name, radius, length, at):
    """A level one, along x, of 1 kg."""
    shape = [{"type": "capsule", "radius": radius, "length": length}]
    lying = {"axis": [0, 1, 0], "angle": pi / 2}
    return block(name, (0.06, 0.06, 0.16), 1.0, at, shape=shape, orientation=lying)


def test_bodies_that_overlap_are_named_with_their_depth(runs):
    with refused("solver.separate", False) as caught:
        runs.prepare(two_blocks()).start(1.0)
    assert has(caught.value.mend, '"lower" and "upper" by 0.005 m', '"ground" by 0.002 m')


def test_bodies_moved_apart_touch_and_rest(runs):
    prepared = runs.prepare(two_blocks(separate=True))
    integrator = prepared.start(0.2)
    heights = prepared.problem[State].q.reshape(2, 7)[:, 2].copy()
    np.testing.assert_allclose(heights, [0.05, 0.15], atol=1e-6)
    (remark,) = [text for _, _, text in integrator.messages() if has(text, "separate")]
    assert re.search(r" 0\.00[67]", remark)
    finish(integrator, 0.2)
    frame = prepared.recorder.frame()
    assert abs(float(frame["energy/balance"])) <= 1e-12
    np.testing.assert_allclose(prepared.problem[State].q.reshape(2, 7)[:, 2], heights, atol=1e-6)


#: boxes of which one corner is 4 cm inside the other one, and 0.07 mm after two movements
TILTED = (
    floor(friction=0.5)
    + block(
        "low",
        (0.060001733, 0.061138579, 0.053398547),
        0.97943545,
        [0.0153951208, 0.008594762, 0.2504716223],
        orientation=turned(2.1776097379, 0.6068570817, -0.2355917956, 0.9262951519),
        angular_velocity=[-3.066, 2.904, -4.122],
    )
    + block(
        "high",
        (0.124857297, 0.085572352, 0.065029156),
        0.20844009,
        [0.0192988372, 0.0166909838, 0.3279172903],
        orientation=turned(0.4705663669, 0.1773548857, -0.422853001, 0.4404781375),
    )
)


@pytest.mark.parametrize(
    "bodies",
    [
        TILTED,
        # a level capsule touches along a line
        floor() + cube(0, 0.05) + capsule("roll", 0.03, 0.08, [0, 0, 0.1299]),
        floor() + cube(0, 0.0499) + ball("ball", 0.05, 1.0, [0.02, 0.01, 0.1493]),
        floor() + cube(0, 0.048) + cube(1, 0.1473, 0.01) + cube(2, 0.2466, 0.02),
        floor() + cube(0, 0.0493) + rail([0, 0, 1]),
    ],
    ids=["corners", "capsule", "ball", "stack", "rail"],
)
def test_bodies_are_moved_until_none_overlaps_and_before_energies_count(runs, bodies):
    prepared = runs.prepare(bodies + solver(type="contact", step=4e-3, end=0.1, separate=True))
    integrator = prepared.start(0.1)
    (remark,) = [text for _, _, text in integrator.messages() if "separate" in text]
    assert "were moved apart" in remark
    integrator.call_part(FIND)
    assert max(overlaps(prepared.problem).values()) <= 1e-6
    assert prepared.problem[Contacts].impact_loss[0] == 0.0


def test_velocities_fit_the_joints_where_bodies_have_been_moved_apart(runs):
    """Two rods on a hinge, one of them 4 mm in the floor, turn as they are moved out."""
    text = floor() + capsule("low", 0.03, 0.3, [0, 0, 0.026]) + capsule("high", 0.03, 0.3, [0.3, 0, 0.2])
    text = text.replace("[[body]]", "[[body]]\nvelocity = [0.4, 0, 0.3]\nangular_velocity = [0, 2, 0]")
    text += joint("hinge", "revolute", "low", "high", axis=[0, 1, 0], at=[0.1, 0, 0.1])
    prepared = runs.prepare(text + solver(type="contact", step=1e-3, end=0.1, separate=True))
    integrator = prepared.start(0.1)
    problem, state = prepared.problem, prepared.problem[State]
    assert any("were moved apart" in text for _, _, text in integrator.messages())
    positions, rates = problem.residuals(0.0, state.q.copy(), state.v.copy())
    assert np.abs(positions).max() < 1e-9 and np.abs(rates).max() < 1e-12
    finish(integrator, 0.1)
    frame = prepared.recorder.frame()
    assert abs(float(frame["energy/balance"])) < 1e-6 * float(frame["energy/kinetic"])


def test_what_joints_keep_in_an_overlap_is_refused_by_name(runs):
    text = floor() + cube(0, 0.04) + rail([1, 0, 0])
    with refused("solver.separate", True) as caught:
        runs.prepare(text + solver(type="contact", step=1e-3, end=0.1, separate=True)).start(0.1)
    assert has(caught.value.mend, '"cube0" and "ground" by 0.01 m')


def test_rounding_is_no_overlap(runs):
    text = floor() + block("a", (0.1, 0.1, 0.1), 1.0, [0, 0, 0.05 - 1e-9]) + contact_solver()
    prepared = runs.prepare(text)
    prepared.start(1.0)
    assert prepared.problem[State].q[2] == 0.05 - 1e-9


def test_the_energy_that_lifts_a_body_out_of_an_overlap_is_booked(runs):
    """A tonne by 4e-8 m, against its weight and a spring: m g d + k (e d + d² / 2) comes from no motion."""
    d, stretch, stiffness = 4e-8, 1e-3, 1e6
    text = floor() + block("a", (0.1, 0.1, 0.1), 1000.0, [0, 0, 0.05 - d]) + contact_solver(1e-3)
    text += spring("ground", "a", stiffness=stiffness, length=0.05 - d - stretch)
    prepared = runs.prepare(text)
    finish(prepared.start(0.05), 0.05)
    frame = prepared.recorder.frame()
    lifted = float(prepared.problem[State].q[2]) - (0.05 - d)
    assert lifted == pytest.approx(d, rel=1e-2)
    given = 1000.0 * 9.81 * lifted + stiffness * (stretch * lifted + lifted**2 / 2)
    assert float(frame["energy/impacts"]) == pytest.approx(-given, rel=1e-6)
    assert abs(float(frame["energy/balance"])) <= 1e-6 * given


@pytest.mark.parametrize(("speed", "step"), [(0.0, 2e-3), (20.0, 5e-4)])
def test_the_step_follows_from_sizes_and_speeds(runs, speed, step):
    """0.03 √(r/g) = 2.1 ms for r = 0.05 m; a fifth of r / v = 0.5 ms at 20 m/s."""
    text = floor() + ball("a", 0.05, 1.0, [0, 0, 0.05], velocity=[speed, 0, 0]) + solver(end=0.1)
    prepared = runs.prepare(text)
    assert prepared.solver.fixed_step == pytest.approx(step)
    (remark,) = prepared.solver.remarks
    assert has(remark, f"step = {step:g} s", "`step`")


def test_a_ball_that_moves_four_radii_in_a_step_does_not_pass_a_thin_plate(runs):
    """The plate is 0.01 m thick; the ball moves 0.2 m in a step. It stops in front of the plate, and the run
    tells of it.
    """
    text = floor().replace("[scene]\n", "[scene]\ngravity = [0, 0, 0]\n")
    text += block("plate", (0.01, 1.0, 1.0), 1e9, [1.03, 0, 0.6])
    text += ball("ball", 0.05, 1.0, [0, 0, 0.6], velocity=[200.0, 0, 0]) + contact_solver(1e-3)
    prepared = runs.prepare(text)
    integrator = prepared.start(0.05)
    finish(integrator, 0.05)
    x = prepared.problem[State].q.reshape(2, 7)[:, 0]
    assert x[0] - x[1] == pytest.approx(0.055, abs=1e-6)
    (warning,) = [text for level, text in integrator.closing() if level == "warning"]
    assert has(warning, '"ball"', 4, "t = 0 s")
    same_message(warning)


@pytest.mark.parametrize(("gravity", "g"), [([0, 0, -1.62], 1.62), ([3, 0, -4], 5.0), ([0, 0, 0], 9.81)])
def test_residuals_are_judged_by_the_gravity_of_the_scene(runs, gravity, g):
    text = world(gravity=gravity) + ball("a", 0.1, 1.0, [0, 0, 1]) + table("material", name="stone")
    problem = runs.prepare(text + contact_solver(2e-3)).problem
    kind = ContactSolver
    record = kind.arrays(problem, kind.parameters(step=2e-3), {}).record[0]
    assert record.goal == pytest.approx(1e-6 * g * 2e-3, rel=1e-15)


def test_sweeps_that_are_asked_for_are_made_and_refused_where_joints_hold_bodies(runs):
    text = floor(friction=0.5) + block("cube", (0.1, 0.1, 0.1), 1.0, [0, 0, 0.05])
    sweeps = solver(type="contact", step=1e-3, end=1.0, sweeps=7)
    prepared = runs.prepare(text + sweeps)
    finish(prepared.start(0.01), 0.01)
    contacts = prepared.problem[Contacts]
    assert (contacts.sweeps[0], contacts.factorizations[0]) == (7, 0)
    hinge = joint("hinge", "revolute", "ground", "cube", at=[0, 0, 0.05], axis=[1, 0, 0])
    with refused("solver.sweeps", 7):
        runs.prepare(text + hinge + sweeps).start(1.0)
