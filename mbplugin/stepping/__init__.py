"""Functions and base classes for solvers of plugins.

Compiled functions take `tables`, the vector of addresses of a problem, and return a status (0: success).
"""

from mbplugin.kernels.bounded import rates_of_bounded
from mbplugin.kernels.compliance_slopes import compliance_slopes, evaluate_compliances
from mbplugin.kernels.evaluate import (
    FORCES,
    MASS_AND_G,
    POSES,
    enforced_row_times,
    evaluate_eom,
    locate_markers,
)
from mbplugin.kernels.friction import pressure
from mbplugin.kernels.inertia import apply_mass, solve_mass
from mbplugin.kernels.modes import set_mode
from mbplugin.kernels.projection import CLOSED, project_increment, project_positions, share_by_norm
from mbplugin.kernels.shapes import shape_pose
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
from mbplugin.kernels.view import solver_tables, view
from mbplugin.stepping.changes import note_impulse
from mbplugin.stepping.coordinates import advance_coordinates, normalise_coordinates, project, project_closed
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
from mbplugin.stepping.snapshot import copy
from mbplugin.stepping.solver_calls import run_part
from mbplugin.stepping.solvers import CompiledSolver, Control, Doubt, FixedStep, FixedStepSolver, Middle, Part
from mbplugin.tables.groups import (
    Activity,
    Bearings,
    Blocks,
    Bodies,
    Bounded,
    Enforced,
    InnerStates,
    Markers,
    Rates,
    Rows,
    Shapes,
    State,
    Step,
    TransientMarkers,
    TransientRows,
)
from mbplugin.tables.records import (
    ACCELERATION_LEVEL,
    BOX,
    BOX_SHAPE,
    CAPSULE_SHAPE,
    CONE,
    CONVEX_SHAPE,
    CYLINDER_SHAPE,
    ENERGY,
    EQUALITY,
    IMPULSE,
    LOWER,
    MESH_SHAPE,
    NONNEGATIVE,
    OFF,
    ON,
    PLANE_SHAPE,
    POSITION_LEVEL,
    SPHERE_SHAPE,
    UPPER,
)
from mbplugin.tables.spec import Floats, Floats3, Floats9, Ints, Ints2, Records, Spec, records, specs
from mbplugin.tables.status import NO_SOLUTION, NOT_CONVERGED, NOT_FINITE, OVERFLOW

__all__ = [
    "ACCELERATION_LEVEL",
    "BOX",
    "BOX_SHAPE",
    "CAPSULE_SHAPE",
    "CLOSED",
    "CONE",
    "CONVEX_SHAPE",
    "CYLINDER_SHAPE",
    "ENERGY",
    "EQUALITY",
    "FORCES",
    "IMPULSE",
    "LOWER",
    "MASS_AND_G",
    "MESH_SHAPE",
    "NONNEGATIVE",
    "NOT_CONVERGED",
    "NOT_FINITE",
    "NO_SOLUTION",
    "OFF",
    "ON",
    "OVERFLOW",
    "PLANE_SHAPE",
    "POSES",
    "POSITION_LEVEL",
    "SPHERE_SHAPE",
    "UPPER",
    "Activity",
    "Bearings",
    "Blocks",
    "Bodies",
    "Bounded",
    "CompiledSolver",
    "Control",
    "Doubt",
    "Enforced",
    "FixedStep",
    "FixedStepSolver",
    "Floats",
    "Floats3",
    "Floats9",
    "InnerStates",
    "Ints",
    "Ints2",
    "Markers",
    "Middle",
    "NumpyState",
    "Part",
    "Rates",
    "Records",
    "Rows",
    "Shapes",
    "Spec",
    "State",
    "Step",
    "TransientMarkers",
    "TransientRows",
    "add_transient_block",
    "add_transient_columns",
    "add_transient_impulse",
    "advance_coordinates",
    "apply_mass",
    "attach_markers",
    "clear_transient",
    "compliance_slopes",
    "copy",
    "energies",
    "enforced_row_times",
    "error_norm",
    "evaluate_compliances",
    "evaluate_eom",
    "evaluate_rates",
    "follow_implicit_variables",
    "locate_markers",
    "normalise_coordinates",
    "note_impulse",
    "place_block",
    "power_of_motions",
    "pressure",
    "project",
    "project_closed",
    "project_increment",
    "project_positions",
    "rates_of_bounded",
    "rates_on_constraints",
    "records",
    "request_capacity",
    "run_part",
    "set_block_points",
    "set_mode",
    "set_row",
    "shape_pose",
    "share_by_norm",
    "solve_inner_states",
    "solve_mass",
    "solver_tables",
    "specs",
    "transient_jacobian",
    "transient_rates",
    "transient_rates_of",
    "transient_row_rate",
    "view",
]
