"""Switching by hand, cascades of conditions, what is told and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused, stopped
from scene_text import body, joint, solver, table, with_keys, world

import mbplugin as mb
from mbplugin.errors import PhysicsError

RK = {"tolerance": 1e-11}
HOW = {"rk": RK, "galpha": {"type": "galpha", "step": 1e-3}, "contact": {"type": "contact", "step": 1e-3}}


def chain(how, **keys) -> str:
    """Two rods on hinges."""
    text = world()
    for k, parent in enumerate(("ground", "rod0")):
        text += body(f"rod{k}", mass=1, inertia=[0.1, 0.1, 0.1], position=[k + 0.5, 0, 0])
        text += joint(f"hinge{k}", "revolute", parent, f"rod{k}", at=[k, 0, 0], axis=[0, 1, 0])
    return with_keys(text, "hinge1", **keys) + solver(**how, end=1)


def simulation(text: str) -> mb.Simulation:
    return mb.System.from_text(text).simulate()


@pytest.mark.parametrize("how", HOW)
def test_a_joint_is_let_go_and_caught_by_a_jump(how):
    """The jump closes the joint, and the balance of energies has what it takes."""
    sim = simulation(chain(HOW[how], snap=True))
    sim.step(0.1)
    sim.deactivate("hinge1")
    assert sim.dof == 7 and sim.status("hinge1") == "off"
    sim.step(0.1)
    assert np.ptp([sim["rod1"].acceleration[2], -9.81]) < 1e-9
    # what is let go is no error
    assert np.abs(sim._frames["constraints/drift_position"]).max() < 1e-9
    sim.activate("hinge1")
    assert sim.dof == 2 and sim.status("hinge1") == "acts"
    assert np.abs(sim._frames["constraints/drift_position"]).max() < 1e-9
    assert np.abs(sim._frames["constraints/drift_velocity"]).max() < 1e-9
    sim.step(0.2)
    assert [one.after for one in sim.events] == ["off", "acts"]
    assert any(
        "hinge1 ceases to act: 7 degrees of freedom instead of 2" in text for _, _, text in sim.messages
    )
    frame = sim._frames
    total = sum(float(frame[f"energy/{name}"][0]) for name in ("kinetic", "potential", "dissipated"))
    balance = total - float(frame["energy/work"][0]) - sim._prepared.recorder.start_energy
    assert abs(balance) < (1e-8 if how == "rk" else 1e-3)


def test_what_is_open_stays_as_it_is():
    sim = simulation(chain(RK))
    sim.step(0.1)
    sim.deactivate("hinge1")
    sim.step(0.1)
    before = sim["rod1"].position.copy()
    with stopped(PhysicsError, "hinge1", "joint[1].snap"):
        sim.activate("hinge1")
    assert sim.dof == 7 and np.array_equal(sim["rod1"].position, before)
    sim.step(0.1)


@pytest.mark.parametrize("how", HOW)
def test_a_saved_state_has_what_acts(how):
    one, other = (simulation(chain(HOW[how], snap=True)) for _ in range(2))
    one.step(0.05)
    one.deactivate("hinge1")
    one.step(0.03)
    saved, ends = one.save(), []
    for sim in (one, other):
        if sim is other:
            sim.load(saved)
        sim.step(0.04)
        sim.activate("hinge1")
        sim.step(0.04)
        ends.append(sim["rod1"].position.tobytes())
    assert ends[0] == ends[1]


@pytest.mark.parametrize("how", HOW)
def test_a_resumed_run_releases_as_one_run(how, tmp_path):
    text = chain(HOW[how], release="reaction(hinge1.force) > 12") + table("output", frames=50, series=False)
    whole = mb.System.from_text(text).run(tmp_path / "whole")
    mb.System.from_text(text).run(tmp_path / "parts", end=0.4)
    parts = mb.System.from_text(text).run(tmp_path / "parts", resume=True)
    assert 0.1 < whole.events[0].time < 1 and str(parts.events) == str(whole.events)
    # the end of the first part is a step of its own
    error = 1e-8 if how == "rk" else 0.0
    np.testing.assert_allclose(parts["rod1"].position[-1], whole["rod1"].position[-1], rtol=0, atol=error)


@pytest.mark.parametrize("how", HOW)
def test_one_release_causes_the_next_at_once(how):
    """A ball hangs on a ball: where the upper thread is cut, the lower one has nothing to carry."""
    text = world()
    for k, above in enumerate(("ground", "ball0")):
        text += body(f"ball{k}", mass=1 + k, inertia=[0.1, 0.1, 0.1], position=[0, 0, -k])
        release = "reaction(joint0.force) < 1" if k else "time > 0.2"
        text += joint(f"joint{k}", "fixed", above, f"ball{k}", release=release)
    result = mb.System.from_text(text + solver(**HOW[how], end=0.5) + table("output", frames=50)).run(
        files=False
    )
    first, second = result.events
    assert (first.element, second.element) == ("joint0", "joint1")
    assert first.time == second.time == pytest.approx(0.2, abs=1e-12)
    assert result.dof[[0, -1]].tolist() == [0, 12]


def test_conditions_that_cannot_be_are_refused():
    with refused("joint[1].active", "reaction(hinge1.force) < 9"):
        simulation(chain(RK, active="reaction(hinge1.force) < 9"))
    with refused("joint[1].release", "1 > 2"):
        simulation(chain(RK, release="1 > 2"))
    for key in ("active", "release"):
        with refused(f"joint[1].{key}", ""):
            simulation(chain(RK, **{key: ""}))
    with refused("joint[1].release", "hinge9.angle > 1"):
        simulation(chain(RK, release="hinge9.angle > 1"))
    sim = simulation(chain(RK, active="time < 2"))
    with refused("Simulation.deactivate: name", "hinge1"):
        sim.deactivate("hinge1")
    with refused("Simulation.activate: name", "hinge9"):
        sim.activate("hinge9")


def test_a_condition_that_changes_to_and_fro_is_named():
    text = world(gravity=[0, 0, -9.81]) + body("cube", mass=1, inertia=[1, 1, 1])
    text += joint("rail", "translational", "ground", "cube", axis=[0, 0, 1])
    text += table(
        "force", type="force", name="lift", body="cube", force_z=20, active="rate(rail.length) < -0.5"
    )
    with stopped(PhysicsError, "lift", "force[0].active"):
        mb.System.from_text(text + solver(**RK, end=1)).run(files=False)


def test_a_condition_may_change_in_each_period_of_a_long_run():
    """A second spring acts on one side: half periods π/ω and π/√2ω; 30 changes within 15 periods."""
    omega, speed, periods = 4.0, 0.5, 15
    text = world(gravity=[0, 0, 0]) + body("mass", mass=1, inertia=[1, 1, 1])
    text += joint("rail", "translational", "ground", "mass", axis=[1, 0, 0], start={"speed": speed})
    spring = {"type": "joint_spring_damper", "joint": "rail", "stiffness": omega**2}
    text += table("force", name="always", **spring)
    text += table("force", name="ahead", **spring, active="rail.length > 0")
    end = periods * np.pi / omega * (1.0 + 1.0 / np.sqrt(2.0))
    result = mb.System.from_text(text + solver(tolerance=1e-11, end=end)).run(files=False)
    assert len(result.events) >= 2 * periods - 1
    assert result["mass"].position[-1, 0] == pytest.approx(0.0, abs=1e-7)
    assert result["mass"].velocity[-1, 0] == pytest.approx(speed, abs=1e-7)
