"""Write docs/interface.md from the interface that plugins implement:  python docs/write_interface.py"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mbplugin.interface as interface
from mbplugin.interface.names import NAMES, VERSION

INTRODUCTION = f"""# Reference of the interface

This page is written by `docs/write_interface.py` from the interface itself, version {VERSION}. How the
pieces are used is in [Writing a plugin](writing-a-plugin.md),
[Elements with memory and velocity rows](elements-with-memory.md) and
[Plugins around a run](around-a-run.md). All units are SI, angles are in radians, vectors in world axes
unless it says otherwise.

## When functions are called

A function asks for what it needs by the names of its arguments. An *evaluation* is that of the equations of
motion at one state: a step of dp5 has six, and so has each try of a step that is refused.
"""
#: role of a function -> (the function of a kind, when it is called)
WHEN = {
    "measure": ("`kernel` of a measure", "at every evaluation and every iteration of a projection"),
    "constraint": ("`kernel` of a joint", "at every evaluation and every iteration of a projection"),
    "force": ("`kernel` of a force", "at every evaluation"),
    "enforcement": ("`kernel` of an enforcement", "at every evaluation, for each row"),
    "force_tangent": ("`tangent` of a force", "where K and D are formed: static, eigen, implicit solvers"),
    "measure_tangent": ("`tangent` of a measure", "the same"),
    "constraint_tangent": ("`tangent` of a joint", "the same"),
    "enforcement_tangent": ("`tangent` of an enforcement", "the same"),
    "accept": (
        "`accept` of a joint or force",
        "once at the end of each accepted step; not at t = 0, not at frames inside a step",
    ),
    "sample": (
        "`sample` of a force",
        "at multiples of its `sample_interval`, from t = 0 on, between two steps",
    ),
    "enforcement_accept": ("`accept` of an enforcement", "the same, for each row"),
    "event": ("`event` of a joint or force", "at the end of each step, and while an event is looked for"),
    "prepare": ("`prepare` of a body", "first at every evaluation"),
    "locate": ("`locate` of a body", "at every evaluation, for each marker, after `prepare`"),
    "point_at": ("`point_at` of a body", "by solvers with contacts, for each contact in each step"),
    "to_generalized_force": (
        "`to_generalized_force` of a body",
        "at every evaluation, for each wrench and each row of a joint",
    ),
    "rate": ("`rate` of a body", "at every evaluation whose solver asks for q̇"),
    "retract": ("`retract` of a body", "in projections, and at each step of solvers that use increments"),
    "retract_tangent": ("`retract_tangent` of a body", "by implicit solvers"),
    "normalise": ("`normalise` of a body", "after each change of q by an explicit formula"),
    "inertia": ("`inertia` of a body", "at every evaluation, after `prepare`"),
    "internal": ("`internal` of a body", "at every evaluation"),
    "geometric": ("`geometric` of a body", "where K and D are formed"),
    "own_tangent": ("`tangent` of a body", "where K and D are formed"),
    "nodes": ("`nodes` of a body", "at frames, after an evaluation"),
    "stress": ("`stress` of a body", "at frames, unless `[output] stress = false`"),
    "elastic": ("`elastic` of a body", "where the energy is asked for: frames, and steps that count work"),
}
#: names of the interface that are no class -> meaning
OTHERS = {
    "hookimpl": "marks a function that implements a hook; `optionalhook=True`: one that may not exist",
    "jit": "compiles a function that kernels call, also for Python",
    "internal": "compiles a function that only compiled code calls, which takes less time",
    "inlined": "like `internal`, and inlined",
    "compiled_entry": "compiles a function that Python calls with the tables, and keeps it in the cache",
    "axis": "`axis(marker, k)`: axis k (0 x, 1 y, 2 z) of a marker, a unit vector in world axes",
    "sum_along": "`sum_along(m, part, *lists)`: Σ part(m[k], m[k+1], ...) over consecutive markers",
    "where": "`where(condition, a, b)`: a where it holds, else b; without a branch in what is derived",
    "spline": "`spline(p.name, x)`: (value, first, second derivative) of a table of the parameters",
    "spline_integral": "`spline_integral(p.name, x)`: its integral from the first abscissa to x",
    "put_corner": "`put_corner(face, k, x, radius, name)`: writes corner k of a face, returns k + 1",
    "put_rim": "`put_rim(face, centre, radius)`: the corners of the face are points of this circle",
    "empty_face": "a `SupportingFace` with room for its corners, for tests",
    "MAX_CORNERS": "most corners of a supporting face",
    "put_point": "`put_point(points, k, x_a, x_b, normal, gap, feature)`: writes point k, returns k + 1",
    "empty_points": "`ContactPoints` in Python, for tests of functions for pairs of shapes",
    "unit_sphere": "points and triangles of a sphere of radius 1, to make a `surface` from",
    "quaternion_of": "the quaternion (w, x, y, z) of a rotation matrix (3, 3)",
    "RESERVED_NAMES": "names that expressions keep for themselves: no input, variable or state may have them",
    "optional_library": "a library that is not always installed, or a message that tells how to install it",
    "turning": "`turning(axis, of)`: the `Bearing` of a pin in a bush, with `radius` and `length`",
    "guided": "`guided()`: the `Bearing` of a point on a curve, on which all of its force presses",
    "sliding": "`sliding(axis, of)`: the `Bearing` of a slider on a rail",
    "POSITION_LEVEL": "`level` of rows: Φ = 0",
    "VELOCITY_LEVEL": "`level` of rows: G v = 0, without a Φ",
    "ACCELERATION_LEVEL": "`level` of rows: G v̇ = γ alone",
    "ROW_TYPES": "what multipliers of rows may obey: equality, nonnegative, box, cone",
    "CHAIN": "`lines` of a kind for any number of markers: from each to the next",
    "COORDINATE": "in `measures` of a force: the coordinate of the joint that a scene names",
    "AUTO": 'the text "auto", where the engine chooses a number',
    "MAX_POINTS": "most points that a function for a pair of shapes may write",
    "OPEN": "status of a contact: no impulse",
    "STICK": "status of a contact: it does not slide",
    "SLIP": "status of a contact: it slides",
    "Array": "type of numpy arrays, for annotations of groups of tables",
    "Number": "parameter: a finite number, at most 1e50",
    "Positive": "parameter: a number of at least 1e-50",
    "NonNegative": "parameter: a number of at least 0",
    "NonNegativeOrAuto": 'parameter: a number of at least 0, or "auto"',
    "Count": "parameter: an integer of at least 1",
    "Time": "parameter: from 1e-20 to 1e20 s",
    "Tolerance": "parameter: from 1e-16 to 0.1",
    "Vector": "parameter: three numbers; a kernel gets a tuple",
    "Function": "parameter: an expression; a kernel gets (value, first, second time derivative) in `u`",
    "Numbers": "parameter: a list or matrix of numbers, with `Entries`",
    "SplineTable": "parameter: a table with a cubic spline through its points, with `Columns`",
    "Entries": "`Entries(unit, rows, columns)` in `Annotated[Numbers, ...]`; None: any number of them",
    "Columns": "`Columns(unit of x, unit of y, ends)` in `Annotated[SplineTable, ...]`",
    "Parameters": "base of the classes of parameters: pydantic models whose errors name the key of the scene",
    "Poisson": "parameter: Poisson's ratio, more than -1 and less than 0.5",
    "Elasticity": 'parameter: "linear", "saint_venant_kirchhoff" or "neo_hookean"',
    "Material": "a `[[material]]` of the scene: `young`, `poisson`, `density`, `elasticity`, `mass_damping`, "
    "`stiffness_damping`",
    "path_in_folder": "`path_in_folder(folder, file, suffixes, what)`: path of an existing file inside the "
    "scene's folder",
    "MassProperties": "mass [kg], centre (3,) [m] and inertia about it (3, 3) [kg·m²]",
}
#: attributes of classes whose source has no sentence about them
ATTRIBUTES = {
    "name": "by which scenes and messages know it",
    "parameters": "class of its keys, derived from `Parameters`; None: it has none",
    "examples": "keys used by the conformance kit",
}


def text() -> str:
    parts = [INTRODUCTION, "| function | called |", "|---|---|"]
    parts += [f"| {function} | {when} |" for function, when in WHEN.values()]
    parts += ["", "## Arguments of each function", ""]
    for role, names in NAMES.items():
        parts += [f"### {WHEN[role][0]}", "", "| argument | is |", "|---|---|"]
        parts += [f"| `{name}` | {escaped(meaning)} |" for name, meaning in names.items()]
        parts.append("")
    parts += ["## Classes", ""]
    for name in classes():
        cls = getattr(interface, name)
        parts += [f"### `{name}`", "", escaped(first_line(cls)), ""]
        parts += ["| name | is |", "|---|---|"]
        parts += [f"| `{attribute}` | {escaped(meaning)} |" for attribute, meaning in attributes_of(cls)]
        parts.append("")
    parts += ["## Functions, constants and types of parameters", "", "| name | is |", "|---|---|"]
    parts += [f"| `{name}` | {escaped(meaning)} |" for name, meaning in OTHERS.items()]
    return "\n".join(parts) + "\n"


def escaped(meaning: str) -> str:
    return meaning.replace("|", "\\|").replace("<", "&lt;")


def classes() -> list[str]:
    """The names of the interface that are classes with attributes of their own."""
    return [
        name for name in interface.__all__ if inspect.isclass(getattr(interface, name)) and name not in OTHERS
    ]


def first_line(thing: Any) -> str:
    """The first sentence of a docstring."""
    paragraph = " ".join(inspect.cleandoc(thing.__doc__ or "").split("\n\n")[0].split())
    return re.split(r"(?<=[.:])\s", paragraph)[0]


def attributes_of(cls: Any) -> Iterator[tuple[str, str]]:
    """(attribute or function, meaning) of a class, from the comments and docstrings of its source."""
    source = textwrap.dedent(inspect.getsource(cls))
    lines, described = source.splitlines(), in_docstring(inspect.cleandoc(cls.__doc__ or ""))
    for node in ast.parse(source).body[0].body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            attribute, meaning = node.target.id, comment(lines, node.lineno, node.end_lineno or node.lineno)
            default = f"; default `{ast.unparse(node.value)}`" if node.value is not None else ""
        elif isinstance(node, ast.FunctionDef):
            attribute, meaning, default = node.name, ast.get_docstring(node) or "", ""
            meaning = " ".join(meaning.split("\n\n")[0].split())
        else:
            continue
        if not attribute.startswith("_"):
            meaning = meaning or described.get(attribute, "") or ATTRIBUTES.get(attribute, "")
            yield attribute, meaning + (default if meaning and default not in ("; default `None`",) else "")


def comment(lines: list[str], first: int, last: int) -> str:
    """The comment of a statement: behind it, and in the lines above it that hold nothing else."""
    above: list[str] = []
    k = first - 2
    while k >= 0 and lines[k].lstrip().startswith("#"):
        above.insert(0, lines[k].lstrip().lstrip("#:").strip())
        k -= 1
    behind = [line.partition("  # ")[2] for line in lines[first - 1 : last]]
    return " ".join(part for part in (*above, *behind) if part and part != "compiled").strip()


def in_docstring(doc: str) -> dict[str, str]:
    """Name -> text of the entries of a docstring: `name: text`, or `name(arguments)` above indented text."""
    found: dict[str, str] = {}
    starts = [
        *re.finditer(
            r"^`?(\w+(?:, \w+)*)(?:\([^)\n]*\))?`?(?::[ ]+|\n(?=    )|(?= returns))", doc, flags=re.M
        )
    ]
    ends = [*(match.start() for match in starts[1:]), len(doc)]
    for match, end in zip(starts, ends):
        entry = doc[match.end() : end].split("\n\n")[0]
        for one in match[1].split(", "):
            found.setdefault(one, " ".join(entry.split()))
    return found


if __name__ == "__main__":
    (Path(__file__).parent / "interface.md").write_text(text(), encoding="utf-8")
