"""Flat shapes as corners (n, 2) in pixels."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.decoder.rotation import Array
from mbplugin.viz.arrows import PIECES
from mbplugin.viz.meshes import polylines


def flat_arrow(x: float, y: float, length: float, tip: float) -> Array:
    """(n, 2) corners of an arrow to the right from x, y [pixels]."""
    tip = min(tip, 0.5 * length)
    thin = 0.18 * tip
    upper = np.array([(0, thin), (length - tip, thin), (length - tip, 0.45 * tip), (length, 0)])
    return np.concatenate([upper, upper[-2::-1] * [1, -1]]) + np.array([x, y])


def broken_arrow(x: float, y: float, length: float, tip: float) -> list[Array]:
    """Corners of the parts of an arrow with a broken shaft."""
    shaft, thin = length - tip, 0.18 * tip
    parts = [
        np.array([(a, thin), (b, thin), (b, -thin), (a, -thin)]) * [shaft, 1.0] + np.array([x, y])
        for a, b in PIECES[:-1]
    ]
    begin = PIECES[-1][0] * shaft
    return [*parts, flat_arrow(x + begin, y, length - begin, tip)]


def flat_arc(x: float, y: float, radius: float, angle: float, tip: float) -> list[Array]:
    """Corners of the parts of an arc about x, y, with a head."""
    at = np.linspace(0.0, angle, 30)
    around, thin = np.column_stack([np.cos(at), np.sin(at)]), 0.18 * tip
    outer, inner = (radius + thin) * around, (radius - thin) * around
    quads = [np.array([outer[k], outer[k + 1], inner[k + 1], inner[k]]) for k in range(len(at) - 1)]
    end, along = radius * around[-1], np.array([-around[-1, 1], around[-1, 0]])
    head = [end + 0.45 * tip * around[-1], end + tip * along, end - 0.45 * tip * around[-1]]
    return [each + np.array([x, y]) for each in [*quads, np.array(head)]]


def disc(x: float, y: float, radius: float) -> Array:
    """Corners of a disc."""
    at = np.linspace(0.0, 2.0 * np.pi, 20, endpoint=False)
    return radius * np.column_stack([np.cos(at), np.sin(at)]) + np.array([x, y])


def mesh_of(polygons: list[Array]) -> Any:
    """A flat mesh of polygons, each (n, 2) corners."""
    parts = [np.column_stack([each, np.zeros(len(each))]) for each in polygons]
    return polylines(parts, "faces").triangulate()
