"""In which line of a TOML text a key stands, as well as can be told without parsing it."""

from __future__ import annotations

import re

HEADER = re.compile(r"\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(#.*)?$")
#: characters of a line that are looked at: the patterns take time that grows with the square of a line's
#: length
LONGEST = 300
KEY = re.compile(r"\s*([\w\-.\"' ]+?)\s*=[^=]")


def key_lines(text: str) -> dict[str, int]:
    """{path: line} of headers and of keys at the start of a line, such as {"body[1]": 12, "body[1].inertia":
    14}.
    """
    lines: dict[str, int] = {}
    counts: dict[str, int] = {}
    path = ""
    for k, whole in enumerate(text.splitlines(), start=1):
        line = whole[:LONGEST]
        header = HEADER.match(line)
        if header:
            path = header_path(header[1] == "[[", header[2], counts)
            lines.setdefault(path, k)
        elif found := KEY.match(line):
            key = ".".join(part.strip(" \"'") for part in found[1].split("."))
            lines.setdefault(f"{path}.{key}" if path else key, k)
    return lines


def header_path(is_list: bool, name: str, counts: dict[str, int]) -> str:
    """The path of a header, in which every list stands for its last element."""
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
    """The line of `key`, or of the innermost table around it that can be found."""
    lines = key_lines(text)
    while key:
        for found in (key, f"{key}[0]"):
            if found in lines:
                return lines[found]
        key = key[: max(key.rfind("."), key.rfind("["))] if "." in key or "[" in key else ""
    return None
