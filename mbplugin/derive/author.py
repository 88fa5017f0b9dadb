"""What an author's function sees while it is traced: markers, parameters, functions of time, `math`.

`where` and `Known` are part of the interface; all else stands in for what the function names.
"""

from __future__ import annotations

import builtins
import enum
import functools
import math
import sys
import types
from collections.abc import Callable, Mapping
from typing import Any

from numba.extending import is_jitted

from mbplugin.derive.graph import Condition, Graph, Node, TraceError
from mbplugin.derive.silent import refuse_silent

#: functions of `math` that can be traced by name
TRACED = (
    *("sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "log", "tanh", "sinh", "cosh"),
    *("fabs", "floor", "ceil"),
)
#: number of entries of a function of time and of a spline: value, first and second derivative
DERIVATIVES = 3


def where(condition: Any, a: Any, b: Any) -> Any:
    """`a` where the condition holds, else `b`; both are computed, and no branch is made.

    Its derivative is that of the one that is taken: a jump has none. Also in compiled functions.
    """
    if not isinstance(condition, Condition):
        return a if condition else b
    g = condition.node.graph
    return g.select(condition.node, g.lift(a), g.lift(b))


class Known:
    """A function of one number whose derivatives its author gives: f, f1, f2 and, for tangents, more.

    All are compiled functions (`jit`) of a module. In the function that is traced it is called like f.
    """

    def __init__(self, *functions: Callable[[float], float]) -> None:
        if len(functions) < DERIVATIVES:
            raise TraceError("Known(f, f1, f2) takes a function and its first two derivatives at least")
        self.functions = functions
        self.name = functions[0].__name__

    def __call__(self, x: Any) -> Any:
        return x.graph.node("known", self, x, 0) if isinstance(x, Node) else self.functions[0](x)


def python_of(function: Any) -> Any:
    """A function as Python, of one that is compiled."""
    return getattr(function, "py_func", function)


def name_of(function: Any) -> str:
    """Name of a function in messages and texts, also of a lambda or a `functools.partial`."""
    name = getattr(function, "__name__", None) or name_of(getattr(function, "func", type(function)))
    return str(name).strip("<>")


class TracedMarker:
    """Position and axes of a marker as inputs; of a function of velocities also `v` and `w`."""

    def __init__(self, graph: Graph, number: int, moving: bool) -> None:
        vector = lambda name: tuple(graph.node(name, number, c) for c in range(3))
        self.graph, self.number, self.x = graph, number, vector("x")
        self.R = tuple(graph.node("axis", number, k, c) for c in range(3) for k in range(3))
        if moving:
            self.v, self.w = vector("v"), vector("w")

    def __getattr__(self, name: str) -> Any:
        if name in ("v", "w"):
            raise TraceError(f"`{name}` of a marker: this is a function of poses alone")
        raise AttributeError(f"a marker has no `{name}`")


class Parameters:
    """`p`: each attribute is an input. A vector, list or matrix is indexed by fixed numbers."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def __getattr__(self, name: str) -> Node:
        return self.graph.node("parameter", name)


class Functions:
    """`u`: each attribute is (value, first, second time derivative)."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def __getattr__(self, name: str) -> tuple[Node, ...]:
        return tuple(self.graph.node("function", name, k) for k in range(DERIVATIVES))


class Entries:
    """`x`, `mem`, `active`: entries with fixed indices."""

    def __init__(self, graph: Graph, op: str, name: str) -> None:
        self.graph, self.op, self.name = graph, op, name

    def __getitem__(self, k: int) -> Node:
        if not isinstance(k, int):
            raise TraceError(f"an index into `{self.name}` that is no fixed whole number")
        return self.graph.node(self.op, *((k,) if self.op == "load" else (self.name, k)))


def axis(marker: TracedMarker, k: Any) -> tuple[Node, ...]:
    """Axis k of a marker; k may be a parameter."""
    return tuple(marker.graph.node("axis", marker.number, k, c) for c in range(3))


def column(R: tuple[Node, ...], k: Any) -> tuple[Node, ...]:
    """Column k of a matrix; of the axes of a marker k may be a parameter."""
    if not isinstance(k, Node):
        return R[k], R[3 + k], R[6 + k]
    if any(n.op != "axis" for n in R):
        raise TraceError("a column, chosen by a parameter, of a matrix that is not `R` of a marker")
    return tuple(R[0].graph.node("axis", R[0].args[0], k, c) for c in range(3))


def spline(table: Node, x: Any) -> tuple[Node, ...]:
    """Value, first and second derivative of a spline among the parameters."""
    x = table.graph.lift(x)
    return tuple(table.graph.node("table", f"p.{table.args[0]}", x, k) for k in range(DERIVATIVES))


def scalar(name: str) -> Callable[..., Any]:
    """A function of `math` for nodes and numbers."""
    plain = getattr(math, name)

    def function(*args: Any) -> Any:
        graph = next((a.graph for a in args if isinstance(a, Node)), None)
        return plain(*args) if graph is None else graph.call(name, *map(graph.lift, args))

    return function


def hypot(*args: Any) -> Any:
    total: Any = sum(a * a for a in args)
    return MATH["sqrt"](total)


def extreme(before: Callable[[Any, Any], Any], plain: Callable[..., Any]) -> Callable[..., Any]:
    """`min` or `max`, which take the first of equal numbers; with `key` or `default` by branches."""

    def function(*args: Any, **keywords: Any) -> Any:
        if keywords:
            return plain(*args, **keywords)
        first, *rest = args[0] if len(args) == 1 else args
        for a in rest:
            first = where(before(a, first), a, first)
        return first

    return function


def copysign(a: Any, b: Any) -> Any:
    return abs(a) * (b.graph.call("sign", b) if isinstance(b, Node) else math.copysign(1.0, b))


def logarithm(x: Any, base: Any = None) -> Any:
    log = scalar("log")
    return log(x) if base is None else log(x) / log(base)


def dist(p: Any, q: Any) -> Any:
    return hypot(*(a - b for a, b in zip(p, q, strict=True)))


def prod(factors: Any, *, start: Any = 1) -> Any:
    for factor in factors:
        start = start * factor
    return start


MATH: dict[str, Any] = {
    **{name: scalar(name) for name in TRACED},
    "log": logarithm,
    "log2": lambda x: logarithm(x, 2.0),
    "log10": lambda x: logarithm(x, 10.0),
    "hypot": hypot,
    "dist": dist,
    "fsum": sum,
    "prod": prod,
    "radians": lambda x: x * (math.pi / 180.0),
    "degrees": lambda x: x * (180.0 / math.pi),
    "copysign": copysign,
    "pow": pow,
    "pi": math.pi,
    "tau": math.tau,
    "e": math.e,
    "inf": math.inf,
    "nan": math.nan,
}
BUILTINS = {"min": extreme(lambda a, b: a < b, min), "max": extreme(lambda a, b: a > b, max)}
#: functions of the engine that are replaced, by module and name
ENGINES = {
    ("mbplugin.interface.marker", "axis"): axis,
    ("mbplugin.math.vec3", "column"): column,
    ("mbplugin.math.spline", "spline"): spline,
}


#: functions of the engine that take what a traced function gives them
AS_THEY_ARE = {("mbplugin.derive.sums", "sum_along")}


class Namespace:
    """A module, a class or an object, by the replacements of what it has."""

    def __init__(self, owner: Any, made: dict[Any, Any]) -> None:
        self.owner, self.made = owner, made

    def __getattr__(self, name: str) -> Any:
        if self.owner is math or getattr(self.owner, "__name__", "") == "numpy":
            return of_math(self.owner.__name__, name)
        return replacement(getattr(self.owner, name), self.made)

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        if isinstance(self.owner, type):
            return self.owner(*args, **keywords)
        return replacement(self.owner.__call__, self.made)(*args, **keywords)

    def __eq__(self, other: object) -> bool:
        return bool(self.owner == (other.owner if isinstance(other, Namespace) else other))

    def __hash__(self) -> int:
        return hash(self.owner)


def of_math(module: str, name: str) -> Any:
    """What stands for a constant or function of `math`; others take numbers alone. Raises TraceError."""
    if name in MATH:
        return MATH[name]
    says = f"{module}.{name}, whose derivative is not known; give it as `Known(f, f1, f2)`"
    plain = getattr(math, name, None) if module == "math" else None
    if not callable(plain):
        raise TraceError(says)

    def of_numbers(*args: Any, **keywords: Any) -> Any:
        if any(isinstance(a, Node) for a in args):
            raise TraceError(says)
        return plain(*args, **keywords)

    return of_numbers


def replacement(value: Any, made: dict[Any, Any]) -> Any:
    """What stands for a global or a captured variable of the author's. Raises TraceError."""
    name, module = getattr(value, "__name__", ""), getattr(value, "__module__", None) or ""
    if isinstance(value, (types.ModuleType, type)):
        return Namespace(value, made)
    if value is where or isinstance(value, Known) or (module, name) in AS_THEY_ARE:
        return value
    if isinstance(value, types.BuiltinFunctionType) and module == "math":
        return of_math("math", name)
    if (module, name) in ENGINES:
        return ENGINES[module, name]
    if is_jitted(value) or isinstance(value, types.FunctionType):
        return traceable(value, made)
    if isinstance(value, types.MethodType):
        return types.MethodType(replacement(value.__func__, made), replacement(value.__self__, made))
    if isinstance(value, functools.partial):
        function, *given = (replacement(each, made) for each in (value.func, *value.args))
        keywords = {name: replacement(each, made) for name, each in value.keywords.items()}
        return functools.partial(function, *given, **keywords)
    if type(value) in (list, tuple):
        return type(value)(replacement(each, made) for each in value)
    if type(value) is dict:
        return {key: replacement(each, made) for key, each in value.items()}
    return Namespace(value, made) if is_of_plain_class(value) else value


#: methods of objects that stand for numbers or collections, which are taken as they are
OPERATORS = ("__add__", "__mul__", "__iter__", "__getitem__", "__len__", "__eq__", "__enter__", "__array__")


def is_of_plain_class(value: Any) -> bool:
    """Whether a value is an object of a class with methods of its author's, and no more than methods."""
    if isinstance(value, enum.Enum):
        return False
    cls = type(value)
    own = [vars(base) for base in cls.__mro__ if base is not object]
    plain = all(base.__flags__ & HEAP_TYPE for base in cls.__mro__ if base is not object)
    has_methods = any(isinstance(each, types.FunctionType) for base in own for each in base.values())
    others = {name for base in own for name in base if name in OPERATORS}
    return plain and has_methods and others <= {"__eq__"} and not cls.__module__.startswith("mbplugin.")


#: flag of classes that are written in Python
HEAP_TYPE = 1 << 9


def importing(made: dict[Any, Any]) -> Callable[..., Any]:
    """`import` inside a function, which gets the replacements of a module."""
    return lambda *args, **keywords: replacement(builtins.__import__(*args, **keywords), made)


def traceable(function: Any, made: dict[Any, Any]) -> Any:
    """A copy of a function, and of the functions that it calls, for nodes. Raises TraceError."""
    python = python_of(function)
    if python.__module__.partition(".")[0] not in sys.stdlib_module_names:
        refuse_silent(python)
    space = {**vars(builtins), **BUILTINS, "__import__": importing(made)}
    return copied(function, made, replacement, {**BUILTINS, "__builtins__": space})


def copied(
    function: Any,
    made: dict[Any, Any],
    replace: Callable[[Any, dict[Any, Any]], Any],
    builtins: Mapping[str, Any],
) -> Any:
    """A copy of a function whose globals and captured variables are replaced.

    made: the copies so far; replace(value, made): what stands for a value; builtins: globals beside them
    """
    python = python_of(function)
    if python in made:
        return made[python]
    space = {**python.__globals__, **builtins}
    closure = python.__closure__ and tuple(
        types.CellType(replace(cell.cell_contents, made)) for cell in python.__closure__
    )
    copy = types.FunctionType(python.__code__, space, python.__name__, python.__defaults__, closure)
    copy.__kwdefaults__ = python.__kwdefaults__
    made[python] = copy
    for name in names_in(python.__code__) & python.__globals__.keys():
        space[name] = replace(python.__globals__[name], made)
    return copy


def names_in(code: types.CodeType) -> set[str]:
    """Names that a function and the functions inside it look up."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= names_in(constant)
    return names
