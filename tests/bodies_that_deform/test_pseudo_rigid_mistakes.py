"""What a pseudo-rigid body cannot be, refused by name, and a run that ends where it is turned inside out."""

from __future__ import annotations

import numpy as np
import pytest
from blocks_that_deform import block
from headless import finish
from refusals import refused, stopped
from scene_text import NO_GRAVITY, body, hinge, solver, table, world

import mbplugin as mb
from mbplugin.errors import PhysicsError, SceneError

LUMP = {"type": "pseudo_rigid", "mass": 1.0, "inertia": [0.3, 0.4, 0.5], "young": 1e5, "poisson": 0.3}


@pytest.mark.parametrize(
    ("keys", "key", "value"),
    [
        ({"young": 0.0}, "young", 0.0),
        ({"young": -1.0}, "young", -1.0),
        ({"poisson": 0.5}, "poisson", 0.5),
        ({"poisson": -1.0}, "poisson", -1.0),
        ({"elasticity": "rubber"}, "elasticity", "rubber"),
        ({"volume": 0.0}, "volume", 0.0),
    ],
)
def test_impossible_materials_are_refused(runs, keys, key, value):
    with refused(f"body[0].{key}", value):
        runs.prepare(body("lump", **(LUMP | {"volume": 1e-3} | keys)) + solver(end=1.0))


def test_without_shapes_that_give_the_mass_the_volume_is_needed(runs):
    with refused("body[0].volume"):
        runs.prepare(body("lump", **LUMP) + solver(end=1.0))
    pictured = body("lump", **LUMP, shape=[{"type": "box", "size": [1, 1, 1]}])
    with refused("body[0].volume"):
        runs.prepare(pictured + solver(end=1.0))


def test_a_volume_beside_density_and_shapes_is_refused(runs):
    with refused("body[0].volume", 0.1):
        runs.prepare(block(volume=0.1) + solver(end=1.0))


@pytest.mark.parametrize("inertia", [[0.1, 0.1, 0.2], [0.2, 0.2, 1e-12]])
def test_a_plate_and_a_rod_without_thickness_are_refused(runs, inertia):
    with refused("body[0].inertia"):
        runs.prepare(body("lump", **(LUMP | {"volume": 1e-3, "inertia": inertia})) + solver(end=1.0))


@pytest.mark.parametrize("method", [{}, {"type": "galpha"}], ids=["rk", "galpha"])
def test_a_block_pressed_through_itself_ends_the_run(runs, method):
    """It flattens at 400/s, faster than its stiffness can stop."""
    text = NO_GRAVITY + block(young=1e3, stretch_rate=[0.0, 0.0, -400.0])
    prepared = runs.prepare(text + solver(end=1.0, **method))
    with stopped(PhysicsError, "block"):
        finish(prepared.start(1.0), 1.0)


def test_no_joint_carries_it_in_joint_coordinates(runs):
    """It is a body of its own there, with the rows of its joint, and moves as in maximal coordinates."""
    text = world(gravity=[0, 0, -9.81]) + block(young=2e4)
    text += hinge("pin", "ground", "block", at=[0.2, 0, 0], axis=[0, 1, 0])
    in_joints = text + solver(end=0.1, tolerance=1e-10, coordinates="joint")
    assert '"block" is no rigid body' in runs.prepare(in_joints).trees(True).reasons["pin"]
    ends = [runs.frames(one, [0.1])[0] for one in (in_joints, text + solver(end=0.1, tolerance=1e-10))]
    place = "bodies/position"
    assert np.abs(ends[0][place]).max() > 0.04
    np.testing.assert_allclose(ends[0][place], ends[1][place], atol=1e-8)


def test_parameters_of_a_missing_key_are_named(runs):
    with pytest.raises(SceneError, match="young"):
        runs.prepare(body("lump", **{k: v for k, v in (LUMP | {"volume": 1e-3}).items() if k != "young"}))


def test_a_half_space_cannot_stretch_with_its_body(runs):
    plane = [{"type": "plane", "size": [1, 1]}, {"type": "box", "size": [1, 1, 1], "density": 0}]
    lump = body("lump", **(LUMP | {"volume": 1e-3, "collide": True, "shape": plane}))
    with refused("collide", True):
        runs.prepare(lump + solver(type="contact", step=1e-3, end=1.0))


def test_damping_is_not_negative(runs):
    with refused("body[0].damping", -1.0):
        runs.prepare(block(damping=-1.0) + solver(end=1.0))


def test_a_block_so_far_away_that_rounding_takes_its_shape_ends_the_run(runs):
    text = NO_GRAVITY + block(position=[1e20, 1e20, 1e20]) + solver(end=1.0)
    with pytest.raises(
        PhysicsError, match=r'"block" is 1\.73e\+20 m from the origin, too far to have a shape'
    ):
        runs.prepare(text).recorder.frame()
    near = text.replace("1e20", "1e6").replace("1e+20", "1e6")
    assert np.isfinite(runs.prepare(near).recorder.frame()["deformations/stress"]).all()


def test_frames_before_a_block_is_too_far_away_to_have_a_shape_are_kept(tmp_path):
    """It falls by a t²/2 along each axis. A metre is lost in rounding beyond 2⁵⁴ m, and is not below 2⁵³ m:
    it has a shape at 2 s and none at 3 s.
    """
    a = 4.25e15
    assert 0.5 * a * 2**2 < 2.0**53 and 0.5 * a * 3**2 > 2.0**54
    fixed = {"integrator": "rk4", "step": 2.0**-8}
    text = world(gravity=[a, a, a]) + block() + solver(end=6.0, **fixed) + table("output", frames=6)
    with stopped(PhysicsError, '"block"', "3.31e+16 m", time=3.0):
        mb.System.from_text(text).run(tmp_path / "out")
    kept = mb.load(tmp_path / "out")
    assert kept.time.tolist() == [0.0, 1.0, 2.0]
    np.testing.assert_allclose(kept["block"].position[:, 0], 0.5 * a * kept.time**2, rtol=1e-12)
    assert np.isfinite(kept["block"].orientation).all()
