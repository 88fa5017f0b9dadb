"""A kernel is not given zeros for what is not known, and parameters that it cannot have are refused."""

import numpy as np
import pytest
from headless import Runs, finish
from refusals import refused, stopped, warned
from scene_text import NO_GRAVITY, body, joint, solver, table

from mbplugin.errors import PhysicsError, PluginError
from mbplugin.interface import ForceKind, Function, Number, Parameters, Vector, hookimpl

RAIL = (
    NO_GRAVITY
    + body("b", mass=1.0, inertia=[1, 1, 1], velocity=[2, 0, 0])
    + joint("rail", "translational", "ground", "b", axis=[1, 0, 0])
)


class Followed(Parameters):
    f: Function


class Rates(ForceKind):
    """Writes the value, or a derivative, of its function as a force."""

    name = "rates"
    parameters = Followed
    markers = 1

    @staticmethod
    def kernel(a, u, wrench):
        for k in range(6):
            wrench[0, k] = 0.0
        wrench[0, 0] = u.f[1]


def rail(f, kind=Rates):
    class Plugin:
        @hookimpl
        def mbplugin_force_elements(self, register):
            register(kind)

    runs = Runs.offering(rates=Plugin())
    return runs.frames(RAIL + table("force", name="f", type="rates", body="b", f=f), [0.0])[0]


@pytest.mark.parametrize("f, slope", [("3*time", 3.0), ("rail.length**2 + 5*rail.length", 10.0)])
def test_a_derivative_that_is_known_is_given(f, slope):
    # the slider starts at x = 0 with 2 m/s: d/dt (x² + 5 x) = 10 m/s
    assert rail(f)["bodies/acceleration"][0, 0] == pytest.approx(slope, abs=1e-13)


@pytest.mark.parametrize("f", ["rate(rail.length)", "reaction(rail.fy)"])
def test_a_derivative_with_accelerations_is_not_given(f):
    with stopped(PluginError, "u.f", "nan", f'force[0].f = "{f}"'):
        rail(f)


def test_an_accept_that_asks_for_multipliers_is_refused(runs):
    class Accepts(Rates):
        memory = 1

        @staticmethod
        def accept(lam, mem_new):
            mem_new[0] = lam[0]

    with stopped(PluginError, '"lam"'):
        rail("time", Accepts)


def test_an_expression_without_a_value_is_named_by_its_key(runs):
    text = RAIL + table("force", type="force", body="b", force_x="1e-3*log(1 - time)") + solver(end=2.0)
    integrator = runs.prepare(text).start(2.0)
    with stopped(PhysicsError, "force[0].force_x", "1e-3*log(1 - time)", hide=r"t = \S+ s|nan|-inf"):
        finish(integrator, 2.0)
    with np.errstate(all="ignore"), refused("force[0].force_x", "log(time)"):
        runs.prepare(RAIL + table("force", type="force", body="b", force_x="log(time)"))


class Lists(Parameters):
    coefficients: list[Number] = [1.0, 2.0, 3.0]
    direction: Vector = (1.0, 0.0, 0.0)


def offered(reads):
    class Polynomial(ForceKind):
        name = "rates"
        parameters = Lists
        markers = 1
        kernel = staticmethod(reads)

    class Plugin:
        @hookimpl
        def mbplugin_force_elements(self, register):
            register(Polynomial)

    return Runs.offering(rates=Plugin())


def test_a_kernel_that_reads_a_list_is_refused_when_it_is_registered():
    def kernel(a, p, wrench):
        wrench[0, 0] = p.coefficients[0]

    with warned("p.coefficients"):
        runs = offered(kernel)
    with refused("force[0].type", "rates"):
        runs.prepare(RAIL + table("force", type="rates", body="b"))


def along_direction(a, p, wrench):
    for k in range(6):
        wrench[0, k] = 0.0
    for k in range(3):
        wrench[0, k] = 2.0 * p.direction[k]


def test_a_kernel_beside_a_list_gets_its_numbers():
    frame = offered(along_direction).frames(RAIL + table("force", type="rates", body="b"), [0.0])[0]
    assert frame["bodies/acceleration"][0] == pytest.approx([2, 0, 0], abs=1e-13)
