"""Message of numba about a function that it cannot compile, as one line: what, file, line, function."""

from __future__ import annotations

import re
from pathlib import Path

from mbplugin.errors import one_line

PLACE = re.compile(r'^File "(.+?)", line (\d+):')
#: how lines begin that say nothing about the cause
WORDS = ("Failed in", "During:", "<source elided>", "^")


def cause(error: Exception) -> str:
    """The innermost reason of an error of numba, and where it is; of another error, its text in one line."""
    lines = [line.strip() for line in str(error).splitlines()]
    reasons = [line for line in lines if line and not line.startswith(WORDS) and not PLACE.match(line)]
    if not reasons:
        return one_line(str(error))
    what = reasons[0]
    signature = next((line for line in reasons if line.startswith(">>>")), "")
    if what.endswith("signature:"):
        what = f"{what} {signature.removeprefix('>>>')}"
    for place in filter(None, map(PLACE.match, lines)):
        source, line = Path(place[1]), int(place[2])
        return one_line(f"{what} ({source.name}, line {line}{function_at(source, line)})")
    return one_line(what)


def function_at(source: Path, line: int) -> str:
    """', in NAME' of the function that the line of a file belongs to; "" if it cannot be read."""
    try:
        before = source.read_text(encoding="utf-8").splitlines()[:line]
    except (OSError, UnicodeDecodeError):
        return ""
    names = [match[1] for text in before if (match := re.match(r"\s*def (\w+)", text))]
    return f", in {names[-1]}" if names else ""
