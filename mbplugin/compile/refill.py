"""Problems of changed systems, without new machine code.

A changed number of a scene leaves all integers of the tables as they are: its floating-point numbers are
written into a copy of the tables that were assembled before. Where integers differ, tables are assembled
again.
"""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import dataclass
from typing import Any, Self

from mbplugin.compile.assemble import Assembly, assemble
from mbplugin.compile.builder import Builder
from mbplugin.problem import Problem
from mbplugin.tables.arena import bytes_of, dtype_of, shape_of

#: fields of `Names` in which problems with the same machine code agree, as messages call them
NAMES = {
    "bodies": "bodies",
    "joints": "joints",
    "rows": "constraint rows",
    "coordinates": "coordinates",
    "scene_forces": "forces",
    "elements": "elements",
    "states": "states",
    "state_units": "units of states",
    "inputs": "inputs",
    "outputs": "outputs",
    "variables": "variables",
    "implicit": "implicit variables",
}
#: what a comparison looks at
PLAIN = (str, int, bool)


class StructureError(Exception):
    """Two structures differ; str() says in what."""


@dataclass
class Structure:
    """Parts in which problems agree that run with the same machine code and names: tuples, compared part by
    part.

    layout: of a problem with this structure that was changed before
    """

    parts: dict[str, tuple[Any, ...]]
    layout: Layout | None = None

    @classmethod
    def of(cls, build: Builder, assembly: Assembly) -> Self:
        """Structure of a draft."""
        system, scene = build.system, build.system.scene
        parts = {words: tuple(map(plain, getattr(assembly.names, name))) for name, words in NAMES.items()}
        parts["types of shapes"] = tuple(
            (s.type, owner.collide, s.collide) for owner, _, s in system.shapes()
        )
        laws = (getattr(law, "name", "") for law in system.contact_laws())
        parts["contacts"] = (scene.contacts, system.has_moments_of_contact, *laws)
        parts["functions of the engine"] = tuple(sorted(name for name, on in assembly.cases.items() if on))
        parts["conditions that end a run"] = (build.draft.stop is not None,)
        kernels = [*(batch.kernel for batch in assembly.batches), *assembly.called]
        parts["functions of plugins"] = tuple((kernel.owner, kernel.role, id(kernel)) for kernel in kernels)
        return cls(parts)

    def problem_of(self, assembly: Assembly, structure: Structure) -> tuple[Problem, Structure]:
        """The problem of the tables of a changed draft, and its structure, that of this one. Raises
        StructureError.
        """
        self.compare(structure)
        problem = self.layout.refilled(assembly) if self.layout is not None else None
        if problem is None:
            problem = assemble(assembly, ())
            self.layout = Layout(problem, assembly)
        return problem, self

    def compare(self, other: Structure) -> None:
        """Raises StructureError for the first part of another structure that differs."""
        for what, before in self.parts.items():
            now = other.parts[what]
            if now == before:
                continue
            if len(now) != len(before):
                raise StructureError(f"{what}: {len(before)} before, {len(now)} now")
            i = next(i for i, (a, b) in enumerate(zip(before, now)) if a != b)
            raise StructureError(f"{what}: {in_words(before[i])} before, {in_words(now[i])} now")


def plain(entry: Any) -> Any:
    """The texts and integers of an entry of a list of names."""
    kind: Any = type(entry)
    if (names := fields_of(kind)) is not None:
        return tuple(plain(getattr(entry, name)) for name in names)
    if isinstance(entry, tuple):
        return tuple(map(plain, entry))
    return entry if isinstance(entry, PLAIN) else ""


@functools.cache
def fields_of(kind: Any) -> tuple[str, ...] | None:
    """Names of the fields of a dataclass; None of another type."""
    return tuple(each.name for each in dataclasses.fields(kind)) if dataclasses.is_dataclass(kind) else None


def in_words(entry: Any) -> str:
    """The texts of an entry."""
    parts = entry if isinstance(entry, tuple) else (entry,)
    return " ".join(part for part in parts if isinstance(part, str) and part)


class Layout:
    """A problem as it was assembled, of which nobody changes the tables, and their shapes and integers.

    cache: what follows from them, by name
    """

    def __init__(self, problem: Problem, assembly: Assembly) -> None:
        self.problem, self.cache = problem.copy(), dict[str, Any]()
        named = [(group, name) for group, of in assembly.tables.items() for name in of._fields]
        arrays = assembly.arrays()
        self.shapes = [shape_of(array) for array in arrays]
        #: number of each array with floating-point numbers, its group and name
        self.floats: list[tuple[int, type, str]] = []
        #: numbers and content of all arrays of integers, or of columns of integers
        self.integers: list[tuple[int, str, bytes]] = []
        filled = [k for k, array in enumerate(arrays) if len(array)]
        for k in filled:
            array, (group, name) = arrays[k], named[k]
            columns = integers_of(dtype_of(array))
            if columns is not None:
                self.floats.append((k, group, name))
            for column in [""] if columns is None else columns:
                self.integers.append((k, column, bytes_of(array[column] if column else array)))

    def refilled(self, assembly: Assembly) -> Problem | None:
        """A copy of the problem with the numbers of other tables; None if their shapes or integers differ."""
        assembly.put_addresses()
        arrays = assembly.arrays()
        if self.shapes != [shape_of(array) for array in arrays]:
            return None
        if any(bytes_of(arrays[k][c] if c else arrays[k]) != content for k, c, content in self.integers):
            return None
        problem = self.problem.copy()
        for k, group, name in self.floats:
            problem.array(group, name)[...] = arrays[k]
        problem.names, problem.folded = assembly.names, assembly.folded
        return problem


@functools.cache
def integers_of(dtype: Any) -> list[str] | None:
    """The columns of integers of records that have others too; [] of floats; None of integers alone."""
    kinds = {name: dtype[name].kind for name in dtype.names} if dtype.names else {"": dtype.kind}
    integers = [name for name, kind in kinds.items() if kind == "i"]
    return integers if len(integers) < len(kinds) else None
