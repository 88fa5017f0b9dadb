"""A pseudo-rigid body: free vibrations, static stretch, laws of conservation, and joints on it."""

from __future__ import annotations

import numpy as np
import pytest
from blocks_that_deform import DENSITY, EDGES, LAWS, MASS, SECOND, block, deformation, kinetic, momenta
from headless import finish, show
from mbplugin_bodies.pseudo_rigid import PseudoRigid
from mbplugin_contact.sizes import default_step
from refusals import refused
from scene_text import NO_GRAVITY, body, force, hinge, joint, solver, spring, table, world

import mbplugin as mb
from mbplugin.compile import complete_bodies, complete_shapes
from mbplugin.tables.groups import State
from mbplugin.testing import check_body

SPIN = {"angular_velocity": [3.0, -2.0, 4.0], "velocity": [0.3, -0.1, 0.2], "stretch_rate": [1.0, -2.0, 0.5]}


def state(prepared):
    return prepared.problem[State].q.copy(), prepared.problem[State].v.copy()


def at_end(runs, text, end, **keys):
    """q, v and the frame at the end of a run."""
    prepared = runs.prepare(text + solver(end=end, **keys))
    before = state(prepared)
    finish(prepared.start(end), end)
    return before, state(prepared), prepared.recorder.frame()


@pytest.mark.parametrize("law", LAWS)
def test_the_kit_finds_no_fault(law):
    report = check_body(
        PseudoRigid, {"young": 40.0, "poisson": 0.3, "volume": 0.5, "elasticity": law, "damping": 0.01}
    )
    assert report.ok, f"\n{report}"


def test_a_cube_breathes_at_the_frequency_of_its_closed_form(runs):
    """F = s 1:  ρ V a²/12 s̈ = −3 K V (s − 1), so ω² = 36 K/(ρ a²), K = E/(3 (1 − 2 ν)) the bulk modulus."""
    omega = np.sqrt(36.0 * 1e6 / (3.0 * 0.4) / (DENSITY * 0.1**2))
    assert omega == pytest.approx(1732.0508, rel=1e-7)
    cube = block(edges=[0.1] * 3, young=1e6, stretch_rate=[10.0] * 3)
    prepared = runs.prepare(NO_GRAVITY + cube + solver(tolerance=1e-12, end=0.02))
    integrator = prepared.start(0.02)
    for t in (0.001, 0.0077, 0.02):
        show(integrator, 0.02, t)
        x, F = deformation(prepared.problem[State].q)
        np.testing.assert_allclose(
            F, np.eye(3) * (1 + 10.0 / omega * np.sin(omega * t)), atol=1e-6 * 10.0 / omega
        )
        np.testing.assert_allclose(x, 0.0, atol=1e-14)


def test_its_damping_slows_the_breath_by_half_its_part_of_the_square_of_the_frequency(runs):
    """Small strains: s̈ + β ω² ṡ + ω² s = 0."""
    omega, beta = np.sqrt(36.0 * 1e6 / (3.0 * 0.4) / (DENSITY * 0.1**2)), 2e-4
    decay = beta * omega**2 / 2
    fast, rate, end = np.sqrt(omega**2 - decay**2), 1e-4, 0.005
    cube = block(edges=[0.1] * 3, young=1e6, damping=beta, stretch_rate=[rate] * 3)
    _, (q, _v), frame = at_end(runs, NO_GRAVITY + cube, end, tolerance=1e-13)
    s = rate / fast * np.exp(-decay * end) * np.sin(fast * end)
    np.testing.assert_allclose(deformation(q)[1] - np.eye(3), np.eye(3) * s, atol=1e-5 * rate / omega)
    assert float(frame["energy/dissipated"]) > 0.7 * 0.5 * 3 * 0.1**5 / 12 * DENSITY * rate**2


def test_rates_of_stretch_of_a_turned_body_are_along_its_own_axes(runs):
    """Its corners part along its edges: no angular momentum, and ½ Σ E_j d_j² of kinetic energy."""
    turned = {"axis": [1, 2, 3], "angle_deg": 50}
    prepared = runs.prepare(
        NO_GRAVITY + block(orientation=turned, stretch_rate=[1.0, -2.0, 0.5]) + solver(end=1)
    )
    q, v = state(prepared)
    for one in momenta(q, v):
        np.testing.assert_allclose(one, 0.0, atol=1e-15)
    assert kinetic(v) == pytest.approx(0.5 * SECOND @ [1.0, 4.0, 0.25], rel=1e-13)


@pytest.mark.parametrize("law", LAWS)
def test_its_damping_takes_the_energy_of_vibrations_and_keeps_the_momenta(runs, law):
    """What is left turns as a rigid body of the same angular momentum, about one axis: no strain rate."""
    spin = {
        "angular_velocity": [0.0, 0.0, 4.0],
        "velocity": [0.3, -0.1, 0.2],
        "stretch_rate": [1.0, -2.0, 0.5],
    }
    text = NO_GRAVITY + block(elasticity=law, young=2e4, damping=2e-2, **spin)
    before, after, frame = at_end(runs, text, 1.0, tolerance=1e-10)
    (p0, L0), (p1, L1) = momenta(*before), momenta(*after)
    np.testing.assert_allclose(p1, p0, atol=1e-13)
    np.testing.assert_allclose(L1, L0, atol=1e-7 * np.abs(L0).max())
    dissipated = float(frame["energy/dissipated"])
    assert dissipated > 0.05 * kinetic(before[1]) and abs(float(frame["energy/balance"])) < 1e-7 * dissipated
    (_, F), (_, F_dot) = deformation(after[0]), deformation(after[1])
    assert np.abs(F.T @ F_dot + F_dot.T @ F).max() < 1e-6 and np.abs(F_dot).max() > 2.0


def test_the_sides_of_a_block_shear_at_the_frequency_of_its_closed_form(runs):
    """A traceless stretch of a cube, F = 1 + s diag(1, −1, 0):  ρ V a²/12 s̈ = −2 μ V s."""
    omega = np.sqrt(24.0 * 1e6 / (2 * 1.3) / (DENSITY * 0.1**2))
    cube = block(edges=[0.1] * 3, young=1e6, stretch_rate=[10.0, -10.0, 0.0])
    _, (q, _v), _ = at_end(runs, NO_GRAVITY + cube, 0.02, tolerance=1e-12)
    s = 10.0 / omega * np.sin(omega * 0.02)
    np.testing.assert_allclose(deformation(q)[1], np.diag([1 + s, 1 - s, 1]), atol=1e-8)


@pytest.mark.parametrize("law", LAWS)
def test_momenta_and_energy_of_a_free_block_stay(runs, law):
    """It spins and vibrates; angular momentum to the tolerance of the run."""
    text = NO_GRAVITY + block(elasticity=law, young=2e4, position=[0.2, 0.1, -0.3], **SPIN)
    before, after, frame = at_end(runs, text, 0.5, tolerance=1e-11)
    (p0, L0), (p1, L1) = momenta(*before), momenta(*after)
    np.testing.assert_allclose(p1, p0, atol=1e-13)
    np.testing.assert_allclose(L1, L0, atol=1e-8 * np.abs(L0).max())
    assert float(frame["energy/kinetic"]) == pytest.approx(kinetic(after[1]), rel=1e-12)
    assert abs(float(frame["energy/balance"])) < 1e-8 * kinetic(before[1])
    F = deformation(after[0])[1]
    assert np.abs(F.T @ F - np.eye(3)).max() > 1e-3
    assert abs(kinetic(after[1]) / kinetic(before[1]) - 1) > 1e-3


def test_its_angular_momentum_errs_with_the_order_of_the_method(runs):
    text = NO_GRAVITY + block(young=2e4, **SPIN)
    errors = []
    for step in (1e-3, 5e-4, 2.5e-4):
        before, after, _ = at_end(runs, text, 0.2, integrator="rk4", step=step)
        errors.append(np.abs(momenta(*after)[1] - momenta(*before)[1]).max())
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert (orders > 3.9).all(), orders


def test_a_stiff_block_turns_as_the_rigid_one(runs):
    """Torque-free rotation: the difference falls as 1/E."""
    w = {"angular_velocity": [3.0, -2.0, 4.0]}
    differences = []
    rigid = body("block", density=DENSITY, shape=[{"type": "box", "size": list(EDGES)}], **w)
    _, _, truth = at_end(runs, NO_GRAVITY + rigid, 0.3, tolerance=1e-10)
    for young in (1e6, 8e6):
        _, _, frame = at_end(runs, NO_GRAVITY + block(young=young, **w), 0.3, tolerance=1e-10)
        one, other = frame["bodies/orientation"][0], truth["bodies/orientation"][0]
        differences.append(1 - abs(float(np.dot(one, other))))
    # 1 − |p·q| is half the square of the half angle between them
    angles = 2 * np.sqrt(2 * np.maximum(differences, 0.0))
    assert angles[0] < 1e-3 and angles[1] < angles[0] / 4


def test_a_stiff_pendulum_swings_as_the_rigid_one(runs):
    """A hinge at a point of the material off its axes; the difference falls as 1/E."""
    keys = {"position": [0.2, 0.0, -0.05], "orientation": {"axis": [0, 1, 0], "angle": 0.4}}
    at = {"at": [0.15, 0.03, 0.02], "axis": [0, 1, 0]}
    rigid = body("block", density=DENSITY, shape=[{"type": "box", "size": list(EDGES)}], **keys)
    _, _, truth = at_end(runs, rigid + hinge("pin", "ground", "block", **at), 0.4, tolerance=1e-9)
    moved = np.linalg.norm(truth["bodies/position"][0] - keys["position"])
    differences = []
    for young in (1e6, 8e6):
        text = block(young=young, **keys) + hinge("pin", "ground", "block", **at)
        _, _, frame = at_end(runs, text, 0.4, tolerance=1e-9)
        differences.append(np.abs(frame["bodies/position"][0] - truth["bodies/position"][0]).max())
        assert abs(float(frame["energy/balance"])) < 1e-6
    assert moved > 0.05 and differences[0] < 5e-3 and differences[1] < differences[0] / 4


ENDS = [{"name": "left", "position": [-0.05, 0, 0]}, {"name": "right", "position": [0.05, 0, 0]}]


def static(text):
    return mb.System.from_text(text).analyze("static")


def test_opposite_forces_stretch_it_by_their_stress_over_youngs_modulus():
    """Homogeneous uniaxial stress f/A:  1 + f/(E A) along, 1 − ν f/(E A) across, of the law `linear`."""
    f, area = 40.0, EDGES[1] * EDGES[2]
    keys = {"young": 1e5, "poisson": 0.3, "marker": ENDS}
    text = NO_GRAVITY + block(**keys) + joint("hold", "fixed", "ground", "block")
    text += force("block.right", x=f) + force("block.left", x=-f)
    F = deformation(static(text).states.q[0])[1]
    e = f / (1e5 * area)
    np.testing.assert_allclose(F, np.diag([1 + e, 1 - 0.3 * e, 1 - 0.3 * e]), atol=1e-12)


def test_a_block_between_two_springs_stretches_by_the_mean_of_their_forces():
    """Upper spring T₁, lower T₂:  T₁ − T₂ = m g,  ½ a (T₁ + T₂) = V E (s − 1), a the length between them."""
    a, k, young = EDGES[2], 800.0, 3e4
    ends = [{"name": "top", "position": [0, 0, a / 2]}, {"name": "bottom", "position": [0, 0, -a / 2]}]
    frame = [{"name": "ceiling", "position": [0, 0, 1.0]}, {"name": "floor", "position": [0, 0, -1.0]}]
    text = world(gravity=[0, 0, -9.81], marker=frame) + block(young=young, marker=ends)
    text += joint("guide", "translational", "ground", "block", axis=[0, 0, 1])
    text += spring("ground.ceiling", "block.top", stiffness=k, length=0.7)
    text += spring("ground.floor", "block.bottom", stiffness=k, length=0.7)
    x, F = deformation(static(text).states.q[0])
    upper, lower = k * (1.0 - x[2] - F[2, 2] * a / 2 - 0.7), k * (x[2] - F[2, 2] * a / 2 + 1.0 - 0.7)
    assert upper - lower == pytest.approx(MASS * 9.81, rel=1e-10)
    strain = (upper + lower) / 2 / (young * EDGES[0] * EDGES[1])
    assert F[2, 2] - 1 == pytest.approx(strain, rel=1e-9) and strain > 0.05
    assert F[0, 0] - 1 == pytest.approx(-0.3 * strain, rel=1e-9)


def test_galpha_and_rk_agree(runs):
    """An implicit method, whose matrix has the tangents by differences."""
    text = block(young=2e4, **SPIN) + hinge("pin", "ground", "block", at=[0.05, 0.1, 0.15], axis=[0, 1, 0.2])
    ends = []
    for keys in ({"tolerance": 1e-10}, {"type": "galpha", "tolerance": 1e-7}):
        ends.append(at_end(runs, text, 0.1, **keys)[1][0])
    np.testing.assert_allclose(ends[0], ends[1], atol=2e-4)


def test_gravity_does_not_deform_a_block_that_falls(runs):
    _, (q, _v), _ = at_end(runs, block(), 0.3)
    x, F = deformation(q)
    np.testing.assert_allclose(x, [0, 0, -0.5 * 9.81 * 0.09], atol=1e-9)
    np.testing.assert_allclose(F, np.eye(3), atol=1e-13)


def test_a_mode_without_rigid_motion_names_its_body():
    """The lowest mode is that of a pendulum, the others only deform the block, which a weld holds."""
    text = world(gravity=[0, 0, -9.81]) + body("bob", mass=1, inertia=[0.1, 0.1, 0.1], position=[0, 0, -1])
    text += (
        hinge("pin", "ground", "bob", axis=[0, 1, 0]) + block() + joint("weld", "fixed", "ground", "block")
    )
    modes = mb.System.from_text(text + solver(end=1)).analyze("eigen", about="start").modes
    assert [mode.moves for mode in modes[:3]] == ["bob", "block", "block"]


@pytest.mark.parametrize("damping", [0.0, 1e-4])
def test_steps_of_contact_are_below_the_limit_of_its_fastest_vibration(registry, runs, damping):
    """A cube breathes at ω² = 36 K/(ρ a²), which no other of its vibrations exceeds."""
    young, poisson = 1e8, 0.3
    text = world() + table("scene.shape", type="plane") + table("material", name="m", friction=0.3)
    text = text.replace("[scene]", '[scene]\ncollide = true\nmaterial = "m"')
    cube = block(edges=[0.1] * 3, young=young, poisson=poisson, damping=damping, position=[0, 0, 0.055])
    text += cube.replace("[[body]]", '[[body]]\ncollide = true\nmaterial = "m"', 1)
    system = mb.System.from_text(text + solver(type="contact", end=0.05))
    complete_shapes(system, registry)
    complete_bodies(system, registry)
    frequency = np.sqrt(36 * young / (3 * (1 - 2 * poisson)) / DENSITY) / 0.1
    assert system.bodies[0].vibration == pytest.approx((frequency, damping))
    step, reason = default_step(system)
    assert "vibration" in reason and 0.3 < step * frequency * (1 + damping * frequency) < 2.0
    result = system.run(files=False)
    assert np.abs(result.energy.balance).max() < 0.05 * 9.81 * 0.005
    with refused("solver.step", 1e-3, hide=r"above \S+ s"):
        runs.prepare(text + solver(type="contact", end=0.05, step=1e-3))
