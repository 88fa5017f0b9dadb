"""No kernel allocates per element or per step: numba's own count of allocations does not grow with the number
of steps.
"""

from __future__ import annotations

import foreign_kinds
import pytest
from foreign_kinds.wasteful import Wasteful
from headless import Runs
from numba.core.runtime import _nrt_python, rtsys

from mbplugin.hooks.load import load_plugins

#: every first-party joint, force and body kind, an expression, a motion, inner states, memory and an event
BODIES = "".join(
    f"""
[[body]]
name = "b{i}"
mass = {1 + 0.1 * i}
inertia = [0.2, 0.3, 0.25]
position = [{i}, {0.2 * i}, 0]
marker = [{{ name = "eye", position = [0.1, 0.2, 0] }}]
[[joint]]
name = "j{i}"
type = "{kind}"
a = "{f"b{i - 1}" if i else "ground"}{".eye" if kind == "rod" else ""}"
b = "b{i}{".eye" if kind == "rod" else ""}"
{"" if kind == "rod" else f"at = [{i}, 0, 0.1]"}
{"" if kind in ("ball", "rod", "fixed") else "axis = [0.1, 1, 0.2]"}
"""
    for i, kind in enumerate(("revolute", "ball", "translational", "fixed", "revolute", "rod"))
)
FORCES = """
[[motion]]
joint = "j4"
angle = "0.2*sin(3*time)"
[[force]]
type = "spring_damper"
a = "b1.eye"
b = "b4.eye"
stiffness = 20
damping = 0.3
[[force]]
type = "torsion_spring_damper"
a = "ground"
b = "b0"
stiffness = 3
[[force]]
type = "force"
body = "b2"
force_x = "sin(time)"
[[force]]
type = "torque"
body = "b3"
torque_y = "if(time > 0.05, 1, 2)"
[[force]]
type = "foreign_lag"
body = "b5"
command = "time"
time_constant = 0.1
[[force]]
type = "foreign_latch"
body = "b1"
size = 1.0
"""
PLANAR = """
[[body]]
name = "flat"
type = "planar"
mass = 1
inertia = 0.2
[[joint]]
name = "pin"
type = "pin"
a = "ground"
b = "flat"
at = [0.5, 0.1]
"""


@pytest.fixture(scope="module")
def runs():
    return Runs(load_plugins(extra=[("foreign_kinds", foreign_kinds), ("wasteful", Offer)])[0])


class Offer:
    """The wasteful kind, offered here alone."""

    from mbplugin.interface import hookimpl

    @staticmethod
    @hookimpl
    def mbplugin_force_elements(register):
        register(Wasteful)


@pytest.fixture
def counted():
    _nrt_python.memsys_enable_stats()
    yield lambda: rtsys.get_allocation_stats().mi_alloc
    _nrt_python.memsys_disable_stats()


def allocations(runs, counted, text, end):
    """Allocations and evaluations of one call of the compiled loop, which takes all the steps to `end`."""
    prepared = runs.prepare(text)
    integrator = prepared.start(end)
    before = counted()
    assert integrator.advance(end, float("inf"), 10**6) == "end"
    return counted() - before, integrator.statistics["evaluations"]


@pytest.mark.parametrize(
    "integrator", ['integrator = "rk4"\nstep = 0.001', 'integrator = "dp5"', 'integrator = "dop853"']
)
@pytest.mark.parametrize("method", ["constraint_force", "kkt", "newton_euler"])
def test_no_step_allocates(runs, counted, integrator, method):
    gravity = "[scene]\ngravity = [0, -9.81, 0]\n"
    text = gravity + BODIES + PLANAR + FORCES + f'[solver]\nend = 1.0\nmethod = "{method}"\n{integrator}\n'
    few, fewer = allocations(runs, counted, text, 0.01)
    many, more = allocations(runs, counted, text, 0.1)
    assert many == few and more >= fewer + 50


def test_a_kernel_that_allocates_is_found(runs, counted):
    text = (
        PLANAR
        + '[[force]]\ntype = "foreign_wasteful"\nbody = "flat"\nsize = 1.0\n[solver]\nend = 1.0\nintegrator = "rk4"\nstep = 0.001\n'
    )
    text = "[scene]\ngravity = [0, 0, 0]\n" + text
    few, fewer = allocations(runs, counted, text, 0.01)
    many, more = allocations(runs, counted, text, 0.1)
    assert many - few >= more - fewer > 300
