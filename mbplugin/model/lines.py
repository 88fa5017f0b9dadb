"""Line numbers of keys in TOML text. Found by pattern, without a full parse, so some keys are not found."""

from __future__ import annotations

import re

HEADER = re.compile(r"\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(#.*)?$")
KEY = re.compile(r"\s*([\w\-.\"' ]+?)\s*=[^=]")
MAX_WIDTH = 300  # characters searched per line: the patterns take quadratic time


def key_lines(text: str) -> dict[str, int]:
    """{path: line} of headers and of keys at the start of a line: {"body[1]": 12, "body[1].inertia": 14}."""
    lines: dict[str, int] = {}
    counts: dict[str, int] = {}
    table = ""
    for number, line in enumerate(text.splitlines(), start=1):
        line = line[:MAX_WIDTH]
        if header := HEADER.match(line):
            table = header_path(header[1] == "[[", header[2], counts)
            lines.setdefault(table, number)
        elif match := KEY.match(line):
            key = ".".join(part.strip(" \"'") for part in match[1].split("."))
            lines.setdefault(f"{table}.{key}" if table else key, number)
    return lines


def header_path(is_list: bool, name: str, counts: dict[str, int]) -> str:
    """The path of a header; a list in it means its last element so far. `counts` holds the last indices."""
    path = ""
    parts = [part.strip(" \"'") for part in name.split(".")]
    for k, part in enumerate(parts):
        path = f"{path}.{part}" if path else part
        if is_list and k == len(parts) - 1:
            counts[path] = counts.get(path, -1) + 1
            path = f"{path}[{counts[path]}]"
        elif path in counts:
            path = f"{path}[{counts[path]}]"
    return path


def line_of(key: str, text: str) -> int | None:
    """The line of `key`, or of the innermost enclosing table that is found; None if none is."""
    lines = key_lines(text)
    while key:
        for path in (key, f"{key}[0]"):
            if path in lines:
                return lines[path]
        key = key[: max(key.rfind("."), key.rfind("["))] if "." in key or "[" in key else ""
    return None
