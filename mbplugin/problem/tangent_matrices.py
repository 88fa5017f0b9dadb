"""The blocks of a M + b D + c K as matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.errors import PluginError
from mbplugin.tables.groups import Bodies, TangentBlocks, TangentPlan, Tangents
from mbplugin.tables.spec import Array


def sparse(problem: Any) -> Any:
    """(nv, nv), a sparse array of scipy (CSC)."""
    from scipy.sparse import csc_array

    if problem.part_tangents is not None:
        return problem.cache["tangent of parts"]
    place, row, start = entries(problem)
    nv = problem.nv
    return csc_array((problem[TangentBlocks].value[place], row, start), shape=(nv, nv))


def entries(problem: Any) -> tuple[Array, Array, Array]:
    """Place in `TangentBlocks.value` and row of each entry by columns, and the start of each column."""
    if "tangent entries" not in problem.cache:
        index, first = problem[TangentBlocks].index, problem[Bodies].index.first_v
        row, column = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for block in index:
            row.append(np.repeat(first[block.row] + np.arange(block.rows), block.columns))
            column.append(np.tile(first[block.column] + np.arange(block.columns), block.rows))
        rows, columns = np.concatenate(row), np.concatenate(column)
        place = np.lexsort((rows, columns))
        start = np.concatenate([[0], np.cumsum(np.bincount(columns, minlength=problem.nv))])
        problem.cache["tangent entries"] = place, rows[place], start
    entry: tuple[Array, Array, Array] = problem.cache["tangent entries"]
    return entry


def refuse_nan(problem: Any) -> None:
    """Raise PluginError, with the element's name, if an entry is not finite because of a tangent function."""
    if np.isfinite(problem[TangentBlocks].value).all():
        return
    plan, value = problem[TangentPlan], problem[Tangents].value
    for strip in plan.strip:
        for member in plan.member[strip.first_member : strip.first_member + strip.members]:
            kernel = next(k for k in problem.tangent_kernels if k.address == member.address)
            square = 36 * int(strip.markers) ** 2
            for e in range(int(member.first), int(member.first + member.each * strip.groups)):
                at = int(problem[Tangents].element[e])
                value[at : at + member.numbers] = 0.0
                kernel.call(e, 1, problem.addresses)
                for name, start in (("K", 0), ("D", square)):
                    numbers = value[at + start : at + min(int(member.numbers), start + square)]
                    wrong = numbers[~np.isfinite(numbers)]
                    if len(wrong):
                        raise PluginError(
                            f"{kernel.owner}: its tangent function returned {name} with {wrong[0]} in it "
                            f'for "{problem.names.elements[e]}"'
                        )
