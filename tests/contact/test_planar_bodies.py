"""Planar bodies that touch, beside the same bodies in space, closed forms and balances."""

from __future__ import annotations

from math import atan, cos, sin

import numpy as np
import pytest
from blocks import Watch
from mbplugin_contact.solver import ContactSolver
from planar_scenes import HALF, SHAPES, G, contact, ground, planar, spatial, turn, walls
from refusals import refused
from scene_text import body, force, joint, table, world

import mbplugin as mb
from mbplugin.errors import PhysicsError
from mbplugin.tables.groups import State, TransientMarkers, TransientRows

pytestmark = pytest.mark.usefixtures("offered")
#: the status of a contact that sticks, and of one that slides
STICK, SLIP = 1, 2
#: a shape of the ground that planar bodies do not touch
BESIDE = {"type": "sphere", "radius": 0.1, "position": [0, 5, 0]}
SLOW = pytest.mark.slow
KINDS = ("disc", "box", "capsule", "triangle")


def run(text, **keys):
    return mb.System.from_text(text).run(files=False, **keys)


def billiard(make, seed, kinds=KINDS, gravity=0.0, end=1.0, **material):
    """Six bodies between four walls."""
    rng = np.random.default_rng(seed)
    text = ground(walls(1.0), gravity, **material)
    for k in range(6):
        at = [-0.6 + 0.6 * (k % 3), -0.4 + 0.7 * (k // 3)]
        pose = rng.uniform(-3, 3), rng.uniform(-2, 2, 2), rng.uniform(-5, 5)
        text += make(f"b{k}", SHAPES[kinds[k % len(kinds)]], at, *pose)
    return text + contact(end=end, residual=1e-9)


def farthest(one, other, names):
    """Largest distance of the positions of these bodies in two results [m]."""
    return max(np.abs(one[name].position - other[name].position).max() for name in names)


SIX = [f"b{k}" for k in range(6)]


@pytest.mark.parametrize(
    ("seed", "gravity", "material"),
    [
        (1, 0.0, {"restitution": 1.0}),
        (1, 0.0, {"restitution": 0.5, "friction": 0.3}),
        (2, G, {"restitution": 0.3, "friction": 0.6}),  # until they lie in a heap
        *(pytest.param(k, 0.0, {"restitution": 0.6, "friction": 0.4}, marks=SLOW) for k in range(3, 9)),
    ],
)
def test_a_planar_billiard_is_the_spatial_one(seed, gravity, material):
    """Sections of these shapes are what touches in space."""
    end = 0.58 if gravity else 1.0
    scenes = [billiard(make, seed, gravity=gravity, end=end, **material) for make in (planar, spatial)]
    flat, round_ = map(run, scenes)
    assert len(flat.events) >= 8
    assert farthest(flat, round_, SIX) < 1e-9


def test_energy_of_a_billiard_without_losses_stays():
    """In generalized velocities: of the speeds of bodies whose mass and moment are given."""
    result = run(billiard(planar, 5, restitution=1.0))
    energy = sum(
        0.5 * (result[name].velocity ** 2).sum(1) + 0.005 * (result[name].angular_velocity ** 2).sum(1)
        for name in SIX
    )
    assert np.ptp(energy) < 1e-11 * energy[0]


def test_momentum_of_bodies_that_float_stays():
    """Linear, and angular about the origin; they collide with each other alone."""
    rng = np.random.default_rng(3)
    text = ground([BESIDE], 0.0, restitution=0.4, friction=0.5)
    for k in range(6):
        at = np.array([-0.6 + 0.6 * (k % 3), -0.4 + 0.7 * (k // 3)])
        text += planar(f"b{k}", SHAPES[KINDS[k % 4]], at, rng.uniform(-3, 3), -2.0 * at, rng.uniform(-5, 5))
    result = run(text + contact(residual=1e-9))
    linear = sum(result[name].velocity for name in SIX)
    turning = sum(
        np.cross(result[name].position, result[name].velocity) + 0.01 * result[name].angular_velocity
        for name in SIX
    )
    assert np.ptp(linear, axis=0).max() < 1e-12
    assert np.ptp(turning, axis=0).max() < 1e-12
    # and they have struck each other
    assert np.abs(result["b0"].velocity[-1] - result["b0"].velocity[0]).max() > 0.1


def on_slope(shape, height, angle, friction, **keys):
    """A body on a half-space that descends along x."""
    plane = [{"type": "plane", "size": [2, 2], "orientation": turn(angle)}]
    at = height * np.array([sin(angle), cos(angle)])
    return ground(plane, friction=friction) + planar("b", shape, at, -angle, **keys) + contact(end=0.5)


@pytest.mark.parametrize(("friction", "angle"), [(0.0, 0.4), (0.3, 0.4), (0.45, 0.4)])
def test_a_block_slides_or_sticks_by_coulombs_law(friction, angle):
    result = run(on_slope(SHAPES["box"], 0.08, angle, friction))
    speed = 0.5 * G * max(sin(angle) - friction * cos(angle), 0.0)
    down = np.array([cos(angle), 0.0, -sin(angle)])
    assert result["b"].velocity[-1] @ down == pytest.approx(speed, abs=1e-9)
    status = {int(s) for frame in (5, 25) for s in result.list("contacts").at(frame).status}
    assert status == {STICK if speed == 0.0 else SLIP}


def test_a_disc_rolls_down_at_two_thirds_of_g_sin_a():
    angle = 0.3
    disc = {"type": "sphere", "radius": 0.12}
    result = run(on_slope(disc, 0.12, angle, 0.5, inertia=0.5 * 0.12**2))
    down = np.array([cos(angle), 0.0, -sin(angle)])
    assert result["b"].velocity[-1] @ down == pytest.approx(0.5 * 2 / 3 * G * sin(angle), rel=1e-9)
    assert np.abs(result["b"].angular_velocity[-1]).max() == pytest.approx(
        0.5 * 2 / 3 * G * sin(angle) / 0.12
    )


@pytest.mark.parametrize(("part", "tips"), [(0.99, False), (1.01, True)])
def test_a_box_tips_where_its_centre_passes_its_corner(part, tips):
    tall = {"type": "box", "size": [0.1, 2 * HALF, 0.3]}
    angle = part * atan(0.1 / 0.3)
    result = run(on_slope(tall, 0.15, angle, 5.0, inertia=0.1 / 12))
    turned = np.abs(result["b"].angular_velocity[-1]).max()
    assert turned > 1e-2 if tips else turned < 1e-12


def pile(n):
    boxes = [planar(f"box{k}", SHAPES["box"], [0, 0.08 + 0.16 * k]) for k in range(n)]
    return ground(friction=0.5) + "".join(boxes)


def test_a_pile_of_boxes_rests_and_two_corners_carry_each():
    result = run(pile(5) + contact(step=2e-3, end=0.5))
    assert max(np.abs(result[f"box{k}"].velocity).max() for k in range(5)) < 1e-11
    frame = result.list("contacts").at(25)
    assert len(frame.force) == 10
    for k in range(5):
        below = frame.force[(frame.body_a == k - 1) & (frame.body_b == k)]
        assert below[:, 2] == pytest.approx([0.5 * (5 - k) * G] * 2, rel=1e-6)
    # nothing acts across the plane
    assert np.all(frame.force[:, 1] == 0.0)


def pendulum(make, coordinates):
    """Two links on hinges that swing against a wall and a disc."""
    flat = make is planar
    along = {"axis": [0, 1, 0], "angle_deg": 90}
    link = {"type": "capsule", "radius": 0.03, "length": 0.4, "orientation": along}
    wall = [{"type": "box", "size": [0.2, 1, 2], "position": [0.4, 0, -0.5]}]
    text = ground(wall, restitution=0.5, friction=0.3)
    text += make("a", link, [-0.2, 0]) + make("b", link, [-0.6, 0])
    for name, one, other, x in (("p", "ground", "a", 0), ("q", "a", "b", -0.4)):
        hinge = {"at": [x, 0]} if flat else {"at": [x, 0, 0], "axis": [0, 1, 0]}
        text += joint(name, "pin" if flat else "revolute", one, other, **hinge)
    text += make("d", SHAPES["disc"], [0.1, -0.7]) + force("d", name="lift", z=G)
    return text + contact(end=1.0, residual=1e-9, coordinates=coordinates)


@pytest.mark.parametrize(("coordinates", "tolerance"), [("maximal", 1e-5), ("joint", 1e-9)])
def test_joints_and_contacts_act_together(coordinates, tolerance):
    """In maximal coordinates hinges have five rows and pins two, so that errors of joints differ."""
    flat, hinged = (run(pendulum(make, coordinates)) for make in (planar, spatial))
    assert farthest(flat, hinged, "abd") < tolerance
    assert {"contact.b.d", "contact.ground.d"} <= {event.element for event in flat.events}


def test_a_resumed_run_has_the_same_bits(tmp_path):
    text = billiard(planar, 2, gravity=G, end=0.4, restitution=0.3, friction=0.6)
    whole = run(text)
    system = mb.System.from_text(text)
    system.run(tmp_path / "cut", end=0.2)
    resumed = mb.System.from_text(text).run(tmp_path / "cut", resume=True)
    assert np.array_equal(whole["b3"].position, resumed["b3"].position)


def test_static_holds_a_block_below_the_angle_of_friction_alone():
    held = mb.System.from_text(on_slope(SHAPES["box"], 0.08, 0.99 * atan(0.3), 0.3)).analyze("static")
    assert sum(one.force for one in held.contacts) == pytest.approx([0, 0, -G], abs=1e-9)
    assert {one.status for one in held.contacts} == {"sticks"}
    with pytest.raises(PhysicsError, match='"b"'):
        mb.System.from_text(on_slope(SHAPES["box"], 0.08, 1.01 * atan(0.3), 0.3)).analyze("static")


def test_a_spatial_ball_strikes_a_planar_disc_out_of_its_plane():
    """Normal impulse of a ball on a body that moves in the plane alone; e = 1 keeps the energy."""
    text = ground([BESIDE], 0.0, restitution=1.0)
    text += planar("disc", SHAPES["disc"], [0, 0])
    sphere = {"type": "sphere", "radius": 0.12}
    text += body(
        "ball", mass=2.0, inertia=[0.01] * 3, position=[-0.5, 0.06, 0], velocity=[1.0, 0, 0], collide=True,
        material="stone", shape=[sphere],
    )  # fmt: skip
    result = run(text + contact(end=0.6))
    # n from the ball to the disc; the disc has no mass across the plane that could move
    n = np.array([np.sqrt(0.24**2 - 0.06**2), -0.06, 0.0]) / 0.24
    p = 2.0 * n[0] / (1 / 2.0 + n[0] ** 2)
    assert result["ball"].velocity[-1] == pytest.approx(np.array([1.0, 0, 0]) - p / 2.0 * n, abs=2e-3)
    assert result["disc"].velocity[-1] == pytest.approx([p * n[0], 0, 0], abs=2e-3)
    energy = 0.5 * 2.0 * (result["ball"].velocity[-1] ** 2).sum() + 0.5 * result["disc"].velocity[-1, 0] ** 2
    assert energy == pytest.approx(1.0, rel=1e-12)


def test_shapes_of_the_ground_beside_the_plane_do_not_touch():
    far = [{"type": "box", "size": [1, 0.2, 0.2], "position": [0, 1, -0.3]}]
    result = run(ground(far) + planar("b", SHAPES["disc"], [0, 0]) + contact(end=0.5))
    assert result["b"].velocity[-1, 2] == pytest.approx(-0.5 * G)


@pytest.mark.parametrize(
    "shape",
    [
        {"type": "sphere", "radius": 0.1, "position": [0, 0.2, 0]},
        {**SHAPES["capsule"], "orientation": {"axis": [1, 0, 0], "angle_deg": 30}},
    ],
)
def test_what_has_no_outline_is_refused_by_name(shape):
    scene = ground() + planar("b", shape, [0, 1]) + contact()
    with refused("body[0].collide", True):
        mb.System.from_text(scene).compile()


def test_a_tilted_box_of_the_ground_touches_with_its_section():
    """A box that is turned about x has a wider section, of height d / cos a."""
    angle = 0.5
    box = [{"type": "box", "size": [2, 1, 0.2], "orientation": {"axis": [1, 0, 0], "angle": angle}}]
    top = 0.1 / cos(angle)
    result = run(ground(box, friction=0.5) + planar("b", SHAPES["disc"], [0, top + 0.12]) + contact(end=0.2))
    assert np.abs(result["b"].velocity).max() < 1e-12


def polygon(rng):
    """Corners (n, 2) of a convex polygon, n = 1, 2 or more, and the radius of the ball about its points."""
    n = int(rng.integers(1, 9))
    a = np.sort(rng.uniform(0.0, 2.0 * np.pi, n))
    corners = np.column_stack([np.cos(a), np.sin(a)]) * rng.uniform(0.1, 1.0, 2)
    return corners - corners.mean(axis=0), float(rng.uniform(0.05, 0.3)) if n < 3 else 0.0


def apart(p, q):
    """The distance of two convex polygons, by all corners and edges; of those that overlap minus the least
    way out, by the normals of all edges.
    """
    directions = [np.array([1.0, 0.0])]
    for one in (p, q):
        for a, b in zip(one, np.roll(one, -1, axis=0)):
            if len(one) > 1:
                t = (b - a) / np.linalg.norm(b - a)
                directions += [np.array([t[1], -t[0]]), np.array([-t[1], t[0]])]
    for a in p:
        directions += [(b - a) / np.linalg.norm(b - a) for b in q]
    return max(min(q @ n) - max(p @ n) for n in directions)


def test_forces_in_the_plane_are_unique_where_they_are():
    """A box on two corners that stick: sideways forces share, but their sum follows. A second wall presses it
    sideways, and forces are open.
    """
    text = pile(1) + contact(end=0.1)
    assert not [m for m in run(text).messages if "not unique" in m.text]
    wedge = [{"type": "plane", "size": [2, 2], "orientation": turn(a)} for a in (-0.7, 0.7)]
    text = ground(wedge, friction=0.9) + planar("b", SHAPES["disc"], [0, 0.12 / cos(0.7)]) + contact(end=0.1)
    assert [m for m in run(text).messages if "not unique" in m.text]


def shape_of(corners, radius):
    """The shape with this outline in the plane "xz"."""
    if len(corners) == 1:
        return {"type": "sphere", "radius": radius}
    if len(corners) == 2:
        x, z = corners[1] - corners[0]
        turned = {"x": [0, 1, 0], "z": [x, 0, z]}
        return {"type": "capsule", "radius": radius, "length": float(np.hypot(x, z)), "orientation": turned}
    return {"type": "convex", "points": [[x, y, z] for x, z in corners for y in (-HALF, HALF)]}


@pytest.mark.parametrize("seed", [0, *(pytest.param(k, marks=SLOW) for k in range(1, 20))])
def test_outlines_touch_where_polygons_do(runs, seed):
    """Random discs, capsules and polygons at random poses, apart and overlapping: the least gap, the arrow
    from one to the other, and how far both lie along it.
    """
    rng, bodies, outlines, q = np.random.default_rng(seed), "", [], []
    for k in range(160):
        corners, radius = polygon(rng)
        x, side = 10.0 * (k // 2), k % 2
        # they begin apart
        bodies += planar(f"b{k}", shape_of(corners, radius), [x, 4.0 * side])
        angle, at = rng.uniform(-3, 3), np.array([x, 0.0]) + side * rng.uniform(-1.3, 1.3, 2)
        R = np.array([[cos(angle), -sin(angle)], [sin(angle), cos(angle)]])
        outlines.append((corners @ R.T + at, radius))
        q += [*at, angle]
    integrator = runs.prepare(ground([BESIDE], 0.0) + bodies + contact()).start(1.0)
    problem = integrator.problem
    problem[State].q[:] = q
    integrator.begin_here()
    integrator.show(0.0)
    ContactSolver.find_contacts(integrator, 4.0)
    n = int(problem[TransientRows].used[0])
    first = problem[TransientMarkers].index.part[: 2 * n : 2]
    x = problem[TransientMarkers].x[: 2 * n].reshape(n, 2, 3)
    normal = problem[TransientMarkers].R[1 : 2 * n : 2].reshape(n, 3, 3)[:, :, 0]
    assert np.all(x[:, :, 1] == 0.0) and np.all(normal[:, 1] == 0.0)
    counts = np.bincount(first, minlength=160)
    assert counts[::2].min() >= 1 and counts.max() == 2
    for k in range(0, 160, 2):
        (p, r_p), (q_, r_q) = outlines[k : k + 2]
        own = np.flatnonzero(first == k)
        gaps = problem[TransientRows].phi[3 * own]
        assert gaps.min() == pytest.approx(apart(p, q_) - r_p - r_q, abs=1e-10)
        i = own[gaps.argmin()]
        m = normal[i, ::2]
        assert x[i, 1, ::2] - x[i, 0, ::2] == pytest.approx(gaps.min() * m, abs=1e-10)
        assert max(p @ m) + r_p == pytest.approx(x[i, 0, ::2] @ m, abs=1e-9)
        assert min(q_ @ m) - r_q == pytest.approx(x[i, 1, ::2] @ m, abs=1e-9)


def test_a_section_away_from_the_centre():
    """A pyramid of the ground whose base lies at y = −0.3: at the plane, 0.3 of its 0.4 above the base, a
    quarter of the base's width is left; a ball whose centre is off the plane is a smaller disc.
    """
    base = [[x, -0.2, z] for x in (-0.4, 0.4) for z in (-0.4, 0.4)]
    tip = {"type": "convex", "points": [*base, [0, 0.2, 0]], "position": [0, -0.1, 0]}
    ball = {"type": "sphere", "radius": 0.13, "position": [0, 0.05, 0]}
    text = ground([tip], friction=0.5) + planar("b", ball, [0.03, 0.22], velocity=[0, 0])
    assert run(text + contact(end=0.1))["b"].velocity[-1] == pytest.approx([0, 0, 0], abs=1e-12)


def test_contacts_in_the_plane_xy_have_one_tangent_in_it(runs):
    angle, friction = 0.4, 0.3
    plane = {
        "type": "plane",
        "orientation": {"z": [sin(angle), cos(angle), 0], "x": [cos(angle), -sin(angle), 0]},
    }
    text = world(gravity=[0, -G, 0], collide=True, material="stone", shape=[plane])
    text += table("material", name="stone", friction=friction)
    shape = {"type": "box", "size": [0.3, 0.16, 0.02]}
    text += planar("b", shape, 0.08 * np.array([sin(angle), cos(angle)]), -angle)
    watch = Watch(runs, text + contact(end=0.5)).to(0.5)
    speed = 0.5 * G * (sin(angle) - friction * cos(angle))
    assert watch.problem[State].v == pytest.approx([speed * cos(angle), -speed * sin(angle), 0], abs=1e-9)
    transient, n = watch.problem[TransientRows], int(watch.problem[TransientRows].used[0])
    axes = watch.problem[TransientMarkers].R[1 : 2 * n : 2].reshape(n, 3, 3)
    assert n == 2 and np.all(axes[:, :, 2] == [0, 0, 1])
    assert np.all(transient.impulse[2 : 3 * n : 3] == 0.0)
