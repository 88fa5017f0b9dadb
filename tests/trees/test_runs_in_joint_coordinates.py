"""Runs in joint coordinates: laws of mechanics, and the same runs in maximal coordinates."""

from __future__ import annotations

import numpy as np
import pytest
import random_trees
from runs_in_both import differences, in_both, same_events
from scene_text import body, force, hinge, joint, solver, table, torque, world
from scipy.spatial.transform import Rotation

import mbplugin as mb
from mbplugin.errors import PhysicsError

FRAMES = "[output]\nframes = 10\n"
END = 0.3
#: of positions, relative; and of the times of events [s], which a chattering end of impacts moves
TOLERANCE, EVENT = 1e-9, 1e-8
SEEDS = {
    random_trees.random_tree: (8, 60),
    random_trees.random_mechanism: (6, 60),
    random_trees.random_vehicle: (4, 40),
    random_trees.random_linkage: (3, 20),
}
#: mechanisms that their motions lead into positions that they cannot pass, or that are drawn contradictory
STUCK = (random_trees.random_mechanism, {11, 21, 24, 36, 41, 57})


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
    except PhysicsError:
        assert draw is STUCK[0], text
        pytest.skip("its motions lead it into a position that it cannot pass")
    found = differences(maximal, joint)
    assert max(found.values()) < TOLERANCE, f"{found}\n{text}"


@pytest.mark.parametrize(("draw", "seed"), cases({random_trees.random_bounded: (16, 100)}))
def test_events_are_those_of_maximal_coordinates(draw, seed):
    """Impacts at limits, hard and soft, dry friction, clutches, motors of little effort, ropes, inputs and
    forces that jump or cease.
    """
    text = draw(seed).text(tolerance=1e-11, end=END) + FRAMES
    maximal, joint = in_both(text)
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


@pytest.mark.parametrize("seed", range(3))
def test_momenta_of_a_flying_tree_are_kept_to_the_order_of_the_method(seed):
    """Springs and dampers between its bodies change neither, joint coordinates are no inertial ones: the
    error of rk4 falls with the fourth power of the step.
    """
    errors = []
    steps = (1 / 100, 1 / 200, 1 / 400)
    for step in steps:
        how = {"integrator": "rk4", "step": step, "end": 1.0, "tolerance": None}
        text = random_trees.flying_tree(seed).text(**how) + "[output]\nframes = 1\n"
        bodies = Bodies(text, mb.System.from_text(text).run(files=False))
        errors.append(np.abs(bodies.momenta(-1) - bodies.momenta(0)).max())
    order = -np.polyfit(np.log(steps), np.log(errors), 1)[0]
    assert -order == pytest.approx(4.0, abs=0.4), errors
    # by far less than what the springs do
    assert errors[-1] < 1e-6


@pytest.mark.parametrize("seed", range(4))
def test_a_falling_tree_keeps_its_energy(seed):
    scene = random_trees.falling_tree(seed)
    text = scene.text(tolerance=1e-10, end=1.0) + FRAMES
    bodies = Bodies(text, mb.System.from_text(text).run(files=False))
    height = bodies.x @ -np.array(scene.gravity)
    energy = [bodies.kinetic(k) + bodies.m @ height[k] for k in range(len(bodies.x))]
    assert np.ptp(height @ bodies.m) > 1.0
    assert np.ptp(energy) < 1e-8 * np.ptp(height @ bodies.m)


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
