"""Which of Φ, G, γ and Φₜ an analysis uses: a joint lies about one of them, and the answer changes or does
not by a bit.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from foreign_kinds.spy import Spy
from headless import Runs
from scene_text import body, joint, solver, spring, world

from mbplugin.errors import MbpluginError
from mbplugin.hooks.load import load_plugins
from mbplugin.interface import hookimpl
from mbplugin.model import System
from mbplugin.run.analyze import analyze


def ball(**lies):
    """Text of a heavy ball on a rod from a nail, pulled aside by a spring."""
    return (
        world(gravity=[0, 0, -9.81], marker=[{"name": "nail"}, {"name": "wall", "position": [2, 0.3, 0]}])
        + body("ball", mass=1.3, inertia=[0.1, 0.1, 0.1], position=[0.5, 0.1, -0.7], marker=[{"name": "eye"}])
        + joint("rod", "foreign_spy", "ground.nail", "ball.eye", length=0.9, **lies)
        + spring("ground.wall", "ball.eye", stiffness=8.0, damping=0.4, length=1.0)
        + solver(end=0.1)
    )


#: what the rod adds to each output; a rate that is prescribed gives all analyses of velocities something to
#: do
TRUE = {"phi": 0.0, "G": 0.0, "gamma": 0.0, "phi_t": 0.02}
POSITION_ONLY = {"phi", "G"}


@hookimpl
def mbplugin_constraint_types(register):
    register(Spy)


@pytest.fixture(scope="module")
def offered():
    return load_plugins(
        extra=[("spies", SimpleNamespace(mbplugin_constraint_types=mbplugin_constraint_types))]
    )[0]


def answer(registry, what: str, **lies: float) -> np.ndarray:
    text = ball(**(TRUE | lies))
    if what == "run":
        frame = Runs(registry).frames(text, [0.0, 0.1])[-1]
        return np.concatenate([frame["bodies/position"].ravel(), frame["bodies/velocity"].ravel()])
    done = analyze(System.from_text(text), what, registry)
    report = done.report
    return {
        "position": lambda: done.problem.q,
        "velocity": lambda: np.concatenate([done.problem.q, done.problem.v]),
        "acceleration": lambda: report.acceleration,
        "static": lambda: np.concatenate(
            [report.position.ravel(), report.stiffnesses, report.reactions.ravel()]
        ),
        "eigen": lambda: np.concatenate(
            [[mode.s for mode in report.modes], np.concatenate([mode.shape for mode in report.modes])]
        ),
    }[what]()


def used(registry, what: str) -> set[str]:
    """Outputs whose lie changes the answer, or spoils it."""
    truth = answer(registry, what)
    found = set()
    for name in TRUE:
        try:
            changed = not np.array_equal(answer(registry, what, **{name: 0.05}), truth)
        except MbpluginError:
            changed = True
        if changed:
            found.add(name)
    return found


@pytest.mark.parametrize(
    ("what", "expected"),
    [
        ("position", POSITION_ONLY),
        ("velocity", POSITION_ONLY | {"phi_t"}),
        ("acceleration", set(TRUE)),
        ("static", POSITION_ONLY),
        ("eigen", POSITION_ONLY),
        ("run", set(TRUE)),
    ],
)
def test_statics_and_modes_need_positions_only_and_motion_needs_all(offered, what, expected):
    assert used(offered, what) == expected
