"""The kit on methods: ours pass, the numpy example passes, and errors of one sign or factor
planted in it are found.
"""

from __future__ import annotations

import types
from pathlib import Path

import mbplugin_least_constraint
import pytest

from mbplugin.errors import PluginError
from mbplugin.interface import MethodKind
from mbplugin.testing import check_method, check_plugin

#: what stands in the example, what is planted
PLANTED = [
    ("D * gamma - G_hat", "D * gamma + G_hat"),
    ("D * gamma - G_hat", "-D * gamma - G_hat"),
    ("gamma - G_hat @ h_hat", "gamma"),
    ("P @ (D * gamma", "P @ (gamma"),
    ("h_hat + x)", "h_hat - x)"),
    ("h_hat + x)", "h_hat)"),
    ("D * (P.T @ x)", "-D * (P.T @ x)"),
    ("D * (P.T @ x)", "P.T @ x"),
    ("D * (P.T @ x)", "2.0 * D * (P.T @ x)"),
    (
        "G_hat *= D[:, None]",
        "D = np.ones_like(D)",
    ),  # still multipliers of the same forces, and not the shortest of scaled rows
    ("np.linalg.solve(L.T, h_hat", "np.linalg.solve(L, h_hat"),
    ("problem.forces(t, q, v)", "problem.forces(t, q, 0.0 * v)"),
    ("problem.constraints(t, q, v)", "problem.constraints(0.0, q, v)"),
    ("REPEATED = 1e-10", "REPEATED = 1e-17"),
    ("np.linalg.cholesky(M)", "np.linalg.cholesky(M + 1e-6 * np.eye(len(M)))"),
]


def planted(old: str, new: str) -> type[MethodKind]:
    text = Path(str(mbplugin_least_constraint.__file__)).read_text()
    assert old in text, f"the example has changed: plant {old!r} anew"
    module = types.ModuleType("planted_method")
    exec(compile(text.replace(old, new), "planted", "exec"), module.__dict__)
    return module.LeastConstraint


@pytest.mark.parametrize(("old", "new"), PLANTED, ids=[new for _, new in PLANTED])
def test_a_planted_error_in_a_method_is_found(old, new):
    assert not check_method(planted(old, new)).ok


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


def test_the_cost_of_a_python_method_is_told_as_such():
    report = check_method(mbplugin_least_constraint.LeastConstraint)
    assert report.ok, f"\n{report}"
    assert "in plain Python" in str(report) and "0 failed" in str(report)


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
    kind = planted("np.linalg.pinv(G_hat, rcond=REPEATED)", "G_hat.T @ np.linalg.inv(G_hat @ G_hat.T)")
    failed = {check.what: check.note for check in check_method(kind).checks if not check.ok}
    # a row that repeats others, and the inactive row of a `start`
    assert set(failed) == {
        f"{which}: it runs" for which in ("a chain", "a loop with redundant rows", "bodies with full M")
    }
    assert all("LinAlgError: Singular matrix" in note for note in failed.values())


def test_a_method_that_gives_no_function_is_refused():
    class Nothing(MethodKind):
        name = "nothing"
        accelerations = staticmethod(mbplugin_least_constraint.LeastConstraint.acceleration)

    with pytest.raises(PluginError, match=r'method "nothing" has to give either `acceleration`, or `kernel`'):
        check_method(Nothing)
