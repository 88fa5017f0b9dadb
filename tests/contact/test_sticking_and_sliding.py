"""Blocks and balls that stick, slide and roll, beside closed forms and published problems."""

from __future__ import annotations

from math import atan, cos, isclose, radians, sin, tan

import numpy as np
import pytest
from blocks import Watch, ball, block, contact_solver, floor, on_incline
from mbplugin_contact.coulomb import SLIP, STICK
from scene_text import force, spring

G = 9.81


def creep(runs, seconds):
    """Largest speed of a block over so many seconds [m/s], and its displacement [m]; μ 5 % above tan θ."""
    angle = radians(20.0)
    watch = Watch(runs, on_incline(angle, 1.05 * tan(angle)))
    start, largest = watch.q, 0.0
    for _ in watch.steps(round(seconds / 1e-3)):
        largest = max(largest, abs(watch.v).max())
    return largest, abs(watch.q - start).max()


def test_a_block_below_the_friction_angle_does_not_creep(runs):
    speed, displacement = creep(runs, 1.0)
    assert speed <= 1e-12
    assert displacement <= 1e-12


@pytest.mark.slow
def test_a_block_below_the_friction_angle_does_not_creep_in_a_minute(runs):
    speed, displacement = creep(runs, 60.0)
    assert speed <= 1e-12
    assert displacement <= 1e-11  # 60 s at less than the speed; 1.6e-12 m was reached


@pytest.mark.parametrize(("angle", "friction"), [(20.0, 0.18), (35.0, 0.4), (30.0, 0.0), (20.0, 0.363)])
def test_a_block_slides_with_g_sin_less_friction(runs, angle, friction):
    watch = Watch(runs, on_incline(radians(angle), friction)).to(1.0)
    speed = G * (sin(radians(angle)) - friction * cos(radians(angle)))
    down = [cos(radians(angle)), 0.0, -sin(radians(angle))]
    assert watch.v[0, :3] @ down == pytest.approx(speed, rel=1e-9)
    assert abs(watch.v[0, 3:]).max() <= 1e-10


def test_the_friction_angle_divides_sticking_from_sliding(runs):
    """atan 0.6 = 30.963 756 532 073 52°."""
    for angle, status in ((30.9, STICK), (31.0, SLIP)):
        watch = Watch(runs, on_incline(radians(angle), 0.6)).to(0.05)
        assert set(watch.statuses) == {status}
        assert (abs(watch.v).max() <= 1e-12) == (status == STICK)
    assert isclose(atan(0.6), radians(30.963756532073520))


@pytest.mark.parametrize(
    ("angle", "friction", "speed", "distance", "time"),
    [
        (0.0, 0.3, 2.0, 0.6795786612300374, 0.6795786612300374),
        (20.0, 0.6, 3.0, 2.068192289159282, 1.3787948594395214),
    ],
)
def test_a_block_stops_after_the_distance_of_constant_deceleration(
    runs, angle, friction, speed, distance, time
):
    """v₀² / 2a. In the step in which it stops the position is off by at most a h² / 8."""
    step = 1e-3
    watch = Watch(runs, on_incline(radians(angle), friction, speed=speed, step=step))
    start = watch.q
    stopped = next(t for t in watch.steps(2000) if abs(watch.v[0, :3]).max() <= 1e-9)
    assert 0.0 <= stopped - time <= step
    watch.to(stopped + 0.1)
    deceleration = speed**2 / (2.0 * distance)
    assert np.linalg.norm(watch.q - start) == pytest.approx(distance, abs=0.13 * deceleration * step**2)


def test_a_pulled_block_breaks_away_at_static_friction_and_slides_with_kinetic(runs):
    """A force that rises by 4 N/s on a block of 1 kg, μ_s = 0.5, μ = 0.3."""
    static, kinetic, step, rise = 0.5, 0.3, 1e-3, 4.0
    text = floor(friction=kinetic, friction_static=static) + block(
        "block", (0.3, 0.3, 0.1), 1.0, [0, 0, 0.05]
    )
    watch = Watch(runs, text + force("block", x=f"{rise}*time") + contact_solver(step))
    watch.to(0.3)
    assert watch.load_of_ground()[0] == pytest.approx(-rise * (0.3 - 0.5 * step), rel=1e-6)
    away = next(t for t in watch.steps(2000) if abs(watch.v[0, 0]) > 1e-9)
    assert 0.0 <= away - static * G / rise <= 1.5 * step
    watch.to(away + 0.1)
    assert watch.load_of_ground()[0] == pytest.approx(-kinetic * G, rel=1e-9)
    assert set(watch.statuses) == {SLIP}


def test_a_sliding_ball_rolls_at_five_sevenths_of_its_speed(runs):
    radius, speed, friction, step = 0.05, 2.0, 0.2, 1e-3
    text = floor(friction=friction) + ball("ball", radius, 0.4, [0, 0, radius], velocity=[speed, 0, 0])
    watch = Watch(runs, text + contact_solver(step))
    rolls = next(t for t in watch.steps(1000) if watch.statuses[0] == STICK)
    assert rolls - 0.5 * step == pytest.approx(2.0 * speed / (7.0 * friction * G), abs=0.5 * step)
    watch.to(1.0)
    assert watch.v[0, 0] == pytest.approx(5.0 / 7.0 * speed, rel=1e-9)
    assert watch.v[0, 4] == pytest.approx(5.0 / 7.0 * speed / radius, rel=1e-9)


@pytest.mark.parametrize(
    ("friction", "acceleration", "turning"),
    [(0.5, 3.503571428571429, 35.03571428571429), (0.1, 4.055429078887466, 21.23927302781336)],
)
def test_a_ball_on_a_slope_rolls_if_friction_suffices_and_else_slides(runs, friction, acceleration, turning):
    """5/7 g sin θ; or g (sin θ − μ cos θ) and 5 μ g cos θ / 2R; 30°, R = 0.1 m."""
    angle, radius = radians(30.0), 0.1
    at = [radius * sin(angle), 0.0, radius * cos(angle)]
    watch = Watch(
        runs, floor(angle, friction=friction) + ball("ball", radius, 0.4, at) + contact_solver()
    ).to(0.5)
    assert np.linalg.norm(watch.v[0, :3]) / 0.5 == pytest.approx(acceleration, rel=1e-9)
    assert watch.v[0, 4] / 0.5 == pytest.approx(turning, rel=1e-9)


#: F. A. Potra et al., Int. J. Numer. Meth. Engng 66 (2006) 1079-1124; positions and velocities in closed form
POTRA = {
    0.150: (3.001541376511662, 0.01830505978879371),
    2.000: (3.004348569726865, 0.0),
    3.150: (3.0027299065638218, -0.021049450899575106),
    5.000: (2.9913028331150313, 0.0),
    6.150: (2.991359801847832, 0.0026753465149462197),
    8.000: (3.004348569726865, 0.0),
    10.00: (2.991302833115031, 0.0),
}


def test_a_block_on_a_table_sticks_and_slips_under_a_force_that_turns_round(runs):
    """The published tolerance is 1e-3 at a step of 1 ms."""
    text = floor(friction=0.8) + block("block", (0.3, 0.3, 0.1), 1.0, [3.0, 0, 0.05])
    watch = Watch(runs, text + force("block", x="8*cos(time)") + contact_solver(1e-3))
    for time, (x, v) in POTRA.items():
        watch.to(time)
        assert watch.q[0, 0] == pytest.approx(x, abs=2e-6)
        assert watch.v[0, 0] == pytest.approx(v, abs=2e-5)


def test_an_oscillator_with_friction_comes_to_rest_where_it_should(runs):
    """m = k = μ m g = 1, x₀ = 12, v₀ = 6: rest at 0.682 178 936 723 646 6 after eight turning points. At this
    step Siconos rests 1.35e-4 beside it.
    """
    text = floor(friction=1.0 / G) + block(
        "block", (0.3, 0.3, 0.02), 1.0, [12.0, 0, 0.01], velocity=[6, 0, 0]
    )
    text = text.replace("[scene]\n", '[scene]\nmarker = [{ name = "wall", position = [-50, 0, 0.01] }]\n')
    text += spring("ground.wall", "block", stiffness=1.0, length=50.0)
    watch = Watch(runs, text + contact_solver(1e-2)).to(30.0)
    assert watch.q[0, 0] == pytest.approx(0.6821789367236466, abs=1.35e-4)
    resting = watch.q
    watch.to(100.0)
    assert abs(watch.q - resting).max() <= 1e-11
