"""Functions and base classes for solvers of plugins.

Compiled functions take `tables`, the vector of addresses of a problem, and return a status (0: success).
"""

from mbplugin.kernels.core import accelerations, evaluate_eom, factor, solve_rows
from mbplugin.kernels.evaluate import FORCES, MASS_AND_G, POSES
from mbplugin.kernels.increments import increment_tangents, rows_by_increments
from mbplugin.kernels.projection import project_increment, refactor
from mbplugin.kernels.tangents import form_tangent, form_tangent_by_increments
from mbplugin.kernels.view import solver_tables, view
from mbplugin.stepping.accept import accept_step
from mbplugin.stepping.coordinates import advance_coordinates, project_closed
from mbplugin.stepping.core import evaluate_rates, project, rates_on_constraints
from mbplugin.stepping.energy import apply_impulse, energies
from mbplugin.stepping.error import error_norm
from mbplugin.stepping.events import event_crossed
from mbplugin.stepping.inner_states import solve_inner_states
from mbplugin.stepping.numpy_state import NumpyState
from mbplugin.stepping.rates import follow_implicit_variables, power_of_motions
from mbplugin.stepping.snapshot import copy, restore, restore_start, snapshot
from mbplugin.stepping.solvers import CompiledSolver, Control, FixedStep, FixedStepSolver
from mbplugin.tables.groups import Increments, InnerStates, Rates, State, Step, TangentBlocks
from mbplugin.tables.spec import Floats, Ints, Records, records
from mbplugin.tables.status import NOT_CONVERGED

__all__ = [
    "FORCES",
    "MASS_AND_G",
    "NOT_CONVERGED",
    "POSES",
    "CompiledSolver",
    "Control",
    "FixedStep",
    "FixedStepSolver",
    "Floats",
    "Increments",
    "InnerStates",
    "Ints",
    "NumpyState",
    "Rates",
    "Records",
    "State",
    "Step",
    "TangentBlocks",
    "accelerations",
    "accept_step",
    "advance_coordinates",
    "apply_impulse",
    "copy",
    "energies",
    "error_norm",
    "evaluate_eom",
    "evaluate_rates",
    "event_crossed",
    "factor",
    "follow_implicit_variables",
    "form_tangent",
    "form_tangent_by_increments",
    "increment_tangents",
    "power_of_motions",
    "project",
    "project_closed",
    "project_increment",
    "rates_on_constraints",
    "records",
    "refactor",
    "restore",
    "restore_start",
    "rows_by_increments",
    "snapshot",
    "solve_inner_states",
    "solve_rows",
    "solver_tables",
    "view",
]
