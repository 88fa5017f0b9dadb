"""A joint under a penalty becomes exact and elastic again during a motion: modes are state."""

from __future__ import annotations

import numpy as np
import pytest
from held import MASS, G, mass, penalty
from refusals import refused, stopped
from scene_text import body, joint, motion, solver, world

import mbplugin as mb
from mbplugin.errors import PhysicsError

K = 2e4
SAG, OMEGA = MASS * G / K, np.sqrt(K / MASS)
HOW = {
    "rk": {"tolerance": 1e-11},
    "galpha": {"type": "galpha", "spectral_radius": 0.95, "step": 1e-4},
    "contact": {"type": "contact", "step": 1e-4},
}


def on_spring(how: str):
    """A mass on a fixed joint that yields, without damping, at its start."""
    text = mass(penalty(stiffness=K, angular_stiffness=100, damping=0, angular_damping=0), how=HOW[how])
    return mb.System.from_text(text).simulate()


def height(sim) -> float:
    return float(sim["mass"].position[2])


@pytest.mark.parametrize(("how", "error"), [("rk", 1e-9), ("galpha", 1e-5), ("contact", 1e-5)])
def test_a_mass_that_is_caught_stays_and_swings_again_when_it_is_let_go(how, error):
    """z = −m g/k (1 − cos ωt) before, and again from the moment of the release on."""
    sim = on_spring(how)
    sim.step(0.02)
    assert height(sim) == pytest.approx(-SAG * (1 - np.cos(OMEGA * 0.02)), abs=error * SAG * 10)
    sim.hold("held", "lagrange")
    assert abs(height(sim)) < 1e-12 and np.abs(sim["mass"].velocity).max() < 1e-12
    sim.step(0.05)
    assert abs(height(sim)) < 1e-12
    assert sim.joint("held").force[2] == pytest.approx(MASS * G, rel=1e-9)
    sim.hold("held", "penalty")
    sim.step(0.03)
    assert height(sim) == pytest.approx(-SAG * (1 - np.cos(OMEGA * 0.03)), abs=error * SAG * 10)


def test_what_is_held_and_let_go_is_an_event():
    sim = on_spring("rk")
    sim.step(0.02)
    sim.hold("held", "lagrange")
    sim.step(0.01)
    sim.hold("held", "penalty")
    caught, let_go = sim.events
    assert (caught.element, caught.before, caught.after, caught.dof) == ("held", "compliant", "exact", 0)
    assert (let_go.element, let_go.before, let_go.after, let_go.dof) == ("held", "exact", "compliant", 6)
    assert (caught.time, let_go.time) == pytest.approx((0.02, 0.03), abs=1e-15)


def swinging(how: str, enforce: object):
    """A pendulum on a hinge, and a second one on it."""
    text = world()
    for k, hinge in enumerate(("upper", "lower")):
        text += body(f"rod {k}", mass=1, inertia=[0.1, 0.1, 0.1], position=[k + 0.5, 0, 0])
        parent = "rod 0" if k else "ground"
        text += joint(hinge, "revolute", parent, f"rod {k}", at=[k, 0, 0], axis=[0, 1, 0], enforce=enforce)
    return mb.System.from_text(text + solver(**HOW[how], end=1.0)).simulate()


@pytest.mark.parametrize("how", HOW)
def test_energy_balances_through_changes_of_modes(how):
    sim = swinging(how, penalty(stiffness=1e5, angular_stiffness=1e4))
    for enforce in ("lagrange", "penalty", "lagrange"):
        sim.step(0.1)
        sim.hold("upper", enforce)
        sim.step(0.02)
    frame = sim._frames
    energies = [float(frame[f"energy/{name}"][0]) for name in ("kinetic", "potential", "work", "dissipated")]
    start = sim._prepared.recorder.start_energy
    kinetic, potential, work, dissipated = energies
    assert kinetic + potential + dissipated - work == pytest.approx(start, abs=2e-4 if how != "rk" else 1e-8)
    if how != "contact":
        assert np.abs(sim._frames["constraints/drift_position"]).max() < 1e-11


@pytest.mark.parametrize("how", HOW)
def test_a_saved_state_has_the_modes(how):
    """Loaded into another simulation, in which the joint is still elastic, it goes on to the same bits."""
    one, other = (swinging(how, penalty(stiffness=1e5, angular_stiffness=1e4)) for _ in range(2))
    one.step(0.05)
    one.hold("upper", "lagrange")
    one.step(0.03)
    saved = one.save()
    ends = []
    for sim in (one, other):
        if sim is other:
            sim.load(saved)
        sim.step(0.04)
        sim.hold("upper", "penalty")
        sim.step(0.04)
        ends.append(sim["rod 1"].position.tobytes())
    assert ends[0] == ends[1]
    one.load(saved)
    one.step(0.04)
    one.hold("upper", "penalty")
    one.step(0.04)
    assert one["rod 1"].position.tobytes() == ends[0]


def test_only_joints_under_a_law_change():
    sim = swinging("rk", "lagrange")
    with refused("Simulation.hold: joint", "upper"):
        sim.hold("upper", "penalty")
    sim = swinging("rk", penalty(stiffness=1e5))
    with refused("Simulation.hold: enforce", "elastic"):
        sim.hold("upper", "elastic")


def test_a_joint_that_cannot_be_closed_stays_as_it_is():
    """A sled that a motion has driven out of a penalty joint, which held it exactly at the start."""
    text = world(gravity=[0, 0, 0]) + body("sled", mass=1, inertia=[1, 1, 1])
    text += joint("rail", "translational", "ground", "sled", axis=[1, 0, 0])
    text += motion("rail", length="100*time**4")
    text += joint("catch", "fixed", "ground", "sled", enforce=penalty(stiffness=1.0))
    sim = mb.System.from_text(text + solver(tolerance=1e-9, end=1.0)).simulate()
    sim.step(0.1)
    before = sim.save()
    with stopped(PhysicsError, "catch"):
        sim.hold("catch", "lagrange")
    assert all(np.array_equal(a, before[key]) for key, a in sim.save().items())
    sim.step(0.1)
    assert float(sim["sled"].position[0]) == pytest.approx(0.16, abs=1e-9)
