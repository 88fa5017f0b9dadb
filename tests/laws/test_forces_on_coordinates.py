"""Springs, dampers and forces on joint coordinates: closed forms, modes, equilibria, energies, messages."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from scene_text import NO_GRAVITY, body, joint, solver, table
from small_systems import pendulum

import mbplugin as mb

INERTIA, STIFFNESS, DAMPING, FREE, START = 0.3, 12.0, 0.06, 0.2, 0.5
SPRING = {"stiffness": STIFFNESS, "damping": DAMPING, "rest": FREE}
RK = {"tolerance": 1e-11, "end": 2.0}


def wheel(joint_keys=None, more="", kind="revolute", **keys):
    """A wheel of 0.3 kg m² on a hinge along z, or another joint; `keys` of the solver."""
    place = {"axis": [0, 0, 1]} | (joint_keys or {})
    return (
        NO_GRAVITY
        + body("wheel", mass=2.0, inertia=[0.1, 0.2, INERTIA])
        + joint("hinge", kind, "ground", "wheel", **place)
        + more
        + solver(**(keys or RK))
    )


def run(text, **keys):
    return mb.System.from_text(text).run(files=False, **keys)


def swing(t, inertia=INERTIA):
    """The angle of a damped torsion pendulum that is released at rest from START."""
    decay = DAMPING / (2 * inertia)
    omega = np.sqrt(STIFFNESS / inertia - decay**2)
    fade = np.exp(-decay * t) * (np.cos(omega * t) + decay / omega * np.sin(omega * t))
    return FREE + (START - FREE) * fade


@pytest.mark.parametrize(
    ("keys", "error"),
    [
        (RK, 1e-9),
        ({"type": "galpha", "step": 1e-3, "end": 2.0}, 2e-5),
        ({"type": "contact", "step": 2e-4, "end": 2.0}, 1e-6),
    ],
)
def test_a_torsion_pendulum_swings_as_its_closed_form(keys, error):
    result = run(wheel(SPRING | {"start": {"angle": START}}, **keys))
    angle = result.coordinate("hinge.angle").value
    np.testing.assert_allclose(angle, swing(result.time), atol=error)


def test_a_slider_has_a_spring_in_newtons_a_metre():
    keys = SPRING | {"axis": [1, 2, 2], "start": {"length": START}}
    result = run(wheel(keys, kind="translational"))
    np.testing.assert_allclose(
        result.coordinate("hinge.length").value, swing(result.time, inertia=2.0), atol=1e-9
    )


def test_its_energy_is_potential_and_its_damping_dissipates():
    result = run(wheel(SPRING | {"start": {"angle": START}}))
    angle, speed = (getattr(result.coordinate("hinge.angle"), key) for key in ("value", "speed"))
    energy = result.energy.potential
    np.testing.assert_allclose(energy, 0.5 * STIFFNESS * (angle - FREE) ** 2, atol=1e-10)
    lost = 0.5 * STIFFNESS * (START - FREE) ** 2 - energy - 0.5 * INERTIA * speed**2
    np.testing.assert_allclose(result.energy.dissipated, lost, atol=1e-9)
    assert np.abs(result.energy.balance).max() < 1e-9


def test_modes_have_the_stiffness_and_the_damping():
    """s² I + s c + k = 0, about the unloaded angle."""
    text = wheel(SPRING | {"start": {"angle": FREE}})
    (mode,) = mb.System.from_text(text).analyze("eigen").modes
    exact = next(s for s in np.roots([INERTIA, DAMPING, STIFFNESS]) if s.imag > 0)
    assert mode.s == pytest.approx(exact, rel=1e-9)


def test_a_universal_joint_is_as_stiff_about_each_axis_as_its_table_says():
    """About its centre of mass, ω² = k/I of each axis; the shaft itself does not turn."""
    keys = {"stiffness": {"angle_x": 40.0, "angle_y": 90.0}, "damping": {"angle_y": 0.2}, "axis": [0, 0, 1]}
    report = mb.System.from_text(wheel(keys, kind="universal")).analyze("eigen")
    exact = [np.roots([0.1, 0.0, 40.0])[0], np.roots([0.2, 0.2, 90.0])[0]]
    found = sorted((m.s for m in report.modes), key=abs)
    np.testing.assert_allclose([abs(s) for s in found], [abs(s) for s in exact], rtol=1e-9)
    np.testing.assert_allclose([s.real for s in found], [s.real for s in exact], atol=1e-9)


def test_a_pendulum_hangs_where_its_spring_holds_it():
    """k θ = m g l cos θ at rest, for a rod that would be horizontal at θ = 0."""
    report = mb.System.from_text(pendulum(stiffness=20.0)).analyze("static")
    theta = 0.0
    for _ in range(200):
        theta = 0.5 * 9.81 * np.cos(theta) / 20.0
    np.testing.assert_allclose(report.position[0], [0.5 * np.cos(theta), 0, -0.5 * np.sin(theta)], atol=1e-9)


def test_the_spring_of_a_planar_pin_has_the_zero_of_the_pin():
    """The angle is 0 as the scene is drawn, whatever the axes of named markers."""
    text = (
        NO_GRAVITY
        + body(
            "arm",
            type="planar",
            mass=1.0,
            inertia=0.3,
            marker=[{"name": "end", "position": [0, 0], "orientation": {"angle": 0.7}}],
        )
        + joint("pin", "pin", "ground", "arm.end", stiffness=STIFFNESS)
        + solver(**RK)
    )
    result = run(text)
    assert np.abs(result.coordinate("pin.angle").value).max() < 1e-14


@pytest.mark.parametrize(("given", "key"), [(STIFFNESS, ""), ({"angle": STIFFNESS}, ".angle")])
def test_a_changed_stiffness_needs_no_compilation(given, key):
    problem = mb.System.from_text(wheel(SPRING | {"start": {"angle": START}, "stiffness": given})).compile()
    problem.set_parameter(f"joint.hinge.stiffness{key}", 24.0)
    fresh = run(wheel(SPRING | {"start": {"angle": START}, "stiffness": 24.0}))
    np.testing.assert_array_equal(
        problem.run().coordinate("hinge.angle").value, fresh.coordinate("hinge.angle").value
    )


def test_a_motor_on_a_coordinate_acts_on_one_body_and_against_the_other():
    """Two wheels on one axis: each gets its angular momentum from the motor alone."""
    text = (
        NO_GRAVITY
        + body("a", mass=1.0, inertia=[0.1, 0.1, 0.2])
        + body("b", mass=1.0, inertia=[0.3, 0.3, 0.5])
        + joint("bearing", "revolute", "ground", "a", axis=[0, 0, 1])
        + joint("shaft", "revolute", "a", "b", axis=[0, 0, 1])
        + table("force", type="joint_force", name="motor", joint="shaft", torque="3*cos(time)")
        + solver(**RK)
    )
    result = run(text)
    momentum = 3 * np.sin(result.time)
    np.testing.assert_allclose(0.5 * result["b"].angular_velocity[:, 2], momentum, atol=1e-9)
    np.testing.assert_allclose(0.2 * result["a"].angular_velocity[:, 2], -momentum, atol=1e-9)
    speed = result.coordinate("shaft.angle").speed
    np.testing.assert_allclose(speed, momentum / 0.5 + momentum / 0.2, atol=1e-9)


def test_each_coordinate_of_a_joint_has_a_force_of_its_own():
    more = "".join(
        table("force", type="joint_force", joint="hinge", coordinate=name, **load)
        for name, load in (("length", {"force": "4"}), ("angle", {"torque": "0.6"}))
    )
    result = run(wheel(kind="cylindrical", more=more))
    t = result.time
    np.testing.assert_allclose(result.coordinate("hinge.length").value, 0.5 * 4 / 2.0 * t**2, atol=1e-9)
    np.testing.assert_allclose(result.coordinate("hinge.angle").value, 0.5 * 0.6 / INERTIA * t**2, atol=1e-9)


@pytest.mark.parametrize("kind", ["torsion_spring_damper", "joint_spring_damper"])
def test_a_force_element_stands_on_a_coordinate(kind):
    free = {"angle" if kind == "torsion_spring_damper" else "rest": FREE}
    keys = {"stiffness": STIFFNESS, "damping": DAMPING} | free
    spring = table("force", type=kind, name="spring", joint="hinge", **keys)
    result = run(wheel({"start": {"angle": START}}, spring))
    np.testing.assert_allclose(result.coordinate("hinge.angle").value, swing(result.time), atol=1e-9)


def test_the_spring_of_a_joint_is_found_by_name():
    keys = {"stiffness": {"length": 50.0, "angle": STIFFNESS}, "start": {"angle": START, "length": 0.0}}
    result = run(wheel(keys, kind="cylindrical"))
    spring = result.force("hinge_angle_spring")
    angle = result.coordinate("hinge.angle").value
    np.testing.assert_allclose(spring.energy, 0.5 * STIFFNESS * angle**2, atol=1e-12)
    assert not result.force("hinge_length_spring").energy.any()


SPRING_FORCE = {"type": "torsion_spring_damper", "stiffness": 1.0}


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (wheel({"stiffness": 1.0}, kind="ball"), "joint[0].stiffness"),
        (wheel({"stiffness": 1.0}, kind="cylindrical"), "joint[0].stiffness"),
        (wheel({"stiffness": {"angel": 1.0}}), "joint[0].stiffness.angel"),
        (wheel({"damping": {"angle": -1.0}}), "joint[0].damping.angle"),
        (wheel({"damping": -1.0}), "joint[0].damping"),
        (wheel({"rest": 1.0}), "joint[0].rest"),
        (wheel({"stiffness": 1.0, "free": 1.0}), "joint[0].free"),
        (wheel({"limits": [1, 0]}), "joint[0].limits"),
        (wheel({"friction": 0.1}), "joint[0].friction"),
        (wheel({"effort": 5}, kind="translational"), "joint[0].effort"),
        (wheel(more=table("force", type="joint_force", torque="1")), "force[0]"),
        (wheel(more=table("force", type="joint_force", joint="hing", torque="1")), "force[0].joint"),
        (wheel(more=table("force", type="joint_force", joint="hinge", force="1")), "force[0].force"),
        (wheel(more=table("force", type="joint_force", joint="hinge")), "force[0].torque"),
        (wheel(more=table("force", type="joint_force", joint="hinge", a="ground", torque="1")), "force[0].a"),
        (
            wheel(more=table("force", type="joint_force", joint="hinge", torque="1"), kind="cylindrical"),
            "force[0].joint",
        ),
        (wheel(more=table("force", type="spring_damper", joint="hinge", stiffness=1.0)), "force[0].joint"),
        (wheel(more=table("force", joint="hinge", **SPRING_FORCE), kind="translational"), "force[0].joint"),
        (
            wheel(more=table("force", coordinate="angle", a="ground", b="wheel", **SPRING_FORCE)),
            "force[0].coordinate",
        ),
    ],
)
def test_what_does_not_fit_is_refused(text, key):
    with refused(key):
        run(text)
