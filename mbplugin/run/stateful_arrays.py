"""Arrays of a solver, and of joints whose poses Newton's method finds, that belong to the state: stored at
both ends of a step, and in checkpoints.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mbplugin.errors import PluginError
from mbplugin.kernels.view import place_of
from mbplugin.problem import Problem
from mbplugin.tables.groups import DerivedRows, Step
from mbplugin.tables.records import StatefulArrayRecord
from mbplugin.tables.spec import Array, records, specs

#: what the next pose of a joint begins with
FROM_LAST_POSE = ("value", "rate", "S", "pose", "bias", "side")


class StatefulArrays:
    """The arrays `names` of the solver's group `own`, and those of `FROM_LAST_POSE`, with contents in
    `Step.stateful0` and `stateful1`.
    """

    def __init__(self, problem: Problem, own: Any, names: Sequence[str], owner: str) -> None:
        self.problem, self.names = problem, tuple(names)
        for name in names:
            if own is None or name not in specs(own):
                raise PluginError(
                    f'{owner}: `stateful_arrays` names "{name}", which is no array of its group'
                )
        self.places = [(own, name) for name in names]
        if len(problem[DerivedRows].index):
            self.places += [(DerivedRows, name) for name in FROM_LAST_POSE]
        self.widths = [
            np.dtype(specs(group)[name].dtype).itemsize * max(1, specs(group)[name].columns) // 8
            for group, name in self.places
        ]
        self.lengths = np.zeros(len(self.places), np.int64)
        if not self.places:
            return
        arrays = [array.view(np.int64).ravel() for array in self.arrays()]
        content: Array = np.concatenate([*arrays, np.zeros(0, np.int64)])
        self.lay_out()
        self.put(content, content.copy())

    def arrays(self) -> list[Array]:
        return [getattr(self.problem[group], name) for group, name in self.places]

    def lay_out(self) -> None:
        """Find the lengths of the arrays."""
        self.lengths = np.array([len(array) for array in self.arrays()], np.int64)

    def put(self, content0: Array, content1: Array) -> None:
        """Put the records and the contents, which have the present lengths, into the table."""
        words = self.lengths * self.widths
        first = np.concatenate([[0], np.cumsum(words)])[:-1]
        places = [place_of(group, name) for group, name in self.places]
        rows = [(p, int(f), int(w)) for p, f, w in zip(places, first, words)]
        step = self.problem[Step]
        self.problem.put(
            step._replace(stateful=records(StatefulArrayRecord, rows), stateful0=content0, stateful1=content1)
        )

    def grown(self) -> None:
        """Follow arrays that have become longer; further entries are zero."""
        before = self.lengths
        step = self.problem[Step]
        self.lay_out()
        if not np.array_equal(before, self.lengths):
            self.put(*(self.spread(content, before) for content in (step.stateful0, step.stateful1)))

    def spread(self, content: Array, lengths: Array) -> Array:
        """Content of arrays of other lengths, in the present layout."""
        target = np.zeros(int(np.dot(self.lengths, self.widths)), np.int64)
        source_at = target_at = 0
        for old, new, width in zip(lengths, self.lengths, self.widths):
            words = int(old * width)
            target[target_at : target_at + words] = content[source_at : source_at + words]
            source_at, target_at = source_at + words, target_at + int(new * width)
        return target

    def load(self, lengths: Array, content0: Array, content1: Array) -> None:
        """Take contents that were stored with these lengths, which are at most the present ones."""
        self.put(self.spread(content0, lengths), self.spread(content1, lengths))
