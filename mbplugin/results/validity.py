"""Checks of the metadata of a store. One that was damaged or forged is refused in one line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mbplugin.decoder.files import Damaged, demand, is_count
from mbplugin.results.layout import NAMED_SIZES, frame_array, static_array
from mbplugin.results.summary import check_summary

#: groups with a list `name`; each further list has one entry for each name
NAMED = tuple(key.partition("/")[0] for key in NAMED_SIZES.values())
TEXTS = ("name", "kind", "type", "a", "b", "unit", "element", "body", "part")
MESSAGE = ("time", "level", "text", "frame")
REQUIRED = ("frames", "complete", "frame_arrays", "static_arrays")


def check_root(attributes: Mapping[str, Any]) -> None:
    """Check the attributes of the root group, after format and version. Raises Damaged."""
    for name in REQUIRED:
        demand(name in attributes, f"zarr.json has no attribute {name!r}")
    demand(is_count(attributes["frames"]), "zarr.json: `frames` is no number of frames")
    demand(isinstance(attributes["complete"], bool), "zarr.json: `complete` is neither true nor false")
    for key in ("frame_arrays", "static_arrays"):
        demand(are_texts(attributes[key]), f"zarr.json: `{key}` is no list of names")
    if "summary" in attributes:
        check_summary(attributes["summary"])
    demand("time" in attributes["frame_arrays"], "zarr.json: `frame_arrays` has no time")
    lists = attributes.get("lists", {})
    named = isinstance(lists, dict) and all(map(are_texts, lists.values()))
    demand(named, "zarr.json: `lists` does not name lists and their arrays")
    for name, arrays in lists.items():
        demand(all(map(is_name, (name, *arrays))), "zarr.json: `lists` has a name that is none")
        stop = f"lists/{name}/stop"
        demand(stop in attributes["frame_arrays"], f"zarr.json: `frame_arrays` has no {stop}")
    for key in attributes["frame_arrays"]:
        parts = key.split("/")
        known = parts[0] != "lists" or (len(parts) == 3 and parts[1] in lists and parts[2] == "stop")
        demand(known, f"zarr.json: `frame_arrays` has an unknown array {key!r}")
        check_known(key, frame_array, "frame_arrays")
    for key in attributes["static_arrays"]:
        known = all(map(is_name, key.split("/")))
        demand(known, f"zarr.json: `static_arrays` has an unknown array {key!r}")
        check_known(key, static_array, "static_arrays")


def check_known(key: str, description: Any, where: str) -> None:
    try:
        description(key)
    except (KeyError, IndexError):
        raise Damaged(f"zarr.json: `{where}` has an unknown array {key!r}") from None


def check_group(group: str, attributes: Mapping[str, Any]) -> None:
    """Check the attributes of a group. Raises Damaged."""
    if group == "messages":
        check_messages(attributes)
    if group == "nodes":
        check_nodes(attributes)
    if group not in NAMED:
        return
    names = attributes.get("name", [])
    for key, values in attributes.items():
        demand(key not in TEXTS or are_texts(values), f"`{key}` is no list of texts")
        if key == "gravity":
            demand(is_vector(values), "`gravity` is no list of three numbers")
        elif isinstance(values, list):
            demand(len(values) == len(names), f"`{key}` has {len(values)} entries for {len(names)} names")
    for key in ("free", "locked"):
        values = attributes.get(key, [])
        listed = isinstance(values, list) and all(map(are_texts, values))
        demand(listed, f"`{key}` does not list directions")


def check_messages(attributes: Mapping[str, Any]) -> None:
    lists = [attributes.get(name) for name in MESSAGE]
    alike = all(isinstance(values, list) for values in lists) and len({len(v or ()) for v in lists}) == 1
    demand(alike, "has no lists of equal length of time, level, text and frame")
    times, levels, texts, frames = (values or [] for values in lists)
    numbers = all(t is None or isinstance(t, int | float | str) for t in times)
    right = numbers and are_texts(levels) and are_texts(texts) and all(map(is_count, frames))
    demand(right, "has entries of another type")
    demand(is_count(attributes.get("dropped", 0)), "`dropped` is no number of messages")


def check_nodes(attributes: Mapping[str, Any]) -> None:
    """Check what the group of bodies with nodes says of their cells and sets. Raises Damaged."""
    names = attributes.get("name", [])
    demand(are_texts(names), "`name` is no list of texts")
    for of, keys in (
        ("cells", ("body", "vtk", "count", "nodes", "to_nodes")),
        ("sets", ("body", "name", "count")),
    ):
        blocks = attributes.get(of)
        known = isinstance(blocks, list) and all(isinstance(b, dict) and {*keys} <= set(b) for b in blocks)
        demand(known, f"`{of}` does not describe blocks")
        right = all(
            is_count(b["count"]) and is_count(b["body"]) and b["body"] < len(names) for b in blocks or ()
        )
        demand(right, f"`{of}` has a block of another body")
    for block in attributes["cells"]:
        table = block["to_nodes"]
        right = is_count(block["vtk"]) and is_count(block["nodes"]) and (table is None or is_matrix(table))
        demand(right, "`cells` has a block without numbers")


def is_matrix(values: Any) -> bool:
    """Whether `values` is a list of lists of numbers, all of one length."""
    if not isinstance(values, list) or not values or not all(isinstance(row, list) for row in values):
        return False
    right = all(type(v) in (int, float) for row in values for v in row)
    return right and len({len(row) for row in values}) == 1 and len(values[0]) > 0


def is_vector(values: Any) -> bool:
    numbers = isinstance(values, list) and [v for v in values if type(v) in (int, float) and abs(v) < 1e300]
    return isinstance(values, list) and len(values) == 3 and numbers == values


def are_texts(values: Any) -> bool:
    """Whether `values` is a list of texts."""
    return isinstance(values, list) and all(isinstance(value, str) for value in values)


def is_name(part: str) -> bool:
    """Whether a text can be the name of a group, and leads to no other folder."""
    return part not in ("", ".", "..") and not set(part) & {"/", "\\", "\0"}
