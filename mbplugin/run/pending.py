"""Changes of rows that belong to no frame yet, and what the summary of a run says of all of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.results.events import Events
from mbplugin.results.layout import STATUSES
from mbplugin.run.switching import Switching
from mbplugin.tables.records import ChangeRecord
from mbplugin.tables.spec import Array, records

#: events of which the summary has a line
FIRST = 3


class PendingChanges:
    """Records of changes in the order of time. `count` events so far, and the first ones as text."""

    def __init__(self, switching: Switching) -> None:
        self.switching = switching
        self.records: Array = records(ChangeRecord, [])
        self.count = 0
        self.first: list[str] = []

    def add(self, changes: Array) -> None:
        """Add those that the last steps have brought."""
        if len(changes):
            self.records = np.concatenate([self.records, changes])

    def describe(self, changes: Array) -> None:
        """Count these events, and write the first ones."""
        if not len(changes):
            return
        events = self.described(changes)
        self.count += len(events)
        self.first += map(str, events[: FIRST - len(self.first)])

    def until(self, time: float) -> Array:
        """Remove and return those up to a time [s]."""
        n = int(np.searchsorted(self.records["time"], time, side="right"))
        found, self.records = self.records[:n], self.records[n:]
        return found

    def events(self) -> Events:
        """Those that have not been removed."""
        return self.described(self.records)

    def described(self, changes: Array) -> Events:
        """The events that records of changes are."""
        columns = self.switching.events(changes)
        words = {"element": self.switching.elements, "before": STATUSES, "after": STATUSES}
        return Events([np.array(words[name], str)[v] if name in words else v for name, v in columns.items()])

    def keep(self, time: float) -> None:
        """Forget those after a time [s]."""
        self.records = self.until(time)

    def saved(self) -> tuple[Array, dict[str, Any]]:
        """For a checkpoint: the records (n, fields) and attributes."""
        rows = np.array(self.records.tolist(), float).reshape(-1, len(ChangeRecord._fields))
        return rows, {"count": self.count, "first": self.first}

    def load(self, rows: Array, attributes: Any) -> None:
        """Continue from what was saved."""
        self.records = records(ChangeRecord, rows.tolist())
        self.count, self.first = int(attributes["count"]), list(attributes["first"])
