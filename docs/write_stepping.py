"""Write docs/stepping.md from the packages that compiled solvers call:  python docs/write_stepping.py"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, get_type_hints

from write_interface import attributes_of, escaped, first_line

import mbplugin.matrix as matrix
import mbplugin.matrix.step_matrix as step_matrix
import mbplugin.stepping as stepping
from mbplugin.stepping import arrays, bounded_rows, compliant_rows, impacts, members, shapes
from mbplugin.tables import records
from mbplugin.tables.links import Index, IndexBy

INTRODUCTION = """# Reference for compiled solvers

This page is written by `docs/write_stepping.py` from `mbplugin.stepping`, its modules for the arrays of a
solver and for what only some treat in their steps, and `mbplugin.matrix`. How the functions work together
is in [Writing a plugin](writing-a-plugin.md#a-solver-of-your-own). `tables` is the vector of addresses of a
problem; a status is 0 for success. `try_step(tables, h)` sets `State.time[0]` to the end of the step itself,
before it evaluates anything there.
"""
#: names that are not functions and not groups -> meaning
CONSTANTS = {
    "MASS_AND_G": "1, in `skip`: M and G stay as they are",
    "FORCES": "2, in `skip`: h stays as it is",
    "POSES": "4, in `skip`: poses and twists of the markers stay as they are",
    "EQUALITY": "type of the rows of a block of the pool: G v = target",
    "BOX": "each impulse is between `Pool.lower` and `Pool.upper`",
    "NONNEGATIVE": "the impulse is at least 0, and 0 where G v is above its target",
    "OFF": "mode of a row in `State.mode`: it has no effect",
    "COMPLIANT": "mode of a row: its compliance applies a load",
    "ON": "mode of a row: it holds",
    "LOWER": "mode of a bounded row: its force is the lower bound; of a limit, it is open",
    "UPPER": "mode of a bounded row: its force is the upper bound",
    "POSITION_LEVEL": "`Rows.level` of rows Φ = 0; motions that give a speed have another one",
    "IMPULSE": "place of its impulse in the auxiliary states of a bounded row, behind `first_aux`",
    "ENERGY": "place of its energy there",
    "STEP": "`part` of `find_reactions`: of mean forces and impulses of the step",
    "BLOW": "`part` of `find_reactions`: of impulses alone, and changes of velocities",
    "CONE": "Coulomb's cone: a normal and two tangents",
    "MOMENT": "moments at the contact of a block before, bounded by its normal impulse",
    **dict.fromkeys(
        (name for name in shapes.__all__ if name.endswith("_SHAPE")), "`Shapes.index[i].type` of such a shape"
    ),
    "ACCELERATION_LEVEL": "`Rows.level` of rows G v̇ = γ without Φ",
    "NOT_CONVERGED": "status: the step is repeated, shorter",
    "NOT_FINITE": "status: a number is NaN or infinite",
    "NO_SOLUTION": "status: the step seems to have no solution; `no_solution` proves it, or it is repeated",
    "OVERFLOW": "status: arrays are too short; the step is repeated with longer ones",
    "TOO_LONG": "status: the fixed step is too long; `Step.record.h` has the length that is asked for",
    "MethodMatrix": "a group with the arrays of `Matrix`, of the method",
    "PARTS": "place in `TransientRows.width` of the number of members of a side of a block",
    "PASSES": "most passes of `solve_rows`",
    "STALLED": "factor by which a pass must lower the residual to go on",
}
#: fields whose source has no sentence about them -> meaning
FIELDS = {
    "first_row": "number of its first row",
    "rows": "its rows",
    "row": "number of the row",
    "slots": "its markers",
    "first_G_marker": "place of its rows over marker twists in `G_marker`",
    "members": "its bodies",
    "body": "number of the body; −1: the ground",
    "first_v": "place of the body's first velocity in `State.v`",
    "nq": "its coordinates",
    "nv": "its velocities",
    "block": "number of the block in `Blocks`",
    "element": "number of the element",
    "states": "its inner states",
    "numbers": "how many numbers it has",
    "upper": "largest impulse of the row",
    "p": "numbers of its kind",
    "x": "position (3,) [m]",
    "R": "axes (nine numbers, row by row)",
    "v": "velocity (3,) [m/s]",
    "w": "angular velocity (3,) [rad/s]",
    "v_bias": "the part of its acceleration without v̇ (3,) [m/s²]",
    "w_bias": "the part of its angular acceleration without v̇ (3,) [rad/s²]",
    "phi": "Φ (nc,) [m, rad]",
    "phi_t": "Φₜ (nc,)",
    "gamma": "γ (nc,)",
    "active": "1 where the row is enforced by constraint forces",
    "previous_error": "`error` of the step before",
    "turn_time": "start of that step [s]",
    "turn_step": "its length [s]",
    "steps": "steps accepted",
    "rejected": "steps refused",
    "evaluations": "evaluations of the equations of motion",
    "events": "events met; in `Step` the values of the event functions at the end of the last step",
    "q0": "`State.q` at the start",
    "v0": "`State.v` at the start",
    "aux0": "`State.aux` at the start",
    "memory0": "`State.memory` at the start",
    "history0": "`State.history` at the start",
    "q1": "`State.q` at the end",
    "v1": "`State.v` at the end",
    "aux1": "`State.aux` at the end",
    "memory1": "`State.memory` at the end",
    "history1": "`State.history` at the end",
    "last1": "`Measures.last` at the end",
    "value": "its numbers",
    "nodes": "nodes declared",
    "edges": "pairs of nodes declared",
    "node": "number of the node",
    "first_entry": "its first entry in `entry`",
    "end_entry": "the place behind its last one",
    "first_value": "its first number in `upper` and `lower`",
    "control": "the `Control` of the step size for these keys",
    "order_of_accuracy": "order for these keys",
    "order": "order of accuracy",
    "fixed_step": "length of fixed steps for these keys [s]; None: steps vary",
    "tolerance": "local error, relative",
    "make": "`make(*functions)` returns f(tables, number)",
    "functions": "functions that it calls",
    "first_source": "its first one in `source`",
    "end_source": "the place behind its last one",
}
#: names for the declaration of groups
ELSEWHERE = {
    "Floats",
    "Floats3",
    "Floats9",
    "Ints",
    "Ints2",
    "Records",
    "Spec",
    "records",
    "specs",
    "FixedStep",
}
#: packages -> heading of their functions
FUNCTIONS = {
    stepping: "Functions of a step",
    arrays: "Declarations of a solver's own arrays",
    bounded_rows: "Functions of rows whose forces have bounds",
    compliant_rows: "Functions of compliant rows",
    impacts: "Functions that note impacts",
    members: "Members of blocks of transient rows",
    shapes: "Functions of shapes",
    matrix: "Functions of a matrix",
}
CLASSES = ("CompiledSolver", "FixedStepSolver", "Control", "Doubt", "Middle", "Part", "NumpyState")


def text() -> str:
    parts = [INTRODUCTION]
    for module, title in FUNCTIONS.items():
        parts += [f"## {title}", "", f"From `{module.__name__}`.", "", "| function | does |", "|---|---|"]
        parts += [f"| `{call}` | {escaped(meaning)} |" for call, meaning in functions(module)]
        parts.append("")
    parts += ["## The matrix of an implicit step", "", "```text", equation(), "```", ""]
    parts += ["## Constants", "", "| name | is |", "|---|---|"]
    parts += [f"| `{name}` | {escaped(meaning)} |" for name, meaning in CONSTANTS.items()]
    parts += ["", "## Classes", ""]
    for name in CLASSES:
        cls = getattr(stepping, name)
        parts += [f"### `{name}`", "", escaped(first_line(cls)), "", "| name | is |", "|---|---|"]
        parts += [f"| `{n}` | {escaped(meaning or FIELDS.get(n, ''))} |" for n, meaning in attributes_of(cls)]
        parts.append("")
    parts += ["## Groups of tables", "", "`view(tables, State)` has these arrays.", ""]
    for group in groups():
        parts += [f"### `{group.__name__}`", "", escaped(whole(group)), "", "| array | is |", "|---|---|"]
        parts += [f"| `{name}` | {escaped(meaning)} |" for name, meaning in fields(group)]
        parts.append("")
    return "\n".join(parts).rstrip() + "\n"


def functions(module: ModuleType) -> Iterator[tuple[str, str]]:
    """(call, meaning) of each function of a package."""
    for name in module.__all__:
        function = getattr(getattr(module, name), "py_func", getattr(module, name))
        if inspect.isfunction(function) and name not in ELSEWHERE:
            yield f"{name}({', '.join(inspect.signature(function).parameters)})", whole(function)


def whole(thing: Any) -> str:
    """A docstring in one line."""
    return " ".join((inspect.getdoc(thing) or "").split())


def equation() -> str:
    """The docstring of the matrix of an implicit step."""
    return inspect.cleandoc(step_matrix.__doc__ or "")


def groups() -> list[Any]:
    """The groups of tables that a solver may look at."""
    found = [getattr(module, name) for module in FUNCTIONS if module is not matrix for name in module.__all__]
    found.append(matrix.Matrix)
    return [thing for thing in found if hasattr(thing, "_fields") and thing.__name__ not in ELSEWHERE]


def fields(group: Any) -> Iterator[tuple[str, str]]:
    """(array, meaning) of a group; the fields of its records follow their array."""
    for name, meaning in attributes_of(group):
        kind = re.search(r"Records\[(\w+)\]", str(group.__annotations__[name]))
        record = getattr(records, kind[1], None) if kind else None
        yield name, meaning or (whole(record) if record else FIELDS.get(name, ""))
        for field, about in attributes_of(record) if record else ():
            about = about.partition("; default ")[0] or FIELDS.get(field, "")
            yield f"{name}[i].{field}", "; ".join(filter(None, (about, place_of(record, field))))


def place_of(record: Any, field: str) -> str:
    """Where a field of a record points; "" if it is no index."""
    hint = get_type_hints(record, include_extras=True)[field]
    (link,) = getattr(hint, "__metadata__", ("",))
    match link:
        case Index():
            return f"index in `{link.group}`"
        case IndexBy():
            return f"index in what `{link.field}` says"
        case _:
            return ""


if __name__ == "__main__":
    (Path(__file__).parent / "stepping.md").write_text(text(), encoding="utf-8")
