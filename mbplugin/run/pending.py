"""Events that belong to no frame yet, and what the summary of a run says of all of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.results.events import Events, with_impacts
from mbplugin.results.impacts import IMPACTS
from mbplugin.results.layout import STATUSES
from mbplugin.run.impacts import IMPACT
from mbplugin.run.recorder import Recorder
from mbplugin.tables.records import ChangeRecord
from mbplugin.tables.spec import Array, records

#: events of which the summary has a line
FIRST = 3


class PendingEvents:
    """Records of changes of rows, and of impacts of bodies, in the order of time. `count` events so far, and
    the first ones as text.
    """

    def __init__(self, recorder: Recorder) -> None:
        self.recorder, self.switching = recorder, recorder.places.switching
        self.changes: Array = records(ChangeRecord, [])
        self.impacts: Array = np.zeros(0, IMPACT)
        self.count = 0
        self.first: list[str] = []

    def add(self, changes: Array, impacts: Array) -> None:
        """Add those that the last steps have brought."""
        if len(changes):
            self.changes = np.concatenate([self.changes, changes])
        if len(impacts):
            self.impacts = np.concatenate([self.impacts, impacts])

    def describe(self, changes: Array, impacts: Array) -> None:
        """Count these events, and write the first ones."""
        if len(changes):
            self.count += len(self.switching.events(changes)["time"])
        self.count += len(impacts)
        if len(self.first) < FIRST and (len(changes) or len(impacts)):
            events = self.described(changes, impacts[:FIRST])
            self.first += map(str, events[: FIRST - len(self.first)])

    def until(self, time: float) -> tuple[Array, Array]:
        """Remove and return those up to a time [s]: changes, impacts."""
        n, m = (
            int(np.searchsorted(each["time"], time, side="right")) for each in (self.changes, self.impacts)
        )
        found = self.changes[:n], self.impacts[:m]
        self.changes, self.impacts = self.changes[n:], self.impacts[m:]
        return found

    def events(self) -> Events:
        """The events that have not been removed."""
        return self.described(self.changes, self.impacts)

    def described(self, changes: Array, impacts: Array) -> Events:
        """The events that records are."""
        columns = self.switching.events(changes)
        words = {"element": self.switching.elements, "before": STATUSES, "after": STATUSES}
        rows = Events([np.array(words[name], str)[v] if name in words else v for name, v in columns.items()])
        if not len(impacts):
            return rows
        entries = self.recorder.impacts(impacts)
        read = lambda name: entries[f"lists/{IMPACTS}/{name}"]
        return with_impacts(rows, read, self.recorder.problem.names.bodies, self.recorder.dof)

    def keep(self, time: float) -> None:
        """Forget those after a time [s]."""
        self.changes, self.impacts = self.until(time)

    def saved(self) -> tuple[dict[str, Array], dict[str, Any]]:
        """For a checkpoint: the records (n, fields), of impacts bit for bit, and attributes."""
        rows = np.array(self.changes.tolist(), float).reshape(-1, len(ChangeRecord._fields))
        words = self.impacts.view(np.int64).reshape(-1, IMPACT.itemsize // 8)
        return {"changes": rows, "impacts": words}, {"count": self.count, "first": self.first}

    def load(self, arrays: Any, attributes: Any) -> None:
        """Continue from what was saved."""
        self.changes = records(ChangeRecord, arrays["changes"].tolist())
        self.impacts = np.ascontiguousarray(arrays["impacts"], np.int64).reshape(-1).view(IMPACT)
        self.count, self.first = int(attributes["count"]), list(attributes["first"])
