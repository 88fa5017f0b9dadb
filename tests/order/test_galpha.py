"""Generalized-α: order 2 in positions, velocities and multipliers, and steps far beyond the fastest mode."""

from __future__ import annotations

import numpy as np
import pytest
from headless import finish
from refusals import refused
from scene_text import NO_GRAVITY, body, joint, motion, solver, spring, state, table, torque, world
from small_systems import pendulum

import mbplugin as mb
from mbplugin.tables.groups import Rates, State

TOP = body(
    "top",
    mass=15.0,
    inertia=[0.234375, 0.46875, 0.234375],
    center_of_mass=[0, 1, 0],
    angular_velocity=[0, 150, -4.61538],
) + joint("tip", "ball", "ground", "top", at=[0, 0, 0])
CORNERS = np.array([[0.0, 0, 0], [0.2, 0, 0.5], [1.1, 0, 0.9], [1.3, 0, 0]])


def four_bar():
    """Four parallel hinges: three of the twenty rows are redundant."""
    bars = ["ground", "crank", "coupler", "rocker", "ground"]
    middle = (CORNERS[:-1] + CORNERS[1:]) / 2
    links = [body(n, mass=1.0, inertia=[0.02, 0.03, 0.02], position=p) for n, p in zip(bars[1:4], middle)]
    start = [{"speed": 2.0}, None, None, None]
    hinges = [
        joint(f"j{k}", "revolute", bars[k], bars[k + 1], at=CORNERS[k], axis=[0, 1, 0], start=start[k])
        for k in range(4)
    ]
    return "".join(links + hinges)


def bushed(stiffness, damping=0.0, **keys):
    """Two links; the second one hangs in a hinge of springs and begins at rest under a torque that grows."""
    springs = {
        "type": "penalty",
        "stiffness": stiffness,
        "angular_stiffness": stiffness,
        "damping": damping,
        "angular_damping": damping,
        **keys,
    }
    return (
        NO_GRAVITY
        + body("a", mass=1.0, inertia=[0.02, 0.03, 0.025], position=[0.5, 0, 0])
        + joint("h", "revolute", "ground", "a", at=[0, 0, 0], axis=[0, 1, 0])
        + body("b", mass=0.7, inertia=[0.01, 0.02, 0.015], position=[1.0, 0, 0.3])
        + joint("g", "revolute", "a", "b", at=[1.0, 0, 0], axis=[0, 1, 0.2], enforce=springs)
        + torque("a", name="drive", y="20*(1 - cos(4*time))")
    )


def end_state(runs, text, end, **keys):
    """q and v in maximal coordinates, reactions and v̇ at the end of a run, and its steps."""
    prepared = runs.prepare(text + solver(end=end, **keys))
    integrator = prepared.start(end)
    finish(integrator, end)
    integrator.show(end)
    problem, frame = prepared.problem, prepared.recorder.frame()
    if prepared.joint is not None:
        prepared.joint.put_back(prepared.stepped, problem)
    # what redundant rows share has no order
    reactions = np.hstack([frame["joints/force"], frame["joints/torque"]]) * (frame["joints/determined"] == 2)
    values = problem[State].q, problem[State].v, reactions, problem[Rates].v_dot
    return [x.copy() for x in values], integrator.statistics["steps"]


@pytest.mark.parametrize(
    ("text", "end", "steps"),
    [
        pytest.param(TOP, 0.2, (200, 400), id="heavy top"),
        pytest.param(four_bar(), 0.5, (100, 200), id="four-bar with redundant rows"),
        pytest.param(bushed(1e3), 0.5, (1000, 2000), id="springs of 1e3"),
        pytest.param(bushed(1e7), 0.5, (250, 500), id="springs of 1e7"),
        pytest.param(bushed(1e9), 0.5, (250, 500), id="springs of 1e9"),
    ],
)
@pytest.mark.parametrize("coordinates", ["maximal", "joint"])
def test_order_two_in_positions_velocities_and_multipliers(runs, text, end, steps, coordinates):
    """Against 8(5,3); for stiff springs, where that takes long, against 40 times as many steps of its own."""
    if "10000000" in text:
        exact, _ = end_state(runs, text, end, type="galpha", step=end / (40 * steps[0]))
    else:
        exact, _ = end_state(runs, text, end, integrator="dop853", tolerance=1e-12)
    how = {"type": "galpha", "coordinates": coordinates}
    found = [end_state(runs, text, end, step=end / n, **how)[0] for n in steps]
    for k in range(3):
        # q and −q are one orientation
        errors = [np.minimum(abs(x[k] - exact[k]), abs(x[k] + exact[k])).max() for x in found]
        assert np.log(errors[0] / errors[1]) / np.log(steps[1] / steps[0]) == pytest.approx(2, abs=0.1)


def test_order_two_in_states_of_the_scene(runs):
    """x' = 3 (sin 2t − x) against x = (9 sin 2t − 6 cos 2t)/13 + (x₀ + 6/13) exp(−3t)."""
    text = body("b", mass=1.0, inertia=[1, 1, 1]) + state("lag", "3*(sin(2*time) - lag)", start=0.5)
    exact = (9.0 * np.sin(2.0) - 6.0 * np.cos(2.0)) / 13.0 + (0.5 + 6.0 / 13.0) * np.exp(-3.0)
    errors = [abs(end_value(runs, text, step=1.0 / n) - exact) for n in (50, 100)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.1)
    assert errors[1] < 1e-4
    # steps of unequal lengths
    assert abs(end_value(runs, text, tolerance=1e-8) - exact) < 1e-5


def end_value(runs, text, **keys):
    """The state of the scene at 1 s."""
    prepared = runs.prepare(text + solver(type="galpha", end=1.0, **keys))
    integrator = prepared.start(1.0)
    finish(integrator, 1.0)
    return prepared.problem[State].aux[2]


PENDULUM = pendulum("p", position=[1, 0, 0])


def beside(stiffness, away=0.0):
    """The pendulum beside a kilogram on a spring, so far from its balance [m]."""
    return (
        PENDULUM
        + body("w", mass=1.0, inertia=[1, 1, 1], position=[3 + away, 0, 0], marker=[{"name": "eye"}])
        + joint("rail", "translational", "ground", "w", at=[3 + away, 0, 0], axis=[1, 0, 0])
        + spring("ground", "w.eye", stiffness=stiffness, length=3.0)
    )


def test_a_spring_of_1e12_leaves_the_pendulum_beside_it_alone(runs):
    exact, _ = end_state(runs, PENDULUM, 2.0, integrator="dop853", tolerance=1e-12)
    (q, _, _, _), steps = end_state(runs, beside(1e12), 2.0, type="galpha", tolerance=1e-8)
    assert steps < 5000  # an explicit method needs a million
    pendulum = q[:7] if abs(q[0]) < 2.0 else q[7:]
    np.testing.assert_allclose(pendulum[:3], exact[0][:3], atol=1e-5)


def test_a_mode_of_1e5_that_is_not_excited_costs_no_steps(runs):
    _, explicit = end_state(runs, beside(1e10, 1e-9), 0.05, integrator="dp5", tolerance=1e-6)
    (_, v, _, _), implicit = end_state(runs, beside(1e10, 1e-9), 0.05, type="galpha", step=1e-3)
    assert implicit == 50 and explicit > 30 * implicit
    assert np.abs(v).max() < 1.0


def test_energy_of_a_stiff_bushing_balances(runs):
    prepared = runs.prepare(bushed(1e7, 1e3) + solver(type="galpha", step=5e-4, end=0.5))
    integrator = prepared.start(0.5)
    finish(integrator, 0.5)
    integrator.show(0.5)
    frame = prepared.recorder.frame()
    assert abs(frame["energy/balance"]) < 1e-4 * abs(frame["energy/work"])


@pytest.mark.parametrize("keys", [{"step": 1e-3}, {"tolerance": 1e-6}], ids=["fixed", "adaptive"])
def test_accelerations_in_expressions_are_those_of_the_step(runs, keys):
    """A torque of −3 α on a wheel of 2 kg·m² under 10 N·m: α = 10 / (2 + 3)."""
    text = (
        NO_GRAVITY
        + body("wheel", mass=1.0, inertia=[1, 2, 1])
        + joint("axle", "revolute", "ground", "wheel", at=[0, 0, 0], axis=[0, 1, 0])
        + torque("wheel", name="motor", y="10 - 3*acceleration(axle.angle)")
    )
    (_, v, _, v_dot), _ = end_state(runs, text, 0.5, type="galpha", **keys)
    assert v[4] == pytest.approx(1.0, rel=1e-9) and v_dot[4] == pytest.approx(2.0, rel=1e-9)


def test_loads_that_are_iterated_are_refused_by_name(runs):
    with refused("solver.type", "galpha"):
        runs.prepare(bushed(1e5, augment=True) + solver(type="galpha", step=1e-3, end=0.1)).start(0.1)


def error_of_work(step, frames, radius):
    """x = 0.1 sin(2πt + 0.3) of 2 kg: largest error [J] of W = m (ẋ² − ẋ₀²)/2."""
    text = (
        NO_GRAVITY
        + body("b", mass=2.0, inertia=[1.0, 1.0, 1.0])
        + joint("rail", "translational", "ground", "b", at=[0, 0, 0], axis=[1, 0, 0])
        + motion("rail", length="0.1*sin(2*pi*time + 0.3)")
        + table("output", frames=frames)
    )
    keys = {"type": "galpha", "step": step, "spectral_radius": radius}
    result = mb.System.from_text(text + solver(end=1.3, **keys)).run(files=False)
    rates = 0.2 * np.pi * np.cos(2 * np.pi * result.time + 0.3)
    return np.abs(result.energy.work - (rates**2 - rates[0] ** 2)).max()


@pytest.mark.parametrize("radius", [0.0, 0.8])
def test_the_work_of_a_motion_is_the_kinetic_energy_that_it_gives(radius):
    """To order 2, also at frames that stand 1e-17 s behind the end of a step."""
    assert error_of_work(1e-3, 130, radius) < 1e-5
    ratio = error_of_work(1e-3, 13, radius) / error_of_work(5e-4, 13, radius)
    assert 3.7 < ratio < 4.5


def test_order_two_behind_a_speed_that_jumps(runs):
    """A bob under gravity hangs on a cart whose speed jumps: its angle and rate after that, against rk."""
    text = world(gravity=[0, -5, 0], plane="xy") + body("cart", type="planar", mass=1, inertia=1)
    text += body("bob", type="planar", mass=2, inertia=0.1, position=[0, -1, 0])
    text += joint("rail", "translational", "ground", "cart", axis=[1, 0, 0])
    text += joint("pin", "pin", "cart", "bob", at=[0, 0, 0])
    text += motion("rail", length_velocity="if(time - 0.5, 1, 0)")

    def at_end(**keys):
        (frame,) = runs.frames(text + solver(**keys, end=1.0), [1.0])
        return np.array([frame[f"coordinates/{name}"][1] for name in ("value", "speed")])

    exact = at_end(tolerance=1e-12)
    coarse, fine = (np.abs(at_end(type="galpha", step=step) - exact) for step in (0.02, 0.01))
    np.testing.assert_allclose(coarse / fine, 4.0, rtol=0.1)


def driven_slider(**keys) -> mb.Result:
    """0.2 kg on a rail along z with a spring of 100 N/m, all of whose motion is prescribed."""
    text = world(gravity=[0, 0, -9.81]) + body("b", mass=0.2, inertia=[0.01, 0.01, 0.01])
    text += joint("j", "translational", "ground", "b", axis=[0, 0, 1], stiffness=100, armature=0.3)
    text += motion("j", length="0.4*(1 - cos(6*time))")
    text += solver(type="galpha", end=0.5, **keys) + table("output", frames=10)
    return mb.System.from_text(text).run(files=False)


def energy_of_driven_slider() -> float:
    """½ (m + J) v² + m g x + ½ k x² at 0.5 s [J]; all of it is 0 at the start."""
    x, v = 0.4 * (1 - np.cos(3)), 2.4 * np.sin(3)
    return 0.5 * 0.5 * v * v + 0.2 * 9.81 * x + 50 * x * x


def test_order_two_in_the_work_of_motions():
    """Nothing is free here: the work is that of the multipliers alone."""
    right = energy_of_driven_slider()
    error = [driven_slider(step=h).energy.work[-1] - right for h in (0.01, 0.005, 0.0025)]
    assert np.abs(error[2]) < 3e-5 * right
    assert np.divide(error[:-1], error[1:]) == pytest.approx(4.0, abs=0.3)


@pytest.mark.parametrize("tolerance", [1e-6, 1e-8])
def test_the_work_of_motions_follows_the_tolerance(tolerance):
    work = driven_slider(tolerance=tolerance).energy.work[-1]
    assert work == pytest.approx(energy_of_driven_slider(), rel=100 * tolerance)


def test_a_rope_whose_tension_grows_from_nothing_costs_no_tiny_steps():
    """A bob falls from the height of the eye: at 1e-8 its steps were as short as the noise of the tension."""
    text = world() + body("bob", type="point", mass=2, position=[1, 0, 0])
    text += table("joint", name="rope", type="rope", markers=["ground", "bob"])
    text += solver(type="galpha", tolerance=1e-8, end=0.5) + table("output", frames=10)
    result = mb.System.from_text(text).run(files=False)
    x, v = result["bob"].position[-1], result["bob"].velocity[-1]
    assert np.linalg.norm(x) == pytest.approx(1.0, abs=1e-12)
    assert 0.5 * v @ v == pytest.approx(-9.81 * x[2], rel=1e-5)
    assert result.summary.steps < 40_000
