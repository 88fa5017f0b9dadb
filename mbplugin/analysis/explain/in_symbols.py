"""Constraints of a model in symbols.

Of a planar one over the coordinates x, y, θ of its bodies: the function of each row is traced, its markers
become positions and axes of planar bodies with numbers for their places on these, and the graph is printed.
Else with positions and axes of markers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mbplugin.derive.formula import symbol, values_of
from mbplugin.derive.graph import Graph, Node, TraceError, below
from mbplugin.derive.kernels import replaced
from mbplugin.derive.trace import Branch, Traced, traced
from mbplugin.hooks.registry import Registry
from mbplugin.interface import Measure
from mbplugin.interface.derived import levels_of
from mbplugin.problem import Problem
from mbplugin.tables.groups import Bodies, Markers, State
from mbplugin.tables.spec import Array

#: numbers below this are rounding of positions [m] and axes
ROUNDING_OF_PLACES = 1e-12
SUM, PRODUCT, ATOM = range(3)


@dataclass(frozen=True)
class Equation:
    """A row in symbols: Φ as LaTeX; left is = 0."""

    row: str
    latex: str

    @property
    def text(self) -> str:
        """The same in plain letters."""
        plain = without_fractions(self.latex)
        for old, new in PLAIN:
            plain = plain.replace(old, new)
        return f"{plain} = 0"


def without_fractions(latex: str) -> str:
    """LaTeX with (a) / (b) for each fraction."""
    while (start := latex.rfind(r"\frac{")) >= 0:  # the innermost of the last one
        top = start + len(r"\frac")
        middle = closing(latex, top)
        bottom = closing(latex, middle)
        inside = f"({latex[top + 1 : middle - 1]}) / ({latex[middle + 1 : bottom - 1]})"
        latex = f"{latex[:start]}{inside}{latex[bottom:]}"
    return latex


def closing(text: str, start: int) -> int:
    """The place behind the brace that closes the one at `start`."""
    depth = 0
    for place in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return place + 1
    return len(text)


#: LaTeX and what stands for it in plain text
PLAIN = (
    (r"\left( ", "("),
    (r" \right)", ")"),
    (r"\, ", ""),
    (r"\; ", ""),
    (r"\theta", "θ"),
    (r"\Phi", "Φ"),
    (r"\omega", "ω"),
    (r"\hat ", ""),
    (r"\cdot", "·"),
    (r"\times", "×"),
    (r"\mathrm", ""),
    ("_{", "_"),
    ("{", ""),
    ("}", ""),
    ("\\", ""),
)


def equations(problem: Problem, registry: Registry, motions: Mapping[str, str]) -> list[Equation]:
    """Equations of the basic constraints and of motions: in coordinates if all bodies are planar, else with
    positions r and axes x, y, z of markers. Those of a kind's own function are with markers; of a kernel by
    hand only its rows are named.

    motions: coordinate, such as "drive.angle" -> text of its motion; of one that is given by its rate nothing
    """
    planar = all(problem.names.kinds[int(body.kind)].name == "planar" for body in problem[Bodies].index)
    found: list[Equation] = []
    for number, joint in enumerate(problem.names.joints):
        rows = [problem.names.rows[row].label for row in joint.rows]
        for basic in joint.kind.basics:
            measure = find(basic.measure, registry)
            values = printed(problem, joint, measure, planar)
            # a vector of three rows is one equation
            labels = rows[: measure.rows] if len(values) == measure.rows else [str(basic)]
            target = "" if basic.to is None else printed_target(getattr(joint.params, basic.to))
            found += [Equation(f"{joint.name}: {label}", v + target) for label, v in zip(labels, values)]
            rows = rows[measure.rows :]
        found += of_own_functions(joint)
        for coordinate in problem.names.coordinates:
            if coordinate.joint == number and coordinate.motion_rows:
                measure = find(joint.kind.coordinates[coordinate.name.rpartition(".")[2]], registry)
                target = f" - {bracketed(motions.get(coordinate.name, 'f(t)'))}"
                values = printed(problem, joint, measure, planar)
                found += [Equation(f"{coordinate.name}: motion", value + target) for value in values]
    return found


def of_own_functions(joint: Any) -> list[Equation]:
    """Equations of Φ and ψ of a kind with these, with markers; of a kernel by hand its rows alone."""
    kind, names = joint.kind, reference_names(joint)
    written = [(0, kind.phi), (1, kind.psi)]
    values = {
        level: iter(values_of(f, names, tuple(kind.unknowns)) or []) for level, f in written if f is not None
    }
    unknown = rf"\Phi_{{{joint.name}}}"
    given = [next(values.get(min(level, 1), iter([])), unknown) for level in levels_of(kind)]
    return [Equation(f"{joint.name}: {label}", value) for label, value in zip(kind.labels, given)]


def printed(problem: Problem, joint: Any, measure: Measure, planar: bool) -> list[str]:
    """Values of a measure of a joint in LaTeX; none if its function has no formula."""
    if planar:
        markers = [place_of(problem, m) for m in joint.markers]
        return in_coordinates(measure.function, measure.rows, measure.settings, markers) or []
    return values_of(measure.function, reference_names(joint), (), measure.settings) or []


def find(measure: Measure | str, registry: Registry) -> Measure:
    return measure if isinstance(measure, Measure) else registry.measure(measure)


def reference_names(joint: Any) -> list[str]:
    """Names of the markers of a joint."""
    if joint.a and joint.b:
        return [joint.a, joint.b]
    return [f"{joint.name}[{k}]" for k in range(len(joint.markers))]


def printed_target(value: Any) -> str:
    text = getattr(value, "text", None)
    return f" - {bracketed(text)}" if text is not None else f" - {float(value):.6g}"


def bracketed(text: str) -> str:
    return rf"\left( {text} \right)" if any(sign in text for sign in "+-") else text


@dataclass(frozen=True)
class Place:
    """A marker in the plane: name of its body ("" of the ground), position (3,) and axes (3, 3) on it."""

    body: str
    x: Array
    R: Array


def place_of(problem: Problem, marker: int) -> Place:
    """A marker on its planar body, from its pose in the world."""
    markers = problem[Markers]
    x, R = markers.x[marker].copy(), markers.R[marker].reshape(3, 3).copy()
    number = int(markers.index[marker].body)
    if number < 0:
        return Place("", x, R)
    q = problem[State].q[int(problem[Bodies].index[number].first_q) :][:3]
    c, s = np.cos(q[2]), np.sin(q[2])
    turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    return Place(problem.names.body(number), turn.T @ (x - [q[0], q[1], 0.0]), turn.T @ R)


def in_coordinates(
    function: Any, rows: int, settings: Mapping[str, Any], markers: list[Place]
) -> list[str] | None:
    """Values of a function in LaTeX over coordinates; None if it cannot be traced, or branches remain."""
    try:
        g, tree = traced([Traced(function, rows)], len(markers))
    except TraceError:
        return None
    numbers = {g.node("parameter", name): g.const(value) for name, value in settings.items()}
    values = {**symbols(g, markers), **numbers}
    while isinstance(tree, Branch):
        (condition,) = simplified(g, [tree.condition], values)
        op, a, b = condition.args
        if a.op != "const" or b.op != "const":
            return None
        tree = tree.yes if g.compare(op, a, b) else tree.no
    return [text_of(root)[0] for root in simplified(g, tree, values)]


def symbols(g: Graph, markers: list[Place]) -> dict[Node, Node]:
    """Positions and axes of markers by the coordinates of their bodies."""
    values: dict[Node, Node] = {}
    for m, place in enumerate(markers):
        x = turned(g, place.body, place.x)
        if place.body:
            x = [g.node("symbol", axis, place.body) + x[c] for c, axis in enumerate("xy")] + [x[2]]
        values |= {g.node("x", m, c): x[c] for c in range(3)}
        for k in range(3):
            axis_k = turned(g, place.body, place.R[:, k])
            values |= {g.node("axis", m, k, c): axis_k[c] for c in range(3)}
    return values


def turned(g: Graph, body: str, local: Array) -> list[Node]:
    """A vector on a planar body in world axes: r (cos(θ + α), sin(θ + α)) for its direction α."""
    x, y, z = (0.0 if abs(v) < ROUNDING_OF_PLACES else float(v) for v in local)
    if not body:
        return [g.const(v) for v in (x, y, z)]
    size, angle = float(np.hypot(x, y)), float(np.arctan2(y, x))
    theta = g.node("symbol", "theta", body)
    quarters = angle / (np.pi / 2)
    if abs(quarters - round(quarters)) < ROUNDING_OF_PLACES:
        c, s = g.call("cos", theta), g.call("sin", theta)
        for _ in range(round(quarters) % 4):
            c, s = -s, c
    else:
        c, s = g.call("cos", theta + angle), g.call("sin", theta + angle)
    return [size * c, size * s, g.const(z)]


def simplified(g: Graph, roots: list[Node], values: dict[Node, Node]) -> list[Node]:
    """The roots with other nodes for inputs, and sums of products of sines and cosines as one of these."""
    chosen = [n for n in below(roots) if n.op == "axis" and isinstance(n.args[1], Node)]
    number = lambda n: int(values[n.args[1]].args[0])
    axes = {n: values[g.node("axis", n.args[0], number(n), n.args[2])] for n in chosen}
    roots = replaced(g, roots, {**values, **axes})
    done: dict[Node, Node] = {}
    for n in below(roots):
        a = [done[x] if isinstance(x, Node) else x for x in n.args]
        again = n.op in ("add", "sub", "mul", "scale", "recip", "call", "select")
        made = getattr(g, n.op)(*a) if again else n
        done[n] = with_angles(g, made)
    return [done[root] for root in roots]


def with_angles(g: Graph, n: Node) -> Node:
    """One sine or cosine of a sum of products of them; a for atan2(sin a, cos a)."""
    if n.op == "call" and n.args[0] == "atan2":
        (fy, y), (fx, x) = factored(n.args[1]), factored(n.args[2])
        same = is_call(y, "sin") and is_call(x, "cos") and y.args[1] is x.args[1]
        return g.scale(fy, y.args[1]) if same and fx == abs(fy) == 1.0 else n
    if n.op in ("add", "sub"):
        (fa, a), (fb, b) = factored(n.args[0]), factored(n.args[1])
        if fa == fb and a.op == b.op == "mul":
            found = one_angle(g, n.op, a.args, b.args)
            return n if found is None else g.scale(fa, found)
    return n


def factored(n: Node) -> tuple[float, Node]:
    return (n.args[0], n.args[1]) if n.op == "scale" else (1.0, n)


def is_call(n: Node, name: str) -> bool:
    return bool(n.op == "call" and n.args[0] == name)


def one_angle(g: Graph, op: str, first: tuple[Node, ...], second: tuple[Node, ...]) -> Node | None:
    """cos(a ∓ b) = cos a cos b ± sin a sin b, sin(a ∓ b) = sin a cos b ∓ cos a sin b; None for other sums."""
    factors = [*first, *second]
    if not all(is_call(n, "sin") or is_call(n, "cos") for n in factors):
        return None
    p, q = ([(n.args[0], n.args[1]) for n in pair] for pair in (first, second))
    for (kind, a), (other, b) in (p, p[::-1]):
        for (kind_2, a_2), (other_2, b_2) in (q, q[::-1]):
            if a is a_2 and b is b_2:
                match (kind, other, kind_2, other_2):
                    case ("cos", "cos", "sin", "sin"):
                        return g.call("cos", ordered(g, a, b)[1] if op == "add" else a + b)
                    case ("sin", "cos", "cos", "sin"):
                        sign, difference = ordered(g, a, b)
                        return (
                            g.scale(sign, g.call("sin", difference)) if op == "sub" else g.call("sin", a + b)
                        )
    return None


def ordered(g: Graph, a: Node, b: Node) -> tuple[float, Node]:
    """(sign, d) of a − b = sign · d, the same d for a − b and b − a."""
    return (1.0, a - b) if a.number > b.number else (-1.0, b - a)


def text_of(n: Node) -> tuple[str, int]:
    """A node in LaTeX, and how tightly its outermost operation binds."""
    within = lambda node, least: bracket(*text_of(node), least)
    a = n.args
    match n.op:
        case "const":
            return f"{a[0]:.6g}", ATOM if a[0] >= 0 else SUM
        case "symbol":
            name = symbol(a[0]) if a[0] == "theta" else a[0]
            return f"{name}_{{{a[1]}}}", ATOM
        case "add":
            constant = next((x for x in a if x.op == "const"), None)
            if constant is not None and constant.args[0] < 0:
                other = a[0] if constant is a[1] else a[1]
                return f"{within(other, SUM)} - {-constant.args[0]:.6g}", SUM
            return f"{within(a[0], SUM)} + {within(a[1], SUM)}", SUM
        case "sub":
            return f"{within(a[0], SUM)} - {within(a[1], PRODUCT)}", SUM
        case "scale":
            return (
                (f"-{within(a[1], PRODUCT)}", SUM)
                if a[0] == -1.0
                else (rf"{a[0]:.6g} \, {within(a[1], PRODUCT)}", PRODUCT if a[0] > 0 else SUM)
            )
        case "mul":
            return rf"{within(a[0], PRODUCT)} \, {within(a[1], PRODUCT)}", PRODUCT
        case "recip":
            return f"1 / {within(a[0], ATOM)}", PRODUCT
        case "call" if a[0] == "atan2":
            return rf"\mathrm{{atan2}}\left( {text_of(a[1])[0]}, {text_of(a[2])[0]} \right)", ATOM
        case "call":
            return rf"\{a[0]} {within(a[1], ATOM)}", PRODUCT
    return n.op, ATOM


def bracket(text: str, binding: int, least: int) -> str:
    return text if binding >= least else rf"\left( {text} \right)"
