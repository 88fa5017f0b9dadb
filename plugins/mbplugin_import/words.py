"""Words for lists of what is left out."""

from __future__ import annotations


def few(names: list[str], one: str, many: str) -> str:
    """How many there are, and the first names."""
    more = ", ..." if len(names) > 4 else ""
    return f"{len(names)} {many if len(names) > 1 else one} ({', '.join(names[:4])}{more})"


def leave_out(left_out: list[str], text: str, names: list[str], one: str, many: str) -> None:
    """Add a line on these things, if there are any, to what is left out. text: with {} for their names"""
    if names:
        left_out.append(text.format(few(names, one, many)))


def clamped(text: str, low: float, high: float) -> str:
    """An expression within a range."""
    return f"max({low!r}, min({high!r}, {text}))"


def total(terms: list[tuple[float, str]]) -> str:
    """Σ cᵢ xᵢ as an expression; "0" without terms. x "" is 1."""
    parts = [f"{c!r}*{x}" if x else repr(c) for c, x in terms if c]
    return " + ".join(parts) if parts else "0"
