"""The engine's functions that are called by their addresses (`kernels/by_address.py`), as units."""

from __future__ import annotations

from typing import Any

from mbplugin.codegen.units import Unit, function_unit
from mbplugin.kernels import by_address, form_tangent  # noqa: F401 - its functions
from mbplugin.stepping import loop  # noqa: F401


def core_units(*when: str, **problem: bool) -> list[Unit]:
    """Units of the functions that are needed in these cases. problem: case -> whether it is one."""
    cases = {*when, *(case for case, is_one in problem.items() if is_one)}
    return [function_unit(function) for function in by_address.FUNCTIONS if function.when in cases]


def loaded_address(call: Any) -> int:
    """The address of a function that is called by it, which is compiled or loaded first where it is not."""
    function = call.by_address
    if not function.address:
        load([function_unit(function)])
    return int(function.address)


def load(units: list[Unit]) -> None:
    """Compile them, or load their machine code: compiled code then finds their addresses."""
    for unit in units:
        unit.make()
