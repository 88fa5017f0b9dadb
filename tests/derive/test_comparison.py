"""Kernels by hand against their own derivation: errors in branches that no sampled pose enters are seen."""

from __future__ import annotations

import foreign_kinds
import pytest
from joints_by_hand import Pulley
from mbplugin_forces.spring_damper import SpringDamper

from mbplugin.derive.comparison import (
    BIAS_WHAT,
    D_OF_FORCE,
    J_WHAT,
    K_OF_FORCE,
    K_WHAT,
    POWER_WHAT,
    TIME_WHAT,
    errors_of,
    errors_of_force,
)
from mbplugin.interface import Measure, TraceError, axis
from mbplugin.math.vec3 import cross, dot, norm, scale, sub
from mbplugin.testing import check_measure

RIGHT = 1e-13


def segment(wrong_sign=1.0, wrong_bias=0.0):
    """Distance of b from a segment of 100 m along x of a: random poses are all beside it, in one branch."""

    def kernel(a, b, value, J, bias):
        n, d, rate = axis(a, 0), sub(b.x, a.x), sub(b.v, a.v)
        along = dot(n, d)
        inside = 0.0 <= along <= 100.0
        if along < 0.0:
            foot, rest, turned = d, rate, rate
        elif inside:
            turned = sub(rate, cross(a.w, d))
            foot, rest = sub(d, scale(along, n)), sub(turned, scale(dot(n, turned), n))
        else:
            foot = sub(d, scale(100.0, n))
            rest = sub(rate, scale(100.0, cross(a.w, n)))
        s = norm(foot)
        u = scale(1.0 / s, foot)
        value[0] = s
        moment = cross(u, scale(100.0, n)) if along > 100.0 else (0.0, 0.0, 0.0)
        moment = cross(u, d) if inside else moment
        for k in range(3):
            sign = wrong_sign if along > 100.0 else 1.0
            J[k], J[3 + k], J[6 + k], J[9 + k] = -u[k], sign * moment[k], u[k], 0.0
        s_dot = dot(u, rest)
        bias[0] = (dot(rest, rest) - s_dot * s_dot) / s
        if along > 100.0:
            bias[0] -= 100.0 * dot(u, cross(a.w, cross(a.w, n)))
        if inside:
            # as a sees it, d turns back: −ω × (ḋ + d')
            bias[0] -= dot(u, cross(a.w, vec_sum(rate, turned))) + wrong_bias

    return kernel


def vec_sum(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def errors(kernel):
    return errors_of(kernel, None, 2, (0,), True)


def test_a_right_kernel_is_right_in_all_branches():
    assert max(errors(segment()).values()) < RIGHT


def test_a_sign_in_a_branch_that_no_pose_enters_is_seen(plain):
    wrong = segment(wrong_sign=-1.0)
    assert errors(wrong)[J_WHAT] > 0.1
    report = check_measure("acme_segment", Measure(wrong))
    assert [check.what for check in report.checks if not check.ok] == [J_WHAT]


def test_a_bias_that_is_off_by_less_than_differences_can_see():
    assert errors(segment(wrong_bias=1e-8))[BIAS_WHAT] > 1e-10


@pytest.mark.parametrize("kind", [foreign_kinds.Cam, foreign_kinds.Cable, Pulley])
def test_kernels_of_others_are_right(kind):
    found = errors_of(kind.kernel, kind.tangent, kind.markers or 3, (0,), False)
    assert {J_WHAT, BIAS_WHAT, TIME_WHAT} <= found.keys() and max(found.values()) < RIGHT


def test_a_tangent_is_compared_too():
    def kernel(a, b, value, J, bias):
        for k in range(3):
            J[k], J[3 + k], J[6 + k], J[9 + k] = -2.0 * d(a, b)[k], 0.0, 2.0 * d(a, b)[k], 0.0
        rate = sub(b.v, a.v)
        value[0], bias[0] = dot(d(a, b), d(a, b)), 2.0 * dot(rate, rate)

    def tangent(a, b, lam, K):
        for i in (0, 6):
            for j in (0, 6):
                for k in range(3):
                    K[i + k, j + k] = -2.0 * lam[0] if i == j else 2.0 * lam[0]

    def wrong(a, b, lam, K):
        tangent(a, b, lam, K)
        K[0, 6] = -K[0, 6]

    assert errors_of(kernel, tangent, 2, (0,), True)[K_WHAT] < RIGHT
    assert errors_of(kernel, wrong, 2, (0,), True)[K_WHAT] > 0.1


def d(a, b):
    return sub(b.x, a.x)


def test_what_cannot_be_traced_is_left_to_differences():
    def kernel(a, b, value, J, bias):
        value[0] = a.x[int(b.x[0])]

    with pytest.raises(TraceError):
        errors(kernel)


def test_forces_by_hand_and_their_tangents():
    """Branches for ends that coincide, where a spring writes limits, are none that poses enter."""
    found = errors_of_force(SpringDamper.kernel, SpringDamper.tangent, 2, further=tuple(SpringDamper.outputs))
    assert {POWER_WHAT, K_OF_FORCE, D_OF_FORCE} == found.keys() and max(found.values()) < RIGHT


def test_an_energy_that_does_not_fit_far_away_is_seen():
    """Random poses are within a metre, where it fits."""

    def kernel(a, b, wrench, energy):
        r = d(a, b)
        far = 1.0 if norm(r) < 20.0 else 1.01
        energy[0] = 0.5 * far * dot(r, r)
        for k in range(3):
            wrench[0, k], wrench[1, k] = r[k], -r[k]
            wrench[0, 3 + k], wrench[1, 3 + k] = 0.0, 0.0

    assert errors_of_force(kernel, None, 2)[POWER_WHAT] > 1e-4
