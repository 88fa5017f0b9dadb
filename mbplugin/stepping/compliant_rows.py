"""Rows that a compliance enforces, for solvers that take their loads into an implicit step."""

from mbplugin.kernels.compliance_slopes import compliance_slopes
from mbplugin.kernels.evaluate import evaluate_compliances
from mbplugin.kernels.rows import times_row_of
from mbplugin.tables.groups import Enforced

__all__ = ["Enforced", "compliance_slopes", "evaluate_compliances", "times_row_of"]
