"""Parts of an evaluation that the kit calls one by one, compiled and kept like `kernels/entries.py`."""

from __future__ import annotations

from mbplugin.kernels.evaluate import evaluate_functions, measure_rates
from mbplugin.math.jit import compiled_entry


@compiled_entry()
def functions_of_scenes(tables):
    """Evaluate the functions that a scene gives at the present state."""
    evaluate_functions(tables)


@compiled_entry()
def rates_of_measures(tables):
    """Rates of all measures at the present state, from their Jacobians."""
    measure_rates(tables)
