"""A method's or a solver's compiled function that leaves its arrays, or raises, stops the run: nothing of it
vanishes.
"""

from __future__ import annotations

import pytest
from child import command, distribution
from mbplugin_lagrange import stages
from mbplugin_lagrange.kkt import NewtonEuler, newton_euler
from mbplugin_lagrange.rk import RungeKutta
from scene_text import body, solver, table
from tiers import few_first

from mbplugin.interface import internal
from mbplugin.matrix import table_at
from mbplugin.stepping import Rates, view
from mbplugin.testing import check_method, check_solver

#: a method for bodies without constraints, and the explicit Euler method, with a place for a fault
PLUGIN = """
from mbplugin.interface import MethodKind, hookimpl, jit
from mbplugin.matrix import table_at, view
from mbplugin.stepping import CompiledSolver, Control, FixedStep, Rates, State, Step, advance_coordinates
from mbplugin.stepping import rates_on_constraints
from mbplugin.tables.groups import Bodies


@jit
def fault(array, t):
    if t > 0.01:
        FAULT


def newton(first, count, address):
    tables = table_at(address)
    bodies, v_dot = view(tables, Bodies), view(tables, Rates).v_dot
    for k in range(v_dot.shape[0]):
        v_dot[k] = bodies.inverse[k] * bodies.h[k]
    IN_METHOD
    return 1


def begin_step(tables):
    return rates_on_constraints(tables)


def try_step(tables, h):
    state, rates, start = view(tables, State), view(tables, Rates), view(tables, Step)
    for k in range(state.v.shape[0]):
        state.v[k] += h * rates.v_dot[k]
    IN_SOLVER
    return advance_coordinates(tables, start.mean)


class Newton(MethodKind):
    name = "acme_newton"
    kernel = staticmethod(newton)


class Euler(CompiledSolver):
    name = "acme_euler"
    parameters = FixedStep
    choices = {"method": "method"}
    begin_step = staticmethod(begin_step)
    try_step = staticmethod(try_step)

    @classmethod
    def control(cls, params, chosen):
        return Control(1, fixed=params.step)


@hookimpl
def mbplugin_methods(register):
    register(Newton)


@hookimpl
def mbplugin_solvers(register):
    register(Euler)
"""
CALLS = {
    "method": ("IN_METHOD", "fault(v_dot, view(tables, State).time[0])", 'method "acme_newton": its kernel'),
    "solver": ("IN_SOLVER", "fault(state.v, start.record[0].t0)", 'solver "acme_euler": its try_step'),
}
SCENE = (
    body("ball", mass=1, inertia=[1, 1, 1])
    + solver(type="acme_euler", method="acme_newton", step=1e-3, end=0.05)
    + table("output", frames=3, series=False)
)


def run(tmp_path, where, fault, **environment):
    """What a run of the scene says, with `fault` in the method or the solver."""
    text = PLUGIN.replace("FAULT", fault)
    for place, call, _ in CALLS.values():
        text = text.replace(place, call if place == CALLS[where][0] else "pass")
    site = distribution(tmp_path / "site", "acme", "acme_solvers", text)
    (tmp_path / "s.toml").write_text(SCENE)
    return command("run", "s.toml", "-o", "out", cwd=tmp_path, extra=[site], **environment)


@pytest.mark.parametrize("where", few_first(CALLS))
def test_a_write_outside_stops_the_run(tmp_path, where):
    # 6 velocities
    done = run(tmp_path, where, "array[6] = 5.0", MBPLUGIN_BOUNDS="1")
    assert done.returncode == 5, done.stderr
    said = done.stderr
    assert CALLS[where][2] in said and "reads or writes outside an array" in said and "t = 0.01" in said
    assert "Traceback" not in said and "ignored" not in said
    # try_step calls functions of the engine that plain Python cannot call
    assert where == "solver" or "acme_solvers.py, line 20: `fault(v_dot" in said


@pytest.mark.slow
@pytest.mark.parametrize("where", list(CALLS))
def test_a_function_that_stays_inside_runs_with_checks(tmp_path, where):
    done = run(tmp_path, where, "array[5] += 0.0", MBPLUGIN_BOUNDS="1")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("where", few_first(reversed(CALLS)))
def test_an_exception_stops_the_run_also_without_checks(tmp_path, where):
    done = run(tmp_path, where, 'raise ValueError("no solution")')
    assert done.returncode == 5, done.stderr
    said = done.stderr
    assert CALLS[where][2] in said and "raised an exception" in said and "ignored" not in said
    place = 'acme_solvers.py, line 12: `raise ValueError("no solution")`'
    assert where == "solver" or f"(ValueError: no solution) in {tmp_path}/site/{place}" in done.stderr


right_method, right_step = internal(newton_euler), internal(stages.try_step)


@internal
def clear(array):
    """400 numbers beyond its end."""
    for k in range(array.shape[0], array.shape[0] + 400):
        array[k] = 0.0


def method_beyond(first, count, address):
    clear(view(table_at(address), Rates).v_dot)
    return right_method(first, count, address)


def step_beyond(tables, h):
    clear(view(tables, Rates).v_dot)
    return right_step(tables, h)


class MethodBeyond(NewtonEuler):
    name = "beyond"
    kernel = staticmethod(method_beyond)


class StepBeyond(RungeKutta):
    name = "beyond"
    try_step = staticmethod(step_beyond)


@pytest.mark.parametrize(
    ("check", "kind"),
    [(check_method, MethodBeyond), pytest.param(check_solver, StepBeyond, marks=pytest.mark.slow)],
)
def test_the_kit_finds_writes_outside_and_does_not_call_the_function_again(check, kind):
    report = check(kind)
    assert not report.ok
    assert [c.what for c in report.checks if not c.ok] == ["every index stays inside its array"]
