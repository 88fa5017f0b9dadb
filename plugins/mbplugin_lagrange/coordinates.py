"""The key `coordinates` of solvers, and the default method that follows from it."""

from __future__ import annotations

from typing import Any

#: method of each kind of coordinates if a scene names none
DEFAULT_METHODS = {"maximal": "constraint_force", "joint": "articulated_body"}

COORDINATES = "of the states: those of all bodies, or those of the joints that carry them"
METHOD = (
    "how accelerations and constraint forces are found; `mbplugin plugins` lists the "
    'methods; default "constraint_force", of joint coordinates "articulated_body"'
)


def with_method(given: Any) -> Any:
    """Keys of a solver, with the default method of its coordinates where they name none."""
    default = DEFAULT_METHODS.get(given.get("coordinates", "maximal"))
    return {"method": default, **given} if default is not None else given
