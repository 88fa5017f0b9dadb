"""Traction, weight and loads on markers of meshes: resultants, work, and the states that they lead to."""

import numpy as np
import pytest
from loaded_blocks import ELEMENTS, SIZE, Loaded, pressure, text, traction
from mbplugin_flexible.loads.traction import Traction

import mbplugin as mb
from mbplugin.tables.groups import Wrenches
from mbplugin.testing import check_force

#: a bar along x, held such that a stress along x is uniform in it
BAR = """
[scene]
gravity = [0, 0, 0]
[[material]]
name = "rubber"
young = 1e5
poisson = 0.3
density = 1000
stiffness_damping = 0.02
[[body]]
name = "block"
type = "finite_element"
material = "rubber"
mesh = { shape = "box", size = [0.2, 0.1, 0.1], divisions = [2, 1, 1] }
fix = [{ nodes = "x-", axes = "x" }, { nodes = "y-", axes = "y" }, { nodes = "z-", axes = "z" }]
[solver]
type = "rk"
end = 0.5
"""


@pytest.mark.parametrize("elements", ELEMENTS)
def test_it_is_a_force_per_undeformed_area_with_the_moment_of_a_uniform_load(elements):
    """Also on deformed faces; at rest its moment is that of its resultant at the centre of the side."""
    block = Loaded(text(elements, traction("y+", x=30, z="-70*cos(2*time)")))
    t = np.array([30.0, 0.0, -70.0 * np.cos(0.6)])
    area = SIZE[0] * SIZE[2]
    for y in (block.rest, block.deformed()):
        x, f = block.loads(y, t=0.3)
        np.testing.assert_allclose(f.sum(axis=0), area * t, atol=1e-12 * area * 70)
    x, f = block.loads(block.rest, t=0.3)
    side = block.rest[:, 1] > block.rest[:, 1].max() - 1e-9
    middle = block.x0 + block.R0 @ (block.rest[side].min(axis=0) + block.rest[side].max(axis=0)) / 2
    assert np.abs(np.cross(x - middle, f).sum(axis=0)).max() < 1e-13 * area * 70


def test_quadratic_triangles_carry_it_at_the_middles_of_their_edges():
    """∫ N dA of a corner is zero, of a middle a third of the area."""
    block = Loaded(text("tet10", traction("x+", y=1)))
    numbers = Traction.face_numbers(None, block.rest[(face := block.mesh.faces("x+"))[0]], rule_of(block))
    corners = block.rest[face[0, :3]]
    area = 0.5 * np.linalg.norm(np.cross(corners[1] - corners[0], corners[2] - corners[0]))
    np.testing.assert_allclose(numbers["area"], area / 3 * np.repeat([0, 1], 3), atol=1e-15)


def rule_of(block):
    return block.system.body("block").content.faces("x+").rule


def run(scene):
    return mb.System.from_text(scene).run(files=False)


def test_a_bar_comes_to_rest_longer_by_stress_over_modulus():
    """Linear elasticity: the force per undeformed area is E (U − 1). The mass centre moves by half of it."""
    strain = 1e-2
    result = run(BAR + traction("x+", x=strain * 1e5))
    moved = result["block"].center_of_mass[-1] - result["block"].center_of_mass[0]
    np.testing.assert_allclose(moved, 0.5 * strain * np.array([0.2, -0.03, -0.03]), atol=1e-9)


def test_a_bar_under_pressure_comes_to_rest_at_the_stress_of_the_deformed_area():
    """E (s − 1) A = −p A (1 − ν (s − 1))², by the fixed point of s."""
    p, s = 2e3, 1.0
    for _ in range(50):
        s = 1.0 - p * (1.0 - 0.3 * (s - 1.0)) ** 2 / 1e5
    result = run(BAR + pressure("x+", p))
    moved = result["block"].center_of_mass[-1] - result["block"].center_of_mass[0]
    assert moved[0] == pytest.approx(0.1 * (s - 1.0), rel=1e-7)
    area = 0.01 * (1.0 - 0.3 * (s - 1.0)) ** 2
    np.testing.assert_allclose(
        result.force("pressure_1").wrench[-1, :3], [-p * area, 0, 0], atol=1e-6 * p * area
    )


def test_a_free_block_moves_as_its_mass_under_traction_and_the_ledger_closes():
    scene = text(
        forces=traction("x+", z=1000)
        + pressure("x+", "2e4*sin(40*time)")
        + pressure("x-", "2e4*sin(40*time)")
    )
    result = run(scene.replace("neo_hookean", "linear"))
    mass, area = 1000 * SIZE.prod(), SIZE[1] * SIZE[2]
    assert result.energy.work[-1] > 1.0
    assert np.abs(result.energy.balance).max() < 1e-8 * result.energy.work[-1]
    push = result.force("traction_1").wrench[:, :3]
    np.testing.assert_allclose(push, np.broadcast_to([0, 0, 1000 * area], push.shape), rtol=1e-12, atol=1e-9)
    pulse = [result.force(name).wrench[:, :3] for name in ("pressure_1", "pressure_2")]
    times = result.time
    total = sum(pulse) + push
    gained = mass * (result["block"].center_of_mass_velocity[-1] - result["block"].center_of_mass_velocity[0])
    # Simpson's rule over the frames
    assert len(times) % 2 == 1
    weights = np.ones(len(times))
    weights[1:-1:2], weights[2:-1:2] = 4.0, 2.0
    impulse = (weights @ total) * (times[1] - times[0]) / 3.0
    np.testing.assert_allclose(gained, impulse, atol=1e-7 * np.abs(impulse).max())


def test_a_stored_load_has_its_moment_about_the_mass_centre_and_its_power():
    """It acts at the centre of the side. The block starts without turning, so the power is F·v."""
    result = run(text(forces=traction("x+", z=1000), body="velocity = [1, 2, -3]"))
    assert result.force("traction_1").power[0] == pytest.approx(-3 * 1000 * SIZE[1] * SIZE[2], rel=1e-12)
    arm = 0.5 * SIZE[0] * Loaded(text()).R0[:, 0]
    expected = np.cross(arm, [0, 0, 1000 * SIZE[1] * SIZE[2]])
    np.testing.assert_allclose(result.force("traction_1").wrench[0, 3:], expected, atol=1e-12)


def test_a_stored_load_has_what_goes_into_held_nodes():
    """The side has six nodes, of which the ground holds two."""
    body = 'fix = [{ nodes = "x-" }]'
    result = run(text(forces=traction("y+", z=1000), body=body))
    expected = [0, 0, 1000 * SIZE[0] * SIZE[2]]
    np.testing.assert_allclose(result.force("traction_1").wrench[0, :3], expected, atol=1e-10)


def test_faces_of_nodes_that_move_as_one_load_their_rigid_body():
    """A wedge of traction in each direction: force on the mass centre, no moment about it."""
    marker = 'marker = [{ name = "end", nodes = "x+", coupling = "rbe2" }]'
    block = Loaded(text(forces=traction("x+", x=10, y=-20, z=40), body=marker))
    h = block.problem.forces(0.0, block.q, np.zeros(block.problem.nv))
    area = SIZE[1] * SIZE[2]
    np.testing.assert_allclose(h[-6:-3], area * block.R0.T @ [10, -20, 40], atol=1e-10)
    np.testing.assert_allclose(h[-3:], 0.0, atol=1e-10)


def test_weight_is_mass_times_gravity_at_each_node():
    block = Loaded(text().replace("gravity = [0, 0, 0]", "gravity = [1, -2, -9]"))
    h, mass = block.forces(block.rest), block.problem.mass(block.rest.ravel()).diagonal().reshape(-1, 3)
    np.testing.assert_allclose(h, mass * (block.R0.T @ [1, -2, -9]), rtol=1e-11, atol=1e-12)


def test_the_reaction_of_a_joint_is_the_weight_that_hangs_at_it():
    scene = BAR.replace("gravity = [0, 0, 0]", "gravity = [3, 0, 0]").split("fix =")[0]
    marker = 'marker = [{ name = "top", nodes = "x-", coupling = "rbe2" }]\n'
    joint = '[[joint]]\nname = "wall"\ntype = "fixed"\na = "ground"\nb = "block.top"\n'
    result = run(scene + marker + joint + '[solver]\ntype = "rk"\nend = 0.6\n')
    np.testing.assert_allclose(result.joint("wall").force[-1], [-3 * 1000 * 0.002, 0, 0], atol=1e-5)


@pytest.mark.parametrize("deform", [False, True])
def test_a_load_on_a_marker_of_a_set_keeps_its_resultant_moment_and_power(deform):
    """The nodes of the set get forces with this resultant and moment, whose power is that of the marker."""
    force = '[[force]]\ntype = "{}"\nbody = "block.end"\n'
    forces = force.format("force") + "force_x = 3\nforce_y = -4\nforce_z = 5\n"
    forces += force.format("torque") + "torque_x = 0.2\ntorque_z = 0.7\n"
    body = 'marker = [{ name = "end", nodes = "y+", position = [0.3, 0.5, -0.1] }]'
    block, bare = Loaded(text(forces=forces, body=body)), Loaded(text(body=body))
    y = block.deformed(2) if deform else block.rest
    v = np.random.default_rng(4).normal(size=y.shape)
    f = (block.forces(y) - bare.forces(y)) @ block.R0.T
    x, _ = block.loads(y, v=v)
    np.testing.assert_allclose(f.sum(axis=0), [3, -4, 5], atol=1e-10)
    arms = block.x0 + y @ block.R0.T - x[0]
    np.testing.assert_allclose(np.cross(arms, f).sum(axis=0), [0.2, 0, 0.7], atol=1e-10)
    loaded = np.abs(f).max(axis=1) > 1e-9
    assert loaded.sum() == (block.rest[:, 1] > block.rest[:, 1].max() - 1e-9).sum()
    power = np.sum(f * (v @ block.R0.T))
    assert block.problem[Wrenches].power.sum() == pytest.approx(power, rel=1e-9)


def test_the_kit():
    report = check_force(Traction)
    assert report.ok, f"\n{report}"
