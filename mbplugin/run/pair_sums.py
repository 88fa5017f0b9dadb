"""Impulses of each two shapes that have touched, summed since t = 0, and which of them a frame stores."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from mbplugin.tables.spec import Array


class PairSums(NamedTuple):
    """Sums of the pairs at one time."""

    key: Array  # (pairs,) a n + b of shapes a and b of n, sorted
    impulse: Array  # (pairs, 3) on b [N·s], world axes

    def since(self, before: PairSums | None) -> PairSums:
        """The sums that differ from those before; a frame within a step may have had pairs that its end does
        not have.
        """
        if before is None:
            return self
        lost = before.key[~np.isin(before.key, self.key)]
        if len(lost):
            key = np.concatenate([self.key, lost])
            order, impulse = np.argsort(key), np.concatenate([self.impulse, np.zeros((len(lost), 3))])
            return PairSums(key[order], impulse[order]).since(before)
        there = np.isin(self.key, before.key)
        same = np.zeros(len(self.key), bool)
        same[there] = (self.impulse[there] == before.impulse).all(axis=1)
        return PairSums(self.key[~same], self.impulse[~same])

    def saved(self) -> Array:
        """(pairs, 4) for a checkpoint."""
        return np.column_stack([self.key, self.impulse]).astype(float)

    @classmethod
    def of(cls, saved: Array) -> Self:
        """From a checkpoint."""
        return cls(saved[:, 0].astype(np.int64), saved[:, 1:].copy())


NO_SUMS = PairSums(np.zeros(0, np.int64), np.zeros((0, 3)))
