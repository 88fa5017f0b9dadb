"""Every error that a user can meet. `str(error)` is the whole message, one to three lines that say what to
change.

    scene.toml: line 8: body[1].mass = -2: must be greater than 0

Exit codes: 2 bad input, 3 the physics stopped, 4 input or output, 5 a plugin failed.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import Any

SHOWN = 3  # problems of a scene told at once
WIDTH = 60  # characters of a value that are shown


class NotGiven:
    """Stands for "there is no value to show"."""


NOT_GIVEN = NotGiven()


class MbpluginError(Exception):
    """Base of all errors with a message for the user."""

    exit_code = 1


class SceneError(MbpluginError, ValueError):
    """Bad input: where it is, what was seen, what would be accepted.

    It is a `ValueError` so that pydantic validators can raise it and add the path of the key. `file` and
    `line` may be
    filled in later by who knows them. `also` holds further problems of the same scene.
    """

    exit_code = 2

    def __init__(
        self,
        key: str = "",
        value: Any = NOT_GIVEN,
        mend: str = "",
        *,
        file: str = "",
        line: int | None = None,
        also: Sequence[SceneError] = (),
    ) -> None:
        super().__init__(mend)
        self.key, self.value, self.mend = key, value, mend
        self.file, self.line = file, line
        self.also = tuple(also)

    def __str__(self) -> str:
        problems = [self, *self.also]
        lines = [problem.text() for problem in problems[:SHOWN]]
        if len(problems) > SHOWN:
            lines[-1] += f" (and {len(problems) - SHOWN} more)"
        return "\n".join(lines)

    def text(self) -> str:
        """The message of this problem alone, in one line."""
        what = self.key if len(self.key) <= 3 * WIDTH else f"{self.key[: 3 * WIDTH]}..."
        if not isinstance(self.value, NotGiven):
            what = f"{what} = {shown(self.value)}" if what else shown(self.value)
        where = [self.file, f"line {self.line}" if self.line else "", what, " ".join(self.mend.split())]
        return printable(": ".join(part for part in where if part))


class PhysicsError(MbpluginError):
    """The physics stopped: diverged, locked, no solution. `time` [s] is where."""

    exit_code = 3

    def __init__(self, message: str, *, time: float | None = None) -> None:
        super().__init__(message if time is None else f"t = {time:.9g} s: {message}")
        self.time = time


class StoreError(MbpluginError):
    """Reading or writing failed: disk full, damaged store."""

    exit_code = 4


class PluginError(MbpluginError):
    """A plugin failed; the message names it."""

    exit_code = 5


def shown(value: Any, width: int = WIDTH) -> str:
    """`value` as it would stand in a scene file, cut to `width` characters."""
    text = written(value, 4)
    return text if len(text) <= width else text[: width - 3] + "..."


def written(value: Any, depth: int) -> str:
    """One value in TOML's notation, `depth` levels deep."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{printable(value[:200])}"'
    if isinstance(value, int) and abs(value) >= 10**30:
        return "an integer of more than 30 digits"
    if isinstance(value, dict):
        pairs = (f"{k} = {written(v, depth - 1)}" for k, v in list(value.items())[:20]) if depth else ["..."]
        return "{ " + ", ".join(pairs) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(written(v, depth - 1) for v in value[:20] if depth) + "]"
    if hasattr(value, "tolist"):
        return written(value.tolist(), depth)
    return str(value.isoformat()) if hasattr(value, "isoformat") else repr(value)


def printable(text: str) -> str:
    """`text` without characters that a terminal would act on."""
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """'; did you mean "mass"?', or nothing when no known word is near."""
    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f'; did you mean "{near[0]}"?' if near else ""


def listed(words: Iterable[str], most: int = 12) -> str:
    """`words` in one line, at most `most` of them."""
    words = list(words)
    rest = f" and {len(words) - most} more" if len(words) > most else ""
    return (", ".join(words[:most]) or "none") + rest
