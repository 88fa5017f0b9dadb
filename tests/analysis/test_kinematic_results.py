"""Results of kinematic analyses: with masses reactions and energies of a circular motion, without none."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused, stopped
from scene_text import body, hinge, motion, solver, table
from small import system

import mbplugin as mb
from mbplugin.errors import StoreError
from mbplugin.export.one_file import export
from mbplugin.hooks.load import load_plugins
from mbplugin.paraview.script import script_of
from mbplugin.run.analyze import analyze
from mbplugin.run.report_frames import OF_MASSES, OF_RUNS, write_states

#: mass [kg], moment of inertia [kg·m²], angular velocity [rad/s], gravity [m/s²]
M, J, W, G = 2.0, 0.3, 10.0, 9.81
MASS = {"mass": M, "inertia": [J, J, J]}
LOAD = table("variable", name="load", value="reaction(hinge.force)", unit="N")


def arm(more: str = "", **keys: object) -> mb.System:
    """A body at a distance of 1 m from a hinge whose angle grows by W."""
    text = table("scene", gravity=[0, -G, 0]) + body("arm", position=[1, 0, 0], **keys)
    text += hinge("hinge", "ground", "arm", axis=[0, 0, 1], at=[0, 0, 0])
    return system(text + motion("hinge", angle=f"{W}*time") + solver(end=1.0) + more)


def written(folder, scene: mb.System) -> mb.Result:
    done = analyze(scene, "kinematic", load_plugins()[0], positions=101)
    write_states(folder, done.problem, done.system, done.report.states)
    return mb.load(folder)


def test_with_masses_reactions_are_those_of_inverse_dynamics(tmp_path):
    """F = −m ω² r − m g on the body; variables read the reaction of their own frame."""
    result = written(tmp_path, arm(LOAD, **MASS))
    angle = W * result.time
    r = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    force = -M * W**2 * r + [0, M * G, 0]
    np.testing.assert_allclose(result.joint("hinge").force, force, atol=1e-9)
    np.testing.assert_allclose(result.output("load"), np.linalg.norm(force, axis=1), rtol=1e-9)
    coordinate = result.coordinate("hinge.angle")
    np.testing.assert_allclose(coordinate.drive, M * G * r[:, 0], atol=1e-9)
    np.testing.assert_allclose(coordinate.value, angle, atol=1e-9)  # turns are counted from the start


def test_with_masses_there_are_kinetic_and_potential_energy_and_no_work(tmp_path):
    result = written(tmp_path, arm(**MASS))
    assert vars(result.energy).keys() == {"kinetic", "potential"}
    np.testing.assert_allclose(result.energy.kinetic, 0.5 * (M + J) * W**2, rtol=1e-12)
    height = result["arm"].position[:, 1]
    np.testing.assert_allclose(result.energy.potential, M * G * height, atol=1e-12)
    with refused("what", "energy.work"):
        result.columns("energy.work")


def test_without_masses_nothing_that_depends_on_them_is_stored(tmp_path):
    scene = arm()
    result = written(tmp_path, scene)
    assert not {*OF_MASSES, *OF_RUNS} & set(result.raw.keys())
    assert result.raw.attribute("bodies/mass") == [None] and not result.system.bodies[0].has_mass
    assert any("arm" in message.text and "masses" in message.text for message in result.raw.messages)
    np.testing.assert_allclose(result.coordinate("hinge.angle").value, W * result.time, atol=1e-9)
    registry = load_plugins()[0]
    heads = export(result, registry, tmp_path / "all.csv", [], {}).read_text().partition("\n")[0]
    assert not any(word in heads for word in ("force", "torque", "drive", "energy", "determined"))
    report = scene.analyze("kinematic", positions=3)
    said = "\n".join(report.whole())
    assert "masses" in said and "determined" not in said.partition("No row")[2]
    assert np.isnan(report.states.lam).all()
    assert "reactions" not in report.document()["redundancy"]


@pytest.mark.parametrize(
    "what",
    ["joint.hinge.force", "hinge.force.x", "hinge.angle.drive", "energy.kinetic", "arm.kinetic_energy"],
)
def test_without_masses_their_names_are_refused(tmp_path, what):
    with refused("what", what):
        written(tmp_path, arm()).columns(what)


def test_without_masses_forces_are_refused_wherever_they_are_asked_for(tmp_path):
    result = written(tmp_path, arm())
    with stopped(StoreError, "masses", "arm"):
        result.forces("arm")
    with refused("forces", True):
        script_of(result.raw, forces=True)
    assert "ARROW = 0.0" in script_of(result.raw)
    with refused("analyze", "kinematic"):
        arm(LOAD).analyze("kinematic", positions=3)


def test_reactions_that_joints_share_are_not_stored_as_determined(tmp_path):
    """A second hinge on the same axis shares forces across it."""
    second = hinge("second", "ground", "arm", axis=[0, 0, 1], at=[0, 0, 1])
    flags = written(tmp_path, arm(second, **MASS)).joint("hinge").determined
    alone = written(tmp_path / "alone", arm(**MASS)).joint("hinge").determined
    assert (alone == 2).all() and (flags == 1).any(axis=1).all()
