"""Ropes over sheaves of a radius: their length by closed form, tackles, forces on sheaves, statics, modes."""

from __future__ import annotations

import numpy as np
import pytest
from mbplugin_joints.ropes import Rope
from refusals import refused, stopped
from scene_text import body, joint, solver, table, world

import mbplugin as mb
from mbplugin.errors import PhysicsError
from mbplugin.math import rope_path
from mbplugin.testing import check_constraint, samples

HOW = {
    "rk": {"tolerance": 1e-10},
    "galpha": {"type": "galpha", "step": 1e-3},
    "contact": {"type": "contact", "step": 1e-3},
}
NEAR = {"rk": 1e-9, "galpha": 3e-5, "contact": 1e-6}
each = pytest.mark.parametrize(
    ("how", "coordinates"), [(how, coordinates) for how in HOW for coordinates in ("maximal", "joint")]
)
G, MASS = 9.81, {"mass": 1.0, "inertia": [0.1, 0.1, 0.1]}


def belt(x, rho) -> tuple[float, np.ndarray]:
    """Length and wraps of a belt in the plane over circles that it runs round with their centres x (n, 2) on
    its left, or of a negative radius on its right. It goes from one to the next in the direction ψ −
    asin((ρ₂ − ρ₁)/D), ψ that of the line of centres of length D, for √(D² − (ρ₂ − ρ₁)²).
    """
    d, step = np.diff(x, axis=0), np.diff(rho)
    D = np.hypot(d[:, 0], d[:, 1])
    direction = np.arctan2(d[:, 1], d[:, 0]) - np.arcsin(step / D)
    wraps = (np.sign(rho[1:-1]) * np.diff(direction)) % (2 * np.pi)
    return float(np.sqrt(D**2 - step**2).sum() + np.abs(rho[1:-1]) @ wraps), wraps


def rope(*markers: str, **keys) -> str:
    return table("joint", name="line", type="rope", markers=list(markers), **keys)


@pytest.mark.parametrize("seed", range(3))
def test_the_length_is_that_of_a_belt_at_many_poses(seed):
    """Five bodies that pass each other and turn, of which two carry sheaves, and one an eye."""
    random = np.random.default_rng(seed)
    start = np.array([[0, 0], [1, 2], [3, -1.5], [5, 0], [7, -1.0]]) + random.uniform(-0.2, 0.2, (5, 2))
    speed, radius = random.uniform(-0.4, 0.4, (5, 2)), random.uniform(0.1, 0.4, 2)
    text = world(gravity=[0, 0, 0])
    for k in range(5):
        spin = [0, 0, random.normal()]
        moving = {"position": [*start[k], 0], "velocity": [*speed[k], 0], "angular_velocity": spin}
        text += body(f"b{k}", **MASS, **moving)
    radii = [radius[0], 0.0, radius[1]]
    text += rope(*(f"b{k}" for k in range(5)), radius=radii, axis=[0, 0, 1], length=20.0)
    text += solver(end=1.0) + table("output", frames=10)
    result = mb.System.from_text(text).run(files=False)
    # down over the first, under the eye, and down over the last
    rho = np.array([0.0, -radius[0], 0.0, -radius[1], 0.0])
    x = np.stack([result[f"b{k}"].position[:, :2] for k in range(5)], axis=1)
    lengths = [belt(each, rho)[0] for each in x]
    np.testing.assert_allclose(20.0 - result.output("line.slack"), lengths, rtol=1e-13)
    assert np.ptp(lengths) > 0.1


@pytest.mark.parametrize("senses", ["++", "+-", "-+", "--"])
def test_either_side_of_a_sheave_can_be_chosen(senses):
    x, radii = np.array([[0.0, 0.0], [1.0, 0.3], [2.2, -0.2], [3.0, 0.5]]), [0.2, 0.3]
    text = world(gravity=[0, 0, 0], marker=[{"name": "hook", "position": [0, 0, 0]}])
    for k in (1, 2, 3):
        text += body(f"b{k}", **MASS, position=[*x[k], 0])
    ways = ["positive" if sense == "+" else "negative" for sense in senses]
    rho = np.array([0.0, *(r if way == "positive" else -r for r, way in zip(radii, ways)), 0.0])
    length, wraps = belt(x, rho)
    keys = {"radius": radii, "axis": [0, 0, 1], "direction": ways}
    text += rope("ground.hook", "b1", "b2", "b3", length=length + 1e-9, **keys) + solver(end=0.01)
    if (wraps > np.radians(300.0)).any():
        with refused("joint[0].direction"):
            mb.System.from_text(text).run(files=False)
    else:
        result = mb.System.from_text(text).run(files=False)
        assert result.output("line.slack")[0] == pytest.approx(1e-9, abs=1e-14)


def test_between_sheaves_in_planes_across_each_other_a_rope_lies_in_both():
    """From a sheave in the xz plane straight down to one in the yz plane: H, and a quarter turn on each."""
    one, two, H = 0.3, 0.2, 1.0
    x = np.array([[-2.0, 0, one], [-one, 0, 0], [0, -two, -H], [0, -3.0, -H - two]])
    z = np.array([[1.0, 0, 0], [0, 1.0, 0], [1.0, 0, 0], [0, 0, 1.0]])
    rho = np.array([0.0, one, -two, 0.0])
    ends, _, wraps = rope_path.path(x, z, rho)
    np.testing.assert_allclose(ends[1], [[0, 0, 0], [0, 0, -H]], atol=1e-14)
    np.testing.assert_allclose(wraps, [0, np.pi / 2, np.pi / 2, 0], atol=1e-14)
    exact = (2.0 - one) + H + (3.0 - two) + 0.5 * np.pi * (one + two)
    assert rope_path.length(ends, wraps, rho) == pytest.approx(exact, abs=1e-14)
    ends, _, wraps = rope_path.path(x[:, [1, 0, 2]], -z[:, [1, 0, 2]], rho)  # its mirror image
    assert rope_path.length(ends, wraps, rho) == pytest.approx(exact, abs=1e-14)


@pytest.mark.parametrize(
    ("count", "radii"), [(5, [0.02, 0.0, 0.1]), pytest.param(5, [0.02, 0.03, 0.0], marks=pytest.mark.slow)]
)
def test_jacobian_bias_and_tangent_are_those_of_the_path_in_space(count, radii, monkeypatch):
    """Sheaves in any planes: the conformance kit's differences."""
    monkeypatch.setattr(samples, "ANY", count)
    report = check_constraint(Rope, {"radius": radii})
    assert report.ok and len(report.worst) > 8, str(report)


def tackle(how, coordinates, *, heavy=5.0, light=1.5, r=(0.15, 0.2), spin=0.0, end=0.5, **keys):
    """A block in a bight of a rope, which goes on over a fixed sheave to a weight."""
    marks = [{"name": "end", "position": [-r[0], 0, 2]}, {"name": "top", "position": [r[0] + r[1], 0, 2.2]}]
    text = world(gravity=[0, 0, -G], marker=marks)
    text += body("block", mass=heavy, inertia=[0.1, 0.1, 0.1], position=[0, 0, 0])
    text += body("wheel", **MASS, position=[0, 0, 0], angular_velocity=[0, spin, 0])
    text += body("weight", mass=light, inertia=[0.1, 0.1, 0.1], position=[r[0] + 2 * r[1], 0, 0.5])
    text += joint("guide", "translational", "ground", "block", axis=[0, 0, 1])
    text += joint("axle", "revolute", "block", "wheel", axis=[0, 1, 0])
    text += rope("ground.end", "wheel", "ground.top", "weight", radius=list(r), axis=[0, 1, 0], **keys)
    return text + solver(**HOW[how], end=end, coordinates=coordinates) + table("output", frames=20)


@each
def test_a_tackle_moves_by_its_closed_form(how, coordinates):
    """Two strands carry the block, one the weight: A = g (M − 2 m)/(M + 4 m), T = m (g + 2 A). The rope pulls
    along its tangents, 2 T at the wheel's centre, and does not turn it.
    """
    heavy, light, spin = 5.0, 1.5, 7.0
    result = mb.System.from_text(tackle(how, coordinates, heavy=heavy, light=light, spin=spin)).run(
        files=False
    )
    heavy += 1.0  # with its wheel
    a = G * (heavy - 2 * light) / (heavy + 4 * light)
    np.testing.assert_allclose(result["block"].position[:, 2], -0.5 * a * result.time**2, atol=NEAR[how])
    np.testing.assert_allclose(result["weight"].position[:, 2], 0.5 + a * result.time**2, atol=NEAR[how])
    tension = light * (G + 2 * a)
    loads = dict(zip(result.raw.names("loads"), result.raw["loads/wrench"][2:].swapaxes(0, 1)))
    np.testing.assert_allclose(
        loads["line on wheel"], np.tile([0, 0, 2 * tension, 0, 0, 0], (19, 1)), atol=2e-5 * tension
    )
    np.testing.assert_allclose(loads["line on weight"][:, 2], tension, rtol=1e-5)
    assert np.abs(result["wheel"].angular_velocity[:, 1] - spin).max() < 1e-10


@pytest.mark.parametrize("how", HOW)
def test_a_block_that_swings_in_space_keeps_its_energy(how):
    """Askew of its sheaves too; the rope becomes taut, and takes no more."""
    text = world(
        gravity=[0, 0, -G],
        marker=[{"name": "end", "position": [-0.15, 0.1, 3]}, {"name": "top", "position": [0.3, 0, 3.2]}],
    )
    moving = {"velocity": [0.3, 0.4, 0], "angular_velocity": [0, 0, 0.3]}
    text += body("block", mass=5.0, inertia=[0.3, 0.2, 0.1], position=[0, 0, 1], **moving)
    text += body("weight", type="point", mass=2.5, position=[0.5, 0, 1.2], velocity=[0.2, -0.3, 0])
    text += rope(
        "ground.end", "block", "ground.top", "weight", radius=[0.15, 0.2], axis=[0, 1, 0], length=7.4
    )
    text += solver(**HOW[how], end=1.5)
    result = mb.System.from_text(text).run(files=False)
    assert "taut" in [event.after for event in result.events][:2]
    error = {"rk": 1e-8, "galpha": 1e-3, "contact": 2e-3}[how]
    assert np.abs(result.raw["energy/balance"]).max() < error * 30.0
    assert result.output("line.slack").min() > {"rk": -1e-10}.get(how, -1e-6)
    # askew by some degrees
    assert np.abs(result["block"].position[:, 1]).max() > 0.2


D, L, R = 1.2, 3.0, 0.2


def bight(coordinates="maximal") -> str:
    """A block with a sheave in the bight of a rope between two hooks."""
    marks = [{"name": name, "position": [x, 0, 2]} for name, x in (("left", -0.5 * D), ("right", 0.5 * D))]
    text = world(gravity=[0, 0, -G], marker=marks)
    text += body("block", **MASS, position=[0.15, 0, 1])
    text += joint("level", "orientation", "ground", "block")
    text += rope("ground.left", "block", "ground.right", radius=[R], axis=[0, 1, 0], length=L)
    return text + solver(coordinates=coordinates)


def depth(x: float) -> float:
    """How far below the hooks the centre of the block is, on a taut rope."""
    low, high = R + 1e-6, L
    for _ in range(200):
        z = 0.5 * (low + high)
        places = np.array([[-0.5 * D, 0.0], [x, -z], [0.5 * D, 0.0]])
        low, high = (z, high) if belt(places, np.array([0.0, R, 0.0]))[0] < L else (low, z)
    return z


@pytest.mark.parametrize("coordinates", ["maximal", "joint"])
def test_statics_and_the_swing_about_it_are_those_of_the_length(coordinates):
    """D = (l − r (π − 2 β)) sin β + 2 r cos β, T = m g/(2 cos β); ω² = g d²z/dx² along the rope's curve."""
    system = mb.System.from_text(bight(coordinates))
    report = system.analyze("static")
    low, high = 0.0, 0.5 * np.pi
    for _ in range(100):
        beta = 0.5 * (low + high)
        width = (L - R * (np.pi - 2 * beta)) * np.sin(beta) + 2 * R * np.cos(beta)
        low, high = (beta, high) if width < D else (low, beta)
    z = 2.0 - 0.5 * (L - R * (np.pi - 2 * beta)) * np.cos(beta) + R * np.sin(beta)
    np.testing.assert_allclose(report.position[0], [0, 0, z], atol=1e-9)
    (tension,) = (one.force for one in report.bounds)
    assert tension == pytest.approx(MASS["mass"] * G / (2 * np.cos(beta)), rel=1e-9)
    step = 1e-3
    curved = (2 * depth(0.0) - depth(step) - depth(-step)) / step**2
    modes = system.analyze("eigen").modes
    # the other one is out of the plane
    assert len(modes) == 2 and min(abs(m.omega**2 / (G * curved) - 1.0) for m in modes) < 1e-5


@pytest.mark.parametrize(
    ("keys", "key"),
    [
        ({"radius": [0.15]}, "joint[2].radius"),
        ({"radius": [0.15, -0.2]}, "joint[2].radius"),
        ({"radius": [0.15, 2.5]}, "joint[2].radius"),
        ({"direction": ["positive"]}, "joint[2].direction"),
    ],
)
def test_what_has_no_path_is_refused(keys, key):
    text = tackle("rk", "maximal").replace("radius = [0.15, 0.2]\n", "")
    keys = {"radius": [0.15, 0.2]} | keys
    lines = "".join(f"{name} = {value}\n" for name, value in keys.items()).replace("'", '"')
    with refused(key):
        mb.System.from_text(text.replace('name = "line"\n', f'name = "line"\n{lines}')).run(files=False)


def test_the_side_of_a_sheave_on_a_straight_line_has_to_be_given():
    marks = [{"name": "hook", "position": [0, 0, 2]}]
    text = world(marker=marks) + body("sheave", **MASS, position=[0, 0, 1]) + body("load", **MASS)
    text += rope("ground.hook", "sheave", "load", radius=[0.1], axis=[0, 1, 0]) + solver(end=0.1)
    with refused("joint[0].direction"):
        mb.System.from_text(text).run(files=False)


@pytest.mark.parametrize("how", HOW)
def test_a_taut_rope_that_leaves_its_sheave_ends_the_run(how):
    """A bob swings from one side of a peg to the other."""
    peg = {"name": "peg", "position": [-0.05, 0, -0.5]}
    text = world(gravity=[0, 0, -G], marker=[{"name": "hook", "position": [0, 0, 0]}, peg])
    text += body("bob", type="point", mass=1.0, position=[-0.6, 0, -1.0])
    text += rope("ground.hook", "ground.peg", "bob", radius=[0.05], axis=[0, 1, 0])
    text += solver(**HOW[how], end=2.0)
    with stopped(PhysicsError, "line", "has left a sheave", "capstan"):
        mb.System.from_text(text).run(files=False)
