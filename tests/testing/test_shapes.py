"""The kit finds functions that write less than their arrays, more, or what is not a number, and says which
kind, row and array.
"""

from __future__ import annotations

import re
from math import sqrt

import pytest
from mutations import ROOT
from test_kit import module_of

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


GROUND = "(12,) = 1 row(s) of 6 numbers for each of 2 marker(s)"
ROWS = [
    (
        beyond_the_row,
        1,
        "IndexError: index 12 is out of bounds for axis 0 with size 12",
        "`G[k] = 0.0`",
        f"G is {GROUND}",
    ),
    (
        far_beyond,
        1,
        "IndexError: index 3000 is out of bounds",
        "phi[3000] = 0.0",
        "phi is (1,), one for each row",
    ),
    (helper_beyond_the_row, 1, "it writes G[12], which is beyond its array", GROUND),
    (
        a_row_too_many,
        1,
        "IndexError: index 1 is out of bounds for axis 0 with size 1",
        "gamma is (1,), one for each row",
    ),
    (jacobian_never_written, 1, "it never writes G[0] (row 0, marker 0, v_x) (12 of 12 left as nan)", GROUND),
    (angular_part_left_out, 1, "it never writes G[3] (row 0, marker 0, w_x) (3 of 12 left as nan)"),
    (gamma_never_written, 1, "it never writes gamma[0] (1 of 1 left as nan)"),
    (
        second_row_never_written,
        2,
        "it never writes phi[1]",
        "it never writes gamma[1]",
        "it never writes G[12] (row 1, marker 0, v_x)",
        "(24,) = 2 row(s)",
    ),
    (adds_to_what_was_there, 1, "gamma[0] = nan, which is not a number"),
    (root_of_less_than_nothing, 1, "phi[0] = nan, which is not a number"),
]
WRENCHES = [
    (
        a_marker_too_many,
        {},
        "IndexError: index 2 is out of bounds for axis 0 with size 2",
        "wrench is (2, 6), one row for each marker",
    ),
    (one_marker_never_written, {}, "it never writes wrench[1, 0] (6 of 12 left as nan)"),
    (torque_left_out, {}, "it never writes wrench[0, 3]"),
    (energy_never_written, {}, "it never writes energy[0]"),
    (state_never_written, {"states": 1}, "it never writes x_dot[0]", "one for each of `states`"),
    (a_state_too_many, {"states": 1}, "index 1 is out of bounds for axis 0 with size 1"),
]


def failed(report):
    """The one check that fails: nothing else is tried after it."""
    (check,) = [check for check in report.checks if not check.ok]
    assert check.what == "writes all of its arrays and nothing beyond", report
    return check


def test_a_row_that_writes_what_it_has_to_passes():
    report = check_constraint(constraint(rod))
    assert [check.ok for check in report.checks if check.what.startswith("writes")] == [True]
    assert len(report.checks) > 3


@pytest.mark.parametrize(
    ("kernel", "rows", "said"), [(k, r, s) for k, r, *s in ROWS], ids=[row[0].__name__ for row in ROWS]
)
def test_a_constraint_of_wrong_shape_is_found_and_its_kind_and_row_are_named(kernel, rows, said):
    check = failed(check_constraint(constraint(kernel, rows)))
    assert kernel.__name__ in check.kind
    assert all(names in check.note for names in said), check.note


@pytest.mark.parametrize(
    ("kernel", "more", "said"),
    [(k, m, s) for k, m, *s in WRENCHES],
    ids=[row[0].__name__ for row in WRENCHES],
)
def test_a_force_of_wrong_shape_is_found(kernel, more, said):
    check = failed(check_force(force(kernel, **more)))
    assert kernel.__name__ in check.kind
    assert all(names in check.note for names in said), check.note


def test_what_accept_writes_beyond_the_memory_is_found():
    kind = force(lambda a, b, wrench: wrench.fill(0.0), memory=1, accept=staticmethod(accept_beyond_memory))
    assert "index 1 is out of bounds for axis 0 with size 1" in failed(check_force(kind)).note


def test_measures_of_wrong_shape_are_found():
    assert "index 1 is out of bounds" in failed(check_measure("two_values", Measure(two_values))).note
    assert (
        "it never writes bias[0]"
        in failed(check_measure("bias_never_written", Measure(bias_never_written))).note
    )


def test_what_a_function_has_to_write_it_has_to_ask_for():
    with pytest.raises(PluginError, match=r'measure no_bias.*does not ask for "bias".*second derivative'):
        check_measure("no_bias", Measure(no_bias))


def test_a_basic_constraint_has_a_label_for_each_row_and_markers_for_its_measure():
    kind = lambda measure, labels: type(
        "Probe", (ConstraintKind,), {"name": "probe", "basics": (Basic(measure, labels),)}
    )
    with pytest.raises(
        PluginError,
        match=re.escape(
            'constraint type "probe": measure bias_never_written has 1 row(s), and its labels are 2: x, y'
        ),
    ):
        check_constraint(kind(Measure(bias_never_written), ("x", "y")))
    with pytest.raises(
        PluginError, match=re.escape("measure bias_never_written is of 3 markers, and the joint has 2")
    ):
        check_constraint(kind(Measure(bias_never_written, markers=3), ("x",)))


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"kernel": staticmethod(rod)}, "has a `kernel`, which needs `labels"),
        ({"kernel": staticmethod(rod), "labels": "along x"}, "has a `kernel`, which needs `labels"),
        ({}, "has neither `basics` nor a `kernel`"),
        (
            {"basics": (Basic("component_u", ("x",)),)},
            'asks for the measure "component_u": no plugin offers this measure; did you mean "component_',
        ),
    ],
)
def test_a_constraint_that_is_not_whole_is_told_so(more, said):
    with pytest.raises(PluginError, match=re.escape(said)):
        check_constraint(type("Probe", (ConstraintKind,), {"name": "probe", **more}))


def test_one_label_may_stand_for_itself():
    report = check_constraint(
        type("Probe", (ConstraintKind,), {"name": "probe", "basics": (Basic("component_x", "along x"),)})
    )
    assert report.ok, report


def test_a_force_without_a_kernel_is_told_so():
    with pytest.raises(PluginError, match=r'force element "probe" has no `kernel`'):
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
    assert (
        not check.ok
        and "ZeroDivisionError: of here" in check.note
        and 'raise ZeroDivisionError("of here")' in check.note
    )


@pytest.mark.parametrize(
    ("file", "name", "old", "new", "said"),
    [
        (
            "mbplugin_bodies/planar.py",
            "Planar",
            "q_dot[2] = v[0], v[1], v[2]",
            "q_dot[3] = v[0], v[1], v[2]",
            "q_dot is (3,), nq of the kind",
        ),
        (
            "mbplugin_bodies/planar.py",
            "Planar",
            "q_dot[0], q_dot[1], q_dot[2] = v[0], v[1], v[2]",
            "q_dot[0], q_dot[1] = v[0], v[1]",
            "never writes q_dot[2]",
        ),
        (
            "mbplugin_bodies/planar.py",
            "Planar",
            "q[2] += dq[2]",
            "q[3] = dq[2]",
            "index 3 is out of bounds for axis 0 with size 3",
        ),
        (
            "mbplugin_bodies/planar.py",
            "Planar",
            "q[2] += dq[2]",
            "q[2] += dq[2] / 0.0 * 0.0",
            "it writes q[2] = nan",
        ),
        (
            "mbplugin_bodies/planar.py",
            "Planar",
            "c[9], c[10], c[11] =",
            "c[10], c[11], c[16] =",
            "index 16 is out of bounds for axis 0 with size 13",
        ),
        ("mbplugin_bodies/spatial.py", "Spatial", "h[5] =", "h[6] =", "h is (6,), nv of the kind"),
    ],
)
def test_a_body_of_wrong_shape_is_found(plain, file, name, old, new, said):
    text = (ROOT / "plugins" / file).read_text()
    assert text.count(old) == 1
    kind = getattr(module_of(f"plugins/{file}", text.replace(old, new)), name)
    (check,) = [check for check in check_body(kind).checks if not check.ok]
    assert said in check.note, check.note
