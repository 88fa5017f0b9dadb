"""Generated mechanisms with gaps by expressions and slip functions: laws and ledgers hold in each."""

from __future__ import annotations

import numpy as np
import pytest
from scene_text import body, joint, solver, table, world

import mbplugin as mb

END = 1.0
#: kinds of joints -> their coordinates
COORDINATES = {
    "revolute": ["angle"],
    "translational": ["length"],
    "cylindrical": ["length", "angle"],
    "universal": ["angle_x", "angle_y"],
    "point_on_plane": ["x", "y"],
}
HOW = {
    "rk": {"tolerance": 1e-10},
    "galpha": {"type": "galpha", "step": 2e-4},
    "contact": {"type": "contact", "step": 2e-4},
}


def mechanism(seed: int, how: str) -> tuple[mb.System, float, int]:
    """Three bodies on random joints, and a gap that bends, and moves, between their coordinates; the
    coefficient of friction and the number of slip functions.
    """
    random = np.random.default_rng(seed)
    text, names = world(gravity=random.normal(size=3) * 6), []
    for k, kind in enumerate(random.choice([*COORDINATES], 3)):
        place = random.uniform(-0.3, 0.3, 3)
        place[0] += 0.6 * k
        text += body(
            f"b{k}", mass=random.uniform(0.5, 2), inertia=random.uniform(0.05, 0.08, 3), position=place
        )
        parent = "ground" if k == 0 or random.random() < 0.5 else f"b{k - 1}"
        at = place + random.normal(size=3) * 0.2
        text += joint(f"j{k}", str(kind), parent, f"b{k}", at=at, axis=random.normal(size=3))
        names += [f"j{k}.{name}" for name in COORDINATES[str(kind)]]
    x, y, z = random.choice(names, 3, replace=False)
    c = random.uniform(0.5, 1.5, 6) * random.choice([-1, 1], 6)
    gap = f"{c[0]}*{x} + {c[1]}*sin({y}) + {c[2]}*{z} + 0.1*cos(5*time)"
    slips = int(random.integers(3))
    mu = 0.3 if slips else 0.0
    functions = [
        f"{c[3]}*rate({x}) - {c[4]}*cos({x})*rate({y})",
        f"{c[5]}*rate({y}) - {c[3]}*rate({z}) - 0.2",
    ]
    keys = {"slip": functions[:slips], "friction": mu, "friction_static": 1.3 * mu} if slips else {}
    text += table(
        "joint", name="gap", type="unilateral", gap=gap, restitution=random.choice([0, 0.5]), **keys
    )
    text += table("variable", name="opening", value=gap)
    text += solver(**HOW[how], end=END) + table("output", frames=200)
    return mb.System.from_text(text), mu, slips


#: friction of nearly the size that wedges, which not every step of `contact` finds; it says so
MISSED = (21, "contact")
CASES = [
    # no slip function, one, and two
    pytest.param(
        seed,
        how,
        id=f"{how}-{seed}",
        marks=() if seed in (2, 3, 5) and (how == "rk" or seed == 5) else pytest.mark.slow,
    )
    for how in HOW
    for seed in range(24)
]


@pytest.mark.parametrize(("seed", "how"), CASES)
def test_gaps_stay_open_forces_push_and_friction_stays_within_its_cone(seed, how):
    system, mu, slips = mechanism(seed, how)
    result = system.run(files=False)
    if (seed, how) == MISSED:
        assert "missed their residual" in str(result.messages)
        return
    error, passed = {"rk": (1e-7, 1e-9), "galpha": (2e-4, 1e-7), "contact": (1e-4, 2e-4)}[how]
    energy = 1.0 + np.abs(result.raw["energy/kinetic"]).max() + np.abs(result.raw["energy/dissipated"]).max()
    assert np.abs(result.raw["energy/balance"]).max() < error * energy
    opening = result.raw["outputs/value"][:, result.raw.names("outputs").index("opening")]
    assert opening.min() > -passed
    assert (np.diff(result.raw["energy/dissipated"]) > -error * energy).all()
    force = {name: result.raw["bounds/force"][:, k] for k, name in enumerate(result.bounds)}
    push, size = force["gap.gap"], 1.0 + np.abs(force["gap.gap"]).max()
    assert push.min() > -1e-8 * size
    assert (push[result.status("gap.gap") == "open"] < 1e-8 * size).all() or how == "contact"
    if slips:
        rubs = np.hypot(*[force[name] for name in force if name != "gap.gap"], *([0] if slips == 1 else []))
        assert (rubs < 1.3 * mu * push + 1e-7 * size).all()


@pytest.mark.parametrize("how", HOW)
def test_two_free_bodies_keep_their_momenta_when_they_meet_on_a_gap(how):
    """distance ≥ 0.5, without any load: linear and angular momentum stay, e of the approach comes back."""
    text = world(gravity=[0, 0, 0])
    for k, (place, velocity) in enumerate((([0, 0, 0], [0.3, 0.1, 0]), ([1, 0.1, 0], [-0.7, 0, 0.2]))):
        text += body(f"b{k}", mass=1.0 + k, inertia=[0.1, 0.2, 0.3], position=place, velocity=velocity)
    text += table("joint", name="gap", type="unilateral", gap="distance(b0, b1) - 0.5", restitution=0.6)
    text += solver(**HOW[how], end=2.0) + table("output", frames=100)
    result = mb.System.from_text(text).run(files=False)
    m, bodies = (1.0, 2.0), [result["b0"], result["b1"]]
    p = sum(m * one.velocity for m, one in zip(m, bodies))
    spin = sum(m * np.cross(one.position, one.velocity) for m, one in zip(m, bodies))
    np.testing.assert_allclose(p, np.tile(p[0], (len(p), 1)), atol=1e-12)
    np.testing.assert_allclose(spin, np.tile(spin[0], (len(spin), 1)), atol=1e-9 if how == "rk" else 1e-3)
    assert result.events[0].impulse > 0 and result.status("gap.gap")[-1] == "open"
    assert np.abs(result.raw["energy/balance"]).max() < 1e-9
    gained = [0.5 * m * (one.velocity[[0, -1]] ** 2).sum(axis=1) for m, one in zip(m, bodies)]
    assert np.diff(sum(gained)) < -0.1
