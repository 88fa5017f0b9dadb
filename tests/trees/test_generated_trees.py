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
SEEDS = {TREES: (24, 200), MECHANISMS: (18, 200), VEHICLES: (8, 100), LINKAGES: (6, 60)}
#: further ones by default, in a plane: slots and points on lines carry bodies there
PLANAR = {TREES: (27, 31, 35, 39, 43, 47), MECHANISMS: (27, 35)}
CASES = [
    pytest.param(
        draw,
        seed,
        id=f"{draw.__name__}-{seed}",
        marks=() if seed < default or seed in PLANAR.get(draw, ()) else pytest.mark.slow,
    )
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


@pytest.mark.parametrize(("draw", "seed"), CASES)
def test_a_system_is_the_same_in_joint_and_in_maximal_coordinates(draw, seed):
    """At the initial position with random velocities; and at another position with other velocities, where
    loops are open: there redundant rows would contradict each other.
    """
    two = at_random_velocities(draw, seed)
    coordinates_are_those_of_the_drawing(two, scene(draw, seed))
    energies_agree(two)
    accelerations_and_multipliers_agree(two, draw, seed)
    bodies_are_where_they_were_after_a_return(two, scene(draw, seed))
    is_redundant = rank(two.full).null.shape[1] > 0
    moved(two, seed)
    rows_of_carrying_joints_hold(two, scene(draw, seed))
    energies_agree(two)
    if not is_redundant:
        accelerations_and_multipliers_agree(two, draw, seed)


def accelerations_and_multipliers_agree(two: Both, draw, seed) -> None:
    found = differences(two)
    allowed = REDUNDANT if draw is LINKAGES else TOLERANCE
    worst = max(found.linear, found.angular, found.others, found.multipliers)
    assert worst < allowed, f"{found}\n{scene(draw, seed).text()}"


def rows_of_carrying_joints_hold(two: Both, drawn: random_trees.Scene) -> None:
    """Rows of carrying joints and of armatures are zero at any coordinates, and so are their rates at any
    rates.
    """
    rows, names = two.full[Rows], two.full.names
    G = two.full.sparse_jacobian()
    rates = G @ two.full[State].v + rows.phi_t
    speed = np.abs(two.full[State].v).max()
    for k in two.joint.folded.choice.carried:
        of_rotors = [r for r, row in enumerate(names.rows) if row.owner == f"{names.joints[k].name} armature"]
        of_joint = [*names.joints[k].rows, *of_rotors]
        text = f"{names.joints[k].name}\n{drawn.text()}"
        assert np.abs(rows.phi[of_joint]).max(initial=0.0) < 1e-12, text
        assert np.abs(rates[of_joint]).max(initial=0.0) < 1e-12 * max(speed, 1.0) * 10.0, text


def bodies_are_where_they_were_after_a_return(two: Both, drawn: random_trees.Scene) -> None:
    """Put into joint coordinates and shown in maximal ones again: poses and velocities of all bodies."""
    before = poses_of(two)
    two.put()
    for a, b in zip(before, poses_of(two)):
        assert np.abs(a - b).max(initial=0.0) < 1e-11, drawn.text()


def poses_of(two: Both):
    """Positions, axes, velocities and angular velocities of all bodies."""
    markers = two.full[Markers]
    at = two.full.names.body_marker
    return [np.array(array[at]) for array in (markers.x, markers.R, markers.v, markers.w)]


def coordinates_are_those_of_the_drawing(two: Both, drawn: random_trees.Scene) -> None:
    """The generator has placed the bodies by textbook motions of the joints."""
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


def energies_agree(two: Both) -> None:
    """½ ṡᵀ M ṡ = Σ ½ m v² + ½ ωᵀ J ω + ½ armature ṡ²; M is symmetric and positive."""
    for problem in (two.tree, two.full):
        problem.check(entries.evaluate_energies(problem.addresses))
    total = two.full[Bodies].kinetic.sum()
    assert two.tree[Bodies].kinetic[: len(two.tree.names.kinds)].sum() == pytest.approx(total, rel=1e-12)
    by_mass = 0.0
    for k, body in enumerate(two.tree[Bodies].index[: len(two.tree.names.kinds)]):
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
    assert flat > 12
    assert skipped < 2


def test_rotations_of_the_generator_are_those_of_scipy():
    angle = 0.7
    assert np.allclose(random_trees.turn([0, 0, 1], angle), Rotation.from_euler("z", angle).as_matrix())
