"""A conformance kit for plugins: derivatives, action and reaction, invariance, power, rank, cost.

    from mbplugin.testing import check_plugin

    def test_my_plugin():
        report = check_plugin("acme_joints")
        assert report.ok, report

`mbplugin plugins check NAME` prints the same report.
"""

from mbplugin.testing.kit import (
    check_analysis,
    check_body,
    check_command,
    check_constraint,
    check_contact_law,
    check_drawing,
    check_enforcement,
    check_exporter,
    check_force,
    check_function,
    check_importer,
    check_measure,
    check_method,
    check_plugin,
    check_sensor,
    check_shape,
    check_solver,
    check_tableau,
    check_watcher,
)
from mbplugin.testing.report import Check, Cost, Report

__all__ = [
    "Check",
    "Cost",
    "Report",
    "check_analysis",
    "check_body",
    "check_command",
    "check_constraint",
    "check_contact_law",
    "check_drawing",
    "check_enforcement",
    "check_exporter",
    "check_force",
    "check_function",
    "check_importer",
    "check_measure",
    "check_method",
    "check_plugin",
    "check_sensor",
    "check_shape",
    "check_solver",
    "check_tableau",
    "check_watcher",
]
