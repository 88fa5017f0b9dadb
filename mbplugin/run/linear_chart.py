"""States that stand for motions of an operating point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from mbplugin.analysis.rank.null_space import coordinate_rates, independent_rows
from mbplugin.problem import Problem
from mbplugin.tables.spec import Array


class Point(Protocol):
    """A state near which a problem can be evaluated."""

    problem: Problem
    q: Array
    v: Array

    def at(self, q: Array, v: Array) -> None: ...


@dataclass
class Chart:
    """States that stand for motions N η: joint coordinates, then P δ of motions that none measures."""

    coordinates: list[int]  # numbers of the joint coordinates
    names: list[str]
    along: Array  # (nv, k) δ of each state alone
    P: Array  # (k − coordinates, nv)

    @classmethod
    def of(cls, point: Point, N: Array, M: Array, among: Sequence[int]) -> Chart:
        """among: numbers of the joint coordinates to choose from"""
        problem, k = point.problem, N.shape[1]
        infos = problem.names.coordinates
        point.at(point.q, point.v)
        rates = coordinate_rates(problem, N)[list(among)]
        unit = np.array([1.0 if infos[i].unit == "rad" else problem.names.size for i in among]).reshape(-1, 1)
        scaled = rates / unit
        places = sorted(independent_rows(scaled, k, float(np.abs(scaled).max(initial=0.0))))
        T, chosen = rates[places], [among[i] for i in places]
        rest = np.eye(k)
        if chosen:
            # motions that no coordinate sees, in unit masses
            rest = np.linalg.svd(T, full_matrices=True)[2][len(chosen) :]
        names = [infos[i].name for i in chosen] + [f"motion_{i + 1}" for i in range(len(rest))]
        along = N @ np.linalg.inv(np.vstack([T, rest]))
        return cls(chosen, names, along, rest @ N.T @ M)
