"""Write docs/keys.md from the models that check a scene:  python docs/write_keys.py"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mbplugin.model import System

INTRODUCTION = """# Keys of a scene

This page is written by `docs/write_keys.py`. A table whose `type` chooses a kind has the keys of that kind as
well: they are in the [catalogue](catalogue.md) and on the pages of the [solvers](solvers.md), and
`mbplugin plugins show KIND` lists them. A key that is not known is an error. A number may be an expression of
`[parameters]`.
"""
#: table of a scene that stands inside others -> how it is written there
INSIDE = {
    "Marker": "`marker` of bodies and of the ground",
    "Orientation": "`orientation`",
    "Start": "`start` of joints",
    "Acts": "`contacts` of bodies",
}
#: beside the tables
NOTES = {
    "Orientation": "One of: `axis` with an angle, `quaternion`, `euler` with angles, `z` with `x`. "
    "Planar bodies need an angle alone.",
    "Start": "`angle` sets the only coordinate in radians, `length` the only one in metres, and `speed` the "
    "rate of that one. Where a joint has several of them, give the body its orientation and velocities.",
}
SHAPES = ("Box", "Sphere", "Cylinder", "Capsule", "Cone", "Ellipsoid", "Convex", "Mesh", "Plane")


def text() -> str:
    schema = System.model_json_schema(by_alias=True)
    tables: Mapping[str, Any] = schema["$defs"]
    parts = [INTRODUCTION]
    for key, where in schema["properties"].items():
        name = (where.get("$ref") or where.get("items", {}).get("$ref") or "").rpartition("/")[2]
        if not name:
            parts.append(f"## `[{key}]`\n\n{sentence(where['description'])}\n")
            continue
        heading = f"`[[{key}]]`" if "items" in where else f"`[{key}]`"
        parts.append(section(heading, name, tables))
        if name == "Scene":
            parts += [section(INSIDE["Orientation"], "Orientation", tables)]
        if name == "Body":
            parts += [section(INSIDE["Marker"], "Marker", tables), shapes(tables)]
        if name == "Joint":
            parts += [section(INSIDE["Start"], "Start", tables)]
    return "\n".join(parts)


def section(heading: str, name: str, tables: Mapping[str, Any]) -> str:
    table = tables[name]
    note = NOTES.get(name, "")
    return "\n".join([f"## {heading}", "", *([note, ""] if note else []), *rows(table), ""])


def rows(table: Mapping[str, Any], skip: tuple[str, ...] = ()) -> list[str]:
    """The lines of a table of keys."""
    needed = table.get("required", [])
    lines = ["| key | default | meaning |", "|---|---|---|"]
    for key, of in table["properties"].items():
        if key not in skip:
            default = "needed" if key in needed else shown(of.get("default"))
            meaning = of.get("description", "").replace("|", "\\|")
            lines.append(f"| `{key}` | {default} | {meaning} |")
    return lines


def shapes(tables: Mapping[str, Any]) -> str:
    """What all shapes have, and then each its own keys."""
    keys = [tables[name]["properties"] for name in SHAPES]
    of_all = [key for key in keys[0] if all(key in other for other in keys)]
    common = {"properties": {key: keys[0][key] for key in of_all if key != "type"}}
    parts = ["## `shape` of bodies and of the ground", "", *rows(common), ""]
    for name in SHAPES:
        parts += [f'### `type = "{name.lower()}"`', "", *rows(tables[name], tuple(of_all)), ""]
    return "\n".join(parts)


def shown(default: Any) -> str:
    return "" if default in (None, "", [], {}) else f"`{json.dumps(default)}`"


def sentence(text: str) -> str:
    return text[0].upper() + text[1:] + "."


if __name__ == "__main__":
    (Path(__file__).parent / "keys.md").write_text(text(), encoding="utf-8")
