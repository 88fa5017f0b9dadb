"""Source text of the batch kernels of elements: measures, constraints, forces, compliances, and their
`accept`, `event` and tangents.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from mbplugin.codegen.outputs import element_outputs
from mbplugin.codegen.wrapper import HEAD, Shape, arguments, loop

#: name of each group of tables in the generated statements
GROUPS = {
    "state": "State",
    "rates": "Rates",
    "elements": "Elements",
    "outputs": "Outputs",
    "markers": "Markers",
    "rows": "Rows",
    "blocks": "Blocks",
    "bound": "Functions",
    "measures": "Measures",
    "wrenches": "Wrenches",
    "tangents": "Tangents",
}
#: of those of joints that carry a body
DERIVED = GROUPS | dict.fromkeys(("markers", "rows", "blocks"), "DerivedRows")


def element_text(role: str, function: Callable[..., Any], shape: Shape, owner: str) -> str:
    """Source text of the wrapper of one function of an element; `owner` names its kind in messages. Raises
    PluginError if the function has an unknown argument.
    """
    names = arguments(function, role, owner, shape.outputs)
    body = ["e = elements.index[i]", "p0 = e.first_parameter", "u0 = e.first_function"]
    if {"m", "a", "b"} & set(names):
        body += marker_lines(shape)
    if role == "constraint":
        body += [
            f"rows.{name}[e.first_row + {r}] = 0.0"
            for name in ("phi_t", "phi")
            if name not in names
            for r in range(shape.rows)
        ]
    parameters = parameters_of(function, shape)
    source = sources(role, shape, parameters)
    body += [f"arg_{name} = {source[name]}" for name in names]
    body.append("author(" + ", ".join(f"arg_{name}" for name in names) + ")")
    if role == "measure":
        body += wrap_lines(shape) if shape.as_measure else target_lines(shape)
    if "power" not in names and "energy" not in names:
        body += power_lines(role, shape)
    lists = "from mbplugin.interface.marker_list import marker_list\n" if shape.markers is None else ""
    return (
        HEAD
        + lists
        + "{imports}\n"
        + argument_classes(parameters, shape)
        + loop(body, DERIVED if shape.derived else GROUPS)
    )


def sources(role: str, shape: Shape, parameters: list[Parameter]) -> dict[str, str]:
    """Argument name -> expression for it."""
    texts = {
        "m": "m" if shape.markers is None else "(" + ", ".join(f"m{k}" for k in range(shape.markers)) + ",)",
        "a": "m[0]" if shape.markers is None else "m0",
        "b": "m[1]" if shape.markers is None else "m1",
        "p": f"P({', '.join(one.text for one in parameters)})" if parameters else "0",
        "t": "state.time[0]",
        "u": function_value(shape),
        "mem": f"part(state.memory, e.first_memory, {shape.memory})",
        "x": f"part(state.aux, e.first_aux, {shape.states})",
        "lam": f"part({'tangents' if role.endswith('_tangent') else 'rows'}.lam, e.first_row, {shape.rows})",
        "active": f"part({'rows.active' if shape.derived else 'state.mode'}, e.first_row, {shape.rows})",
        "s": f"part(measures.value, e.measure, {shape.measures})",
        "s_dot": f"part(measures.rate, e.measure, {shape.measures})",
        "J": f"part(measures.J, e.first_G, {shape.size('slots') * (6 * shape.measures)})",
    } | {name: place.text for name, place in element_outputs(role, shape).items()}
    if role.startswith("enforcement"):
        texts |= {"phi": "rows.phi[e.first_row]", "phi_dot": "rows.phi_dot[e.first_row]"}
        if role != "enforcement":
            texts["load"] = "rows.load[e.first_row]"
    return texts


def marker_lines(shape: Shape) -> list[str]:
    """Statements for the markers of one element: `m0`, `m1`, ...; for any number of them, the list `m`."""
    if shape.markers is None:
        slots = "part(elements.marker, e.first_slot, e.slots)"
        return [f"m = marker_list({slots}, markers.x, markers.R, markers.v, markers.w)"]
    lines = []
    for k in range(shape.markers):
        lines += [
            f"n{k} = elements.marker[e.first_slot + {k}]",
            f"m{k} = Marker(load(markers.x, n{k}), load_matrix(markers.R, n{k}), "
            f"load(markers.v, n{k}), load(markers.w, n{k}))",
        ]
    return lines


def wrap_lines(shape: Shape) -> list[str]:
    """Count full turns of a measure with a period, from its value at the last accepted step."""
    if not shape.period:
        return []
    return [
        "s = e.measure",
        f"period = {shape.period!r}",
        "raw = measures.value[s] - measures.last[s]",
        "measures.value[s] = measures.last[s] + raw - period * round(raw / period)",
    ]


def target_lines(shape: Shape) -> list[str]:
    """Rows that set a measure equal to a function of time: Φ = s − f, Φₜ = −ḟ, γ = f̈ − bias; of a measure
    with a period, Φ is reduced to the nearest period.
    """
    lines = []
    for r in range(shape.rows):
        lines += [
            f"r = e.first_row + {r}",
            "f = e.first_function",
            "rows.phi[r] -= bound.u[f, 0]",
            "rows.phi_t[r] = -bound.u[f, 1]",
            "rows.gamma[r] = bound.u[f, 2] - rows.gamma[r]",
        ]
        if shape.period:
            # most are within it, and rounding is slow
            lines += [
                f"if abs(rows.phi[r]) > {0.5 * shape.period!r}:",
                f"    rows.phi[r] -= {shape.period!r} * round(rows.phi[r] / {shape.period!r})",
            ]
    return lines


def power_lines(role: str, shape: Shape) -> list[str]:
    """Without energy and power from the author: all power of a compliance is dissipated, all power of a force
    is work input (or dissipated).
    """
    if role == "enforcement":
        return ["rows.power[e.first_row] = rows.load[e.first_row] * rows.phi_dot[e.first_row]"]
    if role != "force":
        return []
    return [
        "total = 0.0",
        "w0 = 6 * wrenches.index[e.force].first_slot",
        f"for k in range({shape.size('slots')}):",
        "    n = elements.marker[e.first_slot + k]",
        "    for c in range(3):",
        "        total += wrenches.wrench[w0 + 6 * k + c] * markers.v[n, c] "
        "+ wrenches.wrench[w0 + 6 * k + 3 + c] * markers.w[n, c]",
        "wrenches.power[e.force] = total",
    ]


#: annotation of a parameter in `P`, by its type
ANNOTATIONS = {"vector": "tuple", "list": "object", "matrix": "object", "spline": "object"}


class Parameter(NamedTuple):
    """An entry of `p`: its name, its annotation and the text of its value."""

    name: str
    annotation: str
    text: str


def parameters_of(function: Callable[..., Any], shape: Shape) -> list[Parameter]:
    """The parameters in `p` of one element, whose numbers start at `p0`: those that are given. Of a derived
    function, which passes `p` on to none, those that it reads, so that others make no other machine code.
    """
    read = function.__code__.co_names if hasattr(function, "source") else None
    found, k = [], 0
    for name, kind in shape.parameters:
        text, width = one_parameter(kind, k)
        k += width
        if kind != "absent" and (read is None or name in read):
            found.append(Parameter(name, ANNOTATIONS.get(kind, kind), text))
    return found


def argument_classes(parameters: list[Parameter], shape: Shape) -> str:
    """The namedtuples `P` and `U` of the arguments `p` and `u`."""
    text = ""
    if parameters:
        text += "class P(NamedTuple):\n" + "".join(f"    {p.name}: {p.annotation}\n" for p in parameters)
    if shape.functions:
        text += "\n\nclass U(NamedTuple):\n" + "".join(f"    {name}: tuple\n" for name in shape.functions)
    return text


def one_parameter(kind: str, k: int) -> tuple[str, int]:
    """Text of the parameter whose numbers start at `p0 + k`, and how many they are in the layout."""
    number = lambda i: f"elements.p[p0 + {k + i}]"
    whole = lambda i: f"int({number(i)})"
    match kind:
        case "vector":
            return f"({number(0)}, {number(1)}, {number(2)})", 3
        case "int":
            return whole(0), 1
        case "list" | "spline":
            return f"part(elements.p, p0 + {whole(0)}, {whole(1)})", 2
        case "matrix":
            size = f"{whole(1)} * {whole(2)}"
            return f"part(elements.p, p0 + {whole(0)}, {size}).reshape(({whole(1)}, {whole(2)}))", 3
        case _:
            return number(0), 1


def function_value(shape: Shape) -> str:
    """`u` of one element, whose functions start at `u0`."""
    triples = [
        f"(bound.u[u0 + {k}, 0], bound.u[u0 + {k}, 1], bound.u[u0 + {k}, 2])"
        for k in range(len(shape.functions))
    ]
    return f"U({', '.join(triples)})" if triples else "0"
