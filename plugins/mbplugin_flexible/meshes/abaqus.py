"""Content of .inp files of Abaqus and CalculiX: nodes and elements of one part, with its sets and surfaces.

Keywords as in the Abaqus Keywords Reference: *NODE, *ELEMENT, *NSET, *ELSET, *SURFACE, *PART, *INSTANCE; all
others, such as materials and steps, are no part of a mesh.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from mbplugin.errors import SceneError, listed
from mbplugin_flexible.meshes.content import Content

#: beginnings of types of elements -> type of meshio, nodes; longer beginnings first
TYPES = (
    *(("C3D10", "tetra10", 10), ("C3D15", "wedge15", 15), ("C3D20", "hexahedron20", 20)),
    *(("C3D4", "tetra", 4), ("C3D6", "wedge", 6), ("C3D8", "hexahedron", 8)),
    *(("S8", "quad8", 8), ("STRI65", "triangle6", 6), ("STRI3", "triangle", 3), ("S6", "triangle6", 6)),
    *(("S4", "quad", 4), ("S3", "triangle", 3), ("M3D4", "quad", 4), ("M3D3", "triangle", 3)),
    *(("M3D6", "triangle6", 6), ("M3D8", "quad8", 8), ("SFM3D4", "quad", 4), ("SFM3D3", "triangle", 3)),
    *(("SFM3D6", "triangle6", 6), ("SFM3D8", "quad8", 8), ("R3D4", "quad", 4), ("R3D3", "triangle", 3)),
    *(("CPS3", "triangle", 3), ("CPS4", "quad", 4), ("CPS6", "triangle6", 6), ("CPS8", "quad8", 8)),
    *(("CPE3", "triangle", 3), ("CPE4", "quad", 4), ("CPE6", "triangle6", 6), ("CPE8", "quad8", 8)),
    *(("T3D2", "line", 2), ("T3D3", "line3", 3), ("B31", "line", 2), ("B32", "line3", 3)),
)
#: keywords that make or move nodes and elements
MAKING = ("INCLUDE", "NGEN", "NCOPY", "NFILL", "NMAP", "ELGEN", "ELCOPY", "SYSTEM")
#: corners of the faces S1, S2, ... of an element, by the number of its corners
SIDES = {
    8: ((0, 1, 2, 3), (4, 7, 6, 5), (0, 4, 5, 1), (1, 5, 6, 2), (2, 6, 7, 3), (3, 7, 4, 0)),
    4: ((0, 1, 2), (0, 3, 1), (1, 3, 2), (2, 3, 0)),
}
CORNERS = {"tetra": 4, "tetra10": 4, "hexahedron": 8, "hexahedron20": 8}


@dataclass
class Model:
    """Content of the lines of a file."""

    points: dict[int, list[float]] = field(default_factory=dict)  # by number of the node
    cells: list[tuple[str, np.ndarray]] = field(default_factory=list)  # type, (n, 1 + k) number and nodes
    node_sets: dict[str, list[str]] = field(default_factory=dict)  # numbers and names
    element_sets: dict[str, list[str]] = field(default_factory=dict)
    surfaces: dict[str, list[tuple[str, str]]] = field(default_factory=dict)  # set or number, side
    node_surfaces: dict[str, list[str]] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)


def read_abaqus(path: Path) -> Content:
    """The content of an .inp file. Raises SceneError that names the line."""
    model = Model()
    parts, inside, left_out = 0, False, 0
    for line, keyword, options, rows in keywords(path.read_text("utf-8", "replace")):
        try:
            if keyword == "PART":
                parts, inside = parts + 1, True
            elif keyword == "END PART":
                inside = False
            elif keyword in MAKING:
                raise SceneError(mend=f"*{keyword} is not read; write all nodes and elements into the file")
            elif keyword == "INSTANCE" and rows:
                raise SceneError(mend="an instance is moved; write its mesh where it is, and place the body")
            elif keyword in READ and parts > 1:
                raise SceneError(mend="there are several parts; a body has one, so write a file for each")
            elif keyword in ("NODE", "ELEMENT") and parts and not inside:
                left_out += 1  # reference points of the assembly, with numbers of their own
            elif keyword in READ and not (parts and not inside and "INSTANCE" not in options):
                READ[keyword](model, options, rows)
        except SceneError as error:
            raise SceneError(mend=f"line {line} (*{keyword}): {error.mend}") from None
    if left_out:
        model.remarks.append("nodes and elements of the assembly are left out; those of its part are read")
    return content_of(model)


def keywords(text: str) -> Iterator[tuple[int, str, dict[str, str], list[list[str]]]]:
    """(line, keyword, its options, its data lines as words) in upper case, but for names of sets."""
    found: tuple[int, str, dict[str, str], list[list[str]]] | None = None
    lines = text.splitlines()
    number = 0
    while number < len(lines):
        first, row = number + 1, lines[number].strip()
        number += 1
        if not row or row.startswith("**"):
            continue
        if row.startswith("*"):
            while row.endswith(",") and number < len(lines):
                row += lines[number].strip()
                number += 1
            if found:
                yield found
            words = [word.strip() for word in row[1:].split(",")]
            pairs = [word.partition("=") for word in words[1:] if word]
            options = {key.strip().upper(): value.strip().strip('"') for key, _, value in pairs}
            found = first, re.sub(" +", " ", words[0]).upper(), options, []
        elif found:
            found[3].append([word.strip().strip('"') for word in row.rstrip(",").split(",")])
    if found:
        yield found


def read_nodes(model: Model, options: dict[str, str], rows: list[list[str]]) -> None:
    if options.get("SYSTEM", "R").upper() != "R":
        raise SceneError(mend="nodes are given in cylindrical or spherical coordinates; write x, y, z")
    for row in rows:
        number = whole(row[0])
        try:
            xyz = [float(word or 0.0) for word in row[1:4]]
        except ValueError:
            raise SceneError(mend=f"the node {number} needs three coordinates") from None
        model.points[number] = xyz + [0.0] * (3 - len(xyz))
    if "NSET" in options:
        model.node_sets.setdefault(options["NSET"], []).extend(row[0] for row in rows)


def read_elements(model: Model, options: dict[str, str], rows: list[list[str]]) -> None:
    kind = options.get("TYPE", "").upper()
    cell, nodes = next(((cell, n) for start, cell, n in TYPES if kind.startswith(start)), ("", 0))
    if not cell and kind.startswith("C3D"):
        raise SceneError(mend=f"elements of the type {kind} are not read; known are C3D4, C3D8 and C3D10")
    if not cell:
        model.remarks.append(f"elements of the type {kind or 'none'} are left out")
        return
    numbers = [whole(word) for row in rows for word in row if word]
    if len(numbers) % (nodes + 1):
        raise SceneError(mend=f"elements of the type {kind} have {nodes} nodes; some have more or fewer here")
    table = np.array(numbers, int).reshape(-1, nodes + 1)
    model.cells.append((cell, table))
    if "ELSET" in options:
        model.element_sets.setdefault(options["ELSET"], []).extend(map(str, table[:, 0]))


def read_set(key: str, sets: str) -> Callable[[Model, dict[str, str], list[list[str]]], None]:
    """The reader of *NSET or *ELSET."""

    def read(model: Model, options: dict[str, str], rows: list[list[str]]) -> None:
        if key not in options:
            raise SceneError(mend=f"has no {key}, which is its name")
        entries = getattr(model, sets).setdefault(options[key], [])
        for row in rows:
            if "GENERATE" in options:
                first, last, *step = [whole(word) for word in row]
                entries += map(str, range(first, last + 1, *step))
            else:
                entries += [word for word in row if word]

    return read


def read_surface(model: Model, options: dict[str, str], rows: list[list[str]]) -> None:
    if "NAME" not in options:
        raise SceneError(mend="has no NAME")
    match options.get("TYPE", "ELEMENT").upper():
        case "NODE":
            model.node_surfaces.setdefault(options["NAME"], []).extend(row[0] for row in rows)
        case "ELEMENT":
            pairs = [(row[0], row[1].upper() if len(row) > 1 else "") for row in rows]
            model.surfaces.setdefault(options["NAME"], []).extend(pairs)
        case other:
            model.remarks.append(f'surface "{options["NAME"]}" of the type {other} is left out')


def whole(word: str) -> int:
    """A number of a node or an element. Raises SceneError."""
    try:
        return int(word)
    except ValueError:
        raise SceneError(mend=f'"{word}" is not a whole number') from None


READ = {
    "NODE": read_nodes,
    "ELEMENT": read_elements,
    "NSET": read_set("NSET", "node_sets"),
    "ELSET": read_set("ELSET", "element_sets"),
    "SURFACE": read_surface,
}


def content_of(model: Model) -> Content:
    """Points, cells and sets by their places instead of their numbers. Raises SceneError."""
    if not model.points:
        raise SceneError(mend="has no *NODE")
    place = {number: k for k, number in enumerate(model.points)}
    blocks = []
    for cell, table in model.cells:
        missing = sorted(set(table[:, 1:].ravel().tolist()) - place.keys())
        if missing:
            raise SceneError(mend=f"has elements with nodes that do not exist: {listed(map(str, missing))}")
        blocks.append((cell, np.array([[place[n] for n in row] for row in table[:, 1:].tolist()])))
    content = Content(np.array(list(model.points.values())), blocks, remarks=model.remarks)
    cells = {
        number: (block, k)
        for block, (_, table) in enumerate(model.cells)
        for k, number in enumerate(table[:, 0].tolist())
    }
    for name in model.node_sets:
        content.add_nodes(
            name, np.array([place[n] for n in numbers(model.node_sets, name) if n in place], int)
        )
    for name, entries in model.node_surfaces.items():
        found = [n for entry in entries for n in numbers(model.node_sets, entry)]
        content.add_nodes(name, np.array([place[n] for n in found if n in place], int))
    for name in model.element_sets:
        chosen = [cells[n] for n in numbers(model.element_sets, name) if n in cells]
        for block in range(len(blocks)):
            content.add_cells(name, block, np.array([k for b, k in chosen if b == block], int))
    for name, pairs in model.surfaces.items():
        content.face_sets[name] = sides(model, blocks, cells, name, pairs, content)
    return content


def sides(
    model: Model,
    blocks: list[tuple[str, np.ndarray]],
    cells: dict[int, tuple[int, int]],
    name: str,
    pairs: list[tuple[str, str]],
    content: Content,
) -> list[np.ndarray]:
    """Corners of the faces of a surface, one array for each face. Raises SceneError."""
    faces = []
    for entry, side in pairs:
        for number in numbers(model.element_sets, entry):
            block, k = cells.get(number, (-1, -1))
            corners = CORNERS.get(blocks[block][0], 0) if block >= 0 else 0
            if not corners:
                continue
            if not side:
                content.surfaces.add(name)
            elif not re.fullmatch(rf"S[1-{len(SIDES[corners])}]", side):
                raise SceneError(mend=f'surface "{name}" has the unknown face {side} of element {number}')
            chosen = SIDES[corners] if not side else (SIDES[corners][int(side[1:]) - 1],)
            faces += [blocks[block][1][k, list(face)][None] for face in chosen]
    return faces


def numbers(sets: dict[str, list[str]], entry: str, seen: frozenset[str] = frozenset()) -> list[int]:
    """The numbers of an entry: a number, or the name of a set, in upper or lower case. Raises SceneError."""
    if re.fullmatch(r"\d+", entry) and entry not in sets:
        return [int(entry)]
    name = entry.rpartition(".")[2] if entry not in sets else entry
    known = {other.upper(): other for other in sets}
    if name.upper() not in known or name.upper() in seen:
        raise SceneError(mend=f'has no set "{entry}", of which another one is made')
    inner = seen | {name.upper()}
    return [n for part in sets[known[name.upper()]] for n in numbers(sets, part, inner)]
