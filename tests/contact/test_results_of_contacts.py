"""What results say of contacts: forces, statuses, identities, energies, residuals; in Python and in files."""

from __future__ import annotations

import json
from math import cos, radians, sin, sqrt, tan

import numpy as np
import pytest
from mbplugin_contact.solver import ContactSolver
from offered import with_contact
from refusals import refused, stopped
from scene_text import body, solver, table, world
from stored_series import write_series

import mbplugin as mb
from mbplugin import api
from mbplugin.cli.info import info_result
from mbplugin.cli.run import summary_text
from mbplugin.errors import PluginError
from mbplugin.viz import Options, gl
from mbplugin.viz.forces import STATUSES
from mbplugin.viz.stage import Stage

G = 9.81
OPEN, STICK, SLIP, NEW = range(4)
pytestmark = pytest.mark.usefixtures("offered")


def run(text):
    return mb.System.from_text(text).run(files=False)


def scene(bodies, plane, step=1e-3, end=0.2, every=0.02, **material):
    """Bodies on one plane, all of one material."""
    text = world(collide=True, material="m", shape=[{"type": "plane", **plane}])
    text += table("material", name="m", **material) + bodies
    return text + solver(type="contact", step=step, end=end) + table("output", every=every)


def stack(n, order=1, **keys):
    """Boxes of 1, 2, 3, ... kg on the plane "floor", in the order of the scene or the other one (−1)."""
    bodies = "".join(
        body(
            f"box{k}",
            collide=True,
            material="m",
            mass=k + 1.0,
            inertia=[(k + 1) / 600] * 3,
            position=[0, 0, 0.05 + 0.1 * k],
            shape=[{"type": "box", "size": [0.1, 0.1, 0.1]}],
        )
        for k in range(n)[::order]
    )
    return scene(bodies, {"name": "floor", "size": [1, 1]}, **{"step": 2e-3, "friction": 0.5} | keys)


def slope(angle, shape, height, v0=0.0, **keys):
    """A body of 2 kg on a slope."""
    turn = {"axis": [0, 1, 0], "angle": angle}
    along, normal = axes(angle)
    one = body(
        "block",
        collide=True,
        material="m",
        mass=2.0,
        inertia=[0.4 * 2.0 * 0.01] * 3,
        position=list(height * normal),
        orientation=turn,
        velocity=list(v0 * along),
        shape=[shape],
    )
    return scene(one, {"size": [2, 2], "orientation": turn}, **keys)


def axes(angle):
    """Unit vectors down the slope and normal to it."""
    return np.array([cos(angle), 0, -sin(angle)]), np.array([sin(angle), 0, cos(angle)])


BLOCK = {"type": "box", "size": [0.3, 0.3, 0.2]}
ANGLE = radians(20)


def sliding(**keys):
    return slope(ANGLE, BLOCK, 0.1, v0=0.4, friction=0.5 * tan(ANGLE), **keys)


def bouncing(restitution, **keys):
    ball = body(
        "ball",
        collide=True,
        material="m",
        mass=2.0,
        inertia=[0.008] * 3,
        position=[0, 0, 0.3],
        shape=[{"type": "sphere", "radius": 0.1}],
    )
    return scene(ball, {"size": [2, 2]}, restitution=restitution, **{"end": 0.6, "every": 1e-3} | keys)


def in_module(text):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(api, "plugins", with_contact)
        return run(text)


@pytest.fixture(scope="module")
def stacked():
    return in_module(stack(3))


@pytest.fixture(scope="module")
def slid():
    return in_module(sliding())


@pytest.fixture(scope="module")
def bounced():
    return in_module(bouncing(0.5))


def test_the_ground_carries_the_weight_of_a_stack(stacked):
    weight = stacked.contact("ground", "box0").force / (6 * G)
    np.testing.assert_allclose(weight, np.tile([0, 0, 1], (len(weight), 1)), atol=1e-6)
    np.testing.assert_allclose(stacked.contact("box0", "ground").force, -6 * G * weight, atol=1e-12)


def test_every_box_carries_what_stands_on_it(stacked):
    for below, above, mass in (("box0", "box1", 5), ("box1", "box2", 3)):
        pair = stacked.contact(below, above)
        np.testing.assert_allclose(pair.force[-1], [0, 0, mass * G], atol=1e-6)
        assert pair.normal_force[-1] == pytest.approx(mass * G, rel=1e-6)
        np.testing.assert_allclose(pair.torque[-1], 0.0, atol=1e-6)
        assert pair.gap[-1] == pytest.approx(0.0, abs=1e-9)
        assert 3 <= pair.count[-1] <= 4
    apart = stacked.contact("box0", "box2")
    assert not apart.force.any() and not apart.count.any() and np.isnan(apart.gap).all()


def test_a_shape_has_its_own_sum(stacked):
    named = stacked.contact("floor", "box0_0")
    np.testing.assert_array_equal(named.force, stacked.contact("ground", "box0").force)
    with refused("contact", "flor"):
        stacked.contact("flor", "box0")


def test_the_torque_of_a_slope_on_a_block_is_about_its_mass_centre(slid):
    # the block does not turn: normal forces balance the moment of friction, 0.1 m below the mass centre
    pair = slid.contact("ground", "block")
    along, normal = axes(ANGLE)
    load = 2 * G * cos(ANGLE)
    np.testing.assert_allclose(pair.torque[1:], 0.0, atol=1e-9 * load)
    force = load * (normal - 0.5 * tan(ANGLE) * along)
    np.testing.assert_allclose(pair.force[1:], np.tile(force, (len(pair.force) - 1, 1)), atol=1e-9 * load)


def test_a_contact_is_new_then_sticks_with_static_friction_from_the_start():
    text = slope(ANGLE, BLOCK, 0.1, friction=0.5, friction_static=0.6)
    contacts = run(text).list("contacts")
    assert set(contacts.at(0).status) == {NEW}
    np.testing.assert_allclose(contacts.at(0).friction, 0.6, rtol=1e-15)
    for i in range(1, 11):
        now = contacts.at(i)
        loaded = np.linalg.norm(now.force, axis=1) > 1e-9
        assert loaded.sum() >= 2 and set(now.status[loaded]) == {STICK}
        np.testing.assert_allclose(now.friction, 0.6, rtol=1e-15)
        assert now.slip_speed.max() < 1e-12 and now.residual.max() < 1e-12


def test_a_block_slides_with_the_speed_of_the_closed_form(slid):
    contacts, along = slid.list("contacts"), axes(ANGLE)[0]
    assert set(contacts["body_a"]) == {-1} and set(contacts["body_b"]) == {0}
    acceleration = G * (sin(ANGLE) - 0.5 * tan(ANGLE) * cos(ANGLE))
    for i in range(1, 11):
        now, t = contacts.at(i), slid.time[i]
        assert len(now.status) == 4 and set(now.status) == {SLIP}
        speed = 0.4 + acceleration * t
        np.testing.assert_allclose(now.slip_speed, speed, rtol=1e-9)
        np.testing.assert_allclose(now.velocity_after, np.tile(speed * along, (4, 1)), atol=1e-9)
        before = (speed - acceleration * 1e-3) * along
        np.testing.assert_allclose(now.velocity_before, np.tile(before, (4, 1)), atol=1e-9)
        np.testing.assert_allclose(now.cone_distance, 0.0, atol=1e-9)


def test_the_distance_to_the_cone_is_that_of_a_rolling_ball():
    ball = slope(ANGLE, {"type": "sphere", "radius": 0.1}, 0.1, friction=0.5)
    now = run(ball).list("contacts").at(-1)
    load, friction = 2 * G * cos(ANGLE), 2 / 7 * 2 * G * sin(ANGLE)
    assert now.cone_distance == pytest.approx([(0.5 * load - friction) / sqrt(1.25)], rel=1e-6)
    assert list(now.status) == [STICK]


def test_both_points_of_a_contact_are_where_the_bodies_are_in_the_frame(bounced):
    contacts, heights = bounced.list("contacts"), bounced["ball"].position[:, 2] - 0.1
    frames = np.repeat(np.arange(len(bounced.time)), np.diff(contacts.offset))
    assert np.ptp(heights[frames]) > 1e-4
    apart = np.einsum("ij,ij->i", contacts["point"] - contacts["point_a"], contacts["normal"])
    np.testing.assert_allclose(apart, heights[frames], atol=1e-12)


def test_an_identity_lasts_while_features_touch(slid, stacked):
    for result, count in ((slid, 4), (stacked, 12)):
        contacts = result.list("contacts")
        for i in range(len(result.time)):
            assert sorted(contacts.at(i).identity) == list(range(1, count + 1))


def test_a_ball_that_comes_back_is_a_new_contact(bounced):
    contacts = bounced.list("contacts")
    new = contacts["status"] == NEW
    frames = np.repeat(np.arange(len(bounced.time)), np.diff(contacts.offset))
    hits = contacts["identity"][new & (frames > 0)]
    # 0.2 m above the floor, e = 1/2: lands at 0.202 s, 0.404 s, 0.505 s, 0.555 s, 0.580 s, ...
    assert list(bounced.time[frames[new]][:3]) == pytest.approx([0.202, 0.404, 0.505], abs=5e-3)
    assert len(set(hits)) == len(hits)
    assert bounced.output("contact.impacts")[[150, 300, 450, 530]] == pytest.approx([0, 1, 2, 3])


def test_friction_takes_its_force_times_the_distance(slid):
    distance = np.linalg.norm(slid["block"].position - slid["block"].position[0], axis=1)
    expected = 0.5 * tan(ANGLE) * 2 * G * cos(ANGLE) * distance
    np.testing.assert_allclose(slid.energy.friction, expected, rtol=1e-9, atol=1e-12)
    assert abs(slid.energy.impacts).max() < 1e-12 and not slid.energy.dissipated.any()
    assert abs(slid.energy.balance).max() < 1e-12 * slid.energy.kinetic.max()


def test_an_impact_takes_what_restitution_does_not_give_back(bounced):
    # first order in the step
    first = bounced.energy.impacts[300]
    assert first == pytest.approx((1 - 0.5**2) * 2 * G * 0.2, rel=0.02)
    assert abs(bounced.energy.friction).max() == 0.0
    assert abs(bounced.energy.balance).max() < 1e-11 * bounced.energy.kinetic.max()


def test_outputs_say_how_steps_ended(stacked, bounced):
    assert {name: unit for name, unit in stacked.outputs.items() if name.startswith("contact.")} == {
        "contact.penetration": "m",
        "contact.residual": "m/s",
        "contact.relative_residual": "1",
        "contact.sweeps": "1",
        "contact.factorizations": "1",
        "contact.missed": "1",
        "contact.impacts": "1",
    }
    assert stacked.output("contact.residual").max() <= 1e-6 * G * 2e-3
    assert not stacked.output("contact.missed").any()
    for result in (stacked, bounced):
        contacts = result.list("contacts")
        # of many frames every seventh
        for i, residual in list(enumerate(result.output("contact.residual")))[:: 1 + 6 * (result is bounced)]:
            largest = contacts.at(i).residual.max(initial=0.0)
            assert largest == pytest.approx(residual, rel=0.1, abs=1e-14)
    assert (bounced.list("contacts")["status"] == OPEN).any()
    said = [m.text for m in stacked.messages if m.text.startswith("contacts: ")]
    assert len(said) == 1 and "every step reached its residual, 2.0e-08 m/s" in said[0]


@pytest.fixture
def hasty(monkeypatch):
    """Steps of two sweeps and no factorization."""
    arrays = ContactSolver.arrays.__func__

    def changed(cls, problem, params, chosen):
        contacts = arrays(cls, problem, params, chosen)
        contacts.record[0].sweeps, contacts.record[0].only_sweeps = 2, 1
        return contacts

    monkeypatch.setattr(ContactSolver, "arrays", classmethod(changed))


def test_steps_that_miss_their_residual_are_counted_with_the_worst_pair(hasty, tmp_path, capsys):
    result = mb.System.from_text(stack(3, order=-1, end=0.02, every=2e-3)).run(tmp_path / "out")
    contacts, residual = result.list("contacts"), result.output("contact.residual")
    missed = residual[1:] > 1e-6 * G * 2e-3
    assert missed.sum() >= 3
    np.testing.assert_array_equal(result.output("contact.missed")[1:], np.cumsum(missed))
    worst = 1 + int(np.argmax(residual[1:]))
    now = contacts.at(worst)
    k = int(np.argmax(now.residual))
    assert now.residual[k] == pytest.approx(residual[worst], rel=1e-9)
    names = [*result.bodies, "ground"]
    assert (now.body_a[k], now.body_b[k]) != (now.body_a[0], now.body_b[0])
    pair = f'between "{names[now.body_a[k]]}" and "{names[now.body_b[k]]}"'
    (said,) = [m for m in result.messages if m.text.startswith("contacts: ")]
    assert said.level == "warning" and said.text.startswith(
        f"contacts: {missed.sum()} of 10 steps missed their residual, 2.0e-08 m/s; "
        f"the worst is {residual[worst]:.1e} at t = {result.time[worst]:.6g} s, {pair}; 0 impacts"
    )
    assert said.text in summary_text(result.summary, 1.0).splitlines()
    info_result(str(result.folder), False)
    assert said.text in capsys.readouterr().out
    info_result(str(result.folder), True)
    assert "contacts" in json.loads(capsys.readouterr().out)["lists"]


def test_a_resumed_run_has_the_same_contacts(tmp_path):
    text = bouncing(0.5, end=0.45, every=0.01)
    whole = mb.System.from_text(text).run(tmp_path / "whole")
    mb.System.from_text(text).run(tmp_path / "two", end=0.3)
    two = mb.System.from_text(text).run(tmp_path / "two", resume=True)
    for name in ("identity", "status", "force", "velocity_after"):
        np.testing.assert_array_equal(two.list("contacts")[name], whole.list("contacts")[name])
    for name in ("friction", "impacts", "balance"):
        np.testing.assert_array_equal(getattr(two.energy, name), getattr(whole.energy, name))
    np.testing.assert_array_equal(two.output("contact.impacts"), whole.output("contact.impacts"))


def test_points_in_paraview_carry_what_the_list_does(tmp_path):
    pv = pytest.importorskip("pyvista")
    result = mb.System.from_text(sliding(end=0.06)).run(tmp_path / "out")
    write_series(result.raw, tmp_path / "again")
    for folder in (tmp_path / "out", tmp_path / "again"):
        reader = pv.PVDReader(str(folder / "contacts.pvd"))
        for frame in range(4):
            reader.set_active_time_point(frame)
            mesh, contacts = reader.read()[0], result.list("contacts").at(frame)
            np.testing.assert_allclose(mesh.points, contacts.point, atol=1e-6)
            for name in ("force", "velocity_after", "slip_speed", "cone_distance"):
                assert np.array_equal(mesh[name], getattr(contacts, name)), name
            assert list(mesh["status"]) == ([NEW] * 4 if frame == 0 else [SLIP] * 4)
            assert list(mesh["identity"]) == list(contacts.identity)


@pytest.mark.skipif(not gl.can_draw(), reason="VTK finds no GL library")
def test_pictures_show_forces_in_the_colour_of_their_status(stacked, slid, tmp_path):
    """Where an arrow points up at a corner, the picture has the colour of its status."""
    colours = [tuple(int(code[k : k + 2], 16) for k in (1, 3, 5)) for _, code in STATUSES]
    for result, status in ((stacked, STICK), (slid, SLIP)):
        stage = Stage(result.raw, result.raw.gravity, Options(size=(640, 360), forces=True))
        stage.show(len(result.time) - 1)
        stage.plotter.render()
        picture = stage.plotter.screenshot(return_img=True)[..., :3].astype(int)
        contacts = result.list("contacts").at(-1)
        middles = contacts.point + 0.25 * stage.scale.arrows(contacts.force)
        renderer = stage.plotter.renderer
        seen = []
        for x in middles:
            renderer.SetWorldPoint(*x, 1.0)
            renderer.WorldToDisplay()
            column, row = (int(c) for c in renderer.GetDisplayPoint()[:2])
            seen.append(picture[359 - row - 1 : 359 - row + 2, column - 1 : column + 2].reshape(-1, 3))
        stage.close()
        for pixels in seen:
            near = [np.abs(pixels - colour).max(axis=1).min() for colour in colours]
            assert int(np.argmin(near)) == status and min(near) < 60


def test_a_solver_that_leaves_out_a_contact_array_is_named(monkeypatch):
    monkeypatch.setattr(ContactSolver, "describe_contacts", staticmethod(lambda problem: {}))
    with stopped(PluginError, "contact", "describe_contacts", "contact_arrays", "cone_distance"):
        run(stack(1, end=0.01))


@pytest.mark.parametrize(
    ("changes", "names"),
    [
        ({"losses": {"heat": "friction_loss"}}, ['"heat"', '"friction"', '"impacts"']),
        ({"losses": {"friction": "residual"}}, ['"residual"', "`stateful_arrays`"]),
        ({"losses": {"friction": "warmth"}}, ['"warmth"']),
    ],
)
def test_a_loss_that_cannot_be_stored_is_named(monkeypatch, changes, names):
    for name, value in changes.items():
        monkeypatch.setattr(ContactSolver, name, value)
    with stopped(PluginError, *names):
        run(stack(1, end=0.01))
