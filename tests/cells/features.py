"""The features that a scene may have, each as a small complete scene: the rows of the table of cells.

Each scene is at rest near an equilibrium, where its feature has one. `drive` is a motion that takes away its
last degree of freedom, for the analyses along motions; where there is none they have no meaning.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scene_text import body, force, hinge, joint, motion, spring, state, table, variable, world

G = [0, 0, -9.81]
WORLD = world(gravity=G)
FREE = world(gravity=[0, 0, 0])
MASS = {"mass": 2.0, "inertia": [0.2, 0.25, 0.1]}
ARM = body("arm", **MASS, position=[0, 0, -0.5])
DRIVE = motion("hinge", angle="0.3*time")
SLIDE = motion("slide", length="0.3*time")


@dataclass(frozen=True)
class Feature:
    """A row of the table: heading, name, scene; key: what `set_parameter` changes, and to what."""

    group: str
    name: str
    text: str
    drive: str = ""
    key: tuple[str, Any] = ("body.arm.mass", 2.5)


def pendulum(text: str = "", *, start: Any = None, **keys: Any) -> str:
    """An arm that hangs on a hinge about y."""
    return WORLD + ARM + hinge("hinge", "ground", "arm", axis=[0, 1, 0], start=start, **keys) + text


def carriage(text: str = "", *, gravity: Any = G, **keys: Any) -> str:
    """A carriage on a rail along x."""
    return (
        world(gravity=gravity)
        + body("arm", **MASS)
        + joint("slide", "translational", "ground", "arm", axis=[1, 0, 0], **keys)
        + text
    )


SPRING = {"stiffness": 50.0, "damping": 1.0}
BUSHING = table(
    "force",
    name="bushing",
    type="bushing",
    a="ground",
    b="arm",
    stiffness=[900.0, 1000.0, 1100.0],
    angular_stiffness=[40.0, 50.0, 60.0],
    damping=[3.0, 4.0, 5.0],
    angular_damping=[0.3, 0.2, 0.1],
)


def guided(kind: str, **keys: Any) -> Feature:
    """An arm on a joint of a kind, and on a bushing that gives each of its freedoms an equilibrium."""
    held = joint("guide", kind, "ground", "arm", at=[0, 0, 0], axis=keys.pop("axis", [1, 0, 0]), **keys)
    return Feature("joints", kind, WORLD + body("arm", **MASS) + held + BUSHING)


def two_wheels(**keys: Any) -> str:
    return (
        FREE
        + body("arm", **MASS)
        + body("other", mass=1.0, inertia=[0.1, 0.1, 0.1], position=[0.5, 0, 0])
        + hinge("hinge", "ground", "arm", **SPRING)
        + hinge("second", "ground", "other", at=[0.5, 0, 0])
        + table("joint", name="mesh", joints=["hinge", "second"], **keys)
    )


HOOKS = [{"name": "left", "position": [-0.3, 0, 1]}, {"name": "right", "position": [0.3, 0, 1]}]
BALANCE = (
    world(gravity=G, marker=HOOKS)
    + body("arm", **MASS, position=[-0.3, 0, 0])
    + body("other", **MASS, position=[0.3, 0, 0])
    + joint("slide", "translational", "ground", "arm", axis=[0, 0, 1], **SPRING)
    + joint("second", "translational", "ground", "other", axis=[0, 0, 1])
)
HELIX = table("curve", name="wire", x="0.3*cos(s)", y="0.3*sin(s)", z="0.5*s/(2*pi)", range=["-8*pi", "8*pi"])
DISC = (
    world(gravity=G, marker=[{"name": "floor", "position": [0, 0, 0]}])
    + body(
        "arm",
        mass=2.0,
        inertia=[0.05, 0.05, 0.09],
        position=[0, 0, 0.3],
        marker=[{"name": "axle", "orientation": {"axis": [1, 0, 0], "angle_deg": 90}}],
    )
    + joint("roll", "rolling_disc", "ground.floor", "arm.axle", radius=0.3)
)
CAM = (
    world(gravity=[0, -9.81, 0])
    + body("arm", type="planar", mass=1.0, inertia=0.01)
    + body("rod", type="planar", mass=0.5, inertia=0.01, position=[0, 0.05])
    + table("curve", name="rim", body="arm", x="0.05*cos(s)", y="0.05*sin(s)", range=[0, "2*pi"], closed=True)
    + table("curve", name="foot", body="rod", points=[[-0.2, 0], [0.2, 0]])
    + joint("hinge", "pin", "ground", "arm", stiffness=1.0)
    + joint("slide", "translational", "ground", "rod", axis=[0, 1, 0])
)
JOINTS = [
    *(guided(kind) for kind in ("revolute", "translational", "fixed", "cylindrical", "universal", "planar")),
    *(guided(kind) for kind in ("universal_rotation", "constant_velocity", "parallel", "orientation")),
    *(guided(kind) for kind in ("point_on_line", "point_on_plane")),
    guided("ball", axis=None),
    guided("screw", pitch=0.02),
    Feature("joints", "rod", WORLD + ARM + joint("guide", "rod", "ground", "arm") + BUSHING),
    Feature(
        "joints",
        "actuator",
        WORLD + ARM + joint("guide", "actuator", "ground", "arm", length="0.5+0.1*time**2") + BUSHING,
    ),
    Feature("joints", "gear", two_wheels(type="gear", radii=[0.2, 0.3]), DRIVE),
    Feature("joints", "coupler", two_wheels(type="coupler", factors=[1, 2]), DRIVE),
    Feature(
        "joints",
        "rack",
        FREE
        + body("arm", **MASS)
        + body("other", **MASS, position=[0, 0.2, 0])
        + hinge("hinge", "ground", "arm", **SPRING)
        + joint("slide", "translational", "ground", "other", axis=[1, 0, 0])
        + table("joint", name="mesh", type="rack", joints=["hinge", "slide"], radius=0.2),
        DRIVE,
    ),
    Feature(
        "joints",
        "pulley",
        BALANCE
        + table("joint", name="line", type="pulley", markers=["ground.left", "arm", "ground.right", "other"]),
        SLIDE,
    ),
    Feature(
        "joints",
        "point on curve",
        WORLD
        + HELIX
        + body("arm", type="point", mass=2.0, position=[0.3, 0, 0])
        + joint("guide", "point_on_curve", "ground", "arm", curve="wire", **SPRING),
        motion("guide", arc_length="0.3*time"),
    ),
    Feature(
        "joints",
        "curve on curve",
        CAM + joint("touch", "curve_on_curve", "arm", "rod", curve_a="rim", curve_b="foot"),
        DRIVE,
    ),
    Feature("joints", "rolling disc", DISC),
]
BODIES = [
    Feature("bodies", "free body", FREE + body("arm", **MASS) + BUSHING),
    Feature(
        "bodies",
        "planar body",
        world(gravity=[0, -9.81, 0])
        + body("arm", type="planar", mass=2.0, inertia=0.2, position=[0, -0.5])
        + joint("hinge", "pin", "ground", "arm", at=[0, 0]),
        DRIVE,
    ),
    Feature(
        "bodies",
        "point body",
        WORLD + body("arm", type="point", mass=2.0, position=[0, 0, -1]) + joint("l", "rod", "ground", "arm"),
    ),
    Feature("bodies", "armature", pendulum(armature=0.3), DRIVE),
    Feature(
        "bodies",
        "pseudo-rigid body",
        FREE
        + body(
            "arm",
            type="pseudo_rigid",
            density=1100,
            young=1e5,
            poisson=0.3,
            shape=[{"type": "box", "size": [0.2, 0.2, 0.1]}],
        )
        + hinge("hinge", "ground", "arm", stiffness=5.0),
        key=("body.arm.density", 1200),
    ),
    Feature(
        "bodies",
        "finite-element body",
        WORLD
        + table("material", name="rubber", density=1000, young=1e6, poisson=0.3, stiffness_damping=1e-4)
        + body(
            "arm",
            type="finite_element",
            material="rubber",
            mesh={"shape": "beam", "length": 0.4, "section": [0.1, 0.1], "divisions": [2, 1, 1]},
            fix=[{"nodes": "x-", "axes": "xyz"}],
        ),
        key=("material.rubber.density", 1200),
    ),
]
STICK = carriage(gravity=[0.5, 0, -9.81], friction_force=3.0)
PEDAL = table("input", name="pedal", start=0.5)
ONE_SIDED = [
    Feature("one-sided", "limit, open", pendulum(limits=[-0.5, 0.5])),
    Feature("one-sided", "limit, pressed", carriage(gravity=[1, 0, -9.81], limits=[-0.5, 0.0])),
    Feature(
        "one-sided",
        "limit by an expression",
        carriage(gravity=[1, 0, -9.81], limits=[-0.5, "0.02*sin(time)"]),
    ),
    Feature(
        "one-sided",
        "soft stop",
        carriage(gravity=[1, 0, 0], limits=[-0.4, 0.0], stop_stiffness=2e3, stop_damping=6.0),
    ),
    Feature("one-sided", "dry friction", STICK),
    Feature("one-sided", "friction by a coefficient", carriage(gravity=[0.5, 0, -9.81], friction=0.3)),
    Feature(
        "one-sided",
        "friction by an input",
        carriage(PEDAL, gravity=[0.5, 0, -9.81], friction_force="40*pedal"),
    ),
    Feature(
        "one-sided",
        "motion of limited effort",
        carriage(table("motion", joint="slide", length="0", effort_limit=5.0), gravity=[0.5, 0, -9.81]),
    ),
    Feature("one-sided", "one-way clutch", pendulum(one_way="positive")),
    Feature(
        "one-sided",
        "rope",
        WORLD + body("arm", **MASS, position=[0, 0, -1]) + joint("line", "rope", "ground", "arm", length=1.0),
    ),
    Feature(
        "one-sided",
        "separator",
        WORLD
        + body("arm", **MASS, position=[0, 0, 1])
        + joint("slide", "translational", "ground", "arm", axis=[0, 0, 1])
        + joint("strut", "separator", "ground", "arm", length=1.0),
    ),
    Feature(
        "one-sided",
        "gap",
        carriage(table("joint", name="stop", type="unilateral", gap="-slide.length"), gravity=[1, 0, 0]),
    ),
    Feature(
        "one-sided",
        "gap with friction",
        world(gravity=[0.5, 0, -9.81])
        + body("arm", **MASS)
        + table(
            "joint",
            name="floor",
            type="unilateral",
            gap="component_z(ground, arm)",
            slip=["rate(component_x(ground, arm))", "rate(component_y(ground, arm))"],
            friction=0.4,
        ),
    ),
    Feature(
        "one-sided",
        "curves that may part",
        CAM + joint("touch", "curve_on_curve", "arm", "rod", curve_a="rim", curve_b="foot", unilateral=True),
    ),
    Feature(
        "one-sided",
        "capstan",
        world(gravity=G, marker=[{"name": "hook", "position": [-0.2, 0, -1]}])
        + body("drum", mass=8.0, inertia=[0.1, 0.16, 0.1])
        + body("arm", **MASS, position=[0.2, 0, -1])
        + hinge("hinge", "ground", "drum", axis=[0, 1, 0], stiffness=100.0)
        + table(
            "joint",
            name="band",
            type="capstan",
            markers=["ground.hook", "arm", "drum"],
            axis=[0, 1, 0],
            radius=0.2,
            friction=0.3,
            direction="positive",
        ),
    ),
    Feature(
        "one-sided",
        "rope over a sheave",
        world(marker=[{"name": "hook", "position": [-0.5, 0, 0]}, {"name": "top", "position": [0, 0, 0.2]}])
        + body("arm", **MASS, position=[0.2, 0, -1])
        + table(
            "joint",
            name="line",
            type="rope",
            markers=["ground.hook", "ground.top", "arm"],
            radius=[0.2],
            axis=[0, 1, 0],
        ),
    ),
    Feature(
        "one-sided",
        "winch",
        WORLD
        + body("drum", mass=8.0, inertia=[0.1, 0.16, 0.1])
        + body("arm", **MASS, position=[0.2, 0, -3])
        + hinge("hinge", "ground", "drum", axis=[0, 1, 0])
        + motion("hinge", angle="-2*time**2")
        + joint("line", "winch", "arm", "drum", axis=[0, 1, 0], radius=0.2, turns=5, direction="negative"),
    ),
]
PID = {"type": "pid", "joint": "hinge", "target": 0.0, "proportional": 40.0}
PID |= {"integral": 20.0, "derivative": 4.0, "filter_time": 0.05}
FORCES = [
    Feature("forces", "spring on a coordinate", carriage(**SPRING, rest=0.1), SLIDE),
    Feature(
        "forces",
        "spring and damper",
        WORLD
        + body("arm", **MASS, position=[0, 0, -1])
        + spring("ground", "arm", length=0.8, **SPRING)
        + joint("slide", "translational", "ground", "arm", axis=[0, 0, 1]),
        SLIDE,
    ),
    Feature("forces", "bushing", WORLD + body("arm", **MASS) + BUSHING),
    Feature(
        "forces",
        "beam",
        WORLD
        + body("arm", **MASS, position=[0.5, 0, 0])
        + table(
            "force",
            type="beam",
            a="ground",
            b="arm",
            young=2e9,
            section={"width": 0.02, "height": 0.02},
            stiffness_damping=1e-3,
        ),
    ),
    Feature(
        "forces",
        "torque by an expression",
        pendulum(table("force", type="joint_force", joint="hinge", torque="-3*hinge.angle")),
        DRIVE,
    ),
    Feature(
        "forces",
        "motor of position",
        pendulum(
            table(
                "force", type="motor", joint="hinge", mode="position", target=0.2, stiffness=50.0, damping=3.0
            )
        ),
        DRIVE,
    ),
    Feature("forces", "pid", pendulum(table("force", **PID)), DRIVE),
    Feature("forces", "sampled pid", pendulum(table("force", sample_time=0.01, **PID)), DRIVE),
    Feature(
        "forces",
        "transfer function",
        table(
            "transfer_function", name="lead", input="-hinge.angle", numerator=[30, 60], denominator=[0.05, 1]
        )
        + pendulum(table("force", type="motor", joint="hinge", mode="torque", target="lead")),
        DRIVE,
    ),
    Feature(
        "forces",
        "state-space model",
        table(
            "state_space",
            name="mount",
            inputs=["hinge.angle"],
            A=[[0, 1], [-400, -6]],
            B=[[0], [400]],
            C=[[1, 0]],
        )
        + pendulum(table("force", type="motor", joint="hinge", mode="torque", target="-mount")),
        DRIVE,
    ),
    Feature(
        "forces",
        "input",
        table("input", name="push") + pendulum(force("arm", x="push")),
        DRIVE,
        ("input.push.start", 0.5),
    ),
    Feature(
        "forces",
        "state",
        state("lag", "-4*lag + hinge.angle")
        + pendulum(table("force", type="joint_force", joint="hinge", torque="-3*lag")),
        DRIVE,
    ),
    Feature(
        "forces",
        "variable and spline",
        variable("bend", "cam(hinge.angle)")
        + table("spline", name="cam", x=[-1, 0, 1, 2], y=[0.5, 0, -0.6, -1])
        + pendulum(table("force", type="joint_force", joint="hinge", torque="bend")),
        DRIVE,
    ),
    Feature(
        "forces",
        "expression of a reaction",
        pendulum(
            table("force", type="joint_force", joint="hinge", torque="-0.1*hinge.angle*reaction(hinge.force)")
        ),
        DRIVE,
    ),
    Feature(
        "forces",
        "expression of an acceleration",
        pendulum(table("force", type="joint_force", joint="hinge", torque="-0.1*acceleration(hinge.angle)")),
        DRIVE,
    ),
]
PENALTY = {"type": "penalty", "stiffness": 1e6, "angular_stiffness": 2e4}
ROWS = [
    Feature("rows", "motion of position", pendulum(DRIVE)),
    Feature("rows", "motion of velocity", pendulum(motion("hinge", angle_velocity="0.3"))),
    Feature(
        "rows",
        "motion by a coordinate",
        FREE
        + body("arm", **MASS)
        + body("other", **MASS, position=[0.5, 0, 0])
        + hinge("hinge", "ground", "arm", **SPRING)
        + hinge("second", "ground", "other", at=[0.5, 0, 0])
        + motion("second", angle="0.5*hinge.angle"),
        DRIVE,
    ),
    Feature("rows", "penalty", pendulum(enforce=PENALTY)),
    Feature("rows", "augmented Lagrangian", pendulum(enforce={**PENALTY, "augment": True})),
    Feature(
        "rows",
        "redundant joints",
        pendulum(hinge("twin", "ground", "arm", axis=[0, 1, 0], at=[0, 0.3, 0])),
        DRIVE,
    ),
    Feature("rows", "release of a joint", pendulum(release="reaction(hinge.force) > 1e4")),
    Feature(
        "rows",
        "condition of a joint",
        pendulum(hinge("twin", "ground", "arm", axis=[0, 1, 0], at=[0, 0.3, 0], active="time < 100")),
    ),
    Feature(
        "rows",
        "motion with a condition",
        pendulum(motion("hinge", angle_velocity="0.1", active="time < 0.005")),
    ),
    Feature(
        "rows",
        "force with a condition",
        pendulum(table("force", type="joint_force", joint="hinge", torque="-1", active="time > 0.005")),
    ),
]


def floor(shape: dict[str, Any], height: float, planar: bool = False, **keys: Any) -> str:
    """A body on a floor."""
    kind = {"type": "planar"} if planar else {}
    return (
        world(
            plane="xz" if planar else None,
            gravity=keys.pop("gravity", G),
            collide=True,
            material="stuff",
            shape=[{"type": "plane", "size": [5, 5]}],
        )
        + table("material", name="stuff", **keys)
        + body("arm", **MASS, **kind, position=[0, 0, height], collide=True, material="stuff", shape=[shape])
    )


BOX = {"type": "box", "size": [0.4, 0.4, 0.2]}
CONTACTS = [
    Feature("contact", "box on a floor", floor(BOX, 0.1, friction=0.5)),
    Feature("contact", "box without friction", floor(BOX, 0.1, friction=0.0)),
    Feature("contact", "box that slides", floor(BOX, 0.1, friction=0.2, gravity=[4, 0, -9.81])),
    Feature("contact", "box that bounces", floor(BOX, 0.101, friction=0.2, restitution=0.5)),
    Feature(
        "contact",
        "planar disc on a floor",
        floor({"type": "sphere", "radius": 0.2}, 0.2, planar=True, friction=0.5),
    ),
    Feature("contact", "sphere on a floor", floor({"type": "sphere", "radius": 0.2}, 0.2, friction=0.5)),
    Feature(
        "contact",
        "capsule on a floor",
        floor({"type": "capsule", "radius": 0.1, "length": 0.3}, 0.25, friction=0.5),
    ),
    Feature(
        "contact",
        "arm against a body",
        pendulum()
        .replace(WORLD, world(gravity=[0.5, 0, -9.81]))
        .replace(
            ARM,
            table("material", name="stuff", friction=0.3)
            + body(
                "arm",
                **MASS,
                position=[0, 0, -0.5],
                collide=True,
                material="stuff",
                shape=[{"type": "sphere", "radius": 0.1}],
            )
            + body(
                "post",
                **MASS,
                position=[0.2, 0, -0.5],
                collide=True,
                material="stuff",
                shape=[{"type": "sphere", "radius": 0.1}],
            )
            + joint("held", "fixed", "ground", "post"),
        ),
    ),
]
FEATURES = [*JOINTS, *BODIES, *ONE_SIDED, *FORCES, *ROWS, *CONTACTS]
