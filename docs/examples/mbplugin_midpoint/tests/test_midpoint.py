"""The kit checks orders, turns, memory, events, inner states, impulses, frames and continued runs."""

import mbplugin_midpoint

from mbplugin.testing import check_solver, check_tableau


def test_the_midpoint_rule():
    report = check_solver(mbplugin_midpoint.Midpoint)
    assert report.ok, f"\n{report}"


def test_the_tableau_of_heun():
    report = check_tableau("heun", mbplugin_midpoint.HEUN)
    assert report.ok, f"\n{report}"
