"""Ropes and separators against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from headless import Runs, finish
from refusals import refused, stopped
from scene_text import body, changed, force, hinge, joint, motion, solver, table, world
from test_closed_forms import HOW, G

import mbplugin as mb
from mbplugin.api import plugins
from mbplugin.errors import PhysicsError

L, M = 1.0, 2.0


def run(text: str, how: str, end: float, frames: int = 100) -> mb.Result:
    text += solver(**HOW[how][0], end=end) + f"[output]\nframes = {frames}\n"
    return mb.System.from_text(text).run(files=False)


def bob(position, velocity=(0, 0, 0), name: str = "bob", mass: float = M) -> str:
    return body(name, type="point", mass=mass, position=list(position), velocity=list(velocity))


def rope(*markers: str, name: str = "rope", **keys) -> str:
    return table("joint", name=name, type="rope", markers=list(markers), **keys)


def at(result: mb.Result, t: float, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Position and velocity of the bob at a time t, by free fall from frame k."""
    g, x, v = np.array([0, 0, -G]), result["bob"].position[k], result["bob"].velocity[k]
    s = t - result.time[k]
    return x + s * v + 0.5 * s * s * g, v + s * g


@pytest.mark.parametrize("how", HOW)
def test_a_bob_leaves_its_circle_at_120_degrees_and_is_caught_by_a_jerk(how):
    """v² = 3.5 g L at the lowest point: slack at cos α = −1/2, then a parabola until the rope is taut
    again, when it loses its radial speed and nothing else.
    """
    speed = np.sqrt(3.5 * G * L)
    result = run(bob([0, 0, -L], [speed, 0, 0]) + rope("ground", "bob"), how, 2.0)
    exact = how == "rk"
    error = 1e-10 if exact else HOW[how][1]
    n = next(i for i, event in enumerate(result.events) if event.after == "slack")
    slack, taut = result.events[n], result.events[n + 1]
    k = int(np.searchsorted(result.time, slack.time + 2e-3))
    x, v = at(result, slack.time, k)
    assert x[2] == pytest.approx(0.5 * L, abs=1e-9 if exact else 3 * error)
    assert v @ v == pytest.approx(0.5 * G * L, abs=1e-9 if exact else 30 * error)
    # the parabola, by its closed form from there
    last = int(np.searchsorted(result.time, taut.time - 2e-3))
    for i in range(k, last):
        np.testing.assert_allclose(result["bob"].position[i], at(result, result.time[i], k)[0], atol=1e-10)
    # the jerk: e = x / L is along the rope
    x, v = at(result, taut.time, k)
    radial = v @ x / L
    assert sum(event.impulse for event in result.events[n:]) == pytest.approx(
        M * radial, abs=1e-9 if exact else 0.1
    )
    after = result.time > taut.time + 3e-3
    energy = 0.5 * (result["bob"].velocity[after] ** 2).sum(axis=1) + G * result["bob"].position[after, 2]
    kept = 0.5 * (v @ v - radial**2) + G * x[2]
    np.testing.assert_allclose(energy, kept, atol=1e-9 if exact else 10 * error)
    lost = result.raw["energy/dissipated"][-1]
    assert lost == pytest.approx(0.5 * M * radial**2, abs=1e-9 if exact else 10 * error)
    tension = result.raw["bounds/force"][:, 0]
    assert tension.min() >= 0.0
    assert np.linalg.norm(result["bob"].position, axis=1).max() < L + (1e-11 if exact else 1e-7)
    exactly = 1e-9 if exact else 1e-5
    assert tension[0] == pytest.approx(M * 4.5 * G, rel=exactly)
    loads = dict(zip(result.raw.names("loads"), result.raw["loads/wrench"][0]))
    assert loads["rope on bob"][2] == pytest.approx(M * 4.5 * G, rel=exactly)


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("e", [0.0, 0.5])
def test_a_slack_rope_lets_its_end_pass_the_other_one(how, e):
    """Thrown up through the eye at 7 m/s it is caught above it, and falls back through the eye."""
    up = 7.0
    result = run(bob([0, 0, -L], [0, 0, up]) + rope("ground", "bob", restitution=e), how, 0.85)
    caught = (up - np.sqrt(up**2 - 4 * G * L)) / G
    back = -e * np.sqrt(up**2 - 4 * G * L)
    t = result.time
    s = np.clip(t - caught, 0, None)
    exact = np.where(t < caught, -L + up * t - G * t**2 / 2, L + back * s - G * s**2 / 2)
    np.testing.assert_allclose(result["bob"].position[:, 2], exact, atol=1e-9 if how == "rk" else 2e-2)
    assert result.status("rope.tension")[-1] == "slack"


@pytest.mark.parametrize("how", HOW)
def test_a_block_and_tackle_moves_by_its_closed_form(how):
    """Two strands carry the block, one the weight: A = g (M − 2 m)/(M + 4 m), T = m (g + 2 A)."""
    heavy, light = 5.0, 1.5
    marks = [
        {"name": name, "position": [x, 0, 2]} for name, x in (("end", -0.1), ("eye", 0.1), ("wheel", 0.5))
    ]
    text = world(marker=marks) + body(
        "block",
        mass=heavy,
        inertia=[0.1, 0.1, 0.1],
        position=[0, 0, 0],
        marker=[{"name": "left", "position": [-0.1, 0, 0]}, {"name": "right", "position": [0.1, 0, 0]}],
    )
    text += bob([0.5, 0, 0], name="weight", mass=light)
    text += rope("ground.end", "block.left", "block.right", "ground.eye", "ground.wheel", "weight")
    result = run(text, how, 0.8, frames=80)
    a = G * (heavy - 2 * light) / (heavy + 4 * light)
    error = 1e-11 if how == "rk" else 1e-6
    np.testing.assert_allclose(result["block"].position[:, 2], -0.5 * a * result.time**2, atol=error)
    np.testing.assert_allclose(result["weight"].position[:, 2], a * result.time**2, atol=error)
    np.testing.assert_allclose(result.raw["bounds/force"][2:, 0], light * (G + 2 * a), rtol=1e-6)
    assert not [m for m in result.messages if "not unique" in str(m)]


@pytest.mark.parametrize("how", HOW)
def test_a_mass_slides_off_a_separator_at_two_thirds_of_its_height(how):
    """The strut is a smooth ball of radius L: it pushes until cos θ = 2/3 + v²/(3 g L), then it is a fall."""
    v = 0.4
    text = bob([0, 0, L], [v, 0, 0]) + joint("ball", "separator", "ground", "bob")
    result = run(text, how, 1.2)
    error = 1e-9 if how == "rk" else 20 * HOW[how][1]
    off = next(event for event in result.events if event.after == "free")
    k = int(np.searchsorted(result.time, off.time + 2e-3))
    assert at(result, off.time, k)[0][2] == pytest.approx(L * (2 / 3 + v * v / (3 * G * L)), abs=error)
    assert np.linalg.norm(result["bob"].position, axis=1).min() > L - 1e-9
    force = result.raw["bounds/force"][:, 0]
    assert force.min() >= 0.0
    assert force[0] == pytest.approx(M * (G - v * v / L), rel=1e-9 if how == "rk" else 1e-5)
    assert result.status("ball.push")[0] == "at limit" and result.status("ball.push")[-1] == "free"


@pytest.mark.parametrize("how", HOW)
def test_ropes_in_parallel_share_by_minimum_norm_and_say_so(how):
    text = bob([0, 0, -L]) + rope("ground", "bob") + rope("ground", "bob", name="other")
    result = run(text, how, 0.1, frames=5)
    np.testing.assert_allclose(result.raw["bounds/force"][1:], 0.5 * M * G, rtol=1e-6)
    (message,) = [str(m) for m in result.messages if "not unique" in str(m)]
    assert "tension of rope" in message and "tension of other" in message


@pytest.mark.parametrize("how", HOW)
def test_only_ropes_that_share_a_load_are_told(how):
    """Three bobs over three pulleys: one rope for all has one tension; a second one along it has not."""
    marks = [{"name": f"eye{k}", "position": [x, 0, 2]} for k, x in enumerate((-0.6, 0.0, 0.6))]
    path = ["left", "ground.eye0", "ground.eye1", "ground.eye2", "right"]
    text = world(marker=marks) + bob([-0.6, 0, 1], name="left") + bob([0.6, 0, 1], name="right")
    alone = run(text + rope(*path), how, 0.05, frames=2)
    both = run(text + rope(*path) + rope(*path, name="other"), how, 0.05, frames=2)
    assert alone.raw["bounds/force"][-1, 0] == pytest.approx(M * G, rel=1e-9)
    np.testing.assert_allclose(both.raw["bounds/force"][-1], 0.5 * M * G, rtol=1e-6)
    assert ["not unique" in str(result.messages) for result in (alone, both)] == [False, True]


@pytest.mark.parametrize(
    ("type", "markers", "key"),
    [
        ("rope", ["bob", "bob", "ground"], "markers[1]"),
        ("rope", ["ground", "ground.there", "ground.there", "bob"], "markers[2]"),
        # two names of one point
        ("rope", ["bob", "bob.centre", "ground"], "markers[1]"),
        ("rope", ["bob", "ground", "ground.origin"], "markers[2]"),
        ("pulley", ["ground.there", "bob", "bob", "bob.centre"], "markers[3]"),
    ],
)
def test_a_part_of_a_rope_from_a_point_to_the_same_point_is_refused(type, markers, key):
    marks = [{"name": "there", "position": [0, 0, 1]}, {"name": "origin", "position": [0, 0, 0]}]
    centre = [{"name": "centre", "position": [0, 0, 0]}]
    text = world(marker=marks) + body("bob", mass=M, inertia=[1, 1, 1], position=[0, 0, -L], marker=centre)
    with refused(f"joint[0].{key}"):
        run(text + table("joint", name="rope", type=type, markers=markers), "rk", 1.0)


def test_a_rope_may_pass_a_point_twice_and_run_along_a_body():
    """From an eye through two guides on the bob and back to the eye: it hangs in the middle."""
    guides = [{"name": name, "position": [x, 0, 0]} for name, x in (("left", -0.1), ("right", 0.1))]
    text = world(gravity=[0, 0, -G], marker=[{"name": "eye", "position": [0, 0, 1]}])
    text += body("bob", mass=M, inertia=[1, 1, 1], marker=guides)
    result = run(text + rope("ground.eye", "bob.left", "bob.right", "ground.eye"), "rk", 0.1)
    assert np.abs(result["bob"].position).max() < 1e-9


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("kind", ["rope", "pulley"])
def test_a_taut_rope_that_shrinks_to_nothing_at_an_eye_is_told(how, kind):
    marks = [{"name": "left", "position": [-0.5, 0, 2]}, {"name": "right", "position": [0.5, 0, 2]}]
    text = world(marker=marks) + bob([-0.5, 0, 1], name="heavy", mass=3.0) + bob([0.5, 0, 1.7], name="light")
    text += rope("heavy", "ground.left", "ground.right", "light")
    if kind == "pulley":
        text = changed(
            text, '"rope"\nmarkers = ["heavy", "ground.left"', '"pulley"\nmarkers = ["ground.left", "heavy"'
        )
    with stopped(PhysicsError, "shrunk to nothing", '"rope"'):
        run(text, how, 1.5)


@pytest.mark.parametrize(
    ("keys", "key", "told"),
    [
        ({"length": 0.8}, "joint[0].length", "1 m; it is shorter by 0.2 m"),
        ({"length": 0.0}, "joint[0].length", "greater than 0"),
        ({"length": -1.0}, "joint[0].length", "greater than 0"),
        ({"restitution": 1.5}, "joint[0].restitution", "from 0 to 1"),
        ({"type": "separator", "length": 1.2}, "joint[0].length", "1 m apart, closer by 0.2 m"),
        ({"a": "ground.there"}, "joint[0].length", "at one point"),
        ({"a": "ground.there", "type": "separator"}, "joint[0].length", "at one point"),
        ({"a": None}, "joint[0].markers", "two ends"),
    ],
)
def test_a_mistake_is_refused_by_its_key(keys, key, told):
    given = {"type": "rope", "a": "ground", "b": "bob"} | keys
    with refused(key) as error:
        there = world(marker=[{"name": "there", "position": [0, 0, -L]}])
        run(there + bob([0, 0, -L]) + table("joint", name="rope", **given), "rk", 1.0)
    assert told in str(error.value)


@pytest.mark.parametrize("how", HOW)
def test_a_saved_state_goes_on_to_the_same_bits(how):
    text = (
        bob([0, 0, -L], [2, 0, 6]) + rope("ground", "bob", restitution=0.5) + force("bob", x="3*sin(9*time)")
    )
    one, other = (mb.System.from_text(text + solver(**HOW[how][0], end=9.0)).simulate() for _ in range(2))
    while one.time < 2.0:
        one.step(0.11)
        other.load(one.save())
        one.step(0.2)
        other.step(0.2)
        assert one["bob"].position.tolist() == other["bob"].position.tolist()
        assert one.state("rope.tension.impulse") == other.state("rope.tension.impulse")


def test_a_changed_length_acts():
    text = bob([0, 0, -L]) + rope("ground", "bob", length="l")
    problem = mb.System.from_text(
        "[parameters]\nl = 1.5\n" + text + solver(tolerance=1e-9, end=2.0)
    ).compile()
    for length in (1.5, 2.0, 1.0):
        problem.set_parameter("l", length)
        assert problem.copy().run()["bob"].position[-1, 2] == pytest.approx(-length, abs=1e-9)


def test_analyses_along_motions_leave_ropes_out_and_those_of_equilibria_take_them():
    text = body("arm", mass=1, inertia=[1, 1, 1], marker=[{"name": "tip", "position": [1, 0, 0]}])
    text += hinge("pin", "ground", "arm", axis=[0, 1, 0]) + motion("pin", angle="0.1*time")
    text += rope("ground", "arm.tip", length=1.5) + solver(end=1.0)
    system = mb.System.from_text(text)
    assert "does not act in this analysis: tension of rope" in str(system.analyze("inverse").messages)
    assert system.analyze("redundancy").sets
    assert system.analyze("static").bounds[0][:2] == ("rope.tension", "slack")


@pytest.mark.parametrize("keys", [{"length": 3.0}, {}], ids=["slack", "taut"])
def test_a_step_of_runge_kutta_with_a_rope_takes_no_further_evaluation(keys):
    """The rates at its end, which tell whether the rope has changed, are those of the next one."""
    text = bob([0, 0, -L], [0.5, 0, 0]) + solver(integrator="rk4", step=1e-3, end=0.1)
    counts = []
    for more in ("", rope("ground", "bob", **keys)):
        integrator = Runs(plugins()[0]).prepare(text + more).start(0.1)
        finish(integrator, 0.1)
        counts.append(int(integrator.step.evaluations))
    assert counts[1] - counts[0] < 5 < 100 == int(integrator.step.steps)


# lengths that change


LENGTHS = {"rk": ({"tolerance": 1e-10}, 1e-8), "galpha": ({"type": "galpha", "tolerance": 1e-8}, 2e-5)}
LENGTHS |= {"contact": ({"type": "contact", "step": 1e-3}, 2e-5)}


@pytest.mark.parametrize("coordinates", ["maximal", "joint"])
@pytest.mark.parametrize("how", LENGTHS)
def test_a_rope_that_is_taken_in_lifts_its_load(how, coordinates):
    """T = m (g − l̈) of what hangs straight down, and the work ∫ −T l̇ dt; let out faster than it falls, its
    load falls freely.
    """
    keys, error = LENGTHS[how]
    for length, rise in (
        ("2 - 0.5*time**2", lambda t: 0.5 * t**2),
        ("2 + 8*time**2", lambda t: -0.5 * 9.81 * t**2),
    ):
        text = world(gravity=[0, 0, -9.81]) + body("load", mass=3, inertia=[1, 1, 1], position=[0, 0, -2])
        text += joint("line", "rope", "ground", "load", length=length)
        text += solver(**keys, end=0.8, coordinates=coordinates) + table("output", frames=20)
        result = mb.System.from_text(text).run(files=False)
        np.testing.assert_allclose(result["load"].position[:, 2], -2 + rise(result.time), atol=error)
        assert np.abs(result.energy.balance).max() < 100 * error
        if "-" in length:
            tension = np.linalg.norm(result.joint("line").force, axis=1)
            np.testing.assert_allclose(tension[2:], 3 * (9.81 + 1.0), rtol=1e-4)


def test_a_bob_that_is_drawn_in_keeps_its_angular_momentum():
    """m l² φ̇ stays, without gravity: it swings faster."""
    text = world(gravity=[0, 0, 0], marker=[{"name": "eye", "position": [0, 0, 0]}])
    text += body("bob", mass=2, inertia=[1, 1, 1], position=[1, 0, 0], velocity=[-0.3, 2, 0])
    text += joint("line", "rope", "ground.eye", "bob", length="1 - 0.3*time")
    result = mb.System.from_text(text + solver(tolerance=1e-11, end=2.0)).run(files=False)
    x, v = result["bob"].position, result["bob"].velocity
    np.testing.assert_allclose(np.cross(x, v)[:, 2], 2.0, atol=1e-8)
    np.testing.assert_allclose(np.linalg.norm(x, axis=1), 1 - 0.3 * result.time, atol=1e-9)
    assert np.abs(result.energy.balance).max() < 1e-7


def test_lengths_that_cannot_be_are_refused():
    for length in (-1.0, "1 + 0*time", "2*pedal"):
        text = world(gravity=[0, 0, 0])
        text += table("input", name="pedal", start=1.0) if "pedal" in str(length) else ""
        text += body("bob", mass=2, inertia=[1, 1, 1], position=[1.5, 0, 0])
        text += joint("line", "rope", "ground", "bob", length=length) + solver(end=0.1)
        with refused("joint[0].length", length):
            mb.System.from_text(text).run(files=False)
