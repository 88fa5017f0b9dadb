"""Impacts as events: time, place, impulse and velocities in the frame of the contact, energy; also between
frames. Impulses of two bodies since t = 0.
"""

from __future__ import annotations

import csv
from math import inf, sqrt

import numpy as np
import pytest
from blocks import ball, block, contact_solver, floor
from offered import with_contact
from refusals import refused
from scene_text import body, joint, table, world

import mbplugin as mb
from mbplugin import api
from mbplugin.cli.export import export_result
from mbplugin.decoder.rotation import rotation
from mbplugin.report import content
from mbplugin.results.impacts import entries_of
from mbplugin.run.pair_sums import NO_SUMS, PairSums

G, H = 9.81, 1e-3
LOCAL = ("normal", "tangent_1", "tangent_2")
pytestmark = pytest.mark.usefixtures("offered")


def run(text, folder=None, **keys):
    where = {"files": False} if folder is None else {}
    return mb.System.from_text(text).run(*[folder] * (folder is not None), **where, **keys)


def weightless(bodies, end=0.3, **material):
    """Bodies in free flight, and a floor; one frame at the end."""
    shape = [{"type": "plane", "size": [2, 2]}]
    text = world(gravity=[0, 0, 0], collide=True, material="stone", shape=shape)
    text += table("material", name="stone", **material) + bodies
    return text + contact_solver(H, end, every=end, frames=None)


def bouncing(e=0.5, height=0.2, end=0.75, every=None, **keys):
    text = floor(restitution=e) + ball("ball", 0.1, 2.0, [0, 0, 0.1 + height], **keys)
    return text + contact_solver(H, end, every=every or end, frames=None)


def axes_of(impacts):
    return np.stack([getattr(impacts, name) for name in LOCAL], axis=1)


# closed forms


@pytest.mark.parametrize("e", [0.5, 0.9])
def test_a_bouncing_ball_has_each_impact_with_its_time_impulse_and_energy(e):
    """t = √(2H/g), then e√(8H/g) later, ...; P = m (1 + e) v + m g h with the weight of the step; the energy
    ½ m v² (1 − e²), and what this weight does at the mean velocity. All lie between two frames.
    """
    mass, height, n = 2.0, 0.2, 2
    found = run(bouncing(e, height)).impacts
    assert len(found) >= n and set(found.element) == {"contact.ground.ball"}
    first = sqrt(2 * height / G)
    assert abs(found.time[:n] - first * np.array([1.0, 1.0 + 2.0 * e])).max() <= 6 * H
    v = -found.velocity_before[:, 0]
    np.testing.assert_allclose(v[:n], G * first * e ** np.arange(n), atol=2 * n * G * H)
    np.testing.assert_allclose(found.velocity_after[:n, 0], e * v[:n], rtol=1e-9)
    np.testing.assert_allclose(found.impulse[:n, 0], mass * ((1 + e) * v[:n] + G * H), rtol=1e-9)
    lost = 0.5 * mass * v[:n] ** 2 * (1 - e**2) + 0.5 * mass * G * H * v[:n] * (1 - e)
    np.testing.assert_allclose(found.energy[:n], lost, rtol=1e-9)
    np.testing.assert_allclose(found.impulse[:, 1:], 0.0, atol=1e-12)
    np.testing.assert_allclose(found.material_b, [[0, 0, -0.1]] * len(found), atol=1e-12)


def test_a_ball_without_rebound_closes_its_gap_and_then_stops():
    """Two impacts in two steps, with impulses m v and energies ½ m v² together."""
    found = run(
        weightless(ball("ball", 0.1, 2.0, [0, 0, 0.3], velocity=[0, 0, -0.9]), restitution=0.0)
    ).impacts
    assert len(found) == 2 and np.diff(found.time)[0] == pytest.approx(H)
    assert found.impulse[:, 0].sum() == pytest.approx(2.0 * 0.9, rel=1e-9)
    assert found.energy.sum() == pytest.approx(0.5 * 2.0 * 0.9**2, rel=1e-9)
    np.testing.assert_allclose(found.velocity_after[0], found.velocity_before[1], atol=1e-12)


def test_impacts_are_as_many_and_take_as_much_as_the_run_counts():
    result = run(bouncing(0.7, end=1.0))
    assert len(result.impacts) == result.output("contact.impacts")[-1] > 3
    assert result.impacts.energy.sum() == pytest.approx(result.energy.impacts[-1], rel=0.02)
    assert result.summary.events == len(result.events) == len(result.impacts)
    assert result.summary.first_events[0] == str(result.events[0])


@pytest.mark.parametrize(("v_t", "sticks"), [(0.2, True), (1.5, False)])
def test_an_oblique_impact_of_a_ball_sticks_or_slips(v_t, sticks):
    """P_t = 2/7 m v_t where it sticks, μ (1 + e) m v_n where it slips; the energy is ΔT. The ball is struck
    before its gap, of up to v h = r/100, is closed: arms are longer by half of it.
    """
    mass, e, mu, v_n = 2.0, 0.5, 0.2, 1.0
    text = weightless(
        ball("ball", 0.1, mass, [0, 0, 0.3], velocity=[0.6 * v_t, 0.8 * v_t, -v_n]),
        restitution=e,
        friction=mu,
    )
    result = run(text)
    one = result.impacts.of("ball", "ground")
    assert len(one) == 1
    P_n, P_t = mass * (1 + e) * v_n, 2 / 7 * mass * v_t if sticks else mu * (1 + e) * mass * v_n
    assert one.impulse[0, 0] == pytest.approx(P_n, rel=1e-9)
    assert np.linalg.norm(one.impulse[0, 1:]) == pytest.approx(P_t, rel=5e-3 if sticks else 1e-9)
    along = one.velocity_before[0, 1:] / v_t
    np.testing.assert_allclose(one.impulse[0, 1:], -P_t * along, atol=5e-3 * P_t)
    assert np.linalg.norm(along) == pytest.approx(1.0, rel=1e-12)
    left = v_t - 7 / 2 * P_t / mass
    np.testing.assert_allclose(one.velocity_after[0], [e * v_n, *(left * along)], atol=5e-3)
    assert one.energy[0] == pytest.approx(result.energy.kinetic[0] - result.energy.kinetic[-1], rel=1e-9)


@pytest.mark.parametrize("masses", [(1.0, 1.0), (0.3, 4.0)])
def test_two_balls_that_meet_exchange_the_impulse_of_their_reduced_mass(masses):
    e, n = 0.8, np.array([2.0, -1.0, 2.0]) / 3
    a = ball("a", 0.1, masses[0], [0, 0, 1.0], velocity=list(1.2 * n))
    b = ball("b", 0.1, masses[1], list([0, 0, 1.0] + 0.4 * n), velocity=list(-0.3 * n))
    one = run(weightless(a + b, restitution=e)).impacts
    reduced = masses[0] * masses[1] / sum(masses)
    assert len(one) == 1 and {one.body_a[0], one.body_b[0]} == {"a", "b"}
    sign = 1.0 if one.body_b[0] == "b" else -1.0
    np.testing.assert_allclose(one.normal[0], sign * n, atol=1e-9)
    assert one.impulse[0, 0] == pytest.approx(reduced * (1 + e) * 1.5, rel=1e-9)
    assert one.energy[0] == pytest.approx(0.5 * reduced * 1.5**2 * (1 - e**2), rel=1e-9)
    assert one.time[0] == pytest.approx(0.2 / 1.5, abs=2 * H)


def test_each_ball_of_a_cradle_is_struck_in_its_own_phase():
    """At e = 1 the impulse m v passes through the row; each impact obeys Newton's law."""
    row = "".join(
        ball(f"b{k}", 0.1, 1.0, [0.2001 * k + (k > 0) * 0.03, 0, 1.0], velocity=[(k == 0) * 1.0, 0, 0])
        for k in range(4)
    )
    found = run(weightless(row, restitution=1.0, end=0.06)).impacts
    assert [set(pair) for pair in zip(found.body_a, found.body_b)] == [
        {"b0", "b1"},
        {"b1", "b2"},
        {"b2", "b3"},
    ]
    assert list(found.phase) == [1, 2, 3] and len(set(found.time)) == 1
    np.testing.assert_allclose(found.impulse[:, 0], 1.0, rtol=1e-9)
    np.testing.assert_allclose(found.velocity_before[:, 0], -1.0, rtol=1e-9)
    np.testing.assert_allclose(found.velocity_after[:, 0], 1.0, rtol=1e-9)
    np.testing.assert_allclose(found.energy, 0.0, atol=1e-9)


def test_more_impacts_in_a_step_than_there_are_places_are_each_noted_once():
    n = 100
    row = "".join(
        ball(f"b{k}", 0.01, 1.0 + k, [0.03 * (k % 10), 0.03 * (k // 10), 0.05], velocity=[0, 0, -1])
        for k in range(n)
    )
    found = run(weightless(row, restitution=0.5, end=0.1)).impacts
    assert sorted(found.body_b) == sorted(f"b{k}" for k in range(n)) and len(set(found.time)) == 1
    np.testing.assert_allclose(np.sort(found.impulse[:, 0]), 1.5 * (1 + np.arange(n)), rtol=1e-9)


# impulses of two bodies since t = 0


def tumbling(**keys):
    """Boxes that fall onto each other, turned; frames are within steps."""
    turned = {"axis": [1, 2, 3], "angle": 0.5}
    boxes = "".join(
        block(f"box{k}", (0.1, 0.15, 0.2), 1.0 + k, [0.02 * k, 0.01 * k, 0.2 + 0.25 * k], orientation=turned)
        for k in range(3)
    )
    return (
        floor(friction=0.4, restitution=0.3)
        + boxes
        + contact_solver(H, 0.5, every=0.0237, frames=None, **keys)
    )


@pytest.fixture(scope="module")
def tumbled():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(api, "plugins", with_contact)
        return run(tumbling())


def test_momentum_changes_between_frames_by_weight_and_impulses_of_contacts(tumbled):
    names = ["ground", "box0", "box1", "box2"]
    for k, name in enumerate(names[1:]):
        total = sum(tumbled.contact(other, name).impulse for other in names if other != name)
        momentum = (1.0 + k) * tumbled.raw["bodies/center_of_mass_velocity"][:, k]
        weight = (1.0 + k) * np.outer(tumbled.time, [0, 0, -G])
        np.testing.assert_allclose(np.diff(momentum - weight - total, axis=0), 0.0, atol=1e-12)
    assert len(tumbled.impacts) > 10


def test_the_impulse_on_a_is_the_opposite_of_that_on_b(tumbled):
    one, other = tumbled.contact("box0", "box1").impulse, tumbled.contact("box1", "box0").impulse
    assert one.any() and np.array_equal(one, -other)
    by_shape = tumbled.contact("ground_0", "box0_0").impulse
    np.testing.assert_array_equal(by_shape, tumbled.contact("ground", "box0").impulse)


def test_an_impulse_lasts_after_the_bodies_have_parted():
    result = run(bouncing(0.5, every=0.05, end=0.35))
    pair = result.contact("ground", "ball")
    one = result.impacts
    after = result.time >= one.time[0]
    np.testing.assert_allclose(pair.impulse[after, 2], one.impulse[0, 0], rtol=1e-12)
    assert not pair.impulse[~after].any() and not pair.count.any()
    assert result.columns("contact.ground.ball.impulse")[3].values[-1] == pair.impulse[-1, 2]


def test_a_frame_stores_the_pairs_that_have_changed():
    before = PairSums(np.array([2, 5, 9]), np.array([[1.0, 0, 0], [2, 0, 0], [3, 0, 0]]))
    now = PairSums(np.array([2, 7, 9]), np.array([[1.0, 0, 0], [4, 0, 0], [3.5, 0, 0]]))
    changed = now.since(before)
    assert list(changed.key) == [5, 7, 9] and list(changed.impulse[:, 0]) == [0.0, 4.0, 3.5]
    assert len(now.since(now).key) == 0 and now.since(None) is now
    assert list(now.since(NO_SUMS).key) == [2, 7, 9]
    again = PairSums.of(now.saved())
    assert np.array_equal(again.key, now.key) and np.array_equal(again.impulse, now.impulse)


@pytest.mark.parametrize("text", [tumbling(), bouncing(every=0.01)], ids=["boxes", "ball"])
def test_a_resumed_run_has_each_impact_and_impulse_once(tmp_path, text):
    """The ball flies when it is resumed, and frames have no impulse that they had before."""
    whole = run(text, tmp_path / "whole")
    run(text, tmp_path / "two", end=0.25)
    two = run(text, tmp_path / "two", resume=True)
    assert np.any(whole.impacts.time < 0.25) and np.any(whole.impacts.time > 0.25)
    for name, values in whole.impacts.arrays().items():
        np.testing.assert_array_equal(two.impacts.arrays()[name], values)
    one, other = (each.list("contact_impulses") for each in (whole, two))
    np.testing.assert_array_equal(other.offset, one.offset)
    np.testing.assert_array_equal(other["impulse"], one["impulse"])
    assert two.summary.events == whole.summary.events >= len(whole.impacts)


# frames and material points


def test_the_axes_of_contacts_are_orthonormal_and_local_forces_are_those_of_the_world(tumbled):
    contacts, impacts = tumbled.list("contacts"), tumbled.impacts
    axes = np.stack([contacts[name] for name in LOCAL], axis=1)
    for one in (axes, axes_of(impacts)):
        assert abs(np.einsum("nij,nkj->nik", one, one) - np.eye(3)).max() <= 1e-14
        np.testing.assert_allclose(np.linalg.det(one), 1.0, atol=1e-14)
    force = contacts["force"]
    back = np.einsum("nij,ni->nj", axes, contacts["local_force"])
    np.testing.assert_allclose(back, force, atol=1e-13 * abs(force).max())
    world_impulse = np.einsum("nij,ni->nj", axes_of(impacts), impacts.impulse)
    np.testing.assert_allclose(world_impulse, tumbled.list("impacts")["impulse"], atol=1e-13)


def points_in_world(result, end, frame):
    """Material points of the contacts of a frame, where their bodies have carried them."""
    now = result.list("contacts").at(frame)
    found = []
    for body_number, X in zip(getattr(now, f"body_{end}"), getattr(now, f"material_{end}")):
        if body_number < 0:
            found.append(X)
            continue
        A = rotation(result.raw["bodies/orientation"][frame, body_number])
        found.append(result.raw["bodies/position"][frame, body_number] + A @ X)
    return np.array(found).reshape(-1, 3)


def test_material_points_follow_their_bodies(tumbled):
    seen = 0
    for frame in range(1, len(tumbled.time)):
        now = tumbled.list("contacts").at(frame)
        np.testing.assert_allclose(points_in_world(tumbled, "a", frame), now.point_a, atol=1e-12)
        np.testing.assert_allclose(points_in_world(tumbled, "b", frame), now.point, atol=1e-12)
        seen += len(now.point)
    assert seen > 20


def test_material_points_are_in_the_frame_of_the_body_and_not_of_its_mass_centre():
    keys = {"center_of_mass": [0.0, 0.0, 0.05], "shape": [{"type": "sphere", "radius": 0.1}]}
    falling = ball("ball", 0.1, 1.0, [0, 0, 0.3], velocity=[0, 0, -1], **keys)
    one = run(weightless(falling, restitution=0.5)).impacts
    np.testing.assert_allclose(one.material_b, [[0, 0, -0.1]], atol=1e-9)
    np.testing.assert_allclose(one.point, [[0, 0, 0]], atol=2 * H)


def test_the_ground_is_body_a_of_an_impact_whichever_a_solver_notes_first():
    n = np.array([[0.6, 0.0, 0.8]])
    given = {
        name: np.array([k]) for name, k in (("body_a", 3), ("body_b", -1), ("shape_a", 1), ("shape_b", 0))
    }
    given |= {name: np.array([0]) for name in ("time", "phase", "before", "after", "energy")}
    given |= {name: np.array([[k, 0, 0]]) for k, name in enumerate(("point", "material_a", "material_b"))}
    given |= {name: np.array([[3.0, 1, 2]]) for name in ("local_velocity_before", "local_velocity_after")}
    given |= {"normal": n, "local_impulse": np.array([[3.0, 1, 2]])}
    there = entries_of(given | {"body_a": np.array([-1]), "body_b": np.array([3])})
    turned = entries_of(given)
    assert turned["body_a"] == -1 and turned["shape_b"] == 1 and turned["material_b"][0, 0] == 1
    np.testing.assert_allclose(turned["impulse"], -there["impulse"], atol=1e-15)
    np.testing.assert_allclose(turned["normal"], -n)
    assert turned["local_impulse"][0, 0] == pytest.approx(3.0, rel=1e-15)
    assert turned["local_velocity_before"][0, 0] == pytest.approx(3.0, rel=1e-15)


# one list of all


def hinged_and_falling():
    """A mass on a rail that strikes its limit, and a ball that strikes the floor."""
    mass = body("mass", mass=3, inertia=[1, 1, 1], position=[2, 0, 1])
    rail = joint(
        "rail", "translational", "ground", "mass", axis=[0, 0, 1], limits=[-0.05, inf], restitution=0.5
    )
    return floor(restitution=0.5) + ball("ball", 0.1, 2.0, [0, 0, 0.3]) + mass + rail


def test_limits_and_bodies_are_in_one_list_in_the_order_of_time():
    text = hinged_and_falling() + contact_solver(H, 0.6, every=0.6, frames=None)
    result = run(text)
    kinds = [name.partition(".")[0] for name in result.impacts.element]
    assert {"rail", "contact"} == set(kinds) and (np.diff(result.impacts.time) >= 0).all()
    assert kinds[0] == "rail"  # after 0.1 s; the ball after 0.2 s
    assert np.isfinite(result.impacts.impulse[:, 0]).all()
    struck = result.events.of("contact.ground.ball")
    assert struck[0].before == struck[0].after == "open" and struck.impulse[0] > 0.0 and struck.dof[0] == 7
    assert set(result.events.element) == {"rail.length.lower_limit", "contact.ground.ball"}
    with refused("impacts", "nobody"):
        result.impacts.of("nobody")
    simulation = mb.System.from_text(text).simulate()
    simulation.run(0.3)
    assert {e.element for e in simulation.events} == set(result.events.element)


def test_impacts_are_a_table_and_a_file(tmp_path, capsys):
    pytest.importorskip("pandas")
    result = run(tumbling(), tmp_path / "out")
    table_of = result.impacts.table()
    assert len(table_of) == len(result.impacts) and table_of.attrs["units"]["impulse.normal"] == "N s"
    export_result(str(tmp_path / "out"), str(tmp_path / "impacts.csv"), ["impacts"])
    with open(tmp_path / "impacts.csv", newline="") as file:
        head, *rows = csv.reader(file)
    assert head[:2] == ["time [s]", "element"] and len(rows) == len(table_of)
    column = head.index("impulse.normal [N s]")
    np.testing.assert_allclose([float(row[column]) for row in rows], table_of["impulse.normal"], rtol=1e-12)


def test_points_in_paraview_carry_axes_local_forces_and_material_points(tmp_path):
    pv = pytest.importorskip("pyvista")
    result = run(tumbling(), tmp_path / "out")
    reader = pv.PVDReader(str(tmp_path / "out" / "contacts.pvd"))
    frame = len(result.time) - 1
    reader.set_active_time_point(frame)
    mesh, contacts = reader.read()[0], result.list("contacts").at(frame)
    assert len(contacts.point) > 0
    for name in (*LOCAL, "local_force", "material_a", "material_b"):
        np.testing.assert_allclose(mesh[name], getattr(contacts, name), atol=1e-12)
        mesh.set_active_vectors(name)  # as glyphs need it


def test_impacts_are_stems_in_a_plot_and_rows_of_a_report(tmp_path):
    pytest.importorskip("matplotlib")
    result = run(hinged_and_falling() + contact_solver(H, 0.6, every=0.06, frames=None), tmp_path / "out")
    figure = result.plot("impacts", "energy.kinetic", file=tmp_path / "impacts.svg")
    curves, stems = figure.axes
    assert stems.get_ylabel().endswith("[N s]") and len(stems.lines) == 2 and len(curves.lines) == 1
    heights = np.concatenate([line.get_ydata() for line in stems.lines])
    np.testing.assert_allclose(np.sort(heights), np.sort(result.impacts.impulse[:, 0]), rtol=1e-12)
    (of_ball,) = result.plot("impacts.ground.ball").axes
    np.testing.assert_array_equal(of_ball.lines[0].get_xdata(), result.impacts.of("ball").time)
    with refused("against", "energy.kinetic"):
        result.plot("impacts", against="energy.kinetic")
    rows = content.impacts(result.raw).rows
    ball_row = next(row for row in rows if row[0] == "contact.ground.ball")
    own = result.impacts.of("ball")
    assert ball_row[1] == len(own) and ball_row[2] == own.impulse[:, 0].max()
    assert ball_row[5] == pytest.approx(own.energy.sum(), rel=1e-12)
    assert "contact.ground.ball" in result.report(tmp_path / "report.html").read_text()
