"""All errors shown to the user. `str(error)` is the full message: one to three lines, with what to change.

    scene.toml: line 8: body[1].mass = -2: must be greater than 0

Exit codes: 2 invalid input, 3 simulation stopped, 4 read or write error, 5 plugin failed, 130 interrupted.
"""

from __future__ import annotations

import difflib
import math
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

MAX_PROBLEMS = 3  # problems of a scene reported at once
MAX_WIDTH = 60  # characters shown of a value
MAX_KEY = 180  # characters shown of a key
MAX_LINE, MAX_TEXT = 1_000, 10_000  # characters shown of texts from outside, in one line and in all


class NotGiven:
    """Type of NOT_GIVEN: the message shows no value."""


NOT_GIVEN = NotGiven()


class MbpluginError(Exception):
    """Base class of all errors with a message for the user."""

    exit_code = 1
    #: of a run without files: the `Result` with the frames up to the error
    result: Any = None
    #: of a run with files that stopped in a step: the folder with the last steps before it
    last_steps: Path | None = None


class SceneError(MbpluginError, ValueError):
    """Invalid input. A `ValueError`, so that pydantic validators may raise it."""

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
        self.key = key  # path of the key, such as "body[1].mass"
        self.value = value  # as given, or NOT_GIVEN
        self.mend = mend  # what is wrong, or what would be accepted
        self.file = file  # often filled in by a caller that knows it
        self.line = line  # likewise
        self.also = tuple(also)  # further problems of the same scene

    def __str__(self) -> str:
        problems = [self, *self.also]
        lines = [problem.text() for problem in problems[:MAX_PROBLEMS]]
        if len(problems) > MAX_PROBLEMS:
            lines[-1] += f" (and {len(problems) - MAX_PROBLEMS} more)"
        return "\n".join(lines)

    def text(self) -> str:
        """The message for this problem only, on one line."""
        key = self.key if len(self.key) <= MAX_KEY else f"{self.key[:MAX_KEY]}..."
        if not isinstance(self.value, NotGiven):
            key = f"{key} = {value_text(self.value)}" if key else value_text(self.value)
        parts = [self.file, f"line {self.line}" if self.line else "", key, " ".join(self.mend.split())]
        return printable(": ".join(part for part in parts if part))


@contextmanager
def errors_at(key: str, value: Any = NOT_GIVEN) -> Iterator[None]:
    """Context that puts `key` before the key of a SceneError; if `value` is given, the error gets this key
    and this value instead of its own.
    """
    try:
        yield
    except SceneError as error:
        if not isinstance(value, NotGiven):
            raise SceneError(key, value, error.mend) from None
        own = error.key if error.key.startswith("[") or not error.key else f".{error.key}"
        raise SceneError(f"{key}{own}", error.value, error.mend) from None


class OtherStructureError(SceneError):
    """A changed key asks for another structure than the compiled one has."""


class PhysicsError(MbpluginError):
    """The simulation cannot go on: divergence, a locked mechanism, no solution."""

    exit_code = 3

    def __init__(self, message: str, *, time: float | None = None) -> None:
        super().__init__(message if time is None else f"t = {time:.9g} s: {message}")
        self.time = time  # [s]


class StoreError(MbpluginError):
    """A read or write failed: disk full, corrupted store."""

    exit_code = 4


@contextmanager
def writing(file: Any) -> Iterator[None]:
    """Raises StoreError for an OSError, with the path of what is written."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"{file}: cannot be written: {error.strerror or error}") from None


class MissingLibraryError(MbpluginError):
    """An optional library is not installed."""

    exit_code = 2


class PluginError(MbpluginError):
    """A plugin failed. The message names the plugin."""

    exit_code = 5


#: an option of the command line in a message, `--about` with its value; commands in `...` stay as they are
OPTION = re.compile(r"`[^`]*`|--(about) (\w+)|--([a-z]+(?:-[a-z]+)*)")
#: options that are True in Python
SWITCHES = ("resume", "replace", "repairs", "movie")


def options_as_keywords(text: str) -> str:
    """A message with its options as keywords: "omit --resume" -> "omit resume=True"."""

    def keyword(found: re.Match[str]) -> str:
        about, value, option = found.groups()
        if about:
            return f'{about}="{value}"'
        if option is None:
            return found[0]
        word = option.replace("-", "_")
        return f"{word}=True" if option in SWITCHES else word

    return OPTION.sub(keyword, text)


def name_keywords(error: MbpluginError) -> None:
    """Let an error name keywords of the Python interface where it names options of the command line."""
    if isinstance(error, SceneError):
        for problem in (error, *error.also):
            option, _, path = problem.key.removeprefix("--").partition(" ")
            if problem.key.startswith("--"):
                problem.key = f"{option}: {path}" if path else option.replace("-", "_")
            problem.mend = options_as_keywords(problem.mend)
    error.args = tuple(options_as_keywords(arg) if isinstance(arg, str) else arg for arg in error.args)


class Interrupted(MbpluginError):
    """Interrupted by Ctrl-C or SIGTERM, whose number is `number`; the frames so far are kept."""

    exit_code = 130

    def __init__(self, message: str, number: int = 2) -> None:
        super().__init__(message)
        self.exit_code = 128 + number


def optional_library(name: str, what: str, extra: str = "export") -> Any:
    """A library of an extra of this package. Raises MissingLibraryError: `what` needs it."""
    try:
        return import_module(name)
    except ImportError as error:
        mend = f"{what} needs {name}; install it with: pip install 'mbplugin[{extra}]'"
        raise MissingLibraryError(f"{mend} ({error})") from None


def most_memory() -> float:
    """Bytes that this process may have: of the machine, of its control group, and of its own limit."""
    limits = [math.inf]
    with suppress(AttributeError, OSError, ValueError):
        limits.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    with suppress(OSError, ValueError):
        limits.append(float(Path("/sys/fs/cgroup/memory.max").read_text()))
    with suppress(ImportError, OSError, ValueError):
        import resource  # not on Windows

        own, _ = resource.getrlimit(resource.RLIMIT_AS)
        limits.append(math.inf if own == resource.RLIM_INFINITY else own)
    return min(limits)


def refuse_beyond_memory(key: str, value: Any, needed: float, mend: str) -> None:
    """Raises SceneError at the key if so many bytes are more than `most_memory`."""
    if needed > (most := most_memory()):
        there = f"needs {needed / 1e9:.3g} GB of memory, and there are {most / 1e9:.3g} GB"
        raise SceneError(key, value, f"{there}; {mend}")


def value_text(value: Any, width: int = MAX_WIDTH) -> str:
    """`value` in TOML notation, cut to `width` characters."""
    text = toml_text(value, 4)
    return text if len(text) <= width else text[: width - 3] + "..."


def toml_text(value: Any, depth: int) -> str:
    """`value` in TOML notation, down to `depth` levels of nesting."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{printable(value[:200])}"'
    if isinstance(value, int) and abs(value) >= 10**30:
        return "an integer with more than 30 digits"
    if isinstance(value, dict):
        if not depth:
            return "{ ... }"
        pairs = (f"{key} = {toml_text(item, depth - 1)}" for key, item in list(value.items())[:20])
        return "{ " + ", ".join(pairs) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml_text(item, depth - 1) for item in value[:20] if depth) + "]"
    if hasattr(value, "tolist"):
        return toml_text(value.tolist(), depth)
    return str(value.isoformat()) if hasattr(value, "isoformat") else repr(value)


def printable(text: str) -> str:
    """`text` with control characters escaped, so that a terminal does not interpret them."""
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text)


def one_line(text: str) -> str:
    """`text` on one line, with control characters escaped and a long one cut."""
    return printable(" ".join(cut(text, MAX_LINE).split()))


def cut(text: str, most: int = MAX_TEXT) -> str:
    """`text`, after so many characters a note instead of the rest."""
    return text if len(text) <= most else f"{text[:most]} ... (cut; {len(text):,} characters)"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """'; did you mean "mass"?' with the closest known word; "" if none is close."""
    closest = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f'; did you mean "{closest[0]}"?' if closest else ""


def suggestion(word: str, known: Iterable[str], most: int = 12) -> str:
    """'; did you mean "mass"?' if a known word is close, else '; known: ...' with up to `most` of them."""
    known = list(dict.fromkeys(known))
    return did_you_mean(word, known) or f"; known: {listed(known, most)}"


def listed(words: Iterable[str], most: int = 12) -> str:
    """`words` separated by commas, at most `most` of them, on one line."""
    words = list(words)
    rest = f" and {len(words) - most} more" if len(words) > most else ""
    return (", ".join(words[:most]) or "none") + rest
