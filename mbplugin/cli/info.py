"""`mbplugin info`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mbplugin.cli.options import Json, Stored
from mbplugin.cli.streams import print_document
from mbplugin.decoder.nodal import NodalMesh, nodal_meshes
from mbplugin.errors import StoreError, listed
from mbplugin.result import Result
from mbplugin.results.at_nodes import NODE, at_markers
from mbplugin.results.computed import MARKER, TENSION, lines_with_tension, markers_of, pose_of, tables
from mbplugin.results.contacts import PAIR, pairs_in_contact
from mbplugin.results.stored_names import OWNERS, kinds

#: most names in a line; --json has all
MOST = 200
#: quantities that are computed: key of the names, how they are plotted, and what there is
COMPUTED = (
    ("contacts", "plot contact.A.B.", tuple(PAIR)),
    ("markers", "plot body.NAME.MARKER.", tuple(MARKER)),
    ("meshes", "plot body.NAME.node[NUMBER].", tuple(NODE)),
    ("tensions", "plot joint.NAME., force.NAME.", (TENSION,)),
)


def info_result(result: Stored, json: Json = False) -> None:
    opened = Result(result)
    raw = opened.raw
    damage = raw.check()
    time = undamaged(lambda: opened.time, damage)
    drift = undamaged(lambda: opened.drift_position, damage)
    found: dict[str, Any] = {
        "frames": raw.frames,
        "complete": raw.complete,
        "start": float(time[0]) if raw.frames and time is not None else None,
        "end": float(time[-1]) if raw.frames and time is not None else None,
        "bodies": raw.names("bodies"),
        "joints": raw.names("joints"),
        "free": dict(zip(raw.names("joints"), raw.attribute("joints/free", []))),
        "locked": dict(zip(raw.names("joints"), raw.attribute("joints/locked", []))),
        "coordinates": raw.names("coordinates"),
        "forces": raw.names("forces"),
        "bounds": raw.names("bounds"),
        "states": raw.names("states"),
        "inputs": [f"{name} [{unit}]" if unit else name for name, unit in opened.inputs.items()],
        "outputs": [f"{name} [{unit}]" for name, unit in opened.outputs.items()],
        "lists": {
            name: [f"{key} [{unit}]" for key, unit in opened.list(name).units.items()] for name in raw.lists
        },
        "contacts": [f"{a}.{b}" for a, b in undamaged(lambda: pairs_in_contact(raw), damage) or ()],
        "markers": [
            *(f"{body}.{name}" for body, markers in markers_of(raw).items() for name in markers),
            *dict.fromkeys(name.split(".", 1)[1].rpartition(".")[0] for name in marker_names(raw)),
        ],
        **(
            {"meshes": [mesh_line(mesh) for mesh in nodal_meshes(raw.static())]} if raw.names("nodes") else {}
        ),
        "tensions": [f"{word}.{name}" for word, name in lines_with_tension(raw)],
        "drift_position": float(drift.max()) if raw.frames and drift is not None else None,
        "quantities": kinds(raw),
        "damage": damage,
        "messages": [m.text for m in undamaged(lambda: raw.messages, damage) or ()],
    }
    if json:
        print_document(found)
        return
    lines: list[tuple[str, object]] = []
    for name, value in found.items():
        if name == "quantities":
            lines += [
                (f"plot {word}.{'' if word not in OWNERS else 'NAME.'}", ", ".join(quantities))
                for word, quantities in found[name].items()
            ]
            lines += [(words, ", ".join(quantities)) for key, words, quantities in COMPUTED if found.get(key)]
        elif isinstance(value, dict):
            lines += [
                (f"{name} {'of' if name == 'lists' else 'in'} {joint}", ", ".join(directions) or "nothing")
                for joint, directions in value.items()
            ]
        elif name != "messages":
            lines.append((name, listed(value, MOST) if isinstance(value, list) else value))
    width = max(len(name) for name, _ in lines)
    for name, value in lines:
        print(f"{name:{width}}  {value}")
    print("messages" if found["messages"] else f"{'messages':{width}}  none")
    for message in found["messages"]:
        print("\n".join(f"  {'  ' * (k > 0)}{line}" for k, line in enumerate(message.splitlines())))


def marker_names(raw: Any) -> list[str]:
    """Names of the quantities of the markers of bodies with nodes."""
    if not raw.names("nodes"):
        return []
    return [name for name, *_ in at_markers(raw, tables(raw, "body"), pose_of)]


def mesh_line(mesh: NodalMesh) -> str:
    """Name of a body with nodes, and what its mesh has."""
    cells = sum(len(of.nodes) for of in mesh.cells)
    sets = f", sets {', '.join(mesh.sets)}" if mesh.sets else ""
    return f"{mesh.name}: {len(mesh.rest)} nodes, {cells} cells{sets}"


def undamaged(read: Callable[[], Any], damage: list[str]) -> Any:
    """Return value of `read`; None if it is damaged, which `damage` says."""
    try:
        return read()
    except (StoreError, KeyError):
        if not damage:
            raise
        return None
