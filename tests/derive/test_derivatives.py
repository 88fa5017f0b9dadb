"""First and second derivatives of graphs against those that mpmath finds with 30 digits."""

from __future__ import annotations

import mpmath
import pytest

from mbplugin.derive.derivatives import forward, gradient, second
from mbplugin.derive.graph import Graph
from mbplugin.derive.plans import evaluated

#: text of a function of x and y, in the names of mpmath
FUNCTIONS = [
    "sqrt(x)",
    "sin(x*y)",
    "cos(x/y)",
    "tan(x)",
    "exp(x*x - y)",
    "log(x + y)",
    "tanh(x - y)",
    "sinh(x)*cosh(y)",
    "atan(x*y)",
    "asin(x/3)",
    "acos(y/3)",
    "atan2(x, y)",
    "atan2(x*y, x - 3)",
    "1/(x*x + y)",
    "x**3 - 2*x*y**2",
    "x**-3",
    "(x + y)**2.5",
    "x**y",
    "x**0.5 * y**1",
    "2**x",
]
AT = (0.7, 1.1)


def of_graph(text):
    """The graph's node of a function, and its inputs."""
    from mbplugin.derive.author import MATH

    x, y = inputs(g := Graph())
    return g.lift(eval(text, {**MATH}, {"x": x, "y": y})), x, y


def inputs(g):
    """Two coordinates of a marker."""
    return g.node("x", 0, 0), g.node("x", 0, 1)


def numbers(roots):
    return evaluated(roots, lambda n, a: AT[n.args[1]] if n.op == "x" else None)


def at(text, dx=0, dy=0):
    names = {name: getattr(mpmath, name) for name in dir(mpmath)}
    f = lambda x, y: eval(text, names, {"x": x, "y": y})
    with mpmath.workdps(30):
        return float(
            mpmath.diff(f, tuple(map(mpmath.mpf, AT)), (dx, dy)) if dx + dy else f(*map(mpmath.mpf, AT))
        )


@pytest.mark.parametrize("text", FUNCTIONS)
def test_first_and_second_derivatives(text):
    root, x, y = of_graph(text)
    g = root.graph
    slopes = gradient(root, [x, y])
    along_x = forward([root], {x: g.one})[0]
    bent = second([root], {x: (g.const(0.3), g.const(-0.8)), y: (g.const(1.7), g.const(0.4))})[0]
    found = numbers([root, slopes[x], slopes[y], along_x, bent])
    fx, fy = at(text, 1, 0), at(text, 0, 1)
    curve = at(text, 2, 0) * 0.09 + 2 * at(text, 1, 1) * 0.3 * 1.7 + at(text, 0, 2) * 1.7**2
    right = [at(text), fx, fy, fx, curve + fx * -0.8 + fy * 0.4]
    assert found == pytest.approx(right, rel=2e-14, abs=2e-14)


def test_equal_numbers_are_one_node_and_zeros_vanish():
    x, y = inputs(g := Graph())
    assert (x + y) is (y + x)
    assert (2.0 * x - x * 2.0) is g.zero
    assert (x * y) / (x * y) is g.one
    assert (0.0 * x + y) is y
    assert (3.0 * x + 4.0 * x) is (7.0 * x)
