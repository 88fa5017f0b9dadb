"""One point of a sweep: the compiled system with other values, run in memory and measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from mbplugin.api import without_files
from mbplugin.decoder.rotation import Array
from mbplugin.errors import Interrupted, MbpluginError, OtherStructureError, one_line
from mbplugin.run.prepare import Prepared, prepare
from mbplugin.sweeps.measure import Measure, refuse_labels


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
