"""Generated mechanisms whose joints are let go and caught at random instants: balances hold through each
change, mobility is told right, and a state that is saved in between goes on to the same bits.
"""

from __future__ import annotations

import numpy as np
import pytest
from scene_text import body, joint, solver, table, world
from scipy.spatial.transform import Rotation

import mbplugin as mb
from mbplugin.errors import PhysicsError

LINKS, CHANGES = 4, 5
#: kind -> rows
KINDS = {"revolute": 5, "translational": 5, "ball": 3, "universal": 4, "cylindrical": 4, "fixed": 6}
HOW = {
    "rk": {"tolerance": 1e-10},
    "galpha": {"type": "galpha", "step": 1e-3},
    "contact": {"type": "contact", "step": 1e-3},
}
#: of the balance of energies, over the energy
ERROR = {"rk": 1e-8, "galpha": 3e-4, "contact": 3e-4}
CASES = [
    pytest.param(how, seed, marks=() if seed < 3 else pytest.mark.slow) for how in HOW for seed in range(34)
]


def mechanism(random: np.random.Generator, how: str) -> tuple[mb.System, dict[str, str]]:
    """A tree of links that floats, with springs that move it, and a joint that may close a loop; the kinds of
    its joints.
    """
    text, kinds = world(gravity=[0, 0, 0]), {}
    for k in range(LINKS):
        position = random.uniform(-0.3, 0.3, 3) + np.array([0.7 * k, 0, 0])
        text += body(
            f"link{k}",
            mass=random.uniform(0.5, 2),
            inertia=random.uniform(0.05, 0.08, 3),
            position=position,
            velocity=[0.3, -0.2, 0.1],
        )
        if k > 0:
            kinds[f"j{k}"] = str(random.choice(list(KINDS)))
            keys = {"at": position + random.normal(size=3) * 0.2, "snap": True}
            if kinds[f"j{k}"] not in ("ball", "fixed"):
                keys["axis"] = random.normal(size=3)
            if kinds[f"j{k}"] in ("revolute", "translational"):
                keys |= {"stiffness": 5, "damping": 0.1} if random.random() < 0.5 else {}
                if random.random() < 0.3:
                    keys["friction_torque" if kinds[f"j{k}"] == "revolute" else "friction_force"] = 0.2
                if random.random() < 0.3:
                    keys["limits"] = [-0.3, 0.4]
            text += joint(f"j{k}", kinds[f"j{k}"], f"link{random.integers(k)}", f"link{k}", **keys)
    text += joint("loop", "ball", "link1", f"link{LINKS - 1}", at=[1, 0, 0], active=False, snap=True)
    kinds["loop"] = "ball"
    text += table("force", type="spring_damper", name="spring", a="link0", b="link2", stiffness=30, length=2)
    return mb.System.from_text(text + solver(**HOW[how], end=10)), kinds


def axes(view) -> np.ndarray:
    return Rotation.from_quat(view.orientation, scalar_first=True).as_matrix()


def velocities(system: mb.System, sim: mb.Simulation) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Of each body; angular ones in its own axes, which a jump of positions turns."""
    views = {one.name: sim[one.name] for one in system.bodies}
    return {name: (view.velocity, axes(view).T @ view.angular_velocity) for name, view in views.items()}


def momentum(system: mb.System, sim: mb.Simulation, moving) -> np.ndarray:
    """(6,) linear and angular momentum about the origin, at the present positions, with these velocities."""
    total = np.zeros(6)
    for one in system.bodies:
        v, w = moving[one.name]
        total[:3] += one.mass * v
        total[3:] += np.cross(sim[one.name].position, one.mass * v)
        total[3:] += axes(sim[one.name]) @ (np.array(one.inertia) * w)
    return total


def mobility(sim: mb.Simulation) -> int:
    """Velocities less the rank of the rows that act, by singular values."""
    problem = sim._prepared.problem
    sim._show()
    return problem.nv - int(np.linalg.matrix_rank(problem.jacobian()[problem.on], tol=1e-7))


def energy(sim: mb.Simulation) -> float:
    frame = sim._frames
    kept = sum(float(frame[f"energy/{name}"][0]) for name in ("kinetic", "potential", "dissipated"))
    losses = sum(
        float(frame[f"energy/{name}"][0]) for name in ("friction", "impacts") if f"energy/{name}" in frame
    )
    return kept + losses - float(frame["energy/work"][0])


@pytest.mark.parametrize(("how", "seed"), CASES)
def test_joints_let_go_and_caught(how, seed):
    random = np.random.default_rng(seed)
    system, kinds = mechanism(random, how)
    sim, acting = system.simulate(), {name: name != "loop" for name in kinds}
    scale, before = energy(sim) + 1.0, energy(sim)
    saved_at, done, saved = random.integers(CHANGES), 0, sim.save()
    for k in range(CHANGES):
        sim.step(random.uniform(0.02, 0.1))
        name = str(random.choice(list(kinds)))
        moving = velocities(system, sim)
        try:
            (sim.deactivate if acting[name] else sim.activate)(name)
        except PhysicsError as error:
            # the others hold what it would have to move
            assert "cannot be closed" in str(error) or "is beyond it" in str(error)
            assert str(moving) == str(velocities(system, sim))
            continue
        acting[name] = not acting[name]
        done += 1
        # an impulse between bodies keeps the momentum of the bodies where they are now
        found = momentum(system, sim, velocities(system, sim))
        expected = momentum(system, sim, moving)
        np.testing.assert_allclose(found, expected, atol=1e-10 * scale, err_msg=name)
        assert sim.dof == sim.events[-1].dof == mobility(sim)
        if not sim._prepared.problem.names.bounded and not acting["loop"]:
            assert sim.dof == 6 * LINKS - sum(KINDS[kind] for name, kind in kinds.items() if acting[name])
        if k == saved_at:
            saved = sim.save()
    assert energy(sim) == pytest.approx(before, abs=ERROR[how] * scale)
    assert len([one for one in sim.events if one.element in kinds]) == done
    one, other = system.simulate(), system.simulate()
    ends = []
    for again in (one, other):
        again.load(saved)
        again.step(0.05)
        ends.append(b"".join(again[link.name].position.tobytes() for link in system.bodies))
    assert ends[0] == ends[1]
