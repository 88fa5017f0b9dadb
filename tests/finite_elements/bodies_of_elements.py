"""Scenes with finite-element bodies, as text."""

from __future__ import annotations

from typing import Any

from scene_text import body, table

STEEL = {"name": "elastic", "young": 1e6, "poisson": 0.3, "density": 1e3}


def material(**keys: Any) -> str:
    return table("material", **(STEEL | keys))


def block(size=(0.4, 0.1, 0.1), divisions=(4, 2, 2), elements="hex8", name="block", **keys: Any) -> str:
    """A box of finite elements of the material "elastic"."""
    mesh = {"shape": "box", "size": list(size), "divisions": list(divisions), "elements": elements}
    return body(name, type="finite_element", material="elastic", mesh=mesh, **keys)
