"""The key `coordinates` of solvers, and the default method that follows from it."""

from __future__ import annotations

from typing import Any

#: methods if a scene names none: in maximal coordinates, and in those of joints, by recursion and with M
MAXIMAL_METHOD, RECURSION, MASS_MATRIX = "constraint_force", "articulated_body", "mass_matrix"

COORDINATES = "of the states: those of all bodies, or those of the joints that carry them"
METHOD = (
    "how accelerations and constraint forces are found; `mbplugin plugins` lists the methods; default "
    f'"{MAXIMAL_METHOD}", of joint coordinates "%s"'
)


def with_method(given: Any, of_joints: str = RECURSION) -> Any:
    """Keys of a solver, with the default method of its coordinates where they name none.

    of_joints: that of joint coordinates
    """
    default = {"maximal": MAXIMAL_METHOD, "joint": of_joints}.get(given.get("coordinates", "maximal"))
    return {"method": default, **given} if default is not None else given
