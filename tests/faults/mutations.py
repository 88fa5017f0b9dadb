"""Faults as mutations of the syntax tree: a sign, a factor, a missing term, an index, a missing statement.

A mutation is named by file, function, kind and number: the number-th place of that kind in the function, in
the order of the source. A change of names or of layout leaves it where it is.
"""

from __future__ import annotations

import ast
import functools
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
#: where mutants are drawn: kernels and plugins
FOLDERS = ("mbplugin/kernels", "mbplugin/math", "mbplugin/matrix", "mbplugin/stepping", "plugins")

Change = Callable[[], None]
#: a function, or what of a class or module stands outside functions
Scope = ast.FunctionDef | ast.Module


class Mutant(NamedTuple):
    file: str
    function: str  # qualified by its class; a class or "" for what stands outside functions
    kind: str
    number: int

    def __str__(self) -> str:
        return f"{self.file}:{self.function} {self.kind} {self.number}"


def signs(node: ast.AST) -> Iterator[Change]:
    """+ becomes −, − becomes +, −x becomes x."""
    if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Add | ast.Sub):
        yield lambda: setattr(node, "op", ast.Sub() if isinstance(node.op, ast.Add) else ast.Add())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield lambda: setattr(node, "op", ast.UAdd())


def factors(node: ast.AST) -> Iterator[Change]:
    """A number that is not whole or is 2.0 is doubled; a factor of a product is left out."""
    if isinstance(node, ast.Constant) and type(node.value) is float and node.value != 0.0:
        yield lambda: setattr(node, "value", 2.0 * node.value)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        yield lambda: setattr(node, "left", ast.Constant(1.0))


def terms(node: ast.AST) -> Iterator[Change]:
    """The second term of a sum is left out; x += y does nothing."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        yield lambda: setattr(node, "right", ast.Constant(0))
    elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add | ast.Sub):
        yield lambda: setattr(node, "value", ast.Constant(0))


def indices(node: ast.AST) -> Iterator[Change]:
    """A whole number in an index is one less, 0 is 1."""
    if isinstance(node, ast.Subscript) and getattr(node.value, "attr", "") != "shape":
        for inner in ast.walk(node.slice):
            if isinstance(inner, ast.Constant) and type(inner.value) is int:
                yield lambda inner=inner: setattr(inner, "value", inner.value - 1 if inner.value else 1)


def statements(node: ast.AST) -> Iterator[Change]:
    """A statement of a block is left out: an assignment, a call, a raise, a return of nothing."""
    for block in ("body", "orelse", "finalbody"):
        lines = getattr(node, block, None)
        for k, line in enumerate(lines if isinstance(lines, list) else ()):
            if isinstance(line, ast.Assign | ast.AugAssign | ast.Expr | ast.Raise) and not is_text(line):
                yield lambda lines=lines, k=k: lines.__setitem__(k, ast.copy_location(ast.Pass(), lines[k]))


COMPARED = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq}


def swaps(node: ast.AST) -> Iterator[Change]:
    """The two arguments of a call change places."""
    if isinstance(node, ast.Call) and len(node.args) == 2 and not isinstance(node.args[0], ast.Starred):
        yield node.args.reverse


def whole_numbers(node: ast.AST) -> Iterator[Change]:
    """A whole number is one more."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        yield lambda: setattr(node, "value", node.value + 1)


def truths(node: ast.AST) -> Iterator[Change]:
    """True becomes False, False becomes True."""
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield lambda: setattr(node, "value", not node.value)


def copies(node: ast.AST) -> Iterator[Change]:
    """x = y.copy() becomes x = y."""
    value = node.value if isinstance(node, ast.Assign) else None
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "copy":
        yield lambda original=value.func.value: setattr(node, "value", original)


def comparisons(node: ast.AST) -> Iterator[Change]:
    """< becomes <=, <= becomes <, == becomes !=."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARED:
        yield lambda: node.ops.__setitem__(0, COMPARED[type(node.ops[0])]())


def conditions(node: ast.AST) -> Iterator[Change]:
    """A condition is never true."""
    if isinstance(node, ast.If | ast.IfExp):
        yield lambda: setattr(node, "test", ast.Constant(False))


def members(node: ast.AST) -> Iterator[Change]:
    """The last member of a sequence, or the last of several arguments, is left out."""
    if isinstance(node, ast.Tuple | ast.List | ast.Set) and len(node.elts) > 1:
        yield lambda: node.elts.pop()
    elif isinstance(node, ast.Call) and len(node.args) > 1:
        yield lambda: node.args.pop()


def transposes(node: ast.AST) -> Iterator[Change]:
    """x.T becomes x, which for real numbers is x.real."""
    if isinstance(node, ast.Attribute) and node.attr == "T":
        yield lambda: setattr(node, "attr", "real")


def negatives(node: ast.AST) -> Iterator[Change]:
    """x*y becomes −x*y."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        yield lambda: setattr(node, "left", ast.UnaryOp(ast.USub(), node.left))


def zeros(node: ast.AST) -> Iterator[Change]:
    """An argument of a call is multiplied by 0."""
    yield from multiplied(node, 0.0)


def nudges(node: ast.AST) -> Iterator[Change]:
    """An argument of a call is larger by a millionth."""
    yield from multiplied(node, 1.0 + 1e-6)


def multiplied(node: ast.AST, factor: float) -> Iterator[Change]:
    for k, argument in enumerate(node.args if isinstance(node, ast.Call) else ()):
        product = ast.BinOp(ast.Constant(factor), ast.Mult(), argument)
        yield lambda k=k, product=product: node.args.__setitem__(k, product)


def magnitudes(node: ast.AST) -> Iterator[Change]:
    """A number that is not whole is 10⁷ times smaller."""
    if isinstance(node, ast.Constant) and type(node.value) is float and node.value != 0.0:
        yield lambda: setattr(node, "value", 1e-7 * node.value)


def far_indices(node: ast.AST) -> Iterator[Change]:
    """A whole number in an index is eight more."""
    if isinstance(node, ast.Subscript):
        for inner in ast.walk(node.slice):
            if isinstance(inner, ast.Constant) and type(inner.value) is int:
                yield lambda inner=inner: setattr(inner, "value", inner.value + 8)


def nans(node: ast.AST) -> Iterator[Change]:
    """A statement assigns nan."""
    if isinstance(node, ast.Assign | ast.AugAssign):
        yield lambda: setattr(node, "value", ast.Constant(float("nan")))


def ones(node: ast.AST) -> Iterator[Change]:
    """A statement assigns 1, in the shape of what it assigned."""
    if isinstance(node, ast.Assign):
        yield lambda: setattr(
            node, "value", ast.parse(f"1.0 + 0.0*({ast.unparse(node.value)})").body[0].value
        )


#: kinds of which mutants are drawn
DRAWN = ("sign", "factor", "term", "index")
KINDS: dict[str, Callable[[ast.AST], Iterator[Change]]] = {
    "sign": signs,
    "factor": factors,
    "term": terms,
    "index": indices,
    "statement": statements,
    "comparison": comparisons,
    "condition": conditions,
    "swap": swaps,
    "whole": whole_numbers,
    "truth": truths,
    "copy": copies,
    "member": members,
    "transpose": transposes,
    "zero": zeros,
    "nudge": nudges,
    "magnitude": magnitudes,
    "far": far_indices,
    "nan": nans,
    "ones": ones,
    "negative": negatives,
}


def is_text(line: ast.stmt) -> bool:
    return isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant)


def scopes(tree: ast.Module) -> dict[str, Scope]:
    """Functions of a module and of its classes, by name, those of a class as CLASS.NAME; with the statements
    of a class outside functions as CLASS, and those of the module as "".
    """
    found: dict[str, Scope] = {"": ast.Module([], [])}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = node
        elif isinstance(node, ast.ClassDef):
            inner = [f for f in node.body if isinstance(f, ast.FunctionDef)]
            found |= {f"{node.name}.{f.name}": f for f in inner}
            found[node.name] = ast.Module([line for line in node.body if line not in inner], [])
        else:
            found[""].body.append(node)
    return found


def nodes_of(scope: Scope) -> list[ast.AST]:
    """All nodes of the statements of a scope."""
    return [node for line in scope.body for node in ast.walk(line)]


def changes(scope: Scope, kind: str) -> list[Change]:
    """What a mutation of this kind can do in a scope, without signature and decorators."""
    nodes = nodes_of(scope)
    nodes.sort(key=lambda node: (getattr(node, "lineno", 0), getattr(node, "col_offset", 0)))
    if kind == "statement":
        nodes.insert(0, ast.Module(scope.body, []))
    return [change for node in nodes for change in KINDS[kind](node)]


def mutated(text: str, mutant: Mutant) -> str:
    """The source with the mutation. Raises LookupError if there is no such place."""
    tree = ast.parse(text)
    before = ast.unparse(tree)
    found = scopes(tree)
    if mutant.function not in found:
        raise LookupError(f"{mutant.file} has no function {mutant.function!r}")
    possible = changes(found[mutant.function], mutant.kind)
    if mutant.number >= len(possible):
        raise LookupError(f"{mutant}: there are {len(possible)} places of that kind")
    possible[mutant.number]()
    after = ast.unparse(tree)
    assert after != before, f"{mutant} changes nothing"
    return after


@functools.cache
def places(root: Path) -> dict[str, list[Mutant]]:
    """All mutants of the kinds that are drawn, by kind, in the order of the sources below `root`."""
    found: dict[str, list[Mutant]] = {kind: [] for kind in DRAWN}
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*.py")):
            file = path.relative_to(root).as_posix()
            for name, scope in scopes(ast.parse(path.read_text())).items():
                nodes = nodes_of(scope) if isinstance(scope, ast.FunctionDef) else []
                for kind, mutants in found.items():
                    count = sum(1 for node in nodes for _ in KINDS[kind](node))
                    mutants.extend(Mutant(file, name, kind, k) for k in range(count))
    return found


def drawn(count: int, seed: int, root: Path = ROOT) -> list[Mutant]:
    """Mutants of random files, functions and kinds; the same seed and sources give the same ones."""
    chance, of_kind = random.Random(seed), places(root)
    return [chance.choice(of_kind[chance.choice(list(of_kind))]) for _ in range(count)]
