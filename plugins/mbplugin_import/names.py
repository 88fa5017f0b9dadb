"""Names of a scene, made of those of a file."""

from __future__ import annotations

import re

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
        result, number = stem, 2
        while result in self.used:
            result, number = f"{stem}_{number}", number + 1
        self.used.add(result)
        if result != stem:
            self.changed.append(f"{name}: {result}")
        return result


def identifier(name: str) -> str:
    """`name` as one word of letters, digits and _, at most 80 characters."""
    word = re.sub(r"\W", "_", name, flags=re.ASCII)[:80] or "_"
    return f"_{word}" if word[0].isdigit() else word
