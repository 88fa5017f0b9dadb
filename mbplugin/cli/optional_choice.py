"""An option whose value may be left out: `--forces`, `--forces contacts`, `--forces joints,drives`."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand

OPTION, ALL = "--forces", "all"
CHOICES = (ALL, "joints", "drives", "contacts")


class WithForces(TyperCommand):
    """A command with that option."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, with_value(args))


def with_value(args: list[str]) -> list[str]:
    """Words of a command line in which the option has its value; the next word is one if it names choices."""
    words = list(args)
    for k, word in reversed(list(enumerate(words))):
        if word == OPTION:
            after = words[k + 1] if k + 1 < len(words) else ""
            is_value = all(part in CHOICES for part in after.split(","))
            words[k : k + 1 + is_value] = [f"{OPTION}={after if is_value else ALL}"]
    return words
