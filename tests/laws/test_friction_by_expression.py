"""Friction that a scene writes as an expression: with `dissipative` its power is dissipation, else work."""

import numpy as np
import pytest
from scene_text import NO_GRAVITY, body, joint, solver, table

from mbplugin.errors import SceneError

MASS, SPEED = 2.0, 3.0
BLOCK = (
    NO_GRAVITY
    + body("block", mass=MASS, inertia=[1, 1, 1], velocity=[SPEED, 0, 0])
    + joint("rail", "translational", "ground", "block", axis=[1, 0, 0])
    + solver(tolerance=1e-10, end=4.0)
)
FRICTION = "-2*tanh(rate(rail.length)/0.01)"


def energies(runs, **force):
    frame = runs.frames(BLOCK + table("force", **force), [0.0, 4.0])[-1]
    return {key.partition("/")[2]: float(value) for key, value in frame.items() if key.startswith("energy/")}


@pytest.mark.parametrize(
    "force",
    [
        {"type": "force", "body": "block", "force_x": FRICTION},
        {"type": "joint_force", "joint": "rail", "force": FRICTION},
        # from 3 m/s to 1 in 2 s, and to 0.5 in 2 more
        {"type": "force", "body": "block", "force_x": "if(time < 2, -2, -0.5)"},
    ],
)
@pytest.mark.parametrize("dissipative", [True, False, None])
def test_what_the_block_lost_is_dissipated_or_work_as_the_scene_says(runs, force, dissipative):
    energy = energies(runs, **force, **({} if dissipative is None else {"dissipative": dissipative}))
    lost = 0.5 * MASS * SPEED**2 - energy["kinetic"]
    assert lost > 8.7 and abs(energy["balance"]) < 1e-8
    dissipated, work = (lost, 0.0) if dissipative else (0.0, -lost)
    assert energy["dissipated"] == pytest.approx(dissipated, rel=1e-8)
    assert energy["work"] == pytest.approx(work, rel=1e-8)


@pytest.mark.parametrize(
    "force",
    [
        {"type": "force", "body": "block", "force_x": FRICTION, "dissipative": "yes"},
        {"type": "force", "body": "block", "force_x": FRICTION, "dissipative": 1},
        {"type": "joint_spring_damper", "joint": "rail", "damping": 1.0, "dissipative": True},
    ],
)
def test_a_key_that_cannot_act_is_refused_by_name(runs, force):
    with pytest.raises(SceneError) as caught:
        energies(runs, **force)
    assert caught.value.key == "force[0].dissipative" and caught.value.value == force["dissipative"]


def test_the_energy_of_a_body_at_rest_balances(runs, tmp_path):
    import mbplugin as mb

    system = mb.System(scene={"gravity": [0, 0, -9.81]}, solver={"end": 0.1})
    system.add(
        mb.Body(name="bob", mass=1.0, inertia=[0.01] * 3, marker=[{"name": "m", "position": [0, 0.3, 0]}])
    )
    system.add(mb.Joint(name="hold", type="fixed", a="ground", b="bob", at=[0.1, 0.15, 0.12]))
    system.add(mb.Force(name="k", type="spring_damper", a="ground", b="bob.m", stiffness=100))
    result = system.run(tmp_path)
    assert np.abs(result.energy.balance).max() < 1e-14
    assert result.summary.energy_error < 1e-12
