"""An arm of six hinges with limits and dry friction under `contact`, in both coordinates, beside MuJoCo with
`limited` joints and `frictionloss` (integrator implicitfast): processor time of a step while it falls onto
its limits, while friction holds it, and while its gripper holds a box; and how far the arm, and the box in
its gripper, creep then [rad/s, m/s].
"""

from __future__ import annotations

from typing import Any

import numpy as np
from timing import Timed, advance, in_turn, installed, prepared, seconds, sized, table

STEP, AXES, LENGTH = 1e-3, ((0, 0, 1), (0, 1, 0), (0, 1, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0)), 0.3
MASS, INERTIA, LIMIT = 1.0, (0.005, 0.01, 0.01), 0.6
#: friction of each hinge [N·m]: less than its share of the weight, and more, with a box too
FALLS, HELD, HOLDS_BOX = 0.2, 40.0, 60.0
#: MuJoCo's stiffest rows at this step
STIFF: dict[str, Any] = {"solref": [2.0 * STEP, 1.0], "solimp": [0.9999, 0.9999, 0.001, 0.5, 2.0]}
#: force with which each finger presses the box [N], and places of its two balls along it [m]
GRIP, BALLS = 20.0, (-0.03, 0.03)
#: place of the box, and distance of a finger from its middle [m]
REACH, FINGER = len(AXES) * LENGTH + 0.1, 0.06


def ours(
    friction: float | None, limited: bool = True, still: bool = False, coordinates: str = "maximal"
) -> Any:
    """The arm; friction None: none. still: hinges are held at 0 by motions instead."""
    import mbplugin as mb

    solver = {"type": "contact", "step": STEP, "end": 1e6, "coordinates": coordinates}
    system = mb.System(scene={"gravity": [0, 0, -9.81]}, solver=solver, output={"series": False})
    before = "ground"
    for i, axis in enumerate(AXES):
        at = [i * LENGTH, 0, 0]
        system.add(mb.Body(name=f"l{i}", mass=MASS, inertia=INERTIA, position=[(i + 0.5) * LENGTH, 0, 0]))
        keys = {"limits": [-LIMIT, LIMIT]} if limited else {}
        keys |= {} if friction is None else {"friction_torque": friction}
        system.add(mb.Joint(name=f"j{i}", type="revolute", a=before, b=f"l{i}", at=at, axis=axis, **keys))
        if still:
            system.add(mb.Motion(joint=f"j{i}", angle=0.0))
        before = f"l{i}"
    return system


def gripping(coordinates: str) -> Any:
    """The arm, held by friction, with two fingers that press a box at four points."""
    import mbplugin as mb

    system = ours(HOLDS_BOX, False, False, coordinates)
    system.add(mb.Material(name="rubber", friction=0.8))
    x, touching = REACH, {"collide": True, "material": "rubber"}
    for name, side in (("left", -1.0), ("right", 1.0)):
        at = [x, side * FINGER, 0]
        ball = [{"type": "sphere", "radius": 0.01, "position": [end, 0, 0]} for end in BALLS]
        finger = {"mass": 0.1, "inertia": [1e-4, 1e-4, 1e-4], "position": at}
        system.add(mb.Body(name=name, shape=ball, **finger, **touching))
        hand = f"l{len(AXES) - 1}"
        system.add(mb.Joint(name=name, type="translational", a=hand, b=name, at=at, axis=[0, 1, 0]))
        system.add(mb.Force(name=f"grip_{name}", type="force", body=name, force_y=-GRIP * side))
    box = [{"type": "box", "size": [0.1, 0.1, 0.1]}]
    system.add(mb.Body(name="box", density=500.0, position=[x, 0, 0], shape=box, **touching))
    return system


def mujoco_model(friction: float, grips: bool = False) -> Any:
    import mujoco

    spec = mujoco.MjSpec()
    spec.option.timestep, spec.option.gravity = STEP, [0, 0, -9.81]
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    body = spec.worldbody
    for i, axis in enumerate(AXES):
        body = body.add_body(pos=[0 if i == 0 else LENGTH, 0, 0])
        body.mass, body.ipos, body.inertia, body.explicitinertial = MASS, [0.5 * LENGTH, 0, 0], INERTIA, True
        joint = body.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=axis, frictionloss=friction)
        if grips:
            # by default the friction of hinges yields so much that the arm sinks and the box is lost
            joint.solref_friction, joint.solimp_friction = STIFF["solref"], STIFF["solimp"]
        else:
            joint.limited, joint.range = True, np.degrees([-LIMIT, LIMIT])
    if grips:
        add_gripper(body, spec.worldbody)
    return spec.compile()


def add_gripper(hand: Any, world: Any) -> None:
    """The fingers on the last link, and the box between them."""
    import mujoco

    surface = {"friction": [0.8, 0.005, 0.0001], "condim": 3, **STIFF}
    for side in (-1.0, 1.0):
        finger = hand.add_body(pos=[REACH - (len(AXES) - 1) * LENGTH, side * FINGER, 0])
        finger.mass, finger.inertia, finger.explicitinertial = 0.1, [1e-4, 1e-4, 1e-4], True
        finger.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, 1, 0])
        for end in BALLS:
            finger.add_geom(
                type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.01, 0, 0], pos=[end, 0, 0], mass=0, **surface
            )
    box = world.add_body(name="box", pos=[REACH, 0, 0])
    box.add_freejoint()
    box.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.05, 0.05, 0.05], density=500.0, **surface)


def mujoco_data(model: Any) -> Any:
    """A state at the start, with the forces of the fingers, if there are any."""
    import mujoco

    data = mujoco.MjData(model)
    if model.nv > len(AXES):
        data.qfrc_applied[len(AXES) : len(AXES) + 2] = GRIP, -GRIP
    return data


def steps() -> int:
    return sized(2000, 10)


def ours_run(*keys: Any, made: Any = ours) -> Timed:
    """Microseconds a step."""

    def run() -> float:
        integrator = prepared(made(*keys)).start(np.inf)
        return 1e6 * seconds(lambda: advance(integrator, steps() * STEP)) / steps()

    return run


def mujoco_run(friction: float, grips: bool = False) -> Timed:
    import mujoco

    model = mujoco_model(friction, grips)

    def run() -> float:
        data = mujoco_data(model)
        return 1e6 * seconds(lambda: mujoco.mj_step(model, data, steps())) / steps()

    return run


def our_creep(end: float) -> float:
    simulation = ours(HELD).simulate()
    simulation.run(0.5 * end)
    angles = [np.array([simulation.coordinate(f"j{i}.angle").value for i in range(len(AXES))])]
    simulation.run(end)
    angles += [np.array([simulation.coordinate(f"j{i}.angle").value for i in range(len(AXES))])]
    return float(np.abs(angles[1] - angles[0]).max() / (0.5 * end))


def mujoco_creep(end: float) -> float:
    import mujoco

    model = mujoco_model(HELD)
    data = mujoco.MjData(model)
    half = round(0.5 * end / STEP)
    mujoco.mj_step(model, data, half)
    before = data.qpos.copy()
    mujoco.mj_step(model, data, half)
    return float(np.abs(data.qpos - before).max() / (0.5 * end))


def our_slip(end: float) -> float:
    """Speed at which the box creeps in the gripper [m/s]."""
    simulation, hand = gripping("joint").simulate(), f"l{len(AXES) - 1}"
    found = []
    for until in (0.5 * end, end):
        simulation.run(until)
        # the hand is at rest
        found.append(simulation["box"].position - simulation[hand].position)
    return float(np.abs(found[1] - found[0]).max() / (0.5 * end))


def mujoco_slip(end: float) -> float:
    import mujoco

    model = mujoco_model(HOLDS_BOX, True)
    data, hand, box, found = mujoco_data(model), len(AXES), model.body("box").id, []
    for _ in range(2):
        mujoco.mj_step(model, data, round(0.5 * end / STEP))
        found.append(data.xmat[hand].reshape(3, 3).T @ (data.xpos[box] - data.xpos[hand]))
    return float(np.abs(found[1] - found[0]).max() / (0.5 * end))


def limited_arms() -> None:
    runs = {
        "ours, falls": ours_run(FALLS),
        "ours, held by friction": ours_run(HELD),
        "ours, neither limits nor friction": ours_run(None, False),
        "ours, limits out of reach": ours_run(None),
        "ours, held by motions": ours_run(None, False, True),
        "ours, holds a box": ours_run("maximal", made=gripping),
        "joint coordinates, falls": ours_run(FALLS, True, False, "joint"),
        "joint coordinates, held by friction": ours_run(HELD, True, False, "joint"),
        "joint coordinates, neither limits nor friction": ours_run(None, False, False, "joint"),
        "joint coordinates, limits out of reach": ours_run(None, True, False, "joint"),
        "joint coordinates, held by motions": ours_run(None, False, True, "joint"),
        "joint coordinates, holds a box": ours_run("joint", made=gripping),
    }
    end = sized(10.0, 0.1)
    creep = {"ours, held by friction": our_creep, "joint coordinates, holds a box": our_slip}
    if installed("mujoco"):
        runs |= {"MuJoCo, falls": mujoco_run(FALLS), "MuJoCo, held by friction": mujoco_run(HELD)}
        runs["MuJoCo, holds a box"] = mujoco_run(HOLDS_BOX, True)
        creep |= {"MuJoCo, held by friction": mujoco_creep, "MuJoCo, holds a box": mujoco_slip}
    found = in_turn(runs)
    rows: list[list[object]] = []
    for name, value in found.items():
        speed = creep[name](end) if name in creep else float("nan")
        rows.append([name, value, value / found["ours, held by motions"], speed])
    head = [
        "arm of six hinges, steps of 1 ms",
        "µs a step",
        "over the one held by motions",
        "creep [rad/s, m/s]",
    ]
    table("Limits and dry friction of joints under `contact`", head, rows)
