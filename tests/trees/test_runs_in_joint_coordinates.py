"""Runs in joint coordinates: laws of mechanics, and the same runs in maximal coordinates."""

from __future__ import annotations

import numpy as np
import pytest
import random_trees
from runs_in_both import differences, in_both, same_events
from scene_text import body, force, hinge, joint, motion, solver, table, torque, world
from scipy.spatial.transform import Rotation
from tiers import few_first

import mbplugin as mb
from mbplugin.errors import PhysicsError

FRAMES = "[output]\nframes = 10\n"
END = 0.3
#: of positions, relative; and of the times of events [s], which a chattering end of impacts moves
TOLERANCE, EVENT = 1e-9, 1e-8
SEEDS = {
    random_trees.random_tree: (6, 60),
    random_trees.random_mechanism: (4, 60),
    random_trees.random_vehicle: (3, 40),
    random_trees.random_linkage: (2, 20),
}
#: what a run may end with: mechanisms that are drawn contradictory, or are driven to where they cannot pass,
#: and shafts that bend to a right angle
ENDS = ("contradict each other", "cannot pass", "coordinates do not describe its motion")


def cases(seeds):
    return [
        pytest.param(
            draw, seed, id=f"{draw.__name__}-{seed}", marks=() if seed < default else pytest.mark.slow
        )
        for draw, (default, most) in seeds.items()
        for seed in range(most)
    ]


@pytest.mark.parametrize(("draw", "seed"), cases(SEEDS))
def test_generated_systems_move_as_in_maximal_coordinates(draw, seed):
    text = draw(seed).text(tolerance=1e-11, end=END) + FRAMES
    try:
        maximal, joint = in_both(text)
    except PhysicsError as error:
        assert any(end in str(error) for end in ENDS), text
        pytest.skip(str(error))
    found = differences(maximal, joint)
    assert max(found.values()) < TOLERANCE, f"{found}\n{text}"


#: limits that are struck again and again at the end of a series, in another order with other rounding
CHATTERING = (33, 52, 79, 96)


@pytest.mark.parametrize(
    ("draw", "seed"),
    [case for case in cases({random_trees.random_bounded: (6, 100)}) if case.values[1] not in CHATTERING],
)
def test_events_are_those_of_maximal_coordinates(draw, seed):
    """Impacts at limits, hard and soft, dry friction, clutches, motors of little effort, ropes, inputs and
    forces that jump or cease.
    """
    text = draw(seed).text(tolerance=1e-11, end=END) + FRAMES
    try:
        maximal, joint = in_both(text)
    except PhysicsError as error:
        assert ENDS[-1] in str(error), text
        pytest.skip(str(error))
    same_events(maximal, joint, EVENT)
    found = differences(maximal, joint)
    assert max(found.values()) < 100.0 * TOLERANCE, f"{found}\n{text}"


# laws


class Bodies:
    """Momenta and energy of a result, from poses and velocities alone."""

    def __init__(self, text: str, result: mb.Result) -> None:
        self.bodies = mb.System.from_text(text).bodies
        get = lambda key: np.asarray(result.raw[f"bodies/{key}"][:])
        self.x, self.v, self.w = map(get, ("center_of_mass", "center_of_mass_velocity", "angular_velocity"))
        self.q = get("orientation")
        properties = [one.mass_properties() for one in self.bodies]
        self.m = np.array([one.mass for one in properties])
        self.J = [np.array(one.inertia) for one in properties]

    def spin(self, frame: int, k: int) -> np.ndarray:
        """(3,) angular momentum of body k about its mass centre."""
        R = Rotation.from_quat(self.q[frame, k, [1, 2, 3, 0]]).as_matrix()
        return R @ self.J[k] @ R.T @ self.w[frame, k]

    def momenta(self, frame: int) -> np.ndarray:
        """(6,) momentum, and angular momentum about the origin."""
        p = self.m[:, None] * self.v[frame]
        L = np.cross(self.x[frame], p).sum(axis=0)
        return np.concatenate([p.sum(axis=0), L + sum(self.spin(frame, k) for k in range(len(self.m)))])

    def kinetic(self, frame: int) -> float:
        turning = sum(self.w[frame, k] @ self.spin(frame, k) for k in range(len(self.m)))
        return 0.5 * float(self.m @ (self.v[frame] ** 2).sum(axis=-1) + turning)


@pytest.mark.parametrize("seed", few_first(range(3)))
def test_momenta_of_a_flying_tree_are_kept_to_the_order_of_the_method(seed):
    """Springs and dampers between its bodies change neither, joint coordinates are no inertial ones: the
    error of rk4 falls with the fourth power of the step.
    """
    errors = []
    steps = (1 / 200, 1 / 400, 1 / 800)
    for step in steps:
        how = {"integrator": "rk4", "step": step, "end": 1.0, "tolerance": None}
        text = random_trees.flying_tree(seed).text(**how) + "[output]\nframes = 1\n"
        bodies = Bodies(text, mb.System.from_text(text).run(files=False))
        errors.append(np.abs(bodies.momenta(-1) - bodies.momenta(0)).max())
    order = -np.polyfit(np.log(steps), np.log(errors), 1)[0]
    assert -order == pytest.approx(4.0, abs=0.1), errors
    assert errors[-1] < 1e-7


@pytest.mark.parametrize("seed", few_first(range(4)))
def test_a_falling_tree_keeps_its_energy(seed):
    scene = random_trees.falling_tree(seed)
    text = scene.text(tolerance=1e-10, end=1.0) + FRAMES
    bodies = Bodies(text, mb.System.from_text(text).run(files=False))
    height = bodies.x @ -np.array(scene.gravity)
    energy = [bodies.kinetic(k) + bodies.m @ height[k] for k in range(len(bodies.x))]
    assert np.ptp(height @ bodies.m) > 1.0
    assert np.ptp(energy) < 1e-8 * np.ptp(height @ bodies.m)


# turns


def wheel(name: str, J: float, x: float) -> str:
    about = body(name, mass=1.5, inertia=[J, J, J], position=[x, 0, 0])
    return about + joint(f"of_{name}", "revolute", "ground", name, at=[x, 0, 0], axis=[0, 0, 1])


WHEELS = world(gravity=[0, 0, 0]) + wheel("one", 0.4, 0.0) + wheel("two", 0.9, 0.35)
RADII, TORQUE = (0.1, 0.25), 30.0


def angles(more: str) -> tuple[np.ndarray, np.ndarray]:
    """Times of frames, and both angles."""
    how = solver(tolerance=1e-10, end=2.0, coordinates="joint")
    result = mb.System.from_text(WHEELS + more + how + "[output]\nframes = 8\n").run(files=False)
    return np.asarray(result.time), np.asarray(result.raw["coordinates/value"][:])


def test_gears_count_turns_however_long_a_step_is():
    """(J₁ + J₂ (r₁/r₂)²) θ̈₁ = T: of constant accelerations a step is as long as it may be."""
    mesh = table("joint", name="mesh", type="gear", joints=["of_one", "of_two"], radii=RADII)
    t, value = angles(mesh + torque("one", z=TORQUE))
    ratio = RADII[0] / RADII[1]
    one = 0.5 * TORQUE / (0.4 + 0.9 * ratio**2) * t**2
    assert one[-1] > 100.0
    np.testing.assert_allclose(value, np.column_stack([one, -ratio * one]), atol=1e-8)


def test_motions_that_follow_an_angle_count_turns():
    t, value = angles(motion("of_one", angle="7*time") + motion("of_two", angle="-1*of_one.angle"))
    np.testing.assert_allclose(value, np.column_stack([7 * t, -7 * t]), atol=1e-9)


# loops across whose plane rows move nothing


def four_bar(more: str = "", **keys) -> str:
    """Hinges about x of the world; `keys` of the last one, which closes the loop."""
    text = world(gravity=[0, 2.0, -9.81])
    for name, place in (("crank", [0, 0, 0.15]), ("coupler", [0, 0.4, 0.4]), ("rocker", [0, 0.8, 0.25])):
        text += body(name, mass=1.0, inertia=[0.02, 0.03, 0.04], position=place)
    about = {"axis": [1, 0, 0]}
    text += hinge("A", "ground", "crank", **about) + hinge("B", "crank", "coupler", [0, 0, 0.3], **about)
    text += hinge("C", "coupler", "rocker", [0, 0.8, 0.5], **about)
    text += hinge("D", "ground", "rocker", [0, 0.8, 0], **about, **keys)
    return text + more + solver(tolerance=1e-11, end=0.2) + FRAMES


PENALTY = {"type": "penalty", "stiffness": 1e4, "damping": 10.0, "angular_stiffness": 1e3}
BOB = body("bob", mass=1, inertia=[0.02, 0.03, 0.04], position=[0, 2, 0])
TIED = BOB + joint("hung", "ball", "bob", "ground", at=[0, 1.5, 0]) + joint("tie", "rod", "bob", "rocker")
ACROSS = {
    "nothing": four_bar(),
    "a compliance": four_bar(enforce=PENALTY),
    "its reaction": four_bar(force("crank", y="0.1*reaction(D.fx)")),
    "its reaction beside that of a later joint": four_bar(
        TIED + force("crank", y="0.1*reaction(tie.force) + 0.2*reaction(D.fx)")
    ),
    "an acceleration": four_bar(torque("crank", x="-0.3*acceleration(D.angle)")),
    "dry friction": four_bar(friction_torque=0.3),
    "limits": four_bar(limits=[-0.02, 0.02], restitution=0.4),
    "a release": four_bar(release="time > 0.1"),
    "an armature": four_bar(armature=0.3),
}


@pytest.mark.parametrize("what", ACROSS)
def test_a_joint_that_closes_a_loop_in_a_plane_may_have(what):
    maximal, joint = in_both(ACROSS[what])
    same_events(maximal, joint, EVENT)
    found = differences(maximal, joint)
    assert max(found.values()) < TOLERANCE, found


def test_a_rope_to_a_body_that_is_welded_to_the_ground_moves_nothing():
    text = (
        world(marker=[{"name": "eye", "position": [0, 0, 1]}])
        + body("block", mass=1, inertia=[1, 1, 1], marker=[{"name": "eye"}])
        + joint("weld", "fixed", "ground", "block")
        + joint("rope", "rope", "ground.eye", "block.eye", length=1.5)
        + body("bob", mass=1, inertia=[1, 1, 1], position=[0, 0.3, -1])
        + joint("pin", "ball", "block", "bob")
        + solver(tolerance=1e-11, end=0.2)
        + FRAMES
    )
    maximal, joint_ = in_both(text)
    found = differences(maximal, joint_)
    assert max(found.values()) < TOLERANCE, found


def test_a_row_that_presses_on_friction_is_found_behind_a_joint_that_carries():
    """A block on a gap with friction slides down a slope beside a pendulum."""
    text = (
        world(gravity=[0, 6, -9.81])
        + body("bob", mass=1, inertia=[0.1, 0.1, 0.1], position=[5, 0.5, 0])
        + joint("pin", "revolute", "ground", "bob", at=[5, 0, 0], axis=[1, 0, 0])
        + body("block", mass=2, inertia=[1, 1, 1])
        + joint("upright", "orientation", "ground", "block")
        + table(
            "joint",
            name="floor",
            type="unilateral",
            gap="component_z(ground, block)",
            slip="rate(component_y(ground, block))",
            friction=0.3,
        )
        + solver(tolerance=1e-11, end=0.5)
        + FRAMES
    )
    maximal, joint_ = in_both(text)
    found = differences(maximal, joint_)
    assert max(found.values()) < TOLERANCE, found
    y = joint_["block"].position[:, 1]
    assert y == pytest.approx(0.5 * (6 - 0.3 * 9.81) * np.asarray(joint_.time) ** 2, abs=1e-9)


def test_a_linear_model_is_that_in_maximal_coordinates():
    """About an equilibrium that is searched: poles of a pendulum, ±i √(m g l / J) on its hinge."""
    text = body("bob", mass=2, inertia=[0.1, 0.1, 0.1], position=[0, 0, -0.5])
    text += joint("pin", "revolute", "ground", "bob", axis=[0, 1, 0])
    model = mb.System.from_text(text + solver(coordinates="joint")).linearize(about="static")
    poles = np.linalg.eigvals(model.A)
    assert np.sort(poles.imag)[[0, -1]] == pytest.approx(np.sqrt(2 * 9.81 * 0.5 / 0.6) * np.array([-1, 1]))


# simulations that a program steps


def test_inputs_changes_and_saved_states_are_those_of_maximal_coordinates():
    ends = []
    for coordinates in ("maximal", "joint"):
        text = table("input", name="u") + four_bar(torque("crank", x="u") + TIED, armature=0.1)
        system = mb.System.from_text(text)
        system.solver.raw["coordinates"] = coordinates
        simulation = system.simulate()
        simulation.inputs["u"] = 1.5
        simulation.step(0.05)
        saved = simulation.save()
        simulation.deactivate("tie")
        simulation.inputs["u"] = -0.5
        simulation.step(0.05)
        first = picture(simulation)
        simulation.load(saved)
        simulation.step(0.02)
        simulation.inputs["u"] = 0.2
        simulation.step(0.03)
        ends.append((first, picture(simulation)))
    for a, b in zip(*ends):
        np.testing.assert_allclose(a, b, atol=1e-9)


def picture(simulation) -> np.ndarray:
    bodies = [simulation[name] for name in ("crank", "coupler", "rocker", "bob")]
    parts = [[one.position, one.velocity, one.angular_velocity, one.acceleration] for one in bodies]
    return np.array(parts)
