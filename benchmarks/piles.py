"""Spheres that fall into a box: parts of a step against the number of spheres, and times beside MuJoCo."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from math import pi
from typing import Any

import numpy as np
from bullet import World
from contact_parts import PARTS, of_step
from contacts import STEP, G
from mbplugin_contact.arrays import Contacts
from residuals import of_mujoco
from timing import alone, installed, prepared, seconds, sized, table

RADIUS, MASS, FRICTION = 0.05, 0.5, 0.3
#: of the cubes of a mixed pile [m]
EDGE = 1.2 * RADIUS
PITCH, LAYERS = 2.2 * RADIUS, 4
COUNTS = (500, 1000, 2000, 5000, 10000)
SHOWN = ("broad phase", "narrow phase", "rows", "sweep", "residual", "account")
#: sweeps a step until the parts are timed, and the time at which they are [s]
SWEEPS, LANDED = 10, 0.3
#: times at which the parts of a step to the usual residual are timed [s], and steps before that are counted
MOMENTS, STEPS_BEFORE = (0.1, 0.3, 0.45), 10
#: times between which steps are compared with those of the peers [s]
SPANS = (0.0, 0.5, 0.8)
HEAP_SPANS = (0.0, 0.2, 0.4, 0.5)
#: steps between two times whose residuals are measured
LOOKS = 5
#: largest residual that a scene may ask for [g h]
LOOSEST = 10.0


def places(n: int) -> tuple[Any, float]:
    """(n, 3) centres in layers, and the width of the box [m]."""
    side = round((n / LAYERS) ** 0.5)
    rng = np.random.default_rng(1)
    k = np.arange(n)
    layer, place = k // side**2, k % side**2
    at = np.column_stack([place // side, place % side, layer])
    at = PITCH * (at + np.array([0.7, 0.7, 0.5])) + 0.05 * RADIUS * rng.random((n, 3))
    return at, PITCH * (side + 0.5)


#: places of the walls in widths, and the turn of their planes
WALLS = (
    ((0, 0), [0, 1, 0], pi / 2),
    ((1, 0), [0, 1, 0], -pi / 2),
    ((0, 0), [1, 0, 0], -pi / 2),
    ((0, 1), [1, 0, 0], pi / 2),
)


def cubes(n: int) -> Any:
    """(n,) whether a solid of a mixed pile is a cube, and (n, 4) unit quaternions."""
    rng = np.random.default_rng(2)
    q = rng.normal(size=(n, 4))
    return np.arange(n) % 2 == 1, q / np.linalg.norm(q, axis=1)[:, None]


def ours(n: int, mixed: bool = False, **keys: Any) -> tuple[Any, Any]:
    """Problem and integrator; every second solid of a mixed pile is a cube."""
    import mbplugin as mb

    at, width = places(n)
    floor = {"type": "plane", "size": [width, width]}
    walls = [
        {**floor, "position": [x * width, y * width, 0.0], "orientation": {"axis": axis, "angle": angle}}
        for (x, y), axis, angle in WALLS
    ]
    system = mb.System(
        scene={"gravity": [0, 0, -G], "collide": True, "material": "wood", "shape": [floor, *walls]},
        solver={"type": "contact", "end": 1e6, "step": STEP, **keys},
        output={"series": False},
    )
    system.add(mb.Material(name="wood", friction=FRICTION))
    for k, (x, cube, q) in enumerate(zip(at, *cubes(n))):
        boxed = mixed and bool(cube)
        system.add(
            mb.Body(
                name=f"b{k}",
                mass=MASS,
                inertia=[MASS * EDGE**2 / 6.0 if boxed else 0.4 * MASS * RADIUS**2] * 3,
                position=[float(c) for c in x],
                orientation={"quaternion": q.tolist()} if boxed else None,
                collide=True,
                material="wood",
                shapes=[mb.Box(size=[EDGE] * 3) if boxed else mb.Sphere(radius=RADIUS)],
            )
        )
    run = prepared(system)
    return run.problem, run.start(np.inf)


def mujoco_model(n: int, mixed: bool = False, solver: str = "Newton") -> Any:
    import mujoco

    at, width = places(n)
    numbers = lambda values: " ".join(repr(float(v)) for v in values)
    planes = "".join(
        f'<geom type="plane" size="9 9 1" pos="{x * width!r} {y * width!r} 0" '
        f'axisangle="{numbers([*axis, angle])}"/>'
        for (x, y), axis, angle in (((0, 0), [0, 0, 1], 0.0), *WALLS)
    )
    ball = f'<geom type="sphere" size="{RADIUS}" mass="{MASS}"/>'
    box = f'<geom type="box" size="{numbers([EDGE / 2] * 3)}" mass="{MASS}"/>'
    bodies = "".join(
        f'<body pos="{numbers(x)}" quat="{numbers(q)}"><freejoint/>{box if mixed and cube else ball}</body>'
        for x, cube, q in zip(at, *cubes(n))
    )
    text = (
        f'<mujoco><option timestep="{STEP}" gravity="0 0 {-G}" solver="{solver}" cone="elliptic" '
        'iterations="100" tolerance="1e-12"/><compiler angle="radian"/><size memory="4G"/>'
        f'<default><geom friction="{FRICTION!r} 0 0" condim="3" solref="4e-3 1" '
        f'solimp="0.99 0.999 0.0001"/></default><worldbody>{planes}{bodies}</worldbody></mujoco>'
    )
    return mujoco.MjModel.from_xml_string(text)


def run_to(integrator: Any, time: float) -> None:
    while integrator.time < time - 0.5 * STEP:
        integrator.advance(time, np.inf, 10**9)


def parts(counts: tuple[int, ...]) -> None:
    """Processor time of each part of a step."""
    rows: list[list[object]] = []
    sweeps = []
    for n in counts:
        from mbplugin.tables.groups import TransientRows

        problem, integrator = ours(n, sweeps=SWEEPS)
        run_to(integrator, LANDED)
        steps = 10
        spent = seconds(partial(run_to, integrator, LANDED + steps * STEP)) / steps
        found = of_step(problem, integrator, SHOWN)
        size = sum(array.nbytes for array in arrays_of(problem)) / n
        contacts = int(problem[TransientRows].used[0])
        sweeps.append(found["sweep"])
        rows.append([n, contacts, 1e3 * spent, *(found.get(name, float("nan")) for name in SHOWN), size])
    head = ["spheres", "contacts", f"step of {SWEEPS} sweeps [ms]", *(f"{name} [µs]" for name in SHOWN)]
    table("Spheres that fall into a box", [*head, "bytes a sphere"], rows)
    if len(counts) > 1:
        slope = np.polyfit(np.log(counts), np.log(sweeps), 1)[0]
        print(f"\na sweep grows with the exponent {slope:.2f}")


def shares(n: int, moments: tuple[float, ...]) -> None:
    """Processor time of one call of each part, of steps to the usual residual, and how often it is called:
    sweeps and factorizations are those of the island that needs most, means of ten steps.
    """
    from mbplugin.tables.groups import TransientRows

    rows: list[list[object]] = []
    for moment in moments:
        problem, integrator = ours(n)
        run_to(integrator, moment - STEPS_BEFORE * STEP)
        spent, counts = 0.0, np.zeros(2)
        for k in range(STEPS_BEFORE, 0, -1):
            spent += seconds(partial(run_to, integrator, moment - (k - 1) * STEP))
            record = problem[Contacts].record[0]
            counts += (int(record.swept), int(record.factored))
        contacts = int(problem[TransientRows].used[0])
        found = of_step(problem, integrator)
        means = [1e3 * spent / STEPS_BEFORE, *(counts / STEPS_BEFORE)]
        rows.append([moment, contacts, *means, *(found[name] for name in PARTS)])
    head = ["time [s]", "contacts", "step [ms]", "sweeps", "factorizations"]
    head += [f"{name} [µs]" for name in PARTS]
    table(f"Parts of a step, {n} spheres that fall into a box", head, rows)


def arrays_of(problem: Any) -> list[Any]:

    from mbplugin.tables.groups import Matrix, TransientJobs, TransientMarkers, TransientRows

    return [
        np.asarray(array)
        for group in (Contacts, Matrix, TransientRows, TransientJobs, TransientMarkers)
        for array in problem[group]
    ]


def bullet_world(n: int, mixed: bool = False) -> World:
    at, width = places(n)
    normals = [((0, 0, 0), (0, 0, 1))] + [
        ((x * width, y * width, 0), (np.sign(angle) * axis[1], -np.sign(angle) * axis[0], 0))
        for (x, y), axis, angle in WALLS
    ]
    size = lambda cube: [0.5 * EDGE] * 3 if mixed and cube else RADIUS
    solids = [(size(cube), MASS, x, [0.0] * 3) for x, cube in zip(at, cubes(n)[0])]
    turns = cubes(n)[1] if mixed else None
    return World(solids, normals, FRICTION, [0.0, 0.0, -G], STEP, turns)


def beside(n: int, times: tuple[float, ...]) -> None:
    """Milliseconds a step between these times, beside MuJoCo's Newton and PyBullet, and with the residual
    that PyBullet reached, the median of every tenth step.
    """
    model = None
    if installed("mujoco"):
        import mujoco

        model = mujoco_model(n)
        model.opt.jacobian = mujoco.mjtJacobian.mjJAC_SPARSE
        data = mujoco.MjData(model)
    world = bullet_world(n) if installed("pybullet") else None
    exact, loose = ours(n), None
    rows: list[list[object]] = []
    for start, end in pairwise(times):
        steps, span = round((end - start) / STEP), f"{start} to {end} s"
        if world is not None:
            spent, residuals = 0.0, []
            for _ in range(steps // 10):
                spent += seconds(lambda: world.step(10)) / steps
                residuals.append(world.residual() / (G * STEP))
            reached = float(np.median(residuals))
            rows.append([span, "PyBullet", 1e3 * spent, "", reached])
            if loose is None:
                loose = ours(n)
            loose[0][Contacts].record[0].goal = reached * G * STEP
            rows.append([span, "mbplugin, to PyBullet's residual", *measured(*loose, end, steps)])
        if model is not None:
            spent = seconds(lambda n=steps: mujoco.mj_step(model, data, n)) / steps
            rows.append([span, "MuJoCo", 1e3 * spent, "", ""])
        rows.append([span, "mbplugin", *measured(*exact, end, steps)])
    head = ["time", "engine", "ms a step", "steps above the residual", "residual of the last step / (g dt)"]
    table(f"{n} spheres that fall into a box", head, rows)


class Mujoco:
    """A mixed pile in MuJoCo."""

    def __init__(self, n: int, solver: str) -> None:
        import mujoco

        self.mujoco, self.model = mujoco, mujoco_model(n, True, solver)
        self.model.opt.jacobian = mujoco.mjtJacobian.mjJAC_SPARSE
        self.data = mujoco.MjData(self.model)

    def step(self, steps: int) -> None:
        self.mujoco.mj_step(self.model, self.data, steps)

    def residual(self) -> float:
        """Of the last step [m/s]."""
        return of_mujoco(self.model, self.data, 1.0)


def heap(n: int, times: tuple[float, ...]) -> None:
    """Milliseconds a step of a mixed heap between these times, and the median residual of some of them,
    by one map for all engines; ours also to the residual of each.
    """
    peers: dict[str, Any] = {}
    if installed("mujoco"):
        peers |= {f"MuJoCo, {solver}": Mujoco(n, solver) for solver in ("Newton", "CG")}
    if installed("pybullet"):
        peers["PyBullet"] = bullet_world(n, mixed=True)
    exact = ours(n, mixed=True)
    loose: dict[str, Any] = {}
    rows: list[list[object]] = []
    for start, end in pairwise(times):
        steps, span = round((end - start) / STEP), f"{start} to {end} s"
        for name, peer in peers.items():
            spent, residuals = 0.0, []
            for _ in range(LOOKS):
                spent += seconds(partial(peer.step, steps // LOOKS)) / steps
                residuals.append(peer.residual() / (G * STEP))
            reached = float(np.median(residuals))
            rows.append([span, name, 1e3 * spent, "", "", reached])
            problem, integrator = loose.get(name) or loose.setdefault(name, ours(n, mixed=True))
            problem[Contacts].record[0].goal = min(reached, LOOSEST) * G * STEP
            rows.append([span, f"mbplugin, to that of {name}", *of_span(problem, integrator, end, steps)])
        rows.append([span, "mbplugin", *of_span(*exact, end, steps)])
    head = ["time", "engine", "ms a step", "contacts", "steps above the residual", "residual / (g dt)"]
    table(f"{n} cubes and spheres that fall into a box", head, rows)


def of_span(problem: Any, integrator: Any, end: float, steps: int) -> list[object]:
    """Milliseconds a step, contacts at the end, steps that missed, and the median residual of some."""
    from mbplugin.tables.groups import TransientRows

    spent, lost, residuals = 0.0, int(problem[Contacts].missed[0]), []
    for k in range(LOOKS - 1, -1, -1):
        spent += seconds(lambda k=k: run_to(integrator, end - k * (steps // LOOKS) * STEP)) / steps
        residuals.append(float(problem[Contacts].residual[0]) / (G * STEP))
    lost = int(problem[Contacts].missed[0]) - lost
    contacts = int(problem[TransientRows].used[0])
    return [1e3 * spent, contacts, f"{lost} of {steps}", float(np.median(residuals))]


def measured(problem: Any, integrator: Any, end: float, steps: int) -> list[object]:
    """Milliseconds a step, steps that missed, and the residual of the last."""
    missed = int(problem[Contacts].missed[0])
    spent = seconds(lambda: run_to(integrator, end)) / steps
    contacts = problem[Contacts]
    lost = int(contacts.missed[0]) - missed
    return [1e3 * spent, f"{lost} of {steps}", float(contacts.residual[0]) / (G * STEP)]


def piles() -> None:
    """The four tables."""
    parts(sized(COUNTS, (16,)))
    shares(*sized((1000, MOMENTS), (16, MOMENTS[:1])))
    beside(*sized((1000, SPANS), (16, (0.0, 0.1))))
    heap(*sized((2000, HEAP_SPANS), (16, (0.0, 0.1))))


if __name__ == "__main__":
    alone()
    piles()
