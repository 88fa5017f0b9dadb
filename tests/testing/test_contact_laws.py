"""The kit's checks of laws of contact: those that are right pass, planted faults are caught by name."""

from __future__ import annotations

import numpy as np
import pytest
from foreign_kinds.cohesion import Cohesive
from mbplugin_contact.coulomb import Coulomb, impulse_map, local_impulse, slope_of_map, slope_of_projection

from mbplugin.interface import OPEN, SLIP, STICK
from mbplugin.testing import check_contact_law, contact_laws


def begin_negative(friction, friction_static, own, gap, h, stuck):
    return (-0.1 * friction, 0.0, 0.0, 0.0)


def map_outside_the_cone(x, y, z, p):
    n, a, b, status = impulse_map(x, y, z, p)
    return n, 1.01 * a, 1.01 * b, status


def map_without_slip(x, y, z, p):
    n, a, b, status = impulse_map(x, y, z, p)
    return n, a, b, STICK if status == SLIP else status


def map_along_one_tangent(x, y, z, p):
    n, a, b, status = impulse_map(x, y, z, p)
    if status == SLIP:
        return n, p[0] * n if a > 0.0 else -p[0] * n, 0.0, status
    return n, a, b, status


def map_that_pulls(x, y, z, p):
    if x <= 0.0:
        return x, 0.0, 0.0, OPEN
    return impulse_map(x, y, z, p)


def slope_transposed(x, y, z, p):
    s = slope_of_map(x, y, z, p)
    return (s[0], s[3], s[6], s[1], s[4], s[7], s[2], s[5], s[8])


def slope_without_friction(x, y, z, p):
    s = slope_of_map(x, y, z, p)
    return (s[0], 0.0, 0.0, 0.0, s[4], s[5], 0.0, s[7], s[8])


def solve_without_coupling(W, q_n, q_1, q_2, p):
    return local_impulse((W[0], 0.0, 0.0, 0.0, W[4], W[5], 0.0, W[7], W[8]), q_n, q_1, q_2, p)


def solve_along_the_free_velocity(W, q_n, q_1, q_2, p):
    """Slides against q_T, as many engines have it, not against u_T."""
    n, a, b, status = local_impulse(W, q_n, q_1, q_2, p)
    if status == SLIP:
        s = p[0] * n / np.sqrt(q_1 * q_1 + q_2 * q_2)
        return n, -s * q_1, -s * q_2, status
    return n, a, b, status


def solve_that_pushes(W, q_n, q_1, q_2, p):
    n, a, b, status = local_impulse(W, q_n, q_1, q_2, p)
    return n, -a, -b, status


def solve_too_soft(W, q_n, q_1, q_2, p):
    n, a, b, status = local_impulse(W, q_n, q_1, q_2, p)
    return 0.999 * n, 0.999 * a, 0.999 * b, status


def solve_not_a_number(W, q_n, q_1, q_2, p):
    n, a, b, status = local_impulse(W, q_n, q_1, q_2, p)
    return n, a if a else np.nan, b, status


def projection_of_the_map(x, y, z, p):
    return impulse_map(x, y, z, p)


def slope_of_another_projection(x, y, z, p):
    s = slope_of_projection(x, y, z, p)
    return (s[0], s[1], s[2], s[3], s[4], -s[5], s[6], -s[7], s[8])


def cone_twice_as_wide(p):
    return 2.0 * p[0], 0.0


def cone_too_narrow(p):
    return 0.5 * p[0], 0.0


def cone_with_its_tip_elsewhere(p):
    return p[0], 1e-3


FAULTS = {
    "begin: a negative coefficient": ({"begin": begin_negative}, "begin gives four finite numbers"),
    "map: outside the cone": ({"map": map_outside_the_cone}, "solve: r = S(r − ρ u) for every ρ"),
    "map: never slips": ({"map": map_without_slip}, "map: open is constant"),
    "map: a pyramid": ({"map": map_along_one_tangent}, "map: turned about the normal"),
    "map: open contacts pull": ({"map": map_that_pulls}, "map: open is constant"),
    "slope: transposed": ({"slope": slope_transposed}, "slope of the map"),
    "slope: without ∂r_T/∂x_N": ({"slope": slope_without_friction}, "slope of the map"),
    "solve: normal and tangents uncoupled": ({"solve": solve_without_coupling}, "solve: r = S(r − ρ u)"),
    "solve: against the free velocity": ({"solve": solve_along_the_free_velocity}, "solve: r = S(r − ρ u)"),
    "solve: friction pushes": ({"solve": solve_that_pushes}, "solve: friction takes energy"),
    "solve: bodies go on approaching": ({"solve": solve_too_soft}, "solve: bodies do not approach"),
    "solve: nan without friction": ({"solve": solve_not_a_number}, "solve: r = S(r − ρ u)"),
    "projection: not the nearest point": ({"projection": projection_of_the_map}, "slope of the projection"),
    "projection: slope of another": (
        {"slope_of_projection": slope_of_another_projection},
        "slope of the projection = its difference",
    ),
    "cone: too wide": ({"cone": cone_twice_as_wide}, "cone: sliding impulses are on its edge"),
    "cone: too narrow": ({"cone": cone_too_narrow}, "cone: what the map gives is in it"),
    "cone: another tip": ({"cone": cone_with_its_tip_elsewhere}, "cone: sliding impulses are on its edge"),
}


@pytest.mark.parametrize(
    ("law", "checks"), [(Coulomb, 18), pytest.param(Cohesive, 10, marks=pytest.mark.slow)]
)
def test_laws_that_are_right_pass(law, checks):
    report = check_contact_law(law)
    assert report.ok, f"\n{report}"
    assert len(report.checks) == checks


@pytest.fixture
def as_python(monkeypatch):
    """Laws of Coulomb's functions run as plain Python: nothing is compiled for a fault."""
    monkeypatch.setattr(contact_laws, "with_bounds", lambda function: function)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_of_a_law_is_caught(as_python, fault):
    functions, what = FAULTS[fault]
    wrong = type("Wrong", (Coulomb,), {name: staticmethod(f) for name, f in functions.items()})
    failed = [check.what for check in check_contact_law(wrong).checks if not check.ok]
    assert any(text.startswith(what) for text in failed), failed


def test_a_law_without_a_function_is_told():
    (check,) = check_contact_law(type("Wrong", (Coulomb,), {"slope": None})).checks
    assert not check.ok and "slope" in check.note
    (check,) = check_contact_law(type("Wrong", (Coulomb,), {"slope_of_projection": None})).checks
    assert not check.ok and "one of `projection`" in check.note
