"""Texts about what an import leaves out, terms of expressions, and names of a scene from those of a file."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable

from mbplugin.interface import RESERVED_NAMES


def few(names: list[str], one: str, many: str) -> str:
    """How many there are, and the first names."""
    more = ", ..." if len(names) > 4 else ""
    return f"{len(names)} {many if len(names) > 1 else one} ({', '.join(names[:4])}{more})"


class LeftOut:
    """Lines about what a file has and its scene lacks, in the order in which it is found."""

    def __init__(self) -> None:
        self.names: dict[tuple[str, str, str], list[str]] = {}  # text, one, many -> names for {} in the text

    def say(self, line: str) -> None:
        """Add a line as it is."""
        self.names[line, "", ""] = []

    def add(self, text: str, names: Iterable[str], one: str, many: str) -> None:
        """Add names to the line of a text, which has {} in their place; no names, no line."""
        for name in names:
            known = self.names.setdefault((text, one, many), [])
            if name not in known:
                known.append(name)

    def lines(self) -> list[str]:
        return [
            text.replace("{}", few(names, one, many), 1) if names else text
            for (text, one, many), names in self.names.items()
        ]


def clamped(text: str, low: float, high: float) -> str:
    """An expression within a range."""
    return f"max({low!r}, min({high!r}, {text}))"


def total(terms: list[tuple[float, str]]) -> str:
    """Σ cᵢ xᵢ as an expression; "0" without terms. An empty x stands for 1."""
    parts = [f"{c!r}*{x}" if x else repr(c) for c, x in terms if c]
    return " + ".join(parts) if parts else "0"


GROUND = "ground"


class Names:
    """Names that a scene and its expressions accept, each once."""

    def __init__(self) -> None:
        self.used: set[str] = {GROUND, *RESERVED_NAMES}
        self.changed: list[str] = []  # "step: step_2": names that were taken or reserved

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
