"""Springs, dampers, dry friction and limits of ball joints, and of each coordinate of Cardan and
constant-velocity joints: closed forms and independent integration, under each solver, in both coordinates.

A bob hangs below a ball joint, with the moments J about it across z, and I about z.
"""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from scene_text import NO_GRAVITY, body, joint, solver, table, torque
from scipy.integrate import solve_ivp

import mbplugin as mb

HOW = {
    "rk": {"tolerance": 1e-10},
    "galpha": {"type": "galpha", "tolerance": 1e-9},
    "contact": {"type": "contact", "step": 1e-3},
}
LATE = {"rk": 1e-8, "galpha": 1e-5, "contact": 1.1e-3}  # errors of the time of an event
EACH = [
    ("rk", "maximal"),
    ("rk", "joint"),
    ("galpha", "joint"),
    ("contact", "maximal"),
    pytest.param("galpha", "maximal", marks=pytest.mark.slow),
    pytest.param("contact", "joint", marks=pytest.mark.slow),
]
each = pytest.mark.parametrize(("how", "coordinates"), EACH)
both = pytest.mark.parametrize("coordinates", ["maximal", "joint"])
m, l, A, I = 2.0, 1.0, 0.05, 0.02
J = A + m * l * l
GRAVITY = table("scene", gravity=[0, 0, -9.81])
FRAMES = table("output", frames=40)


def bob(how, coordinates, end, spin, *more, scene=NO_GRAVITY, kind="ball", **keys):
    """A bob on a joint at the origin with the angular velocity `spin`."""
    v = np.cross(spin, [0, 0, -l]).tolist()
    text = scene + "".join(more)
    text += body("bob", mass=m, inertia=[A, A, I], position=[0, 0, -l], velocity=v, angular_velocity=spin)
    text += joint("hip", kind, "ground", "bob", axis=[0, 0, 1], **keys)
    how = how if isinstance(how, dict) else HOW[how]
    return text + solver(**how, end=end, coordinates=coordinates) + FRAMES


def run(text):
    return mb.System.from_text(text).run(files=False)


def stops(result, name):
    return [event.time for event in result.events.of(name)]


@each
def test_dry_friction_stops_a_spin_after_its_momentum_over_the_moment(how, coordinates):
    result = run(bob(how, coordinates, 1.0, [0, 0, 3], friction_torque={"twist": 0.1}))
    assert stops(result, "hip.twist.friction") == [pytest.approx(I * 3 / 0.1, abs=LATE[how])]
    speed = result.coordinate("hip.twist").speed
    np.testing.assert_allclose(
        speed, np.maximum(3 - 0.1 / I * result.time, 0), atol=1e-7 if how != "contact" else 6e-3
    )


@each
def test_dry_friction_of_a_swing_stops_it_in_any_direction(how, coordinates):
    spin = [0.6, -0.8, 0.0]
    result = run(bob(how, coordinates, 0.8, spin, friction_torque={"swing": 4.0}))
    for k in (1, 2):
        assert stops(result, f"hip.swing.friction_{k}") == [pytest.approx(J / 4.0, abs=LATE[how])]
    assert result.coordinate("hip.swing").value[-1] == pytest.approx(J / 8.0, abs=2e-3)
    assert result.energy.dissipated[-1] == pytest.approx(0.5 * J, abs=1e-6)


@each
def test_friction_of_a_swing_holds_up_to_its_static_value(how, coordinates):
    """A torque t √2 about x and y slips at `friction_static`, whatever its direction."""
    push = torque("bob", x="time", y="time")
    keys = {"friction_torque": {"swing": 0.3}, "friction_static": {"swing": 0.5}}
    result = run(bob(how, coordinates, 0.6, [0, 0, 0], push, **keys))
    for k in (1, 2):
        (time,) = stops(result, f"hip.swing.friction_{k}")
        assert time == pytest.approx(0.5 / np.sqrt(2), abs=2 * LATE[how])
    t, t0 = 0.6, 0.5 / np.sqrt(2)
    swing = ((t**3 - t0**3) * np.sqrt(2) / 6 - np.sqrt(2) * t0**2 / 2 * (t - t0) - 0.15 * (t - t0) ** 2) / J
    assert result.coordinate("hip.swing").value[-1] == pytest.approx(
        swing, rel=1e-2 if how == "contact" else 1e-5
    )


@both
@pytest.mark.parametrize("how", ["rk", "galpha"])
def test_friction_follows_a_swing_that_turns_as_an_independent_integration_has_it(how, coordinates):
    """A pendulum with a spin, pushed sideways: Euler's equations with −M ψ/|ψ| across ẑ_b, and a damper of
    the twist along (ẑ_a + ẑ_b)/(1 + ẑ_a·ẑ_b).
    """
    spin, M, c = [3.0, 0.0, 1.0], 1.5, 0.05
    keys = {"friction_torque": {"swing": M}, "damping": {"twist": c}}
    result = run(bob(how, coordinates, 0.8, spin, torque("bob", y="4*time"), scene=GRAVITY, **keys))

    def rates(t, y):
        R, w = y[:9].reshape(3, 3), y[9:]
        e = R[:, 2]
        across = w - e * (w @ e)
        twist = np.add(e, [0, 0, 1]) / (1 + e[2])
        load = np.add(np.cross(-l * e, [0, 0, -9.81 * m]), [0, 4 * t, 0])
        load = load - M * across / np.linalg.norm(across) - c * twist * (twist @ w)
        inertia = R @ np.diag([J, J, I]) @ R.T
        return [*np.cross(w, R.T).T.ravel(), *np.linalg.solve(inertia, load - np.cross(w, inertia @ w))]

    y = solve_ivp(rates, (0, 0.8), [*np.eye(3).ravel(), *spin], rtol=1e-11, atol=1e-11).y[:, -1]
    near = 1e-8 if how == "rk" else 1e-5
    # turns are counted, and atan2 has none
    twist = result.coordinate("hip.twist").value[-1] - np.arctan2(y[3] - y[1], y[0] + y[4])
    assert twist == pytest.approx(2 * np.pi * np.round(twist / (2 * np.pi)), abs=near)
    np.testing.assert_allclose(result["bob"].angular_velocity[-1], y[9:], atol=10 * near)
    assert np.abs(result.energy.balance).max() < 1e-6


@each
def test_a_bob_leaves_its_cone_with_its_restitution(how, coordinates):
    """From 0 at 1 rad/s to the cone at 0.5, through 0 to the other side, and so on."""
    cone = {"limits": {"swing": [0, 0.5]}, "restitution": {"swing": 0.5}}
    result = run(bob(how, coordinates, 3.0, [0.6, 0.8, 0], **cone))
    assert set(result.bounds) == {"hip.swing.upper_limit"}
    impacts = result.events.of("hip.swing.upper_limit")
    late = LATE[how] if how != "contact" else 5e-3
    assert [one.time for one in impacts] == pytest.approx([0.5, 2.5], abs=late)
    assert list(impacts.impulse) == pytest.approx([1.5 * J, 0.75 * J], rel=1e-6)
    assert result.energy.kinetic[-1] == pytest.approx(0.5 * J / 16, rel=1e-5)


@each
def test_a_twist_is_limited_on_both_sides(how, coordinates):
    keys = {"limits": {"twist": [-0.2, 0.3]}, "restitution": {"twist": 1.0}}
    result = run(bob(how, coordinates, 2.0, [0, 0, 1], **keys))
    late = LATE[how] if how != "contact" else 5e-3
    assert stops(result, "hip.twist.upper_limit") == pytest.approx([0.3, 1.3], abs=2 * late)
    assert stops(result, "hip.twist.lower_limit") == pytest.approx([0.8, 1.8], abs=2 * late)


@both
def test_a_limited_swing_holds_a_bob_of_an_elastic_joint(coordinates):
    cone = {"limits": {"swing": [0, 0.5]}, "enforce": "penalty"}
    result = run(bob({"tolerance": 1e-8}, "maximal", 0.7, [1, 0, 0], scene=NO_GRAVITY, **cone))
    assert result.coordinate("hip.swing").value.max() <= 0.5 + 1e-6
    assert result.status("hip.swing.upper_limit")[-1] in ("at limit", "free")


@each
@pytest.mark.parametrize(
    ("coordinate", "spin", "inertia"),
    [("swing", [0.6, 0.8, 0], J), ("twist", [0, 0, 1], I), ("rotation", [0.6, 0.8, 0], J)],
)
def test_springs_swing_with_the_period_of_their_moment_of_inertia(
    how, coordinates, coordinate, spin, inertia
):
    k = 40.0 * inertia
    result = run(bob(how, coordinates, 1.0, spin, stiffness={coordinate: k}))
    Omega = np.sqrt(40.0)
    expected = np.sin(Omega * result.time) / Omega
    found = result.coordinate(f"hip.{coordinate}").value
    near = 1e-8 if how == "rk" else 2e-6
    np.testing.assert_allclose(found, expected if coordinate == "twist" else np.abs(expected), atol=near)


@both
@pytest.mark.parametrize("coordinate", ["swing", "rotation"])
def test_dampers_act_in_all_directions_of_a_motion(coordinates, coordinate):
    """Precession at a constant swing is damped too: rates across decay as exp(−c t/J)."""
    c = 3.0
    keys = {"damping": {coordinate: c}}
    result = run(bob("rk", coordinates, 1.0, [0.6, 0.8, 0], **keys))
    np.testing.assert_allclose(result.energy.kinetic, 0.5 * J * np.exp(-2 * c / J * result.time), rtol=1e-7)


CARDANS = [("universal", "angle_x", "x"), ("universal", "angle_y", "y")]
CARDANS += [("constant_velocity", "angle_x", "x"), ("constant_velocity", "angle_y", "y")]


@both
@pytest.mark.parametrize(("kind", "coordinate", "axis"), CARDANS)
def test_each_coordinate_of_a_shaft_joint_rubs_springs_and_stops(kind, coordinate, axis, coordinates):
    spin = [1.0, 0, 0] if axis == "x" else [0, 1.0, 0]
    rubbed = run(bob("rk", coordinates, 0.8, spin, kind=kind, friction_torque={coordinate: 4.0}))
    assert stops(rubbed, f"hip.{coordinate}.friction") == [pytest.approx(J / 4, abs=1e-8)]
    keys = {"limits": {coordinate: [-0.5, 0.5]}, "restitution": {coordinate: 0.5}}
    struck = run(bob("rk", coordinates, 3.0, spin, kind=kind, **keys))
    assert stops(struck, f"hip.{coordinate}.upper_limit") + stops(
        struck, f"hip.{coordinate}.lower_limit"
    ) == pytest.approx([0.5, 2.5], abs=1e-8)
    sprung = run(bob("rk", coordinates, 1.0, spin, kind=kind, stiffness={coordinate: 40 * J}))
    expected = np.sin(np.sqrt(40) * sprung.time) / np.sqrt(40)
    np.testing.assert_allclose(sprung.coordinate(f"hip.{coordinate}").value, expected, atol=1e-8)
    bent = run(bob("rk", coordinates, 0.8, spin, kind=kind, limits={"swing": [0, 0.5]}))
    assert stops(bent, "hip.swing.upper_limit") == [pytest.approx(0.5, abs=1e-8)]


@pytest.mark.parametrize(
    ("keys", "key", "value"),
    [
        ({"stiffness": {"swing": 1}, "rest": {"swing": 0.1}}, "rest", 0.1),
        ({"friction_torque": {"rotation": 1}}, "friction_torque", 1),
        ({"friction": {"swing": 0.1}}, "friction", 0.1),
        ({"friction": {"twist": 0.1}}, "friction", 0.1),
        ({"one_way": {"swing": "positive"}}, "one_way", "positive"),
        ({"armature": {"swing": 1}}, "armature.swing", 1),
        ({"stiffness": 3}, "stiffness", 3),
        ({"stiffness": {"swign": 3}}, "stiffness.swign", 3),
    ],
)
def test_what_a_ball_joint_cannot_have_is_refused_by_name(keys, key, value):
    with refused(f"joint[0].{key}", value):
        run(bob("rk", "maximal", 0.1, [0, 0, 1], **keys))


def test_a_ball_joint_has_only_the_coordinates_that_the_scene_names():
    assert not mb.System.from_text(bob("rk", "maximal", 0.1, [0, 0, 1])).compile().names.coordinates
    read = table("variable", name="lean", value="2*hip.swing")
    result = run(bob("rk", "maximal", 0.1, [1, 0, 0], read))
    assert result.coordinate("hip.swing").value[-1] == pytest.approx(0.1, abs=1e-9)


@both
def test_a_cardan_joint_is_two_hinges_with_a_light_cross(coordinates):
    """Springs, friction and a limit on both coordinates at once."""
    keys = {"stiffness": (8.0, 5.0), "friction_torque": (0.5, 0.7), "limits": ([-9, 9], [-0.1, 0.1])}
    spin = [1.0, 0.7, 0.0]
    one = {key: {"angle_x": values[0], "angle_y": values[1]} for key, values in keys.items()}
    cardan = run(bob("rk", coordinates, 0.6, spin, kind="universal", **one))
    cross = body("cross", mass=1e-9, inertia=[1e-9, 1e-9, 1e-9], angular_velocity=[1.0, 0, 0])
    first, second = ({key: values[k] for key, values in keys.items()} for k in (0, 1))
    text = bob("rk", "joint", 0.6, spin, cross, kind="universal")
    hinges = joint("x", "revolute", "ground", "cross", axis=[1, 0, 0], **first)
    hinges += joint("y", "revolute", "cross", "bob", axis=[0, 1, 0], **second)
    start = text.index("[[joint]]")
    hinged = run(text[:start] + hinges + text[text.index("[solver]") :])
    for ours, theirs in (("hip.angle_x", "x.angle"), ("hip.angle_y", "y.angle")):
        np.testing.assert_allclose(cardan.coordinate(ours).value, hinged.coordinate(theirs).value, atol=2e-7)
