"""Plan of a sweep: what is done at each of its points, and what is kept of them; and one point: the compiled
system with other values, run in memory and measured.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from mbplugin.api import without_files
from mbplugin.decoder.rotation import Array
from mbplugin.errors import (
    Interrupted,
    MbpluginError,
    OtherStructureError,
    SceneError,
    one_line,
    refuse_beyond_memory,
)
from mbplugin.model import System
from mbplugin.result import Result
from mbplugin.run.loop import Run
from mbplugin.run.memory_sink import MemorySink
from mbplugin.run.prepare import Prepared, prepare
from mbplugin.run.times import frame_times
from mbplugin.sweeps.grid import Grid
from mbplugin.sweeps.measure import Column, Function, Measure, refuse_labels

#: of a point beside its time courses
BYTES = 1000.0


@dataclass(frozen=True)
class Plan:
    """System, measures and end [s] of a sweep; units: those of the measures that are stored quantities;
    disabled: names of plugins.
    """

    system: System
    measures: Sequence[Measure]
    end: float | None
    disabled: Sequence[str]
    units: Mapping[str, str]
    courses: Sequence[str] = ()  # names of those over time

    def refuse_against(self, label: str) -> None:
        """Raises SceneError if `label` is no measure over time, or the only one."""
        if label not in self.courses:
            parts = [course for course in self.courses if course.startswith(f"{label}.")]
            mend = f"has several components; choose one, such as {parts[0]}" if parts else ""
            mend = mend or f"is no measure over time of this sweep; add -m {label}"
            raise SceneError("--against", label, mend)
        if len(self.courses) == 1:
            raise SceneError("--against", label, "is the only measure over time; add one to draw over it")


def plan_of(
    prepared: Prepared, measures: Sequence[Measure], end: float | None, disabled: Sequence[str], grid: Grid
) -> Plan:
    """The plan, with the quantities of the measures found. Raises SceneError if one is not stored."""
    start = result_at_start(prepared, end)
    columns = [measure for measure in measures if isinstance(measure, Column)]
    found = [quantity for column in columns for quantity in column.read(start)]
    functions = [measure.label for measure in measures if isinstance(measure, Function)]
    refuse_labels([*(q.label for q in found), *functions], list(grid.values))
    units = {quantity.label: quantity.unit for quantity in found}
    last = float(end if end is not None else prepared.system.solver.end)
    numbers = sum(quantity.course for quantity in found) * len(frame_times(prepared.system, last))
    mend = "sweep it in parts, or keep reductions of what is kept over time"
    refuse_beyond_memory("sweep", f"{len(grid)} points", len(grid) * (BYTES + 8.0 * numbers), mend)
    courses = tuple(quantity.label for quantity in found if quantity.course)
    return Plan(prepared.system, tuple(measures), end, tuple(disabled), units, courses)


def result_at_start(prepared: Prepared, end: float | None) -> Result:
    """A result of the initial state alone."""
    alone = prepared.with_problem(prepared.problem.copy())
    sink = MemorySink([])
    run = Run(alone, sink, end)
    sink.begin()
    sink.write(alone.recorder.at_present(), iter(()))
    return Result.in_memory(sink.take(), run.summary())


def identity(plan: Plan, grid: Grid, sources: Mapping[str, str]) -> dict[str, Any]:
    """Keys in which a sweep that is continued has to agree. sources: digests of what the results stand on."""
    return {
        "scene": digest(plan.system.to_toml()),
        "end": repr(plan.end),
        **questions(plan, grid),
        "sources": dict(sources),
    }


def questions(plan: Plan, grid: Grid) -> dict[str, Any]:
    """Values and measures of a sweep."""
    return {
        "values": grid.digests(),
        "pairs": grid.pairs,
        "measures": {measure.label: text_of(measure) for measure in plan.measures},
    }


def text_of(measure: Measure) -> str:
    """Text of a measure, to be compared."""
    if not isinstance(measure, Function):
        return measure.text if isinstance(measure, Column) else repr(measure)
    try:
        return f"function {digest(inspect.getsource(measure.function))}"
    except (OSError, TypeError):  # typed into an interpreter
        code = getattr(measure.function, "__code__", None)
        return f"function {digest(code.co_code.hex()) if code is not None else measure.label}"


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


class Outcome(NamedTuple):
    """Outcome of a point. message: why it failed; "" if it has not."""

    point: int
    arrays: Mapping[str, Array]  # label -> of the shape of the measure
    time: Array | None  # (frames,) [s] of the time courses
    message: str = ""


class Points:
    """Runs points of a prepared system in this process, also in several threads."""

    def __init__(self, prepared: Prepared, measures: Sequence[Measure], end: float | None) -> None:
        self.prepared, self.measures, self.end = prepared, measures, end

    def run(self, index: int, values: Mapping[str, Any]) -> Outcome:
        """The outcome of a point; what stops it is its message. Raises Interrupted."""
        try:
            result = without_files(self.changed(values), self.end, plugins=[])
            found = [quantity for measure in self.measures for quantity in measure.read(result)]
            refuse_labels([quantity.label for quantity in found], list(values))
            time = result.time if any(quantity.course for quantity in found) else None
            return Outcome(index, {q.label: q.values for q in found}, time)
        except Interrupted:
            raise
        except MbpluginError as error:
            return failed(index, str(error))
        except Exception as error:
            return failed(index, f"{type(error).__name__}: {error}")

    def changed(self, values: Mapping[str, Any]) -> Prepared:
        """The system with these values: nothing is compiled, unless they ask for other rows or kinds."""
        system = self.prepared.system.with_values(values)
        try:
            return self.prepared.changed(self.prepared.problem, system, values)
        except OtherStructureError:
            return prepare(system, self.prepared.registry)


def failed(index: int, message: str) -> Outcome:
    """Outcome of a point that has failed."""
    return Outcome(index, {}, None, one_line(message) or "failed")
