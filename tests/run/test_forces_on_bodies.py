"""All that acts on a body adds up to its accelerations, and each part is what its law says."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from scene_text import SCENES as BUNDLED
from scene_text import body, force, joint, motion, solver, spring, table, world
from small_systems import SWING

import mbplugin as mb
import mbplugin.api
from mbplugin.api import System
from mbplugin.hooks.load import load_plugins
from mbplugin.interface import ForceKind, hookimpl
from mbplugin.model.orientation import matrix

END = "[output]\nframes = 40\nseries = false\n" + solver(end=1.0)
AXIS = [0, 1, 0]
DOUBLE = (
    SWING
    + body("lower", mass=2.0, inertia=[0.02, 0.2, 0.2], position=[1.5, 0, 0])
    + joint("elbow", "revolute", "rod", "lower", at=[1, 0, 0], axis=AXIS)
    + force("lower", "wind", x="sin(5*time)")
)
#: a crank on a torsion spring, driven by a motion; a spring holds the piston
SLIDER_CRANK = (
    world(marker=[{"name": "anchor", "position": [1.0, 0.0, 0.5]}])
    + body("crank", mass=1.0, inertia=[0.01, 0.01, 0.01], position=[0.1, 0, 0.1])
    + body("rod", mass=2.0, inertia=[0.01, 0.05, 0.05], position=[0.4, 0, 0.1])
    + body("piston", mass=3.0, inertia=[0.02, 0.02, 0.02], position=[0.6, 0, 0])
    + joint("bearing", "revolute", "ground", "crank", at=[0, 0, 0], axis=AXIS)
    + joint("pin", "revolute", "crank", "rod", at=[0.2, 0, 0.2], axis=AXIS)
    + joint("wrist", "point_on_line", "rod", "piston", at=[0.6, 0, 0], axis=AXIS)
    + joint("guide", "translational", "ground", "piston", at=[0.6, 0, 0], axis=[1, 0, 0])
    + motion("bearing", angle="3*time + 0.5*time**2")
    + spring("ground.anchor", "piston", name="spring", stiffness=400.0, damping=20.0, length=0.2)
    + table("force", name="twist", type="torsion_spring_damper", joint="bearing", stiffness=5.0, damping=0.3)
)
#: two shafts with a cardan joint between them, and an arm that a ball joint and a spring hold
IN_SPACE = (
    body("shaft", mass=1.0, inertia=[0.02, 0.05, 0.05], angular_velocity=[4.0, 0, 0])
    + body("driven", mass=1.5, inertia=[0.03, 0.06, 0.07], position=[1, 0, 0], angular_velocity=[4.0, 0, 0])
    + body("arm", mass=0.5, inertia=[0.01, 0.02, 0.02], position=[2, 0.4, 0])
    + joint("bearing", "revolute", "ground", "shaft", at=[-0.5, 0, 0], axis=[1, 0, 0])
    + joint("cardan", "universal", "shaft", "driven", at=[0.5, 0, 0], axis=[1, 0, 0])
    + joint("ball", "ball", "driven", "arm", at=[1.5, 0, 0])
    + spring("shaft", "arm", name="spring", stiffness=30.0, damping=1.0)
)
SCENES = {"pendulum": SWING, "double": DOUBLE, "slider-crank": SLIDER_CRANK, "in space": IN_SPACE}


@pytest.fixture(scope="module")
def results():
    return {name: System.from_text(text + END).run(files=False) for name, text in SCENES.items()}


def needed(result, name):
    """m a and J ω̇ + ω × J ω, from the stored accelerations."""
    mass = next(b for b in result.system.bodies if b.name == name).mass_properties()
    seen = result[name]
    R = np.array([matrix(q) for q in seen.orientation])
    J = R @ mass.inertia @ R.transpose(0, 2, 1)
    spin = np.einsum("nij,nj->ni", J, seen.angular_velocity)
    torque = np.einsum("nij,nj->ni", J, seen.angular_acceleration) + np.cross(seen.angular_velocity, spin)
    return mass.mass * seen.acceleration, torque


def largest(values):
    return np.abs(values).max()


@pytest.mark.parametrize("name", SCENES)
def test_the_sums_are_the_rates_of_momentum_of_every_body(results, name):
    result = results[name]
    for body_name in result.bodies:
        found = result.forces(body_name)
        force_needed, torque_needed = needed(result, body_name)
        every = [*found.applied.values(), *found.constraint.values()]
        size = max(largest(one.force) for one in every)
        assert size > 1.0
        assert largest(found.force - force_needed) < 1e-10 * size
        assert largest(found.torque - torque_needed) < 1e-10 * max(size, largest(torque_needed))


def test_each_force_stands_in_its_list_by_its_name(results):
    names = lambda result, name: (list(result.forces(name).applied), list(result.forces(name).constraint))
    crank = results["slider-crank"]
    assert names(crank, "crank") == (["gravity", "twist"], ["bearing", "bearing motion", "pin"])
    assert names(crank, "piston") == (["gravity", "spring"], ["wrist", "guide"])
    assert names(results["in space"], "driven") == (["gravity"], ["cardan", "ball"])
    assert names(results["double"], "lower") == (["gravity", "wind"], ["elbow"])


def test_a_pendulum_has_the_pivot_force_of_the_text_book(results):
    """Along the rod m (g sin φ + l φ̇²), across it m g cos φ (1 − m l²/(J + m l²)); l = 0.5 m, m = 1 kg, J =
    0.1 kg m², φ below the horizontal.
    """
    found, angle = results["pendulum"].forces("rod"), results["pendulum"].coordinate("pivot.angle")
    phi = angle.value
    along, across = 9.81 * np.sin(phi) + 0.5 * angle.speed**2, 9.81 * np.cos(phi) * (1 - 0.25 / 0.35)
    expected = np.stack(
        [-along * np.cos(phi) + across * np.sin(phi), 0 * phi, along * np.sin(phi) + across * np.cos(phi)], 1
    )
    assert np.allclose(found.constraint["pivot"].force, expected, atol=1e-10)
    lever = np.stack([-0.5 * np.cos(phi), 0 * phi, 0.5 * np.sin(phi)], 1)
    assert np.allclose(found.constraint["pivot"].torque, np.cross(lever, expected), atol=1e-10)
    assert np.array_equal(found.applied["gravity"].force, np.tile([0.0, 0.0, -9.81], (len(phi), 1)))


def test_spring_motor_and_torsion_spring_are_those_of_their_laws(results):
    result = results["slider-crank"]
    line = result["piston"].position - [1.0, 0.0, 0.5]
    length = np.linalg.norm(line, axis=1)
    rate = np.einsum("ij,ij->i", line, result["piston"].velocity) / length
    law = (-400.0 * (length - 0.2) - 20.0 * rate)[:, None] * line / length[:, None]
    on_piston = result.forces("piston").applied["spring"]
    assert np.allclose(on_piston.force, law, rtol=1e-12, atol=1e-10)
    assert np.array_equal(on_piston.force, result.force("spring").wrench[:, :3])
    crank, angle = result.forces("crank"), result.coordinate("bearing.angle")
    assert np.allclose(crank.constraint["bearing motion"].torque @ AXIS, angle.drive, atol=1e-12)
    assert np.allclose(
        crank.applied["twist"].torque @ AXIS, -5.0 * angle.value - 0.3 * angle.speed, atol=1e-12
    )


def test_what_a_joint_does_to_one_body_it_does_the_other_way_to_the_other(results):
    result = results["in space"]
    on_shaft, on_driven = (result.forces(name).constraint["cardan"] for name in ("shaft", "driven"))
    assert np.allclose(on_shaft.force, -on_driven.force, atol=1e-12)
    arm = result["driven"].position - result["shaft"].position
    about_shaft = on_driven.torque + np.cross(arm, on_driven.force)
    assert np.allclose(on_shaft.torque, -about_shaft, atol=1e-12)
    # the cross carries no torque about its two axes, and one about the third
    assert largest(result.joint("cardan").local_torque) > 0.1


class Third(ForceKind):
    """A force of a plugin on three markers: pulls the first up, and the two others half as much down."""

    name = "third"
    markers = 3

    @staticmethod
    def kernel(m, wrench, energy, power):
        for slot in range(3):
            for c in range(6):
                wrench[slot, c] = 0.0
        wrench[0, 2], wrench[1, 2], wrench[2, 2] = 4.0, -2.0, -2.0
        energy[0] = 0.0
        power[0] = 4.0 * m[0].v[2] - 2.0 * m[1].v[2] - 2.0 * m[2].v[2]


class Plugin:
    @hookimpl
    def mbplugin_force_elements(self, register):
        register(Third)


def test_a_force_of_a_plugin_is_listed_on_each_body_that_it_acts_on(monkeypatch):
    registry, found = load_plugins(strict=True, extra=[("own", Plugin())])
    monkeypatch.setattr(mbplugin.api, "plugins", lambda: (registry, found))
    text = DOUBLE + table("force", name="third", type="third", markers=["rod", "lower", "lower"]) + END
    result = System.from_text(text).run(files=False)
    assert np.array_equal(result.forces("rod").applied["third"].force[3], [0, 0, 4])
    assert np.array_equal(result.forces("lower").applied["third"].force[3], [0, 0, -4])
    for name in result.bodies:
        assert largest(result.forces(name).force - needed(result, name)[0]) < 1e-10


def test_contacts_are_applied_forces_by_the_names_of_the_others():
    result = System.from_file(BUNDLED / "block_on_incline" / "scene.toml").run(files=False, end=0.2)
    found = result.forces("block")
    assert list(found.applied) == ["gravity", "contact with ground"]
    pair = result.contact("ground", "block")
    assert np.array_equal(found.applied["contact with ground"].force, pair.force)
    # also in frames that rounding puts just behind the start of a step
    assert largest(found.force - needed(result, "block")[0]) < 1e-8


def test_the_dataset_has_names_times_and_parts(results):
    pytest.importorskip("xarray")
    result = results["slider-crank"]
    data = result.forces("piston").dataset()
    assert data.force.dims == ("time", "element", "xyz") and data.attrs["body"] == "piston"
    assert np.array_equal(data.time, result.time)
    assert np.array_equal(data.torque.sum("element"), result.forces("piston").torque)
    assert list(data.element.where(data.part == "applied", drop=True)) == ["gravity", "spring"]
    assert "guide" in repr(result.forces("piston"))


def test_a_stored_run_gives_the_same(tmp_path, results):
    out = tmp_path / "out"
    System.from_text(DOUBLE + END).run(out)
    stored, kept = mb.load(out).forces("rod"), results["double"].forces("rod")
    assert np.array_equal(stored.force, kept.force) and np.array_equal(stored.torque, kept.torque)


def test_an_unknown_body_is_refused_with_the_nearest_name(results):
    with refused("body", "lowr"):
        results["double"].forces("lowr")
