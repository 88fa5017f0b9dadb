"""Derivatives of graphs: one sweep forward for a direction, one for second derivatives along a motion, and
one in reverse for a gradient. Derivatives are nodes of the same graph.

A. Griewank & A. Walther, Evaluating Derivatives, SIAM 2008, sections 3.1, 3.2 and 13.2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mbplugin.derive.graph import Graph, Node, TraceError, below, is_zero

Rates = Mapping[Node, tuple[Node, Node]]
#: operations that are linear in their arguments
LINEAR = ("add", "sub", "scale", "select")
#: derivatives of a spline that are known; the third one jumps
MAX_TABLE_ORDER = 3


def slopes_of_call(node: Node) -> tuple[Node, Node]:
    """First and second derivatives of a function of `math` by its first argument. Raises TraceError."""
    g, name, x = node.graph, node.args[0], node.args[1]
    one, zero = g.one, g.zero
    match name:
        case "sin":
            return g.call("cos", x), -node
        case "cos":
            return -g.call("sin", x), -node
        case "tan":
            slope = one + g.square(node)
            return slope, 2.0 * node * slope
        case "exp":
            return node, node
        case "log":
            slope = g.recip(x)
            return slope, -g.square(slope)
        case "tanh":
            slope = one - g.square(node)
            return slope, -2.0 * node * slope
        case "sinh":
            return g.call("cosh", x), node
        case "cosh":
            return g.call("sinh", x), node
        case "atan":
            slope = g.recip(one + g.square(x))
            return slope, -2.0 * x * g.square(slope)
        case "asin" | "acos":
            sign = 1.0 if name == "asin" else -1.0
            slope = g.recip(g.call("sqrt", one - g.square(x)))
            return sign * slope, sign * x * (slope * g.square(slope))
        case "fabs":
            return g.call("signum", x), zero  # at 0 the middle of its slopes
        case "sign" | "signum" | "floor" | "ceil":
            return zero, zero
        case "pow":
            n = node.args[2]
            less = lambda k: g.call("pow", x, n - k)
            unless = lambda k, slope: g.select(g.node("compare", "==", n, g.const(k)), zero, slope)
            finite = lambda k, slope: g.select(
                g.node("compare", "<", n, g.const(k)), unless_zero(x, slope), slope
            )
            curve = unless(1.0, n * (n - 1.0) * less(2.0))  # 0, not 0 times infinity, at x = 0
            return unless(0.0, finite(1.0, n * less(1.0))), unless(0.0, finite(2.0, curve))
    raise TraceError(f"{name} has no known derivative")


def unless_zero(x: Node, slope: Node) -> Node:
    """A slope where x is not 0, and 0 there: of powers, which have infinite ones."""
    g = x.graph
    return g.select(g.node("compare", "==", x, g.zero), g.zero, slope)


def lowered(node: Node, k: int) -> Node:
    """aⁿ⁻ᵏ in the k-th derivative of a fixed power aⁿ, with n not whole; 0 where it is infinite at a = 0."""
    g, (a, n) = node.graph, node.args
    if n - k == 0.5:
        return g.call("root", a)
    slope = g.power(a, g.const(n - k))
    return slope if n > k else unless_zero(a, slope)


def inverse_root(node: Node) -> Node:
    """1/√x; of a `root` 0 where x = 0."""
    g = node.graph
    inverse = g.recip(node)
    return inverse if node.args[0] == "sqrt" else unless_zero(node, inverse)


def looked_up(node: Node, further: int) -> Node:
    """A further derivative of a table lookup or of an author's own function. Raises TraceError."""
    what, x, order = node.args
    highest = MAX_TABLE_ORDER if node.op == "table" else len(what.functions) - 1
    if order + further > highest:
        name = what if node.op == "table" else what.name
        raise TraceError(f"derivative {order + further} of {name}, which is not known")
    return node.graph.node(node.op, what, x, order + further)


def derivative(node: Node, d: Callable[[Node], Node]) -> Node:
    """Derivative of a node from those of its arguments, d: node -> node."""
    g, a = node.graph, node.args
    if node.op in ("add", "sub", "mul", "scale"):
        match node.op:
            case "add":
                return d(a[0]) + d(a[1])
            case "sub":
                return d(a[0]) - d(a[1])
            case "mul":
                return d(a[0]) * a[1] + a[0] * d(a[1])
        return a[0] * d(a[1])
    if node.op == "select":
        return g.select(a[0], d(a[1]), d(a[2]))
    if node.op == "call" and a[0] == "atan2":
        _, y, x = a
        top = x * d(y) - y * d(x)
        return top if is_zero(top) else top * g.recip(g.square(x) + g.square(y))
    if node.op not in ("recip", "power", "table", "known", "call"):
        return g.zero  # constants, and inputs that stand still
    x1 = d(node.arguments[0])
    if is_zero(x1):
        return x1
    match node.op:
        case "recip":
            return -(g.square(node) * x1)
        case "power":
            return a[1] * (lowered(node, 1) * x1)
        case "table" | "known":
            return looked_up(node, 1) * x1
    if a[0] in ("sqrt", "root"):
        return 0.5 * inverse_root(node) * x1
    return slopes_of_call(node)[0] * x1


def forward(roots: Sequence[Node], seeds: Mapping[Node, Node]) -> list[Node]:
    """Derivatives of the roots in one direction; seeds: input -> its derivative; others stand still."""
    done: dict[Node, Node] = {}
    for node in below(roots):
        done[node] = seeds[node] if node in seeds else derivative(node, done.__getitem__)
    return [done[root] for root in roots]


def second(roots: Sequence[Node], rates: Rates) -> list[Node]:
    """Second derivatives of the roots along a motion; rates: input -> its first and second derivative."""
    first: dict[Node, Node] = {}
    twice: dict[Node, Node] = {}
    for node in below(roots):
        if node in rates:
            first[node], twice[node] = rates[node]
            continue
        first[node] = derivative(node, first.__getitem__)
        still = all(is_zero(d[n]) for n in node.arguments for d in (first, twice))
        twice[node] = node.graph.zero if still else second_derivative(node, first, twice)
    return [twice[root] for root in roots]


def second_derivative(node: Node, first: Mapping[Node, Node], twice: Mapping[Node, Node]) -> Node:
    """Second derivative of a node along a motion, from the first ones and those of its arguments."""
    g, a = node.graph, node.args
    if node.op in LINEAR:
        return derivative(node, twice.__getitem__)
    if node.op == "mul":
        x, y = a
        return (twice[x] * y + 2.0 * (first[x] * first[y])) + x * twice[y]
    if node.op == "call" and a[0] == "atan2":
        # (x² + y²) θ'' = x y'' − y x'' − 2 θ' (x x' + y y')
        _, y, x = a
        turning = 2.0 * (first[node] * (x * first[x] + y * first[y]))
        return g.recip(g.square(x) + g.square(y)) * (x * twice[y] - y * twice[x] - turning)
    if node.op not in ("recip", "power", "table", "known", "call"):
        return g.zero
    x1, x2 = (d[node.arguments[0]] for d in (first, twice))
    match node.op:
        case "recip":  # r = 1/x: r'' = −r (2 r' x' + r x'')
            return -(node * (2.0 * (first[node] * x1) + node * x2))
        case "power":
            slope, curve = lowered(node, 1), lowered(node, 2)
            return a[1] * (a[1] - 1.0) * (curve * g.square(x1)) + a[1] * (slope * x2)
        case "table" | "known":
            return with_curvature(lambda k: looked_up(node, k), x1, x2)
    if a[0] in ("sqrt", "root"):  # s'' = (x''/2 − s'²)/s
        return (0.5 * x2 - g.square(first[node])) * inverse_root(node)
    slopes = slopes_of_call(node)
    return with_curvature(lambda k: slopes[k - 1], x1, x2)


def with_curvature(slope: Callable[[int], Node], x1: Node, x2: Node) -> Node:
    """f'' x'² + f' x''; a second derivative that is not needed is not asked for."""
    bent = x1.graph.zero if is_zero(x1) else slope(2) * x1.graph.square(x1)
    return bent if is_zero(x2) else bent + slope(1) * x2


def gradient(root: Node, inputs: Sequence[Node]) -> dict[Node, Node]:
    """Derivatives of a root by inputs, in one reverse sweep."""
    g: Graph = root.graph
    nodes = below([root])
    ends = set(inputs)
    depends = set(ends)
    for node in nodes:
        if any(n in depends for n in node.arguments):
            depends.add(node)
    total: dict[Node, Node] = {root: g.one}
    for node in reversed(nodes):
        if node in total and node in depends and node not in ends:
            for n in dict.fromkeys(n for n in node.arguments if n in depends):
                share = share_of(node, n, total[node])
                total[n] = gated_sum(total[n], share) if n in total else share
    return {n: total.get(n, g.zero) for n in inputs}


def share_of(node: Node, argument: Node, weight: Node) -> Node:
    """Weight of an argument from that of the node."""
    g, a = node.graph, node.args
    if node.op == "select":
        return g.select(a[0], *(weight if n is argument else g.zero for n in a[1:]))
    slope = derivative(node, lambda n: g.one if n is argument else g.zero)
    if is_gated(weight):
        return g.select(weight.args[0], *(w * slope for w in weight.args[1:]))
    return weight * slope


def is_gated(weight: Node) -> bool:
    """Whether a weight is 0 in one value of a select. It stays the outermost operation, as a slope in what is
    not taken may be nan, or infinite.
    """
    return weight.op == "select" and any(map(is_zero, weight.args[1:]))


def gated_sum(a: Node, b: Node) -> Node:
    """The sum of two weights."""
    if is_gated(a) and is_gated(b) and a.args[0] is b.args[0]:
        return a.graph.select(a.args[0], a.args[1] + b.args[1], a.args[2] + b.args[2])
    return a + b


def linear_in(root: Node, inputs: Sequence[Node]) -> bool:
    """Whether a root is linear in these inputs: its gradient does not depend on them."""
    among: Any = set(inputs)
    return not any(n in among for n in below(gradient(root, inputs).values()))
