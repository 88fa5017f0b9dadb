"""The cable under joints, forces and weight against closed forms, and the kit."""

import mbplugin_cable
import numpy as np
import pytest

import mbplugin as mb
from mbplugin import api
from mbplugin.hooks.load import load_plugins
from mbplugin.testing import check_body

CABLE = """
[scene]
gravity = [0, 0, -10]
[[body]]
name = "cable"
type = "cable"
length = 2.0
segments = 8
line_density = 0.5
stiffness = 1e3
marker = [{ name = "start", nodes = "start" }, { name = "end", nodes = "end" }, { name = "third", nodes = 3 }]
"""
EYE = """
[[joint]]
name = "eye"
type = "ball"
a = "ground"
b = "cable.start"
"""


@pytest.fixture(autouse=True)
def loaded(monkeypatch):
    plugins = load_plugins(extra=[("mbplugin_cable", mbplugin_cable)])
    monkeypatch.setattr(api, "plugins", lambda: plugins)


@pytest.mark.slow
def test_the_kit():
    report = check_body(mbplugin_cable.Cable)
    assert report.ok, f"\n{report}"


@pytest.mark.parametrize("density", ["1e-6", "1e-9", "1e-12"])
def test_a_loaded_cable_hangs_straight_down(density):
    """A weight on the end: it is longer by m g l / E A, however light its nodes are."""
    light = CABLE.replace("line_density = 0.5", f"line_density = {density}")
    ball = """
[[body]]
name = "ball"
mass = 3.0
inertia = [1e-9, 1e-9, 1e-9]
position = [2, 0, 0]
[[joint]]
name = "hook"
type = "ball"
a = "cable.end"
b = "ball"
"""
    hanging = light.replace(
        'type = "cable"', 'type = "cable"\norientation = { axis = [0, 1, 0], angle_deg = 90 }'
    ) + (ball + EYE).replace("[2, 0, 0]", "[0, 0, -2]")
    report = mb.System.from_text(hanging).analyze("static")
    length = 2.0 * (1.0 + 3.0 * 10.0 / 1e3)
    np.testing.assert_allclose(report.position[1], [0.0, 0.0, -length], atol=1e-6)


def test_a_free_cable_falls():
    system = mb.System.from_text(CABLE + '[solver]\ntype = "rk"\nend = 0.5\n')
    result = system.run(files=False)
    np.testing.assert_allclose(result["cable"].position[-1], [0, 0, -0.5 * 10 * 0.25], atol=1e-9)


def test_a_spherical_joint_holds_an_end_and_carries_the_weight():
    system = mb.System.from_text(CABLE + EYE + '[solver]\ntype = "rk"\nend = 1e-6\n')
    result = system.run(files=False)
    # at rest along x without tension: only the first node, of half a segment, hangs in the eye
    np.testing.assert_allclose(result.joint("eye").force[0], [0, 0, 0.5 * 0.25 * 0.5 * 10], atol=1e-9)


def test_a_ball_falls_into_a_vertical_cable():
    """The force on the eye is what changes the momentum of cable and ball; energy is kept."""
    text = CABLE.replace(
        'type = "cable"', 'type = "cable"\norientation = { axis = [0, 1, 0], angle_deg = 90 }'
    )
    text += EYE
    text += """
[[body]]
name = "ball"
mass = 2.0
inertia = [0.1, 0.1, 0.1]
position = [0, 0, -2]
[[joint]]
name = "knot"
type = "ball"
a = "cable.end"
b = "ball"
[solver]
type = "rk"
end = 1.0
"""
    result = mb.System.from_text(text).run(files=False)
    assert np.abs(result.energy.balance).max() < 1e-6
    np.testing.assert_allclose(result["cable"].center_of_mass[-1, :2], 0.0, atol=1e-12)
    # vertical motion of both is driven by gravity and the eye alone
    momentum = 1.0 * result["cable"].velocity[:, 2] + 2.0 * result["ball"].velocity[:, 2]
    impulse = np.gradient(momentum, result.time) - result.joint("eye").force[:, 2] + 3.0 * 10
    assert np.abs(impulse[50:-50]).max() < 0.02 * np.abs(result.joint("eye").force[:, 2]).max()


def test_a_cable_falls_on_the_floor_and_lies_there():
    """All nodes come to rest at their radius, and the floor carries the weight."""
    text = CABLE.replace(
        "segments = 8", "segments = 8\nradius = 0.01\ncollide = true\nposition = [0, 0, 0.05]"
    )
    text = text.replace("[scene]", '[scene]\ncollide = true\nshape = [{ type = "plane" }]')
    result = mb.System.from_text(text + '[solver]\ntype = "contact"\nstep = 1e-3\nend = 0.3\n').run(
        files=False
    )
    contacts = result.list("contacts").at(-1)
    assert len(contacts.force) == 9
    np.testing.assert_allclose(contacts.force.sum(axis=0), [0, 0, 10.0], atol=1e-9)
    np.testing.assert_allclose(contacts.gap, 0.0, atol=1e-6)
    np.testing.assert_allclose(result["cable"].center_of_mass[-1, 2], 0.01, atol=1e-6)


def test_a_ball_on_a_stretched_cable_is_carried_by_its_nodes():
    """Three bodies in one contact problem: the ball, the cable, and momentum balanced by the two eyes."""
    text = CABLE.replace("segments = 8", "segments = 8\nradius = 0.01\ncollide = true")
    text += """
[[body]]
name = "ball"
mass = 0.3
inertia = [0.01, 0.01, 0.01]
position = [1.0, 0, 0.13]
velocity = [0, 0, -0.5]
collide = true
shape = [{ type = "sphere", radius = 0.1 }]
[[joint]]
name = "left"
type = "ball"
a = "ground"
b = "cable.start"
[[joint]]
name = "right"
type = "ball"
a = "ground"
b = "cable.end"
[solver]
type = "contact"
step = 5e-4
end = 0.2
"""
    result = mb.System.from_text(text).run(files=False)
    assert len(result.list("contacts").at(-1).force) >= 1
    assert np.abs(result.energy.balance).max() < 1e-3
    weight, t = 1.3 * 10.0, result.time
    forces = result.joint("left").force[:, 2] + result.joint("right").force[:, 2] - weight
    momentum = 1.0 * result["cable"].center_of_mass_velocity[:, 2] + 0.3 * result["ball"].velocity[:, 2]
    np.testing.assert_allclose(result["cable"].center_of_mass[:, 1], 0.0, atol=1e-9)
    drift = (
        momentum
        - momentum[0]
        - np.concatenate([[0], np.cumsum(0.5 * (forces[1:] + forces[:-1]) * np.diff(t))])
    )
    assert np.abs(drift).max() < 0.05


def test_what_dampers_take_is_booked():
    """A weight falls on a damped cable: potential energy goes into the dampers, and none is lost."""
    damped = CABLE.replace("stiffness = 1e3", "stiffness = 1e3\ndamping = 20.0")
    damped += EYE
    damped += """
[[force]]
type = "force"
body = "cable.end"
force_x = 30
[solver]
type = "rk"
tolerance = 1e-9
end = 0.5
"""
    raw = mb.System.from_text(damped).run(files=False).raw
    assert raw["energy/dissipated"][-1] > 0.1
    assert np.abs(raw["energy/balance"]).max() < 1e-6


def test_a_step_above_the_stable_one_is_refused():
    """Its damping allows 0.16 ms; the highest frequency alone would allow 5 ms."""
    damped = CABLE.replace("stiffness = 1e3", "stiffness = 1e3\ndamping = 100.0")
    with pytest.raises(mb.errors.SceneError, match="cable"):
        mb.System.from_text(damped + '[solver]\ntype = "contact"\nstep = 1e-3\nend = 0.1\n').run(files=False)
