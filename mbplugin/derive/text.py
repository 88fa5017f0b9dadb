"""Source text of kernels: statements that compute nodes, under the branches of a traced function."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from mbplugin.derive.author import DERIVATIVES
from mbplugin.derive.graph import INPUTS, Node, below
from mbplugin.derive.trace import Branch, Leaf, Tree

INDENT = "    "
#: inputs that are written where they are used, instead of being loaded once
WRITTEN_IN_PLACE = ("parameter", "t", "seed")
#: operations that are written where they are used, if that is one place
INLINE = ("mul", "scale", "compare")
#: argument of a kernel that an input is read from, if it is not a marker
ARGUMENTS = {"parameter": "p", "t": "t", "function": "u", "load": "lam"}

#: arguments beside markers, in this order
READ = ("p", "t", "u", "x", "mem", "active", "lam", "s", "s_dot")
#: an output and the node that is stored there
Stores = list[tuple[str, Node]]


class Scope:
    """Names of the nodes that are computed where a statement stands."""

    def __init__(self, names: dict[object, str], depth: int) -> None:
        self.names, self.depth = names, depth

    def inside(self) -> Scope:
        return Scope(dict(self.names), self.depth + 1)


class Writer:
    """Statements of a function of markers."""

    def __init__(self, markers: int) -> None:
        self.lines: list[str] = []
        self.markers = ["a", "b"][:markers] if markers <= 2 else [f"m{k}" for k in range(markers)]
        self.read: set[str] = set()  # arguments that the statements read
        self.known: dict[str, object] = {}  # names of author's functions -> themselves

    def line(self, scope: Scope, text: str) -> None:
        self.lines.append(INDENT * scope.depth + text)

    def function(self, name: str, outputs: Sequence[str]) -> str:
        """The function around the statements, with the arguments that they read."""
        several = len(self.markers) > 2 and not self.read.isdisjoint(self.markers)
        markers = ["m"] if several else [m for m in self.markers if m in self.read]
        given = [*markers, *(n for n in READ if n in self.read), *outputs]
        unpack = [f"{INDENT}{', '.join(self.markers)} = m"] if several else []
        return "\n".join([f"def {name}({', '.join(given)}):", *unpack, *self.lines]) + "\n"

    def input(self, n: Node) -> str:
        """The text of an input."""
        if n.op in ARGUMENTS:
            self.read.add(ARGUMENTS[n.op])
        match n.op:
            case "x" | "v" | "w":
                return f"{self.marker(n)}.{n.op}[{n.args[1]}]"
            case "axis":
                return f"{self.marker(n)}.R[{3 * n.args[2] + n.args[1]}]"
            case "parameter":
                return f"p.{n.args[0]}"
            case "function":
                return f"u.{n.args[0]}[{n.args[1]}]"
            case "load":
                return f"lam[{n.args[0]}]"
            case "measure":
                self.read.add(n.args[0])
                return f"{n.args[0]}[{n.args[1]}]"
            case "state" | "memory":
                self.read.add(n.args[0])
                return f"{n.args[0]}[{n.args[1]}]"
            case "seed":
                return str(n.args[0])
        return n.op

    def marker(self, n: Node) -> str:
        name = self.markers[n.args[0]]
        self.read.add(name)
        return name

    def expression(self, n: Node, scope: Scope) -> str:
        """The text of an operation on names."""
        a, of = n.args, lambda x: self.reference(x, scope)
        match n.op:
            case "add":
                return f"{of(a[0])} + {of(a[1])}"
            case "sub":
                return f"{of(a[0])} - {of(a[1])}"
            case "mul":
                return f"{of(a[0])} * {of(a[1])}"
            case "scale":
                return f"-{of(a[1])}" if a[0] == -1.0 else f"{a[0]!r} * {of(a[1])}"
            case "recip":
                return f"1.0 / {of(a[0])}"
            case "power":
                return f"{of(a[0])} ** {a[1]!r}"
            case "compare":
                return f"{of(a[1])} {a[0]} {of(a[2])}"
            case "select":
                return f"{of(a[1])} if {of(a[0])} else {of(a[2])}"
            case "known":
                name = f"known_{a[0].name}_{a[2]}"
                self.known[name] = a[0].functions[a[2]]
                return f"{name}({of(a[1])})"
            case "call" if a[0] == "sign":
                return f"copysign(1.0, {of(a[1])})"
            case "call" if a[0] == "signum":
                return f"copysign(1.0, {of(a[1])}) if {of(a[1])} != 0.0 else 0.0"
            case "call" if a[0] == "root":
                return f"sqrt({of(a[1])})"
            case "call":
                return f"{a[0]}({', '.join(map(of, a[1:]))})"
        return self.input(n)

    def reference(self, n: Node, scope: Scope) -> str:
        """The name of a node, or its text in brackets."""
        if n.op == "const":
            return repr(n.args[0]) if n.args[0] >= 0 else f"({n.args[0]!r})"
        return scope.names.get(n.number) or f"({self.expression(n, scope)})"

    def compute(self, roots: Sequence[Node], scope: Scope, stores: Iterable[tuple[str, Node]] = ()) -> None:
        """Statements for what the roots need and the scope lacks. An output is stored right after its node is
        computed, so that few numbers are alive at a time.
        """
        outputs: dict[int, list[str]] = {}
        for target, node in stores:
            outputs.setdefault(node.number, []).append(target)
        nodes = below(roots)
        ends = {root.number for root in roots}
        uses: dict[int, int] = {}
        for n in nodes:
            for argument in n.arguments:
                uses[argument.number] = uses.get(argument.number, 0) + 1
        for n in nodes:
            known = n.number in scope.names or n.op == "const"
            inline = uses.get(n.number, 0) <= 1 and n.op in INLINE and n.number not in ends
            if not known and not inline:
                self.name(n, scope)
            for target in outputs.pop(n.number, ()) if not inline else ():
                self.line(scope, f"{self.assigned(target)} {self.reference(n, scope)}")

    def assigned(self, target: str) -> str:
        """The beginning of a statement that stores a number at an output."""
        return f"{target} ="

    def name(self, n: Node, scope: Scope) -> None:
        """A statement that gives a node its name, unless its text is short."""
        if n.op in WRITTEN_IN_PLACE:
            scope.names[n.number] = self.input(n)
        elif n.op == "table":
            table, x, k = n.args
            self.read.add("p")
            if k < DERIVATIVES:
                scope.names[n.number] = f"{self.called(scope, 's', f'spline({table}, ', x)}[{k}]"
            else:
                scope.names[n.number] = self.called(scope, "s", f"spline_third({table}, ", x)
        elif n.op == "axis" and isinstance(n.args[1], Node):
            marker, k, c = self.marker(n), n.args[1], n.args[2]
            scope.names[n.number] = f"{self.called(scope, 'n', f'axis({marker}, ', k)}[{c}]"
        else:
            text = self.input(n) if n.op in INPUTS else self.expression(n, scope)
            scope.names[n.number] = f"_{n.number}"
            self.line(scope, f"_{n.number} = {text}")

    def called(self, scope: Scope, letter: str, call: str, argument: Node) -> str:
        """The name of a call, which is made once."""
        key = (call, argument.number)
        if key not in scope.names:
            text = f"{call}{self.reference(argument, scope)})"
            scope.names[key] = f"{letter}{len(scope.names)}"
            self.line(scope, f"{scope.names[key]} = {text}")
        return scope.names[key]

    def before(self, roots: Sequence[Node], moving: Sequence[Node], scope: Scope) -> None:
        """Statements for what the roots need and does not depend on the `moving` inputs."""
        depends = set(moving)
        ready: dict[Node, None] = {}
        for node in below(roots):
            if any(a in depends for a in node.arguments):
                depends.add(node)
                ready |= dict.fromkeys(a for a in node.arguments if a not in depends and a.op != "const")
        self.compute(list(ready), scope)

    def store(self, stores: Stores, scope: Scope) -> None:
        """Statements that compute and store outputs."""
        self.compute([node for _, node in stores], scope, stores)
        if not stores:
            self.line(scope, "pass")


def branches(tree: Tree, writer: Writer, end: Callable[[Leaf, Scope], None], scope: Scope) -> None:
    """Statements for all branches; `end` writes those of a leaf."""
    if not isinstance(tree, Branch):
        return end(tree, scope)
    writer.compute([tree.condition], scope)
    writer.line(scope, f"if {writer.reference(tree.condition, scope)}:")
    branches(tree.yes, writer, end, scope.inside())
    writer.line(scope, "else:")
    return branches(tree.no, writer, end, scope.inside())
