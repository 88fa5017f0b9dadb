"""Arrays of a solver: those that become longer between two tries of a step, when compiled code requires it
(`Capacity`), and those that belong to the state.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mbplugin.compile.transient import BLOCKS, ROW_ARRAYS, lengthen
from mbplugin.errors import PluginError
from mbplugin.kernels.transient import (
    MATRIX_CAPACITY,
    NOTED_IMPACTS,
    OWN_CAPACITY,
    TRANSIENT_BLOCKS,
    TRANSIENT_ROWS,
)
from mbplugin.kernels.view import place_of
from mbplugin.matrix import enlarged
from mbplugin.problem import Problem
from mbplugin.tables.groups import Capacity, DerivedRows, Impacts, Matrix, Step, TransientRows
from mbplugin.tables.records import StatefulArrayRecord
from mbplugin.tables.spec import Array, records, specs


class GrowingArrays:
    """The growing arrays of a run: those of the transient rows, and the solver's own sets.

    own: the solver's group; None if it has none. sets: names of its arrays that grow together.
    """

    def __init__(self, problem: Problem, own: Any, sets: Sequence[Sequence[str]], owner: str) -> None:
        self.problem, self.own, self.sets, self.owner = problem, own, sets, owner
        for name in (name for names in sets for name in names):
            if own is None or name not in specs(own):
                raise PluginError(f'{owner}: `growing` names "{name}", which is no array of its group')
        problem.put(Capacity(np.zeros(OWN_CAPACITY + len(sets), np.int64)))

    def places(self, which: int) -> int:
        """Present places of a set."""
        if which == TRANSIENT_BLOCKS:
            return len(self.problem[TransientRows].index)
        if which == TRANSIENT_ROWS:
            return len(self.problem[TransientRows].phi)
        if which == MATRIX_CAPACITY:
            return 0  # `Matrix` itself counts what it needs
        if which == NOTED_IMPACTS:
            return len(self.problem[Impacts].index)
        return len(getattr(self.problem[self.own], self.sets[which - OWN_CAPACITY][0]))

    def grow(self) -> None:
        """Lengthen what has been asked for, to at least twice its length. Raises PluginError."""
        required = self.problem[Capacity].required
        asked = [(k, int(n)) for k, n in enumerate(required) if n > self.places(k)]
        if not asked:
            raise PluginError(
                f"{self.owner}: it returned OVERFLOW without asking for more places than there are"
            )
        for which, places in asked:
            self.lengthen(which, max(places, 2 * self.places(which)))
        required[:] = 0

    def lengthen(self, which: int, places: int) -> None:
        """Give a set this many places; the matrix what its analysis has counted."""
        if which == MATRIX_CAPACITY:
            self.problem.put(enlarged(self.problem[Matrix]))
        elif which == NOTED_IMPACTS:
            arrays = [name for name in Impacts._fields if name != "used"]
            self.problem.enlarge(Impacts, dict.fromkeys(arrays, places))
        elif which < OWN_CAPACITY:
            lengthen(self.problem, BLOCKS if which == TRANSIENT_BLOCKS else ROW_ARRAYS, places)
        else:
            self.problem.enlarge(self.own, dict.fromkeys(self.sets[which - OWN_CAPACITY], places))

    def provide(self, lengths: dict[str, int]) -> None:
        """Lengthen the sets of the solver that hold these arrays, to at least these lengths."""
        for i, names in enumerate(self.sets):
            least = max((lengths.get(name, 0) for name in names), default=0)
            if least > self.places(OWN_CAPACITY + i):
                self.lengthen(OWN_CAPACITY + i, least)


#: what the next pose of a joint begins with
FROM_LAST_POSE = ("value", "rate", "S", "pose", "bias", "side")


class StatefulArrays:
    """The arrays that belong to the state, stored at both ends of a step and in checkpoints: `names` of the
    solver's group `own`, and of joints whose poses Newton's method finds those of `FROM_LAST_POSE`. Their
    contents are in `Step.stateful0` and `stateful1`.
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
