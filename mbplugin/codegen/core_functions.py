"""The large functions of the engine that a system needs, and their addresses."""

from __future__ import annotations

import numpy as np

from mbplugin.codegen.units import Unit
from mbplugin.compiler.folder import cache_folder
from mbplugin.kernels import large as large_kernels
from mbplugin.kernels import large_tangents
from mbplugin.stepping import large as large_steps
from mbplugin.tables.groups import Core
from mbplugin.tables.spec import table

#: field of `Core` -> module and name of the function
ALWAYS = {name: (large_kernels, name) for name in ("evaluate_eom", "factor", "solve_rows")}
ALWAYS |= {"rates": (large_steps, "evaluate_rates"), "project": (large_steps, "project")}
IMPLICIT = {"solve_implicit": (large_kernels, "solve_implicit")}
ENFORCED = {"iterate_loads": (large_kernels, "iterate_loads")}
SWITCHES = {name: (large_steps, name) for name in ("find_switch", "pass_switch")}
INPUTS = {name: (large_steps, name) for name in ("jump_inputs", "take_samples")}
TANGENT_FIELDS = (
    "form_tangent",
    "enforced_tangents",
    "difference_element",
    "evaluate_expression",
    "difference_body",
    "difference_laws",
)
#: of every run
RUN = {name: (large_steps, name) for name in ("advance", "show")}
EVENTS = {"locate_event": (large_steps, "locate_event")}


def core_units(implicit: bool, enforced: bool, switches: bool, events: bool, inputs: bool) -> dict[str, Unit]:
    """Field of `Core` -> unit, for systems with implicit variables, rows under an enforcement law,
    expressions that switch, elements with events, or inputs.
    """
    fields = dict(ALWAYS)
    for wanted, further in (
        (implicit, IMPLICIT),
        (enforced, ENFORCED),
        (switches, SWITCHES),
        (events, EVENTS),
        (inputs, INPUTS),
    ):
        fields |= further if wanted else {}
    return {
        field: Unit(module.__name__, name, str(cache_folder(module.__name__)))
        for field, (module, name) in fields.items()
    }


def run_units() -> dict[str, Unit]:
    """Field of `Core` -> unit, for problems with an integrator."""
    return {
        field: Unit(module.__name__, name, str(cache_folder(module.__name__)))
        for field, (module, name) in RUN.items()
    }


def tangent_units(
    enforced: bool, elements: bool, expressions: bool, bodies: bool, laws: bool
) -> dict[str, Unit]:
    """Field of `Core` -> unit of the tangents, for problems with rows under a law, and where differences are
    needed of elements, of expressions, of bodies or of laws.
    """
    wanted = zip(TANGENT_FIELDS, (True, enforced, elements, expressions, bodies, laws))
    folder = str(cache_folder(large_tangents.__name__))
    return {field: Unit(large_tangents.__name__, field, folder) for field, needed in wanted if needed}


def core_table(units: dict[str, Unit]) -> Core:
    """The table of their addresses; the other functions, methods and solvers have address 0."""
    addresses = {field: np.array([unit.make()[0].address], np.int64) for field, unit in units.items()}
    return table(Core, 1, **addresses)
