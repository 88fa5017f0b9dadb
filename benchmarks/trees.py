"""Joint coordinates: chains of hinges against MuJoCo and Pinocchio, loops against maximal coordinates, and
how the time grows with the number of links.

All steps are of RK4 and 1 ms. MuJoCo runs its own loop; of Pinocchio four calls of `aba` from Python are
timed, which is what such a step needs at least. A chain whose axes are parallel moves in a plane; with every
other axis turned by 90° it moves in space.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from chains import MOMENTS, STEP, steps_of
from timing import Timed, advance, in_turn, installed, prepared, seconds, sized, table

LINKS = (8, 32, 128, 512)
LONG = (100, 1000, 10000)
#: keys of `[solver]` for explicit and for implicit steps
EXPLICIT: dict[str, Any] = {"type": "rk", "integrator": "rk4", "step": STEP}
IMPLICIT: dict[str, Any] = {"type": "galpha", "integrator": None, "step": STEP}
AXES = {"plane": ([0, 1, 0],), "space": ([0, 1, 0], [0, 0, 1])}


def keys_of(**solver: Any) -> dict[str, Any]:
    """Keys of `[solver]`: those of RK4, and these, without what is None."""
    return {key: value for key, value in {**EXPLICIT, **solver}.items() if value is not None}


def chain(links: int, axes: Any, forces: bool = False, **solver: Any) -> Any:
    """Links of 1 m and 1 kg that fall from the horizontal."""
    import mbplugin as mb

    keys = keys_of(end=1e6, **solver)
    system = mb.System(scene={"gravity": [0, 0, -9.81]}, solver=keys, output={"series": False})
    before = "ground"
    for i in range(links):
        name, axis = f"l{i}", axes[i % len(axes)]
        system.add(mb.Body(name=name, mass=1.0, position=[i + 0.5, 0, 0], inertia=MOMENTS))
        system.add(mb.Joint(name=f"j{i}", type="revolute", a=before, b=name, at=[float(i), 0, 0], axis=axis))
        if forces:
            tip = [i + 1.0, 0, 0]
            system.add(mb.Force(name=f"f{i}", type="force", body=name, at=tip, force_z="0.1*sin(time)"))
        before = name
    return system


def four_bars(loops: int, **solver: Any) -> Any:
    """Four-bars in a row (IFToMM A02), with hinges in space."""
    import mbplugin as mb

    keys = keys_of(end=1e6, **solver)
    system = mb.System(scene={"gravity": [0, -9.81, 0]}, solver=keys, output={"series": False})
    tall, wide = [1 / 12, 0.001, 1 / 12], [0.001, 1 / 12, 1 / 12]
    hinge: dict[str, Any] = {"type": "revolute", "axis": [0, 0, 1]}
    for i in range(loops + 1):
        system.add(mb.Body(name=f"rod_{i}", mass=1.0, inertia=tall, position=[i, 0.5, 0]))
    for i in range(loops):
        system.add(mb.Body(name=f"coupler_{i}", mass=1.0, inertia=wide, position=[i + 0.5, 1, 0]))
    for i in range(loops + 1):
        start = {"start": {"speed": -1.0}} if i == 0 else {}
        system.add(mb.Joint(name=f"A_{i}", a="ground", b=f"rod_{i}", at=[i, 0, 0], **hinge, **start))
    for i in range(loops):
        for k, end in ((i, "a"), (i + 1, "b")):
            place = {"a": f"rod_{k}", "b": f"coupler_{i}", "at": [k, 1, 0]}
            system.add(mb.Joint(name=f"B_{i}{end}", **place, **hinge))
    return system


def timed(system: Any, steps: int) -> Timed:
    """Seconds a step."""
    integrator = prepared(system).start(np.inf)
    return lambda: seconds(lambda: advance(integrator, integrator.time + steps * STEP)) / steps


def mujoco_chain(links: int, axes: Any) -> Timed:
    import mujoco

    spec = mujoco.MjSpec()
    spec.option.timestep, spec.option.integrator = STEP, mujoco.mjtIntegrator.mjINT_RK4
    spec.option.gravity = [0, 0, -9.81]
    off = mujoco.mjtDisableBit
    spec.option.disableflags = int(off.mjDSBL_CONTACT) | int(off.mjDSBL_CONSTRAINT)
    body = spec.worldbody
    for i in range(links):
        body = body.add_body(pos=[0 if i == 0 else 1, 0, 0])
        body.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=axes[i % len(axes)])
        body.mass, body.ipos, body.inertia, body.explicitinertial = 1.0, [0.5, 0, 0], MOMENTS, True
    model = spec.compile()
    data, steps = mujoco.MjData(model), steps_of(links)
    return lambda: seconds(lambda: mujoco.mj_step(model, data, steps)) / steps


def pinocchio_chain(links: int, axes: Any) -> Timed:
    import pinocchio as pin

    model, parent = pin.Model(), 0
    for i in range(links):
        place = pin.SE3(np.eye(3), np.array([0.0 if i == 0 else 1.0, 0, 0]))
        joint = pin.JointModelRevoluteUnaligned(*map(float, axes[i % len(axes)]))
        parent = model.addJoint(parent, joint, place, f"j{i}")
        inertia = pin.Inertia(1.0, np.array([0.5, 0, 0]), np.diag(MOMENTS))
        model.appendBodyToJoint(parent, inertia, pin.SE3.Identity())
    data, steps = model.createData(), steps_of(links)
    q, v, tau = pin.neutral(model), np.zeros(links), np.zeros(links)

    def calls() -> None:
        for _ in range(4 * steps):
            pin.aba(model, data, q, v, tau)

    return lambda: seconds(calls) / steps


def peers(links: int, axes: Any) -> dict[str, Timed]:
    found: dict[str, Timed] = {}
    if installed("mujoco"):
        found["MuJoCo"] = mujoco_chain(links, axes)
    if installed("pinocchio"):
        found["4 pin.aba"] = pinocchio_chain(links, axes)
    return found


def chains_of_trees() -> None:
    for where, axes in AXES.items():
        rows: list[list[object]] = []
        columns: list[str] = []
        for links in sized(LINKS, LINKS[:1]):
            steps, joint = steps_of(links), {"coordinates": "joint"}
            runs = {
                "joint": timed(chain(links, axes, **joint), steps),
                "with forces": timed(chain(links, axes, forces=True, **joint), steps),
                "momentum": timed(chain(links, axes, form="momentum", **joint), steps),
                "maximal": timed(chain(links, axes), steps),
                **peers(links, axes),
            }
            found = {name: value * 1e6 for name, value in in_turn(runs).items()}
            columns = list(found)
            others = [found["joint"] / found[name] for name in columns[1:]]
            rows.append([links, *found.values(), *others])
        head = ["links", *columns, *(f"joint / {name}" for name in columns[1:])]
        table(f"Chain of hinges in the {where}, RK4: µs a step", head, rows)


def loops_of_trees() -> None:
    rows: list[list[object]] = []
    for loops in sized((1, 2, 10, 40), (1,)):
        steps = max(20, 1000 // loops)
        runs = {name: timed(four_bars(loops, coordinates=name), steps) for name in ("joint", "maximal")}
        found = {name: value * 1e6 for name, value in in_turn(runs).items()}
        rows.append([f"{loops} four-bars", *found.values(), found["joint"] / found["maximal"]])
    runs = {name: timed(stewart(name), 500) for name in ("joint", "maximal")}
    found = {name: value * 1e6 for name, value in in_turn(runs).items()}
    rows.append(["Stewart platform", *found.values(), found["joint"] / found["maximal"]])
    table("Loops, RK4: µs a step", ["mechanism", "joint", "maximal", "joint / maximal"], rows)


def stiffened(system: Any) -> Any:
    """The system with springs and dampers at its hinges."""
    import mbplugin as mb

    for one in system.joints:
        keys = {"type": "joint_spring_damper", "joint": one.name, "stiffness": 1e6, "damping": 100.0}
        system.add(mb.Force(name=f"at_{one.name}", **keys))
    return system


def implicit_steps() -> None:
    """`galpha` in both coordinates."""
    cases = {
        "arm of six hinges": (lambda how: chain(6, AXES["space"], **how), 500),
        "the same with springs of 1e6 N·m/rad": (lambda how: stiffened(chain(6, AXES["space"], **how)), 500),
        "chain of 32 hinges": (lambda how: chain(32, AXES["space"], **how), 100),
        "the same with springs of 1e6 N·m/rad ": (
            lambda how: stiffened(chain(32, AXES["space"], **how)),
            100,
        ),
        "one four-bar": (lambda how: four_bars(1, **how), 500),
        "40 four-bars": (lambda how: four_bars(40, **how), 40),
        "Stewart platform": (lambda how: stewart(**how), 200),
    }
    rows: list[list[object]] = []
    for name, (made, steps) in list(cases.items())[: sized(len(cases), 1)]:
        how = {each: {**IMPLICIT, "coordinates": each} for each in ("joint", "maximal")}
        runs = {each: timed(made(keys), steps) for each, keys in how.items()}
        found = {each: value * 1e6 for each, value in in_turn(runs).items()}
        rows.append([name, *found.values(), found["joint"] / found["maximal"]])
    table("galpha, 1 ms: µs a step", ["mechanism", "joint", "maximal", "joint / maximal"], rows)


def stewart(coordinates: str, **solver: Any) -> Any:
    """The scene, with fixed steps."""
    from pathlib import Path

    import mbplugin as mb

    keys = keys_of(coordinates=coordinates, **solver)
    scene = Path(__file__).parents[1] / "scenes" / "stewart_platform"
    system = mb.System.from_file(scene, {f"solver.{key}": value for key, value in keys.items()})
    system.solver.raw.pop("tolerance")
    return system


def framed(system: Any, frames: int) -> Timed:
    """Seconds a frame at the end of a step."""
    from mbplugin.stepping import frame
    from mbplugin.stepping.frames import read_frame

    made = prepared(system)
    integrator = made.start(np.inf)
    advance(integrator, STEP)
    problem, layout = integrator.problem, made.recorder.rows
    row = layout.empty(1)[0]

    def shown() -> None:
        for _ in range(frames):
            frame.show(problem.addresses, integrator.time)
            read_frame(problem.addresses, problem.names.size, layout.places, row)

    return lambda: seconds(shown) / frames


def frames_of_trees() -> None:
    rows: list[list[object]] = []
    links = sized(128, 8)
    for where, axes in AXES.items():
        joint = chain(links, axes, coordinates="joint")
        runs = {
            "a frame, joint": framed(joint, 100),
            "a frame, maximal": framed(chain(links, axes), 100),
            "a step, joint": timed(joint, steps_of(links)),
            "a step, maximal": timed(chain(links, axes), steps_of(links)),
        }
        found = {name: value * 1e6 for name, value in in_turn(runs).items()}
        rows.append([where, *found.values(), found["a frame, joint"] / found["a step, maximal"]])
    columns = ["a frame, joint", "a frame, maximal", "a step, joint", "a step, maximal"]
    head = ["in", *columns, "frame, joint / step, maximal"]
    table(f"Chain of {links} hinges, RK4 and its frames: µs", head, rows)


def growth_of_trees() -> None:
    rows: list[list[object]] = []
    times = []
    for links in sized(LONG, LONG[:2]):
        value = in_turn({"joint": timed(chain(links, AXES["space"], coordinates="joint"), steps_of(links))})
        times.append(value["joint"] * 1e6)
        exponent = np.log10(times[-1] / times[-2]) if len(times) > 1 else float("nan")
        rows.append([links, times[-1], exponent])
    table("Long chains in joint coordinates, RK4: µs a step", ["links", "joint", "exponent"], rows)


def trees() -> None:
    chains_of_trees()
    frames_of_trees()
    implicit_steps()
    loops_of_trees()
    growth_of_trees()
