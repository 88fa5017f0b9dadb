"""Scenes as text: each function writes one table of a scene's TOML, so that tables joined by + are a scene."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

#: tables that a scene has once
SINGLE = ("scene", "solver", "output", "parameters")


def value(given: Any) -> str:
    """A number, text, array, list or mapping as TOML."""
    match given:
        case str() | bool():
            return json.dumps(given, ensure_ascii=False)
        case Mapping():
            return "{ " + ", ".join(f"{json.dumps(key)} = {value(v)}" for key, v in given.items()) + " }"
        case list() | tuple() | np.ndarray():
            return "[" + ", ".join(map(value, given)) + "]"
        case int():
            return str(given)
        case _:
            return repr(float(given))


def table(of: str, /, **keys: Any) -> str:
    """One `[[of]]` table; keys whose value is None are left out."""
    head = f"[{of}]" if of in SINGLE else f"[[{of}]]"
    return "\n".join([head, *(f"{key} = {value(v)}" for key, v in keys.items() if v is not None), ""])


def world(**keys: Any) -> str:
    """The `[scene]` table: gravity, plane, markers of the ground."""
    return table("scene", **keys)


def solver(**keys: Any) -> str:
    return table("solver", **keys)


def body(name: str, **keys: Any) -> str:
    return table("body", name=name, **keys)


def joint(name: str, type: str, a: str, b: str, **keys: Any) -> str:
    return table("joint", name=name, type=type, a=a, b=b, **keys)


def motion(joint: str, **function: Any) -> str:
    return table("motion", joint=joint, **function)


def force(body: str, name: str | None = None, **components: Any) -> str:
    """A force with components x, y and z on a body, or on one of its markers."""
    keys = {f"force_{axis}": component for axis, component in components.items()}
    return table("force", name=name, type="force", body=body, **keys)


def torque(body: str, name: str | None = None, **components: Any) -> str:
    keys = {f"torque_{axis}": component for axis, component in components.items()}
    return table("force", name=name, type="torque", body=body, **keys)


def spring(a: str, b: str, **keys: Any) -> str:
    """A spring with a damper between two markers."""
    return table("force", type="spring_damper", a=a, b=b, **keys)


def variable(name: str, value: str, **keys: Any) -> str:
    return table("variable", name=name, value=value, **keys)


def state(name: str, rate: str, **keys: Any) -> str:
    """A variable with a differential equation."""
    return table("state", name=name, rate=rate, **keys)


NO_GRAVITY = world(gravity=[0, 0, 0])
