"""The kit on methods: ours pass, the numpy example passes, and errors of one sign or factor
planted in it are found.
"""

from __future__ import annotations

import types

import mbplugin_least_constraint
import numpy as np
import pytest
from mbplugin_lagrange.galpha import GeneralizedAlpha
from mutations import ROOT, Mutant, mutated
from refusals import has, stopped

from mbplugin.errors import PluginError
from mbplugin.interface import MethodKind
from mbplugin.testing import check_method, check_plugin, check_solver, check_tableau
from mbplugin.testing.kit import installed

FILE = "docs/examples/mbplugin_least_constraint/mbplugin_least_constraint.py"
#: mutations of the example's function, by kind and number
PLANTED = ["sign 0", "term 0", "factor 1", "negative 0", "zero 3", "nudge 7"]
#: further ones, and those that only the last mechanisms show
MORE_PLANTED = [
    *("sign 1", "term 1", "factor 2", "negative 1", "nudge 18"),
    "ones 5",  # still multipliers of the same forces, and not the shortest of scaled rows
    "transpose 2",
    "zero 4",  # no time
]


def planted(function: str, kind: str, number: int) -> type[MethodKind]:
    module = types.ModuleType("planted_method")
    exec(mutated((ROOT / FILE).read_text(), Mutant(FILE, function, kind, number)), module.__dict__)
    return module.LeastConstraint


@pytest.mark.parametrize(
    ("function", "mutation"),
    [
        *(("LeastConstraint.acceleration", mutation) for mutation in PLANTED),
        *(
            pytest.param(*names, marks=pytest.mark.slow)
            for names in [
                *(("LeastConstraint.acceleration", mutation) for mutation in MORE_PLANTED),
                ("", "magnitude 0"),
            ]
        ),
    ],
)
def test_a_planted_error_in_a_method_is_found(function, mutation):
    kind, number = mutation.split()
    assert not check_method(planted(function, kind, int(number))).ok


def test_a_method_and_a_tableau_of_ours_conform():
    offered = installed().find
    report = check_method(offered("method", "constraint_force"))
    report.add(check_tableau("dp5", offered("tableau", "dp5")))
    assert report.ok, f"\n{report}"
    assert len(report.checks) > 20 and all(cost.compiled for cost in report.cost.values())


@pytest.mark.slow
def test_the_solver_and_the_methods_of_ours_conform():
    report = check_plugin("mbplugin_lagrange")
    assert report.ok, f"\n{report}"
    kinds = {f'method "{name}"' for name in ("constraint_force", "kkt", "newton_euler")}
    kinds |= {f'tableau "{name}"' for name in ("rk4", "dp5", "dop853")}
    assert {check.kind for check in report.checks} == kinds | {
        'solver "rk"',
        'solver "galpha"',
        'plugin "mbplugin_lagrange"',
    }
    assert all(cost.compiled for cost in report.cost.values())
    assert "in plain Python" not in str(report)


@pytest.mark.slow
def test_the_methods_in_joint_coordinates_conform():
    report = check_plugin("mbplugin_recursive")
    assert report.ok, report
    assert len(report.checks) > 40


@pytest.mark.slow
def test_implicit_steps_in_joint_coordinates_conform():
    report = check_solver(GeneralizedAlpha, keys={"step": 1e-3, "coordinates": "joint"})
    assert report.ok, report
    assert len(report.checks) > 40


def test_the_cost_of_a_python_method_is_told_as_such():
    report = check_method(mbplugin_least_constraint.LeastConstraint)
    assert report.ok, f"\n{report}"
    assert not any(cost.compiled for cost in report.cost.values()) and report.cost


def test_a_method_that_remembers_is_found():
    class Remembers(MethodKind):
        name = "remembers"
        calls = [0]

        @staticmethod
        def acceleration(problem, t, q, v):
            Remembers.calls[0] += 1
            v_dot, lam = mbplugin_least_constraint.LeastConstraint.acceleration(problem, t, q, v)
            return v_dot * (1.0 + 1e-15 * (Remembers.calls[0] % 7)), lam

    assert any("repeated call" in check.what for check in check_method(Remembers).checks if not check.ok)


def test_a_method_that_raises_is_told_with_the_mechanism_at_which_it_does():
    class Inverts(MethodKind):
        name = "inverts"

        @staticmethod
        def acceleration(problem, t, q, v):
            G, _ = problem.constraints(t, q, v)
            if np.linalg.matrix_rank(G) < len(G):
                raise np.linalg.LinAlgError("Singular matrix")
            return mbplugin_least_constraint.LeastConstraint.acceleration(problem, t, q, v)

    failed = {check.what: check.note for check in check_method(Inverts).checks if not check.ok}
    # a row that repeats others, and the inactive row of a `start`
    assert set(failed) == {
        f"{which}: it runs" for which in ("a chain", "a loop with redundant rows", "bodies with full M")
    }
    assert all(has(note, "LinAlgError") for note in failed.values())


def test_a_method_that_gives_no_function_is_refused():
    class Nothing(MethodKind):
        name = "nothing"
        accelerations = staticmethod(mbplugin_least_constraint.LeastConstraint.acceleration)

    with stopped(PluginError, '"nothing"', "`acceleration`", "`kernel`"):
        check_method(Nothing)
