"""The momentum form: momenta without a wrench from outside are conserved to rounding, loops keep the energy
to the order of the method, and trajectories are those of the acceleration form.
"""

from __future__ import annotations

import numpy as np
import pytest
from scene_text import body, joint, solver, table, world

import mbplugin as mb
from mbplugin.errors import SceneError

INERTIA = [[0.3, 0.02, -0.03], [0.02, 0.5, 0.04], [-0.03, 0.04, 0.6]]


def free_tree(**solver) -> mb.System:
    """A free body with arms at hinges, a slider and a ball, with a motor, springs and dampers inside."""
    system = mb.System(
        scene={"gravity": [0, 0, 0]},
        solver={"type": "rk", "coordinates": "joint", **solver},
        output={"series": False},
    )
    add = system.add
    add(
        mb.Body(
            name="base",
            mass=5.0,
            inertia=INERTIA,
            center_of_mass=[0.02, -0.03, 0.01],
            velocity=[0.3, -0.2, 0.1],
            angular_velocity=[0.4, 0.7, -0.5],
        )
    )
    add(mb.Body(name="arm", mass=1.0, inertia=[0.02, 0.1, 0.1], position=[0.8, 0, 0]))
    add(mb.Body(name="hand", mass=0.5, inertia=[0.01, 0.02, 0.03], position=[1.6, 0.1, 0]))
    add(mb.Body(name="slide", mass=0.7, inertia=[0.02, 0.02, 0.03], position=[0, 0.9, 0]))
    add(mb.Body(name="tail", mass=0.4, inertia=[0.02, 0.03, 0.01], position=[-0.7, 0, 0.2]))
    add(mb.Joint(name="shoulder", type="revolute", a="base", b="arm", at=[0.4, 0, 0], axis=[0, 0, 1]))
    add(mb.Joint(name="wrist", type="revolute", a="arm", b="hand", at=[1.2, 0, 0], axis=[0, 1, 1]))
    add(mb.Joint(name="rail", type="translational", a="base", b="slide", at=[0, 0.5, 0], axis=[0, 1, 0]))
    add(mb.Joint(name="neck", type="ball", a="base", b="tail", at=[-0.4, 0, 0]))
    add(mb.Force(name="motor", type="joint_force", joint="shoulder", torque="0.4*sin(3*time)"))
    add(mb.Force(name="spring", type="spring_damper", a="base", b="slide", stiffness=40.0, damping=0.3))
    add(mb.Force(name="tie", type="spring_damper", a="arm", b="tail", stiffness=5.0, damping=0.1))
    return system


def momenta(result) -> tuple[np.ndarray, np.ndarray]:
    """Linear and angular momentum about the origin, (frames, 3) each, from the stored bodies."""
    raw, system = result.raw, result.system
    total, turn = 0.0, 0.0
    for k, one in enumerate(system.bodies):
        mass = one.mass_properties()
        q = np.asarray(raw["bodies/orientation"][:, k])
        w, x, y, z = q.T
        R = np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        ).transpose(2, 0, 1)
        place, velocity = (
            np.asarray(raw[f"bodies/{name}"][:, k]) for name in ("center_of_mass", "center_of_mass_velocity")
        )
        spin = np.asarray(raw["bodies/angular_velocity"][:, k])
        own = np.einsum("nij,jk,nlk,nl->ni", R, mass.inertia, R, spin)
        total = total + mass.mass * velocity
        turn = turn + own + np.cross(place, mass.mass * velocity)
    return total, turn


def test_momentum_is_conserved():
    """10 s at steps of 20 ms, with motors and springs inside."""
    result = free_tree(form="momentum", integrator="rk4", step=0.02, end=10.0).run(files=False)
    for values in momenta(result):
        size = np.linalg.norm(values[0])
        assert np.abs(values - values[0]).max() <= 1e-13 * size


def test_acceleration_form_loses_momentum_by_its_order():
    """The same in the acceleration form: rk4 is not exact there, and its error falls by its order."""
    drift = []
    for step in (0.02, 0.01):
        result = free_tree(integrator="rk4", step=step, end=2.0).run(files=False)
        turn = momenta(result)[1]
        drift.append(np.abs(turn - turn[0]).max())
    assert drift[0] > 1e-11
    assert 10.0 < drift[0] / drift[1] < 40.0


def test_forms_agree():
    """Trajectories of both forms at a tight tolerance."""
    a, b = (
        free_tree(form=form, tolerance=1e-11, end=3.0).run(files=False)
        for form in ("acceleration", "momentum")
    )
    for key in ("bodies/center_of_mass", "bodies/angular_velocity", "bodies/acceleration"):
        x, y = np.asarray(a.raw[key][:]), np.asarray(b.raw[key][:])
        assert np.abs(x - y).max() <= 1e-8 * np.abs(x).max(), key


def test_momentum_of_bodies_that_move_in_a_plane():
    """A plate far from the origin with an arm: it goes straight on, and turns the other way to its motor."""
    text = world(gravity=[0, 0, 0]) + body(
        "plate", type="planar", mass=2, inertia=0.4, position=[0, 1], velocity=[1, 0.5]
    )
    text += body("arm", type="planar", mass=0.5, inertia=0.1, position=[0.6, 1], velocity=[1, 0.5])
    text += joint("pin", "pin", "plate", "arm", at=[0.3, 1])
    text += table("force", type="joint_force", joint="pin", torque="0.2*sin(2*time)")
    keys = {"coordinates": "joint", "form": "momentum", "integrator": "rk4", "step": 0.02, "end": 2.0}
    result = mb.System.from_text(text + solver(**keys)).run(files=False)
    raw = result.raw
    x, u, w = (
        np.asarray(raw[f"bodies/{name}"][:])
        for name in ("center_of_mass", "center_of_mass_velocity", "angular_velocity")
    )
    m, J = np.array([2.0, 0.5]), np.array([0.4, 0.1])
    total = np.einsum("b,nbk->nk", m, u)
    turn = np.einsum("b,nb->n", J, w[:, :, 2]) + np.einsum("b,nb->n", m, np.cross(x, u)[:, :, 2])
    assert np.abs(np.asarray(raw["coordinates/value"][:])).max() > 0.1
    assert np.abs(total[:, :2] - [2.5, 1.25]).max() < 1e-13
    assert np.abs(turn - (0.5 * 0.5 * 0.6 - 2.5)).max() < 1e-13


def four_bar(step: float, form: str) -> mb.System:
    """A four-bar of unequal bars, no parallelogram, in its plane."""
    system = mb.System(
        scene={"gravity": [0, 0, -9.81]},
        solver={
            "type": "rk",
            "coordinates": "joint",
            "form": form,
            "integrator": "rk4",
            "step": step,
            "end": 0.5,
        },
    )
    points = np.array([[0, 0, 0], [0, 0, 0.5], [1.1, 0, 0.9], [1.4, 0, 0]], float)
    for k, name in enumerate(("crank", "coupler", "rocker")):
        a, b = points[k], points[k + 1]
        angle = -np.arctan2(b[2] - a[2], b[0] - a[0])
        system.add(
            mb.Body(
                name=name,
                mass=1.0 + k,
                inertia=[0.1, 0.1 + 0.05 * k, 0.1],
                position=((a + b) / 2).tolist(),
                orientation={"axis": [0, 1, 0], "angle_deg": float(np.degrees(angle))},
            )
        )
    ends = ("ground", "crank", "coupler", "rocker", "ground")
    for k in range(4):
        a, b = ends[k], ends[k + 1]
        start = {"start": {"speed": 3.0}} if k == 0 else {}
        system.add(
            mb.Joint(name=f"p{k}", type="revolute", a=a, b=b, at=points[k].tolist(), axis=[0, 1, 0], **start)
        )
    return system


def test_loop_keeps_the_energy_to_the_order():
    """A general four-bar in the momentum form: without the change of the rows it would lose 1 J in 0.5 s."""
    error = []
    for step in (0.004, 0.002):
        result = four_bar(step, "momentum").run(files=False)
        error.append(np.abs(np.asarray(result.raw["energy/balance"][:])).max())
    assert error[0] < 1e-4
    assert error[0] / error[1] > 12.0


def planar_four_bar(**solver) -> mb.System:
    """A four-bar of pins that a crank swings, in its plane, with gravity."""
    system = mb.System(
        scene={"plane": "xz", "gravity": [0, 0, -9.81]},
        solver={"type": "rk", "coordinates": "joint", "form": "momentum", **solver},
    )
    bars = {"crank": (1.0, 0.0833, [0, 0, 0.5]), "coupler": (1.5, 0.3, [0.8, 0, 1.15])}
    bars["rocker"] = (1.2, 0.17, [1.55, 0, 0.65])
    for name, (mass, inertia, place) in bars.items():
        system.add(mb.Body(name=name, type="planar", mass=mass, inertia=inertia, position=place))
    ends = ("ground", "crank", "coupler", "rocker", "ground")
    points = ([0, 0, 0], [0, 0, 1], [1.6, 0, 1.3], [1.5, 0, 0])
    for k, point in enumerate(points):
        start = {"start": {"speed": 6.0}} if k == 0 else {}
        system.add(mb.Joint(name=f"p{k}", type="pin", a=ends[k], b=ends[k + 1], at=point, **start))
    return system


def test_loop_keeps_its_energy_for_long():
    """40 s: what constraints do not let move of the momenta does not grow from step to step."""
    result = planar_four_bar(tolerance=1e-8, end=40.0).run(files=False)
    energy = result.energy.kinetic + result.energy.potential
    assert np.abs(energy - energy[0]).max() < 1e-6 * result.energy.kinetic.max()


def bricard(**solver) -> mb.System:
    """Five rods along edges of a cube and six hinges: a row of the loop repeats others at every position."""
    system = mb.System(
        scene={"gravity": [0, -9.81, 0]}, solver={"type": "rk", "coordinates": "joint", "end": 1.0, **solver}
    )
    corners = np.array([[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]], float)
    axes = [[0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
    for k in range(5):
        along = np.abs(corners[k + 1] - corners[k])
        inertia = ((1 - along) / 12 + 1e-4 * along).tolist()
        middle = ((corners[k] + corners[k + 1]) / 2).tolist()
        system.add(mb.Body(name=f"r{k}", mass=1.0, inertia=inertia, position=middle))
    ends = ("ground", *(f"r{k}" for k in range(5)), "ground")
    for k in range(6):
        a, b = ends[k], ends[k + 1]
        system.add(mb.Joint(name=f"j{k}", type="revolute", a=a, b=b, at=corners[k].tolist(), axis=axes[k]))
    return system


def test_rows_that_repeat_others_cost_no_steps_and_no_energy():
    """Off the constraints they contradict the others, and would stop what the momenta move."""
    steps = [
        bricard(form=form, integrator="dp5").run(files=False).summary.steps
        for form in ("acceleration", "momentum")
    ]
    assert steps[1] < 2 * steps[0]
    result = bricard(form="momentum", integrator="rk4", step=0.005).run(files=False)
    assert np.abs(result.energy.balance).max() < 1e-8


def test_momentum_form_needs_joint_coordinates():
    """Refused by name, with the mend."""
    system = free_tree(form="momentum")
    system.solver.raw["coordinates"] = "maximal"
    with pytest.raises(SceneError, match=r'solver\.form = "momentum".*coordinates = "joint"'):
        system.run(files=False)
