"""Rows that a compliance enforces, for solvers that take their loads into an implicit step."""

from mbplugin.kernels.compliance_slopes import compliance_slopes, evaluate_compliances
from mbplugin.kernels.evaluate import enforced_row_times
from mbplugin.tables.groups import Enforced

__all__ = ["Enforced", "compliance_slopes", "enforced_row_times", "evaluate_compliances"]
