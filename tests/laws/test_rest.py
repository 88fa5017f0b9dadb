"""Mechanisms at rest stay at rest: every type of joint hangs or lies in balance for five seconds at a tight
tolerance, in axes whose directions are rounded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from headless import finish
from scene_text import body, joint, solver, spring, table, world
from scipy.spatial.transform import Rotation

from mbplugin.hooks.load import load_plugins

OFFERS = load_plugins()[0].offers["constraint type"]
KINDS = [name for name, offers in OFFERS.items() if offers[0].distribution == "mbplugin"]
END, MASS, GRAVITY = 5.0, 1.3, 9.80665
LAWS = {"penalty": "penalty", "augmented": {"type": "penalty", "augment": True}}
AS_IT_IS = Rotation.identity()
#: types without rows of their own that a law could hold
EXACT_ALONE = ("actuator",)


@dataclass
class Place:
    """Where a mechanism stands, which is described with z upwards from the origin, and how its bodies are
    oriented.
    """

    place: Rotation = AS_IT_IS
    bodies: Rotation = AS_IT_IS
    origin: Any = (0, 0, 0)

    def world(self, **keys):
        return world(gravity=self.place.apply([0, 0, -GRAVITY]), **keys)

    def at(self, *x):
        return self.origin + self.place.apply(x)

    def marker(self, name, x=0, local=AS_IT_IS):
        """A marker of the ground."""
        return {"name": name, "position": self.at(x, 0, 0), "orientation": quaternion(self.place * local)}

    def bob(self, name, *x, marker=None, height=0.0, local=AS_IT_IS):
        """A body, and a marker at a height above its mass centre."""
        to_body = self.bodies.inv() * self.place
        frame = {"position": to_body.apply([0, 0, height]), "orientation": quaternion(to_body * local)}
        return body(
            name,
            mass=MASS,
            inertia=[0.1, 0.2, 0.25],
            position=self.at(*x),
            orientation=quaternion(self.bodies),
            marker=None if marker is None else [{"name": marker, **frame}],
        )

    def joint(self, name, kind, a, b, at=(0, 0, 0), axis=None, **keys):
        axis = None if axis is None else self.place.apply(axis)
        return joint(name, kind, a, b, at=self.at(*at), axis=axis, **keys)


def about(axis, degrees):
    return Rotation.from_rotvec(np.radians(degrees) * np.array(axis) / np.linalg.norm(axis))


def quaternion(rotation):
    x, y, z, w = rotation.as_quat()
    return {"quaternion": [w, x, y, z]}


PLACES = {
    "upright": Place(),
    "quarter": Place(about([0, 1, 0], 90), about([1, 0, 0], -90), (1, 2, 3)),
    "third": Place(bodies=about([1, 1, 1], 120)),
    "aslant": Place(about([1, 2, 3], 40), about([3, 2, 1], 33), (-4, 0.3, 20)),
}


def hanging(kind, axis=(0, 1, 0), **keys):
    """A body whose mass centre is below its joint."""
    return lambda place, e: (
        place.world()
        + place.bob("b", 0, 0, -0.5)
        + place.joint("tried", kind, "ground", "b", axis=axis, enforce=e, **keys)
    )


def on_a_ball(kind, axis=(0, 0, 1), **keys):
    """The same where a ball joint holds the weight."""
    return lambda place, e: hanging(kind, axis, **keys)(place, e) + place.joint("ball", "ball", "ground", "b")


def at_an_angle(place, e):
    """The same with markers whose axes are 45° apart."""
    return (
        place.world(marker=[place.marker("g")])
        + place.bob("b", 0, 0, -0.5, marker="m", height=0.5, local=about([1, 0, 0], 45))
        + joint("tried", "axes_at_angle", "ground.g", "b.m", enforce=e)
        + place.joint("ball", "ball", "ground", "b")
    )


def disc(kind):
    """A disc below the plane on which it rolls."""

    def scene(place, e):
        text = place.world(marker=[place.marker("plane", local=about([1, 0, 0], 180))])
        text += place.bob("b", 0, 0, -0.5, marker="axle", local=about([1, 0, 0], 90))
        text += joint("tried", kind, "ground.plane", "b.axle", radius=0.5, enforce=e)
        if kind == "wheel":
            text += place.joint("height", "point_on_plane", "ground", "b", (0, 0, -0.5), (0, 0, 1))
        return text

    return scene


def pair(kind, second="revolute", **keys):
    """Two pendulums, or one and a level slider, with a relation between their coordinates."""
    return lambda place, e: (
        place.world()
        + place.bob("p", 0, 0, -0.5)
        + place.bob("q", 1, 0, -0.5)
        + place.joint("one", "revolute", "ground", "p", axis=(0, 1, 0))
        + place.joint("two", second, "ground", "q", (1, 0, 0), (0, 1, 0))
        + table("joint", name="tried", type=kind, joints=["one", "two"], enforce=e, **keys)
    )


def pulley(place, e):
    return (
        place.world(marker=[place.marker("w0"), place.marker("w1", 1)])
        + place.bob("p", 0, 0, -0.5)
        + place.bob("q", 1, 0, -0.8)
        + table("joint", name="tried", type="pulley", markers=["ground.w0", "p", "ground.w1", "q"], enforce=e)
    )


def planar(place, e):
    down = place.place.apply([0, 0, -0.5])[[0, 2]]
    down *= 0.5 / np.linalg.norm(down)
    return (
        world(gravity=GRAVITY * 2 * np.array([down[0], 0, down[1]]), plane="xz")
        + body("b", type="planar", mass=MASS, inertia=0.2, position=down + 3)
        + joint("tried", "pin", "ground", "b", at=[3, 3], enforce=e)
    )


def on_a_wire(place, e):
    """A body that hangs on the lowest point of a wire."""
    return (
        place.world(marker=[place.marker("g")])
        + place.bob("b", 0, 0, -0.5, marker="m", height=0.5)
        + table("curve", name="wire", body="ground.g", x="s", z="0.8*s**2", range=[-1, 1])
        + joint("tried", "point_on_curve", "ground.g", "b.m", curve="wire", enforce=e)
    )


def below_a_rim(place, e):
    """A body whose round rim hangs below a round one, in a plane."""
    flat = about([1, 0, 0], 90)
    circle = lambda name, owner, r: table(
        "curve", name=name, body=owner, x=f"{r}*cos(s)", y=f"{r}*sin(s)", range=[0, "2*pi"], closed=True
    )
    return (
        place.world(marker=[place.marker("g", local=flat)])
        + place.bob("b", 0, 0, -0.5, marker="m", local=flat)
        + circle("rim", "ground.g", 0.3)
        + circle("roller", "b.m", 0.2)
        + joint("flat", "planar", "ground.g", "b.m")
        + joint("tried", "curve_on_curve", "ground.g", "b.m", curve_a="rim", curve_b="roller", enforce=e)
    )


RESTS = {
    **{kind: hanging(kind) for kind in ("revolute", "ball", "fixed", "cylindrical", "universal")},
    **{kind: hanging(kind) for kind in ("constant_velocity", "translational", "rod")},
    **{kind: hanging(kind) for kind in ("point_on_line", "in_line", "slot")},
    **{kind: hanging(kind, axis=(0, 0, 1)) for kind in ("planar", "point_on_plane")},
    **{kind: on_a_ball(kind) for kind in ("parallel", "orientation", "universal_rotation")},
    **{kind: disc(kind) for kind in ("rolling_disc", "wheel")},
    "screw": hanging("screw", pitch=0.1),
    "actuator": hanging("actuator", length=0.5),
    "axes_at_angle": at_an_angle,
    "pin": planar,
    "coupler": pair("coupler", factors=[1.0, 2.0]),
    "gear": pair("gear", radii=[0.1, 0.2]),
    "rack": pair("rack", second="translational", radius=0.1),
    "pulley": pulley,
    "point_on_curve": on_a_wire,
    "curve_on_curve": below_a_rim,
}


def lift(place, e):
    """A slider along the weight, which the spring of its coordinate holds."""
    return (
        place.world()
        + place.bob("b", 0, 0, -0.5)
        + place.joint(
            "tried",
            "translational",
            "ground",
            "b",
            axis=(0, 0, 1),
            stiffness=1e5,
            rest=MASS * GRAVITY / 1e5,
            enforce=e,
        )
    )


def hung_on_a_spring(place, _):
    return (
        place.world(marker=[place.marker("w")])
        + place.bob("b", 0, 0, -0.5)
        + spring("ground.w", "b", stiffness=1e4, length=0.5 - MASS * GRAVITY / 1e4)
    )


def four_bar(*kinds):
    """A parallelogram that hangs straight down."""

    def scene(place, e):
        ends = (("ground", "p"), ("p", "r"), ("r", "q"), ("q", "ground"))
        points = ((0, 0, 0), (0, 0, -1), (1, 0, -1), (1, 0, 0))
        text = place.world() + place.bob("p", 0, 0, -0.5) + place.bob("q", 1, 0, -0.5)
        text += place.bob("r", 0.5, 0, -1)
        for k, (kind, (a, b), x) in enumerate(zip(kinds, ends, points)):
            text += place.joint(f"j{k}", kind, a, b, x, (0, 1, 0), enforce=e)
        return text

    return scene


MORE = {
    "lift": lift,
    "spring": hung_on_a_spring,
    "four_bar": four_bar("revolute", "ball", "universal", "revolute"),
    "redundant_loop": four_bar("revolute", "revolute", "revolute", "revolute"),
}


def test_every_type_of_joint_is_here():
    """But those that only push or pull, which tests/bounded loads."""
    assert set(RESTS) == {name for name in KINDS if OFFERS[name][0].thing.row_type == "equality"}


def furthest(runs, text):
    """How far a body is from where it was, after five seconds [m]."""
    prepared = runs.prepare(text + solver(integrator="dop853", tolerance=1e-12, end=END))
    integrator = prepared.start(END)
    before = prepared.recorder.frame()["bodies/position"].copy()
    finish(integrator, END)
    integrator.show(END)
    return np.abs(prepared.recorder.frame()["bodies/position"] - before).max()


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("mechanism", [*RESTS, *MORE])
def test_a_mechanism_at_rest_stays_at_rest(runs, mechanism, place):
    scene = (RESTS | MORE)[mechanism]
    assert furthest(runs, scene(PLACES[place], None)) < 1e-12


def with_places(*names: str) -> list[Any]:
    """(mechanism, place) of each mechanism with each place: the first ones in turn, the others are slow."""
    mechanisms = [name for name in (*RESTS, *MORE) if name not in EXACT_ALONE]
    return [
        pytest.param(mechanism, place, marks=() if (k + n) % len(names) == 0 else pytest.mark.slow)
        for k, mechanism in enumerate(mechanisms)
        for n, place in enumerate(names)
    ]


@pytest.mark.parametrize("law", ["penalty", "augmented"])
@pytest.mark.parametrize(("mechanism", "place"), with_places("third", "quarter", "upright"))
def test_so_does_one_whose_joints_yield(runs, mechanism, law, place):
    """A penalty gives way by 1e-4 of the size and comes to rest there."""
    scene = (RESTS | MORE)[mechanism]
    assert furthest(runs, scene(PLACES[place], LAWS[law])) < (1e-3 if law == "penalty" else 1e-12)


@pytest.mark.parametrize("method", ["constraint_force", "kkt", "newton_euler"])
def test_rounding_of_a_mechanism_at_rest_is_no_warning(runs, method):
    """The accelerations of welded bodies are 1e-25, and so is what is left of their rows."""
    text = body("a", mass=2.0, inertia=[2.0, 1.5, 1.0], position=[0.3, 0.1, -0.2])
    text += body("b", mass=1.0, inertia=[0.5, 0.6, 0.7], position=[0.8, 0.4, -0.5])
    text += joint("j", "fixed", "ground", "a", at=[0, 0, 0], axis=[1, 2, 2])
    text += joint("k", "fixed", "a", "b", at=[0.5, 0.2, -0.3], axis=[2, -1, 0.5])
    integrator = runs.prepare(text + solver(method=method, tolerance=1e-11, end=2.0)).start(2.0)
    finish(integrator, 2.0)
    assert [text for _, level, text in integrator.messages() if level == "warning"] == []
