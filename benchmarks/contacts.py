"""Contacts: microseconds a step beside MuJoCo's Newton and PyBullet; how far bodies drift that should rest.

Boxes on a half-space, steps of 2 ms, no sleeping; collisions are found anew in each step. MuJoCo has its
Newton solver, the elliptic cone, and contacts as stiff as it takes them (`solref="4e-3 1"`,
`solimp="0.99 0.999 0.0001"`). Times and drift, the largest movement of a body [m], are those of the second
half of a run; the residual is that of its last step, for each engine with its own contacts.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from bullet import World
from residuals import of_mbplugin, of_mujoco
from timing import alone, in_turn, installed, seconds, sized, table

G, STEP, FRICTION = 9.81, 2e-3, 0.5
#: (size, mass, position, axes by a turn about y [rad]) of every box
Boxes = list[tuple[Any, float, Any, float]]


def incline() -> tuple[Boxes, float, float]:
    """A block whose friction is 5 % above the tangent of the slope."""
    angle = float(np.radians(20.0))
    at = [0.1 * np.sin(angle), 0.0, 0.1 * np.cos(angle)]
    return [((0.3, 0.3, 0.2), 2.0, at, angle)], angle, 1.05 * float(np.tan(angle))


def stack(top: float) -> tuple[Boxes, float, float]:
    """Ten cubes, the top one heavier."""
    edge = (0.1, 0.1, 0.1)
    cubes = [(edge, top if k == 9 else 1.0, [0.0, 0.0, 0.05 + 0.1 * k], 0.0) for k in range(10)]
    return cubes, 0.0, FRICTION


def wall(rows: int, columns: int, drop: float = 0.0) -> tuple[Boxes, float, float]:
    """Bricks in stretcher bond, each row laid `drop` above the one below [m]."""
    size, bricks = (0.2, 0.1, 0.1), []
    for row in range(rows):
        for column in range(columns - row % 2):
            x = (column + 0.5 * (row % 2)) * 0.201
            bricks.append((size, 2.0, [x, 0.0, 0.05 + 0.1 * row + drop * (row + 1)], 0.0))
    return bricks, 0.0, FRICTION


def system_of(boxes: Boxes, slope: float, friction: float, velocities: Any = None, **solver: Any) -> Any:
    """The scene; velocities: (n, 3), at rest without them; solver: keys of it."""
    import mbplugin as mb

    turn = lambda angle: {"axis": [0, 1, 0], "angle": angle}
    system = mb.System(
        scene={
            "gravity": [0, 0, -G],
            "collide": True,
            "material": "stone",
            "shape": [{"type": "plane", "size": [9, 9], "orientation": turn(slope)}],
        },
        solver={"type": "contact", "end": 1e6, "step": STEP, **solver},
        output={"series": False},
    )
    system.add(mb.Material(name="stone", friction=friction))
    for k, (size, mass, at, angle) in enumerate(boxes):
        x, y, z = (s * s * mass / 12.0 for s in size)
        system.add(
            mb.Body(
                name=f"b{k}",
                mass=mass,
                inertia=[y + z, x + z, x + y],
                position=list(at),
                velocity=[0.0, 0.0, 0.0] if velocities is None else [float(v) for v in velocities[k]],
                orientation=turn(angle),
                collide=True,
                material="stone",
                shapes=[mb.Box(size=list(size))],
            )
        )
    return system


def ours(boxes: Boxes, slope: float, friction: float) -> Any:
    return system_of(boxes, slope, friction).simulate()


def mujoco_model(boxes: Boxes, slope: float, friction: float) -> Any:
    import mujoco

    numbers = lambda values: " ".join(repr(float(v)) for v in values)
    half_turn = lambda angle: f"{float(np.cos(angle / 2))!r} 0 {float(np.sin(angle / 2))!r} 0"
    bodies = "".join(
        f'<body pos="{numbers(at)}" quat="{half_turn(angle)}"><freejoint/>'
        f'<geom type="box" size="{numbers(0.5 * s for s in size)}" mass="{mass!r}"/></body>'
        for size, mass, at, angle in boxes
    )
    text = (
        f'<mujoco><size memory="2G"/>'
        f'<option timestep="{STEP}" gravity="0 0 {-G}" solver="Newton" cone="elliptic" '
        'iterations="100" tolerance="1e-12"><flag multiccd="enable"/></option>'
        f'<default><geom friction="{friction!r} 0 0" condim="3" solref="4e-3 1" '
        'solimp="0.99 0.999 0.0001"/></default><worldbody>'
        f'<geom type="plane" size="9 9 1" quat="{half_turn(slope)}"/>{bodies}</worldbody></mujoco>'
    )
    return mujoco.MjModel.from_xml_string(text)


def time_ours(problem: Any, steps: int, found: dict[str, float]) -> float:
    """Microseconds a step; drift and residual go to `found`."""
    simulation = ours(*problem)
    names = [f"b{k}" for k in range(len(problem[0]))]
    simulation.step(STEP * steps)
    before = np.array([simulation[name].position for name in names])
    spent = seconds(lambda: simulation.step(STEP * steps))
    after = np.array([simulation[name].position for name in names])
    found["mbplugin's drift"] = float(np.abs(after - before).max())
    found["mbplugin's residual"] = of_mbplugin(simulation, G * STEP)
    return 1e6 * spent / steps


def time_mujoco(problem: Any, steps: int, found: dict[str, float]) -> float:
    """Microseconds a step; drift and residual go to `found`."""
    import mujoco

    model = mujoco_model(*problem)
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, steps)
    before = data.xpos.copy()
    spent = seconds(lambda: mujoco.mj_step(model, data, steps))
    found["MuJoCo's drift"] = float(np.abs(data.xpos - before).max())
    if "MuJoCo's residual" not in found:
        model.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
        mujoco.mj_step(model, data)
        found["MuJoCo's residual"] = of_mujoco(model, data, G * STEP)
    return 1e6 * spent / steps


def bullet_world(boxes: Boxes, slope: float, friction: float) -> World:
    """The scene in axes of the slope."""
    c, s = float(np.cos(slope)), float(np.sin(slope))
    turn = np.array([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]])
    solids = [(0.5 * np.array(size), mass, turn @ np.array(at), [0.0] * 3) for size, mass, at, _ in boxes]
    return World(solids, [([0, 0, 0], [0, 0, 1])], friction, [G * s, 0.0, -G * c], STEP)


def time_bullet(problem: Any, steps: int, found: dict[str, float]) -> float:
    """Microseconds a step; drift and residual go to `found`."""
    world = bullet_world(*problem)
    world.step(steps)
    before = world.positions()
    spent = seconds(lambda: world.step(steps))
    found["PyBullet's drift"] = float(np.abs(world.positions() - before).max())
    found["PyBullet's residual"] = world.residual() / (G * STEP)
    world.close()
    return 1e6 * spent / steps


#: scene -> bodies, and steps of half a run
SCENES: dict[str, tuple[Any, int]] = {
    "block on an incline": (incline, 5000),
    "ten cubes, the top one 1,000 times heavier": (partial(stack, 1e3), 1000),
    "ten cubes, the top one 100,000 times heavier": (partial(stack, 1e5), 1000),
    "wall of 104 bricks, laid exactly": (partial(wall, 16, 7), 250),
    "wall of 104 bricks, rows dropped 0.2 mm each": (partial(wall, 16, 7, 2e-4), 250),
    "wall of 488 bricks, laid exactly": (partial(wall, 32, 16), 50),
}


ENGINES = {"mbplugin": time_ours, "MuJoCo": time_mujoco, "PyBullet": time_bullet}


def contacts() -> None:
    """The table."""
    rows: list[list[object]] = []
    for name, (scene, steps) in sized(SCENES, {"block on an incline": (incline, 10)}).items():
        problem = scene()
        found: dict[str, float] = {}
        engines = {e: f for e, f in ENGINES.items() if e == "mbplugin" or installed(e.lower())}
        times = in_turn({engine: partial(run, problem, steps, found) for engine, run in engines.items()})
        for engine, us in times.items():
            drift, residual = found[f"{engine}'s drift"], found[f"{engine}'s residual"]
            rows.append([name, engine, us, times["mbplugin"] / us, drift, residual])
            name = ""
    head = ["scene", "engine", "µs a step", "mbplugin's in it", "drift [m]", "residual / (g dt)"]
    table("Contacts, settled", head, rows)


if __name__ == "__main__":
    alone()
    contacts()
