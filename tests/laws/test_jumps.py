"""Functions of time that jump or have a kink: what follows at once, what takes an impulse, and what is
refused.
"""

from __future__ import annotations

import pytest

from mbplugin.errors import PhysicsError

# a cart on a rail carries a bob that nothing drives
CART = """
[scene]
gravity = [0, 0, 0]
plane = "xy"
[[body]]
name = "cart"
type = "planar"
mass = 1
inertia = 1
[[body]]
name = "bob"
type = "planar"
mass = 2
inertia = 0.1
position = [0, -1, 0]
[[joint]]
name = "rail"
type = "translational"
a = "ground"
b = "cart"
axis = [1, 0, 0]
[[joint]]
name = "pin"
type = "pin"
a = "cart"
b = "bob"
at = [0, 0, 0]
"""
MOTION = '[[motion]]\njoint = "rail"\n{}\n'
SOLVERS = [
    "",
    'integrator = "dop853"\n',
    "step = 0.5\n",
    'integrator = "rk4"\nstep = 0.01\n',
    'integrator = "rk4"\nstep = 0.0173\n',
]
#: m l / (m l² + J): what the bob turns back per speed of the cart
SHARE = 2.0 / 2.1


def solver(more="", end=1.0):
    return f"[solver]\nend = {end}\ntolerance = 1e-10\n{more}"


@pytest.mark.parametrize("more", SOLVERS)
@pytest.mark.parametrize(
    ("motion", "at"),
    [
        ('length_velocity = "if(time - 0.5, 1, 0)"', 0.5),
        ('length_velocity = "step(time - 1/3)"', 1 / 3),
        ('length_velocity = "if(time >= 0.5, 1, 0)"', 0.5),
        ('length_velocity = "0.5 + 0.5*sign(time - 0.5)"', 0.5),
        ('length = "max(time - 0.5, 0)"', 0.5),
        ('length = "max(0, time - 0.5)"', 0.5),
        ('length = "0.5*abs(time - 0.5) + 0.5*(time - 0.5)"', 0.5),
    ],
)
def test_a_speed_that_jumps_moves_what_hangs_on_it_by_an_impulse(runs, motion, at, more):
    """About the pin the impulse has no moment: (m l² + J) ω = −m l V; then the bob turns on at that rate, and
    nothing slows it.
    """
    before, soon, after = runs.frames(CART + MOTION.format(motion) + solver(more), [0.25, at + 1e-9, 1.0])
    assert before["bodies/velocity"][0] == pytest.approx([0, 0, 0], abs=1e-12)
    assert after["coordinates/value"] == pytest.approx([1 - at, -SHARE * (1 - at)], abs=1e-8)
    assert after["coordinates/speed"] == pytest.approx([1.0, -SHARE], abs=1e-8)
    # ΔT = ½ p V with the impulse p = (3 − 2 · 2/2.1) kg m/s; later the motor works against the bob
    assert float(soon["energy/work"]) == pytest.approx(0.5 * (3 - 2 * SHARE), abs=1e-7)
    assert abs(float(after["energy/balance"])) < 1e-8


def test_the_impulse_is_told(runs):
    prepared = runs.prepare(CART + MOTION.format('length_velocity = "if(time - 0.5, 1, 0)"') + solver())
    integrator = prepared.start(1.0)
    while integrator.advance(1.0, 2.0, 10**6) == "busy":
        pass
    assert [text for _, _, text in integrator.messages()] == [
        "t = 0.5 s: the speed of a motion jumps: bodies follow by an impulse, whose work counts"
    ]


def test_a_frame_at_the_jump_shows_what_was_before_it(runs):
    """`if` is 0 up to 0.5 s and 1 behind it."""
    at, behind = runs.frames(
        CART + MOTION.format('length_velocity = "if(time - 0.5, 1, 0)"') + solver(), [0.5, 0.6]
    )
    assert at["coordinates/speed"] == pytest.approx([0, 0], abs=1e-12) and behind["coordinates/value"][
        0
    ] == pytest.approx(0.1, abs=1e-12)


@pytest.mark.parametrize("more", SOLVERS)
@pytest.mark.parametrize("force", ["sign(time - 0.5)", "if(time >= 0.5, 1, -1)", "if(time - 0.5, 1, -1)"])
def test_a_force_that_jumps_costs_no_accuracy(runs, force, more):
    """v = −t up to 0.5 s, then back: −0.5 m/s and 0; x(1) = −¼. Each method is exact for constant forces."""
    body = '[scene]\ngravity = [0, 0, 0]\n[[body]]\nname = "b"\nmass = 1\ninertia = [1, 1, 1]\n[[force]]\ntype = "force"\nbody = "b"\nforce_x = "{}"\n'
    (end,) = runs.frames(body.format(force) + solver(more), [1.0])
    assert end["bodies/velocity"][0, 0] == pytest.approx(0.0, abs=1e-13)
    assert end["bodies/position"][0, 0] == pytest.approx(-0.25, abs=1e-13)


@pytest.mark.parametrize("function", ["step(time - 0.5)", "if(time - 0.5, time, 0)", "sign(time - 0.5)"])
def test_a_position_that_jumps_is_refused_when_it_does(runs, function):
    jump = {"step(time - 0.5)": "1", "if(time - 0.5, time, 0)": "0.5", "sign(time - 0.5)": "1"}[function]
    prepared = runs.prepare(CART + MOTION.format(f'length = "{function}"') + solver())
    integrator = prepared.start(1.0)
    with pytest.raises(PhysicsError) as told:
        while integrator.advance(1.0, 2.0, 10**6) == "busy":
            pass
    assert f't = 0.5 s: the motion of "rail.length" jumps by {jump} m' in str(
        told.value
    ) and "haversine_step" in str(told.value)
    assert told.value.exit_code == 3
    # what was reached stays, up to the jump
    assert integrator.time == pytest.approx(0.5, abs=1e-12)
    integrator.show(integrator.time)
    assert prepared.recorder.frame()["coordinates/value"][0] == pytest.approx(
        -1 if "sign" in function else 0, abs=1e-12
    )


BLOCK = """
[scene]
gravity = [0, 0, 0]
[[body]]
name = "block"
mass = 2
inertia = [1, 1, 1]
[[joint]]
name = "rail"
type = "translational"
a = "ground"
b = "block"
axis = [1, 0, 0]
start = { length = 0, speed = 1 }
[[force]]
type = "force"
body = "block"
force_x = "-3*FRICTION"
[solver]
end = 1
"""


def test_what_switches_to_and_fro_is_stopped_and_told(runs):
    """A block with v = 1 − 1.5 t comes to rest at 2/3 s; sign(v) then has no value that holds it there."""
    integrator = runs.prepare(BLOCK.replace("FRICTION", "sign(rate(rail.length))")).start(1.0)
    with pytest.raises(
        PhysicsError, match=r"steps led only .* s ahead; smooth what jumps, such as tanh\(rate/slip\)"
    ) as told:
        while integrator.advance(1.0, 2.0, 10**4) == "busy":
            pass
    assert 2 / 3 - 1e-6 < integrator.time < 2 / 3 + 0.05 and told.value.exit_code == 3
    assert "an expression of the motion (if, step, sign, abs, min, max) jumps" in integrator.messages()[0][2]


def test_smoothed_as_the_message_says_it_runs(runs):
    (end,) = runs.frames(BLOCK.replace("FRICTION", "tanh(rate(rail.length)/1e-3)"), [1.0])
    assert (
        end["bodies/position"][0, 0] == pytest.approx(1 / 3, abs=1e-5)
        and abs(end["bodies/velocity"][0, 0]) < 1e-6
    )
