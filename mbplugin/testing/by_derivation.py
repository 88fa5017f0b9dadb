"""Kernels by hand of measures, constraint kinds and forces against their own derivation, in every branch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mbplugin.derive.comparison import errors_of, errors_of_force
from mbplugin.derive.graph import TraceError
from mbplugin.interface.tangent import tangent_of
from mbplugin.testing.report import Checks

#: markers of a kind for any number of them
SOME_MARKERS = 3
#: largest difference of derivatives of some 1000 operations, relative to their size
TOLERANCE = 1e-11


def derivation_checks(checks: Checks, thing: Any, levels: Sequence[int], is_measure: bool) -> None:
    """Checks of what a kernel by hand writes; none of one that is derived, or that cannot be traced.

    levels: of its rows
    """
    if hasattr(thing.kernel, "source"):
        return
    tangent = thing.tangent if is_measure else tangent_of(thing, "tangent", "kernel")
    further = () if is_measure else tuple(thing.outputs)
    try:
        errors = errors_of(thing.kernel, tangent, thing.markers or SOME_MARKERS, levels, is_measure, further)
    except TraceError:
        return
    for what, error in errors.items():
        checks.see(what, error, TOLERANCE)


def force_derivation_checks(checks: Checks, kind: Any) -> None:
    """The same of a force kind."""
    if kind.kernel is None or hasattr(kind.kernel, "source"):
        return
    tangent = tangent_of(kind, "tangent", "kernel")
    try:
        errors = errors_of_force(kind.kernel, tangent, kind.markers or SOME_MARKERS, tuple(kind.outputs))
    except TraceError:
        return
    for what, error in errors.items():
        checks.see(what, error, TOLERANCE)
