"""Arrays that become longer between two tries of a step, when compiled code requires it (`Capacity`)."""

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
from mbplugin.matrix import enlarged
from mbplugin.problem import Problem
from mbplugin.tables.groups import Capacity, Impacts, Matrix, TransientRows
from mbplugin.tables.spec import specs


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
