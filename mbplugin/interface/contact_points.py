"""Where two shapes are near each other: what a function for a pair of shapes writes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mbplugin.math.jit import inlined
from mbplugin.math.vec3 import store
from mbplugin.tables.spec import Floats, Floats3, Ints

#: points that a pair of shapes may have
MAX_POINTS = 8


class ContactPoints(NamedTuple):
    """Points between two shapes a and b, MAX_POINTS rows: x_b = x_a + gap · normal."""

    x_a: Floats3  # on shape a [m]
    x_b: Floats3  # on shape b [m]
    normal: Floats3  # unit, from a to b
    gap: Floats  # [m]; negative: they penetrate
    feature: Ints  # the same as long as the same features touch


def empty_points(n: int = MAX_POINTS) -> ContactPoints:
    """Points with room for one pair of shapes, or for n points."""
    three = lambda: np.zeros((n, 3))
    return ContactPoints(three(), three(), three(), np.zeros(n), np.zeros(n, np.int64))


@inlined
def put_point(points, k, x_a, x_b, normal, gap, feature):
    """Write point k; all vectors are in world axes [m]. Returns k + 1.

    feature: an integer that is the same as long as the same features of the two shapes touch, such as the
    number of a vertex; 0 for smooth shapes. Contacts keep their impulse and identity by it.
    """
    store(points.x_a, k, x_a)
    store(points.x_b, k, x_b)
    store(points.normal, k, normal)
    points.gap[k] = gap
    points.feature[k] = feature
    return k + 1
