"""Source text of the compiled batch kernels around authors' functions.

A batch kernel is `int64 f(int64 first, int64 count, int64 *tables)`: it loops over the elements of one kind, makes views of what the author's function
named, and calls it. It returns 0, or 1 where a function raised; which element that was, is found by calling it again for one element at a time
(a try block inside the loop made the compiler ten times slower). The text is the same for compiled and for plain Python functions;
it is private and may change with every version.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mbplugin.errors import PluginError
from mbplugin.interface.names import NAMES, VERSION
from mbplugin.tables.groups import Blocks, Bodies, Elements, Measures, Rates, Rows, State, Tangents, Wrenches


@dataclass(frozen=True)
class Shape:
    """What the text of a wrapper depends on besides the function: the same for all elements of a batch.

    parameters: (name, type) with types "float", "int", "vector"; functions: names of bound functions.
    """

    parameters: tuple[tuple[str, str], ...] = ()
    functions: tuple[str, ...] = ()
    markers: int = 2
    rows: int = 1
    measures: int = 0
    states: int = 0
    memory: int = 0
    events: int = 0
    period: float = 0.0
    as_measure: bool = False
    level: int = 0
    nq: int = 0
    nv: int = 0
    scratch: int = 0
    record: int = 0
    of_forces: bool = False


@dataclass(frozen=True)
class Place:
    """Where an output is: `count` numbers of a table, from what the column of the element's or the body's record says, or from its own number.

    Of tangents, the column is that of `Tangents`, `offset` numbers are left out, and the array has `rows`.
    """

    group: type
    field: str
    column: str
    count: int
    offset: int = 0
    rows: int = 0

    @property
    def text(self) -> str:
        array = f"{self.group.__name__.lower()}.{self.field}"
        if self.group is Tangents:
            return f"part({array}, tangents.{self.column}[i] + {self.offset}, {self.count}).reshape(({self.rows}, {self.count // self.rows}))"
        if self.group is Wrenches and self.field == "wrench":
            return f"part({array}, 6 * wrenches.slots[e[{self.column}], 0], {self.count}).reshape(({self.count // 6}, 6))"
        record = "k" if not self.column else f"{'b' if self.column.startswith('B_') else 'e'}[{self.column}]"
        return f"part({array}, {record}, {self.count})"


def element_outputs(role: str, shape: Shape) -> dict[str, Place]:
    """What a function of an element may write, by the name that it asks for it by."""
    jacobian = shape.rows * 6 * shape.markers
    if role.endswith("_tangent"):
        n = 6 * shape.markers
        return {"K": Place(Tangents, "value", "element", n * n, 0, n), "D": Place(Tangents, "value", "element", n * n, n * n, n)}
    states = {"x_dot": Place(Rates, "x_dot", "E_STATE", shape.states)}
    if role == "measure" and shape.as_measure:
        return {
            "value": Place(Measures, "value", "E_MEASURE", 1),
            "J": Place(Measures, "J", "E_GM", jacobian),
            "bias": Place(Measures, "bias", "E_MEASURE", 1),
        }
    if role == "measure":
        return {
            "value": Place(Rows, "phi", "E_ROW", shape.rows),
            "J": Place(Blocks, "gm", "E_GM", jacobian),
            "bias": Place(Rows, "gamma", "E_ROW", shape.rows),
        }
    if role == "constraint":
        rows = {name: Place(Rows, name, "E_ROW", shape.rows) for name in ("phi", "gamma", "phi_t")}
        return states | rows | {"G": Place(Blocks, "gm", "E_GM", jacobian)}
    if role == "force":
        return states | {
            "wrench": Place(Wrenches, "wrench", "E_OUT", 6 * shape.markers),
            "energy": Place(Wrenches, "energy", "E_OUT", 1),
            "power": Place(Wrenches, "power", "E_OUT", 1),
        }
    if role == "enforcement":
        return {name: Place(Rows, name, "E_ROW", 1) for name in ("load", "energy", "power")}
    if role in ("accept", "enforcement_accept"):
        return {"mem_new": Place(State, "memory", "E_MEMORY", shape.memory)}
    return {"event": Place(Elements, "event", "E_EVENT", shape.events)}


def body_outputs(role: str, shape: Shape) -> dict[str, Place]:
    """What a function of a body may write, by the name that it asks for it by; `pull` and `locate` have places of their own."""
    square = shape.nv * shape.nv
    coordinates = {"q": Place(State, "q", "B_Q", shape.nq)}
    outputs = {
        "prepare": {"c": Place(Bodies, "c", "B_SCRATCH", shape.scratch)},
        "rate": {"q_dot": Place(Rates, "q_dot", "B_Q", shape.nq)},
        "retract": coordinates,
        "normalise": coordinates,
        "inertia": {"M": Place(Bodies, "M", "B_MASS", shape.nv * shape.nv)},
        "internal": {"h": Place(Bodies, "h", "B_V", shape.nv)},
        "elastic": {"energy": Place(Bodies, "energy", "", 1)},
        "geometric": {"K": Place(Tangents, "value", "point", square, 0, shape.nv), "E": Place(Tangents, "value", "point", 6 * shape.nv, square, 6)},
        "own_tangent": {"K": Place(Tangents, "value", "body", square, 0, shape.nv), "D": Place(Tangents, "value", "body", square, square, shape.nv)},
    }
    return outputs.get(role, {})


#: what a function has to ask for, because nobody else writes it
REQUIRED = {"measure": ("value", "J", "bias"), "constraint": ("G", "gamma"), "enforcement": ("load",)}


HEAD = '''"""Written by mbplugin; private."""
from typing import NamedTuple
from math import pi, isfinite
from mbplugin.interface.marker import Marker
from mbplugin.math.jit import internal, jit
from mbplugin.kernels.view import TABLES, part, table_at, view
from mbplugin.math.vec3 import load, load9, store
from mbplugin.tables.groups import *
'''


def arguments(function: Callable[..., Any], role: str, owner: str) -> list[str]:
    """Names that the function asks for, refused by name where this version has none such."""
    function = getattr(function, "py_func", function)
    names = list(inspect.signature(function).parameters)
    for name in names:
        if name not in NAMES[role]:
            known = ", ".join(NAMES[role])
            raise PluginError(f'{owner}: its {role} function asks for "{name}", which interface version {VERSION} does not have; it has: {known}')
    for name in REQUIRED.get(role, ()):
        if name not in names:
            raise PluginError(f'{owner}: its {role} function does not ask for "{name}", which it has to write: {NAMES[role][name]}')
    return names


def parameter_class(shape: Shape) -> str:
    """The namedtuples `P` and `U` that authors see as `p` and `u`."""
    text = ""
    if shape.parameters:
        text += "class P(NamedTuple):\n" + "".join(f"    {name}: {'tuple' if kind == 'vector' else kind}\n" for name, kind in shape.parameters)
    if shape.functions:
        text += "\n\nclass U(NamedTuple):\n" + "".join(f"    {name}: tuple\n" for name in shape.functions)
    return text


def parameter_value(shape: Shape) -> str:
    """`p` of one element, whose numbers start at `p0`."""
    parts, k = [], 0
    for _, kind in shape.parameters:
        if kind == "vector":
            parts.append("(" + ", ".join(f"elements.p[p0 + {k + i}]" for i in range(3)) + ")")
            k += 3
        else:
            parts.append(f"int(elements.p[p0 + {k}])" if kind == "int" else f"elements.p[p0 + {k}]")
            k += 1
    return f"P({', '.join(parts)})" if parts else "0"


def function_value(shape: Shape) -> str:
    """`u` of one element, whose functions start at `u0`."""
    triples = [f"(bound.u[u0 + {k}, 0], bound.u[u0 + {k}, 1], bound.u[u0 + {k}, 2])" for k in range(len(shape.functions))]
    return f"U({', '.join(triples)})" if triples else "0"


LOOP = '''
@internal
def loop(first, count, address):
    tables = table_at(address, 2 * TABLES)
    {views}
    for i in range(first, first + count):
{body}


def batch(first, count, address):
    try:
        loop(first, count, address)
    except Exception:
        return 1
    return 0
'''


def element_text(role: str, function: Callable[..., Any], shape: Shape, owner: str) -> str:
    """Text for measures, constraints, forces, `accept` and `event`."""
    names = arguments(function, role, owner)
    measure = role == "measure"
    body = ["e = elements.row[i]", "p0 = e[E_PARAMETER]", "u0 = e[E_FUNCTION]"]
    wants_markers = {"m", "a", "b"} & set(names)
    if wants_markers:
        for k in range(shape.markers):
            body += [
                f"n{k} = elements.slot[e[E_SLOT] + {k}]",
                f"m{k} = Marker(load(points.x, n{k}), load9(points.R, 9 * n{k}), load(points.v, n{k}), load(points.w, n{k}))",
            ]
    g = 6 * shape.markers
    source = {
        "m": "(" + ", ".join(f"m{k}" for k in range(shape.markers)) + ",)",
        "a": "m0",
        "b": "m1",
        "p": parameter_value(shape),
        "t": "state.time[0]",
        "u": function_value(shape),
        "mem": f"part(state.memory, e[E_MEMORY], {shape.memory})",
        "x": f"part(state.x, e[E_STATE], {shape.states})",
        "lam": f"part(rows.lam, e[E_ROW], {shape.rows})",
        "s": f"part(measures.value, e[E_MEASURE], {shape.measures})",
        "s_dot": f"part(measures.rate, e[E_MEASURE], {shape.measures})",
        "J": f"part(measures.J, e[E_GM], {shape.measures * g})",
    } | {name: place.text for name, place in element_outputs(role, shape).items()}
    if role.endswith("_tangent"):
        source["lam"] = f"part(tangents.lam, e[E_ROW], {shape.rows})"
    if role.startswith("enforcement"):
        source |= {"phi": "rows.phi[e[E_ROW]]", "phi_dot": "rows.rate[e[E_ROW]]"}
        if role != "enforcement":
            source["load"] = "rows.load[e[E_ROW]]"
    if role == "constraint":
        for name in ("phi_t", "phi"):
            if name not in names:
                body += [f"rows.{name}[e[E_ROW] + {r}] = 0.0" for r in range(shape.rows)]
    for name in names:
        body.append(f"arg_{name} = {source[name]}")
    body.append("author(" + ", ".join(f"arg_{name}" for name in names) + ")")
    if measure and shape.as_measure and shape.period:
        body += [
            "s = e[E_MEASURE]",
            f"turn = {shape.period!r}",
            "raw = measures.value[s] - measures.last[s]",
            "measures.value[s] = measures.last[s] + raw - turn * round(raw / turn)",
        ]
    elif measure and not shape.as_measure:
        for r in range(shape.rows):
            body += [
                f"r = e[E_ROW] + {r}",
                "f = e[E_FUNCTION]",
                "rows.phi[r] -= bound.u[f, 0]",
                "rows.phi_t[r] = -bound.u[f, 1]",
                "rows.gamma[r] = bound.u[f, 2] - rows.gamma[r]",
            ]
            if shape.period:
                body.append(f"rows.phi[r] -= {shape.period!r} * round(rows.phi[r] / {shape.period!r})")
    if role == "enforcement" and "power" not in names and "energy" not in names:
        # nothing was said of an energy: all of its power is dissipated
        body.append("rows.power[e[E_ROW]] = rows.load[e[E_ROW]] * rows.rate[e[E_ROW]]")
    if role == "force" and "power" not in names and "energy" not in names:
        # nothing was said of an energy: all of its power is work put in (or dissipated)
        body += ["total = 0.0", "w0 = 6 * wrenches.slots[e[E_OUT], 0]"]
        for k in range(shape.markers):
            body += [
                f"n = elements.slot[e[E_SLOT] + {k}]",
                "for c in range(3):",
                f"    total += wrenches.wrench[w0 + {6 * k} + c] * points.v[n, c] + wrenches.wrench[w0 + {6 * k + 3} + c] * points.w[n, c]",
            ]
        body.append("wrenches.power[e[E_OUT]] = total")
    groups = {
        "state": "State", "rates": "Rates", "elements": "Elements", "points": "Points", "rows": "Rows", "blocks": "Blocks",
        "bound": "Functions", "measures": "Measures", "wrenches": "Wrenches", "tangents": "Tangents",
    }  # fmt: skip
    return HEAD + "{imports}\n" + parameter_class(shape) + loop(body, groups)


def loop(body: list[str], groups: dict[str, str]) -> str:
    """The batch function around the statements of one record, with a view of each group that they use."""
    text = "\n".join(body)
    views = [f"{name} = view(tables, {group})" for name, group in groups.items() if f"{name}." in text]
    return LOOP.replace("{views}", "\n    ".join(views)).replace("{body}", "\n".join("        " + line for line in body))


def body_text(role: str, function: Callable[..., Any], shape: Shape, owner: str) -> str:
    """Text for the functions of a body kind."""
    names = arguments(function, role, owner)
    owners = {"locate": ["k = points.row[i, 0]"], "geometric": ["k = points.row[i, 0]"], "pull": ["j = pulls.row[i]", "k = points.row[j[P_POINT], 0]"]}
    body = [*owners.get(role, ["k = i"]), "b = bodies.row[k]"]
    source = {
        "q": f"part(state.q, b[B_Q], {shape.nq})",
        "v": f"part(state.v, b[B_V], {shape.nv})",
        "p": "part(bodies.p, b[B_PARAMETER], bodies.p.shape[0] - b[B_PARAMETER])",
        "c": f"part(bodies.c, b[B_SCRATCH], {shape.scratch})",
        "dq": f"part(rates.v_dot, b[B_V], {shape.nv})",
    } | {name: place.text for name, place in body_outputs(role, shape).items()}
    if role == "geometric":
        source |= {
            "x": "load(points.x, i)",
            "force": "(tangents.wrench[i, 0], tangents.wrench[i, 1], tangents.wrench[i, 2])",
            "torque": "(tangents.wrench[i, 3], tangents.wrench[i, 4], tangents.wrench[i, 5])",
        }
    if role in ("locate", "geometric"):
        source |= {"r": f"part(points.p, points.row[i, 1], {shape.record})"}
    if role == "pull":
        source |= {
            "r": f"part(points.p, points.row[j[P_POINT], 1], {shape.record})",
            "x": "load(points.x, j[P_POINT])",
            "force": "(source[s], source[s + 1], source[s + 2])",
            "torque": "(source[s + 3], source[s + 4], source[s + 5])",
            "out": "out",
        }
    late = ("force", "torque", "out") if role == "pull" else ()
    statements = [f"arg_{name} = {source[name]}" for name in names if name not in late]
    call = "author(" + ", ".join(f"arg_{name}" for name in names) + ")"
    if role == "locate":
        body += [
            *statements,
            f"x, R, v, w, dv, dw = {call}",
            "store(points.x, i, x)", "store(points.v, i, v)", "store(points.w, i, w)", "store(points.dv, i, dv)", "store(points.dw, i, dw)",
            "for n in range(9):", "    points.R[9 * i + n] = R[n]",
        ]  # fmt: skip
    elif role == "pull":
        target = "pulls.generalized" if shape.of_forces else "blocks.G"
        origin = "wrenches.wrench" if shape.of_forces else "blocks.gm"
        body += [*statements, f"source = {origin}", f"target = {target}", "for r in range(j[P_ROWS]):"]
        body += [
            "    s = j[P_FROM] + r * j[P_STRIDE]",
            f"    o = j[P_TO] + r * {shape.nv}",
            "    if j[P_ADD] == 0:",
            f"        out = part(target, o, {shape.nv})",
            "    else:",
            f"        out = part(pulls.spare, 0, {shape.nv})",
        ]
        body += [f"    arg_{name} = {source[name]}" for name in names if name in late]
        body += ["    " + call, "    if j[P_ADD] == 1:", f"        for n in range({shape.nv}):", "            target[o + n] += out[n]"]
    else:
        body += [*statements, call]
        if role == "inertia":
            body += [
                f"for n in range({shape.nv * shape.nv}):", "    bodies.L[b[B_MASS] + n] = bodies.M[b[B_MASS] + n]",
                f"cholesky(bodies.L, b[B_MASS], {shape.nv})",
            ]  # fmt: skip
    groups = {
        "state": "State", "rates": "Rates", "points": "Points", "bodies": "Bodies", "pulls": "Pulls", "blocks": "Blocks", "wrenches": "Wrenches",
        "tangents": "Tangents",
    }  # fmt: skip
    return HEAD + "from mbplugin.math.dense import cholesky\n{imports}\n" + loop(body, groups)
