"""Equilibria of bodies that touch, and of friction by a coefficient: closed forms, and a published arch."""

from __future__ import annotations

import math
import runpy

import numpy as np
import pytest
from refusals import refused
from scene_text import SCENES, body, joint, solver, table, value, world
from scipy.optimize import minimize
from tiers import few_first

import mbplugin as mb
from mbplugin.analysis.initial_state.placeholder_masses import at_rest
from mbplugin.api import plugins
from mbplugin.errors import PhysicsError
from mbplugin.run.at_rest import begun_at_rest

G, M, MU = 9.81, 2.0, 0.4
NEARLY, BEYOND = 0.999, 1.001
FALLS = "no equilibrium"


def equilibrium(text: str, what: str = "static", **options):
    return mb.System.from_text(text).analyze(what, **options)


def floor(gravity=(0, 0, -G), friction=MU, shapes=(), markers="", **keys):
    """A plane z = 0 and more shapes of the ground, of one material."""
    shape = [{"type": "plane", "size": [9, 9]}, *shapes]
    return (
        world(gravity=list(gravity), collide=True, material="stuff", shape=shape)
        + markers
        + table("material", name="stuff", friction=friction, **keys)
    )


def rigid(name, shape, at, mass=M, inertia=(0.05, 0.05, 0.05), **keys):
    placed = {"position": list(at), "collide": True, "material": "stuff", "shape": [shape]}
    return body(name, mass=mass, inertia=list(inertia), **placed, **keys)


def box(name, size, at, **keys):
    return rigid(name, {"type": "box", "size": list(size)}, at, **keys)


def ball(name, radius, at, **keys):
    return rigid(name, {"type": "sphere", "radius": radius}, at, **keys)


def tilted(part, friction=MU):
    """Gravity on a slope of this part of the angle of friction."""
    theta = part * math.atan(friction)
    return [G * math.sin(theta), 0, -G * math.cos(theta)]


def sums(report):
    """Forces of all contacts on their second bodies, by the name of the first."""
    return {
        a: sum(one.force for one in report.contacts if one.a == a) for a in {c.a for c in report.contacts}
    }


POST = table("scene.marker", name="post", position=[-1, 0, 0.1])
SPRING = table(
    "force", name="spring", type="spring_damper", a="ground.post", b="block", stiffness=100, length=1.0
)


def test_a_block_holds_below_the_angle_of_friction_and_slides_away_above():
    block = box("block", (0.4, 0.4, 0.2), (0, 0, 0.1))
    held = equilibrium(floor(tilted(NEARLY)) + block)
    (total,) = sums(held).values()
    load = -M * np.array(tilted(NEARLY))
    assert sum(abs(total) - abs(load)) == pytest.approx(0.0, abs=1e-12)
    assert held.position[0] == pytest.approx([0, 0, 0.1], abs=1e-15)
    assert {one.status for one in held.contacts} == {"sticks"}
    # what the corners carry together is this part of what they can
    tangential = sum(math.hypot(*one.local_force[1:]) for one in held.contacts)
    assert tangential == pytest.approx(math.tan(NEARLY * math.atan(MU)) * M * -tilted(NEARLY)[2], rel=1e-12)
    with pytest.raises(PhysicsError, match=FALLS):
        equilibrium(floor(tilted(BEYOND)) + block)


def test_a_block_slides_until_its_spring_and_friction_hold_it():
    """k s = m g sin θ − μ m g cos θ, from above; its modes are those of the spring."""
    gravity = tilted(1.5)
    text = floor(gravity, markers=POST) + box("block", (0.4, 0.4, 0.2), (0, 0, 0.1)) + SPRING
    report = equilibrium(text)
    s = M * (gravity[0] + MU * gravity[2]) / 100.0
    assert report.position[0] == pytest.approx([s, 0, 0.1], abs=1e-12)
    assert {one.status for one in report.contacts} == {"slips"}
    assert [one.share for one in report.contacts] == pytest.approx([1.0] * 4, rel=1e-9)
    assert report.stable
    (mode,) = equilibrium(text, "eigen").modes
    assert mode.omega == pytest.approx(math.sqrt(100.0 / M), rel=1e-9)


def test_what_falls_lies_on_the_floor():
    report = equilibrium(floor() + box("block", (0.4, 0.4, 0.2), (0, 0, 0.7)))
    assert report.position[0] == pytest.approx([0, 0, 0.1], abs=1e-10)
    assert sum(one.force[2] for one in report.contacts) == pytest.approx(-M * G, rel=1e-12)


def test_without_friction_a_block_on_a_spring_hangs_down_the_slope():
    gravity = tilted(1.0)
    text = floor(gravity, friction=0.0, markers=POST) + box("block", (0.4, 0.4, 0.2), (0, 0, 0.3)) + SPRING
    text = text.replace("position = [-1.0, 0.0, 0.1]", "position = [-1, 0, 0.1]")
    report = equilibrium(text)
    assert report.position[0] == pytest.approx([M * gravity[0] / 100.0, 0, 0.1], abs=1e-10)


@pytest.mark.parametrize("part", [NEARLY, BEYOND])
def test_a_box_tips_where_its_weight_leaves_its_foot(part):
    """Of 0.2 m by 0.5 m: at atan 0.4, where friction of 0.8 holds it."""
    text = floor(tilted(part, 0.4), friction=0.8) + box("block", (0.2, 0.2, 0.5), (0, 0, 0.25))
    if part < 1.0:
        report = equilibrium(text)
        edge = [one for one in report.contacts if one.point[0] > 0.0]
        # nearly all of the weight is on the lower edge
        carried = abs(sum(one.force[2] for one in edge)) / abs(M * tilted(part, 0.4)[2])
        assert carried == pytest.approx(0.5 + 2.5 * 0.5 * math.tan(part * math.atan(0.4)), rel=1e-9)
    else:
        report = equilibrium(text)
        # it falls over and lies on its side
        assert report.position[0, 2] == pytest.approx(0.1, abs=1e-9)


@pytest.mark.parametrize("part", [NEARLY, 1.02])
def test_a_ladder_on_two_rough_walls(part):
    """It stands where a share within both cones exists: tan φ ≥ (1 − μ²)/2μ of a uniform ladder; shares of
    the least norm are outside at the limit.
    """
    length, radius = 2.0, 0.02
    phi = math.atan((1.0 - MU**2) / (2.0 * MU)) * (2.0 - part)
    # ends of the capsule touch the floor and the wall x = 0
    middle = [0.5 * length * math.cos(phi) + radius, 0.0, 0.5 * length * math.sin(phi) + radius]
    wall = {"type": "plane", "size": [9, 9], "orientation": {"axis": [0, 1, 0], "angle": math.pi / 2}}
    keys = {"orientation": {"axis": [0, 1, 0], "angle": math.pi / 2 + phi}}
    ladder = rigid(
        "ladder", {"type": "capsule", "radius": radius, "length": length}, middle,
        inertia=(M * length**2 / 12, M * length**2 / 12, 1e-3), **keys,
    )  # fmt: skip
    text = floor(shapes=[wall]) + ladder
    if part < 1.0:
        report = equilibrium(text)
        assert report.position[0] == pytest.approx(middle, abs=1e-12)
        assert all(one.share <= 1.0 + 1e-9 for one in report.contacts)
    else:
        report = equilibrium(text)
        assert report.position[0, 2] < 0.5 * middle[2]


def test_three_equal_balls_in_a_trough():
    """By hand: two on the floor, each at its wall, and the third between them: sin β = √(1 − d²/4r²) with the
    walls' distance 2 (d + r) carries m g / 2, and the walls what it pushes apart.
    """
    r, d = 0.1, 0.12
    walls = [
        {"type": "plane", "size": [9, 9], "position": [-sign * (d + r), 0, 0],
         "orientation": {"axis": [0, 1, 0], "angle": sign * math.pi / 2}}
        for sign in (1, -1)
    ]  # fmt: skip
    text = floor(friction=0.0, shapes=walls)
    text += (
        ball("left", r, (-0.1, 0, 0.13)) + ball("right", r, (0.11, 0, 0.11)) + ball("top", r, (0.0, 0, 0.32))
    )
    report = equilibrium(text)
    sine = math.sqrt(1.0 - (d / (2.0 * r)) ** 2)
    assert report.position == pytest.approx(
        np.array([[-d, 0, r], [d, 0, r], [0, 0, r + 2.0 * r * sine]]), abs=1e-9
    )
    between = 0.5 * M * G / sine
    for side in ("left", "right"):
        found = sorted(float(np.linalg.norm(one.force)) for one in report.contacts if side in (one.a, one.b))
        assert found == pytest.approx(sorted([1.5 * M * G, between * d / (2.0 * r), between]), rel=1e-9)


@pytest.mark.parametrize(("part", "stands"), [(0.10682, True), (0.10662, False)])
def test_an_arch_stands_above_its_thinnest_ring(part, stands):
    """27 straight voussoirs, μ = 0.5: between these lies the limit of a linear programme, 0.10672."""
    build = runpy.run_path(str(SCENES / "arch" / "build.py"))
    text = build["scene"](part / build["LIMIT"])
    begun = begun_at_rest(at_rest(mb.System.from_text(text)), plugins()[0])
    assert begun.rests == stands
    if stands:
        report = equilibrium(text)
        assert report.moved.max() == 0.0
        assert report.steps[-1][1] <= 1e-12
        assert max(one.share for one in report.contacts) <= 1.0 + 1e-9


def test_a_ball_that_rolls_on_its_spring():
    """ω² = k / (m + I/r²); what sticks rolls."""
    text = floor(markers=POST) + ball("block", 0.1, (0, 0, 0.1)) + SPRING
    modes = equilibrium(text, "eigen").modes
    rolls = [mode.omega for mode in modes if mode.omega > 1.0 and abs(mode.shape[0]) > 0.1]
    assert rolls == pytest.approx([math.sqrt(100.0 / (M + 0.05 / 0.01))], rel=1e-7)
    free = equilibrium(text.replace("friction = 0.4", "friction = 0.0"), "eigen").modes
    assert max(mode.omega for mode in free) == pytest.approx(math.sqrt(100.0 / M), rel=1e-9)


def test_a_block_that_deforms_homogeneously_lies_on_the_floor():
    """Its mean stress is ρ g a / 2; without friction it widens by ν of that."""
    a, rho, young, poisson = 0.2, 1000.0, 1e6, 0.3
    text = floor(friction=0.0) + table("material", name="rubber", young=young, poisson=poisson, friction=0.0)
    placed = {"position": [0, 0, 0.5 * a], "material": "rubber", "density": rho, "collide": True}
    text += body("block", type="pseudo_rigid", shape=[{"type": "box", "size": [a] * 3}], **placed)
    report = equilibrium(text)
    strain = 0.5 * rho * G * a / young
    assert report.states.q[0, 3:].reshape(3, 3) == pytest.approx(
        np.diag([1.0 + poisson * strain] * 2 + [1.0 - strain]), abs=2e-6
    )
    assert report.position[0, 2] == pytest.approx(0.5 * a * (1.0 - strain), abs=1e-7)


def test_what_a_gripper_holds_stays_where_its_hand_begins_to_move():
    """Motions are kept as they are at t = 0, also where they accelerate then."""
    report = mb.System.from_file(SCENES / "gripper" / "scene.toml").analyze("static")
    assert report.moved.max() == 0.0
    on_cube = [one for one in report.contacts if "cube" in (one.a, one.b)]
    assert {one.status for one in on_cube} == {"sticks"}
    assert sum(abs(one.force[2]) for one in on_cube) == pytest.approx(0.064 * G, rel=1e-9)


def test_a_conveyor_is_refused_by_its_key():
    with refused("scene.shape[0].surface_velocity"):
        mb.System.from_file(SCENES / "conveyor" / "scene.toml").analyze("static")


@pytest.mark.parametrize("radius", [1.0, 0.08])
def test_a_board_on_a_ball_rocks_where_it_is_thinner_than_the_ball(radius):
    """ω² = m g (R − c) / (I + m c²), c half its thickness; beyond it tips."""
    half, inertia = 0.1, 0.05
    text = world(
        gravity=[0, 0, -G], collide=True, material="stuff", shape=[{"type": "sphere", "radius": radius}]
    ) + table("material", name="stuff", friction=0.9)
    text += box("board", (0.4, 0.4, 2 * half), (0, 0, radius + half))
    squared = M * G * (radius - half) / (inertia + M * half**2)
    report = equilibrium(text)
    assert report.stiffnesses == pytest.approx(sorted([0.0, squared, squared]), abs=1e-5)
    assert not report.stable
    rocking = [mode.s for mode in equilibrium(text, "eigen").modes if mode.omega > 1.0]
    assert [abs(s) for s in rocking] == pytest.approx([math.sqrt(abs(squared))] * 2, rel=1e-7)
    assert all((s.real > 1.0) == (squared < 0.0) for s in rocking)


ARM = (
    world(gravity=[0, 0, -10])
    + body("arm", mass=2, inertia=[0.1] * 3, position=[0.5, 0, 0])
    + joint("hinge", "revolute", "ground", "arm", axis=[0, 1, 0])
)


@pytest.mark.parametrize("mu", [5.1, 4.9, 2.0])
def test_a_pin_holds_what_its_friction_can(mu):
    """m g l cos φ = μ r m g where it slips: cos φ = μ r / l."""
    report = equilibrium(ARM + f"friction = {mu}\nradius = 0.1\n")
    cosine = min(1.0, mu * 0.1 / 0.5)
    assert report.position[0] == pytest.approx(
        [0.5 * cosine, 0, -0.5 * math.sqrt(1.0 - cosine**2) if mu < 5 else 0.0], abs=1e-11
    )
    (friction,) = report.bounds
    assert friction.force == pytest.approx(-20.0 * 0.5 * cosine, rel=1e-10)
    assert friction.status == ("sticks" if mu > 5 else "slips forwards")


@pytest.mark.parametrize("part", [NEARLY, BEYOND])
def test_a_slider_on_a_slope(part):
    rail = joint("rail", "translational", "ground", "block", axis=[1, 0, 0], friction=MU)
    text = world(gravity=tilted(part)) + body("block", mass=M, inertia=[0.05] * 3) + rail
    if part < 1.0:
        (friction,) = equilibrium(text).bounds
        assert friction.share == pytest.approx(math.tan(part * math.atan(MU)) / MU, rel=1e-10)
    else:
        with pytest.raises(PhysicsError, match=FALLS):
            equilibrium(text)


def convex(seed: int, friction: float = 0.0):
    """Balls on bushings whose ends are apart, between a floor and walls, two tied by a rope: potential energy
    and all that limits it are convex. The scene, and ends, stiffnesses and planes for the minimum.
    """
    rng = np.random.default_rng(seed)
    n, radius = int(rng.integers(2, 5)), 0.1
    turns = rng.uniform(0.6, 1.2, 2) * [1, -1]
    planes = [(np.array([0.0, 0.0, 1.0]), 0.0)]
    shapes = []
    for turn in turns:
        normal = np.array([math.sin(turn), 0.0, math.cos(turn)])
        foot = -np.sign(turn) * np.array([0.8, 0.0, 0.0])
        planes.append((normal, float(normal @ foot)))
        placed = {"axis": [0, 1, 0], "angle": turn}
        shapes.append({"type": "plane", "size": [9, 9], "position": list(foot), "orientation": placed})
    at = np.column_stack([np.linspace(-0.4, 0.4, n), rng.uniform(-3, 3, n), rng.uniform(0.4, 0.6, n)])
    at[:, 1] = 3.0 * np.arange(n)  # balls apart, so that they never touch
    ends = at + rng.uniform(-1, 1, (n, 3)) * [1.2, 0.2, 0.8]
    stiffness = rng.uniform(50, 400, n)
    markers = "".join(table("scene.marker", name=f"end_{k}", position=list(e)) for k, e in enumerate(ends))
    text = floor(friction=friction, shapes=shapes, markers=markers)
    for k in range(n):
        text += ball(f"ball_{k}", radius, at[k])
        keys = {"a": f"ground.end_{k}", "b": f"ball_{k}", "stiffness": [stiffness[k]] * 3}
        keys |= {"damping": [25.0] * 3, "angular_damping": [1.0] * 3}
        text += table("force", name=f"spring_{k}", type="bushing", offset=[0, 0, 0], **keys)
    length = 0.97 * float(np.linalg.norm(ends[0] - ends[1]))
    text += joint(
        "line", "rope", "ball_0", "ball_1", length=max(length, 1.001 * np.linalg.norm(at[0] - at[1]))
    )
    return text, at, ends, stiffness, planes, radius, max(length, 1.001 * np.linalg.norm(at[0] - at[1]))


def minimum(at, ends, stiffness, planes, radius, length):
    """Positions of least potential energy."""
    n = len(at)
    energy = lambda x: 0.5 * (stiffness @ ((x.reshape(n, 3) - ends) ** 2).sum(axis=1)) + M * G * x[2::3].sum()
    slope = lambda x: (stiffness[:, None] * (x.reshape(n, 3) - ends) + [0, 0, M * G]).ravel()
    gaps = lambda x: np.concatenate([x.reshape(n, 3) @ normal - d - radius for normal, d in planes])
    slack = lambda x: length**2 - ((x[:3] - x[3:6]) ** 2).sum()
    rules = [{"type": "ineq", "fun": gaps}, {"type": "ineq", "fun": slack}]
    found = minimize(
        energy,
        at.ravel(),
        jac=slope,
        constraints=rules,
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 500},
    )
    return found.x.reshape(n, 3)


@pytest.mark.parametrize("seed", few_first(range(100), 4))
def test_generated_balls_lie_where_their_potential_is_least(seed):
    text, *rest = convex(seed)
    report = equilibrium(text)
    assert report.position == pytest.approx(minimum(*rest), abs=1e-6)
    assert report.stable or report.dof


@pytest.mark.parametrize("friction", [0.0, 0.5])
@pytest.mark.parametrize("seed", few_first(range(100, 150), 0))
def test_damped_runs_come_to_rest_there(seed, friction):
    """With friction: at forces that static friction may hold where the run stays."""
    text, at, *_ = convex(seed, friction)
    run = mb.System.from_text(text + solver(type="contact", step=2e-3, end=6.0)).run()
    rest = np.array([run[f"ball_{k}"].position[-1] for k in range(len(at))])
    if friction == 0.0:
        assert equilibrium(text).position == pytest.approx(rest, abs=1e-8)
        return
    again = text
    for k, x in enumerate(at):
        again = again.replace(f"position = {value(list(x))}", f"position = {value(list(rest[k]))}")
    held = equilibrium(again)
    assert held.position == pytest.approx(rest, abs=1e-7)


def test_a_cylinder_in_a_smooth_groove_is_neutral_along_it():
    """On four ends of two lines, m g/√8 each along the normals; nothing holds it along its axis."""
    sides = [
        {
            "type": "box", "size": [1, 1, 0.1], "position": [0.35355 * s, 0, 0.35355 - 0.07],
            "orientation": {"axis": [0, 1, 0], "angle_deg": -45 * s},
        }
        for s in (1, -1)
    ]  # fmt: skip
    text = world(gravity=[0, 0, -G], collide=True, material="stuff", shape=sides)
    text += table("material", name="stuff", friction=0.0)
    turned = {"orientation": {"axis": [1, 0, 0], "angle_deg": 90}}
    text += rigid("c", {"type": "cylinder", "radius": 0.1, "length": 0.2}, (0, 0, 0.1423), mass=1.0, **turned)
    report = equilibrium(text)
    assert not report.unstable and not report.stable
    forces = np.array([one.force for one in report.contacts])
    np.testing.assert_allclose(np.abs(forces[:, [0, 2]]), G / 4, rtol=1e-9)
    assert len(forces) == 4
