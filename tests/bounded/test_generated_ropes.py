"""Generated mechanisms with ropes, over eyes too, and separators: laws and ledgers hold in each."""

from __future__ import annotations

import numpy as np
import pytest
from scene_text import body, joint, solver, table, world

import mbplugin as mb

BODIES, END = 4, 1.0
HOW = {
    "rk": {"tolerance": 1e-10},
    "galpha": {"type": "galpha", "step": 5e-4},
    "contact": {"type": "contact", "step": 5e-4},
}
#: of each solver: error of the energy balance in its scale, and what a path may exceed its rope by [m]
ERRORS = {"rk": (1e-7, 1e-9), "galpha": (1e-3, 1e-7), "contact": (2e-3, 1e-6)}


def mechanism(seed: int, how: str) -> tuple[mb.System, dict[str, tuple[list[str], float, float]]]:
    """Bodies between eyes of the ground, and of each rope and separator its markers, length and sign."""
    random = np.random.default_rng(seed)
    eyes = {f"eye{k}": random.uniform([-1.5, -1.5, 0], [1.5, 1.5, 3]) for k in range(3)}
    places = {f"ground.{name}": x for name, x in eyes.items()}
    text = world(
        gravity=random.normal(size=3) * 4 + [0, 0, -6],
        marker=[{"name": name, "position": list(x)} for name, x in eyes.items()],
    )
    for k in range(BODIES):
        x, marks = random.uniform(-1, 1, 3), random.uniform(-0.3, 0.3, (2, 3))
        text += body(
            f"b{k}",
            mass=random.uniform(0.5, 2),
            inertia=random.uniform(0.05, 0.08, 3),
            position=x,
            velocity=random.normal(size=3),
            marker=[{"name": f"m{i}", "position": list(mark)} for i, mark in enumerate(marks)],
        )
        places |= {f"b{k}.m{i}": x + mark for i, mark in enumerate(marks)}
    text += joint("pin", "ball", "ground", "b0", at=[0, 0, 0])
    laws = {}
    for k in range(BODIES):
        # of each body one marker, so that no part of a rope is inside of a body
        others = [f"b{i}.m{random.integers(2)}" for i in range(BODIES) if i != k]
        path = random.permutation([*others, *(f"ground.{name}" for name in eyes)])[: random.integers(1, 4)]
        marks = [f"b{k}.m0", *map(str, path)]
        x = np.array([places[mark] for mark in marks])
        length = np.linalg.norm(np.diff(x, axis=0), axis=1).sum() * random.choice([1.0, 1.1, 1.4])
        e = random.choice([0.0, 0.3, 0.8])
        text += table("joint", name=f"rope{k}", type="rope", markers=marks, length=length, restitution=e)
        laws[f"rope{k}"] = marks, length, 1.0
        if random.random() < 0.4:
            marks = [f"b{k}.m1", str(path[-1])]
            length = np.linalg.norm(places[marks[0]] - places[marks[1]]) * random.uniform(0.3, 1.0)
            text += joint(f"strut{k}", "separator", *marks, length=length, restitution=e)
            laws[f"strut{k}"] = marks, length, -1.0
    text += solver(**HOW[how], end=END) + table("output", frames=200)
    return mb.System.from_text(text), laws


CASES = [
    pytest.param(
        seed, how, id=f"{how}-{seed}", marks=() if seed < (3 if how == "rk" else 1) else pytest.mark.slow
    )
    for how in HOW
    for seed in range(40)
]


@pytest.mark.parametrize(("seed", "how"), CASES)
def test_laws_and_ledgers_hold(seed, how):
    system, laws = mechanism(seed, how)
    result = system.run(files=False)
    error, passed = ERRORS[how]
    scale = np.ptp(result.energy.potential) + result.energy.kinetic.max() + 1.0
    assert np.abs(result.raw["energy/balance"]).max() < error * scale
    states = dict(zip(result.raw.names("states"), result.raw["states/value"].T))
    lines = result.raw.names("lines")
    for name, (_, length, sign) in laws.items():
        ends = result.raw["lines/ends"][:, [k for k, line in enumerate(lines) if line == name]]
        path = np.linalg.norm(ends[:, :, 1] - ends[:, :, 0], axis=2).sum(axis=1)
        assert (sign * (length - path)).min() > -passed, name
    assert result.raw["bounds/force"].min() >= -1e-9 * result.raw["bounds/force"].max()
    for name, values in states.items():
        # they only pull or push, and only take energy; in galpha, up to its error
        least = {"rk": -1e-9, "galpha": -1e-4, "contact": -1e-5}[how]
        assert np.diff(values).min() > least * scale, name
    taken = sum(values[-1] for name, values in states.items() if name.endswith(".energy"))
    assert result.energy.dissipated[-1] == pytest.approx(taken, abs=10 * error * scale)
