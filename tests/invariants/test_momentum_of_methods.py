"""Momentum under `rk` and `galpha`: each body's changes by the integral of the loads that frames report."""

from __future__ import annotations

from typing import Any

import generated
import numpy as np
import pytest
from generated import Scene
from images import rotation
from recorded import Recorder
from test_order_within_phases import slope
from tiers import few_first

import mbplugin as mb

Array = Any
#: end of the runs [s], and their numbers of steps
END, STEPS = 0.064, (16, 32, 64)
#: set, keys of the solver, order
METHODS = {"rk4": (generated.FLYING, {"integrator": "rk4"}, 4), "galpha": (generated.IMPLICIT, {}, 2)}


def integral(values: Array, h: float) -> Array:
    """Over frames that are h apart, by Boole's rule; order 6."""
    weights = np.zeros(len(values))
    for k in range(0, len(values) - 1, 4):
        weights[k : k + 5] += np.array([14, 64, 24, 64, 14]) / 45.0
    return h * np.tensordot(weights, values, 1)


def open_by(scene: Scene, steps: int, left_out: str = "") -> tuple[float, float]:
    """How far momentum is open at the end, and the size of its parts, of the worst body [N·s, N·m·s];
    left_out: a joint or force whose loads are not counted.
    """
    h = END / steps
    text = scene.changed(step=h, keys={**scene.keys, "step": h}).text(steps=steps)
    result = mb.System.from_text(text).run(files=False)
    owner, element = (result.raw.attribute(f"loads/{key}", []) for key in ("body", "element"))
    worst = size = 0.0
    for body in Recorder(text).given:
        view = result[body.name]
        here = [k for k in range(len(owner)) if owner[k] == body.name and element[k] != left_out]
        loads = integral(result.raw["loads/wrench"][:, here].sum(axis=1), h)
        R = np.array([rotation(q) for q in view.orientation])
        spin = np.einsum("nij,jk,nlk,nl->ni", R, body.inertia, R, view.angular_velocity)
        linear = body.mass * (view.velocity[-1] - view.velocity[0] - END * np.array(scene.gravity))
        found = np.concatenate([linear, spin[-1] - spin[0]])
        worst = max(worst, float(np.abs(found - loads).max()))
        size = max(size, float(np.abs(loads).max()))
    return worst, size


@pytest.mark.parametrize("seed", few_first(range(4)))
@pytest.mark.parametrize("method", METHODS)
def test_momentum_is_balanced_to_the_order_of_the_method(method, seed):
    kinds, keys, order = METHODS[method]
    scene = generated.scene(kinds, seed).changed(keys=keys)
    found = [open_by(scene, steps) for steps in STEPS]
    errors, size = [error for error, _ in found], max(size for _, size in found)
    assert errors[-1] < 1e-12 * size or slope(errors) > order - 0.3, (errors, size, scene.text())
