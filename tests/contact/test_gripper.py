"""A cube between two fingers that are pressed against it: Coulomb's law says whether it is held."""

from __future__ import annotations

import pytest
from blocks import CUBE, PRESS, Watch, gripper

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
    """Largest speed of the cube relative to the hand [m/s], and its displacement from it at the end [m]."""
    watch, largest = Watch(runs, gripper(part, shake)), 0.0
    start = watch.q
    for _ in watch.steps(round(seconds / watch.step)):
        v = watch.v
        largest = max(largest, abs(v[CUBE_BODY] - v[HAND]).max())
    moved = watch.q - start
    return largest, abs(moved[CUBE_BODY] - moved[HAND]).max()


GRIPS = pytest.mark.parametrize(("part", "shake"), [(1.02, 0.0), (1.10, 0.0), (1.10, 0.2 * G)])


@GRIPS
def test_a_cube_is_held_without_creep_if_friction_suffices(runs, part, shake):
    """Shaken, it needs √(1 + 0.2²) = 1.02 of m g."""
    speed, displacement = slip(runs, part, shake, 1.0)
    assert speed <= 1e-12
    assert displacement <= 1e-12


@pytest.mark.slow
@GRIPS
def test_a_cube_is_held_for_a_minute(runs, part, shake):
    speed, displacement = slip(runs, part, shake, 60.0)
    assert speed <= 1e-12
    assert displacement <= 1e-11


def test_a_shaken_cube_slips_if_friction_carries_its_weight_only(runs):
    """At 1.01 of m g / 2 N it is held at rest, and slips at 0.2 g sideways."""
    assert slip(runs, 1.01, 0.0, 0.3)[0] <= 1e-12
    assert slip(runs, 1.01, 0.2 * G, 0.3)[1] > 1e-6
