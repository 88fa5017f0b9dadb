"""Forces along the line between two markers, as functions of its length: Kepler, friction, bad input."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from scene_text import NO_GRAVITY, body, solver, table, with_keys, world

import mbplugin as mb
from mbplugin.errors import MbpluginError

#: G, masses [kg]
G, M, m = 2.0, 3.0, 1.0


def run(text, **keys):
    return mb.System.from_text(text).run(files=False, **keys)


def two_stars(r=1.0, v=2.0, end=None, force="-G*M*m/length**2", more=""):
    """Two masses that start at rest of their centre, r apart with the relative speed v across."""
    fall = {"mass": M, "inertia": [1, 1, 1], "position": [0, 0, 0]}
    other = {"mass": m, "inertia": [1, 1, 1], "position": [r, 0, 0]}
    return (
        NO_GRAVITY
        + f"[parameters]\nG = {G}\nM = {M}\nm = {m}\n"
        + body("sun", velocity=[0, -m / (M + m) * v, 0], **fall)
        + body("planet", velocity=[0, M / (M + m) * v, 0], **other)
        + table("force", type="line_force", name="gravitation", a="sun", b="planet", force=force)
        + more
        + solver(tolerance=1e-12, end=end or period(r, v))
    )


def period(r, v):
    """Kepler's third law: T = 2π √(a³/μ), with 1/a = 2/r − v²/μ and μ = G (M + m)."""
    mu = G * (M + m)
    return 2 * np.pi * np.sqrt((1 / (2 / r - v * v / mu)) ** 3 / mu)


@pytest.mark.parametrize("speed", [2.0, 2.8, 3.6])
def test_two_masses_return_after_keplers_period(speed):
    result = run(two_stars(v=speed))
    apart = result["planet"].position - result["sun"].position
    np.testing.assert_allclose(apart[-1], [1.0, 0.0, 0.0], atol=1e-9)
    # the apsides: r₂ = r₁ / (2 μ/(r₁ v²) − 1)
    other = 1.0 / (2 * G * (M + m) / speed**2 - 1)
    distance = np.linalg.norm(apart, axis=1)
    extreme = distance.max() if other > 1 else distance.min()
    assert extreme == pytest.approx(other, rel=1e-4)
    assert np.abs(result.energy.balance).max() < 1e-9


def test_action_is_reaction():
    result = run(two_stars())
    momentum = M * result["sun"].velocity + m * result["planet"].velocity
    assert np.abs(momentum).max() < 1e-12


def test_a_spring_by_its_length_and_rate_is_a_spring_damper():
    """The same motion, and the same energy from the start but for where it is counted."""
    text = two_stars(v=0.4, end=3.0, force="-25*(length - 0.8) - 0.7*rate(length)")
    spring = table(
        "force", type="spring_damper", a="sun", b="planet", stiffness=25.0, damping=0.7, length=0.8
    )
    head, _, tail = text.partition("[[force]]")
    other = head + spring + tail[tail.index("[solver]") :]
    ours, theirs = run(text), run(other)
    np.testing.assert_allclose(ours["planet"].position, theirs["planet"].position, atol=1e-9)


def test_friction_along_the_line_is_dissipated():
    text = two_stars(v=0.4, end=2.0, force="-0.7*rate(length)")
    result = run(with_keys(text, "gravitation", dissipative=True))
    kinetic = result.energy.kinetic
    np.testing.assert_allclose(result.energy.dissipated, kinetic[0] - kinetic, atol=1e-9)
    assert not result.energy.work.any()


def test_the_length_of_a_force_is_no_name_elsewhere():
    more = table("variable", name="gap", value="length")
    with refused("variable[0].value", "length"):
        run(two_stars(more=more))


def test_a_name_of_the_scene_that_means_two_things_is_refused():
    text = two_stars().replace("G = ", "length = 1.0\nG = ")
    with refused("force[0].force", "-G*M*m/length**2"):
        run(text)


def test_a_parameter_called_length_does_no_harm_where_the_force_does_not_read_it():
    text = two_stars(force="-G*M*m/distance(sun, planet)**2").replace("G = ", "length = 1.0\nG = ")
    apart = lambda result: (result["planet"].position - result["sun"].position)[-1]
    np.testing.assert_allclose(apart(run(text)), [1.0, 0.0, 0.0], atol=1e-8)


def test_ends_that_coincide_have_no_line():
    with refused("force[0].force", "-G*M*m/length**2"):
        run(two_stars(r=1.0, end=1.0).replace("position = [1.0, 0, 0]", "position = [0, 0, 0]"))


def test_ends_that_meet_on_the_way_stop_the_run_with_the_time():
    """Released at rest, they meet after π/(2√2) √(r³/μ) = T/(4√2) of the circle."""
    meet = np.pi / (2 * np.sqrt(2)) / np.sqrt(G * (M + m))
    with pytest.raises(MbpluginError) as caught:
        run(two_stars(v=0.0, end=1.0))
    assert caught.value.exit_code in (3, 5)
    assert caught.value.result.time[-1] < meet
    assert caught.value.time == pytest.approx(meet, rel=1e-8)


def test_gravity_beside_it_is_not_changed():
    """Both masses fall as one: the force between them moves their centre nowhere."""
    text = two_stars(end=1.0).replace(NO_GRAVITY, world(gravity=[0, 0, -9.81]))
    result = run(text)
    height = (M * result["sun"].position[:, 2] + m * result["planet"].position[:, 2]) / (M + m)
    np.testing.assert_allclose(height, -0.5 * 9.81 * result.time**2, atol=1e-9)
