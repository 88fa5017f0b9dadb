"""Inputs: numbers from outside, held between samples, that programs set and tables play."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import ANY, message_with, refused, warned
from scene_text import NO_GRAVITY, body, force, joint, motion, solver, state, table, torque, variable, world
from scipy.linalg import expm

import mbplugin as mb
from mbplugin.errors import SceneError

MASS, DAMPING = 2.0, 0.7
RAIL = joint("rail", "translational", "ground", "cart", axis=[1, 0, 0])
CART = NO_GRAVITY + body("cart", mass=MASS, inertia=[1, 1, 1]) + RAIL
PUSHED = force("cart", x="u")
SOLVER = solver(tolerance=1e-12, end=2.0)


def u(**keys) -> str:
    return table("input", name="u", **keys)


def system(*parts: str) -> mb.System:
    return mb.System.from_text("".join(parts))


def held(times, values, t, start=0.0):
    """Position and speed of the cart at `t` (n,), at rest at 0, under a force that is held: by parabolas."""
    x = v = np.zeros_like(t)
    edges = [0.0, *times, np.inf]
    for a, b, F in zip(edges, edges[1:], [start, *values]):
        in_it = np.clip(t, a, b) - a
        x = x + v * in_it + 0.5 * F / MASS * in_it**2
        v = v + F / MASS * in_it
    return x, v


class Pid:
    """u = P e + I Σ e T + D (e − e before)/T with e = 1 − x at sample times."""

    P, I, D, T = 20.0, 4.0, 11.0, 0.02

    def __init__(self):
        self.sum, self.before = 0.0, None
        self.seen = []

    def command(self, x):
        e = 1.0 - x
        self.sum += e * self.T
        slope = 0.0 if self.before is None else (e - self.before) / self.T
        self.before = e
        return self.P * e + self.I * self.sum + self.D * slope

    def __call__(self, simulation):
        x = simulation.coordinate("rail.length").value
        self.seen.append((simulation.time, x))
        simulation.inputs["u"] = self.command(x)


def test_a_sampled_controller_gives_the_exact_sampled_motion():
    """m ẍ = u − c ẋ between samples: the zero-order hold by a matrix exponential, the same controller."""
    simulation = system(
        CART, u(unit="N"), force("cart", x=f"u - {DAMPING}*rate(rail.length)"), SOLVER
    ).simulate()
    ours, exact = Pid(), Pid()
    simulation.run(2.0, control=ours, every=Pid.T)
    A = np.array([[0, 1, 0], [0, -DAMPING / MASS, 1 / MASS], [0, 0, 0]])
    hold = expm(A * Pid.T)
    y, seen = np.zeros(2), []
    for k in range(100):
        seen.append((k / 50, y[0]))
        y = (hold @ [*y, exact.command(y[0])])[:2]
    assert [t for t, _ in ours.seen] == [t for t, _ in seen]
    np.testing.assert_allclose(ours.seen, seen, rtol=0, atol=1e-9)
    end = simulation.coordinate("rail.length")
    np.testing.assert_allclose([end.value, end.speed], y, rtol=0, atol=1e-9)
    assert abs(end.value - 1.0) < 0.2  # the loop is closed


def test_the_first_line_of_a_file_with_a_byte_order_mark_acts(tmp_path):
    """Momentum of a held force: 10 N for 0.5 s and 20 N for 0.4 s on 2 kg are 6.5 m/s at 0.9 s."""
    (tmp_path / "u.csv").write_text("0,10\n0.5,20\n1,40\n", encoding="utf-8-sig")
    text = CART + u(file="u.csv") + PUSHED + solver(end=0.9)
    result = mb.System.from_text(text, folder=tmp_path).run(files=False)
    assert result["cart"].velocity[-1, 0] == pytest.approx(13.0 / MASS, abs=1e-9)


TIMES, VALUES = [0.25, 0.7, 0.75, 1.5], [3.0, -1.0, 0.0, 4.0]
SOLVERS = {
    "dp5": {"tolerance": 1e-9},
    "rk4": {"integrator": "rk4", "step": 0.013},
    "galpha": {"type": "galpha", "step": 0.011},
    "contact": {"type": "contact", "step": 0.01},
}


@pytest.mark.parametrize("keys", SOLVERS.values(), ids=SOLVERS)
def test_a_table_is_held_between_its_times_whatever_the_solver(keys):
    run = system(CART, u(start=0.5), PUSHED, solver(**{"end": 2.0, **keys})).run
    result = run(files=False, inputs={"u": (TIMES, VALUES)})
    x, v = held(TIMES, VALUES, result.time, 0.5)
    first = keys.get("type") == "contact"  # of first order: positions are off by the steps times the speed
    np.testing.assert_allclose(result["cart"].position[:, 0], x, rtol=0, atol=1e-2 if first else 1e-7)
    np.testing.assert_allclose(result["cart"].velocity[:, 0], v, rtol=0, atol=1e-7)
    expected = np.array([0.5, *VALUES])[np.searchsorted(TIMES, result.time, side="right")]
    assert result.input("u").tolist() == expected.tolist()
    if not first:  # accelerations belong to the input of their frame
        np.testing.assert_allclose(result["cart"].acceleration[:, 0], expected / MASS, rtol=0, atol=1e-9)


def test_files_rows_tuples_functions_and_control_give_the_same_bits(tmp_path):
    times = [0.0, 0.1, 0.2, 0.3, 0.4]
    values = [t * t for t in times]
    rows = np.array([times, values]).T
    np.savetxt(tmp_path / "u.csv", rows, delimiter=",", fmt="%.17g", header="t [s], u [N]")
    short = solver(tolerance=1e-9, end=0.45)
    plain = system(CART, u(), PUSHED, short)
    scene = lambda **keys: mb.System.from_text(CART + u(**keys) + PUSHED + short, folder=tmp_path)
    results = [
        plain.run(files=False, inputs={"u": rows}),
        plain.run(files=False, inputs={"u": rows.tolist()}),
        plain.run(files=False, inputs={"u": (times, values)}),
        plain.run(files=False, inputs={"u": tmp_path / "u.csv"}),
        plain.run(files=False, inputs={"u": lambda t: t * t}, every=0.1),
        scene(file="u.csv").run(files=False),
        scene(time=times, value=values).run(files=False),
    ]
    assert len({result["cart"].position.tobytes() for result in results}) == 1
    assert len({result.input("u").tobytes() for result in results}) == 1
    simulation = plain.simulate()

    def control(simulation):
        simulation.inputs["u"] = simulation.time * simulation.time

    simulation.run(0.45, control, 0.1)
    assert simulation["cart"].position.tobytes() == results[0]["cart"].position[-1].tobytes()


def test_a_compiled_problem_plays_inputs_with_the_bits_of_a_system_and_stays_as_it_is():
    plain = system(CART, u(start=0.5), PUSHED, SOLVER)
    problem = plain.compile()
    alone = problem.run()
    wave = lambda t: 2.0 * t
    for inputs, more in (({"u": [[0.3, 2.0], [1.0, -1.0]]}, {}), ({"u": wave}, {"every": 0.1})):
        played = problem.run(1.5, inputs=inputs, **more)
        expected = plain.run(files=False, end=1.5, inputs=inputs, **more)
        for key in ("bodies/position", "inputs/value"):
            assert played.raw[key].tobytes() == expected.raw[key].tobytes()
    assert problem.run().raw["bodies/position"].tobytes() == alone.raw["bodies/position"].tobytes()
    heavy = problem.copy()
    heavy.set_parameter("body.cart.mass", 2 * MASS)
    # from rest under a constant force: half of the way for twice the mass
    ways = [p.run(inputs={"u": 3.0})["cart"].position[-1, 0] for p in (problem, heavy)]
    assert ways[0] == pytest.approx(2 * ways[1], rel=1e-9)


def test_what_a_compiled_problem_cannot_play_is_refused_by_its_own_name():
    problem = system(CART, u(), PUSHED, SOLVER).compile()
    refuse("Problem.run: inputs", "w", lambda: problem.run(inputs={"w": 1.0}))
    refuse("Problem.run: every", 0.1, lambda: problem.run(every=0.1))
    refuse('Problem.run: inputs["u"]', ANY, lambda: problem.run(inputs={"u": abs}))
    refuse("Problem.run: every", -1, lambda: problem.run(inputs={"u": abs}, every=-1))


def test_a_stopped_and_continued_control_loop_gives_the_same_bits():
    """State and inputs are in what `save` returns; samples lie at multiples of the interval."""
    text = (CART, u(), force("cart", x="u - 3*rail.length*abs(rail.length)"), SOLVER)

    def control(simulation):
        simulation.inputs["u"] = 1.0 - 2.0 * simulation.coordinate("rail.length").speed

    one, other = system(*text).simulate(), system(*text).simulate()
    one.run(2.0, control, 0.05)
    other.run(0.6, control, 0.05)
    other.run(1.03, control, 0.05)
    saved, kept = other.save(), other.inputs["u"]
    other.run(1.4, control, 0.2)  # goes astray
    other.inputs["u"] = -50.0
    other.load(saved)
    assert (other.time, other.inputs["u"]) == (1.03, kept)
    third = system(*text).simulate()
    third.load(saved)
    for simulation in (other, third):
        simulation.run(2.0, control, 0.05)
        # the steps end at 1.03 besides: equal to the order of the solver, not to the bit
        assert simulation["cart"].position[0] == pytest.approx(one["cart"].position[0], abs=1e-10)
    assert other["cart"].position.tobytes() == third["cart"].position.tobytes()
    fourth = system(*text).simulate()
    for until in (0.6, 0.65, 1.0, 2.0):  # sample times
        fourth.run(until, control, 0.05)
        fresh = system(*text).simulate()
        fresh.load(fourth.save())
        fourth = fresh
    assert fourth["cart"].position.tobytes() == one["cart"].position.tobytes()


class Stop(Exception):
    pass


def test_a_run_with_inputs_is_resumed_with_the_same_bits_and_with_the_same_inputs_only(tmp_path):
    scene = system(CART, u(), force("cart", x="u - 9*rail.length"), SOLVER)
    wave = lambda t: np.sin(5 * t)
    scene.run(tmp_path / "once", inputs={"u": wave}, every=0.03)

    def stopping(t, end):
        if t > 0.6:
            raise KeyboardInterrupt

    from mbplugin.run import loop

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop, "CHECKPOINT", 0.0)
        patch.setattr("mbplugin.run.frame_blocks.FRAMES", 4)
        with pytest.raises(KeyboardInterrupt):
            scene.run(tmp_path / "out", inputs={"u": wave}, every=0.03, progress=stopping)
    assert 0 < mb.load(tmp_path / "out").raw.frames < 400
    for other in ({"u": np.cos}, {"u": 1.0}, None):
        every = 0.03 if other and callable(other["u"]) else None
        with refused("resume", hide=r"t = 0\.\d+ s"):
            scene.run(tmp_path / "out", resume=True, inputs=other, every=every)
    resumed = scene.run(tmp_path / "out", resume=True, inputs={"u": wave}, every=0.03)
    assert resumed.summary.resume_from > 0.3
    once = mb.load(tmp_path / "once")
    for key in once.raw.attributes["frame_arrays"]:
        assert resumed.raw[key].tobytes() == once.raw[key].tobytes(), key


def test_frames_change_nothing():
    scene = lambda frames: system(
        CART, u(), force("cart", x="u - 9*rail.length"), SOLVER, table("output", frames=frames)
    )
    few, many = (
        scene(n).run(files=False, inputs={"u": lambda t: np.sin(5 * t)}, every=0.03) for n in (10, 490)
    )
    np.testing.assert_array_equal(few["cart"].position, many["cart"].position[::49])
    np.testing.assert_array_equal(few.input("u"), many.input("u")[::49])


def test_an_input_is_read_in_forces_variables_states_rates_and_conditions():
    """v̇ = (2u + x + if(u, 1, 0))/m with ẋ = u, u = 1 from t = 0.5."""
    scene = system(
        CART,
        u(time=[0.5], value=[1.0]),
        variable("double", "2*u"),
        state("x", "u"),
        force("cart", x="double + x + if(u - 0.5, 1, 0)"),
        SOLVER,
    )
    result = scene.run(files=False)
    s = np.clip(result.time - 0.5, 0, None)
    np.testing.assert_allclose(result["cart"].velocity[:, 0], (3 * s + s**2 / 2) / MASS, atol=1e-11)


def test_a_step_ends_where_an_expression_of_time_and_an_input_switches():
    """Force 1 after the time that the input says, which is moved on the way."""
    scene = system(CART, u(start=5.0), force("cart", x="step(time - u)"), solver(tolerance=1e-4, end=2.0))
    result = scene.run(files=False, inputs={"u": ([0.5, 1.0, 1.5], [0.7, 1.25, 1.75])})
    assert result["cart"].velocity[-1, 0] == pytest.approx((0.3 + 0.25 + 0.25) / MASS, abs=1e-13)


def test_velocities_and_accelerations_of_motions_follow_an_input():
    """A speed jumps by an impulse, whose work is ΔT; an acceleration jumps freely."""
    drive = lambda **keys: system(CART, u(time=TIMES, value=VALUES), motion("rail", **keys), SOLVER)
    result = drive(length_velocity="u").run(files=False)
    expected = np.array([0.0, *VALUES])[np.searchsorted(TIMES, result.time, side="right")]
    np.testing.assert_allclose(result["cart"].velocity[:, 0], expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(result.energy.work, 0.5 * MASS * expected**2, rtol=0, atol=1e-12)
    result = drive(length_acceleration="u/2").run(files=False)
    x, _ = held(TIMES, VALUES, result.time)
    np.testing.assert_allclose(result["cart"].position[:, 0], x, rtol=0, atol=1e-10)
    np.testing.assert_allclose(result.coordinate("rail.length").drive, expected, rtol=0, atol=1e-10)
    assert np.abs(result.energy.balance).max() < 1e-10


def test_a_motion_follows_a_filtered_input_and_jumps_in_speed_only():
    """x follows ẋ = (u − x)/T, a position: its speed jumps with u."""
    scene = system(
        CART, u(time=[0.5], value=[1.0]), state("x", "(u - x)/0.2"), motion("rail", length="x"), SOLVER
    )
    result = scene.run(files=False)
    s = np.clip(result.time - 0.5, 0, None) / 0.2
    after = result.time >= 0.5
    np.testing.assert_allclose(result["cart"].position[:, 0], after * (1 - np.exp(-s)), rtol=0, atol=1e-10)
    np.testing.assert_allclose(result["cart"].velocity[:, 0], after * np.exp(-s) / 0.2, rtol=0, atol=1e-9)
    assert np.abs(result.energy.balance).max() < 1e-8


BLOCK = (
    table("material", name="wood", friction=0.5)
    + world(shape=[{"type": "plane"}], collide=True, material="wood")
    + body(
        "cart",
        mass=2.0,
        inertia=[0.033, 0.033, 0.053],
        material="wood",
        collide=True,
        position=[0, 0, 0.1],
        shape=[{"type": "box", "size": [0.4, 0.4, 0.2]}],
    )
)


def test_friction_holds_a_block_until_the_input_exceeds_it():
    """μ m g = 9.81 N: 9 N hold; 14 N accelerate by 4.19/2 m/s²."""
    scene = system(BLOCK, u(), PUSHED, solver(type="contact", step=0.002, end=1.0))
    result = scene.run(files=False, inputs={"u": ([0.2, 0.5], [9.0, 14.0])})
    before = result.time <= 0.5
    assert np.abs(result["cart"].velocity[before, 0]).max() < 1e-9
    expected = (14.0 - 9.81) / 2.0 * (result.time[~before] - 0.5)
    np.testing.assert_allclose(result["cart"].velocity[~before, 0], expected, rtol=0, atol=1e-6)
    assert set(result.input("u")[~before]) == {14.0} and set(result.input("u")[before]) == {0.0, 9.0, 14.0}


SPRUNG = force("cart", x="u - 9*rail.length")
LOOPS = {
    "contact": (BLOCK, PUSHED, solver(type="contact", step=0.003, end=0.5)),
    "galpha": (CART, SPRUNG, solver(type="galpha", step=0.007, end=0.5)),
    "rk4": (CART, SPRUNG, solver(integrator="rk4", step=0.007, end=0.5)),
    "redundant": (CART, RAIL.replace("rail", "again"), SPRUNG, solver(end=0.5)),
    "implicit": (CART, force("cart", x="u - 0.5*acceleration(rail.length)"), solver(end=0.5)),
    "penalty": (CART.replace('"rail"\n', '"rail"\nenforce = "penalty"\n'), SPRUNG, solver(end=0.5)),
}


@pytest.mark.parametrize("parts", LOOPS.values(), ids=LOOPS)
def test_a_loop_in_python_that_also_looks_has_the_bits_of_a_table(parts):
    scene, wave = system(*parts, u()), lambda t: 12 * np.sin(9 * t)
    result = scene.run(files=False, inputs={"u": wave}, every=0.02)
    np.testing.assert_allclose(
        result.input("u"), wave(0.02 * np.floor(result.time / 0.02 + 1e-9)), atol=1e-13
    )
    simulation = scene.simulate()

    def control(simulation):
        simulation.inputs["u"] = wave(simulation.time)
        assert np.isfinite(simulation["cart"].acceleration).all()

    simulation.run(0.5, control, 0.02)
    assert simulation["cart"].position.tobytes() == result["cart"].position[-1].tobytes()
    assert np.ptp(result["cart"].position[:, 0]) > 1e-3


def test_analyses_take_inputs_at_their_start():
    """k (x − 0.5) = u in the equilibrium; a drive moves at the speed u."""
    at_one = CART.replace("inertia", "position = [1, 0, 0]\ninertia")
    spring = table("force", type="spring_damper", a="ground", b="cart", stiffness=4.0, length=0.5)
    report = system(at_one, u(start=3.0), PUSHED, spring, SOLVER).analyze("static")
    assert report.position[0, 0] == pytest.approx(1.25, abs=1e-10)
    played = u(time=[0.0, 0.1], value=[3.0, 5.0])
    report = system(CART, played, motion("rail", length_velocity="u"), SOLVER).analyze("velocity")
    assert report.velocity[0, 0] == pytest.approx(3.0, abs=1e-12)


def test_a_jump_compiles_nothing_and_a_start_is_a_parameter(monkeypatch):
    problem = system(CART, u(start=1.0), PUSHED, SOLVER).compile()
    problem.set_parameter("input.u.start", 3.0)
    simulation = problem.simulate()
    monkeypatch.setattr("mbplugin.codegen.units.Unit.make", None)
    assert simulation.inputs["u"] == 3.0
    simulation.run(1.0)
    simulation.inputs["u"] = -3.0
    simulation.run(2.0)
    assert simulation["cart"].velocity[0] == pytest.approx(0.0, abs=1e-13)
    assert simulation["cart"].position[0] == pytest.approx(3.0 / MASS, abs=1e-12)


def test_inputs_of_a_simulation_are_a_mapping_that_says_what_it_holds():
    simulation = system(
        CART, u(unit="N"), table("input", name="gain", start=2.0), force("cart", x="gain*u")
    ).simulate()
    inputs = simulation.inputs
    assert ("u" in inputs, "w" in inputs, list(inputs), len(inputs)) == (True, False, ["u", "gain"], 2)
    assert repr(inputs) == "Inputs(u = 0 N, gain = 2)"
    assert "inputs" in dir(simulation)
    assert simulation["cart"].acceleration[0] == 0.0
    inputs["u"] = np.float64(3.0)
    assert (inputs["u"], dict(inputs)) == (3.0, {"u": 3.0, "gain": 2.0})
    # what is shown follows at once
    assert simulation["cart"].acceleration[0] == pytest.approx(6.0 / MASS)
    inputs.update(u=1.0, gain=1.0)
    assert dict(inputs) == {"u": 1.0, "gain": 1.0}
    with pytest.raises(SceneError):
        inputs.update(u=7.0, gain="soft")
    assert dict(inputs) == {"u": 1.0, "gain": 1.0}


def refuse(key, value, do):
    with refused(key, value):
        do()


def test_what_cannot_be_an_input_is_refused_with_the_names_there_are():
    scene = system(
        CART, u(), table("input", name="gain", time=[0, 1], value=[1, 2]), force("cart", x="gain*u")
    )
    simulation = scene.simulate()
    set_to = simulation.inputs.__setitem__
    refuse("inputs", "torque", lambda: set_to("torque", 3.0))
    refuse("inputs", "torque", lambda: simulation.inputs["torque"])
    refuse("inputs", "gian", lambda: simulation.inputs["gian"])
    refuse('inputs["gain"]', 3.0, lambda: set_to("gain", 3.0))
    for value in (float("nan"), True, None, [1.0]):
        refuse('inputs["u"]', ANY, lambda value=value: set_to("u", value))
    assert simulation.inputs["u"] == 0.0
    refuse("Simulation.u", ANY, lambda: setattr(simulation, "u", 3))
    refuse("Simulation.torque", ANY, lambda: setattr(simulation, "torque", 3))
    refuse("inputs.u", ANY, lambda: setattr(simulation.inputs, "u", 3))
    played = "System.run: inputs"
    for key, value, inputs, every in (
        (played, "torque", {"torque": 1.0}, None),
        (f'{played}["u"]', ANY, {"u": np.sin}, None),
        ("System.run: every", 0.0, {"u": np.sin}, 0.0),
        ("System.run: every", 0.1, {"u": 1.0}, 0.1),
        (f'{played}["u"]: time', "0, 0", {"u": ([0, 0], [1, 2])}, None),
        (f'{played}["u"]: time', "2 and 1 numbers", {"u": ([0, 1], [1])}, None),
        (f'{played}["u"]', "an array of the shape (2, 3)", {"u": [[0, 1, 2], [1, 2, 3]]}, None),
        (f'{played}["u"](0.5)', ANY, {"u": lambda t: np.nan if t > 0.4 else 1.0}, 0.5),
        (f'{played}["u"]', "missing.csv", {"u": "missing.csv"}, None),
    ):
        with refused(key, value):
            scene.run(files=False, inputs=inputs, every=every)


@pytest.mark.parametrize(
    ("parts", "key"),
    [
        (u(), "input[0].name"),
        (u() + variable("w", "u"), "input[0].name"),
        (u() + motion("rail", length="2*u"), "motion[0].length"),
        (u() + motion("rail", length="u*rail.length"), "motion[0].length"),
        (u() + variable("u", "1"), "variable[0].name"),
        (u(time=[0, 1]), "input[0].value"),
        (u(time=[1, 0], value=[1, 2]), "input[0].time"),
        (u(time=[0], value=[2], start=1), "input[0].start"),
        (u(file="none.csv"), "input[0].file"),
        (u(begin=1), "input[0].begin"),
        (table("input", name="time"), "input[0].name"),
    ],
)
def test_scenes_whose_inputs_have_no_sense_are_refused(parts, key):
    with refused(key):
        system(CART, parts, SOLVER).simulate()


def test_an_input_that_a_changed_force_reads_no_more_is_told_and_cannot_be_set(tmp_path):
    """As where a controller takes the place of the motor of an imported robot."""
    spring = "-9*rail.length"
    (tmp_path / "cart.toml").write_text(
        CART + u() + force("cart", x=f"u + {spring}", name="motor") + solver(tolerance=1e-10, end=1.0)
    )
    with warned("u"):
        changed = mb.System.from_file(tmp_path / "cart.toml", set={"force.motor.force_x": f"6 + {spring}"})
        result = changed.run(files=False)
    message_with(result.messages, "u", level="warning")
    # m ẍ = 6 − 9 x from rest
    t, w = result.time, np.sqrt(9 / MASS)
    np.testing.assert_allclose(result["cart"].position[:, 0], 6 / 9 * (1 - np.cos(w * t)), atol=1e-8)
    problem = mb.System.from_file(tmp_path / "cart.toml").compile()
    with warned("u"):
        problem.set_parameter("force.motor.force_x", f"6 + {spring}")
    assert problem.run()["cart"].position.tobytes() == result["cart"].position.tobytes()
    simulation = problem.simulate()
    refuse('inputs["u"]', 1.0, lambda: simulation.inputs.__setitem__("u", 1.0))
    # a table for it would be played in vain
    refuse("input[0].name", "u", lambda: problem.run(inputs={"u": 1.0}))
    refuse("input[0].name", "u", lambda: changed.run(files=False, inputs={"u": 1.0}))
    problem.set_parameter("force.motor.force_x", f"u + {spring}")
    assert problem.run(inputs={"u": 6.0})["cart"].position[-1, 0] == pytest.approx(
        result["cart"].position[-1, 0], abs=1e-9
    )


def test_a_coupler_whose_target_would_jump_is_refused():
    rails = (
        RAIL
        + body("other", mass=1, inertia=[1, 1, 1])
        + RAIL.replace("rail", "next").replace("cart", "other")
    )
    coupler = table(
        "joint", name="sum", type="coupler", joints=["rail", "next"], factors=[1, 1], target="1 + u"
    )
    text = NO_GRAVITY + body("cart", mass=1, inertia=[1, 1, 1]) + rails + u() + coupler
    refuse("joint[2].target", "1 + u", lambda: system(text).simulate())


def test_a_mass_cannot_depend_on_an_input():
    spring = table("force", type="spring_damper", a="ground", b="cart", stiffness="u")
    refuse("force[0].stiffness", "u", lambda: system(CART, u(), spring).simulate())


@pytest.mark.parametrize(
    "keys, key",
    [
        ({"control": 3, "every": 0.1}, "run: control"),
        ({"control": print}, "run: every"),
        ({"control": print, "every": -1.0}, "run: every"),
        ({"every": 0.1}, "run: control"),
        ({"control": lambda s: s.step(0.1), "every": 0.1}, "step"),
    ],
)
def test_a_control_loop_says_what_it_needs(keys, key):
    simulation = system(CART, u(), PUSHED).simulate()
    refuse(f"Simulation.{key}", ANY, lambda: simulation.run(1.0, **keys))
    simulation.run(0.5)
    refuse("Simulation.run: until", 0.4, lambda: simulation.run(0.4))


def test_an_input_is_stored_plotted_and_listed_with_its_unit(tmp_path):
    scene = system(
        CART, u(unit="N"), PUSHED, torque("cart", x="0*u"), solver(end=1.0), table("output", frames=10)
    )
    result = scene.run(tmp_path / "out", inputs={"u": ([0.35], [2.0])})
    assert result.inputs == {"u": "N"}
    stored = mb.load(tmp_path / "out")
    assert stored.input("u").tolist() == [0.0] * 4 + [2.0] * 7
    (_, column) = stored.columns("u")
    assert (column.heading, column.values.tolist()) == ("u [N]", stored.input("u").tolist())
    assert stored.table("input.u").attrs["units"]["u"] == "N"
    assert [axis.get_ylabel() for axis in stored.plot("u").axes]
    assert "1 inputs" in repr(stored)
    assert known_inputs(stored) == ["u"]
    assert mb.System.from_text(stored.raw.attributes["scene"]).inputs == scene.inputs


def known_inputs(result) -> list[str]:
    return list(result.dataset("inputs").input.values)
