"""Friction against slip functions of gaps: one, and two on a round cone."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from refusals import refused
from scene_text import body, force, joint, solver, table, world
from scipy.integrate import solve_ivp
from test_closed_forms import HOW, G
from test_unilateral import run, unilateral

import mbplugin as mb
from mbplugin.errors import PhysicsError

Z = "component_z(ground, block)"
X, Y = "rate(component_x(ground, block))", "rate(component_y(ground, block))"
M, MU = 2.0, 0.3


def block(velocity=(0, 0, 0), gravity=(0, 0, -G), more: str = "", **keys) -> str:
    """A block on the plane z ≥ 0; `keys` of the joint "floor"."""
    text = world(gravity=list(gravity)) + body("block", mass=M, inertia=[1, 1, 1], velocity=list(velocity))
    return text + more + unilateral("floor", Z, **({"friction": MU} | keys))


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("slope", [0.2, 0.4])
def test_a_block_on_an_incline_slides_down_or_stops_by_the_angle_of_friction(slope, how):
    """It starts with 2 m/s downhill; a = g (sin α − μ cos α)."""
    text = block([2, 0, 0], [G * np.sin(slope), 0, -G * np.cos(slope)], slip=X)
    result, a = run(text, 3.0, how), G * (np.sin(slope) - MU * np.cos(slope))
    t = np.minimum(result.time, -2 / a) if a < 0 else result.time
    error = {"rk": 1e-9, "galpha": 1e-9, "contact": 1e-5}[how]
    np.testing.assert_allclose(result["block"].position[:, 0], 2 * t + 0.5 * a * t * t, atol=error)
    assert result.status("floor.slip")[-1] == ("sticks" if a < 0 else "slips forwards")
    assert np.abs(result.raw["energy/balance"]).max() < 1e-9
    if a < 0:
        assert result.events[0].time == pytest.approx(-2 / a, abs=1e-9 if how != "contact" else 1e-3)
        k = result.raw.names("loads").index("floor on block")
        np.testing.assert_allclose(
            result.raw["loads/wrench"][-1, k, :3],
            [-M * G * np.sin(slope), 0, M * G * np.cos(slope)],
            atol=1e-9,
        )


@pytest.mark.parametrize("how", HOW)
def test_a_belt_carries_a_block_up_to_its_speed(how):
    """A slip function may have a part that depends on time: the belt does the work μ m g v t."""
    result = run(block(slip=f"{X} - 1.5"), 1.0, how)
    t = 1.5 / (MU * G)
    since = np.clip(result.time - t, 0, None)
    exact = 0.5 * MU * G * np.minimum(result.time, t) ** 2 + 1.5 * since
    error = {"rk": 1e-9, "galpha": 1e-9, "contact": 1e-5}[how]
    np.testing.assert_allclose(result["block"].position[:, 0], exact, atol=error)
    assert result.raw["energy/work"][-1] == pytest.approx(M * 1.5**2, rel=1e-3)
    assert result.raw["energy/dissipated"][-1] == pytest.approx(0.5 * M * 1.5**2, rel=1e-3)
    states = dict(zip(result.raw.names("states"), result.raw["states/value"][-1]))
    assert states["floor.slip.energy"] == pytest.approx(0.5 * M * 1.5**2, rel=1e-3)
    assert np.abs(result.raw["energy/balance"]).max() < 1e-9


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("angle", [0.0, -1.9, *(pytest.param(a, marks=pytest.mark.slow) for a in (0.7, 2.5))])
def test_a_block_that_slides_in_a_plane_stops_on_a_straight_line_in_any_direction(angle, how):
    way = np.array([np.cos(angle), np.sin(angle)])
    result = run(block([*(2.0 * way), 0], slip=[X, Y]), 1.0, how)
    t = np.minimum(result.time, 2.0 / (MU * G))
    exact = np.outer(2.0 * t - 0.5 * MU * G * t * t, way)
    p = result["block"].position[:, :2]
    error = {"rk": 1e-9, "galpha": 1e-9, "contact": 1e-6}[how]
    np.testing.assert_allclose(p, exact, atol=error)
    np.testing.assert_allclose(p @ [-way[1], way[0]], 0.0, atol=1e-12)
    assert np.abs(result["block"].velocity[-1]).max() < 1e-12
    assert {*result.status("floor.slip_1")} == {*result.status("floor.slip_2")} == {"slips", "sticks"}
    assert result.raw["energy/dissipated"][-1] == pytest.approx(0.5 * M * 4.0, rel=1e-9)


def slides(begin: float, start, push, mu: float, end: float) -> Callable[[np.ndarray], np.ndarray]:
    """Path (n, 2) at times (n,) of a block that slides under accelerations push(t), from (x, y, ẋ, ẏ) at
    the time `begin` to a stop.
    """
    speed = lambda t, y: np.hypot(y[2], y[3]) - 1e-7
    speed.terminal, speed.direction = True, -1
    rates = lambda t, y: [*y[2:], *(push(t) - mu * G * y[2:] / np.hypot(y[2], y[3]))]
    found = solve_ivp(
        rates, (begin, end), start, "Radau", rtol=1e-11, atol=1e-13, events=speed, dense_output=True
    )
    return lambda t: found.sol(np.minimum(t, found.t[-1]))[:2].T


#: that of a force across, and that of one that turns and breaks the block away
ACROSS = 3.0


@cache
def bent() -> Callable[[np.ndarray], np.ndarray]:
    return slides(0.0, [0, 0, 2.0, 0], lambda t: np.array([0, ACROSS]), 0.5, 1.0)


@cache
def broken_away(ratio: float) -> Callable[[np.ndarray], np.ndarray]:
    load = lambda t: PUSH * t * np.array([np.cos(t), np.sin(t)]) / M
    t0, e = MU * ratio * M * G / PUSH, 1e-8
    way = load(t0) / np.linalg.norm(load(t0))
    speed = (np.linalg.norm(load(t0)) - MU * G) * e
    return slides(t0 + e, [*(0.5 * speed * e * way), *(speed * way)], load, MU, 2.5)


@pytest.mark.parametrize("how", HOW)
def test_a_force_across_bends_the_path_of_a_sliding_block(how):
    """Against an integration of the equations of motion; it turns into the force and stops after 0.651 s."""
    result = run(block([2, 0, 0], [0, ACROSS, -G], slip=[X, Y], friction=0.5), 1.0, how)
    exact = bent()(result.time)
    error = {"rk": 1e-9, "galpha": 2e-6, "contact": 1e-3}[how]
    np.testing.assert_allclose(result["block"].position[:, :2], exact, atol=error)
    assert result.status("floor.slip_1")[-1] == "sticks"
    assert np.abs(result.raw["energy/balance"]).max() < {"rk": 1e-9, "galpha": 2e-5, "contact": 1e-9}[how]


PUSH = 4.0


def pushed(ratio: float, turn: float = 1.0) -> str:
    """A force that grows by 4 N/s and turns; it breaks away where it reaches μ_s m g."""
    across = force("block", x=f"{PUSH}*time*cos({turn}*time)", y=f"{PUSH}*time*sin({turn}*time)")
    return block(more=across, slip=[X, Y], friction_static=ratio * MU)


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("ratio", [1.2, pytest.param(1.01, marks=pytest.mark.slow)])
def test_a_force_that_turns_breaks_a_block_away_at_its_static_friction(ratio, how):
    result, t0 = run(pushed(ratio), 2.5, how, frames=200), MU * ratio * M * G / PUSH
    assert result.events[0].time == pytest.approx(t0, abs=1e-9 if how != "contact" else 3e-3)
    late = result.time > t0 + 1e-3
    exact = broken_away(ratio)(result.time[late])
    error = {"rk": 1e-9, "galpha": 1e-6, "contact": 3e-4}[how]
    np.testing.assert_allclose(result["block"].position[late, :2], exact, atol=error)
    assert np.abs(result["block"].position[result.time < t0]).max() < 1e-13


def test_slip_that_begins_gradually_and_turns_is_followed_by_rk_and_refused_by_galpha():
    """With μ_s = μ it begins with no acceleration, where its direction is that of no speed. `contact`, of
    first order, goes the same way.
    """
    fine, coarse = (run(pushed(1.0), 2.5, how)["block"].position for how in ("rk", "contact"))
    np.testing.assert_allclose(coarse, fine, atol=3e-4)
    with pytest.raises(PhysicsError, match="friction_static"):
        run(pushed(1.0), 2.5, "galpha")


@pytest.mark.parametrize("how", HOW)
def test_what_slides_on_unequal_masses_breaks_away_in_the_direction_of_its_acceleration(how):
    """x and y have the masses 1 and 4, by a carriage: W is no multiple of 1, and the direction is the root of
    a × d = 0. A step of force breaks away; then both accelerations keep their ratio.
    """
    text = world() + body("cart", mass=3, inertia=[1, 1, 1]) + body("block", mass=1, inertia=[1, 1, 1])
    text += joint("rail", "translational", "ground", "cart", axis=[0, 1, 0])
    text += joint("slot", "planar", "cart", "block", axis=[0, 1, 0])
    text += joint("straight", "orientation", "cart", "block")
    text += force("block", x="3", y="2*1.3")
    text += unilateral("floor", Z, slip=[X, Y], friction=MU)
    result = run(text, 1.0, how)
    direction = lambda d: np.array([3 - MU * G * d[0], (2.6 - MU * G * d[1]) / 4])
    d = np.array([1.0, 0.1])
    for _ in range(2000):
        d = d / np.linalg.norm(d) + 0.05 * direction(d / np.linalg.norm(d))
    d /= np.linalg.norm(d)
    a = direction(d)
    assert a @ [d[1], -d[0]] == pytest.approx(0, abs=1e-12) and np.linalg.norm(a) > 0.1
    exact = 0.5 * np.outer(result.time**2, a)
    error = {"rk": 1e-9, "galpha": 1e-9, "contact": 2e-3}[how]
    np.testing.assert_allclose(result["block"].position[:, :2], exact, atol=error)


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("slips", [1, 2])
def test_an_impact_rubs_with_at_most_mu_of_its_impulse(slips, how):
    """It lands with 3 m/s down and 2 m/s across: 2 − μ 3 (1 + e) m/s are left; with μ = 0.9 none."""
    for mu, e in ((0.2, 0.0), (0.2, 0.5), (0.9, 0.0)):
        text = world(gravity=[0, 0, 0])
        velocity = [2 * np.cos(0.6), 2 * np.sin(0.6), -3.0] if slips == 2 else [2, 0, -3]
        text += body("block", mass=M, inertia=[1, 1, 1], position=[0, 0, 0.3], velocity=velocity)
        text += unilateral("floor", Z, slip=[X, Y][:slips], friction=mu, restitution=e)
        result = run(text, 0.2, how)
        v = result["block"].velocity[-1]
        left = max(0.0, 2.0 - mu * 3 * (1 + e))
        np.testing.assert_allclose(v, [*(left * np.array(velocity[:2]) / 2), 3 * e], atol=1e-9)
        assert np.abs(result.raw["energy/balance"]).max() < 1e-9


@pytest.mark.parametrize("seed", [3, 8, 13])
def test_a_rod_that_lands_on_its_end_gains_no_energy(seed):
    """With e = 1 and friction it would by Newton's law of impact (Kane's puzzle): there restitution is what
    leaves the energy as it was.
    """
    random = np.random.default_rng(seed)
    angle, (spin, slip), mu = random.uniform(-1.4, 1.4), random.normal(size=2) * 3, random.uniform(0.2, 1.2)
    orientation = {"axis": [0, 1, 0], "angle": angle}
    text = world(gravity=[0, 0, 0]) + body(
        "rod",
        mass=1.0,
        inertia=[0.01, 1 / 12, 1 / 12],
        position=[0, 0, 0.05 - 0.5 * np.sin(angle)],
        orientation=orientation,
        velocity=[slip, 0, -3.0],
        angular_velocity=[0, spin, 0],
        marker=[{"name": "tip", "position": [-0.5, 0, 0]}],
    )
    across = "rate(component_x(ground, rod.tip))"
    text += unilateral("floor", "component_z(ground, rod.tip)", slip=across, friction=mu, restitution=1.0)
    energy = run(text, 0.1).energy
    assert np.diff(energy.kinetic).max() < 1e-10 * energy.kinetic[0]
    assert np.abs(energy.balance).max() < 1e-9


@pytest.mark.parametrize("velocity", [[2, 0, 0], [1.2, 1.6, 0]])
def test_it_is_the_friction_of_contacts_between_shapes(velocity):
    """A sphere that cannot turn, on a plane, by the contacts of `contact`."""
    steel = {"collide": True, "material": "steel"}
    plane = {"type": "plane", "size": [9, 9], **steel}
    text = world(shape=[plane]) + table("material", name="steel", friction=MU)
    ball = {"type": "sphere", "radius": 0.1, **steel}
    text += body("block", mass=M, inertia=[1e9] * 3, velocity=velocity, position=[0, 0, 0.1], shape=[ball])
    sphere = run(text, 1.0, "contact")
    result = run(block(velocity, slip=[X, Y]), 1.0, "contact")
    np.testing.assert_allclose(result["block"].position[:, :2], sphere["block"].position[:, :2], atol=1e-6)


@pytest.mark.parametrize("how", HOW)
def test_a_block_that_is_lifted_has_no_friction_and_lands_again(how):
    """A force of 0.8 m g sin²: the bound of friction follows the weight that is left."""
    lift = force("block", z=f"{0.8 * M * G}*sin(4*time)**2")
    result = run(block([2, 0, 0], more=lift, slip=[X, Y]), 0.6, how)
    deceleration = lambda t: MU * G * (1 - 0.8 * np.sin(4 * t) ** 2)
    found = solve_ivp(lambda t, y: [y[1], -deceleration(t)], (0, 0.6), [0, 2.0], rtol=1e-12, atol=1e-13,
                      dense_output=True)  # fmt: skip
    error = {"rk": 1e-9, "galpha": 1e-6, "contact": 1e-5}[how]
    np.testing.assert_allclose(result["block"].position[:, 0], found.sol(result.time)[0], atol=error)
    assert np.abs(result["block"].position[:, 2]).max() < 1e-12


@pytest.mark.parametrize("how", HOW)
def test_a_saved_state_goes_on_to_the_same_bits(how):
    """Saved while it slips in a plane, while it sticks and while it flies."""
    text = block([1, 0.5, 0.3], more=force("block", y="9*sin(20*time)"), slip=[X, Y], restitution=0.3)
    one, other = (mb.System.from_text(text + solver(**HOW[how][0], end=1.0)).simulate() for _ in range(2))
    while one.time < 0.45:
        one.step(0.03)
        other.load(one.save())
        one.step(0.05)
        other.step(0.05)
        assert (one["block"].position == other["block"].position).all()
        assert one.state("floor.slip_1.impulse") == other.state("floor.slip_1.impulse")


@pytest.mark.parametrize(
    ("keys", "key", "words"),
    [
        ({"slip": "time"}, "slip", "no rate"),
        ({"slip": Z}, "slip", "no rate"),
        ({"slip": f"({X})**2"}, "slip", "linear"),
        ({"slip": f"{X}*{Y}"}, "slip", "linear"),
        ({"slip": f"abs({X})"}, "slip", "linear"),
        ({"slip": f"1/{X}"}, "slip", "linear"),
        ({"slip": f"{X} + 0.1*acceleration({Z})"}, "slip", "acceleration"),
        ({"slip": [X, f"max({X}, {Y})"]}, "slip[1]", "linear"),
        ({"slip": [X, Y, X]}, "slip", "one or two"),
        ({"slip": []}, "slip", "one or two"),
        ({"slip": X, "friction": None}, "slip", "friction"),
        ({"slip": None}, "friction", "slip"),
        ({"slip": None, "friction": None, "friction_static": 0.3}, "friction_static", "slip"),
        ({"slip": X, "friction": -0.1}, "friction", "negative"),
        ({"slip": X, "friction_static": 0.2}, "friction_static", "0.3"),
    ],
)
def test_a_mistake_is_refused_by_its_key(keys, key, words):
    with refused(f"joint[0].{key}") as error:
        mb.System.from_text(block(**keys) + solver(end=0.1)).run(files=False)
    assert words in str(error.value)


@pytest.mark.parametrize("slip", [X, f"2*({X}) - 0.3", f"cos({Z})*{X} + {Y}/3", f"if({Z} - 1, {X}, {Y})"])
def test_functions_that_are_linear_in_rates_are_slip_functions(slip):
    mb.System.from_text(block(slip=slip) + solver(end=0.1)).compile()
