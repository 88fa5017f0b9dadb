"""One mechanism in two choices of motion variables: x, y, θ of planar bodies, or six velocities of spatial
ones.
"""

from __future__ import annotations

import numpy as np
from scene_text import body, joint, solver, spring, world


def mechanism(flat: bool) -> str:
    """Text of a slider-crank with a spring, of planar or of spatial bodies and joints. In space the wrist pin
    is a point on a line, which closes the loop without redundancy.
    """

    def link(name, mass, moment, x):
        if flat:
            return body(name, type="planar", mass=mass, inertia=moment, position=[x, 0])
        return body(name, mass=mass, inertia=[0.04, 0.05, moment], position=[x, 0, 0])

    def pin(name, a, b, x=0.0, kind="revolute", **keys):
        if flat:
            return joint(name, "pin", a, b, at=[x, 0], **keys)
        return joint(name, kind, a, b, at=[x, 0, 0], axis=[0, 0, 1], **keys)

    return (
        world(gravity=[0, -9.81, 0])
        + link("crank", 1.0, 0.02, 0.1)
        + link("rod", 0.8, 0.05, 0.45)
        + link("slider", 2.0, 0.01, 0.7)
        + pin("main", "ground", "crank", start={"speed": 9.0})
        + pin("crank_pin", "crank", "rod", 0.2)
        + pin("wrist_pin", "rod", "slider", 0.7, kind="point_on_line")
        + joint(
            "guide", "translational", "ground", "slider", at=[0.7, 0] if flat else [0.7, 0, 0], axis=[1, 0, 0]
        )
        + spring("ground", "slider", stiffness=60.0, damping=1.5, length=0.5)
        + solver(tolerance=1e-10, end=2.0)
    )


def test_planar_and_spatial_bodies_move_alike(runs):
    """Over three and a half turns with a spring and a damper: positions, speeds, energy and the force of the
    crank pin.
    """
    times = np.linspace(0.0, 2.0, 21)
    planar, spatial = mechanism(flat=True), mechanism(flat=False)
    assert runs.prepare(planar).problem.nv == 9 and runs.prepare(spatial).problem.nv == 18
    for flat, full in zip(runs.frames(planar, times), runs.frames(spatial, times)):
        for key in ("bodies/position", "bodies/velocity", "bodies/angular_velocity"):
            np.testing.assert_allclose(flat[key], full[key], atol=1e-8)
        for key in ("energy/kinetic", "energy/potential", "energy/dissipated"):
            np.testing.assert_allclose(flat[key], full[key], atol=1e-7)
        np.testing.assert_allclose(flat["joints/force"][1], full["joints/force"][1], atol=1e-5)
