"""Functions of plugins read inputs: their jumps are in the energy balance, and their derivatives are zero."""

import numpy as np
from headless import Runs
from scene_text import NO_GRAVITY, body, joint, solver, table

from mbplugin.interface import ForceKind, Function, Number, Parameters, hookimpl

MASS, STIFFNESS = 2.0, 18.0


class Pulled(Parameters):
    stiffness: Number
    to: Function


class Pull(ForceKind):
    """A spring along x to a place that moves: V = ½ k (x − f)², −V̇ explicit: k (f − x) ḟ."""

    name = "pull"
    parameters = Pulled
    markers = 1

    @staticmethod
    def kernel(a, p, u, wrench, energy, power):
        for k in range(6):
            wrench[0, k] = 0.0
        gap = u.to[0] - a.x[0]
        wrench[0, 0] = p.stiffness * gap
        energy[0] = 0.5 * p.stiffness * gap * gap
        power[0] = p.stiffness * gap * u.to[1]


class Plugin:
    @hookimpl
    def mbplugin_force_elements(self, register):
        register(Pull)


def test_a_spring_whose_end_jumps_gets_its_energy_as_work():
    """x'' = 9 (u − x), u = 1 from t = 0.4: x = 1 − cos 3s, W = k/2 at the jump, and none later."""
    text = (
        NO_GRAVITY
        + table("input", name="u", time=[0.4], value=[1.0])
        + body("b", mass=MASS, inertia=[1, 1, 1])
        + joint("rail", "translational", "ground", "b", axis=[1, 0, 0])
        + table("force", name="f", type="pull", body="b", stiffness=STIFFNESS, to="u")
        + solver(tolerance=1e-11, end=2.0)
    )
    times = [0.2, 0.4, 1.1, 2.0]
    for t, frame in zip(times, Runs.offering(pull=Plugin()).frames(text, times)):
        after = t >= 0.4
        assert abs(frame["bodies/position"][0, 0] - after * (1 - np.cos(3 * (t - 0.4)))) < 1e-9
        assert abs(frame["energy/work"] - after * 0.5 * STIFFNESS) < 1e-12
        assert abs(frame["energy/balance"]) < 1e-9
        assert frame["inputs/value"].tolist() == [float(after)]
