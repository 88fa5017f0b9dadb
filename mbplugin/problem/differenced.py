"""Elements and rows whose tangents are differences: what is evaluated for each of them, which markers it
depends on, and which it acts on.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from mbplugin.tables.groups import (
    Batches,
    Blocks,
    Couplings,
    Elements,
    Enforced,
    Functions,
    Markers,
    Measures,
    Wrenches,
)
from mbplugin.tables.purposes import COUPLING, FUNCTION, KERNEL, MEASURE_RATE, PARTIAL, STATES
from mbplugin.tables.tape import MEASURE, RATE, STATE

#: what of an evaluation, number, batch
Call = tuple[int, int, int]


@dataclass
class Part:
    """An element or a row: the fields of a DifferenceRecord, with lists."""

    calls: list[Call]
    reads: list[int]
    acts: list[int]
    first_wrench: int = -1
    block: int = 0
    rows: range = field(default_factory=lambda: range(0))
    by_places: bool = True
    rates: bool = False
    first_aux: int = 0
    states: int = 0
    first_pair: int = 0


def difference_parts(problem: Any, given: set[int]) -> tuple[list[Part], set[int]]:
    """The parts, and the elements whose tangents are left out: what their expressions read moves too, or the
    rates of enforced rows have terms of their own.

    given: batches whose tangents are used
    """
    reader = Reader(problem)
    parts: list[Part] = []
    left_out: set[int] = set()
    elements, batches, blocks = problem[Elements], problem[Batches].index, problem[Blocks]
    enforced = set(problem[Enforced].index.row.tolist())
    block_of = {
        r: number
        for number, block in enumerate(blocks.index)
        for r in range(block.first_row, block.first_row + block.rows)
    }
    for number, kernel in enumerate(problem.kernels):
        shape, batch = kernel.shape, batches[number]
        if kernel.role not in ("force", "constraint", "measure") or shape.as_measure or shape.derived:
            continue
        for e in range(int(batch.first), int(batch.first + batch.length)):
            element = elements.index[e]
            slots = [int(p) for p in elements.marker[element.first_slot :][: element.slots]]
            functions = range(element.first_function, element.first_function + len(shape.functions))
            read = reader.of_functions(functions) if kernel.role == "force" else Read()
            held = kernel.role != "force" and int(element.first_row) in enforced
            if read.markers or (held and " arg_phi_t =" in kernel.text):
                left_out.add(e)
            by_places = number not in given or e in left_out
            if not by_places and not shape.states:
                continue
            measures = range(element.measure, element.measure + shape.measures)
            own = [] if kernel.role != "force" else reader.of_measures(measures)
            part = Part(
                [*own, *read.calls, (KERNEL, e, number)],
                reader.moving([*slots, *read.markers]),
                slots,
                by_places=by_places,
                first_aux=int(element.first_aux),
                states=shape.states,
            )
            if kernel.role == "force":
                part.first_wrench = 6 * int(problem[Wrenches].index[element.force].first_slot)
            else:
                part.rows = range(element.first_row, element.first_row + shape.rows)
                part.block, part.rates = block_of[int(element.first_row)], held and by_places
            parts.append(part)
    terms: dict[int, list[int]] = {}
    for i, term in enumerate(problem[Couplings].index):
        terms.setdefault(int(term.row), []).append(i)
    for row, numbers in terms.items():
        parts.append(coupled(problem, reader, row, numbers, block_of[row], row in enforced))
    return parts, left_out


def coupled(problem: Any, reader: Reader, row: int, numbers: list[int], number: int, enforced: bool) -> Part:
    """A row Σ cᵢ sᵢ = f."""
    couplings, functions, blocks = problem[Couplings].index, problem[Functions], problem[Blocks]
    block = blocks.index[number]
    slots = [int(p) for p in blocks.marker[block.first_slot : block.first_slot + block.slots]]
    targets = {int(couplings[i].function) for i in numbers if couplings[i].function >= 0}
    partials = [k for k, partial in enumerate(functions.partial) if partial.coupling in numbers]
    read = reader.of_functions(targets, [functions.partial[k] for k in partials])
    measures = reader.of_measures(int(couplings[i].measure) for i in numbers)
    calls = list(dict.fromkeys([*measures, *read.calls]))
    order = (KERNEL, MEASURE_RATE, STATES, FUNCTION)
    calls.sort(key=lambda call: order.index(call[0]))
    return Part(
        [*calls, *((PARTIAL, k, 0) for k in partials), *((COUPLING, i, 0) for i in numbers)],
        reader.moving([*slots, *read.markers]),
        slots,
        block=number,
        rows=range(row, row + 1),
        rates=enforced,
    )


@dataclass
class Read:
    """Calls and markers on which expressions depend."""

    calls: list[Call] = field(default_factory=list)
    markers: list[int] = field(default_factory=list)


class Reader:
    """Finds what has to be evaluated anew where a marker moves."""

    def __init__(self, problem: Any) -> None:
        self.problem = problem
        #: element and batch of each measure that is evaluated by itself
        self.element_of: dict[int, tuple[int, int]] = {}
        for number, kernel in enumerate(problem.kernels):
            if kernel.role == "measure" and kernel.shape.as_measure:
                batch = problem[Batches].index[number]
                for e in range(int(batch.first), int(batch.first + batch.length)):
                    self.element_of[int(problem[Elements].index[e].measure)] = e, number

    def moving(self, markers: Iterable[int]) -> list[int]:
        """Markers on bodies, each once."""
        body = self.problem[Markers].index.body
        return [p for p in dict.fromkeys(markers) if body[p] >= 0]

    def of_measures(self, measures: Iterable[int]) -> list[Call]:
        """Calls of measures and their rates."""
        found = list(dict.fromkeys(int(m) for m in measures))
        kernels = [(KERNEL, *self.element_of[m]) for m in found]
        return [*kernels, *((MEASURE_RATE, m, 0) for m in found)]

    def of_functions(self, targets: Iterable[int], partials: Iterable[Any] = ()) -> Read:
        """Calls and markers of bound functions, directly or through the rates of the user's states."""
        table, wanted = self.problem[Functions], set(targets)
        numbers = [k for k, row in enumerate(table.index) if row.target in wanted]
        ops = [
            op
            for row in [*(table.index[k] for k in numbers), *partials]
            for op in table.ops[row.start : row.stop]
        ]
        states = any(op[0] == STATE for op in ops)
        if states:
            ops += [op for row in table.equation for op in table.ops[row.start : row.stop]]
        measures = list(dict.fromkeys(int(op[1]) for op in ops if op[0] in (MEASURE, RATE)))
        if not measures:
            return Read()
        index, slot = self.problem[Measures].index, self.problem[Elements].marker
        markers = [
            int(p) for n in measures for p in slot[index[n].first_slot : index[n].first_slot + index[n].slots]
        ]
        calls = self.of_measures(measures) + ([(STATES, 0, 0)] if states else [])
        return Read([*calls, *((FUNCTION, k, 0) for k in numbers)], markers)
