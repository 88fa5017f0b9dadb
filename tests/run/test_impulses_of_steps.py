"""Impulses of a step by element and body, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from scene_text import NO_GRAVITY, body, hinge, joint, motion, solver, spring, table, world

import mbplugin as mb

STEP, G = 1e-3, 9.81
COORDINATES = pytest.mark.parametrize("coordinates", ["maximal", "joint"])


def contact(coordinates: str = "maximal", step: float = STEP) -> str:
    return solver(type="contact", step=step, end=1.0, coordinates=coordinates)


def after(text: str, steps: int = 1):
    """The impulses of the last of so many steps."""
    simulation = mb.System.from_text(text).simulate()
    simulation.run(steps * STEP)
    return simulation.impulses()


def of(impulses, element: str, body: str):
    """(6,) of one element on one body."""
    k = [pair == (element, body) for pair in zip(impulses.element, impulses.body)].index(True)
    return np.concatenate([impulses.impulse[k], impulses.angular_impulse[k]])


@COORDINATES
def test_a_sliding_block_gets_its_weight_and_the_force_of_coulomb(coordinates):
    """N = m g h, and μ N against the motion at half a height below the mass centre: nothing turns."""
    mass, mu, edge = 2.0, 0.3, 0.2
    text = (
        world(collide=True, material="stone", shape=[{"type": "plane"}])
        + table("material", name="stone", friction=mu)
        + body(
            "block",
            mass=mass,
            inertia=[mass * edge**2 / 6] * 3,
            position=[0, 0, 0.5 * edge],
            velocity=[1.0, 0, 0],
            collide=True,
            material="stone",
            shape=[{"type": "box", "size": [edge] * 3}],
        )
        + contact(coordinates)
    )
    found = after(text, steps=10)
    assert found.end - found.start == pytest.approx(STEP, rel=1e-12)
    assert found.element == ["gravity", "gyroscopic", "contact with ground"]
    weight = mass * G * STEP
    assert of(found, "gravity", "block") == pytest.approx([0, 0, -weight, 0, 0, 0], abs=1e-15)
    assert of(found, "contact with ground", "block") == pytest.approx(
        [-mu * weight, 0, weight, 0, 0, 0], abs=1e-7 * weight
    )
    assert found.on("block")[0] == pytest.approx([-mu * weight, 0, 0], abs=1e-7 * weight)


@COORDINATES
def test_a_free_body_gets_the_gyroscopic_impulse_of_euler(coordinates):
    """−h ω × J ω at ω + ½ h ω̇, the middle of the first step; axes parallel to the body's at its start,
    turned by half a step.
    """
    J, w = np.array([0.2, 0.3, 0.4]), np.array([3.0, -2.0, 5.0])
    text = NO_GRAVITY + body("top", mass=1.0, inertia=J, angular_velocity=w) + contact(coordinates)
    found = after(text)
    middle = w - 0.5 * STEP * np.cross(w, J * w) / J
    # in the axes of the body; the world's differ from them by the rotation of ½ h ω
    in_body = -STEP * np.cross(middle, J * middle)
    angle = 0.5 * STEP * np.linalg.norm(w)
    n = w / np.linalg.norm(w)
    turned = in_body + np.sin(angle) * np.cross(n, in_body)
    turned += (1 - np.cos(angle)) * np.cross(n, np.cross(n, in_body))
    assert found.element == ["gyroscopic"]
    assert of(found, "gyroscopic", "top") == pytest.approx([0, 0, 0, *turned], abs=1e-16)


@COORDINATES
def test_a_hinge_gets_its_share_of_an_impact(coordinates):
    """A ball on a massless arm L, e = 0.5, hits the floor at the speed u: r L = (1 + e)(m L² + J) u/L, and
    the pin gives what is missing to m (1 + e) u: −(1 + e) J u/L². Rows turn within the step: (h u/L)².
    """
    mass, J, arm, radius, e, speed = 1.0, 0.05, 0.5, 0.1, 0.5, 1.0
    floor = {"type": "plane", "position": [0, 0, -radius - 0.5 * STEP * speed]}
    text = (
        world(gravity=[0, 0, 0], collide=True, material="stone", shape=[floor])
        + table("material", name="stone", restitution=e)
        + body(
            "ball",
            mass=mass,
            inertia=[J] * 3,
            position=[-arm, 0, 0],
            velocity=[0, 0, -speed],
            angular_velocity=[0, -speed / arm, 0],
            collide=True,
            material="stone",
            shape=[{"type": "sphere", "radius": radius}],
        )
        + hinge("pin", "ground", "ball", axis=[0, 1, 0])
        + contact(coordinates)
    )
    found = after(text)
    push = (1 + e) * (mass * arm**2 + J) * speed / arm**2
    share = -(1 + e) * J * speed / arm**2
    accuracy = (STEP * speed / arm) ** 2 * push
    assert of(found, "contact with ground", "ball")[:3] == pytest.approx([0, 0, push], abs=accuracy)
    pin = of(found, "pin", "ball")
    assert pin[[1, 2]] == pytest.approx([0, share], abs=accuracy)
    assert pin[3:] == pytest.approx([0, -arm * share, 0], abs=accuracy)


@COORDINATES
def test_motions_and_springs_stand_by_their_names(coordinates):
    """A motor speeds a wheel up by J α h. The hinge bears the spring, k (l − l₀) h, which has no lever
    here.
    """
    J, alpha, k, length = 0.2, 4.0, 50.0, 0.4
    text = (
        world(gravity=[0, 0, 0], marker=[{"name": "post", "position": [1.0, 0, 0]}])
        + body("wheel", mass=1.0, inertia=[J] * 3, marker=[{"name": "rim", "position": [0.5, 0, 0]}])
        + hinge("axle", "ground", "wheel")
        + motion("axle", angle=f"{0.5 * alpha}*time**2")
        + spring("ground.post", "wheel.rim", name="spring", stiffness=k, length=length)
        + contact(coordinates)
    )
    found = after(text)
    pull = k * (0.5 - length) * STEP
    assert of(found, "spring", "wheel")[0] == pytest.approx(pull, rel=1e-9)
    assert of(found, "axle", "wheel")[0] == pytest.approx(-pull, rel=1e-9)
    assert found.on("wheel")[1] == pytest.approx([0, 0, J * alpha * STEP], abs=1e-15)
    # the middle of the first step is turned by ½ h ω₀ = 0
    assert of(found, "axle motion", "wheel")[5] == pytest.approx(J * alpha * STEP, rel=1e-9)


@COORDINATES
def test_a_simulation_goes_on_as_if_impulses_had_not_been_asked(coordinates):
    text = (
        world(collide=True, shape=[{"type": "plane"}])
        + body(
            "ball",
            mass=1.0,
            inertia=[0.004] * 3,
            position=[0, 0, 0.1005],
            collide=True,
            shape=[{"type": "sphere", "radius": 0.1}],
        )
        + contact(coordinates)
    )
    asked, quiet = (mb.System.from_text(text).simulate() for _ in range(2))
    for k in range(1, 31):
        asked.run(k * STEP)
        quiet.run(k * STEP)
        asked.impulses()
        assert np.array_equal(asked["ball"].position, quiet["ball"].position)
        assert np.array_equal(asked.list("contacts").impulse, quiet.list("contacts").impulse)
    first, second = asked.impulses(), asked.impulses()
    assert np.array_equal(first.impulse, second.impulse)


def linkage(loop: bool) -> str:
    """A plate on a ball joint, a rod on its edge that a spring pulls, and a rod that closes a loop."""
    text = (
        world(marker=[{"name": "post", "position": [0.9, 0.4, 0.3]}])
        + body("plate", mass=2.0, inertia=[0.05, 0.06, 0.1], position=[0.3, 0, 0], angular_velocity=[0, 3, 1])
        + body("rod", mass=0.7, inertia=[0.002, 0.03, 0.03], position=[0.9, 0, 0])
        + joint("ball", "ball", "ground", "plate", at=[0, 0, 0])
        + hinge("pin", "plate", "rod", at=[0.6, 0, 0], axis=[0, 1, 0.3], friction_torque=0.2)
        + spring("ground.post", "rod", name="spring", stiffness=60.0, length=0.3, damping=2.0)
    )
    if loop:
        text += body("stay", mass=0.4, inertia=[0.01, 0.01, 0.001], position=[0.9, 0, -0.4])
        text += joint("upper", "universal", "rod", "stay", at=[0.9, 0, -0.1], axis=[1, 0, 0])
        text += joint("lower", "ball", "stay", "ground", at=[0.9, 0, -0.7])
    return text


@pytest.mark.parametrize("loop", [False, True], ids=["tree", "loop"])
def test_in_joint_coordinates_joints_give_what_bodies_need_to_their_accelerations(loop):
    """m Δv to the cube of the step; what a joint gives to one body it takes from the other, about any
    point; each is that of maximal coordinates to the square of the step, relative to the impulses.
    """
    names = ["plate", "rod", *(["stay"] if loop else [])]
    missing, apart = [], []
    for step in (2e-3, 1e-3):
        found = {}
        for coordinates in ("maximal", "joint"):
            system = mb.System.from_text(linkage(loop) + contact(coordinates, step))
            simulation = system.simulate()
            simulation.run(0.1)
            before = {name: simulation[name].velocity.copy() for name in names}
            middle = {name: simulation[name].position + 0.5 * step * before[name] for name in names}
            simulation.run(0.1 + step)
            found[coordinates] = simulation.impulses()
        of_joint = found["joint"]
        gained = {
            name: system.body(name).mass_properties().mass * (simulation[name].velocity - before[name])
            for name in names
        }
        missing.append(max(np.abs(of_joint.on(name)[0] - gained[name]).max() for name in names))
        pairs = [*zip(of_joint.element, of_joint.body)]
        assert set(pairs) == {*zip(found["maximal"].element, found["maximal"].body)}
        apart.append(max(np.abs(of(of_joint, *one) - of(found["maximal"], *one)).max() for one in pairs))
        on_plate, on_rod = (of(of_joint, "pin", name) for name in ("plate", "rod"))
        assert on_plate[:3] == pytest.approx(-on_rod[:3], abs=1e-15)
        about = [one[3:] + np.cross(middle[n], one[:3]) for n, one in (("plate", on_plate), ("rod", on_rod))]
        assert about[0] + about[1] == pytest.approx([0, 0, 0], abs=1e-4 * step)
        assert np.abs(on_rod).max() > step
    assert missing[0] / missing[1] == pytest.approx(8.0, rel=0.15)
    assert missing[1] < 1e-6
    assert apart[0] / apart[1] > 3.5 and apart[1] < 1e-5


def test_other_solvers_and_the_start_have_no_impulses():
    text = body("ball", mass=1.0, inertia=[0.004] * 3)
    with refused("Simulation.impulses"):
        mb.System.from_text(text + solver(type="rk")).simulate().impulses()
    with refused("Simulation.impulses"):
        mb.System.from_text(text + contact()).simulate().impulses()
