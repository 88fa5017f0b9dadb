"""Generated mechanisms with limits, friction, clutches and motors: laws and ledgers hold in each."""

from __future__ import annotations

import numpy as np
import pytest
from scene_text import body, joint, motion, solver, table, world

import mbplugin as mb

LINKS, END = 3, 1.5


def mechanism(
    seed: int, how: dict, bearings: bool = False, frames: int = 500
) -> tuple[mb.System, dict[str, tuple[float, float]]]:
    """A tree of links on hinges and sliders whose coordinates have random laws, and the limits by name.

    bearings: friction is by coefficients
    """
    random = np.random.default_rng(seed)
    text, limits = world(gravity=random.normal(size=3) * 5), {}
    for k in range(LINKS):
        parent = "ground" if k == 0 else f"link{random.integers(k)}"
        axis, place = random.normal(size=3), random.uniform(-0.5, 0.5, 3)
        place[0] += 0.6 * k
        text += body(
            f"link{k}", mass=random.uniform(0.5, 2), inertia=random.uniform(0.05, 0.08, 3), position=place
        )
        slides = random.random() < 0.3
        name, kind = ("length", "translational") if slides else ("angle", "revolute")
        keys = {}
        if random.random() < 0.7:
            keys["limits"] = limits[f"j{k}.{name}"] = [-random.uniform(0.05, 0.6), random.uniform(0.05, 0.6)]
            keys["restitution"] = random.choice([0.0, 0.3, 0.8])
        if random.random() < 0.5:
            force = random.uniform(0.1, 1.0)
            constant = "friction_force" if slides else "friction_torque"
            if bearings:
                # moments on sliders as small as these wedge
                keys |= {"friction": force} if slides else {"friction": force, "radius": 0.05, "length": 0.4}
            else:
                keys[constant] = force
            keys["friction_static"] = force * random.uniform(1.0, 1.5)
        elif random.random() < 0.3:
            keys["one_way"] = str(random.choice(["positive", "negative"]))
        text += joint(
            f"j{k}", kind, parent, f"link{k}", at=place + random.normal(size=3) * 0.3, axis=axis, **keys
        )
        if random.random() < 0.3:
            rate = random.uniform(-1, 1)
            text += motion(
                f"j{k}", **{f"{name}_velocity": f"{rate}*sin(3*time)"}, effort_limit=random.uniform(1, 9)
            )
    text += solver(**how, end=END) + table("output", frames=frames)
    return mb.System.from_text(text), limits


RK, GALPHA = {"tolerance": 1e-10}, {"type": "galpha", "step": 5e-4}
#: those in which rows that depend on each other change at once, with a step next to nothing before or behind
TOGETHER = (11, 24, 59)
CASES = [
    pytest.param(
        seed,
        how,
        bearings,
        id=f"{'rk' if how is RK else 'galpha'}-{seed}{'-bearings' if bearings else ''}",
        marks=() if seed < 2 or (seed in TOGETHER and how is GALPHA) else pytest.mark.slow,
    )
    for how in (RK, GALPHA)
    for bearings in (False, True)
    for seed in (*range(48), *TOGETHER[2:])
]


@pytest.mark.parametrize(("seed", "how", "bearings"), CASES)
def test_laws_and_ledgers_hold(seed, how, bearings):
    system, limits = mechanism(seed, how, bearings)
    result = system.run(files=False)
    # of the balance; and within a step, a frame of galpha may pass a limit
    error, passed = (1e-7, 1e-9) if how is RK else (2e-4, 1e-7)
    scale = np.ptp(result.energy.potential) + result.energy.kinetic.max() + 1.0
    assert np.abs(result.raw["energy/balance"]).max() < error * scale
    for name, (low, high) in limits.items():
        value = result.coordinate(name).value
        assert value.min() > low - passed and value.max() < high + passed
    states = dict(zip(result.raw.names("states"), result.raw["states/value"].T))
    for name, values in states.items():
        if "limit.impulse" in name or "one_way.impulse" in name:
            assert np.diff(values).min() > -1e-6, name  # it only pushes
        if "friction.energy" in name or "limit.energy" in name:
            assert np.diff(values).min() > -1e-6, name  # it only takes
    taken = sum(v[-1] for n, v in states.items() if n.endswith(".energy") and "effort" not in n)
    assert result.energy.dissipated[-1] == pytest.approx(taken, abs=10 * error * scale)


@pytest.mark.parametrize(
    "seed", [*range(2), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 12))]
)
def test_both_solvers_agree_until_motions_part(seed):
    """Up to a time that is early enough for chaos to be small, as the steps become small."""
    ends = []
    for how in ({"tolerance": 1e-10}, {"type": "galpha", "step": 2e-4}):
        system, _ = mechanism(seed, how)
        result = system.run(files=False, end=0.3)
        ends.append(np.concatenate([result[name].position[-1] for name in result.bodies]))
    np.testing.assert_allclose(ends[0], ends[1], atol=2e-4)
