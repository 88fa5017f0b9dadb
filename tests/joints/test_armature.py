"""Inertia on joint coordinates, against closed forms."""

import numpy as np
import pytest
from refusals import refused
from scene_text import body, joint, solver
from small_systems import FREE_BODY, pendulum

import mbplugin as mb

G = 9.81
#: of a bob of mass 2 at the distance 0.5 from its hinge
MOMENT = 0.1 + 2 * 0.5**2


def swing(keys="armature = 0.3", solver="", inertia=(0.1, 0.1, 0.1)):
    """The pendulum of this moment; `keys` of its hinge and of the solver, as lines."""
    bob = pendulum("bob", "hinge", [0, 0, -0.5], 2, inertia)
    return mb.System.from_text(f"{bob}{keys}\n[solver]\n{solver}\n")


@pytest.mark.parametrize("method", ["constraint_force", "kkt", "newton_euler"])
def test_a_pendulum_accelerates_by_the_sum_of_its_moment_and_the_armature(method):
    keys = "armature = 0.3\nstart = { angle = 0.7, speed = 1.5 }\ndamping = 0.2"
    simulation = swing(keys, f'method = "{method}"').simulate()
    expected = (-2 * G * 0.5 * np.sin(0.7) - 0.2 * 1.5) / (MOMENT + 0.3)
    assert simulation["bob"].angular_acceleration == pytest.approx([0, expected, 0], abs=1e-12)


@pytest.mark.parametrize("coordinates", ["maximal", "joint"])
def test_the_energy_of_the_rotor_is_kinetic_energy(coordinates):
    keys = "armature = 0.3\nstart = { angle = 2.0, speed = 1.5 }"
    solver = f'end = 3.0\ntolerance = 1e-9\ncoordinates = "{coordinates}"'
    result = swing(keys, solver).run(files=False)
    speed = result.coordinate("hinge.angle").speed
    assert result.energy.kinetic == pytest.approx(0.5 * (MOMENT + 0.3) * speed**2, abs=1e-8)
    total = result.energy.kinetic + result.energy.potential
    assert np.ptp(total) < 1e-6
    assert result.bodies == ["bob"]


@pytest.mark.parametrize("given", ["first", "impulse"])
def test_the_rotor_turns_with_the_velocity_that_a_body_is_given(given):
    tables = swing().tables()
    body = tables["body"][0] | {"angular_velocity": [0, 3.0, 0], "velocity": [-1.5, 0, 0]}
    scene = {
        "given_velocities": given
    }  # an impulse of the joints would slow the bob if the rotor were at rest
    result = mb.System(body=[body], joint=tables["joint"], scene=scene, solver={"end": 0.01}).run(files=False)
    assert result.coordinate("hinge.angle").speed[0] == pytest.approx(3.0, abs=1e-12)
    assert result.energy.kinetic[0] == pytest.approx(0.5 * (MOMENT + 0.3) * 9.0)


@pytest.mark.parametrize(
    ("solver", "close"), [('type = "galpha"\nstep = 1e-4', 1e-6), ("tolerance = 1e-10", 1e-8)]
)
def test_full_turns_of_a_pendulum_with_a_rotor_are_those_of_a_heavier_one(solver, close):
    """A moment on the bob about the hinge's axis and an armature of the same size move it alike."""
    keys = "start = { angle = 0.1, speed = 9.0 }"
    with_rotor = swing(f"armature = 0.3\n{keys}", f"{solver}\nend = 1.0").run(files=False)
    heavy = swing(keys, f"{solver}\nend = 1.0", inertia=[0.4] * 3)
    reference = heavy.run(files=False).coordinate("hinge.angle").value
    assert reference[-1] > 2 * np.pi
    assert with_rotor.coordinate("hinge.angle").value == pytest.approx(reference, abs=close)


def test_a_mass_on_a_spring_swings_with_its_mass_and_the_armature():
    system = mb.System.from_text("""
        [scene]
        gravity = [0, 0, 0]
        [[body]]
        name = "cart"
        mass = 2
        inertia = [1, 1, 1]
        [[joint]]
        name = "rail"
        type = "translational"
        a = "ground"
        b = "cart"
        axis = [1, 0, 0]
        armature = 1.5
        stiffness = 100
        """)
    (mode,) = system.analyze("eigen").frequencies
    assert mode == pytest.approx(np.sqrt(100 / 3.5), rel=1e-9)


def test_each_coordinate_of_a_joint_has_its_own():
    """A Cardan joint at rest: J_x about the axis of a, J_y about that of b, with rotors added to each."""
    system = mb.System.from_text("""
        [scene]
        gravity = [0, 0, 0]
        [[body]]
        name = "disc"
        mass = 1
        inertia = [0.2, 0.3, 0.4]
        [[joint]]
        name = "cardan"
        type = "universal"
        a = "ground"
        b = "disc"
        axis = [0, 0, 1]
        armature = { angle_x = 0.5, angle_y = 0.1 }
        [[force]]
        type = "torque"
        body = "disc"
        torque_x = 2.0
        torque_y = 3.0
        """)
    assert system.simulate()["disc"].angular_acceleration[:2] == pytest.approx([2.0 / 0.7, 3.0 / 0.4])


@pytest.mark.parametrize("coordinates", ["maximal", "joint"])
@pytest.mark.parametrize("rotors", [{"length": 0.7}, {"angle": 0.02}, {"length": 0.7, "angle": 0.02}])
def test_the_rotors_of_a_screw_act_on_both_of_its_coordinates(coordinates, rotors):
    """Of its angle the inertia is I + a + (m + b) p² with p the length of a radian, under the force m g p."""
    mass, moment, pitch = 2.0, 0.03, 0.05
    p = pitch / (2 * np.pi)
    nut = body("nut", mass=mass, inertia=[0.02, 0.02, moment])
    screw = joint("screw", "screw", "ground", "nut", axis=[0, 0, 1], pitch=pitch, armature=rotors)
    system = mb.System.from_text(nut + screw + solver(coordinates=coordinates, end=0.3))
    inertia = moment + rotors.get("angle", 0.0) + (mass + rotors.get("length", 0.0)) * p**2
    result = system.run(files=False)
    angle = -0.5 * mass * G * p / inertia * result.time**2
    np.testing.assert_allclose(result.coordinate("screw.angle").value, angle, atol=1e-10)
    np.testing.assert_allclose(result.coordinate("screw.length").value, p * angle, atol=1e-12)
    assert not [message for message in result.messages if message.level == "warning"]
    assert system.simulate().mass_matrix() == pytest.approx(np.array([[inertia]]), rel=1e-14)


@pytest.mark.parametrize("coordinates", ["maximal", "joint"])
@pytest.mark.parametrize("armature", [1e8, 1e9, 1e12])
def test_a_joint_with_a_heavy_armature_starts_where_it_is_told_to(coordinates, armature):
    """The weight of the bob is nothing beside it: the speed stays."""
    keys = f"armature = {armature}\nstart = {{ angle = 0.7, speed = 1.5 }}"
    system = swing(keys, f'end = 0.2\ncoordinates = "{coordinates}"')
    angle = system.run(files=False).coordinate("hinge.angle")
    assert angle.value == pytest.approx(
        0.7 + 1.5 * np.linspace(0.0, 0.2, len(angle.value)), abs=2 * G / armature
    )
    assert system.analyze("position").steps[-1][1] < 1e-14


@pytest.mark.parametrize("armature", [0.3, 1e9, 1e12])
@pytest.mark.parametrize("key", ["angle", "angle_velocity"])
def test_a_motion_drives_a_heavy_armature(armature, key):
    motion = {"angle": "0.7 + 1.5*time", "angle_velocity": "1.5"}[key]
    drive = f'armature = {armature}\n[[motion]]\njoint = "hinge"\n{key} = "{motion}"'
    speed = swing(drive, "end = 0.2").run(files=False).coordinate("hinge.angle").speed
    assert speed == pytest.approx(np.full(len(speed), 1.5), abs=1e-9)


def test_another_value_is_as_if_compiled_with_it():
    problem = swing("armature = 0.3\nstart = { angle = 0.7 }").compile()
    problem.set_parameter("joint.hinge.armature", 0.9)
    acceleration = problem.simulate()["bob"].angular_acceleration[1]
    assert acceleration == pytest.approx(-2 * G * 0.5 * np.sin(0.7) / (MOMENT + 0.9))


@pytest.mark.parametrize(
    ("keys", "key"),
    [
        ("armature = -1", "joint[0].armature"),
        ("armature = { turn = 1 }", "joint[0].armature.turn"),
        ('armature = "heavy"', "joint[0].armature"),
    ],
)
def test_what_is_no_armature_is_refused_by_its_key(keys, key):
    with refused(key):
        swing(keys).compile()


def test_a_ball_joint_has_no_coordinate_for_one():
    text = FREE_BODY + joint("held", "ball", "ground", "a", armature=1)
    with refused("joint[0].armature", 1):
        mb.System.from_text(text).compile()
