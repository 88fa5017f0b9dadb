"""Remarks on what forces derive from the scene as written, where assembly has moved their markers since."""

from __future__ import annotations

from numbers import Real

from mbplugin.errors import SceneError
from mbplugin.problem import Problem
from mbplugin.tables.groups import Markers

#: relative change of a number that gets a remark
CHANGED_NUMBER = 1e-4


def remarks(problem: Problem) -> list[str]:
    """A line for each number that would be another one, had it been derived from the assembled position."""
    markers, lines = problem[Markers], []
    for found in problem.names.defaults:
        poses = [(markers.x[k].copy(), markers.R[k].reshape(3, 3).copy()) for k in found.markers]
        try:
            now = found.kind.defaults(found.given, poses)
        except SceneError:
            continue  # nothing can be derived there
        for key in type(found.given).model_fields:
            before, after = getattr(found.params, key, None), getattr(now, key, 0.0)
            if getattr(found.given, key) is not None or not isinstance(before, Real):
                continue
            if before == 0.0:
                lines.append(
                    f'force "{found.force}": `{key}` is not given and is 0: its markers coincide as written'
                )
            elif abs(after - before) > CHANGED_NUMBER * max(abs(after), abs(before)):
                lines.append(
                    f'force "{found.force}": `{key}` is not given and is {before:.6g}, from the positions as '
                    f"written; after assembly it would be {after:.6g}"
                )
    return lines
