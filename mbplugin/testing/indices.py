"""Runs of methods and solvers with a check of every index of their compiled functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress

from mbplugin.codegen.compiled import Compiled, checked_indices
from mbplugin.errors import PhysicsError, PluginError
from mbplugin.run.prepare import Prepared
from mbplugin.testing.mechanisms import TIMES, run
from mbplugin.testing.report import Checks


def index_checks(
    checks: Checks, kernels: Iterable[Compiled], systems: Iterable[Callable[[], Prepared]]
) -> bool:
    """Run each system for a while. Returns whether every index stays inside: what writes elsewhere must not
    be called again.
    """
    fault = ""
    try:
        with checked_indices(kernels):
            for make in systems:
                with suppress(PhysicsError):  # the checks of the motion say so
                    run(make(), TIMES[:2])
    except PluginError as error:
        fault = str(error)
    return checks.fact("every index stays inside its array", not fault, fault)
