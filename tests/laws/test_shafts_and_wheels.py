"""Shafts, threads, teeth and ropes against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from discs import ABOUT, MASS, RADIUS, SteadyCircle, disc
from refusals import refused
from scene_text import NO_GRAVITY, body, joint, motion, solver, table, torque, world

G = 9.81
SOLVER = solver(tolerance=1e-10, end=1.0)


def wheel(name, J, at, axis=(0, 0, 1), a="ground", kind="revolute", **keys):
    """A body whose moment about every axis is J, in a hinge; `keys` of the hinge."""
    return body(name, mass=1.5, inertia=[J, J, J], position=at) + joint(
        f"of_{name}", kind, a, name, at=at, axis=axis, **keys
    )


def mesh(kind, *joints, **keys):
    """A joint between joints."""
    return table("joint", name="mesh", type=kind, joints=joints, **keys)


def shafts(kind, bend, rate):
    """A shaft along x, driven, and one bent by `bend` about z behind the joint `kind`; the markers' z lie
    along the shafts.
    """
    out = np.array([np.cos(bend), np.sin(bend), 0])
    z = [0, 0, 1]
    fork = lambda x, across: [
        {"name": "fork", "position": [x, 0, 0], "orientation": {"z": [1, 0, 0], "x": across}}
    ]
    return (
        NO_GRAVITY
        + body(
            "in",
            mass=1.0,
            inertia=[0.02, 0.1, 0.1],
            position=[-0.5, 0, 0],
            marker=fork(0.5, [0, 1, 0] if kind.startswith("universal") else z),
        )
        + body(
            "out",
            mass=1.0,
            inertia=[0.02, 0.1, 0.1],
            position=0.5 * out,
            orientation={"axis": z, "angle": bend},
            marker=fork(-0.5, [0, 1, 0] if kind.startswith("universal") else z),
        )
        + joint("driver", "revolute", "ground", "in", at=[-1, 0, 0], axis=[1, 0, 0])
        + joint("driven", "cylindrical", "ground", "out", at=out, axis=out)
        + joint("tried", kind, "in.fork", "out.fork")
        + motion("driver", angle=f"{rate}*time")
        + solver(tolerance=1e-11, end=1.0)
    )


BEND, RATE = 0.6, 7.0


def test_a_universal_joint_turns_its_shafts_at_the_ratio_of_cardan(runs):
    """ω₂/ω₁ = cos β / (1 − sin² β cos² θ), θ from where the driving fork lies in the plane of both shafts."""
    for t, frame in zip((0.1, 0.45, 1.0), runs.frames(shafts("universal", BEND, RATE), [0.1, 0.45, 1.0])):
        theta = RATE * t
        ratio = np.cos(BEND) / (1.0 - (np.sin(BEND) * np.cos(theta)) ** 2)
        names = dict(zip(["driver.angle", "driven.length", "driven.angle"], frame["coordinates/speed"]))
        assert names["driven.angle"] / names["driver.angle"] == pytest.approx(ratio, abs=1e-9)


def test_the_rotation_of_a_universal_joint_alone_has_the_same_ratio_and_leaves_no_row_too_many(runs):
    text = shafts("universal_rotation", BEND, RATE).replace('"cylindrical"', '"revolute"')
    assert (found := runs.prepare(text).rank).rows == found.rank
    for t, frame in zip((0.1, 0.45, 1.0), runs.frames(text, [0.1, 0.45, 1.0])):
        theta = RATE * t
        ratio = np.cos(BEND) / (1.0 - (np.sin(BEND) * np.cos(theta)) ** 2)
        assert frame["coordinates/speed"][1] / frame["coordinates/speed"][0] == pytest.approx(ratio, abs=1e-9)
        assert np.abs(frame["joints/force"][2]).max() < 1e-12


def cone(**keys):
    """A rod in a ball at the origin, which keeps the angle ALPHA to the vertical and goes around at OMEGA."""
    s, c = np.sin(ALPHA), np.cos(ALPHA)
    at = [s * HALF, 0, -c * HALF]
    return (
        (
            body(
                "rod",
                mass=MASS,
                inertia=[J, J, 0.0013],
                position=at,
                orientation={"axis": [0, 1, 0], "angle": -ALPHA},
                angular_velocity=[0, 0, OMEGA],
                velocity=[0, OMEGA * at[0], 0],
            )
            + joint("ball", "ball", "ground", "rod", at=[0, 0, 0])
            + joint("cone", "axes_at_angle", "ground.up", "rod.along", **keys)
            + SOLVER
        )
        .replace("[[body]]", '[scene]\nmarker = [{ name = "up" }]\n[[body]]', 1)
        .replace('name = "rod"', 'name = "rod"\nmarker = [{ name = "along" }]', 1)
    )


ALPHA, HALF, J, OMEGA = 0.7, 0.4, 0.09, 6.0


@pytest.mark.parametrize("keys", [{}, {"cosine": float(np.cos(ALPHA))}])
def test_a_rod_that_keeps_its_angle_to_the_vertical_goes_around_a_cone_at_one_rate(runs, keys):
    """The torque about the horizontal normal is sin α (J₀ Ω² cos α − m g l), J₀ about the ball without that
    about the rod; the spin of the rod is Ω cos α.
    """
    about_ball = J + MASS * HALF**2 - 0.0013
    expected = np.sin(ALPHA) * (about_ball * OMEGA**2 * np.cos(ALPHA) - MASS * G * HALF)
    for t, frame in zip((0.0, 0.37, 1.0), runs.frames(cone(**keys), [0.0, 0.37, 1.0])):
        x = frame["bodies/position"][0]
        angle = OMEGA * t
        at = HALF * np.array([np.sin(ALPHA) * np.cos(angle), np.sin(ALPHA) * np.sin(angle), -np.cos(ALPHA)])
        np.testing.assert_allclose(x, at, atol=1e-9)
        normal = np.array([-np.sin(angle), np.cos(angle), 0])
        torque_on_rod = frame["joints/torque"][1]
        assert abs(torque_on_rod @ normal) == pytest.approx(abs(expected), abs=1e-8)
        np.testing.assert_allclose(torque_on_rod, (torque_on_rod @ normal) * normal, atol=1e-8)
        assert np.linalg.norm(frame["joints/force"][1]) < 1e-12


def test_axes_in_one_line_are_refused(runs):
    with refused("joint[1].cosine", 1.0):
        runs.prepare(cone(cosine=1.0))


def test_a_constant_velocity_joint_turns_both_shafts_alike(runs):
    for t, frame in zip(
        (0.1, 0.45, 1.0), runs.frames(shafts("constant_velocity", BEND, RATE), [0.1, 0.45, 1.0])
    ):
        value, speed = frame["coordinates/value"], frame["coordinates/speed"]
        assert value[2] == pytest.approx(RATE * t, abs=1e-9)
        assert speed[2] == pytest.approx(RATE, abs=1e-9)
        # what bends it: the angle between the shafts, seen from the turning one
        assert np.hypot(np.tan(value[3]), np.tan(value[4])) == pytest.approx(np.tan(BEND), abs=1e-9)


@pytest.mark.parametrize("pitch", [0.2, -0.4])
def test_a_nut_falls_along_its_thread(runs, pitch):
    """z = p θ/(2π):  (J + m (p/2π)²) θ̈ = T − m g p/(2π), over many turns and through the start."""
    m, J, T, lead = 1.5, 0.3, 25.0, pitch / (2 * np.pi)
    scene = (
        wheel("nut", J, [0, 0, 0], kind="screw", pitch=pitch, start={"angle": 20.0})
        + torque("nut", z=T)
        + SOLVER
    )
    rate = (T - m * G * lead) / (J + m * lead**2)
    for t, frame in zip((0.0, 0.5, 1.0), runs.frames(scene, [0.0, 0.5, 1.0])):
        turned = 20.0 + 0.5 * rate * t * t
        np.testing.assert_allclose(frame["coordinates/value"], [lead * turned, turned], atol=1e-8)
        # the thread carries what gravity and the acceleration along it leave, and takes the torque for that
        force, moment = frame["joints/local_force"][0], frame["joints/local_torque"][0]
        assert force[2] == pytest.approx(m * (G + lead * rate), abs=1e-8)
        assert moment[2] == pytest.approx(-lead * force[2], abs=1e-12)
        np.testing.assert_allclose(force[:2], 0.0, atol=1e-10)


@pytest.mark.parametrize("internal", [False, True])
def test_two_wheels_in_mesh(runs, internal):
    """r₁ θ₁ ± r₂ θ₂ = 0:  (J₁ + J₂ (r₁/r₂)²) θ̈₁ = T; the teeth push with J₂ θ̈₂/r₂."""
    J1, J2, r1, r2, T = 0.4, 0.9, 0.1, 0.25, 30.0
    scene = (
        NO_GRAVITY
        + wheel("one", J1, [0, 0, 0])
        + wheel("two", J2, [r1 + r2, 0, 0])
        + mesh("gear", "of_one", "of_two", radii=[r1, r2], internal=internal)
        + torque("one", z=T)
        + SOLVER
    )
    rate = T / (J1 + J2 * (r1 / r2) ** 2)
    other = (1.0 if internal else -1.0) * r1 / r2 * rate
    for t, frame in zip((0.5, 1.0), runs.frames(scene, [0.5, 1.0])):
        np.testing.assert_allclose(
            frame["coordinates/value"], [0.5 * rate * t * t, 0.5 * other * t * t], atol=1e-8
        )
        np.testing.assert_allclose(frame["joints/local_torque"][2], [0, 0, J2 * other], atol=1e-8)
    assert abs(frame["coordinates/value"][0]) > 4 * np.pi


def test_a_planet_runs_round_inside_a_ring(runs):
    """Willis: ω_planet = ω_carrier (1 − r_ring/r_planet); the carrier is body a of both hinges."""
    ring, planet, rate = 0.5, 0.2, 3.0
    scene = (
        NO_GRAVITY
        + wheel("carrier", 0.3, [0, 0, 0])
        + joint("ring", "revolute", "carrier", "ground", at=[0, 0, 0], axis=[0, 0, 1])
        + wheel("planet", 0.1, [ring - planet, 0, 0], a="carrier")
        + mesh("gear", "ring", "of_planet", radii=[ring, planet], internal=True)
        + motion("of_carrier", angle=f"{rate}*time")
    )
    # the two hinges of the carrier hold the same; the second is there because the ring's angle is that of the
    # ground as the carrier sees it
    frame = runs.frames(scene + SOLVER, [1.0])[-1]
    np.testing.assert_allclose(
        frame["bodies/angular_velocity"][1], [0, 0, rate * (1 - ring / planet)], atol=1e-9
    )


def test_a_rack_and_its_pinion(runs):
    """x = r θ: (J + m r²) θ̈ = T; the teeth push the rack with m r θ̈."""
    J, m, r, T = 0.4, 1.5, 0.1, 30.0
    scene = (
        NO_GRAVITY
        + wheel("pinion", J, [0, 0, 0])
        + wheel("rack", 1.0, [0, -r, 0], axis=[1, 0, 0], kind="translational")
        + mesh("rack", "of_pinion", "of_rack", radius=r)
        + torque("pinion", z=T)
        + SOLVER
    )
    rate = T / (J + m * r * r)
    for t, frame in zip((0.5, 1.0), runs.frames(scene, [0.5, 1.0])):
        np.testing.assert_allclose(
            frame["coordinates/value"], [0.5 * rate * t * t, 0.5 * r * rate * t * t], atol=1e-8
        )
        np.testing.assert_allclose(frame["joints/local_force"][2], [0, 0, m * r * rate], atol=1e-8)


def test_three_wheels_by_a_coupler(runs):
    """J_i θ̈_i = T_i + c_i λ, Σ c_i θ̈_i = target″."""
    J, C, T = np.array([0.5, 0.8, 1.1]), np.array([2.0, -1.0, 0.5]), np.array([3.0, 0.5, -0.7])
    scene = NO_GRAVITY + "".join(
        wheel(f"w{i}", J[i], [i, 0, 0], start={"angle": 0.1} if i == 0 else None) + torque(f"w{i}", z=T[i])
        for i in range(3)
    )
    scene += mesh("coupler", "of_w0", "of_w1.angle", "of_w2", factors=C, target="0.3 + 0.6*time**2")
    lam = (1.2 - C @ (T / J)) / (C @ (C / J))
    rates = (T + C * lam) / J
    first, last = runs.frames(scene + SOLVER, [0.0, 1.0])
    assert C @ first["coordinates/value"] == pytest.approx(0.3, abs=1e-11)
    assert first["coordinates/value"][0] == pytest.approx(0.1, abs=1e-11)
    np.testing.assert_allclose(
        last["coordinates/value"] - first["coordinates/value"] - first["coordinates/speed"],
        0.5 * rates,
        atol=1e-8,
    )
    assert C @ last["coordinates/value"] == pytest.approx(0.9, abs=1e-11)


def test_mistakes_of_a_coupler_are_named(runs):
    wheels = NO_GRAVITY + wheel("w", 1, [0, 0, 0], kind="cylindrical")
    coupled = lambda factors: wheels + mesh("coupler", "of_w", "of_w.angle", factors=factors)
    with refused("joint[1].joints[0]", "of_w"):
        runs.prepare(coupled([1, 2]))
    with refused("joint[1].factors", [1.0]):
        runs.prepare(coupled([1]))
    two = wheels + wheel("x", 1, [0, 1, 0])
    with refused("joint[2].joints[1]", "of_x.angle"):
        runs.prepare(two + mesh("gear", "of_x", "of_x.angle", radii=[1.0, 2.0]))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("a", "ground"),
        ("markers", ["w", "x"]),
        ("at", [0, 0, 1]),
        ("axis", [1, 0, 0]),
        ("start", {"angle": 1}),
    ],
)
def test_a_coupler_has_no_markers(runs, key, value):
    wheels = NO_GRAVITY + wheel("w", 1, [0, 0, 0]) + wheel("x", 1, [0, 1, 0])
    with refused(f"joint[2].{key}"):
        runs.prepare(wheels + mesh("gear", "of_w", "of_x", radii=[1.0, 2.0], **{key: value}))


@pytest.mark.parametrize("flat", [False, True])
@pytest.mark.parametrize("ratio", [1.0, 2.0])
def test_two_loads_on_a_rope(runs, flat, ratio):
    """L₁ + n L₂ stays: ẍ₁ = −n ẍ₂, pull S = m₁ (g − ẍ₁): ẍ₁ = g (m₁ − m₂/n) / (m₁ + m₂/n²)."""
    m1, m2 = 3.0, 2.0
    side = "y" if flat else "z"
    up = lambda x, h: [x, h] if flat else [x, 0, h]
    load = lambda name, m, x, h: body(
        name,
        type="planar" if flat else "spatial",
        mass=m,
        inertia=0.2 if flat else [0.2, 0.2, 0.2],
        position=up(x, h),
        marker=[{"name": "hook"}],
    )
    wheels = [{"name": "left", "position": [-0.1, 0, 0]}, {"name": "right", "position": [0.1, 0, 0]}]
    scene = (
        world(gravity=[0, -9.81, 0] if flat else [0, 0, -9.81], marker=wheels)
        + load("one", m1, -0.1, -1.0)
        + load("two", m2, 0.1, -2.0)
        + table(
            "joint",
            name="rope",
            type="pulley",
            markers=["ground.left", "one.hook", "ground.right", "two.hook"],
            ratio=ratio,
        )
        + solver(tolerance=1e-10, end=0.4)
    )
    rate = G * (m1 - m2 / ratio) / (m1 + m2 / ratio**2)
    k = "xyz".index(side)
    for t, frame in zip((0.0, 0.4), runs.frames(scene, [0.0, 0.4])):
        np.testing.assert_allclose(
            frame["bodies/position"][:, k],
            [-1 - 0.5 * rate * t * t, -2 + 0.5 * rate / ratio * t * t],
            atol=1e-10,
        )
        pull = m1 * (G - rate)
        np.testing.assert_allclose(frame["joints/local_force"][0], [0, 0, -ratio * pull], atol=1e-9)


def test_a_disc_rolls_down_a_slope(runs):
    """ẍ = ⅔ g sin α, and the plane pushes with m g cos α and a third of m g sin α."""
    slope = 0.3
    gravity = G * np.array([np.sin(slope), 0, -np.cos(slope)])
    for t, frame in zip(
        (0.7, 1.5), runs.frames(disc([0, 0, RADIUS], [0, 1, 0], [0, 0, 0], [0, 0, 0], gravity), [0.7, 1.5])
    ):
        np.testing.assert_allclose(
            frame["bodies/position"][0], [G * np.sin(slope) * t * t / 3, 0, RADIUS], atol=1e-9
        )
        np.testing.assert_allclose(
            frame["joints/force"][0], MASS * G * np.array([-np.sin(slope) / 3, 0, np.cos(slope)]), atol=1e-9
        )
        # x, y, the axle's heading, and what it has rolled: turns are counted
        way, start = (
            G * np.sin(slope) * t * t / 3,
            frame["coordinates/value"][3] - G * np.sin(slope) * t * t / 3 / RADIUS,
        )
        np.testing.assert_allclose(frame["coordinates/value"][:3], [way, 0, np.pi / 2], atol=1e-9)
        assert abs(start) < np.pi
        np.testing.assert_allclose(
            frame["coordinates/speed"], [2 * way / t, 0, 0, 2 * way / t / RADIUS], atol=1e-8
        )


def test_a_leaning_disc_rolls_in_a_steady_circle(runs):
    """Its height is held."""
    circle = SteadyCircle(lean=1.1, precession=2.0)
    for t, frame in zip((0.5, 1.5), runs.frames(circle.scene(), [0.5, 1.5])):
        np.testing.assert_allclose(frame["bodies/position"][0], circle.place(t), atol=1e-8)
        assert frame["bodies/position"][0][2] == pytest.approx(circle.centre[2], abs=1e-12)
        assert abs(float(frame["energy/balance"])) < 1e-8
        np.testing.assert_allclose(
            frame["coordinates/speed"][2:],
            [circle.precession, circle.spin - circle.precession * np.cos(circle.lean)],
            atol=1e-8,
        )


def test_a_steered_wheel_rolls_in_a_circle(runs):
    """An upright wheel in a fork whose height a planar joint holds: with spin ω and heading rate Ω its centre
    runs round a circle of radius R ω/Ω.
    """
    omega, heading = 5.0, 2.0
    fork = (
        body("fork", mass=1.0, inertia=[0.1, 0.1, 0.1], position=[0, 0, 0.4])
        + joint("upright", "planar", "ground", "fork", at=[0, 0, 0.4], axis=[0, 0, 1])
        + joint("axle", "revolute", "fork", "disc", at=[0, 0, 0.4], axis=[0, 1, 0])
    )
    text = disc(
        [0, 0, RADIUS], [0, 1, 0], [RADIUS * omega, 0, 0], [0, omega, heading], [0, 0, -G], "wheel", fork
    )
    assert runs.prepare(text).rank.dof == 2
    for t, frame in zip((0.5, 1.5), runs.frames(text, [0.5, 1.5])):
        radius = RADIUS * omega / heading
        np.testing.assert_allclose(
            frame["bodies/position"][0],
            [radius * np.sin(heading * t), radius * (1 - np.cos(heading * t)), RADIUS],
            atol=1e-8,
        )
        # side slip: what the circle needs, 2.5 kg v²/r, and no push along the way
        assert np.linalg.norm(frame["joints/force"][0]) == pytest.approx(
            (MASS + 1.0) * RADIUS * omega * heading, abs=1e-7
        )
        assert abs(float(frame["energy/balance"])) < 1e-8


def planar_disc(plane, gravity, kind, centre, axis, more=""):
    """Text of a planar disc that rolls on the line through the ground's origin along `axis`."""
    return (
        world(plane=plane, gravity=gravity, marker=[{"name": "floor"}])
        + body("disc", type="planar", mass=MASS, inertia=ABOUT, position=centre, marker=[{"name": "centre"}])
        + joint("rolls", kind, "ground.floor", "disc.centre", axis=axis, radius=RADIUS)
        + more
        + solver(tolerance=1e-10, end=1.5)
    )


@pytest.mark.parametrize("plane", ["xy", "xz"])
def test_a_planar_disc_rolls_down_a_slope(runs, plane):
    """⅔ g sin α along the line; the line pushes with m g cos α, and a third of m g sin α up the slope."""
    slope = 0.3
    up, along = (
        (1, [np.cos(slope), -np.sin(slope), 0]) if plane == "xy" else (2, [np.cos(slope), 0, -np.sin(slope)])
    )
    out = [np.sin(slope), np.cos(slope), 0] if plane == "xy" else [np.sin(slope), 0, np.cos(slope)]
    along, out, gravity = np.array(along), np.array(out), -G * np.eye(3)[up]
    text = planar_disc(plane, gravity, "rolling_disc", RADIUS * out, along)
    prepared = runs.prepare(text)
    assert (prepared.rank.dof, prepared.rank.rows) == (1, 2)
    for t, frame in zip((0.7, 1.5), runs.frames(text, [0.7, 1.5])):
        way = G * np.sin(slope) * t * t / 3
        np.testing.assert_allclose(frame["bodies/position"][0], way * along + RADIUS * out, atol=1e-9)
        np.testing.assert_allclose(
            frame["joints/force"][0], MASS * G * (np.cos(slope) * out - np.sin(slope) / 3 * along), atol=1e-9
        )
        np.testing.assert_allclose(frame["coordinates/value"], [way, -way / RADIUS], atol=1e-8)
        np.testing.assert_allclose(
            frame["coordinates/speed"], [2 * way / t, -2 * way / t / RADIUS], atol=1e-8
        )
        assert abs(float(frame["energy/balance"])) < 1e-8


def test_a_planar_wheel_drives_its_cart(runs):
    """A torque T between cart and wheel: (M + m + J/R²) a = T/R; the road pushes with (M + m) a, and nothing
    else.
    """
    cart, drive = 3.0, 1.8
    more = (
        body("cart", type="planar", mass=cart, inertia=1, position=[0, RADIUS])
        + joint("rail", "translational", "ground", "cart", axis=[1, 0, 0], at=[0, RADIUS])
        + joint("axle", "pin", "cart", "disc", at=[0, RADIUS])
        + torque("disc", z=-drive)
    )
    text = planar_disc("xy", [0, -G, 0], "wheel", [0, RADIUS, 0], [1, 0, 0], more)
    assert runs.prepare(text).rank.dof == 1
    a = drive / RADIUS / (cart + MASS + ABOUT / RADIUS**2)
    for t, frame in zip((0.5, 1.5), runs.frames(text, [0.5, 1.5])):
        np.testing.assert_allclose(frame["bodies/position"][1], [0.5 * a * t * t, RADIUS, 0], atol=1e-9)
        np.testing.assert_allclose(frame["joints/force"][0], [(cart + MASS) * a, 0, 0], atol=1e-9)
        np.testing.assert_allclose(
            frame["coordinates/value"][:2], [0.5 * a * t * t, -0.5 * a * t * t / RADIUS], atol=1e-8
        )
