"""Functions and base classes for solvers of plugins.

Compiled functions take `tables`, the vector of addresses of a problem, and return a status (0: success).
`mbplugin.stepping.arrays` has the declarations of a solver's own tables; `bounded_rows`, `compliant_rows`,
`impacts` and `shapes` have what only solvers need that treat these in their steps.
"""

from mbplugin.kernels.evaluate import FORCES, MASS_AND_G, POSES, evaluate_eom, locate_markers
from mbplugin.kernels.inertia import apply_mass, evaluate_kinetic_energy, solve_mass
from mbplugin.kernels.modes import acts
from mbplugin.kernels.projection import project_increment, share_by_norm
from mbplugin.kernels.transient import (
    add_transient_block,
    add_transient_impulse,
    attach_markers,
    clear_transient,
    place_block,
    request_capacity,
    set_block_points,
    set_row,
    transient_jacobian,
    transient_row_rate,
)
from mbplugin.kernels.transient_rows import add_transient_columns, transient_rates, transient_rates_of
from mbplugin.kernels.tree.jumps import end_jumps, forces_of_jumps, let_jump
from mbplugin.kernels.tree.reactions import reactions_of_step
from mbplugin.kernels.tree.transient import inverse_mass_of_links
from mbplugin.kernels.view import view
from mbplugin.math.vectors import copy
from mbplugin.stepping.coordinates import (
    advance_coordinates,
    close_positions,
    normalise_coordinates,
    project,
    project_closed,
)
from mbplugin.stepping.energy import energies
from mbplugin.stepping.error import error_norm
from mbplugin.stepping.inner_states import solve_inner_states
from mbplugin.stepping.numpy_state import NumpyState
from mbplugin.stepping.rates import (
    evaluate_rates,
    follow_implicit_variables,
    power_of_motions,
    rates_on_constraints,
)
from mbplugin.stepping.solver_calls import run_part
from mbplugin.stepping.solvers import CompiledSolver, Control, Doubt, FixedStep, FixedStepSolver, Middle, Part
from mbplugin.tables.groups import (
    Activity,
    Blocks,
    Bodies,
    InnerStates,
    Markers,
    Rates,
    Rows,
    State,
    Step,
    TransientMarkers,
    TransientRows,
)
from mbplugin.tables.records import ACCELERATION_LEVEL, BOX, CONE, EQUALITY, NONNEGATIVE, ON, POSITION_LEVEL
from mbplugin.tables.status import NO_SOLUTION, NOT_CONVERGED, NOT_FINITE, OVERFLOW, TOO_LONG

__all__ = [
    "ACCELERATION_LEVEL",
    "BOX",
    "CONE",
    "EQUALITY",
    "FORCES",
    "MASS_AND_G",
    "NONNEGATIVE",
    "NOT_CONVERGED",
    "NOT_FINITE",
    "NO_SOLUTION",
    "ON",
    "OVERFLOW",
    "POSES",
    "POSITION_LEVEL",
    "TOO_LONG",
    "Activity",
    "Blocks",
    "Bodies",
    "CompiledSolver",
    "Control",
    "Doubt",
    "FixedStep",
    "FixedStepSolver",
    "InnerStates",
    "Markers",
    "Middle",
    "NumpyState",
    "Part",
    "Rates",
    "Rows",
    "State",
    "Step",
    "TransientMarkers",
    "TransientRows",
    "acts",
    "add_transient_block",
    "add_transient_columns",
    "add_transient_impulse",
    "advance_coordinates",
    "apply_mass",
    "attach_markers",
    "clear_transient",
    "close_positions",
    "copy",
    "end_jumps",
    "energies",
    "error_norm",
    "evaluate_eom",
    "evaluate_kinetic_energy",
    "evaluate_rates",
    "follow_implicit_variables",
    "forces_of_jumps",
    "inverse_mass_of_links",
    "let_jump",
    "locate_markers",
    "normalise_coordinates",
    "place_block",
    "power_of_motions",
    "project",
    "project_closed",
    "project_increment",
    "rates_on_constraints",
    "reactions_of_step",
    "request_capacity",
    "run_part",
    "set_block_points",
    "set_row",
    "share_by_norm",
    "solve_inner_states",
    "solve_mass",
    "transient_jacobian",
    "transient_rates",
    "transient_rates_of",
    "transient_row_rate",
    "view",
]
