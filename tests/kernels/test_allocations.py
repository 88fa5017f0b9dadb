"""No kernel allocates per element or per step: numba's own count of allocations does not grow with the number
of steps.
"""

from __future__ import annotations

import foreign_kinds
import pytest
from foreign_kinds.wasteful import Wasteful
from headless import Runs
from numba.core.runtime import _nrt_python, rtsys
from scene_text import NO_GRAVITY, body, force, joint, motion, solver, spring, table, torque, world

from mbplugin.interface import hookimpl


def link(i, kind):
    """A body that hangs on the one before."""
    a, b = f"b{i - 1}" if i else "ground", f"b{i}"
    if kind == "rod":
        a, b = f"{a}.eye", f"{b}.eye"
    return body(
        f"b{i}",
        mass=1 + 0.1 * i,
        inertia=[0.2, 0.3, 0.25],
        position=[i, 0.2 * i, 0],
        marker=[{"name": "eye", "position": [0.1, 0.2, 0]}],
    ) + joint(
        f"j{i}",
        kind,
        a,
        b,
        at=None if kind == "rod" else [i, 0, 0.1],
        axis=None if kind in ("ball", "rod", "fixed") else [0.1, 1, 0.2],
    )


#: every first-party joint, force and body kind, an expression, a motion, inner states, memory and an event
KINDS = ("revolute", "ball", "translational", "fixed", "revolute", "rod")
BODIES = "".join(link(i, kind) for i, kind in enumerate(KINDS))
FORCES = (
    motion("j4", angle="0.2*sin(3*time)")
    + spring("b1.eye", "b4.eye", stiffness=20, damping=0.3)
    + table("force", type="torsion_spring_damper", a="ground", b="b0", stiffness=3)
    + force("b2", x="sin(time)")
    + torque("b3", y="if(time > 0.05, 1, 2)")
    + table("force", type="foreign_lag", body="b5", command="time", time_constant=0.1)
    + table("force", type="foreign_latch", body="b1", size=1.0)
)
PLANAR = body("flat", type="planar", mass=1, inertia=0.2) + joint(
    "pin", "pin", "ground", "flat", at=[0.5, 0.1]
)


@pytest.fixture(scope="module")
def runs():
    return Runs.offering(foreign_kinds=foreign_kinds, wasteful=Offer)


class Offer:
    """The wasteful kind, offered here alone."""

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
    "integrator",
    [{"integrator": "rk4", "step": 0.001}, {"integrator": "dp5"}, {"integrator": "dop853"}],
    ids=lambda keys: keys["integrator"],
)
@pytest.mark.parametrize("method", ["constraint_force", "kkt", "newton_euler"])
def test_no_step_allocates(runs, counted, integrator, method):
    keys = {"end": 1.0, "method": method} | integrator
    text = world(gravity=[0, -9.81, 0]) + BODIES + PLANAR + FORCES + solver(**keys)
    few, fewer = allocations(runs, counted, text, 0.01)
    many, more = allocations(runs, counted, text, 0.1)
    assert many == few and more >= fewer + 50


@pytest.mark.parametrize("coordinates", ["maximal", "joint"])
def test_no_implicit_step_allocates(runs, counted, coordinates):
    keys = {"type": "galpha", "end": 1.0, "step": 1e-3, "coordinates": coordinates}
    text = world(gravity=[0, -9.81, 0]) + BODIES + PLANAR + FORCES + solver(**keys)
    few, fewer = allocations(runs, counted, text, 0.01)
    many, more = allocations(runs, counted, text, 0.1)
    assert many == few and more >= fewer + 50


def test_a_kernel_that_allocates_is_found(runs, counted):
    wasteful = table("force", type="foreign_wasteful", body="flat", size=1.0)
    text = NO_GRAVITY + PLANAR + wasteful + solver(end=1.0, integrator="rk4", step=0.001)
    few, fewer = allocations(runs, counted, text, 0.01)
    many, more = allocations(runs, counted, text, 0.1)
    assert many - few >= more - fewer > 300
