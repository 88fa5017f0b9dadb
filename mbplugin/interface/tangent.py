"""Finds the tangent of a kind. A class that overrides the kernel does not inherit the tangent."""

from __future__ import annotations

from typing import Any


def tangent_of(kind: type, name: str, *of: str) -> Any:
    """The function `name` of a kind, or None.

    None also if a derived class overrides one of the functions `of`, whose derivative it is.
    """
    function = getattr(kind, name, None)
    depth = {
        attribute: next(
            (k for k, cls in enumerate(kind.__mro__) if attribute in vars(cls)), len(kind.__mro__)
        )
        for attribute in (name, *of)
    }
    overridden = any(depth[attribute] < depth[name] for attribute in of)
    return None if function is None or overridden else function
