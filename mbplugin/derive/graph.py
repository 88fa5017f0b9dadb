"""Expression graphs: what a traced function computes, as nodes that are shared where they are equal.

A node is a number that depends on inputs. Constants are folded; terms with the factor 0 and factors 1 vanish
(0 x = 0 also where x is nan or infinite), and constant factors are pulled out of products. Operations are

    const c                          add a b, sub a b, mul a b
    scale c a         c a            recip a           1 / a
    power a n         aⁿ, n fixed    call name a ...   a function of `math`, or
                      sign: ±1, as `copysign`; signum: 0 at 0; root: sqrt with the slope 0 at 0
    compare op a b    a condition    select c a b      a where the condition holds, else b
    sum n f           the sum of f over each n consecutive markers, of a kind for any number of them
    table f a k       derivative k of the spline with the numbers f
    known f a k       derivative k of an author's own function

and all others are inputs: `INPUTS`.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, NoReturn

from mbplugin.errors import PluginError

#: nodes without arguments that a kernel reads, or that stand for a direction
INPUTS = frozenset(
    [
        "x",
        "axis",
        "v",
        "w",
        "parameter",
        "t",
        "function",
        "state",
        "memory",
        "load",
        "seed",
        "unknown",
        "measure",
        "sum",
    ]
)
#: functions of `math` that are folded where their arguments are constants
FOLDED = frozenset(
    ["sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "log", "tanh", "sinh", "cosh"]
)
#: calls that are none of `math`: ±1; the slope of |x|, 0 at 0; the square root where its slope at 0 counts as
#: 0, as that of |v| in |v|ⁿ, n > 1
OWN_CALLS = ("sign", "signum", "root")
#: exponents up to this are products
MAX_EXPONENT = 64
#: operations on parameters alone
FIXED = ("parameter", "const", "scale", "add", "sub", "mul", "recip", "compare")
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


class TraceError(PluginError):
    """A function does something that cannot be derived."""


class Graph:
    """All nodes of one traced function, each once."""

    def __init__(self) -> None:
        self.table: dict[Any, Node] = {}
        # takes a condition and returns the branch to follow, while a function is traced
        self.decide: Callable[[Node], bool] | None = None

    def node(self, op: str, *args: Any) -> Node:
        key = (op, *(id(a) if isinstance(a, Node) else a for a in args))
        if key not in self.table:
            self.table[key] = Node(self, op, args, len(self.table))
        return self.table[key]

    def const(self, value: float) -> Node:
        return self.node("const", float(value) + 0.0)

    @property
    def zero(self) -> Node:
        return self.const(0.0)

    @property
    def one(self) -> Node:
        return self.const(1.0)

    def lift(self, value: Any) -> Node:
        """A number or a node as a node. Raises TraceError."""
        if isinstance(value, Node):
            return value
        if isinstance(value, (int, float)) or type(value).__module__ == "numpy":
            return self.const(value)
        raise TraceError(f"a {type(value).__name__} where a number is expected")

    def scale(self, c: float, a: Node) -> Node:
        if c == 0.0:
            return self.zero
        if a.op == "const":
            return self.const(c * a.args[0])
        if a.op == "scale":
            return self.scale(c * a.args[0], a.args[1])
        if c == 1.0:
            return a
        if c == -1.0 and a.op == "sub":
            return self.node("sub", a.args[1], a.args[0])
        return self.node("scale", float(c), a)

    def add(self, a: Node, b: Node) -> Node:
        if a.op == "const" and b.op == "const":
            return self.const(a.args[0] + b.args[0])
        if is_zero(a) or is_zero(b):
            return b if is_zero(a) else a
        (ca, pa), (cb, pb) = split(a), split(b)
        if pa is pb:
            return self.scale(ca + cb, pa)
        if ca == cb and ca != 1.0:
            return self.scale(ca, self.add(pa, pb))
        if cb == -ca and ca > 0.0 and ca != 1.0:
            return self.scale(ca, self.add(pa, self.scale(-1.0, pb)))
        if cb < 0.0:
            return self.node("sub", a, self.scale(-cb, pb))
        if ca < 0.0:
            return self.node("sub", b, self.scale(-ca, pa))
        return self.node("add", *in_order(a, b))

    def sub(self, a: Node, b: Node) -> Node:
        return self.add(a, self.scale(-1.0, b))

    def mul(self, a: Node, b: Node) -> Node:
        if a.op == "const" or b.op == "const":
            return self.scale(a.args[0], b) if a.op == "const" else self.scale(b.args[0], a)
        (ca, a), (cb, b) = split(a), split(b)
        if (a.op == "recip" and a.args[0] is b) or (b.op == "recip" and b.args[0] is a):
            return self.const(ca * cb)
        if a is b and a.op == "call" and a.args[0] in ("root", "fabs"):
            x = a.args[1]
            return self.scale(ca * cb, x if a.args[0] == "root" else self.square(x))
        return self.scale(ca * cb, self.node("mul", *in_order(a, b)))

    def square(self, a: Node) -> Node:
        return self.mul(a, a)

    def recip(self, a: Node) -> Node:
        c, a = split(a)
        if a.op == "const":
            number = c * a.args[0]
            return self.const(1.0 / number if number else math.copysign(math.inf, number))
        return self.scale(1.0 / c, a.args[0] if a.op == "recip" else self.node("recip", a))

    def call(self, name: str, *args: Node) -> Node:
        if name in FOLDED and all(a.op == "const" for a in args):
            with suppress(ValueError, OverflowError):  # where it has no value it has none in the kernel
                return self.const(getattr(math, name)(*(a.args[0] for a in args)))
        return self.node("call", name, *args)

    def select(self, condition: Node, a: Node, b: Node) -> Node:
        return a if a is b else self.node("select", condition, a, b)

    def compare(self, name: str, a: Node, b: Node) -> Any:
        """A bool of two constants, else a `Condition`."""
        if a.op == b.op == "const":
            return COMPARISONS[name](a.args[0], b.args[0])
        return Condition(self.node("compare", name, a, b))

    def rooted(self, a: Node) -> Node:
        """√x of which a power follows, as |v|ⁿ of a vector: its slope at 0 counts as 0."""
        return self.call("root", a.args[1]) if a.op == "call" and a.args[0] == "sqrt" else a

    def power(self, a: Node, exponent: Node) -> Node:
        """aⁿ: products for whole n; of a base that may be negative, n is fixed during a run."""
        if exponent.op != "const":
            if fixed(exponent):
                return self.call("pow", self.rooted(a), exponent)
            return self.call("exp", self.mul(exponent, self.call("log", a)))
        n = exponent.args[0]
        if n == 0.5:
            return self.call("sqrt", a)
        a = self.rooted(a) if n > 1.0 else a
        if n != int(n) or abs(n) > MAX_EXPONENT:
            return self.node("power", a, n)
        result, square = self.one, a
        for bit in reversed(bin(abs(int(n)))[2:]):
            if bit == "1":
                result = self.mul(result, square)
            square = self.square(square)
        return self.recip(result) if n < 0 else result


def is_zero(a: Node) -> bool:
    return bool(a.op == "const" and a.args[0] == 0.0)


def split(a: Node) -> tuple[float, Node]:
    """Constant factor and the rest."""
    return a.args if a.op == "scale" else (1.0, a)  # type: ignore[return-value]


def in_order(a: Node, b: Node) -> tuple[Node, Node]:
    """Arguments of a commutative operation, so that each sum and product is one node."""
    return (a, b) if a.number <= b.number else (b, a)


def fixed(a: Node) -> bool:
    """Whether a node depends on parameters alone."""
    return all(n.op in FIXED for n in below([a]))


def refused(what: str) -> Callable[..., NoReturn]:
    def refuse(self: Any, *_: Any) -> NoReturn:
        raise TraceError(what)

    return refuse


def operation(name: str, swapped: bool = False) -> Callable[[Node, Any], Node]:
    def operate(self: Node, other: Any) -> Node:
        a, b = self, self.graph.lift(other)
        made: Node = getattr(self.graph, name)(*((b, a) if swapped else (a, b)))
        return made

    return operate


def comparison(name: str) -> Callable[[Node, Any], Any]:
    return lambda self, other: self.graph.compare(name, self, self.graph.lift(other))


class Node:
    """A number in a traced function. It is told apart by identity; `==` is the author's comparison."""

    __slots__ = ("args", "graph", "number", "op")
    __array_ufunc__ = None
    __hash__ = object.__hash__

    def __init__(self, graph: Graph, op: str, args: tuple[Any, ...], number: int) -> None:
        self.graph, self.op, self.args, self.number = graph, op, args, number

    @property
    def arguments(self) -> list[Node]:
        """The nodes that it is computed from."""
        return [a for a in self.args if isinstance(a, Node)]

    __add__, __radd__ = operation("add"), operation("add", True)
    __sub__, __rsub__ = operation("sub"), operation("sub", True)
    __mul__, __rmul__ = operation("mul"), operation("mul", True)
    __pow__, __rpow__ = operation("power"), operation("power", True)

    def __truediv__(self, other: Any) -> Node:
        return self.graph.mul(self, self.graph.recip(self.graph.lift(other)))

    def __rtruediv__(self, other: Any) -> Node:
        return self.graph.mul(self.graph.lift(other), self.graph.recip(self))

    def __neg__(self) -> Node:
        return self.graph.scale(-1.0, self)

    def __pos__(self) -> Node:
        return self

    def __abs__(self) -> Node:
        return self.graph.call("fabs", self)

    __lt__, __le__ = comparison("<"), comparison("<=")
    __gt__, __ge__ = comparison(">"), comparison(">=")
    __eq__, __ne__ = comparison("=="), comparison("!=")  # type: ignore[assignment]

    def __bool__(self) -> bool:
        return bool(self != 0.0)

    def __getitem__(self, k: Any) -> Node:
        """An entry of a parameter that is a vector, a list or a matrix."""
        if self.op != "parameter":
            raise TraceError("an index into a number")
        indices = k if isinstance(k, tuple) else (k,)
        if not all(isinstance(i, int) for i in indices):
            raise TraceError(f"an index into p.{self.args[0]} that is no fixed whole number")
        return self.graph.node("parameter", f"{self.args[0]}[{', '.join(map(str, indices))}]")

    __iter__ = refused("a loop over a parameter or a number; give each entry its index, as in `p.axis[0]`")
    __len__ = refused("len() of a number; a vector has three components")
    __float__ = refused(
        "float() of a number that depends on poses or parameters, also in functions that cannot be followed, "
        "as methods of objects that stand for numbers or collections"
    )
    __int__ = refused("int() of a number that depends on poses or parameters")
    __index__ = refused("an index or a range() that depends on poses or parameters")
    __complex__ = refused("complex() of a number that depends on poses or parameters")
    __floordiv__ = __rfloordiv__ = refused("`//`, which has no derivative; use `floor`")
    __mod__ = __rmod__ = __divmod__ = refused("`%`, which has no derivative")
    __round__ = refused("round(), which has no derivative; use `floor`")
    __format__ = refused("a number that depends on poses or parameters in a text")


class Condition:
    """A comparison of nodes. An `if` on it makes the tracer follow both branches."""

    def __init__(self, node: Node) -> None:
        self.node = node

    def __bool__(self) -> bool:
        decide = self.node.graph.decide
        if decide is None:
            raise TraceError("a comparison outside the traced function")
        return decide(self.node)

    __hash__ = object.__hash__
    __add__ = __radd__ = __mul__ = __rmul__ = __sub__ = __rsub__ = __and__ = __or__ = refused(
        "arithmetic with a comparison; use `where(condition, a, b)` or `if`"
    )
    __rand__ = __ror__ = __xor__ = __rxor__ = __invert__ = __neg__ = __index__ = __float__ = __and__
    __truediv__ = __rtruediv__ = __pow__ = __rpow__ = __lt__ = __le__ = __gt__ = __ge__ = __and__

    def __eq__(self, other: object) -> bool:
        return bool(self) == other if isinstance(other, (int, float)) else bool(self) == bool(other)


def below(roots: Iterable[Node]) -> list[Node]:
    """All nodes that the roots are computed from and themselves, arguments first."""
    seen: set[int] = set()
    found: list[Node] = []
    stack = [(root, False) for root in reversed(list(roots))]
    while stack:
        node, done = stack.pop()
        if done:
            found.append(node)
        elif node.number not in seen:
            seen.add(node.number)
            stack.append((node, True))
            stack += [(a, False) for a in reversed(node.arguments)]
    return found
