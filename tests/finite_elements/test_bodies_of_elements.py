"""Bodies of finite elements that move: momentum, energy, the motion of rigid bodies where they are stiff,
markers on nodes and sets, joints, supports and damping.
"""

from __future__ import annotations

import numpy as np
import pytest
from bodies_of_elements import block, material
from headless import finish
from mbplugin_flexible.finite_element import FiniteElement
from scene_text import NO_GRAVITY, body, joint, solver, table, world

from mbplugin.analysis.rank.rank import rank
from mbplugin.tables.groups import Bodies, Markers
from mbplugin.testing import check_body

SPIN = {"velocity": [0.3, 0.1, -0.2], "angular_velocity": [4.0, -3.0, 5.0]}
END = {"name": "end", "nodes": "x+"}


def state(prepared):
    return prepared.problem.q.copy(), prepared.problem.v.copy()


def at_end(runs, text, end, **keys):
    """The prepared run, q and v before it, q and v at its end, and the last frame."""
    prepared = runs.prepare(text + solver(end=end, **keys))
    before = state(prepared)
    finish(prepared.start(end), end)
    return prepared, before, state(prepared), prepared.recorder.frame()


def momenta(prepared, q, v):
    """Momentum and angular momentum about the origin of the world, of a body whose nodes are all free."""
    mass = prepared.system.bodies[0].content.data.mass
    x, u = np.reshape(q, (-1, 3)), np.reshape(v, (-1, 3))
    return mass @ u, mass @ np.cross(x, u)


#: by default tetrahedra with ten nodes, whose forces and damping are those of large strains; hexahedra take
#: twelve seconds, most of them to compile, and their forces and tangents are looked at in another file
DEFAULT = (4,)


@pytest.mark.parametrize(
    "number",
    [
        pytest.param(number, marks=() if number in DEFAULT else pytest.mark.slow)
        for number in range(len(FiniteElement.examples))
    ],
)
def test_the_kit_finds_no_fault(number):
    report = check_body(FiniteElement, dict(FiniteElement.examples[number]))
    assert report.ok, f"\n{report}"


@pytest.mark.parametrize("elements", ["hex8", "tet4", "tet10", "hex27"])
def test_momenta_and_energy_of_a_free_body_stay(runs, elements):
    text = NO_GRAVITY + material(young=1e5) + block(divisions=(2, 1, 1), elements=elements, **SPIN)
    prepared, before, after, frame = at_end(runs, text, 0.05, tolerance=1e-10)
    for one, other, accuracy in zip(momenta(prepared, *before), momenta(prepared, *after), (1e-12, 1e-9)):
        np.testing.assert_allclose(other, one, rtol=0, atol=accuracy * np.abs(one).max())
    assert abs(float(frame["energy/balance"])) < 1e-8 * float(frame["energy/kinetic"])
    assert float(frame["energy/potential"]) > 1e-6 * float(frame["energy/kinetic"])


def test_angular_momentum_stays_over_ten_seconds_of_contact_steps(runs):
    """The midpoint step keeps it exactly: momenta change by forces, which have no torque, at the middle."""
    text = NO_GRAVITY + material(young=2e4) + block(divisions=(2, 1, 1), **SPIN)
    prepared, before, after, _ = at_end(runs, text, 10.0, type="contact", step=5e-3)
    for one, other in zip(momenta(prepared, *before), momenta(prepared, *after)):
        np.testing.assert_allclose(other, one, rtol=0, atol=1e-10 * np.abs(one).max())


def test_a_stiff_body_moves_as_a_rigid_one(runs):
    """The strain by its spin is of the order ρ ω² L²/E = 1e-6."""
    flexible = NO_GRAVITY + material(young=1e10, stiffness_damping=1e-6) + block(divisions=(2, 1, 1), **SPIN)
    prepared = runs.prepare(flexible + solver(end=0.02))
    mass = prepared.system.bodies[0].mass_properties()
    rigid = NO_GRAVITY + body("block", mass=mass.mass, inertia=np.array(mass.inertia).tolist(), **SPIN)
    _, _, _, one = at_end(runs, flexible, 0.02, tolerance=1e-8)
    _, _, _, other = at_end(runs, rigid, 0.02, tolerance=1e-10)
    for name in ("bodies/position", "bodies/orientation", "bodies/angular_velocity"):
        np.testing.assert_allclose(one[name], other[name], atol=2e-5)


@pytest.mark.parametrize("coupling", ["rbe2", "rbe3", "rbe3 beside an rbe2"])
def test_a_load_at_a_set_has_its_force_and_torque(runs, coupling):
    """Momentum and angular momentum of all nodes change by the force, and by its moment with the torque."""
    markers = [END | {"coupling": coupling[:4]}]
    if "beside" in coupling:
        # they have the nodes of an edge in common
        markers.append({"name": "side", "nodes": "y+", "coupling": "rbe2"})
    text = NO_GRAVITY + material() + block(marker=markers, orientation={"axis": [1, 2, 3], "angle": 0.6})
    text += table(
        "force", name="push", type="force", body="block.end", force_x=3.0, force_y=-2.0, force_z=5.0
    )
    text += table(
        "force", name="turn", type="torque", body="block.end", torque_x=0.2, torque_y=0.1, torque_z=-0.3
    )
    prepared = runs.prepare(text + solver(end=1.0))
    problem = prepared.problem
    accelerations = np.linalg.solve(problem.mass(problem.q), problem.forces(0.0, problem.q, problem.v))
    data = prepared.system.bodies[0].content.data
    R = prepared.system.bodies[0].axes()
    a = np.empty((len(data.mass), 3))
    free = data.layout.dof >= 0
    a[free] = accelerations[data.layout.dof[free]]
    for group in data.layout.groups:
        arms = data.mesh.points[group.nodes] - group.centre
        turn = group.axes @ accelerations[group.first_v + 3 : group.first_v + 6]
        a[group.nodes] = accelerations[group.first_v : group.first_v + 3] + np.cross(turn, arms)
    F, T = np.array([3.0, -2.0, 5.0]), np.array([0.2, 0.1, -0.3])
    at = R @ data.markers["end"].position
    np.testing.assert_allclose(R @ (data.mass @ a), F, atol=1e-12)
    np.testing.assert_allclose(
        R @ (data.mass @ np.cross(data.mesh.points, a)), T + np.cross(at, F), atol=1e-12
    )


def test_a_revolute_on_a_set_that_moves_as_one_adds_no_redundancy(runs):
    text = world() + material() + block(marker=[{"name": "pin", "nodes": "x-"}])
    text += joint("hinge", "revolute", "ground", "block.pin", axis=[0, 1, 0])
    prepared = runs.prepare(text + solver(end=1.0))
    found = rank(prepared.problem)
    assert (found.rank, found.rows - found.rank, found.dof) == (5, 0, prepared.problem.nv - 5)
    # eight more nodes of 9 move with it: 36 nodes of 3 velocities, and 6
    assert prepared.problem.nv == 36 * 3 + 6


def test_a_stiff_pendulum_swings_as_a_rigid_one(runs):
    flexible = world() + material(young=1e9, stiffness_damping=2e-6)
    flexible += block(divisions=(2, 1, 1), marker=[{"name": "pin", "nodes": "x-"}])
    flexible += joint("hinge", "revolute", "ground", "block.pin", axis=[0, 1, 0])
    prepared, _, _, one = at_end(runs, flexible, 0.1, tolerance=1e-8)
    mass = prepared.system.bodies[0].mass_properties()
    marker = [{"name": "pin", "position": [-0.2, 0.0, 0.0]}]
    rigid = world() + body("block", mass=mass.mass, inertia=np.array(mass.inertia).tolist(), marker=marker)
    rigid += joint("hinge", "revolute", "ground", "block.pin", axis=[0, 1, 0])
    _, _, _, other = at_end(runs, rigid, 0.1, tolerance=1e-10)
    np.testing.assert_allclose(one["bodies/position"], other["bodies/position"], atol=2e-5)
    np.testing.assert_allclose(one["joints/force"], other["joints/force"], rtol=0.03, atol=0.3)


def test_held_nodes_move_as_those_of_a_set_that_is_fixed_to_the_ground(runs):
    shake = {"gravity": [1.0, -2.0, -9.81]}
    held = world(**shake) + material() + block(fix=[{"nodes": "x-"}])
    fixed = world(**shake) + material() + block(marker=[{"name": "root", "nodes": "x-"}])
    fixed += joint("clamp", "fixed", "ground", "block.root")
    one, other = (at_end(runs, text, 0.05, tolerance=1e-9) for text in (held, fixed))
    nodes = [prepared.system.bodies[0].content.data.mesh.points for prepared, *_ in (one, other)]
    np.testing.assert_array_equal(*nodes)
    np.testing.assert_allclose(*(last(prepared) for prepared, *_ in (one, other)), atol=1e-7)


def last(prepared):
    """(n, 3) positions of the nodes of the first body, in its frame at t = 0."""
    problem = prepared.problem
    first = int(problem[Bodies].index[problem.names.body_index[0]].first_scratch)
    n = len(prepared.system.bodies[0].content.data.mesh.points)
    return problem[Bodies].scratch[first : first + 3 * n].reshape(n, 3).copy()


def test_an_axis_that_is_held_stays_and_the_others_move(runs):
    text = world(gravity=[1.0, 2.0, 3.0]) + material() + block(fix=[{"nodes": "x-", "axes": "x"}])
    prepared, _, _, _ = at_end(runs, text, 0.1)
    data, x = prepared.system.bodies[0].content.data, last(prepared)
    nodes = data.mesh.node_sets["x-"]
    np.testing.assert_array_equal(x[nodes, 0], -0.2)
    # no force acts along y and z but the weight
    np.testing.assert_allclose(
        data.mass @ x[:, 1:] / data.mass.sum(), 0.5 * np.array([2.0, 3.0]) * 0.01, rtol=1e-6
    )


def test_a_free_body_falls_without_strain(runs):
    text = world(gravity=[0.0, 0.0, -10.0]) + material() + block(marker=[END | {"coupling": "rbe2"}])
    prepared, _, _, frame = at_end(runs, text, 0.2)
    fallen = np.array([0.0, 0.0, -0.2])
    points = prepared.system.bodies[0].content.data.mesh.points
    np.testing.assert_allclose(last(prepared), points + fallen, atol=1e-10)
    assert abs(float(frame["energy/balance"])) < 1e-9


@pytest.mark.parametrize(
    ("damping", "left"), [({"stiffness_damping": 1e-3}, 1.0), ({"mass_damping": 4.0}, None)]
)
def test_damping_takes_energy_and_the_ledger_has_it(runs, damping, left):
    """Stiffness-proportional damping leaves rigid motion, mass-proportional damping slows it by exp(−α t)."""
    text = NO_GRAVITY + material(**damping) + block(divisions=(2, 1, 1), velocity=[1.0, 0.0, 0.0])
    prepared, before, after, frame = at_end(runs, text, 0.1, tolerance=1e-8)
    assert abs(float(frame["energy/balance"])) < 1e-6
    ratio = momenta(prepared, *after)[0][0] / momenta(prepared, *before)[0][0]
    assert ratio == pytest.approx(np.exp(-0.4) if left is None else left, rel=1e-7)


def test_a_marker_on_a_node_is_there_and_has_its_velocity(runs):
    text = (
        NO_GRAVITY
        + material()
        + block(position=[1.0, 2.0, 3.0], marker=[{"name": "tip", "nodes": 44}], **SPIN)
    )
    text += table("force", name="push", type="force", body="block.tip", force_x=1.0)
    prepared = runs.prepare(text + solver(end=1.0))
    markers = prepared.problem[Markers]
    place = prepared.system.bodies[0].content.data.mesh.points[44]
    place_in_world = np.array([1.0, 2.0, 3.0]) + place
    at = int(np.argmin(np.abs(markers.x - place_in_world).sum(axis=1)))
    np.testing.assert_allclose(markers.x[at], place_in_world, atol=1e-14)
    expected = np.array(SPIN["velocity"]) + np.cross(SPIN["angular_velocity"], place)
    np.testing.assert_allclose(markers.v[at], expected, atol=1e-12)


@pytest.mark.parametrize(
    "held",
    [
        joint("hold", "ball", "ground", "block.end"),
        table("joint", name="hold", type="rope", markers=["ground", "block.end"]),
    ],
)
def test_nodes_of_a_marker_that_a_joint_names_move_as_one(runs, held):
    """3 x 3 nodes of an end have six velocities together, and those of a marker that no joint names 27."""
    text = world() + material() + block(marker=[END], position=[1, 0, 0])
    free, together = (runs.prepare(text + more + solver(end=1)).problem.nv for more in ("", held))
    assert free - together == 27 - 6
