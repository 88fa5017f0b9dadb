"""Friction that a scene writes as an expression is dissipation: ½ m v² of a block that it stops."""

import numpy as np
import pytest
from scene_text import NO_GRAVITY, body, joint, solver, table

from mbplugin.compile.friction import is_friction
from mbplugin.model.expression import parse

MASS, SPEED = 2.0, 3.0
BLOCK = (
    NO_GRAVITY
    + body("block", mass=MASS, inertia=[1, 1, 1], velocity=[SPEED, 0, 0])
    + joint("rail", "translational", "ground", "block", axis=[1, 0, 0])
    + solver(tolerance=1e-10, end=4.0)
)


def energies(runs, f, **more):
    force = table("force", type="force", body="block", force_x=f, **more)
    frame = runs.frames(BLOCK + force, [0.0, 4.0])[-1]
    return {key.partition("/")[2]: float(value) for key, value in frame.items() if key.startswith("energy/")}


@pytest.mark.parametrize(
    "f",
    [
        "-2*tanh(rate(rail.length)/0.01)",
        "-4*rate(rail.length)",
        # from 3 m/s to 1 in 2 s, and to 0.5 in 2 more
        "if(rate(rail.length) > 0, if(time < 2, -2, -0.5), if(time < 2, 2, 0.5))",
        "if(rate(rail.length) > 1e-3, -2, if(rate(rail.length) < -1e-3, 2, -2*rate(rail.length)/1e-3))",
    ],
)
def test_friction_dissipates_what_the_block_had(runs, f):
    energy = energies(runs, f)
    lost = 0.5 * MASS * SPEED**2 - energy["kinetic"]
    assert energy["dissipated"] == pytest.approx(lost, rel=1e-8) and lost > 8.7
    assert energy["work"] == 0.0 and abs(energy["balance"]) < 1e-8


def test_a_force_that_drives_is_work(runs):
    energy = energies(runs, "0.5*rate(rail.length)")
    assert energy["work"] == pytest.approx(energy["kinetic"] - 0.5 * MASS * SPEED**2, rel=1e-8)
    assert energy["dissipated"] == 0.0


def test_a_regulator_with_a_part_at_rest_is_work(runs):
    energy = energies(runs, "-3*rail.length - 4*rate(rail.length)")
    assert energy["dissipated"] == 0.0 and energy["work"] < -1.0


RATES = "rate(j.angle)"


@pytest.mark.parametrize(
    "text, friction",
    [
        (f"-0.2*abs(reaction(j.fy))*sign({RATES})", True),
        (f"-3*{RATES}*abs({RATES})", True),
        (f"-(2 + sin(time))*tanh({RATES}/0.1)", True),
        (f"-{RATES}**3/(1 + {RATES}**2)", True),
        (f"if(j.angle, -5*{RATES}, 0)", True),
        (f"if({RATES}, -5, 5)", True),
        (f"-5*step({RATES})", True),
        (f"-3*sqrt(abs({RATES}))*sign({RATES})", True),
        (f"max(-5, min(5, -100*{RATES}))*abs({RATES})", True),
        (f"if({RATES} >= 0, -0.3*abs(reaction(j.fy)), 0.3*abs(reaction(j.fy)))", True),
        (f"if({RATES} > 0, -1, 1)*(2 + sin(time))/(1 + time**2)", True),
        (f"if({RATES} < 0, 5, -3)", True),
        (f"if({RATES} > 1e-3, -5, if({RATES} < -1e-3, 5, 0))", True),
        (f"if(abs({RATES}) > 1e-3, -5*sign({RATES}), -5e3*{RATES})", True),
        (f"if(time > 1, if({RATES} > 0, -5, 5), if({RATES} > 0, -2, 2))", True),
        (f"if({RATES} > 0, time - 1, 1 - time)", True),
        (f"if({RATES} > 0, -5, -4)", False),
        (f"if({RATES} > 0, -5, reaction(j.fy))", False),
        (f"if({RATES} > 0.1, -5, 5)", False),
        # no limit, or one that is not seen
        (f"2*{RATES}*(1/{RATES})", False),
        (f"if(time > 1, {RATES}, -3)*{RATES}/{RATES}", False),
        (f"if({RATES} > 0, time - 1, time - 1)", False),
        (f"-5*cos({RATES})", False),
        (f"-2*{RATES} + time", False),
        ("-2*time", False),
        ("0", False),
    ],
)
def test_friction_is_what_vanishes_or_changes_its_sign_at_rest(text, friction):
    assert is_friction(parse(text)) == friction


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
