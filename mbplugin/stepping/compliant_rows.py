"""Rows that a compliance enforces, for solvers that take their loads into an implicit step."""

from mbplugin.kernels.compliance_slopes import compliance_slopes
from mbplugin.kernels.evaluate import evaluate_compliances
from mbplugin.kernels.modes import is_iterated
from mbplugin.kernels.rows import times_row_of
from mbplugin.tables.groups import Enforced
from mbplugin.tables.records import COMPLIANT

__all__ = [
    "COMPLIANT",
    "Enforced",
    "compliance_slopes",
    "evaluate_compliances",
    "is_iterated",
    "times_row_of",
]
