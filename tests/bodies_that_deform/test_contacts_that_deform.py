"""Pseudo-rigid bodies that touch: corners that deform, drops, spheres that become ellipsoids."""

from __future__ import annotations

from itertools import pairwise

import mbplugin_contact
import numpy as np
import pytest
from blocks_that_deform import DENSITY, block, deformation
from headless import Runs, finish, show
from scene_text import body, solver, table, world
from tiers import few_first

from mbplugin.hooks.load import load_plugins
from mbplugin.tables.groups import State, TransientMarkers, TransientRows

EDGE, G = 0.1, 9.81
RADIUS = 0.05


@pytest.fixture(scope="module")
def touching() -> Runs:
    registry, _ = load_plugins()
    return (
        Runs(registry) if "contact" in registry.offers["solver"] else Runs.offering(contact=mbplugin_contact)
    )


def floor(gravity=(0.0, 0.0, -G), friction=0.0, restitution=0.0):
    """A plane that is the ground, of the material of all bodies."""
    text = world(
        gravity=list(gravity), collide=True, material="rubber", shape=[{"type": "plane", "size": [2, 2]}]
    )
    return text + table("material", name="rubber", friction=friction, restitution=restitution)


def cube(name="cube", at=(0.0, 0.0, EDGE / 2), young=1e5, shape=None, **keys):
    given = {"edges": [EDGE] * 3} if shape is None else {"shape": shape}
    return block(name, young=young, position=list(at), collide=True, material="rubber", **given, **keys)


def contact_solver(step, end):
    return solver(type="contact", step=step, end=end)


def run(touching, text, end):
    """State and frame at the end, and the frame at the start."""
    prepared = touching.prepare(text)
    start = prepared.recorder.frame()
    finish(prepared.start(end), end)
    state = prepared.problem[State]
    return state.q.copy(), state.v.copy(), prepared.recorder.frame(), start


CORNERS = [[x, y, z] for x in (-0.05, 0.05) for y in (-0.05, 0.05) for z in (-0.05, 0.05)]
SHAPES = {"box": None, "convex": [{"type": "convex", "points": CORNERS}]}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_a_cube_at_rest_is_compressed_by_half_the_pressure_of_its_weight(touching, shape):
    """Four corners X carry m g/4 each: Σ f Xᵀ = −½ m g a e_z e_zᵀ = V P. So the stress is uniaxial, ½ ρ g a;
    the mass centre is ½ a (1 − ρ g a/2E) above the plane.
    """
    text = floor() + cube(shape=shape, damping=2e-3) + contact_solver(2e-4, 0.4)
    q, v, _, _ = run(touching, text, 0.4)
    x, F = deformation(q)
    e = DENSITY * G * EDGE / (2 * 1e5)
    np.testing.assert_allclose(F, np.diag([1 + 0.3 * e, 1 + 0.3 * e, 1 - e]), atol=2e-4 * e)
    np.testing.assert_allclose(x, [0, 0, EDGE / 2 * (1 - e)], atol=1e-9)
    assert np.abs(v).max() < 1e-5


def test_a_sphere_at_rest_is_an_ellipsoid_on_its_lowest_point(touching):
    """The lowest point of the ball carries it, X = −r e_z to first order: V P_zz = −m g r, so the strain is
    ρ g r/E, and the centre is r (1 − ρ g r/E) above the plane.
    """
    ball = cube(shape=[{"type": "sphere", "radius": RADIUS}], at=(0, 0, RADIUS), damping=2e-3)
    q, _, _, _ = run(touching, floor() + ball + contact_solver(2e-4, 0.4), 0.4)
    x, F = deformation(q)
    e = DENSITY * G * RADIUS / 1e5
    np.testing.assert_allclose(F, np.diag([1 + 0.3 * e, 1 + 0.3 * e, 1 - e]), atol=2e-4 * e)
    assert x[2] == pytest.approx(RADIUS * (1 - e), abs=1e-8)


def drop(young=2e5, tilt=0.3, side=1.0, step=1e-4, end=0.09, shape=None, friction=0.4, **keys):
    """A cube that falls on an edge or corner with a spin, mirrored in the plane x z with side = −1."""
    turned = {"axis": [side, 1.0, 0.0], "angle": tilt}
    moves = {"velocity": [0.4, 0.2 * side, -1.0], "angular_velocity": [1.0 * side, -2.0, 0.5 * side]}
    one = cube(at=(0, 0, 0.12), young=young, shape=shape, orientation=turned, **moves, **keys)
    return floor(friction=friction) + one + contact_solver(step, end)


def test_a_drop_keeps_the_ledger_and_bounces_by_its_elasticity(touching):
    """No restitution: each point of contact loses its velocity at once, and the body gives back the rest."""
    q, v, frame, start = run(touching, drop(), 0.09)
    energy = {
        name: float(frame[f"energy/{name}"]) for name in ("kinetic", "potential", "friction", "impacts")
    }
    total = float(start["energy/kinetic"] + start["energy/potential"])
    assert abs(float(frame["energy/balance"])) < 1e-3 * total
    assert energy["friction"] > 0.0 and energy["impacts"] > 0.01 * total
    assert v[2] > 0.1, "it bounces"
    F = deformation(q)[1]
    assert np.abs(F.T @ F - np.eye(3)).max() > 1e-3


def test_the_mirror_image_of_a_drop_is_the_drop_of_the_mirror_image(touching):
    one, other = (run(touching, drop(side=side), 0.09)[0] for side in (1.0, -1.0))
    (x, F), (y, E) = deformation(one), deformation(other)
    M = np.diag([1.0, -1.0, 1.0])
    np.testing.assert_allclose(M @ x, y, atol=1e-9)
    np.testing.assert_allclose(M @ F @ M, E, atol=1e-8)


def test_halved_steps_converge(touching):
    """A corner has been in contact for 6 ms, a part of the vibration, at 1 m/s."""
    rates = [run(touching, drop(step=step, end=0.055), 0.055)[1] for step in (2e-4, 1e-4, 5e-5, 2.5e-5)]
    changes = [np.abs(one - other).max() for one, other in pairwise(rates)]
    assert changes[2] < 0.5 * changes[1] < 0.25 * changes[0] and changes[2] < 2e-3, changes


def test_a_stiff_block_rests_and_slides_as_the_rigid_one(touching):
    """It is pushed at 1 m/s over a rough plane; Coulomb: v = v₀ − μ g t. The difference falls with 1/E."""
    moves, differences = {"velocity": [1.0, 0.0, 0.0]}, []
    rigid = body(
        "cube", density=DENSITY, shape=[{"type": "box", "size": [EDGE] * 3}], collide=True, material="rubber",
        position=[0, 0, EDGE / 2], **moves,
    )  # fmt: skip
    _, _, truth, _ = run(touching, floor(friction=0.3) + rigid + contact_solver(2e-4, 0.2), 0.2)
    x = truth["bodies/position"][0]
    assert x[0] == pytest.approx(0.2 - 0.5 * 0.3 * G * 0.04, abs=1e-5)
    for young in (1e5, 8e5):
        text = floor(friction=0.3) + cube(young=young, damping=1e-3, **moves) + contact_solver(2e-4, 0.2)
        _, _, frame, _ = run(touching, text, 0.2)
        differences.append(np.abs(frame["bodies/position"][0] - x).max())
    assert differences[1] < differences[0] / 4 and differences[0] < 1e-3, differences


def test_two_balls_that_collide_head_on_exchange_their_velocities_and_keep_momentum(touching):
    """Equal balls: momentum along the line is exact, whatever becomes of the vibration."""
    balls = "".join(
        cube(name, at=(x, 0, 0), young=2e5, shape=[{"type": "sphere", "radius": RADIUS}], velocity=[v, 0, 0])
        for name, x, v in (("left", -0.06, 1.0), ("right", 0.06, -0.2))
    )
    text = world(gravity=[0, 0, 0]) + table("material", name="rubber") + balls
    prepared = touching.prepare(text + contact_solver(1e-4, 0.06))
    integrator = prepared.start(0.06)
    state, smallest = prepared.problem[State], 1.0
    for t in np.linspace(0.001, 0.06, 60):
        show(integrator, 0.06, t)
        assert state.v[0] + state.v[12] == pytest.approx(0.8, abs=1e-12)
        gap = state.q[12] - RADIUS * state.q[15] - state.q[0] - RADIUS * state.q[3]
        smallest = min(smallest, gap)
    assert state.v[0] < 0.3 < state.v[12], "they have parted"
    assert -2e-5 < smallest < 1e-4, "the ellipsoids have touched, and not gone into each other"
    np.testing.assert_allclose(state.q[[1, 2, 13, 14]], 0.0, atol=1e-10)


PAIRS = {
    "box on sphere": ({"type": "sphere", "radius": 0.3}, -0.3),
    "box on box": ({"type": "box", "size": [0.4, 0.4, 0.2]}, -0.1),
    "box on convex": ({"type": "convex", "points": [[4 * x, 4 * y, 2 * z] for x, y, z in CORNERS]}, -0.1),
}


@pytest.mark.parametrize(("shape", "height"), few_first(PAIRS.values()))
def test_a_cube_rests_on_shapes_of_the_ground(touching, shape, height):
    """On flat faces as on a plane; on the top of a sphere its middle carries it: Σ f Xᵀ is the same."""
    ground = world(collide=True, material="rubber", shape=[{**shape, "position": [0, 0, height]}])
    ground += table("material", name="rubber")
    q, _, _, _ = run(touching, ground + cube(damping=2e-3) + contact_solver(2e-4, 0.3), 0.3)
    x, F = deformation(q)
    e = DENSITY * G * EDGE / (2 * 1e5)
    assert F[2, 2] == pytest.approx(1 - e, abs=0.02 * e)
    assert x[2] == pytest.approx(EDGE / 2 * (1 - e), abs=1e-7)


def test_a_stack_carries_the_weight_above(touching):
    """Corners of the lower cube carry 2 m g, those above are pressed by m g: V P_zz = −½ a (2 + 1) m g."""
    text = floor() + cube("low", damping=2e-3) + cube("high", at=(0, 0, 1.5 * EDGE), damping=2e-3)
    q, _, _, _ = run(touching, text + contact_solver(2e-4, 0.8), 0.8)
    e = DENSITY * G * EDGE / (2 * 1e5)
    low, high = deformation(q[:12])[1], deformation(q[12:])[1]
    assert low[2, 2] == pytest.approx(1 - 3 * e, abs=0.02 * e)
    assert high[2, 2] == pytest.approx(1 - e, abs=0.02 * e)


SPHERE, CAPSULE = {"type": "sphere", "radius": 0.05}, {"type": "capsule", "radius": 0.03, "length": 0.08}
BOX = {"type": "box", "size": [0.1, 0.06, 0.08]}
PEAK = [[0.05, 0, -0.03], [-0.03, 0.05, -0.03], [-0.03, -0.05, -0.03], [0, 0.01, 0.06]]
HULL = {"type": "convex", "points": PEAK}
MEETING = [
    *((BOX, BOX, kind) for kind in ("stretched", "rigid")),
    *((HULL, other, "rigid") for other in (SPHERE, CAPSULE, BOX, HULL)),
    *((SPHERE, other, "rigid") for other in (SPHERE, BOX)),
    *((SPHERE, other, "stretched") for other in (CAPSULE, HULL, SPHERE)),
    (CAPSULE, BOX, "stretched"),
]


def support(shape, A, n):
    """How far a shape about the origin, mapped by A, reaches along n [m]."""
    d = A.T @ n
    match shape["type"]:
        case "box":
            return float(0.5 * np.abs(d) @ shape["size"])
        case "convex":
            return float((np.array(shape["points"]) @ d).max())
        case "sphere":
            return float(shape["radius"] * np.linalg.norm(d))
    return float(shape["radius"] * np.linalg.norm(d) + 0.5 * shape["length"] * abs(d[2]))


@pytest.mark.parametrize(("one", "other", "kind"), MEETING)
def test_the_points_of_two_shapes_support_both_along_their_normal(touching, one, other, kind):
    """Two points of convex shapes are the nearest ones if and only if both are farthest along their normal.
    A common speed of 1e8 m/s makes the solver look for contacts up to 0.2 m away in a step of 1 ns.
    """
    random = np.random.default_rng(len(str(one)) + 7 * len(str(other)))
    lump = {"mass": 1.0, "inertia": [0.1, 0.12, 0.15], "collide": True, "material": "rubber"}
    soft = {**lump, "type": "pseudo_rigid", "young": 1e5, "poisson": 0.3, "volume": 1e-3}
    at, step, v = np.array([0.3, -0.2, 0.1]), 1e-9, np.array([1e8, 0.0, 0.0])
    text = world(gravity=[0, 0, 0]) + table("material", name="rubber")
    text += body("one", shape=[{**one, "position": list(at)}], **soft)
    text += body("other", shape=[{**other, "position": list(at)}], **(soft if kind == "stretched" else lump))
    prepared = touching.prepare(text + contact_solver(step, step))
    state = prepared.problem[State]
    A = np.eye(3) + 0.3 * random.normal(size=(3, 3))
    B = np.eye(3) + 0.3 * random.normal(size=(3, 3)) if kind == "stretched" else np.eye(3)
    n = random.normal(size=3)
    n /= np.linalg.norm(n)
    # a plane along n touches both
    apart = (support(one, A, n) + support(other, B, -n)) * n
    state.q[3:12], state.q[12:15], state.v[:3], state.v[12:15] = A.ravel(), A @ at + apart - B @ at, v, v
    if kind == "stretched":
        state.q[15:24] = B.ravel()
    finish(prepared.start(step), step)
    rows, markers = prepared.problem[TransientRows], prepared.problem[TransientMarkers]
    count = int(rows.used[0])
    assert count > 0
    k = int(np.argmin(rows.phi[: 3 * count : 3]))
    gap, normal = float(rows.phi[3 * k]), markers.R[2 * k, ::3]
    x_a, x_b = markers.x[2 * k : 2 * k + 2]
    assert gap > 1e-4
    np.testing.assert_allclose(x_b - x_a, gap * normal, atol=1e-12)
    centre = A @ at + 0.5 * step * v
    assert normal @ (x_a - centre) == pytest.approx(support(one, A, normal), abs=1e-10)
    assert -normal @ (x_b - centre - apart) == pytest.approx(support(other, B, -normal), abs=1e-10)


def test_material_points_of_a_body_that_deforms_are_those_before_it_deformed(touching):
    """A cube at rest stands on its four corners, whose coordinates in the body do not change; where F moves
    them is the point of the contact.
    """
    (frame,) = touching.frames(floor() + cube() + contact_solver(1e-3, 0.1), [0.0953])
    of = lambda name: frame[f"lists/contacts/{name}"]
    F, corners = frame["deformations/gradient"].reshape(3, 3), of("material_b")
    assert len(corners) == 4 and abs(F - np.eye(3)).max() > 1e-3
    np.testing.assert_allclose(abs(corners), EDGE / 2, rtol=1e-9)
    np.testing.assert_allclose(frame["bodies/position"][0] + corners @ F.T, of("point"), atol=1e-12)
