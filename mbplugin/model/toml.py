"""A scene's tables as TOML text, and line numbers of keys in such text.

Floats are written with all digits, so that they are read back exactly. Lines are found by pattern, without a
full parse, so some keys are not found.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from mbplugin.errors import SceneError
from mbplugin.model.expression import Expression
from mbplugin.model.parser import IDENTIFIER

ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\b": "\\b", "\f": "\\f"}


def document(tables: Mapping[str, Any]) -> str:
    """`tables`, {name: table or list of tables}, as TOML text. Raises SceneError."""
    parts = []
    for name, content in tables.items():
        for table in content if isinstance(content, list) else [content]:
            header = f"[[{name}]]" if isinstance(content, list) else f"[{name}]"
            lines = [
                f"{key_text(key)} = {value_text(value, f'{name}.{key}')}"
                for key, value in table.items()
                if value is not None
            ]
            parts.append("\n".join([header, *lines]))
    return "\n\n".join(parts) + "\n"


@functools.lru_cache(maxsize=10_000)
def key_text(key: str) -> str:
    """`key` as TOML, in quotes if necessary."""
    return key if IDENTIFIER.fullmatch(key) and key.isascii() else quoted(key)


def value_text(value: Any, key: str) -> str:
    """`value` as TOML on one line; `key` is its path for messages. Raises SceneError."""
    if type(value) is float:  # most values of a large scene are
        return repr(value)
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, int | np.integer):
        return str(int(value))
    if isinstance(value, float | np.floating):
        return repr(float(value))
    if isinstance(value, Expression):
        return quoted(value.text)
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return "[" + ", ".join(value_text(item, key) for item in value) + "]"
    if isinstance(value, Mapping):
        pairs = (
            f"{key_text(str(k))} = {value_text(v, f'{key}.{k}')}" for k, v in value.items() if v is not None
        )
        return "{ " + ", ".join(pairs) + " }" if value else "{}"
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    kind = type(value).__name__
    mend = f"a {kind} cannot be written as TOML; only numbers, text, lists and tables can"
    raise SceneError(key, str(value), mend)


def quoted(text: str) -> str:
    """`text` as a TOML basic string."""
    if text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return '"' + "".join(ESCAPES.get(c, c if c.isprintable() else f"\\U{ord(c):08X}") for c in text) + '"'


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
