"""The assembly moves bodies that deform as wholes: what it places and sets in motion is undeformed."""

from __future__ import annotations

import numpy as np
import pytest
from bodies_of_elements import material
from refusals import has, refused
from scene_text import NO_GRAVITY, body, hinge, joint, motion, solver

from mbplugin.tables.groups import Markers, Nodal
from mbplugin.tables.purposes import NODES

END = solver(end=1.0)
SIZE = np.array([0.4, 0.1, 0.1])
ENDS = [{"name": name, "nodes": side, "coupling": "rbe2"} for name, side in (("a", "x-"), ("b", "x+"))]
MEAN = [{"name": name, "nodes": side, "coupling": "rbe3"} for name, side in (("a", "x-"), ("b", "x+"))]
#: bodies that deform as wholes: keys, and those of the markers at their ends
KINDS = {
    "rbe2": ({"type": "finite_element", "elements": "hex8"}, ENDS),
    "rbe3": ({"type": "finite_element", "elements": "tet10"}, MEAN),
    "pseudo_rigid": (
        {"type": "pseudo_rigid", "shape": [{"type": "box", "size": SIZE.tolist()}]},
        [{"name": "a", "position": [-0.2, 0, 0]}, {"name": "b", "position": [0.2, 0, 0]}],
    ),
}


def soft(kind, name="soft", **given):
    """A beam of 0.4 m that deforms, with markers a and b at its ends."""
    keys, markers = KINDS[kind]
    keys = dict(keys)
    if elements := keys.pop("elements", None):
        keys["mesh"] = {"shape": "box", "size": SIZE.tolist(), "divisions": [4, 2, 2], "elements": elements}
    return body(name, material="elastic", **({"marker": markers} | keys | given))


def moved(prepared, name="soft"):
    """Of points of a body, where the scene has them, where the assembly has brought them, and velocities,
    (n, 3) each: its nodes, or material points 1 m from its mass centre.
    """
    problem = prepared.problem
    at = problem.names.bodies.index(name)
    if (first := problem.names.stretches[at]) >= 0:
        given = prepared.system.bodies[at]
        markers, points = problem[Markers], slice(first, first + 3)
        rest = np.array(given.position) + given.axes().T
        return rest, markers.x[points].copy(), markers.v[points].copy()
    problem.call_purpose(NODES)
    x, v, first = problem[Nodal].x.reshape(-1, 3), problem[Nodal].v.reshape(-1, 3), 0
    for one in problem.names.nodal:
        nodes = slice(first, first + len(one.rest))
        first = nodes.stop
        if one.name == name:
            return one.rest, x[nodes].copy(), v[nodes].copy()
    raise AssertionError(name)


def strain_energy(prepared):
    """[J], without gravity."""
    return float(prepared.recorder.frame()["energy/potential"])


def turned(axis, angle):
    """(3, 3) rotation matrix, by Rodrigues' formula."""
    x, y, z = np.asarray(axis, float) / np.linalg.norm(axis)
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("degrees", [40.0, -170.0])
def test_a_pendulum_that_deforms_starts_turned_and_turning_as_a_whole(runs, kind, degrees):
    angle, speed, axis, pivot = np.radians(degrees), 2.0, np.array([0.0, 0.6, 0.8]), np.array([-0.2, 0, 0])
    start = {"angle": float(angle), "speed": speed}
    pin = hinge("pin", "ground", "soft.a", at=pivot, axis=axis, start=start)
    prepared = runs.prepare(NO_GRAVITY + material() + soft(kind) + pin + END)
    rest, x, v = moved(prepared)
    np.testing.assert_allclose(x, pivot + (rest - pivot) @ turned(axis, angle).T, atol=1e-12)
    np.testing.assert_allclose(v, np.cross(speed * axis, x - pivot), atol=1e-12)
    assert strain_energy(prepared) == pytest.approx(0.0, abs=1e-22)


@pytest.mark.parametrize("kind", KINDS)
def test_a_body_welded_where_it_is_not_drawn_is_brought_there_undeformed(runs, kind):
    """More than a quarter turn away, at the end of a rigid arm that its `start` turns."""
    arm = body("arm", mass=1.0, inertia=[0.1, 0.1, 0.1], marker=[{"name": "tip", "position": [0.5, 0, 0]}])
    turn = hinge("turn", "ground", "arm", axis=[0, 1, 0], start={"angle": 1.0})
    pose = {"position": [0.2, 0.3, -0.1], "orientation": {"axis": [1, 2, -1], "angle": 2.5}}
    weld = joint("weld", "fixed", "arm.tip", "soft.a")
    prepared = runs.prepare(NO_GRAVITY + material() + arm + soft(kind, **pose) + turn + weld + END)
    rest, x, _ = moved(prepared)
    given = next(one for one in prepared.system.bodies if one.name == "soft")
    local = (rest - np.array(given.position)) @ given.axes()
    tip, R = turned([0, 1, 0], 1.0) @ [0.5, 0, 0], turned([0, 1, 0], 1.0)
    np.testing.assert_allclose(x, tip + (local - [-0.2, 0, 0]) @ R.T, atol=1e-11)
    assert strain_energy(prepared) == pytest.approx(0.0, abs=1e-20)


def test_a_given_spin_turns_a_mesh_about_its_hinge(runs):
    """The velocity of its frame is not given, and follows from the hinge, as that of a rigid body."""
    pivot, w = np.array([-0.2, 0.0, 0.0]), np.array([0.0, 0.0, 3.0])
    pin = hinge("pin", "ground", "soft.a", at=pivot)
    prepared = runs.prepare(NO_GRAVITY + material() + soft("rbe2", angular_velocity=w) + pin + END)
    _, x, v = moved(prepared)
    np.testing.assert_allclose(v, np.cross(w, x - pivot), atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_a_ring_of_bodies_that_deform_closes_by_their_motions_as_wholes(runs, kind):
    """Three beams of 0.4 m, drawn in line, close to an equilateral triangle: 60° at each of its corners."""
    names = ("one", "two", "three")
    beams = "".join(soft(kind, name, position=[0.4 * k, 0.02 * k * k, 0]) for k, name in enumerate(names))
    pins = "".join(joint(f"pin_{k}", "ball", f"{names[k]}.b", f"{names[(k + 1) % 3]}.a") for k in range(3))
    prepared = runs.prepare(NO_GRAVITY + material() + beams + pins + END)
    for name in names:
        rest, x, v = moved(prepared, name)
        lengths = lambda points: np.linalg.norm(points[:, None] - points[None], axis=2)
        np.testing.assert_allclose(lengths(x), lengths(rest), atol=1e-11)
        np.testing.assert_allclose(v, 0.0, atol=1e-12)
    assert strain_energy(prepared) == pytest.approx(0.0, abs=1e-18)


def test_a_mesh_that_may_slide_in_a_plane_turns_in_it(runs):
    """Its nodes below are held along z, which leaves the three motions in the plane xy."""
    keys = {"marker": MEAN, "fix": [{"nodes": "z-", "axes": "z"}]}
    pin = joint(
        "pin", "cylindrical", "ground", "soft.a", at=[-0.2, 0, 0], axis=[0, 0, 1], start={"angle": 0.8}
    )
    prepared = runs.prepare(NO_GRAVITY + material() + soft("rbe3", **keys) + pin + END)
    rest, x, _ = moved(prepared)
    pivot = np.array([-0.2, 0, 0])
    np.testing.assert_allclose(x, pivot + (rest - pivot) @ turned([0, 0, 1], 0.8).T, atol=1e-12)


def test_what_fits_as_drawn_stays_to_the_last_bit(runs):
    pin = hinge("pin", "ground", "soft.a", at=[-0.2, 0, 0])
    alone = runs.prepare(NO_GRAVITY + material() + soft("rbe2") + END)
    pinned = runs.prepare(NO_GRAVITY + material() + soft("rbe2") + pin + END)
    assert moved(alone)[1].tobytes() == moved(pinned)[1].tobytes()


def test_a_mesh_that_is_held_at_one_end_and_driven_at_the_other_begins_to_deform(runs):
    """No motion as a whole is left: the driven nodes move, and nothing else does."""
    ends = joint("clamp", "fixed", "ground", "soft.a", at=[-0.2, 0, 0])
    ends += joint("drive", "translational", "ground", "soft.b", at=[0.2, 0, 0], axis=[1, 0, 0])
    push = motion("drive", length_velocity="0.1")
    prepared = runs.prepare(NO_GRAVITY + material() + soft("rbe2") + ends + push + END)
    rest, x, v = moved(prepared)
    np.testing.assert_allclose(x, rest, atol=1e-15)
    np.testing.assert_allclose(v, 0.1 * (rest[:, :1] > 0.19) * [1, 0, 0], atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_what_only_a_deformed_body_could_close_is_refused(runs, kind):
    """A beam of 0.4 m between two points 0.5 m apart; two of three joints are at one of them."""
    ends = "".join(joint(f"left_{k}", "ball", "ground", "soft.a", at=[-0.2, 0, 0]) for k in range(2))
    ends += joint("right", "ball", "ground", "soft.b", at=[0.3, 0, 0])
    with refused("joint[2]", "right") as caught:
        runs.prepare(NO_GRAVITY + material() + soft(kind) + ends + END)
    assert has(caught.value.mend, 'deform body "soft" by')


def test_a_start_that_would_bend_a_mesh_with_supports_is_refused(runs):
    keys = {"fix": [{"nodes": "x-"}], "marker": ENDS[1:]}
    start = hinge("turn", "ground", "soft.b", at=[0.2, 0, 0], start={"angle": 0.3})
    with refused("joint[0]", "turn") as caught:
        runs.prepare(NO_GRAVITY + material() + soft("rbe2", **keys) + start + END)
    assert has(caught.value.mend, "stays open by 0.3 rad", 'deform body "soft" by')
