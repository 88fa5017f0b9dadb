"""Generated trees and mechanisms: joint and maximal coordinates give the same accelerations and reactions.

A failure prints the scene. More seeds run with --slow.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import random_trees
from both_coordinates import Both, begun, differences, in_motion, moved
from scipy.spatial.transform import Rotation

from mbplugin.analysis.rank.rank import rank
from mbplugin.errors import PhysicsError
from mbplugin.kernels import entries
from mbplugin.problem.trees import mass_of_tree
from mbplugin.run.prepare import Prepared
from mbplugin.tables.groups import Bodies, Markers, Rows, State, Trees

#: of the largest; rounding is about 1e-14, and 1e-11 of loops that are nearly singular
TOLERANCE, REDUNDANT = 1e-10, 1e-9
TREES, MECHANISMS, VEHICLES, LINKAGES = (
    random_trees.random_tree,
    random_trees.random_mechanism,
    random_trees.random_vehicle,
    random_trees.random_linkage,
)
#: seeds by default, and with --slow
SEEDS = {TREES: (64, 200), MECHANISMS: (40, 200), VEHICLES: (16, 100), LINKAGES: (12, 60)}
CASES = [
    pytest.param(draw, seed, id=f"{draw.__name__}-{seed}", marks=() if seed < default else pytest.mark.slow)
    for draw, (default, most) in SEEDS.items()
    for seed in range(most)
]
#: motions of mechanisms that their loops do not admit, by seed
IMPOSSIBLE = "contradict each other"
#: mechanism whose implicit variable is zero: its search ends with the rounding of zero
ZERO_UNKNOWN = (MECHANISMS, 282)


@cache
def scene(draw, seed) -> random_trees.Scene:
    return draw(seed)


@cache
def prepared(draw, seed) -> Prepared | str:
    """A system with random velocities, or why there is none."""
    if (draw, seed) == ZERO_UNKNOWN:
        return "no implicit variable is found where it is zero but for rounding"
    try:
        return in_motion(scene(draw, seed).text(), seed)
    except PhysicsError as error:
        if draw is MECHANISMS and IMPOSSIBLE in str(error):
            return "its loops do not admit its motions"
        raise


def at_random_velocities(draw, seed) -> Both:
    found = prepared(draw, seed)
    if isinstance(found, str):
        pytest.skip(found)
    return begun(found)


def hold(two: Both, draw, seed) -> None:
    found = differences(two)
    allowed = REDUNDANT if draw is LINKAGES else TOLERANCE
    worst = max(found.linear, found.angular, found.others, found.multipliers)
    assert worst < allowed, f"{found}\n{scene(draw, seed).text()}"


@pytest.mark.parametrize(("draw", "seed"), CASES)
def test_accelerations_and_multipliers_are_those_of_maximal_coordinates(draw, seed):
    """At the initial position with random velocities; and at another position, where loops are open: there
    redundant rows would contradict each other.
    """
    two = at_random_velocities(draw, seed)
    hold(two, draw, seed)
    if rank(two.full).null.shape[1] == 0:
        moved(two, seed)
        hold(two, draw, seed)


@pytest.mark.parametrize(("draw", "seed"), CASES)
def test_joints_that_carry_hold_at_any_coordinates(draw, seed):
    """Rows of carrying joints and of armatures are zero at random coordinates, and so are their rates at
    random rates.
    """
    two = at_random_velocities(draw, seed)
    moved(two, seed)
    rows, names = two.full[Rows], two.full.names
    G = two.full.sparse_jacobian()
    rates = G @ two.full[State].v + rows.phi_t
    speed = np.abs(two.full[State].v).max()
    for k in two.joint.folded.choice.carried:
        of_rotors = [r for r, row in enumerate(names.rows) if row.owner == f"{names.joints[k].name} armature"]
        of_joint = [*names.joints[k].rows, *of_rotors]
        text = f"{names.joints[k].name}\n{scene(draw, seed).text()}"
        assert np.abs(rows.phi[of_joint]).max(initial=0.0) < 1e-12, text
        assert np.abs(rates[of_joint]).max(initial=0.0) < 1e-12 * max(speed, 1.0) * 10.0, text


@pytest.mark.parametrize(("draw", "seed"), CASES)
def test_a_state_is_the_same_there_and_back(draw, seed):
    """Put into joint coordinates and shown in maximal ones again: poses and velocities of all bodies."""
    two = at_random_velocities(draw, seed)
    before = poses_of(two)
    two.put()
    for a, b in zip(before, poses_of(two)):
        assert np.abs(a - b).max(initial=0.0) < 1e-11, scene(draw, seed).text()


def poses_of(two: Both):
    """Positions, axes, velocities and angular velocities of all bodies."""
    markers = two.full[Markers]
    at = two.full.names.body_marker
    return [np.array(array[at]) for array in (markers.x, markers.R, markers.v, markers.w)]


@pytest.mark.parametrize(("draw", "seed"), CASES)
def test_coordinates_are_those_by_which_the_bodies_were_placed(draw, seed):
    """The generator has placed the bodies by textbook motions of the joints."""
    two, drawn = at_random_velocities(draw, seed), scene(draw, seed)
    state, bodies = two.tree[State], two.tree[Bodies].index
    for t, links in enumerate(two.joint.folded.trees):
        at = int(bodies[two.joint.folded.first_body + t].first_q)
        for link in links:
            for k, name in enumerate(link.coordinates):
                joint = two.full.names.joints[link.joint]
                value = drawn.values.get(f"{joint.name}.{name}")
                if value is not None:
                    assert state.q[at + k] == pytest.approx(value, abs=1e-11), f"{joint.name}.{name}"
            if link.joint >= 0 and link.nq > link.rates:
                assert np.linalg.norm(state.q[at : at + 4]) == pytest.approx(1.0, abs=1e-14)
            at += link.nq


@pytest.mark.parametrize(("draw", "seed"), CASES)
def test_the_kinetic_energy_of_joint_rates_is_that_of_the_bodies(draw, seed):
    """½ ṡᵀ M ṡ = Σ ½ m v² + ½ ωᵀ J ω + ½ armature ṡ²; M is symmetric and positive."""
    two = at_random_velocities(draw, seed)
    compare_energies(two)
    moved(two, seed)
    compare_energies(two)


def compare_energies(two: Both) -> None:
    for problem in (two.tree, two.full):
        problem.check(entries.evaluate_energies(problem.addresses))
    total = two.full[Bodies].kinetic.sum()
    assert two.tree[Bodies].kinetic.sum() == pytest.approx(total, rel=1e-12)
    by_mass = 0.0
    for k, body in enumerate(two.tree[Bodies].index):
        own = slice(int(body.first_v), int(body.first_v) + int(body.nv))
        if int(body.tree) < 0:
            by_mass += two.tree[Bodies].kinetic[k]
            continue
        M, v = mass_of_tree(two.tree, body), two.tree[State].v[own]
        assert np.linalg.eigvalsh(M).min(initial=np.inf) > 0.0
        by_mass += 0.5 * v @ M @ v
    assert by_mass == pytest.approx(total, rel=1e-12)


def test_most_bodies_of_the_default_cases_are_carried():
    """What the other tests compare are joint coordinates, and most kinds of joints are among them."""
    kinds, carried, bodies, backwards, skipped, flat = set(), 0, 0, 0, 0, 0
    for case in CASES:
        draw, seed = case.values
        if case.marks:
            continue
        found = prepared(draw, seed)
        if isinstance(found, str):
            skipped += 1
            continue
        two = begun(found)
        flat += sum(int(one["flat"]) for one in two.tree[Trees].index)
        bodies += len(two.full.names.bodies)
        for link in two.links:
            if link.joint >= 0:
                carried += 1
                backwards += not link.forward
                kinds.add(two.full.names.joints[link.joint].kind.name)
    assert carried > 0.6 * bodies and backwards > 0.2 * carried
    assert kinds >= (set(random_trees.SPATIAL) | set(random_trees.PLANAR)) - {
        "universal",
        "constant_velocity",
    }
    # trees that move in a plane
    assert flat > 15
    assert skipped < 4


def test_rotations_of_the_generator_are_those_of_scipy():
    angle = 0.7
    assert np.allclose(random_trees.turn([0, 0, 1], angle), Rotation.from_euler("z", angle).as_matrix())
