"""The scenes in joint coordinates move as in maximal ones, which other tests hold against outside truths."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from refusals import refused
from scene_text import body, joint, solver, world

from mbplugin import System

SCENES = Path(__file__).parents[2] / "scenes"
#: scene -> largest difference of positions, relative to the largest of them: trees, loops, free roots, planar
#: bodies, couplings, compliances, and through singular positions
TOLERANCES = {
    "double_pendulum": 1e-10,
    "heavy_top": 1e-9,
    "piston_crank": 1e-10,
    "quick_return": 1e-10,
    "four_bar_hinges": 1e-10,
    "four_bar_n2": 1e-7,
    "andrews_squeezer": 1e-10,
    "door_with_penalty_hinge": 1e-10,
    "screw_jack": 1e-10,
}
#: arrays of a result that are compared, with the same tolerance times a factor
COMPARED = {
    "bodies/center_of_mass": 1.0,
    "bodies/orientation": 10.0,
    "bodies/center_of_mass_velocity": 100.0,
    "bodies/angular_velocity": 100.0,
    "bodies/acceleration": 1000.0,
    "coordinates/value": 10.0,
    "energy/kinetic": 100.0,
}


def result(scene: str, coordinates: str):
    system = System.from_file(SCENES / scene)
    system.solver.raw["coordinates"] = coordinates
    return system.run(files=False)


@pytest.mark.parametrize("scene", TOLERANCES)
def test_both_coordinates_agree(scene):
    """Poses, twists, accelerations and coordinates of all frames."""
    maximal, joint = result(scene, "maximal"), result(scene, "joint")
    for key, factor in COMPARED.items():
        if key not in maximal.raw or key not in joint.raw:
            continue
        a, b = np.asarray(maximal.raw[key][:]), np.asarray(joint.raw[key][:])
        if key == "bodies/orientation":
            # q and −q are one orientation
            a, b = (q[..., :, None] * q[..., None, :] for q in (a, b))
        scale = max(np.abs(a).max(initial=0.0), 1e-3)
        assert np.abs(a - b).max(initial=0.0) <= factor * TOLERANCES[scene] * scale, key


BAR = world() + body("bar", mass=1, inertia=[0.1, 0.1, 0.1], position=[0.5, 0, 0])
HUNG = BAR + joint("hinge", "revolute", "ground", "bar", axis=[0, 1, 0])


@pytest.mark.parametrize(
    ("keys", "key", "value"),
    [
        ({"type": "galpha", "step": 1e-3, "coordinates": "polar"}, "solver.coordinates", "polar"),
        ({"type": "galpha", "step": 1e-3, "coordinates": "joint", "method": "kkt"}, "solver.method", "kkt"),
        ({"type": "galpha", "step": 1e-3, "method": "mass_matrix"}, "solver.method", "mass_matrix"),
        (
            {"type": "contact", "step": 1e-3, "coordinates": "joint", "method": "articulated_body"},
            "solver.method",
            "articulated_body",
        ),
        ({"type": "contact", "step": 1e-3, "coordinates": "polar"}, "solver.coordinates", "polar"),
        ({"coordinates": "polar"}, "solver.coordinates", "polar"),
        ({"coordinates": "joint", "method": "constraint_force"}, "solver.method", "constraint_force"),
        ({"coordinates": "joint", "method": "kkt"}, "solver.method", "kkt"),
        ({"method": "articulated_body"}, "solver.method", "articulated_body"),
        ({"method": "mass_matrix"}, "solver.method", "mass_matrix"),
        ({"form": "momentum"}, "solver.form", "momentum"),
        ({"coordinates": "joint", "form": "velocity"}, "solver.form", "velocity"),
    ],
)
def test_combinations_that_do_not_exist_are_refused(keys, key, value):
    with refused(key, value):
        System.from_text(HUNG + solver(**keys, end=0.1)).run(files=False)


@pytest.mark.parametrize("kind", ["galpha", "contact"])
def test_every_solver_has_maximal_coordinates(kind):
    text = HUNG + solver(type=kind, step=1e-3, end=0.01, coordinates="maximal")
    assert System.from_text(text).run(files=False).time[-1] == 0.01
