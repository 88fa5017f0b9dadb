"""The kit finds functions that write less than their arrays, more, or what is not a number, and says which
kind, row and array.
"""

from __future__ import annotations

from math import sqrt

import pytest
from mutations import Mutant
from refusals import has, stopped
from snapshots import same_message
from test_kit import planted

from mbplugin.errors import PluginError
from mbplugin.hooks.registry import Registry
from mbplugin.interface import Basic, ConstraintKind, ForceKind, Measure, jit
from mbplugin.math.vec3 import norm, sub
from mbplugin.testing import check_body, check_constraint, check_force, check_measure, check_plugin
from mbplugin.testing.kit import installed


def rod(a, b, phi, G, gamma, phi_t):
    """All that a row along x between two markers has to write."""
    d = sub(b.x, a.x)
    phi[0] = d[0]
    for k in range(12):
        G[k] = 0.0
    G[0], G[6] = -1.0, 1.0
    gamma[0], phi_t[0] = 0.0, 0.0


def beyond_the_row(a, b, phi, G, gamma):
    for k in range(13):
        G[k] = 0.0
    phi[0], gamma[0] = 0.0, 0.0


def far_beyond(a, b, phi, G, gamma):
    for k in range(12):
        G[k] = 0.0
    phi[0], gamma[0], phi[3000] = 0.0, 0.0, 0.0


@jit
def clear(array, count):
    for k in range(count):
        array[k] = 0.0


def helper_beyond_the_row(a, b, phi, G, gamma):
    clear(G, 14)
    phi[0], gamma[0] = 0.0, 0.0


def a_row_too_many(a, b, phi, G, gamma):
    clear(G, 12)
    phi[0], gamma[0], gamma[1] = 0.0, 0.0, 0.0


def jacobian_never_written(a, b, phi, G, gamma):
    phi[0], gamma[0] = b.x[0] - a.x[0], 0.0


def angular_part_left_out(a, b, phi, G, gamma):
    for k in range(3):
        G[k], G[6 + k], G[9 + k] = -1.0, 1.0, 0.0
    phi[0], gamma[0] = 0.0, 0.0


def gamma_never_written(a, b, phi, G, gamma):
    clear(G, 12)
    phi[0] = 0.0


def second_row_never_written(a, b, phi, G, gamma):
    clear(G, 12)
    phi[0], gamma[0] = 0.0, 0.0


def adds_to_what_was_there(a, b, phi, G, gamma):
    clear(G, 12)
    phi[0], gamma[0] = 0.0, 0.0
    G[3] = G[3] + 1.0
    gamma[0] += phi[0] / phi[0]


def root_of_less_than_nothing(a, b, phi, G, gamma):
    clear(G, 12)
    phi[0], gamma[0] = sqrt(-norm(a.x)), 0.0


def a_marker_too_many(a, b, wrench):
    for m in range(3):
        for k in range(6):
            wrench[m, k] = 0.0


def one_marker_never_written(a, b, wrench):
    for k in range(6):
        wrench[0, k] = 0.0


def torque_left_out(a, b, wrench):
    for k in range(3):
        wrench[0, k], wrench[1, k] = 1.0, -1.0


def energy_never_written(a, b, wrench, energy):
    for k in range(6):
        wrench[0, k], wrench[1, k] = 0.0, 0.0


def energy_and_nothing_else(a, b, wrench, energy):
    for k in range(6):
        wrench[0, k], wrench[1, k] = 0.0, 0.0
    energy[0] = 0.0


def state_never_written(a, b, wrench, x, x_dot):
    for k in range(6):
        wrench[0, k], wrench[1, k] = 0.0, 0.0


def a_state_too_many(a, b, wrench, x_dot):
    for k in range(6):
        wrench[0, k], wrench[1, k] = 0.0, 0.0
    x_dot[0], x_dot[1] = 0.0, 0.0


def accept_beyond_memory(a, mem_new):
    mem_new[0], mem_new[1] = 1.0, 2.0


def two_values(a, b, value, J, bias):
    value[0], value[1], bias[0] = 0.0, 0.0, 0.0
    clear(J, 12)


def bias_never_written(a, b, value, J, bias):
    value[0] = b.x[0] - a.x[0]
    clear(J, 12)
    J[0], J[6] = -1.0, 1.0


def no_bias(a, b, value, J):
    value[0] = 0.0


def constraint(kernel, rows=1):
    return type(
        kernel.__name__,
        (ConstraintKind,),
        {
            "name": kernel.__name__,
            "kernel": staticmethod(kernel),
            "labels": tuple(f"row {k}" for k in range(rows)),
        },
    )


def force(kernel, **more):
    return type(
        kernel.__name__, (ForceKind,), {"name": kernel.__name__, "kernel": staticmethod(kernel), **more}
    )


#: of the tables below: faults that are found in the same place as others
LIKE_OTHERS = (
    *(far_beyond, a_row_too_many, angular_part_left_out, gamma_never_written, root_of_less_than_nothing),
    *(a_marker_too_many, torque_left_out, state_never_written),
)
ROWS = [
    (beyond_the_row, 1, "index 12", "size 12", "G[k]"),
    (far_beyond, 1, "index 3000", "phi[3000]"),
    (helper_beyond_the_row, 1, "G[12]"),
    (a_row_too_many, 1, "index 1", "size 1", "gamma"),
    (jacobian_never_written, 1, "G[0]", "row 0", "marker 0", "v_x", "12 of 12"),
    (angular_part_left_out, 1, "G[3]", "row 0", "marker 0", "w_x", "3 of 12"),
    (gamma_never_written, 1, "gamma[0]", "1 of 1"),
    (second_row_never_written, 2, "phi[1]", "gamma[1]", "G[12]", "row 1", "marker 0", "v_x"),
    (adds_to_what_was_there, 1, "gamma[0]", "nan"),
    (root_of_less_than_nothing, 1, "phi[0]", "nan"),
]
WRENCHES = [
    (a_marker_too_many, {}, "index 2", "size 2", "wrench"),
    (one_marker_never_written, {}, "wrench[1, 0]", "6 of 12"),
    (torque_left_out, {}, "wrench[0, 3]"),
    (energy_never_written, {}, "energy[0]"),
    (state_never_written, {"states": 1}, "x_dot[0]"),
    (a_state_too_many, {"states": 1}, "index 1", "size 1"),
]


def cases(table):
    """For `parametrize`: a kernel, what it belongs to, and what a message has of it."""
    slow = lambda kernel: pytest.mark.slow if kernel in LIKE_OTHERS else ()
    return [pytest.param(k, of, names, id=k.__name__, marks=slow(k)) for k, of, *names in table]


def failed(report):
    """The one check that fails: nothing else is tried after it."""
    (check,) = [check for check in report.checks if not check.ok]
    assert check.what == "writes all of its arrays and nothing beyond", report
    return check


def test_a_row_that_writes_what_it_has_to_passes():
    report = check_constraint(constraint(rod))
    assert [check.ok for check in report.checks if check.what.startswith("writes")] == [True]
    assert len(report.checks) > 3


@pytest.mark.parametrize(("kernel", "rows", "names"), cases(ROWS))
def test_a_constraint_of_wrong_shape_is_found_and_its_kind_and_row_are_named(kernel, rows, names):
    check = failed(check_constraint(constraint(kernel, rows)))
    assert kernel.__name__ in check.kind
    assert has(check.note, *names), check.note
    same_message(check.note)


@pytest.mark.parametrize(("kernel", "more", "names"), cases(WRENCHES))
def test_a_force_of_wrong_shape_is_found(kernel, more, names):
    check = failed(check_force(force(kernel, **more)))
    assert kernel.__name__ in check.kind
    assert has(check.note, *names), check.note
    same_message(check.note)


def test_what_accept_writes_beyond_the_memory_is_found():
    kind = force(lambda a, b, wrench: wrench.fill(0.0), memory=1, accept=staticmethod(accept_beyond_memory))
    assert has(failed(check_force(kind)).note, "index 1", "axis 0", "size 1")


def test_measures_of_wrong_shape_are_found():
    assert has(failed(check_measure("two_values", Measure(two_values))).note, "index 1")
    unwritten = failed(check_measure("bias_never_written", Measure(bias_never_written)))
    assert has(unwritten.note, "bias[0]")


def test_what_a_function_has_to_write_it_has_to_ask_for():
    with stopped(PluginError, "no_bias", '"bias"'):
        check_measure("no_bias", Measure(no_bias))


def test_a_basic_constraint_has_a_label_for_each_row_and_markers_for_its_measure():
    kind = lambda measure, labels: type(
        "Probe", (ConstraintKind,), {"name": "probe", "basics": (Basic(measure, labels),)}
    )
    with stopped(PluginError, '"probe"', "bias_never_written", 1, 2):
        check_constraint(kind(Measure(bias_never_written), ("x", "y")))
    with stopped(PluginError, "bias_never_written", 3, 2):
        check_constraint(kind(Measure(bias_never_written, markers=3), ("x",)))


@pytest.mark.parametrize(
    ("more", "names"),
    [
        ({"kernel": staticmethod(rod)}, ["`kernel`", "`labels"]),
        ({"kernel": staticmethod(rod), "labels": "along x"}, ["`kernel`", "`labels"]),
        ({}, ["`basics`", "`kernel`"]),
        ({"basics": (Basic("component_u", ("x",)),)}, ['"component_u"']),
    ],
)
def test_a_constraint_that_is_not_whole_is_told_so(more, names):
    with stopped(PluginError, *names):
        check_constraint(type("Probe", (ConstraintKind,), {"name": "probe", **more}))


def test_one_label_may_stand_for_itself():
    report = check_constraint(
        type("Probe", (ConstraintKind,), {"name": "probe", "basics": (Basic("component_x", "along x"),)})
    )
    assert report.ok, report


def test_a_force_without_a_kernel_is_told_so():
    with stopped(PluginError, '"probe"', "`kernel`"):
        check_force(type("Probe", (ForceKind,), {"name": "probe"}))


def test_a_force_that_does_nothing_was_not_checked():
    report = check_force(force(energy_and_nothing_else))
    (check,) = [check for check in report.checks if not check.ok]
    assert check.what == "it acts" and "examples" in check.note


def test_an_exception_that_nobody_expected_is_a_failure_with_its_line():
    class Surprise(ForceKind):
        name = "surprise"
        kernel = staticmethod(one_marker_never_written)

        @classmethod
        def defaults(cls, params, markers):
            raise ZeroDivisionError("of here")

    registry = Registry()
    for category, names in installed().offers.items():
        registry.offers[category].update({name: list(offers) for name, offers in names.items()})
    registry.add("force element", "surprise", Surprise, "acme", "acme")
    _, check = check_plugin("acme", registry).checks
    assert not check.ok and has(check.note, "ZeroDivisionError", 'raise ZeroDivisionError("of here")')


@pytest.mark.parametrize(
    ("body", "mutation", "names"),
    [
        ("planar", "rate far 2", ["q_dot", "(3,)"]),
        ("planar", "rate statement 0", ["q_dot[0]"]),
        ("planar", "retract far 4", ["index 10", "size 3"]),
        ("planar", "retract nan 2", ["q[2]", "nan"]),
        ("planar", "prepare far 21", ["index 19", "size 13"]),
        ("spatial", "internal far 10", ["h", "(6,)"]),
    ],
)
def test_a_body_of_wrong_shape_is_found(plain, body, mutation, names):
    function, kind, number = mutation.split()
    name, file = body.capitalize(), f"plugins/mbplugin_bodies/{body}.py"
    module = planted(Mutant(file, f"{name}.{function}", kind, int(number)))
    (check,) = [check for check in check_body(getattr(module, name)).checks if not check.ok]
    assert has(check.note, *names), check.note
    same_message(check.note)
