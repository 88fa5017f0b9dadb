"""Runs of methods and solvers with a check of every index of their compiled functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress

from mbplugin.codegen.compiled import Compiled, checked_indices
from mbplugin.errors import PhysicsError, PluginError
from mbplugin.run.prepare import Prepared
from mbplugin.testing.mechanisms import TIMES, run
from mbplugin.testing.report import Check

WHAT = "every index stays inside its array"


def index_checks(
    name: str, kernels: Iterable[Compiled], systems: Iterable[Callable[[], Prepared]]
) -> list[Check]:
    """Run each system for a while. A failure is the last check: what writes elsewhere is not called again."""
    try:
        with checked_indices(kernels):
            for make in systems:
                with suppress(PhysicsError):  # the checks of the motion say so
                    run(make(), TIMES[:2])
    except PluginError as error:
        return [Check(name, WHAT, float("inf"), 0.0, str(error))]
    return [Check(name, WHAT, 0.0, 0.0)]
