"""Spheres in a box come to lie on each other: the box carries them, and energy has only fallen."""

import numpy as np

G, MASS, RADIUS = 9.81, 0.5, 0.05
SOURCE = "statics"


def truth(result):
    names = [name for name in result.bodies if name.startswith("sphere_")]
    weight = len(names) * MASS * G
    force = sum(result.contact("ground", name).force for name in names)
    speeds = [np.abs(result[name].velocity[-1]).max() for name in names]
    yield "speed at the end", max(speeds), 0.0, 5e-2, "at most some still roll"
    yield "weight on the box", force[-1, 2], weight, 1e-3 * weight, SOURCE
    yield "force of the walls", np.abs(force[-1, :2]).max(), 0.0, 1e-3 * weight, SOURCE
    energy = result.energy.kinetic + result.energy.potential
    yield (
        "growth of the energy",
        max(0.0, np.diff(energy).max()),
        0.0,
        1e-6 * energy[0],  # what rolls where bodies lock each other gains up to the order h
        "friction and impacts",
    )
    places = np.array([result[name].position for name in names])
    yield "lowest centre", places[:, -1, 2].min(), RADIUS, 1e-8, "it lies on the floor"
    yield "overlap", max(0.0, overlap(places)), 0.0, 2e-6, "two centres are two radii apart"


def overlap(places):
    """The largest of two spheres after the first fifth of the run [m]."""
    deepest = -np.inf
    for x in places[:, places.shape[1] // 5 :].transpose(1, 0, 2):
        distance = np.linalg.norm(x[:, None] - x[None], axis=2) + np.diag(np.full(len(x), 9.0))
        deepest = max(deepest, 2.0 * RADIUS - distance.min())
    return deepest
