"""Results of random systems do not depend on the world's origin and axes, on names, or on the order of the
parts.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from random_systems import GROUND, Draws, Scene, of_random_systems, rotation, show

from mbplugin.model.plane import NORMAL

VECTORS = ("velocity", "angular_velocity", "acceleration", "angular_acceleration")


def moved(scene: Scene, R, p) -> Scene:
    """Everything turned by R and shifted by p; gravity and loads turned with it."""
    spun = lambda u: None if u is None else R @ u
    bodies = [replace(b, x=R @ b.x + p, R=R @ b.R, v=spun(b.v), w=spun(b.w)) for b in scene.bodies]
    joints = [replace(j, at=R @ j.at + p, axis=R @ j.axis) for j in scene.joints]
    forces = [replace(f, direction=R @ f.direction if f.law else f.direction) for f in scene.forces]
    return replace(
        scene,
        bodies=tuple(bodies),
        joints=tuple(joints),
        forces=tuple(forces),
        gravity=R @ scene.gravity,
        eye=R @ scene.eye + p,
    )


def renumbered(scene: Scene, order, others) -> Scene:
    """Bodies written in another order, joints and forces backwards or not; all with other names."""
    place = {GROUND: GROUND, **{old: new for new, old in enumerate(order)}}
    bodies = [replace(scene.bodies[old], name=f"{chr(122 - new)}-{old}") for new, old in enumerate(order)]
    relinked = lambda parts, word: tuple(
        replace(x, a=place[x.a], b=place[x.b], name=f"{word}{n}") for n, x in enumerate(parts[::others])
    )
    return replace(
        scene,
        bodies=tuple(bodies),
        joints=relinked(scene.joints, "hold"),
        forces=relinked(scene.forces, "push"),
    )


def assert_close(found, expected, relative: float) -> None:
    assert np.abs(found - expected).max(initial=0.0) <= relative * (np.abs(expected).max(initial=0.0) + 1e-2)


@of_random_systems(25, 100)
def test_a_rigid_motion_of_the_world_moves_the_result_with_it(system):
    scene, draw = system.scene, Draws(1000 + system.seed)
    turn, shift = draw.vector(2.0), draw.vector(5.0)
    if scene.plane:
        n = np.array(NORMAL[scene.plane])
        turn, shift = (turn @ n) * n, shift - (shift @ n) * n
    R = rotation(turn)
    there = show(system.runs, moved(scene, R, shift), (0.0, 0.2))
    for t, b, tolerance in zip((0.0, 0.2), there, (1e-8, 1e-7)):
        a = system.frames[t]
        for key in VECTORS:
            assert_close(b.frame[f"bodies/{key}"], a[f"bodies/{key}"] @ R.T, tolerance)
        assert_close(b.frame["bodies/position"], a["bodies/position"] @ R.T + shift, tolerance)
        if not system.is_redundant:
            # where rows repeat others, world axes decide how a load is shared
            for key in ("force", "torque"):
                assert_close(b.frame[f"joints/{key}"], a[f"joints/{key}"] @ R.T, 10 * tolerance)
        for key in ("kinetic", "work", "dissipated"):
            assert_close(b.frame[f"energy/{key}"], a[f"energy/{key}"], tolerance)
        assert_close(b.frame["coordinates/value"], a["coordinates/value"], tolerance)


@of_random_systems(25, 100)
def test_other_names_and_another_order_change_nothing(system):
    scene, draw = system.scene, Draws(1000 + system.seed)
    order, others = draw.random.permutation(len(scene.bodies)).tolist(), draw.among((1, -1))
    there = show(system.runs, renumbered(scene, order, others), (0.0, 0.2))
    for t, b, tolerance in zip((0.0, 0.2), there, (1e-10, 1e-7)):
        a = system.frames[t]
        for key in ("position", *VECTORS):
            assert_close(b.frame[f"bodies/{key}"], a[f"bodies/{key}"][order], tolerance)
        assert b.prepared.rank.dof == system.rank.dof
        # the minimum-norm sharing does not depend on the order either, only more of its digits are lost
        for key in ("force", "torque"):
            assert_close(
                b.frame[f"joints/{key}"][::others],
                a[f"joints/{key}"],
                1e-5 if system.is_redundant else 10 * tolerance,
            )
        assert_close(b.frame["forces/wrench"][::others], a["forces/wrench"], tolerance)
