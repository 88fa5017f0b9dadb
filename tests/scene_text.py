"""Scenes as text: each function writes one table of a scene's TOML; tables joined by + are a scene."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

SCENES = Path(__file__).parents[1] / "scenes"
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


def lines(keys: Mapping[str, Any]) -> str:
    """One line a key; keys whose value is None are left out."""
    return "".join(f"{key} = {value(v)}\n" for key, v in keys.items() if v is not None)


def table(of: str, /, **keys: Any) -> str:
    """One `[[of]]` table; keys whose value is None are left out."""
    return (f"[{of}]\n" if of in SINGLE else f"[[{of}]]\n") + lines(keys)


def with_keys(text: str, *names: str, **keys: Any) -> str:
    """The scene with these keys added to each of the elements `names`."""
    for name in names:
        head = f'name = "{name}"\n'
        assert text.count(head) == 1, name
        text = text.replace(head, head + lines(keys))
    return text


def changed(text: str, old: str, new: str) -> str:
    """The text with `new` in the place of `old`, which occurs once."""
    assert text.count(old) == 1, old
    return text.replace(old, new)


def bundled(name: str) -> str:
    """Text of a bundled scene."""
    return (SCENES / name / "scene.toml").read_text()


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


def pin(name: str, a: str, b: str, x: float, y: float = 0.0, **keys: Any) -> str:
    """A pin of planar bodies at (x, y)."""
    return joint(name, "pin", a, b, at=[x, y], **keys)


def hinge(name: str, a: str, b: str, at: Any = (0, 0, 0), axis: Any = (0, 0, 1), **keys: Any) -> str:
    """A revolute joint, about z unless `axis` is given."""
    return joint(name, "revolute", a, b, at=at, axis=axis, **keys)


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
#: gravity in the plane xy
PLANAR_GRAVITY = world(gravity=[0, -9.81, 0])
