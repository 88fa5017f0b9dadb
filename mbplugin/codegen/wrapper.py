"""Source text of the compiled batch kernels around authors' functions.

A batch kernel is `int64 f(int64 first, int64 count, int64 *tables)`: it loops over the elements of one kind,
makes views of the arguments that the author's function names, and calls it. It returns 0, or 1 if a function
raised. To find the element, the batch is called again for one element at a time (a try block inside the loop
made the compiler ten times slower). The text is the same for compiled and plain Python functions; it is
private and may change with every version.

This module holds what `element_text.py` and `body_text.py` share.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from mbplugin.errors import PluginError
from mbplugin.interface.names import NAMES, VERSION


@dataclass(frozen=True)
class Size:
    """A number of entries: a constant times columns of the record `e` of the element, or `b` of the body."""

    factor: int
    columns: tuple[str, ...] = ()

    def __mul__(self, other: Size | int) -> Size:
        other = other if isinstance(other, Size) else Size(other)
        return Size(self.factor * other.factor, self.columns + other.columns)

    def __str__(self) -> str:
        constant = (str(self.factor),) if self.factor != 1 or not self.columns else ()
        return " * ".join(constant + self.columns)

    def of(self, record: Any) -> int:
        """The number of one record."""
        return self.factor * prod(int(getattr(record, c.partition(".")[2])) for c in self.columns)


@dataclass(frozen=True)
class Shape:
    """Properties on which the text of a wrapper depends besides the function; equal for all elements of a
    batch.

    parameters: (name, type) with types "float", "int", "vector", "list", "matrix", "spline", and
    "absent" of what is left out; functions: names of bound functions.
    A size that is None is that of each record.
    """

    parameters: tuple[tuple[str, str], ...] = ()
    functions: tuple[str, ...] = ()
    markers: int | None = 2
    rows: int = 1
    measures: int = 0
    states: int = 0
    memory: int = 0
    events: int = 0
    outputs: tuple[str, ...] = ()
    period: float = 0.0
    as_measure: bool = False
    nq: int | None = 0
    nv: int | None = 0
    scratch: int | None = 0
    record: int | None = 0
    of_forces: bool = False
    transient: bool = False  # of a body kind: on markers of the transient rows
    profile: bool = False  # `inertia` writes a profile
    parts: bool = False  # of a body kind whose points move with some of its parts
    derived: bool = False  # of a row or coordinate of a joint in `DerivedRows`

    @functools.cached_property
    def text(self) -> str:
        """A text that tells shapes apart, and orders them."""
        return repr(self)

    def size(self, name: str) -> Size:
        """The size `name` of a body kind, or the number of markers ("slots") of an element."""
        columns = {"slots": "e.slots", "nq": "b.kind_q", "nv": "b.kind_v"}
        number = self.markers if name == "slots" else getattr(self, name)
        column = columns.get(name, f"b.{name}")
        return Size(1, (column,)) if number is None else Size(number)


#: roles of functions that write the outputs of a kind
WITH_OUTPUTS = ("constraint", "force", "enforcement")
#: outputs that a function must have as arguments, because nothing else writes them
REQUIRED = {"measure": ("value", "J", "bias"), "constraint": ("G", "gamma"), "enforcement": ("load",)}


HEAD = '''"""Written by mbplugin; private."""
from typing import NamedTuple
from mbplugin.interface.marker import Marker
from mbplugin.math.jit import internal, jit
from mbplugin.kernels.view import TABLES, part, table_at, view
from mbplugin.math.vec3 import load, load_matrix, store
from mbplugin.tables.groups import *
'''


def arguments(function: Callable[..., Any], role: str, owner: str, outputs: Sequence[str] = ()) -> list[str]:
    """Argument names of the function; outputs: those that its kind declares. Raises PluginError for unknown
    or missing ones.
    """
    outputs = outputs if role in WITH_OUTPUTS else ()
    function = getattr(function, "py_func", function)
    names = list(inspect.signature(function).parameters)
    for name in names:
        if name not in NAMES[role] and name not in outputs:
            known = ", ".join(NAMES[role])
            raise PluginError(
                f'{owner}: its {role} function asks for "{name}", which interface version '
                f"{VERSION} does not have; "
                f"it has: {known}"
            )
    for name in outputs:
        if name in NAMES[role]:
            raise PluginError(
                f'{owner}: its output "{name}" has the name of an argument; give it another one'
            )
        if name not in names:
            raise PluginError(f'{owner}: its {role} function does not ask for "{name}", one of its `outputs`')
    for name in REQUIRED.get(role, ()):
        if name not in names:
            raise PluginError(
                f'{owner}: its {role} function does not ask for "{name}", which it has to write: '
                f"{NAMES[role][name]}"
            )
    return names


LOOP = """
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
"""


def loop(body: list[str], groups: dict[str, str]) -> str:
    """Source text of the batch function for the statements of one record, with views of their groups."""
    text = "\n".join(body)
    views = [f"{name} = view(tables, {group})" for name, group in groups.items() if f"{name}." in text]
    return LOOP.replace("{views}", "\n    ".join(views)).replace(
        "{body}", "\n".join("        " + line for line in body)
    )
