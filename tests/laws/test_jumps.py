"""Functions of time that jump or have a kink: which are followed at once, which exert an impulse, and which
are refused.
"""

from __future__ import annotations

import pytest
from refusals import stopped
from scene_text import NO_GRAVITY, body, force, joint, motion, solver, world
from snapshots import same_message

from mbplugin.errors import PhysicsError

# a cart on a rail carries a bob that nothing drives
CART = (
    world(gravity=[0, 0, 0], plane="xy")
    + body("cart", type="planar", mass=1, inertia=1)
    + body("bob", type="planar", mass=2, inertia=0.1, position=[0, -1, 0])
    + joint("rail", "translational", "ground", "cart", axis=[1, 0, 0])
    + joint("pin", "pin", "cart", "bob", at=[0, 0, 0])
)
SOLVERS = [
    {},
    {"integrator": "dop853"},
    {"step": 0.5},
    {"integrator": "rk4", "step": 0.01},
    {"integrator": "rk4", "step": 0.0173},
]
#: m l / (m l² + J): what the bob turns back per speed of the cart
SHARE = 2.0 / 2.1


def driven(keys=None, **function):
    """Text of the cart whose rail follows a function; `keys` of the solver."""
    return CART + motion("rail", **function) + solver(end=1.0, tolerance=1e-10, **(keys or {}))


@pytest.mark.parametrize("keys", SOLVERS, ids=str)
@pytest.mark.parametrize(
    ("function", "at"),
    [
        ({"length_velocity": "if(time - 0.5, 1, 0)"}, 0.5),
        ({"length_velocity": "step(time - 1/3)"}, 1 / 3),
        ({"length_velocity": "if(time >= 0.5, 1, 0)"}, 0.5),
        ({"length_velocity": "0.5 + 0.5*sign(time - 0.5)"}, 0.5),
        ({"length": "max(time - 0.5, 0)"}, 0.5),
        ({"length": "max(0, time - 0.5)"}, 0.5),
        ({"length": "0.5*abs(time - 0.5) + 0.5*(time - 0.5)"}, 0.5),
    ],
)
def test_a_speed_that_jumps_exerts_an_impulse(runs, function, at, keys):
    """About the pin the impulse has no moment: (m l² + J) ω = −m l V; then the bob turns on at that rate, and
    nothing slows it.
    """
    before, soon, after = runs.frames(driven(keys, **function), [0.25, at + 1e-9, 1.0])
    assert before["bodies/velocity"][0] == pytest.approx([0, 0, 0], abs=1e-12)
    assert after["coordinates/value"] == pytest.approx([1 - at, -SHARE * (1 - at)], abs=1e-8)
    assert after["coordinates/speed"] == pytest.approx([1.0, -SHARE], abs=1e-8)
    # ΔT = ½ p V with the impulse p = (3 − 2 · 2/2.1) kg m/s; later the motor works against the bob
    assert float(soon["energy/work"]) == pytest.approx(0.5 * (3 - 2 * SHARE), abs=1e-7)
    assert abs(float(after["energy/balance"])) < 1e-8


def test_a_speed_that_jumps_is_reported(runs):
    prepared = runs.prepare(driven(length_velocity="if(time - 0.5, 1, 0)"))
    integrator = prepared.start(1.0)
    while integrator.advance(1.0, 2.0, 10**6) == "busy":
        pass
    assert [text for _, _, text in integrator.messages()] == [
        "t = 0.5 s: the speed of a motion jumps: an impulse changes the velocities; "
        "its work counts as work input"
    ]


def test_a_frame_at_the_jump_shows_what_was_before_it(runs):
    """`if` is 0 up to 0.5 s and 1 behind it."""
    at, behind = runs.frames(driven(length_velocity="if(time - 0.5, 1, 0)"), [0.5, 0.6])
    assert at["coordinates/speed"] == pytest.approx([0, 0], abs=1e-12) and behind["coordinates/value"][
        0
    ] == pytest.approx(0.1, abs=1e-12)


@pytest.mark.parametrize("keys", [*SOLVERS, {"type": "galpha", "step": 0.04}], ids=str)
@pytest.mark.parametrize("push", ["sign(time - 0.5)", "if(time >= 0.5, 1, -1)", "if(time - 0.5, 1, -1)"])
def test_a_force_that_jumps_costs_no_accuracy(runs, push, keys):
    """v = −t up to 0.5 s, then back: −0.5 m/s and 0; x(1) = −¼. Each method is exact for constant forces."""
    text = NO_GRAVITY + body("b", mass=1, inertia=[1, 1, 1]) + force("b", x=push)
    (end,) = runs.frames(text + solver(end=1.0, tolerance=1e-10, **keys), [1.0])
    assert end["bodies/velocity"][0, 0] == pytest.approx(0.0, abs=1e-13)
    assert end["bodies/position"][0, 0] == pytest.approx(-0.25, abs=1e-13)


@pytest.mark.parametrize("function", ["step(time - 0.5)", "if(time - 0.5, time, 0)", "sign(time - 0.5)"])
def test_a_position_that_jumps_is_refused_when_it_does(runs, function):
    jump = {"step(time - 0.5)": "1", "if(time - 0.5, time, 0)": "0.5", "sign(time - 0.5)": "1"}[function]
    prepared = runs.prepare(driven(length=function))
    integrator = prepared.start(1.0)
    with stopped(PhysicsError, '"rail.length"', f"{jump} m", "haversine_step", time=0.5) as told:
        while integrator.advance(1.0, 2.0, 10**6) == "busy":
            pass
    assert told.value.exit_code == 3
    # what was reached stays, up to the jump
    assert integrator.time == pytest.approx(0.5, abs=1e-12)
    integrator.show(integrator.time)
    assert prepared.recorder.frame()["coordinates/value"][0] == pytest.approx(
        -1 if "sign" in function else 0, abs=1e-12
    )


def block(friction):
    """Text of a block on a rail that starts at 1 m/s; `friction`: its sense, an expression."""
    return (
        NO_GRAVITY
        + body("block", mass=2, inertia=[1, 1, 1])
        + joint("rail", "translational", "ground", "block", axis=[1, 0, 0], start={"length": 0, "speed": 1})
        + force("block", x=f"-3*{friction}")
        + solver(end=1)
    )


def test_a_chattering_switch_is_stopped_and_reported(runs):
    """A block with v = 1 − 1.5 t comes to rest at 2/3 s; sign(v) then has no value that holds it there."""
    integrator = runs.prepare(block("sign(rate(rail.length))")).start(1.0)
    with stopped(PhysicsError, "tanh(rate/slip)", hide=r"t = \S+ s|[\d.e-]+ s\b|\d+ steps") as told:
        while integrator.advance(1.0, 2.0, 10**4) == "busy":
            pass
    assert 2 / 3 - 1e-6 < integrator.time < 2 / 3 + 0.05 and told.value.exit_code == 3
    same_message(integrator.messages()[0][2], hide=r"\d+ steps")


def test_smoothing_as_the_message_proposes_lets_it_run(runs):
    (end,) = runs.frames(block("tanh(rate(rail.length)/1e-3)"), [1.0])
    assert (
        end["bodies/position"][0, 0] == pytest.approx(1 / 3, abs=1e-5)
        and abs(end["bodies/velocity"][0, 0]) < 1e-6
    )
