"""The kit on solvers: a solver that misses one part of a step fails the check of that part."""

from __future__ import annotations

import mbplugin_midpoint
import numpy as np
import pytest
from mbplugin_lagrange.rk import RungeKutta
from refusals import stopped, warned

from mbplugin.errors import PluginError
from mbplugin.hooks.load import load_plugins
from mbplugin.interface import SolverKind, Tableau
from mbplugin.run.chosen_solver import ChosenSolver
from mbplugin.run.integrator import Stepping
from mbplugin.stepping import FixedStep, FixedStepSolver, Step
from mbplugin.tables.groups import Measures, State
from mbplugin.testing import check_solver, check_tableau
from mbplugin.testing.imports import import_checks
from mbplugin.testing.kit import beside
from mbplugin.testing.mechanisms import MECHANISMS
from mbplugin.testing.report import Report
from mbplugin.testing.situations import SITUATIONS, offer_elements
from mbplugin.testing.solvers import mechanism_checks, situation_checks


class Tampered(Stepping):
    """Our integrator with one thing wrong, in steps of one at a time."""

    def __init__(self, inner, fault):
        self.__dict__, self.fault = vars(inner), fault
        if fault == "finds no events":
            # as many functions as are compared with those of the step before
            self.problem.put(self.problem[Step]._replace(events=np.zeros(0)))

    def show(self, time):
        super().show(time)
        problem = self.problem
        if self.fault == "off the constraints":
            problem.evaluate(time, problem.q + 1e-4, problem.v)
        if self.fault == "gains energy":
            problem.evaluate(time, problem.q, 1.01 * problem.v)

    def load(self, saved):
        change = lambda key, value: value + 1e-12 if key == "q1" and self.fault == "loads another" else value
        super().load({key: change(key, value) for key, value in saved.items()})

    def advance(self, until, frame, work):
        if self.fault == "steps to frames":
            code = super().advance(min(until, frame), frame, work)
            return "frame" if code == "end" and frame < until else code
        if self.fault not in UNDONE:
            return super().advance(until, frame, work)
        step, state = self.problem[Step], self.problem[State]
        code, spent = "busy", 0
        while code == "busy" and spent < work:
            before = step.v1.copy()
            code = super().advance(until, frame, 1)
            spent += 1
            UNDONE[self.fault](self, step, state, before)
            self.step.ready = 0
        return code


def forget_turns(tampered, step, state, before):
    step.last1[:] = np.remainder(step.last1 + np.pi, 2 * np.pi) - np.pi
    tampered.problem[Measures].last[:] = step.last1


def forget_memory(tampered, step, state, before):
    step.memory1[:] = step.memory0
    state.memory[:] = step.memory0


def forget_inner_states(tampered, step, state, before):
    step.aux1[2:] = step.aux0[2:]
    state.aux[2:] = step.aux0[2:]


def forget_impulses(tampered, step, state, before):
    if tampered.problem.nc and np.abs(step.v1 - before).max() > 1.0:
        step.v1[:] = before


UNDONE = {
    "forgets turns": forget_turns,
    "forgets memory": forget_memory,
    "forgets inner states": forget_inner_states,
    "forgets states": forget_inner_states,
    "forgets impulses": forget_impulses,
}


class Tried(SolverKind):
    """`rk` at the kit's own door, tampered with."""

    name = "tried"
    parameters = RungeKutta.parameters
    choices = RungeKutta.choices
    order = 5
    fault = ""

    @classmethod
    def start(cls, problem, params, start, end, chosen):
        from mbplugin.run.integrator import start_integrator

        return Tampered(start_integrator(RungeKutta, problem, params, start, end, chosen), cls.fault)


def failures(fault, where):
    """The failed checks of one mechanism or situation with this fault."""
    kind = type("Tried", (Tried,), {"fault": fault})
    registry = beside("solver", kind, None)
    offer_elements(registry)
    keys, report = {"type": "tried"}, Report()
    if where in MECHANISMS:
        mechanism_checks(report.of("tried"), where, 0, registry, keys, 5)
    else:
        (situation,) = [s for s in SITUATIONS if s.needs.startswith(where)]
        situation_checks(report.of("tried"), situation, registry, keys, 5)
    return [check for check in report.checks if not check.ok]


FAULTS = [
    ("off the constraints", "a chain", "position constraints hold"),
    ("gains energy", "a chain", "energy is conserved"),
    ("loads another", "a chain", "a saved run continues"),
    ("steps to frames", "a chain", "frames do not change the motion"),
    ("forgets turns", "counting turns", "counting turns"),
    ("forgets memory", "events and memory", "events and memory"),
    ("finds no events", "events and memory", "events and memory"),
    ("forgets inner states", "inner states of elements", "inner states of elements"),
    ("forgets states", "states of the scene", "states of the scene"),
    ("forgets impulses", "impulses at jumps", "impulses at jumps"),
]


@pytest.mark.parametrize(("fault", "where", "what"), FAULTS, ids=[fault for fault, _, _ in FAULTS])
def test_a_fault_planted_in_a_solver_is_found(fault, where, what):
    failed = failures(fault, where)
    assert any(what in check.what for check in failed), failed


@pytest.mark.parametrize("where", sorted({where for _, where, _ in FAULTS}))
def test_without_a_fault_all_is_well(where):
    assert failures("", where) == []


class Wrong(mbplugin_midpoint.Midpoint):
    """The rates of the start of the step in place of those at its middle: order 1."""

    name = "wrong"

    @staticmethod
    def step(state, dt):
        v_dot = state.accelerations()
        state.advance(dt)
        state.v += dt * v_dot


class Frozen(mbplugin_midpoint.Midpoint):
    """Moves bodies and forgets inner states."""

    name = "frozen"

    @staticmethod
    def step(state, dt):
        x = state.x.copy()
        mbplugin_midpoint.Midpoint.step(state, dt)
        state.x[:] = x


@pytest.mark.parametrize(
    ("kind", "what"),
    [(Wrong, "order 2"), pytest.param(Frozen, "inner states of elements", marks=pytest.mark.slow)],
)
def test_a_fault_planted_in_a_solver_in_numpy_is_found(kind, what):
    assert any(what in check.what for check in check_solver(kind).checks if not check.ok)


def test_a_solver_that_does_not_say_its_order_fails():
    class Silent(FixedStepSolver):
        name = "silent"
        order = None
        parameters = FixedStep
        step = mbplugin_midpoint.Midpoint.step

    (check,) = check_solver(Silent).checks
    assert not check.ok and "give the class `order`" in check.note


@pytest.mark.parametrize(
    "changed",
    [{"order": 3}, {"b": [1 / 3, 2 / 3]}, {"error_order": 2}],
    ids=["another order", "other weights", "another order of the error"],
)
def test_a_wrong_tableau_is_found(changed):
    heun = mbplugin_midpoint.HEUN
    fields = {name: getattr(heun, name) for name in ("A", "b", "c", "order", "b_error", "error_order")}
    assert not check_tableau("heun", Tableau(**{**fields, **changed})).ok


def test_a_back_door_into_the_engine_is_found(tmp_path, monkeypatch):
    (tmp_path / "acme_door.py").write_text(
        "import mbplugin.run.loop\nfrom mbplugin.interface import ForceKind\nfrom mbplugin import api\n\n\n"
        "class Push(ForceKind):\n    name = 'push'\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    import acme_door

    report = Report()
    import_checks(report.of("acme_door"), [acme_door.Push])
    (check,) = report.checks
    assert not check.ok and check.note.count(" imports ") == 2
    assert "acme_door.py:1 imports mbplugin.run.loop" in check.note


@pytest.mark.parametrize("attribute", [{"dissipate": True}, {"kernal": None}])
def test_an_unknown_attribute_of_a_kind_is_refused(attribute):
    class Bad(mbplugin_midpoint.Midpoint):
        name = "bad"

    for key, value in attribute.items():
        setattr(Bad, key, value)

    class Plugin:
        from mbplugin.interface import hookimpl

        @hookimpl
        def mbplugin_solvers(self, register):
            register(Bad)

    with warned(f'"{next(iter(attribute))}"', '"bad"'):
        load_plugins(extra=[("bad", Plugin())])


def test_what_start_returns_must_be_an_integrator():
    kind = type("Evasive", (SolverKind,), {"name": "evasive", "start": classmethod(lambda cls, *given: 7)})
    with stopped(PluginError, '"evasive"', "Evasive.start", "int"):
        ChosenSolver(kind, None, {}, None, None).start(None, 0.0, 1.0)
