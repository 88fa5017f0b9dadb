"""Names of a scene, made of those of a file."""

from __future__ import annotations

import re
from collections.abc import Container

from mbplugin.interface import RESERVED_NAMES

GROUND = "ground"


class Names:
    """Names that a scene and its expressions accept, each once."""

    def __init__(self) -> None:
        self.used: set[str] = {GROUND, *RESERVED_NAMES}
        self.changed: list[str] = []  # "step: step_2", where characters are not the reason

    def new(self, name: str) -> str:
        """`name` with letters, digits and _ only, and a number if it is taken or reserved in expressions."""
        stem = identifier(name)
        result = unused(stem, self.used)
        self.used.add(result)
        if result != stem:
            self.changed.append(f"{name}: {result}")
        return result


def identifier(name: str) -> str:
    """`name` as one word of letters, digits and _, at most 80 characters."""
    word = re.sub(r"\W", "_", name, flags=re.ASCII)[:80] or "_"
    return f"_{word}" if word[0].isdigit() else word


def unused(stem: str, used: Container[str], ending: str = "") -> str:
    """`stem` with this ending, and with a number before it if the name is used."""
    result, number = stem + ending, 2
    while result in used:
        result, number = f"{stem}_{number}{ending}", number + 1
    return result
