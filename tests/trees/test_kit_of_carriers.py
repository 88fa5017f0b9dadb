"""The conformance kit checks what joint coordinates derive from the rows and coordinates of a kind."""

from __future__ import annotations

import numpy as np
import pytest

from mbplugin.hooks.load import load_plugins
from mbplugin.testing import carrying
from mbplugin.testing.carrying import carrying_checks
from mbplugin.testing.constraints import held, meet
from mbplugin.testing.report import Report
from mbplugin.testing.samples import with_joint

REGISTRY, _ = load_plugins()


def checks_of(kind, registry=REGISTRY, planar=False, **params):
    problem = held(with_joint(kind, params, np.random.default_rng(1), planar, close=True), registry)
    assert meet(problem) < 1e-8
    report = Report()
    carrying_checks(report.of(kind.name), problem, registry)
    return report.checks


@pytest.mark.parametrize(
    "name, params",
    [
        ("revolute", {}),
        ("translational", {}),
        ("cylindrical", {}),
        ("planar", {}),
        ("screw", {"pitch": 0.1}),
        ("universal", {}),
        ("constant_velocity", {}),
    ],
)
def test_kinds_that_carry_are_checked(name, params):
    """Two checks each, with errors that are those of the differences."""
    checks = checks_of(REGISTRY.constraint(name, "type"), **params)
    assert len(checks) == 2
    assert all(check.ok for check in checks), checks


@pytest.mark.parametrize("name", ["ball", "fixed", "universal_rotation", "point_on_plane"])
def test_kinds_that_carry_nothing_or_have_no_coordinates_are_not(name):
    assert checks_of(REGISTRY.constraint(name, "type")) == []


def test_a_wrong_s_fails(monkeypatch):
    """Where the pose turns 0.1 % more than S says, and slides across the axis."""
    right = carrying.difference
    wrong = np.array([0.0, 1e-3, 0.0, 0.0, 0.0, 1e-3])
    monkeypatch.setattr(carrying, "difference", lambda after, before: right(after, before) + wrong)
    checks = checks_of(REGISTRY.constraint("revolute", "type"))
    assert not any(check.ok for check in checks)
