"""Generated mechanisms whose motions jump, take turns and have largest efforts, beside dry friction and
limits: laws and ledgers hold, both coordinates agree, and so do the solvers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from scene_text import body, joint, motion, solver, table, world

import mbplugin as mb

LINKS = 3


class Mechanism(NamedTuple):
    """A scene, and of its coordinates: largest efforts, and the expression of a speed that is followed."""

    text: str
    efforts: dict[str, float]
    followed: dict[str, str]


def speed(random: np.random.Generator) -> tuple[str, str]:
    """Key and expression of a motion whose speed jumps, as a speed or as a position with kinks."""
    size, at = random.uniform(0.3, 1.5) * random.choice([-1, 1]), random.uniform(0.05, 0.6)
    return [
        ("_velocity", f"{size}*if(time - {at}, 1, 0.2)"),
        ("_velocity", f"{size}*sign(sin({random.uniform(3, 9)}*time + 0.3))"),
        ("_velocity", f"{size}*(step(time - {at}) - step(time - {at} - 0.2))"),
        ("", f"{size}*max(time - {at}, 0)"),
    ][random.integers(4)]


def mechanism(seed: int) -> Mechanism:
    """A tree of links on hinges and sliders, whose coordinates have motions and friction at random."""
    random = np.random.default_rng(1000 + seed)
    text, efforts, followed = world(gravity=random.normal(size=3) * 4), {}, {}
    for k in range(LINKS):
        parent = "ground" if k == 0 else f"link{random.integers(k)}"
        place = random.uniform(-0.5, 0.5, 3)
        place[0] += 0.6 * k
        inertia = random.uniform(0.05, 0.08, 3)
        text += body(f"link{k}", mass=random.uniform(0.5, 2), inertia=inertia, position=place)
        slides, keys = random.random() < 0.4, {}
        name, kind = ("length", "translational") if slides else ("angle", "revolute")
        if random.random() < 0.6:
            keys["friction_force" if slides else "friction_torque"] = random.uniform(0.2, 2.0)
        drive = ["", "limited", "exact", "turns"][random.integers(4)] if k else "limited"
        if drive in ("", "limited") and random.random() < 0.4:
            keys |= {"limits": [-0.4, 0.5], "restitution": random.choice([0.0, 0.5])}
        at = place + random.normal(size=3) * 0.3
        text += joint(f"j{k}", kind, parent, f"link{k}", at=at, axis=random.normal(size=3), **keys)
        coordinate = f"j{k}.{name}"
        if drive == "turns":
            for n, active in enumerate(("time < 0.35", "time >= 0.35")):
                rate = {f"{name}_velocity": f"{random.uniform(-1, 1)}"}
                text += motion(f"j{k}", name=f"turn{k}{n}", active=active, **rate)
        elif drive:
            suffix, expression = speed(random)
            if drive == "limited":
                efforts[coordinate] = random.uniform(0.5, 6)
                text += motion(f"j{k}", **{name + suffix: expression}, effort_limit=efforts[coordinate])
            else:
                text += motion(f"j{k}", **{name + suffix: expression})
                if suffix:
                    followed[coordinate] = expression
    return Mechanism(text, efforts, followed)


def run(seed: int, end: float, frames: int = 200, **how) -> tuple[Mechanism, mb.Result]:
    made = mechanism(seed)
    text = made.text + solver(**how, end=end) + table("output", frames=frames)
    return made, mb.System.from_text(text).run(files=False)


def seeds(few: int, many: int, also: int = 0) -> list:
    slow = [seed for seed in range(few, many) if seed != also]
    return [*range(few), *([also] if also else []), *(pytest.param(s, marks=pytest.mark.slow) for s in slow)]


def check_laws(made: Mechanism, result: mb.Result, error: float) -> None:
    """Nothing exerts more than its largest effort, friction only takes, and the ledger closes."""
    scale = np.ptp(result.energy.potential) + result.energy.kinetic.max() + np.ptp(result.energy.work) + 1.0
    assert np.abs(result.energy.balance).max() < error * scale
    for name, most in made.efforts.items():
        assert np.abs(result.coordinate(name).drive).max() <= most * (1 + 1e-9)
    for name, values in zip(result.raw.names("states"), result.raw["states/value"].T):
        if "friction.energy" in name or "limit.impulse" in name:
            assert np.diff(values).min() > -max(1e-6, error * scale), name


@pytest.mark.parametrize("seed", seeds(3, 200))
def test_laws_and_ledgers_hold_where_speeds_jump(seed):
    made, result = run(seed, 1.5, tolerance=1e-9)
    check_laws(made, result, 1e-6)
    for name, expression in made.followed.items():
        value = {"time": result.time[1::7], "sin": np.sin, "sign": np.sign}
        value |= {"step": lambda x: (x > 0) * 1.0, "if_": lambda x, a, b: np.where(x > 0, a, b)}
        wanted = eval(expression.replace("if(", "if_("), value)
        np.testing.assert_allclose(result.coordinate(name).speed[1::7], wanted, atol=1e-9)


@pytest.mark.parametrize("seed", seeds(2, 60))
def test_both_coordinates_agree_where_speeds_jump(seed):
    ends = []
    for how in ({}, {"coordinates": "joint"}, {"coordinates": "joint", "form": "momentum"}):
        _, result = run(seed, 0.7, 40, tolerance=1e-10, **how)
        ends.append(np.concatenate([result[name].position[-1] for name in result.bodies]))
    np.testing.assert_allclose(ends[1], ends[0], atol=1e-6)
    np.testing.assert_allclose(ends[2], ends[0], atol=1e-6)


@pytest.mark.parametrize("type", ["galpha", "contact"])
@pytest.mark.parametrize("seed", seeds(1, 60, also=18))  # a motor that lags has to turn round within 1.3 ms
def test_the_other_solvers_go_the_same_way(seed, type):
    """With shorter steps they come nearer to `rk`, or are near: `contact` finds changes at ends of steps, so
    that its error is of first order with a factor that differs from step to step.
    """
    _, exact = run(seed, 0.7, 40, tolerance=1e-10)
    away = []
    for step in (1e-3, 5e-4 if type == "galpha" else 2.5e-4):
        made, result = run(seed, 0.7, 40, type=type, step=step)
        check_laws(made, result, 3e-3)
        away.append(max(np.abs(result[n].position[-1] - exact[n].position[-1]).max() for n in exact.bodies))
    assert away[1] < max(0.7 * away[0], 1e-4 if type == "galpha" else 5e-4)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_laws_and_ledgers_hold_for_half_a_minute(seed):
    made, result = run(seed, 30.0, 300, tolerance=1e-8)
    check_laws(made, result, 1e-4)
