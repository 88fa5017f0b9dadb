"""Source text of the compiled batch kernels around authors' functions.

A batch kernel is `int64 f(int64 first, int64 count, int64 *tables)`: it loops over the elements of one kind, makes views of what the author's function
named, and calls it. It returns 0, or 1 + the place of the element whose function raised. The text is the same for compiled and for plain Python
functions; it is private and may change with every version.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mbplugin.errors import PluginError
from mbplugin.interface.names import NAMES, VERSION


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


HEAD = '''"""Written by mbplugin; private."""
from typing import NamedTuple
from math import pi, isfinite
from numba import carray
from mbplugin.interface.marker import Marker
from mbplugin.kernels.view import TABLES, view
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
    return names


def parameter_class(shape: Shape) -> str:
    """The namedtuples `P` and `U` and the functions that fill them from the tables."""
    if shape.parameters:
        fields = "".join(f"    {name}: {'tuple' if kind == 'vector' else kind}\n" for name, kind in shape.parameters)
        parts, k = [], 0
        for _, kind in shape.parameters:
            if kind == "vector":
                parts.append(f"(p[o + {k}], p[o + {k + 1}], p[o + {k + 2}])")
                k += 3
            else:
                parts.append(f"int(p[o + {k}])" if kind == "int" else f"p[o + {k}]")
                k += 1
        text = f"class P(NamedTuple):\n{fields}\n"
        make = f"P({', '.join(parts)})"
    else:
        text, make = "", "0"
    text += f"\ndef parameters(p, o):\n    return {make}\n"
    if shape.functions:
        text += "class U(NamedTuple):\n" + "".join(f"    {name}: tuple\n" for name in shape.functions)
        parts = [f"(u[o + {k}, 0], u[o + {k}, 1], u[o + {k}, 2])" for k in range(len(shape.functions))]
        text += f"\ndef functions(u, o):\n    return U({', '.join(parts)})\n"
    return text


LOOP = '''
def batch(first, count, address):
    tables = carray(address, (2 * TABLES,))
    {views}
    for i in range(first, first + count):
        try:
{body}
        except Exception:
            return i - first + 1
    return 0
'''


def element_text(role: str, function: Callable[..., Any], shape: Shape, owner: str) -> str:
    """Text for measures, constraints, forces, `accept` and `event`."""
    names = arguments(function, role, owner)
    measure = role == "measure"
    body = ["e = elements.row[i]"]
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
        "p": "parameters(elements.p, e[E_PARAMETER])",
        "t": "state.time[0]",
        "u": "functions(bound.u, e[E_FUNCTION])",
        "mem": f"state.memory[e[E_MEMORY]:e[E_MEMORY] + {shape.memory}]",
        "mem_new": f"state.memory[e[E_MEMORY]:e[E_MEMORY] + {shape.memory}]",
        "x": f"state.x[e[E_STATE]:e[E_STATE] + {shape.states}]",
        "x_dot": f"rates.x_dot[e[E_STATE]:e[E_STATE] + {shape.states}]",
        "lam": f"rows.lam[e[E_ROW]:e[E_ROW] + {shape.rows}]",
        "event": f"elements.event[e[E_EVENT]:e[E_EVENT] + {shape.events}]",
    }
    if measure and shape.as_measure:
        source |= {
            "value": "measures.value[e[E_MEASURE]:e[E_MEASURE] + 1]",
            "J": f"measures.J[e[E_GM]:e[E_GM] + {shape.rows * g}]",
            "bias": "measures.bias[e[E_MEASURE]:e[E_MEASURE] + 1]",
        }
    elif measure:
        source |= {
            "value": f"rows.phi[e[E_ROW]:e[E_ROW] + {shape.rows}]",
            "J": f"blocks.gm[e[E_GM]:e[E_GM] + {shape.rows * g}]",
            "bias": f"rows.gamma[e[E_ROW]:e[E_ROW] + {shape.rows}]",
        }
    elif role == "constraint":
        source |= {
            "phi": f"rows.phi[e[E_ROW]:e[E_ROW] + {shape.rows}]",
            "G": f"blocks.gm[e[E_GM]:e[E_GM] + {shape.rows * g}]",
            "gamma": f"rows.gamma[e[E_ROW]:e[E_ROW] + {shape.rows}]",
            "phi_t": f"rows.phi_t[e[E_ROW]:e[E_ROW] + {shape.rows}]",
        }
        if "phi_t" not in names:
            body += [f"rows.phi_t[e[E_ROW] + {r}] = 0.0" for r in range(shape.rows)]
        if "phi" not in names:
            body += [f"rows.phi[e[E_ROW] + {r}] = 0.0" for r in range(shape.rows)]
    elif role == "force":
        source |= {
            "s": f"measures.value[e[E_MEASURE]:e[E_MEASURE] + {shape.measures}]",
            "s_dot": f"measures.rate[e[E_MEASURE]:e[E_MEASURE] + {shape.measures}]",
            "J": f"measures.J[e[E_GM]:e[E_GM] + {shape.measures * g}]",
            "wrench": f"wrenches.wrench[6 * wrenches.slots[e[E_OUT], 0]:6 * (wrenches.slots[e[E_OUT], 0] + {shape.markers})].reshape(({shape.markers}, 6))",
            "energy": "wrenches.energy[e[E_OUT]:e[E_OUT] + 1]",
            "power": "wrenches.power[e[E_OUT]:e[E_OUT] + 1]",
        }
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
        "bound": "Functions", "measures": "Measures", "wrenches": "Wrenches",
    }  # fmt: skip
    return HEAD + "{imports}\n" + parameter_class(shape) + loop(body, groups)


def loop(body: list[str], groups: dict[str, str]) -> str:
    """The batch function around the statements of one record, with a view of each group that they use."""
    text = "\n".join(body)
    views = [f"{name} = view(tables, {group})" for name, group in groups.items() if f"{name}." in text]
    return LOOP.replace("{views}", "\n    ".join(views)).replace("{body}", "\n".join("            " + line for line in body))


def body_text(role: str, function: Callable[..., Any], shape: Shape, owner: str) -> str:
    """Text for the functions of a body kind."""
    names = arguments(function, role, owner)
    owners = {"locate": ["k = points.row[i, 0]"], "pull": ["j = pulls.row[i]", "k = points.row[j[P_POINT], 0]"]}
    body = [*owners.get(role, ["k = i"]), "b = bodies.row[k]"]
    source = {
        "q": f"state.q[b[B_Q]:b[B_Q] + {shape.nq}]",
        "v": f"state.v[b[B_V]:b[B_V] + {shape.nv}]",
        "p": "bodies.p[b[B_PARAMETER]:]",
        "c": f"bodies.c[b[B_SCRATCH]:b[B_SCRATCH] + {shape.scratch}]",
        "q_dot": f"rates.q_dot[b[B_Q]:b[B_Q] + {shape.nq}]",
        "dq": f"rates.v_dot[b[B_V]:b[B_V] + {shape.nv}]",
        "M": f"bodies.M[b[B_MASS]:b[B_MASS] + {shape.nv * shape.nv}]",
        "h": f"bodies.h[b[B_V]:b[B_V] + {shape.nv}]",
        "energy": "bodies.energy[k:k + 1]",
    }
    if role == "locate":
        source |= {"r": f"points.p[points.row[i, 1]:points.row[i, 1] + {shape.record}]"}
    if role == "pull":
        source |= {
            "r": f"points.p[points.row[j[P_POINT], 1]:points.row[j[P_POINT], 1] + {shape.record}]",
            "x": "load(points.x, j[P_POINT])",
            "force": "(source[s], source[s + 1], source[s + 2])",
            "torque": "(source[s + 3], source[s + 4], source[s + 5])",
            "out": "out",
        }
    statements = [f"arg_{name} = {source[name]}" for name in names if name not in ("force", "torque", "out")]
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
            f"        out = target[o:o + {shape.nv}]",
            "    else:",
            f"        out = pulls.spare[0:{shape.nv}]",
        ]
        body += [f"    arg_{name} = {source[name]}" for name in names if name in ("force", "torque", "out")]
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
    }  # fmt: skip
    return HEAD + "from mbplugin.math.dense import cholesky\n{imports}\n" + loop(body, groups)
