"""A cube between two fingers that are pressed against it: Coulomb's law says whether it is held."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest
from blocks import CUBE, EDGE, PRESS, Watch, gripper

G = 9.81
#: of the bodies hand, left, right, cube
HAND, CUBE_BODY = 0, 3


@pytest.mark.parametrize("part", [0.90, 0.98])
def test_a_cube_falls_if_friction_is_too_low(runs, part):
    """With g − 2 μ N / m."""
    friction = part * CUBE * G / (2.0 * PRESS)
    watch = Watch(runs, gripper(part)).to(0.2)
    fall = -watch.v[CUBE_BODY, 2] / 0.2
    assert fall == pytest.approx(G - 2.0 * friction * PRESS / CUBE, rel=1e-6)
    assert abs(watch.v[CUBE_BODY, :2]).max() <= 1e-12


def slip(runs, part, shake, seconds):
    """Largest speed of the cube's corners relative to the hand [m/s], and its displacement from it at the end
    [m].
    """
    watch, largest = Watch(runs, gripper(part, shake)), 0.0
    start = watch.q
    for _ in watch.steps(round(seconds / watch.step)):
        relative = watch.v[CUBE_BODY] - watch.v[HAND]
        reach = 0.5 * np.sqrt(3.0) * EDGE
        largest = max(largest, np.linalg.norm(relative[:3]) + reach * np.linalg.norm(relative[3:]))
    moved = watch.q - start
    return largest, abs(moved[CUBE_BODY] - moved[HAND])[:3].max()


GRIPS = pytest.mark.parametrize("part", [1.02, 1.10])


@GRIPS
def test_a_cube_is_held_without_creep_if_friction_suffices(runs, part):
    speed, displacement = slip(runs, part, 0.0, 1.0)
    assert speed <= 1e-12
    assert displacement <= 1e-12


@pytest.mark.slow
@GRIPS
def test_a_cube_is_held_for_a_minute(runs, part):
    speed, displacement = slip(runs, part, 0.0, 60.0)
    assert speed <= 1e-12
    assert displacement <= 1e-11


SHAKE = 0.2 * G
#: circular frequency of the hand [rad/s]
RATE = 4.0 * pi


def shaken(runs, seconds):
    """The cube needs √(1 + 0.2²) = 1.02 of m g / 2 N, and has 1.10.

    It moves with the velocity at which joints and contacts are solved; the hand's is projected onto its
    motion f(t) afterwards. The two differ by h³ d⁴f/dt⁴ / 24 [m/s], which returns to zero in each period: no
    creep.
    """
    speed, displacement = slip(runs, 1.10, SHAKE, seconds)
    assert speed <= 1.1 * 1e-3**3 * SHAKE * RATE**2 / 24
    assert displacement <= 3e-11  # after the first second as after a minute: below 1e-12 m/s


def test_a_shaken_cube_is_held(runs):
    shaken(runs, 1.0)


@pytest.mark.slow
def test_a_shaken_cube_is_held_for_a_minute(runs):
    shaken(runs, 60.0)


def test_a_shaken_cube_slips_if_friction_carries_its_weight_only(runs):
    """At 1.01 of m g / 2 N it is held at rest, and slips at 0.2 g sideways."""
    assert slip(runs, 1.01, 0.0, 0.3)[0] <= 1e-12
    assert slip(runs, 1.01, SHAKE, 0.5)[1] > 1e-4
